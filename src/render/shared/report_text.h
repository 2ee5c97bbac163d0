// The plan, and the quality of the profile, in words.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

// The plan on the first screen of every output, and findings without one.

/// Number of findings shown without a plan; a plan shows all of its steps.
inline constexpr std::size_t kFirstSteps = 4;

/// Without a plan: fired findings that are no symptom of another. `of_weight`: errors and warnings,
/// those about the profile last; else those that only inform and could save something, the largest
/// saving first.
std::vector<const report::Finding*> FixFirst(const report::Report& report, bool of_weight);
/// The finding that leaves a run without a verdict nothing to judge, whose symptoms the others are;
/// nullptr where there is none, and for any run with a verdict.
const report::Finding* FlawOfProfile(const report::Report& report);

/// The first point of a finding's advice as text, code between backticks; empty without advice.
std::string FirstAdvice(const report::Finding& finding);

/// "saves 59.0 ms (−33.2 %)": the saving of a step, and its share of the start.
std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step);

/// The level of the findings that a step is made of; none where they pass until it is the limit.
report::State LevelOf(const report::Report& report, const report::PlanStep& step);
/// "12.7 ms to 18.7 ms without the profiler": an iteration, where that is known; else empty.
std::string WithoutProfilerText(const report::Plan& plan);

/// What the start of the plan leaves out: first calls, and the range without the profiler. Empty
/// where it is the recorded time.
std::string PlanStartNote(const report::Plan& plan);

/// "10 of 8 286 rows": how many rows of the finding's evidence a document shows, of all that it is
/// about; "3 rows" where these are all.
std::string RowsShown(const report::Finding& finding, std::size_t shown);

// The profile's quality in words: the certificate of the report.

/// "whole", "limited" or "no verdict".
std::string_view TrustText(Trust trust);
/// "fine", "uncertain", "lost", "unknown".
std::string_view StateText(CheckState state);

/// "limited: 70 of 516 launches have no kernel (and 1 more)": the most severe check, and how many
/// others are uncertain or lost; empty where the profile is whole. Checks whose text is in one of
/// `told` are left out: the screen says them as reasons of the verdict.
std::string QualityText(const Certificate& recording, std::span<const std::string> told = {});

/// Checks by weight: data loss, uncertain, unknown, fine; each in their order.
std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording);

/// The check's result and effect: "70 of 516 launches have no kernel; affects idle, kernels".
std::string FoundText(const CertificateCheck& check);

}  // namespace profgauge::render
