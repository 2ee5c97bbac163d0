#include "analysis/simulation/graph_build.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/breakdown/host_waits.h"
#include "analysis/flops/op_tree.h"
#include "analysis/simulation/derived_waits.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/thread_links.h"
#include "analysis/simulation/waits.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/partition_point.h"

namespace profgauge::analysis::simulation {
namespace {

Ns EndOf(Ns start, Ns duration) { return start + std::max<Ns>(duration, 0); }

// Returns the reason, in one clause, why the profile has no graph. Without calls or ranges, the
// order of device work is unknown; without links from work to launches, host and device are
// unconnected. A run without device work has a graph of its threads.
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
  constexpr std::size_t kMostRows = 1u << 28;  // Two steps for each row of all tables: 30 bits.
  if (profile.host.size() + profile.api.size() + profile.device.size() >= 2 * kMostRows ||
      std::max({profile.host.size(), profile.api.size(), profile.device.size()}) >= kMostRows) {
    return "needs fewer than 268 million events; select fewer iterations with a smaller recording";
  }
  return std::nullopt;
}

}  // namespace

PathGraph PathGraphBuilder::Run() {
  AddDevice();
  AddThreads();
  LinkLaunches();
  LinkStreams();
  AddThreadLinks();
  StoreThreadEdges();
  Schedule();
  const std::vector<ThreadSteps> threads = Threads();
  for (const iterations::Iteration& iteration : rank_.iterations.selected()) {
    graph_.iterations_.push_back(FindIterationSteps(graph_, threads, iteration));
  }
  // Ranks that wait for each other begin further apart than a host runs ahead.
  if (!graph_.iterations_.empty() && profile_.distributed.world_size <= 1) {
    const iterations::Iteration& first = rank_.iterations.selected().front();
    if (first.time.start > first.host.start)
      FindLaunches(graph_, threads, first.time, graph_.iterations_.front());
  }
  StoreMany();
  MarkBinding();
  FindMoves();
  CountEdges();
  FindLoaderRanges();
  FindKeptTimes(threads);
  graph_.silent_ = SilentSteps(graph_);
  for (const ThreadSteps& thread : threads) graph_.thread_begins_.push_back(thread.begin);
  graph_.runs_.shrink_to_fit();
  return std::move(graph_);
}

// The mapping from work to rows is stored only if some rows are not steps; else work i is row i.
void PathGraphBuilder::EmitWork(std::uint32_t row, bool is_first) {
  if (!has_all_work_) {
    step_of_device_[row] = Next();
    graph_.work_rows_.push_back(row);
  }
  graph_.work_crosses_.push_back(kNone);
  graph_.first_works_.push_back(is_first);
  graph_.device_steps_ += 2;
}

void PathGraphBuilder::Emit(PathTable table, bool is_end, std::uint32_t row, bool is_first) {
  graph_.thread_owners_.push_back(static_cast<std::uint32_t>(table) << PathGraph::kTableShift |
                                  row | (is_end ? PathGraph::kEndBit : 0) |
                                  (is_first ? PathGraph::kFirstBit : 0));
}

// Work launched in a selected iteration counts at any time. Other work counts if it runs within the
// window, or since the begin of the selected iterations on the host.
bool PathGraphBuilder::HasDeviceRow(std::uint32_t row) const {
  const std::uint32_t iteration = rank_.iterations.of_device[row];
  if (rank_.iterations.SelectsIteration(iteration)) return true;
  const Ns start = profile_.device.start[row];
  const Span window = rank_.window();
  return start < window.end &&
         EndOf(start, profile_.device.duration[row]) > std::min(window.start, host_.start);
}

