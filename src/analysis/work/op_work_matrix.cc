// Work of matrix products, convolutions and attention.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/classify/dtypes.h"
#include "analysis/work/op_work.h"

namespace profgauge {
namespace {

using Shape = std::vector<std::int64_t>;

double Size(const Shape& shape, std::size_t from_end) {
  return static_cast<double>(shape[shape.size() - 1 - from_end]);
}

OpWork Product(double batch, double m, double n, double k, double input_bytes, double out_bytes) {
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * batch * m * n * k;
  if (input_bytes >= 0 && out_bytes >= 0) work.bytes = input_bytes + batch * m * n * out_bytes;
  return work;
}

// a [.., M, K] times b [.., K, N], vectors included.
std::optional<OpWork> BroadcastProduct(const OpArgument& x, const OpArgument& y) {
  Shape a = x.shape, b = y.shape;
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (Size(a, 0) != Size(b, 1)) return std::nullopt;
  const auto batch = Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch) return std::nullopt;
  return Product(Elements(*batch), Size(a, 1), Size(b, 0), Size(a, 0), BytesOf({&x, &y}),
                 ElementBytes(x));
}

// What is added to a product, and once more read.
void AddBias(const OpArgument& bias, double elements, OpWork& work) {
  work.flops += elements;
  const double bytes = BytesOf({&bias});
  work.bytes = work.bytes < 0 || bytes < 0 ? -1 : work.bytes + bytes;
}

// Numbers of c10::ScalarType.
double ScalarTypeBytes(int type) {
  constexpr double kBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
  if (type >= 0 && type < static_cast<int>(std::size(kBytes))) return kBytes[type];
  return type >= 23 && type <= 26 ? 1 : -1;  // The FP8 types.
}

// The result's element, which is seldom that of the factors. Of the arguments that follow them only
// the type is a number: (…, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum), in
// older versions (…, bias, out_dtype, …). Without a number the factors' type was asked for, or
// values were not recorded and the bias, else BF16, which every caller has taken, is the guess.
double ScaledResultBytes(const OpCall& call, const OpArgument& factor) {
  bool values_recorded = false;
  const OpArgument* bias = nullptr;
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    const OpArgument& argument = call.arguments[i];
    if (argument.type == "float") return ScalarTypeBytes(static_cast<int>(argument.number));
    values_recorded = values_recorded || argument.type == "bool";
    if (argument.is_tensor() && argument.shape.size() == 1 && DtypeBytes(argument.dtype) == 2) {
      bias = &argument;
    }
  }
  if (values_recorded) return ElementBytes(factor);
  return bias != nullptr ? ElementBytes(*bias) : 2;
}

// Products whose result has another type than their factors.
std::optional<OpWork> MixedProduct(const OpCall& call,
                                   const std::vector<const OpArgument*>& tensors) {
  if (tensors.size() < 2) return std::nullopt;
  auto work = BroadcastProduct(*tensors[0], *tensors[1]);
  if (!work || work->bytes < 0) return work;
  const double each = call.op == "_int_mm" ? 4 : ScaledResultBytes(call, *tensors[0]);
  const double inputs = BytesOf({tensors[0], tensors[1]});
  work->bytes = each > 0 ? inputs + (work->bytes - inputs) / ElementBytes(*tensors[0]) * each : -1;
  return work;
}

double ResultElements(const OpWork& work, double k) { return k > 0 ? work.flops / (2 * k) : 0; }

}  // namespace

