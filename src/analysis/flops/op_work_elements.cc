// Work of elementwise operators, norms, reductions, and data movement.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/flops/op_shape.h"

namespace profgauge::analysis::flops {
namespace {

enum class Kind : std::uint8_t {
  kPointwise,  ///< One operation per element of the broadcast result.
  kUnary,      ///< One operation per element of the first tensor; others are ignored.
  kGradient,   ///< Gradient of a unary operation: reads two tensors, writes one.
  kReduce,     ///< One operation per element, a result of one or few.
  kNorm,       ///< Five, scale and shift.
  kSoftmax,
  kMove,   ///< Reads the first tensor, writes equally many bytes.
  kCopy,   ///< Reads the second tensor, writes the first.
  kWrite,  ///< Writes the first tensor.
  kCat,
  kLookup,  ///< Table and indices: reads and writes a row per index.
};

struct Entry {
  std::string_view op;
  Kind kind;
};

constexpr Entry kEntries[] = {
    {"add", Kind::kPointwise},
    {"sub", Kind::kPointwise},
    {"rsub", Kind::kPointwise},
    {"mul", Kind::kPointwise},
    {"div", Kind::kPointwise},
    {"true_divide", Kind::kPointwise},
    {"remainder", Kind::kPointwise},
    {"fmod", Kind::kPointwise},
    {"pow", Kind::kPointwise},
    {"maximum", Kind::kPointwise},
    {"minimum", Kind::kPointwise},
    {"eq", Kind::kPointwise},
    {"ne", Kind::kPointwise},
    {"lt", Kind::kPointwise},
    {"le", Kind::kPointwise},
    {"gt", Kind::kPointwise},
    {"ge", Kind::kPointwise},
    {"where", Kind::kPointwise},
    {"__add__", Kind::kPointwise},
    {"__iadd__", Kind::kPointwise},
    {"__radd__", Kind::kPointwise},
    {"__sub__", Kind::kPointwise},
    {"__isub__", Kind::kPointwise},
    {"__rsub__", Kind::kPointwise},
    {"__mul__", Kind::kPointwise},
    {"__imul__", Kind::kPointwise},
    {"__rmul__", Kind::kPointwise},
    {"__truediv__", Kind::kPointwise},
    {"__and__", Kind::kPointwise},
    {"__or__", Kind::kPointwise},
    {"__pow__", Kind::kPointwise},
    {"abs", Kind::kUnary},
    {"neg", Kind::kUnary},
    {"exp", Kind::kUnary},
    {"log", Kind::kUnary},
    {"sqrt", Kind::kUnary},
    {"rsqrt", Kind::kUnary},
    {"sin", Kind::kUnary},
    {"cos", Kind::kUnary},
    {"erf", Kind::kUnary},
    {"reciprocal", Kind::kUnary},
    {"tanh", Kind::kUnary},
    {"sigmoid", Kind::kUnary},
    {"relu", Kind::kUnary},
    {"gelu", Kind::kUnary},
    {"silu", Kind::kUnary},
    {"elu", Kind::kUnary},
    {"leaky_relu", Kind::kUnary},
    {"hardtanh", Kind::kUnary},
    {"hardswish", Kind::kUnary},
    {"mish", Kind::kUnary},
    {"softplus", Kind::kUnary},
    {"clamp", Kind::kUnary},
    {"clamp_min", Kind::kUnary},
    {"clamp_max", Kind::kUnary},
    {"bitwise_not", Kind::kUnary},
    {"dropout", Kind::kUnary},
    {"native_dropout", Kind::kUnary},
    {"threshold_backward", Kind::kGradient},
    {"sigmoid_backward", Kind::kGradient},
    {"tanh_backward", Kind::kGradient},
    {"gelu_backward", Kind::kGradient},
    {"silu_backward", Kind::kGradient},
    {"native_dropout_backward", Kind::kGradient},
    {"sum", Kind::kReduce},
    {"mean", Kind::kReduce},
    {"max", Kind::kReduce},
    {"min", Kind::kReduce},
    {"argmax", Kind::kReduce},
    {"all", Kind::kReduce},
    {"any", Kind::kReduce},
    {"prod", Kind::kReduce},
    {"norm", Kind::kReduce},
    {"linalg_vector_norm", Kind::kReduce},
    {"layer_norm", Kind::kNorm},
    {"native_layer_norm", Kind::kNorm},
    {"batch_norm", Kind::kNorm},
    {"native_batch_norm", Kind::kNorm},
    {"cudnn_batch_norm", Kind::kNorm},
    {"group_norm", Kind::kNorm},
    {"native_group_norm", Kind::kNorm},
    {"softmax", Kind::kSoftmax},
    {"_softmax", Kind::kSoftmax},
    {"log_softmax", Kind::kSoftmax},
    {"_log_softmax", Kind::kSoftmax},
    {"clone", Kind::kMove},
    {"contiguous", Kind::kMove},
    {"copy_", Kind::kCopy},
    {"fill_", Kind::kWrite},
    {"zero_", Kind::kWrite},
    {"zeros_like", Kind::kWrite},
    {"ones_like", Kind::kWrite},
    {"cat", Kind::kCat},
    {"_cat", Kind::kCat},
    {"embedding", Kind::kLookup},
    {"index_select", Kind::kLookup},
};

// `add_` is `add` in place; `__add__` keeps its underscores.
const Entry* FindEntry(std::string_view op) {
  const auto find = [](std::string_view name) {
    return std::find_if(std::begin(kEntries), std::end(kEntries),
                        [name](const Entry& entry) { return entry.op == name; });
  };
  const Entry* found = find(op);
  if (found == std::end(kEntries) && op.ends_with('_') && !op.ends_with("__")) {
    found = find(op.substr(0, op.size() - 1));
  }
  return found == std::end(kEntries) ? nullptr : found;
}

// The result has the type of the widest operand; in place, that of the first.
std::optional<OpWork> Pointwise(const OpCall& call, const std::vector<const OpArgument*>& tensors) {
  std::vector<std::int64_t> shape = tensors[0]->shape;
  double widest = ElementBytes(*tensors[0]);
  for (const OpArgument* tensor : tensors) {
    const auto both = Broadcast(shape, tensor->shape);
    if (!both) return std::nullopt;
    shape = *both;
    // A tensor without dimensions does not affect the result's type.
    if (!tensor->shape.empty()) widest = std::max(widest, ElementBytes(*tensor));
  }
  const bool in_place =
      (call.op.ends_with('_') && !call.op.ends_with("__")) || call.op.starts_with("__i");
  const bool compares = call.op == "eq" || call.op == "ne" || call.op == "lt" || call.op == "le" ||
                        call.op == "gt" || call.op == "ge";
  OpWork work;
  work.flops = Elements(shape);
  const double in = BytesOf(tensors);
  const double each = compares ? 1 : in_place ? ElementBytes(*tensors[0]) : widest;
  if (in >= 0 && each > 0) work.bytes = in + Elements(shape) * each;
  return work;
}

// Rows of a table by index: each is read and written once, and the indices are read once.
std::optional<OpWork> Lookup(const OpCall& call, const std::vector<const OpArgument*>& tensors) {
  if (tensors.size() < 2) return std::nullopt;
  // torch.nn.functional.embedding has the indices first; all others have the table first.
  const bool indices_first = call.op == "embedding" && call.module == "torch.nn.functional";
  const OpArgument& table = *tensors[indices_first ? 1 : 0];
  const OpArgument& indices = *tensors[indices_first ? 0 : 1];
  if (table.shape.empty()) return std::nullopt;
  double row = Elements(table.shape);
  std::size_t dimension = 0;
  if (call.op == "index_select") {
    const OpArgument* dim = call.Find("dim", 1);
    if (dim == nullptr || !dim->is_number()) return std::nullopt;
    const double rank = static_cast<double>(table.shape.size());
    const double at = dim->number < 0 ? dim->number + rank : dim->number;
    if (!(at >= 0 && at < rank)) return std::nullopt;  // Also rejects NaN.
    dimension = static_cast<std::size_t>(at);
  }
  if (table.shape[dimension] <= 0) return std::nullopt;
  row /= static_cast<double>(table.shape[dimension]);
  OpWork work;
  const double each = ElementBytes(table), index_bytes = BytesOf({&indices});
  if (each > 0 && index_bytes >= 0) {
    work.bytes = index_bytes + 2 * Elements(indices.shape) * row * each;
  }
  work.dtype = table.dtype;
  return work;
}

// `flops` operations per element of the first tensor, whose bytes move `tensors_moved` times.
OpWork Scaled(const OpArgument& first, double flops, double tensors_moved) {
  OpWork work;
  work.flops = flops * Elements(first.shape);
  const double bytes = BytesOf({&first});
  if (bytes >= 0) work.bytes = tensors_moved * bytes;
  return work;
}

}  // namespace

OpKind ElementKind(std::string_view op) {
  const Entry* entry = FindEntry(op);
  if (entry == nullptr) return OpKind::kOther;
  switch (entry->kind) {
    case Kind::kReduce:
    case Kind::kNorm:
    case Kind::kSoftmax:
      return OpKind::kReduction;
    case Kind::kLookup:  // Reads the indexed rows.
    case Kind::kWrite:
      return OpKind::kOther;
    default:
      return OpKind::kElementwise;
  }
}

// Operations per element, and how often the first tensor's bytes move: unary 1 and 2 (read, write),
// gradient 1 and 3 (two read, one written), reduction 1 and 1, softmax 5 and 2, copies 0.
std::optional<OpWork> ElementWork(const OpCall& call) {
  const Entry* entry = FindEntry(call.op);
  const auto tensors = call.Tensors();
  if (entry == nullptr || tensors.empty()) return std::nullopt;
  const OpArgument& first = *tensors[0];
  switch (entry->kind) {
    case Kind::kPointwise:
      return Pointwise(call, tensors);
    case Kind::kUnary:
      return Scaled(first, 1, 2);
    case Kind::kGradient:
      return Scaled(first, 1, 3);
    case Kind::kReduce: {
      // A norm squares before it adds.
      const bool squares = call.op == "norm" || call.op == "linalg_vector_norm";
      return Scaled(first, squares ? 2 : 1, 1);
    }
    case Kind::kNorm: {
      std::vector<const OpArgument*> affine;
      for (std::size_t i = 1; i < tensors.size() && i < 3; ++i) {
        if (tensors[i]->shape.size() == 1) affine.push_back(tensors[i]);
      }
      OpWork work = Scaled(first, 5 + static_cast<double>(affine.size()), 2);
      const double read = BytesOf(affine);
      work.bytes = work.bytes < 0 || read < 0 ? -1 : work.bytes + read;
      return work;
    }
    case Kind::kSoftmax:
      return Scaled(first, 5, 2);
    case Kind::kMove:
      return Scaled(first, 0, 2);
    case Kind::kWrite:
      return Scaled(first, 0, 1);
    case Kind::kCopy: {
      if (tensors.size() < 2) return std::nullopt;
      OpWork work = Scaled(first, 0, 1);
      const double read = BytesOf({tensors[1]});
      work.bytes = work.bytes < 0 || read < 0 ? -1 : work.bytes + read;
      return work;
    }
    case Kind::kCat: {
      OpWork work;
      const double bytes = BytesOf(tensors);
      if (bytes >= 0) work.bytes = 2 * bytes;
      return work;
    }
    case Kind::kLookup:
      return Lookup(call, tensors);
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::flops
