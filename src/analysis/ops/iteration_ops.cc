#include "analysis/ops/iteration_ops.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/ops/op_rows.h"
#include "base/metric_id.h"

namespace profgauge::analysis::ops {
namespace {

// Host to device, device to host, within and between devices.
constexpr std::array<MetricId, 3> kDirections = {metric::kMemcpyH2dBytesPerIteration,
                                                 metric::kMemcpyD2hBytesPerIteration,
                                                 metric::kMemcpyD2dBytesPerIteration};
constexpr std::size_t kNoDirection = kDirections.size();

// Index into kDirections; copies between two GPUs stay on devices.
std::size_t DirectionOf(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return 0;
    case CopyKind::kDeviceToHost:
      return 1;
    case CopyKind::kDeviceToDevice:
    case CopyKind::kPeerToPeer:
      return 2;
    default:
      return kNoDirection;
  }
}

}  // namespace

CountFacts CountFactsOf(const iterations::RankContext& rank) {
  CountFacts counts;
  const DeviceTable& device = rank.profile->device;
  std::vector<bool> counted(rank.profile->api.size(), false);
  counts.iterations = static_cast<std::int64_t>(rank.iterations.selected().size());
  for (std::size_t row = 0; row < device.size(); ++row) {
    counts.has_device = true;
    counts.has_kernels |= device.kind[row] == DeviceKind::kKernel;
    const ApiId launch = device.launch[row];
    counts.has_launches |= launch.valid();
    const std::uint32_t iteration = rank.iterations.of_device[row];
    if (iteration == iterations::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    // One call may launch a graph of many kernels.
    if (launch.valid() && !counted[launch.value]) {
      counted[launch.value] = true;
      ++counts.launches;
    }
    if (device.kind[row] == DeviceKind::kKernel) {
      counts.tensor_core_kernels += rank.classes[row].tensor_core == classify::Tri::kYes ? 1 : 0;
    } else if (device.kind[row] == DeviceKind::kMemcpy) {
      const std::size_t direction = DirectionOf(device.copy[row]);
      if (device.copy[row] == CopyKind::kUnknown) counts.is_complete.fill(false);
      if (direction == kNoDirection) continue;
      if (device.bytes[row] >= 0) {
        counts.bytes[direction] += device.bytes[row];
      } else {
        counts.is_complete[direction] = false;
      }
    }
  }
  return counts;
}

// The mean over the iterations of all ranks. A direction is unknown if any copy of any rank has an
// unknown size or direction.
void AddCounts(std::span<const CountFacts> ranks, catalog::Output& out) {
  CountFacts counts;
  for (const CountFacts& rank : ranks) {
    counts.iterations += rank.iterations;
    counts.launches += rank.launches;
    counts.tensor_core_kernels += rank.tensor_core_kernels;
    for (std::size_t i = 0; i < kDirections.size(); ++i) {
      counts.bytes[i] += rank.bytes[i];
      counts.is_complete[i] = counts.is_complete[i] && rank.is_complete[i];
    }
    counts.has_device |= rank.has_device;
    counts.has_launches |= rank.has_launches;
    counts.has_kernels |= rank.has_kernels;
  }
  const auto set = [&](MetricId id, std::int64_t sum, bool is_known, const std::string& reason) {
    if (!counts.has_device) {
      out.SetAbsent(id, CapabilityGap(Capability::kDeviceEvents));
    } else if (!is_known) {
      out.SetAbsent(id, reason);
    } else if (counts.iterations > 0) {
      out.Set(id, static_cast<double>(sum) / static_cast<double>(counts.iterations));
    }
  };
  set(metric::kLaunchCountPerIteration, counts.launches, counts.has_launches,
      CapabilityGap(Capability::kLaunchLinks));
  set(metric::kTensorCoreKernelsPerIteration, counts.tensor_core_kernels, counts.has_kernels,
      std::string(catalog::kNoKernelRan));
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    set(kDirections[i], counts.bytes[i], counts.is_complete[i],
        "size or direction of some copies was not recorded");
  }
}

