#include "analysis/flops/op_work.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <tuple>

#include "analysis/classify/arguments.h"
#include "analysis/flops/op_experts.h"
#include "analysis/flops/op_shape.h"
#include "base/whole.h"

namespace profgauge::analysis::flops {

double ElementBytes(const OpArgument& tensor) {
  const double bytes = classify::DtypeBytes(tensor.dtype);
  return bytes > 0 ? bytes : -1;
}

// One tensor of unknown type makes the sum unknown: a partial sum would look complete.
double BytesOf(const std::vector<const OpArgument*>& tensors) {
  double sum = 0;
  for (const OpArgument* tensor : tensors) {
    const double bytes = ElementBytes(*tensor);
    if (bytes < 0) return -1;
    sum += bytes * Elements(tensor->shape);
  }
  return sum;
}

// Uses the first part that knows the operator; experts last, as they are found by tensors.
std::optional<OpWork> WorkOf(const OpCall& call) {
  for (const auto part :
       {ProductWork, ConvolutionWork, AttentionWork, ElementWork, TrainingWork, ExpertsWork}) {
    if (auto work = part(call)) {
      // Sizes are untrusted: their product may be unusable.
      if (!(work->flops >= 0 && work->flops < 1e30 && work->bytes < 1e30)) return std::nullopt;
      const auto tensors = call.Tensors();
      if (work->dtype.empty() && !tensors.empty())
        work->dtype = classify::CanonicalDtype(tensors[0]->dtype);
      return work;
    }
  }
  return std::nullopt;
}

// Parents come first, so rows inherit `counted_in` before they may set it.
OpWorks CountWork(const Profile& profile, const OpTree& tree) {
  const HostTable& host = profile.host;
  OpWorks result;
  result.of_row.assign(host.size(), OpWorks::kNone);
  result.counted_in.assign(host.size(), OpWorks::kNone);
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  boost::unordered_flat_map<Key, std::uint32_t> known;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    if (parent.valid()) result.counted_in[row] = result.counted_in[parent.value];
    if (host.kind[row] != HostKind::kOp || !tree.IsOp(row) || !host.name[row].valid()) continue;
    if (!host.input_shapes[row].valid() && !host.concrete_inputs[row].valid()) continue;
    const Key key{host.name[row].value, host.input_shapes[row].value, host.input_dtypes[row].value,
                  host.concrete_inputs[row].value};
    const auto [at, is_new] = known.try_emplace(key, OpWorks::kNone);
    if (is_new) {
      const auto call = CallOf(profile, row);
      if (auto work = call ? WorkOf(*call) : std::nullopt) {
        at->second = static_cast<std::uint32_t>(result.works.size());
        result.works.push_back(std::move(*work));
      }
    }
    result.of_row[row] = at->second;
    if (at->second != OpWorks::kNone && result.counted_in[row] == OpWorks::kNone) {
      result.counted_in[row] = row;
    }
  }
  return result;
}

// Work of matmuls.

