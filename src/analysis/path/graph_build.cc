// Building the graph: steps by stream and thread, edges between them, and an order in which
// predecessors come first.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "analysis/path/derived_waits.h"
#include "analysis/path/graph.h"
#include "analysis/path/thread_events.h"
#include "analysis/path/thread_links.h"
#include "analysis/path/waits.h"
#include "analysis/work/op_tree.h"
#include "base/numbers.h"
#include "base/parallel.h"

namespace profgauge {
namespace {

Ns EndOf(Ns start, Ns duration) { return start + std::max<Ns>(duration, 0); }

std::optional<std::string> WhyNoGraph(const Profile& profile) {
  if (!profile.has_timeline) return "needs the times of events, which this format does not have";
  if (profile.neuron != nullptr) {
    return "needs the host's calls and their launched work, which a device profile does not have";
  }
  if (profile.host.size() == 0 && profile.api.size() == 0) {
    return CapabilityGap(Capability::kHostOps, profile.hints);
  }
  const bool launched = std::any_of(profile.device.launch.begin(), profile.device.launch.end(),
                                    [](ApiId launch) { return launch.valid(); });
  if (profile.device.size() > 0 && !launched) {
    return CapabilityGap(Capability::kLaunchLinks, profile.hints);
  }
  constexpr std::size_t kMostRows = 1u << 28;  // Two steps each, of all tables: 30 bits.
  if (profile.host.size() + profile.api.size() + profile.device.size() >= 2 * kMostRows ||
      std::max({profile.host.size(), profile.api.size(), profile.device.size()}) >= kMostRows) {
    return "needs fewer than 268 million events; select fewer iterations with a smaller recording";
  }
  return std::nullopt;
}

}  // namespace

class PathGraphBuilder {
 public:
  PathGraphBuilder(const RankContext& rank, unsigned block_bits)
      : rank_(rank),
        profile_(*rank.profile),
        waits_(profile_),
        waits_in_silence_(waits_.WaitsInSilence()),
        host_{rank.iterations.selected().front().host.start,
              rank.iterations.selected().back().host.end} {
    graph_.rank_ = &rank;
    graph_.profile_ = &profile_;
    graph_.starts_ = {profile_.host.start.data(), profile_.api.start.data(),
                      profile_.device.start.data()};
    graph_.block_bits_ = block_bits;
  }

  PathGraph Run() {
    AddDevice();
    AddThreads();
    LinkLaunches();
    LinkStreams();
    AddThreadLinks();
    StoreThreadEdges();
    Schedule();
    const std::vector<ThreadSteps> threads = Threads();
    for (const Iteration& iteration : rank_.iterations.selected()) {
      graph_.iterations_.push_back(FindIterationSteps(graph_, threads, iteration));
    }
    StoreMany();
    MarkBinding();
    CountEdges();
    FindLoaderRanges();
    for (const ThreadSteps& thread : threads) graph_.thread_begins_.push_back(thread.begin);
    graph_.runs_.shrink_to_fit();
    return std::move(graph_);
  }

 private:
  using StepId = PathGraph::StepId;
  static constexpr StepId kNone = PathGraph::kNone;

  struct Chain {
    StepId begin = 0, end = 0;
    std::uint32_t thread = kNone;  // For a thread.
  };
  struct Open {
    Ns closes = 0;  // Its end, or that of its container if that is earlier.
    ThreadEvent event;
  };

  void EmitWork(std::uint32_t row, bool is_first) {
    if (!has_all_work_) {
      step_of_device_[row] = Next();
      graph_.work_rows_.push_back(row);
    }
    graph_.work_crosses_.push_back(kNone);
    graph_.first_works_.push_back(is_first);
    graph_.device_steps_ += 2;
  }
  void Emit(PathTable table, bool is_end, std::uint32_t row, bool is_first) {
    graph_.thread_owners_.push_back(static_cast<std::uint32_t>(table) << PathGraph::kTableShift |
                                    row | (is_end ? PathGraph::kEndBit : 0) |
                                    (is_first ? PathGraph::kFirstBit : 0));
  }
  StepId Next() const { return static_cast<StepId>(graph_.size()); }

