// `profgauge export …`: a profile's contents in the files of other tools.
#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "base/csv.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "exports/dlprof/dlprof_csv.h"
#include "exports/nsys/reports.h"
#include "exports/pyprof/prof.h"
#include "report/build_findings.h"
#include "report/build_sections.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::cli {
namespace {

using exports::pyprof::AllColumns;

/// Parses "kernel,sil", "all", or "" for the default.
Result<std::vector<std::size_t>> ChooseColumns(const std::string& list) {
  if (list.empty()) return exports::pyprof::DefaultColumns();
  std::vector<std::size_t> chosen;
  std::vector<std::string_view> names;
  for (const exports::pyprof::ColumnName& column : AllColumns()) names.push_back(column.option);
  if (list == "all") {
    for (std::size_t i = 0; i < names.size(); ++i) chosen.push_back(i);
    return chosen;
  }
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string name(Trim(std::string_view(list).substr(at, end - at)));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      Error error =
          UsageError("usage/unknown-column", fmt::format("unknown column `{}`", Printable(name)));
      if (const auto near = DidYouMean(name, names); !near.empty()) {
        error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
      }
      error.notes.push_back(fmt::format("help: columns are {}, or all", fmt::join(names, ", ")));
      return Fail(std::move(error));
    }
    chosen.push_back(static_cast<std::size_t>(found - names.begin()));
    at = end + 1;
  }
  return chosen;
}

/// The text of a cell in a table. For a trace, only its last file, since more would be too wide.
std::string_view ShownCell(std::string_view cell, std::size_t column) {
  return AllColumns()[column].option == "trace" ? cell.substr(cell.rfind('/') + 1) : cell;
}

/// Cuts or pads the text to `width` characters.
std::string Fitted(std::string_view text, std::size_t width) {
  std::string shown = Printable(text);
  if (CharactersIn(shown) > width) shown = PrintableShort(text, width - 1);  // Plus "…".
  return Padded(shown, width);
}

/// PyProf's widths, or less if the cells need less. Kernel and parameters share the remaining width
/// of `total`, the one that needs less first.
///
///   Idx  Direction  Kernel          Params    total 60
///   ^^^  ^^^^^^^^^  as needed, at most PyProf's width or the head's     left: 46
///                   ^^^^^^ needs 12 -> 12                               left: 33
///                                   ^^^^^^ needs 90 -> the rest
///
/// A column of variable width has at least 12 characters, even if the line then exceeds `total`.
std::vector<std::size_t> Widths(const exports::pyprof::KernelRows& rows,
                                const std::vector<std::size_t>& chosen, std::size_t total) {
  std::vector<std::size_t> widths, open;
  std::size_t left = total;
  for (const std::size_t i : chosen) {
    std::size_t needed = AllColumns()[i].header.size();
    for (const auto& cells : rows.cells) {
      needed = std::max(needed, CharactersIn(Printable(ShownCell(cells[i], i))));
    }
    if (AllColumns()[i].width == 0) {
      open.push_back(widths.size());
    } else {
      needed = std::min(needed, std::max(AllColumns()[i].width, AllColumns()[i].header.size()));
      left -= std::min(left, needed + 1);
    }
    widths.push_back(needed);
  }
  std::sort(open.begin(), open.end(),
            [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
  constexpr std::size_t kNarrowestColumn = 12;
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::size_t& width = widths[open[i]];
    const std::size_t share = left / (open.size() - i);
    width = std::min(width, std::max(kNarrowestColumn, share - std::min<std::size_t>(share, 1)));
    left -= std::min(left, width + 1);
  }
  return widths;
}

std::string Table(const exports::pyprof::KernelRows& rows, const std::vector<std::size_t>& chosen,
                  std::size_t total) {
  const std::vector<std::size_t> widths = Widths(rows, chosen, total);
  std::string text;
  const auto line = [&](const auto& cell_of) {
    std::string row;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      row += Fitted(cell_of(chosen[i]), widths[i]) + ' ';
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  };
  line([](std::size_t i) { return AllColumns()[i].header; });
  for (const auto& cells : rows.cells) {
    line([&](std::size_t i) { return ShownCell(cells[i], i); });
  }
  return text;
}

// Puts every cell in quotes, as PyProf's prof stage does.
std::string Csv(const exports::pyprof::KernelRows& rows, const std::vector<std::size_t>& chosen) {
  std::string text;
  std::vector<std::string> row;
  for (const std::size_t i : chosen) row.emplace_back(AllColumns()[i].header);
  AppendCsvRow(text, row, CsvQuotes::kAll);
  for (const auto& cells : rows.cells) {
    row.clear();
    for (const std::size_t i : chosen) row.push_back(cells[i]);
    AppendCsvRow(text, row, CsvQuotes::kAll);
  }
  return text;
}

// Replaces blanks in a cell, so that a line can be split at blanks.
std::string Word(std::string_view cell) {
  std::string word(cell.empty() ? std::string_view("-") : cell);
  std::replace_if(
      word.begin(), word.end(), [](unsigned char c) { return c <= ' '; }, '_');
  return word;
}

// Formats lines for awk, in which each line has as many words as there are columns.
std::string Words(const exports::pyprof::KernelRows& rows, const std::vector<std::size_t>& chosen) {
  std::string text;
  const auto line = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      text += (i == 0 ? "" : " ") + Word(cell_of(chosen[i]));
    }
    text += '\n';
  };
  line([](std::size_t i) { return AllColumns()[i].header; });
  for (const auto& cells : rows.cells)
    line([&](std::size_t i) { return std::string_view(cells[i]); });
  return text;
}

