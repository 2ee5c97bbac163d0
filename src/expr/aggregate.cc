#include "expr/cell.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <optional>
#include <string>

#include "expr/batch.h"
#include "expr/function.h"

namespace profgauge::expr {
namespace {

/// The values of one aggregate's argument in the rows that take part, in row order.
struct Values {
  std::vector<double> numbers;
  std::vector<RowId> rows;          ///< The row of each number.
  std::uint64_t absent = 0;         ///< Rows left out because value or condition is absent.
  std::optional<RowId> absent_row;  ///< The first of them.
  NodeId absent_node = 0;           ///< The absent node of that row.
};

/// Rows whose condition is false do not take part; those where it is unknown count as absent.
Values Collect(const Program& program, const Data& data, NodeId what,
               std::optional<NodeId> condition, std::span<const RowId> rows) {
  Values out;
  out.numbers.reserve(rows.size());
  out.rows.reserve(rows.size());
  Batch batch(program, data, what, rows.size());
  std::optional<Batch> filter;
  if (condition) filter.emplace(program, data, *condition, rows.size());
  const auto skip = [&out](RowId row, NodeId node) {
    if (out.absent++ == 0) {
      out.absent_row = row;
      out.absent_node = node;
    }
  };
  for (std::size_t at = 0; at < rows.size(); at += kBatchRows) {
    const auto part = rows.subspan(at, std::min(kBatchRows, rows.size() - at));
    const std::span<const double> numbers = batch.Run(part);
    const std::span<const double> kept = filter ? filter->Run(part) : std::span<const double>();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (filter && kept[i] == 0) continue;
      if (filter && std::isnan(kept[i])) {
        skip(part[i], *condition);
      } else if (std::isnan(numbers[i])) {
        skip(part[i], what);
      } else {
        out.numbers.push_back(numbers[i]);
        out.rows.push_back(part[i]);
      }
    }
  }
  return out;
}

/// Why `node` is absent in `row`: where in its subtree absence began.
NodeId OriginIn(const Program& program, const Data& data, NodeId node, RowId row) {
  std::vector<Cell> cells(program.ast().nodes.size());
  EvaluateCells(program, data, program.ast().nodes[node].first, node, row, cells);
  return cells[node].absent() ? cells[node].origin : node;
}

// Linear between the two nearest values (type 7 of Hyndman and Fan, the default of NumPy): of the
// values 1 2 3 10 the 50th is 2.5, the 95th 8.95.
double Percentile(std::vector<double> numbers, double percent) {
  const double place = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers.begin(), middle, numbers.end());
  const double low = *middle;
  const double part = place - std::floor(place);
  if (part == 0) return low;
  return low + (*std::min_element(middle + 1, numbers.end()) - low) * part;
}

double Sum(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

double CountDistinct(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return static_cast<double>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// `distinct` also takes texts, which have no batches: equal ones get one number.
Values CollectTexts(const Program& program, const Data& data, NodeId what,
                    std::optional<NodeId> condition, std::span<const RowId> rows) {
  Values out;
  std::vector<double> kept;
  if (condition) {
    Batch filter(program, data, *condition, rows.size());
    for (std::size_t at = 0; at < rows.size(); at += kBatchRows) {
      const auto part = filter.Run(rows.subspan(at, std::min(kBatchRows, rows.size() - at)));
      kept.insert(kept.end(), part.begin(), part.end());
    }
  }
  boost::unordered_flat_map<std::string, double> known;
  std::vector<Cell> cells(program.ast().nodes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (condition && kept[i] == 0) continue;
    EvaluateCells(program, data, program.ast().nodes[what].first, what, rows[i], cells);
    if (!cells[what].absent() && !(condition && std::isnan(kept[i]))) {
      const auto next = static_cast<double>(known.size());
      out.numbers.push_back(known.try_emplace(std::string(cells[what].text), next).first->second);
      out.rows.push_back(rows[i]);
    } else if (out.absent++ == 0) {
      out.absent_row = rows[i];
      out.absent_node = what;
    }
  }
  return out;
}

/// The first of several rows with the largest value.
Cell AtMax(const Program& program, const Data& data, NodeId what, const Values& by) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < by.numbers.size(); ++i) {
    if (by.numbers[i] > by.numbers[best]) best = i;
  }
  std::vector<Cell> cells(program.ast().nodes.size());
  EvaluateCells(program, data, program.ast().nodes[what].first, what, by.rows[best], cells);
  return cells[what];
}

/// Without any number a sum and a count are 0, `any` is false and `all` true; a mean or an extreme
/// is absent.
Cell Reduce(const Program& program, NodeId id, const Values& values) {
  const std::vector<double>& numbers = values.numbers;
  const Node& node = program.ast().nodes[id];
  const FunctionId function = program.info()[id].function->id;
  const auto truths = std::count(numbers.begin(), numbers.end(), 1.0);
  switch (function) {
    case FunctionId::kSum:
      return Cell::Number(Sum(numbers), id);
    case FunctionId::kCount:
      return Cell::Number(static_cast<double>(truths), id);
    case FunctionId::kAny:
      return Cell::Number(truths > 0 ? 1 : 0, id);
    case FunctionId::kAll:
      return Cell::Number(static_cast<std::size_t>(truths) == numbers.size() ? 1 : 0, id);
    case FunctionId::kDistinct:
      return Cell::Number(CountDistinct(numbers), id);
    default:
      break;
  }
  if (numbers.empty()) return Cell::Absent(id);
  switch (function) {
    case FunctionId::kMean:
      return Cell::Number(Sum(numbers) / static_cast<double>(numbers.size()), id);
    case FunctionId::kMin:
      return Cell::Number(*std::min_element(numbers.begin(), numbers.end()), id);
    case FunctionId::kMax:
      return Cell::Number(*std::max_element(numbers.begin(), numbers.end()), id);
    case FunctionId::kMedian:
      return Cell::Number(Percentile(numbers, 50), id);
    default:
      return Cell::Number(Percentile(numbers, program.ast().nodes[node.children[1]].number), id);
  }
}

}  // namespace

Cell Aggregate(const Program& program, const Data& data, NodeId id, std::span<const RowId> rows,
               std::uint64_t& skipped) {
  const Node& node = program.ast().nodes[id];
  const Function& function = *program.info()[id].function;
  if (node.children.empty()) return Cell::Number(static_cast<double>(rows.size()), id);
  const auto required = static_cast<std::size_t>(function.min_arguments);
  std::optional<NodeId> condition;
  if (required > 0 && node.children.size() > required) condition = node.children[required];
  const bool is_at_max = function.id == FunctionId::kAtMax;
  const NodeId measured = node.children[is_at_max ? 1 : 0];
  const bool is_text = program.info()[measured].type.kind == Kind::kText;
  const Values values = is_text ? CollectTexts(program, data, measured, condition, rows)
                                : Collect(program, data, measured, condition, rows);
  skipped += values.absent;
  // Rows were there and none had a value: unknown, and not the sum 0 of no rows.
  if (values.numbers.empty() && values.absent > 0) {
    return Cell::Absent(OriginIn(program, data, values.absent_node, *values.absent_row));
  }
  if (!is_at_max) return Reduce(program, id, values);
  if (values.numbers.empty()) return Cell::Absent(id);
  return AtMax(program, data, node.children[0], values);
}

}  // namespace profgauge::expr
