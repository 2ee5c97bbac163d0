#include "analysis/iterations/iteration_parts.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "analysis/iterations/markers.h"
#include "knowledge/launches.h"
#include "model/lost_launches.h"
#include "model/processes.h"

namespace profgauge::analysis::iterations {
namespace {

static_assert(kNoIteration == Iterations::kNone);

using Stream = std::pair<std::int32_t, std::int64_t>;  // GPU and number.

// Device work that may precede an iteration and belongs to none so far.
struct Leftover {
  Ns start = 0, end = 0;
  Stream stream;
  Ns launched = std::numeric_limits<Ns>::min();  // If recorded.
  bool has_launch = false;
};

// Streams of different GPUs may have the same number.
Stream StreamOf(const DeviceTable& device, std::size_t row) {
  return {device.gpu[row], device.stream[row]};
}

// Whether most work has a recorded launch.
bool HasMostLaunches(const DeviceTable& device) {
  const auto without = std::count(device.launch.begin(), device.launch.end(), ApiId{});
  return without * 2 < static_cast<std::ptrdiff_t>(device.size());
}

// First start of an iteration's own work: by stream, of all work, and of kernels.
struct OwnStarts {
  std::map<Stream, Ns> of_stream;
  Ns first = std::numeric_limits<Ns>::max();
  Ns first_kernel = std::numeric_limits<Ns>::max();
  // Returns the time until which earlier work on `stream` can delay the iteration: its first work
  // on the stream, which runs in order, or its first kernel if it has no work there.
  Ns Limit(const Stream& stream) const {
    const auto own = of_stream.find(stream);
    if (own != of_stream.end()) return own->second;
    return first_kernel != std::numeric_limits<Ns>::max() ? first_kernel : first;
  }
};

// Earlier work, running or queued, for which iterations wait. Queries ascend in time.
class Leftovers {
 public:
  Leftovers(const Profile& profile, std::span<const RecordedPart> parts,
            const Iterations& iterations)
      : own_(iterations.all.size()), is_first_(iterations.all.size(), false) {
    for (const RecordedPart& part : parts) is_first_[part.first] = true;
    const DeviceTable& device = profile.device;
    std::uint32_t last_index = Iterations::kNone;
    Stream last_stream;
    Ns* of_stream = nullptr;  // First start on this stream.
    for (std::size_t row = 0; row < device.size(); ++row) {
      const std::uint32_t index = iterations.of_device[row];
      const Ns start = device.start[row];
      const Stream stream = StreamOf(device, row);
      if (index != Iterations::kNone) {
        OwnStarts& own = own_[index];
        if (index != last_index || stream != last_stream) {  // Rows of a stream are adjacent.
          of_stream = &own.of_stream.try_emplace(stream, start).first->second;
          last_index = index;
          last_stream = stream;
        }
        *of_stream = std::min(*of_stream, start);
        own.first = std::min(own.first, start);
        if (device.kind[row] == DeviceKind::kKernel) {
          own.first_kernel = std::min(own.first_kernel, start);
        }
        continue;
      }
      Leftover left{start, start + std::max<Ns>(device.duration[row], 0), stream};
      const ApiId launch = device.launch[row];
      left.has_launch = launch.valid();
      if (left.has_launch) left.launched = profile.api.start[launch.value];
      coming_.push_back(left);
    }
    has_launches_ = HasMostLaunches(device);
    std::stable_sort(coming_.begin(), coming_.end(),
                     [](const Leftover& a, const Leftover& b) { return a.start < b.start; });
  }

  /// When iteration `index` begins: at `at`, or later if earlier work delays it. Ascending calls.
  Ns WaitFor(std::size_t index, const Iteration& iteration, Ns at) {
    const OwnStarts& own = own_[index];
    if (own.of_stream.empty()) return at;
    for (; next_ < coming_.size() && coming_[next_].start < iteration.time.end; ++next_) {
      waiting_.push_back(coming_[next_]);
    }
    std::erase_if(waiting_, [at](const Leftover& left) { return left.end <= at; });
    Ns until = at;
    for (const Leftover& left : waiting_) {
      const Ns limit = own.Limit(left.stream);
      if (left.start >= limit) continue;
      // If most work has a recorded launch, work without one that runs at the first iteration was
      // launched before the profile, even if it waits for other ranks for long.
      const bool is_known = left.has_launch || (is_first_[index] && has_launches_);
      const bool was_queued = is_known ? left.launched < iteration.host.start
                                       : left.start <= until + knowledge::kLaunchesQueuePause;
      if (was_queued) until = std::max(until, std::min(left.end, limit));
    }
    return until;
  }

