#include "analysis/dlprof/op_paths.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/reported_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/dlprof/instances.h"
#include "analysis/dlprof/report.h"
#include "base/text.h"

namespace profgauge::analysis::dlprof {
namespace {

// Sums over ranks: groups or operators with equal names are the same.
struct PathOp {
  dlprof::Op op;
  std::int64_t kernels = 0;
};
struct Paths {
  std::map<std::pair<std::string, std::string>, PathOp> ops;  // Name and id.
  std::map<std::string, dlprof::Group> groups;
};

// Whether any marker has a path of functions.
bool HasPaths(const Profile& profile) {
  const auto texts = profile.host.concrete_inputs.values();
  return std::ranges::any_of(texts, [&](StringId text) {
    if (!text.valid() || !profile.strings[text].starts_with("{'")) return false;
    return profile.strings[text].find("'funcStack'") != std::string_view::npos;
  });
}

bool StatesGroups(const Profile& profile) {
  return std::ranges::any_of(profile.reported.tables,
                             [](const ReportedTable& table) { return table.id == "op_groups"; });
}

// Adds a rank by name and id. Shapes and types are those of the first rank.
void AddRank(const iterations::RankContext& rank, Paths& paths) {
  const dlprof::Report report = dlprof::ComputeSelected(*rank.profile, rank.iterations);
  std::vector<std::int64_t> kernels(report.ops.size(), 0);
  for (const dlprof::KernelSum& kernel : report.kernels) kernels[kernel.op] += kernel.gpu.count;
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const dlprof::Op& op = report.ops[i];
    const auto [at, is_new] = paths.ops.try_emplace({op.name, op.id}, PathOp{op, 0});
    at->second.kernels += kernels[i];
    if (is_new) continue;
    at->second.op.calls += op.calls;
    at->second.op.times.Add(op.times);
    at->second.op.uses_tensor_cores = at->second.op.uses_tensor_cores || op.uses_tensor_cores;
  }
  for (const dlprof::Group& group : report.groups) {
    const auto [at, is_new] = paths.groups.try_emplace(group.name, group);
    if (is_new) continue;
    at->second.calls += group.calls;
    at->second.times.Add(group.times);
  }
}

std::string_view DirectionOf(const dlprof::Op& op) {
  if (op.direction == "fprop") return "forward";
  return op.direction == "bprop" ? "backward" : std::string_view{};
}

// Innermost first, like in other tables.
std::string StackOf(const dlprof::Op& op) {
  std::vector<std::string_view> lines = Lines(op.stack);
  std::string stack;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    stack.append(stack.empty() ? "" : ";").append(*line);
  }
  return stack;
}

// Sorted by device time, then host time, largest first.
void FillOps(const Paths& paths, bool has_device, Table& table) {
  std::vector<const PathOp*> rows;
  for (const auto& [key, op] : paths.ops) rows.push_back(&op);
  std::ranges::stable_sort(rows, [](const PathOp* a, const PathOp* b) {
    const dlprof::Times &x = a->op.times, &y = b->op.times;
    return std::pair(x.gpu.sum, x.cpu.sum) > std::pair(y.gpu.sum, y.cpu.sum);
  });
  catalog::RowWriter<catalog::columns::kOpPaths> write(table);
  for (const PathOp* row : rows) {
    const dlprof::Op& op = row->op;
    write.Text("name"_col, op.name)
        .Text("op_id"_col, op.id)
        .Text("type"_col, op.type)
        .Text("direction"_col, DirectionOf(op))
        .Text("dtype"_col, op.data_type)
        .Integer("calls"_col, op.calls)
        .Integer("host_total"_col, op.times.cpu.sum)
        .Integer("overhead"_col, op.times.overhead.sum)
        .IntegerIf("device_total"_col, has_device, op.times.gpu.sum)
        .IntegerIf("gpu_idle"_col, has_device, op.times.idle.sum)
        .IntegerIf("kernels"_col, has_device, row->kernels)
        .Bool("tensor_core_eligible"_col, op.eligible)
        .Text("uses_tensor_core"_col, row->kernels == 0      ? std::string_view{}
                                      : op.uses_tensor_cores ? "yes"
                                                             : "no")
        .Text("input_shapes"_col, op.input_shapes)
        .Text("call_stack"_col, StackOf(op));
  }
}

void FillGroups(const Paths& paths, Table& table) {
  catalog::RowWriter<catalog::columns::kOpGroups> write(table);
  const auto append = [&write](const dlprof::Stat& of, auto total, auto mean, auto least,
                               auto most) {
    write.Integer(total, of.sum).Integer(mean, of.count == 0 ? 0 : of.sum / of.count);
    write.Integer(least, of.min).Integer(most, of.max);
  };
  for (const auto& [name, group] : paths.groups) {
    write.Text("name"_col, name)
        .Integer("calls"_col, group.calls)
        .Integer("operators_eligible"_col, group.eligible_ops)
        .Integer("operators_using"_col, group.tensor_core_ops);
    const dlprof::Times& times = group.times;
    append(times.cpu, "host_total"_col, "host_mean"_col, "host_min"_col, "host_max"_col);
    append(times.gpu, "device_total"_col, "device_mean"_col, "device_min"_col, "device_max"_col);
    append(times.overhead, "overhead"_col, "overhead_mean"_col, "overhead_min"_col,
           "overhead_max"_col);
    append(times.idle, "gpu_idle"_col, "gpu_idle_mean"_col, "gpu_idle_min"_col, "gpu_idle_max"_col);
  }
}

}  // namespace

// Groups reported by a single profile are kept, since they are DLProf's own.
void AddOpPaths(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  Paths paths;
  bool has_device = false;
  for (const iterations::RankContext& rank : ranks) {
    if (!rank.profile->has_timeline || !HasPaths(*rank.profile)) continue;
    AddRank(rank, paths);
    has_device = has_device || rank.has_device();
  }
  if (paths.ops.empty()) return;
  FillOps(paths, has_device, out.AddTable("op_paths"));
  const bool states = ranks.size() == 1 && StatesGroups(*ranks.front().profile);
  if (!states) FillGroups(paths, out.AddTable("op_groups"));
}

}  // namespace profgauge::analysis::dlprof
