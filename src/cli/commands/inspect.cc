// `profgauge inspect`: what a file contains, without judging it.
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "cli/text/describe.h"
#include "model/summary/summary.h"

namespace profgauge::cli {

Result<int> RunInspect(const Options& options, Console& console) {
  Stats stats(console);
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  stats.EndPhase("read");
  for (const Profile& profile : ranks) {
    if (&profile != &ranks.front()) console.Print("\n");
    const auto summary = SummaryOf(profile);
    console.Print(summary ? DescribeSummary(*summary, profile.source.path)
                          : DescribeProfile(profile));
  }
  stats.EndPhase("describe");
  if (options.stats) console.Warn(stats.Table());
  return kExitPass;
}

}  // namespace profgauge::cli
