// All outputs of a run that ended without a report: the reasons, and what to do next.
//
// Each output replaces the report of an earlier run, so that readers see that nothing was judged.
// All have the same codes and sentences. verdict.json, for programs, is also here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"
#include "render/shared/renderer.h"
#include "report/report.h"

namespace profgauge::render {

/// The names and values that a user gave a run: "team", "vision".
using Labels = std::vector<std::pair<std::string, std::string>>;

/// A line in a file of the repository.
struct AlertPlace {
  std::string path;
  std::uint32_t line = 1;
};

/// One reason why there is no report.
struct EndingError {
  std::string code;                ///< "policy/unknown-metric", in all outputs.
  std::string message;             ///< One sentence.
  std::string where;               ///< "policy.yaml:3:5"; empty: none.
  AlertPlace place;                ///< Its place in CI systems.
  std::vector<std::string> notes;  ///< Each begins with "help: " or "note: ".
};

struct Ending {
  std::string name;                 ///< Name of the run.
  int exit_code = 3;                ///< 2, 3, 4 or 70; 0 if requested.
  bool is_configuration = false;    ///< It ended before a profile was judged.
  std::vector<EndingError> errors;  ///< REQUIRES: at least one.
};

/// kNotJudged for an error of the configuration, else kNoVerdict.
report::State StateOf(const Ending& ending);

/// The file report.json in schema 2: `verdict` and `errors`, without `profile`.
std::string RenderJson(const Ending& ending);
/// A page with the errors.
std::string RenderHtml(const Ending& ending);
std::vector<File> RenderHtmlFiles(const Ending& ending);
/// The errors as Markdown, for the document and for comments. If it would exceed `max_bytes` (0: no
/// limit), whole sections are omitted from the end.
std::string RenderMarkdown(const Ending& ending, std::size_t max_bytes = 0);
/// The errors as plain text of at most twelve lines.
std::string RenderText(const Ending& ending);
/// A workbook with one sheet, which lists the errors.
Result<std::string> RenderXlsx(const Ending& ending);
/// JUnit with one suite and one case, which is an error.
std::string RenderJunit(const Ending& ending);
/// SARIF without results, but with a failed invocation that has a notification for each error.
std::string RenderSarif(const Ending& ending);
std::string RenderGithub(const Ending& ending);
std::string RenderGitlab(const Ending& ending);
/// OpenMetrics with the exit code and the verdict, but no metric of a run.
std::string RenderOpenMetrics(const Ending& ending, const Labels& labels = {});

/// The contents of verdict.json.
struct VerdictFacts {
  std::string status;  ///< "pass", "fail", "no_verdict" or "not_judged".
  int exit_code = 0;
  std::string name;                 ///< Name of the run.
  std::string model;                ///< Name of its series in a history; empty: none.
  std::string policy, policy_hash;  ///< Empty: not read.
  std::vector<report::Loosened> loosened;
  std::string config;  ///< The configuration file; empty: none.
  struct Baseline {
    std::string state = "none";  ///< A name from gate::BaselineStateName().
    std::int64_t runs = 0, wanted = 0;
  } baseline;
  std::vector<std::string> reasons;
  std::vector<report::NoVerdict> no_verdict;  ///< Reasons, if there is no verdict.
  bool again = false;                         ///< Can be resolved by one more profile.
  std::int64_t needed = 0;                    ///< Profiles that decide; 0: unknown.
  std::int64_t recordings = 0;                ///< Compared with a baseline; 0: none.
  std::vector<report::Accepted> accepted;
  std::vector<std::string> errors;  ///< Their codes, if there is no report.
  std::string report;               ///< Page, relative to verdict.json; empty: none.
  std::string link;                 ///< Address in the CI; empty: unknown.
  struct Job {
    std::string name, status;
    int exit_code = 0;
    std::string report;
  };
  std::vector<Job> jobs;  ///< The jobs that are combined, if several.
};

/// The facts of a report. `exit_code` may differ from its verdict (--exit-zero). The caller sets
/// the model and the page.
VerdictFacts FactsOf(const report::Report& report, int exit_code);
/// The facts of a run that was not judged: reasons are messages, and errors are codes.
VerdictFacts FactsOf(const Ending& ending);

/// verdict.json, schema 1.
std::string RenderVerdict(const VerdictFacts& facts);
/// The lines `verdict=…`, `exit-code=…` and `report=…` for GitHub's $GITHUB_OUTPUT. Values have no
/// line end, because a profile could set another variable by it.
std::string RenderGithubOutput(const VerdictFacts& facts);
/// Lines `PROFGAUGE_VERDICT=…`, `PROFGAUGE_EXIT=…` etc.: a dotenv report for GitLab.
std::string RenderDotenv(const VerdictFacts& facts);

}  // namespace profgauge::render