 private:
  bool has_launches_ = false;  // Most work has a launch.
  std::vector<OwnStarts> own_;
  std::vector<bool> is_first_;     // By iteration: first of its recorded part.
  std::vector<Leftover> coming_;   // By start.
  std::vector<Leftover> waiting_;  // Started, and running at the last query.
  std::size_t next_ = 0;
};

// Returns for each GPU whether work with an unrecorded launch can belong to iterations that
// `marking` marks. False if only other processes use the GPU.
std::function<bool(std::int32_t)> GpusOfIterations(const Profile& profile, ThreadId marking) {
  if (!marking.valid()) return [](std::int32_t) { return true; };
  const auto gpus = GpusOfProcesses(profile);
  const auto own = gpus.find(profile.threads[marking.value].process);
  if (own == gpus.end()) return [](std::int32_t) { return true; };
  std::set<std::int32_t> others;
  for (const auto& [process, used] : gpus) {
    if (process != own->first) others.insert(used.begin(), used.end());
  }
  for (const std::int32_t gpu : own->second) others.erase(gpu);
  return [others](std::int32_t gpu) { return !others.contains(gpu); };
}

// Flags rows that begin while their GPU is idle, i.e. that were not queued.
std::vector<bool> FindEmptyQueue(const DeviceTable& device) {
  std::vector<std::uint32_t> order(device.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(device.gpu[a], device.start[a]) < std::pair(device.gpu[b], device.start[b]);
  });
  std::vector<bool> is_empty(device.size(), false);
  std::optional<Ns> busy_until;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    if (i > 0 && device.gpu[order[i - 1]] != device.gpu[row]) busy_until.reset();
    is_empty[row] =
        !busy_until || device.start[row] > *busy_until + knowledge::kLaunchesStartAfterWait;
    const Ns end = device.start[row] + device.duration[row];
    busy_until = std::max(busy_until.value_or(end), end);
  }
  return is_empty;
}

// Assigns work without a recorded launch to iterations by its neighbors. A stream runs in order, so
// the work was launched after the previous work, before the next work, and before its own start; if
// the GPU was idle, shortly before that start. If as many launches without work lie between the
// neighbors' launches as rows without a launch, these launches are theirs.
class Neighbors {
 public:
  Neighbors(const Profile& profile, std::span<const RecordedPart> parts, Iterations& iterations)
      : profile_(profile),
        iterations_(iterations),
        parts_(parts),
        cursor_(iterations),
        found_empty_queue_(FindEmptyQueue(profile.device)),
        has_most_launches_(HasMostLaunches(profile.device)) {
    const std::vector<LaunchState> states = LaunchStatesByLinks(profile);
    for (std::uint32_t call = 0; call < states.size(); ++call) {
      if (states[call] == LaunchState::kWithoutWork) without_work_.push_back(call);
    }
  }

  void Match() {
    const std::size_t size = profile_.device.size();
    for (std::size_t begin = 0; begin < size;) {
      std::size_t end = begin + 1;
      const std::size_t part = PartOf(begin);
      while (end < size && StreamOf(profile_.device, end) == StreamOf(profile_.device, begin) &&
             (part + 1 == parts_.size() || profile_.device.start[end] < parts_[part + 1].start)) {
        ++end;
      }
      MatchStream(begin, end);
      begin = end;
    }
  }

 private:
  static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

