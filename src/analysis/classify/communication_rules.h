// Rules that recognize communication between ranks by the name of a kernel or of its operator. They
// are needed for kernels with which profilers record no collective: transfers that the device
// starts, all-reduces of inference engines, exchanges of experts.
//
// Rules are tried in order; the first match wins. They precede the Tensor Core rules
// (analysis/classify/tensor_core_rules.h), because names of both contain "reduce".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/classify/collective.h"
#include "model/profile.h"

namespace profgauge::analysis::classify {

/// One row of rules/knowledge/names.yaml: a kernel moves data between ranks if its name matches
/// `include` and not `exclude`.
struct CommunicationRule {
  std::string_view id;
  /// The kind for names that show none; a kind in the name has priority.
  CollectiveKind kind = CollectiveKind::kOther;
  std::string_view include;  ///< RE2 over KernelHead(name).
  std::string_view exclude;  ///< RE2; empty: excludes nothing.
};
/// All rules, in the order in which they are tried.
std::span<const CommunicationRule> CommunicationRules();

/// KernelClass::rule of the first of these rules. The number of a rule is this plus its position in
/// the table; numbers of CommunicationSign follow.
inline constexpr std::uint16_t kFirstCommunicationRule = 0x4000;
/// Why an event counts as communication without a rule about its name.
enum class CommunicationSign : std::uint8_t {
  kRecorded,  ///< The profiler recorded a process group or collective with the kernel.
  kOperator,  ///< An unrecognized kernel, launched directly by a communicating operator.
};
/// The number of the sign in KernelClass::rule, after those of the rules. RuleName() converts it to
/// text.
std::uint16_t RuleOf(CommunicationSign sign);
/// The id of a rule ("deep_ep") or sign ("recorded_collective", "communicating_operator").
/// REQUIRES: rule >= kFirstCommunicationRule.
std::string_view CommunicationRuleName(std::uint16_t rule);

/// The rule that matches a name, and the kind of collective.
struct CommunicationName {
  std::uint16_t rule;
  CollectiveKind kind;
};
/// Returns the rule that matches a kernel's name; none if there is none. A kind in the name has
/// priority over the rule's. Compiles the rules at first use; thread-safe. May run all patterns, so
/// cache the result by name (name_memo.h).
std::optional<CommunicationName> CommunicationOf(std::string_view kernel);

/// Whether an operator with that name communicates: those of process groups ("c10d::allreduce_",
/// "nccl:all_reduce", "record_param_comms"), and projects' operators named like a collective
/// ("vllm::all_reduce"). Excluded: waits (`c10d::wait…`), operators of aten, prim and triton, and
/// matmuls fused with a collective.
bool IsCommunicationOp(std::string_view name);

}  // namespace profgauge::analysis::classify
