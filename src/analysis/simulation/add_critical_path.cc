// The metrics and tables of the critical path.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/part_metrics.h"
#include "analysis/catalog/path_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/simulation/part_namer.h"
#include "analysis/simulation/path_facts.h"
#include "analysis/simulation/replay.h"
#include "analysis/simulation/replayer.h"
#include "base/metric_id.h"

namespace profgauge::analysis::simulation {
namespace {

struct PartSum {
  std::int64_t segments = 0;
  Ns time = 0;
};
using RankPart = std::pair<std::int64_t, NamedPart>;
using RunParts = std::map<RankPart, PartSum>;

// A segment between a call and its work is drawn at the call: `in` is then the launching call.
PathMove MoveOf(const PathSegment& segment, const PathGraph& graph, const PartNamer& namer) {
  const NamedPart named = namer.TextsOf(namer.IdsOf(segment));
  PathMove move{
      segment.time, segment.kind, named.tensor_core == classify::TriName(classify::Tri::kYes),
      named.name,   named.op,     {PathTable::kHost, false, PathGraph::kNone}};
  if (IsUnexplained(segment)) return move;
  move.in = graph.OwnerOf(segment.step);
  if (move.in.table != PathTable::kDevice) {
    move.in = InnermostAt(graph, segment.step);
  } else if (segment.edge == PathEdge::kLaunch) {
    const DeviceTable& device = graph.rank().profile->device;
    move.in = {PathTable::kApi, false, device.launch[move.in.row].value};
  }
  return move;
}

NamedPart PartOf(const PathPart& part, PathKind kind) {
  return {kind, part.name, part.op, part.module, part.tensor_core};
}

void Add(PartSum& sum, std::int64_t segments, Ns time) {
  sum.segments += segments;
  sum.time += time;
}

// Splits a collective: the time before the last rank arrived is waiting.
void AddCollective(const PathCollective& collective, Ns transfer, const PathPart& part,
                   std::int64_t rank, RunParts& parts) {
  Ns cut = collective.time.start;
  if (transfer >= 0) {
    cut = std::clamp(collective.end - transfer, collective.time.start, collective.time.end);
  }
  const Ns waiting = cut - collective.time.start, rest = collective.time.end - cut;
  if (waiting > 0) Add(parts[{rank, PartOf(part, PathKind::kWaiting)}], 1, waiting);
  if (rest > 0) Add(parts[{rank, PartOf(part, part.kind)}], 1, rest);
}

// Fills rows by time, the longest first; rows of equal time by rank and part, like in the map.
void FillPath(const RunParts& parts, Ns whole, Table& table) {
  std::vector<RunParts::const_iterator> rows;
  for (auto at = parts.begin(); at != parts.end(); ++at) rows.push_back(at);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto a, auto b) { return a->second.time > b->second.time; });
  catalog::RowWriter<catalog::columns::kCriticalPath> writer(table);
  for (const auto& row : rows) {
    const auto& [rank, part] = row->first;
    const PartSum& sum = row->second;
    writer.Integer("rank"_col, rank)
        .Text("category"_col, InfoOf(part.kind).title)
        .Text("name"_col, part.name)
        .Text("op"_col, part.op)
        .Text("module"_col, part.module)
        .Text("uses_tensor_core"_col, part.tensor_core)
        .Integer("segments"_col, sum.segments)
        .Integer("time"_col, sum.time)
        .Share("share"_col, static_cast<double>(sum.time), static_cast<double>(whole));
  }
}

using SlackKey = std::tuple<std::int32_t, std::int64_t, std::string_view>;

SlackKey KeyOf(const Profile& profile, std::uint32_t row) {
  return {profile.device.gpu[row], profile.device.stream[row],
          profile.Name(profile.device.name[row])};
}

// Sums the slacks of device work, by stream and name.
class SlackSums {
 public:
  explicit SlackSums(const PathGraph& graph)
      : graph_(graph), device_(graph.rank().profile->device) {}

