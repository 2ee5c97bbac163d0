// Rules that decide by a kernel's name whether it runs on Tensor Cores or matrix cores. The rows
// are in rules/knowledge/names.yaml, in the format of projects' own names.
//
// Rules are tried in order, and the first match wins. RE2 has no look-around, so a rule is a pair
// of patterns: the name must contain `include` and must not contain `exclude`. The rows of the
// table are grouped by kernel family.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/classify/kernel_class.h"

namespace profgauge::analysis::classify {

/// The part of a name that a rule matches. Template arguments name unrelated types (e.g. an
/// elementwise kernel with a softmax functor), so rules for helpers only use the head.
enum class NamePart : std::uint8_t {
  kAll,
  kHead,  ///< KernelHead(): analysis/classify/kernel_name.h.
};

/// Chips of a rule. An unrecorded chip is assumed to be of NVIDIA or AMD. The matrix unit of
/// Ascend's AI Cores is the Cube; kernels of other chips have no rules.
enum class Vendor : std::uint8_t { kAny, kNvidia, kAmd, kAscend, kOther };

/// One row of rules/knowledge/names.yaml, for kernels of `vendor` whose `part` matches `include`
/// and not `exclude`.
struct TensorCoreRule {
  std::string_view id;
  Tri verdict = Tri::kUnknown;
  NamePart part = NamePart::kAll;
  Vendor vendor = Vendor::kAny;
  bool matrix = false;       ///< Matmuls, convolutions, attention; not their helpers.
  std::string_view include;  ///< RE2
  std::string_view exclude;  ///< RE2; empty: excludes nothing.
};

/// All rules, in the order in which they are tried. RuleName(n) is the id of row n − 1. The last
/// rows have no pattern: they are verdicts due to the chip.
std::span<const TensorCoreRule> TensorCoreRules();

/// Rule numbers from here on belong to a project's own names.
inline constexpr std::uint16_t kFirstOwnRule = 0x8000;

/// Returns the verdict, the rule, and whether it is a collective, by name only; {kNo, 0} without a
/// rule. Communication rules come first. kAny excludes the rules of AMD and Ascend, because their
/// words are common. Compiles the rules at first use; thread-safe.
KernelClass ClassifyName(std::string_view name, Vendor vendor = Vendor::kAny);

/// Information in the name of a matmul without a matching rule.
struct NamedProduct {
  /// Whether it is a matmul, convolution, attention or expert: the name contains one of their
  /// words, and none of a helper ("quantize", "cast", "scale", "sort").
  bool multiplies = false;
  bool helps = false;  ///< Whether the name contains a helper's word.
  /// The narrow type that it multiplies: "float8" (also for 6-bit, 4-bit and MX types) or "int8"
  /// (for 4-bit weights), as the list of the chip's peaks names it. Empty if the name has none.
  std::string_view narrow_type;
};
/// Splits words at capitals and at characters other than letters and digits; also if mangled.
///
///   _ZN7acme_op16fp8_ptpc_rowgemm10GemmKernelILi256EEvPv     multiplies, "float8"
///   dynamic_per_token_scaled_fp8_quant_kernel                helps, "float8"
///   paged_attention_kernel<Fp8KVCacheDataType>               multiplies, no type: it is only the
///                                                            cache's
NamedProduct ProductInName(std::string_view name);

/// The verdict on a kernel whose operator is faster than vector units can be:
/// flops/matrix_by_rate.h.
KernelClass FasterThanVectorUnits();

/// The minimum compute capability, times 10, of a chip with Tensor Cores for this kernel: 70, 89
/// (FP8 matmuls) or 100 (FP4 matmuls). Kernels that only convert such types have 70.
int LeastComputeCapability(std::string_view name);

}  // namespace profgauge::analysis::classify
