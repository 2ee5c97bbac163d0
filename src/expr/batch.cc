#include "expr/batch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/function.h"

namespace profgauge::expr {
namespace {

constexpr double kAbsentNumber = std::numeric_limits<double>::quiet_NaN();

// An absent value is NaN, so that absence needs no branch and no second array. Comparisons with NaN
// would be false instead of absent, so they check for it.
double Absent(double a, double b, double value) {
  return std::isnan(a) || std::isnan(b) ? kAbsentNumber : value;
}

// A result out of range is absent, too, so that a limit does not treat it as a number.
double Finite(double value) { return std::isfinite(value) ? value : kAbsentNumber; }

/// Sets out[i] = f(a[i], b[i]); `f` gets NaN for absent.
template <class F>
void Each(std::vector<double>& out, const double* a, const double* b, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
}

bool IsTextTest(Op op) {
  return op == Op::kContains || op == Op::kStartsWith || op == Op::kEndsWith || op == Op::kMatches;
}

}  // namespace

Batch::Batch(const Program& program, const Data& data, NodeId last, std::size_t total_rows)
    : program_(program), data_(data), first_(program.ast().nodes[last].first), last_(last) {
  const std::size_t width = std::min(kBatchRows, total_rows);
  registers_.resize(last - first_ + 1);
  cells_.resize(program.ast().nodes.size());
  for (NodeId id = first_; id <= last_; ++id) {
    const Node& node = program.ast().nodes[id];
    const NodeInfo& info = program.info()[id];
    if (!info.varies) {
      cells_[id] =
          node.op == Op::kField ? LoadField(program, data, id, 0) : Apply(program, id, cells_);
    }
    if (!IsText(id)) {
      const bool known = !info.varies && !cells_[id].absent();
      Register(id).assign(width, known ? cells_[id].number : kAbsentNumber);
    }
    if (!info.varies || node.children.empty() || !IsText(node.children[0])) continue;
    // A text field compared with constants: caching pays if texts repeat.
    const std::optional<NodeId> leaf = OnlyLeaf(id);
    const Source* source = leaf ? SourceOf(program.info()[*leaf], data) : nullptr;
    if (node.op == Op::kCall || source == nullptr || source->strings == nullptr) continue;
    if (source->strings->size() / 8 <= total_rows) {
      memos_.push_back({id, *leaf, std::vector<std::int8_t>(source->strings->size() + 1, -1)});
    }
  }
}

// `name + '/' + op contains 'x'` depends on two fields, so caching by one of them would be wrong.
std::optional<NodeId> Batch::OnlyLeaf(NodeId id) const {
  std::optional<NodeId> leaf;
  for (NodeId below = program_.ast().nodes[id].first; below < id; ++below) {
    if (program_.ast().nodes[below].op != Op::kField || !program_.info()[below].varies) continue;
    if (leaf || !IsText(below)) return std::nullopt;
    leaf = below;
  }
  return leaf;
}

void Batch::LoadText(NodeId id, RowId row) {
  EvaluateCells(program_, data_, program_.ast().nodes[id].first, id, row, cells_);
}

std::span<const double> Batch::Run(std::span<const RowId> rows) {
  for (NodeId id = first_; id <= last_; ++id) {
    if (program_.info()[id].varies && !IsText(id)) Step(id, rows);
  }
  return {Register(last_).data(), rows.size()};
}

// A condition is 1 (true), 0 (false) or NaN (absent):
//
//   and  0   1   NaN        or   0   1   NaN
//   0    0   0   0          0    0   1   NaN
//   1    0   1   NaN        1    1   1   1
//   NaN  0   NaN NaN        NaN  NaN 1   NaN
void Batch::Step(NodeId id, std::span<const RowId> rows) {
  const Node& node = program_.ast().nodes[id];
  std::vector<double>& out = Register(id);
  const std::size_t count = rows.size();
  if (node.op == Op::kField) return Load(id, rows);
  if (node.op == Op::kCall) return CallStep(id, rows);
  if (IsTextTest(node.op) || IsText(node.children[0])) return TextStep(id, rows);
  if (node.op == Op::kIn) return Membership(id, count);
  const double* a = Numbers(node.children[0]);
  const double* b = node.children.size() > 1 ? Numbers(node.children[1]) : a;
  switch (node.op) {
    case Op::kNegate:
      return Each(out, a, b, count, [](double x, double) { return -x; });
    case Op::kNot:
      return Each(out, a, b, count, [](double x, double) { return 1 - x; });
    case Op::kAnd:
      return Each(out, a, b, count,
                  [](double x, double y) { return x == 0 || y == 0 ? 0.0 : Absent(x, y, 1); });
    case Op::kOr:
      return Each(out, a, b, count,
                  [](double x, double y) { return x == 1 || y == 1 ? 1.0 : Absent(x, y, 0); });
    case Op::kDefault:
      return Each(out, a, b, count, [](double x, double y) { return std::isnan(x) ? y : x; });
    case Op::kLess:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x < y); });
    case Op::kLessEqual:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x <= y); });
    case Op::kGreater:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x > y); });
    case Op::kGreaterEqual:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x >= y); });
    case Op::kEqual:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x == y); });
    case Op::kNotEqual:
      return Each(out, a, b, count, [](double x, double y) { return Absent(x, y, x != y); });
    default:
      return Arithmetic(id, count);
  }
}

