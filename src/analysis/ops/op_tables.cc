#include "analysis/ops/op_tables.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/classify/name_memo.h"
#include "analysis/context/op_gpu_use.h"
#include "analysis/tables/op_columns.h"
#include "analysis/tables/row_writer.h"
#include "analysis/work/recomputation.h"
#include "base/whole_number.h"

namespace profgauge {
namespace {

// A text that all calls of a row share, or nothing.
struct Common {
  StringId text;
  bool seen = false;
  bool mixed = false;
  void Add(StringId other) {
    if (!seen) {
      text = other;
      seen = true;
    } else if (other != text) {
      mixed = true;
    }
  }
  void Add(const Common& others) {
    if (!others.seen) return;
    Add(others.text);
    mixed = mixed || others.mixed;
  }
  StringId get() const { return mixed ? StringId{} : text; }
};

struct OpRow {
  StringId name;    // Among the output's texts, like all here.
  StringId second;  // Shapes or call stack, when the table has one.
  OpSums sums;
  Common dtypes, call_stack;
  std::uint8_t directions = 0;  // Bit per OpDirection.
  std::int64_t operators = 0;   // Only in op_types.
};

// Rows of one rank that are kept without its profile: as many as fit a few tens of kilobytes.
constexpr std::size_t kMostShapes = 1'500;

enum class Grouping : std::uint8_t { kName, kShapes, kStack };

// One rank's texts in terms of the output's, translated once each.
class Translation {
 public:
  Translation(const Profile& profile, StringPool& strings)
      : profile_(profile), strings_(strings), known_(profile.strings.size()) {}
  StringId operator()(StringId id) {
    if (!id.valid()) return id;
    StringId& out = known_[id.value];
    if (!out.valid()) out = strings_.Intern(profile_.strings[id]);
    return out;
  }

 private:
  const Profile& profile_;
  StringPool& strings_;
  std::vector<StringId> known_;
};

// The rows of `profile.host` that are operators of tables.
std::vector<std::uint32_t> OperatorRows(const RankContext& rank) {
  const HostTable& host = rank.profile->host;
  NameMemo is_range(*rank.profile, IsFrameworkRange);
  std::vector<std::uint32_t> rows;
  rows.reserve(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kOp || !rank.tree.IsOp(row) || !host.name[row].valid())
      continue;
    if (rank.InTables(HostId{row}) && !is_range(host.name[row])) rows.push_back(row);
  }
  return rows;
}

// The part of a call outside the selected iterations.
struct Outside {
  Ns device = 0, host = 0;
  bool is_all = false;
};

// A call belongs to the iteration in which it starts. Where nothing marks any, the one there is
// ends with its window: a call may reach into it, and all device work is of it.
Outside OutsideOf(const RankContext& rank, std::uint32_t row, IterationCursor& iterations) {
  const HostTable& host = rank.profile->host;
  const Ns length = std::max<Ns>(host.duration[row], 0);
  if (!rank.iterations.is_whole || !rank.profile->has_timeline) {
    const bool counts = iterations.CountsHostTime(host.start[row]);
    return counts ? Outside{} : Outside{rank.tree.device_self[row], length, true};
  }
  const Ns start = host.start[row], end = start + length;
  const Span window = rank.window();
  const Ns inside = std::max<Ns>(0, std::min(end, window.end) - std::max(start, window.start));
  return {0, length - inside, end < window.start || start > window.end};
}

OpSums SumsOf(const RankContext& rank, const GpuUseOfOp& use, std::uint32_t row,
              const Outside& outside) {
  const OpTree& tree = rank.tree;
  const Ns host_total = std::max<Ns>(rank.profile->host.duration[row], 0);
  const OpWork* work = rank.works.Find(row);
  return {1,
          tree.kernels_self[row],
          tree.host_self[row],
          host_total,
          tree.device_self[row],
          tree.device_total[row],
          tree.kernel_self[row],
          tree.kernel_total[row],
          tree.tensor_core_self[row],
          tree.tensor_core_total[row],
          tree.eligible[row] != 0,
          tree.undecided[row] != 0,
          use.busy,
          use.idle,
          {host_total, host_total},
          {tree.host_self[row], tree.host_self[row]},
          {tree.device_self[row], tree.device_self[row]},
          {use.idle, use.idle},
          work == nullptr ? -1 : work->flops,
          work == nullptr ? -1 : work->bytes,
          work == nullptr ? 0 : tree.kernel_total[row],
          outside.device,
          outside.host,
          outside.is_all ? 1 : 0};
}

void AddRecomputed(const RankContext& rank, std::uint32_t row, OpSums& sums) {
  sums.recomputed_calls = 1;
  sums.recomputed_time = rank.tree.kernel_total[row];
}

using Groups = boost::unordered_flat_map<std::uint64_t, std::uint32_t>;

// The row of a name and second text; a new one where there is none.
OpRow& RowOf(StringId name, StringId second, Groups& places, std::vector<OpRow>& rows) {
  const std::uint64_t key = std::uint64_t{name.value} << 32 | second.value;
  const auto [place, is_new] = places.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
  if (is_new) rows.push_back({name, second, {}, {}, {}, 0, 0});
  return rows[place->second];
}

// The operators of one rank.
struct RankOps {
  explicit RankOps(const RankContext& of)
      : rank(of),
        rows(OperatorRows(of)),
        gpu_use(rows.empty() ? OpGpuUse{} : FindOpGpuUse(of)),
        knows_recomputed(!rows.empty() && HasBackward(*of.profile)) {
    if (knows_recomputed) {
      recomputed = OutermostOf(FindRecomputed(*of.profile), of.profile->host);
    }
  }
  bool IsRecomputed(std::uint32_t row) const { return knows_recomputed && recomputed[row]; }

