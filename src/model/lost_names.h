// Names that a file should have and has not.
#pragma once

#include <string_view>

namespace profgauge {

/// What readers call a kernel whose name the file lacks: this, and a number where it has one,
/// "(unnamed kernel 17)".
inline constexpr std::string_view kUnnamedKernel = "(unnamed kernel)";

/// Whether a kernel's name was not recorded, so that no one can tell what it does.
inline bool IsLostName(std::string_view name) {
  constexpr std::string_view kBegin = "(unnamed kernel";
  return name.empty() || name.starts_with(kBegin);
}

}  // namespace profgauge
