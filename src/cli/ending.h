// The outputs of a run that ends without a report: all outputs of the command line then contain the
// reason.
//
//   body() returns an exit code        its outputs are written: nothing to do here
//   body() returns an Error            each output gets an Ending with the errors
//   body() throws bad_alloc            the same, with the memory that was in use (exit 3)
//   body() throws anything else        the same, as a defect of ours (exit 70)
//
// This matters because CI systems publish report.html even if the job failed. The page of an
// earlier good run would be mistaken for this run's.
#pragma once

#include <functional>

#include "cli/options.h"
#include "profgauge/error.h"
#include "report/report.h"
#include "report/runs.h"

namespace profgauge::cli {

class Console;

/// An error without a message, for failures that the console has already shown.
Error AlreadyReported();

/// The exit code of a run that ended without a report: the error's, but 0 instead of 3 with
/// --exit-zero. Errors in the command line and the configuration never exit 0.
int ExitWithout(const Error& error, const Options& options);

/// The exit code of a run with outputs: `verdict`, or a code for an output that could not be
/// written, which is reported.
int ExitAfterDrawing(const Status& drawn, int verdict, Console& console);

/// Runs `body`, which writes the outputs of `options` and returns an exit code, or fails before it
/// wrote them. If it fails, runs out of memory or throws, every output gets the reason and so
/// replaces an earlier run's file. Returns `body`'s result. The outputs also contain errors that
/// `body` reported to the console. The --max-memory limit is lifted to write them.
Result<int> RunLeavingOutputs(const Options& options, Console& console,
                              const std::function<Result<int>()>& body);

// The last step of check, report and render: the list of outputs, then the summary and verdict.

class Console;
class Drawing;

/// Prints the summary to standard output or, if a report goes there, to standard error.
void Conclude(const report::Report& report, const Drawing& drawing, Console& console);
void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console);

}  // namespace profgauge::cli
