#include <fmt/format.h>

#include "render/ci/ci.h"
#include "render/shared/escape.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

enum class Outcome { kPass, kFailure, kError, kSkipped };

// Failures are as many as the verdict's errors: a finding counted elsewhere is none.
Outcome OutcomeOf(State state, std::string_view counted_with) {
  if (!counted_with.empty()) return Outcome::kPass;
  switch (state) {
    case State::kError:
      return Outcome::kFailure;
    case State::kMissing:
    case State::kOpen:
    case State::kBroken:
      return Outcome::kError;
    case State::kNotApplicable:
    case State::kCovered:
    case State::kSkipped:
    case State::kCaution:
    case State::kWaived:
      return Outcome::kSkipped;
    default:
      return Outcome::kPass;
  }
}

// Counts while it writes, since the totals are attributes of the elements around the cases.
struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  // `accepted`: who accepts the miss, as a property; empty: nobody.
  void Add(std::string_view suite, std::string_view name, Outcome outcome, State state,
           std::string_view message, std::string_view accepted = {}) {
    ++tests;
    cases += fmt::format("    <testcase classname=\"profgauge.{}\" name=\"{}\" time=\"0\"",
                         EscapeHtml(suite), EscapeHtml(name));
    const std::string text = EscapeHtml(message);
    switch (outcome) {
      case Outcome::kFailure:
        ++failures;
        cases += fmt::format(">\n      <failure message=\"{0}\" type=\"{1}\">{0}</failure>\n", text,
                             report::NameOf(state));
        break;
      case Outcome::kError:
        ++errors;
        cases += fmt::format(">\n      <error message=\"{0}\" type=\"{1}\">{0}</error>\n", text,
                             report::NameOf(state));
        break;
      case Outcome::kSkipped:
        ++skipped;
        cases += fmt::format(">\n      <skipped message=\"{}\"/>\n", text);
        break;
      case Outcome::kPass:
        if (state == State::kPass || text.empty()) {
          cases += "/>\n";
          return;
        }
        cases += ">\n";
        if (!accepted.empty()) {
          cases += fmt::format(
              "      <properties><property name=\"accepted\" value=\"{}\"/></properties>\n",
              EscapeHtml(accepted));
        }
        cases +=
            fmt::format("      <system-out>{}: {}</system-out>\n", report::NameOf(state), text);
        break;
    }
    cases += "    </testcase>\n";
  }
};

// The sentence of a limit, the same for passed ones: measured value, limit, and the reason if there
// is one.
std::string Describe(const report::GateRow& row) {
  std::string text = row.metric + " is " + row.measured.text + ", its limit is " + row.limit;
  if (!row.change.text.empty() && !row.reason.empty()) return row.metric + ": " + row.reason;
  if (!row.change.text.empty()) {
    text = row.metric + " changed by " + row.change.text + ", its limit is " + row.limit;
  }
  if (!row.reason.empty()) text += ": " + row.reason;
  return text;
}

std::string WithCount(std::string text, std::string_view counted_with) {
  if (!counted_with.empty()) text += " (counted with " + std::string(counted_with) + ")";
  return text;
}

}  // namespace

// One suite. Its cases, in this order: reasons of the verdict that belong to no limit and no rule,
// a baseline that is missing, each limit, each rule, and the verdict where none of these is red.
// Times are 0: the measured value is in the text.
std::string RenderJunit(const report::Report& report) {
  Suite suite;
  if (const std::optional<Alert> run = AlertOfRun(report)) {
    suite.Add("verdict", "verdict",
              run->level == State::kError ? Outcome::kFailure : Outcome::kError,
              report.verdict.status, run->message);
  }
  if (const std::string warning = BaselineWarning(report); !warning.empty()) {
    suite.Add("baseline", "baseline", Outcome::kSkipped, State::kSkipped, warning);
  }
  if (const std::string text = LoosenedText(report); !text.empty()) {
    suite.Add("policy", "policy", Outcome::kSkipped, State::kSkipped, text);
  }
  for (const report::GateRow& row : report.gate) {
    const report::Accepted* accepted = AcceptedOf(report, row);
    const std::string who = accepted == nullptr ? std::string() : accepted->text;
    suite.Add("limits", row.metric + " " + row.limit, OutcomeOf(row.status, row.counted_with),
              row.status,
              WithCount(Describe(row) + (who.empty() ? "" : "; " + who), row.counted_with), who);
  }
  for (const report::Finding& finding : report.findings) {
    suite.Add("rules", finding.rule, OutcomeOf(finding.status, finding.counted_with),
              finding.status,
              WithCount(finding.message.empty() ? finding.reason : finding.message,
                        finding.counted_with));
  }
  // A run that did not pass is red, whatever left it so: a warning, or a number that is unsure.
  const bool fails = report.verdict.status == State::kFail;
  if (suite.failures + suite.errors == 0 && (fails || report.verdict.status == State::kNoVerdict)) {
    suite.Add("verdict", "verdict", fails ? Outcome::kFailure : Outcome::kError,
              report.verdict.status, fmt::format("{}", fmt::join(report.verdict.reasons, "; ")));
  }
  const std::string totals =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
                  suite.tests, suite.failures, suite.errors, suite.skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"profgauge\" {0}>\n"
      "  <testsuite name=\"{1}\" {0}>\n{2}  </testsuite>\n</testsuites>\n",
      totals, EscapeHtml(report.profile.name), suite.cases);
}

}  // namespace profgauge::render
