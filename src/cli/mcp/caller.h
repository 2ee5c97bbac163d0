// Runs commands for the tools of an agent, which may read only files below some folders.
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

  /// Runs `words`, then `arguments` whatever they look like. Errors: of the roots, of the command.
  Result<Catcher::Ran> Run(std::vector<std::string> words,
                           const std::vector<std::string>& arguments) const;
  Status CheckPaths(const std::vector<std::string>& paths) const;

  /// The policy that counts where the agent names none; "" is that of the configuration.
  const std::string& policy() const { return place_.options.policy; }
  const Options& options() const { return place_.options; }

 private:
  /// The policy with all that it extends, and the history.
  Status CheckReads(const Options& options) const;

  const Workplace& place_;
};

}  // namespace profgauge::cli::mcp
