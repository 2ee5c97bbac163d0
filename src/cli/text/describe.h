// Describes the contents of a profile: `profgauge inspect`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/json_list.h"
#include "model/profile.h"
#include "model/summary/summary.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// Aligned lines: format, size, time, devices, events, iterations, recorded data, missing data, and
/// repairs that the reader made.
std::string DescribeProfile(const Profile& profile);
/// Describes a rank's summary: its profile and its contents. If it is damaged, one line says so.
std::string DescribeSummary(const Summary& summary, const std::string& path);

// Explains decisions of the analysis: `profgauge inspect --explain`.

/// Explains a decision: "iterations", "classes" or "blame". It judges nothing, and it is about the
/// whole profile, whatever is selected.
///
/// - iterations: for each rank, the ways to divide the profile, in the order of attempts.
/// - classes: for each rank, each distinct kernel, whether it runs on Tensor Cores or communicates,
///   and the rule of rules/knowledge/names.yaml that decided. The text shows the longest-running
///   kernels; `list` has all.
/// - blame: which calls of the run are matched, which ranks each rank delays, and the verdict.
///
/// `list` gets the same rows. Errors: kUsage for a summary, which has no events, and for "blame"
/// with one rank; those of FindRankContexts().
Result<std::string> ExplainDecision(std::string_view decision, std::span<const Profile> ranks,
                                    JsonList& list);

}  // namespace profgauge::cli
