#include "cli/duets.h"

#include <filesystem>
#include <utility>

#include "api/duet.h"
#include "base/errors.h"
#include "base/read_file.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/kept_files.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "readers/run_side/document.h"
#include "readers/run_side/duet_document.h"
#include "render/shared/renderer.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

/// The folders `A` and `B` beside the document; nothing unless both exist.
Result<std::optional<DuetProfiles>> LoadDuetProfiles(const std::string& file,
                                                     const Options& options, const Policy& policy,
                                                     Console& console) {
  const fs::path folder = fs::path(file).parent_path();
  const std::string a = (folder / "A").string(), b = (folder / "B").string();
  std::error_code code;
  if (!fs::is_directory(a, code) || !fs::is_directory(b, code)) return std::nullopt;
  DuetProfiles profiles;
  PROFGAUGE_TRY(profiles.a.runs,
                LoadSnapshots(a, options, policy, console,
                              {&profiles.log, &profiles.a.doubts, &profiles.a.picture}));
  PROFGAUGE_TRY(profiles.b.runs,
                LoadSnapshots(b, options, policy, console,
                              {&profiles.log, &profiles.b.doubts, &profiles.b.picture}));
  return profiles;
}

}  // namespace

std::string DuetIn(const Options& options) {
  return options.arguments.size() == 1 ? readers::DuetFileOf(options.arguments.front()) : "";
}

Result<Duet> LoadDuet(const std::string& path) {
  const auto text = ReadSmallFile(path, readers::kMostRunBytes + 1);
  if (!text) {
    return Fail(InputError(path, "duet/unreadable", "the file cannot be read, or is over 1 MiB",
                           "check its name and permissions"));
  }
  auto duet = readers::ReadDuet(*text);
  if (duet) return duet;
  Error error = std::move(duet).error();
  error.where.file = path;
  return Fail(std::move(error));
}

Result<int> CheckDuet(const std::string& file, const Options& options, Console& console) {
  Stats stats(console);
  const auto policy = ReadPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  Drawing drawing(KeptBy(options, &*policy));
  PROFGAUGE_CHECK(drawing.Open(options));
  PROFGAUGE_TRY(const Duet duet, LoadDuet(file));
  PROFGAUGE_TRY(auto profiles, LoadDuetProfiles(file, options, *policy, console));
  stats.EndPhase("read");
  auto judged =
      JudgeDuetRuns(duet, std::move(profiles), *policy,
                    {options.allow_incomplete, options.allow_incomparable, options.redact});
  if (!judged) {
    Error error = std::move(judged).error();
    error.where.file = file;
    return Fail(std::move(error));
  }
  stats.EndPhase("compare");
  const int exit_code = ExitCodeOf(judged->verdict, options.exit_zero);
  drawing.ExitsWith(exit_code);
  const Status drawn = drawing.Draw(judged->report, stats);
  if (options.stats) console.Warn(stats.Table());
  const std::string text = render::RenderComparison(judged->report, options.verbosity);
  if (drawing.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  for (const std::string& line : drawing.Summary()) console.Say(line);
  return ExitAfterDrawing(drawn, exit_code, console);
}

}  // namespace profgauge::cli
