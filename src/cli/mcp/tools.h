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

/// Captures standard output of commands during its lifetime: file descriptor 1 leads to a file in
/// memory, and answers go to a duplicate of the original one. Otherwise a command that prints would
/// break the protocol. Only one may exist in a process.
class Catcher {
 public:
  /// Throws std::bad_alloc if the system has no memory for it.
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
  /// Runs the command of the options. Its text is an answer if the exit code is pass, fail or, if
  /// there is a text, no verdict. Otherwise the first error that it reported is returned. Running
  /// out of memory is also an error and does not end the process.
  Result<Ran> Run(const Options& options, Console& console);
  /// Runs another function in place of the options' command, in the same way.
  Result<Ran> Run(const Options& options, Console& console,
                  const std::function<Result<int>()>& command);

 private:
  int output_ = -1, caught_ = -1;
};

// Paths that an agent may name: files and folders below the roots, also after following links.

class Roots {
 public:
  /// If `folders` is empty, the root is the folder of the repository, else the working folder.
  /// Errors: kUsage for a folder that does not exist.
  static Result<Roots> Of(const std::vector<std::string>& folders);

  /// Checks that the agent may read `path`, after following links. When a folder is read, links
  /// that leave the roots are skipped, and files are checked again once they are open:
  /// LimitInputs(). Errors: kUsage "mcp/outside-roots", "mcp/no-such-file".
  Status Check(const std::string& path) const;
  /// Like Check(), for a path in a configuration or policy. Below a root it may be missing, because
  /// the command that reads it reports that.
  Status CheckToRead(const std::string& path) const;
  /// A relative path counts from the first root that has it, else from the first, so that an agent
  /// need not know where the server runs. Others stay, also `builtin:example` and "".
  std::string Resolve(const std::string& path) const;
  /// True if a path, which need not exist, is below a root after following its links.
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

/// The environment of the tools; everything in it must outlive them. `most_bytes` limits the JSON
/// text of one answer.
struct Workplace {
  const Options& options;  ///< Options of the server: --policy, --db, --timeout.
  const Roots& roots;
  Catcher& catcher;
  Console& console;
  QueryCache& cache;                ///< For `query`.
  std::size_t most_bytes = 20'000;  ///< The size of an answer.
};

std::vector<Tool> MakeTools(const Workplace& workplace);

/// Lists runs below the roots, rules, and prompts. The workplace must outlive it.
Shelf MakeShelf(const Workplace& workplace);

/// Instructions for the agent, sent once.
std::string_view Instructions();

}  // namespace profgauge::cli::mcp
