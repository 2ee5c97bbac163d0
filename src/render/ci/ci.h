// The formats of CI systems: JUnit, SARIF, GitHub annotations, GitLab code quality, OpenMetrics.
// Each renderer is a pure function of the report.
//
// Fingerprints depend only on rule ids and metrics, not on numbers, so that an alert keeps its
// identity between runs.
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

/// An alert in a CI system: a missed limit, a fired rule, or the reason for a missing verdict.
struct Alert {
  std::string id;  ///< Rule id, "limit/<metric id>", "policy" or "verdict".
  State level = State::kNone;
  std::string title;    ///< One line.
  std::string message;  ///< A sentence with the numbers.
  std::string advice;   ///< May be empty.
  /// The text of the fingerprint: the id, with "/change" for a limit on a change, and a number if
  /// another alert has the same text. CollectAlerts() sets it.
  std::string key = {};
  std::string accepted = {};  ///< Who accepted it, its bound and the reason; else empty.
};

/// All alerts of a report: errors, then warnings, then notes; within a level, first the run and its
/// policy, then limits, then rules. Passed, waived and not applicable results are no alerts; an
/// accepted limit is a note. A finding that a missed limit counts is part of the limit's alert. So
/// each level has as many alerts as the verdict counts.
std::vector<Alert> CollectAlerts(const report::Report& report);

/// An alert for the verdict's reasons that belong to no limit or rule ("4 of 8 ranks are missing");
/// nullopt if there are none. It is an error if the verdict counts such an error.
std::optional<Alert> AlertOfRun(const report::Report& report);

/// Where alerts are shown. By alert id, the line of the policy that sets the limit or level.
struct AlertPlaces {
  AlertPlace otherwise;  ///< For an alert that is not listed.
  std::map<std::string, AlertPlace, std::less<>> by_id;

  const AlertPlace& Of(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? otherwise : found->second;
  }
};

/// JUnit XML with one test case for each limit and rule. Missed ones fail; inapplicable and waived
/// ones are skipped; undecided limits, broken rules and a missing verdict are errors. Warnings
/// pass, with their text as output, because JUnit has no third result.
///
///   <testsuites name="profgauge">
///     <testsuite name="RUN" tests failures errors skipped>
///       <testcase classname="profgauge.verdict" …>     only with a reason of the run
///       <testcase classname="profgauge.baseline" …>    only if it is missing or partial
///       <testcase classname="profgauge.limits" …>      one for each limit
///       <testcase classname="profgauge.rules" …>       one for each rule
std::string RenderJunit(const report::Report& report);

/// A plain text of at most twelve lines and 2 900 bytes, for chats and mails. A line that exceeds
/// its share of the bytes is cut and ends with "…":
///
///   profgauge: FAIL · resnet50 · 2 errors, 21 passed
///   kineto · 8 ranks · 117 of 120 iterations · 343 ms/iteration
///   policy perf/gpt.yaml · baseline none
///   (the diagnosis)
///   1. saves 59.0 ms: …                          at most four steps, then how many more
///   and 2 more lines                             where there are more than twelve
///   limit gpu.idle.mean: 31.4 % (≤ 30 %)         at most three, then how many more
std::string RenderText(const report::Report& report);

/// SARIF 2.1.0 on one line. Each alert is a result with one location, and each rule is listed once.
/// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
std::string RenderSarif(const report::Report& report, const AlertPlaces& places);

/// GitHub workflow commands (::error, ::warning, ::notice), at most ten. If there are more alerts,
/// the tenth command has their number instead. A missing baseline comes first.
std::string RenderGithub(const report::Report& report, const AlertPlaces& places);

/// GitLab code quality: a JSON array on one line. Errors are "major", warnings "minor". The list is
/// empty if there are no alerts.
std::string RenderGitlab(const report::Report& report, const AlertPlaces& places);

/// OpenMetrics text, which ends with `# EOF`: every metric with a value, the judged changes, the
/// verdict and its counts. Times are in seconds, and names end with their unit, as OpenMetrics
/// requires. All values have equally many decimals, so texts of two runs can be compared by line.
std::string RenderOpenMetrics(const report::Report& report, const Labels& labels = {});

// Parts of CI outputs that reports and endings share.

/// Most annotations of one kind that GitHub shows for a step.
inline constexpr std::size_t kMostAnnotations = 10;

inline constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

/// The location of a file and a line. Line 0 becomes 1, because SARIF counts from 1.
boost::json::object SarifLocation(const AlertPlace& place);

/// One workflow command with its line end. `command` is "error", "warning" or "notice".
std::string GithubCommand(std::string_view command, const AlertPlace& place, std::string_view title,
                          std::string_view message);

/// A label value or help text of OpenMetrics, with escaped backslashes, quotes and line feeds.
std::string EscapeLabel(std::string_view text);

/// The labels of a run without braces: `run="x",team="vision"`. REQUIRES: names of labels are
/// valid, which the command line checks.
std::string LabelSet(std::string_view run, const Labels& labels);

}  // namespace profgauge::render
