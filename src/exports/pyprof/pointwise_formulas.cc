#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exports/pyprof/formulas.h"

namespace profgauge::exports::pyprof {
namespace {

enum class Group : std::uint8_t {
  kNone,
  kUnary,
  kTranscendental,
  kBinary,
  kCompare,
  kPower,
  kTernary
};

template <std::size_t n>
bool IsIn(const std::array<std::string_view, n>& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

constexpr std::array<std::string_view, 13> kUnary = {
    "abs",   "neg",   "reciprocal", "__abs__", "__neg__", "__invert__", "ceil",
    "clamp", "floor", "frac",       "round",   "sign",    "trunc"};
constexpr std::array<std::string_view, 22> kTranscendental = {
    "exp",  "exp1m",   "log",  "log10", "log1p", "log2",  "sqrt", "rsqrt",
    "acos", "asin",    "atan", "atan2", "cos",   "cosh",  "sin",  "sinh",
    "tan",  "sigmoid", "tanh", "erf",   "erfc",  "erfinv"};
constexpr std::array<std::string_view, 6> kArithmetic = {"add",       "div", "mul",
                                                         "remainder", "sub", "fmod"};
constexpr std::array<std::string_view, 27> kDunder = {
    "__add__",       "__div__",  "__mul__",  "__sub__",    "__truediv__", "__floordiv__",
    "__mod__",       "__radd__", "__rdiv__", "__rmul__",   "__rsub__",    "__rtruediv__",
    "__rfloordiv__", "__iadd__", "__idiv__", "__imul__",   "__isub__",    "__itruediv__",
    "__and__",       "__or__",   "__xor__",  "__lshift__", "__rshift__",  "__iand__",
    "__ior__",       "__ixor__", "__imod__"};
constexpr std::array<std::string_view, 12> kCompare = {
    "lt", "gt", "le", "ge", "eq", "ne", "__lt__", "__gt__", "__le__", "__ge__", "__eq__", "__ne__"};
constexpr std::array<std::string_view, 4> kPower = {"pow", "__pow__", "__rpow__", "__ipow__"};

// An in-place op ("add_") counts as the op; names with two underscores at the end are Python's own.
Group GroupOf(std::string_view op) {
  if (op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  if (IsIn(kUnary, op)) return Group::kUnary;
  if (IsIn(kTranscendental, op)) return Group::kTranscendental;
  if (IsIn(kArithmetic, op) || IsIn(kDunder, op)) return Group::kBinary;
  if (IsIn(kCompare, op)) return Group::kCompare;
  if (IsIn(kPower, op)) return Group::kPower;
  if (op == "addcdiv" || op == "addcmul") return Group::kTernary;
  return Group::kNone;
}

// A tensor, or a number as a tensor without dimensions.
struct Operand {
  std::vector<std::int64_t> shape;
  ElementType type;
  bool is_tensor = false;
  double bytes() const { return analysis::work::Elements(shape) * type.bytes; }
};

// Positional tensors and numbers; nothing when one has a type that PyProf does not know.
std::optional<std::vector<Operand>> OperandsOf(const analysis::work::OpCall& call) {
  std::vector<Operand> operands;
  for (const analysis::work::OpArgument& argument : call.arguments) {
    if (!argument.name.empty() || !(argument.is_tensor() || argument.is_number())) continue;
    const auto type = ElementTypeOf(argument.is_tensor() ? argument.dtype : argument.type);
    if (!type) return std::nullopt;
    operands.push_back({argument.shape, *type, argument.is_tensor()});
  }
  return operands;
}

// Whether any shape differs from the first: then elements are counted tensor by tensor.
bool IsBroadcast(const std::vector<Operand>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const Operand& operand) { return operand.shape != tensors[0].shape; });
}

// The shape to which every operand broadcasts, with the type of the first.
std::optional<Operand> OutputOf(const std::vector<Operand>& operands) {
  Operand out = operands[0];
  for (const Operand& operand : operands) {
    const auto shape = analysis::work::Broadcast(out.shape, operand.shape);
    if (!shape) return std::nullopt;
    out.shape = *shape;
  }
  return out;
}

// PyProf knows the gradients of sums, differences, products and quotients only.
Row BinaryBackward(std::string_view op, const Operand& out, Row row) {
  const double n = analysis::work::Elements(out.shape);
  if (op == "add" || op == "__add__" || op == "sub" || op == "__sub__" || op == "__isub__") {
    row.bytes.value = 2 * out.bytes();
  } else if (op == "mul" || op == "__mul__" || op == "__imul__" || op == "__rmul__" ||
             op == "div" || op == "__truediv__") {
    row.bytes.value = 3 * out.bytes();
    row.flops.value = n;
  } else {
    row.failed = true;
  }
  return row;
}

// Forward, and backward except for the binary group, which has BinaryBackward():
//
//   group            FLOPs per element   bytes
//   unary            1                   2 x the first operand
//   transcendental   20                  2 x the first operand
//   binary           1                   operands and output
//   comparison       1                   operands, and one byte for each result
//   power            20                  operands and output
//   ternary          3                   tensors and output
Row Nv311(const Kernel& kernel, Group group, const std::vector<Operand>& operands, Row row) {
  std::vector<std::string> texts;
  double in_bytes = 0;
  for (const Operand& operand : operands) {
    texts.push_back(fmt::format("{}{}", BracketText(operand.shape), operand.type.name));
    in_bytes += operand.bytes();
  }
  row.params = fmt::format("{}", fmt::join(texts, ";"));
  const auto tensors = std::count_if(operands.begin(), operands.end(),
                                     [](const Operand& operand) { return operand.is_tensor; });
  const auto out = OutputOf(operands);
  row.failed = !out || (group == Group::kTernary ? tensors != 3 : false) ||
               ((group == Group::kBinary || group == Group::kCompare || group == Group::kPower) &&
                operands.size() != 2);
  if (row.failed) return row;
  const double n = analysis::work::Elements(out->shape);
  switch (group) {
    case Group::kUnary:
    case Group::kTranscendental:
      row.flops.value =
          analysis::work::Elements(operands[0].shape) * (group == Group::kUnary ? 1 : 20);
      row.bytes.value = 2 * operands[0].bytes();
      break;
    case Group::kBinary:
      if (kernel.record.backward) return BinaryBackward(kernel.call.op, *out, row);
      row.flops.value = n;
      row.bytes.value = in_bytes + out->bytes();
      break;
    case Group::kCompare:
      row.flops.value = n;
      row.bytes.value = in_bytes + n;  // One byte for each truth value.
      break;
    case Group::kPower:
      row.flops.value = 20 * n;
      row.bytes.value = in_bytes + out->bytes();
      break;
    case Group::kTernary:
      row.flops.value = 3 * n;
      row.bytes.value = out->bytes();
      for (const Operand& operand : operands) {
        if (operand.is_tensor) row.bytes.value += operand.bytes();
      }
      break;
    case Group::kNone:
      break;
  }
  return row;
}

// Elements moved, from which the older PyProf made both numbers.
double ClassicElements(const Kernel& kernel, const std::vector<Operand>& tensors,
                       const Operand& out) {
  const double n = analysis::work::Elements(tensors[0].shape);
  if (tensors.size() == 1) return 2 * n;
  if (IsBroadcast(tensors)) {
    double sum = analysis::work::Elements(out.shape);
    for (const Operand& tensor : tensors) sum += analysis::work::Elements(tensor.shape);
    return sum;
  }
  if (tensors.size() == 2) {
    const std::string& op = kernel.call.op;
    const bool adds = op == "add" || op == "__add__" || op == "sub" || op == "__sub__";
    return kernel.record.backward && adds ? 2 * n : 3 * n;
  }
  return 4 * n;
}

Row Classic(const Kernel& kernel, std::vector<Operand> operands, Row row) {
  std::erase_if(operands, [](const Operand& operand) { return !operand.is_tensor; });
  const auto out = operands.empty() ? std::nullopt : OutputOf(operands);
  if (!out) {
    row.failed = true;
    return row;
  }
  std::vector<std::string> shapes;
  for (const Operand& operand : operands) shapes.push_back(TupleText(operand.shape));
  row.params = fmt::format("T=[{}],{},", fmt::join(shapes, ","), operands[0].type.name);
  const double elements = ClassicElements(kernel, operands, *out);
  row.bytes.value = elements * operands[0].type.bytes;
  const std::string_view op = kernel.call.op;
  const auto is = [op](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  if (is({"fmod"})) {
    row.flops.value = elements;
  } else if (is({"tanh", "sigmoid", "log", "log2", "log10", "log1p"})) {
    row.flops.value = 2 * elements;
  } else if (is({"asin", "acos", "atan"})) {
    row.flops.value = 10 * elements;
  } else {
    row.flops = {elements / 2, true};
  }
  return row;
}

}  // namespace

std::optional<Row> PointwiseRow(const Kernel& kernel) {
  const std::string& op = kernel.call.op;
  const Group group = GroupOf(op);
  Row row;
  row.failed = op == "digamma" || op == "lerp" || op == "mvlgamma";
  if (row.failed) return row;
  if (group == Group::kNone) return std::nullopt;
  const auto operands = OperandsOf(kernel.call);
  if (!operands || operands->empty()) {
    row.failed = true;
    return row;
  }
  return kernel.classic ? Classic(kernel, *operands, row) : Nv311(kernel, group, *operands, row);
}

}  // namespace profgauge::exports::pyprof
