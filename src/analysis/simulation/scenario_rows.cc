// The rows that conditions of scenarios select: analysis/simulation/replayer.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/device/launches.h"
#include "analysis/simulation/rank_rows.h"
#include "analysis/simulation/replayer.h"

namespace profgauge::analysis::simulation {
namespace {

using enum Unit;

// A column with its own function, because conditions use only few columns.
struct OwnColumn {
  ColumnSpec spec;
  void (*append)(RankRows& of, std::uint32_t row, Column& to);
};

constexpr ColumnSpec kRank = {"rank", "Rank", kCount, "Rank that was recorded."};
constexpr ColumnSpec kName = {"name", "Name", kText, "As recorded."};
constexpr ColumnSpec kModule = {"module", "Module", kText,
                                "The innermost nn.Module around it, where recorded."};
constexpr ColumnSpec kThread = {"thread", "Thread", kText, "Its name, else its number."};
constexpr ColumnSpec kIteration = {"iteration", "Iteration", kCount,
                                   "Position of the iteration in which it starts."};
constexpr ColumnSpec kInLoader = {"in_loader", "In data loader", kBool,
                                  "Whether it runs in a data loader."};
constexpr ColumnSpec kTimeOf = {"time", "Time", kTime, "Its length."};

void AppendRank(RankRows& of, std::uint32_t, Column& to) { to.AddInteger(of.rank.rank); }

constexpr OwnColumn kHostOps[] = {
    {kRank, AppendRank},
    {kName,
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddText(of.NameOf(HostId{row})); }},
    {{"type", "Type", kText, "Kind of operator."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.Type(of.profile.host.name[row]));
     }},
    {kModule,
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddText(of.Module(HostId{row})); }},
    {kThread, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddText(of.ThreadText(of.profile.host.thread[row])); }},
    {kIteration, [](RankRows& of, std::uint32_t row,
                    Column& to) { to.AddInteger(of.IterationAt(of.profile.host.start[row])); }},
    {kTimeOf, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddInteger(std::max<Ns>(of.profile.host.duration[row], 0)); }},
    {kInLoader, [](RankRows& of, std::uint32_t row,
                   Column& to) { to.AddInteger(of.IsInDataLoader(HostId{row}) ? 1 : 0); }},
    {{"launches", "Launches", kBool, "Whether it starts device work, itself or in a range inside."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.Launches(HostId{row}) ? 1 : 0);
     }},
    {{"recomputed", "Recomputed", kBool, "Whether backward runs this operator of forward again."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.IsRecomputed(HostId{row}) ? 1 : 0);
     }},
};

constexpr OwnColumn kApiCalls[] = {
    {kRank, AppendRank},
    {kName, [](RankRows& of, std::uint32_t row,
               Column& to) { to.AddText(of.Text(of.profile.api.name[row])); }},
    {{"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.Kind(of.profile.api.kind[row]));
     }},
    {{"op", "Operator", kText, "Innermost range around it."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.NameOf(of.profile.api.op[row]));
     }},
    {kModule, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddText(of.Module(of.profile.api.op[row])); }},
    {kThread, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddText(of.ThreadText(of.profile.api.thread[row])); }},
    {kIteration, [](RankRows& of, std::uint32_t row,
                    Column& to) { to.AddInteger(of.IterationAt(of.profile.api.start[row])); }},
    {kTimeOf, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddInteger(std::max<Ns>(of.profile.api.duration[row], 0)); }},
    {kInLoader,
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.IsInDataLoader(of.profile.api.op[row]) ? 1 : 0);
     }},
    {{"awaits_collective", "Awaits a collective", kBool,
      "Whether it waits for a transfer between ranks."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.AwaitsCollective(row) ? 1 : 0);
     }},
};

constexpr OwnColumn kHostGaps[] = {
    {kRank, AppendRank},
    {{"time", "Time", kTime, "Its length."},
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddInteger(of.Gap(row).time.length()); }},
    {{"cause", "Cause", kText, "The same as the column of `gaps`."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.Interned(of.Gap(row).cause));
     }},
    {{"doing", "Host does", kText, "The same as the column of `gaps`."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.Interned(of.Gap(row).doing));
     }},
    {{"category", "Host work", kText, "The same as the column of `gaps`."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddText(of.Interned(of.Gap(row).category));
     }},
    {{"leads", "Leads", kBool,
      "Whether the host runs the movable code that most idle time waits for."},
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddInteger(of.Gap(row).leads ? 1 : 0); }},
    {kIteration, [](RankRows& of, std::uint32_t row,
                    Column& to) { to.AddInteger(of.IterationAt(of.Gap(row).time.start)); }},
};

