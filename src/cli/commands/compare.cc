// `profgauge compare BASE CURRENT`: explains changes, and judges them if a policy is given.
//
//   BASE may be       a baseline file, history:BRANCH~N, a profile
//   CURRENT may be    the same
//
// With a history as BASE, CURRENT is read first: it decides which runs of the history are
// comparable.
#include <optional>
#include <string>
#include <utility>

#include "api/comparison.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "render/shared/renderer.h"

namespace profgauge::cli {

namespace {

Result<int> Compared(const Options& options, Console& console) {
  Stats stats;
  std::optional<rules::Policy> policy;
  if (!options.policy.empty()) {
    policy = ReadPolicy(options, console);
    if (!policy) return Fail(AlreadyReported());
  }
  Drawing drawing(KeptBy(options, policy ? &*policy : nullptr));
  PROFGAUGE_CHECK(drawing.Open(options));
  const rules::Policy selecting = policy.value_or(rules::Policy{});
  ImportLog log;
  ComparedSide base, current;
  const auto load = [&](ComparedSide& side, const std::string& what, const ComparedSide& beside) {
    return LoadSnapshots(what, options, selecting, console,
                         {&log, &side.doubts, &side.picture, beside.runs});
  };
  // The other side decides which runs of a history are used.
  const bool is_history = options.arguments[0].starts_with("history:");
  if (is_history) {
    PROFGAUGE_TRY(current.runs, load(current, options.arguments[1], base));
  }
  PROFGAUGE_TRY(base.runs, load(base, options.arguments[0], current));
  stats.EndPhase("read base");
  if (!is_history) {
    PROFGAUGE_TRY(current.runs, load(current, options.arguments[1], base));
  }
  stats.EndPhase("read current");
  if (!current.runs.empty()) drawing.Describes(current.runs.front());
  const JudgedComparison judged =
      CompareSides(std::move(base), std::move(current), log, policy ? &*policy : nullptr,
                   {options.allow_incomplete, options.redact});
  stats.EndPhase("compare");
  const int exit_code = gate::ExitCodeOf(judged.verdict, options.exit_zero);
  drawing.ExitsWith(exit_code);
  const Status drawn = drawing.Draw(judged.report, stats);
  if (options.verbosity > 0) console.Warn(stats.Table());
  const std::string text = render::RenderComparison(judged.report, options.verbosity);
  Tell(text, drawing, console);
  return ExitAfterDrawing(drawn, exit_code, console);
}

}  // namespace

Result<int> RunCompare(const Options& options, Console& console) {
  return RunLeavingOutputs(options, console, [&] { return Compared(options, console); });
}

}  // namespace profgauge::cli
