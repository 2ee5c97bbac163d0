#include "analysis/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/classify/name_memo.h"
#include "analysis/flops/recomputation.h"

namespace profgauge::analysis::ops {
namespace {

// Translates ids of one rank's texts to the output's, each only once.
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

// The rows of `profile.host` that the operator tables include.
std::vector<std::uint32_t> OperatorRows(const iterations::RankContext& rank) {
  OperatorTest is_operator(rank);
  std::vector<std::uint32_t> rows;
  rows.reserve(rank.profile->host.size());
  for (std::uint32_t row = 0; row < rank.profile->host.size(); ++row) {
    if (is_operator(row) && rank.InTables(HostId{row})) rows.push_back(row);
  }
  return rows;
}

// The part of a call that is outside the selected iterations.
struct Outside {
  Ns device = 0, host = 0;
  bool is_all = false;
};

// A call belongs to the iteration in which it starts. In a profile without markers, the only
// iteration ends with its window: a call may begin before it, but all device work belongs to it.
Outside OutsideOf(const iterations::RankContext& rank, std::uint32_t row,
                  iterations::IterationCursor& iterations) {
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

// The sums of a single call; each range is its own value. Unknown FLOPs and bytes are -1.
OpSums SumsOf(const iterations::RankContext& rank, const iterations::GpuUseOfOp& use,
              std::uint32_t row, const Outside& outside) {
  const flops::OpTree& tree = rank.tree;
  const Ns host_total = std::max<Ns>(rank.profile->host.duration[row], 0);
  const flops::OpWork* work = rank.works.Find(row);
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
          outside.is_all ? tree.host_self[row] : std::min(tree.host_self[row], outside.host),
          outside.is_all ? 1 : 0};
}

void AddRecomputed(const iterations::RankContext& rank, std::uint32_t row, OpSums& sums) {
  sums.recomputed_calls = 1;
  sums.recomputed_time = rank.tree.kernel_total[row];
}

void AddInside(std::int64_t calls, OpSums& sums) {
  sums.calls_inside = calls;
  sums.calls += calls;
  if (sums.outside_calls > 0) sums.outside_calls += calls;
  if (sums.recomputed_calls > 0) sums.recomputed_calls += calls;
}

std::uint64_t KeyOf(StringId name, StringId second) {
  return std::uint64_t{name.value} << 32 | second.value;
}

// The row of a name and second text; a new one where there is none.
OpRow& RowOf(StringId name, StringId second, OpPlaces& places, OpRows& rows) {
  const auto [place, is_new] =
      places.try_emplace(KeyOf(name, second), static_cast<std::uint32_t>(rows.size()));
  if (is_new) rows.push_back({name, second, {}, {}, {}, 0, 0});
  return rows[place->second];
}

// The column of texts that separate rows besides their names; null: only names.
const OptionalColumn<StringId>* SecondOf(const HostTable& host, OpGrouping grouping) {
  switch (grouping) {
    case OpGrouping::kShapes:
      return &host.input_shapes;
    case OpGrouping::kStack:
      return &host.call_stack;
    case OpGrouping::kName:
      break;
  }
  return nullptr;
}

// Rows of one table while they are built.
struct GroupedOps {
  const OptionalColumn<StringId>* seconds = nullptr;
  OpRows rows;
  OpPlaces places;
};

std::string TextOf(const CommonText& common, const StringPool& strings) {
  const StringId id = common.get();
  return id.valid() ? std::string(strings[id]) : std::string();
}

CommonText CommonOf(const std::string& text, bool differ, StringPool& strings) {
  return {text.empty() ? StringId{} : strings.Intern(text), true, differ};
}

}  // namespace

boost::unordered_flat_map<std::uint32_t, std::int64_t> CallsInside(
    const iterations::RankContext& rank) {
  const std::vector<std::uint32_t>& rows = rank.tree.representative;
  boost::unordered_flat_map<std::uint32_t, std::int64_t> inside;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (rows[row] != flops::OpTree::kNone && rows[row] != row) ++inside[rows[row]];
  }
  return inside;
}

std::string_view DirectionText(std::uint8_t directions) {
  switch (directions) {
    case 1U << static_cast<unsigned>(flops::OpDirection::kForward):
      return "forward";
    case 1U << static_cast<unsigned>(flops::OpDirection::kBackward):
      return "backward";
    case 1U << static_cast<unsigned>(flops::OpDirection::kOptimizer):
      return "optimizer";
    default:
      return "mixed";
  }
}

