// Rules that decide by a kernel's name whether it runs on Tensor Cores or matrix cores. The rows
// are in rules/knowledge/names.yaml, in the format of a project's own names.
//
// Rules are tried in order, the first match wins. RE2 has no look-around, so a rule is a pair: the
// name must contain `include` and must not contain `exclude`. The rows of the table are grouped by
// family of kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/classify/kernel_class.h"

namespace profgauge::analysis::classify {

/// Which part of a name is matched. Template arguments name unrelated types (an element-wise kernel
/// of a softmax functor), so rules about helpers look only at the head.
enum class NamePart : std::uint8_t {
  kAll,
  kHead,  ///< KernelHead(): analysis/classify/kernel_name.h.
};

/// Chips a rule is for. A chip that is not recorded is taken for one of NVIDIA or AMD. The matrix
/// unit of Ascend's AI Cores is the Cube; of other chips no rule knows the kernels.
enum class Vendor : std::uint8_t { kAny, kNvidia, kAmd, kAscend, kOther };

/// One row of rules/knowledge/names.yaml. It applies to kernels of `vendor` whose `part` matches
/// `include` and not `exclude`.
struct TensorCoreRule {
  std::string_view id;
  Tri verdict = Tri::kUnknown;
  NamePart part = NamePart::kAll;
  Vendor vendor = Vendor::kAny;
  bool matrix = false;       ///< Products, convolutions, attention; not their helpers.
  std::string_view include;  ///< RE2
  std::string_view exclude;  ///< RE2; empty: nothing is excluded.
};

/// In the order in which they are tried. RuleName(n) is the id of row n − 1; the last ids, which
/// have no pattern, are verdicts that the chip decided.
std::span<const TensorCoreRule> TensorCoreRules();

/// Numbers of rules from here on are those of a project's own names.
inline constexpr std::uint16_t kFirstOwnRule = 0x8000;

/// The result for a name without context: the verdict, the rule, and whether it is a collective. No
/// rule: {kNo, 0}. Rules of communication come first. With kAny all rules but those of AMD and
/// Ascend are tried, whose words are common. Compiles the rules on first use; thread-safe.
KernelClass ClassifyName(std::string_view name, Vendor vendor = Vendor::kAny);

/// What a name says of a product whose verdict no rule knows.
struct NamedProduct {
  /// A product, convolution, attention or expert: one of the words is in the name, and none of a
  /// helper ("quantize", "cast", "scale", "sort").
  bool multiplies = false;
  bool helps = false;  ///< One of a helper's words is in the name.
  /// The narrow type that it multiplies: "float8" (also for types of 6 and 4 bits and for MX types)
  /// or "int8" (for weights of 4 bits), the chip's peak that must exist; empty: none is named.
  std::string_view narrow_type;
};
/// Words are split at what is no letter or digit and at capitals, also in mangled names.
///
///   _ZN7acme_op16fp8_ptpc_rowgemm10GemmKernelILi256EEvPv     multiplies, "float8"
///   dynamic_per_token_scaled_fp8_quant_kernel                helps, "float8"
///   paged_attention_kernel<Fp8KVCacheDataType>               multiplies, no type: of the cache
///   only
NamedProduct ProductInName(std::string_view name);

/// The verdict on a kernel whose operator no vector unit is fast enough for:
/// flops/matrix_by_rate.h.
KernelClass FasterThanVectorUnits();

/// Lowest compute capability, times 10, of a chip that can have this kernel on Tensor Cores: 70, 89
/// (FP8 matmuls) or 100 (FP4 matmuls). Kernels that only convert such types have 70.
int LeastComputeCapability(std::string_view name);

}  // namespace profgauge::analysis::classify
