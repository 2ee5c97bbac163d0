// PyProf's formulas for operators that are neither matmuls nor elementwise.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/whole.h"
#include "exports/pyprof/formulas.h"

namespace profgauge::exports::pyprof {
namespace {

// Inputs of a formula: n elements of the first tensor with b bytes together, ts bytes each.
struct Sizes {
  const Kernel& kernel;
  std::vector<const analysis::work::OpArgument*> tensors;
  ElementType type;
  double n = 0, b = 0, ts = 0;
  bool backward = false, first = true;  // The first kernel of its sequence number.
  std::string_view op() const { return kernel.call.op; }
};

using Formula = void (*)(const Sizes& sizes, Row& row);

struct Entry {
  std::string_view op;
  Formula formula;
};

std::string TensorText(const Sizes& sizes) {
  const auto& shape = sizes.tensors[0]->shape;
  if (sizes.kernel.classic) return fmt::format("T={},{},", TupleText(shape), sizes.type.name);
  return fmt::format("{}{}", BracketText(shape), sizes.type.name);
}
std::string OldText(const Sizes& sizes) {
  return fmt::format("T={},{},", TupleText(sizes.tensors[0]->shape), sizes.type.name);
}

// FLOPs per element, then bytes forward and backward in tensors.
template <int flops, int forward, int backward>
void PerElement(const Sizes& sizes, Row& row) {
  row.params = TensorText(sizes);
  row.flops.value = flops * sizes.n;
  row.bytes.value = (sizes.backward ? backward : forward) * sizes.b;
}

template <int flops>
void Softmax(const Sizes& sizes, Row& row) {
  PerElement<flops, 3, 5>(sizes, row);
  if (sizes.kernel.classic) row.flops.value = 0;
}

void BatchNorm(const Sizes& sizes, Row& row) {
  PerElement<8, 4, 5>(sizes, row);
  if (!sizes.first) row.bytes.value = 0;
}

// Forward: the indices, and the chosen rows read and written. Backward: three times these rows, for
// the first kernel of a sequence number only.
void Embedding(const Sizes& sizes, Row& row) {
  if (sizes.tensors.size() < 2 || sizes.tensors[1]->shape.size() != 2) {
    row.failed = true;
    return;
  }
  const analysis::work::OpArgument& table = *sizes.tensors[1];
  const auto type = ElementTypeOf(table.dtype);
  if (!type) {
    row.failed = true;
    return;
  }
  row.params = sizes.kernel.classic
                   ? fmt::format("I={},{},E={},{},", TupleText(sizes.tensors[0]->shape),
                                 sizes.type.name, TupleText(table.shape), type->name)
                   : fmt::format("{}{};{}{}", BracketText(sizes.tensors[0]->shape), sizes.type.name,
                                 BracketText(table.shape), type->name);
  const double rows = sizes.n * static_cast<double>(table.shape[1]) * type->bytes;
  row.bytes.value = sizes.backward ? (sizes.first ? 3 * rows : 0) : sizes.b + 2 * rows;
}

void Mean(const Sizes& sizes, Row& row) {
  row.params = TensorText(sizes);
  if (!sizes.first) return;
  row.flops.value = sizes.n + 1;
  row.bytes.value = sizes.b + sizes.ts;
}
void Sum(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  row.flops.value = sizes.n;
  row.bytes.value = sizes.first ? sizes.b : 0;
}
void Norm(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  if (!sizes.first) return;
  row.flops.value = 2 * sizes.n + 1;
  row.bytes.value = sizes.b;
}

// Without a reduction the output is as large as the input, which is one tensor more.
void MseLoss(const Sizes& sizes, Row& row) {
  const auto& arguments = sizes.kernel.call.arguments;
  if (arguments.size() != 3) {
    row.failed = true;
    return;
  }
  const std::string& reduction = arguments[2].text;
  const double e =
      sizes.n * (sizes.backward ? (reduction == "none" ? 4 : 3) : (reduction == "none" ? 3 : 2));
  row.params = fmt::format("{}red={},", OldText(sizes), reduction);
  row.flops.value = 2 * e + 1;
  row.bytes.value = e * sizes.ts;
}

// Every input is read and written once, by the first kernel of its sequence number.
void Cat(const Sizes& sizes, Row& row) {
  std::vector<std::string> texts;
  for (const analysis::work::OpArgument* tensor : sizes.tensors) {
    const auto type = ElementTypeOf(tensor->dtype);
    if (!type) {
      row.failed = true;
      return;
    }
    texts.push_back(sizes.kernel.classic
                        ? TupleText(tensor->shape)
                        : fmt::format("{}{}", BracketText(tensor->shape), type->name));
    if (sizes.first) row.bytes.value += 2 * analysis::work::Elements(tensor->shape) * type->bytes;
  }
  row.params = sizes.kernel.classic
                   ? fmt::format("T=[{}],{},", fmt::join(texts, ","), sizes.type.name)
                   : fmt::format("{}", fmt::join(texts, ";"));
}

void Reshape(const Sizes& sizes, Row& row) { row.params = OldText(sizes); }
void Gather(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  row.bytes.value = 2 * sizes.b;
}
void MaskedScatter(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  if (sizes.first) row.bytes.value = 2 * sizes.b + sizes.n;
}
void Nonzero(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  const auto dimensions = static_cast<double>(sizes.tensors[0]->shape.size());
  if (sizes.first) row.bytes.value = sizes.b + sizes.n * dimensions * 8;
}
// The output has the input's shape with the number of indices in the chosen dimension; indices are
// of 8 bytes.
void IndexSelect(const Sizes& sizes, Row& row) {
  const analysis::work::OpArgument* dimension = sizes.kernel.call.Find("dim", 1);
  if (dimension == nullptr || !dimension->is_number() || sizes.tensors.size() < 2) {
    row.failed = true;
    return;
  }
  auto out = sizes.tensors[0]->shape;
  auto at = WithoutFraction(dimension->number, std::ssize(out));  // That one fails below.
  if (at < 0) at += static_cast<std::int64_t>(out.size());
  if (at < 0 || at >= static_cast<std::int64_t>(out.size())) {
    row.failed = true;
    return;
  }
  const double indices = analysis::work::Elements(sizes.tensors[1]->shape);
  out[static_cast<std::size_t>(at)] = WithoutFraction(indices, 0);
  row.params = fmt::format("T={},D={},I={},{},", TupleText(sizes.tensors[0]->shape), at, indices,
                           sizes.type.name);
  row.bytes.value = 2 * analysis::work::Elements(out) * sizes.ts + indices * 8;
}
void MaskedSelect(const Sizes& sizes, Row& row) {
  if (sizes.tensors.size() < 2) {
    row.failed = true;
    return;
  }
  const auto& mask = sizes.tensors[1]->shape;
  row.params = fmt::format("T={},M={},{},", TupleText(sizes.tensors[0]->shape), TupleText(mask),
                           sizes.type.name);
  row.bytes.value = 2 * sizes.b + analysis::work::Elements(mask);
}

// The fifth argument is the gradient. One of another type than the weights counts twice.
void Adam(const Sizes& sizes, Row& row) {
  const auto& arguments = sizes.kernel.call.arguments;
  const auto gradient = arguments.size() > 4 ? ElementTypeOf(arguments[4].dtype) : std::nullopt;
  if (!gradient) {
    row.failed = true;
    return;
  }
  row.params = fmt::format("T={},{},{},", TupleText(sizes.tensors[0]->shape), sizes.type.name,
                           gradient->name);
  if (!sizes.first) return;
  row.bytes.value = 6 * sizes.n * sizes.ts + sizes.n * gradient->bytes;
  if (gradient->name != sizes.type.name) row.bytes.value += sizes.n * gradient->bytes;
}

void Fill(const Sizes& sizes, Row& row) {
  row.params = TensorText(sizes);
  row.bytes.value = sizes.b;
}
void Copy(const Sizes& sizes, Row& row) {
  const auto source =
      sizes.tensors.size() > 1 ? ElementTypeOf(sizes.tensors[1]->dtype) : std::nullopt;
  if (!source) {
    row.failed = true;
    return;
  }
  row.params =
      fmt::format("T={},{},{},", TupleText(sizes.tensors[0]->shape), source->name, sizes.type.name);
  row.bytes.value = sizes.n * (source->bytes + sizes.ts);
}
void Any(const Sizes& sizes, Row& row) {
  row.params = OldText(sizes);
  row.bytes.value = sizes.b;
}
void Convert(const Sizes& sizes, Row& row) {
  const auto out = sizes.op() == "to" ? sizes.type : ElementTypeOf(sizes.op());
  row.params = TensorText(sizes);
  row.bytes.value = sizes.b + sizes.n * (out ? out->bytes : 0);
}

constexpr Entry kEntries[] = {
    {"byte", Convert},
    {"char", Convert},
    {"double", Convert},
    {"float", Convert},
    {"half", Convert},
    {"int", Convert},
    {"long", Convert},
    {"short", Convert},
    {"to", Convert},
    {"embedding", Embedding},
    {"mean", Mean},
    {"sum", Sum},
    {"norm", Norm},
    {"dropout", PerElement<5, 2, 2>},
    {"cat", Cat},
    {"reshape", Reshape},
    {"gather", Gather},
    {"masked_scatter_", MaskedScatter},
    {"nonzero", Nonzero},
    {"index_select", IndexSelect},
    {"masked_select", MaskedSelect},
    {"softmax", Softmax<40>},
    {"log_softmax", Softmax<21>},
    {"mse_loss", MseLoss},
    {"adam", Adam},
    {"batch_norm", BatchNorm},
    {"ones_like", Fill},
    {"zeros_like", Fill},
    {"zero_", Fill},
    {"fill_", Fill},
    {"copy_", Copy},
    {"clone", Gather},
    {"contiguous", Gather},
    {"any", Any},
};

// nullptr for an op that no formula knows. Activations cost one FLOP per element.
Formula FormulaOf(std::string_view op) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return entry.formula;
  }
  static constexpr std::array<std::string_view, 22> kActivations = {
      "celu",       "elu",         "elu_",       "hardshrink", "hardtanh", "hardtanh_",
      "leaky_relu", "leaky_relu_", "logsigmoid", "prelu",      "relu",     "relu_",
      "relu6",      "rrelu",       "rrelu_",     "selu",       "softplus", "softshrink",
      "softsign",   "tanhshrink",  "threshold",  "threshold_"};
  const bool found = std::find(kActivations.begin(), kActivations.end(), op) != kActivations.end();
  return found ? PerElement<1, 2, 3> : nullptr;
}

