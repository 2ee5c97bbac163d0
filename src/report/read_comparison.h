// The section `comparison` of report.json, and the numbers that every section has.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {

/// The state, one of these; `otherwise` if missing.
State ReadState(const JsonNode& node, std::span<const State> among, State otherwise = State::kNone);

/// The value whose name it is, by the index of the name; the first if missing.
template <class Enum, std::size_t n>
Enum ReadWord(const JsonNode& node, const std::array<std::string_view, n>& names) {
  return static_cast<Enum>(node.IndexAmong(names).value_or(0));
}

/// A quantity as render/json/json_comparison.cc writes it; nothing where there is none.
Quantity ReadQuantity(const JsonNode& node);

/// The inverse of render's WriteComparison. Fields that an older version did not write are empty.
Comparison ReadComparison(const JsonNode& node);

}  // namespace profgauge::report
