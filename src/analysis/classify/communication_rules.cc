#include "analysis/classify/communication_rules.h"

#include <re2/re2.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analysis/classify/kernel_name.h"

namespace profgauge::analysis::classify {
namespace {

using enum CollectiveKind;

constexpr CommunicationRule kCommunicationRules[] = {
#include "knowledge/communication.inc"
};

constexpr std::string_view kSigns[] = {"recorded_collective", "communicating_operator"};

struct CompiledCommunicationRule {
  std::unique_ptr<RE2> include, exclude;
};

// Compiled once, at first use; C++ makes this thread-safe.
const std::vector<CompiledCommunicationRule>& CompiledCommunicationRules() {
  static const std::vector<CompiledCommunicationRule> rules = [] {
    std::vector<CompiledCommunicationRule> compiled;
    for (const CommunicationRule& rule : kCommunicationRules) {
      compiled.push_back({std::make_unique<RE2>(rule.include),
                          rule.exclude.empty() ? nullptr : std::make_unique<RE2>(rule.exclude)});
    }
    return compiled;
  }();
  return rules;
}

}  // namespace

std::span<const CommunicationRule> CommunicationRules() { return kCommunicationRules; }

std::uint16_t RuleOf(CommunicationSign sign) {
  return static_cast<std::uint16_t>(kFirstCommunicationRule + std::size(kCommunicationRules) +
                                    static_cast<std::size_t>(sign));
}

// Names of the table's rules, then of the signs; "communication" for other numbers.
std::string_view CommunicationRuleName(std::uint16_t rule) {
  const std::size_t index = rule - std::size_t{kFirstCommunicationRule};
  if (index < std::size(kCommunicationRules)) return kCommunicationRules[index].id;
  const std::size_t sign = index - std::size(kCommunicationRules);
  return sign < std::size(kSigns) ? kSigns[sign] : "communication";
}

std::optional<CommunicationName> CommunicationOf(std::string_view kernel) {
  const std::string head = KernelHead(kernel);
  const std::vector<CompiledCommunicationRule>& compiled = CompiledCommunicationRules();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (!RE2::PartialMatch(head, *compiled[i].include)) continue;
    if (compiled[i].exclude && RE2::PartialMatch(head, *compiled[i].exclude)) continue;
    const CollectiveKind spelled = CollectiveKindOf(kernel);
    return CommunicationName{static_cast<std::uint16_t>(kFirstCommunicationRule + i),
                             spelled == kOther ? kCommunicationRules[i].kind : spelled};
  }
  return std::nullopt;
}

// A fused matmul, e.g. `vllm::matmul_all_reduce`, counts as computation: as communication, its
// FLOPs and Tensor Core use would be lost.
bool IsCommunicationOp(std::string_view name) {
  static const RE2 groups(R"(record_param_comms|(?:nccl|rccl|gloo|ucc|mpi|hccl|xccl|ccl):.*)"
                          R"(|_?c10d(?:_functional)?(?:_autograd)?::.*|symm_mem::.*|deep_ep::.*)");
  static const RE2 own(
      R"((?i)\w+(?:::|\.)\w*(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)\w*)");
  static const RE2 compute(R"((?i)(?:aten|prim|triton)::.*|.*(?:mm|matmul|gemm)\w*)");
  if (RE2::FullMatch(name, groups)) return !name.starts_with("c10d::wait");
  return RE2::FullMatch(name, own) && !RE2::FullMatch(name, compute);
}

}  // namespace profgauge::analysis::classify