  const RankContext& rank;
  std::vector<std::uint32_t> rows;  // In the host table.
  OpGpuUse gpu_use;
  bool knows_recomputed;
  std::vector<bool> recomputed = {};  // By row of the host table.
};

// The texts that distinguish rows of the host table beside their names; null: only
// names.
const OptionalColumn<StringId>* SecondOf(const HostTable& host, Grouping grouping) {
  switch (grouping) {
    case Grouping::kShapes:
      return &host.input_shapes;
    case Grouping::kStack:
      return &host.call_stack;
    case Grouping::kName:
      break;
  }
  return nullptr;
}

// Rows of one table, in the making.
struct GroupedOps {
  const OptionalColumn<StringId>* seconds = nullptr;
  std::vector<OpRow> rows;
  Groups places;
};

// The operators by each of these together: a call adds the same to all.
std::vector<std::vector<OpRow>> Group(const RankOps& ops, std::span<const Grouping> by,
                                      StringPool& strings) {
  const RankContext& rank = ops.rank;
  const HostTable& host = rank.profile->host;
  std::vector<GroupedOps> tables(by.size());
  for (std::size_t i = 0; i < by.size(); ++i) tables[i].seconds = SecondOf(host, by[i]);
  Translation translate(*rank.profile, strings);
  IterationCursor iterations(rank.iterations);
  for (const std::uint32_t row : ops.rows) {
    const Outside outside = OutsideOf(rank, row, iterations);
    OpSums sums = SumsOf(rank, ops.gpu_use.Of(row), row, outside);
    if (!outside.is_all && ops.IsRecomputed(row)) AddRecomputed(rank, row, sums);
    const StringId name = translate(host.name[row]), dtypes = translate(host.input_dtypes[row]),
                   stack = translate(host.call_stack[row]);
    const auto direction =
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(rank.tree.direction[row]));
    for (auto& [seconds, rows, places] : tables) {
      const StringId second = seconds == nullptr ? StringId{} : translate((*seconds)[row]);
      OpRow& group = RowOf(name, second, places, rows);
      group.sums.Add(sums);
      group.dtypes.Add(dtypes);
      group.call_stack.Add(stack);
      group.directions |= direction;
    }
  }
  std::vector<std::vector<OpRow>> found;
  for (GroupedOps& table : tables) found.push_back(std::move(table.rows));
  return found;
}

// The operators of several ranks: each rank's sums first, so that they are the same where only
// those are known.
struct Pooled {
  std::vector<OpRow> rows;
  Groups places;

  void Add(const std::vector<OpRow>& more) {
    for (const OpRow& row : more) {
      OpRow& group = RowOf(row.name, row.second, places, rows);
      group.sums.Add(row.sums);
      group.dtypes.Add(row.dtypes);
      group.call_stack.Add(row.call_stack);
      group.directions = static_cast<std::uint8_t>(group.directions | row.directions);
    }
  }
};

