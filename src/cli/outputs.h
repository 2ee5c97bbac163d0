// Files that appear whole or not at all.
//
// An output takes the place of an earlier one, never of an input or of somebody else's file
// (cli/file_kind.h). Outputs are opened before the profile is read, so that a bad path fails
// immediately; they are written to a temporary file beside the target and renamed when complete.
// Whatever was not committed is removed when the Outputs go away, and on SIGINT, SIGTERM and SIGHUP
// (InstallSignalHandlers).
//
//   Open("out/report.html")     out/report.html        the earlier page, untouched
//                               out/report.html.tmp    empty, ours; a signal removes it
//   Commit(number, bytes)       out/report.html        the new page, by one rename
//   no Commit                   out/report.html.tmp    removed by the destructor
//
// Devices, pipes, standard output and files that are appended to have no temporary file: their
// bytes cannot be taken back.
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

  /// Creates `directory` and its parents if need be; those that are still empty at the end are
  /// removed again. Errors: kOutput, also where a file has that name.
  Status MakeDirectory(const std::string& directory);
  /// From here on links at paths below `directory`, which exists, must not leave it: the user has
  /// named the folder, and not where links in it lead. Errors of Open(): kOutput "output/link".
  /// Empty: the user has named the files.
  void KeepWithin(const std::string& directory) { within_ = directory; }
  /// Prepares `path` ("-": standard output) for writing; returns its number. Links are followed.
  /// Errors: kOutput with the system's reason; kUsage when the file was opened already, is an
  /// input, or is not an earlier output of `kind`.
  Result<std::size_t> Open(const std::string& path, FileKind kind);
  /// Committed bytes follow the file's earlier contents; the file is made if need be. Errors: as
  /// Open, but the file may be anybody's.
  Result<std::size_t> OpenToAppend(const std::string& path);
  /// Writes `bytes` after those written so far; Commit() puts the file in place. For outputs that
  /// are larger than memory. Errors: kOutput.
  Status Write(std::size_t output, std::string_view bytes);
  /// The file that is written until then; empty where bytes go to the target itself.
  const std::string& TemporaryOf(std::size_t output) const { return outputs_[output].temporary; }
  /// Writes all of `bytes` and puts the file in place; once for each output. On failure the earlier
  /// file is still there. Errors: kOutput.
  Status Commit(std::size_t output, std::string_view bytes);

  /// Removes the file at the place of the output: nothing is committed, and an earlier one is not
  /// this run's.
  void RemoveEarlier(std::size_t output);

  /// Whether some output goes to standard output.
  bool uses_stdout() const;

 private:
  struct Output {
    std::string path;       ///< As given.
    std::string target;     ///< Where the links lead.
    std::string temporary;  ///< Empty: written directly (devices, pipes, standard output).
    int descriptor = -1;
  };
  Status CheckOnce(const std::string& path, const std::string& target) const;
  Status CheckLink(const std::string& path, const std::string& target) const;

  KeptFiles kept_;
  std::string within_;  ///< Empty: links may lead everywhere.
  std::vector<Output> outputs_;
  std::vector<std::string> made_directories_;  ///< Outermost first.
};

/// From here on SIGINT, SIGTERM and SIGHUP remove uncommitted outputs and exit with
/// kExitOnSignal + signal. SIGPIPE is ignored: a closed pipe is a failed write.
void InstallSignalHandlers();

}  // namespace profgauge::cli
