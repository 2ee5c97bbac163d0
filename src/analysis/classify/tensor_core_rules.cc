#include "analysis/classify/tensor_core_rules.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/knowledge.h"

namespace profgauge::analysis::classify {
namespace {

using enum Tri;
using enum NamePart;
using Vendor::kAmd, Vendor::kAny, Vendor::kAscend, Vendor::kNvidia;

constexpr TensorCoreRule kTensorCoreRules[] = {
#include "knowledge/kernels.inc"
};

// Verdicts due to the chip, which follow the rules of the table.
constexpr TensorCoreRule kChipRules[] = {
    {"chip_without_tensor_cores", kNo, kAll, kNvidia, true, "", ""},
    {"chip_too_old_for_type", kUnknown, kAll, kNvidia, true, "", ""},
    {"chip_multiplies_in_matrix_units", kYes, kAll, kAny, true, "", ""},
    {"multiplies_narrow_type", kYes, kAll, kAny, true, "", ""},
    {"faster_than_vector_units", kYes, kAll, kAny, true, "", ""},
};

struct CompiledRule {
  std::unique_ptr<RE2> include;
  std::unique_ptr<RE2> exclude;  // null: excludes nothing
};

// All patterns, compiled once.
struct CompiledRules {
  // For LeastComputeCapability(): a type in the name of a matmul or an attention (`product`).
  RE2 fp4{R"((?i)nvfp4|mxfp4|e2m1|float4_e2m1)"};
  RE2 fp8{R"((?i)e4m3|e5m2|fp8\w*gemm|gemm\w*fp8|nvjet_(?:sm\d+_)?q|mxfp8)"};
  RE2 product{R"((?i)gemm|mm_|matmul|nvjet|cutlass|mma|fmha|flash)"};
  // For ProductInName(): lower-case words with a blank on each side.
  RE2 multiplies{
      R"( (?:gemm|b?mm|matmul|dot|conv(?:olution)?|attn|attention|fmha|mha|mla|moe)\d*d? )"};
  RE2 helps{
      R"( (?:(?:de|re)?quant(?:i[sz]e|i[sz]ation)?|cast|copy|scales?|reduc(?:e|tion)|transpose)"
      R"(|permute|align|sort(?:ing)?|gather|scatter|topk|silu|gelu|act|pack|combine|dispatch)"
      R"(|(?:rms|layer)?norm|softmax) )"};
  RE2 narrow_float{R"(fp8|float8|e4 ?m3|e5 ?m2|ptpc|mxfp[468]|nvfp4| (?:fp4|f4|f8) )"};
  RE2 narrow_whole{R"( (?:i4|int4|w4 ?a\d+) )"};
  RE2 cache{R"(fp8 ?kv ?cache)"};
  std::vector<CompiledRule> rules;  // Those of kTensorCoreRules, in the same order.

