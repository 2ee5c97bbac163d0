#include "cli/ending.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/ci_system.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/exit_code.h"
#include "cli/memory.h"
#include "render/shared/ending.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "report/build_report.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

// Calls `body` and converts exceptions. Too large an input is no defect of ProfGauge.
Result<int> Guarded(const Options& options, const std::function<Result<int>()>& body) {
  Error error;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    error = OutOfMemory(options.max_memory);
  } catch (const std::length_error&) {  // Requests more than is possible.
    error = OutOfMemory(options.max_memory);
  } catch (const std::exception& defect) {
    error = {ErrorKind::kInternal, "internal/exception", defect.what(), {}, {}};
    error.notes = {"help: this is a defect of profgauge; please report it"};
  }
  return Fail(std::move(error));
}

// The name of the run, for an ending. Redaction hides it, because names of files may be private.
// Without arguments, it is that of the first --run, else "run".
std::string NameOf(const Options& options) {
  if (options.redact) return "run";
  if (!options.run_name.empty()) return options.run_name;
  if (options.arguments.empty()) return options.runs.empty() ? "run" : options.runs.front().first;
  // For a file in the working folder, the folder's name would say nothing about the file.
  const bool is_beside = options.arguments.front().find('/') == std::string::npos;
  const bool are_several = options.arguments.size() > 1;
  const std::string name = is_beside && are_several ? "" : RunName(options.arguments);
  return name.empty() ? report::RunNameOf(options.arguments.back()) : name;
}

// An error as shown in an ending: printable, and without names of files if names are redacted.
render::EndingError Shown(const Error& error, const Options& options) {
  Where where = error.where;
  if (options.redact && !where.file.empty()) where.file = HiddenFile(options, where.file);
  render::EndingError shown{
      error.code, Printable(error.message), PlaceText(where), PlaceOf(options, error.where), {}};
  if (shown.code.empty()) shown.code = "error";
  for (const std::string& note : error.notes) shown.notes.push_back(Printable(note));
  if (!options.redact) return shown;
  shown.message = HiddenText(options, std::move(shown.message));
  for (std::string& note : shown.notes) note = HiddenText(options, std::move(note));
  return shown;
}

}  // namespace

Error AlreadyReported() { return {ErrorKind::kConfig, {}, {}, {}, {}}; }

int ExitAfterDrawing(const Status& drawn, int verdict, Console& console) {
  if (drawn) return verdict;
  console.Report(drawn.error());
  return StrongerExit(verdict, ExitCodeOf(drawn.error().kind));
}

int ExitWithout(const Error& error, const Options& options) {
  const bool is_input = error.kind == ErrorKind::kInput;
  return is_input && options.exit_zero ? int{kExitPass} : int{ExitCodeOf(error.kind)};
}

Result<int> RunLeavingOutputs(const Options& options, Console& console,
                              const std::function<Result<int>()>& body) {
  console.TakeReported();
  Result<int> done = Guarded(options, body);
  if (done) return done;
  LiftMemoryLimit();
  std::vector<Error> errors = console.TakeReported();
  const ErrorKind kind = done.error().kind;
  if (!done.error().message.empty()) errors.push_back(done.error());
  render::Ending ending;
  ending.name = NameOf(options);
  ending.exit_code = ExitWithout(done.error(), options);
  ending.is_configuration = kind == ErrorKind::kConfig || kind == ErrorKind::kUsage;
  for (const Error& error : errors) ending.errors.push_back(Shown(error, options));
  const Status left = LeaveEnding(options, ending);
  // An output that failed was already reported when it was opened.
  if (!left && kind != ErrorKind::kOutput) console.Report(left.error());
  return done;
}

namespace {

// If a report uses standard output, the summary goes to standard error, whose terminal then decides
// on color and the folding of names.
render::TerminalOptions TerminalOf(const Drawing& drawing, const Console& console) {
  render::TerminalOptions terminal;
  terminal.width = console.width();
  terminal.verbosity = console.verbosity();
  terminal.color = drawing.uses_stdout() ? console.color_err() : console.color_out();
  terminal.fold_names =
      drawing.uses_stdout() ? console.err_is_terminal() : console.out_is_terminal();
  return terminal;
}

}  // namespace

void Conclude(const report::Report& report, const Drawing& drawing, Console& console) {
  Tell(render::RenderTerminal(report, TerminalOf(drawing, console)), drawing, console);
}

void Conclude(const report::Runs& runs, const Drawing& drawing, Console& console) {
  Tell(render::RenderRunsTerminal(runs, TerminalOf(drawing, console)), drawing, console);
}

}  // namespace profgauge::cli