std::optional<OpWork> ProductWork(const OpCall& call) {
  std::string_view op = call.op;
  if (op.ends_with('_') && !op.starts_with("__")) op.remove_suffix(1);
  const auto tensors = call.Tensors();
  const auto is = [op](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  if (is({"_scaled_mm", "_int_mm"})) return MixedProduct(call, tensors);
  if (is({"mm", "bmm", "matmul", "__matmul__", "mv", "dot"})) {
    if (tensors.size() < 2) return std::nullopt;
    return BroadcastProduct(*tensors[0], *tensors[1]);
  }
  if (is({"addmm", "baddbmm", "addbmm", "addmv", "_addmm_activation"})) {
    if (tensors.size() < 3) return std::nullopt;
    auto work = BroadcastProduct(*tensors[1], *tensors[2]);
    if (work) AddBias(*tensors[0], ResultElements(*work, Size(tensors[1]->shape, 0)), *work);
    return work;
  }
  if (is({"linear"})) {
    if (tensors.size() < 2 || tensors[0]->shape.empty() || tensors[1]->shape.size() != 2) {
      return std::nullopt;
    }
    const Shape& x = tensors[0]->shape;
    const double k = Size(x, 0), n = static_cast<double>(tensors[1]->shape[0]);
    if (Size(tensors[1]->shape, 0) != k || k <= 0) return std::nullopt;
    OpWork work = Product(1, Elements(x) / k, n, k, BytesOf({tensors[0], tensors[1]}),
                          ElementBytes(*tensors[0]));
    if (tensors.size() > 2) AddBias(*tensors[2], Elements(x) / k * n, work);
    return work;
  }
  return std::nullopt;
}

namespace {

// Where the arguments of a convolution stand; kNo: it has no such argument.
struct Places {
  std::string_view op;
  std::size_t stride, padding, dilation, transposed;
};
constexpr std::size_t kNo = 99;
constexpr Places kConvolutions[] = {
    {"conv1d", 3, 4, 5, kNo},
    {"conv2d", 3, 4, 5, kNo},
    {"conv3d", 3, 4, 5, kNo},
    {"convolution", 3, 4, 5, 6},
    {"_convolution", 3, 4, 5, 6},
    {"convolution_overrideable", 3, 4, 5, 6},
    {"cudnn_convolution", 3, 2, 4, kNo},
    {"miopen_convolution", 4, 3, 5, kNo},
    {"mkldnn_convolution", 4, 3, 5, kNo},
    {"_conv_depthwise2d", 4, 5, 6, kNo},
    {"thnn_conv2d", 4, 5, kNo, kNo},
};

// The i-th of a stride, padding or dilation, which may be one number for all.
std::optional<double> At(const OpArgument* argument, std::size_t i, double otherwise, bool named) {
  if (argument == nullptr) return named ? std::optional(otherwise) : std::nullopt;
  if (argument->is_number()) return argument->number;
  if (argument->list.empty()) return named ? std::optional(otherwise) : std::nullopt;
  return static_cast<double>(argument->list[std::min(i, argument->list.size() - 1)]);
}

// Elements of the result: [N, K, P, Q, …].
std::optional<double> ResultOf(const OpCall& call, const Places& places, const Shape& x,
                               const Shape& w) {
  // PyProf leaves out arguments that have their default; PyTorch's profiler writes all.
  const bool defaults = call.module == "torch" || call.module == "torch.nn.functional";
  double elements = static_cast<double>(x[0]) * static_cast<double>(w[0]);
  const OpArgument* padding = call.Find("padding", places.padding);
  const bool same = padding != nullptr && padding->text == "same";
  for (std::size_t i = 2; i < x.size(); ++i) {
    const auto stride = At(call.Find("stride", places.stride), i - 2, 1, defaults);
    const auto pad = At(padding, i - 2, 0, defaults);
    const auto dilation =
        At(call.Find("dilation", places.dilation), i - 2, 1, defaults || places.dilation == kNo);
    if (!stride || !dilation || *stride < 1 || (!pad && !same)) return std::nullopt;
    const auto in = static_cast<double>(x[i]), filter = static_cast<double>(w[i]);
    const double out =
        same ? in : std::floor((in + 2 * *pad - *dilation * (filter - 1) - 1) / *stride) + 1;
    if (out < 1) return std::nullopt;
    elements *= out;
  }
  return elements;
}

// Per element of the result (of the input, when transposed): the filter without its first size.
double FilterElements(const Shape& w) { return Elements(Shape(w.begin() + 1, w.end())); }

OpWork Convolution(double elements, const Shape& w, double products) {
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * products * elements * FilterElements(w);
  return work;
}

void SetBytes(const std::vector<const OpArgument*>& inputs, double result_elements, OpWork& work) {
  const double in = BytesOf(inputs), each = ElementBytes(*inputs[0]);
  if (in >= 0 && each > 0) work.bytes = in + result_elements * each;
}

// Gradients of the input and of the weight cost what the convolution did, each.
std::optional<OpWork> ConvolutionGradient(const OpCall& call) {
  const bool modern = call.op == "convolution_backward";
  if (!modern && call.op != "cudnn_convolution_backward") return std::nullopt;
  const auto tensors = call.Tensors();
  if (tensors.size() < 3) return std::nullopt;
  const OpArgument& gradient = *tensors[modern ? 0 : 1];
  const OpArgument& x = *tensors[modern ? 1 : 0];
  const Shape& w = tensors[2]->shape;
  if (w.size() < 3 || x.shape.size() != w.size()) return std::nullopt;
  double products = 2;
  const OpArgument* mask = call.Find("output_mask", modern ? 10 : 9);
  if (mask != nullptr && mask->text.starts_with('[')) {
    products = (mask->text.starts_with("[True") ? 1 : 0) +
               (mask->text.find("True", mask->text.find(',')) <
                        mask->text.find(',', mask->text.find(',') + 1)
                    ? 1
                    : 0);
  }
  const OpArgument* transposed = call.Find("transposed", modern ? 7 : kNo);
  const bool is_transposed = transposed != nullptr && transposed->number != 0;
  OpWork work = Convolution(Elements(is_transposed ? x.shape : gradient.shape), w, products);
  SetBytes({&gradient, &x, tensors[2]}, Elements(x.shape) + Elements(w), work);
  return work;
}

}  // namespace

std::optional<OpWork> ConvolutionWork(const OpCall& call) {
  if (auto gradient = ConvolutionGradient(call)) return gradient;
  const bool is_transpose = call.op.starts_with("conv_transpose");
  const Places* places = nullptr;
  for (const Places& known : kConvolutions) {
    if (known.op == call.op) places = &known;
  }
  const auto tensors = call.Tensors();
  if ((places == nullptr && !is_transpose) || tensors.size() < 2) return std::nullopt;
  const Shape& x = tensors[0]->shape;
  const Shape& w = tensors[1]->shape;
  if (x.size() != w.size() || x.size() < 3) return std::nullopt;
  const OpArgument* flag = places != nullptr && places->transposed != kNo
                               ? call.Find("transposed", places->transposed)
                               : nullptr;
  if (is_transpose || (flag != nullptr && flag->number != 0)) {
    OpWork work = Convolution(Elements(x), w, 1);
    SetBytes({tensors[0], tensors[1]}, 0, work);
    work.bytes = -1;  // The size of the result depends on arguments that many calls leave out.
    return work;
  }
  const auto result = ResultOf(call, *places, x, w);
  if (!result) return std::nullopt;
  OpWork work = Convolution(*result, w, 1);
  SetBytes({tensors[0], tensors[1]}, *result, work);
  if (tensors.size() > 2 && tensors[2]->shape.size() == 1) AddBias(*tensors[2], *result, work);
  return work;
}

namespace {

struct Attention {
  std::string_view op;
  std::size_t query, causal;
  bool heads_inside;  // [B, N, H, D] instead of [B, H, N, D].
  bool gradient;
};
constexpr Attention kAttentions[] = {
    {"scaled_dot_product_attention", 0, 5, false, false},
    {"_scaled_dot_product_flash_attention", 0, 4, false, false},
    {"_scaled_dot_product_efficient_attention", 0, 6, false, false},
    {"_scaled_dot_product_cudnn_attention", 0, 6, false, false},
    {"_flash_attention_forward", 0, 8, true, false},
    {"_scaled_dot_product_flash_attention_backward", 1, 11, false, true},
    {"_scaled_dot_product_efficient_attention_backward", 1, 11, false, true},
    {"_scaled_dot_product_cudnn_attention_backward", 1, 14, false, true},
    {"_flash_attention_backward", 1, 11, true, true},
};

}  // namespace

std::optional<OpWork> AttentionWork(const OpCall& call) {
  const Attention* found = nullptr;
  for (const Attention& known : kAttentions) {
    if (known.op == call.op) found = &known;
  }
  if (found == nullptr || call.arguments.size() < found->query + 3) return std::nullopt;
  const OpArgument* parts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    parts[i] = &call.arguments[found->query + i];
    if (!parts[i]->is_tensor() || parts[i]->shape.size() != 4) return std::nullopt;
  }
  const auto size = [&](std::size_t part, std::size_t at) {
    return static_cast<double>(parts[part]->shape[at]);
  };
  const std::size_t n_at = found->heads_inside ? 1 : 2, h_at = found->heads_inside ? 2 : 1;
  const double batch = size(0, 0), heads = size(0, h_at);
  const double queries = size(0, n_at), keys = size(1, n_at);
  const OpArgument* causal = call.Find("is_causal", found->causal);
  double pairs = queries * keys;
  if (causal != nullptr && causal->number != 0) {
    // Query i sees the keys 0…i: the triangle with its diagonal, cut where the keys end.
    const double rows = std::min(queries, keys);
    pairs = rows * (rows + 1) / 2 + (queries - rows) * keys;
  }
  const double d = size(0, 3), dv = size(2, 3);
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * batch * heads * pairs * (found->gradient ? 3 * d + 2 * dv : d + dv);
  const double inputs = BytesOf({parts[0], parts[1], parts[2]});
  const double each = ElementBytes(*parts[0]);
  if (inputs >= 0 && each > 0) {
    const double out = batch * heads * queries * dv * each;
    // The gradient reads its own, the result too, and writes as much as it was given.
    work.bytes = found->gradient ? 2 * inputs + 2 * out : inputs + out;
  }
  return work;
}

}  // namespace profgauge
