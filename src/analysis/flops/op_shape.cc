#include "analysis/flops/op_shape.h"
#include "analysis/flops/op_attention.h"
#include "analysis/flops/op_convolution.h"
#include "analysis/flops/op_experts.h"

#include <algorithm>

namespace profgauge::analysis::flops {
namespace {

using Shape = std::vector<std::int64_t>;

// REQUIRES: `shape` has more than `from_end` dimensions.
double SizeFromEnd(const Shape& shape, std::size_t from_end) {
  return static_cast<double>(shape[shape.size() - 1 - from_end]);
}

// Merges a batch that shares one weight into a single matmul: [8, 128, 64] by [64, 32] becomes
// [1024, 64] by [64, 32].
ProductSizes Folded(ProductSizes sizes, bool is_shared) {
  if (!is_shared) return sizes;
  return {1, sizes.batch * sizes.m, sizes.n, sizes.k};
}

// m = N·P·Q or, transposed, N·H·W.
ProductSizes ImplicitProduct(const ConvolutionSizes& sizes, const Shape& w) {
  if (sizes.gradient || sizes.rows <= 0 || w.size() < 3) return {};
  double filter = 1;
  for (const std::int64_t size : sizes.filter) filter *= static_cast<double>(size);
  const auto first = static_cast<double>(w[0]), second = static_cast<double>(w[1]);
  if (sizes.transposed) {
    return {sizes.groups, sizes.rows, second * filter, first / sizes.groups};
  }
  return {sizes.groups, sizes.rows, first / sizes.groups, second * filter};
}

}  // namespace

std::string_view OpKindName(OpKind kind) {
  constexpr std::string_view kNames[] = {"",        "product",     "convolution", "attention",
                                         "experts", "elementwise", "reduction"};
  return kNames[static_cast<std::size_t>(kind)];
}

// A vector on the left is a matrix with one row, on the right one with one column.
std::optional<ProductSizes> SizesOfProduct(const Shape& x, const Shape& y) {
  Shape a = x, b = y;
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (SizeFromEnd(a, 0) != SizeFromEnd(b, 1)) return std::nullopt;
  const auto batch = Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch) return std::nullopt;
  return ProductSizes{Elements(*batch), SizeFromEnd(a, 1), SizeFromEnd(b, 0), SizeFromEnd(a, 0)};
}

// In-place and plain names are equal: addmm_ and addmm, but not __matmul__.
std::optional<ProductSizes> ProductShape(const OpCall& call) {
  std::string_view op = call.op;
  if (op.ends_with('_') && !op.starts_with("__")) op.remove_suffix(1);
  const auto is = [op](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  const auto tensors = call.Tensors();
  const auto of = [&](std::size_t first) -> std::optional<ProductSizes> {
    if (tensors.size() < first + 2) return std::nullopt;
    const Shape& a = tensors[first]->shape;
    const Shape& b = tensors[first + 1]->shape;
    const auto sizes = SizesOfProduct(a, b);
    return sizes ? std::optional(Folded(*sizes, b.size() == 2)) : std::nullopt;
  };
  if (is({"_scaled_mm", "_int_mm", "mm", "bmm", "matmul", "__matmul__", "mv", "dot"})) return of(0);
  if (is({"addmm", "baddbmm", "addbmm", "addmv", "_addmm_activation"})) return of(1);
  if (!is({"linear"}) || tensors.size() < 2) return std::nullopt;
  const Shape& x = tensors[0]->shape;
  const Shape& w = tensors[1]->shape;
  if (x.empty() || w.size() != 2 || SizeFromEnd(w, 0) != SizeFromEnd(x, 0) ||
      SizeFromEnd(x, 0) <= 0) {
    return std::nullopt;
  }
  return ProductSizes{1, Elements(x) / SizeFromEnd(x, 0), static_cast<double>(w[0]),
                      SizeFromEnd(x, 0)};
}

// A convolution also gets its implicit matmul, which determines tiles.
OpShape ShapeOf(const OpCall& call) {
  OpShape shape;
  if (const auto product = ProductShape(call)) {
    shape.kind = OpKind::kProduct;
    shape.product = *product;
  } else if (const auto convolution = ConvolutionShape(call)) {
    shape.kind = OpKind::kConvolution;
    shape.convolution = *convolution;
    shape.product = ImplicitProduct(*convolution, call.Tensors()[1]->shape);
  } else if (const auto attention = AttentionShape(call)) {
    shape.kind = OpKind::kAttention;
    shape.attention = *attention;
  } else if (const auto experts = ExpertsShape(call)) {
    shape.kind = OpKind::kExperts;
    shape.experts = *experts;
  } else {
    shape.kind = ElementKind(call.op);
  }
  return shape;
}

}  // namespace profgauge::analysis::flops
