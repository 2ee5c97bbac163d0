#include "analysis/classify/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace profgauge::analysis::classify {
namespace {

// How to recognize a result given as the last argument (`out=`).
enum class Last : std::uint8_t {
  kValue,      ///< The last input is no tensor, so a tensor in last position is the result.
  kFactor,     ///< Both factors are tensors: the result has the shape of the matmul.
  kBias,       ///< linear(input, weight, bias): the same, with transposed weight.
  kBroadcast,  ///< The result has the inputs' broadcast shape.
  kInput,      ///< Unknown: the last one counts as an input.
};

// The numbers of inputs that an operator's overloads and versions may have, without a given result
// (`mm.out`, which compiled models call). The first input is a tensor, or a list of tensors. 0: no
// other number.
struct Signature {
  std::string_view op;
  std::uint8_t counts[3];
  Last last = Last::kValue;
};

constexpr Signature kSignatures[] = {
    {"mm", {2}, Last::kFactor},
    {"bmm", {2}, Last::kFactor},
    {"matmul", {2}, Last::kFactor},
    {"mv", {2}, Last::kFactor},
    {"dot", {2}, Last::kInput},
    {"_int_mm", {2}, Last::kFactor},
    {"_scaled_mm", {8}},
    {"_addmm_activation", {6}},
    {"addmm", {5}},
    {"addmv", {5}},
    {"baddbmm", {5}},
    {"addbmm", {5}},
    {"linear", {3}, Last::kBias},
    {"conv1d", {7}},
    {"conv2d", {7}},
    {"conv3d", {7}},
    {"conv_transpose1d", {8}},
    {"conv_transpose2d", {8}},
    {"conv_transpose3d", {8}},
    {"convolution", {9}},
    {"convolution_overrideable", {9}},
    {"_convolution", {13, 12}},
    {"cudnn_convolution", {9, 8}},
    {"convolution_backward", {11}},
    {"scaled_dot_product_attention", {8, 7, 6}},
    {"add", {3}},
    {"sub", {3}},
    {"rsub", {3}},
    {"mul", {2}, Last::kBroadcast},
    {"div", {2, 3}, Last::kBroadcast},
    {"pow", {2}, Last::kBroadcast},
    {"eq", {2}, Last::kBroadcast},
    {"ne", {2}, Last::kBroadcast},
    {"lt", {2}, Last::kBroadcast},
    {"le", {2}, Last::kBroadcast},
    {"gt", {2}, Last::kBroadcast},
    {"ge", {2}, Last::kBroadcast},
    {"maximum", {2}, Last::kBroadcast},
    {"minimum", {2}, Last::kBroadcast},
    {"where", {3}, Last::kBroadcast},
    {"abs", {1}, Last::kBroadcast},
    {"neg", {1}, Last::kBroadcast},
    {"exp", {1}, Last::kBroadcast},
    {"log", {1}, Last::kBroadcast},
    {"sqrt", {1}, Last::kBroadcast},
    {"rsqrt", {1}, Last::kBroadcast},
    {"sin", {1}, Last::kBroadcast},
    {"cos", {1}, Last::kBroadcast},
    {"erf", {1}, Last::kBroadcast},
    {"reciprocal", {1}, Last::kBroadcast},
    {"tanh", {1}, Last::kBroadcast},
    {"sigmoid", {1}, Last::kBroadcast},
    {"relu", {1}, Last::kBroadcast},
    {"silu", {1}, Last::kBroadcast},
    {"gelu", {2, 1}, Last::kBroadcast},
    {"clamp", {3}, Last::kBroadcast},
    {"clamp_min", {2}, Last::kBroadcast},
    {"clamp_max", {2}, Last::kBroadcast},
    {"hardtanh", {3}},
    {"leaky_relu", {2}},
    {"dropout", {3}},
    {"native_dropout", {3}},
    {"threshold_backward", {3}},
    {"layer_norm", {6}},
    {"native_layer_norm", {5}},
    {"batch_norm", {9}},
    {"native_batch_norm", {8}},
    {"cudnn_batch_norm", {8}},
    {"group_norm", {6}},
    {"softmax", {3}},
    {"_softmax", {3}},
    {"log_softmax", {3}},
    {"_log_softmax", {3}},
    {"sum", {2, 4}},
    {"mean", {2, 4}},
    {"contiguous", {2}},
    {"clone", {2}},
    {"copy_", {3}, Last::kInput},
    {"fill_", {2}, Last::kInput},
    {"zero_", {1}, Last::kInput},
    {"cat", {2}},
    {"embedding", {5}},
    {"index_select", {3}, Last::kInput},
};

// Finds the operator without `aten::`; `add_` is found as `add`.
const Signature* FindSignature(std::string_view op) {
  constexpr std::string_view kModule = "aten::";
  if (!op.starts_with(kModule)) return nullptr;
  op.remove_prefix(kModule.size());
  const auto find = [](std::string_view name) -> const Signature* {
    const auto* const found =
        std::find_if(std::begin(kSignatures), std::end(kSignatures),
                     [name](const Signature& signature) { return signature.op == name; });
    return found == std::end(kSignatures) ? nullptr : found;
  };
  const Signature* found = find(op);
  if (found == nullptr && op.ends_with('_')) found = find(op.substr(0, op.size() - 1));
  return found;
}

using Items = std::vector<std::string_view>;
using Shape = std::vector<std::int64_t>;

// True for a tensor, "[4, 8]". "[]" is a value or a tensor without dimensions, "[[4], [8]]" a list.
bool IsTensor(std::string_view item) { return item.size() > 2 && item[1] != '['; }

Shape ShapeOfItem(std::string_view item) {
  Shape shape;
  for (const std::string_view number : SplitList(item)) {
    std::int64_t size = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), size);
    if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size()) return {};
    shape.push_back(size);
  }
  return shape;
}