// Writes to the file that was opened before reading, or to standard output.
Result<int> Finish(const Options& options, Outputs& outputs, std::optional<std::size_t> file,
                   const std::string& text, std::size_t kernels, Console& console) {
  if (!file) {
    console.Print(text);
    return kExitPass;
  }
  PROFGAUGE_CHECK(outputs.Commit(*file, text));
  if (options.out_dir != "-") {
    console.Say(fmt::format("wrote {} kernels to {}", kernels, options.out_dir));
  }
  return kExitPass;
}

Result<std::optional<std::size_t>> OpenOutput(const Options& options, Outputs& outputs) {
  if (options.out_dir.empty()) return std::optional<std::size_t>();
  PROFGAUGE_TRY(const std::size_t opened, outputs.Open(options.out_dir, FileKind::kKernels));
  return std::optional<std::size_t>(opened);
}

}  // namespace

// Exports rows of all ranks, rank by rank. A printed table is as wide as the terminal or COLUMNS.
Result<int> RunExportKernels(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::vector<std::size_t> columns, ChooseColumns(options.columns));
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::optional<std::size_t> file, OpenOutput(options, outputs));
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const std::vector<exports::SelectedRank> selected,
                exports::SelectRanks(ranks, SelectionOf({}, Choices(options))));
  exports::pyprof::KernelRows rows;
  for (const exports::SelectedRank& rank : selected) {
    exports::pyprof::KernelRows more = exports::pyprof::BuildKernelRows(rank);
    rows.unattributed += more.unattributed;
    std::move(more.cells.begin(), more.cells.end(), std::back_inserter(rows.cells));
  }
  const std::size_t width = static_cast<std::size_t>(std::max(console.width(), 1));
  const std::string text = options.format == "table"   ? Table(rows, columns, width)
                           : options.format == "space" ? Words(rows, columns)
                                                       : Csv(rows, columns);
  if (rows.unattributed > 0) {
    console.Say(fmt::format("note: {} of {} kernels have no operator whose work is understood",
                            rows.unattributed, rows.cells.size()));
  }
  return Finish(options, outputs, file, text, rows.cells.size(), console);
}

Result<int> RunExportNetdict(const Options& options, Console& console) {
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::optional<std::size_t> file, OpenOutput(options, outputs));
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const std::vector<exports::SelectedRank> selected,
                exports::SelectRanks(ranks, SelectionOf({}, Choices(options))));
  std::string text;
  for (const exports::SelectedRank& rank : selected) text += exports::pyprof::NetDict(rank);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return Finish(options, outputs, file, text, lines, console);
}

