// When each GPU computed and communicated: span lists by device, and the exposed part of events.
// Everything is by GPU: work of one GPU never hides that of another.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "base/interval.h"
#include "base/merge_runs.h"
#include "base/numbers.h"
#include "model/profile.h"

namespace profgauge::analysis::classify {

/// Rows [begin, end) of one GPU.
struct DeviceRows {
  std::uint32_t begin = 0, end = 0;
};
/// The rows of one GPU, in table order: by stream, then start. Empty for a GPU without work. O(log
/// n), since the table is sorted by GPU.
DeviceRows RowsOfGpu(const DeviceTable& device, std::int32_t gpu);

/// The first GPU with that id, or nullptr. O(log n). REQUIRES: `gpus` are sorted by id.
const Gpu* FindGpu(std::span<const Gpu> gpus, std::int32_t id);

/// Kernels of one GPU in the whole profile. All members are span lists.
struct DeviceSpans {
  std::int32_t gpu = -1;
  std::vector<Span> compute;        ///< Kernels except collectives.
  std::vector<Span> communication;  ///< Collectives.
};

/// One entry per GPU with device rows, by id. Copies and memsets are not included. Needs memory for
/// the merged spans of all kernels.
std::vector<DeviceSpans> CollectDeviceSpans(const Profile& profile, const KernelClasses& classes);
/// Calls `visit` with each of the rows by start, then by row, without storing a list. O(n log s)
/// for s streams. REQUIRES: rows of one GPU.
template <class Visit>
void VisitByStart(const DeviceTable& device, DeviceRows rows, Visit visit) {
  std::vector<RowRun> runs;
  AddRuns(device.start, 0, rows.begin, rows.end, runs);
  MergeRuns(
      std::move(runs), [&device](std::uint32_t, std::uint32_t row) { return device.start[row]; },
      [&visit](std::uint32_t, std::uint32_t row) { visit(row); });
}

/// Returns the shortest gap that the profile can resolve, in ns, at least 3: its clock may tick in
/// whole microseconds. For a tick of 1 us it is 998, so that a gap of one tick counts even if
/// floating-point rounding removed one or two ns. O(1): finds the tick from a sample of a few
/// thousand rows. REQUIRES: all rows of one GPU.
Ns ShortestIdle(const DeviceTable& device, DeviceRows rows);

/// Finds the gaps of a GPU that its clock cannot resolve. Each counts as part of the work before
/// it, so that all analyses agree on how long a GPU was busy, and with what.
///
///   kernel   [0, 10)        [40, 50)
///   copy             [11, 39)             [10, 11) is the kernel's, [39, 40) the copy's
class ShortGapFinder {
 public:
  /// REQUIRES: all rows of one GPU.
  ShortGapFinder(const DeviceTable& device, DeviceRows rows)
      : device_(device), shortest_(ShortestIdle(device, rows)) {}
  /// If there is such a gap before `row`, calls `fill(before, gap)`. `before` is the row to which
  /// the gap belongs: the last to end, preferably a kernel. REQUIRES: rows by start.
  template <class Fill>
  void Pass(std::uint32_t row, Fill fill) {
    const Ns start = device_.start[row], end = start + device_.duration[row];
    if (end <= start) return;
    const bool is_first = last_ == kNoIndex;
    if (!is_first && start > until_ && start - until_ < shortest_) fill(last_, Span{until_, start});
    if (is_first || end > until_ || (end == until_ && device_.kind[row] < device_.kind[last_])) {
      last_ = row;
      until_ = end;
    }
  }

 private:
  const DeviceTable& device_;
  Ns shortest_;
  Ns until_ = 0;
  std::uint32_t last_ = kNoIndex;
};

/// A gap found by ShortGapFinder.
struct ShortGap {
  std::uint32_t row = kNoIndex;  ///< The row to which it belongs, which ends where it begins.
  Span time;
};
/// Short gaps of all GPUs, by start. O(n log s) for s streams.
std::vector<ShortGap> FindShortGaps(const DeviceTable& device);

/// The time within the window, in ns, in which any row with `counts(row)` runs, including short
/// gaps after it; concurrent rows count once. REQUIRES: rows of one GPU.
template <class Counts>
Ns TimeWithin(const DeviceTable& device, DeviceRows rows, Span window, Counts counts) {
  CoveredTime covered(window);
  ShortGapFinder gaps(device, rows);
  VisitByStart(device, rows, [&](std::uint32_t row) {
    gaps.Pass(row, [&](std::uint32_t before, Span gap) {
      if (counts(before)) covered.Add(gap.start, gap.length());
    });
    if (counts(row)) covered.Add(device.start[row], device.duration[row]);
  });
  return covered.sum();
}

/// The rows for which exposed time is requested.
enum class Exposable : std::uint8_t { kCollectives, kCopiesAndSets };

/// Returns, for each row of DeviceTable, the part of its duration in which the same GPU computes
/// nothing; 0 for rows that are not `wanted`. If several rows of a kind are concurrent, the time
/// belongs to the one that began first; time with a copy belongs to no memset. So the sum over rows
/// never exceeds the elapsed time. Time in `uncounted` (disjoint, in order; see
/// analysis/iterations/observed.h) is never exposed. O(n log s) for s streams.
///
///   compute        [0, 7)   [15, 20)
///   all_reduce 1   [4, 13)              exposed 6, in [7, 13): it began first
///   all_reduce 2   [8, 20)              exposed 2, in [13, 15): not in all_reduce 1
OptionalColumn<Ns> ExposedTimes(const Profile& profile, const KernelClasses& classes,
                                Exposable wanted, std::span<const Span> uncounted = {});

}  // namespace profgauge::analysis::classify