// Whether it is a tensor that the call resizes.
bool IsEmpty(const Shape& shape) { return shape == Shape{0}; }

// Whether `out` can be the result of a [.., M, K] times b [.., K, N] (b [N, K] if transposed).
bool IsProduct(const Shape& a, Shape b, bool transposed, const Shape& out) {
  if (a.empty() || b.empty()) return false;
  if (transposed && b.size() > 1) std::swap(b[b.size() - 1], b[b.size() - 2]);
  if (a.back() != (b.size() > 1 ? b[b.size() - 2] : b[0])) return false;
  if (IsEmpty(out)) return true;
  Shape tail;
  if (a.size() > 1) tail.push_back(a[a.size() - 2]);
  if (b.size() > 1) tail.push_back(b.back());
  return out.size() >= tail.size() && std::equal(tail.rbegin(), tail.rend(), out.rbegin());
}

bool IsBroadcastOf(const Items& inputs, const Shape& out) {
  Shape widest;
  for (const std::string_view item : inputs) {
    const Shape shape = ShapeOfItem(item);
    if (shape.size() > widest.size())
      widest.insert(widest.begin(), shape.size() - widest.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& size = widest[widest.size() - 1 - i];
      size = std::max(size, shape[shape.size() - 1 - i]);
    }
  }
  return IsEmpty(out) || widest == out;
}

// Whether the last item is the result of the preceding `count` items.
bool EndsWithResult(const Signature& signature, const Items& items, std::size_t count) {
  if (items.size() <= count || !IsTensor(items.back())) return false;
  const Items inputs(items.end() - 1 - static_cast<std::ptrdiff_t>(count), items.end() - 1);
  const Shape out = ShapeOfItem(items.back());
  switch (signature.last) {
    case Last::kValue:
      return true;
    case Last::kFactor:
    case Last::kBias:
      return IsProduct(ShapeOfItem(inputs[0]), ShapeOfItem(inputs[1]),
                       signature.last == Last::kBias, out);
    case Last::kBroadcast:
      return IsBroadcastOf(inputs, out);
    case Last::kInput:
      break;
  }
  return false;
}

struct Own {
  std::size_t first = 0, end = 0;
};

// Finds the range of recorded arguments that are the operator's inputs: without earlier items on
// TorchScript's stack, and without a given result (`aten::mm(a, b, out=c)` of compiled models).
Own FindOwn(std::string_view op, const Items& recorded) {
  Own own{0, recorded.size()};
  const Signature* signature = FindSignature(op);
  if (signature == nullptr) return own;
  const std::size_t most =
      *std::max_element(std::begin(signature->counts), std::end(signature->counts));
  Items items = recorded;
  if (items.size() > most && EndsWithResult(*signature, items, most)) items.pop_back();
  // `mm.dtype` and `mm.dtype_out` have a type after the factors.
  const bool has_type = signature->last == Last::kFactor && items.size() > most &&
                        items.size() <= most + 2 && !IsTensor(items[most]) &&
                        IsProduct(ShapeOfItem(items[0]), ShapeOfItem(items[1]), false, {0});
  if (has_type) items.resize(most);
  own.end = items.size();
  if (items.size() <= most) return own;
  // (bias, a, b, type, beta, alpha): the last three are values.
  const bool is_typed_sum = signature->op.ends_with("mm") && most == 5 &&
                            items.size() == most + 1 && !IsTensor(items[items.size() - 3]);
  if (is_typed_sum) return own;
  for (const std::size_t count : signature->counts) {
    if (count == 0 || items[items.size() - count].size() <= 2) continue;
    own.first = items.size() - count;
    return own;
  }
  return own;
}

}  // namespace

std::size_t ForeignArguments(std::string_view op, std::string_view shapes) {
  return FindOwn(op, SplitList(shapes)).first;
}