void PathGraphBuilder::AddDevice() {
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

void PathGraphBuilder::AddSilentWait(StepId step, const ThreadEvent* around) {
  if (!waits_in_silence_) return NoteStretch(step, around);
  const std::uint32_t row =
      waits_.WaitedForInSilence(graph_.RecordedAt(step - 1), graph_.RecordedAt(step), last_launch_);
  if (row != kNone && StepOfWork(row) != kNone) AddToThread(step, StepOfWork(row) + 1);
}

// Ignores calls, whose name shows whether they wait, and data loaders, which are working.
void PathGraphBuilder::NoteStretch(StepId step, const ThreadEvent* around) {
  const Span time{graph_.RecordedAt(step - 1), graph_.RecordedAt(step)};
  if (last_launch_ == kNone || !MayBeSpin(time.length())) return;
  if (around != nullptr && (around->table == PathTable::kApi || LoadsData(HostId{around->row}))) {
    return;
  }
  const StringId range = around == nullptr ? StringId{} : profile_.host.name[around->row];
  stretches_.push_back({step, time, last_launch_, range});
}

bool PathGraphBuilder::LoadsData(HostId range) const {
  for (; range.valid(); range = profile_.host.parent[range.value]) {
    const StringId name = profile_.host.name[range.value];
    if (name.valid() && flops::IsDataLoaderRange(profile_.strings[name])) return true;
  }
  return false;
}

// The median period of the thread is the usual one: only much longer periods may be spins.
void PathGraphBuilder::AddSpinWaits(StepId begin, StepId end) {
  if (stretches_.empty()) return;
  std::vector<Ns> lengths;
  lengths.reserve(end - begin);
  Ns before = graph_.RecordedAt(begin);
  for (StepId step = begin + 1; step < end; ++step) {
    const Ns at = graph_.RecordedAt(step);
    lengths.push_back(at - std::exchange(before, at));
  }
  for (const SilentStretch& wait :
       SpinWaits(profile_, std::exchange(stretches_, {}), Median(std::move(lengths)))) {
    const StepId work = StepOfWork(wait.launched);
    if (work != kNone) AddToThread(wait.step, work + 1);
  }
}

// At its end, a call waited for its work, and any event may have waited silently.
void PathGraphBuilder::Close() {
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

void PathGraphBuilder::OpenEvent(const ThreadEvent& event, StepId first) {
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

// Adds threads in the order of the tables. Ends of crossing ranges come after all threads, each
// with only its own start as predecessor: within the thread's chain they would imply an order that
// the program does not have.
void PathGraphBuilder::AddThreads() {
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

// A range belongs to a data loader if its name or the name of a range around it shows it. One pass
// is enough, since the host table has containers before their contents.
void PathGraphBuilder::FindLoaderRanges() {
  const HostTable& host = profile_.host;
  std::vector<bool> loads(profile_.strings.size());
  for (std::uint32_t id = 0; id < loads.size(); ++id) {
    loads[id] = flops::IsDataLoaderRange(profile_.strings[StringId{id}]);
  }
  graph_.in_loader_.reserve(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {  // Containers come first.
    const HostId around = host.parent[row];
    const bool named = host.name[row].valid() && loads[host.name[row].value];
    graph_.in_loader_.push_back(named || (around.valid() && graph_.in_loader_[around.value]));
  }
}

// Finds time that fewer or faster operators and launches would not save: the program would still
// load the same code once, and wait for the same work. E.g. a first call of 6 ms.
void PathGraphBuilder::FindKeptTimes(const std::vector<ThreadSteps>& threads) {
  const breakdown::HostWaits& waits = breakdown::WaitsOf(rank_);
  const ApiTable& api = profile_.api;
  std::vector<std::vector<Span>> memory(profile_.threads.size());
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] != ApiKind::kMemory || api.thread[row].value >= memory.size()) continue;
    memory[api.thread[row].value].push_back(
        {api.start[row], EndOf(api.start[row], api.duration[row])});
  }
  const auto both = [](std::vector<Span> a, std::span<const Span> b) {
    a.insert(a.end(), b.begin(), b.end());
    return Merge(std::move(a));
  };
  for (const ThreadSteps& steps : threads) {
    const breakdown::ThreadWaits& thread = waits.threads[steps.thread];
    PathGraph::KeptTime& kept = graph_.kept_times_.emplace_back();
    kept.once = both(thread.loading, thread.capture);
    kept.calls = both(both(thread.sync, memory[steps.thread]), kept.once);
  }
}

tl::expected<PathGraph, std::string> PathGraph::Build(const iterations::RankContext& rank,
                                                      unsigned block_bits) {
  if (const auto why = WhyNoGraph(*rank.profile)) return tl::unexpected(*why);
  PathGraph graph = PathGraphBuilder(rank, block_bits).Run();
  if (graph.size() == 0)
    return tl::unexpected(std::string("no event is in the selected iterations"));
  return graph;
}

// Edges of the graph between streams and threads: launches, waits and hand-overs.

// The cross word of a step while edges are added, and after StoreMany():
//
//   no edge    kNone
//   one        5
//   two        kMany | 0    many_ {{5, 9}}    stored: kMany | 0    many_ [2, 5, 9, ...]
void PathGraphBuilder::AddCross(std::uint32_t& cross, StepId from) {
  if (cross == kNone) {
    cross = from;
  } else if ((cross & PathGraph::kMany) == 0) {
    many_.push_back({cross, from});
    cross = PathGraph::kMany | static_cast<std::uint32_t>(many_.size() - 1);
  } else {
    many_[cross & ~PathGraph::kMany].push_back(from);
  }
}

void PathGraphBuilder::StoreThreadEdges() {
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

std::uint32_t& PathGraphBuilder::CrossWord(StepId step) {
  return step < graph_.device_steps_ ? graph_.work_crosses_[step / 2]
                                     : graph_.thread_crosses_[graph_.PlaceOf(step)].second;
}

// REQUIRES: the word has one edge. (A list that becomes empty keeps its word.)
void PathGraphBuilder::DropCross(StepId step) {
  CrossWord(step) = kNone;
  if (step < graph_.device_steps_) return;
  graph_.thread_owners_[step - graph_.device_steps_] &= ~PathGraph::kHasCross;
}

// A part has 2^18 rows, so that the cost of starting a task is negligible.
template <class Work>
void PathGraphBuilder::ForEachPart(std::size_t count, Work work) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  ForEachAtOnce((count + kPart - 1) / kPart,
                [&](std::size_t i) { work(i * kPart, std::min(count, (i + 1) * kPart)); });
}

void PathGraphBuilder::LinkFirst(std::uint32_t row, std::uint32_t call, StepId step) {
  if (StepOfWork(row) == kNone) {
    steps_of_calls_.emplace(call, step);
  } else {
    AddToWork(StepOfWork(row), step);
  }
}

// A call that launches several events (a graph) has its step at the first; the others read it from
// there. Each part writes only words of its rows, so parts run in parallel.
void PathGraphBuilder::LinkLaunches() {
  ForEachPart(profile_.device.size(), [this](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
      const ApiId launch = profile_.device.launch[row];
      if (!launch.valid()) continue;
      const std::uint32_t first = waits_.LaunchedBy(launch.value);
      if (first == row || StepOfWork(row) == kNone) continue;
      // The first edge needs no shared data.
      graph_.work_crosses_[StepOfWork(row) / 2] = LaunchOf(first, launch.value);
    }
  });
  steps_of_calls_ = {};
}

PathGraph::StepId PathGraphBuilder::LaunchOf(std::uint32_t first, std::uint32_t call) const {
  if (StepOfWork(first) != kNone) return graph_.work_crosses_[StepOfWork(first) / 2];
  const auto known = steps_of_calls_.find(call);
  return known == steps_of_calls_.end() ? kNone : known->second;
}

void PathGraphBuilder::LinkStreams() {
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

std::vector<ThreadSteps> PathGraphBuilder::Threads() const {
  std::vector<ThreadSteps> threads;
  for (const Chain& chain : chains_) {
    if (chain.thread != kNone) threads.push_back({chain.begin, chain.end, chain.thread});
  }
  return threads;
}

void PathGraphBuilder::AddThreadLinks() {
  ThreadLinks links = LinkThreads(graph_, profile_, Threads());
  for (const auto& [step, from] : links.edges) AddToThread(step, from);
  graph_.free_threads_ = std::move(links.free);
}

void PathGraphBuilder::StoreMany() {
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

template <class Visit>
void PathGraphBuilder::ForEachCrossWord(Visit visit) {
  for (std::uint32_t& cross : graph_.work_crosses_) visit(cross);
  for (auto& [step, cross] : graph_.thread_crosses_) visit(cross);
}

// A word with one edge stores whether that edge binds. For lists this is computed each time.
void PathGraphBuilder::MarkBinding() {
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

namespace {

std::uint32_t MoveOf(Ns after) {
  const bool fits = after >= 0 && after < Ns{PathGraph::kNoMove};
  return fits ? static_cast<std::uint32_t>(after) : PathGraph::kNoMove;
}

}  // namespace

void PathGraphBuilder::FindMoves() {
  graph_.moves_.resize(graph_.size());
  const StepId of_device = graph_.device_steps();
  const auto& durations = profile_.device.duration;
  for (StepId step = 1; step < of_device; step += 2) {
    const Ns duration = durations[graph_.RowOfWork(step / 2)];
    graph_.moves_[step - 1] = PathGraph::kNoMove;  // Nearly all have a launch edge.
    graph_.moves_[step] = MoveOf(std::max<Ns>(duration, 0));
  }
  constexpr std::uint32_t kOthers = PathGraph::kHasCross | PathGraph::kFirstBit;
  ForEachPart(graph_.size() - of_device, [this, of_device](std::size_t begin, std::size_t end) {
    Ns before = begin > 0 ? graph_.RecordedAt(static_cast<StepId>(of_device + begin - 1)) : 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t word = graph_.thread_owners_[i];
      const bool is_call = (word >> PathGraph::kTableShift & 1) != 0;
      const std::uint32_t row = word & PathGraph::kRowMask;
      Ns at = is_call ? profile_.api.start[row] : profile_.host.start[row];
      if ((word & PathGraph::kEndBit) != 0) {
        const Ns length = is_call ? profile_.api.duration[row] : profile_.host.duration[row];
        at += std::max<Ns>(length, 0);
      }
      graph_.moves_[of_device + i] =
          (word & kOthers) == 0 ? MoveOf(at - before) : PathGraph::kNoMove;
      before = at;
    }
  });
}

void PathGraphBuilder::CountEdges() {
  std::vector<std::uint32_t>& counts = graph_.edges_from_blocks_;
  counts.assign((graph_.size() >> graph_.block_bits()) + 1, 0);  // The last block may be empty.
  graph_.ForEachElsewhere(0, Next(), [&](StepId from) { ++counts[from >> graph_.block_bits()]; });
}

// The order of a replay: every step comes after its predecessors, and chains advance together.
//
// A chain runs until a step needs one of another chain that has no place yet. That chain runs up to
// it first, and so on: the stack holds the chains that wait for each other. In this example a2
// waits for b1, and b0 for a0:
//
//   A   a0 a1 a2 a3        runs: [a0 a1] [b0 b1] [a2 a3] [b2]
//   B   b0 b1 b2
//
// If the needed chain is itself on the stack, the edge closes a cycle: the dependencies are
// contradictory. Such edges are removed and counted.

std::size_t PathGraphBuilder::ChainOf(StepId step) const {
  const auto after =
      std::upper_bound(chains_.begin(), chains_.end(), step,
                       [](StepId wanted, const Chain& chain) { return wanted < chain.begin; });
  return static_cast<std::size_t>(after - chains_.begin()) - 1;
}

PathGraph::StepId PathGraphBuilder::FirstMissing(StepId step) {
  const std::uint32_t cross = CrossWord(step);
  const auto missing = [&](StepId from) {
    // Usually it is on the chain of the previous query.
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

void PathGraphBuilder::RunChain(std::size_t chain, StepId stop) {
  stack_.push_back({chain, stop});
  waiting_[chain] = true;
  while (!stack_.empty()) {
    const auto [at, its_stop] = stack_.back();
    StepId step = cursor_[at], needed = kNone;
    const StepId begin = step;
    while (step < its_stop && (graph_.HasOneEdge(step) || (needed = FirstMissing(step)) == kNone)) {
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

template <class RunOne>
void PathGraphBuilder::ForEachChain(RunOne run) {
  for (const bool of_thread : {true, false}) {
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if ((chains_[i].thread != kNone) == of_thread) run(i);
    }
  }
}

void PathGraphBuilder::BeginSchedule(bool drops) {
  drops_ = drops;
  circles_ = 0;
  graph_.runs_.clear();
  cursor_.clear();
  for (const Chain& chain : chains_) cursor_.push_back(chain.begin);
  waiting_.assign(chains_.size(), false);
}

// Makes at most three passes. The first, by time, detects cycles, which are very rare. If there are
// any, a second pass runs whole chains, so that the removed edges do not depend on the block size.
// The third then orders the steps by time without these edges.
void PathGraphBuilder::Schedule() {
  ScheduleByTime();
  if (circles_ == 0) return;
  BeginSchedule(true);
  ForEachChain([this](std::size_t i) { RunChain(i, chains_[i].end); });
  graph_.dropped_ = circles_;
  ScheduleByTime();
}

void PathGraphBuilder::ScheduleByTime() {
  BeginSchedule(false);
  for (const Ns until : Slices()) {
    ForEachChain([this, until](std::size_t i) {
      if (cursor_[i] < chains_[i].end) RunChain(i, StopOf(i, until));
    });
  }
}

// Returns one time for each full block of each chain, then the end of time. A replay that proceeds
// by these slices holds about one block of each chain.
std::vector<Ns> PathGraphBuilder::Slices() const {
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

Ns PathGraphBuilder::OrderOf(StepId step) const {
  const PathOwner owner = graph_.OwnerOf(step);
  const bool is_detached = owner.is_end && graph_.Before(step) == kNone;
  return is_detached ? graph_.starts_[static_cast<std::size_t>(owner.table)][owner.row]
                     : graph_.RecordedAt(step);
}

PathGraph::StepId PathGraphBuilder::StopOf(std::size_t chain, Ns until) const {
  const StepId first = cursor_[chain];
  if (OrderOf(first) >= until) return first;
  return PartitionPoint(first, chains_[chain].end,
                        [&](StepId step) { return OrderOf(step) < until; });
}

}  // namespace profgauge::analysis::simulation
