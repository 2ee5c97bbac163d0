// Several runs for a terminal: their verdicts, then the comparison of each pair.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/shared/runs_table.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kRunNameWidth = 40;

std::string NameOf(const report::Report& run) {
  return PrintableShort(run.profile.name, kRunNameWidth);
}

// A line for each pair: the later run, the earlier one, and the change with its word.
std::string Pairs(const report::Runs& runs) {
  std::vector<std::string> heads;
  std::size_t width = 0;
  for (const report::Runs::Pair& pair : runs.pairs) {
    heads.push_back(fmt::format("{} against {}", NameOf(runs.runs[pair.current]),
                                NameOf(runs.runs[pair.base])));
    width = std::max(width, CharactersIn(heads.back()));
  }
  std::string out;
  for (std::size_t i = 0; i < runs.pairs.size(); ++i) {
    std::string line = RenderComparison(runs.pairs[i].report, -1);
    if (line.ends_with('\n')) line.pop_back();
    const auto& comparison = runs.pairs[i].report.comparison;
    if (comparison && !comparison->comparable) line += "; not comparable";
    out += fmt::format("{}  {}\n", Padded(heads[i], width), line);
  }
  return out;
}

/// Most rows of the table, so that it fits on a screen below the verdicts. The workbook has all.
constexpr std::size_t kMostMetrics = 16;

/// Metrics with a column for each run from `first` to `last`. `*` marks the best of all runs.
std::string MetricColumns(const std::vector<RunsRow>& rows, const report::Runs& runs,
                          std::size_t first, std::size_t last,
                          const std::vector<std::size_t>& widths, std::size_t id_width) {
  std::string out = "  " + Padded("", id_width);
  for (std::size_t i = first; i < last; ++i) {
    out += "  " + Padded(NameOf(runs.runs[i]), widths[i] - 1, true) + " ";
  }
  out = out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  for (const RunsRow& row : rows) {
    std::string line = "  " + Padded(row.metric->id, id_width);
    for (std::size_t i = first; i < last; ++i) {
      line += "  " + Padded(RunsCell(row, i), widths[i] - 1, true) + (row.is_best[i] ? "*" : " ");
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// Puts as many runs beside each other as fit `width`, at least one. The others are in tables below:
//
//                          before    after
//   iteration.time.median  177 ms   127 ms*
//   * the best run
std::string Metrics(const report::Runs& runs, std::size_t width) {
  std::vector<RunsRow> rows = RowsOfRuns(runs, false, 0);
  if (rows.empty()) return {};
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMostMetrics));
  std::size_t id_width = 0;
  bool has_best = false;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    widths.push_back(CharactersIn(NameOf(runs.runs[i])) + 1);
    for (const RunsRow& row : rows) {
      widths[i] = std::max(widths[i], CharactersIn(RunsCell(row, i)) + 1);
      id_width = std::max(id_width, CharactersIn(row.metric->id));
      has_best = has_best || row.is_best[i];
    }
  }
  std::string out;
  for (std::size_t first = 0; first < runs.runs.size();) {
    std::size_t last = first, taken = 2 + id_width;
    while (last < runs.runs.size() && (last == first || taken + 2 + widths[last] <= width)) {
      taken += 2 + widths[last++];
    }
    out += (first > 0 ? "\n" : "") + MetricColumns(rows, runs, first, last, widths, id_width);
    first = last;
  }
  if (all > rows.size()) {
    out += fmt::format("  and {} more: --html, --xlsx and --json list all\n", all - rows.size());
  }
  if (has_best) out += "  * the best run\n";
  return out;
}

}  // namespace

std::string RenderRunsTerminal(const report::Runs& runs, const TerminalOptions& options) {
  std::string out;
  std::size_t width = 0;
  for (const report::Report& run : runs.runs) width = std::max(width, CharactersIn(NameOf(run)));
  TerminalOptions each = options;
  if (each.verbosity <= 0) each.verbosity = -1;
  for (const report::Report& run : runs.runs) {
    if (each.verbosity < 0) out += Padded(NameOf(run), width) + "  ";
    out += RenderTerminal(run, each);
    if (each.verbosity > 0) out += "\n";
  }
  if (options.verbosity < 0) return out;
  const std::string metrics = Metrics(runs, static_cast<std::size_t>(std::max(options.width, 1)));
  return out + (each.verbosity < 0 ? "\n" : "") + Pairs(runs) + (metrics.empty() ? "" : "\n") +
         metrics;
}

}  // namespace profgauge::render
