#include "readers/dlprof/dlprof_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/value.h"
#include "knowledge/loss.h"
#include "readers/database/sqlite_table.h"
#include "readers/dlprof/database.h"
#include "readers/dlprof/database_facts.h"
#include "readers/dlprof/database_rows.h"
#include "readers/dlprof/database_sums.h"
#include "readers/dlprof/statements.h"
#include "readers/one_run.h"
#include "readers/text/csv.h"

namespace profgauge::readers {
namespace {

using dlprof::ReportKind;

constexpr std::string_view kReportFormat = "dlprof_report";
constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "pass DLProf's database (dlprof_dldb.sqlite) of the run"},
};
// The largest kind of report lists every kernel launch of a run.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

bool IsJsonSummary(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         (head.find("\"Summary Report\"") != std::string_view::npos ||
          head.find("\"System Config\"") != std::string_view::npos);
}

Result<std::string> ReadAll(ByteSource& source) {
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), got);
    if (text.size() > kLargest) {
      return Fail(InputError(source.name(), "dlprof/too-large",
                             "the DLProf report is larger than 1 GiB",
                             "pass DLProf's database instead"));
    }
  }
}

class ReportReader final : public Reader {
 public:
  std::string_view name() const override { return kReportFormat; }
  std::string_view expected() const override { return "DLProf's reports"; }
  std::string_view WhyNeverRanks() const override {
    return "each report states the sums of a whole run";
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text =
        WithoutByteOrderMark({reinterpret_cast<const char*>(head.data()), head.size()});
    const bool known = dlprof::KindOfTitle(FirstLine(text)).has_value() || IsJsonSummary(text);
    return known ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(const std::string bytes, ReadAll(source));
    ProfileBuilder builder;
    Source& out = builder.source();
    out.path = source.name();
    out.format = kReportFormat;
    out.accelerator = "nvidia";
    out.bytes = bytes.size();
    ContentHash hash;
    hash.Add(bytes);
    out.hash = hash.Hex();
    const std::string_view text = WithoutByteOrderMark(bytes);
    const auto kind = dlprof::KindOfTitle(FirstLine(text));
    out.dialect = kind ? fmt::format("{}, CSV", dlprof::KindName(*kind)) : "summary, JSON";
    PROFGAUGE_CHECK(Fill(kind, text, options, builder));
    builder.SetHints(kHints);
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    profile.has_timeline = false;
    return profile;
  }

  Status Settle(const std::string& folder, Run& run) const override {
    return dlprof::SettleRun(folder, run);
  }

 private:
  static Status Fill(std::optional<ReportKind> kind, std::string_view text,
                     const ReadOptions& options, ProfileBuilder& builder) {
    if (!kind) {
      PROFGAUGE_TRY(const auto lines, dlprof::SummaryOfJson(text, builder.source().path));
      dlprof::StateSummary(lines, builder);
      return {};
    }
    const dlprof::CsvText csv = dlprof::ParseCsv(text);
    if (csv.truncated && !options.allow_incomplete) {
      return Fail(InputError(
          builder.source().path, "dlprof/truncated", "the DLProf report ends inside a row",
          "copy it again; or pass --allow-incomplete to judge the readable part"));
    }
    if (csv.truncated) builder.log().Add(Counter::truncated);
    const bool has_two_titles =
        !csv.rows.empty() && std::ranges::count(csv.rows, csv.rows.front()) > 1;
    if (has_two_titles) return Fail(JoinedTables(builder.source().path));
    if (*kind == ReportKind::kSummary) {
      dlprof::StateSummary(dlprof::SummaryOfCsv(csv.rows), builder);
      return {};
    }
    return dlprof::StateReport(*kind, csv.rows, builder);
  }
};

}  // namespace

std::unique_ptr<Reader> MakeDlprofReportReader() { return std::make_unique<ReportReader>(); }

