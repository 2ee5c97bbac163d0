#include "render/xlsx_book.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "render/escape.h"
#include "render/words.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kMostCharacters = 32'767;
constexpr std::size_t kNarrowest = 8, kWidest = 60;
// Nanoseconds where they are most of a number, else microseconds.
constexpr char kMillisecondDigits[] = "[<1]0.000###;#,##0.000";

lxw_row_t RowOf(std::size_t row) { return static_cast<lxw_row_t>(row); }
lxw_col_t ColumnOf(std::size_t column) { return static_cast<lxw_col_t>(column); }

void SetUp(lxw_format* format, XlsxStyle style) {
  format_set_align(format, LXW_ALIGN_VERTICAL_TOP);
  const auto fill = [&](lxw_color_t background, lxw_color_t text) {
    format_set_bg_color(format, background);
    format_set_font_color(format, text);
    format_set_bold(format);
  };
  switch (style) {
    case XlsxStyle::kPlain:
      break;
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
    case XlsxStyle::kDate:
      format_set_num_format(format, "yyyy-mm-dd");
      break;
    case XlsxStyle::kCount:
      format_set_num_format(format, "#,##0");
      break;
    case XlsxStyle::kNumber:
      format_set_num_format(format, "General");
      break;
    case XlsxStyle::kMilliseconds:
      format_set_num_format(format, kMillisecondDigits);
      break;
    case XlsxStyle::kPercent:
      format_set_num_format(format, "0.0%");
      break;
    case XlsxStyle::kAmount:
      format_set_num_format(format, "#,##0.00");
      break;
    case XlsxStyle::kGood:
      fill(0xD5F0E3, 0x0B5D35);
      break;
    case XlsxStyle::kBad:
      fill(0xF9D5D8, 0x8E0019);
      break;
    case XlsxStyle::kWarn:
      fill(0xFCE8C8, 0x7A4A00);
      break;
    case XlsxStyle::kHead:
    case XlsxStyle::kHeadRight:
    case XlsxStyle::kHeadIndented:
      fill(0xE3E8EE, 0x1F2937);
      format_set_bottom(format, LXW_BORDER_THIN);
      if (style == XlsxStyle::kHeadRight) format_set_align(format, LXW_ALIGN_RIGHT);
      if (style == XlsxStyle::kHeadIndented) format_set_indent(format, 1);
      break;
    case XlsxStyle::kIndented:
      format_set_indent(format, 1);
      break;
    case XlsxStyle::kClipped:
      format_set_align(format, LXW_ALIGN_FILL);
      break;
    case XlsxStyle::kFree:
      break;
  }
}

// `_x0041_` in a cell means the character 41; a name that holds such text must not become another.
bool LooksEscaped(std::string_view text) {
  if (text.size() < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return false;
  return std::all_of(text.begin() + 2, text.begin() + 6, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

}  // namespace

XlsxUnit XlsxUnitOf(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return {1e-6, "ms", XlsxStyle::kMilliseconds};
    case Unit::kBytes:
      return {1e-6, "MB", XlsxStyle::kAmount};
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

std::string XlsxText(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c >= 0x20 && c < 0x7f && c != '_'; });
  if (is_plain && text.size() < kMostCharacters) return std::string(text);
  const std::string valid = ValidUtf8(text);
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

std::string XlsxProse(std::string_view markdown) {
  std::string out;
  for (std::string_view line : Lines(markdown)) {
    const bool goes_on = line.starts_with("  ");  // an item of a list, on its next line
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!out.empty()) out += goes_on ? ' ' : '\n';
    if (!goes_on && line.starts_with("- ")) out += "• ", line.remove_prefix(2);
    std::copy_if(line.begin(), line.end(), std::back_inserter(out),
                 [](char c) { return c != '`'; });
  }
  return out;
}

XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index) {
  const bool behind_number =
      index > 0 && XlsxUnitOf(columns[index - 1].unit).style != XlsxStyle::kPlain;
  return behind_number ? XlsxStyle::kIndented : XlsxStyle::kPlain;
}