  /// The start of device work, or kNone.
  StepId StepOfWork(std::uint32_t row) const {
    return has_all_work_ ? 2 * row : step_of_device_[row];
  }

  void AddCross(std::uint32_t& cross, StepId from) {
    if (cross == kNone) {
      cross = from;
    } else if ((cross & PathGraph::kMany) == 0) {
      many_.push_back({cross, from});
      cross = PathGraph::kMany | static_cast<std::uint32_t>(many_.size() - 1);
    } else {
      many_[cross & ~PathGraph::kMany].push_back(from);
    }
  }
  /// To the start of device work.
  void AddToWork(StepId start, StepId from) { AddCross(graph_.work_crosses_[start / 2], from); }
  /// To a step of a thread. They are few, and stored when all are known.
  void AddToThread(StepId step, StepId from) { thread_edges_.emplace_back(step, from); }

  void StoreThreadEdges() {
    std::stable_sort(thread_edges_.begin(), thread_edges_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto& crosses = graph_.thread_crosses_;
    for (const auto& [step, from] : thread_edges_) {
      if (crosses.empty() || crosses.back().first != step) crosses.emplace_back(step, kNone);
      AddCross(crosses.back().second, from);
      graph_.thread_owners_[step - graph_.device_steps_] |= PathGraph::kHasCross;
    }
    thread_edges_ = {};
    crosses.shrink_to_fit();
    const std::size_t places = (graph_.thread_owners_.size() >> PathGraph::kPlaceBits) + 1;
    std::size_t at = 0;
    for (std::size_t place = 0; place < places; ++place) {
      const std::size_t begin = graph_.device_steps_ + (place << PathGraph::kPlaceBits);
      while (at < crosses.size() && crosses[at].first < begin) ++at;
      graph_.cross_places_.push_back(static_cast<std::uint32_t>(at));
    }
  }

  // REQUIRES: the step has one.
  std::uint32_t& CrossWord(StepId step) {
    return step < graph_.device_steps_ ? graph_.work_crosses_[step / 2]
                                       : graph_.thread_crosses_[graph_.PlaceOf(step)].second;
  }
  void DropCross(StepId step) {
    CrossWord(step) = kNone;
    if (step < graph_.device_steps_) return;
    graph_.thread_owners_[step - graph_.device_steps_] &= ~PathGraph::kHasCross;
  }

  // --- Steps.

  bool HasDeviceRow(std::uint32_t row) const {
    const std::uint32_t iteration = rank_.iterations.of_device[row];
    if (rank_.iterations.SelectsIteration(iteration)) return true;
    const Ns start = profile_.device.start[row];
    const Span window = rank_.window();
    return start < window.end &&
           EndOf(start, profile_.device.duration[row]) > std::min(window.start, host_.start);
  }

  void AddDevice() {
    const DeviceTable& device = profile_.device;
    std::size_t count = 0;
    for (std::uint32_t row = 0; row < device.size(); ++row) count += HasDeviceRow(row);
    has_all_work_ = count == device.size();
    if (!has_all_work_) {
      step_of_device_.assign(device.size(), kNone);
      graph_.work_rows_.reserve(count);
    }
    graph_.work_crosses_.reserve(count);
    graph_.first_works_.reserve(count);
    for (const StreamRows& stream : waits_.streams()) {
      const StepId begin = Next();
      for (std::uint32_t row = stream.begin; row < stream.end; ++row) {
        if (has_all_work_ || HasDeviceRow(row)) EmitWork(row, Next() == begin);
      }
      if (Next() > begin) chains_.push_back({begin, Next(), kNone});
    }
  }

  // REQUIRES: the step is not the first of its thread. `around`: the innermost event between the
  // step before and it, or null.
  void AddSilentWait(StepId step, const ThreadEvent* around) {
    if (!waits_in_silence_) return NoteStretch(step, around);
    const std::uint32_t row = waits_.WaitedForInSilence(graph_.RecordedAt(step - 1),
                                                        graph_.RecordedAt(step), last_launch_);
    if (row != kNone && StepOfWork(row) != kNone) AddToThread(step, StepOfWork(row) + 1);
  }

  void NoteStretch(StepId step, const ThreadEvent* around) {
    const Span time{graph_.RecordedAt(step - 1), graph_.RecordedAt(step)};
    if (last_launch_ == kNone || !MayBeSpin(time.length())) return;
    if (around != nullptr && around->table == PathTable::kApi) return;
    const StringId range = around == nullptr ? StringId{} : profile_.host.name[around->row];
    stretches_.push_back({step, time, last_launch_, range});
  }

  // The thread of these steps.
  void AddSpinWaits(StepId begin, StepId end) {
    if (stretches_.empty()) return;
    std::vector<Ns> lengths;
    for (StepId step = begin + 1; step < end; ++step) {
      lengths.push_back(graph_.RecordedAt(step) - graph_.RecordedAt(step - 1));
    }
    for (const SilentStretch& wait :
         SpinWaits(profile_, std::exchange(stretches_, {}), Median(std::move(lengths)))) {
      const StepId work = StepOfWork(wait.launched);
      if (work != kNone) AddToThread(wait.step, work + 1);
    }
  }

  void Close() {
    const ThreadEvent event = open_.back().event;
    open_.pop_back();
    const StepId step = Next();
    Emit(event.table, true, event.row, false);
    AddSilentWait(step, &event);
    if (event.table != PathTable::kApi) return;
    for (const std::uint32_t row : waits_.WaitedFor(event.row, last_launch_)) {
      if (StepOfWork(row) != kNone) AddToThread(step, StepOfWork(row) + 1);
    }
  }

  void OpenEvent(const ThreadEvent& event, StepId first) {
    while (!open_.empty() && open_.back().closes <= event.start) Close();
    const StepId step = Next();
    Emit(event.table, false, event.row, step == first);
    if (step != first) AddSilentWait(step, open_.empty() ? nullptr : &open_.back().event);
    if (event.table == PathTable::kApi) {
      const std::uint32_t launched = waits_.LaunchedBy(event.row);
      if (launched != kNone) {
        last_launch_ = launched;
        LinkFirst(launched, event.row, step);
      }
      if (const auto wait = event_waits_of_.Take(event.row)) event_waits_.push_back(*wait);
    }
    Ns closes = event.end;
    if (!open_.empty() && closes > open_.back().closes) {
      if (closes >
          open_.back().closes + PathGraph::kResolution) {  // Crosses: only its start has an edge.
        crossing_.emplace_back(event, step);
        return;
      }
      closes = open_.back().closes;
    }
    open_.push_back({closes, event});
  }

  void AddThreads() {
    std::size_t count = 0;
    for (const std::vector<Ns>* starts : {&profile_.host.start, &profile_.api.start}) {
      for (const Ns start : *starts) count += start >= host_.start && start <= host_.end ? 1 : 0;
    }
    graph_.thread_owners_.reserve(2 * count);
    for (std::uint32_t thread = 0; thread < profile_.threads.size(); ++thread) {
      const StepId begin = Next();
      last_launch_ = kNone;
      event_waits_of_.BeginThread();
      events_.BeginThread(thread);
      while (const auto event = events_.Next()) OpenEvent(*event, begin);
      while (!open_.empty()) Close();
      if (Next() > begin) chains_.push_back({begin, Next(), thread});
      AddSpinWaits(begin, Next());
      detached_.push_back(crossing_.size());
    }
    std::size_t at = 0;
    for (const std::size_t end : detached_) {  // By thread.
      const StepId begin = Next();
      for (; at < end; ++at) {
        const auto& [event, start] = crossing_[at];
        Emit(event.table, true, event.row, true);
        AddToThread(Next() - 1, start);
      }
      if (Next() > begin) chains_.push_back({begin, Next(), kNone});
    }
  }

  // --- Edges.

  // Calls `work(begin, end)` for parts of `count` rows, side by side.
  template <class Work>
  static void ForEachPart(std::size_t count, Work work) {
    constexpr std::size_t kPart = std::size_t{1} << 18;
    ForEachAtOnce((count + kPart - 1) / kPart,
                  [&](std::size_t i) { work(i * kPart, std::min(count, (i + 1) * kPart)); });
  }

  // The first work of a call gets its edge as the call begins, most have no other.
  void LinkFirst(std::uint32_t row, std::uint32_t call, StepId step) {
    if (StepOfWork(row) == kNone) {
      steps_of_calls_.emplace(call, step);
    } else {
      AddToWork(StepOfWork(row), step);
    }
  }

  void LinkLaunches() {
    ForEachPart(profile_.device.size(), [this](std::size_t begin, std::size_t end) {
      for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
        const ApiId launch = profile_.device.launch[row];
        if (!launch.valid()) continue;
        const std::uint32_t first = waits_.LaunchedBy(launch.value);
        if (first == row || StepOfWork(row) == kNone) continue;
        // The first edge: nothing is shared.
        graph_.work_crosses_[StepOfWork(row) / 2] = LaunchOf(first, launch.value);
      }
    });
    steps_of_calls_ = {};
  }

