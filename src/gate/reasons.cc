#include "gate/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/analysis.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kWork = "the author: `Profgauge-Accept: work: REASON`";
constexpr std::string_view kSave = "save the baseline again";
constexpr std::string_view kChange = "the author: `Profgauge-Accept: +N% REASON`";

constexpr Reason kReasons[] = {
    {"recording/incomplete", ReasonOf::kRecording,
     "a truncated profile, lost events, missing ranks", "record again", "`--allow-incomplete`",
     true},
    {"baseline/lost", ReasonOf::kBaseline, "the history is empty or gone",
     "restore it, or let the branch run once", "`learning_until` in a reviewed commit"},
    {"baseline/none-comparable", ReasonOf::kBaseline, "no run of the branch is comparable",
     "let the branch run on this device and model", "`baseline: {missing: …}` of the policy"},
    {"baseline/less-work", ReasonOf::kBaseline, "an iteration does less than the baseline's",
     "repair the iteration markers, or count samples", kWork},
    {"baseline/other-load", ReasonOf::kBaseline, "a load test under another load",
     "send the same requests at the same rate", "no one"},
    {"baseline/other-work", ReasonOf::kBaseline, "an iteration does other work",
     "repair the iteration markers, or count samples", kWork},
    {"baseline/implausible", ReasonOf::kBaseline, "the same kernels take far less time",
     "check the clocks and markers, or count samples", kWork},
    {"baseline/other-inputs", ReasonOf::kBaseline, "another batch size or input shape",
     "record the same inputs, or count samples", kWork},
    {"baseline/other-clocks", ReasonOf::kBaseline, "other clocks, power limit or throttling",
     "record on a machine with the same settings", "`match: any` of the policy", true},
    {"baseline/ended-early", ReasonOf::kBaseline, "fewer iterations than the baseline",
     "read the log of the run", "`iterations.min` of the policy"},
    {"baseline/other-selection", ReasonOf::kBaseline, "other iterations are selected", kSave,
     "no one"},
    {"baseline/old-definition", ReasonOf::kBaseline, "a number with another definition", kSave,
     "no one"},
    {"baseline/same-run", ReasonOf::kBaseline, "the baseline contains this profile", kSave,
     "no one"},
    {kAgainReason, ReasonOf::kLimit, "over the limit, and not confirmed",
     "record again, and judge all profiles: `check A B`", kChange, true},
    {kLearningReason, ReasonOf::kLimit, "under four runs, and within three limits",
     "let the branch run to four runs, better to seven", kChange, true},
    {kTooFewReason, ReasonOf::kLimit, "four limits of slowdown cannot be excluded",
     "record more iterations or baseline runs", "`on_inconclusive: pass` of the policy", true},
    {kStallsReason, ReasonOf::kLimit, "a few slow iterations lengthen the total",
     "record again, or record the times of all iterations", "no one", true},
    {kStartReason, ReasonOf::kLimit, "the start costs more than any of the baseline's",
     "find the cause in the first iterations", "no one", true},
    {kPartOnceReason, ReasonOf::kLimit, "a part is slower in the only run",
     "record again, and judge all profiles: `check A B`", kChange, true},
    {"policy/missing", ReasonOf::kLimit, "a limited number is missing",
     "record it, or drop the limit", "`on_missing` of the policy"},
    {"policy/min-abs", ReasonOf::kLimit, "`min_abs` is over the limit", "lower `min_abs`",
     "the policy"},
    {"policy/looser", ReasonOf::kLimit, "a rule file that judged before is gone", "restore it",
     "the author: `Profgauge-Accept: policy: REASON`"},
};

// "… [baseline/lost]"
std::string_view IdAtEnd(std::string_view text) {
  const std::size_t begin = text.rfind('[');
  if (!text.ends_with(']') || begin == text.npos) return {};
  return text.substr(begin + 1, text.size() - begin - 2);
}

bool BeginsWithMetric(std::string_view text) {
  std::string_view word = text.substr(0, text.find_first_of(" :"));
  return analysis::DescribeMetric(word) != nullptr;
}

}  // namespace

std::span<const Reason> Reasons() { return kReasons; }

const Reason* FindReason(std::string_view id) {
  const auto found = std::ranges::find(kReasons, id, &Reason::id);
  return found == std::end(kReasons) ? nullptr : found;
}

const Reason& ReasonOfText(std::string_view text) {
  if (const Reason* reason = FindReason(IdAtEnd(text))) return *reason;
  if (!BeginsWithMetric(text)) return *FindReason("recording/incomplete");
  const bool is_missing =
      text.find(" is missing") != text.npos || text.find(" cannot be compared") != text.npos;
  return *FindReason(is_missing ? "policy/missing" : kAgainReason);
}

void OrderReasons(std::vector<std::string>& texts) {
  std::ranges::stable_sort(texts, std::ranges::less(),
                           [](const std::string& text) { return ReasonOfText(text).of; });
}

std::string ReasonsTable() {
  std::string text = "| id | seen | do | overruled by |\n|---|---|---|---|\n";
  for (const Reason& reason : kReasons) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", reason.id, reason.seen, reason.act,
                        reason.overrule);
  }
  return text;
}

}  // namespace profgauge::gate
