// Device work whose time contradicts its own launch: SetAsideImpossible().
//
//   host     [launch a]  [launch b]  [cudaDeviceSynchronize]   [launch c]
//   device  [x]            [a]                      [b]             27.8 h later [c]
//           before its     in order                 after a wait    after nothing: its
//           launch                                  that covers it  device was idle
#include "model/impossible_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "knowledge/clocks.h"
#include "knowledge/loss.h"
#include "model/link.h"
#include "model/permute.h"
#include "model/processes.h"

namespace profgauge::link {
namespace {

constexpr Ns kNever = std::numeric_limits<Ns>::max();

std::string TextOf(Ns time) {
  constexpr Ns kHour = 3'600'000'000'000;
  return time < 2 * kHour ? FormatDuration(static_cast<double>(time))
                          : FormatNumber(static_cast<double>(time) / kHour, 1) + " h";
}

/// Waits of a process for its whole device, by start; each with the earliest end from there on.
class Waits {
 public:
  void Add(Ns start, Ns end) { waits_.push_back({start, end}); }
  void Finish() {
    std::sort(waits_.begin(), waits_.end(),
              [](const Wait& a, const Wait& b) { return a.start < b.start; });
    for (std::size_t i = waits_.size(); i-- > 1;) {
      waits_[i - 1].end = std::min(waits_[i - 1].end, waits_[i].end);
    }
  }
  /// The earliest end of a wait that begins at `time` or later.
  Ns EndAfter(Ns time) const {
    const auto next = std::partition_point(waits_.begin(), waits_.end(),
                                           [time](const Wait& w) { return w.start < time; });
    return next == waits_.end() ? kNever : next->end;
  }
  bool empty() const { return waits_.empty(); }
  void clear() { waits_.clear(); }

 private:
  struct Wait {
    Ns start, end;
  };
  std::vector<Wait> waits_;
};

class Examination {
 public:
  Examination(Profile& profile, const NarrowColumn<std::int64_t>& correlations)
      : profile_(profile),
        correlations_(correlations),
        device_(profile.device),
        api_(profile.api),
        processes_(profile),
        linked_(processes_.count()),
        apart_(processes_.count()),
        is_impossible_(device_.size(), false) {}

  /// Returns the rows to keep; empty if all are kept.
  Permutation Kept() {
    FindWaits();
    CompareWithLaunches();
    if (!is_disordered_ && !is_late_ && found_.empty()) return {};
    if (is_disordered_) CompareStreams();
    if (is_late_) CompareWithIdleDevice();
    Permutation kept;
    if (found_.empty()) return kept;
    for (std::uint32_t row = 0; row < device_.size(); ++row) {
      if (!is_impossible_[row]) kept.push_back(row);
    }
    if (kept.empty()) {  // All work contradicts its launches.
      profile_.log.Add(Counter::work_before_launch, found_.size());
      return kept;
    }
    for (std::string& text : found_) {
      profile_.log.AddAt(Counter::times_impossible, std::move(text));
    }
    return kept;
  }
  /// For a process: how much work was removed, and (LinkedOf) how much is linked.
  std::uint64_t RemovedOf(std::size_t process) const {
    return removed_.empty() ? 0 : removed_[process];
  }
  std::uint64_t LinkedOf(std::size_t process) const { return linked_[process]; }
  std::size_t processes() const { return linked_.size(); }

 private:
  Ns CallStart(std::size_t row) const { return api_.start[device_.launch[row].value]; }
  Ns CallEnd(std::size_t row) const {
    const std::uint32_t call = device_.launch[row].value;
    return api_.start[call] + std::max<Ns>(api_.duration[call], 0);
  }

