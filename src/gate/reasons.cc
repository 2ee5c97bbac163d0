#include "gate/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"
#include "analysis/trust/unrecorded.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kTellWork = "the author: `Profgauge-Accept: work: REASON`";
constexpr std::string_view kSaveAgain = "save the baseline again";
constexpr std::string_view kTellChange = "the author: `Profgauge-Accept: +N% REASON`";
constexpr std::string_view kAllowIt = "`--allow-incomplete`";
constexpr std::string_view kAskMissing = "`on_missing` of the policy";
constexpr std::string_view kRecordAgain = "record again, and judge all profiles: `check A B`";
constexpr std::string_view kMarkThem = "mark the iterations, or select them: `--key-op`";

namespace context = analysis::iterations;
using enum ReasonOf;

constexpr Reason kReasons[] = {
    {"rules/broken", kRecording, "a rule cannot be evaluated (exit 2)", "repair the rule",
     "no one"},
    {"recording/no-device-events", kRecording, "a device was used, but its work is missing",
     "record the device's activities", kAllowIt, false, context::kNoDeviceEvents,
     Overrule::kIncomplete, true},
    {"recording/no-kernels", kRecording, "copies without a kernel", "record kernels", kAllowIt,
     false, context::kNoKernels, Overrule::kIncomplete, true},
    {"recording/collectives-only", kRecording, "collectives without any computation",
     "record kernels", kAllowIt, false, context::kCollectivesOnly, Overrule::kIncomplete, true},
    {"recording/almost-empty", kRecording, "a NeuronCore that works for under a tenth of the time",
     "profile a later execution", kAllowIt, false, context::kAlmostEmpty, Overrule::kIncomplete,
     true},
    {"recording/incomplete", kRecording, "a truncated profile, lost events or unreadable rows",
     "record again", kAllowIt, true},
    {"iterations/too-few", kRecording, "fewer iterations than the policy demands",
     "record more iterations", "`iterations.min` of the policy", true},
    {"iterations/lost", kRecording, "iterations whose work was not recorded",
     "record again, with larger buffers", kAllowIt, true, context::kIterationsLost,
     Overrule::kIncomplete},
    {"iterations/partial", kRecording, "iterations that the profile cuts",
     "record again, from the start of an iteration", kAllowIt, true, context::kIterationsPartial,
     Overrule::kIncomplete},
    {"iterations/markers-displaced", kRecording, "markers that overlap or run backwards", kMarkThem,
     kAllowIt, false, context::kMarkersDisplaced, Overrule::kIncomplete},
    {"iterations/processes-apart", kRecording, "processes that do not run at the same time",
     "judge one process at a time", kAllowIt, false, context::kProcessesApart,
     Overrule::kIncomplete},
    {"iterations/work-outside", kRecording, "much device work outside of all iterations", kMarkThem,
     kAllowIt, false, context::kWorkOutside, Overrule::kIncomplete},
    {"ranks/without-markers", kRecording, "ranks without iterations beside others",
     "mark the iterations of all ranks", kAllowIt, false, context::kRanksWithoutMarkers,
     Overrule::kIncomplete},
    {"ranks/without-work", kRecording, "ranks without device work beside others",
     "record the device on all ranks", "`ranks: {allow_missing: N}` of the policy", false,
     context::kRanksWithoutWork, Overrule::kMissingRanks},
    {"ranks/apart", kRecording, "ranks whose times have nothing in common",
     "profile the same iterations on all ranks", "no one", true,
     analysis::communication::kRanksApart},
    {"ranks/missing", kRecording, "ranks without a profile", "give the profiles of all ranks",
     "`ranks: {allow_missing: N}` of the policy", true},
    {"ranks/too-many", kRecording, "more ranks than the policy expects",
     "give the profiles of one run", "`ranks.expect` of the policy"},
    {"run/contradicts", kRecording, "the times of iterations contradict the profile",
     "give the times of this run", "no one", false, analysis::trust::kRunContradicts},
    {"unrecorded/required", kRecording,
     "the policy requires times of iterations that are not there",
     "record them, see examples/policy.md", "`unrecorded` of the policy"},
    {"summary/not-kept", kRecording, "limits need data that summaries do not contain",
     "check the full profiles", "the policy"},
    {"baseline/required", kBaseline, "the policy requires a baseline, and none was given",
     "give one: `--baseline`", "`require` of the policy"},
    {"baseline/lost", kBaseline, "the history is empty or gone",
     "restore it, or let the branch run once", "`learning_until` in a reviewed commit"},
    {"baseline/none-comparable", kBaseline, "no run of the branch is comparable",
     "let the branch run on this device and model", "`baseline: {missing: …}` of the policy"},
    {"baseline/not-comparable", kBaseline, "another device, world size or model",
     "save a baseline of the same", "`match: any` of the policy"},
    {"baseline/less-work", kBaseline, "an iteration does less than the baseline's",
     "repair the iteration markers, or count samples", kTellWork},
    {"baseline/other-load", kBaseline, "a load test under another load",
     "send the same requests at the same rate", "no one"},
    {"baseline/other-work", kBaseline, "an iteration does other work",
     "repair the iteration markers, or count samples", kTellWork},
    {"baseline/implausible", kBaseline, "the same kernels take far less time",
     "check the clocks and markers, or count samples", kTellWork},
    {"baseline/other-inputs", kBaseline, "another batch size or input shape",
     "record the same inputs, or count samples", kTellWork},
    {"baseline/other-clocks", kBaseline, "other clocks, power limit or throttling",
     "record on a machine with the same settings", "`match: any` of the policy", true},
    {"baseline/ended-early", kBaseline, "fewer iterations than the baseline",
     "read the log of the run", "`iterations.min` of the policy"},
    {"baseline/other-selection", kBaseline, "other iterations are selected", kSaveAgain, "no one"},
    {"baseline/old-definition", kBaseline, "a number with another definition", kSaveAgain,
     "no one"},
    {"baseline/same-run", kBaseline, "the baseline contains this profile", kSaveAgain, "no one"},
    {"baseline/no-samples", kBaseline, "`per: sample`, and the samples are unknown",
     "give them: `per_step` of the times", "`per` of the policy"},
    {"run/other-sampling", kBaseline, "means of several iterations on one side only",
     "log each iteration on both sides", "no one"},
    {"baseline/few-unrecorded", kBaseline, "too few unrecorded iterations on a side",
     "give the times of more iterations", "no one"},
    {"baseline/no-times", kBaseline, "a side without times of iterations", kMarkThem, "no one"},
    {"baseline/no-iterations", kBaseline, "iterations on one side, a range on the other", kMarkThem,
     "no one"},
    {"baseline/outside", kBaseline, "far more device work outside of the iterations", kMarkThem,
     "no one"},
    {"baseline/no-value", kBaseline, "the number is missing on a side",
     "record it on both sides, or drop the limit", kAskMissing},
    {kAgainReason, kLimit, "over the limit, and not confirmed", kRecordAgain, kTellChange, true},
    {kLearningReason, kLimit, "under four runs, and within three limits",
     "let the branch run to four runs, better to seven", kTellChange, true},
    {kTooFewReason, kLimit, "four limits of slowdown cannot be excluded",
     "record more iterations or baseline runs", "`on_inconclusive: pass` of the policy", true},
    {kStallsReason, kLimit, "a few slow iterations lengthen the total",
     "record again, or record the times of all iterations", "no one", true},
    {kStartReason, kLimit, "the start costs more than any of the baseline's",
     "find the cause in the first iterations", "no one", true},
    {kPartOnceReason, kLimit, "a part is slower in the only run", kRecordAgain, kTellChange, true},
    {kUncertainReason, kLimit, "beyond a limit by a number that may be within it",
     "follow the sentence", "no one", true},
    {kMissingReason, kLimit, "a limited number is missing", "record it, or drop the limit",
     kAskMissing},
    {"rules/required", kLimit, "a required rule has no complete result", "record the missing data",
     "`require` of the policy"},
    {"policy/min-abs", kLimit, "`min_abs` is over the limit", "lower `min_abs`", "the policy"},
    {"policy/looser", kLimit, "a rule file that judged before is gone", "restore it",
     "the author: `Profgauge-Accept: policy: REASON`"},
};

