// Finds the idle times of a GPU. There may be one after each of millions of kernels, so they are
// visited and never stored. Utilization sums them, and breakdown/idle.cc explains them. Both use
// this walk, so that the causes of idle time add up to the idle time.
//
// Rows come by start, from all streams of the GPU; `busy_until` is the latest end so far:
//
//   stream 1   |##a##|         |##c##|
//   stream 2       |####b####|          |#d#|
//   idle                     |=|     |==|            between b and c, and between c and d
//   observed   |-----------------|    |------|       only the observed part of the second counts
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/iterations/context.h"
#include "base/interval.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// Marks an idle range that no row follows.
inline constexpr std::uint32_t kNoDeviceRow = DeviceId{}.value;

/// Calls `gap(span, whole, row)`, in order, for each part of `observed` (disjoint, in order) in
/// which no row runs. `span` is that part, and `whole` the idle range around it, observed or not.
/// The range before the first row and after the last one is unbounded. `row` ends the range; it is
/// kNoDeviceRow after the last row. Calls `pass(row)` for each row by start, after the gaps before
/// it. Ranges below the clock's resolution are no gaps (classify::ShortestIdle()). O(n log s) for s
/// streams. REQUIRES: all rows of one GPU; at least one.
template <class Gap, class Pass>
void VisitIdle(const DeviceTable& device, classify::DeviceRows rows, std::span<const Span> observed,
               Gap gap, Pass pass) {
  const Ns shortest = classify::ShortestIdle(device, rows);
  std::size_t next = 0;
  const auto add = [&](Ns from, Ns to, std::uint32_t row) {
    while (next < observed.size() && observed[next].end <= from) ++next;
    for (std::size_t i = next; i < observed.size() && observed[i].start < to; ++i) {
      const Span span{std::max(from, observed[i].start), std::min(to, observed[i].end)};
      gap(span, Span{from, to}, row);
    }
  };
  Ns busy_until = std::numeric_limits<Ns>::min();
  classify::VisitByStart(device, rows, [&](std::uint32_t row) {
    if (device.duration[row] > 0) {
      const bool is_first = busy_until == std::numeric_limits<Ns>::min();
      if (is_first || device.start[row] - busy_until >= shortest) {
        add(busy_until, device.start[row], row);
      }
      busy_until = std::max(busy_until, device.start[row] + device.duration[row]);
    }
    pass(row);
  });
  add(busy_until, std::numeric_limits<Ns>::max(), kNoDeviceRow);
}

// How long the GPU ran an operator's work, and how long it idled in between.

/// Times in ns for one call. Both are 0 for an operator that launches no work.
struct GpuUseOfOp {
  /// Time in which at least one device event runs that the op launched directly (DLProf's "GPU
  /// Time").
  Ns busy = 0;
  /// From the start of the first event to the end of the last, minus `busy` ("GPU Idle Time").
  Ns idle = 0;
};

/// For all ops. Most rows of a HostTable launch no work, so only those that do have an entry.
struct OpGpuUse {
  std::vector<std::uint32_t> place;  ///< By row of HostTable: index into `uses`.
  std::vector<GpuUseOfOp> uses;      ///< The first is for ops without device work.

  const GpuUseOfOp& Of(std::uint32_t row) const { return uses[place[row]]; }
};
/// The use of all operators of a rank. O(n log n) over its device rows at most; O(n) if the work of
/// each operator is sorted by start, as on one stream.
OpGpuUse FindOpGpuUse(const RankContext& rank);

}  // namespace profgauge::analysis::iterations