// `profgauge export nsys`: the summaries of `nsys stats`, from any format.

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

// `profgauge export dlprof`: a profile in DLProf's eight CSV reports.

namespace {

using exports::dlprof::Advice;
using exports::dlprof::kDlprofFiles;

/// Joins "- Do this.\n- Or that." into one line.
std::string OneLine(std::string_view advice) {
  std::string line;
  for (std::string_view part : Lines(advice)) {
    part = Trim(part);
    if (part.starts_with("- ")) part.remove_prefix(2);
    if (!part.empty()) line.append(line.empty() ? "" : " ").append(part);
  }
  return line;
}

/// The problem and advice of each finding of the recommended rules, in ProfGauge's wording.
Result<std::vector<Advice>> AdviceOn(const std::vector<Profile>& ranks,
                                     const EvaluateOptions& choices) {
  auto policy = rules::LoadPolicy("builtin:recommended");
  if (!policy) return Fail(policy.error().front());
  auto book = rules::LoadRulebook(*policy, {});
  if (!book) return Fail(book.error().front());
  PROFGAUGE_TRY(const analysis::Analysis analysis,
                analysis::Analyze(ranks, SelectionOf(*policy, choices)));
  const rules::Evaluation evaluation =
      book->Evaluate(analysis, rules::CollectFacts(ranks, analysis));
  std::vector<Advice> advice;
  for (const report::Finding& finding : report::BuildFindings(evaluation)) {
    if (!report::HasFired(finding)) continue;
    advice.emplace_back(finding.message.empty() ? finding.title : finding.message,
                        OneLine(finding.advice));
  }
  return advice;
}

/// Chooses the rank, since DLProf's reports are of one process. --rank may be omitted if it is the
/// only one. A rank without a number has its position. Errors: kUsage "usage/one-rank".
Result<const Profile*> OneRank(const std::vector<Profile>& ranks, const Options& options) {
  const std::int64_t wanted = options.rank.value_or(-1);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    if (wanted == (recorded >= 0 ? recorded : static_cast<std::int64_t>(i))) return &ranks[i];
  }
  if (wanted < 0 && ranks.size() == 1) return &ranks.front();
  return Fail(UsageError(
      "usage/one-rank",
      wanted < 0 ? fmt::format("the run has {} ranks; these reports are of one", ranks.size())
                 : fmt::format("the run has no rank {}", wanted),
      "choose one with `--rank N`; `profgauge inspect` lists them"));
}

}  // namespace

// Opens all files before profiles are read: if one may not be replaced, the folder is unchanged.
Result<int> RunExportDlprof(const Options& options, Console& console) {
  const std::string folder = options.out_dir.empty() ? "." : options.out_dir;
  Outputs outputs(KeptBy(options));
  PROFGAUGE_CHECK(outputs.MakeDirectory(folder));
  std::vector<std::size_t> opened;
  for (const std::string_view file : kDlprofFiles) {
    PROFGAUGE_TRY(const std::size_t output,
                  outputs.Open(fmt::format("{}/{}", folder, file), FileKind::kDlprof));
    opened.push_back(output);
  }
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const Profile* profile, OneRank(ranks, options));
  const EvaluateOptions choices = Choices(options);
  PROFGAUGE_TRY(const analysis::dlprof::dlprof::Report report,
                analysis::dlprof::dlprof::Compute(*profile, SelectionOf(rules::Policy{}, choices)));
  PROFGAUGE_TRY(const std::vector<Advice> advice, AdviceOn(ranks, choices));
  const std::vector<std::string> texts = exports::dlprof::DlprofCsvTexts(*profile, report, advice);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    PROFGAUGE_CHECK(outputs.Commit(opened[i], texts[i]));
  }
  console.Say(fmt::format("wrote {} ops, {} kernel launches and {} iterations to {}/dlprof_*.csv",
                          report.ops.size(), report.launches.size(), report.summary.aggregated,
                          folder));
  return kExitPass;
}

}  // namespace profgauge::cli