std::string XlsxAddress(std::size_t row, std::size_t column) {
  std::string letters;
  for (std::size_t n = column + 1; n > 0; n = (n - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
  }
  return fmt::format("${}${}", letters, row + 1);
}

XlsxBook::XlsxBook(const std::string& title, std::int64_t created) {
  file_ = memfd_create("profgauge.xlsx", MFD_CLOEXEC);
  if (file_ < 0) return;
  static char kDefaultFolder[] = "/tmp";
  char* folder = std::getenv("TMPDIR");
  lxw_workbook_options options = {};
  options.tmpdir = folder != nullptr && *folder != '\0' ? folder : kDefaultFolder;
  book_ = workbook_new_opt(fmt::format("/proc/self/fd/{}", file_).c_str(), &options);
  if (book_ == nullptr) return;
  lxw_doc_properties properties = {};
  std::string name = ElideMiddle(XlsxText(title), 60), comment = "Written by profgauge";
  properties.title = name.data();
  properties.comments = comment.data();
  properties.created = static_cast<time_t>(created);
  Check(workbook_set_properties(book_, &properties));
}

XlsxBook::~XlsxBook() {
  if (book_ != nullptr) lxw_workbook_free(book_);
  if (file_ >= 0) close(file_);
}

void XlsxBook::Check(lxw_error error) {
  if (error_ == LXW_NO_ERROR) error_ = error;
}

lxw_format* XlsxBook::Format(XlsxStyle style) {
  if (style == XlsxStyle::kPlain || style == XlsxStyle::kFree) return nullptr;
  lxw_format*& format = formats_[style];
  if (format == nullptr) {
    format = workbook_add_format(book_);
    SetUp(format, style);
  }
  return format;
}

lxw_format* XlsxBook::FormatWithUnit(Unit unit) {
  lxw_format*& format = unit_formats_[unit];
  if (format != nullptr) return format;
  format = workbook_add_format(book_);
  SetUp(format, XlsxUnitOf(unit).style);
  const std::string_view name = XlsxUnitOf(unit).name;
  if (!name.empty()) {
    const std::string_view digits = unit == Unit::kTime ? "#,##0.000" : "#,##0.00";
    format_set_num_format(format, fmt::format("{}\" {}\"", digits, name).c_str());
  }
  return format;
}

Result<std::string> XlsxBook::Finish() {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "xlsx/library";
  if (book_ == nullptr) {
    error.message = "the workbook cannot be made: no memory or no temporary file";
    return Fail(std::move(error));
  }
  Check(workbook_close(std::exchange(book_, nullptr)));
  struct stat info = {};
  if (error_ == LXW_NO_ERROR && fstat(file_, &info) == 0 && info.st_size > 0) {
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    const ssize_t count = pread(file_, bytes.data(), bytes.size(), 0);
    if (count == info.st_size) return bytes;
  }
  error.message = fmt::format("the workbook cannot be written: {}", lxw_strerror(error_));
  return Fail(std::move(error));
}

XlsxSheet::XlsxSheet(XlsxBook& book, const std::string& name) : book_(book), name_(name) {
  sheet_ = workbook_add_worksheet(book.handle(), name.c_str());
  worksheet_set_landscape(sheet_);
  worksheet_set_paper(sheet_, 9);  // A4
  worksheet_fit_to_pages(sheet_, 1, 0);
}

void XlsxSheet::Widen(std::size_t column, std::string_view text) {
  if (widths_.size() <= column) widths_.resize(column + 1, 0);
  widths_[column] = std::max(widths_[column], CharactersIn(text));
}

void XlsxSheet::Text(std::size_t row, std::size_t column, std::string_view text, XlsxStyle style) {
  if (text.empty()) return;
  const std::string shown = XlsxText(text);
  // Without it, text behind the last column of a table runs over the page.
  const bool is_line = style == XlsxStyle::kPlain || style == XlsxStyle::kIndented;
  if (is_line && CharactersIn(shown) > kWidest) style = XlsxStyle::kClipped;
  book_.Check(worksheet_write_string(sheet_, RowOf(row), ColumnOf(column), shown.c_str(),
                                     book_.Format(style)));
  if (style == XlsxStyle::kTitle) {
    constexpr double kTitleHeight = 24;
    book_.Check(worksheet_set_row(sheet_, RowOf(row), kTitleHeight, nullptr));
  }
  const bool is_free =
      style == XlsxStyle::kTitle || style == XlsxStyle::kHeading || style == XlsxStyle::kFree;
  if (!is_free) Widen(column, shown);
}

void XlsxSheet::Number(std::size_t row, std::size_t column, double value, XlsxStyle style) {
  if (!std::isfinite(value)) return;
  book_.Check(
      worksheet_write_number(sheet_, RowOf(row), ColumnOf(column), value, book_.Format(style)));
  const bool has_decimals = style == XlsxStyle::kMilliseconds || style == XlsxStyle::kAmount;
  Widen(column, fmt::format("{:.{}f}", value, has_decimals ? 5 : 1));
}

void XlsxSheet::Cell(std::size_t row, std::size_t column, const Value& value, Unit unit,
                     XlsxStyle text_style) {
  if (IsAbsent(value)) return;
  const bool is_text = std::holds_alternative<std::string>(value);
  if (is_text || unit == Unit::kBool || std::holds_alternative<bool>(value)) {
    return Text(row, column, FormatValue(value, unit), text_style);
  }
  const XlsxUnit scale = XlsxUnitOf(unit);
  const XlsxStyle style = unit == Unit::kText ? XlsxStyle::kNumber : scale.style;
  Number(row, column, AsNumber(value, 0) * scale.factor, style);
}

void XlsxSheet::Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity) {
  if (IsAbsent(quantity.value) || std::holds_alternative<std::string>(quantity.value)) {
    return Text(row, column, quantity.text, XlsxStyle::kWrap);
  }
  const double value = AsNumber(quantity.value, 0) * XlsxUnitOf(quantity.unit).factor;
  if (!std::isfinite(value)) return;
  book_.Check(worksheet_write_number(sheet_, RowOf(row), ColumnOf(column), value,
                                     book_.FormatWithUnit(quantity.unit)));
  Widen(column, quantity.text + "0000");
}

