// The kinds of changes that explain a missed limit; gate/movement.h defines them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::gate {

enum class MovementKind : std::uint8_t {
  kInputs,
  kSomeIterations,
  kBetween,
  kClock,
  kOneRank,
  kWork,
  kParts,
  kAllAlike,
  kHost,
  kUnknown,
};
inline constexpr std::array<std::string_view, 10> kMovementKindNames = {
    "inputs", "some_iterations", "between",   "clock", "one_rank",
    "work",   "parts",           "all_alike", "host",  "unknown"};
/// The id of a kind of change in report.json.
constexpr std::string_view NameOf(MovementKind kind) {
  return kMovementKindNames[static_cast<std::size_t>(kind)];
}

}  // namespace profgauge::gate
