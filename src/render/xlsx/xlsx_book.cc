// The workbook: Summary, Findings, Evidence, the tables, Metrics, Baseline, About.
//
//   Summary    verdict, facts, review, plan, limits, breakdown, charts
//   Findings   fired rules and missed limits, with columns for a review
//   Checks     all other rules
//   Evidence   the rows of each finding
//   …          a sheet for each kind of table (Kernels, Iterations, …)
//   Totals     rows and sums of each table, which follow its filters
//   Metrics    all metrics with definitions
//   Baseline … Side by side                                  only with a comparison
//   About      provenance, quality, missing data

#include "render/xlsx/xlsx_book.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/metric_id.h"
#include "base/readable.h"
#include "base/text.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_about.h"
#include "render/xlsx/xlsx_comparison.h"
#include "render/xlsx/xlsx_findings.h"
#include "render/xlsx/xlsx_sheet.h"
#include "render/xlsx/xlsx_summary.h"
#include "render/xlsx/xlsx_tables.h"
#include "report/diagnosis.h"

namespace profgauge::render {
namespace {

/// The file's date: the day of the profile in seconds since 1970, because no clock is used.
/// `captured` starts with YYYY-MM-DD. Other texts give kUnknownDay, and so do days before 1980,
/// which zip does not have.
std::int64_t CreatedOf(const std::string& captured) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (captured.size() < 10) return kUnknownDay;
  std::from_chars(captured.data(), captured.data() + 4, year);
  std::from_chars(captured.data() + 5, captured.data() + 7, month);
  std::from_chars(captured.data() + 8, captured.data() + 10, day);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || year < 1980) return kUnknownDay;
  return std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400;
}

}  // namespace

// Places evidence before sheets are written, because the first one, of findings, links to it.
Result<std::string> RenderXlsx(const report::Report& report) {
  const CLocale locale;
  XlsxBook book(report.profile.name, CreatedOf(report.profile.captured));
  if (book.handle() == nullptr) return book.Finish();
  if (IsComparisonAlone(report)) {
    AddComparisonSheets(book, report);
    return book.Finish();
  }
  const EvidenceRows evidence = PlaceEvidence(report);
  AddSummarySheet(book, report);
  AddFindingsSheet(book, report, evidence);
  AddChecksSheet(book, report, evidence);
  AddEvidenceSheet(book, report, evidence);
  AddTotalsSheet(book, AddTableSheets(book, report));
  AddMetricsSheet(book, report);
  AddComparisonSheets(book, report);
  AddAboutSheet(book, report);
  return book.Finish();
}

Result<std::string> RenderXlsx(const Ending& ending) {
  const CLocale locale;
  XlsxBook book(ending.name, kUnknownDay);
  if (book.handle() == nullptr) return book.Finish();
  XlsxSheet sheet(book, "Summary");
  std::size_t row = 0;
  sheet.Text(row++, 0, VerdictWord(StateOf(ending)) + " · " + ending.name, XlsxStyle::kTitle);
  for (const EndingError& error : ending.errors) {
    sheet.Text(++row, 0, "error", XlsxStyle::kBad);
    sheet.Text(row, 1, error.message, XlsxStyle::kFree);
    sheet.Text(++row, 0, "code", XlsxStyle::kMuted);
    sheet.Text(row, 1, error.code, XlsxStyle::kFree);
    if (!error.where.empty()) {
      sheet.Text(++row, 0, "place", XlsxStyle::kMuted);
      sheet.Text(row, 1, error.where, XlsxStyle::kFree);
    }
    for (const std::string& note : error.notes) {
      sheet.Text(++row, 1, note, XlsxStyle::kFree);
    }
    ++row;
  }
  sheet.FitColumns();
  return book.Finish();
}

namespace {

/// The folder for temporary files of libxlsxwriter.
std::string TemporaryFolder() {
  const char* named = std::getenv("TMPDIR");
  if (named != nullptr && *named != '\0') return named;
  constexpr const char* kUsual = "/tmp";
  return access(kUsual, W_OK | X_OK) == 0 ? kUsual : ".";
}

}  // namespace