  // The step in which the call begins that launched `first` before other work, or kNone.
  StepId LaunchOf(std::uint32_t first, std::uint32_t call) const {
    if (StepOfWork(first) != kNone) return graph_.work_crosses_[StepOfWork(first) / 2];
    const auto known = steps_of_calls_.find(call);
    return known == steps_of_calls_.end() ? kNone : known->second;
  }

  void LinkStreams() {
    if (waits_.streams().size() < 2) return;
    for (std::uint32_t row = 0; row < profile_.device.size(); ++row) {
      if (StepOfWork(row) == kNone) continue;
      const std::uint32_t other = waits_.OtherStreamBefore(row);
      if (other == kNone || StepOfWork(other) == kNone) continue;
      AddToWork(StepOfWork(row), StepOfWork(other) + 1);
    }
    for (const auto& [row, other] : event_waits_) {
      if (StepOfWork(row) == kNone || StepOfWork(other) == kNone) continue;
      if (waits_.OtherStreamBefore(row) == other) continue;  // Known.
      AddToWork(StepOfWork(row), StepOfWork(other) + 1);
    }
    step_of_device_ = {};
  }

  std::vector<ThreadSteps> Threads() const {
    std::vector<ThreadSteps> threads;
    for (const Chain& chain : chains_) {
      if (chain.thread != kNone) threads.push_back({chain.begin, chain.end, chain.thread});
    }
    return threads;
  }