// Most device time first, then most host time; names decide the rest, so that the order is the same
// on every run.
void SortRows(std::vector<OpRow>& rows, const StringPool& strings) {
  const auto text = [&](StringId id) { return id.valid() ? strings[id] : std::string_view{}; };
  std::sort(rows.begin(), rows.end(), [&](const OpRow& a, const OpRow& b) {
    if (a.sums.device_self != b.sums.device_self) return a.sums.device_self > b.sums.device_self;
    if (a.sums.host_self != b.sums.host_self) return a.sums.host_self > b.sums.host_self;
    return std::make_pair(text(a.name), text(a.second)) <
           std::make_pair(text(b.name), text(b.second));
  });
}

std::string_view DirectionText(std::uint8_t directions) {
  switch (directions) {
    case 1U << static_cast<unsigned>(OpDirection::kForward):
      return "forward";
    case 1U << static_cast<unsigned>(OpDirection::kBackward):
      return "backward";
    case 1U << static_cast<unsigned>(OpDirection::kOptimizer):
      return "optimizer";
    default:
      return "mixed";
  }
}

bool NeedsDevice(std::string_view id) {
  return id.starts_with("device_") || id.starts_with("gpu_") || id == "kernels" ||
         id == "outside" || id == "recomputed_time" || id == "uses_tensor_core" ||
         id.starts_with("tensor_core_self") || id.starts_with("tensor_core_total");
}

// Columns that need device events are absent without them, not zero.
void MarkWithoutDevice(bool has_device, const Output& out, Table& table) {
  if (has_device) return;
  for (Column& column : table.columns()) {
    if (NeedsDevice(column.id())) column.MarkAbsent(out.Gap(Capability::kDeviceEvents));
  }
}

std::string_view UsesText(const OpSums& sums, Ns kernel_time, Ns tensor_core_time) {
  if (tensor_core_time > 0) return "yes";
  if (sums.undecided) return "unknown";
  return kernel_time > 0 ? "no" : "";
}

// FLOPs, bytes and achieved rates, where known from shapes.
template <class Writer>
void AppendWork(const OpSums& sums, Writer& write) {
  const bool known = sums.flops >= 0;
  const double seconds = static_cast<double>(sums.known_time) / 1e9;
  const bool has_bytes = sums.bytes >= 0 && sums.bytes < kLargestWhole;
  write.Real("flops"_col, known ? std::optional(sums.flops) : std::nullopt)
      .IntegerIf("bytes"_col, has_bytes, has_bytes ? std::llround(sums.bytes) : 0)
      .Real("achieved"_col,
            known && seconds > 0 ? std::optional(sums.flops / seconds) : std::nullopt);
}

template <const auto& kColumns>
void FillOps(const std::vector<OpRow>& rows, Grouping grouping, bool has_device, const Output& out,
             Table& table) {
  MarkWithoutDevice(has_device, out, table);
  const bool any_work =
      std::any_of(rows.begin(), rows.end(), [](const OpRow& row) { return row.sums.flops >= 0; });
  for (const char* id : {"flops", "bytes", "achieved"}) {
    if (!any_work) table.Find(id)->MarkAbsent(out.Gap(Capability::kShapes));
  }
  StringPool& strings = table.strings();
  RowWriter<kColumns> write(table);
  for (const OpRow& row : rows) {
    const OpSums& sums = row.sums;
    write.Text("name"_col, row.name);
    if constexpr (NamesColumn<Col<"input_shapes">, kColumns>) {
      write.Text("input_shapes"_col, row.second);
    }
    write.Text("type"_col, strings.Intern(OpType(strings[row.name])))
        .Text("direction"_col, DirectionText(row.directions))
        .Text("dtypes"_col, row.dtypes.get())
        .Integer("calls"_col, sums.calls)
        .Integer("host_self"_col, sums.host_self)
        .Integer("host_total"_col, sums.host_total)
        .IntegerIf("device_self"_col, has_device, sums.device_self)
        .IntegerIf("device_total"_col, has_device, sums.device_total)
        .IntegerIf("kernels"_col, has_device, sums.kernels)
        .Bool("tensor_core_eligible"_col, sums.eligible)
        .Text("uses_tensor_core"_col, UsesText(sums, sums.kernel_total, sums.tensor_core_total))
        .Share("tensor_core_self"_col, sums.tensor_core_self, sums.kernel_self)
        .Share("tensor_core_total"_col, sums.tensor_core_total, sums.kernel_total);
    AppendWork(sums, write);
    write.IntegerIf("outside"_col, has_device, sums.outside)
        .Integer("outside_host"_col, sums.outside_host)
        .Integer("outside_calls"_col, sums.outside_calls)
        .Text("call_stack"_col, grouping == Grouping::kStack ? row.second : row.call_stack.get());
    if constexpr (NamesColumn<Col<"recomputed_time">, kColumns>) {
      write.Integer("recomputed_calls"_col, sums.recomputed_calls)
          .IntegerIf("recomputed_time"_col, has_device, sums.recomputed_time);
    }
  }
}

