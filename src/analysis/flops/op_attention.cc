// Sizes and work of attention.
#include "analysis/flops/op_attention.h"

#include <algorithm>

#include "analysis/flops/op_shape.h"

namespace profgauge::analysis::flops {
namespace {

// Positions of an operator's arguments. They differ between libraries that use the same operator
// name: rows with a module come first.
struct Attention {
  std::string_view op;
  std::size_t query, causal;  // `causal`: a bool, or the number of a mask kind.
  bool heads_inside;          // [B, N, H, D] instead of [B, H, N, D].
  bool gradient;
  std::string_view module = {};  // Only if several libraries use the name.
};
constexpr Attention kAttentions[] = {
    {"scaled_dot_product_attention", 0, 5, false, false},
    {"_scaled_dot_product_flash_attention", 0, 4, false, false},
    {"_scaled_dot_product_efficient_attention", 0, 6, false, false},
    {"_scaled_dot_product_cudnn_attention", 0, 6, false, false},
    {"_scaled_dot_product_fused_attention_overrideable", 0, 5, false, false},
    {"_flash_attention_forward", 0, 8, true, false},
    {"_efficient_attention_forward", 0, 9, true, false},
    {"_cudnn_attention_forward", 0, 10, false, false},
    {"efficient_attention_forward_cutlass", 0, 9, true, false},
    {"_flash_attn_forward", 0, 24, true, false, "flash_attn_3"},
    {"fwd", 0, 24, true, false, "flash_attn_3"},
    {"_flash_attn_forward", 0, 5, true, false},
    {"mha_fwd", 0, 5, true, false, "aiter"},
    {"fmha_v3_fwd", 0, 5, true, false, "aiter"},
    {"_scaled_dot_product_flash_attention_backward", 1, 11, false, true},
    {"_scaled_dot_product_efficient_attention_backward", 1, 11, false, true},
    {"_scaled_dot_product_cudnn_attention_backward", 1, 14, false, true},
    {"_flash_attention_backward", 1, 11, true, true},
    {"_flash_attn_backward", 1, 11, true, true, "flash_attn"},
};

struct AttentionCall {
  const Attention* known = nullptr;
  const OpArgument* parts[3] = {nullptr, nullptr, nullptr};  // Query, key, value.
};

// Finds the matching row, and query, key and value: three adjacent arguments with four sizes.
std::optional<AttentionCall> UnderstandAttention(const OpCall& call) {
  AttentionCall found;
  for (const Attention& known : kAttentions) {
    const bool fits = known.op == call.op && (known.module.empty() || known.module == call.module);
    if (fits && found.known == nullptr) found.known = &known;
  }
  if (found.known == nullptr || call.arguments.size() < found.known->query + 3) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    found.parts[i] = &call.arguments[found.known->query + i];
    // With three sizes, sequences of several lengths are packed; shapes do not show them.
    if (!found.parts[i]->is_tensor() || found.parts[i]->shape.size() != 4) return std::nullopt;
  }
  return found;
}

}  // namespace

// Returns the sizes, with the number of unmasked pairs. 3 queries with 5 keys have 15, or 6 (x) if
// causal. 5 queries with 3 keys have 12 if causal: the triangle, and all keys for later queries:
//
//   x . . . .        x . .
//   x x . . .        x x .
//   x x x . .        x x x
//                    x x x
//                    x x x
std::optional<AttentionSizes> AttentionShape(const OpCall& call) {
  const auto of = UnderstandAttention(call);
  if (!of) return std::nullopt;
  const auto size = [&](std::size_t part, std::size_t at) {
    return static_cast<double>(of->parts[part]->shape[at]);
  };
  const bool heads_inside = of->known->heads_inside;
  const std::size_t n_at = heads_inside ? 1 : 2, h_at = heads_inside ? 2 : 1;
  AttentionSizes sizes;
  sizes.gradient = of->known->gradient;
  sizes.batch = size(0, 0);
  sizes.heads = size(0, h_at);
  sizes.queries = size(0, n_at);
  sizes.keys = size(1, n_at);
  sizes.head = size(0, 3);
  sizes.value_head = size(2, 3);
  sizes.pairs = sizes.queries * sizes.keys;
  const OpArgument* causal = call.Find("is_causal", of->known->causal);
  if (causal != nullptr && causal->number != 0) {
    // Query i sees keys 0…i: the triangle with its diagonal, cut at the last key.
    const double rows = std::min(sizes.queries, sizes.keys);
    sizes.pairs = rows * (rows + 1) / 2 + (sizes.queries - rows) * sizes.keys;
  }
  return sizes;
}

// Operations per pair in forward: 2·d for queries times keys, 2·dv for weights times values. The
// gradient recomputes the weights and has four more matmuls: 2·(3·d + 2·dv).
std::optional<OpWork> AttentionWork(const OpCall& call) {
  const auto of = UnderstandAttention(call);
  const auto sizes = AttentionShape(call);
  if (!of || !sizes) return std::nullopt;
  const double d = sizes->head, dv = sizes->value_head;
  OpWork work;
  work.is_matrix = true;
  work.flops =
      2 * sizes->batch * sizes->heads * sizes->pairs * (sizes->gradient ? 3 * d + 2 * dv : d + dv);
  const double inputs = BytesOf({of->parts[0], of->parts[1], of->parts[2]});
  const double each = ElementBytes(*of->parts[0]);
  if (inputs >= 0 && each > 0) {
    const double out = sizes->batch * sizes->heads * sizes->queries * dv * each;
    // The gradient also reads the result and its gradient, and writes gradients of its inputs.
    work.bytes = sizes->gradient ? 2 * inputs + 2 * out : inputs + out;
  }
  return work;
}

}  // namespace profgauge::analysis::flops
