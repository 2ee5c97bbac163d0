#include "render/ci/ci.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/readable.h"
#include "base/text.h"
#include "base/value.h"
#include "profgauge/version.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/escape.h"
#include "render/shared/fingerprint.h"
#include "render/shared/looks.h"
#include "render/shared/words.h"
#include "report/diagnosis.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

/// True if a limit is undecided: the metric is missing, or the result has no answer.
bool HasNoAnswer(const report::GateRow& row) {
  return row.status == State::kMissing || row.status == State::kOpen;
}

// The alert of a missed limit: a sentence with its numbers. If the limit is on a change and has a
// reason, the reason is that sentence.
Alert AlertOf(const report::GateRow& row) {
  Alert alert;
  alert.id = "limit/" + row.metric;
  alert.title = row.title.empty() ? row.metric : row.title;
  // Undecided limits are warnings, because the verdict does not count them as errors.
  alert.level = HasNoAnswer(row) || row.status == State::kLowConfidence ? State::kWarn : row.status;
  if (row.status == State::kMissing) {
    alert.message = row.metric + " has no value, its limit is " + row.limit;
  } else if (!row.change.text.empty() && !row.reason.empty()) {
    alert.message = row.metric + ": " + row.reason;
    return alert;
  } else if (!row.change.text.empty()) {
    alert.message = row.metric + " changed by " + row.change.text + ", its limit is " + row.limit +
                    ", " + row.baseline.text + " → " + row.measured.text;
  } else {
    alert.message = row.metric + " is " + row.measured.text + ", its limit is " + row.limit;
  }
  if (!row.reason.empty()) alert.message += ": " + row.reason;
  return alert;
}

// Adds a finding that gives the reason for the missed limit.
void AddCause(const report::Finding& finding, Alert& alert) {
  alert.message +=
      "; " + finding.rule + ": " + (finding.message.empty() ? finding.title : finding.message);
  if (!alert.advice.empty() && !finding.advice.empty()) alert.advice += "\n";
  alert.advice += finding.advice;
}

}  // namespace

std::optional<Alert> AlertOfRun(const report::Report& report) {
  Alert alert{"verdict", State::kWarn, "No verdict", {}, {}};
  const ReasonsOfRun of_run = FindReasonsOfRun(report);
  if (of_run.reasons.empty()) return std::nullopt;
  for (const std::string& reason : of_run.reasons) {
    if (!alert.message.empty()) alert.message += "; ";
    alert.message += reason;
  }
  if (of_run.errors > 0) alert.level = State::kError;
  if (report.verdict.status == State::kFail) alert.title = "The run as a whole";
  return alert;
}

// Keys that several alerts share get a number. The first alert keeps its key, so that CI systems
// still recognize it when a second one appears.
std::vector<Alert> CollectAlerts(const report::Report& report) {
  std::vector<Alert> alerts;
  if (std::optional<Alert> alert = AlertOfRun(report)) alerts.push_back(*std::move(alert));
  if (std::string text = LoosenedText(report); !text.empty()) {
    Alert alert;
    alert.level = State::kWarn;
    alert.id = alert.key = "policy";
    alert.title = "The policy is looser";
    alert.message = std::move(text);
    alerts.push_back(std::move(alert));
  }
  for (const report::GateRow& row : report.gate) {
    const report::Accepted* accepted = AcceptedOf(report, row);
    if ((!IsMissed(row) && accepted == nullptr) || !row.counted_with.empty()) continue;
    alerts.push_back(AlertOf(row));
    if (accepted != nullptr) {
      alerts.back().level = State::kInfo;
      alerts.back().accepted = accepted->text;
      alerts.back().message += "; " + accepted->text;
    }
    alerts.back().key = alerts.back().id + (row.change.text.empty() ? "" : "/change");
    for (const report::Finding& finding : report.findings) {
      const bool is_its = row.change.text.empty() && finding.counted_with == row.metric;
      if (is_its && report::HasFired(finding)) AddCause(finding, alerts.back());
    }
  }
  for (const report::Finding& finding : report.findings) {
    if (!report::HasFired(finding) || !finding.counted_with.empty()) continue;
    alerts.push_back(
        {finding.rule, finding.status, finding.title, finding.message, finding.advice});
  }
  for (const report::Remark& remark : report.remarks) {
    if (!remark.id.starts_with(report::kSlowerPart)) continue;
    alerts.push_back({"limit/" + remark.id.substr(report::kSlowerPart.size()),
                      State::kWarn,
                      "A part became slower",
                      remark.text,
                      {}});
  }
  // A comparison without a policy fails nothing.
  for (Alert& alert : alerts) {
    const bool is_over = report.verdict.status == State::kNotJudged && alert.level == State::kError;
    if (is_over) alert.level = State::kWarn;
  }
  std::stable_sort(alerts.begin(), alerts.end(), [](const Alert& a, const Alert& b) {
    return WeightOf(a.level) < WeightOf(b.level);
  });
  std::map<std::string, int> seen;
  for (Alert& alert : alerts) {
    if (alert.key.empty()) alert.key = alert.id;
    const int times = ++seen[alert.key];
    if (times > 1) alert.key += fmt::format("#{}", times);
  }
  return alerts;
}

