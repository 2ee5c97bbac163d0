// The formats of CI systems: JUnit, SARIF, GitHub annotations, GitLab code quality, OpenMetrics.
// Pure functions of the report, like every renderer.
//
// Fingerprints are made only of rule ids and metrics, never of numbers, so that an alert keeps its
// identity from run to run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/shared/ending.h"
#include "report/report.h"

namespace profgauge::render {

using report::State;

/// An alert of every CI output: a missed limit, a rule that fired, or the reason why the whole run
/// has no verdict.
struct Alert {
  std::string id;  ///< Rule id, "limit/<metric id>", or "verdict".
  State level = State::kNone;
  std::string title;    ///< One line.
  std::string message;  ///< A sentence with the numbers.
  std::string advice;   ///< May be empty.
  /// Of the fingerprint: the id, with "/change" for a limit on a change, and a number where one
  /// more alert of the report would have the same. CollectAlerts() sets it.
  std::string key;
};

/// All alerts of a report: errors first, then warnings; the run before limits, these before rules.
/// Passed, waived and not applicable ones are no alerts.
std::vector<Alert> CollectAlerts(const report::Report& report);

/// The verdict's reasons that belong to no limit and no rule ("4 of 8 ranks are missing"), as one
/// alert; nothing without any. It is an error where the verdict counts one that is neither's.
std::optional<Alert> AlertOfRun(const report::Report& report);

/// Where alerts are shown.
struct AlertPlaces {
  AlertPlace otherwise;  ///< For alerts that have no separate place.
  std::map<std::string, AlertPlace, std::less<>> by_id;

  const AlertPlace& Of(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? otherwise : found->second;
  }
};

/// JUnit XML: one test case for each limit and each rule; missed ones fail, inapplicable ones are
/// skipped, unanswered limits are errors, and so is the reason why the whole run has no verdict.
std::string RenderJunit(const report::Report& report);

/// At most twelve lines and 2 900 bytes without markup, for chats and mails: verdict, run, policy
/// and baseline, diagnosis, plan, missed limits.
std::string RenderText(const report::Report& report);

/// SARIF 2.1.0.
std::string RenderSarif(const report::Report& report, const AlertPlaces& places);

/// GitHub workflow commands (::error, ::warning), at most ten, then how many were left out.
std::string RenderGithub(const report::Report& report, const AlertPlaces& places);

/// GitLab code quality: a JSON array.
std::string RenderGitlab(const report::Report& report, const AlertPlaces& places);

/// OpenMetrics text: every metric that has a value, and the verdict; ends with `# EOF`.
std::string RenderOpenMetrics(const report::Report& report, const Labels& labels = {});

}  // namespace profgauge::render