// Opens the file to which the library writes by name. Memory has a name in /proc. If that is not
// mounted, e.g. in an empty container, uses a temporary file, which Finish() removes.
XlsxBook::XlsxBook(const std::string& title, std::int64_t created) : folder_(TemporaryFolder()) {
  std::string name_of_file;
  if (access("/proc/self/fd", X_OK) == 0) {
    file_ = memfd_create("profgauge.xlsx", MFD_CLOEXEC);
    name_of_file = fmt::format("/proc/self/fd/{}", file_);
  } else {
    name_of_file = folder_ + "/profgauge-XXXXXX";
    file_ = mkstemp(name_of_file.data());
    if (file_ >= 0) to_remove_ = name_of_file;
  }
  if (file_ < 0) return;
  lxw_workbook_options options = {};
  options.tmpdir = folder_.data();
  book_ = workbook_new_opt(name_of_file.c_str(), &options);
  if (book_ == nullptr) return;
  lxw_doc_properties properties = {};
  std::string name = ElideMiddle(XlsxText(title), 60), comment = "Written by profgauge";
  // The creator shows a later run that it may overwrite the file.
  std::string creator = "profgauge";
  properties.title = name.data();
  properties.author = creator.data();
  properties.comments = comment.data();
  properties.created = static_cast<time_t>(created);
  Check(workbook_set_properties(book_, &properties));
}

XlsxBook::~XlsxBook() {
  if (book_ != nullptr) lxw_workbook_free(book_);
  if (file_ >= 0) close(file_);
  if (!to_remove_.empty()) unlink(to_remove_.c_str());
}

void XlsxBook::Check(lxw_error error) {
  if (error_ == LXW_NO_ERROR) error_ = error;
}

lxw_format* XlsxBook::Format(XlsxStyle style) {
  if (style == XlsxStyle::kPlain || style == XlsxStyle::kFree) return nullptr;
  lxw_format*& format = formats_[style];
  if (format == nullptr) {
    format = workbook_add_format(book_);
    SetUpFormat(format, style);
  }
  return format;
}

lxw_format* XlsxBook::FormatWithUnit(Unit unit) {
  lxw_format*& format = unit_formats_[unit];
  if (format != nullptr) return format;
  format = workbook_add_format(book_);
  SetUpFormat(format, XlsxUnitOf(unit).style);
  const std::string_view name = XlsxUnitOf(unit).name;
  if (!name.empty()) {
    const std::string_view digits = unit == Unit::kTime ? "#,##0.000" : "#,##0.00";
    format_set_num_format(format, fmt::format("{}\" {}\"", digits, name).c_str());
  }
  return format;
}

void XlsxBook::Name(const char* name, const std::string& sheet, const std::string& cells) {
  Check(workbook_define_name(book_, name, fmt::format("='{}'!{}", sheet, cells).c_str()));
}

// Closes the file, which writes it. Reports the first error of all calls.
Result<std::string> XlsxBook::Finish() {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "xlsx/library";
  if (book_ == nullptr) {
    error.message = "the workbook cannot be created: no memory or no temporary file";
    return Fail(std::move(error));
  }
  Check(workbook_close(std::exchange(book_, nullptr)));
  struct stat info = {};
  errno = 0;
  if (error_ == LXW_NO_ERROR && fstat(file_, &info) == 0 && info.st_size > 0) {
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    const ssize_t count = pread(file_, bytes.data(), bytes.size(), 0);
    if (count == info.st_size) return bytes;
  }
  const char* why = error_ != LXW_NO_ERROR ? lxw_strerror(error_)
                    : errno != 0           ? std::strerror(errno)
                                           : "its temporary file was cut short";
  error.message = fmt::format("the workbook cannot be written: {}", why);
  return Fail(std::move(error));
}

// The workbook of several runs: Runs, Metrics, Comparisons.

namespace {

using report::Report;
using report::Runs;

void AddRunsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Runs");
  const std::vector<XlsxColumn> columns = {
      {"Verdict"}, {"Run"}, {"Iteration time", Unit::kTime}, {"Diagnosis"}};
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const Report& run = runs.runs[i];
    sheet.Text(i + 1, 0, LookOf(run.verdict.status).word);
    sheet.Text(i + 1, 1, run.profile.name);
    const report::Metric* time = report::FindMetricById(run, metric::kIterationTimeMean);
    if (time != nullptr) sheet.Cell(i + 1, 2, time->quantity.value, Unit::kTime);
    sheet.Text(i + 1, 3, XlsxProse(report::Diagnose(run).text), XlsxStyle::kFree);
  }
  sheet.AddTable(0, columns, runs.runs.size(), "Runs", 0);
  sheet.Freeze(1, 0);
  sheet.FitColumns();
}