namespace {

// Escapes text as GitHub's toolkit does. A line end would end the command, so the rest of a
// kernel's name could start another one.
std::string EscapeData(std::string_view text) {
  std::string out;
  for (const char c : Readable(text)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else {  // Logs also go to terminals.
      out += static_cast<unsigned char>(c) < 0x80 ? Printable({&c, 1}) : std::string(1, c);
    }
  }
  return out;
}

// Escapes like EscapeData(), and also `:` and `,`, which would end a property.
std::string EscapeProperty(std::string_view text) {
  std::string out;
  for (const char c : EscapeData(text)) {
    if (c == ':') {
      out += "%3A";
    } else if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view CommandOf(const Alert& alert) {
  return alert.level == State::kError  ? "error"
         : alert.level == State::kWarn ? "warning"
                                       : "notice";
}

}  // namespace

std::string GithubCommand(std::string_view command, const AlertPlace& place, std::string_view title,
                          std::string_view message) {
  return fmt::format("::{} file={},line={},title={}::{}\n", command, EscapeProperty(place.path),
                     std::max(1U, place.line), EscapeProperty(title), EscapeData(message));
}

std::string RenderGithub(const report::Report& report, const AlertPlaces& places) {
  std::vector<Alert> alerts = CollectAlerts(report);
  if (report.baseline && report.baseline->warns) {
    alerts.insert(alerts.begin(),
                  {"baseline", State::kWarn, "No baseline", BaselineWarning(report), {}});
  }
  const bool is_cut = alerts.size() > kMostAnnotations;
  const std::size_t shown = is_cut ? kMostAnnotations - 1 : alerts.size();
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    out += GithubCommand(CommandOf(alerts[i]), places.Of(alerts[i].id),
                         alerts[i].id + ": " + alerts[i].title, alerts[i].message);
  }
  if (is_cut) {
    out += fmt::format("::{} title=profgauge::{} more in the report\n", CommandOf(alerts[shown]),
                       alerts.size() - shown);
  }
  return out;
}

std::string RenderGitlab(const report::Report& report, const AlertPlaces& places) {
  boost::json::array issues;
  for (const Alert& alert : CollectAlerts(report)) {
    const AlertPlace& place = places.Of(alert.id);
    issues.push_back(boost::json::object{
        {"description", Readable(alert.title + ": " + alert.message)},
        {"check_name", Readable(alert.id)},
        {"fingerprint", Fingerprint(alert.key)},
        {"severity", alert.level == State::kError  ? "major"
                     : alert.level == State::kWarn ? "minor"
                                                   : "info"},
        {"location",
         {{"path", Readable(place.path)}, {"lines", {{"begin", std::max(1U, place.line)}}}}}});
  }
  return boost::json::serialize(issues) + "\n";
}

namespace {

enum class Outcome { kPass, kFailure, kError, kSkipped };

// The outcome of a limit or rule. A finding that a limit counts passes here, so that there are as
// many failures as the verdict has errors.
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

// Test cases as text, counted while they are added, because the enclosing elements have totals.
struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  // `accepted`: who accepted the miss, which becomes a property of the case; else empty.
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

// A sentence about any limit: the measured value, the limit, and the reason if there is one.
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

// Writes one suite with cases in this order: the verdict's reasons that belong to no limit or rule,
// a missing baseline, a loosened policy, each limit, each rule, and the verdict if all others
// passed. Times are 0, because the measured value is in the text.
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
  const bool fails_nothing = report.verdict.status == State::kNotJudged;
  for (const report::GateRow& row : report.gate) {
    const report::Accepted* accepted = AcceptedOf(report, row);
    const std::string who = accepted == nullptr ? std::string() : accepted->text;
    const Outcome outcome = OutcomeOf(row.status, row.counted_with);
    suite.Add("limits", row.metric + " " + row.limit, fails_nothing ? Outcome::kPass : outcome,
              row.status,
              WithCount(Describe(row) + (who.empty() ? "" : "; " + who), row.counted_with), who);
  }
  for (const report::Finding& finding : report.findings) {
    suite.Add("rules", finding.rule, OutcomeOf(finding.status, finding.counted_with),
              finding.status,
              WithCount(finding.message.empty() ? finding.reason : finding.message,
                        finding.counted_with));
  }
  // A run that did not pass must have a failed case, even if its cause is only a warning.
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

// The verdict in a dozen plain lines, for chats and mails.

namespace {

/// The size that chats show without folding it. Slack's blocks have at most 3 000 characters.
constexpr std::size_t kMostLines = 12, kMostBytes = 2'900;
/// The mark of a cut line, and the end of each line.
constexpr std::string_view kCut = "…", kLineEnd = "\n";
constexpr std::size_t kMostOfLine = kMostBytes / kMostLines - kCut.size() - kLineEnd.size();
constexpr std::size_t kMostSteps = 4;

/// The first bytes of the file, by which a later run knows that it may replace the file.
constexpr std::string_view kFirst = "profgauge: ";

// Removes backticks and no-break spaces, which chats show unchanged.
std::string PlainLine(std::string text) {
  for (auto at = text.find(kNumberSpace); at != text.npos; at = text.find(kNumberSpace, at)) {
    text.replace(at, kNumberSpace.size(), " ");
  }
  std::erase(text, '`');
  return PrintableShort(text, kMostOfLine);
}

void AddLine(std::string text, std::vector<std::string>& lines) {
  if (!text.empty()) lines.push_back(PlainLine(std::move(text)));
}

// Joins lines. If there are more than a chat shows, the last line says how many are missing.
std::string Joined(std::vector<std::string> lines) {
  if (lines.size() > kMostLines) {
    const std::size_t more = lines.size() - kMostLines + 1;
    lines.resize(kMostLines - 1);
    lines.push_back(fmt::format("and {} more lines", more));
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

void AddPlan(const report::Report& report, std::vector<std::string>& lines) {
  if (!report.plan) return;
  const std::vector<report::PlanStep>& steps = report.plan->steps;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i) {
    const std::string text = PlanStepText(steps[i]);
    AddLine(
        fmt::format("{}. {}: {}", i + 1, steps[i].saves.text, text.empty() ? steps[i].title : text),
        lines);
  }
  if (steps.size() > kMostSteps) {
    AddLine(fmt::format("and {} more steps in the report", steps.size() - kMostSteps), lines);
  }
}

}  // namespace

std::string RenderText(const report::Report& report) {
  std::vector<std::string> lines;
  AddLine(fmt::format("{}{} · {} · {}", kFirst, VerdictWord(report.verdict.status),
                      report.profile.name, CountsText(report.verdict)),
          lines);
  for (const std::string& text : AcceptedTexts(report)) AddLine(text, lines);
  AddLine(LoosenedText(report), lines);
  if (const std::string moved = MovementText(report); !moved.empty()) {
    AddLine(TextOf(PartsOf("moved " + moved)), lines);
  }
  AddLine(RunText(report), lines);
  const std::string sources = SourcesText(report, ReasonsTellBaseline(report));
  AddLine(sources.empty() ? "" : "policy " + sources, lines);
  const report::Diagnosis diagnosis = report::Diagnose(report);
  AddLine(TextOf(PartsOf(diagnosis.text)), lines);
  for (const std::string& reason : ReasonTexts(diagnosis, kMostReasons)) {
    AddLine(fmt::format("{} {}", ReasonsLabel(report, diagnosis), TextOf(PartsOf(reason))), lines);
  }
  AddPlan(report, lines);
  return Joined(lines);
}

std::string RenderText(const Ending& ending) {
  std::vector<std::string> lines;
  AddLine(fmt::format("{}{} · {}", kFirst, VerdictWord(StateOf(ending)), ending.name), lines);
  for (const EndingError& error : ending.errors) {
    AddLine(fmt::format("{} [{}]", error.message, error.code), lines);
    if (!error.where.empty()) AddLine("at " + error.where, lines);
    for (const std::string& note : error.notes) AddLine(note, lines);
  }
  return Joined(lines);
}

namespace {

namespace json = boost::json;

/// The sentence, the place and the notes of an error, each on its own line.
std::string WholeText(const EndingError& error) {
  std::string text = error.message;
  if (!error.where.empty()) text += "\n--> " + error.where;
  for (const std::string& note : error.notes) text += "\n" + note;
  return text;
}

std::string WholeText(const Ending& ending) {
  std::string text;
  for (const EndingError& error : ending.errors) {
    text += (text.empty() ? "" : "\n\n") + WholeText(error) + "   [" + error.code + "]";
  }
  return text;
}

/// Joins the lines of a text, because a variable's value is on one line.
std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

// The case contains the text and code of every error, for systems that only read JUnit.
std::string RenderJunit(const Ending& ending) {
  const EndingError& first = ending.errors.front();
  constexpr std::string_view kTotals =
      "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\"";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"profgauge\" {0}>\n"
      "  <testsuite name=\"{1}\" {0}>\n"
      "    <testcase classname=\"profgauge\" name=\"profgauge\" time=\"0\">\n"
      "      <error message=\"{2}\" type=\"{3}\">{4}</error>\n"
      "    </testcase>\n"
      "  </testsuite>\n</testsuites>\n",
      kTotals, EscapeHtml(ending.name), EscapeHtml(first.message), EscapeHtml(first.code),
      EscapeHtml(WholeText(ending)));
}

// Configuration errors and failures of the run are separate lists of notifications in SARIF 2.1.0,
// 3.20.
std::string RenderSarif(const Ending& ending) {
  json::array notifications;
  for (const EndingError& error : ending.errors) {
    notifications.push_back(json::object{{"level", "error"},
                                         {"descriptor", {{"id", Readable(error.code)}}},
                                         {"message", {{"text", Readable(WholeText(error))}}},
                                         {"locations", json::array{SarifLocation(error.place)}}});
  }
  const std::string_view kind =
      ending.is_configuration ? "toolConfigurationNotifications" : "toolExecutionNotifications";
  const json::object document{
      {"$schema", kSarifSchema},
      {"version", "2.1.0"},
      {"runs", json::array{json::object{
                   {"tool", {{"driver", {{"name", "profgauge"}, {"version", kVersion}}}}},
                   {"invocations", json::array{json::object{{"executionSuccessful", false},
                                                            {"exitCode", ending.exit_code},
                                                            {kind, std::move(notifications)}}}},
                   {"results", json::array()}}}}};
  return json::serialize(document) + "\n";
}

std::string RenderGithub(const Ending& ending) {
  const bool is_cut = ending.errors.size() > kMostAnnotations;
  const std::size_t shown = is_cut ? kMostAnnotations - 1 : ending.errors.size();
  std::string out;
  for (const EndingError& error : std::span(ending.errors).first(shown)) {
    out += GithubCommand("error", error.place, error.code, WholeText(error));
  }
  if (is_cut) {
    out += fmt::format("::error title=profgauge::{} more errors in the log\n",
                       ending.errors.size() - shown);
  }
  return out;
}

std::string RenderGitlab(const Ending& ending) {
  // Issues with equal fingerprints are merged, because GitLab shows only one of them.
  json::array issues;
  for (std::size_t i = 0; i < ending.errors.size(); ++i) {
    const EndingError& error = ending.errors[i];
    issues.push_back(json::object{{"description", Readable(WholeText(error))},
                                  {"check_name", Readable(error.code)},
                                  {"fingerprint", Fingerprint(fmt::format("{}#{}", error.code, i))},
                                  {"severity", "blocker"},
                                  {"location",
                                   {{"path", Readable(error.place.path)},
                                    {"lines", {{"begin", std::max(1U, error.place.line)}}}}}});
  }
  return json::serialize(issues) + "\n";
}

std::string RenderOpenMetrics(const Ending& ending, const Labels& labels) {
  const std::string run = LabelSet(ending.name, labels);
  return fmt::format(
      "# TYPE profgauge_exit_code gauge\n"
      "# HELP profgauge_exit_code Exit code of the program.\n"
      "profgauge_exit_code{{{0}}} {1}\n"
      "# TYPE profgauge_verdict gauge\n"
      "# HELP profgauge_verdict 1 for the state of the run.\n"
      "profgauge_verdict{{{0},state=\"{2}\"}} 1\n"
      "# EOF\n",
      run, ending.exit_code, report::NameOf(StateOf(ending)));
}

std::string RenderGithubOutput(const VerdictFacts& facts) {
  return fmt::format("verdict={}\nexit-code={}\nreport={}\nagain={}\n", facts.status,
                     facts.exit_code, OnOneLine(facts.report), facts.again);
}

std::string RenderDotenv(const VerdictFacts& facts) {
  return fmt::format(
      "PROFGAUGE_VERDICT={}\nPROFGAUGE_EXIT={}\nPROFGAUGE_AGAIN={}\nPROFGAUGE_REPORT={}\n",
      facts.status, facts.exit_code, facts.again, OnOneLine(facts.report));
}

namespace {

// A metric's name for OpenMetrics, which uses base units and [a-zA-Z0-9_].
struct Exposed {
  std::string name, unit;
  double scale = 1;
};

// Makes profgauge_iteration_time_median_seconds, scaled by 1e-9, from iteration.time.median in ns.
Exposed ExposedOf(const report::Metric& metric) {
  Exposed exposed;
  exposed.name = "profgauge_" + metric.id;
  std::replace_if(
      exposed.name.begin(), exposed.name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  switch (metric.quantity.unit) {
    case Unit::kTime:
      exposed.unit = "seconds";
      exposed.scale = 1e-9;
      break;
    case Unit::kBytes:
      exposed.unit = "bytes";
      break;
    case Unit::kShare:
      exposed.unit = "ratio";
      break;
    case Unit::kBandwidth:
      exposed.unit = "bytes_per_second";
      break;
    default:
      break;
  }
  if (!exposed.unit.empty()) exposed.name += "_" + exposed.unit;
  return exposed;
}

// Adds the judged changes that are ratios.
template <typename Family>
void ExposeChanges(const report::Comparison& comparison, const Family& family) {
  for (const report::ComparedMetric& metric : comparison.metrics) {
    if (metric.change.unit != Unit::kShare || IsAbsent(metric.change.value)) continue;
    report::Metric named;
    named.id = metric.metric;
    Exposed exposed = ExposedOf(named);
    exposed.name += "_change_ratio";
    exposed.unit = "ratio";
    family(exposed, "Change against the baseline: " + metric.title + ".",
           AsNumber(metric.change.value, 0));
  }
}

}  // namespace

std::string EscapeLabel(std::string_view text) {
  std::string out;
  for (const char c : Readable(text)) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += "\ufffd";
    } else {
      out += c;
    }
  }
  return out;
}

std::string LabelSet(std::string_view run, const Labels& labels) {
  std::string out = fmt::format("run=\"{}\"", EscapeLabel(run));
  for (const auto& [name, value] : labels) {
    out += fmt::format(",{}=\"{}\"", name, EscapeLabel(value));
  }
  return out;
}

// Writes families: TYPE, UNIT (if any), HELP and one sample. A family's name ends with its unit.
std::string RenderOpenMetrics(const report::Report& report, const Labels& labels) {
  const std::string label = "{" + LabelSet(report.profile.name, labels) + "}";
  std::string out;
  const auto family = [&](const Exposed& exposed, std::string_view help, double value) {
    out += fmt::format("# TYPE {} gauge\n", exposed.name);
    if (!exposed.unit.empty()) out += fmt::format("# UNIT {} {}\n", exposed.name, exposed.unit);
    // The number of decimals is fixed, because GitLab compares the texts of two branches.
    out += fmt::format("# HELP {} {}\n{}{} {:.9f}\n", exposed.name, EscapeLabel(help), exposed.name,
                       label, value);
  };
  for (const report::Metric& metric : report.metrics) {
    if (IsAbsent(metric.quantity.value)) continue;
    const Exposed exposed = ExposedOf(metric);
    family(exposed, metric.definition, AsNumber(metric.quantity.value, 0) * exposed.scale);
  }
  if (report.comparison) ExposeChanges(*report.comparison, family);
  const auto& verdict = report.verdict;
  if (verdict.status != State::kNotJudged) {
    family({"profgauge_verdict_pass", "", 1}, "1 if the run passed its policy, else 0.",
           verdict.status == State::kPass ? 1 : 0);
    out += fmt::format(
        "# TYPE profgauge_verdict gauge\n"
        "# HELP profgauge_verdict 1 for the state of the run.\n"
        "profgauge_verdict{{{},state=\"{}\"}} 1.000000000\n",
        LabelSet(report.profile.name, labels), report::NameOf(verdict.status));
  }
  family({"profgauge_errors", "", 1}, "Limits and rules missed at level error.",
         static_cast<double>(verdict.errors));
  family({"profgauge_warnings", "", 1}, "Limits and rules missed at level warn.",
         static_cast<double>(verdict.warnings));
  family({"profgauge_open", "", 1}, "Undecided limits: missing values, inconclusive changes.",
         static_cast<double>(verdict.missing + verdict.open));
  return out + "# EOF\n";
}

namespace {

std::string LevelOf(const Alert& alert) {
  return alert.level == State::kError ? "error" : alert.level == State::kWarn ? "warning" : "note";
}

/// A path as a URI reference, in which other characters are written as %XX.
std::string UriOf(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-._~/@+,=").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

json::object Rule(const Alert& alert) {
  json::object rule{{"id", alert.id},
                    {"shortDescription", {{"text", alert.title}}},
                    {"defaultConfiguration", {{"level", LevelOf(alert)}}}};
  if (!alert.advice.empty()) {
    rule["help"] = {{"text", alert.advice}, {"markdown", alert.advice}};
  }
  return rule;
}

}  // namespace

json::object SarifLocation(const AlertPlace& place) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", UriOf(place.path)}}},
            {"region", {{"startLine", std::max(1U, place.line)}}}}}};
}

