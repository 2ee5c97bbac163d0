#include "analysis/ops/iteration_ops.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/ops/op_rows.h"
#include "analysis/tables/op_columns.h"
#include "analysis/tables/output.h"
#include "analysis/tables/row_writer.h"

namespace profgauge::analysis::ops {
namespace {

struct Sums {
  Ns start = 0;
  std::int64_t calls = 0, kernels = 0, tensor_core_kernels = 0;
  Ns host_self = 0, host_total = 0, device_time = 0, device_total = 0, tensor_core_time = 0;
  double flops = -1, bytes = -1;  // Unknown while negative.
  CommonText dtypes, call_stack;
  std::uint8_t directions = 0;
};
// By iteration and name.
using SumsByOp = std::map<std::pair<std::uint32_t, std::uint32_t>, Sums>;

void AddCall(const context::RankContext& rank, std::uint32_t op, Sums& sums) {
  const HostTable& host = rank.profile->host;
  sums.start = sums.calls == 0 ? host.start[op] : std::min(sums.start, host.start[op]);
  sums.dtypes.Add(host.input_dtypes[op]);
  sums.call_stack.Add(host.call_stack[op]);
  sums.directions |=
      static_cast<std::uint8_t>(1U << static_cast<unsigned>(rank.tree.direction[op]));
  sums.host_self += rank.tree.host_self[op];
  sums.host_total += std::max<Ns>(host.duration[op], 0);
  sums.device_total += rank.tree.device_total[op];
  if (const work::OpWork* work = rank.works.Find(op)) {
    if (work->flops >= 0) sums.flops = std::max(sums.flops, 0.0) + work->flops;
    if (work->bytes >= 0) sums.bytes = std::max(sums.bytes, 0.0) + work->bytes;
  }
  ++sums.calls;
}

// Also the calls inside of one of the same name.
void AddCallsInside(const boost::unordered_flat_map<std::uint32_t, std::int64_t>& inside,
                    std::uint32_t op, Sums& sums) {
  const auto found = inside.find(op);
  if (found != inside.end()) sums.calls += found->second;
}

// Sums by iteration and name, of calls that come mostly in order of time.
// The place of a name's last iteration is remembered, since the next call of the name is mostly of
// the same iteration.
class SumsInOrder {
 public:
  explicit SumsInOrder(std::size_t names) : last_(names) {}

  Sums& Of(std::uint32_t iteration, StringId name) {
    Last& last = last_[name.value];
    if (last.iteration != iteration) last = {iteration, &sums_[{iteration, name.value}]};
    return *last.sums;
  }
  SumsByOp Take() { return std::move(sums_); }

