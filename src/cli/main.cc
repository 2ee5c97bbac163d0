// The program: parse, run, exit code.
//
//   argv -> ParseCommandLine -> Options -> limits of threads and memory
//                | fails                      |
//                v                            v
//   the outputs that a wrong       Configure(): profgauge.yaml fills options that were
//   line names get its error       not given. check and report do that in RunJobs()
//                                             |
//                                             v
//                                  command->run(options, console) -> exit code or Error
//                                             |
//                                             v
//                                  Console::Finish(): output that cannot be written
//                                  may make the exit code stronger
//
// Errors are shown once: an Error without a message was shown where it occurred
// (AlreadyReported()).
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/memory.h"
#include "cli/outputs.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

// Runs the command. If an input exceeds the machine or a limit, that is no defect of ProfGauge.
Result<int> RunCommand(const Options& options, Console& console) {
  try {
    return options.command->run(options, console);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // Requests more than is possible.
  }
  return Fail(OutOfMemory(options.max_memory));
}

/// Applies a configuration's settings, for commands that judge no jobs.
Status Configure(Options& options, Console& console) {
  if (options.command == nullptr || (options.command->bit & kOnJudging) != 0) return {};
  auto project = LoadConfiguration(options);
  if (!project) {
    console.Report(project.error());
    return Fail(AlreadyReported());
  }
  if (*project) {
    PROFGAUGE_TRY(const auto jobs, JobsOf(**project, options));
    ApplySettings(**project, options.job.size() == 1 ? jobs.front() : nullptr, options);
  }
  const bool is_default = (options.command->bit & kOnHistory) != 0 && options.db == Options().db;
  return is_default ? CheckDefault(options, "--db", options.db) : Status();
}

/// Calls `body` before the command; if it fails, writes the error to the outputs of `options`.
Status Precede(const Options& options, Console& console, const std::function<Status()>& body) {
  if (options.command == nullptr || (options.command->bit & kOnDrawing) == 0) return body();
  const auto done = RunLeavingOutputs(options, console, [&]() -> Result<int> {
    PROFGAUGE_CHECK(body());
    return kExitPass;
  });
  return done ? Status() : Fail(done.error());
}

Result<int> Run(const std::vector<std::string>& args, Console& console) {
  if (args.empty()) {
    console.Warn(HelpText(nullptr, HelpRequest::kShort));
    return kExitUsage;
  }
  Options wrong;
  Result<Options> parsed = ParseCommandLine(args, &wrong);
  if (!parsed) {
    PROFGAUGE_CHECK(
        Precede(wrong, console, [&]() -> Status { return Fail(std::move(parsed).error()); }));
  }
  Options options = *std::move(parsed);
  console.Configure(options);
  if (options.help != HelpRequest::kNone) {
    console.Print(HelpText(options));
    return kExitPass;
  }
  LimitThreads(options.jobs);
  if (options.max_memory) PROFGAUGE_CHECK(LimitMemory(*options.max_memory));
  for (const std::string& line : SuspectVariables(environ)) console.Say(line);
  const Status configured = Precede(options, console, [&] { return Configure(options, console); });
  Result<int> done = configured ? RunCommand(options, console) : Fail(configured.error());
  if (done) return done;
  if (!done.error().message.empty()) console.Report(done.error());
  // `--exit-zero` changes only "no verdict" to 0, never a mistake of the command line.
  return ExitWithout(done.error(), options);
}

int Main(const std::vector<std::string>& args) {
  InstallSignalHandlers();
  Console console;
  int exit_code = kExitPass;
  const Result<int> done = Run(args, console);
  if (done) {
    exit_code = *done;
  } else {
    console.Report(done.error());
    exit_code = ExitCodeOf(done.error().kind);
  }
  if (const Status finished = console.Finish(); !finished) {
    console.Report(finished.error());
    exit_code = StrongerExit(exit_code, ExitCodeOf(finished.error().kind));
  }
  return exit_code;
}

}  // namespace
}  // namespace profgauge::cli

// This is the only catch-all. Everything caught here is a defect of ProfGauge, except running out
// of memory before a command could handle that.
int main(int argc, char** argv) try {
  profgauge::cli::StartWithLargePages(argv);
  profgauge::cli::WatchMemory();
  return profgauge::cli::Main(std::vector<std::string>(argv + 1, argv + argc));
} catch (const std::bad_alloc&) {
  std::fputs("error: there is not enough memory\n", stderr);
  return profgauge::cli::kExitNoVerdict;
} catch (const std::exception& error) {
  std::fprintf(stderr, "internal error: %s\n", error.what());
  return profgauge::cli::kExitInternal;
} catch (...) {
  std::fputs("internal error\n", stderr);
  return profgauge::cli::kExitInternal;
}
