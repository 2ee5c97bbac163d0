// `profgauge history add|list|remove`: runs over time, in one SQLite file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/format.h"
#include "base/git.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/earlier_results.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/row_facts.h"
#include "cli/rows/row_writer.h"
#include "cli/snapshots.h"
#include "cli/text/history_text.h"
#include "exports/tables/parquet.h"
#include "gate/history.h"
#include "gate/reasons.h"
#include "gate/snapshot.h"
#include "render/html/trend.h"
#include "render/json/row.h"
#include "report/build_sections.h"
#include "report/build_trend.h"
#include "report/diagnosis.h"
#include "report/read_report.h"
#include "report/run_row.h"
#include "report/state.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

// The value of --branch that means all branches in `history list`.
constexpr std::string_view kAllBranches = "*";

// A run to add, with its result.
struct AddedRun {
  gate::Snapshot snapshot;
  std::string verdict, model, policy;
  std::optional<gate::HistoryLevel> level;
};

// How the history stores a verdict of `check`. This decides whether the run may be a baseline:
//
//   verdict of the check                                     stored as
//   pass                                                     pass
//   pass, and a change over its limit is waived              over
//   fail, and some limit on a change failed at level error   fail
//   fail for other reasons only                              limits
//   no verdict, since a slowdown or a slower part is to be
//   recorded again                                           again
//   no verdict, and a change is over its limit               over
//   no verdict, since nothing could be compared              undecided
//   no verdict for another reason                            no_verdict
//
// A run that only its own limits and findings fail, or that is the first, may be a baseline:
// without it, a branch that misses a limit would never be compared. A run whose change is over its
// limit, however unsure, may be one only if it is accepted. Otherwise two such runs would make a
// slow level the baseline, and a waiver would last beyond its end.
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
    return is_slower || !report::PartReasons(report).empty() ? status : "limits";
  }
  const bool is_waived = std::ranges::any_of(metrics, [](const report::ComparedMetric& metric) {
    return metric.result == State::kWaived && metric.level == State::kError;
  });
  if (is_waived) return "over";
  if (report.verdict.status != State::kNoVerdict) return status;
  const auto is_of_change = [&](const std::string& reason) {
    // The first run after a loss, or on a device, has nothing to be compared with.
    if (reason.ends_with("[baseline/lost]") || reason.ends_with("[baseline/none-comparable]") ||
        reason.ends_with(fmt::format("[{}]", gate::kPartOnceReason))) {
      return true;
    }
    return std::any_of(metrics.begin(), metrics.end(), [&](const report::ComparedMetric& metric) {
      // A run whose work differs is no baseline, because its time is not comparable.
      return metric.result == State::kOpen && reason.starts_with(metric.metric) &&
             reason.find("[baseline/") == std::string::npos;
    });
  };
  const auto& reasons = report.verdict.reasons;
  if (!std::all_of(reasons.begin(), reasons.end(), is_of_change)) return status;
  const bool is_over = std::ranges::any_of(metrics, [](const report::ComparedMetric& metric) {
    return metric.result == State::kOpen && metric.level == State::kError;
  });
  const bool is_again =
      report.verdict.again && std::ranges::any_of(report.verdict.no_verdict, [](const auto& one) {
        return one.code == gate::kAgainReason || one.code == gate::kPartOnceReason;
      });
  return is_again ? "again" : is_over ? "over" : "undecided";
}

void KeepLargest(const Value& share, std::optional<double>& kept) {
  if (!IsAbsent(share)) kept = std::max(kept.value_or(0), AsNumber(share, 0));
}

constexpr std::size_t kStartOfFile = 256;  // "kind" is the second key of a verdict.json.

// Reads the verdict of a report.json, and the accepted results.
Status ReadVerdictOf(const std::string& path, AddedRun& run) {
  const std::optional<std::string> text = ReadSmallFile(path);
  if (!text) return Fail(UsageError("usage/no-file", "`" + path + "` cannot be read", ""));
  if (text->find("\"profgauge.verdict\"") < kStartOfFile) {
    return Fail(UsageError("usage/verdict-file",
                           "`" + path + "` is the verdict of a check without its comparison",
                           "give its report: `profgauge check --json report.json`, then --verdict "
                           "report.json"));
  }
  PROFGAUGE_TRY(const report::Report report, report::ReadReport(*text, path));
  run.verdict = HistoryVerdict(report);
  run.policy = report.verdict.policy_hash;
  if (report.verdict.accepted.empty()) return {};
  run.level.emplace();
  for (const report::Accepted& one : report.verdict.accepted) {
    KeepLargest(one.change.value, run.level->change);
    KeepLargest(one.up_to.value, run.level->up_to);
    if (run.level->reason.find(one.reason) != std::string::npos) continue;
    run.level->reason += (run.level->reason.empty() ? "" : "; ") + one.reason;
  }
  run.level->owner = report.verdict.accepted.front().owner;
  return {};
}

