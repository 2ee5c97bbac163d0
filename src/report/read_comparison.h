// The section `comparison` of report.json, and the numbers that every section has.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {

/// Which of the states that it may be; `otherwise` where it is not told.
State ReadState(const JsonNode& node, std::span<const State> among, State otherwise = State::kNone);

/// The value whose name it is, by the place of the name; the first where it is not told.
template <class Enum, std::size_t n>
Enum ReadWord(const JsonNode& node, const std::array<std::string_view, n>& names) {
  return static_cast<Enum>(node.IndexAmong(names).value_or(0));
}

/// A quantity as render/json/json_comparison.cc writes it; nothing where there is none.
Quantity ReadQuantity(const JsonNode& node);

/// The twin of render's WriteComparison. What an older version did not write is empty.
Comparison ReadComparison(const JsonNode& node);

}  // namespace profgauge::report
