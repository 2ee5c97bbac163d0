// The reasons why a run has no verdict, as one table for every output and rules/README.md.
//
// A reason is a sentence that ends with its id, "… [baseline/lost]"; `profgauge rules explain ID`
// prints the remedy. The profile is checked first, then the baseline, then the limits, because an
// earlier doubt explains later ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::gate {

inline constexpr std::string_view kAgainReason = "gate/again";
inline constexpr std::string_view kLearningReason = "gate/learning";
inline constexpr std::string_view kTooFewReason = "gate/too-few";
inline constexpr std::string_view kStallsReason = "gate/stalls";
inline constexpr std::string_view kStartReason = "gate/start";
inline constexpr std::string_view kUncertainReason = "limit/uncertain";
inline constexpr std::string_view kMissingReason = "policy/missing";
inline constexpr std::string_view kPartOnceReason = "baseline/part-once";

/// The subject of a reason, in the order of outputs.
enum class ReasonOf : std::uint8_t { kRecording, kBaseline, kLimit };

/// Which option or policy may override a reason that comes from a remark of the analysis.
enum class Overrule : std::uint8_t {
  kNever,
  kIncomplete,    ///< `--allow-incomplete`
  kMissingRanks,  ///< `--allow-incomplete`, or `ranks: {allow_missing: N}` of the policy.
};

struct Reason {
  std::string_view id;
  ReasonOf of = ReasonOf::kLimit;
  std::string_view seen;           ///< The observation.
  std::string_view act;            ///< The remedy.
  std::string_view overrule;       ///< Who may override it, and how; "no one".
  bool again = false;              ///< A new profile, without any other change, can resolve it.
  std::string_view remark{};       ///< Id of the analysis remark that causes it; empty: none.
  Overrule by = Overrule::kNever;  ///< Who may override that remark.
  bool leaves_nothing = false;     ///< That remark means that nothing can be judged.
};

/// All reasons, in the order of outputs.
std::span<const Reason> Reasons();
/// Finds a reason by its id; nullptr: unknown id.
const Reason* FindReason(std::string_view id);

/// Finds the reason that a remark causes; nullptr if it causes none.
const Reason* FindReasonOfRemark(std::string_view remark);

/// Makes "TEXT [ID]"; a text that ends with a reason's id stays. REQUIRES: the table has `id`.
std::string WithReason(std::string text, std::string_view id);
/// Finds the reason of a sentence by the id at its end; nullptr if it has none (a failed limit).
const Reason* ReasonOfText(std::string_view text);
/// Sorts sentences by subject. Those about the baseline are in the order of the table; others keep
/// their order. Sentences without an id come last.
void OrderReasons(std::vector<std::string>& texts);

/// The table of rules/README.md as Markdown, without remedies.
std::string ReasonsTable();

}  // namespace profgauge::gate
