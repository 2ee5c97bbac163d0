#include "expr/cell.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "expr/function.h"

namespace profgauge::expr {
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

/// `and` (decisive 0) and `or` (decisive 1): absent only when neither side decides.
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

/// "1 kernel", "2 kernels"; plural(n, 'entry', 'entries') names the second form.
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

// Absent where there is no data for the field, no row of it for this one, an absent cell, or a text
// without its pool.
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

// `and`, `or`, `default` and calls have their own rules for absent operands. For all others
// the first absent one is the result, so that its reason is kept.
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
