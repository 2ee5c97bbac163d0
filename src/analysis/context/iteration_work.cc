#include "analysis/context/iteration_work.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "analysis/context/markers.h"
#include "model/processes.h"

namespace profgauge {
namespace {

// A queue works without pauses longer than this: later work without a recorded launch was not
// queued, its launch is missing for another reason.
constexpr Ns kQueuePause = 1'000'000;

static_assert(kNoIteration == Iterations::kNone);

// Device work that may come from before an iteration: it is of none so far.
struct Leftover {
  Ns start = 0, end = 0;
  std::uint64_t stream = 0;
  Ns launched = std::numeric_limits<Ns>::min();  // When, if that was recorded.
  bool has_launch = false;
};

std::uint64_t StreamOf(const DeviceTable& device, std::size_t row) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(device.gpu[row])) << 32) ^
         static_cast<std::uint64_t>(device.stream[row]);
}

// When an iteration's own work first starts, on each of its streams and anywhere.
struct OwnStarts {
  std::map<std::uint64_t, Ns> of_stream;
  Ns first = std::numeric_limits<Ns>::max();
  Ns first_kernel = std::numeric_limits<Ns>::max();
  // Streams work in order: what starts there later was launched later. Where the iteration itself
  // has no work, its first kernel ends the wait.
  Ns Limit(std::uint64_t stream) const {
    const auto own = of_stream.find(stream);
    if (own != of_stream.end()) return own->second;
    return first_kernel != std::numeric_limits<Ns>::max() ? first_kernel : first;
  }
};

// What was running or queued before iterations, waited for in their order.
class Leftovers {
 public:
  Leftovers(const Profile& profile, const Iterations& iterations) : own_(iterations.all.size()) {
    const DeviceTable& device = profile.device;
    std::uint32_t last_index = Iterations::kNone;
    std::uint64_t last_stream = 0;
    Ns* of_stream = nullptr;  // Of these two.
    for (std::size_t row = 0; row < device.size(); ++row) {
      const std::uint32_t index = iterations.of_device[row];
      const Ns start = device.start[row];
      const std::uint64_t stream = StreamOf(device, row);
      if (index != Iterations::kNone) {
        OwnStarts& own = own_[index];
        if (index != last_index || stream != last_stream) {  // Rows of a stream stand together.
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
    const auto without = std::count(device.launch.begin(), device.launch.end(), ApiId{});
    constexpr std::ptrdiff_t kOneOf = 2;
    has_launches_ = without * kOneOf < static_cast<std::ptrdiff_t>(device.size());
    std::stable_sort(coming_.begin(), coming_.end(),
                     [](const Leftover& a, const Leftover& b) { return a.start < b.start; });
  }

  /// When iteration `index` begins, which would at `at`. To be asked in order of the iterations.
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
      // What the first one finds was launched before the recording, however long it waits for other
      // ranks, where the recording tells launches.
      const bool is_known = left.has_launch || (index == 0 && has_launches_);
      const bool was_queued =
          is_known ? left.launched < iteration.host.start : left.start <= until + kQueuePause;
      if (was_queued) until = std::max(until, std::min(left.end, limit));
    }
    return until;
  }

 private:
  bool has_launches_ = false;  // Of most work.
  std::vector<OwnStarts> own_;
  std::vector<Leftover> coming_;   // By start.
  std::vector<Leftover> waiting_;  // Those that started and had not ended at the last question.
  std::size_t next_ = 0;
};

// By GPU: whether work there whose launch is not recorded may be of iterations that `marking`
// marks. A GPU that other processes use, and its own does not, is theirs.
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

DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  const std::vector<bool> is_of_them = ThreadsOfIterations(profile, marking);
  DeviceReach reach{std::vector<std::optional<Span>>(iterations.all.size()), false};
  // A part that is cut out by its times has what begins in it: the parts have all of the whole.
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
  iterations.behind = WorkBehind(profile, iterations.of_device);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone) continue;
    if (!iterations.behind.empty() && iterations.behind.contains(row)) continue;
    Extend(reach.of_iteration[index], device.start[row], device.duration[row]);
  }
  return reach;
}

void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations) {
  std::optional<Leftovers> leftovers;
  if (reach.any) leftovers.emplace(profile, iterations);
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
    iterations.of_device[row] = cursor.AtTime(device.start[row]);
    // Those that launch are as long as what they launch.
    const bool is_inside = iterations.of_device[row] != Iterations::kNone;
    if (has_launches && is_inside && iterations.source.by != IterationsBy::kRange)
      iterations.behind.insert(row);
  }
}

}  // namespace profgauge
