// Files that appear whole or not at all.
//
// Outputs are opened before the profile is read, so that a bad path fails at once; they are written
// to a temporary file beside the target and renamed when complete. Whatever was not committed is
// removed when the Outputs go away, and on SIGINT, SIGTERM and SIGHUP (InstallSignalHandlers).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

class Outputs {
 public:
  Outputs() = default;
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs();

  /// Creates `directory` and its parents if need be; removed again if nothing is committed into it.
  Status MakeDirectory(const std::string& directory);
  /// Prepares `path` ("-": standard output) for writing; returns its number.
  /// Errors: kOutput with the system's reason; kUsage when the path was opened already.
  Result<std::size_t> Open(const std::string& path);
  /// What is committed follows what the file already has; the file is made if need be.
  Result<std::size_t> OpenToAppend(const std::string& path);
  /// Writes all of `bytes` and puts the file in place. Errors: kOutput.
  Status Commit(std::size_t output, std::string_view bytes);

  /// Whether some output goes to standard output.
  bool uses_stdout() const;

 private:
  struct Output {
    std::string path;
    std::string temporary;  ///< Empty: written directly (devices, pipes, standard output).
    int descriptor = -1;
  };
  std::vector<Output> outputs_;
  std::vector<std::string> made_directories_;  ///< Outermost first.
};

/// From here on SIGINT, SIGTERM and SIGHUP remove uncommitted outputs and exit with 128 + signal.
/// SIGPIPE is ignored: a closed pipe is a failed write.
void InstallSignalHandlers();

}  // namespace profgauge::cli
