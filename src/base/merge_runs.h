// Visits several lists of rows, each sorted by start, in one common order. A heap holds the next
// row of each list, so no merged list is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// Rows [row, end) in order of start.
struct RowRun {
  std::uint32_t source = 0;  ///< Owner of the rows: any number.
  std::uint32_t row = 0, end = 0;
  Ns start = 0;  ///< Start of `row`.
};

/// Appends the runs of sorted rows in [begin, end). `starts[row]` is the start of a row. O(rows).
template <class Starts>
void AddRuns(const Starts& starts, std::uint32_t source, std::uint32_t begin, std::uint32_t end,
             std::vector<RowRun>& runs) {
  for (std::uint32_t row = begin; row < end;) {
    std::uint32_t next = row + 1;
    while (next < end && starts[next - 1] <= starts[next]) ++next;
    runs.push_back({source, row, next, starts[row]});
    row = next;
  }
}

/// Calls `visit(source, row)` for all rows by start; rows of equal start by row, then source.
/// `start_of(source, row)` returns the start. O(n log runs); faster while one run stays first.
/// REQUIRES: no run is empty, as from AddRuns().
///
///   source 0   rows 0, 1, 2 start at 1, 4, 9
///   source 1   rows 0, 1    start at 2, 3
///   visits     0:0 at 1 | 1:0 at 2, 1:1 at 3 | 0:1 at 4, 0:2 at 9
///
/// While the first run stays ahead of the second one (between the bars), rows are visited without
/// changing the heap: one comparison per row. Memory: the runs.
template <class StartOf, class Visit>
void MergeRuns(std::vector<RowRun> runs, StartOf start_of, Visit visit) {
  const auto key = [](const RowRun& run) { return std::tie(run.start, run.row, run.source); };
  const auto later = [key](const RowRun& a, const RowRun& b) { return key(a) > key(b); };
  std::make_heap(runs.begin(), runs.end(), later);
  while (!runs.empty()) {
    RowRun& first = runs.front();
    const RowRun* second = runs.size() > 1 ? &runs[1] : nullptr;
    if (runs.size() > 2 && later(*second, runs[2])) second = &runs[2];
    do {
      visit(first.source, first.row++);
      if (first.row < first.end) first.start = start_of(first.source, first.row);
    } while (first.row < first.end && (second == nullptr || !later(first, *second)));
    if (first.row == first.end) {
      first = runs.back();
      runs.pop_back();
    }
    // The new first run sinks to its place.
    for (std::size_t at = 0;;) {
      std::size_t next = 2 * at + 1;
      if (next >= runs.size()) break;
      if (next + 1 < runs.size() && later(runs[next], runs[next + 1])) ++next;
      if (!later(runs[at], runs[next])) break;
      std::swap(runs[at], runs[next]);
      at = next;
    }
  }
}

}  // namespace profgauge