  void AddThreadLinks() {
    ThreadLinks links = LinkThreads(graph_, profile_, Threads());
    for (const auto& [step, from] : links.edges) AddToThread(step, from);
    graph_.free_threads_ = std::move(links.free);
  }

  // --- The order of the replay.

  std::size_t ChainOf(StepId step) const {
    const auto after =
        std::upper_bound(chains_.begin(), chains_.end(), step,
                         [](StepId wanted, const Chain& chain) { return wanted < chain.begin; });
    return static_cast<std::size_t>(after - chains_.begin()) - 1;
  }

  // The predecessor on another chain that has not been placed, or kNone. Edges that would close a
  // circle are kept or removed, by `drops_`.
  // REQUIRES: the step can have others than the one before.
  StepId FirstMissing(StepId step) {
    const std::uint32_t cross = CrossWord(step);
    const auto missing = [&](StepId from) {
      // Mostly one of the chain of the last that was asked for.
      const bool is_near = from >= chains_[near_].begin && from < chains_[near_].end;
      if (!is_near) near_ = ChainOf(from);
      return from >= cursor_[near_];
    };
    const auto closes_circle = [&](StepId from) { return waiting_[ChainOf(from)]; };
    if ((cross & PathGraph::kMany) == 0) {
      if (!missing(cross)) return kNone;
      if (!closes_circle(cross)) return cross;
      ++circles_;
      if (drops_) DropCross(step);
      return kNone;
    }
    std::vector<StepId>& list = many_[cross & ~PathGraph::kMany];
    StepId first = kNone;
    std::erase_if(list, [&](StepId from) {
      if (!missing(from)) return false;
      if (!closes_circle(from)) {
        if (first == kNone) first = from;
        return false;
      }
      ++circles_;
      return drops_;
    });
    return first;
  }