void XlsxSheet::Link(std::size_t row, std::size_t column, const std::string& target,
                     std::string_view text) {
  const std::string shown = XlsxText(text);
  const lxw_error error = worksheet_write_url(sheet_, RowOf(row), ColumnOf(column), target.c_str(),
                                              book_.Format(XlsxStyle::kLink));
  // An address that is too long for the format stays as text.
  if (error != LXW_NO_ERROR) return Text(row, column, text);
  book_.Check(worksheet_write_string(sheet_, RowOf(row), ColumnOf(column), shown.c_str(),
                                     book_.Format(XlsxStyle::kLink)));
}

void XlsxSheet::ColourLevels(std::size_t first, std::size_t last, std::size_t column) {
  struct Level {
    const char* word;
    XlsxStyle style;
  };
  constexpr Level kLevels[] = {
      {"\"error\"", XlsxStyle::kBad},           {"\"warning\"", XlsxStyle::kWarn},
      {"\"missing\"", XlsxStyle::kWarn},        {"\"broken\"", XlsxStyle::kBad},
      {"\"low confidence\"", XlsxStyle::kWarn}, {"\"pass\"", XlsxStyle::kGood}};
  for (const Level& level : kLevels) {
    std::string word = level.word;
    lxw_conditional_format rule = {};
    rule.type = LXW_CONDITIONAL_TYPE_CELL;
    rule.criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO;
    rule.value_string = word.data();
    rule.format = book_.Format(level.style);
    book_.Check(worksheet_conditional_format_range(sheet_, RowOf(first), ColumnOf(column),
                                                   RowOf(last), ColumnOf(column), &rule));
  }
}

void XlsxSheet::AddBars(std::size_t first, std::size_t last, std::size_t column) {
  lxw_conditional_format bar = {};
  bar.type = LXW_CONDITIONAL_DATA_BAR;
  bar.data_bar_2010 = LXW_TRUE;
  bar.bar_solid = LXW_TRUE;
  bar.bar_color = 0xA6CEE3;
  bar.min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
  bar.max_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
  bar.min_value = 0;
  bar.max_value = 1;
  book_.Check(worksheet_conditional_format_range(sheet_, RowOf(first), ColumnOf(column),
                                                 RowOf(last), ColumnOf(column), &bar));
}

