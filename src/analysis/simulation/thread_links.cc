#include "analysis/simulation/thread_links.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "analysis/simulation/flags.h"
#include "base/partition_point.h"
#include "knowledge/path.h"

namespace profgauge::analysis::simulation {
namespace {

using StepId = PathGraph::StepId;

// Links two threads that hand over to each other. The silent thread goes on after the last step of
// the busy one:
//
//   forward    |f1==f2|.......................|f3===          silent from f2 to f3
//   backward           ....|b1====b2|b3===b4|......
//   edges      f2 -> b1,   b4 -> f3
class ThreadLinker {
 public:
  ThreadLinker(const PathGraph& graph, const Profile& profile, std::span<const ThreadSteps> threads)
      : graph_(graph), profile_(profile), threads_(threads) {}

  ThreadLinks Run() {
    for (const auto& [forward, backward] : RecordedPairs()) {
      const ThreadSteps* first = Find(forward);
      const ThreadSteps* second = Find(backward);
      if (first == nullptr || second == nullptr) continue;
      Link(*second, *first, true);
      Link(*first, *second, false);
      linked_.insert({forward, backward});
    }
    LinkLaunchers();
    return std::move(links_);
  }

 private:
  const ThreadSteps* Find(std::uint32_t thread) const {
    const auto found =
        std::find_if(threads_.begin(), threads_.end(),
                     [thread](const ThreadSteps& steps) { return steps.thread == thread; });
    return found == threads_.end() ? nullptr : &*found;
  }

  // Pairs of a forward and a backward thread.
  std::set<std::pair<std::uint32_t, std::uint32_t>> RecordedPairs() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const HostTable& host = profile_.host;
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      const HostId forward = host.forward[row];
      if (!forward.valid() || !host.thread[row].valid()) continue;
      const ThreadId from = host.thread[forward.value];
      if (from.valid() && from != host.thread[row]) {
        pairs.emplace(from.value, host.thread[row].value);
      }
    }
    return pairs;
  }

  // Whether no operator or call runs between the previous step and this one; ranges of the user
  // may.
  bool IsSilentBefore(StepId step) const {
    const PathOwner owner = graph_.OwnerOf(step);
    HostId around;
    if (owner.table == PathTable::kApi) {
      if (owner.is_end) return false;
      around = profile_.api.op[owner.row];
    } else {
      around = owner.is_end ? HostId{owner.row} : profile_.host.parent[owner.row];
    }
    for (; around.valid(); around = profile_.host.parent[around.value]) {
      if (profile_.host.kind[around.value] == HostKind::kOp) return false;
    }
    return true;
  }

  // Adds an edge to each step of `silent` before which that thread did nothing while `busy` worked:
  // it waited for the last step of `busy` until then. `at_equal_times`: a step of `busy` at the
  // same time counts; set it for only one of the two directions, or both steps wait for each other.
  // Merges both lists: O(steps).
  void Link(const ThreadSteps& silent, const ThreadSteps& busy, bool at_equal_times) {
    StepId last = busy.begin;
    Ns before = 0, last_time = 0, next_time = last < busy.end ? graph_.RecordedAt(last) : 0;
    for (StepId step = silent.begin; step < silent.end; ++step) {
      const Ns time = graph_.RecordedAt(step);
      const Ns previous = std::exchange(before, time);
      while (last < busy.end && (next_time < time || (at_equal_times && next_time == time))) {
        last_time = next_time;
        if (++last < busy.end) next_time = graph_.RecordedAt(last);
      }
      if (last == busy.begin) continue;
      const bool in_gap = step == silent.begin || last_time > previous;
      if (in_gap && IsSilentBefore(step)) links_.edges.emplace_back(step, last - 1);
    }
  }

  // By thread of the profile: the number of device events that it launched.
  std::vector<std::int64_t> Launches() const {
    std::vector<std::int64_t> launches(profile_.threads.size(), 0);
    for (const ApiId launch : profile_.device.launch) {
      if (!launch.valid()) continue;
      const ThreadId thread = profile_.api.thread[launch.value];
      if (thread.valid()) ++launches[thread.value];
    }
    return launches;
  }

