// Events of the whole run: collectives matched across ranks, and the critical path.
#include "analysis/communication/collective_calls.h"
#include "query/event_source.h"

namespace profgauge::query {
namespace {

using enum Unit;
using RunRow = std::uint32_t;

struct CollectiveEvents {
  explicit CollectiveEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)),
        run(events->run().communication()),
        facts(run.ranks[events->position()]),
        call_of(run.call_of[events->position()]) {}
  std::size_t size() const { return facts.calls.size(); }
  const analysis::communication::CollectiveCall& Call(std::uint32_t row) const {
    return facts.calls[row];
  }
  const analysis::communication::MatchedCall* Matched(std::uint32_t row) const {
    return call_of[row] < 0 ? nullptr : &run.matching.calls[static_cast<std::size_t>(call_of[row])];
  }
  bool IsLast(const analysis::communication::MatchedCall& matched, std::uint32_t row) const {
    if (matched.last == analysis::communication::MatchedCall::kNobody) return false;
    const analysis::communication::MatchedCall::Member& last = matched.members[matched.last];
    return last.rank == events->position() && last.call == row;
  }
  std::shared_ptr<const RankEvents> events;
  const RunCommunication& run;
  const analysis::communication::RankFacts& facts;
  const std::vector<std::int64_t>& call_of;
};
using Collectives = const CollectiveEvents&;

Cell NameOrNothing(const std::string& text) {
  return text.empty() ? Cell() : Cell(std::string_view(text));
}
Cell Counted(std::int64_t value) { return value < 0 ? Cell() : Cell(value); }

constexpr EventColumn<CollectiveEvents> kCollectives[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Collectives of, RunRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Collectives of, RunRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime,
      "Start by the clock of the first rank, where the clocks can be aligned."},
     [](Collectives of, RunRow row) -> Cell {
       const auto& clock = of.run.clocks.of_rank[of.events->position()];
       const Ns start = of.Call(row).time.start;
       return clock ? clock->Align(start) : start;
     }},
    {{"duration", "Duration", kTime, "Length: waiting and transfer."},
     [](Collectives of, RunRow row) -> Cell { return of.Call(row).time.length(); }},
    {{"iteration", "Iteration", kCount, "Position of the iteration that launched it."},
     [](Collectives of, RunRow row) {
       const std::uint32_t event = of.Call(row).event;
       if (event == analysis::catalog::Output::kNoRow)
         return of.events->IterationAt(of.Call(row).time.start);
       return RankEvents::Iteration(of.events->rank().iterations.of_device[event]);
     }},
    {{"call", "Call", kCount, "The same on all ranks of one call; absent where not matched."},
     [](Collectives of, RunRow row) { return Counted(of.call_of[row]); }},
    {{"name", "Name", kText, "Kind of collective."},
     [](Collectives of, RunRow row) { return NameOrNothing(of.Call(row).name); }},
    {{"process_group", "Group", kText, "Process group, where recorded."},
     [](Collectives of, RunRow row) { return NameOrNothing(of.Call(row).group); }},
    {{"group_size", "Ranks", kCount, "Ranks of the group."},
     [](Collectives of, RunRow row) {
       return Counted(analysis::communication::GroupSizeOf(of.Call(row), of.run.ranks));
     }},
    {{"dtype", "Type", kText, "Data type, where recorded."},
     [](Collectives of, RunRow row) { return NameOrNothing(of.Call(row).dtype); }},
    {{"bytes", "Bytes", kBytes, "Bytes of the full buffer, where recorded."},
     [](Collectives of, RunRow row) { return Counted(of.Call(row).bytes); }},
    {{"waiting", "Waiting", kTime, "Before the last rank joined; of matched calls."},
     [](Collectives of, RunRow row) -> Cell {
       const analysis::communication::CollectiveCall& call = of.Call(row);
       return call.transfer < 0 ? Cell() : Cell(call.time.length() - call.transfer);
     }},
    {{"transfer", "Transfer", kTime, "The rest; of matched calls."},
     [](Collectives of, RunRow row) { return Counted(of.Call(row).transfer); }},
    {{"late", "Late", kTime, "How much later the last rank joined than the one before; else 0."},
     [](Collectives of, RunRow row) -> Cell {
       const analysis::communication::MatchedCall* matched = of.Matched(row);
       if (matched == nullptr || matched->transfer < 0) return {};
       return of.IsLast(*matched, row) ? matched->lateness : Ns{0};
     }},
    {{"is_last", "Last", kBool, "Whether this rank joined last, later than all others."},
     [](Collectives of, RunRow row) -> Cell {
       const analysis::communication::MatchedCall* matched = of.Matched(row);
       if (matched == nullptr || matched->transfer < 0) return {};
       return std::int64_t{of.IsLast(*matched, row)};
     }},
    {{"exposed", "Exposed", kTime, "Time in which the same device computes nothing."},
     [](Collectives of, RunRow row) -> Cell { return of.Call(row).exposed; }},
    {{"device_id", "Device event", kCount, "Its id in device_events."},
     [](Collectives of, RunRow row) {
       const std::uint32_t event = of.Call(row).event;
       return event == analysis::catalog::Output::kNoRow ? Cell() : of.events->IdOf(event);
     }},
};