namespace {

using Shape = std::vector<std::int64_t>;

double Size(const Shape& shape, std::size_t from_end) {
  return static_cast<double>(shape[shape.size() - 1 - from_end]);
}

// `out_bytes`: per element of the result. Bytes are -1 (unknown) if either size is.
OpWork Product(double batch, double m, double n, double k, double input_bytes, double out_bytes) {
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * batch * m * n * k;
  if (input_bytes >= 0 && out_bytes >= 0) work.bytes = input_bytes + batch * m * n * out_bytes;
  return work;
}

// The work of a [.., M, K] times b [.., K, N], including vectors.
std::optional<OpWork> BroadcastProduct(const OpArgument& x, const OpArgument& y) {
  const auto sizes = SizesOfProduct(x.shape, y.shape);
  if (!sizes) return std::nullopt;
  return Product(sizes->batch, sizes->m, sizes->n, sizes->k, BytesOf({&x, &y}), ElementBytes(x));
}

// Adds the bytes of a matmul's addend. Its additions are not counted.
void AddBias(const OpArgument& bias, OpWork& work) {
  const double bytes = BytesOf({&bias});
  work.bytes = work.bytes < 0 || bytes < 0 ? -1 : work.bytes + bytes;
}

// Bytes by number of c10::ScalarType.
double ScalarTypeBytes(std::int64_t type) {
  constexpr double kBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
  if (type >= 0 && type < std::ssize(kBytes)) return kBytes[type];
  return type >= 23 && type <= 26 ? 1 : -1;  // The FP8 types.
}

// The bytes of a result element, whose type mostly differs from the factors'. Among the arguments
// after the factors, only the type is a number: (…, scale_a, scale_b, bias, scale_result,
// out_dtype, use_fast_accum), in older versions (…, bias, out_dtype, …). Without a number it is the
// factors' type; if values were not recorded, the bias's, else BF16 (all known callers).
double ScaledResultBytes(const OpCall& call, const OpArgument& factor) {
  bool values_recorded = false;
  const OpArgument* bias = nullptr;
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    const OpArgument& argument = call.arguments[i];
    if (argument.type == "float") return ScalarTypeBytes(WithoutFraction(argument.number, -1));
    values_recorded = values_recorded || argument.type == "bool";
    if (argument.is_tensor() && argument.shape.size() == 1 &&
        classify::DtypeBytes(argument.dtype) == 2) {
      bias = &argument;
    }
  }
  if (values_recorded) return ElementBytes(factor);
  return bias != nullptr ? ElementBytes(*bias) : 2;
}

// Matmuls whose result type differs from the factors' type.
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
    if (work) AddBias(*tensors[0], *work);
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
    if (tensors.size() > 2) AddBias(*tensors[2], work);
    return work;
  }
  return std::nullopt;
}

// Work of training: gradients of norms and softmax, losses, pooling, recurrent layers,
// and optimizers that update lists of tensors. Definitions: analysis/flops/op_work.h.

