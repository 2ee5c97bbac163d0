// `profgauge init PROFILE`: a policy with limits that fit a profile, explained line by line.
#include "analysis/analysis.h"
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/init_policy.h"
#include "cli/outputs.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "readers/one_run.h"
#include "report/build_report.h"

namespace profgauge::cli {

Result<int> RunInit(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  const std::string target = options.file.empty() ? "-" : options.file;
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(target, FileKind::kForPeople));
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadRanks(options, {}, console));
  PROFGAUGE_CHECK(CheckOneRun(ranks, ""));
  PROFGAUGE_TRY(const Analysis analysis, Analyze(ranks, SelectionOf({}, Choices(options))));
  std::string name = RunName(options.arguments);
  if (name.empty()) name = report::RunNameOf(ranks.front().source.path);
  PROFGAUGE_TRY(const std::string text, InitPolicy(name, ranks, analysis));
  PROFGAUGE_CHECK(outputs.Commit(output, text));
  if (target != "-") console.Say("wrote " + target);
  return kExitPass;
}

}  // namespace profgauge::cli