  // Consecutive rows without launches, and the nearest rows on the stream with one.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::size_t before = kNoRow, after = kNoRow;
  };

  std::size_t PartOf(std::size_t row) const {
    std::size_t part = 0;
    const Ns start = profile_.device.start[row];
    while (part + 1 < parts_.size() && start >= parts_[part + 1].start) ++part;
    return part;
  }

  // Matches the work of a stream in one part.
  void MatchStream(std::size_t begin, std::size_t end) {
    const auto& launches = profile_.device.launch;
    const bool has_older = HasOlder(begin, end);
    std::size_t before = kNoRow;
    for (std::size_t row = begin; row < end;) {
      if (launches[row].valid()) {
        before = row++;
        continue;
      }
      Run run{row, row, before, kNoRow};
      while (run.end < end && !launches[run.end].valid()) ++run.end;
      if (run.end < end) run.after = run.end;
      if (run.before == kNoRow && has_older) {
        row = run.end;
        continue;
      }
      const std::span<const std::uint32_t> own = LaunchesOf(run);
      for (; row < run.end; ++row) {
        if (own.empty()) {
          MatchRow(row, run);
        } else {
          Take(row, cursor_.AtHostTime(profile_.api.start[own[row - run.begin]]), run);
        }
      }
    }
  }

  // Whether the first work on a stream was launched before the profile. If so, most rows without a
  // launch come first. If links are missing for another reason, they are throughout.
  bool HasOlder(std::size_t begin, std::size_t end) const {
    const auto& launches = profile_.device.launch;
    std::size_t first = begin;
    while (first < end && !launches[first].valid()) ++first;
    std::size_t later = 0;
    for (std::size_t row = first; row < end; ++row) later += launches[row].valid() ? 0 : 1;
    return later < first - begin;
  }

  // The launches of the run's rows, in order; empty if they are uncertain.
  std::span<const std::uint32_t> LaunchesOf(const Run& run) const {
    const ApiTable& api = profile_.api;
    const auto call_of = [&](std::size_t row) { return profile_.device.launch[row].value; };
    if (run.before == kNoRow && run.after == kNoRow) return {};
    const ThreadId thread = api.thread[call_of(run.before != kNoRow ? run.before : run.after)];
    const auto is_before = [&](std::uint32_t call) {
      if (api.thread[call].value != thread.value) return api.thread[call].value < thread.value;
      return run.before != kNoRow && call <= call_of(run.before);
    };
    const auto is_not_after = [&](std::uint32_t call) {
      if (api.thread[call].value != thread.value) return api.thread[call].value < thread.value;
      return run.after == kNoRow || call < call_of(run.after);
    };
    const auto begin = std::partition_point(without_work_.begin(), without_work_.end(), is_before);
    const auto end = std::partition_point(without_work_.begin(), without_work_.end(), is_not_after);
    if (begin >= end || static_cast<std::size_t>(end - begin) != run.end - run.begin) return {};
    for (std::size_t i = 0; i < run.end - run.begin; ++i) {
      if (api.start[begin[static_cast<std::ptrdiff_t>(i)]] > profile_.device.start[run.begin + i])
        return {};
    }
    return {begin, end};
  }

  void MatchRow(std::size_t row, const Run& run) {
    const DeviceTable& device = profile_.device;
    Ns latest = device.start[row];
    if (run.after != kNoRow) {
      latest = std::min(latest, profile_.api.start[device.launch[run.after].value]);
    }
    std::uint32_t first = run.before != kNoRow
                              ? iterations_.of_device[run.before]
                              : static_cast<std::uint32_t>(parts_[PartOf(row)].first);
    if (found_empty_queue_[row]) {
      first =
          cursor_.AtHostTime(std::min(latest, device.start[row] - knowledge::kLaunchesFreeLatency));
    }
    const std::uint32_t last = cursor_.AtHostTime(latest);
    if (first == kNoIteration) return;
    if (first == last) return Take(row, first, run);
    // Work between two iterations can belong to either.
    if (last == first + 1 && has_most_launches_) Take(row, IsQueued(row, run) ? first : last, run);
  }

  bool IsQueued(std::size_t row, const Run& run) const {
    if (run.before == kNoRow) return true;
    const DeviceTable& device = profile_.device;
    const std::size_t before = row == run.begin ? run.before : row - 1;
    return device.start[row] <=
           device.start[before] + device.duration[before] + knowledge::kLaunchesQueuePause;
  }

  // Requires a neighbor of this iteration: otherwise another process may have launched the row.
  void Take(std::size_t row, std::uint32_t iteration, const Run& run) {
    const auto is_of = [&](std::size_t other) {
      return other != kNoRow && iterations_.of_device[other] == iteration;
    };
    if (iteration == kNoIteration || (!is_of(run.before) && !is_of(run.after))) return;
    iterations_.of_device[row] = iteration;
    ++iterations_.all[iteration].device_events;
  }

  const Profile& profile_;
  Iterations& iterations_;
  const std::span<const RecordedPart> parts_;
  IterationCursor cursor_;
  const std::vector<bool> found_empty_queue_;
  const bool has_most_launches_;
  std::vector<std::uint32_t> without_work_;  // Launching calls, by thread and start.
};

}  // namespace