namespace {

using Tensors = std::vector<const OpArgument*>;

// Bytes of the tensors read and of the elements written with the type of `as`; -1 unknown.
double Moved(const Tensors& read, double written_elements, const OpArgument& as) {
  const double in = BytesOf(read), each = ElementBytes(as);
  return in < 0 || each < 0 ? -1 : in + written_elements * each;
}

// Gradient and input have equal shapes; scale and mean are vectors.
std::optional<OpWork> NormGradient(const OpCall& call, const Tensors& tensors) {
  for (const std::string_view op : {"native_layer_norm_backward", "native_batch_norm_backward",
                                    "cudnn_batch_norm_backward", "native_group_norm_backward"}) {
    if (call.op != op) continue;
    if (tensors.size() < 2 || tensors[0]->shape != tensors[1]->shape) return std::nullopt;
    const double elements = Elements(tensors[0]->shape);
    OpWork work;
    work.flops = 2 * (5 + 2) * elements;
    work.bytes = Moved({tensors[0], tensors[1]}, elements, *tensors[1]);
    return work;
  }
  return std::nullopt;
}

// (gradient, result, …): y·(g − Σ g·y), four operations per element.
std::optional<OpWork> SoftmaxGradient(const OpCall& call, const Tensors& tensors) {
  if (call.op != "_softmax_backward_data" && call.op != "_log_softmax_backward_data") {
    return std::nullopt;
  }
  if (tensors.size() < 2 || tensors[0]->shape != tensors[1]->shape) return std::nullopt;
  const double elements = Elements(tensors[0]->shape);
  OpWork work;
  work.flops = 4 * elements;
  work.bytes = Moved({tensors[0], tensors[1]}, elements, *tensors[0]);
  return work;
}

// Forward and backward of losses; `tensors` are (input, target) or (gradient, input, target).
std::optional<OpWork> Loss(const OpCall& call, const Tensors& tensors) {
  if (tensors.size() < 2) return std::nullopt;
  const OpArgument& first = *tensors[0];
  OpWork work;
  if (call.op == "mse_loss" || call.op == "mse_loss_backward") {
    const bool forward = call.op == "mse_loss";
    const OpArgument& input = forward ? first : *tensors[1];
    const double elements = Elements(input.shape);
    work.flops = (forward ? 3 : 2) * elements;
    work.bytes = Moved(tensors, forward ? 1 : elements, input);
    return work;
  }
  if (call.op == "cross_entropy_loss" || call.op == "cross_entropy") {
    work.flops = 5 * Elements(first.shape);
    work.bytes = Moved({tensors[0], tensors[1]}, 1, first);
    return work;
  }
  if (call.op == "nll_loss" || call.op == "nll_loss_forward") {
    const double rows = Elements(tensors[1]->shape), each = ElementBytes(first);
    const double targets = BytesOf({tensors[1]});
    work.flops = rows;
    work.bytes = each < 0 || targets < 0 ? -1 : targets + (rows + 1) * each;
    return work;
  }
  // (gradient, log probabilities, target, …): writes the gradient of the log probabilities.
  if (call.op == "nll_loss_backward" && tensors.size() > 2) {
    work.flops = Elements(tensors[2]->shape);
    work.bytes = Moved({tensors[0], tensors[2]}, Elements(tensors[1]->shape), *tensors[1]);
    return work;
  }
  return std::nullopt;
}

// One number for all sizes, or a list; `otherwise` if it is missing or empty.
std::optional<double> SizeAt(const OpArgument* argument, std::size_t i,
                             std::optional<double> otherwise) {
  if (argument == nullptr) return otherwise;
  if (argument->is_number()) return argument->number;
  if (argument->list.empty()) return otherwise;
  return static_cast<double>(argument->list[std::min(i, argument->list.size() - 1)]);
}

// One operation per element of each window. A size of 7 with a window of 3, stride 2, padding 1 has
// 4 windows. `ceil_mode` adds a partial last one.
std::optional<OpWork> Pooling(const OpCall& call, const Tensors& tensors) {
  const bool is_max = call.op == "max_pool2d" || call.op == "max_pool2d_with_indices";
  if ((!is_max && call.op != "avg_pool2d") || tensors[0]->shape.size() < 3) return std::nullopt;
  const std::vector<std::int64_t>& in = tensors[0]->shape;
  double out = 1, window = 1;
  for (std::size_t i = 0; i + 2 < in.size(); ++i) out *= static_cast<double>(in[i]);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto kernel = SizeAt(call.Find("kernel_size", 1), i, std::nullopt);
    if (!kernel || *kernel < 1) return std::nullopt;
    const auto stride = SizeAt(call.Find("stride", 2), i, *kernel);
    const auto padding = SizeAt(call.Find("padding", 3), i, 0);
    const auto dilation = is_max ? SizeAt(call.Find("dilation", 4), i, 1) : 1;
    const OpArgument* ceil = call.Find("ceil_mode", is_max ? 5 : 4);
    if (*stride < 1) return std::nullopt;
    const double steps = (static_cast<double>(in[in.size() - 2 + i]) + 2 * *padding -
                          *dilation * (*kernel - 1) - 1) /
                         *stride;
    const double size =
        (ceil != nullptr && ceil->number != 0 ? std::ceil(steps) : std::floor(steps)) + 1;
    if (!(size >= 1)) return std::nullopt;
    out *= size;
    window *= *kernel;
  }
  OpWork work;
  work.flops = out * window;
  work.bytes = Moved({tensors[0]}, out, *tensors[0]);
  if (call.op == "max_pool2d_with_indices" && work.bytes >= 0) work.bytes += 8 * out;
  return work;
}

