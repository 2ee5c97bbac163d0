#include "cli/earlier_results.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "api/comparison.h"
#include "base/errors.h"
#include "base/files.h"
#include "cli/base_policy.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/file_kind.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "readers/run_side/document.h"
#include "render/shared/renderer.h"
#include "report/json_node.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "run.pgsum", kReport = "report.json",
                           kVerdict = "verdict.json";

/// Takes name, model and policy from verdict.json, which may be missing. Returns true if the file
/// is one of ours.
bool TakeVerdict(const fs::path& path, CheckedRun& run) {
  const std::optional<std::string> text = ReadSmallFile(path.string());
  if (!text) return false;
  const auto document = report::ParseJsonDocument(*text, path.string());
  if (!document) return false;
  std::optional<report::BadField> bad;
  const report::JsonNode root(*document, bad);
  if (root["kind"].Text() != "profgauge.verdict") return false;
  run.name = root["name"].Text();
  run.model = root["model"].Text();
  run.policy = root["policy"]["name"].Text();
  return true;
}

// The check in a folder; nullopt if there is none. A lone report.json may be another program's.
std::optional<CheckedRun> CheckedIn(const fs::path& folder) {
  CheckedRun run;
  std::error_code error;
  const bool is_judged = TakeVerdict(folder / kVerdict, run);
  const bool has_report = fs::exists(folder / kReport, error);
  const bool has_summary = fs::exists(folder / kSummary, error);
  if (!is_judged && !(has_report && has_summary)) return std::nullopt;
  if (has_summary) run.summary = (folder / kSummary).string();
  if (has_report) run.report = (folder / kReport).string();
  return run;
}

}  // namespace

std::vector<CheckedRun> FindCheckedRuns(const std::string& path) {
  std::error_code error;
  const fs::path whole(path);
  std::vector<CheckedRun> runs;
  if (!fs::is_directory(whole, error)) {
    if (whole.filename() != kSummary) return runs;
    if (auto run = CheckedIn(whole.parent_path())) runs.push_back(*std::move(run));
    return runs;
  }
  auto own = CheckedIn(whole);
  if (own && !own->summary.empty()) return {*std::move(own)};
  for (const fs::path& below : ListFolder(whole)) {
    if (!fs::is_directory(below, error)) continue;
    if (auto run = CheckedIn(below)) runs.push_back(*std::move(run));
  }
  if (runs.empty() && own) runs.push_back(*std::move(own));
  return runs;
}

namespace {

namespace fs = std::filesystem;

/// The profiles in the folders `A` and `B` beside the document; nullopt if one of them is missing.
Result<std::optional<DuetProfiles>> LoadDuetProfiles(const std::string& file,
                                                     const Options& options,
                                                     const rules::Policy& policy,
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
  const auto text = ReadSmallFile(path, readers::kMostDuetBytes + 1);
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

// Opens outputs before the measurements are read, so that an unwritable path is reported now. If an
// output uses standard output, the text of the comparison goes to standard error.
Result<int> CheckDuet(const std::string& file, const Options& options, Console& console) {
  Stats stats;
  auto policy = ReadPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  const PolicyChange change = HoldPolicy(options, {}, *policy);
  Drawing drawing(KeptBy(options, &*policy));
  PROFGAUGE_CHECK(drawing.Open(options));
  PROFGAUGE_TRY(const Duet duet, LoadDuet(file));
  PROFGAUGE_TRY(auto profiles, LoadDuetProfiles(file, options, *policy, console));
  stats.EndPhase("read");
  auto judged =
      JudgeDuetRuns(duet, std::move(profiles), *policy, {options.allow_incomplete, options.redact});
  if (!judged) {
    Error error = std::move(judged).error();
    error.where.file = file;
    return Fail(std::move(error));
  }
  for (const rules::Loosened& one : change.loosened) {
    judged->report.verdict.loosened.push_back(
        {one.what, one.before, one.now, rules::LoosenedText(one)});
  }
  stats.EndPhase("compare");
  const int exit_code = gate::ExitCodeOf(judged->verdict, options.exit_zero);
  drawing.ExitsWith(exit_code);
  const Status drawn = drawing.Draw(judged->report, stats);
  if (options.verbosity > 0) console.Warn(stats.Table());
  const std::string text = render::RenderComparison(judged->report, options.verbosity);
  Tell(text, drawing, console);
  return ExitAfterDrawing(drawn, exit_code, console);
}

}  // namespace profgauge::cli