// Numbers stay numbers, whose format has the unit. The last column names the best runs, because
// color must not be the only distinction.
void AddRunsMetricsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Metrics");
  std::vector<XlsxColumn> columns = {{"Metric"}, {"Id"}, {"Limited"}};
  for (const Report& run : runs.runs) columns.push_back({run.profile.name, Unit::kNumber});
  columns.push_back({"Best"});
  const std::vector<RunsRow> rows = RowsOfRuns(runs, true);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunsRow& row = rows[i];
    sheet.Text(i + 1, 0, row.metric->title);
    sheet.Text(i + 1, 1, row.metric->id);
    sheet.Text(i + 1, 2, row.is_limited ? "yes" : "");
    std::string best;
    for (std::size_t run = 0; run < row.cells.size(); ++run) {
      if (row.cells[run] != nullptr) sheet.Mixed(i + 1, 3 + run, *row.cells[run]);
      if (row.is_best[run]) best += (best.empty() ? "" : ", ") + runs.runs[run].profile.name;
    }
    sheet.Text(i + 1, 3 + row.cells.size(), best, XlsxTextStyle(columns, 3 + row.cells.size()));
  }
  sheet.AddTable(0, columns, rows.size(), "Metrics");
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

// A row for each comparison. If a run has no iteration times, the row has none, too.
void AddPairsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Comparisons");
  const std::vector<XlsxColumn> columns = {{"Run"},
                                           {"Against"},
                                           {"Result"},
                                           {"Mean iteration before", Unit::kTime},
                                           {"Mean iteration after", Unit::kTime},
                                           {"Change", Unit::kTime},
                                           {"Sentence"}};
  std::size_t at = 0;
  for (const Runs::Pair& pair : runs.pairs) {
    if (!pair.report.comparison) continue;
    const report::Comparison& comparison = *pair.report.comparison;
    ++at;
    sheet.Text(at, 0, runs.runs[pair.current].profile.name);
    sheet.Text(at, 1, runs.runs[pair.base].profile.name);
    sheet.Text(at, 2, SpeedWord(comparison));
    if (HasTimes(comparison)) {
      sheet.Cell(at, 3, comparison.base, Unit::kTime);
      sheet.Cell(at, 4, comparison.current, Unit::kTime);
      sheet.Cell(at, 5, comparison.delta, Unit::kTime);
    }
    sheet.Text(at, 6, ChangeSentence(comparison), XlsxTextStyle(columns, 6));
  }
  sheet.AddTable(0, columns, at, "Comparisons");
  sheet.Freeze(1, 0);
  sheet.FitColumns();
}

}  // namespace

Result<std::string> RenderRunsXlsx(const Runs& runs) {
  const CLocale locale;
  XlsxBook book("Runs", kUnknownDay);
  if (book.handle() == nullptr) return book.Finish();
  AddRunsSheet(book, runs);
  AddRunsMetricsSheet(book, runs);
  AddPairsSheet(book, runs);
  return book.Finish();
}