std::vector<std::string_view> OwnArguments(std::string_view op, std::string_view shapes,
                                           std::string_view list) {
  Items items = SplitList(list);
  const Own own = FindOwn(op, SplitList(shapes));
  if (own.end < items.size()) items.resize(own.end);
  items.erase(items.begin(),
              items.begin() + static_cast<std::ptrdiff_t>(std::min(own.first, items.size())));
  return items;
}

std::string_view FirstTensorDtypeOf(std::string_view op, std::string_view shapes,
                                    std::string_view dtypes) {
  if (ForeignArguments(op, shapes) == 0) return FirstTensorDtype(dtypes);
  for (const std::string_view item : OwnArguments(op, shapes, dtypes)) {
    // Capitalized names ("Int", "Double", "Bool") are scalars, not tensors.
    if (item.empty() || (item.front() >= 'A' && item.front() <= 'Z')) continue;
    if (DtypeBytes(item) > 0) return CanonicalDtype(item);
  }
  return {};
}

namespace {

struct Dtype {
  std::string_view written;
  std::string_view canonical;
  double bytes;
};

constexpr Dtype kDtypes[] = {
    {"float", "float32", 4},
    {"float32", "float32", 4},
    {"fp32", "float32", 4},
    {"c10::half", "float16", 2},
    {"half", "float16", 2},
    {"float16", "float16", 2},
    {"fp16", "float16", 2},
    {"c10::bfloat16", "bfloat16", 2},
    {"bfloat16", "bfloat16", 2},
    {"bf16", "bfloat16", 2},
    {"double", "float64", 8},
    {"float64", "float64", 8},
    {"fp64", "float64", 8},
    {"c10::float8_e4m3fn", "float8_e4m3fn", 1},
    {"float8_e4m3fn", "float8_e4m3fn", 1},
    {"c10::float8_e5m2", "float8_e5m2", 1},
    {"float8_e5m2", "float8_e5m2", 1},
    {"c10::float8_e4m3fnuz", "float8_e4m3fnuz", 1},
    {"float8_e4m3fnuz", "float8_e4m3fnuz", 1},
    {"c10::float8_e5m2fnuz", "float8_e5m2fnuz", 1},
    {"float8_e5m2fnuz", "float8_e5m2fnuz", 1},
    {"c10::float8_e8m0fnu", "float8_e8m0fnu", 1},
    {"float8_e8m0fnu", "float8_e8m0fnu", 1},
    {"c10::float4_e2m1fn_x2", "float4_e2m1", 1},
    {"float4_e2m1fn_x2", "float4_e2m1", 1},
    {"signed char", "int8", 1},
    {"int8", "int8", 1},
    {"unsigned char", "uint8", 1},
    {"uint8", "uint8", 1},
    {"char", "int8", 1},
    {"byte", "uint8", 1},
    {"bytes", "", 1},  // Sizes in bytes, if the type is not recorded.
    {"c10::qint8", "qint8", 1},
    {"c10::quint8", "quint8", 1},
    {"bool", "bool", 1},
    {"short", "int16", 2},
    {"int16", "int16", 2},
    {"int", "int32", 4},
    {"int32", "int32", 4},
    {"unsigned int", "uint32", 4},
    {"long", "int64", 8},
    {"long int", "int64", 8},
    {"int64", "int64", 8},
    {"unsigned long", "uint64", 8},
    {"c10::complex<float>", "complex64", 8},
    {"complexfloat", "complex64", 8},
    {"complex64", "complex64", 8},
    {"c10::complex<double>", "complex128", 16},
    {"complexdouble", "complex128", 16},
    {"complex128", "complex128", 16},
};

bool EqualIgnoringCase(std::string_view lower, std::string_view text) {
  if (lower.size() != text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c =
        text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

const Dtype* FindDtype(std::string_view text) {
  for (const Dtype& dtype : kDtypes) {
    if (EqualIgnoringCase(dtype.written, text)) return &dtype;
  }
  return nullptr;
}

}  // namespace

std::string_view CanonicalDtype(std::string_view dtype) {
  const Dtype* found = FindDtype(dtype);
  return found == nullptr ? dtype : found->canonical;
}

double DtypeBytes(std::string_view dtype) {
  const Dtype* found = FindDtype(dtype);
  return found == nullptr ? 0 : found->bytes;
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  text = Trim(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return items;
  text = text.substr(1, text.size() - 2);
  if (Trim(text).empty()) return items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth <= 0)) {
      items.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
      continue;
    }
    if (text[i] == '[' || text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == '>' || text[i] == ')') --depth;
  }
  return items;
}

std::string_view FirstTensorDtype(std::string_view input_dtypes) {
  for (const std::string_view item : SplitList(input_dtypes)) {
    // Capitalized names ("Int", "Double", "Bool") are scalars, not tensors.
    if (item.empty() || (item.front() >= 'A' && item.front() <= 'Z')) continue;
    if (const Dtype* found = FindDtype(item)) return found->canonical;
  }
  return {};
}

}  // namespace profgauge::analysis::classify
