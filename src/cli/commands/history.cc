// `profgauge history add|list|trend|export`: runs over time, in one SQLite file.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/snapshots.h"
#include "gate/change_points.h"
#include "gate/history.h"
#include "gate/statistics.h"

namespace profgauge::cli {
namespace {

constexpr std::int64_t kMostListed = 1000;

double MedianOf(const Snapshot& run) {
  const std::vector<double> times(run.iteration_times.begin(), run.iteration_times.end());
  return times.empty() ? 0 : stats::Median(times);
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

Result<std::vector<HistoryEntry>> Entries(const Options& options) {
  PROFGAUGE_TRY(History history, History::OpenToRead(options.db));
  return history.Last(options.branch, kMostListed);
}

}  // namespace

Result<int> RunHistoryAdd(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::vector<Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, console));
  PROFGAUGE_TRY(History history, History::OpenToAdd(options.db));
  for (const Snapshot& run : runs) {
    HistoryEntry entry;
    entry.time = Now();
    entry.branch = options.branch.empty() ? "main" : options.branch;
    entry.commit = options.commit;
    entry.snapshot = run;
    PROFGAUGE_TRY(const std::int64_t id, history.Add(entry));
    console.Say(fmt::format("added run {} to {} (branch {})", id, options.db, entry.branch));
  }
  return kExitPass;
}

Result<int> RunHistoryList(const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto entries, Entries(options));
  std::string text = "  id  added             branch        commit        median    run\n";
  for (const HistoryEntry& entry : entries) {
    text += fmt::format("{:>4}  {}  {:<12}  {:<12}  {:>8}  {}\n", entry.id, DayOf(entry.time),
                        PrintableShort(entry.branch, 12), PrintableShort(entry.commit, 12),
                        FormatDuration(MedianOf(entry.snapshot)), Printable(entry.snapshot.name));
  }
  console.Print(text);
  return kExitPass;
}

Result<int> RunHistoryTrend(const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto entries, Entries(options));
  std::vector<double> medians;
  for (const HistoryEntry& entry : entries) medians.push_back(MedianOf(entry.snapshot));
  const auto points = stats::FindChangePoints(medians, {});
  const double largest =
      medians.empty() ? 1 : std::max(1.0, *std::max_element(medians.begin(), medians.end()));
  std::string text = "median iteration time, oldest first\n\n";
  std::size_t next = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (next < points.size() && points[next].index == i) {
      text += fmt::format("      ── changed by {:+.1f} %: {} → {} ──\n", points[next].change * 100,
                          FormatDuration(points[next].before), FormatDuration(points[next].after));
      ++next;
    }
    const auto width = static_cast<std::size_t>(40 * medians[i] / largest);
    std::string bar;
    for (std::size_t k = 0; k < width; ++k) bar += "█";
    text += fmt::format("{:>4}  {}  {:>8}  {}\n", entries[i].id,
                        PrintableShort(entries[i].commit, 10), FormatDuration(medians[i]), bar);
  }
  if (points.empty()) {
    text += entries.size() < 6 ? "\nno change points: at least 6 runs are needed\n"
                               : "\nno change points\n";
  }
  console.Print(text);
  return kExitPass;
}

Result<int> RunHistoryExport(const Options& options, Console& console) {
  PROFGAUGE_TRY(const auto entries, Entries(options));
  std::string text = "id,time,branch,commit,run,iterations,median_ns\n";
  const auto quoted = [](const std::string& cell) {
    std::string out = "\"";
    // A leading sign would be a formula in a spreadsheet.
    if (!cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos) {
      out += "'";
    }
    for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  for (const HistoryEntry& entry : entries) {
    text += fmt::format("{},{},{},{},{},{},{:.0f}\n", entry.id, entry.time, quoted(entry.branch),
                        quoted(entry.commit), quoted(entry.snapshot.name),
                        entry.snapshot.iteration_times.size(), MedianOf(entry.snapshot));
  }
  console.Print(text);
  return kExitPass;
}

}  // namespace profgauge::cli
