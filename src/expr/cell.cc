#include "expr/cell.h"

#include <re2/re2.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/format.h"
#include "expr/batch.h"
#include "expr/function.h"

namespace profgauge::expr {
namespace {

/// The values of one aggregate's argument in the participating rows, in row order.
struct Values {
  std::vector<double> numbers;
  std::vector<RowId> rows;          ///< The row of each number.
  std::uint64_t absent = 0;         ///< Rows skipped because the value or condition is absent.
  std::optional<RowId> absent_row;  ///< The first of these rows.
  NodeId absent_node = 0;           ///< The absent node of that row.
};

/// Rows whose condition is false do not participate; rows where it is unknown count as absent.
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

/// The node in the subtree of `node` at which absence began in `row`.
NodeId OriginIn(const Program& program, const Data& data, NodeId node, RowId row) {
  std::vector<Cell> cells(program.ast().nodes.size());
  EvaluateCells(program, data, program.ast().nodes[node].first, node, row, cells);
  return cells[node].absent() ? cells[node].origin : node;
}

// Interpolates linearly between the two nearest values (type 7 of Hyndman and Fan, NumPy's
// default): for the values 1 2 3 10, the 50th percentile is 2.5 and the 95th 8.95.
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

/// `distinct` also accepts texts, which have no batches: equal texts get one number.
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

/// The value of the first row with the largest number.
Cell AtMax(const Program& program, const Data& data, NodeId what, const Values& by) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < by.numbers.size(); ++i) {
    if (by.numbers[i] > by.numbers[best]) best = i;
  }
  std::vector<Cell> cells(program.ast().nodes.size());
  EvaluateCells(program, data, program.ast().nodes[what].first, what, by.rows[best], cells);
  return cells[what];
}

/// Over no numbers, sum and count are 0, `any` is false and `all` true; a mean or an extreme is
/// absent.
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
  // If there were rows but none has a value, the result is unknown; over no rows, the sum is 0.
  if (values.numbers.empty() && values.absent > 0) {
    return Cell::Absent(OriginIn(program, data, values.absent_node, *values.absent_row));
  }
  if (!is_at_max) return Reduce(program, id, values);
  if (values.numbers.empty()) return Cell::Absent(id);
  return AtMax(program, data, node.children[0], values);
}

namespace {

Cell Truth(bool value) {
  Cell cell;
  cell.state = Cell::State::kNumber;
  cell.number = value ? 1 : 0;
  return cell;
}

Cell FromValue(const Value& value, NodeId id) {
  if (IsAbsent(value)) return Cell::Absent(id);
  if (const auto* text = std::get_if<std::string>(&value)) return Cell::Text(*text);
  return Cell::Number(AsNumber(value, 0), id);
}

/// `and` (decisive 0) and `or` (decisive 1): absent only if neither side decides.
Cell Connect(const Cell& a, const Cell& b, double decisive) {
  if (!a.absent() && a.number == decisive) return a;
  if (!b.absent() && b.number == decisive) return b;
  if (a.absent()) return a;
  return b;
}

bool Equal(const Cell& a, const Cell& b) {
  return a.state == Cell::State::kText ? a.text == b.text : a.number == b.number;
}

Cell Compare(Op op, const Cell& a, const Cell& b) {
  switch (op) {
    case Op::kLess:
      return Truth(a.number < b.number);
    case Op::kLessEqual:
      return Truth(a.number <= b.number);
    case Op::kGreater:
      return Truth(a.number > b.number);
    case Op::kGreaterEqual:
      return Truth(a.number >= b.number);
    case Op::kEqual:
      return Truth(Equal(a, b));
    default:
      return Truth(!Equal(a, b));
  }
}

Cell Call(FunctionId function, NodeId id, const std::vector<NodeId>& children,
          const std::vector<Cell>& cells) {
  if (function == FunctionId::kKnown) return Truth(!cells[children[0]].absent());
  if (function == FunctionId::kIf) {
    const Cell& condition = cells[children[0]];
    if (condition.absent()) return condition;
    return cells[children[condition.number != 0 ? 1 : 2]];
  }
  if (function == FunctionId::kGreatestKnown) {
    Cell largest = cells[children[0]];
    for (const NodeId child : children) {
      const Cell& cell = cells[child];
      if (!cell.absent() && (largest.absent() || cell.number > largest.number)) largest = cell;
    }
    return largest;
  }
  double result = cells[children[0]].number;
  for (const NodeId child : children) {
    if (cells[child].absent()) return cells[child];
    const double number = cells[child].number;
    if (function == FunctionId::kLeast) result = std::min(result, number);
    if (function == FunctionId::kGreatest) result = std::max(result, number);
  }
  if (function == FunctionId::kAbs) result = std::abs(result);
  if (function == FunctionId::kCeil) result = std::ceil(result);
  if (function == FunctionId::kFloor) result = std::floor(result);
  return Cell::Number(result, id);
}

/// "1 kernel", "2 kernels"; plural(n, 'entry', 'entries') states the second form.
Cell Plural(const Program& program, const std::vector<NodeId>& children,
            const std::vector<Cell>& cells) {
  for (const NodeId child : children) {
    if (cells[child].absent()) return cells[child];
  }
  const double number = cells[children[0]].number;
  std::string text = FormatValue(Value{number}, program.info()[children[0]].type.unit) + ' ';
  text += cells[children[number != 1 && children.size() > 2 ? 2 : 1]].text;
  if (number != 1 && children.size() == 2) text += 's';
  return Cell::Made(std::move(text));
}

/// Division by zero gives infinity or NaN, which Cell::Number() makes absent.
Cell Arithmetic(const Program& program, NodeId id, double a, double b) {
  const Node& node = program.ast().nodes[id];
  switch (node.op) {
    case Op::kAdd:
      return Cell::Number(a + b, id);
    case Op::kSubtract:
      return Cell::Number(a - b, id);
    default:
      break;
  }
  const int sign = node.op == Op::kDivide ? -1 : 1;
  const auto& info = program.info();
  const double factor =
      CombineFactor(info[node.children[0]].type, info[node.children[1]].type, sign, info[id].type);
  return Cell::Number((sign > 0 ? a * b : a / b) * factor, id);
}

}  // namespace