// The id at the end of a sentence such as "… [baseline/lost]".
std::string_view IdAtEnd(std::string_view text) {
  const std::size_t begin = text.rfind('[');
  if (!text.ends_with(']') || begin == text.npos) return {};
  return text.substr(begin + 1, text.size() - begin - 2);
}

}  // namespace

std::span<const Reason> Reasons() { return kReasons; }

const Reason* FindReason(std::string_view id) {
  const auto found = std::ranges::find(kReasons, id, &Reason::id);
  return found == std::end(kReasons) ? nullptr : found;
}

const Reason* FindReasonOfRemark(std::string_view remark) {
  const auto found = std::ranges::find(kReasons, remark, &Reason::remark);
  return remark.empty() || found == std::end(kReasons) ? nullptr : found;
}

std::string WithReason(std::string text, std::string_view id) {
  if (ReasonOfText(text) == nullptr) text += fmt::format(" [{}]", id);
  return text;
}

const Reason* ReasonOfText(std::string_view text) { return FindReason(IdAtEnd(text)); }

void OrderReasons(std::vector<std::string>& texts) {
  // Among reasons about a baseline, those for all limits come before those for one metric.
  std::ranges::stable_sort(texts, std::ranges::less(), [](const std::string& text) {
    const Reason* reason = ReasonOfText(text);
    const ReasonOf of = reason == nullptr ? kLimit : reason->of;
    return std::pair(of, of == kBaseline ? reason - std::begin(kReasons) : 0);
  });
}

std::string ReasonsTable() {
  std::string text = "| id | seen | overruled by |\n|---|---|---|\n";
  for (const Reason& reason : kReasons) {
    text += fmt::format("| `{}` | {} | {} |\n", reason.id, reason.seen, reason.overrule);
  }
  return text;
}

}  // namespace profgauge::gate
