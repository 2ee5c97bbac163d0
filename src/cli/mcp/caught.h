// Runs a command of the program inside this process, and catches its output.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "profgauge/error.h"

namespace profgauge::cli::mcp {

/// Takes standard output from commands for as long as it lives.
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
  /// Errors: those of the command where it printed nothing.
  Result<Ran> Run(const Options& options, Console& console);
  /// The same of something else than the command of the options.
  Result<Ran> Run(const Options& options, Console& console,
                  const std::function<Result<int>()>& command);

 private:
  int output_ = -1, caught_ = -1;
};

}  // namespace profgauge::cli::mcp
