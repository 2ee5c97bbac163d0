// The words that several renderers share, so that they cannot disagree.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "report/first_screen.h"
#include "report/report.h"

namespace profgauge::render {

using report::State;

/// "1 error, 1 warning, 1 waived · 21 measured and good · 2 not judged": without zeros. `calm`:
/// with what needs no one's attention.
std::string CountsText(const report::VerdictInfo& verdict, bool calm = true);

/// "perf/gpt.yaml (job gpt of profgauge.yaml)".
std::string PolicyText(const report::VerdictInfo& verdict);

/// The most important fact about the baseline: it is missing, or has fewer runs than required. Else
/// empty.
std::string BaselineWarning(const report::Report& report);

/// The sources of the verdict: the policy, and "baseline none" or the baseline's line. Empty where
/// no policy judged. A baseline that BaselineWarning() has is left out where `is_warned`: the
/// reader has just seen it.
std::string SourcesText(const report::Report& report, bool is_warned);

/// "1 error", "2 errors".
std::string Counted(std::int64_t count, std::string_view one, std::string_view many);

/// Devices by name, in order of first appearance; beyond the first few names only their number.
struct DeviceKinds {
  std::vector<std::pair<std::string, std::int64_t>> named;
  std::int64_t others = 0;
};
DeviceKinds KindsOfDevices(const report::ProfileInfo& profile);
/// "8 × Tesla V100-SXM2-16GB", kinds after each other; empty when there is no device.
std::string DevicesText(const report::ProfileInfo& profile);
/// "117 of 120 iterations", "6 iterations".
std::string IterationsText(const report::ProfileInfo& profile);

/// "8 ranks", "3 of 8 ranks" where the others are not given; empty for the only rank of a program.
std::string RanksText(const report::Report& report);
/// Whether a visible part of the time, 1 %, is between the iterations: from start to start one
/// takes longer than its length.
bool HasTimeBetween(const report::Report& report);
/// "kineto · 8 ranks · 117 of 120 iterations · 343 ms/iteration", then "412 ms from
/// start to start" where time is between them.
std::string RunText(const report::Report& report);

/// The verdict's reasons that belong to no limit and no rule ("4 of 8 ranks are missing"), and how
/// many of them, from the first on, the verdict counts as errors. A reason belongs to a limit or
/// rule if it starts with its id or title.
struct ReasonsOfRun {
  std::vector<std::string> reasons;
  std::int64_t errors = 0;
};
ReasonsOfRun FindReasonsOfRun(const report::Report& report);

/// How much a level weighs: 0 errors, 1 warnings, 2 all else.
int WeightOf(State level);

/// Fired findings in the order of all outputs: that of the report, the largest gain first and a
/// symptom after its cause, but those that are only about the profile come last.
std::vector<const report::Finding*> FiredFindings(const report::Report& report);
/// These, then all others.
std::vector<const report::Finding*> FindingsInOrder(const report::Report& report);
/// How many causes are above it.
int DepthOf(const report::Report& report, const report::Finding& finding);

/// Whether the limit of a row is missed, at either level, or cannot be judged.
bool IsMissed(const report::GateRow& row);
/// Rows by weight: errors, warnings, missing, then the rest in the report's order.
std::vector<const report::GateRow*> GateByWeight(const report::Report& report);

/// "+12.3 ms", "−1.20 ms", "±0": a change in the time of an iteration. The minus is U+2212.
std::string DeltaText(std::int64_t ns);

/// `text` cut in its middle to at most `characters`, with "…" there; counts characters, not bytes.
/// Both ends of a kernel's name identify it. REQUIRES: characters >= 3.
std::string ElideMiddle(std::string_view text, std::size_t characters);

/// What to do in a step of the plan, in sentences. `is_below_title`: they need not repeat it.
std::string PlanStepText(const report::PlanStep& step, bool is_below_title = false);
/// The same with the setting to change in place of the short title, where there is one.
std::string PlanActionText(const report::PlanStep& step);
/// Remarks on the plan's numbers, in sentences.
std::string PlanNote(const report::Plan& plan);
/// The floor of the plan in a clause, or why it is unknown; empty where neither is.
std::string FloorText(const report::Floor& floor);

// The provenance of a report, as a page or text lists it: the first of many inputs.

inline constexpr std::size_t kListedInputs = 24;

/// Report::provenance with the first kListedInputs inputs; of the others how many there are.
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

/// "Median iteration time +20 %, accepted by anna up to +25 %: wider model"; one for each.
std::vector<std::string> AcceptedTexts(const report::Report& report);
/// "This branch loosens the policy: …; the stricter one judges."; empty: it does not.
std::string LoosenedText(const report::Report& report);
/// Who accepts the miss of a limit; nullptr: nobody.
const report::Accepted* AcceptedOf(const report::Report& report, const report::GateRow& row);

/// With an upper-case first letter, where that is of ASCII.
std::string FirstUpper(std::string text);

/// "fails", "warns" or "undecided": what the reasons of the diagnosis do; empty without one.
std::string_view ReasonsLabel(const report::Report& report, const report::Diagnosis& diagnosis);
/// The first `most` reasons of the diagnosis, and "and N more".
std::vector<std::string> ReasonTexts(const report::Diagnosis& diagnosis, std::size_t most);
/// How many reasons a first screen shows: a page has room for more.
inline constexpr std::size_t kMostReasons = 4, kMostReasonsOfPage = 8;

}  // namespace profgauge::render
