// The shape of an operator's work: the sizes of its matmul, convolution, attention or experts.
//
// `m`, `n` and `k` are those of `batch` matmuls of [m, k] by [k, n]. A convolution has those of its
// implicit matmul, one for each group: m = positions of the result over all images, n = output
// channels, k = input channels of a group times filter size. If transposed: m = positions of the
// input, n = output channels times filter size, k = input channels. Its gradients are two other
// matmuls and have no such sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flops/op_call.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// The kind of work, which determines the sizes that OpShape contains. The column `kind` of the
/// table `roofline` has these names.
enum class OpKind : std::uint8_t {
  kOther,
  kProduct,
  kConvolution,
  kAttention,
  kExperts,      ///< A layer of experts, or one matmul of it.
  kElementwise,  ///< Elementwise operators, and copies.
  kReduction,    ///< Sums, norms, softmax.
};
std::string_view OpKindName(OpKind kind);  ///< "product"; empty for kOther.

/// Sizes in elements. 0: unknown.
struct ProductSizes {
  double batch = 0, m = 0, n = 0, k = 0;
  bool known() const { return batch > 0 && m > 0 && n > 0 && k > 0; }
};

/// Sizes in elements, one value per spatial dimension. Example: a conv2d of [32, 64, 56, 56] by
/// [128, 64, 3, 3] with padding 1 has channels 64, filter {3, 3}, rows 32 · 56 · 56.
struct ConvolutionSizes {
  double groups = 1;
  double channels = 0;                   ///< Input channels of a group.
  std::vector<std::int64_t> filter;      ///< Without channels.
  std::vector<double> stride, dilation;  ///< One per spatial size of the filter.
  double result = 0;                     ///< Elements of the result; 0 unknown.
  double rows = 0;                       ///< `m` of the matmul; 0 unknown.
  bool transposed = false, gradient = false;
};

/// Sizes in elements; `pairs` is for one head of one batch entry.
struct AttentionSizes {
  double batch = 0, heads = 0, queries = 0, keys = 0;
  double head = 0, value_head = 0;  ///< Elements of a query's and of a value's head.
  double pairs = 0;                 ///< Pairs of query and key that are not masked.
  bool gradient = false;
};

/// Sizes of a layer of experts. `read` assumes an even distribution: routing is not recorded.
struct ExpertSizes {
  double experts = 0, rows = 0;          ///< `rows`: tokens times experts per token.
  double read = 0;                       ///< Experts with at least one row.
  double weights = 0, weight_bytes = 0;  ///< Elements and bytes of one expert.
  bool fused = false;                    ///< Whether it is the whole layer, not one matmul.
};

/// The sizes of one call. kOther has no sizes.
struct OpShape {
  OpKind kind = OpKind::kOther;
  ProductSizes product;
  ConvolutionSizes convolution;  ///< Set for a convolution; the others accordingly.
  AttentionSizes attention;
  ExpertSizes experts;
};
/// The shape of a call, from its operator and arguments. kOther if the operator is unknown or an
/// argument is missing. Kinds are tried in the order of OpShape; the first match is used.
OpShape ShapeOf(const OpCall& call);

/// Returns the sizes of a [.., M, K] times b [.., K, N], including vectors; batches broadcast. None
/// if inner sizes differ, the batches are incompatible, or one has no dimensions.
std::optional<ProductSizes> SizesOfProduct(const std::vector<std::int64_t>& a,
                                           const std::vector<std::int64_t>& b);

/// Parts of ShapeOf(), by kind of operator; none for other kinds, or if data is missing.
std::optional<ProductSizes> ProductShape(const OpCall& call);

/// Elementwise or reduction, by the operator's name; kOther otherwise.
OpKind ElementKind(std::string_view op);

}  // namespace profgauge::analysis::flops