  /// Adds the slack of a step that ends device work; ignores all other steps.
  void Add(PathGraph::StepId step, Ns slack) {
    const iterations::RankContext& rank = graph_.rank();
    if (step >= graph_.device_steps() || (step & 1) == 0) return;
    const std::uint32_t work = graph_.OwnerOf(step).row;
    if (!rank.iterations.SelectsIteration(rank.iterations.of_device[work])) return;
    SlackRow*& found = NamesOf(work)[device_.name[work].value];
    if (found == nullptr) found = &rows_[KeyOf(*rank.profile, work)];
    // If no awaited work follows, the step may end as late as the iterations.
    slack = std::min(slack, std::max<Ns>(0, rank.window().end - graph_.RecordedAt(step)));
    found->least = found->calls == 0 ? slack : std::min(found->least, slack);
    ++found->calls;
    found->time += device_.duration[work];
  }

  /// Adds the time of device work on the path. Ignored if no work of that name on that stream is in
  /// a selected iteration.
  void AddOnPath(std::uint32_t work, Ns time) {
    const Names& names = NamesOf(work);
    if (const auto known = names.find(device_.name[work].value); known != names.end()) {
      known->second->on_path += time;
    } else if (const auto row = rows_.find(KeyOf(*graph_.rank().profile, work));
               row != rows_.end()) {
      row->second.on_path += time;
    }
  }

  std::vector<SlackRow> Rows() const {
    std::vector<SlackRow> rows;
    for (const auto& [key, row] : rows_) {
      rows.push_back(row);
      std::tie(rows.back().gpu, rows.back().stream, rows.back().name) = key;
    }
    return rows;
  }

 private:
  // Texts are looked up only once per stream and name.
  using Names = boost::unordered_flat_map<std::uint32_t, SlackRow*>;

  // Consecutive work is mostly of one stream.
  [[gnu::always_inline]] Names& NamesOf(std::uint32_t work) {
    const std::pair<std::int32_t, std::int64_t> stream(device_.gpu[work], device_.stream[work]);
    if (names_ == nullptr || stream != stream_) {
      stream_ = stream;
      names_ = &streams_[stream];
    }
    return *names_;
  }

  const PathGraph& graph_;
  const DeviceTable& device_;
  std::map<SlackKey, SlackRow> rows_;
  std::map<std::pair<std::int32_t, std::int64_t>, Names> streams_;
  std::pair<std::int32_t, std::int64_t> stream_;
  Names* names_ = nullptr;
};

// Sums without the work on the path.
SlackSums SumSlacks(const PathGraph& graph, std::span<const Ns> slacks) {
  SlackSums sums(graph);
  if (slacks.empty()) {
    VisitSlacks(graph, [&sums](PathGraph::StepId step, Ns slack) { sums.Add(step, slack); });
  }
  for (PathGraph::StepId step = 0; step < slacks.size(); ++step) sums.Add(step, slacks[step]);
  return sums;
}

// Sets the shares, which refer to the length of the path over all ranks.
void SetMetrics(const PathSums& sums, Ns whole, bool knows_waiting, catalog::Output& out) {
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    const auto kind = static_cast<PathKind>(i);
    const PartMetrics& id = InfoOf(kind).metrics;
    if (kind == PathKind::kWaiting && !knows_waiting) {
      catalog::SetPartAbsent(
          id, "needs the profiles of the other ranks: waiting is in critical.transfer", out);
      continue;
    }
    catalog::SetPart(id, sums[i], whole, out);
  }
  if (!knows_waiting && sums[static_cast<std::size_t>(PathKind::kTransfer)] > 0) {
    out.SetNote(metric::kCriticalTransferShare,
                "includes waiting for other ranks, which were not recorded");
  }
}