// Without a timeline operators have no separate times, only their kernels.
void DropHostTimes(bool has_timeline, Table& table) {
  if (has_timeline) return;
  for (Column& column : table.columns()) {
    const std::string_view id = column.id();
    if (!id.starts_with("host_") && !id.starts_with("gpu_idle") && id != "outside_host") continue;
    for (std::size_t row = 0; row < column.size(); ++row) {
      column.SetInteger(row, Column::kAbsentInteger);
    }
    column.MarkAbsent("needs the times of events, which this format does not have");
  }
}

// Without backward nodes nothing would show it.
void DropRecomputed(Table& table) {
  for (const char* id : {"recomputed_calls", "recomputed_time"}) {
    Column& column = *table.Find(id);
    for (std::size_t row = 0; row < column.size(); ++row) {
      column.SetInteger(row, Column::kAbsentInteger);
    }
    column.MarkAbsent("needs backward nodes of operators, which this profile does not have");
  }
}

std::vector<OpRow> GroupTypes(const std::vector<OpRow>& ops, StringPool& strings) {
  std::vector<OpRow> types;
  boost::unordered_flat_map<std::uint32_t, std::size_t> places;
  for (const OpRow& op : ops) {
    const StringId type = strings.Intern(OpType(strings[op.name]));
    const auto [place, is_new] = places.try_emplace(type.value, types.size());
    if (is_new) types.push_back({type, {}, {}, {}, {}, 0, 0});
    types[place->second].sums.Add(op.sums);
    ++types[place->second].operators;
  }
  return types;
}

void FillTypes(const std::vector<OpRow>& rows, bool has_device, const Output& out, Table& table) {
  MarkWithoutDevice(has_device, out, table);
  RowWriter<columns::kOpTypes> write(table);
  for (const OpRow& row : rows) {
    const OpSums& sums = row.sums;
    // Mean, least and most of the calls.
    const auto append_spread = [&write, calls = std::max<std::int64_t>(sums.calls, 1)](
                                   auto mean, auto least, auto most, bool is_known, Ns sum,
                                   const OpRange& range) {
      write.IntegerIf(mean, is_known, sum / calls);
      write.IntegerIf(least, is_known, range.least).IntegerIf(most, is_known, range.most);
    };
    write.Text("name"_col, row.name)
        .Integer("operators"_col, row.operators)
        .Integer("calls"_col, sums.calls)
        .Integer("host_self"_col, sums.host_self)
        .IntegerIf("device_self"_col, has_device, sums.device_self)
        .IntegerIf("kernels"_col, has_device, sums.kernels)
        .Bool("tensor_core_eligible"_col, sums.eligible)
        .Text("uses_tensor_core"_col, UsesText(sums, sums.kernel_self, sums.tensor_core_self))
        .Share("tensor_core_self"_col, sums.tensor_core_self, sums.kernel_self)
        .Integer("host_total"_col, sums.host_total);
    append_spread("host_mean"_col, "host_min"_col, "host_max"_col, true, sums.host_total,
                  sums.host_range);
    append_spread("host_self_mean"_col, "host_self_min"_col, "host_self_max"_col, true,
                  sums.host_self, sums.host_self_range);
    append_spread("device_mean"_col, "device_min"_col, "device_max"_col, has_device,
                  sums.device_self, sums.device_range);
    write.IntegerIf("gpu_busy"_col, has_device, sums.gpu_busy)
        .IntegerIf("gpu_idle"_col, has_device, sums.gpu_idle);
    append_spread("gpu_idle_mean"_col, "gpu_idle_min"_col, "gpu_idle_max"_col, has_device,
                  sums.gpu_idle, sums.gpu_idle_range);
    write.IntegerIf("outside"_col, has_device, sums.outside);
  }
}

struct RunOps {
  bool has_ops = false, has_device = false, has_timeline = true, knows_recomputed = false;
};