// Reads the run of `profile` (a profile or a baseline file), with the files that its check wrote
// beside it.
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
      PROFGAUGE_TRY(const auto lines, gate::ParseAcceptance(options.accept));
      if (!lines.empty()) run.level.emplace();
      for (const gate::AcceptanceLine& line : lines) {
        run.level->reason += (run.level->reason.empty() ? "" : "; ") + line.reason;
        if (line.up_to) KeepLargest(Value{*line.up_to}, run.level->up_to);
      }
      if (run.level) {
        PROFGAUGE_TRY(run.level->owner, OwnerOf(options));
      }
    }
    if (run.level) run.level->time = Now();
  }
  return {};
}

// The options with which a run was judged: its job's, else with the policy in its verdict.
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

// Reads a checked run. A run that was not judged has no summary: it is skipped with a note, so that
// a CI job that always adds its folder does not fail.
Status ReadChecked(const CheckedRun& checked, const std::string& from, const Options& given,
                   Console& console, std::vector<AddedRun>& out) {
  if (checked.summary.empty()) {
    const std::string of = checked.name.empty() ? "" : Printable(checked.name) + " of ";
    console.Say(fmt::format("not added: {}{} has no summary, since it was not judged", of,
                            Printable(from)));
    return {};
  }
  const Options options = OptionsOf(checked, given);
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  return ReadOne(checked.summary, checked, options, *policy, console, out);
}

// Reads a profile, a baseline file, or the output folder of one job or several.
Status ReadAdded(const std::string& argument, const Options& options, const rules::Policy& policy,
                 Console& console, std::vector<AddedRun>& out) {
  const std::vector<CheckedRun> checked = FindCheckedRuns(argument);
  if (checked.empty()) return ReadOne(argument, {}, options, policy, console, out);
  for (const CheckedRun& run : checked) {
    PROFGAUGE_CHECK(ReadChecked(run, argument, options, console, out));
  }
  return {};
}

// The runs of the branch: in the order of its commits if --branch is given, else as they were
// added. REQUIRES: `entries` are sorted by id.
std::vector<const gate::HistoryEntry*> OfBranch(const std::vector<gate::HistoryEntry>& entries,
                                                const std::string& branch, const Options& options) {
  std::vector<const gate::HistoryEntry*> found;
  std::vector<gate::HistoryRow> rows;
  for (const gate::HistoryEntry& entry : entries) {
    if (entry.branch != branch) continue;
    found.push_back(&entry);
    rows.push_back(entry);
  }
  if (options.branch.empty()) return found;
  gate::HistoryQuestion question;
  TakeCommit("", question);
  question.commit.clear();
  found.clear();
  for (const gate::HistoryRow& row : gate::OrderByAncestry(question, std::move(rows)).rows) {
    found.push_back(&*std::ranges::lower_bound(entries, row.id, {}, &gate::HistoryEntry::id));
  }
  return found;
}

// The rows of the requested branch and model, oldest first.
Result<std::vector<gate::HistoryRow>> RowsOf(gate::History& history, const Options& options) {
  const std::string branch = options.branch == kAllBranches ? "" : options.branch;
  PROFGAUGE_TRY(auto rows, history.Rows(branch, std::numeric_limits<std::int64_t>::max()));
  if (!options.model.empty())
    std::erase_if(rows, [&](const gate::HistoryRow& row) { return row.model != options.model; });
  return rows;
}

// Lists the branches that have runs, because the list that was requested is empty.
Status SayBranches(gate::History& history, const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto branches, history.Branches());
  if (branches.empty()) return {};
  std::vector<std::string> texts;
  for (const auto& [name, runs] : branches) {
    texts.push_back(fmt::format("{} ({})", Printable(name), FormatCount(runs)));
  }
  console.Say(fmt::format(
      "note: no run of {}{}; branches with runs: {}",
      options.branch.empty() || options.branch == kAllBranches ? "any branch"
                                                               : Printable(options.branch),
      options.model.empty() ? "" : ", model " + Printable(options.model), fmt::join(texts, ", ")));
  return {};
}

// How many of the newest runs are listed without --last: 50 in a table, 500 on a page; 0 means all,
// because rows are for programs.
constexpr std::size_t kInTable = 50, kInPage = 500, kInRows = 0;

