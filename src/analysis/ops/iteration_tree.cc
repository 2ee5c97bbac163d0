#include "analysis/ops/iteration_ops.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/op_columns.h"
#include "analysis/tables/output.h"
#include "analysis/tables/row_writer.h"
#include "analysis/time/run_iterations.h"

namespace profgauge::analysis::ops {
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
  std::vector<std::uint32_t> parents;  // kNoNode: a thread.
};

// Rows of each iteration of one rank.
using RowLists = std::vector<std::vector<std::uint32_t>>;

RowLists DeviceRowsByIteration(const context::RankContext& rank) {
  RowLists rows(rank.iterations.all.size());
  for (std::uint32_t row = 0; row < rank.profile->device.size(); ++row) {
    const std::uint32_t index = rank.iterations.of_device[row];
    if (index != context::Iterations::kNone) rows[index].push_back(row);
  }
  return rows;
}

// Events that start in the iteration's range on the host.
RowLists HostRowsByIteration(const context::RankContext& rank) {
  const std::vector<context::Iteration>& iterations = rank.iterations.all;
  const std::vector<Ns>& starts = rank.profile->host.start;
  RowLists rows(iterations.size());
  std::uint32_t index = 0;  // Neighbors are mostly of one iteration.
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
  Builder(const context::RankContext& rank, StringPool& strings)
      : rank_(rank),
        strings_(strings),
        texts_(*rank.profile, strings),
        host_rows_(HostRowsByIteration(rank)),
        device_rows_(DeviceRowsByIteration(rank)),
        node_of_(rank.profile->host.size(), tables::kNoNode) {}

  const context::RankContext& rank() const { return rank_; }

  /// Rows of the same name, kind and parent are one node. Parents come before their children, so
  /// that one pass from the end adds device times up. `node_of_` is for the rows of this iteration
  /// only, and is cleaned by `touched_`.
  ///
  /// The cost follows from the size of the iteration, not of the profile.
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
      if (tree_.parents[i] != tables::kNoNode) {
        tree_.nodes[tree_.parents[i]].device_total += node.device_total;
      }
    }
    for (const std::uint32_t row : touched_) node_of_[row] = tables::kNoNode;
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
    if (!thread.valid()) return NodeFor(tables::kNoNode, strings_.Intern("no thread"), "thread");
    const Thread& facts = rank_.profile->threads[thread.value];
    const std::string name =
        facts.name.empty() ? "thread " + std::to_string(facts.tid) : facts.name;
    return NodeFor(tables::kNoNode, strings_.Intern(name), "thread");
  }

  // The node of the innermost row that is in the tree, from `at` upwards.
  std::uint32_t NodeAround(HostId at) const {
    const HostTable& host = rank_.profile->host;
    while (at.valid()) {
      const std::uint32_t op = rank_.tree.representative[at.value];
      const std::uint32_t row = op == work::OpTree::kNone ? at.value : op;
      if (node_of_[row] != tables::kNoNode) return node_of_[row];
      const HostId above = host.parent[at.value];
      if (above.valid() && above.value >= at.value) break;
      at = above;
    }
    return tables::kNoNode;
  }

  void AddHostRow(std::uint32_t row) {
    const HostTable& host = rank_.profile->host;
    const bool is_op = host.kind[row] == HostKind::kOp || host.kind[row] == HostKind::kPython;
    if (is_op ? !rank_.tree.IsOp(row) : host.kind[row] != HostKind::kAnnotation) return;
    const HostId above = host.parent[row];
    std::uint32_t parent = above.valid() && above.value < row ? NodeAround(above) : tables::kNoNode;
    const bool is_top = parent == tables::kNoNode;
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

  // Work is below its operator, else below the range around its launch, else below the launching
  // thread. Work without all of these is below "no thread".
  void AddDevice(std::uint32_t row) {
    const DeviceTable& device = rank_.profile->device;
    const ApiTable& api = rank_.profile->api;
    const ApiId launch = device.launch[row];
    std::uint32_t parent = NodeAround(device.op[row]);
    if (parent == tables::kNoNode && launch.valid()) parent = NodeAround(api.op[launch.value]);
    if (parent == tables::kNoNode)
      parent = ThreadNode(launch.valid() ? api.thread[launch.value] : ThreadId{});
    const std::string_view kind = device.kind[row] == DeviceKind::kKernel   ? "kernel"
                                  : device.kind[row] == DeviceKind::kMemcpy ? "memcpy"
                                                                            : "memset";
    Node& node = tree_.nodes[NodeFor(parent, texts_(device.name[row]), kind)];
    ++node.calls;
    node.device_self += std::max<Ns>(device.duration[row], 0);
  }

  const context::RankContext& rank_;
  StringPool& strings_;
  tables::Texts texts_;
  RowLists host_rows_, device_rows_;
  std::vector<std::uint32_t> node_of_, touched_;
  Tree tree_;
  boost::unordered_flat_map<std::pair<std::uint64_t, const char*>, std::uint32_t> places_;
};

struct Choice {
  std::size_t rank = 0;
  std::uint32_t iteration = 0;
};

// The iterations in the order in which they are worth a tree.
std::vector<Choice> Choose(std::span<const context::RankContext> ranks,
                           std::span<const time::RunIteration> run) {
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
  const time::RunIteration& typical = run[by_time[(run.size() - 1) / 2]];
  add(typical.rank, typical.iteration);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const context::Iterations& iterations = ranks[r].iterations;
    for (std::size_t i = iterations.first; i < iterations.last; ++i) {
      if (iterations.all[i].name == typical.name) add(r, i);
    }
  }
  add(run[by_time.back()].rank, run[by_time.back()].iteration);
  for (const time::RunIteration& iteration : run) add(iteration.rank, iteration.iteration);
  return out;
}

// `above`: rows of the table so far.
void Append(const Tree& tree, std::int64_t iteration, std::int64_t rank, bool has_device,
            std::size_t above, tables::RowWriter<tables::columns::kOpTree>& write) {
  const auto order = tables::TreeOrder(tree.parents);
  tables::TreeCells cells(tree.parents, static_cast<std::int64_t>(above));
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

void AddIterationTree(std::span<const context::RankContext> ranks,
                      std::span<const time::RunIteration> run, tables::Output& out) {
  if (!out.Wants("op_tree")) return;
  const bool has_host = std::any_of(
      ranks.begin(), ranks.end(), [](const context::RankContext& rank) { return rank.has_host(); });
  if (!has_host) return out.SetTableAbsent("op_tree", CapabilityGap(Capability::kHostOps));
  Table& table = out.AddTable("op_tree");
  tables::RowWriter<tables::columns::kOpTree> write(table);
  std::optional<Builder> builder;
  for (const Choice& choice : Choose(ranks, run)) {
    const context::RankContext& rank = ranks[choice.rank];
    if (!builder || &builder->rank() != &rank) builder.emplace(rank, out.strings());
    const Tree tree = builder->Build(choice.iteration);
    if (table.rows() > 0 && table.rows() + tree.nodes.size() > kMostRows) break;
    Append(tree, choice.iteration, rank.rank, rank.has_device(), table.rows(), write);
  }
}

}  // namespace profgauge::analysis::ops