  // The device of a wait is unknown, so processes with several devices are ignored.
  void FindWaits() {
    static constexpr std::string_view kWords[] = {"DeviceSynchronize", "CtxSynchronize"};
    std::vector<bool> is_wait(profile_.strings.size());
    for (std::uint32_t name = 0; name < is_wait.size(); ++name) {
      const std::string_view text = profile_.Name(StringId{name});
      is_wait[name] = std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
        return text.find(word) != std::string_view::npos;
      });
    }
    waits_.resize(processes_.count());
    for (std::uint32_t call = 0; call < api_.size(); ++call) {
      if (api_.kind[call] != ApiKind::kSync || !api_.name[call].valid() ||
          !is_wait[api_.name[call].value])
        continue;
      waits_[processes_.OfCall(ApiId{call})].Add(
          api_.start[call], api_.start[call] + std::max<Ns>(api_.duration[call], 0));
    }
    for (Waits& waits : waits_) waits.Finish();
    std::vector<std::int32_t> gpu_of(processes_.count(), -1);
    for (std::size_t row = 0; row < device_.size(); ++row) {
      if (!device_.launch[row].valid()) continue;
      const std::uint32_t process = processes_.OfWork(row);
      if (gpu_of[process] >= 0 && gpu_of[process] != device_.gpu[row]) waits_[process].clear();
      gpu_of[process] = device_.gpu[row];
    }
  }

  // One pass in the order of streams. Also finds whether any stream is out of order, and whether
  // any work is late: most profiles need no further check.
  void CompareWithLaunches() {
    std::vector<std::uint32_t> contradict;
    std::vector<Ns> last(processes_.count(), std::numeric_limits<Ns>::min());
    for (std::uint32_t row = 0; row < device_.size(); ++row) {
      if (row == 0 || device_.gpu[row] != device_.gpu[row - 1] ||
          device_.stream[row] != device_.stream[row - 1]) {
        std::fill(last.begin(), last.end(), std::numeric_limits<Ns>::min());
      }
      if (!device_.launch[row].valid()) continue;
      if (device_.start[row] == 0 && device_.duration[row] == 0) continue;  // Its times were lost.
      const std::uint32_t process = processes_.OfWork(row);
      ++linked_[process];
      const Ns start = device_.start[row], call = CallStart(row), returned = CallEnd(row);
      is_disordered_ = is_disordered_ || call < last[process];
      last[process] = std::max(last[process], call);
      is_late_ = is_late_ || start - returned > knowledge::kClocksLongestWait.ns();
      if (start + knowledge::kClocksHostAhead < call ||
          waits_[process].EndAfter(returned) < start - knowledge::kClocksHostAhead.ns()) {
        contradict.push_back(row);
        ++apart_[process];
      }
    }
    // More than a few show that the clocks differ as a whole. Then nothing is removed.
    for (std::size_t process = 0; process < apart_.size(); ++process) {
      if (!DifferAsAWhole(process)) continue;
      profile_.log.Add(Counter::work_before_launch, apart_[process]);
    }
    for (const std::uint32_t row : contradict) {
      if (DifferAsAWhole(processes_.OfWork(row))) continue;
      const Ns early = CallStart(row) - device_.start[row];
      // Small errors of many rows may be the clock's fault; large errors never are.
      const bool is_little = early <= knowledge::kClocksLongestWait.ns() &&
                             device_.start[row] - CallEnd(row) <= knowledge::kClocksLongestWait;
      if (is_little && AreMany(processes_.OfWork(row))) continue;
      SetAside(row, early > 0 ? fmt::format("begins {} before its launch", TextOf(early))
                              : "begins after a synchronization that waited for it");
    }
  }

  bool AreMany(std::size_t process) const {
    return apart_[process] > knowledge::kLossVerdictShare.Of(linked_[process]);
  }
  bool DifferAsAWhole(std::size_t process) const {
    return AreMany(process) && apart_[process] >= knowledge::kLossLeastEvents;
  }

  struct Work {
    std::uint32_t process;
    std::int32_t gpu;
    std::int64_t stream;
    Ns launched, returned, start;
    std::uint32_t thread, row;
    std::int64_t correlation;
  };