std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking) {
  std::vector<bool> is_of_them(profile.threads.size(), true);
  if (!marking.valid()) return is_of_them;
  const auto gpus = GpusOfProcesses(profile);
  const auto own = gpus.find(profile.threads[marking.value].process);
  if (own == gpus.end()) return is_of_them;
  for (std::size_t thread = 0; thread < is_of_them.size(); ++thread) {
    const auto others = gpus.find(profile.threads[thread].process);
    if (others == gpus.end() || others == own) continue;
    is_of_them[thread] = std::any_of(others->second.begin(), others->second.end(),
                                     [&](std::int32_t gpu) { return own->second.contains(gpu); });
  }
  return is_of_them;
}

DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking,
                              std::span<const RecordedPart> parts, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  const std::vector<bool> is_of_them = ThreadsOfIterations(profile, marking);
  DeviceReach reach{std::vector<std::optional<Span>>(iterations.all.size()), false};
  // A range selected by time has the work that begins in it, so that ranges add up to the whole.
  const bool ends_inside = iterations.source.by != IterationsBy::kRange;
  iterations.of_device.assign(device.size(), Iterations::kNone);
  IterationCursor cursor(iterations);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid()) continue;
    const std::size_t call = launch.value;
    const ThreadId thread = profile.api.thread[call];
    if (thread.valid() && !is_of_them[thread.value]) continue;
    const Ns start = profile.api.start[call];
    const std::uint32_t index = cursor.AtHostTime(start);
    if (index == Iterations::kNone) continue;
    const Ns end = start + profile.api.duration[call];
    if (ends_inside && end > iterations.all[index].host.end) continue;
    iterations.of_device[row] = index;
    ++iterations.all[index].device_events;
    reach.any = true;
  }
  const bool lacks_launches = std::any_of(device.launch.begin(), device.launch.end(),
                                          [](ApiId launch) { return !launch.valid(); });
  if (reach.any && lacks_launches && ends_inside) Neighbors(profile, parts, iterations).Match();
  iterations.behind = WorkBehind(profile, iterations.of_device);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone) continue;
    if (!iterations.behind.empty() && iterations.behind.contains(row)) continue;
    Extend(reach.of_iteration[index], device.start[row], device.duration[row]);
  }
  return reach;
}

void SetTimes(const Profile& profile, const DeviceReach& reach, std::span<const RecordedPart> parts,
              Iterations& iterations) {
  std::optional<Leftovers> leftovers;
  if (reach.any) leftovers.emplace(profile, parts, iterations);
  Ns previous_end = std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    Iteration& iteration = iterations.all[i];
    iteration.time.end = iteration.host.end;
    if (reach.of_iteration[i]) {
      iteration.time.end = std::max(iteration.time.end, reach.of_iteration[i]->end);
    }
    iteration.time.start = std::max(previous_end, iteration.host.start);
    if (leftovers) {
      const Ns begin = leftovers->WaitFor(i, iteration, iteration.time.start);
      iteration.lead_in = begin - iteration.time.start;
      iteration.time.start = begin;
    }
    iteration.time.end = std::max(iteration.time.end, iteration.time.start);
    previous_end = iteration.time.end;
  }
}

void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  if (!profile.has_timeline) return;
  const auto is_of_them = GpusOfIterations(profile, marking);
  const bool has_launches = std::any_of(device.launch.begin(), device.launch.end(),
                                        [](ApiId launch) { return launch.valid(); });
  IterationCursor cursor(iterations);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.launch[row].valid() || !is_of_them(device.gpu[row])) continue;
    if (iterations.of_device[row] != Iterations::kNone) continue;
    iterations.of_device[row] = cursor.AtTime(device.start[row]);
    // Iterations with launches end with their own work.
    const bool is_inside = iterations.of_device[row] != Iterations::kNone;
    if (has_launches && is_inside) ++iterations.all[iterations.of_device[row]].device_events;
    if (has_launches && is_inside && iterations.source.by != IterationsBy::kRange)
      iterations.behind.insert(row);
  }
}

}  // namespace profgauge::analysis::iterations
