#include "analysis/simulation/derived_waits.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/simulation/critical_path.h"
#include "knowledge/spin.h"

namespace profgauge::analysis::simulation {

std::optional<EventWait> EventWaits::Take(std::uint32_t call) {
  switch (waits_.EventCallOf(call)) {
    case EventCall::kRecord:
      recorded_ = last_launch_;
      break;
    case EventCall::kWait:
      asked_ = waits_.StartOf(call);
      break;
    case EventCall::kNone:
      break;
  }
  const std::uint32_t row = waits_.LaunchedBy(call);
  if (row == WaitFinder::kNone) return std::nullopt;
  last_launch_ = row;
  if (!asked_) {
    recorded_ = WaitFinder::kNone;
    return std::nullopt;
  }
  // A stream does not wait for itself, so the waiting work is that of a later launch.
  const bool has_record = recorded_ != WaitFinder::kNone;
  if (has_record && !waits_.AreOfTwoStreams(recorded_, row)) return std::nullopt;
  const std::uint32_t other = has_record ? recorded_ : waits_.LastOfOtherStream(row, *asked_);
  asked_.reset();
  recorded_ = WaitFinder::kNone;
  if (other == WaitFinder::kNone || !waits_.EndsBefore(other, row)) return std::nullopt;
  return EventWait{row, other};
}

namespace {

// The times in which a device is busy; without `gpu`, those in which any device is.
class BusyTimes {
 public:
  explicit BusyTimes(const DeviceTable& device, std::optional<std::int32_t> gpu = std::nullopt) {
    std::vector<Span> work;
    for (std::size_t row = 0; row < device.size(); ++row) {
      if ((gpu && device.gpu[row] != *gpu) || device.duration[row] <= 0) continue;
      work.push_back({device.start[row], device.start[row] + device.duration[row]});
    }
    busy_ = Merge(std::move(work));
  }
  Ns Within(Span time) const {
    auto at = std::lower_bound(busy_.begin(), busy_.end(), time.start,
                               [](const Span& span, Ns start) { return span.end <= start; });
    Ns sum = 0;
    for (; at != busy_.end() && at->start < time.end; ++at) {
      sum += std::min(at->end, time.end) - std::max(at->start, time.start);
    }
    return sum;
  }

