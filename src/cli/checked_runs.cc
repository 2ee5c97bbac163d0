#include "cli/checked_runs.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/list_folder.h"
#include "base/read_file.h"
#include "report/json_document.h"
#include "report/json_node.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "run.pgsum", kReport = "report.json",
                           kVerdict = "verdict.json";

/// Takes name, model and policy of verdict.json, which may be missing. Returns whether it is one of
/// ours.
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
  run.policy = root["policy"].Text();
  return true;
}

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

}  // namespace profgauge::cli