namespace {

constexpr std::string_view kDatabaseFormat = "dlprof_database";

Error MissingTable(const std::string& file, std::string_view table) {
  return InputError(file, "dlprof/missing-table",
                    fmt::format("the DLProf database has no table `{}`", table),
                    "DLProf was probably stopped while it wrote; run it again");
}

class DatabaseReader final : public Reader {
 public:
  std::string_view name() const override { return kDatabaseFormat; }
  std::string_view expected() const override { return "DLProf's database"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".sqlite"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte>) const override { return Match::kNo; }
  Match SniffTables(const std::set<std::string>& tables) const override {
    return tables.contains("dictionary") && tables.contains("db_version") ? Match::kYes
                                                                          : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    PROFGAUGE_TRY(auto database, OpenDatabase(source, kDatabaseFormat, "SQLite", builder));
    for (const char* table : {"read_only_ops", "model_summary"}) {
      PROFGAUGE_TRY(const bool found, database.HasTable(table));
      if (!found) return Fail(MissingTable(source.name(), table));
    }
    dlprof::DatabaseImport import;
    import.database = &database;
    import.builder = &builder;
    PROFGAUGE_CHECK(dlprof::ReadDatabaseFacts(import, options.aggregation));
    builder.source().dialect = fmt::format("DLProf {}, SQLite", import.version);
    PROFGAUGE_CHECK(dlprof::ReadDatabaseRows(import));
    PROFGAUGE_CHECK(dlprof::StateAggregation(import));
    PROFGAUGE_CHECK(dlprof::CheckSums(import));
    return builder.Finish();
  }
};

}  // namespace

std::unique_ptr<Reader> MakeDlprofDatabaseReader() { return std::make_unique<DatabaseReader>(); }

}  // namespace profgauge::readers

