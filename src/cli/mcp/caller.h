// Runs commands for the tools of an agent, which may read only files below certain folders (roots).
//
//   tool call -> words + arguments -> ParseCommandLine -> roots are checked -> command
//
// An agent cannot add an option, because its texts are only arguments after `--` or values of
// options. Paths are checked twice: those that the tool names (CheckPaths), and those that the
// command would read because of profgauge.yaml or its policy (CheckReads). Files below a root are
// not trusted, because an agent may have written them.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/mcp/tools.h"

namespace profgauge::cli::mcp {

/// Runs commands, and checks the files that they may read.
class Caller {
 public:
  explicit Caller(const Workplace& workplace) : place_(workplace) {}

  std::size_t most() const { return place_.most_bytes; }

  /// Runs the command `words` with `arguments`, which are never parsed as options. A configuration
  /// outside of the roots is ignored. `query` reuses runs that earlier questions read; `most_rows`
  /// limits its rows. Errors: of the command line; of the roots; of the command if it printed
  /// nothing.
  Result<Catcher::Ran> Run(std::vector<std::string> words,
                           const std::vector<std::string>& arguments,
                           std::optional<std::int64_t> most_rows = std::nullopt) const;
  /// Checks all paths. The folder of a duet's document is checked, too, because profiles beside it
  /// are read. Errors: those of Roots::Check() for the first path that is missing or not allowed.
  Status CheckPaths(const std::vector<std::string>& paths) const;

  /// Checks the name of a table like a path, because `query --schema` would read a file of that
  /// name as a profile. Errors: also kUsage "query/no-such-table".
  Status CheckTable(const std::string& table) const;

  /// The policy that is used if the agent names none; "" means that the configuration chooses it.
  const std::string& policy() const { return place_.options.policy; }
  const Options& options() const { return place_.options; }

 private:
  /// Applies profgauge.yaml to `options`. `check` gets the settings of its profiles' job here and
  /// reads no configuration later, so CheckReads() sees all of them.
  Status Configure(Options& options) const;
  /// Checks everything that the command reads besides the paths of the tool: baselines, the
  /// history, the policy and all files that it extends and names. REQUIRES: Configure() was called.
  /// Errors: those of Roots::CheckToRead(); the first one of the policy.
  Status CheckReads(const Options& options) const;

  const Workplace& place_;
};

}  // namespace profgauge::cli::mcp
