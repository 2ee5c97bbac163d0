#include "cli/mcp/tools.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <utility>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/memory.h"

namespace profgauge::cli::mcp {

Catcher::Catcher()
    : output_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
      caught_(memfd_create("profgauge-mcp", MFD_CLOEXEC)) {
  if (output_ < 0 || caught_ < 0 || dup2(caught_, STDOUT_FILENO) < 0) throw std::bad_alloc();
}

Catcher::~Catcher() {
  std::fflush(stdout);
  dup2(output_, STDOUT_FILENO);
  close(output_);
  close(caught_);
}

namespace {

std::string TakeText(int file) {
  std::fflush(stdout);
  std::string text;
  std::array<char, 1 << 16> block{};
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  if (ftruncate(file, 0) == 0) lseek(file, 0, SEEK_SET);
  return text;
}

profgauge::Result<int> RunGuarded(const Options& options,
                                  const std::function<profgauge::Result<int>()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Fail(OutOfMemory(options.max_memory));
}

}  // namespace

Result<Catcher::Ran> Catcher::Run(const Options& options, Console& console) {
  return Run(options, console, [&] { return options.command->run(options, console); });
}

// Errors of earlier commands are dropped first, so that an answer never has the reason of another
// call. The file is emptied also after a failure, for the same reason.
Result<Catcher::Ran> Catcher::Run(const Options& options, Console& console,
                                  const std::function<profgauge::Result<int>()>& command) {
  console.TakeReported();
  const profgauge::Result<int> done = RunGuarded(options, command);
  Ran ran;
  ran.text = TakeText(caught_);
  std::vector<Error> reported = console.TakeReported();
  if (done) {
    ran.exit_code = *done;
  } else {
    ran.exit_code = ExitCodeOf(done.error().kind);
    if (!done.error().message.empty()) reported.insert(reported.begin(), done.error());
  }
  const bool has_failed = ran.exit_code != kExitPass && ran.exit_code != kExitFail;
  if (!has_failed || (!ran.text.empty() && ran.exit_code == kExitNoVerdict)) return ran;
  if (!reported.empty()) return Fail(std::move(reported.front()));
  return Fail(
      Error{ErrorKind::kInternal, "mcp/failed", "the command failed without a reason", {}, {}});
}

}  // namespace profgauge::cli::mcp
