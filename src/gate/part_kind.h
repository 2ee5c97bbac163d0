// Kinds of steps of a waterfall, and their states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge {

enum class PartLevel : std::uint8_t { kCategory, kOpType, kOp, kKernel };
inline constexpr std::array<std::string_view, 4> kPartLevelNames = {"category", "op_type", "op",
                                                                    "kernel"};
constexpr std::string_view NameOf(PartLevel level) {
  return kPartLevelNames[static_cast<std::size_t>(level)];
}

enum class PartChange : std::uint8_t { kChanged, kAdded, kRemoved, kRenamed };
inline constexpr std::array<std::string_view, 4> kPartChangeNames = {"changed", "added", "removed",
                                                                     "renamed"};
constexpr std::string_view NameOf(PartChange change) {
  return kPartChangeNames[static_cast<std::size_t>(change)];
}

}  // namespace profgauge
