// How the program talks: answers on standard output, everything else on standard error.
//
//   standard output    Print, PrintData                        the answer, never more
//   standard error     Warn, Report                            always
//                      Say                                     not with -q
//                      Detail                                  only with -v
//                      Progress                                only on a terminal, not with -q
//
// A script may therefore read standard output, and a person both. Color only to a terminal, unless
// --color or else NO_COLOR or CLICOLOR_FORCE decides, and not with TERM=dumb; a progress line only
// when standard error is a terminal and the work takes over half a second. Safe to call from
// several threads: each call is whole, their order is that of the calls.
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
  /// Looks at the environment and the terminals once.
  Console();

  /// Applies --color, --quiet and --verbose. Before the first output.
  void Configure(const Options& options);

  int verbosity() const { return verbosity_; }
  bool color_out() const { return color_out_; }
  bool color_err() const { return color_err_; }
  /// Whether a person reads there; a pipe or file gets everything whole.
  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  /// Columns of the terminal; else COLUMNS if it is 40 or more, else 100.
  int width() const { return width_; }

  /// The answer: to standard output, with plain blanks between numbers and units.
  void Print(std::string_view text);
  /// The same for programs: byte by byte as it is, and as a file would have it. After a failed
  /// write nothing more is written; Finish() reports it.
  void PrintData(std::string_view text);
  /// Whether a write to standard output has failed, as it does when the reader of a pipe has closed
  /// it: later output is not written. Commands with long answers ask it, so that `| head` ends
  /// them.
  bool is_closed() const { return out_failed_; }
  /// Talk: one line to standard error, unless --quiet.
  void Say(std::string_view line);
  /// Talk that only --verbose wants.
  void Detail(std::string_view line);
  /// To standard error, whatever the verbosity.
  void Warn(std::string_view text);
  /// An error, with the source line it points at when that can be read: reads the whole file of the
  /// error again where it has a line.
  void Report(const Error& error);
  /// The same of an error that points into `source`.
  void Report(const Error& error, std::string_view source);
  /// All errors of a configuration.
  void Report(const rules::Errors& errors);
  /// The errors reported since the last call, which are then forgotten. They are for outputs that
  /// must contain why there is no report.
  std::vector<Error> TakeReported();

  /// Shows "reading NAME  62 %  310 MB/s", at most ten times a second. `done` and `total` in bytes;
  /// `total` 0: size unknown. The clock starts anew with each `name`.
  void Progress(std::string_view verb, std::string_view name, std::uint64_t done,
                std::uint64_t total);
  void ClearProgress();

  /// Flushes standard output. Errors: kOutput when something could not be written to it. A closed
  /// pipe is no error: its reader has seen enough.
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