// These columns follow those of the table launches.
constexpr OwnColumn kMoreOfLaunches[] = {
    {{"tensor_core_eligible", "Eligible", kBool,
      "Whether its operator could use {{ device.matrix_units }}."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       const classify::Tri eligible = of.IsEligible(row);
       if (eligible == classify::Tri::kUnknown) return to.AddAbsent();
       to.AddInteger(eligible == classify::Tri::kYes ? 1 : 0);
     }},
    {{"is_collective", "Collective", kBool, "Whether it moves data between ranks."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.rank.classes[row].collective ? 1 : 0);
     }},
    {{"rank_straggles", "Rank straggles", kBool, "Whether the others wait for its rank."},
     [](RankRows& of, std::uint32_t, Column& to) { to.AddInteger(of.Straggles() ? 1 : 0); }},
    {kModule, [](RankRows& of, std::uint32_t row,
                 Column& to) { to.AddText(of.Module(of.profile.device.op[row])); }},
    {{"before", "Before it", kText, "Name of the work before it on its stream."},
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddText(of.NeighborOf(row, -1)); }},
    {{"behind", "After it", kText, "Name of the work after it on its stream."},
     [](RankRows& of, std::uint32_t row, Column& to) { to.AddText(of.NeighborOf(row, 1)); }},
    {{"recomputed", "Recomputed", kBool,
      "Whether an operator of forward launched it that backward runs again."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       to.AddInteger(of.IsRecomputed(of.profile.device.op[row]) ? 1 : 0);
     }},
    {{"op_shapes", "Input shapes", kText, "Input shapes of its operator, if recorded."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       const HostId op = of.profile.device.op[row];
       to.AddText(op.valid() ? of.Text(of.profile.host.input_shapes[op.value]) : StringId{});
     }},
    {{"op_kind", "Kind of operator", kText, "Column `kind` of its operator in `roofline`."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       const LaunchTargets::Op* op = of.TargetOf(row);
       to.AddText(op == nullptr ? StringId{} : of.Interned(op->kind));
     }},
    {{"trait", "Trait", kText, "Column `trait` of its operator in `roofline`."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       const LaunchTargets::Op* op = of.TargetOf(row);
       to.AddText(op == nullptr ? StringId{} : of.Interned(op->trait));
     }},
    {{"roof_share", "% of roofline", kShare,
      "Share of the roof that its operator reaches, at most 100 %."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       const LaunchTargets::Op* op = of.TargetOf(row);
       if (op == nullptr || op->roof < 0) return to.AddAbsent();
       to.AddReal(op->roof);
     }},
    {{"target", "Target", kTime, "Time that it should take: its part of its operator's target."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       of.AppendPart(row, &LaunchTargets::Op::target, to);
     }},
    {{"matrix_target", "Target on {{ device.matrix_units }}", kTime,
      "The same on {{ device.matrix_units }}, for matmuls that use none."},
     [](RankRows& of, std::uint32_t row, Column& to) {
       of.AppendPart(row, &LaunchTargets::Op::matrix_target, to);
     }},
};

// The columns in addition to those of the table launches.
std::span<const OwnColumn> OwnColumns(PathTable table) {
  if (table == PathTable::kDevice) return kMoreOfLaunches;
  if (table == PathTable::kGap) return kHostGaps;
  return table == PathTable::kHost ? std::span<const OwnColumn>(kHostOps) : kApiCalls;
}

std::vector<ColumnSpec> AllColumns(PathTable table) {
  std::vector<ColumnSpec> columns;
  if (table == PathTable::kDevice) {
    const TableSpec* launches = FindTable("launches");
    columns.assign(launches->columns.begin(), launches->columns.end());
  }
  for (const OwnColumn& column : OwnColumns(table)) columns.push_back(column.spec);
  return columns;
}

bool IsHostOp(const Profile& profile, std::uint32_t row) {
  const HostKind kind = profile.host.kind[row];
  return kind != HostKind::kIterationMarker && kind != HostKind::kOverhead;
}

// Adds the events of the rank at `position` in the run.
// Steps of threads are in table order, so rows ascend.
void AddHostEvents(const PathGraph& graph, std::uint32_t position, PathTable table,
                   ScenarioRows& events) {
  const Profile& profile = *graph.rank().profile;
  for (PathGraph::StepId step = graph.device_steps(); step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    if (owner.table != table || owner.is_end) continue;
    if (table == PathTable::kHost && !IsHostOp(profile, owner.row)) continue;
    events.push_back({position, owner.row});
  }
}

