#include "analysis/path/graph_build.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/path/derived_waits.h"
#include "analysis/path/graph.h"
#include "analysis/path/thread_events.h"
#include "analysis/path/thread_links.h"
#include "analysis/path/waits.h"
#include "analysis/time/host_waits.h"
#include "analysis/work/op_tree.h"
#include "base/numbers.h"

namespace profgauge::analysis::path {
namespace {

Ns EndOf(Ns start, Ns duration) { return start + std::max<Ns>(duration, 0); }

// The reason in one clause why the profile has no graph: without calls or ranges of the host
// nothing orders the device's work, and without links from work to its launch nothing joins both. A
// run without device work has a graph of its threads.
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

PathGraph PathGraphBuilder::Run() {
  AddDevice();
  AddThreads();
  LinkLaunches();
  LinkStreams();
  AddThreadLinks();
  StoreThreadEdges();
  Schedule();
  const std::vector<ThreadSteps> threads = Threads();
  for (const context::Iteration& iteration : rank_.iterations.selected()) {
    graph_.iterations_.push_back(FindIterationSteps(graph_, threads, iteration));
  }
  // Ranks that wait for each other begin apart by more than a host gets ahead.
  if (!graph_.iterations_.empty() && profile_.distributed.world_size <= 1) {
    const context::Iteration& first = rank_.iterations.selected().front();
    if (first.time.start > first.host.start)
      FindLaunches(graph_, threads, first.time, graph_.iterations_.front());
  }
  StoreMany();
  MarkBinding();
  FindMoves();
  CountEdges();
  FindLoaderRanges();
  FindKeptTimes(threads);
  for (const ThreadSteps& thread : threads) graph_.thread_begins_.push_back(thread.begin);
  graph_.runs_.shrink_to_fit();
  return std::move(graph_);
}

// Numbers of rows are stored only if some rows are no steps; else work i is row i.
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

// Work that a selected iteration launched counts wherever it runs. Other work counts if it runs
// before the end of the window and after its begin, or that of the iterations on the host.
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

// Not within a call, whose name shows whether it waits, nor in a data loader, which works.
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
    if (name.valid() && work::IsDataLoaderRange(profile_.strings[name])) return true;
  }
  return false;
}

// The median of all pauses of the thread is its usual pause: only pauses that are long in
// comparison may be spins.
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

// The end of a call has edges from the work that it waited for, and any end may come after a silent
// wait.
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

// Threads come one after the other, in the order of the tables. Ends of ranges that cross others
// follow after all threads, each with its own start as its only predecessor: within the chain they
// would make an order that the program does not have.
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

// A range is in a data loader if its name or that of a range around it says so. One pass is enough,
// since the host table has containers before their contents.
void PathGraphBuilder::FindLoaderRanges() {
  const HostTable& host = profile_.host;
  std::vector<bool> loads(profile_.strings.size());
  for (std::uint32_t id = 0; id < loads.size(); ++id) {
    loads[id] = work::IsDataLoaderRange(profile_.strings[StringId{id}]);
  }
  graph_.in_loader_.reserve(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {  // Containers come first.
    const HostId around = host.parent[row];
    const bool named = host.name[row].valid() && loads[host.name[row].value];
    graph_.in_loader_.push_back(named || (around.valid() && graph_.in_loader_[around.value]));
  }
}

// Operators and launches that are fewer or faster load the same code once, and wait for the same
// work: one first call of 6 ms is no overhead of launching.
void PathGraphBuilder::FindKeptTimes(const std::vector<ThreadSteps>& threads) {
  const time::HostWaits& waits = time::WaitsOf(rank_);
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
    const time::ThreadWaits& thread = waits.threads[steps.thread];
    PathGraph::KeptTime& kept = graph_.kept_times_.emplace_back();
    kept.once = both(thread.loading, thread.capture);
    kept.calls = both(both(thread.sync, memory[steps.thread]), kept.once);
  }
}

tl::expected<PathGraph, std::string> PathGraph::Build(const context::RankContext& rank,
                                                      unsigned block_bits) {
  if (const auto why = WhyNoGraph(*rank.profile)) return tl::unexpected(*why);
  PathGraph graph = PathGraphBuilder(rank, block_bits).Run();
  if (graph.size() == 0)
    return tl::unexpected(std::string("no event is in the selected iterations"));
  return graph;
}

}  // namespace profgauge::analysis::path
