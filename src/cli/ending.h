// The outputs of a run that ends without a report: all those that its command line names, with
// the reason.
//
//   body() returns an exit code        its outputs are drawn: nothing to do here
//   body() returns an Error            each output gets an Ending with the errors
//   body() throws bad_alloc            the same, with the memory that was in use (exit 3)
//   body() throws anything else        the same, as a defect of ours (exit 70)
//
// Why it matters: CI systems publish report.html whether or not the job failed. A page of the last
// good run would be read as that of this one.
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

/// The exit code of a run that ended without a report: that of the error, but 0 instead of 3 under
/// --exit-zero. Mistakes of the command line and the configuration never exit 0.
int ExitWithout(const Error& error, const Options& options);

/// The exit code of a run whose outputs were drawn: `verdict`, or that of the output that could not
/// be written, which is reported.
int ExitAfterDrawing(const Status& drawn, int verdict, Console& console);

/// Runs `body`, which draws the outputs of `options` and returns an exit code, or fails before it
/// has drawn. Where it fails, runs out of memory or shows a defect of ours, every output has the
/// reason: an earlier run's files are replaced. Returns `body`'s result; errors that it reported to
/// the console are in the outputs, too. The memory limit of --max-memory is lifted to write them.
Result<int> RunLeavingOutputs(const Options& options, Console& console,
                              const std::function<Result<int>()>& body);

// The end of check, report and render: the list of outputs, then the summary with the verdict last.

class Console;
class Drawing;

/// The summary goes to standard output, unless a report goes there; then to standard error.
void Conclude(const report::Report& report, const Drawing& drawing, Console& console);
void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console);

}  // namespace profgauge::cli
