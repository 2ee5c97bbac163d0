// Work of layers of experts, fused or matmul by matmul.
#include "analysis/flops/op_experts.h"

#include <algorithm>
#include <cmath>

#include "analysis/classify/arguments.h"
#include "analysis/flops/op_shape.h"

namespace profgauge::analysis::flops {
namespace {

using Shape = std::vector<std::int64_t>;
using Tensors = std::vector<const OpArgument*>;

double SizeOf(const Shape& shape, std::size_t i) { return static_cast<double>(shape[i]); }

// Common to a fused layer and a single matmul.
struct Layer {
  ExpertSizes sizes;
  const OpArgument* tokens = nullptr;
  const OpArgument* weights[2] = {nullptr, nullptr};
  double moved = 0;  // Elements of tokens read and written.
};

// The expected number of E experts with at least one of T tokens, if each goes to k random ones:
// E·(1 − (1 − k/E)^T), at most T·k. With 8 experts, 2 per token: 3.5 for 2 tokens, 7.2 for 8.
double ExpertsRead(double experts, double per_token, double tokens) {
  const double most = std::min(experts, tokens * per_token);
  return std::min(most, experts * (1 - std::pow(1 - per_token / experts, tokens)));
}

// Whether two weights fit hidden size H: [E, N, H] and [E, H, I], or both transposed.
bool FitsLayer(const Shape& first, const Shape& second, std::int64_t hidden) {
  if (first[0] != second[0] || first[0] < 2) return false;
  const auto fits = [](std::int64_t n, std::int64_t i) { return i > 0 && (n == i || n == 2 * i); };
  return (first[2] == hidden && second[1] == hidden && fits(first[1], second[2])) ||
         (first[1] == hidden && second[2] == hidden && fits(first[2], second[1]));
}

// Returns the number of experts per token, from a tensor [T, k] of weights or indices. A tensor [T,
// E] has the scores of all experts, from which the number does not follow.
std::optional<double> ExpertsPerToken(const Tensors& tensors, const OpArgument& tokens, double rows,
                                      double experts) {
  std::optional<double> least;
  for (const OpArgument* tensor : tensors) {
    const Shape& shape = tensor->shape;
    if (tensor == &tokens || shape.size() < 2 || shape.size() > 3) continue;
    const double last = SizeOf(shape, shape.size() - 1);
    if (last < 1 || last >= experts || Elements(shape) != rows * last) continue;
    least = std::min(last, least.value_or(last));
  }
  return least;
}

// Finds two adjacent weights with three sizes that match a tensor of tokens. Operator names differ
// between projects, but their tensors are alike.
std::optional<Layer> FusedLayer(const Tensors& tensors) {
  Tensors weights;
  for (const OpArgument* tensor : tensors) {
    if (tensor->shape.size() == 3 && Elements(tensor->shape) > 0) weights.push_back(tensor);
  }
  for (const OpArgument* tokens : tensors) {
    if (tokens->shape.size() < 2 || tokens->shape.size() > 3) continue;
    const double hidden = SizeOf(tokens->shape, tokens->shape.size() - 1);
    for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
      const OpArgument &first = *weights[i], &second = *weights[i + 1];
      if (&first == tokens || &second == tokens || hidden <= 0) continue;
      if (!FitsLayer(first.shape, second.shape, tokens->shape.back())) continue;
      const double rows = Elements(tokens->shape) / hidden, experts = SizeOf(first.shape, 0);
      const auto each = ExpertsPerToken(tensors, *tokens, rows, experts);
      if (!each || rows <= 0) return std::nullopt;
      Layer layer;
      layer.tokens = tokens;
      layer.weights[0] = &first;
      layer.weights[1] = &second;
      layer.sizes.experts = experts;
      layer.sizes.rows = rows * *each;
      layer.sizes.read = ExpertsRead(experts, *each, rows);
      layer.sizes.weights = (Elements(first.shape) + Elements(second.shape)) / experts;
      layer.sizes.fused = true;
      layer.moved = 2 * rows * hidden;
      return layer;
    }
  }
  return std::nullopt;
}

// Excludes compiled functions, which take the weights of all layers, and gradients.
bool MayBeLayer(std::string_view op) {
  for (const std::string_view other : {"ompiled", "ackward", "evaluate_function"}) {
    if (op.find(other) != std::string_view::npos) return false;
  }
  return true;
}

bool NamesGroups(std::string_view op) {
  return op.find("grouped_mm") != std::string_view::npos ||
         op.find("grouped_gemm") != std::string_view::npos ||
         op.find("GroupedGemm") != std::string_view::npos || op == "gmm";
}

// Tokens [T, K] sorted by expert, times weights [E, K, N] or [E, N, K].
std::optional<Layer> GroupedProduct(const OpCall& call, const Tensors& tensors) {
  if (!NamesGroups(call.op) || tensors.size() < 2) return std::nullopt;
  const OpArgument &tokens = *tensors[0], &weights = *tensors[1];
  if (tokens.shape.size() != 2 || weights.shape.size() != 3 || weights.shape[0] < 1) {
    return std::nullopt;
  }
  const std::int64_t inner = tokens.shape[1];
  if (weights.shape[1] != inner && weights.shape[2] != inner) return std::nullopt;
  Layer layer;
  layer.tokens = &tokens;
  layer.weights[0] = &weights;
  layer.sizes.experts = SizeOf(weights.shape, 0);
  layer.sizes.rows = SizeOf(tokens.shape, 0);
  layer.sizes.weights = Elements(weights.shape) / layer.sizes.experts;
  layer.sizes.read = ExpertsRead(layer.sizes.experts, 1, layer.sizes.rows);
  const double outer = inner > 0 ? layer.sizes.weights / static_cast<double>(inner) : 0;
  layer.moved = layer.sizes.rows * (static_cast<double>(inner) + outer);
  return layer;
}

// Returns a matmul recognized by name, else a fused layer recognized by its tensors. Sets the bytes
// of one expert, -1 if a type is unknown.
std::optional<Layer> LayerOf(const OpCall& call) {
  if (!MayBeLayer(call.op)) return std::nullopt;
  const Tensors tensors = call.Tensors();
  auto layer = GroupedProduct(call, tensors);
  if (!layer) layer = FusedLayer(tensors);
  if (!layer) return std::nullopt;
  for (const OpArgument* weight : layer->weights) {
    if (weight == nullptr) continue;
    const double each = ElementBytes(*weight);
    if (each < 0 || layer->sizes.weight_bytes < 0) {
      layer->sizes.weight_bytes = -1;
    } else {
      layer->sizes.weight_bytes += each * Elements(weight->shape) / layer->sizes.experts;
    }
  }
  return layer;
}

}  // namespace

std::optional<ExpertSizes> ExpertsShape(const OpCall& call) {
  const auto layer = LayerOf(call);
  return layer ? std::optional(layer->sizes) : std::nullopt;
}

std::optional<OpWork> ExpertsWork(const OpCall& call) {
  const auto layer = LayerOf(call);
  if (!layer) return std::nullopt;
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * layer->sizes.rows * layer->sizes.weights;
  const double each = ElementBytes(*layer->tokens);
  if (each > 0 && layer->sizes.weight_bytes >= 0) {
    work.bytes = layer->sizes.read * layer->sizes.weight_bytes + layer->moved * each;
  }
  work.dtype = classify::CanonicalDtype(layer->tokens->dtype);
  return work;
}

}  // namespace profgauge::analysis::flops