  // Runs a chain up to `stop`; where it needs a step of another, that one up to there, and so on.
  void RunChain(std::size_t chain, StepId stop) {
    stack_.push_back({chain, stop});
    waiting_[chain] = true;
    while (!stack_.empty()) {
      const auto [at, its_stop] = stack_.back();
      StepId step = cursor_[at], needed = kNone;
      const StepId begin = step;
      while (step < its_stop &&
             (graph_.HasOneEdge(step) || (needed = FirstMissing(step)) == kNone)) {
        ++step;
      }
      cursor_[at] = step;
      if (step > begin) graph_.runs_.emplace_back(begin, step);
      if (needed != kNone) {
        const std::size_t other = ChainOf(needed);
        waiting_[other] = true;
        stack_.push_back({other, needed + 1});
      } else {
        waiting_[at] = false;
        stack_.pop_back();
      }
    }
  }

  // Calls `run(chain)` for all. Threads first: they run ahead of the device, so that few turns are
  // taken.
  template <class RunOne>
  void ForEachChain(RunOne run) {
    for (const bool of_thread : {true, false}) {
      for (std::size_t i = 0; i < chains_.size(); ++i) {
        if ((chains_[i].thread != kNone) == of_thread) run(i);
      }
    }
  }

  void BeginSchedule(bool drops) {
    drops_ = drops;
    circles_ = 0;
    graph_.runs_.clear();
    cursor_.clear();
    for (const Chain& chain : chains_) cursor_.push_back(chain.begin);
    waiting_.assign(chains_.size(), false);
  }

  // Whether there is a circle does not depend on the order of turns, but which of its edges goes.
  void Schedule() {
    ScheduleByTime();
    if (circles_ == 0) return;
    BeginSchedule(true);
    ForEachChain([this](std::size_t i) { RunChain(i, chains_[i].end); });
    graph_.dropped_ = circles_;
    ScheduleByTime();
  }

  // Chains advance together, so that a replay soon has the data that others need of a step.
  void ScheduleByTime() {
    BeginSchedule(false);
    for (const Ns until : Slices()) {
      ForEachChain([this, until](std::size_t i) {
        if (cursor_[i] < chains_[i].end) RunChain(i, StopOf(i, until));
      });
    }
  }

  // When slices of the order end: no chain has more steps than a block in one.
  std::vector<Ns> Slices() const {
    const StepId block = StepId{1} << graph_.block_bits();
    std::vector<Ns> ends;
    for (const Chain& chain : chains_) {
      for (StepId at = chain.begin; chain.end - at > block;) {
        at += block;
        ends.push_back(OrderOf(at));
      }
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    ends.push_back(std::numeric_limits<Ns>::max());
    return ends;
  }

  // Times that give nearly the order of a chain's steps. Those of ranges that cross others,
  // each off its thread's chain, are in the order of the ranges' begins.
  Ns OrderOf(StepId step) const {
    const PathOwner owner = graph_.OwnerOf(step);
    const bool is_detached = owner.is_end && graph_.Before(step) == kNone;
    return is_detached ? graph_.starts_[static_cast<std::size_t>(owner.table)][owner.row]
                       : graph_.RecordedAt(step);
  }

  // The first step of the chain from its cursor on that belongs to a later slice.
  StepId StopOf(std::size_t chain, Ns until) const {
    const auto steps = std::views::iota(cursor_[chain], chains_[chain].end);
    if (OrderOf(steps.front()) >= until) return steps.front();
    const auto stop =
        std::ranges::lower_bound(steps, until, {}, [this](StepId step) { return OrderOf(step); });
    return cursor_[chain] + static_cast<StepId>(stop - steps.begin());
  }

  // Lists of predecessors, one after the other.
  void StoreMany() {
    std::vector<std::uint32_t> places;
    for (const std::vector<StepId>& list : many_) {
      places.push_back(static_cast<std::uint32_t>(graph_.many_.size()));
      graph_.many_.push_back(static_cast<StepId>(list.size()));
      graph_.many_.insert(graph_.many_.end(), list.begin(), list.end());
    }
    graph_.many_.shrink_to_fit();
    if (places.empty()) return;
    ForEachCrossWord([&](std::uint32_t& cross) {
      if (cross == kNone || (cross & PathGraph::kMany) == 0) return;
      cross = PathGraph::kMany | places[cross & ~PathGraph::kMany];
    });
  }

  // Some of them kNone.
  template <class Visit>
  void ForEachCrossWord(Visit visit) {
    for (std::uint32_t& cross : graph_.work_crosses_) visit(cross);
    for (auto& [step, cross] : graph_.thread_crosses_) visit(cross);
  }

  void MarkBinding() {
    const auto mark = [this](StepId step, std::uint32_t& cross) {
      if ((cross & PathGraph::kMany) != 0) return;  // Several, or none.
      if (graph_.LatestEdge(step).from == cross) cross |= PathGraph::kCrossBinds;
    };
    std::vector<std::uint32_t>& works = graph_.work_crosses_;
    ForEachPart(works.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t work = begin; work < end; ++work) {
        mark(static_cast<StepId>(2 * work), works[work]);
      }
    });
    for (auto& [step, cross] : graph_.thread_crosses_) mark(step, cross);
  }