// Adds device work with a recorded launch that the tables include.
void AddLaunchEvents(const iterations::RankContext& rank, std::uint32_t position,
                     ScenarioRows& events) {
  const DeviceTable& device = rank.profile->device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.InTables(DeviceId{row})) continue;
    events.push_back({position, row});
  }
}

using Ranges = std::span<const ScenarioRows::Range>;

// The leading ranges of one rank.
Ranges OfOneRank(Ranges ranges) {
  const auto end = std::find_if(ranges.begin(), ranges.end(), [&](const auto& range) {
    return range.rank != ranges.front().rank;
  });
  return ranges.first(static_cast<std::size_t>(end - ranges.begin()));
}

// Appends cells of the rank's rows `events` to columns of the table launches. Queue lengths depend
// on all earlier launches, so with that column all rows of the rank are made together; otherwise in
// batches with bounded memory.
void AppendLaunchCells(const iterations::RankContext& rank, Ranges events,
                       std::span<Column* const> columns, StringPool& strings) {
  const bool with_queue = std::any_of(columns.begin(), columns.end(), [](const Column* column) {
    return column->id() == "queue_length";
  });
  if (with_queue) return device::AppendLaunches(rank, device::LaunchRowsOf(rank), columns, strings);
  constexpr std::size_t kAtOnce = 1 << 18;
  std::vector<device::LaunchRow> rows;
  const auto append = [&] {
    device::AppendLaunches(rank, rows, columns, strings);
    rows.clear();
  };
  for (const ScenarioRows::Range& range : events) {
    for (std::uint32_t row = range.begin; row < range.end; ++row) {
      rows.push_back({row, 0});
      if (rows.size() == kAtOnce) append();
    }
  }
  append();
}

}  // namespace

std::string_view ScenarioRowName(PathTable table) {
  constexpr std::string_view kNames[] = {"host_op", "api_call", "launch", "host_gap"};
  return kNames[static_cast<std::size_t>(table)];
}

std::span<const ColumnSpec> ScenarioColumns(PathTable table) {
  static const std::vector<ColumnSpec> kColumns[] = {
      AllColumns(PathTable::kHost), AllColumns(PathTable::kApi), AllColumns(PathTable::kDevice),
      AllColumns(PathTable::kGap)};
  return kColumns[static_cast<std::size_t>(table)];
}

Replayer::Rows Replayer::MakeRows(PathTable table) const {
  const std::string_view name = ScenarioRowName(table);
  Rows rows{table, Table(name, name, "", std::make_shared<StringPool>()), {}};
  for (const ColumnSpec& column : ScenarioColumns(table)) rows.cells.AddColumn(column);
  for (std::uint32_t i = 0; table == PathTable::kGap && i < gaps_.size(); ++i) {
    rows.events.push_back({gaps_[i].rank, i});
  }
  for (std::uint32_t i = 0; table != PathTable::kGap && i < graphs_.size(); ++i) {
    if (table == PathTable::kDevice) {
      AddLaunchEvents(ranks()[i], i, rows.events);
    } else {
      AddHostEvents(graphs_[i], i, table, rows.events);
    }
  }
  return rows;
}

// Fills rank by rank, since the cells of one rank share caches. Columns of the table launches are
// filled together in one pass.
void Replayer::FillColumns(std::span<const std::uint32_t> columns, Rows& rows) const {
  const std::span<const OwnColumn> own = OwnColumns(rows.table);
  const std::size_t of_launches = rows.cells.columns().size() - own.size();
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t column : columns) {
    if (rows.cells.columns()[column].size() == 0) missing.push_back(column);
  }
  Ranges left = rows.events.ranges();
  while (!missing.empty() && !left.empty()) {
    const std::uint32_t rank = left.front().rank;
    const Ranges events = OfOneRank(left);
    left = left.subspan(events.size());
    RankRows cells(*this, rank, rows.cells.strings());
    std::vector<Column*> launches;
    for (const std::uint32_t index : missing) {
      Column& column = rows.cells.columns()[index];
      column.Reserve(rows.events.size());
      if (index < of_launches) {
        launches.push_back(&column);
        continue;
      }
      const auto append = own[index - of_launches].append;
      for (const ScenarioRows::Range& range : events) {
        for (std::uint32_t row = range.begin; row < range.end; ++row) append(cells, row, column);
      }
    }
    if (!launches.empty()) {
      AppendLaunchCells(ranks()[rank], events, launches, rows.cells.strings());
    }
  }
}

}  // namespace profgauge::analysis::simulation