 private:
  std::vector<Span> busy_;
};

// The kernel writes the counter before it ends, and the thread sees it a little later.
bool EndsWith(Span time, Ns kernel_end) {
  const Ns apart = std::max(time.end, kernel_end) - std::min(time.end, kernel_end);
  return apart <= knowledge::kSpinEndsApart.ns() ||
         apart <= knowledge::kSpinEndsApartShare.Of(time.length());
}

struct OfKind {
  std::size_t all = 0;                                 // Long periods.
  std::vector<const SilentStretch*> with_kernel = {};  // Those that end with the kernel.
};

// Median absolute deviation, divided by the median.
double SpreadOf(std::vector<Ns> lengths) {
  const Ns middle = Median(lengths);
  for (Ns& length : lengths) length = std::abs(length - middle);
  return middle > 0 ? static_cast<double>(Median(std::move(lengths))) / static_cast<double>(middle)
                    : 0;
}

// Whether it is host work: its length is constant while kernels vary. Waits vary with kernels.
bool IsSteadyWork(const DeviceTable& device, const OfKind& kind) {
  std::vector<Ns> lengths, kernels;
  for (const SilentStretch* stretch : kind.with_kernel) {
    lengths.push_back(stretch->time.length());
    kernels.push_back(device.duration[stretch->launched]);
  }
  const double spread = SpreadOf(std::move(lengths));
  return spread < knowledge::kSpinSteadySpread.value() && SpreadOf(std::move(kernels)) > spread;
}

}  // namespace

bool MayBeSpin(Ns length) { return length >= knowledge::kSpinLeast.ns(); }

// A thread that spins goes on when its kernel ends:
//
//   thread   launch |...........................| next step
//   device      |kernel####################|              ends about when the next step begins
//
// A single pause that ends with a kernel may be chance. So pauses are grouped by kernel and range,
// and a group counts if enough of its long pauses end this way.
std::vector<SilentStretch> SpinWaits(const Profile& profile, std::vector<SilentStretch> stretches,
                                     Ns usual) {
  const DeviceTable& device = profile.device;
  const auto kernel_end = [&](const SilentStretch& stretch) {
    return device.start[stretch.launched] + std::max<Ns>(device.duration[stretch.launched], 0);
  };
  std::erase_if(stretches, [&](const SilentStretch& stretch) {
    return stretch.time.length() < knowledge::kSpinOfUsual.WholeOf(usual) ||
           device.kind[stretch.launched] != DeviceKind::kKernel;
  });
  // If a launch has several periods, only the one that ends nearest to its kernel's end is a wait.
  const auto apart = [&](const SilentStretch& stretch) {
    return std::abs(stretch.time.end - kernel_end(stretch));
  };
  std::sort(
      stretches.begin(), stretches.end(), [&](const SilentStretch& a, const SilentStretch& b) {
        return std::tuple(a.launched, apart(a), a.step) < std::tuple(b.launched, apart(b), b.step);
      });
  const auto same = [](const SilentStretch& a, const SilentStretch& b) {
    return a.launched == b.launched;
  };
  stretches.erase(std::unique(stretches.begin(), stretches.end(), same), stretches.end());
  std::map<std::int32_t, BusyTimes> busy;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OfKind> kinds;
  for (const SilentStretch& stretch : stretches) {
    const std::uint32_t row = stretch.launched;
    OfKind& kind = kinds[{device.name[row].value, stretch.range.value}];
    ++kind.all;
    if (!EndsWith(stretch.time, kernel_end(stretch))) continue;
    const std::int32_t gpu = device.gpu[row];
    const BusyTimes& times = busy.try_emplace(gpu, device, gpu).first->second;
    if (times.Within(stretch.time) < knowledge::kSpinBusyShare.Of(stretch.time.length())) continue;
    kind.with_kernel.push_back(&stretch);
  }
  std::vector<SilentStretch> found;
  for (const auto& [names, kind] : kinds) {
    const std::size_t count = kind.with_kernel.size();
    if (knowledge::kSpinLeastTimes > count || count < knowledge::kSpinUsualShare.Of(kind.all)) {
      continue;
    }
    if (IsSteadyWork(device, kind)) continue;
    for (const SilentStretch* stretch : kind.with_kernel) found.push_back(*stretch);
  }
  return found;
}

std::vector<PathGraph::StepId> SilentSteps(const PathGraph& graph) {
  const Profile& profile = *graph.rank().profile;
  const auto is_silent_in = [&](PathOwner in) {
    if (in.row == PathGraph::kNone) return true;
    return in.table == PathTable::kHost && profile.host.kind[in.row] != HostKind::kOp &&
           !graph.IsInDataLoader(HostId{in.row});
  };
  std::optional<BusyTimes> busy;  // Few profiles need it.
  std::vector<PathGraph::StepId> found;
  for (PathGraph::StepId step = graph.device_steps(); step < graph.size(); ++step) {
    const std::uint32_t move = graph.moves()[step];
    if (move != PathGraph::kNoMove && !MayBeSpin(move)) continue;
    if (graph.Before(step) == PathGraph::kNone) continue;
    const Span time{graph.RecordedAt(step - 1), graph.RecordedAt(step)};
    if (!MayBeSpin(time.length()) || !is_silent_in(InnermostAt(graph, step))) continue;
    if (!busy) busy.emplace(profile.device);
    if (busy->Within(time) >= knowledge::kSpinBusyShare.Of(time.length())) found.push_back(step);
  }
  return found;
}

}  // namespace profgauge::analysis::simulation
