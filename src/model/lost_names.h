// Names that a file should have and has not.
#pragma once

#include <string_view>

namespace profgauge {

/// The name of a kernel without a name in the file: this, with a number if it has one, "(unnamed
/// kernel 17)".
inline constexpr std::string_view kUnnamedKernel = "(unnamed kernel)";

/// Whether a kernel's name was not recorded, so that its purpose is unknown.
inline bool IsLostName(std::string_view name) {
  constexpr std::string_view kBegin = "(unnamed kernel";
  return name.empty() || name.starts_with(kBegin);
}

}  // namespace profgauge