std::size_t XlsxSheet::AddTable(std::size_t row, const std::vector<XlsxColumn>& columns,
                                std::size_t rows, const std::string& name, int level) {
  // Two columns of one table must not have one name.
  std::vector<std::string> heads;
  std::set<std::string> taken;
  for (const XlsxColumn& column : columns) {
    const std::string_view unit = XlsxUnitOf(column.unit).name;
    std::string head = XlsxText(ElideMiddle(column.title.empty() ? "–" : column.title, 80));
    if (!unit.empty()) head += fmt::format(" ({})", unit);
    std::replace(head.begin(), head.end(), '\n', ' ');
    for (int n = 2; !taken.insert(head).second; ++n) head += fmt::format(" {}", n);
    Widen(heads.size(), head + "    ");  // room for the filter's button
    heads.push_back(std::move(head));
  }
  if (rows == 0) {
    for (std::size_t i = 0; i < heads.size(); ++i) Text(row, i, heads[i], XlsxStyle::kHead);
    return row + 1;
  }
  std::vector<lxw_table_column> specs(columns.size());
  std::vector<lxw_table_column*> pointers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    specs[i] = {};
    specs[i].header = heads[i].data();
    const bool is_number = XlsxUnitOf(columns[i].unit).style != XlsxStyle::kPlain;
    const bool is_indented = XlsxTextStyle(columns, i) == XlsxStyle::kIndented;
    specs[i].header_format = book_.Format(is_number     ? XlsxStyle::kHeadRight
                                          : is_indented ? XlsxStyle::kHeadIndented
                                                        : XlsxStyle::kHead);
    pointers.push_back(&specs[i]);
  }
  pointers.push_back(nullptr);
  std::string table_name = name;
  lxw_table_options options = {};
  options.name = table_name.data();
  options.columns = pointers.data();
  options.style_type = LXW_TABLE_STYLE_TYPE_LIGHT;
  options.style_type_number = 1;
  const std::size_t last = row + rows;
  book_.Check(worksheet_add_table(sheet_, RowOf(row), 0, RowOf(last), ColumnOf(columns.size() - 1),
                                  &options));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].unit == Unit::kShare) AddBars(row + 1, last, i);
  }
  if (level >= 0) ColourLevels(row + 1, last, static_cast<std::size_t>(level));
  return last + 1;
}

void XlsxSheet::Outline(std::size_t row, std::size_t level) {
  constexpr double kUsualHeight = 15;
  if (level == 0) return;
  lxw_row_col_options options = {};
  options.level = static_cast<std::uint8_t>(std::min<std::size_t>(level, 7));
  book_.Check(worksheet_set_row_opt(sheet_, RowOf(row), kUsualHeight, nullptr, &options));
  worksheet_outline_settings(sheet_, LXW_TRUE, LXW_FALSE, LXW_TRUE, LXW_FALSE);
}

void XlsxSheet::FitRow(std::size_t row, std::string_view text) {
  constexpr double kLineHeight = 15;
  constexpr std::size_t kMostLines = 25;
  std::size_t lines = 0;
  for (const std::string_view line : Lines(text)) lines += CharactersIn(line) / (kWidest - 8) + 1;
  std::size_t& highest = lines_[row];
  if (lines <= std::max<std::size_t>(1, highest)) return;
  highest = std::min(lines, kMostLines);
  book_.Check(
      worksheet_set_row(sheet_, RowOf(row), kLineHeight * static_cast<double>(highest), nullptr));
}

void XlsxSheet::Freeze(std::size_t rows, std::size_t columns) {
  worksheet_freeze_panes(sheet_, RowOf(rows), ColumnOf(columns));
  if (rows > 0) book_.Check(worksheet_repeat_rows(sheet_, 0, RowOf(rows - 1)));
}

void XlsxSheet::FitColumns() {
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    const std::size_t width = std::clamp(widths_[i] + 2, kNarrowest, kWidest);
    book_.Check(worksheet_set_column(sheet_, ColumnOf(i), ColumnOf(i), static_cast<double>(width),
                                     nullptr));
  }
}

}  // namespace profgauge::render