Cell Cell::Number(double number, NodeId id) {
  if (!std::isfinite(number)) return Absent(id);
  Cell cell;
  cell.state = State::kNumber;
  cell.number = number;
  return cell;
}

Cell Cell::Text(std::string_view text) {
  Cell cell;
  cell.state = State::kText;
  cell.text = text;
  return cell;
}

Cell Cell::Made(std::string text) {
  Cell cell;
  cell.joined = std::make_shared<const std::string>(std::move(text));
  cell.state = State::kText;
  cell.text = *cell.joined;
  return cell;
}

Cell Cell::Absent(NodeId origin) {
  Cell cell;
  cell.origin = origin;
  return cell;
}

const Source* SourceOf(const NodeInfo& info, const Data& data) {
  return info.slot < data.size() ? &data[info.slot] : nullptr;
}

// Absent if the field has no data, no row for this one, an absent cell, or a text without its pool.
Cell LoadField(const Program& program, const Data& data, NodeId id, RowId row) {
  const NodeInfo& info = program.info()[id];
  const Source* source = SourceOf(info, data);
  if (source == nullptr) return Cell::Absent(id);
  if (!info.varies) return FromValue(source->value, id);
  RowId at = 0;
  if (!RowFinder(*source).Find(row, at) || source->column->IsAbsentAt(at)) {
    return Cell::Absent(id);
  }
  switch (source->column->type()) {
    case CellType::kInteger:
      return Cell::Number(static_cast<double>(source->column->IntegerAt(at)), id);
    case CellType::kReal:
      return Cell::Number(source->column->RealAt(at), id);
    case CellType::kText:
      if (source->strings == nullptr) return Cell::Absent(id);
      return Cell::Text((*source->strings)[source->column->TextAt(at)]);
  }
  return Cell::Absent(id);
}

bool TestTexts(const Program& program, NodeId id, std::string_view a, std::string_view b) {
  switch (program.ast().nodes[id].op) {
    case Op::kEqual:
    case Op::kIn:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kContains:
      return a.find(b) != std::string_view::npos;
    case Op::kStartsWith:
      return a.starts_with(b);
    case Op::kEndsWith:
      return a.ends_with(b);
    default:
      return re2::RE2::PartialMatch({a.data(), a.size()}, *program.PatternOf(id));
  }
}

// `and`, `or`, `default` and calls have special rules for absent operands. For all others the first
// absent operand is the result, so that its reason is kept.
Cell Apply(const Program& program, NodeId id, const std::vector<Cell>& cells) {
  const Node& node = program.ast().nodes[id];
  const auto& children = node.children;
  switch (node.op) {
    case Op::kNumber:
    case Op::kBool:
      return Cell::Number(node.number, id);
    case Op::kText:
      return Cell::Text(node.text);
    case Op::kCall:
      if (program.info()[id].function->id == FunctionId::kPlural) {
        return Plural(program, children, cells);
      }
      return Call(program.info()[id].function->id, id, children, cells);
    case Op::kAnd:
      return Connect(cells[children[0]], cells[children[1]], 0);
    case Op::kDefault:
      return cells[children[cells[children[0]].absent() && !cells[children[1]].absent() ? 1 : 0]];
    case Op::kOr:
      return Connect(cells[children[0]], cells[children[1]], 1);
    default:
      break;
  }
  for (const NodeId child : children) {
    if (cells[child].absent()) return cells[child];
  }
  const Cell& a = cells[children[0]];
  switch (node.op) {
    case Op::kNegate:
      return Cell::Number(-a.number, id);
    case Op::kNot:
      return Truth(a.number == 0);
    case Op::kAdd:
      if (a.state == Cell::State::kText) {
        return Cell::Made(std::string(a.text) + std::string(cells[children[1]].text));
      }
      return Arithmetic(program, id, a.number, cells[children[1]].number);
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
      return Arithmetic(program, id, a.number, cells[children[1]].number);
    case Op::kIn:
      return Truth(std::any_of(children.begin() + 1, children.end(),
                               [&](NodeId item) { return Equal(a, cells[item]); }));
    case Op::kContains:
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kMatches:
      return Truth(TestTexts(program, id, a.text, cells[children[1]].text));
    default:
      return Compare(node.op, a, cells[children[1]]);
  }
}

void EvaluateCells(const Program& program, const Data& data, NodeId first, NodeId last, RowId row,
                   std::vector<Cell>& cells) {
  for (NodeId id = first; id <= last; ++id) {
    const bool is_field = program.ast().nodes[id].op == Op::kField;
    cells[id] = is_field ? LoadField(program, data, id, row) : Apply(program, id, cells);
  }
}

}  // namespace profgauge::expr
