#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/readable.h"
#include "profgauge/version.h"
#include "render/ci/ci_text.h"
#include "render/shared/ending.h"
#include "render/shared/escape.h"
#include "render/shared/fingerprint.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

/// The sentence, the place and the notes, one below the other.
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

/// On one line, as lines of variables are.
std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

// Systems that only read JUnit show the whole text of all errors here, with their codes.
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

// Mistakes of the configuration and failures of the run are different lists of notifications in
// SARIF 2.1.0, 3.20.
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
  std::string out;
  for (const EndingError& error : ending.errors) {
    if (std::count(out.begin(), out.end(), '\n') == std::ptrdiff_t{kMostAnnotations}) break;
    out += GithubCommand("error", error.place, error.code, WholeText(error));
  }
  return out;
}

std::string RenderGitlab(const Ending& ending) {
  // GitLab lists one issue for each fingerprint.
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

}  // namespace profgauge::render
