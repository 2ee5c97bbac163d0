// Runs a command of the program inside this process and captures its output.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/mcp/protocol.h"
#include "cli/options.h"
#include "cli/query_cache.h"
#include "profgauge/error.h"

namespace profgauge::cli::mcp {

/// Captures standard output of commands while it exists: file descriptor 1 is a file in memory, and
/// answers go to a duplicate of the original one. Without it, a command that prints would break the
/// protocol. A process may have only one.
class Catcher {
 public:
  /// Throws std::bad_alloc if the system has no memory for the file.
  Catcher();
  ~Catcher();
  Catcher(const Catcher&) = delete;
  Catcher& operator=(const Catcher&) = delete;

  /// The file for answers: the original standard output.
  int output() const { return output_; }

  struct Ran {
    int exit_code = 0;
    std::string text;  ///< The printed text.
  };
  /// Runs the command of the options. Its text is an answer if it exits with pass, fail or, if
  /// there is a text, no verdict. Otherwise returns the first error that it reported. Running out
  /// of memory is also an error, and does not end the process.
  Result<Ran> Run(const Options& options, Console& console);
  /// Runs another function in the same way, in place of the options' command.
  Result<Ran> Run(const Options& options, Console& console,
                  const std::function<Result<int>()>& command);

 private:
  int output_ = -1, caught_ = -1;
};

// The paths that an agent may name: those below the roots, also after links are followed.

class Roots {
 public:
  /// Makes the roots. If `folders` is empty, the root is the repository's folder, else the working
  /// folder. Errors: kUsage for a folder that does not exist.
  static Result<Roots> Of(const std::vector<std::string>& folders);

  /// Checks that the agent may read `path`, after following links. In a folder, links that leave
  /// the roots are skipped later, and files are checked again after they are opened: see
  /// LimitInputs(). Errors: kUsage "mcp/outside-roots", "mcp/no-such-file".
  Status Check(const std::string& path) const;
  /// Like Check(), for a path in a configuration or policy. Such a path may be missing below a
  /// root, because the command that reads it reports that.
  Status CheckToRead(const std::string& path) const;
  /// Makes a path absolute: in the first root that has it, else in the first root, so that an agent
  /// need not know where the server runs. Other texts stay, such as `builtin:example` and "".
  std::string Resolve(const std::string& path) const;
  /// True if the path is below a root after its links are followed. It need not exist.
  bool Holds(const std::string& path) const;
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  std::vector<std::string> folders_;  // Canonical.
};

}  // namespace profgauge::cli::mcp

// The tools of `profgauge mcp`: commands of the program with answers short enough for an agent.

namespace profgauge::cli {
class Console;
}

namespace profgauge::cli::mcp {

/// The objects that the tools use; all must outlive the tools. `most_bytes` limits the JSON text of
/// one answer.
struct Workplace {
  const Options& options;  ///< Options of the server: --policy, --db, --timeout.
  const Roots& roots;
  Catcher& catcher;
  Console& console;
  QueryCache& cache;                ///< The runs that `query` read.
  std::size_t most_bytes = 20'000;  ///< The size of an answer.
};

std::vector<Tool> MakeTools(const Workplace& workplace);

/// Makes the lists of runs below the roots, rules and prompts. The workplace must outlive it.
Shelf MakeShelf(const Workplace& workplace);

/// The instructions that the agent gets once.
std::string_view Instructions();

}  // namespace profgauge::cli::mcp
