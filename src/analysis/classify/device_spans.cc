#include "analysis/classify/device_spans.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>

#include "base/activity_sweep.h"
#include "base/partition_point.h"
#include "knowledge/clocks.h"

namespace profgauge::analysis::classify {
namespace {

constexpr Ns kRounding = knowledge::kClocksEventRounding.ns();

// The clock tick of a GPU's times, if visible: 1 us, 100 ns or 10 ns, else 0. Times that were
// stored in floating point may differ from the tick by one or two ns.
Ns TickOf(const DeviceTable& device, DeviceRows rows) {
  constexpr std::size_t kSample = 2048;
  const std::size_t count = rows.end - rows.begin;
  if (count < knowledge::kClocksTickLeastEvents) return 0;
  const std::size_t step = std::max<std::size_t>(1, count / kSample);
  for (const Ns tick : {Ns{1000}, Ns{100}, Ns{10}}) {
    const auto is_on_tick = [&](Ns at) {
      const Ns off = ((at - device.start[rows.begin]) % tick + tick) % tick;
      return std::min(off, tick - off) < kRounding;
    };
    std::size_t on_tick = 0, seen = 0;
    for (std::size_t row = rows.begin; row < rows.end; row += step, ++seen) {
      const Ns end = device.start[row] + device.duration[row];
      if (is_on_tick(device.start[row]) && is_on_tick(end)) ++on_tick;
    }
    if (static_cast<double>(on_tick) >= knowledge::kClocksTickShare * static_cast<double>(seen))
      return tick;
  }
  return 0;
}

// Copies, memsets and collectives are not computation.
bool IsCompute(const DeviceTable& device, const KernelClasses& classes, std::size_t row) {
  return device.kind[row] == DeviceKind::kKernel && !classes[row].collective;
}

// Assigns each instant with several running rows to the one that began first.
class Owners {
 public:
  /// REQUIRES: rows come by start.
  void Begin(std::uint32_t row, Span time) {
    const Span own{std::max(time.start, given_), time.end};
    if (own.end <= own.start) return;
    given_ = own.end;
    owned_.push_back({row, own});
  }
  /// Drops data before `time`, which will not be needed.
  void ForgetBefore(Ns time) {
    while (!owned_.empty() && owned_.front().time.end <= time) owned_.pop_front();
  }
  /// REQUIRES: parts come in order, after all rows that start before their end.
  void Expose(Span part, OptionalColumn<Ns>& exposed) {
    ForgetBefore(part.start);
    for (const Owned& owned : owned_) {
      if (owned.time.start >= part.end) break;
      const Ns common = std::min(owned.time.end, part.end) - std::max(owned.time.start, part.start);
      exposed.Set(owned.row, exposed[owned.row] + common);
    }
  }

 private:
  struct Owned {
    std::uint32_t row = 0;
    Span time;
  };
  std::deque<Owned> owned_;  // In order, disjoint; only those that parts may still overlap.
  Ns given_ = std::numeric_limits<Ns>::min();
};

// Calls `visit` with the parts of the given spans that are not in `cover`. Spans come in order.
class Uncover {
 public:
  explicit Uncover(std::span<const Span> cover) : cover_(cover) {}
  template <class Visit>
  void Of(Span part, Visit visit) {
    while (next_ < cover_.size() && cover_[next_].end <= part.start) ++next_;
    for (std::size_t i = next_; i < cover_.size() && cover_[i].start < part.end; ++i) {
      if (cover_[i].start > part.start) visit(Span{part.start, cover_[i].start});
      part.start = cover_[i].end;
    }
    if (part.start < part.end) visit(part);
  }

