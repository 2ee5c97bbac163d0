// `profgauge history add|list|trend|export`: runs over time, in one SQLite file.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/errors.h"
#include "base/files.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/earlier_results.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/outputs.h"
#include "cli/snapshots.h"
#include "cli/text/trend_text.h"
#include "gate/history.h"
#include "gate/snapshot.h"
#include "render/html/trend.h"
#include "report/build_sections.h"
#include "report/read_report.h"
#include "report/state.h"

namespace profgauge::cli {
namespace {

/// Keys of a run's environment that a user gave with --label.
constexpr std::string_view kLabelPrefix = "label ";

// "team=vision;cluster=a", in the order given.
std::string LabelsOf(const gate::Snapshot& run) {
  std::string labels;
  for (const auto& [property, value] : run.environment) {
    if (!property.starts_with(kLabelPrefix)) continue;
    labels += fmt::format("{}{}={}", labels.empty() ? "" : ";",
                          property.substr(kLabelPrefix.size()), value);
  }
  return labels;
}

std::string DayOf(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// SOURCE_DATE_EPOCH makes runs of a script repeatable.
std::int64_t Now() {
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) return std::atoll(epoch);
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::vector<gate::HistoryEntry>> Entries(const Options& options) {
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  return history.Last(options.branch, std::numeric_limits<std::int64_t>::max());
}

std::string LevelText(const gate::HistoryLevel& level) {
  std::string text = fmt::format("level {} accepted by {}: {}", level.id, Printable(level.owner),
                                 Printable(level.reason));
  if (!level.until.empty()) text += fmt::format(" (until {})", level.until);
  return text;
}

// A run to add, with its result.
struct AddedRun {
  gate::Snapshot snapshot;
  std::string verdict, model;
  std::optional<gate::HistoryLevel> level;
};

// How a verdict of `check` is kept in the history, where it decides whether the run may be a
// baseline:
//
//   verdict of the check                                     kept as
//   pass                                                     pass
//   fail, and some limit on a change failed at level error   fail
//   fail for other reasons only                              limits
//   no verdict, only since changes are undecided             undecided
//   no verdict for another reason                            no_verdict
//
// A run that only its own limits and findings fail, or whose change is only undecided, is as good a
// baseline as others: without it a branch that misses a limit would never be compared.
std::string HistoryVerdict(const report::Report& report) {
  using report::State;
  const std::string status(report::NameOf(report.verdict.status));
  const std::vector<report::ComparedMetric> none;
  const auto& metrics = report.comparison ? report.comparison->metrics : none;
  if (report.verdict.status == State::kFail) {
    const bool is_slower =
        std::any_of(metrics.begin(), metrics.end(), [](const report::ComparedMetric& metric) {
          return metric.result == State::kFail && metric.level == State::kError;
        });
    return is_slower ? status : "limits";
  }
  if (report.verdict.status != State::kNoVerdict) return status;
  const auto is_of_change = [&](const std::string& reason) {
    return std::any_of(metrics.begin(), metrics.end(), [&](const report::ComparedMetric& metric) {
      return metric.result == State::kOpen && reason.starts_with(metric.metric);
    });
  };
  const auto& reasons = report.verdict.reasons;
  return std::all_of(reasons.begin(), reasons.end(), is_of_change) ? "undecided" : status;
}

// The verdict of a report.json, and the accepted results.
Status ReadVerdictOf(const std::string& path, AddedRun& run) {
  const std::optional<std::string> text = ReadSmallFile(path);
  if (!text) return Fail(UsageError("usage/no-file", "`" + path + "` cannot be read", ""));
  PROFGAUGE_TRY(const report::Report report, report::ReadReport(*text, path));
  run.verdict = HistoryVerdict(report);
  if (report.verdict.accepted.empty()) return {};
  run.level.emplace();
  run.level->reason = report.verdict.accepted;
  run.level->owner = report.verdict.accepted_by;
  return {};
}

// The run of `profile`, a profile or a baseline file, with the files that its check wrote beside
// it.
Status ReadOne(const std::string& profile, const CheckedRun& checked, const Options& options,
               const rules::Policy& policy, Console& console, std::vector<AddedRun>& out) {
  PROFGAUGE_TRY(std::vector<gate::Snapshot> runs, LoadSnapshots(profile, options, policy, console));
  for (gate::Snapshot& snapshot : runs) {
    AddedRun& run = out.emplace_back();
    run.snapshot = std::move(snapshot);
    run.model = options.model;
    if (!checked.name.empty()) run.snapshot.name = checked.name;
    for (const auto& [name, value] : options.labels) {
      run.snapshot.environment.emplace_back(std::string(kLabelPrefix) + name, value);
    }
    if (!checked.report.empty()) PROFGAUGE_CHECK(ReadVerdictOf(checked.report, run));
    if (!options.verdict.empty()) PROFGAUGE_CHECK(ReadVerdictOf(options.verdict, run));
    if (!options.accept.empty()) {
      run.level.emplace();
      run.level->reason = options.accept;
      PROFGAUGE_TRY(run.level->owner, OwnerOf(options));
    }
    if (run.level) run.level->time = Now();
  }
  return {};
}

// The options under which a run was judged: of its job, else with the policy of its verdict.
Options OptionsOf(const CheckedRun& checked, const Options& given) {
  Options options = given;
  if (!given.IsGiven("--model")) options.model = checked.model;
  const auto project = LoadConfiguration(given);
  const bool is_configured = project && *project;
  const rules::ProjectJob* job = is_configured ? (*project)->Find(checked.model) : nullptr;
  if (job != nullptr) ApplySettings(**project, job, options);
  std::error_code error;
  const bool is_there =
      checked.policy.starts_with("builtin:") || std::filesystem::exists(checked.policy, error);
  if (job == nullptr && !given.IsGiven("--policy") && is_there) options.policy = checked.policy;
  return options;
}

// A run that was not judged has no summary: it is left out with a note, so that a job of CI that
// always adds its folder does not fail for it.
Status ReadChecked(const CheckedRun& checked, const std::string& from, const Options& given,
                   Console& console, std::vector<AddedRun>& out) {
  if (checked.summary.empty()) {
    console.Say(fmt::format("nothing added: {} has no summary, since {} was not judged",
                            Printable(from), Printable(checked.name)));
    return {};
  }
  const Options options = OptionsOf(checked, given);
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  return ReadOne(checked.summary, checked, options, *policy, console, out);
}

// A profile, a baseline file, or the output of checks: the folder of one or of several jobs.
Status ReadAdded(const std::string& argument, const Options& options, const rules::Policy& policy,
                 Console& console, std::vector<AddedRun>& out) {
  const std::vector<CheckedRun> checked = FindCheckedRuns(argument);
  if (checked.empty()) return ReadOne(argument, {}, options, policy, console, out);
  for (const CheckedRun& run : checked) {
    PROFGAUGE_CHECK(ReadChecked(run, argument, options, console, out));
  }
  return {};
}

}  // namespace

Result<int> RunHistoryAdd(const Options& options, Console& console) {
  // Before anything opens it for writing: even a refused transaction may tidy up a foreign file.
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  KeptFiles kept = KeptBy(options, &*policy);
  kept.force = false;
  PROFGAUGE_CHECK(CheckReplacing(options.db, FileKind::kHistory, kept));
  std::vector<AddedRun> runs;
  for (const std::string& argument : options.arguments) {
    PROFGAUGE_CHECK(ReadAdded(argument, options, *policy, console, runs));
  }
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToAdd(options.db));
  const std::string branch = options.branch.empty() ? "main" : options.branch;
  bool has_unjudged = false;
  for (const AddedRun& run : runs) {
    PROFGAUGE_TRY(const auto known, history.FindSource(branch, run.snapshot.source));
    if (known && !run.snapshot.source.empty()) {
      console.Say(fmt::format("nothing added: {} is run {} of branch {} already",
                              Printable(run.snapshot.name), *known, branch));
      continue;
    }
    gate::HistoryEntry entry;
    entry.time = Now();
    entry.branch = branch;
    entry.commit = options.commit;
    entry.model = run.model;
    entry.verdict = run.verdict;
    entry.snapshot = run.snapshot;
    PROFGAUGE_TRY(const std::int64_t id, history.Add(entry, run.level));
    console.Say(fmt::format(
        "added run {} to {} (branch {}){}", id, options.db, branch,
        run.level ? fmt::format("; its level is accepted by {}: {}", Printable(run.level->owner),
                                Printable(run.level->reason))
                  : ""));
    has_unjudged |= run.verdict.empty() && !run.level;
  }
  if (has_unjudged) {
    console.Say(
        "note: no verdict was given, so that a slow run becomes a baseline, too: add the folder of "
        "`check --ci`, or give --verdict report.json");
  }
  return kExitPass;
}

// A line for each run, and below it the levels that begin with it.
Result<int> RunHistoryList(const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto entries, Entries(options));
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  PROFGAUGE_TRY(const std::vector<gate::HistoryLevel> levels, history.Levels());
  std::string text =
      "  id  added             branch        commit        median    verdict     GPU"
      "                   ranks  model         run\n";
  JsonList list("history-list");
  for (const gate::HistoryEntry& entry : entries) {
    const std::optional<double> median = gate::MedianIteration(entry.snapshot);
    const auto or_dash = [](std::string_view shown, std::size_t width) {
      return shown.empty() ? std::string("–") : PrintableShort(std::string(shown), width);
    };
    text += fmt::format("{:>4}  {}  {:<12}  {:<12}  {:>8}  {:<10}  {:<20}  {:>5}  {:<12}  {}\n",
                        entry.id, DayOf(entry.time), PrintableShort(entry.branch, 12),
                        PrintableShort(entry.commit, 12), median ? FormatDuration(*median) : "–",
                        or_dash(entry.verdict, 10), or_dash(entry.snapshot.Environment("gpu"), 20),
                        or_dash(entry.snapshot.Environment("world_size"), 5),
                        or_dash(entry.model, 12), Printable(entry.snapshot.name));
    render::JsonWriter& row = list.Row();
    row.Field("id", entry.id);
    row.Field("time", entry.time);
    row.Field("branch", entry.branch);
    row.OptionalField("commit", entry.commit);
    row.OptionalField("model", entry.model);
    row.OptionalField("verdict", entry.verdict);
    row.Field("name", entry.snapshot.name);
    row.OptionalField("gpu", entry.snapshot.Environment("gpu"));
    row.OptionalField("ranks", entry.snapshot.Environment("world_size"));
    RealOrNull(row, "median", median ? &*median : nullptr);
    row.Key("levels");
    row.BeginArray();
    for (const gate::HistoryLevel& level : levels) {
      if (level.run != entry.id) continue;
      text += "      ── " + LevelText(level) + " ──\n";
      row.BeginObject();
      row.Field("id", level.id);
      row.OptionalField("reason", level.reason);
      row.OptionalField("owner", level.owner);
      row.OptionalField("until", level.until);
      row.EndObject();
    }
    row.EndArray();
  }
  return PrintList(options, text, std::move(list), console);
}

