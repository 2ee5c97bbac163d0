#include "model/graph_recipe.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <tuple>
#include <utility>

namespace profgauge {

// Returns ranges, the outermost first: if two begin together, the longer; if equal, the module.
//
//   module Linear      |-------------------|
//   op aten::linear    |-------------------|
//   op aten::addmm       |---------------|
//   launch                      ^              Linear, aten::linear, aten::addmm
std::vector<RecipeMaker::Range> RecipeMaker::RangesAround(const CapturedWork& work) const {
  const HostTable& host = capture_.host;
  const PythonTable& python = capture_.python;
  std::vector<Range> ranges;
  for (HostId op = work.op; op.valid(); op = host.parent[op.value]) {
    if (host.kind[op.value] != HostKind::kOp) continue;
    ranges.push_back(
        {host.start[op.value], host.start[op.value] + host.duration[op.value], false, op.value});
  }
  for (const std::uint32_t row : modules_.Around(capture_.api.thread[work.call.value], work.at)) {
    ranges.push_back({python.start[row], python.start[row] + python.duration[row], true, row});
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.start, -a.end, !a.is_module, a.row) <
           std::tuple(b.start, -b.end, !b.is_module, b.row);
  });
  return ranges;
}

GraphNode RecipeMaker::NodeOf(const Range& range) {
  GraphNode node;
  node.is_module = range.is_module;
  if (range.is_module) {
    node.name = Text(capture_.python.name[range.row]);
    node.module = capture_.python.module_id[range.row];
    return node;
  }
  const HostTable& host = capture_.host;
  node.name = Text(host.name[range.row]);
  node.input_shapes = Text(host.input_shapes[range.row]);
  node.input_dtypes = Text(host.input_dtypes[range.row]);
  node.call_stack = Text(host.call_stack[range.row]);
  node.concrete_inputs = Text(host.concrete_inputs[range.row]);
  node.sequence = host.sequence[range.row];
  return node;
}

// Processes each thread separately: its ranges nest, so each is entered and left once. Goes over
// the launches in order, with the ranges around each, and keeps ranges that two neighbors share:
//
//   K1   model, block, linear, addmm      opens 0 1 2 3
//   K2   model, block, linear, addmm      all shared: also of node 3
//   K3   model, block, gelu               closes 3 2, opens 4
//
// A module that is called twice has two ranges with different times, which become two nodes.
GraphRecipe RecipeMaker::Make(const std::vector<std::optional<std::uint32_t>>& of_work) {
  GraphRecipe recipe;
  recipe.of_work.assign(of_work.size(), GraphNode::kNone);
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_thread;
  for (std::uint32_t i = 0; i < of_work.size(); ++i) {
    if (!of_work[i]) continue;
    by_thread[capture_.api.thread[work_[*of_work[i]].call.value].value].push_back(i);
  }
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> node_of_op;
  for (const auto& [thread, pieces] : by_thread) {
    std::vector<std::pair<Range, std::uint32_t>> open;
    const auto close_to = [&](std::size_t depth) {
      for (; open.size() > depth; open.pop_back()) {
        recipe.nodes[open.back().second].behind = static_cast<std::uint32_t>(recipe.nodes.size());
      }
    };
    for (const std::uint32_t piece : pieces) {
      const std::vector<Range> ranges = RangesAround(work_[*of_work[piece]]);
      std::size_t common = 0;
      while (common < std::min(open.size(), ranges.size()) &&
             open[common].first == ranges[common]) {
        ++common;
      }
      close_to(common);
      for (; common < ranges.size(); ++common) {
        const auto node = static_cast<std::uint32_t>(recipe.nodes.size());
        recipe.nodes.push_back(NodeOf(ranges[common]));
        if (!ranges[common].is_module) node_of_op.emplace(ranges[common].row, node);
        open.emplace_back(ranges[common], node);
      }
      const auto op = std::find_if(open.rbegin(), open.rend(),
                                   [](const auto& entry) { return !entry.first.is_module; });
      if (op != open.rend()) recipe.of_work[piece] = op->second;
    }
    close_to(0);
  }
  for (const auto& [row, node] : node_of_op) {
    const HostId forward = capture_.host.forward[row];
    if (!forward.valid()) continue;
    const auto found = node_of_op.find(forward.value);
    if (found != node_of_op.end()) recipe.nodes[node].forward = found->second;
  }
  return recipe;
}

}  // namespace profgauge