// Sorts the parts by `first`: their order on the path.
void SortParts(std::span<const Ns> first, PathFacts& facts) {
  std::vector<std::uint32_t> order(first.size()), place(first.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return first[a] < first[b]; });
  std::vector<PathPart> sorted;
  for (const std::uint32_t part : order) {
    place[part] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(facts.parts[part]);
  }
  facts.parts = std::move(sorted);
  for (PathCollective& collective : facts.collectives) collective.part = place[collective.part];
}

}  // namespace

// Walks the path once and the slacks once. Collectives are listed separately: their split into
// waiting and transfer needs the calls of all ranks, which may come from summaries.
PathFacts PathFactsOf(const PathGraph& graph, const std::vector<Ns>* slacks, bool is_named) {
  PathFacts facts;
  const PartNamer namer(graph);
  PartNumbers numbers(namer);
  std::vector<Ns> first;  // By part: where it first occurs on the path.
  std::optional<SlackSums> slack_sums;
  if (slacks != nullptr) slack_sums.emplace(SumSlacks(graph, *slacks));
  const auto add_part = [&](const NamedPart& part) {
    facts.parts.push_back({part.kind, part.name, part.op, part.module, part.tensor_core, 0, 0});
    first.push_back(0);
  };
  std::array<std::uint32_t, kPathKinds> number_of_kind;
  number_of_kind.fill(kNoIndex);
  const auto take = [&](const PathSegment& segment) {
    std::uint32_t& of_kind = number_of_kind[static_cast<std::size_t>(segment.kind)];
    if (is_named || of_kind == kNoIndex) {
      of_kind = numbers.Of(is_named ? namer.IdsOf(segment) : PartIds{segment.kind}, add_part);
    }
    const std::uint32_t number = of_kind;
    first[number] = segment.time.start;
    const bool is_work = segment.edge == PathEdge::kDuration && segment.step < graph.device_steps();
    if (slack_sums && is_work) {
      slack_sums->AddOnPath(graph.OwnerOf(segment.step).row, segment.time.length());
    }
    if (segment.kind == PathKind::kTransfer) {
      const std::uint32_t row = graph.OwnerOf(segment.step).row;
      facts.collectives.push_back({number, segment.time, graph.RecordedAt(segment.step), row, -1});
      return;
    }
    PathPart& sum = facts.parts[number];
    ++sum.segments;
    sum.time += segment.time.length();
  };
  // Visits the path backward and in batches: it may have as many segments as the graph has steps.
  VisitCriticalPath(graph, {}, [&take](std::span<const PathSegment> segments) {
    for (const PathSegment& segment : segments) take(segment);
  });
  std::reverse(facts.collectives.begin(), facts.collectives.end());
  SortParts(first, facts);
  if (slack_sums) facts.slacks = slack_sums->Rows();
  return facts;
}

PathFacts PathFactsOf(const iterations::RankContext& rank, std::span<const std::uint32_t> events) {
  const auto graph = PathGraph::Build(rank);
  PathFacts facts;
  if (!graph) {
    facts.why_not = graph.error();
    return facts;
  }
  const std::vector<Ns> alone;
  facts = PathFactsOf(*graph, &alone);
  std::map<std::uint32_t, std::int64_t> call_of;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] == catalog::Output::kNoRow) continue;
    call_of[events[i]] = static_cast<std::int64_t>(i);
    facts.device_calls.push_back(static_cast<std::int64_t>(i));
  }
  for (PathCollective& collective : facts.collectives) {
    const auto found = call_of.find(collective.event);
    if (found != call_of.end()) collective.call = found->second;
  }
  return facts;
}

