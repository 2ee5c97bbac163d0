// `profgauge render`: draws a report.json again, without its profile.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/stats.h"
#include "report/read_report.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

/// A whole file, or standard input for "-".
Result<std::string> ReadWhole(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  std::string text;
  int number = file == nullptr ? errno : 0;
  if (file != nullptr) {
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
      text.append(buffer, count);
    }
    if (std::ferror(file) != 0) number = errno;
    if (path != "-") std::fclose(file);
  }
  if (number == 0) return text;
  return Fail(Error{
      ErrorKind::kInput,
      "input/cannot-read",
      fmt::format("cannot read `{}`: {}", Printable(path), std::generic_category().message(number)),
      {},
      {}});
}

Result<int> DrawnAgain(const Options& options, Console& console) {
  Stats stats;
  Drawing drawing(KeptBy(options));
  PROFGAUGE_CHECK(drawing.Open(options));
  const std::string& path = options.arguments[0];
  PROFGAUGE_TRY(const std::string text, ReadWhole(path));
  PROFGAUGE_TRY(report::Report report, report::ReadReport(text, path));
  if (options.redact) report::Redact(report, options.redact);
  stats.EndPhase("read");
  const Status drawn = drawing.Draw(report, stats);
  if (options.verbosity > 0) console.Warn(stats.Table());
  Conclude(report, drawing, console);
  return ExitAfterDrawing(drawn, kExitPass, console);
}

}  // namespace

Result<int> RunRender(const Options& options, Console& console) {
  return RunLeavingOutputs(options, console, [&] { return DrawnAgain(options, console); });
}

}  // namespace profgauge::cli