struct PathEvents {
  explicit PathEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), path(events->path()) {}
  std::size_t size() const { return path.size(); }
  std::shared_ptr<const RankEvents> events;
  const std::vector<analysis::simulation::PathMove>& path;
};
using Paths = const PathEvents&;

constexpr std::string_view kEventTables[] = {"host_events", "call_events", "device_events"};

constexpr EventColumn<PathEvents> kPath[] = {
    {{"id", "Id", kCount, "Number of the segment, unique in the run."},
     [](Paths of, RunRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Paths of, RunRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Paths of, RunRow row) -> Cell { return of.path[row].time.start; }},
    {{"duration", "Duration", kTime, "Length."},
     [](Paths of, RunRow row) -> Cell { return of.path[row].time.length(); }},
    {{"iteration", "Iteration", kCount, "Position of the iteration."},
     [](Paths of, RunRow row) {
       return RankEvents::Iteration(of.events->rank().iterations.AtTime(of.path[row].time.start));
     }},
    {{"category", "Category", kText, "host, launch, kernel, copy, transfer, waiting and so on."},
     [](Paths of, RunRow row) -> Cell { return InfoOf(of.path[row].kind).id; }},
    {{"name", "Name", kText, "Operator, call or kernel."},
     [](Paths of, RunRow row) -> Cell { return of.path[row].name; }},
    {{"op", "Operator", kText, "Operator that launched it."},
     [](Paths of, RunRow row) -> Cell {
       return of.path[row].op.empty() ? Cell() : Cell(of.path[row].op);
     }},
    {{"event_table", "Event table", kText, "host_events, call_events or device_events."},
     [](Paths of, RunRow row) -> Cell {
       const analysis::simulation::PathOwner& in = of.path[row].in;
       if (in.row == analysis::simulation::PathGraph::kNone) return {};
       return kEventTables[static_cast<std::size_t>(in.table)];
     }},
    {{"event_id", "Event id", kCount, "Id of the event around it in that table."},
     [](Paths of, RunRow row) {
       const analysis::simulation::PathOwner& in = of.path[row].in;
       return in.row == analysis::simulation::PathGraph::kNone ? Cell() : of.events->IdOf(in.row);
     }},
};

}  // namespace

std::vector<EventTable> RunEventTables() {
  static const auto kCollectiveSpecs = SpecsOf<CollectiveEvents>(kCollectives);
  static const auto kPathSpecs = SpecsOf<PathEvents>(kPath);
  return {MakeEventTable<CollectiveEvents>(
              "collective_events", "Collective calls", "One row per collective call on a rank.",
              kCollectiveSpecs, kCollectives, Capability::kCollectiveInfo),
          MakeEventTable<PathEvents>("path_events", "Segments of the critical path",
                                     "One row per segment of the critical path of a rank.",
                                     kPathSpecs, kPath, Capability::kLaunchLinks)};
}

}  // namespace profgauge::query
