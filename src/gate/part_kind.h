// The levels of a waterfall, and the states of its parts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::gate {

/// The levels of a waterfall, from categories down to single kernels.
enum class PartLevel : std::uint8_t { kCategory, kOpType, kOp, kKernel };
inline constexpr std::array<std::string_view, 4> kPartLevelNames = {"category", "op_type", "op",
                                                                    "kernel"};
/// The id of a level in report.json.
constexpr std::string_view NameOf(PartLevel level) {
  return kPartLevelNames[static_cast<std::size_t>(level)];
}

/// How a part differs between the two runs.
enum class PartChange : std::uint8_t { kChanged, kAdded, kRemoved, kRenamed };
inline constexpr std::array<std::string_view, 4> kPartChangeNames = {"changed", "added", "removed",
                                                                     "renamed"};
/// The id of a state in report.json.
constexpr std::string_view NameOf(PartChange change) {
  return kPartChangeNames[static_cast<std::size_t>(change)];
}

}  // namespace profgauge::gate