void Batch::Arithmetic(NodeId id, std::size_t count) {
  const Node& node = program_.ast().nodes[id];
  std::vector<double>& out = Register(id);
  const double* a = Numbers(node.children[0]);
  const double* b = Numbers(node.children[1]);
  const int sign = node.op == Op::kDivide ? -1 : 1;
  const auto& info = program_.info();
  const bool scales = node.op == Op::kMultiply || node.op == Op::kDivide;
  const double factor = !scales ? 1
                                : CombineFactor(info[node.children[0]].type,
                                                info[node.children[1]].type, sign, info[id].type);
  switch (node.op) {
    case Op::kAdd:
      return Each(out, a, b, count, [](double x, double y) { return Finite(x + y); });
    case Op::kSubtract:
      return Each(out, a, b, count, [](double x, double y) { return Finite(x - y); });
    case Op::kMultiply:
      return Each(out, a, b, count, [=](double x, double y) { return Finite(x * y * factor); });
    default:
      return Each(out, a, b, count, [=](double x, double y) { return Finite(x / y * factor); });
  }
}

// Integers become doubles here: beyond 2^53 they are rounded.
void Batch::Load(NodeId id, std::span<const RowId> rows) {
  std::vector<double>& out = Register(id);
  const Source* source = SourceOf(program_.info()[id], data_);
  std::fill_n(out.begin(), rows.size(), kAbsentNumber);
  if (source == nullptr || source->column == nullptr) return;
  const Column& column = *source->column;
  if (column.type() == CellType::kText) return;
  const bool is_real = column.type() == CellType::kReal;
  const RowFinder rows_of(*source);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowId row = 0;
    if (!rows_of.Find(rows[i], row)) continue;
    if (is_real) {
      out[i] = Finite(column.RealAt(row));
    } else if (const std::int64_t cell = column.IntegerAt(row); cell != Column::kAbsentInteger) {
      out[i] = static_cast<double>(cell);
    }
  }
}

// Absent if any item is absent, like in cell.h: `x in [a, b]` with an unknown b is unknown, even if
// x equals a.
void Batch::Membership(NodeId id, std::size_t count) {
  const auto& children = program_.ast().nodes[id].children;
  std::vector<double>& out = Register(id);
  const double* what = Numbers(children[0]);
  for (std::size_t i = 0; i < count; ++i) {
    bool found = false;
    bool absent = std::isnan(what[i]);
    for (std::size_t item = 1; item < children.size(); ++item) {
      const double number = Numbers(children[item])[i];
      absent = absent || std::isnan(number);
      found = found || number == what[i];
    }
    out[i] = absent ? kAbsentNumber : (found ? 1 : 0);
  }
}

void Batch::TextStep(NodeId id, std::span<const RowId> rows) {
  for (Memo& memo : memos_) {
    if (memo.node == id) return TextByMemo(id, rows, memo);
  }
  std::vector<double>& out = Register(id);
  const auto& children = program_.ast().nodes[id].children;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const NodeId child : children) {
      if (program_.info()[child].varies) LoadText(child, rows[i]);
    }
    const Cell result = Apply(program_, id, cells_);
    out[i] = result.absent() ? kAbsentNumber : result.number;
  }
}

// Tests a text in the first row that has it, and stores the result for all rows with that text:
// nothing else in the test varies.
void Batch::TextByMemo(NodeId id, std::span<const RowId> rows, Memo& memo) {
  const Source& source = *SourceOf(program_.info()[memo.leaf], data_);
  const RowFinder rows_of(source);
  std::vector<double>& out = Register(id);
  constexpr std::int8_t kUnseen = -1, kAbsentResult = 2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RowId row = 0;
    StringId text;
    if (rows_of.Find(rows[i], row)) text = source.column->TextAt(row);
    std::int8_t& seen = text.valid() ? memo.seen[text.value] : memo.seen.back();
    if (seen == kUnseen) {
      LoadText(id, rows[i]);
      const Cell& result = cells_[id];
      seen = result.absent() ? kAbsentResult : static_cast<std::int8_t>(result.number);
    }
    out[i] = seen == kAbsentResult ? kAbsentNumber : seen;
  }
}

// Functions take cells, so each row's numbers are stored in cells first. The cells of constant
// texts are already set.
void Batch::CallStep(NodeId id, std::span<const RowId> rows) {
  const NodeInfo& info = program_.info()[id];
  const auto& children = program_.ast().nodes[id].children;
  std::vector<double>& out = Register(id);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const NodeId child : children) {
      if (!info.varies) continue;
      if (IsText(child)) {
        if (program_.info()[child].varies) LoadText(child, rows[i]);
      } else {
        cells_[child] = Cell::Number(Numbers(child)[i], child);
      }
    }
    const Cell result = Apply(program_, id, cells_);
    out[i] = result.absent() ? kAbsentNumber : result.number;
  }
}

}  // namespace profgauge::expr