namespace {

struct Sums {
  Ns start = 0;
  std::int64_t calls = 0, kernels = 0, tensor_core_kernels = 0;
  Ns host_self = 0, host_total = 0, device_time = 0, device_total = 0, tensor_core_time = 0;
  double flops = -1, bytes = -1;  // Negative: unknown.
  CommonText dtypes, call_stack;
  std::uint8_t directions = 0;
};
// Iteration and name.
using SumsByOp = std::map<std::pair<std::uint32_t, std::uint32_t>, Sums>;

void AddCall(const iterations::RankContext& rank, std::uint32_t op, Sums& sums) {
  const HostTable& host = rank.profile->host;
  sums.start = sums.calls == 0 ? host.start[op] : std::min(sums.start, host.start[op]);
  sums.dtypes.Add(host.input_dtypes[op]);
  sums.call_stack.Add(host.call_stack[op]);
  sums.directions |=
      static_cast<std::uint8_t>(1U << static_cast<unsigned>(rank.tree.direction[op]));
  sums.host_self += rank.tree.host_self[op];
  sums.host_total += std::max<Ns>(host.duration[op], 0);
  sums.device_total += rank.tree.device_total[op];
  if (const flops::OpWork* work = rank.works.Find(op)) {
    if (work->flops >= 0) sums.flops = std::max(sums.flops, 0.0) + work->flops;
    if (work->bytes >= 0) sums.bytes = std::max(sums.bytes, 0.0) + work->bytes;
  }
  ++sums.calls;
}

// Also adds calls inside this call with the same name.
void AddCallsInside(const boost::unordered_flat_map<std::uint32_t, std::int64_t>& inside,
                    std::uint32_t op, Sums& sums) {
  const auto found = inside.find(op);
  if (found != inside.end()) sums.calls += found->second;
}

// Sums by iteration and name, for calls mostly in order of time. For each name, it stores the
// position of its last iteration: the next call is usually in the same one.
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
    std::uint32_t iteration = iterations::Iterations::kNone;
    Sums* sums = nullptr;
  };
  SumsByOp sums_;
  std::vector<Last> last_;  // By name.
};

