// The formats of CI systems: JUnit, SARIF, GitHub annotations, GitLab code quality, OpenMetrics.
// Pure functions of the report, like every renderer.
//
// Fingerprints are made only of rule ids and metrics, never of numbers, so that an alert keeps its
// identity from run to run.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
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
  std::string key = {};
  std::string accepted = {};  ///< Who accepts it, up to what and why; empty: nobody.
};

/// All alerts of a report: errors first, then warnings, then notes; within a level the run before
/// limits, these before rules. Passed, waived and not applicable ones are no alerts; an accepted
/// limit is a note. A finding that
/// a missed limit counts is no separate alert: its sentence is in the limit's message. So the
/// alerts of a level are as many as the verdict counts.
std::vector<Alert> CollectAlerts(const report::Report& report);

/// The verdict's reasons that belong to no limit and no rule ("4 of 8 ranks are missing"), as one
/// alert; nothing without any. It is an error where the verdict counts one that is neither's.
std::optional<Alert> AlertOfRun(const report::Report& report);

/// Where alerts are shown: a line of the policy that set the limit or level, by the alert's id.
struct AlertPlaces {
  AlertPlace otherwise;  ///< For alerts that have no separate place.
  std::map<std::string, AlertPlace, std::less<>> by_id;

  const AlertPlace& Of(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? otherwise : found->second;
  }
};

/// JUnit XML: one test case for each limit and each rule; missed ones fail, inapplicable and waived
/// ones are skipped, unanswered limits and broken rules are errors, and so is the reason why the
/// whole run has no verdict. Warnings pass, with their text as output: JUnit has no third result.
///
///   <testsuites name="profgauge">
///     <testsuite name="RUN" tests failures errors skipped>
///       <testcase classname="profgauge.verdict" …>     only with a reason of the run
///       <testcase classname="profgauge.baseline" …>    only where it is missing or partial
///       <testcase classname="profgauge.limits" …>      one for each limit
///       <testcase classname="profgauge.rules" …>       one for each rule
std::string RenderJunit(const report::Report& report);

/// At most twelve lines without markup and 2 900 bytes, for chats and mails; a line that is longer
/// than its share is cut and ends with "…":
///
///   profgauge: FAIL · resnet50 · 2 errors, 21 passed
///   kineto · 8 ranks · 117 of 120 iterations · 343 ms/iteration
///   policy perf/gpt.yaml · baseline none
///   (the diagnosis)
///   1. saves 59.0 ms: …                          at most four steps, then how many more
///   and 2 more lines                             where there are more than twelve
///   limit gpu.idle.mean: 31.4 % (≤ 30 %)         at most three, then how many more
std::string RenderText(const report::Report& report);

/// SARIF 2.1.0, on one line. Each alert is a result with one location; its rule is listed once.
/// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
std::string RenderSarif(const report::Report& report, const AlertPlaces& places);

/// GitHub workflow commands (::error, ::warning, ::notice), at most ten: if there are more alerts,
/// nine and a tenth command that says how many are left out. A missing baseline comes first.
std::string RenderGithub(const report::Report& report, const AlertPlaces& places);

/// GitLab code quality: a JSON array on one line; errors are "major", warnings "minor". Empty list:
/// no alerts.
std::string RenderGitlab(const report::Report& report, const AlertPlaces& places);

/// OpenMetrics text: every metric that has a value, the judged changes, the verdict and its counts;
/// ends with `# EOF`. Times are seconds, and each name ends with its unit, as OpenMetrics demands.
/// Same decimals for every value, so that texts of two runs can be compared line by line.
std::string RenderOpenMetrics(const report::Report& report, const Labels& labels = {});

// Parts of CI outputs that reports and endings share.

/// GitHub shows at most ten annotations of a kind per step.
inline constexpr std::size_t kMostAnnotations = 10;

inline constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

/// A file and a line; a line of 0 becomes 1, since SARIF counts from there.
boost::json::object SarifLocation(const AlertPlace& place);

/// One workflow command, with its line end. `command` is "error", "warning" or "notice".
std::string GithubCommand(std::string_view command, const AlertPlace& place, std::string_view title,
                          std::string_view message);

/// Text of a label or of help in OpenMetrics: backslash, quote and line feed are escaped.
std::string EscapeLabel(std::string_view text);

/// The labels of a run, without braces: `run="x",team="vision"`. REQUIRES: names of labels are
/// valid; they were checked on the command line.
std::string LabelSet(std::string_view run, const Labels& labels);

}  // namespace profgauge::render