  // The thread of the iterations; without markers, the one with the most launches.
  const ThreadSteps* Main(std::span<const std::int64_t> launches) const {
    const HostTable& host = profile_.host;
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      if (host.kind[row] != HostKind::kIterationMarker || !host.thread[row].valid()) continue;
      if (const ThreadSteps* found = Find(host.thread[row].value)) return found;
    }
    const auto fewer = [launches](const ThreadSteps& a, const ThreadSteps& b) {
      return launches[a.thread] < launches[b.thread];
    };
    const auto most = std::max_element(threads_.begin(), threads_.end(), fewer);
    return most == threads_.end() ? nullptr : &*most;
  }

  std::vector<Span> BusyTimes(const ThreadSteps& thread) const {
    std::vector<Span> busy;
    for (StepId step = thread.begin + 1; step < thread.end; ++step) {
      if (IsSilentBefore(step)) continue;
      const Span span{graph_.RecordedAt(step - 1), graph_.RecordedAt(step)};
      if (!busy.empty() && busy.back().end >= span.start) {
        busy.back().end = std::max(busy.back().end, span.end);
      } else {
        busy.push_back(span);
      }
    }
    return busy;
  }

  // Sums the common time in one pass: both lists are in order and disjoint.
  bool TakesTurns(const ThreadSteps& thread, const ThreadSteps& main) const {
    const std::vector<Span> its = BusyTimes(thread), others = BusyTimes(main);
    Ns busy = 0, together = 0;
    for (const Span& span : its) busy += span.end - span.start;
    for (auto a = its.begin(), b = others.begin(); a != its.end() && b != others.end();) {
      together += std::max<Ns>(0, std::min(a->end, b->end) - std::max(a->start, b->start));
      ++(a->end < b->end ? a : b);
    }
    return together <= knowledge::kPathTurnsShare.WholeOf(busy);
  }

  // Links threads that launch work although no record shows which thread hands it over. Threads
  // with few launches are neither linked nor reported as free.
  void LinkLaunchers() {
    const std::vector<std::int64_t> launches = Launches();
    std::int64_t all = 0;
    for (const std::int64_t count : launches) all += count;
    const ThreadSteps* main = Main(launches);
    for (const ThreadSteps& thread : threads_) {
      const std::int64_t its = launches[thread.thread];
      if (&thread == main || its == 0 || its < knowledge::kPathSmallLauncherShare.WholeOf(all))
        continue;
      if (linked_.contains(thread.thread)) continue;
      if (TakesTurns(thread, *main)) {
        Link(thread, *main, true);
        Link(*main, thread, false);
      } else {
        links_.free.push_back(thread.thread);
      }
    }
  }

  const PathGraph& graph_;
  const Profile& profile_;
  std::span<const ThreadSteps> threads_;
  std::set<std::uint32_t> linked_;
  ThreadLinks links_;
};

}  // namespace

ThreadLinks LinkThreads(const PathGraph& graph, const Profile& profile,
                        std::span<const ThreadSteps> threads) {
  return ThreadLinker(graph, profile, threads).Run();
}

namespace {

using StepId = PathGraph::StepId;
constexpr StepId kNone = PathGraph::kNone;

bool IsMarker(const PathGraph& graph, StepId step) {
  const PathOwner owner = graph.OwnerOf(step);
  return owner.table == PathTable::kHost &&
         graph.rank().profile->host.kind[owner.row] == HostKind::kIterationMarker;
}

// The step of a thread nearest to a time on one side; markers are preferred.
class Nearest {
 public:
  Nearest(const PathGraph& graph, Ns time, bool before)
      : graph_(graph), time_(time), before_(before) {}

  StepId Of(std::span<const ThreadSteps> threads) {
    for (const ThreadSteps& thread : threads) LookAt(thread);
    return best_;
  }