Result<int> RunHistoryTrend(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  std::size_t output = 0, json = 0;
  if (!options.html.empty()) {
    PROFGAUGE_TRY(output, outputs.Open(options.html, FileKind::kHtml));
  }
  if (!options.json.empty()) {
    PROFGAUGE_TRY(json, outputs.Open(options.json, FileKind::kForPeople));
  }
  PROFGAUGE_TRY(auto entries, Entries(options));
  if (!options.model.empty()) {
    std::erase_if(entries,
                  [&](const gate::HistoryEntry& entry) { return entry.model != options.model; });
  }
  const report::Trend trend = report::BuildTrend(entries, options.branch);
  if (!options.html.empty()) {
    const std::string page = render::RenderTrend(trend);
    PROFGAUGE_CHECK(outputs.Commit(output, page));
    if (options.html != "-") console.Say("wrote " + options.html);
  }
  if (!options.json.empty()) PROFGAUGE_CHECK(outputs.Commit(json, TrendList(trend).Take()));
  if (options.json == "-") return kExitPass;
  const std::string text = TrendText(trend);
  if (outputs.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  return kExitPass;
}

Result<int> RunHistoryRemove(const Options& options, Console& console) {
  std::vector<std::int64_t> ids;
  for (const std::string& text : options.arguments) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size()) {
      return Fail(UsageError("usage/bad-value",
                             fmt::format("expected the number of a run, found `{}`", text),
                             "`profgauge history list` shows the runs and their numbers"));
    }
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  // Opening to add would make a file where there is none.
  PROFGAUGE_CHECK(gate::History::OpenToRead(options.db));
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToAdd(options.db));
  PROFGAUGE_CHECK(history.Remove(ids));
  for (const std::int64_t id : ids) console.Say(fmt::format("removed run {}", id));
  return kExitPass;
}