RankOps::RankOps(const iterations::RankContext& of)
    : rank(of),
      rows(OperatorRows(of)),
      gpu_use(rows.empty() ? iterations::OpGpuUse{} : iterations::FindOpGpuUse(of)),
      knows_recomputed(!rows.empty() && flops::HasBackward(*of.profile)) {
  if (knows_recomputed) {
    recomputed = flops::OutermostOf(flops::FindRecomputed(*of.profile), of.profile->host);
  }
}

// The first sum is copied, so that the smallest and the largest are values of real calls. Unknown
// FLOPs and bytes add nothing; a sum is unknown only if all are.
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
  outside_host_self += other.outside_host_self;
  outside_calls += other.outside_calls;
  calls_inside += other.calls_inside;
  recomputed_calls += other.recomputed_calls;
  recomputed_time += other.recomputed_time;
}

bool HasSecond(std::span<const iterations::RankContext> ranks, OpGrouping grouping) {
  return std::any_of(ranks.begin(), ranks.end(), [grouping](const iterations::RankContext& rank) {
    const auto seconds = SecondOf(rank.profile->host, grouping)->values();
    return std::any_of(seconds.begin(), seconds.end(), [](StringId id) { return id.valid(); });
  });
}

std::vector<OpRows> GroupOps(const RankOps& ops, std::span<const OpGrouping> by,
                             StringPool& strings) {
  const iterations::RankContext& rank = ops.rank;
  const HostTable& host = rank.profile->host;
  std::vector<GroupedOps> tables(by.size());
  for (std::size_t i = 0; i < by.size(); ++i) tables[i].seconds = SecondOf(host, by[i]);
  Translation translate(*rank.profile, strings);
  iterations::IterationCursor iterations(rank.iterations);
  const auto inside = CallsInside(rank);
  for (const std::uint32_t row : ops.rows) {
    const Outside outside = OutsideOf(rank, row, iterations);
    OpSums sums = SumsOf(rank, ops.gpu_use.Of(row), row, outside);
    if (!outside.is_all && ops.IsRecomputed(row)) AddRecomputed(rank, row, sums);
    if (const auto own = inside.find(row); own != inside.end()) AddInside(own->second, sums);
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
  std::vector<OpRows> found;
  found.reserve(tables.size());
  for (GroupedOps& table : tables) found.push_back(std::move(table.rows));
  return found;
}

// Places are only filled when a second rank comes, because most runs have one.
void PooledOps::Add(OpRows more) {
  if (rows.empty()) {
    rows = std::move(more);
    return;
  }
  if (places.empty()) {
    for (const OpRow& row : rows) places.emplace(KeyOf(row.name, row.second), places.size());
  }
  for (const OpRow& row : more) {
    OpRow& group = RowOf(row.name, row.second, places, rows);
    group.sums.Add(row.sums);
    group.dtypes.Add(row.dtypes);
    group.call_stack.Add(row.call_stack);
    group.directions = static_cast<std::uint8_t>(group.directions | row.directions);
  }
}

OpRows GroupOpTypes(OpRows ops, StringPool& strings) {
  OpRows types;
  boost::unordered_flat_map<std::uint32_t, std::size_t> places;
  for (; !ops.empty(); ops.pop_front()) {
    const OpRow& op = ops.front();
    const StringId type = strings.Intern(flops::OpType(strings[op.name]));
    const auto [place, is_new] = places.try_emplace(type.value, types.size());
    if (is_new) types.push_back({type, {}, {}, {}, {}, 0, 0});
    types[place->second].sums.Add(op.sums);
    ++types[place->second].operators;
  }
  return types;
}

void SortOps(OpRows& rows, const StringPool& strings) {
  const auto text = [&](StringId id) { return id.valid() ? strings[id] : std::string_view{}; };
  std::sort(rows.begin(), rows.end(), [&](const OpRow& a, const OpRow& b) {
    if (a.sums.device_self != b.sums.device_self) return a.sums.device_self > b.sums.device_self;
    if (a.sums.host_self != b.sums.host_self) return a.sums.host_self > b.sums.host_self;
    return std::make_pair(text(a.name), text(a.second)) <
           std::make_pair(text(b.name), text(b.second));
  });
}

std::vector<OpNameSum> OpSumsFrom(const OpRows& rows, const StringPool& strings) {
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

OpRows OpRowsFrom(const std::vector<OpNameSum>& sums, StringPool& strings) {
  OpRows rows;
  for (const OpNameSum& sum : sums) {
    rows.push_back({strings.Intern(sum.name), sum.shapes ? strings.Intern(*sum.shapes) : StringId{},
                    sum.sums, CommonOf(sum.dtypes, sum.dtypes_differ, strings),
                    CommonOf(sum.call_stack, sum.call_stacks_differ, strings), sum.directions, 0});
  }
  return rows;
}

}  // namespace profgauge::analysis::ops