 private:
  Ns DistanceOf(StepId step) const {
    const Ns at = graph_.RecordedAt(step);
    return before_ ? time_ - at : at - time_;
  }

  // Steps of a thread are in order within the resolution of their clock.
  void LookAt(const ThreadSteps& thread) {
    const Ns from = time_ - PathGraph::kResolution;
    StepId step = PartitionPoint(thread.begin, thread.end,
                                 [&](StepId at) { return graph_.RecordedAt(at) < from; });
    if (step > thread.begin) --step;
    for (; step < thread.end && graph_.RecordedAt(step) <= time_ + PathGraph::kResolution; ++step) {
      Consider(step);
    }
    if (!before_ && step < thread.end) Consider(step);
  }

  void Consider(StepId step) {
    const Ns away = DistanceOf(step);
    if (away < 0) return;
    if (best_ == kNone || away < DistanceOf(best_) ||
        (away == DistanceOf(best_) && IsMarker(graph_, step) && !IsMarker(graph_, best_))) {
      best_ = step;
    }
  }

  const PathGraph& graph_;
  Ns time_;
  bool before_;
  StepId best_ = kNone;
};

// A profile without markers begins with this work, so the times are equal.
StepId FirstWorkAt(const PathGraph& graph, Ns time) {
  for (StepId step = 0; step < graph.device_steps(); step += 2) {
    if (graph.RecordedAt(step) == time) return step;
  }
  return kNone;
}

StepId CallEndAt(const PathGraph& graph, Ns time) {
  for (StepId step = graph.device_steps(); step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    const bool is_call = owner.table == PathTable::kApi && owner.is_end;
    if (is_call && graph.RecordedAt(step) == time) return step;
  }
  return kNone;
}

}  // namespace

PathGraph::IterationSteps FindIterationSteps(const PathGraph& graph,
                                             std::span<const ThreadSteps> threads,
                                             const iterations::Iteration& iteration) {
  PathGraph::IterationSteps steps;
  steps.begin = Nearest(graph, iteration.host.start, false).Of(threads);
  if (steps.begin != kNone) steps.lead = graph.RecordedAt(steps.begin) - iteration.host.start;
  if (!graph.rank().EndsWithWork()) {
    steps.end = Nearest(graph, iteration.host.end, true).Of(threads);
  }
  if (steps.end != kNone) steps.tail = iteration.host.end - graph.RecordedAt(steps.end);
  if (graph.rank().iterations.is_whole && iteration.time.start != iteration.host.start) {
    steps.first_work = FirstWorkAt(graph, iteration.time.start);
    // If the window does not start with device work, it starts with the end of the setup call.
    if (steps.first_work == kNone) steps.first_work = CallEndAt(graph, iteration.time.start);
  }
  return steps;
}

// Finds, for the thread that launches most of the iteration's work, its first step at or after the
// begin, and its last launch.
void FindLaunches(const PathGraph& graph, std::span<const ThreadSteps> threads, const Span& time,
                  PathGraph::IterationSteps& steps) {
  const Profile& profile = *graph.rank().profile;
  Flags launches(profile.api.size());
  for (const ApiId launch : profile.device.launch) {
    if (launch.valid()) launches.Set(launch.value);
  }
  std::size_t most = 0;
  for (const ThreadSteps& thread : threads) {
    std::size_t count = 0;
    StepId first = kNone, last = kNone;
    for (StepId step = thread.begin; step < thread.end; ++step) {
      const Ns at = graph.RecordedAt(step);
      if (at < time.start || at > time.end) continue;
      if (first == kNone) first = step;
      const PathOwner owner = graph.OwnerOf(step);
      if (owner.table != PathTable::kApi || !launches[owner.row]) continue;
      ++count;
      last = step;
    }
    if (count <= most) continue;
    most = count;
    steps.launches_from = first;
    steps.launches_to = last;
  }
}

}  // namespace profgauge::analysis::simulation
