// The outputs of a run that ends without a report: all those that its command line names, with
// the reason.
#pragma once

#include <functional>

#include "cli/options.h"
#include "profgauge/error.h"
#include "report/report.h"
#include "report/runs.h"

namespace profgauge::cli {

class Console;

/// To fail with when the console was given the errors: without a message.
Error AlreadyReported();

/// The exit code of a run that ended without a report: 0 instead of 3 under --exit-zero.
int ExitWithout(const Error& error, const Options& options);

/// The exit code of a run whose outputs were drawn: `verdict`, or that of the output that could not
/// be written, which is reported.
int ExitAfterDrawing(const Status& drawn, int verdict, Console& console);

/// Runs `body`, which draws the outputs of `options` and returns an exit code, or fails before it
/// has drawn. Where it fails, runs out of memory or shows a defect of ours,
/// and every output has the reason: an earlier run's files are replaced. Returns `body`'s result.
Result<int> RunLeavingOutputs(const Options& options, Console& console,
                              const std::function<Result<int>()>& body);

// The end of check, report and render: the list of outputs, then the summary with the verdict last.

class Console;
class Drawing;

/// The summary goes to standard output, unless a report goes there; then to standard error.
void Conclude(const report::Report& report, const Drawing& drawing, Console& console);
void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console);

}  // namespace profgauge::cli