// ones(3, 5), zeros((3, 5)), full((3, 5), 1.0): no tensor, only sizes, always 32-bit.
Row MadeRow(const Kernel& kernel) {
  std::vector<std::int64_t> shape;
  for (const analysis::work::OpArgument& argument : kernel.call.arguments) {
    if (!argument.name.empty()) continue;
    if (!argument.list.empty()) {
      shape = argument.list;
      break;
    }
    if (argument.type == "int") shape.push_back(WithoutFraction(argument.number, 0));
  }
  Row row;
  row.params = kernel.classic ? fmt::format("T={},fp32,", TupleText(shape))
                              : fmt::format("{}fp32", BracketText(shape));
  row.bytes.value = 4 * analysis::work::Elements(shape);
  return row;
}

Row RandpermRow(const Kernel& kernel) {
  Row row;
  row.failed = kernel.call.arguments.empty() || !kernel.call.arguments[0].is_number();
  if (row.failed) return row;
  const double n = kernel.call.arguments[0].number;
  row.params = fmt::format("N={:.0f},", n);
  row.flops.value = 3 * n;
  row.bytes.value = 8 * n;
  return row;
}

}  // namespace

// An op whose first tensor has no type that PyProf knows makes PyProf abort: `failed`.
std::optional<Row> OperatorRow(const Kernel& kernel) {
  const std::string& op = kernel.call.op;
  if (op == "ones" || op == "zeros" || op == "full") return MadeRow(kernel);
  if (op == "randperm") return RandpermRow(kernel);
  const Formula formula = FormulaOf(op);
  if (formula == nullptr) return std::nullopt;
  Row row;
  const auto tensors = kernel.call.Tensors();
  const auto type = tensors.empty() ? std::nullopt : ElementTypeOf(tensors[0]->dtype);
  if (!type) {
    row.failed = true;
    return row;
  }
  const double n = analysis::work::Elements(tensors[0]->shape);
  const Sizes sizes{kernel,
                    tensors,
                    *type,
                    n,
                    n * type->bytes,
                    type->bytes,
                    kernel.record.backward,
                    kernel.record.sub_seq == 0};
  formula(sizes, row);
  return row;
}

}  // namespace profgauge::exports::pyprof