namespace {

constexpr std::size_t kMostCharacters = 32'767;
// The format of times in ms: below 1 ms with nanoseconds, others with microseconds.
constexpr char kMillisecondDigits[] = "[<1]0.000###;#,##0.000";
// The format of sizes in MB: to the byte if two decimals would show little or nothing.
constexpr char kMegabyteDigits[] = "[=0]0;[<0.1]0.000###;#,##0.00";

// True for texts such as `_x0041_`, which in a cell means character 41, so they must be escaped.
// ECMA-376, 22.9.2.19: ST_Xstring.
bool LooksEscaped(std::string_view text) {
  if (text.size() < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return false;
  return std::all_of(text.begin() + 2, text.begin() + 6, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

/// The number format of a style; nullptr means the default.
const char* DigitsOf(XlsxStyle style) {
  switch (style) {
    case XlsxStyle::kDate:
      return "yyyy-mm-dd";
    case XlsxStyle::kCount:
      return "#,##0";
    case XlsxStyle::kNumber:
      return "General";
    case XlsxStyle::kMilliseconds:
      return kMillisecondDigits;
    case XlsxStyle::kPercent:
      return "0.0%";
    case XlsxStyle::kPoints:
      return "#,##0.0\" points\"";
    case XlsxStyle::kAmount:
      return "#,##0.00";
    case XlsxStyle::kMegabytes:
      return kMegabyteDigits;
    default:
      return nullptr;
  }
}

}  // namespace

XlsxUnit XlsxUnitOf(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return {1e-6, "ms", XlsxStyle::kMilliseconds};
    case Unit::kBytes:
      return {1e-6, "MB", XlsxStyle::kMegabytes};
    case Unit::kBandwidth:
      return {1e-9, "GB/s", XlsxStyle::kAmount};
    case Unit::kFlops:
      return {1e-9, "GFLOP", XlsxStyle::kAmount};
    case Unit::kFlopRate:
      return {1e-12, "TFLOP/s", XlsxStyle::kAmount};
    case Unit::kShare:
      return {1, "", XlsxStyle::kPercent};
    case Unit::kCount:
      return {1, "", XlsxStyle::kCount};
    case Unit::kNumber:
      return {1, "", XlsxStyle::kNumber};
    case Unit::kText:
    case Unit::kBool:
      break;
  }
  return {};
}

lxw_color_t XlsxColour(std::string_view fill) {
  lxw_color_t colour = 0;
  std::from_chars(fill.data() + 1, fill.data() + fill.size(), colour, 16);
  return colour;
}

XlsxStyle XlsxStyleOf(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return XlsxStyle::kGood;
    case Tone::kBad:
      return XlsxStyle::kBad;
    case Tone::kWarn:
      return XlsxStyle::kWarn;
    case Tone::kMute:
      return XlsxStyle::kMuted;
  }
  return XlsxStyle::kMuted;
}

void SetUpFormat(lxw_format* format, XlsxStyle style) {
  format_set_align(format, LXW_ALIGN_VERTICAL_TOP);
  const auto fill = [&](lxw_color_t background, lxw_color_t text) {
    format_set_bg_color(format, background);
    format_set_font_color(format, text);
    format_set_bold(format);
  };
  const auto fill_of = [&](Tone tone) {
    fill(XlsxColour(ColoursOf(tone).wash), XlsxColour(ColoursOf(tone).ink));
  };
  if (const char* digits = DigitsOf(style); digits != nullptr) {
    format_set_num_format(format, digits);
  }
  switch (style) {
    case XlsxStyle::kTitle:
      format_set_bold(format), format_set_font_size(format, 16);
      break;
    case XlsxStyle::kHeading:
      format_set_bold(format), format_set_font_size(format, 12);
      break;
    case XlsxStyle::kBold:
      format_set_bold(format);
      break;
    case XlsxStyle::kWrap:
      format_set_text_wrap(format);
      break;
    case XlsxStyle::kMuted:
      format_set_font_color(format, 0x666666);
      break;
    case XlsxStyle::kLink:
      format_set_font_color(format, 0x0563C1), format_set_underline(format, LXW_UNDERLINE_SINGLE);
      break;
    case XlsxStyle::kGood:
      fill_of(Tone::kGood);
      break;
    case XlsxStyle::kBad:
      fill_of(Tone::kBad);
      break;
    case XlsxStyle::kWarn:
      fill_of(Tone::kWarn);
      break;
    case XlsxStyle::kHead:
    case XlsxStyle::kHeadRight:
    case XlsxStyle::kHeadIndented:
      fill(0xE3E8EE, 0x1F2937);
      format_set_bottom(format, LXW_BORDER_THIN);
      if (style == XlsxStyle::kHeadRight) format_set_align(format, LXW_ALIGN_RIGHT);
      if (style == XlsxStyle::kHeadIndented) format_set_indent(format, 1);
      break;
    case XlsxStyle::kWrapIndented:
      format_set_text_wrap(format);
      [[fallthrough]];
    case XlsxStyle::kIndented:
      format_set_indent(format, 1);
      break;
    case XlsxStyle::kClipped:
      format_set_align(format, LXW_ALIGN_FILL);
      break;
    default:  // Plain, free, or only a number format.
      break;
  }
}

// Makes a valid text. Characters beyond U+FFFF count as two, like in spreadsheets. `_x0041_` is
// escaped. Control characters become U+FFFD, because XML 1.0 forbids them.
std::string XlsxText(std::string_view text) {
  const bool is_plain =
      text.size() < kMostCharacters &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (is_plain && text.find("_x") == text.npos) return std::string(text);
  const std::string valid = Readable(text);
  std::string out;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < valid.size() && characters + 8 < kMostCharacters;) {
    const std::string_view rest = std::string_view(valid).substr(i);
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(rest));
    const std::string_view character = rest.substr(0, length);
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool is_bad = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ||
                        character == "\ufffe" || character == "\uffff";
    if (LooksEscaped(rest)) {
      out += "_x005F_";
      characters += 7;
    } else {
      out += is_bad ? "\ufffd" : character;
      characters += length == 4 ? 2 : 1;
    }
    i += length;
    if (characters + 8 >= kMostCharacters && i < valid.size()) out += "…";
  }
  return out;
}

std::string XlsxProse(const RichText& parts) {
  std::string out;
  for (const TextPart& part : parts) out += part.text;
  return out;
}

std::string XlsxProse(std::string_view markdown) { return XlsxProse(PartsOf(Trim(markdown))); }

std::string XlsxAdvice(const std::vector<RichText>& points) {
  std::string out;
  for (const RichText& point : points) out += (out.empty() ? "• " : "\n• ") + XlsxProse(point);
  return out;
}

std::string XlsxAddress(std::size_t row, std::size_t column) {
  std::string letters;
  for (std::size_t n = column + 1; n > 0; n = (n - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
  }
  return fmt::format("${}${}", letters, row + 1);
}

}  // namespace profgauge::render