void AddPath(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
             bool knows_waiting,
             const std::function<Ns(std::size_t, const PathCollective&)>& transfer_of,
             catalog::Output& out) {
  RunParts parts;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (const PathPart& part : facts[i].parts) {
      if (part.segments == 0) continue;  // It has only collectives.
      Add(parts[{ranks[i], PartOf(part, part.kind)}], part.segments, part.time);
    }
    for (const PathCollective& collective : facts[i].collectives) {
      AddCollective(collective, transfer_of(i, collective), facts[i].parts[collective.part],
                    ranks[i], parts);
    }
  }
  PathSums sums{};
  Ns whole = 0;
  for (const auto& [part, sum] : parts) {
    sums[static_cast<std::size_t>(part.second.kind)] += sum.time;
    whole += sum.time;
  }
  SetMetrics(sums, whole, knows_waiting, out);
  if (out.Wants("critical_path")) FillPath(parts, whole, out.AddTable("critical_path"));
}

void AddSlack(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
              catalog::Output& out) {
  // Sorted by rank, GPU, stream and name, then by time.
  std::vector<std::pair<std::int64_t, const SlackRow*>> rows;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (const SlackRow& row : facts[i].slacks) rows.emplace_back(ranks[i], &row);
  }
  if (rows.empty()) return out.SetTableAbsent("slack", out.Gap(Capability::kDeviceEvents));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second->time > b.second->time; });
  catalog::RowWriter<catalog::columns::kSlack> writer(out.AddTable("slack"));
  for (const auto& [rank, row] : rows) {
    writer.Integer("rank"_col, rank)
        .Integer("gpu"_col, row->gpu)
        .Integer("stream"_col, row->stream)
        .Text("name"_col, row->name);
    writer.Integer("calls"_col, row->calls)
        .Integer("time"_col, row->time)
        .Integer("critical_time"_col, row->on_path)
        .Integer("slack"_col, row->least);
  }
}

void SetPathAbsent(const std::string& why, catalog::Output& out) {
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    catalog::SetPartAbsent(kPathKindInfo[i].metrics, why, out);
  }
  out.SetTableAbsent("critical_path", why);
  out.SetTableAbsent("slack", why);
}

PathMoves LongestPathMoves(const Replayer& replayer, std::size_t rank, std::size_t most) {
  const PathGraph& graph = replayer.graphs()[rank];
  const LongestSegments longest = LongestOfPath(graph, replayer.transfers(rank), most);
  const PartNamer namer(graph);
  PathMoves moves;
  for (const PathSegment& segment : longest.kept) {
    moves.kept.push_back(MoveOf(segment, graph, namer));
  }
  moves.left_out = longest.left_out;
  return moves;
}

std::vector<PathFacts> PathFactsOf(const Replayer& replayer, const catalog::Output& out) {
  std::vector<PathFacts> facts;
  if (!replayer.can_replay()) return facts;
  const bool with_slacks = out.Wants("slack"), is_named = out.Wants("critical_path");
  std::vector<std::vector<Ns>> slacks(replayer.graphs().size());
  if (with_slacks && replayer.is_joint()) slacks = replayer.JointSlacks();
  for (std::size_t i = 0; i < replayer.graphs().size(); ++i) {
    const std::vector<Ns>* const its = with_slacks ? &slacks[i] : nullptr;
    facts.push_back(PathFactsOf(replayer.graphs()[i], its, is_named));
  }
  return facts;
}

void AddCriticalPath(const Replayer& replayer, std::span<const PathFacts> paths,
                     catalog::Output& out) {
  if (!replayer.can_replay()) return SetPathAbsent(replayer.why_not(), out);
  std::vector<std::int64_t> ranks;
  for (const PathGraph& graph : replayer.graphs()) ranks.push_back(graph.rank().rank);
  const auto transfer_of = [&](std::size_t rank, const PathCollective& collective) -> Ns {
    const std::span<const Ns> transfers = replayer.transfers(rank);
    return transfers.empty() ? -1 : transfers[collective.event];
  };
  AddPath(ranks, paths, replayer.knows_waiting(), transfer_of, out);
  if (out.Wants("slack")) AddSlack(ranks, paths, out);
}

}  // namespace profgauge::analysis::simulation
