// `profgauge render`: renders a report.json again, without its profile.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/errors.h"
#include "base/files.h"
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
  const auto refused = [&](const std::string& why) {
    return Fail(InputError(path, "input/cannot-read", "the report " + why, "give a report.json"));
  };
  auto file = path == "-" ? InputFile(::dup(STDIN_FILENO), {}, {}) : OpenInput(path, Named::kFound);
  if (!file) {
    const bool is_missing = file.error().why == NotOpened::Why::kMissing;
    return refused(is_missing ? "does not exist" : file.error().Text());
  }
  std::string text;
  for (std::size_t have = 0;;) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    text.resize(have + std::max(kBlock, have / 2));
    const auto got = file->Read(text.data() + have, text.size() - have);
    if (!got) return refused("cannot be read");
    have += *got;
    if (*got > 0) continue;
    text.resize(have);
    return text;
  }
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
