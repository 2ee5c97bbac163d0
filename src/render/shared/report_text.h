// Texts about the plan and the quality of the profile.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

// The plan on the first screen of every output, or the findings shown without a plan.

/// Most findings shown if there is no plan. A plan shows all of its steps.
inline constexpr std::size_t kFirstSteps = 4;

/// The fired findings that are no symptoms, for reports without a plan. `of_weight`: errors and
/// warnings, with those about the profile last. Otherwise, informational ones with a possible
/// saving, largest saving first.
std::vector<const report::Finding*> FixFirst(const report::Report& report, bool of_weight);
/// The finding because of which nothing can be judged. Other findings are its symptoms. nullptr if
/// there is none, or if the run has a verdict.
const report::Finding* FlawOfProfile(const report::Report& report);

/// The first point of a finding's advice with code in backticks; empty without advice.
std::string FirstAdvice(const report::Finding& finding);

/// A step's saving and its share of the plan's start: "saves 59.0 ms (−33.2 %)".
std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step);
/// The saving of all steps and its share: "141 µs to 2.07 ms (−3.3 % to −48.4 %)". REQUIRES: the
/// plan has steps.
std::string PlanSavedText(const report::Plan& plan);
/// The time after all steps, a range if that of the last one is; empty without steps.
std::string PlanEndText(const report::Plan& plan);

/// The highest level of a step's fired findings; none if they pass so far.
report::State LevelOf(const report::Report& report, const report::PlanStep& step);
/// An iteration's time: "12.7 ms to 18.7 ms without the profiler"; empty if unknown.
std::string WithoutProfilerText(const report::Plan& plan);

/// Why the plan's start differs from the recorded time: first calls, and the range without the
/// profiler. Empty if it does not differ.
std::string PlanStartNote(const report::Plan& plan);

/// How many rows of a finding's evidence are shown: "10 of 8 286 rows"; "3 rows" if all are.
std::string RowsShown(const report::Finding& finding, std::size_t shown);

// The quality of the profile: the certificate of the report.

/// "whole", "limited" or "no verdict".
std::string_view TrustText(Trust trust);
/// "fine", "uncertain", "lost", "unknown".
std::string_view StateText(CheckState state);

/// The most severe check, and how many others are uncertain or lost: "limited: 70 of 516 launches
/// have no kernel (and 1 more)". Empty for a complete profile. Omits checks whose text is in
/// `told`, because the screen shows them as reasons.
std::string QualityText(const Certificate& recording, std::span<const std::string> told = {});

/// Checks by severity: lost, uncertain, unknown, fine. Equal ones keep their order.
std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording);

/// A check's result and effect: "70 of 516 launches have no kernel; affects idle, kernels".
std::string FoundText(const CertificateCheck& check);

}  // namespace profgauge::render
