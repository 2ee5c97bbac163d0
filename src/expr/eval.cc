#include "expr/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "expr/batch.h"
#include "expr/cell.h"
#include "expr/function.h"

namespace profgauge::expr {
namespace {

/// Returns the part of a program that ends in `id`, as canonical text. A subtree is contiguous, so
/// a copy with shifted numbers is a complete tree.
std::string TextOf(const Program& program, NodeId id) {
  const auto& nodes = program.ast().nodes;
  const NodeId first = nodes[id].first;
  Ast part;
  for (NodeId i = first; i <= id; ++i) {
    Node node = nodes[i];
    node.first -= first;
    for (NodeId& child : node.children) child -= first;
    part.nodes.push_back(std::move(node));
  }
  return Print(part);
}

// Stores why `id` became absent. Absence is passed up with the node where it began, so that the
// reason names the missing field and not the whole expression.
void Explain(const Program& program, const Data& data, NodeId id, Outcome& out) {
  const Node& node = program.ast().nodes[id];
  if (node.op == Op::kField) {
    out.absent_field = node.text;
    const Source* source = SourceOf(program.info()[id], data);
    std::string why = source == nullptr ? "" : source->absent_because;
    if (why.empty() && source != nullptr && source->column != nullptr) {
      why = source->column->absent_because();
    }
    out.absent_because = why.empty() ? fmt::format("`{}` is absent", node.text)
                                     : fmt::format("`{}` is absent: {}", node.text, why);
    return;
  }
  const std::string text = TextOf(program, id);
  if (node.op == Op::kDivide) {
    out.absent_because = fmt::format("`{}` divides by zero or is out of range", text);
  } else if (node.op == Op::kCall && program.info()[id].function->is_aggregate) {
    out.absent_because = fmt::format("`{}` has no rows to look at", text);
  } else {
    out.absent_because = fmt::format("`{}` is out of range", text);
  }
}

Outcome ToOutcome(const Program& program, const Data& data, const Cell& cell) {
  Outcome out;
  if (cell.absent()) {
    Explain(program, data, cell.origin, out);
  } else if (cell.state == Cell::State::kText) {
    out.value = std::string(cell.text);
  } else if (program.type().kind == Kind::kBool) {
    out.value = cell.number != 0;
  } else {
    out.value = cell.number;
  }
  return out;
}

}  // namespace

// Aggregates evaluate their subtree for each row; everything else is evaluated once. Nodes come
// after their children, so one pass in order is enough.
Outcome Evaluate(const Program& program, const Data& data, std::span<const RowId> rows) {
  const auto& nodes = program.ast().nodes;
  std::vector<Cell> cells(nodes.size());
  std::uint64_t skipped = 0;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const NodeInfo& info = program.info()[id];
    if (info.in_aggregate) continue;
    if (info.function != nullptr && info.function->is_aggregate) {
      cells[id] = Aggregate(program, data, id, rows, skipped);
    } else {
      EvaluateCells(program, data, id, id, 0, cells);
    }
  }
  Outcome out = ToOutcome(program, data, cells.back());
  out.rows_skipped = skipped;
  return out;
}

Outcome EvaluateRow(const Program& program, const Data& data, RowId row) {
  std::vector<Cell> cells(program.ast().nodes.size());
  EvaluateCells(program, data, 0, program.ast().root(), row, cells);
  return ToOutcome(program, data, cells.back());
}

Outcome EvaluateCondition(const Program& program,
                          const std::function<Value(std::string_view)>& lookup) {
  Data data;
  for (NodeId id = 0; id < program.ast().nodes.size(); ++id) {
    const Slot slot = program.info()[id].slot;
    if (slot == Schema::kNone) continue;
    if (slot >= data.size()) data.resize(slot + 1);
    data[slot].value = lookup(program.ast().nodes[id].text);
  }
  return Evaluate(program, data, {});
}

std::vector<double> EvaluateNumbers(const Program& program, const Data& data,
                                    std::span<const RowId> rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  Batch batch(program, data, program.ast().root(), rows.size());
  for (std::size_t at = 0; at < rows.size(); at += kBatchRows) {
    const auto part = batch.Run(rows.subspan(at, std::min(kBatchRows, rows.size() - at)));
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

namespace {

/// The conditions of an `and` chain, first one first.
std::vector<NodeId> PartsOf(const Program& condition) {
  const auto& nodes = condition.ast().nodes;
  std::vector<NodeId> parts;
  NodeId at = condition.ast().root();
  for (; nodes[at].op == Op::kAnd; at = nodes[at].children[0]) {
    parts.push_back(nodes[at].children[1]);
  }
  parts.push_back(at);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace

// Evaluates the conditions of an `and` chain in order, each for the rows that passed all before.
// Batches have no reasons: for its reason, the first unknown row is evaluated again.
Filtered Filter(const Program& condition, const Data& data, std::span<const RowId> rows) {
  Filtered out;
  std::vector<Batch> parts;
  for (const NodeId part : PartsOf(condition)) {
    parts.emplace_back(condition, data, part, rows.size());
  }
  std::vector<RowId> left;
  std::vector<bool> is_unknown;
  for (std::size_t at = 0; at < rows.size(); at += kBatchRows) {
    const auto some = rows.subspan(at, std::min(kBatchRows, rows.size() - at));
    left.assign(some.begin(), some.end());
    is_unknown.assign(left.size(), false);
    for (Batch& part : parts) {
      if (left.empty()) break;
      const std::span<const double> truths = part.Run(left);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < truths.size(); ++i) {
        if (truths[i] == 0) continue;
        left[kept] = left[i];
        is_unknown[kept++] = is_unknown[i] || std::isnan(truths[i]);
      }
      left.resize(kept);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!is_unknown[i]) {
        out.rows.push_back(left[i]);
      } else if (out.unknown++ == 0) {
        const Outcome why = EvaluateRow(condition, data, left[i]);
        out.unknown_because = why.absent_because;
        out.unknown_field = why.absent_field;
      }
    }
  }
  return out;
}

std::vector<RowId> Sorted(const Program& order, const Data& data, std::span<const RowId> rows,
                          std::size_t limit) {
  std::vector<std::uint32_t> places(rows.size());
  std::iota(places.begin(), places.end(), 0U);
  // Only the first rows are needed, often few of many: the others need no order.
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(std::min(limit, rows.size()));
  // Equal rows keep their order: the index is the last criterion.
  if (order.type().kind == Kind::kText) {
    std::vector<Value> texts;
    texts.reserve(rows.size());
    for (const RowId row : rows) texts.push_back(EvaluateRow(order, data, row).value);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      if (IsAbsent(texts[a]) != IsAbsent(texts[b])) return IsAbsent(texts[b]);
      if (texts[a] != texts[b]) return (texts[a] < texts[b]) != order.descending();
      return a < b;
    };
    std::partial_sort(places.begin(), middle, places.end(), before);
  } else {
    const std::vector<double> keys = EvaluateNumbers(order, data, rows);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      if (std::isnan(keys[a]) != std::isnan(keys[b])) return std::isnan(keys[b]);
      if (keys[a] < keys[b] || keys[b] < keys[a]) {
        return (keys[a] < keys[b]) != order.descending();
      }
      return a < b;
    };
    std::partial_sort(places.begin(), middle, places.end(), before);
  }
  std::vector<RowId> out;
  for (auto it = places.begin(); it != middle; ++it) out.push_back(rows[*it]);
  return out;
}

}  // namespace profgauge::expr
