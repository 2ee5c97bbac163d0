// The rows that conditions of scenarios look at: analysis/path/replayer.h.
#include <algorithm>
#include <array>
#include <string>

#include "analysis/device/launches.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/path/module_of.h"
#include "analysis/path/replayer.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/texts.h"

namespace profgauge {
namespace {

using enum Unit;

constexpr ColumnSpec kRank = {"rank", "Rank", kCount, "Rank that was recorded."};
constexpr ColumnSpec kName = {"name", "Name", kText, "As recorded."};
constexpr ColumnSpec kModule = {"module", "Module", kText,
                                "The innermost nn.Module around it, where recorded."};
constexpr ColumnSpec kThread = {"thread", "Thread", kText, "Its name, else its number."};
constexpr ColumnSpec kIteration = {"iteration", "Iteration", kCount,
                                   "Position of the iteration in which it starts."};
constexpr ColumnSpec kTimeOf = {"time", "Time", kTime, "Its length."};

constexpr ColumnSpec kHostOps[] = {kRank,   kName,   {"type", "Type", kText, "Kind of operator."},
                                   kModule, kThread, kIteration,
                                   kTimeOf};
constexpr ColumnSpec kApiCalls[] = {
    kRank,
    kName,
    {"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
    {"op", "Operator", kText, "Innermost range around it."},
    kModule,
    kThread,
    kIteration,
    kTimeOf};

std::span<const ColumnSpec> LaunchColumns() {
  static const std::vector<ColumnSpec> kColumns = [] {
    const TableSpec* launches = FindTable("launches");
    std::vector<ColumnSpec> columns(launches->columns.begin(), launches->columns.end());
    columns.push_back({"tensor_core_eligible", "Eligible", kBool,
                       "Whether its operator could use {{ device.matrix_units }}."});
    columns.push_back(
        {"is_collective", "Collective", kBool, "Whether it moves data between ranks."});
    columns.push_back(kModule);
    return columns;
  }();
  return kColumns;
}

std::string_view KindName(ApiKind kind) {
  constexpr std::string_view kNames[] = {"launch", "memcpy", "memset", "sync", "memory", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string ThreadName(const Profile& profile, ThreadId id) {
  if (!id.valid()) return {};
  const Thread& thread = profile.threads[id.value];
  return thread.name.empty() ? std::to_string(thread.tid) : thread.name;
}

// What rows of one rank have in common. Texts are those of the table's pool.
class RankRows {
 public:
  RankRows(const RankContext& rank, StringPool& pool)
      : rank_(rank),
        profile_(*rank.profile),
        pool_(pool),
        texts_(profile_, pool),
        types_(profile_.strings.size()),
        modules_(ModulesOfHost(profile_)) {
    for (std::uint32_t i = 0; i < profile_.threads.size(); ++i) {
      threads_.push_back(Interned(ThreadName(profile_, ThreadId{i})));
    }
    for (const ApiKind kind : {ApiKind::kLaunch, ApiKind::kMemcpy, ApiKind::kMemset, ApiKind::kSync,
                               ApiKind::kMemory, ApiKind::kOther}) {
      kinds_[static_cast<std::size_t>(kind)] = pool.Intern(KindName(kind));
    }
  }

  StringId Module(HostId range) {
    return range.valid() && !modules_.empty() ? Text(modules_[range.value]) : StringId{};
  }
  void HostOp(RowWriter& row, std::uint32_t at) {
    const HostTable& host = profile_.host;
    row.Integer(rank_.rank).Text(Text(host.name[at])).Text(Type(host.name[at]));
    Common(row, HostId{at}, host.thread[at], host.start[at], host.duration[at]);
  }
  void ApiCall(RowWriter& row, std::uint32_t at) {
    const ApiTable& api = profile_.api;
    const HostId op = api.op[at];
    row.Integer(rank_.rank).Text(Text(api.name[at]));
    row.Text(kinds_[static_cast<std::size_t>(api.kind[at])]);
    row.Text(op.valid() ? Text(profile_.host.name[op.value]) : StringId{});
    Common(row, op, api.thread[at], api.start[at], api.duration[at]);
  }

 private:
  StringId Interned(std::string_view text) {
    return text.empty() ? StringId{} : pool_.Intern(text);
  }
  StringId Text(StringId id) {
    return id.valid() && !profile_.Name(id).empty() ? texts_(id) : StringId{};
  }
  StringId Type(StringId name) {
    if (!name.valid() || profile_.Name(name).empty()) return {};
    StringId& known = types_[name.value];
    if (!known.valid()) known = Interned(OpType(profile_.Name(name)));
    return known;
  }
  void Common(RowWriter& row, HostId range, ThreadId thread, Ns start, Ns time) {
    row.Text(Module(range)).Text(thread.valid() ? threads_[thread.value] : StringId{});
    const std::uint32_t iteration = rank_.iterations.AtHostTime(start);
    row.Known(iteration == Iterations::kNone ? -1 : static_cast<std::int64_t>(iteration));
    row.Integer(std::max<Ns>(time, 0));
  }

  const RankContext& rank_;
  const Profile& profile_;
  StringPool& pool_;
  Texts texts_;
  std::vector<StringId> types_;  // By name of the profile.
  std::vector<StringId> modules_;
  std::vector<StringId> threads_;
  std::array<StringId, 6> kinds_;
};

bool IsHostOp(const Profile& profile, std::uint32_t row) {
  const HostKind kind = profile.host.kind[row];
  return kind != HostKind::kIterationMarker && kind != HostKind::kOverhead;
}

Replayer::Rows HostRows(const Replayer& replayer, PathTable table) {
  Replayer::Rows rows{
      Table(ScenarioRowName(table), ScenarioRowName(table), "", std::make_shared<StringPool>()),
      {}};
  for (const ColumnSpec& column : ScenarioColumns(table)) rows.table.AddColumn(column);
  RowWriter writer(rows.table);
  for (std::size_t i = 0; i < replayer.graphs().size(); ++i) {
    const PathGraph& graph = replayer.graphs()[i];
    RankRows rank(graph.rank(), rows.table.strings());
    for (PathGraph::StepId step = 0; step < graph.size(); ++step) {
      const PathOwner owner = graph.OwnerOf(step);
      if (owner.table != table || owner.is_end) continue;
      if (table == PathTable::kApi) {
        rank.ApiCall(writer, owner.row);
      } else if (IsHostOp(*graph.rank().profile, owner.row)) {
        rank.HostOp(writer, owner.row);
      } else {
        continue;
      }
      rows.events.push_back({static_cast<std::uint32_t>(i), owner.row});
    }
  }
  return rows;
}

Replayer::Rows LaunchRows(const Replayer& replayer) {
  Output out;
  AddLaunches(replayer.ranks(), out);
  Analysis analysis;
  out.MoveTo(analysis);
  Table& launches = analysis.tables[static_cast<std::size_t>(analysis.FindTable("launches") -
                                                             analysis.tables.data())];
  Replayer::Rows rows{std::move(launches), {}};
  const auto columns = LaunchColumns();
  if (rows.table.columns().empty()) {  // Nothing was launched.
    for (const ColumnSpec& column : columns) rows.table.AddColumn(column);
    return rows;
  }
  Column* added[3];
  for (std::size_t i = 0; i < 3; ++i) {
    added[i] = &rows.table.AddColumn(columns[columns.size() - 3 + i]);
  }
  for (std::size_t i = 0; i < replayer.ranks().size(); ++i) {
    const RankContext& rank = replayer.ranks()[i];
    const Profile& profile = *rank.profile;
    const std::vector<Tri> eligible = EligibleKernels(profile, rank.classes);
    RankRows names(rank, rows.table.strings());
    for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
      if (!profile.device.launch[row].valid() || !rank.InTables(DeviceId{row})) continue;
      rows.events.push_back({static_cast<std::uint32_t>(i), row});
      if (eligible[row] == Tri::kUnknown) {
        added[0]->AddAbsent();
      } else {
        added[0]->AddInteger(eligible[row] == Tri::kYes ? 1 : 0);
      }
      added[1]->AddInteger(rank.classes[row].collective ? 1 : 0);
      added[2]->AddText(names.Module(profile.device.op[row]));
    }
  }
  return rows;
}

}  // namespace

std::string_view ScenarioRowName(PathTable table) {
  constexpr std::string_view kNames[] = {"host_op", "api_call", "launch"};
  return kNames[static_cast<std::size_t>(table)];
}

std::span<const ColumnSpec> ScenarioColumns(PathTable table) {
  switch (table) {
    case PathTable::kHost:
      return kHostOps;
    case PathTable::kApi:
      return kApiCalls;
    case PathTable::kDevice:
      break;
  }
  return LaunchColumns();
}

Replayer::Rows Replayer::MakeRows(PathTable table) const {
  return table == PathTable::kDevice ? LaunchRows(*this) : HostRows(*this, table);
}

}  // namespace profgauge
