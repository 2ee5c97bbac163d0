// Texts about the plan and the quality of the profile.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

// The plan on the first screen of every output, and the findings shown without a plan.

/// Number of findings shown without a plan; a plan shows all of its steps.
inline constexpr std::size_t kFirstSteps = 4;

/// Fired findings that are no symptoms, for reports without a plan. `of_weight`: errors and
/// warnings, those about the profile last. Otherwise: informational ones with a possible saving,
/// largest first.
std::vector<const report::Finding*> FixFirst(const report::Report& report, bool of_weight);
/// The finding because of which nothing can be judged; other findings are its symptoms. nullptr if
/// there is none, and for runs with a verdict.
const report::Finding* FlawOfProfile(const report::Report& report);

/// The first point of a finding's advice with code in backticks; empty without advice.
std::string FirstAdvice(const report::Finding& finding);

/// The saving of a step and its share of the start: "saves 59.0 ms (−33.2 %)".
std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step);

/// The level of a step's findings; none if they pass so far.
report::State LevelOf(const report::Report& report, const report::PlanStep& step);
/// "12.7 ms to 18.7 ms without the profiler", for an iteration; empty if unknown.
std::string WithoutProfilerText(const report::Plan& plan);

/// Explains a start of the plan that differs from the recorded time: first calls, and the range
/// without the profiler. Empty if it does not differ.
std::string PlanStartNote(const report::Plan& plan);

/// "10 of 8 286 rows": the shown rows of a finding's evidence and their total number; "3 rows" if
/// all are shown.
std::string RowsShown(const report::Finding& finding, std::size_t shown);

// The quality of the profile: the certificate of the report.

/// "whole", "limited" or "no verdict".
std::string_view TrustText(Trust trust);
/// "fine", "uncertain", "lost", "unknown".
std::string_view StateText(CheckState state);

/// "limited: 70 of 516 launches have no kernel (and 1 more)": the most severe check, and the number
/// of other uncertain or lost ones. Empty for a complete profile. Checks whose text is in `told`
/// are omitted, because the screen shows them as reasons.
std::string QualityText(const Certificate& recording, std::span<const std::string> told = {});

/// Checks by weight: data loss, uncertain, unknown, fine; otherwise in their order.
std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording);

/// The result and effect of a check: "70 of 516 launches have no kernel; affects idle, kernels".
std::string FoundText(const CertificateCheck& check);

}  // namespace profgauge::render