  void CountEdges() {
    std::vector<std::uint32_t>& counts = graph_.edges_from_blocks_;
    counts.assign((graph_.size() >> graph_.block_bits()) + 1, 0);  // The last may be empty.
    graph_.ForEachElsewhere(0, Next(), [&](StepId from) { ++counts[from >> graph_.block_bits()]; });
  }

  void FindLoaderRanges() {
    const HostTable& host = profile_.host;
    std::vector<bool> loads(profile_.strings.size());
    for (std::uint32_t id = 0; id < loads.size(); ++id) {
      loads[id] = IsDataLoaderRange(profile_.strings[StringId{id}]);
    }
    graph_.in_loader_.reserve(host.size());
    for (std::uint32_t row = 0; row < host.size(); ++row) {  // Containers come first.
      const HostId around = host.parent[row];
      const bool named = host.name[row].valid() && loads[host.name[row].value];
      graph_.in_loader_.push_back(named || (around.valid() && graph_.in_loader_[around.value]));
    }
  }

  const RankContext& rank_;
  const Profile& profile_;
  WaitFinder waits_;
  bool waits_in_silence_;
  EventWaits event_waits_of_{waits_};
  std::vector<EventWait> event_waits_;
  Span host_;  // The selected iterations' extent on the host.
  ThreadEvents events_{profile_, host_};
  PathGraph graph_;
  std::vector<Chain> chains_;
  bool has_all_work_ = false;           // All rows of the device table are steps.
  std::vector<StepId> step_of_device_;  // Steps of the starts; empty if all rows are steps.
  boost::unordered_flat_map<std::uint32_t, StepId> steps_of_calls_;  // Whose first work is no step.
  std::vector<std::pair<StepId, StepId>> thread_edges_;  // From the second to the first.
  std::vector<SilentStretch> stretches_;  // Parts of the current thread in which it may spin.
  std::uint32_t last_launch_ = kNone;     // Device row that the current thread launched last.
  std::vector<std::vector<StepId>> many_;
  std::vector<Open> open_;
  std::vector<std::pair<ThreadEvent, StepId>> crossing_;
  std::vector<std::size_t> detached_;  // By thread: where its crossing ranges end.
  std::vector<StepId> cursor_;         // By chain: the first step that has not had its turn.
  std::vector<bool> waiting_;          // By chain: whether it is on the stack.
  std::size_t near_ = 0;               // A chain.
  std::vector<std::pair<std::size_t, StepId>> stack_;  // Chains, and where their turns end.
  bool drops_ = false;
  std::size_t circles_ = 0;  // Edges that would close one.
};

tl::expected<PathGraph, std::string> PathGraph::Build(const RankContext& rank,
                                                      unsigned block_bits) {
  if (const auto why = WhyNoGraph(*rank.profile)) return tl::unexpected(*why);
  PathGraph graph = PathGraphBuilder(rank, block_bits).Run();
  if (graph.size() == 0)
    return tl::unexpected(std::string("no event is in the selected iterations"));
  return graph;
}

}  // namespace profgauge