Result<int> RunHistoryExport(const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto entries, Entries(options));
  std::string text = "id,time,branch,commit,run,iterations,median_ns,labels\n";
  const auto quoted = [](const std::string& cell) {
    std::string out = "\"";
    // A leading sign would be a formula in a spreadsheet.
    if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos) {
      out += "'";
    }
    for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  JsonList list("history-export");
  for (const gate::HistoryEntry& entry : entries) {
    const std::optional<double> median = gate::MedianIteration(entry.snapshot);
    const std::string labels = LabelsOf(entry.snapshot);
    render::JsonWriter& row = list.Row();
    row.Field("id", entry.id);
    row.Field("time", entry.time);
    row.Field("branch", entry.branch);
    row.Field("commit", entry.commit);
    row.Field("run", entry.snapshot.name);
    row.Field("iterations", static_cast<std::int64_t>(entry.snapshot.iteration_times.size()));
    RealOrNull(row, "median_ns", median ? &*median : nullptr);
    row.OptionalField("labels", labels);
    text += fmt::format(
        "{},{},{},{},{},{},{},{}\n", entry.id, entry.time, quoted(entry.branch),
        quoted(entry.commit), quoted(entry.snapshot.name), entry.snapshot.iteration_times.size(),
        median ? fmt::format("{:.0f}", *median) : "", labels.empty() ? "" : quoted(labels));
  }
  return PrintList(options, text, std::move(list), console);
}

}  // namespace profgauge::cli
