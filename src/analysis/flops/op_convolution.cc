// Sizes and work of convolutions.
#include "analysis/flops/op_convolution.h"

#include <algorithm>
#include <cmath>

#include "analysis/flops/op_shape.h"

namespace profgauge::analysis::flops {
namespace {

using Shape = std::vector<std::int64_t>;
using Tensors = std::vector<const OpArgument*>;

// Positions of a convolution's arguments; kNo: no such argument.
constexpr std::size_t kNo = 99;
struct Places {
  std::string_view op;
  std::size_t stride, padding, dilation, transposed = kNo;  // `transposed`: the flag for it.
  std::size_t output_padding = kNo, groups = kNo;           // Only transposed ones.
  std::size_t input = 0, weight = 1;                        // Among the tensors.
  std::size_t gradient = kNo, mask = kNo;                   // Only gradients.
};
constexpr Places kConvolutions[] = {
    {"conv1d", 3, 4, 5},
    {"conv2d", 3, 4, 5},
    {"conv3d", 3, 4, 5},
    {"convolution", 3, 4, 5, 6, 7, 8},
    {"_convolution", 3, 4, 5, 6, 7, 8},
    {"convolution_overrideable", 3, 4, 5, 6, 7, 8},
    {"cudnn_convolution", 3, 2, 4},
    {"miopen_convolution", 4, 3, 5},
    {"mkldnn_convolution", 4, 3, 5},
    {"_conv_depthwise2d", 4, 5, 6},
    {"miopen_depthwise_convolution", 4, 3, 5},
    {"thnn_conv2d", 4, 5, kNo},
    {"convolution_backward", 4, 5, 6, 7, 8, 9, 1, 2, 0, 10},
    {"cudnn_convolution_backward", 4, 3, 5, kNo, kNo, 6, 0, 2, 1, 9},
};
constexpr Places kTransposed[] = {
    {"conv_transpose1d", 3, 4, 7, kNo, 5, 6},
    {"conv_transpose2d", 3, 4, 7, kNo, 5, 6},
    {"conv_transpose3d", 3, 4, 7, kNo, 5, 6},
    {"cudnn_convolution_transpose", 4, 2, 5, kNo, 3, 6},
    {"miopen_convolution_transpose", 5, 3, 6, kNo, 4, 7},
};

// A convolution with its tensors. `gradient` is nullptr in forward.
struct ConvolutionCall {
  const Places* places = nullptr;
  bool transposed = false;
  bool defaults = false;  // Missing arguments have their default.
  const OpArgument *input = nullptr, *weight = nullptr, *gradient = nullptr;
};

// Finds the row of the tables and the tensors. None if sizes are inconsistent: input and weight
// must have the same number of dimensions, including batch and channels.
std::optional<ConvolutionCall> Understand(const OpCall& call, const Tensors& tensors) {
  ConvolutionCall found;
  for (const Places& known : kTransposed) {
    if (known.op == call.op) found.places = &known, found.transposed = true;
  }
  for (const Places& known : kConvolutions) {
    if (known.op == call.op) found.places = &known;
  }
  if (found.places == nullptr) return std::nullopt;
  const Places& places = *found.places;
  const bool is_gradient = places.gradient != kNo;
  if (tensors.size() < (is_gradient ? 3 : 2)) return std::nullopt;
  found.input = tensors[places.input];
  found.weight = tensors[places.weight];
  if (is_gradient) found.gradient = tensors[places.gradient];
  if (found.input->shape.size() != found.weight->shape.size() || found.input->shape.size() < 3) {
    return std::nullopt;
  }
  const OpArgument* flag =
      places.transposed != kNo ? call.Find("transposed", places.transposed) : nullptr;
  found.transposed = found.transposed || (flag != nullptr && flag->number != 0);
  // PyProf omits arguments with default values; PyTorch's profiler writes all.
  found.defaults = call.module == "torch" || call.module == "torch.nn.functional";
  return found;
}

// The i-th value of a stride, padding or dilation, which may be one number for all dimensions.
std::optional<double> At(const OpArgument* argument, std::size_t i, double otherwise, bool named) {
  if (argument == nullptr) return named ? std::optional(otherwise) : std::nullopt;
  if (argument->is_number()) return argument->number;
  if (argument->list.empty()) return named ? std::optional(otherwise) : std::nullopt;
  return static_cast<double>(argument->list[std::min(i, argument->list.size() - 1)]);
}

// Returns the size of the result in the i-th spatial dimension. An input of 7 with a filter of 3,
// stride 2, padding 1: floor((7 + 2 - 2 - 1) / 2) + 1 = 4, with reach 2; transposed (7 - 1) · 2 - 2
// + 2 + 1 = 13. None if a needed argument was not recorded.
std::optional<double> ResultAt(const OpCall& call, const ConvolutionCall& of, std::size_t i) {
  const Places& places = *of.places;
  const OpArgument* padding = call.Find("padding", places.padding);
  const bool same = padding != nullptr && padding->text == "same";
  const auto stride = At(call.Find("stride", places.stride), i, 1, of.defaults);
  const auto pad = At(padding, i, 0, of.defaults);
  const auto dilation =
      At(call.Find("dilation", places.dilation), i, 1, of.defaults || places.dilation == kNo);
  if (!stride || !dilation || *stride < 1 || (!pad && !same)) return std::nullopt;
  const auto in = static_cast<double>(of.input->shape[i + 2]);
  const double reach = *dilation * (static_cast<double>(of.weight->shape[i + 2]) - 1);
  if (!of.transposed) return same ? in : std::floor((in + 2 * *pad - reach - 1) / *stride) + 1;
  const auto more = At(call.Find("output_padding", places.output_padding), i, 0, of.defaults);
  if (!more || !pad) return std::nullopt;
  return (in - 1) * *stride - 2 * *pad + reach + *more + 1;
}

// Input channels divided by the filter's; only a transposed convolution needs the recorded number.
double GroupsOf(const OpCall& call, const ConvolutionCall& of) {
  const Shape& x = of.input->shape;
  const Shape& w = of.weight->shape;
  if (!of.transposed) return w[1] > 0 ? static_cast<double>(x[1]) / static_cast<double>(w[1]) : 1;
  const OpArgument* groups = call.Find("groups", of.places->groups);
  return groups != nullptr && groups->is_number() ? std::max(1.0, groups->number) : 1;
}

// Elements of the result: [N, K, P, Q, …]; 0 if arguments are missing.
double ResultOf(const OpCall& call, const ConvolutionCall& of, double groups) {
  const Shape& w = of.weight->shape;
  double elements =
      static_cast<double>(of.input->shape[0]) *
      (of.transposed ? static_cast<double>(w[1]) * groups : static_cast<double>(w[0]));
  for (std::size_t i = 0; i + 2 < w.size(); ++i) {
    const auto size = ResultAt(call, of, i);
    if (!size || *size < 1) return 0;
    elements *= *size;
  }
  return elements;
}

// Filter elements per element of the result (of the input, if transposed).
double FilterElements(const Shape& w) { return Elements(Shape(w.begin() + 1, w.end())); }

// The number of gradients (input, weight), each of which costs as much as the convolution.
double GradientsOf(const OpCall& call, const ConvolutionCall& of) {
  const OpArgument* mask = call.Find("output_mask", of.places->mask);
  if (mask == nullptr || mask->list.size() < 2) return 2;
  return static_cast<double>(mask->list[0] + mask->list[1]);
}

// Elements moved besides the inputs: the result, or the gradients of both inputs.
double Written(const ConvolutionCall& of, double result) {
  if (of.gradient == nullptr) return result;
  return Elements(of.input->shape) + Elements(of.weight->shape);
}

}  // namespace

// `rows` is m of the matmul: positions of the result, or of the input if transposed. A gradient's
// `result` is its given gradient, which has the shape of the forward result.
std::optional<ConvolutionSizes> ConvolutionShape(const OpCall& call) {
  const auto of = Understand(call, call.Tensors());
  if (!of) return std::nullopt;
  const Shape& x = of->input->shape;
  const Shape& w = of->weight->shape;
  ConvolutionSizes sizes;
  sizes.transposed = of->transposed;
  sizes.gradient = of->gradient != nullptr;
  sizes.groups = GroupsOf(call, *of);
  sizes.channels = (of->transposed ? static_cast<double>(x[1]) : static_cast<double>(w[1])) /
                   (of->transposed ? sizes.groups : 1);
  sizes.filter.assign(w.begin() + 2, w.end());
  for (std::size_t i = 0; i < sizes.filter.size(); ++i) {
    sizes.stride.push_back(At(call.Find("stride", of->places->stride), i, 1, true).value_or(1));
    sizes.dilation.push_back(
        At(call.Find("dilation", of->places->dilation), i, 1, true).value_or(1));
  }
  sizes.result = sizes.gradient ? Elements(of->gradient->shape) : ResultOf(call, *of, sizes.groups);
  if (sizes.transposed) {
    sizes.rows = x[1] > 0 ? Elements(x) / static_cast<double>(x[1]) : 0;
  } else {
    sizes.rows = w[0] > 0 ? sizes.result / static_cast<double>(w[0]) : 0;
  }
  return sizes;
}

// The work is 2 · result · filter elements; if transposed, 2 · input · filter elements. A bias is
// read, but its additions are not counted.
std::optional<OpWork> ConvolutionWork(const OpCall& call) {
  const Tensors tensors = call.Tensors();
  const auto of = Understand(call, tensors);
  const auto sizes = ConvolutionShape(call);
  if (!of || !sizes) return std::nullopt;
  const bool is_gradient = of->gradient != nullptr;
  if (!of->transposed && sizes->result <= 0) return std::nullopt;
  OpWork work;
  work.is_matrix = true;
  const double each_of = of->transposed ? Elements(of->input->shape) : sizes->result;
  work.flops =
      2 * each_of * FilterElements(of->weight->shape) * (is_gradient ? GradientsOf(call, *of) : 1);
  Tensors read = {of->input, of->weight};
  if (is_gradient) read.push_back(of->gradient);
  const double in = BytesOf(read), each = ElementBytes(*of->input);
  if (in >= 0 && each > 0 && sizes->result > 0) {
    work.bytes = in + Written(*of, sizes->result) * each;
  }
  if (is_gradient || of->transposed || tensors.size() < 3) return work;
  if (tensors[2]->shape.size() == 1) {  // A bias.
    const double bytes = BytesOf({tensors[2]});
    work.bytes = work.bytes < 0 || bytes < 0 ? -1 : work.bytes + bytes;
  }
  return work;
}

}  // namespace profgauge::analysis::flops
