// Runs commands for the tools of an agent, which may read only files below some folders.
//
//   tool call -> words + arguments -> ParseCommandLine -> roots are checked -> command
//
// A tool passes texts of the agent only as arguments, after `--`, or as the value of an option: an
// agent cannot add an option. Paths are checked twice: those that the tool names (CheckPaths), and
// those that the command would read because of profgauge.yaml or its policy (CheckReads). A file
// below a root is not trusted, as an agent may have written it.
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

/// A command and the files that it may read.
class Caller {
 public:
  explicit Caller(const Workplace& workplace) : place_(workplace) {}

  std::size_t most() const { return place_.most_bytes; }

  /// Runs `words`, then `arguments` whatever they look like. A configuration that is found outside
  /// of the roots is ignored. `query` uses the runs of earlier questions. Errors: of the command
  /// line; of the roots; of the command where it printed nothing. `most_rows`: of the answer to a
  /// statement.
  Result<Catcher::Ran> Run(std::vector<std::string> words,
                           const std::vector<std::string>& arguments,
                           std::optional<std::int64_t> most_rows = std::nullopt) const;
  /// Errors: those of Roots::Check() for the first path that is not allowed or not there. The
  /// document of a duet represents its folder, as profiles beside it are read, too.
  Status CheckPaths(const std::vector<std::string>& paths) const;

  /// The same for the name of a table, which `query --schema` would take for a profile if there is
  /// a file of that name. Errors: kUsage "query/no-such-table", too.
  Status CheckTable(const std::string& table) const;

  /// The policy that counts where the agent names none; "" is that of the configuration.
  const std::string& policy() const { return place_.options.policy; }
  const Options& options() const { return place_.options; }

 private:
  /// Puts the settings of profgauge.yaml into `options`. `check` gets those of the job that its
  /// profiles are of, and reads no configuration afterwards, so that CheckReads() sees everything.
  Status Configure(Options& options) const;
  /// Everything that the command reads besides the paths of the tool: baselines, the history, the
  /// policy with all that it extends and names. REQUIRES: Configure() was called. Errors: those of
  /// Roots::CheckToRead(); the first of the policy.
  Status CheckReads(const Options& options) const;

  const Workplace& place_;
};

}  // namespace profgauge::cli::mcp
