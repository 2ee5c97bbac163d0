// Output of the program: answers on standard output, everything else on standard error.
//
//   standard output    Print, PrintData                        only the answer
//   standard error     Warn, Report                            always
//                      Say                                     not with -q
//                      Detail                                  only with -v
//                      Progress                                only on a terminal, not with -q
//
// So a script can read standard output, and a person both. Color is used only on a terminal and not
// with TERM=dumb, unless --color, else NO_COLOR or CLICOLOR_FORCE, decides. A progress line is
// shown only if standard error is a terminal and the work takes over half a second. Thread-safe:
// the output of each call is contiguous, in the order of the calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/errors.h"

namespace profgauge::cli {

class Console {
 public:
  /// Reads the environment and checks the terminals once.
  Console();

  /// Applies --color, --quiet and --verbose. REQUIRES: called before the first output.
  void Configure(const Options& options);

  int verbosity() const { return verbosity_; }
  bool color_out() const { return color_out_; }
  bool color_err() const { return color_err_; }
  /// True if the output is a terminal; pipes and files get complete output.
  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  /// The width of the terminal in columns. Without one, COLUMNS if it is at least 40, else 100.
  int width() const { return width_; }

  /// Prints the answer to standard output, with plain blanks between numbers and units.
  void Print(std::string_view text);
  /// Prints output for programs, unchanged byte by byte. After a write failed, prints no more;
  /// Finish() reports the failure.
  void PrintData(std::string_view text);
  /// True if a write to standard output has failed, e.g. because the reader of a pipe has closed
  /// it. Later output is dropped. Commands with long answers check this, so that `| head` ends
  /// them.
  bool is_closed() const { return out_failed_; }
  /// Prints one line to standard error, unless --quiet.
  void Say(std::string_view line);
  /// Prints one line to standard error, only with --verbose.
  void Detail(std::string_view line);
  /// Prints to standard error, whatever the verbosity.
  void Warn(std::string_view text);
  /// Shows an error with the source line that it points at, if the line can be read. Reads the
  /// error's file again for this.
  void Report(const Error& error);
  /// Shows an error that points into `source`.
  void Report(const Error& error, std::string_view source);
  /// Shows all errors of a configuration.
  void Report(const rules::Errors& errors);
  /// Removes and returns the errors that were reported since the last call, for outputs that
  /// explain why there is no report.
  std::vector<Error> TakeReported();

  /// Shows "reading NAME  62 %  310 MB/s", at most ten times a second. `done` and `total` in bytes;
  /// `total` 0: size unknown. The rate is measured anew for each `name`.
  void Progress(std::string_view verb, std::string_view name, std::uint64_t done,
                std::uint64_t total);
  void ClearProgress();

  /// Flushes standard output. Errors: kOutput if something could not be written. A pipe that its
  /// reader closed is no error.
  Status Finish();

 private:
  using Clock = std::chrono::steady_clock;

  void ClearProgressLocked();
  void FlushOut();

  std::mutex mutex_;
  bool out_is_terminal_ = false, err_is_terminal_ = false;
  bool color_out_ = false, color_err_ = false;
  int width_ = 100;
  int verbosity_ = 0;
  bool progress_shown_ = false;
  std::string progress_name_;
  Clock::time_point progress_started_{}, progress_drawn_{};
  bool out_failed_ = false;
  int out_error_ = 0;
  std::vector<Error> reported_;
};

}  // namespace profgauge::cli