// Adds calls that launch nothing themselves to the iteration in which they began. `seen`: calls
// with launches.
void AddOtherCalls(const iterations::RankContext& rank, const std::vector<std::uint8_t>& seen,
                   const boost::unordered_flat_map<std::uint32_t, std::int64_t>& inside,
                   OperatorTest& is_operator, SumsInOrder& out) {
  const HostTable& host = rank.profile->host;
  iterations::IterationCursor iterations(rank.iterations);
  for (std::uint32_t op = 0; op < host.size(); ++op) {
    if (seen[op] != 0 || !is_operator(op)) continue;
    const std::uint32_t iteration = iterations.AtHostTime(host.start[op]);
    if (iteration == iterations::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    Sums& sums = out.Of(iteration, host.name[op]);
    AddCall(rank, op, sums);
    AddCallsInside(inside, op, sums);
  }
}

// Makes two passes: device rows give the calls with launches and their sums; then calls without
// launches are added. `any`: whether an operator launched work.
SumsByOp SumRank(const iterations::RankContext& rank, bool& any) {
  const DeviceTable& device = rank.profile->device;
  std::vector<std::uint8_t> seen(rank.profile->host.size(), 0);
  SumsInOrder out(rank.profile->strings.size());
  OperatorTest is_operator(rank);
  const auto inside = CallsInside(rank);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t iteration = rank.iterations.of_device[row];
    if (iteration == iterations::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == flops::OpTree::kNone) continue;
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

// Sorted by time, then name text, since the ids of names depend on the file's order of rows.
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

void AddIterationOps(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  if (!out.Wants("ops_by_iteration")) return;
  std::vector<SumsByOp> sums;
  bool any = false;
  for (const iterations::RankContext& rank : ranks) {
    sums.push_back(SumRank(rank, any));
  }
  if (!any) {
    const bool are_linked = std::ranges::any_of(ranks, [](const iterations::RankContext& rank) {
      return rank.profile->Has(Capability::kLaunchLinks);
    });
    out.SetTableAbsent("ops_by_iteration",
                       out.Gap(are_linked ? Capability::kHostOps : Capability::kLaunchLinks));
    return;
  }
  Table& table = out.AddTable("ops_by_iteration");
  catalog::RowWriter<catalog::columns::kOpsByIteration> write(table);
  StringPool& strings = out.strings();
  bool any_work = false;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    catalog::Texts texts(*ranks[r].profile, strings);
    for (const SumsByOp::value_type* row : InOrder(sums[r], *ranks[r].profile)) {
      const auto& [key, op] = *row;
      any_work = any_work || op.flops >= 0;
      const StringId name = texts(StringId{key.second});
      write.Integer("iteration"_col, key.first)
          .Integer("rank"_col, ranks[r].rank)
          .Text("name"_col, name)
          .Text("type"_col, strings.Intern(flops::OpType(strings[name])))
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
  const bool has_shapes = std::any_of(ranks.begin(), ranks.end(), iterations::HasShapes);
  for (const char* id : {"flops", "bytes"}) {
    if (!any_work) table.Find(id)->MarkAbsent(out.GapOfWork(has_shapes));
  }
}

namespace {

constexpr std::size_t kMostRows = 20'000;

struct Node {
  StringId name;
  std::string_view kind;
  std::int64_t calls = 0;
  Ns host_total = 0, host_self = 0, device_total = 0, device_self = 0;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> parents;  // kNoNode for a thread.
};

// Row numbers by iteration of one rank.
using RowLists = std::vector<std::vector<std::uint32_t>>;

RowLists DeviceRowsByIteration(const iterations::RankContext& rank) {
  RowLists rows(rank.iterations.all.size());
  for (std::uint32_t row = 0; row < rank.profile->device.size(); ++row) {
    const std::uint32_t index = rank.iterations.of_device[row];
    if (index != iterations::Iterations::kNone) rows[index].push_back(row);
  }
  return rows;
}

// Events that start in the iteration's host range.
RowLists HostRowsByIteration(const iterations::RankContext& rank) {
  const std::vector<iterations::Iteration>& iterations = rank.iterations.all;
  const std::vector<Ns>& starts = rank.profile->host.start;
  RowLists rows(iterations.size());
  std::uint32_t index = 0;  // Neighbors are usually in one iteration.
  for (std::uint32_t row = 0; row < starts.size(); ++row) {
    const Ns at = starts[row];
    const bool is_same = index < iterations.size() && at >= iterations[index].host.start &&
                         at < iterations[index].host.end &&
                         (index + 1 == iterations.size() || at < iterations[index + 1].host.start);
    if (!is_same) index = rank.iterations.AtHostTime(at);
    if (index < iterations.size() && at < iterations[index].host.end) rows[index].push_back(row);
  }
  return rows;
}

class Builder {
 public:
  Builder(const iterations::RankContext& rank, StringPool& strings)
      : rank_(rank),
        strings_(strings),
        texts_(*rank.profile, strings),
        host_rows_(HostRowsByIteration(rank)),
        device_rows_(DeviceRowsByIteration(rank)),
        node_of_(rank.profile->host.size(), catalog::kNoNode) {}

  const iterations::RankContext& rank() const { return rank_; }

  /// Rows with the same name, kind and parent are one node. Parents come before their children, so
  /// that one backward pass sums device times. `node_of_` is only set for rows of this iteration,
  /// and reset with `touched_`: the cost depends on the size of the iteration.
  Tree Build(std::uint32_t iteration) {
    tree_ = {};
    places_ = {};
    touched_.clear();
    for (const std::uint32_t row : host_rows_[iteration]) AddHostRow(row);
    for (const std::uint32_t row : device_rows_[iteration]) AddDevice(row);
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      Node& node = tree_.nodes[i];
      node.host_self = std::max<Ns>(node.host_self, 0);
      node.device_total += node.device_self;
      if (tree_.parents[i] != catalog::kNoNode) {
        tree_.nodes[tree_.parents[i]].device_total += node.device_total;
      }
    }
    for (const std::uint32_t row : touched_) node_of_[row] = catalog::kNoNode;
    return std::move(tree_);
  }

 private:
  std::uint32_t NodeFor(std::uint32_t parent, StringId name, std::string_view kind) {
    const auto key = std::make_pair(std::uint64_t{parent} << 32 | name.value, kind.data());
    const auto [place, is_new] =
        places_.try_emplace(key, static_cast<std::uint32_t>(tree_.nodes.size()));
    if (is_new) {
      tree_.nodes.push_back({name, kind});
      tree_.parents.push_back(parent);
    }
    return place->second;
  }

  std::uint32_t ThreadNode(ThreadId thread) {
    if (!thread.valid()) return NodeFor(catalog::kNoNode, strings_.Intern("no thread"), "thread");
    const Thread& facts = rank_.profile->threads[thread.value];
    const std::string name =
        facts.name.empty() ? "thread " + std::to_string(facts.tid) : facts.name;
    return NodeFor(catalog::kNoNode, strings_.Intern(name), "thread");
  }

  // The node of the innermost row in the tree, from `at` outward.
  std::uint32_t NodeAround(HostId at) const {
    const HostTable& host = rank_.profile->host;
    while (at.valid()) {
      const std::uint32_t op = rank_.tree.representative[at.value];
      const std::uint32_t row = op == flops::OpTree::kNone ? at.value : op;
      if (node_of_[row] != catalog::kNoNode) return node_of_[row];
      const HostId above = host.parent[at.value];
      if (above.valid() && above.value >= at.value) break;
      at = above;
    }
    return catalog::kNoNode;
  }

  void AddHostRow(std::uint32_t row) {
    const HostTable& host = rank_.profile->host;
    const bool is_op = host.kind[row] == HostKind::kOp || host.kind[row] == HostKind::kPython;
    if (is_op ? !rank_.tree.IsOp(row) : host.kind[row] != HostKind::kAnnotation) return;
    const HostId above = host.parent[row];
    std::uint32_t parent =
        above.valid() && above.value < row ? NodeAround(above) : catalog::kNoNode;
    const bool is_top = parent == catalog::kNoNode;
    if (is_top) parent = ThreadNode(host.thread[row]);
    const std::uint32_t node = NodeFor(parent, texts_(host.name[row]), is_op ? "op" : "range");
    node_of_[row] = node;
    touched_.push_back(row);
    const Ns duration = std::max<Ns>(host.duration[row], 0);
    Node& at = tree_.nodes[node];
    ++at.calls;
    at.host_total += duration;
    at.host_self += duration;
    Node& outer = tree_.nodes[parent];
    if (is_top) {
      ++outer.calls;
      outer.host_total += duration;
    } else {
      outer.host_self -= duration;
    }
  }

  // Adds work below its operator; without one, below the range around its launch, the launching
  // thread, or "no thread".
  void AddDevice(std::uint32_t row) {
    const DeviceTable& device = rank_.profile->device;
    const ApiTable& api = rank_.profile->api;
    const ApiId launch = device.launch[row];
    std::uint32_t parent = NodeAround(device.op[row]);
    if (parent == catalog::kNoNode && launch.valid()) parent = NodeAround(api.op[launch.value]);
    if (parent == catalog::kNoNode)
      parent = ThreadNode(launch.valid() ? api.thread[launch.value] : ThreadId{});
    const std::string_view kind = device.kind[row] == DeviceKind::kKernel   ? "kernel"
                                  : device.kind[row] == DeviceKind::kMemcpy ? "memcpy"
                                                                            : "memset";
    Node& node = tree_.nodes[NodeFor(parent, texts_(device.name[row]), kind)];
    ++node.calls;
    node.device_self += std::max<Ns>(device.duration[row], 0);
  }

  const iterations::RankContext& rank_;
  StringPool& strings_;
  catalog::Texts texts_;
  RowLists host_rows_, device_rows_;
  std::vector<std::uint32_t> node_of_, touched_;
  Tree tree_;
  boost::unordered_flat_map<std::pair<std::uint64_t, const char*>, std::uint32_t> places_;
};

struct Choice {
  std::size_t rank = 0;
  std::uint32_t iteration = 0;
};

// The iterations by their priority for a tree.
std::vector<Choice> Choose(std::span<const iterations::RankContext> ranks,
                           std::span<const breakdown::RunIteration> run) {
  std::vector<Choice> out;
  if (run.empty()) return out;
  boost::unordered_flat_set<std::pair<std::size_t, std::uint32_t>> known;
  const auto add = [&](std::size_t rank, std::size_t iteration) {
    const Choice choice{rank, static_cast<std::uint32_t>(iteration)};
    if (known.emplace(choice.rank, choice.iteration).second) out.push_back(choice);
  };
  std::vector<std::size_t> by_time(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return run[a].duration < run[b].duration; });
  const breakdown::RunIteration& typical = run[by_time[(run.size() - 1) / 2]];
  add(typical.rank, typical.iteration);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const iterations::Iterations& iterations = ranks[r].iterations;
    for (std::size_t i = iterations.first; i < iterations.last; ++i) {
      if (iterations.all[i].name == typical.name) add(r, i);
    }
  }
  add(run[by_time.back()].rank, run[by_time.back()].iteration);
  for (const breakdown::RunIteration& iteration : run) add(iteration.rank, iteration.iteration);
  return out;
}

// `above`: number of rows already in the table.
void Append(const Tree& tree, std::int64_t iteration, std::int64_t rank, bool has_device,
            std::size_t above, catalog::RowWriter<catalog::columns::kOpTree>& write) {
  const auto order = catalog::TreeOrder(tree.parents);
  catalog::TreeCells cells(tree.parents, static_cast<std::int64_t>(above));
  for (const std::uint32_t i : order) {
    const Node& node = tree.nodes[i];
    const bool on_host = node.kind == "op" || node.kind == "range" || node.kind == "thread";
    cells.Append(i, write);
    write.Integer("iteration"_col, iteration)
        .Integer("rank"_col, rank)
        .Text("name"_col, node.name)
        .Text("kind"_col, node.kind)
        .Integer("calls"_col, node.calls)
        .IntegerIf("host_total"_col, on_host, node.host_total)
        .IntegerIf("host_self"_col, on_host, node.host_self)
        .IntegerIf("device_total"_col, has_device, node.device_total)
        .IntegerIf("device_self"_col, has_device, node.device_self);
  }
}

}  // namespace