std::span<const gate::HistoryRow> NewestOf(std::span<const gate::HistoryRow> rows, std::size_t most,
                                           const Options& options) {
  if (options.last) most = static_cast<std::size_t>(*options.last);
  return most == 0 ? rows : rows.last(std::min(rows.size(), most));
}

// Removes data that no list and no page of a history shows: of 20 000 runs, 3 GB.
void ForgetTables(gate::Snapshot& run) {
  run.parts = {};
  run.ranks = {};
  run.iteration_shares = {};
  run.iteration_values = {};
  analysis::breakdown::WorkSums& work = run.work;
  for (auto* sums : {&work.kernels, &work.ops, &work.collectives, &work.modules}) {
    for (analysis::breakdown::WorkSum& sum : *sums) sum.series = {};
  }
}

// Writes the rows to the file of -o, else to standard output.
Status ListRows(gate::History& history, std::span<const gate::HistoryRow> rows,
                const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  const std::string path = options.out_dir.empty() ? "-" : options.out_dir;
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(path, FileKind::kRow));
  const auto shown = NewestOf(rows, kInRows, options);
  PROFGAUGE_CHECK(WriteHistoryRows(history, shown, options.format, output, outputs));
  if (path != "-") {
    console.Say(fmt::format("wrote {} rows to {}",
                            FormatCount(static_cast<std::int64_t>(shown.size())), path));
  }
  return {};
}

// The branches whose levels are tracked, each separately, because runs of several are no trend: all
// (main first), or the requested one. Without a request: main, else the last run's.
std::vector<std::string> BranchesOfTrend(const std::vector<gate::HistoryEntry>& entries,
                                         const Options& options) {
  if (entries.empty() && options.branch == kAllBranches) return {""};
  if (entries.empty() || (!options.branch.empty() && options.branch != kAllBranches)) {
    return {options.branch};
  }
  std::vector<std::string> branches;
  for (const gate::HistoryEntry& entry : entries) {
    if (std::ranges::find(branches, entry.branch) == branches.end()) {
      branches.push_back(entry.branch);
    }
  }
  std::ranges::sort(branches, {},
                    [](const std::string& branch) { return std::pair(branch != "main", branch); });
  if (options.branch == kAllBranches) return branches;
  return {branches.front() == "main" ? branches.front() : entries.back().branch};
}

report::Trend TrendOf(const std::string& branch, const std::vector<gate::HistoryEntry>& entries,
                      std::span<const gate::HistoryLevel> levels, const Options& options) {
  return report::BuildTrend(OfBranch(entries, branch, options), branch, levels);
}

}  // namespace

Result<int> RunHistoryAdd(const Options& options, Console& console) {
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
  SayUnused(options.db, console);
  const std::string branch = options.branch.empty() ? "main" : options.branch;
  bool has_unjudged = false;
  std::vector<std::string> added;
  const auto commit = options.commit.empty() ? std::nullopt : git::FindCommit("", options.commit);
  for (const AddedRun& run : runs) {
    PROFGAUGE_TRY(const auto known, history.FindSource(branch, run.snapshot.source));
    if (known && !run.snapshot.source.empty()) {
      console.Say(fmt::format("not added: {} is run {} of branch {} already",
                              Printable(run.snapshot.name), *known, branch));
      continue;
    }
    gate::HistoryEntry entry;
    entry.time = Now();
    entry.branch = branch;
    entry.commit = options.commit;
    if (commit) {
      entry.parents = fmt::format("{}", fmt::join(commit->parents, " "));
      entry.commit_time = commit->time;
    }
    entry.model = run.model;
    entry.verdict = run.verdict;
    entry.policy = run.policy;
    entry.snapshot = run.snapshot;
    PROFGAUGE_TRY(const std::int64_t id, history.Add(entry, run.level));
    added.push_back(fmt::format(
        "added run {} to {} (branch {}){}", id, options.db, branch,
        run.level ? fmt::format("; its level is accepted by {}: {}", Printable(run.level->owner),
                                Printable(run.level->reason))
                  : ""));
    has_unjudged |= run.verdict.empty() && !run.level;
  }
  if (!added.empty()) PROFGAUGE_CHECK(history.Save());
  for (const std::string& line : added) console.Say(line);
  if (has_unjudged) {
    console.Say(
        "note: no verdict was given, so that a slow run becomes a baseline, too: add the folder of "
        "`check --ci`, or give --verdict report.json");
  }
  return kExitPass;
}

