// Why a run has no verdict: one table, of which every output and rules/README.md are made.
//
// A reason is a sentence that ends with its id, "… [baseline/lost]". The recording is looked at
// first, then the baseline, then the limits: an earlier doubt explains later ones.
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
inline constexpr std::string_view kPartOnceReason = "baseline/part-once";

/// What a reason is about, in the order of every output.
enum class ReasonOf : std::uint8_t { kRecording, kBaseline, kLimit };

struct Reason {
  std::string_view id;
  ReasonOf of = ReasonOf::kLimit;
  std::string_view seen;      ///< What is seen.
  std::string_view act;       ///< What to do.
  std::string_view overrule;  ///< Who may overrule it, and how; "no one".
  bool again = false;         ///< A new recording, without anything else, can settle it.
};

/// All of them, in the order of the outputs.
std::span<const Reason> Reasons();
/// nullptr: there is none of that id.
const Reason* FindReason(std::string_view id);

/// The reason of a sentence: by the id at its end, else of a limit where it begins with a metric,
/// else of the recording.
const Reason& ReasonOfText(std::string_view text);
/// Sorts sentences by what they are about; equal ones stay in order.
void OrderReasons(std::vector<std::string>& texts);

/// The table of rules/README.md, as Markdown.
std::string ReasonsTable();

}  // namespace profgauge::gate