// (gradient, indices, rows of the table, …): adds each row of the gradient to one of the table.
std::optional<OpWork> EmbeddingGradient(const OpCall& call, const Tensors& tensors) {
  if (call.op != "embedding_dense_backward" || tensors.size() < 2 || tensors[0]->shape.empty()) {
    return std::nullopt;
  }
  OpWork work;
  work.flops = Elements(tensors[0]->shape);
  const OpArgument* rows = call.Find("num_weights", 2);
  if (rows != nullptr && rows->is_number() && rows->number > 0) {
    work.bytes = Moved({tensors[0], tensors[1]},
                       rows->number * static_cast<double>(tensors[0]->shape.back()), *tensors[0]);
  }
  return work;
}

// The input is [steps, batch, features] or [batch, steps, features]. Later matrices are the weights
// of layers and directions, each used in every step of every sequence.
std::optional<OpWork> Recurrent(const OpCall& call, const Tensors& tensors) {
  const bool gradient = call.op == "_cudnn_rnn_backward";
  const auto is = [&call](std::string_view op) { return call.op == op; };
  if (!gradient && !is("_cudnn_rnn") && !is("lstm") && !is("gru") && !is("rnn_tanh") &&
      !is("rnn_relu")) {
    return std::nullopt;
  }
  if (tensors[0]->shape.size() != 3) return std::nullopt;  // Packed sequences have other shapes.
  double weights = 0;
  for (const OpArgument* tensor : tensors) {
    if (tensor->shape.size() == 2) weights += Elements(tensor->shape);
  }
  if (weights == 0) return std::nullopt;
  OpWork work;
  work.is_matrix = true;
  work.flops = (gradient ? 2 : 1) * 2 * weights * static_cast<double>(tensors[0]->shape[0]) *
               static_cast<double>(tensors[0]->shape[1]);
  return work;
}

// Operations per element, by the optimizer's formula.
struct Update {
  std::string_view op;
  double flops;
};
constexpr Update kUpdates[] = {
    // m and v: 3 and 4; the root with constant and epsilon: 3; the step: 3.
    {"_fused_adam", 13},        {"_fused_adamw", 15},  // And the decay.
    {"_fused_sgd", 4},                                 // Momentum and step.
    {"_foreach_add", 1},        {"_foreach_sub", 1},     {"_foreach_mul", 1},
    {"_foreach_div", 1},        {"_foreach_sqrt", 1},    {"_foreach_neg", 1},
    {"_foreach_reciprocal", 1}, {"_foreach_maximum", 1}, {"_foreach_norm", 2},
    {"_foreach_lerp", 3},       {"_foreach_addcmul", 3},  // Includes scaling by a value.
    {"_foreach_addcdiv", 3},    {"_foreach_zero", 0},    {"_foreach_copy", 0},
};

// Uses the elements of the first list, the parameters; others are as long. Bytes are unknown.
std::optional<OpWork> ListUpdate(const OpCall& call, const Tensors& tensors) {
  std::string_view op = call.op;
  if (op.ends_with('_')) op.remove_suffix(1);
  const auto* const found = std::find_if(std::begin(kUpdates), std::end(kUpdates),
                                         [op](const Update& update) { return update.op == op; });
  if (found == std::end(kUpdates)) return std::nullopt;
  double elements = 0;
  for (const OpArgument* tensor : tensors) {
    if (tensor->place == tensors[0]->place) elements += Elements(tensor->shape);
  }
  OpWork work;
  work.flops = found->flops * elements;
  return work;
}

}  // namespace

std::optional<OpWork> TrainingWork(const OpCall& call) {
  const Tensors tensors = call.Tensors();
  if (tensors.empty()) return std::nullopt;
  for (const auto part :
       {NormGradient, SoftmaxGradient, Loss, Pooling, EmbeddingGradient, Recurrent, ListUpdate}) {
    if (auto work = part(call, tensors)) return work;
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::flops
