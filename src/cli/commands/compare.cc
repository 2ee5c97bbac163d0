// `profgauge compare BASE CURRENT`: always explains, never judges.
#include "gate/compare.h"
#include "analysis/analysis.h"
#include "api/session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/exit_code.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "render/shared/renderer.h"
#include "report/build_report.h"
#include "report/redact.h"

namespace profgauge::cli {

Result<int> RunCompare(const Options& options, Console& console) {
  Stats stats(console);
  Drawing drawing;
  PROFGAUGE_CHECK(drawing.Open(options, options.arguments));
  PROFGAUGE_TRY(const std::vector<Snapshot> base,
                LoadSnapshots(options.arguments[0], options, {}, console));
  stats.EndPhase("read base");
  PROFGAUGE_TRY(const std::vector<Snapshot> current,
                LoadSnapshots(options.arguments[1], options, {}, console));
  stats.EndPhase("read current");
  const RunComparison comparison = CompareRuns(base, current, nullptr);
  report::Report report = report::BuildComparisonReport(comparison);
  if (options.redact) report::Redact(report);
  stats.EndPhase("compare");
  PROFGAUGE_CHECK(drawing.Draw(report, stats));
  if (options.stats) console.Warn(stats.Table());
  for (const std::string& line : drawing.Summary()) console.Say(line);
  const std::string text = render::RenderComparison(report, options.verbosity);
  if (drawing.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  return kExitPass;
}

}  // namespace profgauge::cli