 private:
  std::span<const Span> cover_;
  std::size_t next_ = 0;
};

// The class of a row for exposed times. A lower value has priority while both run.
enum : std::size_t { kComputes, kFirstWanted, kSecondWanted, kNothing };

// Requested rows are of the first or second class; other rows that do not compute count nothing.
// Memsets are of the second, so that time shared with a copy belongs to the copy.
std::size_t PartOf(const DeviceTable& device, const KernelClasses& classes, Exposable wanted,
                   std::uint32_t row) {
  if (IsCompute(device, classes, row)) return kComputes;
  const DeviceKind kind = device.kind[row];
  if (wanted == Exposable::kCollectives) {
    return kind == DeviceKind::kKernel ? kFirstWanted : kNothing;
  }
  if (kind == DeviceKind::kMemcpy) return kFirstWanted;
  return kind == DeviceKind::kMemset ? kSecondWanted : kNothing;
}

// Sets the exposed times of one GPU in one sweep over its rows. Does nothing if no row is
// requested, as for most GPUs of a profile without communication.
void ExposeGpu(const DeviceTable& device, const KernelClasses& classes, Exposable wanted,
               DeviceRows rows, std::span<const Span> uncounted, OptionalColumn<Ns>& exposed) {
  const auto part_of = [&](std::uint32_t row) { return PartOf(device, classes, wanted, row); };
  const auto is_wanted = [&](std::uint32_t row) {
    const std::size_t part = part_of(row);
    return part == kFirstWanted || part == kSecondWanted;
  };
  if (FirstWhere(rows.begin, rows.end, is_wanted) == rows.end) return;
  Owners first, second;
  Uncover counted(uncounted);
  const auto expose = [&](Span stretch, std::uint32_t parts) {
    first.ForgetBefore(stretch.start);
    second.ForgetBefore(stretch.start);
    if ((parts & 1u << kComputes) != 0) return;
    Owners& owners = (parts & 1u << kFirstWanted) != 0 ? first : second;
    counted.Of(stretch, [&](Span part) { owners.Expose(part, exposed); });
  };
  ActivitySweep<kNothing, decltype(expose)> sweep(expose);
  const auto add = [&](std::uint32_t row, Span time) {
    const std::size_t part = part_of(row);
    if (part == kNothing) return;
    if (part == kFirstWanted) first.Begin(row, time);
    if (part == kSecondWanted) second.Begin(row, time);
    sweep.Add(part, time);
  };
  ShortGapFinder gaps(device, rows);
  VisitByStart(device, rows, [&](std::uint32_t row) {
    gaps.Pass(row, add);
    add(row, {device.start[row], device.start[row] + device.duration[row]});
  });
  sweep.Finish();
}

}  // namespace

DeviceRows RowsOfGpu(const DeviceTable& device, std::int32_t gpu) {
  const auto [first, last] = std::equal_range(device.gpu.begin(), device.gpu.end(), gpu);
  return {static_cast<std::uint32_t>(first - device.gpu.begin()),
          static_cast<std::uint32_t>(last - device.gpu.begin())};
}

// A gap of one tick counts, even if rounding removed one or two ns; smaller ones are rounding.
Ns ShortestIdle(const DeviceTable& device, DeviceRows rows) {
  return std::max(kRounding, TickOf(device, rows) - kRounding + 1);
}

std::vector<ShortGap> FindShortGaps(const DeviceTable& device) {
  std::vector<ShortGap> gaps;
  for (std::uint32_t first = 0; first < device.size();) {
    const DeviceRows rows = RowsOfGpu(device, device.gpu[first]);
    ShortGapFinder finder(device, rows);
    VisitByStart(device, rows, [&](std::uint32_t row) {
      finder.Pass(row, [&](std::uint32_t before, Span time) { gaps.push_back({before, time}); });
    });
    first = rows.end;
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const ShortGap& a, const ShortGap& b) {
    return a.time.start < b.time.start;
  });
  return gaps;
}

const Gpu* FindGpu(std::span<const Gpu> gpus, std::int32_t id) {
  const auto at =
      std::partition_point(gpus.begin(), gpus.end(), [id](const Gpu& gpu) { return gpu.id < id; });
  return at != gpus.end() && at->id == id ? &*at : nullptr;
}

std::vector<DeviceSpans> CollectDeviceSpans(const Profile& profile, const KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  std::vector<DeviceSpans> result;
  for (std::uint32_t i = 0; i < device.size();) {
    const DeviceRows rows = RowsOfGpu(device, device.gpu[i]);
    DeviceSpans& spans = result.emplace_back();
    spans.gpu = device.gpu[i];
    SpanCollector compute, communication;
    compute.Reserve(rows.end - rows.begin);
    for (; i < rows.end; ++i) {
      if (device.kind[i] != DeviceKind::kKernel) continue;
      (classes[i].collective ? communication : compute).Add(device.start[i], device.duration[i]);
    }
    spans.compute = compute.Take();
    spans.communication = communication.Take();
  }
  return result;
}

OptionalColumn<Ns> ExposedTimes(const Profile& profile, const KernelClasses& classes,
                                Exposable wanted, std::span<const Span> uncounted) {
  const DeviceTable& device = profile.device;
  OptionalColumn<Ns> exposed(device.size());
  for (std::uint32_t first = 0; first < device.size();) {
    const DeviceRows rows = RowsOfGpu(device, device.gpu[first]);
    ExposeGpu(device, classes, wanted, rows, uncounted, exposed);
    first = rows.end;
  }
  return exposed;
}

}  // namespace profgauge::analysis::classify