  CompiledRules() {
    for (const TensorCoreRule& rule : kTensorCoreRules) {
      CompiledRule& compiled = rules.emplace_back();
      compiled.include = std::make_unique<RE2>(rule.include);
      if (!rule.exclude.empty()) compiled.exclude = std::make_unique<RE2>(rule.exclude);
    }
  }
};

// Compiled once, at first use; C++ makes this thread-safe.
const CompiledRules& Compiled() {
  static const CompiledRules rules;
  return rules;
}

}  // namespace

std::span<const TensorCoreRule> TensorCoreRules() { return kTensorCoreRules; }

// Communication first: a name may contain "all_reduce" and a Tensor Core rule's "reduce". Rules
// with common words (AMD's, Ascend's) require that the vendor is known.
KernelClass ClassifyName(std::string_view name, Vendor vendor) {
  const CompiledRules& compiled = Compiled();
  KernelClass result;
  if (const auto communication = CommunicationOf(name)) {
    result.collective = true;
    result.rule = communication->rule;
    result.kind = communication->kind;
    return result;
  }
  const std::string head = KernelHead(name);
  for (std::size_t i = 0; i < std::size(kTensorCoreRules); ++i) {
    const TensorCoreRule& rule = kTensorCoreRules[i];
    if (rule.vendor != kAny && vendor != kAny && rule.vendor != vendor) continue;
    // A rule with common words requires its vendor.
    if ((rule.vendor == kAmd || rule.vendor == kAscend) && vendor != rule.vendor) continue;
    const std::string_view text = rule.part == kHead ? std::string_view(head) : name;
    if (!RE2::PartialMatch(text, *compiled.rules[i].include)) continue;
    if (compiled.rules[i].exclude && RE2::PartialMatch(text, *compiled.rules[i].exclude)) continue;
    result.tensor_core = rule.verdict;
    result.rule = static_cast<std::uint16_t>(i + 1);
    return result;
  }
  return result;
}

// A word begins after a character other than a letter or digit, at a capital after a small letter
// or a digit ("rowgemm10GemmKernel"), and at the last of several capitals ("GEMMKernel").
NamedProduct ProductInName(std::string_view name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string words = " ";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i == 0 ? ' ' : name[i - 1];
    const bool begins =
        is_upper(c) && (is_lower(before) || is_digit(before) ||
                        (is_upper(before) && i + 1 < name.size() && is_lower(name[i + 1])));
    if (begins && words.back() != ' ') words += ' ';
    if (is_upper(c) || is_lower(c) || is_digit(c)) {
      words += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.back() != ' ') words += ' ';
  const CompiledRules& compiled = Compiled();
  NamedProduct product;
  product.helps = RE2::PartialMatch(words, compiled.helps);
  product.multiplies = !product.helps && RE2::PartialMatch(words, compiled.multiplies);
  RE2::GlobalReplace(&words, compiled.cache, "");
  if (RE2::PartialMatch(words, compiled.narrow_float)) {
    product.narrow_type = "float8";
  } else if (RE2::PartialMatch(words, compiled.narrow_whole)) {
    product.narrow_type = "int8";
  }
  return product;
}

int LeastComputeCapability(std::string_view name) {
  const CompiledRules& compiled = Compiled();
  if (!RE2::PartialMatch(name, compiled.product)) return 70;
  if (RE2::PartialMatch(name, compiled.fp4)) return 100;
  return RE2::PartialMatch(name, compiled.fp8) ? 89 : 70;
}

KernelClass FasterThanVectorUnits() {
  const std::size_t rule = std::size(kTensorCoreRules) + std::size(kChipRules);  // The last.
  return {Tri::kYes, static_cast<std::uint16_t>(rule)};
}

namespace {
// The row for a number of the table or of a chip's verdict; nullptr otherwise.
const TensorCoreRule* FindRule(std::uint16_t rule) {
  if (rule == 0) return nullptr;
  const std::size_t index = rule - 1u;
  if (index < std::size(kTensorCoreRules)) return &kTensorCoreRules[index];
  const std::size_t chip = index - std::size(kTensorCoreRules);
  return chip < std::size(kChipRules) ? &kChipRules[chip] : nullptr;
}
}  // namespace

std::string_view RuleName(std::uint16_t rule) { return RuleName(rule, {}); }

std::string_view RuleName(std::uint16_t rule, const Knowledge& knowledge) {
  const auto& names = knowledge.kernel_names;
  const std::size_t own = rule - std::size_t{kFirstOwnRule};
  if (rule >= kFirstCommunicationRule && rule < kFirstOwnRule) return CommunicationRuleName(rule);
  if (rule >= kFirstOwnRule) return own < names.size() ? std::string_view(names[own].id) : "own";
  const TensorCoreRule* found = FindRule(rule);
  return found == nullptr ? "no rule" : found->id;
}

bool IsMatrixRule(const KernelClass& verdict) {
  if (verdict.rule >= kFirstOwnRule) return verdict.tensor_core != Tri::kNo;
  const TensorCoreRule* found = FindRule(verdict.rule);
  return found != nullptr && found->matrix;
}

bool IsEligibleKernel(const KernelClass& verdict, std::string_view kernel_name) {
  return IsMatrixRule(verdict) && kernel_name.find("dgemm") == kernel_name.npos &&
         kernel_name.find("zgemm") == kernel_name.npos;
}

}  // namespace profgauge::analysis::classify
