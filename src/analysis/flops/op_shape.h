// The shape of an operator's work: the sizes of its matmul, convolution, attention or experts.
//
// `m`, `n` and `k` are those of `batch` matmuls of [m, k] by [k, n]. A convolution has those of
// the product that it is computed as: m = the result's places of all images, n = output channels
// and k = input channels of a group times the filter's size, one for each group; where it is
// transposed m = the input's places, n = output channels times the filter's size, k = input
// channels. Its gradients are two matmuls of other sizes and have none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flops/op_call.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// The kind of work, which determines the sizes of OpShape that are set. The column `kind` of the
/// table `roofline` has their names.
enum class OpKind : std::uint8_t {
  kOther,
  kProduct,
  kConvolution,
  kAttention,
  kExperts,      ///< A layer of experts, or one product of it.
  kElementwise,  ///< Element by element, copies too.
  kReduction,    ///< Sums, norms, softmax.
};
std::string_view OpKindName(OpKind kind);  ///< "product"; empty for kOther.

/// Sizes in elements. 0: unknown.
struct ProductSizes {
  double batch = 0, m = 0, n = 0, k = 0;
  bool known() const { return batch > 0 && m > 0 && n > 0 && k > 0; }
};

/// Sizes in elements, one value per spatial dimension. A conv2d of [32, 64, 56, 56] by
/// [128, 64, 3, 3] with padding 1 has channels 64, filter {3, 3}, rows 32 · 56 · 56.
struct ConvolutionSizes {
  double groups = 1;
  double channels = 0;                   ///< Input channels of a group.
  std::vector<std::int64_t> filter;      ///< Without channels.
  std::vector<double> stride, dilation;  ///< One for each size of the filter.
  double result = 0;                     ///< Elements of the result; 0 unknown.
  double rows = 0;                       ///< `m` of the product; 0 unknown.
  bool transposed = false, gradient = false;
};

/// Sizes in elements; `pairs` is for one head of one batch entry.
struct AttentionSizes {
  double batch = 0, heads = 0, queries = 0, keys = 0;
  double head = 0, value_head = 0;  ///< Elements of a query's and of a value's head.
  double pairs = 0;                 ///< Pairs of a query with a key that the mask leaves.
  bool gradient = false;
};

/// Sizes of a layer of experts. `read` follows from an even spread, since a profile has no routing.
struct ExpertSizes {
  double experts = 0, rows = 0;          ///< Rows: tokens times the experts that each goes to.
  double read = 0;                       ///< Experts of which a row is, if tokens spread evenly.
  double weights = 0, weight_bytes = 0;  ///< Elements and bytes of one expert.
  bool fused = false;                    ///< The whole layer, not one product of it.
};

/// The sizes of one call. kOther has none.
struct OpShape {
  OpKind kind = OpKind::kOther;
  ProductSizes product;
  ConvolutionSizes convolution;  ///< The sizes of a convolution, and so on.
  AttentionSizes attention;
  ExpertSizes experts;
};
/// The shape of a call by its operator and arguments. kOther if the operator is unknown or an
/// argument is missing. Kinds are tried in the order of OpShape; the first that fits counts.
OpShape ShapeOf(const OpCall& call);

/// For a [.., M, K] times b [.., K, N], vectors included; batches broadcast. Nothing where the
/// inner sizes differ, the batches do not fit, or one has no dimensions.
std::optional<ProductSizes> SizesOfProduct(const std::vector<std::int64_t>& a,
                                           const std::vector<std::int64_t>& b);

/// Parts of ShapeOf, by kind of operator; nothing for others, or where required data is missing.
std::optional<ProductSizes> ProductShape(const OpCall& call);

/// Elementwise or reduction, by the operator's name; kOther for all others.
OpKind ElementKind(std::string_view op);

}  // namespace profgauge::analysis::flops
