// `profgauge init PROFILE`: a policy with limits that fit a profile, explained line by line.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "api/candidates.h"
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/init_policy.h"
#include "cli/outputs.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "report/build_report.h"

namespace profgauge::cli {
namespace {

std::string NameOf(const Candidate& run) {
  return run.name.empty() ? report::RunNameOf(run.ranks.front().source.path) : run.name;
}

Result<std::string> PolicyOf(const std::vector<Candidate>& runs,
                             const std::vector<Analysis>& analyses) {
  std::vector<InitRun> measured;
  std::string name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    measured.push_back({runs[i].ranks, analyses[i]});
    name += (i == 0 ? "" : ", ") + NameOf(runs[i]);
  }
  return InitPolicy(name, measured);
}

}  // namespace

Result<int> RunInit(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  const std::string target = options.file.empty() ? "-" : options.file;
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(target, FileKind::kForPeople));
  PROFGAUGE_TRY(std::vector<Profile> profiles, ReadRanks(options, {}, console));
  PROFGAUGE_TRY(const std::vector<Candidate> runs,
                SplitRuns(std::move(profiles), options.arguments, RanksOf(options)));
  std::vector<Analysis> analyses;
  for (const Candidate& run : runs) {
    PROFGAUGE_TRY(Analysis analysis, Analyze(run.ranks, SelectionOf({}, Choices(options))));
    analyses.push_back(std::move(analysis));
  }
  PROFGAUGE_TRY(const std::string text, PolicyOf(runs, analyses));
  PROFGAUGE_CHECK(outputs.Commit(output, text));
  if (target != "-") console.Say("wrote " + target);
  return kExitPass;
}

}  // namespace profgauge::cli
