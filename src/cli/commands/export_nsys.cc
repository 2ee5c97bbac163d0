// `profgauge export nsys`: the summaries of `nsys stats`, from any format.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "exports/nsys/reports.h"

namespace profgauge::cli {
namespace {

Error UnknownReport(const std::string& name) {
  std::vector<std::string_view> names;
  for (const exports::nsys::ReportSpec& report : exports::nsys::Reports())
    names.push_back(report.name);
  Error error;
  error.kind = ErrorKind::kUsage;
  error.code = "usage/unknown-report";
  error.message = name.empty() ? "`export nsys` needs the option `--report`"
                               : fmt::format("unknown report `{}`", Printable(name));
  if (const auto near = DidYouMean(name, names); !name.empty() && !near.empty()) {
    error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
  }
  error.notes.push_back(fmt::format("help: reports are {}", fmt::join(names, ", ")));
  return error;
}

std::string Csv(const exports::nsys::ReportTable& table) {
  std::string text;
  AppendCsvRow(text, table.heads, CsvQuotes::kNeeded);
  for (const auto& row : table.rows) AppendCsvRow(text, row, CsvQuotes::kNeeded);
  return text;
}

/// Aligns columns: texts left, numbers right.
std::string Aligned(const exports::nsys::ReportTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& head : table.heads) widths.push_back(CharactersIn(head));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], CharactersIn(Printable(row[i])));
    }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      line += last ? Printable(cells[i]) : Padded(Printable(cells[i]), widths[i], true) + "  ";
    }
    text += line + '\n';
  };
  add(table.heads);
  for (const auto& row : table.rows) add(row);
  return text;
}

}  // namespace

Result<int> RunExportNsys(const Options& options, Console& console) {
  const exports::nsys::ReportSpec* report = exports::nsys::FindReport(options.report);
  if (report == nullptr) return Fail(UnknownReport(options.report));
  Outputs outputs(KeptBy(options));
  std::optional<std::size_t> file;
  if (!options.out_dir.empty()) {
    PROFGAUGE_TRY(const std::size_t opened, outputs.Open(options.out_dir, FileKind::kNsys));
    file = opened;
  }
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const std::vector<exports::SelectedRank> selected,
                exports::SelectRanks(ranks, SelectionOf({}, Choices(options))));
  const exports::nsys::ReportTable table = report->make(selected);
  const std::string text = options.format == "table" ? Aligned(table) : Csv(table);
  if (table.rows.empty()) {
    console.Say(
        fmt::format("note: the profile has no data for {}: {}", report->name, report->brief));
  }
  if (!file) {
    console.Print(text);
    return kExitPass;
  }
  PROFGAUGE_CHECK(outputs.Commit(*file, text));
  return kExitPass;
}

}  // namespace profgauge::cli