bool HasSecond(std::span<const RankContext> ranks, Grouping grouping) {
  return std::any_of(ranks.begin(), ranks.end(), [grouping](const RankContext& rank) {
    const auto seconds = SecondOf(rank.profile->host, grouping)->values();
    return std::any_of(seconds.begin(), seconds.end(), [](StringId id) { return id.valid(); });
  });
}

// Adds a table by name and `second`, unless no call has a `second`.
void AddSplitTable(std::vector<OpRow> rows, const RunOps& run, Grouping grouping, Output& out) {
  const bool by_shape = grouping == Grouping::kShapes;
  const std::string_view table = by_shape ? "ops_by_shape" : "ops_by_stack";
  if (std::none_of(rows.begin(), rows.end(), [](const OpRow& row) { return row.second.valid(); })) {
    out.SetTableAbsent(table, out.Gap(by_shape ? Capability::kShapes : Capability::kCallStacks));
    return;
  }
  SortRows(rows, out.strings());
  Table& filled = out.AddTable(table);
  if (by_shape) {
    FillOps<columns::kOpsByShape>(rows, grouping, run.has_device, out, filled);
  } else {
    FillOps<columns::kOpsByStack>(rows, grouping, run.has_device, out, filled);
  }
  DropHostTimes(run.has_timeline, filled);
}

// Adds ops and op_types.
void AddNames(std::vector<OpRow> ops, const RunOps& run, Output& out) {
  SortRows(ops, out.strings());
  std::vector<OpRow> types = GroupTypes(ops, out.strings());
  SortRows(types, out.strings());
  Table& by_name = out.AddTable("ops");
  FillOps<columns::kOps>(ops, Grouping::kName, run.has_device, out, by_name);
  if (!run.knows_recomputed) DropRecomputed(by_name);
  DropHostTimes(run.has_timeline, by_name);
  Table& by_type = out.AddTable("op_types");
  FillTypes(types, run.has_device, out, by_type);
  DropHostTimes(run.has_timeline, by_type);
}

std::string TextOf(const Common& common, const StringPool& strings) {
  const StringId id = common.get();
  return id.valid() ? std::string(strings[id]) : std::string();
}

Common CommonOf(const std::string& text, bool differ, StringPool& strings) {
  return {text.empty() ? StringId{} : strings.Intern(text), true, differ};
}

std::vector<OpNameSum> SumsFrom(const std::vector<OpRow>& rows, const StringPool& strings) {
  std::vector<OpNameSum> sums;
  for (const OpRow& row : rows) {
    OpNameSum& sum = sums.emplace_back();
    sum.name = strings[row.name];
    if (row.second.valid()) sum.shapes = strings[row.second];
    sum.sums = row.sums;
    sum.dtypes = TextOf(row.dtypes, strings);
    sum.call_stack = TextOf(row.call_stack, strings);
    sum.dtypes_differ = row.dtypes.mixed;
    sum.call_stacks_differ = row.call_stack.mixed;
    sum.directions = row.directions;
  }
  return sums;
}

std::vector<OpRow> RowsFrom(const std::vector<OpNameSum>& sums, StringPool& strings) {
  std::vector<OpRow> rows;
  for (const OpNameSum& sum : sums) {
    rows.push_back({strings.Intern(sum.name), sum.shapes ? strings.Intern(*sum.shapes) : StringId{},
                    sum.sums, CommonOf(sum.dtypes, sum.dtypes_differ, strings),
                    CommonOf(sum.call_stack, sum.call_stacks_differ, strings), sum.directions, 0});
  }
  return rows;
}

}  // namespace

void OpSums::Add(const OpSums& other) {
  if (calls == 0) {
    *this = other;
    return;
  }
  calls += other.calls;
  kernels += other.kernels;
  host_self += other.host_self;
  host_total += other.host_total;
  device_self += other.device_self;
  device_total += other.device_total;
  kernel_self += other.kernel_self;
  kernel_total += other.kernel_total;
  tensor_core_self += other.tensor_core_self;
  tensor_core_total += other.tensor_core_total;
  eligible = eligible || other.eligible;
  undecided = undecided || other.undecided;
  gpu_busy += other.gpu_busy;
  gpu_idle += other.gpu_idle;
  host_range.Add(other.host_range);
  host_self_range.Add(other.host_self_range);
  device_range.Add(other.device_range);
  gpu_idle_range.Add(other.gpu_idle_range);
  if (other.flops >= 0) flops = std::max(flops, 0.0) + other.flops;
  if (other.bytes >= 0) bytes = std::max(bytes, 0.0) + other.bytes;
  known_time += other.known_time;
  outside += other.outside;
  outside_host += other.outside_host;
  outside_calls += other.outside_calls;
  recomputed_calls += other.recomputed_calls;
  recomputed_time += other.recomputed_time;
}

