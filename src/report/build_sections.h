// The sections of a report, each made from the results of one layer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/compare.h"
#include "gate/history.h"
#include "model/devices.h"
#include "model/profile.h"
#include "report/build_report.h"
#include "report/report.h"
#include "report/runs.h"
#include "rules/evaluator.h"
#include "rules/plan.h"

namespace profgauge::report {

// Small parts that every section of a report is built from.

/// The number with its text; `absent_because` is kept only when it is absent.
Quantity MakeQuantity(Value value, Unit unit, std::string absent_because = {});

/// A difference: its text has a sign, and of shares it is in points, "−13.4 points".
Quantity MakeDifference(Value difference, Unit unit, std::string absent_because = {});

/// "higher", "lower" or "neutral".
Better BetterOf(analysis::Direction direction);

// The part of the report about the measurement: run, devices, versions, environment.

/// The version that a fact of a profile states, as people write it: "cuda_driver_version" 12040 is
/// "12.4".
std::string DecodedVersion(std::string_view fact, const std::string& text);
ProfileInfo BuildProfileInfo(const BuildInput& input);

/// The profile's facts, without those shown as a version or framework.
std::vector<std::pair<std::string, std::string>> BuildEnvironment(std::span<const Profile> ranks);

/// Hashes and options: everything that decides the numbers, and no paths of reports.
std::vector<std::pair<std::string, std::string>> BuildProvenance(const BuildInput& input);

// Findings as the report shows them.

/// In the order of `evaluation`: by weight, a symptom after its cause. `ranks`: where the files
/// lie that a finding's `next` names; without them, and where two ranks are in one file, it is
/// empty.
std::vector<Finding> BuildFindings(const rules::Evaluation& evaluation,
                                   std::span<const Profile> ranks = {});

// What a change saves, in words.

Saving BuildSaving(const rules::Claim& claim);

// The plan of the report, in words.

/// `evaluation`: the plan's source; `words`: of the devices.
Plan BuildPlan(const rules::Plan& plan, const rules::Evaluation& evaluation,
               const DeviceWords& words);

// A comparison with a baseline, for reports.

/// `accelerator`: that of the report that contains the comparison; empty: as the runs state it.
Comparison BuildComparison(const gate::RunComparison& run, const std::string& accelerator);

/// Whose devices both runs had; empty when they differ or nothing shows.
std::string AcceleratorOf(const Comparison& comparison);

// The certificate's check against the baseline: lost launches look like a faster run.

/// Adds the check; `comparison` is null without a baseline. Nothing where no checks were made.
void AddLaunchCheck(const gate::RunComparison* comparison, Certificate& certificate);

// Makes the trend of a history.

/// `entries`: oldest first. Those that are not comparable with the last one are left out: one of
/// another model or GPU would be a change of the level. Series: the median iteration time of all
/// runs, and a few other metrics that at least two runs have. Changes of the level are looked for
/// between two changes of a metric's definition only (gate/change_points.h).
/// Steps and creep are those of gate/history_check.h, of the runs since the last of `levels`.
Trend BuildTrend(std::span<const gate::HistoryEntry* const> entries, const std::string& branch,
                 std::span<const gate::HistoryLevel> levels = {});

}  // namespace profgauge::report
