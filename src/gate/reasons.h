// Why a run has no verdict: one table, of which every output and rules/README.md are made.
//
// A reason is a sentence that ends with its id, "… [baseline/lost]"; `profgauge rules explain ID`
// says what to do. The recording is looked at first, then the baseline, then the limits: an earlier
// doubt explains later ones.
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

/// What a reason is about, in the order of every output.
enum class ReasonOf : std::uint8_t { kRecording, kBaseline, kLimit };

/// Who may set aside the reason of a remark of the analysis.
enum class Overrule : std::uint8_t {
  kNever,
  kIncomplete,    ///< `--allow-incomplete`
  kMissingRanks,  ///< The same, or `ranks: {allow_missing: N}` of the policy.
};

struct Reason {
  std::string_view id;
  ReasonOf of = ReasonOf::kLimit;
  std::string_view seen;           ///< What is seen.
  std::string_view act;            ///< What to do.
  std::string_view overrule;       ///< Who may overrule it, and how; "no one".
  bool again = false;              ///< A new recording, without anything else, can settle it.
  std::string_view remark;         ///< The remark of the analysis that it is made of; empty: none.
  Overrule by = Overrule::kNever;  ///< Of a remark.
  bool leaves_nothing = false;     ///< Of a remark: there is no work that could be judged.
};

/// All of them, in the order of the outputs.
std::span<const Reason> Reasons();
/// nullptr: there is none of that id.
const Reason* FindReason(std::string_view id);

/// Of the remark with this id; nullptr: it is no reason.
const Reason* FindReasonOfRemark(std::string_view remark);

/// "TEXT [ID]"; a text that ends with a reason's id stays as it is. REQUIRES: the table has `id`.
std::string WithReason(std::string text, std::string_view id);
/// The reason of a sentence by the id at its end; nullptr: it has none, as what failed.
const Reason* ReasonOfText(std::string_view text);
/// Sorts sentences by what they are about, those of the baseline as in the table; others stay in
/// order, and those without an id are last.
void OrderReasons(std::vector<std::string>& texts);

/// The table of rules/README.md, as Markdown; what to do is in `rules explain`.
std::string ReasonsTable();

}  // namespace profgauge::gate
