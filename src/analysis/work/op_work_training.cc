// Work of training: gradients of norms and softmax, losses, pooling, recurrent layers,
// and optimizers that update lists of tensors. Definitions: analysis/work/op_work.h.
#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/work/op_work.h"

namespace profgauge::analysis::work {
namespace {

using Tensors = std::vector<const OpArgument*>;

// Bytes of the tensors read and of the elements written, of the type of `as`; -1 unknown.
double Moved(const Tensors& read, double written_elements, const OpArgument& as) {
  const double in = BytesOf(read), each = ElementBytes(as);
  return in < 0 || each < 0 ? -1 : in + written_elements * each;
}

// Gradient and input have one shape; scale and mean are vectors.
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
  // (gradient, log probabilities, target, …): writes the gradient of the second.
  if (call.op == "nll_loss_backward" && tensors.size() > 2) {
    work.flops = Elements(tensors[2]->shape);
    work.bytes = Moved({tensors[0], tensors[2]}, Elements(tensors[1]->shape), *tensors[1]);
    return work;
  }
  return std::nullopt;
}

// One number for all sizes, or a list; `otherwise` when an empty list or nothing is there.
std::optional<double> SizeAt(const OpArgument* argument, std::size_t i,
                             std::optional<double> otherwise) {
  if (argument == nullptr) return otherwise;
  if (argument->is_number()) return argument->number;
  if (argument->list.empty()) return otherwise;
  return static_cast<double>(argument->list[std::min(i, argument->list.size() - 1)]);
}

// One operation for each element of each window. In 7 with a window of 3, stride 2, padding 1:
// 4 windows. `ceil_mode` adds the last one that sticks out.
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

// The input is [steps, batch, features] or [batch, steps, features]; matrices among the later
// arguments are the weights of layers and directions, each used in every step of every sequence.
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
    // m and v 3 and 4, its root over a constant and epsilon 3, the step 3.
    {"_fused_adam", 13},        {"_fused_adamw", 15},  // And the decay.
    {"_fused_sgd", 4},                                 // Momentum and step.
    {"_foreach_add", 1},        {"_foreach_sub", 1},     {"_foreach_mul", 1},
    {"_foreach_div", 1},        {"_foreach_sqrt", 1},    {"_foreach_neg", 1},
    {"_foreach_reciprocal", 1}, {"_foreach_maximum", 1}, {"_foreach_norm", 2},
    {"_foreach_lerp", 3},       {"_foreach_addcmul", 3},  // With the value that it is scaled by.
    {"_foreach_addcdiv", 3},    {"_foreach_zero", 0},    {"_foreach_copy", 0},
};

// The elements of the first list, the parameters; the other lists have as many. Bytes are unknown.
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

}  // namespace profgauge::analysis::work
