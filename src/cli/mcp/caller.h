// Runs commands for the tools of an agent, which may read only files below some folders.
//
//   tool call -> words + arguments -> ParseCommandLine -> roots are checked -> command
//
// A tool passes texts of the agent only as arguments, after `--`, or as the value of an option: an
// agent cannot add an option. Paths are checked twice: those that the tool names (CheckPaths), and
// those that the command would read because of its policy (CheckReads).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "cli/mcp/tools.h"

namespace profgauge::cli::mcp {

/// A command and the files that it may read.
class Caller {
 public:
  explicit Caller(const Workplace& workplace) : place_(workplace) {}

  std::size_t most() const { return place_.most_bytes; }

  /// Runs `words`, then `arguments` whatever they look like. A configuration outside of the roots
  /// is ignored. `query` uses the runs of earlier questions. Errors: of the command line; of the
  /// roots; of the command where it printed nothing.
  Result<Catcher::Ran> Run(std::vector<std::string> words,
                           const std::vector<std::string>& arguments) const;
  /// Errors: those of Roots::Check() for the first path that is not allowed or not there.
  Status CheckPaths(const std::vector<std::string>& paths) const;

  /// The policy that counts where the agent names none; "" is that of the configuration.
  const std::string& policy() const { return place_.options.policy; }
  const Options& options() const { return place_.options; }

 private:
  /// The policy with all that it extends and names: rules, devices, names of kernels. Not the
  /// history, which the server checks when it starts, nor the policy of a job of profgauge.yaml,
  /// which `check` reads later. Errors: those of Roots::Check(); the first of the policy.
  Status CheckReads(const Options& options) const;

  const Workplace& place_;
};

}  // namespace profgauge::cli::mcp