Result<int> RunHistoryList(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  std::optional<std::size_t> html, json;
  if (options.outputs.Has(OutputKind::kHtml)) {
    PROFGAUGE_TRY(html, outputs.Open(options.outputs[OutputKind::kHtml], FileKind::kHtml));
  }
  if (options.outputs.Has(OutputKind::kJson)) {
    PROFGAUGE_TRY(json, outputs.Open(options.outputs[OutputKind::kJson], FileKind::kForPeople));
  }
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(options.db));
  SayUnused(options.db, console);
  PROFGAUGE_TRY(const std::vector<gate::HistoryRow> rows, RowsOf(history, options));
  if (rows.empty()) PROFGAUGE_CHECK(SayBranches(history, options, console));
  const bool has_rows = options.IsGiven("--format") && options.format != "table";
  if (!has_rows && !options.out_dir.empty()) {
    return Fail(UsageError("usage/conflict", "a table of runs is printed, not written",
                           "add `--format csv`, `jsonl` or `parquet`, or write `--html FILE`"));
  }
  if (has_rows) {
    PROFGAUGE_CHECK(ListRows(history, rows, options, console));
    if (!html && !json) return kExitPass;
  }
  const auto shown = NewestOf(rows, html || json ? kInPage : kInTable, options);
  std::vector<gate::HistoryEntry> entries;
  entries.reserve(shown.size());
  for (const gate::HistoryRow& row : shown) {
    static_cast<gate::HistoryRow&>(entries.emplace_back()) = row;
    PROFGAUGE_TRY(entries.back().snapshot, history.Load(row.id));
    ForgetTables(entries.back().snapshot);
  }
  PROFGAUGE_TRY(const std::vector<gate::HistoryLevel> levels, history.Levels());
  PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  std::vector<gate::HistoryLevel> in_force = levels;
  std::erase_if(in_force, [day = rules::FormatDay(today)](const gate::HistoryLevel& level) {
    return !level.until.empty() && level.until < day;
  });
  std::vector<report::Trend> trends;
  for (const std::string& branch : BranchesOfTrend(entries, options)) {
    trends.push_back(TrendOf(branch, entries, in_force, options));
  }
  const ListedHistory listed{entries, levels, trends};
  if (shown.size() < rows.size()) {
    console.Say(fmt::format("{} of {} runs; `--last N` lists more, `--last 0` all of them",
                            FormatCount(static_cast<std::int64_t>(shown.size())),
                            FormatCount(static_cast<std::int64_t>(rows.size()))));
  }
  if (html) {
    PROFGAUGE_CHECK(outputs.Commit(*html, render::RenderTrend(trends)));
    if (options.outputs[OutputKind::kHtml] != "-")
      console.Say("wrote " + options.outputs[OutputKind::kHtml]);
  }
  if (json) PROFGAUGE_CHECK(outputs.Commit(*json, HistoryList(listed).Take()));
  if (has_rows || options.outputs[OutputKind::kJson] == "-") return kExitPass;
  const std::string text = HistoryText(listed);
  if (outputs.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  return kExitPass;
}

// The argument "7" means run 7; "level:7" means level 7.
Result<int> RunHistoryRemove(const Options& options, Console& console) {
  constexpr std::string_view kLevel = "level:";
  std::vector<std::int64_t> runs, levels;
  for (const std::string& text : options.arguments) {
    const bool is_level = text.starts_with(kLevel);
    const std::string_view number = std::string_view(text).substr(is_level ? kLevel.size() : 0);
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (error != std::errc{} || end != number.data() + number.size()) {
      return Fail(UsageError(
          "usage/bad-value",
          fmt::format("expected the number of a run or `level:` and one, found `{}`", text),
          "`profgauge history list` shows the runs, their levels and the numbers of both"));
    }
    std::vector<std::int64_t>& ids = is_level ? levels : runs;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  // Checks that the file exists, because OpenToAdd() would create it.
  PROFGAUGE_CHECK(gate::History::OpenToRead(options.db));
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToAdd(options.db));
  SayUnused(options.db, console);
  PROFGAUGE_CHECK(history.Remove(runs, levels));
  PROFGAUGE_CHECK(history.Save());
  for (const std::int64_t id : levels) console.Say(fmt::format("removed level {}", id));
  for (const std::int64_t id : runs) console.Say(fmt::format("removed run {}", id));
  return kExitPass;
}

// `profgauge history list --format`: the runs of a history as rows for a warehouse, with the
// columns of `--write row`.
//
// One snapshot is in memory at a time. JSON lines are written immediately. The columns of CSV and
// Parquet are known only after the labels of all rows, so these formats keep the rows.

