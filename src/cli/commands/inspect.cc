// `profgauge inspect`: shows the contents of a profile without judging it, and the reasons for
// decisions of the analysis. If a folder has several runs, lists the commands that judge them.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/find_runs.h"
#include "cli/json_list.h"
#include "cli/outputs.h"
#include "cli/profile_search.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "cli/text/describe.h"
#include "model/summary/summary.h"

namespace profgauge::cli {
namespace {

// Adds a profile to a row of --json. An unknown rank or size has no key.
void DescribeProfile(const Profile& profile, JsonWriter& row) {
  row.Field("path", profile.source.path);
  row.Field("format", profile.source.format);
  row.OptionalField("dialect", profile.source.dialect);
  row.Field("bytes", static_cast<std::int64_t>(profile.source.bytes));
  row.Field("hash", profile.source.hash);
  if (profile.distributed.rank >= 0) row.Field("rank", profile.distributed.rank);
  if (profile.distributed.world_size >= 0) row.Field("world_size", profile.distributed.world_size);
  row.Field("device_events", static_cast<std::int64_t>(profile.device.size()));
  row.Field("host_events", static_cast<std::int64_t>(profile.host.size()));
  row.Field("calls", static_cast<std::int64_t>(profile.api.size()));
  row.Key("devices");
  row.BeginArray();
  for (const Gpu& gpu : profile.gpus) {
    row.BeginObject(JsonWriter::Style::kInline);
    row.Field("id", std::int64_t{gpu.id});
    row.OptionalField("name", gpu.name);
    row.EndObject();
  }
  row.EndArray();
}

/// A time in UTC: "2026-11-26 17:04:17".
std::string TimeText(std::int64_t time) {
  const std::chrono::sys_seconds second{std::chrono::seconds(time / 1'000'000'000)};
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day(second - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day.hours().count(), of_day.minutes().count(), of_day.seconds().count());
}

// "3 of 4 ranks" if a file records how many ranks the run has; otherwise only the number of files.
std::string RanksText(const FoundRun& run) {
  const std::size_t files = run.files.size();
  if (run.world_size) return fmt::format("{} of {} ranks", run.ranks.size(), *run.world_size);
  return fmt::format("{} {}", files, files == 1 ? "file" : "files");
}

// Lists each run in three lines:
//   runs/step-20/rank*_trace.json
//     FORMAT · 4 of 4 ranks · step 20 · 2026-11-26 17:04:17 UTC
//     profgauge check runs/step-20
std::string ListOf(const FoundRuns& found) {
  std::string out;
  for (const FoundRun& run : found.runs) {
    out += fmt::format("{}\n  {} · {}", Printable(run.name), run.format, RanksText(run));
    if (run.step) out += fmt::format(" · step {}", *run.step);
    if (run.time) out += fmt::format(" · {} UTC", TimeText(*run.time));
    out += fmt::format("\n  {}\n", run.command);
  }
  return out;
}

std::string JsonOf(const FoundRuns& found, const std::string& folder) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", std::int64_t{1});
  out.Field("kind", "profgauge.runs");
  out.Field("folder", folder);
  if (!found.is_whole) out.Key("truncated"), out.Bool(true);
  out.Key("runs");
  out.BeginArray();
  for (const FoundRun& run : found.runs) {
    out.BeginObject();
    out.Field("name", run.name);
    out.Field("format", run.format);
    if (run.step) out.Field("step", *run.step);
    if (run.time) out.Field("time", *run.time);
    if (run.world_size) out.Field("world_size", *run.world_size);
    if (const auto complete = run.IsComplete()) out.Key("complete"), out.Bool(*complete);
    out.Key("ranks");
    out.BeginArray(JsonWriter::Style::kInline);
    for (const std::int64_t rank : run.ranks) out.Integer(rank);
    out.EndArray();
    out.Key("files");
    out.BeginArray();
    for (const std::string& file : run.files) out.Text(file);
    out.EndArray();
    out.Field("command", run.command);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return out.Take();
}

/// The runs below the only argument if it is a folder and --ranks is "recorded", else no runs.
Result<FoundRuns> RunsBelow(const Options& options) {
  if (!options.part.empty() && (options.arguments.size() != 1 || !options.explain.empty())) {
    return Fail(UsageError("usage/conflict", "`--part` lists the runs below one folder",
                           "name one folder, without `--explain`"));
  }
  std::error_code error;
  const bool is_folder = options.arguments.size() == 1 &&
                         std::filesystem::is_directory(options.arguments.front(), error);
  const bool asks = !options.part.empty() ||
                    (is_folder && options.explain.empty() && options.ranks == "recorded");
  return asks ? FindRuns(options.arguments.front()) : FoundRuns();
}

/// True if files directly in the folder may be one run, although several runs were found: not all
/// formats record a rank in their first bytes, and a file may be part of another file's profile.
bool MayBeOneRun(const FoundRuns& found, const std::string& folder) {
  return std::ranges::any_of(found.runs, [&](const FoundRun& run) {
    std::error_code error;
    const auto parent = std::filesystem::path(run.files.front()).parent_path();
    return std::filesystem::equivalent(parent, folder, error);
  });
}

Result<int> ListRuns(FoundRuns found, const Part& part, const Options& options, Console& console) {
  if (!found.is_whole) {
    console.Say(fmt::format(
        "note: there are more than {} names below the folder; the deepest were not read",
        kMostNames));
  }
  const std::string& folder = options.arguments.front();
  if (found.runs.empty()) return Fail(NotOneRun(found, folder));
  FoundRuns own;
  own.is_whole = found.is_whole;
  for (std::size_t i = 0; i < found.runs.size(); ++i) {
    if (part.Has(i)) own.runs.push_back(std::move(found.runs[i]));
  }
  if (options.outputs[OutputKind::kJson] != "-") console.Print(ListOf(own));
  if (!options.outputs.Has(OutputKind::kJson)) return kExitPass;
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::size_t output,
                outputs.Open(options.outputs[OutputKind::kJson], FileKind::kRuns));
  PROFGAUGE_CHECK(outputs.Commit(output, JsonOf(own, folder)));
  return kExitPass;
}

}  // namespace

// Describes a summary by another text than a profile, because it has other facts.
Result<int> RunInspect(const Options& options, Console& console) {
  PROFGAUGE_TRY(const Part part, ParsePart(options.part));
  PROFGAUGE_TRY(FoundRuns found, RunsBelow(options));
  const bool is_several = found.runs.size() > 1;
  if (!options.part.empty() || (is_several && !MayBeOneRun(found, options.arguments.front()))) {
    return ListRuns(std::move(found), part, options, console);
  }
  Stats stats;
  auto read = ReadProfiles(options, console);
  if (!read && is_several) return ListRuns(std::move(found), part, options, console);
  PROFGAUGE_TRY(const std::vector<Profile> ranks, std::move(read));
  stats.EndPhase("read");
  if (!options.explain.empty()) {
    JsonList list("inspect-" + options.explain);
    PROFGAUGE_TRY(const std::string reasons, ExplainDecision(options.explain, ranks, list));
    return PrintList(options, reasons, std::move(list), console);
  }
  std::string text;
  JsonList list("inspect");
  for (const Profile& profile : ranks) {
    if (&profile != &ranks.front()) text += '\n';
    const auto summary = SummaryOf(profile);
    text += summary ? DescribeSummary(*summary, profile.source.path) : DescribeProfile(profile);
    DescribeProfile(profile, list.Row());
  }
  PROFGAUGE_TRY(const int exit_code, PrintList(options, text, std::move(list), console));
  stats.EndPhase("describe");
  if (options.verbosity > 0) console.Warn(stats.Table());
  return exit_code;
}

}  // namespace profgauge::cli
