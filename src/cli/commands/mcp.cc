// `profgauge mcp`: the program as a server for agents, on standard input and output.
//
//   reading thread        line -> cancellations are noticed here, other lines wait in a queue
//   main thread           line -> Protocol::Answer -> one line to the original standard output
//
// Requests are answered one at a time, because standard output of a command is captured as a whole.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/mcp/protocol.h"
#include "cli/mcp/tools.h"
#include "cli/query_cache.h"

namespace profgauge::cli {
namespace {

/// Reads lines of standard input while others are answered. The reading thread is never joined: one
/// second after the end of the input, it ends the program, whatever is still running.
class InputLines {
 public:
  explicit InputLines(mcp::Cancelled& cancelled) : cancelled_(cancelled) {
    std::thread([this] { Read(); }).detach();
  }

  /// Returns the next line; nullopt at the end of input.
  std::optional<std::string> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !lines_.empty() || has_ended_; });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  void Read() {
    std::string line;
    char block[1 << 14];
    for (ssize_t got = 0; (got = read(STDIN_FILENO, block, sizeof block)) > 0;) {
      for (const char c : std::string_view(block, static_cast<std::size_t>(got))) {
        if (c == '\n') {
          Add(std::exchange(line, {}));
        } else if (line.size() <= mcp::kMostRequest) {  // Keeps 1 byte more than the limit.
          line += c;
        }
      }
    }
    if (!line.empty()) Add(std::move(line));
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    changed_.notify_all();
    // Gives the answers a second. A command that still runs then is not awaited.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    _exit(kExitPass);
  }
  void Add(std::string line) {
    // Keeps only the beginning of a line that is too long; its answer is an error.
    if (line.size() > mcp::kMostRequest) {
      line.resize(mcp::kMostRequest + 1);
    } else if (cancelled_.Notice(line)) {
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.notify_all();
  }

  mcp::Cancelled& cancelled_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool has_ended_ = false;
};

bool WriteLine(int file, std::string text) {
  text += '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace

Result<int> RunMcp(const Options& options, Console& console) {
  PROFGAUGE_TRY(const mcp::Roots roots, mcp::Roots::Of(options.roots));
  if (options.IsGiven("--policy") && !options.policy.starts_with("builtin:")) {
    PROFGAUGE_CHECK(roots.Check(options.policy));
  }
  if (options.IsGiven("--db")) PROFGAUGE_CHECK(roots.Check(options.db));
  LimitInputs({roots.folders().begin(), roots.folders().end()});
  // Removes variables that would make commands write files, or color output that agents read.
  for (const char* name : {"PROFGAUGE_OUT", "PROFGAUGE_CI", "PROFGAUGE_COLOR", "CLICOLOR_FORCE"}) {
    unsetenv(name);
  }
  console.Say(
      fmt::format("profgauge mcp: ready; it may read {}", fmt::join(roots.folders(), ", ")));
  mcp::Catcher catcher;
  QueryCache cache;
  mcp::Workplace workplace{options, roots, catcher, console, cache};
  // The reading thread uses both objects, and runs longer than this function.
  static auto& cancelled = *new mcp::Cancelled();
  static auto& lines = *new InputLines(cancelled);
  const mcp::Protocol protocol(mcp::MakeTools(workplace), std::string(mcp::Instructions()),
                               cancelled, mcp::MakeShelf(workplace));
  while (const std::optional<std::string> line = lines.Next()) {
    const std::optional<std::string> answer = protocol.Answer(*line);
    if (answer && !WriteLine(catcher.output(), *answer)) break;
  }
  return kExitPass;
}

}  // namespace profgauge::cli