// Alerts with one id share a rule, to which a result refers by index. The fingerprint is made from
// the alert's key, so code scanning recognizes the alert in later runs, even if its numbers change.
std::string RenderSarif(const report::Report& report, const AlertPlaces& places) {
  json::array rules;
  json::array results;
  std::map<std::string, std::int64_t> rule_index;
  for (Alert alert : CollectAlerts(report)) {
    for (std::string* text :
         {&alert.id, &alert.title, &alert.message, &alert.advice, &alert.accepted}) {
      *text = Readable(*text);
    }
    const auto [it, is_new] =
        rule_index.try_emplace(alert.id, static_cast<std::int64_t>(rules.size()));
    if (is_new) rules.push_back(Rule(alert));
    results.push_back(
        json::object{{"ruleId", alert.id},
                     {"ruleIndex", it->second},
                     {"level", LevelOf(alert)},
                     {"message", {{"text", alert.message}}},
                     {"locations", json::array{SarifLocation(places.Of(alert.id))}},
                     {"partialFingerprints", {{"profgauge/v1", Fingerprint(alert.key)}}}});
    if (alert.accepted.empty()) continue;
    results.back().as_object()["suppressions"] = json::array{json::object{
        {"kind", "external"}, {"status", "accepted"}, {"justification", alert.accepted}}};
  }
  json::object run{
      {"tool",
       {{"driver", {{"name", "profgauge"}, {"version", kVersion}, {"rules", std::move(rules)}}}}},
      {"results", std::move(results)}};
  if (report.baseline && report.baseline->warns) {
    json::object notification{{"level", "warning"},
                              {"descriptor", {{"id", "baseline/" + report.baseline->state}}},
                              {"message", {{"text", Readable(BaselineWarning(report))}}}};
    run["invocations"] = json::array{
        json::object{{"executionSuccessful", true},
                     {"toolConfigurationNotifications", json::array{std::move(notification)}}}};
  }
  const json::object document{
      {"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", json::array{std::move(run)}}};
  return json::serialize(document) + "\n";
}

}  // namespace profgauge::render
