// Runs a command of the program inside this process, and catches its output.
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

/// Takes standard output from commands for as long as it lives: file descriptor 1 then leads to a
/// file in memory, and answers go to a duplicate of the former one. A command that prints would
/// otherwise break the protocol. One at a time in a process.
class Catcher {
 public:
  /// Throws std::bad_alloc where the system has no room for it.
  Catcher();
  ~Catcher();
  Catcher(const Catcher&) = delete;
  Catcher& operator=(const Catcher&) = delete;

  /// The file for answers: the former standard output.
  int output() const { return output_; }

  struct Ran {
    int exit_code = 0;
    std::string text;  ///< The printed text.
  };
  /// Runs the command of the options. The text counts as an answer where the command has an exit
  /// code of pass, fail or, with a text, no verdict. Errors: else the first that it reported.
  /// Running out of memory is an error, too, and ends nothing.
  Result<Ran> Run(const Options& options, Console& console);
  /// The same of something else than the command of the options.
  Result<Ran> Run(const Options& options, Console& console,
                  const std::function<Result<int>()>& command);

 private:
  int output_ = -1, caught_ = -1;
};

// Paths that an agent may name: files and folders below some folders, wherever links lead.

class Roots {
 public:
  /// None: the folder of the repository, else the working folder. Errors: kUsage, of a folder that
  /// is not there.
  static Result<Roots> Of(const std::vector<std::string>& folders);

  /// Whether the agent may read `path`, wherever it leads. Links in a folder that leave the roots
  /// are left out when it is read, and files are checked again when they are open: LimitInputs().
  /// Errors: kUsage "mcp/outside-roots" if not; "mcp/no-such-file".
  Status Check(const std::string& path) const;
  /// The same for a path that a configuration or a policy names: below a root it may be missing, as
  /// the command that reads it says so in its own words.
  Status CheckToRead(const std::string& path) const;
  /// A relative path counts from the first root that has it, else from the first, so that an agent
  /// need not know where the server runs. Others stay, also `builtin:example` and "".
  std::string Resolve(const std::string& path) const;
  /// Whether a path that need not exist is below a root, once its links are followed.
  bool Holds(const std::string& path) const;
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  std::vector<std::string> folders_;  // Canonical.
};

}  // namespace profgauge::cli::mcp

// The tools of `profgauge mcp`: commands of the program, with answers that fit an agent.

namespace profgauge::cli {
class Console;
}

namespace profgauge::cli::mcp {

/// The environment of the tools. All must outlive them. `most_bytes` is for the JSON text of one
/// answer.
struct Workplace {
  const Options& options;  ///< Options of the server: --policy, --db, --timeout.
  const Roots& roots;
  Catcher& catcher;
  Console& console;
  QueryCache& cache;                ///< Of `query`.
  std::size_t most_bytes = 20'000;  ///< The size of an answer.
};

std::vector<Tool> MakeTools(const Workplace& workplace);

/// Runs below the roots, rules, and prompts. The workplace must outlive it.
Shelf MakeShelf(const Workplace& workplace);

/// For the agent, once.
std::string_view Instructions();

}  // namespace profgauge::cli::mcp