namespace {

// Most rows whose cells are in memory at a time.
constexpr std::size_t kRowsOfGroup = 1'000;
constexpr std::size_t kBytesOfRows = 4 << 20;

// Joins a list's texts with blanks, because neither CSV nor Parquet has lists here.
Cell CellOf(report::RowCell cell, const report::RowColumnSpec& column) {
  if (auto* text = std::get_if<std::string>(&cell)) return std::move(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&cell))
    return fmt::format("{}", fmt::join(*texts, " "));
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr) return {};
  if (column.type == report::RowColumnSpec::Type::kWhole) return static_cast<std::int64_t>(*number);
  return *number;
}

std::vector<Cell> CellsOfRow(const report::RunRow& row, const std::set<std::string>& labels,
                             std::span<const report::RowColumnSpec> columns) {
  std::vector<report::RowCell> cells = report::RowCells(row, labels);
  std::vector<Cell> out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out.push_back(CellOf(std::move(cells[i]), columns[i]));
  }
  return out;
}

// The unit of a stored column. Every metric is stored as a real number, whatever its unit.
Unit StoredUnit(const report::RowColumnSpec& column) {
  return column.type == report::RowColumnSpec::Type::kReal ? Unit::kNumber : column.unit;
}

class RowsOfHistory {
 public:
  RowsOfHistory(Outputs& outputs, std::size_t output, std::string format)
      : outputs_(outputs), output_(output), format_(std::move(format)) {}

  Status Add(const gate::HistoryEntry& entry) {
    report::RunRow row = report::RowOf(entry);
    if (format_ == "jsonl") return Write(render::RenderRow(row));
    labels_.merge(report::RowLabels(row));
    rows_.push_back(std::move(row));
    return {};
  }

  Status Finish() {
    if (format_ == "csv") PROFGAUGE_CHECK(WriteCsv());
    if (format_ == "parquet") PROFGAUGE_CHECK(WriteParquet());
    return outputs_.Commit(output_, ready_);
  }

 private:
  Status Write(const std::string& bytes) {
    ready_ += bytes;
    if (ready_.size() < kBytesOfRows) return {};
    return outputs_.Write(output_, std::exchange(ready_, {}));
  }

  Status WriteCsv() {
    const auto columns = report::RowColumns(labels_);
    std::vector<RowColumn> heads;
    for (const report::RowColumnSpec& column : columns) {
      heads.push_back({column.name, StoredUnit(column)});
    }
    const auto writer = MakeRowWriter(std::move(heads), {RowFormat::kCsv, {}});
    for (const report::RunRow& row : rows_) {
      writer->Add(CellsOfRow(row, labels_, columns));
      PROFGAUGE_CHECK(Write(writer->Take()));
    }
    writer->Finish(false, {});
    return Write(writer->Take());
  }

  Status WriteParquet() {
    const auto columns = report::RowColumns(labels_);
    std::vector<exports::ParquetColumn> heads;
    std::vector<std::pair<std::string, std::string>> units;
    for (const report::RowColumnSpec& column : columns) {
      heads.push_back({column.name, StoredUnit(column)});
      units.emplace_back("unit." + column.name, UnitName(column.unit));
    }
    units.emplace_back("kind", kRowsKind);
    exports::ParquetWriter writer(std::move(heads), std::move(units));
    for (std::size_t from = 0; from < rows_.size(); from += kRowsOfGroup) {
      std::vector<std::vector<Cell>> cells;
      for (std::size_t i = from; i < std::min(from + kRowsOfGroup, rows_.size()); ++i) {
        cells.push_back(CellsOfRow(rows_[i], labels_, columns));
      }
      writer.AddGroup(cells.size(),
                      [&](std::size_t row, std::size_t column) { return cells[row][column]; });
      PROFGAUGE_CHECK(Write(writer.Take()));
    }
    writer.Finish();
    return Write(writer.Take());
  }

  Outputs& outputs_;
  std::size_t output_;
  std::string format_;
  std::string ready_;
  std::vector<report::RunRow> rows_;
  std::set<std::string> labels_;
};

}  // namespace

Status WriteHistoryRows(gate::History& history, std::span<const gate::HistoryRow> rows,
                        const std::string& format, std::size_t output, Outputs& outputs) {
  RowsOfHistory out(outputs, output, format);
  for (const gate::HistoryRow& row : rows) {
    gate::HistoryEntry entry;
    static_cast<gate::HistoryRow&>(entry) = row;
    PROFGAUGE_TRY(entry.snapshot, history.Load(row.id));
    PROFGAUGE_CHECK(out.Add(entry));
  }
  return out.Finish();
}

}  // namespace profgauge::cli
