// Files that appear complete or not at all.
//
// An output replaces an earlier output, never an input or another file (cli/file_kind.h). Outputs
// are opened before the profile is read, so that a bad path fails immediately. They are written to
// a temporary file beside the target and renamed when complete. Everything that was not committed
// is removed by the destructor of Outputs, and on SIGINT, SIGTERM and SIGHUP
// (InstallSignalHandlers).
//
//   Open("out/report.html")     out/report.html        the earlier page, untouched
//                               out/report.html.tmp    empty, ours; a signal removes it
//   Commit(number, bytes)       out/report.html        the new page, by one rename
//   no Commit                   out/report.html.tmp    removed by the destructor
//
// Devices, pipes, standard output and files that are appended to have no temporary file: their
// bytes cannot be removed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/file_kind.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Outputs {
 public:
  /// `kept`: files that no output may replace.
  explicit Outputs(KeptFiles kept) : kept_(std::move(kept)) {}
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs();

  /// Creates `directory` and its missing parents. Those that stay empty are removed at the end.
  /// Errors: kOutput, also if a file has that name.
  Status MakeDirectory(const std::string& directory);
  /// From now on, links at paths below `directory`, which exists, must not leave it: the user named
  /// the folder, but not the targets of links in it. Empty: the user named the files themselves. A
  /// link that leaves it makes Open() fail with kOutput "output/link".
  void KeepWithin(const std::string& directory) { within_ = directory; }
  /// Prepares `path` ("-": standard output) for writing; returns its number. Follows links. Errors:
  /// kOutput with the system's reason; kUsage if the file is already open, is an input, or is not
  /// an earlier output of `kind`.
  Result<std::size_t> Open(const std::string& path, FileKind kind);
  /// Like Open(), but committed bytes are appended to the file, which is created if it is missing
  /// and may be any program's.
  Result<std::size_t> OpenToAppend(const std::string& path);
  /// Appends `bytes` to the temporary file; Commit() renames it. For outputs that are larger than
  /// memory. Errors: kOutput.
  Status Write(std::size_t output, std::string_view bytes);
  /// The temporary file of an output; empty if bytes go directly to the target.
  const std::string& TemporaryOf(std::size_t output) const { return outputs_[output].temporary; }
  /// Writes all of `bytes` and renames the file to its path. Call once per output. After a failure
  /// the earlier file is unchanged. Errors: kOutput.
  Status Commit(std::size_t output, std::string_view bytes);

  /// Removes an earlier file at the output's path. For outputs that this run does not commit.
  void RemoveEarlier(std::size_t output);

  /// True if an output goes to standard output.
  bool uses_stdout() const;

 private:
  struct Output {
    std::string path;       ///< As given.
    std::string target;     ///< The path after following links.
    std::string temporary;  ///< Empty: written directly (devices, pipes, standard output).
    int descriptor = -1;
  };
  Status CheckOnce(const std::string& path, const std::string& target) const;
  Status CheckLink(const std::string& path, const std::string& target) const;

  KeptFiles kept_;
  std::string within_;  ///< Empty: links may lead anywhere.
  std::vector<Output> outputs_;
  std::vector<std::string> made_directories_;  ///< Outermost first.
};

/// From now on, SIGINT, SIGTERM and SIGHUP remove uncommitted outputs and exit with kExitOnSignal +
/// signal. SIGPIPE is ignored, so that writing to a closed pipe fails instead.
void InstallSignalHandlers();

}  // namespace profgauge::cli