 private:
  struct Last {
    std::uint32_t iteration = context::Iterations::kNone;
    Sums* sums = nullptr;
  };
  SumsByOp sums_;
  std::vector<Last> last_;  // By name.
};

// Calls that launched nothing themselves are of the iteration that they began in. `seen`: those
// that launched.
void AddOtherCalls(const context::RankContext& rank, const std::vector<std::uint8_t>& seen,
                   const boost::unordered_flat_map<std::uint32_t, std::int64_t>& inside,
                   OperatorTest& is_operator, SumsInOrder& out) {
  const HostTable& host = rank.profile->host;
  context::IterationCursor iterations(rank.iterations);
  for (std::uint32_t op = 0; op < host.size(); ++op) {
    if (seen[op] != 0 || !is_operator(op)) continue;
    const std::uint32_t iteration = iterations.AtHostTime(host.start[op]);
    if (iteration == context::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    Sums& sums = out.Of(iteration, host.name[op]);
    AddCall(rank, op, sums);
    AddCallsInside(inside, op, sums);
  }
}

// `any`: whether an operator launched something.
// Two passes: device rows find the calls that launched something, with their sums; then come the
// calls that launched nothing.
SumsByOp SumRank(const context::RankContext& rank, bool& any) {
  const DeviceTable& device = rank.profile->device;
  std::vector<std::uint8_t> seen(rank.profile->host.size(), 0);
  SumsInOrder out(rank.profile->strings.size());
  OperatorTest is_operator(rank);
  const auto inside = CallsInside(rank);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t iteration = rank.iterations.of_device[row];
    if (iteration == context::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == work::OpTree::kNone) continue;
    any = true;
    if (!is_operator(op)) continue;
    Sums& sums = out.Of(iteration, rank.profile->host.name[op]);
    if (!std::exchange(seen[op], std::uint8_t{1})) {
      AddCall(rank, op, sums);
      AddCallsInside(inside, op, sums);
    }
    const Ns duration = std::max<Ns>(device.duration[row], 0);
    sums.device_time += duration;
    if (device.kind[row] != DeviceKind::kKernel) continue;
    ++sums.kernels;
    if (rank.classes[row].tensor_core != classify::Tri::kYes) continue;
    ++sums.tensor_core_kernels;
    sums.tensor_core_time += duration;
  }
  AddOtherCalls(rank, seen, inside, is_operator, out);
  return out.Take();
}

// By time: which number a name has depends on the order of the file's rows.
std::vector<const SumsByOp::value_type*> InOrder(const SumsByOp& sums, const Profile& profile) {
  std::vector<const SumsByOp::value_type*> rows;
  rows.reserve(sums.size());
  for (const auto& row : sums) rows.push_back(&row);
  const auto key = [&](const SumsByOp::value_type* row) {
    const auto& [of, op] = *row;
    return std::tuple(of.first, op.start, profile.Name(StringId{of.second}));
  };
  std::sort(rows.begin(), rows.end(),
            [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return rows;
}

}  // namespace

void AddIterationOps(std::span<const context::RankContext> ranks, tables::Output& out) {
  if (!out.Wants("ops_by_iteration")) return;
  std::vector<SumsByOp> sums;
  bool any = false;
  for (const context::RankContext& rank : ranks) {
    sums.push_back(SumRank(rank, any));
  }
  if (!any) {
    out.SetTableAbsent("ops_by_iteration", CapabilityGap(Capability::kLaunchLinks));
    return;
  }
  Table& table = out.AddTable("ops_by_iteration");
  tables::RowWriter<tables::columns::kOpsByIteration> write(table);
  StringPool& strings = out.strings();
  bool any_work = false;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    tables::Texts texts(*ranks[r].profile, strings);
    for (const SumsByOp::value_type* row : InOrder(sums[r], *ranks[r].profile)) {
      const auto& [key, op] = *row;
      any_work = any_work || op.flops >= 0;
      const StringId name = texts(StringId{key.second});
      write.Integer("iteration"_col, key.first)
          .Integer("rank"_col, ranks[r].rank)
          .Text("name"_col, name)
          .Text("type"_col, strings.Intern(work::OpType(strings[name])))
          .Text("direction"_col, DirectionText(op.directions))
          .Text("dtypes"_col, texts(op.dtypes.get()))
          .Integer("start"_col, op.start)
          .Integer("calls"_col, op.calls)
          .IntegerIf("host_self"_col, ranks[r].profile->has_timeline, op.host_self)
          .Integer("kernels"_col, op.kernels)
          .Integer("tensor_core_kernels"_col, op.tensor_core_kernels)
          .Integer("time"_col, op.device_time)
          .Integer("tensor_core_time"_col, op.tensor_core_time)
          .IntegerIf("host_total"_col, ranks[r].profile->has_timeline, op.host_total)
          .Integer("device_total"_col, op.device_total)
          .Real("flops"_col, op.flops >= 0 ? std::optional(op.flops) : std::nullopt)
          .IntegerIf("bytes"_col, op.bytes >= 0 && op.bytes < kLargestWhole,
                     op.bytes < kLargestWhole ? std::llround(op.bytes) : 0)
          .Text("call_stack"_col, texts(op.call_stack.get()));
    }
  }
  for (const char* id : {"flops", "bytes"}) {
    if (!any_work) table.Find(id)->MarkAbsent(out.Gap(Capability::kShapes));
  }
}

}  // namespace profgauge::analysis::ops
