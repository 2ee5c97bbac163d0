#include "cli/console.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/files.h"
#include "base/format.h"

namespace profgauge::cli {
namespace {

constexpr auto kQuietTime = std::chrono::milliseconds(500);
constexpr auto kDrawEvery = std::chrono::milliseconds(100);
constexpr std::size_t kNameColumns = 40;

// True if the variable has a value. Empty variables count as unset, as https://no-color.org
// requires.
bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Decides on color by NO_COLOR, then CLICOLOR_FORCE, then the kind of the terminal.
bool AutoColor(bool is_terminal) {
  if (IsSet("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0) return true;
  const char* terminal = std::getenv("TERM");
  return is_terminal && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

int TerminalWidth() {
  winsize size{};
  int columns = 0;
  if (const char* text = std::getenv("COLUMNS")) {
    std::from_chars(text, text + std::strlen(text), columns);
  }
  if (columns >= 40) return columns;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

/// Shortens a long name but keeps its beginning and end: the folder, and the rank's number. Counts
/// bytes, so it may cut a multi-byte character.
std::string ElideMiddle(std::string_view name) {
  if (name.size() <= kNameColumns) return std::string(name);
  const std::size_t half = (kNameColumns - 1) / 2;
  return fmt::format("{}…{}", name.substr(0, half), name.substr(name.size() - half));
}

// The text that an error points into; empty if the error has no line, e.g. for binary profiles.
std::string ReadSourceText(const Error& error) {
  if (error.where.line == 0 || error.where.file.empty()) return {};
  return ReadSmallFile(error.where.file).value_or("");
}

}  // namespace

Console::Console()
    : out_is_terminal_(isatty(STDOUT_FILENO) != 0),
      err_is_terminal_(isatty(STDERR_FILENO) != 0),
      color_out_(AutoColor(out_is_terminal_)),
      color_err_(AutoColor(err_is_terminal_)),
      width_(TerminalWidth()) {}

void Console::Configure(const Options& options) {
  verbosity_ = options.verbosity;
  if (options.color == ColorChoice::kAuto) return;
  color_out_ = color_err_ = options.color == ColorChoice::kAlways;
}

void Console::Print(std::string_view text) { PrintData(WithPlainBlanks(text)); }

void Console::PrintData(std::string_view text) {
  const std::lock_guard lock(mutex_);
  ClearProgressLocked();
  if (!out_failed_ && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    out_failed_ = true;
    out_error_ = errno;
  }
}

void Console::FlushOut() {
  if (std::fflush(stdout) == 0 || out_failed_) return;
  out_failed_ = true;
  out_error_ = errno;
}

void Console::Warn(std::string_view given) {
  const std::string text = WithPlainBlanks(given);
  const std::lock_guard lock(mutex_);
  ClearProgressLocked();
  FlushOut();  // If both go to one place, they appear in the order of the calls.
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (!text.ends_with('\n')) std::fputc('\n', stderr);
}

void Console::Say(std::string_view line) {
  if (verbosity_ >= 0) Warn(line);
}

void Console::Detail(std::string_view line) {
  if (verbosity_ > 0) Warn(line);
}

void Console::Report(const Error& error) { Report(error, ReadSourceText(error)); }

void Console::Report(const Error& error, std::string_view source) {
  Warn(RenderDiagnostic(error, source, color_err_));
  const std::lock_guard lock(mutex_);
  reported_.push_back(error);
}

void Console::Report(const rules::Errors& errors) {
  Warn(rules::RenderErrors(errors, color_err_));
  const std::lock_guard lock(mutex_);
  reported_.insert(reported_.end(), errors.begin(), errors.end());
}

std::vector<Error> Console::TakeReported() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reported_, {});
}

// Shows nothing during the first half second. Then redraws the line at most ten times a second.
void Console::Progress(std::string_view verb, std::string_view name, std::uint64_t done,
                       std::uint64_t total) {
  if (!err_is_terminal_ || verbosity_ < 0) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (progress_name_ != name) {
    progress_name_ = name;
    progress_started_ = now;
  }
  if (now - progress_started_ < kQuietTime || now - progress_drawn_ < kDrawEvery) return;
  progress_drawn_ = now;
  progress_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - progress_started_).count();
  const std::string share =
      total == 0
          ? std::string()
          : fmt::format("{:3.0f} %  ", 100.0 * std::min(1.0, static_cast<double>(done) /
                                                                 static_cast<double>(total)));
  const std::string rate = FormatBytes(static_cast<double>(done) / seconds);
  fmt::print(stderr, "\r{} {}  {}{}/s\x1b[K", verb, ElideMiddle(name), share, rate);
  std::fflush(stderr);
}

void Console::ClearProgress() {
  const std::lock_guard lock(mutex_);
  ClearProgressLocked();
}

void Console::ClearProgressLocked() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

Status Console::Finish() {
  const std::lock_guard lock(mutex_);
  ClearProgressLocked();
  FlushOut();
  // It is no failure if a reader stops early (`| head`).
  if (!out_failed_ || out_error_ == EPIPE) return {};
  return Fail(Error{ErrorKind::kOutput,
                    "output/cannot-write",
                    fmt::format("cannot write to standard output: {}",
                                std::generic_category().message(out_error_)),
                    {},
                    {}});
}

}  // namespace profgauge::cli