namespace profgauge::readers::dlprof {
namespace {

namespace fs = std::filesystem;

bool IsReport(const Profile& profile) { return profile.source.format == "dlprof_report"; }
bool IsDatabase(const Profile& profile) { return profile.source.format == "dlprof_database"; }

/// The kind of a report, e.g. "summary".
std::string KindOf(const Profile& report) {
  return report.source.dialect.substr(0, report.source.dialect.find(','));
}

/// The run's name in DLProf's file names: "dlprof" of "x/dlprof_summary.csv". Empty if none.
std::string RunOf(const Profile& report) {
  const std::string name = fs::path(report.source.path).stem().string();
  const std::string kind = "_" + KindOf(report);
  return name.ends_with(kind) ? name.substr(0, name.size() - kind.size()) : std::string();
}

/// Why the reports cannot be of one run; empty if they can.
std::string WhySeveral(const std::vector<Profile>& reports) {
  std::set<std::string> kinds;
  std::map<std::string, std::string> runs;
  for (const Profile& report : reports) {
    if (!kinds.insert(KindOf(report)).second)
      return "two reports of one kind belong to different runs";
    if (std::string of = RunOf(report); !of.empty()) runs.emplace(of, report.source.path);
  }
  if (runs.size() < 2) return {};
  return fmt::format("their names begin with `{}` and `{}`", runs.begin()->first,
                     runs.rbegin()->first);
}

std::vector<std::vector<std::string>> EachAlone(const std::vector<Profile>& profiles) {
  std::vector<std::vector<std::string>> runs;
  for (const Profile& profile : profiles) runs.push_back({profile.source.path});
  return runs;
}

/// Groups the files by the begin of their names, one group a run; no groups if names show no runs.
std::vector<std::vector<std::string>> RunsOf(const std::vector<Profile>& reports) {
  std::set<std::pair<std::string, std::string>> kinds;
  std::map<std::string, std::vector<std::string>> runs;
  for (const Profile& report : reports) {
    if (!kinds.emplace(RunOf(report), KindOf(report)).second) return EachAlone(reports);
    runs[RunOf(report)].push_back(report.source.path);
  }
  std::vector<std::vector<std::string>> files;
  for (auto& [name, paths] : runs) files.push_back(std::move(paths));
  return files;
}

const ReportedMetric* StatedOf(const Profile& profile, MetricId id) {
  for (const ReportedMetric& metric : profile.reported.metrics) {
    if (metric.id == id) return &metric;
  }
  return nullptr;
}

/// Names the values that differ between two reports of a run ("wall clocks"); empty if they agree.
/// Sums of reports with unreadable rows are not compared.
std::string_view WhatDiffers(const Profile& a, const Profile& b) {
  const ReportedMetric* ours = StatedOf(a, metric::kProfileWallTime);
  const ReportedMetric* theirs = StatedOf(b, metric::kProfileWallTime);
  if (ours != nullptr && theirs != nullptr && ours->value != theirs->value) return "wall clocks";
  ours = StatedOf(a, metric::kProfileKernelTime);
  theirs = StatedOf(b, metric::kProfileKernelTime);
  const auto is_whole = [](const Profile& p) { return p.log[Counter::events_unreadable] == 0; };
  if (ours == nullptr || theirs == nullptr || !is_whole(a) || !is_whole(b)) return {};
  const double x = AsNumber(ours->value, 0), y = AsNumber(theirs->value, 0);
  return std::abs(x - y) > knowledge::kLossTotalTolerance * std::max(x, y) ? "kernel times" : "";
}

/// Merges the reports of one run into one profile. REQUIRES: one or more, each of another kind.
Result<Profile> Merge(std::vector<Profile> reports) {
  // The summary comes first, because it has most numbers.
  std::stable_sort(reports.begin(), reports.end(), [&](const Profile& a, const Profile& b) {
    return (KindOf(a) == "summary") > (KindOf(b) == "summary");
  });
  Profile merged = std::move(reports.front());
  std::string kinds = KindOf(merged);
  for (std::size_t i = 1; i < reports.size(); ++i) {
    Profile& report = reports[i];
    kinds += ", " + KindOf(report);
    if (const auto what = WhatDiffers(merged, report); !what.empty()) {
      return Fail(InputError(
          report.source.path, "input/several-runs",
          fmt::format("the DLProf reports have different {}: they are of different runs", what),
          "pass the reports of one run, or one file"));
    }
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    append(merged.reported.metrics, report.reported.metrics);
    StatedIterations& iterations = merged.reported.iterations;
    if (iterations.total == 0) iterations = report.reported.iterations;
    append(merged.reported.tables, report.reported.tables);
    append(merged.facts, report.facts);
    if (merged.gpus.empty()) merged.gpus = std::move(report.gpus);
    merged.log.Merge(report.log);
    merged.source.bytes += report.source.bytes;
    ContentHash hash;
    hash.Add(merged.source.hash);
    hash.Add(report.source.hash);
    merged.source.hash = hash.Hex();
  }
  JoinOps(merged.reported.tables);
  merged.source.dialect = kinds;
  return merged;
}

/// Merges the reports that the user named, if all are in one folder and fit together.
Status SettleNamed(Run& run) {
  if (run.profiles.size() < 2 || !std::all_of(run.profiles.begin(), run.profiles.end(), IsReport) ||
      !WhySeveral(run.profiles).empty()) {
    return {};
  }
  const auto folder = [](const Profile& report) {
    return fs::path(report.source.path).parent_path();
  };
  const fs::path first = folder(run.profiles.front());
  if (std::any_of(run.profiles.begin(), run.profiles.end(),
                  [&](const Profile& report) { return folder(report) != first; })) {
    return {};
  }
  PROFGAUGE_TRY(Profile merged, Merge(std::exchange(run.profiles, {})));
  run.profiles.push_back(std::move(merged));
  return {};
}

}  // namespace

// Decides which profiles of a folder form a run:
//   in the folder                      result
//   one database, reports              the database; reports are skipped with the reason
//   reports of one run                 one profile, merged; several databases are skipped
//   reports of several runs            error, also of several databases without reports
//   other profiles, files of DLProf    the other profiles
Status SettleRun(const std::string& folder, Run& run) {
  if (folder.empty()) return SettleNamed(run);
  std::vector<Profile> reports, databases, others;
  for (Profile& profile : run.profiles) {
    (IsReport(profile)     ? reports
     : IsDatabase(profile) ? databases
                           : others)
        .push_back(std::move(profile));
  }
  run.profiles = std::move(others);
  const auto leave_out = [&run](const std::vector<Profile>& profiles, std::string_view why) {
    for (const Profile& profile : profiles) {
      run.skipped.push_back(fmt::format("{}: {}", profile.source.path, why));
    }
  };
  if (!run.profiles.empty()) {
    leave_out(databases, "a database of DLProf next to other profiles");
    leave_out(reports, "a report of DLProf next to other profiles");
  } else if (databases.size() == 1) {
    run.profiles = std::move(databases);
    leave_out(reports, "a report of DLProf next to its database");
  } else if (!reports.empty()) {
    leave_out(databases,
              "a database of DLProf next to its reports; pass only the database to read it");
    if (const std::string why = WhySeveral(reports); !why.empty()) {
      return Fail(SeveralRuns(folder, why, RunsOf(reports)));
    }
    PROFGAUGE_TRY(Profile merged, Merge(std::move(reports)));
    merged.source.path = folder;
    run.profiles.push_back(std::move(merged));
  } else if (!databases.empty()) {
    return Fail(
        SeveralRuns(folder, "each database of DLProf is a separate run", RunsOf(databases)));
  }
  return {};
}

}  // namespace profgauge::readers::dlprof