OpFacts OpFactsOf(const RankContext& rank) {
  StringPool strings;
  OpFacts facts;
  facts.has_device = rank.has_device();
  facts.has_timeline = rank.profile->has_timeline;
  const RankOps operators(rank);
  facts.knows_recomputed = operators.knows_recomputed;
  constexpr std::array kBy = {Grouping::kName, Grouping::kShapes};
  const auto grouped = Group(operators, kBy, strings);
  facts.names = SumsFrom(grouped[0], strings);
  facts.by_shape = SumsFrom(grouped[1], strings);
  facts.has_all_shapes = facts.by_shape.size() <= kMostShapes;
  const bool any_shapes = std::any_of(facts.by_shape.begin(), facts.by_shape.end(),
                                      [](const OpNameSum& sum) { return sum.shapes.has_value(); });
  if (!any_shapes || !facts.has_all_shapes) facts.by_shape.clear();
  return facts;
}

struct OpPool::Sums {
  RunOps run;
  Pooled by_name, by_shape;
  bool has_all_shapes = true;
};

OpPool::OpPool() : sums_(std::make_unique<Sums>()) {}
OpPool::OpPool(OpPool&&) noexcept = default;
OpPool::~OpPool() = default;

void OpPool::Add(const OpFacts& rank, StringPool& strings) {
  sums_->run.has_ops = sums_->run.has_ops || !rank.names.empty();
  sums_->run.has_device = sums_->run.has_device || rank.has_device;
  sums_->run.has_timeline = sums_->run.has_timeline && rank.has_timeline;
  sums_->run.knows_recomputed = sums_->run.knows_recomputed || rank.knows_recomputed;
  sums_->has_all_shapes = sums_->has_all_shapes && rank.has_all_shapes;
  const std::vector<OpRow> names = RowsFrom(rank.names, strings);
  sums_->by_name.Add(names);
  // Without shapes the rows are those of the names.
  sums_->by_shape.Add(rank.by_shape.empty() ? names : RowsFrom(rank.by_shape, strings));
}

void OpPool::AddTables(Output& out) && {
  if (!sums_->run.has_ops) {
    for (const char* id : {"ops", "ops_by_shape", "ops_by_stack", "op_types"}) {
      out.SetTableAbsent(id, out.Gap(Capability::kHostOps));
    }
    return;
  }
  AddNames(std::move(sums_->by_name.rows), sums_->run, out);
  if (!sums_->has_all_shapes) return;
  AddSplitTable(std::move(sums_->by_shape.rows), sums_->run, Grouping::kShapes, out);
}

void AddOpTables(std::span<const RankContext> ranks, Output& out) {
  RunOps run;
  std::map<Grouping, Pooled> pooled;
  std::vector<Grouping> by = {Grouping::kName};
  for (const Grouping second : {Grouping::kShapes, Grouping::kStack}) {
    if (HasSecond(ranks, second)) by.push_back(second);
  }
  for (const RankContext& rank : ranks) {
    const RankOps ops(rank);
    run.has_ops = run.has_ops || !ops.rows.empty();
    run.has_device = run.has_device || rank.has_device();
    run.has_timeline = run.has_timeline && rank.profile->has_timeline;
    run.knows_recomputed = run.knows_recomputed || ops.knows_recomputed;
    const auto grouped = Group(ops, by, out.strings());
    for (std::size_t i = 0; i < by.size(); ++i) pooled[by[i]].Add(grouped[i]);
  }
  if (!run.has_ops) {
    for (const char* id : {"ops", "ops_by_shape", "ops_by_stack", "op_types"}) {
      out.SetTableAbsent(id, out.Gap(Capability::kHostOps));
    }
    return;
  }
  AddNames(std::move(pooled[Grouping::kName].rows), run, out);
  for (const Grouping second : {Grouping::kShapes, Grouping::kStack}) {
    AddSplitTable(std::move(pooled[second].rows), run, second, out);
  }
}

}  // namespace profgauge
