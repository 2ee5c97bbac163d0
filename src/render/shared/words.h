// Words that all renderers share, so that outputs agree.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "report/diagnosis.h"
#include "report/report.h"

namespace profgauge::render {

using report::State;

/// The counts other than 0: "1 error, 1 warning, 1 waived · 21 measured and good · 2 not judged".
/// `calm`: includes counts that need no attention.
std::string CountsText(const report::VerdictInfo& verdict, bool calm = true);

/// The policy's file and origin: "perf/gpt.yaml (job gpt of profgauge.yaml)".
std::string PolicyText(const report::VerdictInfo& verdict);

/// A sentence if the baseline is missing or has fewer runs than required; otherwise empty.
std::string BaselineWarning(const report::Report& report);

/// Whether the shown reasons of the diagnosis contain BaselineWarning().
bool ReasonsTellBaseline(const report::Report& report);

/// The policy, and "baseline none" or the baseline's line. Empty if no policy judged. `is_warned`
/// omits a baseline that BaselineWarning() mentions, because the reader has just seen it.
std::string SourcesText(const report::Report& report, bool is_warned);

/// A count with its noun: "1 error", "2 errors".
std::string Counted(std::int64_t count, std::string_view one, std::string_view many);

/// Devices by name, in order of first appearance. After some names, others are only counted.
struct DeviceKinds {
  std::vector<std::pair<std::string, std::int64_t>> named;
  std::int64_t others = 0;
};
DeviceKinds KindsOfDevices(const report::ProfileInfo& profile);
/// "8 × Tesla V100-SXM2-16GB", one kind after the other; empty if there are no devices.
std::string DevicesText(const report::ProfileInfo& profile);
/// "117 of 120 iterations", "6 iterations".
std::string IterationsText(const report::ProfileInfo& profile);

/// "8 ranks", or "3 of 8 ranks" if others are missing; empty for a program with one rank.
std::string RanksText(const report::Report& report);
/// "1 of 3 runs" if several are judged together; else empty.
std::string RunsText(const report::ProfileInfo& profile);
/// True if at least 1 % of the time is between iterations, which is the time from start to start
/// minus the lengths.
bool HasTimeBetween(const report::Report& report);
/// "kineto · 8 ranks · 117 of 120 iterations · 343 ms/iteration". If there is time between
/// iterations, then also "412 ms from start to start".
std::string RunText(const report::Report& report);

/// The verdict's reasons that belong to no limit or rule ("4 of 8 ranks are missing"), and how many
/// of the first ones are errors in the verdict. If a reason starts with the id or title of a limit
/// or rule, it belongs to it.
struct ReasonsOfRun {
  std::vector<std::string> reasons;
  std::int64_t errors = 0;
};
ReasonsOfRun FindReasonsOfRun(const report::Report& report);

/// The weight of a level: 0 for errors, 1 for warnings, 2 for others.
int WeightOf(State level);

/// The fired findings in the order of all outputs. It is that of the report (largest saving first,
/// symptoms after their cause), but findings about the profile come last.
std::vector<const report::Finding*> FiredFindings(const report::Report& report);
/// Fired findings, then all others.
std::vector<const report::Finding*> FindingsInOrder(const report::Report& report);
/// The number of causes above a finding.
int DepthOf(const report::Report& report, const report::Finding& finding);

/// True if the limit is missed at either level, or if it cannot be judged.
bool IsMissed(const report::GateRow& row);
/// Rows by severity: errors, warnings, missing, then the others in the report's order.
std::vector<const report::GateRow*> GateByWeight(const report::Report& report);

/// A change of iteration time: "+12.3 ms", "−1.20 ms", "±0". The minus is U+2212.
std::string DeltaText(std::int64_t ns);

/// Replaces the middle of `text` by "…" if it has more than `characters` (not bytes). Both ends of
/// a kernel's name stay, because they identify it. REQUIRES: characters >= 3.
std::string ElideMiddle(std::string_view text, std::size_t characters);

/// What to do in a step of the plan. `is_below_title`: the text must not repeat the title.
std::string PlanStepText(const report::PlanStep& step, bool is_below_title = false);
/// What to do in a step: the first point of its advice or, if there is none, PlanStepText().
std::string PlanActionText(const report::PlanStep& step);
/// Remarks on the plan's numbers, in sentences.
std::string PlanNote(const report::Plan& plan);
/// The largest saving that is no step: "Not simulated: Copies go through pageable memory
/// (`host/pageable-copies`), saves about 3.15 ms"; or empty.
std::string NotSimulatedText(const report::Plan& plan);
/// The plan's floor as a clause, or why it is unknown. Empty if neither is set.
std::string FloorText(const report::Floor& floor);

// The provenance of a report for pages and texts.

inline constexpr std::size_t kListedInputs = 24;

/// Report::provenance with the first kListedInputs inputs and the number of the others.
inline std::vector<std::pair<std::string, std::string>> ListedProvenance(
    const report::Report& report) {
  std::vector<std::pair<std::string, std::string>> listed;
  std::size_t inputs = 0, last = 0;
  for (const auto& [name, text] : report.provenance) {
    const bool is_input = name.starts_with("input ");
    inputs += is_input ? 1 : 0;
    if (is_input && inputs > kListedInputs) continue;
    listed.emplace_back(name, text);
    if (is_input) last = listed.size();
  }
  if (inputs > kListedInputs) {
    const auto more = static_cast<std::int64_t>(inputs - kListedInputs);
    listed.emplace(listed.begin() + static_cast<std::ptrdiff_t>(last), "more inputs",
                   fmt::format("{}; report.json has the hashes of all", FormatCount(more)));
  }
  return listed;
}

/// A text for each accepted miss: "Median iteration time +20 %, accepted by anna up to +25 %: wider
/// model".
std::vector<std::string> AcceptedTexts(const report::Report& report);
/// "This branch loosens the policy: …; the stricter one judges."; empty if it does not.
std::string LoosenedText(const report::Report& report);
/// The acceptance of a missed limit; nullptr if there is none.
const report::Accepted* AcceptedOf(const report::Report& report, const report::GateRow& row);

/// `text` with an upper-case first letter if that is ASCII.
std::string FirstUpper(std::string text);

/// The effect of the diagnosis' reasons: "fails", "warns" or "undecided"; empty without reasons.
std::string_view ReasonsLabel(const report::Report& report, const report::Diagnosis& diagnosis);
/// The first `most` reasons of the diagnosis, and "and N more".
std::vector<std::string> ReasonTexts(const report::Diagnosis& diagnosis, std::size_t most);
/// Most reasons on a first screen, and on a page, which has space for more.
inline constexpr std::size_t kMostReasons = 4, kMostReasonsOfPage = 8;

}  // namespace profgauge::render
