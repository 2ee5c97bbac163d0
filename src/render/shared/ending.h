// A run that ended without a report, in every output: why, and what to do next.
//
// Whoever reads an output learns only from that output that nothing was judged; an earlier run's
// report is replaced. All of them carry the same codes and sentences. Besides: the verdict for
// programs that want nothing else, of a report or of an ending.
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

/// Names and values that a user gave to a run: "team", "vision".
using Labels = std::vector<std::pair<std::string, std::string>>;

/// A line of a file of the repository.
struct AlertPlace {
  std::string path;
  std::uint32_t line = 1;
};

/// One reason why there is no report.
struct EndingError {
  std::string code;                ///< "policy/unknown-metric"; the outputs' name for it.
  std::string message;             ///< One sentence.
  std::string where;               ///< "policy.yaml:3:5"; empty: it has no place.
  AlertPlace place;                ///< Where CI systems show it.
  std::vector<std::string> notes;  ///< Each starts "help: " or "note: ".
};

struct Ending {
  std::string name;               ///< Name of the run.
  int exit_code = 3;              ///< The program's: 2, 3, 4 or 70; 0 where that was asked for.
  bool is_configuration = false;  ///< It ended before a profile was judged: nothing is said of it.
  std::vector<EndingError> errors;  ///< REQUIRES: at least one.
};

/// kNotJudged for a mistake in the configuration, else kNoVerdict.
report::State StateOf(const Ending& ending);

/// report.json, schema 2: `verdict` and `errors`, no `profile`.
std::string RenderJson(const Ending& ending);
/// A page with the errors.
std::string RenderHtml(const Ending& ending);
std::vector<File> RenderHtmlFiles(const Ending& ending);
/// The same for the report and for its summary, which a comment or a step summary shows. Sections
/// beyond `max_bytes` (0: no limit) are left out whole, from the last.
std::string RenderMarkdown(const Ending& ending, std::size_t max_bytes = 0);
/// At most twelve lines without markup.
std::string RenderText(const Ending& ending);
/// A workbook of one sheet.
Result<std::string> RenderXlsx(const Ending& ending);
/// One suite with one case that is an error.
std::string RenderJunit(const Ending& ending);
/// No results, and an invocation that failed, with a notification for each error.
std::string RenderSarif(const Ending& ending);
std::string RenderGithub(const Ending& ending);
std::string RenderGitlab(const Ending& ending);
/// The exit code and the verdict; no metric of a run.
std::string RenderOpenMetrics(const Ending& ending, const Labels& labels = {});

/// The contents of verdict.json.
struct VerdictFacts {
  std::string status;  ///< "pass", "fail", "no_verdict" or "not_judged".
  int exit_code = 0;
  std::string name;                 ///< Name of the run.
  std::string model;                ///< The name of its series in a history; empty: not given.
  std::string policy, policy_hash;  ///< Empty: it was not read.
  std::vector<report::Loosened> loosened;
  std::string config;  ///< The configuration; empty: none.
  struct Baseline {
    std::string state = "none";  ///< As gate::BaselineStateName() says.
    std::int64_t runs = 0, wanted = 0;
  } baseline;
  std::vector<std::string> reasons;
  std::vector<report::NoVerdict> no_verdict;  ///< Of a run without a verdict: its reasons.
  bool again = false;                         ///< A new recording alone can settle them.
  std::int64_t needed = 0;                    ///< How many recordings would; 0: unknown.
  std::int64_t recordings = 0;                ///< Compared with a baseline; 0: none was.
  std::vector<report::Accepted> accepted;
  std::vector<std::string> errors;  ///< Codes; why there is no report.
  std::string report;               ///< The page, from the folder of verdict.json; empty: none.
  std::string link;                 ///< Where the CI shows it; empty: unknown.
  struct Job {
    std::string name, status;
    int exit_code = 0;
    std::string report;
  };
  std::vector<Job> jobs;  ///< For several jobs together.
};

/// The verdict of a report; `exit_code` may differ from it, as under --exit-zero. Model and page
/// are for the caller to set.
VerdictFacts FactsOf(const report::Report& report, int exit_code);
/// The same of a run that was not judged: reasons are the messages, errors the codes.
VerdictFacts FactsOf(const Ending& ending);

/// verdict.json, schema 1.
std::string RenderVerdict(const VerdictFacts& facts);
/// Lines `verdict=…`, `exit-code=…` and `report=…`, as GitHub's $GITHUB_OUTPUT takes them. A value
/// never has a line end: it would start a variable of the profile's choice.
std::string RenderGithubOutput(const VerdictFacts& facts);
/// Lines `PROFGAUGE_VERDICT=…`, `PROFGAUGE_EXIT=…` and so on: a dotenv report of GitLab.
std::string RenderDotenv(const VerdictFacts& facts);

}  // namespace profgauge::render