void AddIterationTree(std::span<const iterations::RankContext> ranks,
                      std::span<const breakdown::RunIteration> run, catalog::Output& out) {
  if (!out.Wants("op_tree")) return;
  const bool has_host =
      std::any_of(ranks.begin(), ranks.end(),
                  [](const iterations::RankContext& rank) { return rank.has_host(); });
  if (!has_host) return out.SetTableAbsent("op_tree", CapabilityGap(Capability::kHostOps));
  Table& table = out.AddTable("op_tree");
  catalog::RowWriter<catalog::columns::kOpTree> write(table);
  std::optional<Builder> builder;
  const auto choices = Choose(ranks, run);
  std::size_t shown = 0;
  for (const Choice& choice : choices) {
    const iterations::RankContext& rank = ranks[choice.rank];
    if (!builder || &builder->rank() != &rank) builder.emplace(rank, out.strings());
    const Tree tree = builder->Build(choice.iteration);
    if (table.rows() > 0 && table.rows() + tree.nodes.size() > kMostRows) break;
    Append(tree, choice.iteration, rank.rank, rank.has_device(), table.rows(), write);
    ++shown;
  }
  if (shown < choices.size()) {
    out.AddRemark("table-rows/op_tree",
                  fmt::format("the table \"{}\" has the operators of {} of {} iterations",
                              table.title(), shown, choices.size()));
  }
}

}  // namespace profgauge::analysis::ops
