// Rules that recognize by a kernel's name, or by the operator above it, that it moves data
// between ranks. Profilers record no collective for most of them: kernels that start transfers on
// the device, all-reduces of inference engines, exchanges of experts.
//
// Like the rules about Tensor Cores (analysis/classify/tensor_core_rules.h) they are tried in order
// and the first match wins; they come before those, because names of both speak of reductions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/classify/collective.h"
#include "model/profile.h"

namespace profgauge::analysis::classify {

/// One row of rules/knowledge/names.yaml: names that match `include` and not `exclude` move data
/// between ranks.
struct CommunicationRule {
  std::string_view id;
  /// The kind if the name does not show it; a name that does wins.
  CollectiveKind kind = CollectiveKind::kOther;
  std::string_view include;  ///< RE2 over KernelHead(name).
  std::string_view exclude;  ///< RE2; empty: nothing is excluded.
};
/// All rules, in the order in which they are tried.
std::span<const CommunicationRule> CommunicationRules();

/// Numbers of these rules, for KernelClass::rule: this plus the position in the table; then those
/// of the signs.
inline constexpr std::uint16_t kFirstCommunicationRule = 0x4000;
/// Why an event counts as communication without a rule about its name.
enum class CommunicationSign : std::uint8_t {
  kRecorded,  ///< The profiler wrote a process group or a collective to the kernel.
  kOperator,  ///< No rule knows the kernel, and an operator that communicates launched it itself.
};
/// The number of the sign, which follows those of the rules, so that one number names any reason.
/// A KernelClass has it in `rule`; RuleName() turns it into words.
std::uint16_t RuleOf(CommunicationSign sign);
/// "deep_ep", …, "recorded_collective", "communicating_operator". REQUIRES: rule >=
/// kFirstCommunicationRule.
std::string_view CommunicationRuleName(std::uint16_t rule);

/// The rule that knows a name, and the kind of collective.
struct CommunicationName {
  std::uint16_t rule;
  CollectiveKind kind;
};
/// Rule of a kernel; nothing if no rule has its name. The kind that the name shows wins over the
/// rule's. Compiles the rules on first use; thread-safe. Runs up to all patterns: ask once for each
/// name (name_memo.h).
std::optional<CommunicationName> CommunicationOf(std::string_view kernel);

/// Whether an operator of that name communicates: those of process groups ("c10d::allreduce_",
/// "nccl:all_reduce", "record_param_comms") and those named like a collective by projects
/// ("vllm::all_reduce"). Waits named `c10d::wait…` do not; of the latter, neither do operators of
/// aten, prim and triton, nor matmuls that are fused with a collective.
bool IsCommunicationOp(std::string_view name);

}  // namespace profgauge::analysis::classify
