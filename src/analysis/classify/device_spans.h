// When each GPU computed, communicated and copied: span lists per device, and how much of an event
// no computation hides. Everything is by GPU: work of one GPU never hides that of another.
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

/// Rows [begin, end) of one GPU. O(log n): the table is sorted by GPU.
struct DeviceRows {
  std::uint32_t begin = 0, end = 0;
};
/// The rows of one GPU, in the order of the table: by stream, then start. Empty for a GPU without
/// work. O(log n).
DeviceRows RowsOfGpu(const DeviceTable& device, std::int32_t gpu);

/// The first GPU with that id, or nullptr. O(log n). REQUIRES: `gpus` are sorted by id.
const Gpu* FindGpu(std::span<const Gpu> gpus, std::int32_t id);

/// Kernels of one GPU over the whole profile. All members are span lists.
struct DeviceSpans {
  std::int32_t gpu = -1;
  std::vector<Span> compute;        ///< Kernels that are no collectives.
  std::vector<Span> communication;  ///< Collectives.
};

/// One entry per GPU with device rows, by number. Copies and sets are not listed. Memory for the
/// merged spans of all kernels.
std::vector<DeviceSpans> CollectDeviceSpans(const Profile& profile, const KernelClasses& classes);
/// Calls `visit` with each of the rows by start, those that start together in the order of rows,
/// without a list of them. O(n log s) for s streams. REQUIRES: rows of one GPU.
template <class Visit>
void VisitByStart(const DeviceTable& device, DeviceRows rows, Visit visit) {
  std::vector<RowRun> runs;
  AddRuns(device.start, 0, rows.begin, rows.end, runs);
  MergeRuns(
      std::move(runs), [&device](std::uint32_t, std::uint32_t row) { return device.start[row]; },
      [&visit](std::uint32_t, std::uint32_t row) { visit(row); });
}

/// The shortest range that the profile can resolve: its clock may tick in whole
/// microseconds. ns, at least 3. With a tick of 1 us it is 998: a tick is a gap, even if floating
/// point took a nanosecond or two of it. O(1): a sample of some thousand rows shows the tick.
/// REQUIRES: all rows of one GPU.
Ns ShortestIdle(const DeviceTable& device, DeviceRows rows);

/// Finds the gaps of a GPU that its clock cannot resolve. Each is part of the work before it: so
/// all that asks how long a GPU was busy, and with what, gives one answer.
///
///   kernel   [0, 10)        [40, 50)
///   copy             [11, 39)             [10, 11) is the kernel's, [39, 40) the copy's
class ShortGapFinder {
 public:
  /// REQUIRES: all rows of one GPU.
  ShortGapFinder(const DeviceTable& device, DeviceRows rows)
      : device_(device), shortest_(ShortestIdle(device, rows)) {}
  /// Calls `fill(before, gap)` if such a gap is before `row`, with the row that it belongs to: the
  /// last to end; of several a kernel. REQUIRES: rows by start.
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

/// One gap that ShortGapFinder finds.
struct ShortGap {
  std::uint32_t row = kNoIndex;  ///< That it belongs to: it ends where the gap begins.
  Span time;
};
/// Those of all GPUs, by start. O(n log s) for s streams.
std::vector<ShortGap> FindShortGaps(const DeviceTable& device);

/// For how many nanoseconds of the window any of the rows runs that `counts(row)`, short gaps
/// after it included; where several do it counts once. REQUIRES: rows of one GPU.
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

/// Whose exposed time is asked for.
enum class Exposable : std::uint8_t { kCollectives, kCopiesAndSets };

/// Per row of DeviceTable: the part of its duration in which the same GPU computes nothing; for
/// rows that are not asked for 0. Where several of a kind run concurrently the instant is that of
/// the one that began first, and one in which a copy runs is no set's: sums of rows are never more
/// than the time that passed. Nothing is exposed in `uncounted`, in order and apart
/// (analysis/iterations/observed.h). Default: all time counts. O(n log s) for s streams.
///
///   compute        [0, 7)   [15, 20)
///   all_reduce 1   [4, 13)              exposed 6, in [7, 13): it began first
///   all_reduce 2   [8, 20)              exposed 2, in [13, 15): the rest
OptionalColumn<Ns> ExposedTimes(const Profile& profile, const KernelClasses& classes,
                                Exposable wanted, std::span<const Span> uncounted = {});

}  // namespace profgauge::analysis::classify
