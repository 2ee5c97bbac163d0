// Columns common to several tables, and the composition of a table's columns from groups. A shared
// column has one title and one definition.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/metric_id.h"
#include "base/table.h"

namespace profgauge::analysis::catalog::columns {

using enum Unit;

/// Concatenates the columns of all parts at compile time. Parts are groups that several tables
/// share, or literal rows in braces.
template <std::size_t... kSizes>
constexpr auto Join(const ColumnSpec (&... parts)[kSizes]) {
  std::array<ColumnSpec, (kSizes + ...)> all;
  auto at = all.begin();
  ((at = std::copy(std::begin(parts), std::end(parts), at)), ...);
  return all;
}

inline constexpr ColumnSpec kRank = {"rank", "Rank", kCount, "Rank that was recorded."};
inline constexpr ColumnSpec kGpu = {"gpu", "{{ device.device }}", kCount,
                                    "Device number as recorded."};
inline constexpr ColumnSpec kStream = {"stream", "Stream", kCount, "Stream number as recorded."};
inline constexpr ColumnSpec kCalls = {"calls", "Calls", kCount, "How often."};
inline constexpr ColumnSpec kKernelTime = {"time", "Time", kTime, "Sum of the durations."};
inline constexpr ColumnSpec kMean = {"mean", "Mean", kTime, "Time / calls."};
inline constexpr ColumnSpec kShortest = {"min", "Shortest", kTime,
                                         "Duration of the shortest call."};
inline constexpr ColumnSpec kLongest = {"max", "Longest", kTime, "Duration of the longest call."};
inline constexpr ColumnSpec kExposed = {
    "exposed_time", "Exposed", kTime,
    "Time in which the same {{ device.device }} computes nothing (collectives and copies).",
    metric::kBreakdownCommunication};
inline constexpr ColumnSpec kUses = {
    "uses_tensor_core", "{{ device.matrix_units }}", kText,
    "Whether it uses {{ device.matrix_units }}: yes, no or unknown."};
inline constexpr ColumnSpec kOccupancy = {"occupancy", "Est. occupancy", kShare,
                                          "Estimated achieved occupancy, weighted by time."};
inline constexpr ColumnSpec kOutside = {
    "outside", "Outside", kTime,
    "Time that was not launched in the selected iterations: before, after or between."};

// The first columns of every table that is a tree: TreeCells.
inline constexpr ColumnSpec kTree[] = {
    {"node", "Node", kCount, "Number of the row, from 0."},
    {"parent", "Parent", kCount, "Node of the row that contains it; absent at the top."},
    {"depth", "Depth", kCount, "How many rows contain it."},
};

}  // namespace profgauge::analysis::catalog::columns