  // Returns the first device row of each launch, by stream, in the order of launches. If calls of
  // two threads overlap, their launches have no order, and the order on the device is used.
  std::vector<Work> InOrderOfLaunches() const {
    std::vector<Work> works;
    for (std::uint32_t row = 0; row < device_.size(); ++row) {
      if (!device_.launch[row].valid() || is_impossible_[row]) continue;
      const std::uint32_t process = processes_.OfWork(row);
      if (DifferAsAWhole(process)) continue;
      const ThreadId thread = api_.thread[device_.launch[row].value];
      works.push_back({process, device_.gpu[row], device_.stream[row], CallStart(row), CallEnd(row),
                       device_.start[row], thread.value, row, correlations_[row]});
    }
    const auto stream = [](const Work& w) { return std::tuple(w.process, w.gpu, w.stream); };
    std::sort(works.begin(), works.end(), [&](const Work& a, const Work& b) {
      return std::tuple(stream(a), a.launched, a.thread, a.start, a.row) <
             std::tuple(stream(b), b.launched, b.thread, b.start, b.row);
    });
    const auto same = [&](const Work& a, const Work& b) {
      return stream(a) == stream(b) && device_.launch[a.row] == device_.launch[b.row];
    };
    works.erase(std::unique(works.begin(), works.end(), same), works.end());
    for (std::size_t begin = 0; begin < works.size();) {
      std::size_t end = begin + 1;
      Ns until = works[begin].returned;
      bool one_thread = true;
      while (end < works.size() && stream(works[end]) == stream(works[begin]) &&
             works[end].launched < until) {
        one_thread = one_thread && works[end].thread == works[begin].thread;
        until = std::max(until, works[end++].returned);
      }
      if (!one_thread) {
        std::stable_sort(works.begin() + static_cast<std::ptrdiff_t>(begin),
                         works.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const Work& a, const Work& b) { return a.start < b.start; });
      }
      begin = end;
    }
    return works;
  }

  void CompareStreams() {
    const std::vector<Work> works = InOrderOfLaunches();
    const auto stream = [](const Work& w) { return std::tuple(w.process, w.gpu, w.stream); };
    for (std::size_t begin = 0; begin < works.size();) {
      std::size_t end = begin + 1;
      while (end < works.size() && stream(works[end]) == stream(works[begin])) ++end;
      SetAsideDisordered({works.begin() + static_cast<std::ptrdiff_t>(begin),
                          works.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
  }

  // Call times and correlation numbers both order the launches. If they differ, the order is
  // uncertain: only work that is out of both orders is removed.
  void SetAsideDisordered(std::vector<Work> works) {
    const std::map<std::uint32_t, std::string_view> by_time = OutOfOrder(works);
    if (by_time.empty()) return;
    std::stable_sort(works.begin(), works.end(),
                     [](const Work& a, const Work& b) { return a.correlation < b.correlation; });
    const std::map<std::uint32_t, std::string_view> by_number = OutOfOrder(works);
    for (const auto& [row, why] : by_time) {
      if (by_number.contains(row)) SetAside(row, why);
    }
  }

  // Keeps the longest subsequence with increasing starts (patience sorting). Other work is out of
  // order if it begins clearly before work launched earlier, or clearly after work launched later.
  static std::map<std::uint32_t, std::string_view> OutOfOrder(std::span<const Work> works) {
    std::map<std::uint32_t, std::string_view> found;
    std::vector<std::size_t> ends;  // ends[n]: the last row of the best subsequence of n + 1 rows.
    std::vector<std::size_t> before(works.size(), works.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
      const auto at = std::partition_point(ends.begin(), ends.end(), [&](std::size_t of) {
        return works[of].start <= works[i].start;
      });
      if (at != ends.begin()) before[i] = *std::prev(at);
      if (at == ends.end()) {
        ends.push_back(i);
      } else {
        *at = i;
      }
    }
    if (ends.size() == works.size()) return found;
    std::vector<bool> is_kept(works.size(), false);
    for (std::size_t i = ends.back(); i < works.size(); i = before[i]) is_kept[i] = true;
    std::vector<Ns> next(works.size() + 1, kNever);  // The earliest start of later launches.
    for (std::size_t i = works.size(); i-- > 0;) {
      next[i] = is_kept[i] ? works[i].start : next[i + 1];
    }
    Ns last = std::numeric_limits<Ns>::min();
    for (std::size_t i = 0; i < works.size(); ++i) {
      const Ns start = works[i].start;
      if (is_kept[i]) {
        last = start;
      } else if (last > start + knowledge::kClocksHostAhead.ns()) {
        found.emplace(works[i].row, "begins before work that was launched earlier on its stream");
      } else if (next[i + 1] != kNever && start > next[i + 1] + knowledge::kClocksHostAhead.ns()) {
        found.emplace(works[i].row, "begins after work that was launched later on its stream");
      }
    }
    return found;
  }

  // Removes work that began long after its launch although its device was idle.
  void CompareWithIdleDevice() {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < device_.size(); ++row) {
      if (!is_impossible_[row]) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return device_.start[a] < device_.start[b];
    });
    std::map<std::int32_t, Ns> reach;
    Ns last_call = std::numeric_limits<Ns>::min() / 2;
    for (std::uint32_t call = 0; call < api_.size(); ++call) {
      last_call = std::max(last_call, api_.start[call] + std::max<Ns>(api_.duration[call], 0));
    }
    for (const std::uint32_t row : rows) {
      Ns& until = reach.try_emplace(device_.gpu[row], std::numeric_limits<Ns>::min()).first->second;
      if (device_.launch[row].valid() && !DifferAsAWhole(processes_.OfWork(row))) {
        const Ns waited = device_.start[row] - std::max(CallEnd(row), until);
        if (waited > knowledge::kClocksLongestWait.ns()) {
          SetAside(row, fmt::format("begins {} after its launch, while the device had nothing "
                                    "to do",
                                    TextOf(device_.start[row] - CallEnd(row))));
          continue;
        }
      }
      // Work without a launch that begins long after the last call shows nothing about the device.
      if (device_.start[row] - std::max(last_call, until) > knowledge::kClocksLongestWait.ns()) {
        continue;
      }
      until = std::max(until, device_.start[row] + device_.duration[row]);
    }
  }

  void SetAside(std::uint32_t row, std::string_view why) {
    is_impossible_[row] = true;
    removed_.resize(linked_.size());
    ++removed_[processes_.OfWork(row)];
    found_.push_back(fmt::format("`{}` {}", profile_.Name(device_.name[row]), why));
  }

  Profile& profile_;
  const NarrowColumn<std::int64_t>& correlations_;  // By row of the device table.
  const DeviceTable& device_;
  const ApiTable& api_;
  const ProcessNumbers processes_;
  std::vector<std::uint64_t> linked_, apart_, removed_;
  std::vector<Waits> waits_;
  std::vector<bool> is_impossible_;
  std::vector<std::string> found_;
  bool is_disordered_ = false, is_late_ = false;
};

}  // namespace

Impossible SetAsideImpossible(Profile& profile, NarrowColumn<std::int64_t>& correlations,
                              OptionalColumn<std::int64_t, -1>& op_ids) {
  Examination examination(profile, correlations);
  DeviceTable& device = profile.device;
  const Permutation kept = examination.Kept();
  Impossible impossible;
  if (kept.empty()) return impossible;
  impossible.count = device.size() - kept.size();
  for (std::size_t process = 0; process < examination.processes(); ++process) {
    const std::uint64_t removed = examination.RemovedOf(process);
    const auto much = knowledge::kLossVerdictShare.Of(examination.LinkedOf(process));
    impossible.is_much = impossible.is_much || (removed > 0 && removed >= much);
  }
  PermuteAll(kept, device.start, device.duration, device.name, device.kind, device.gpu,
             device.stream, device.launch, device.config, device.collective, device.copy,
             device.host_memory, device.bytes, correlations, op_ids);
  return impossible;
}

}  // namespace profgauge::link
