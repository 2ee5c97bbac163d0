#include "render/xlsx/xlsx_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "render/shared/looks.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kNarrowest = 8, kWidest = 60;

lxw_row_t RowOf(std::size_t row) { return static_cast<lxw_row_t>(row); }
lxw_col_t ColumnOf(std::size_t column) { return static_cast<lxw_col_t>(column); }

}  // namespace

XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index) {
  const bool behind_number =
      index > 0 && XlsxUnitOf(columns[index - 1].unit).style != XlsxStyle::kPlain;
  return behind_number ? XlsxStyle::kIndented : XlsxStyle::kPlain;
}

XlsxSheet::XlsxSheet(XlsxBook& book, const std::string& name) : book_(book), name_(name) {
  sheet_ = workbook_add_worksheet(book.handle(), name.c_str());
  worksheet_set_landscape(sheet_);
  worksheet_set_paper(sheet_, 9);  // A4
  worksheet_fit_to_pages(sheet_, 1, 0);
}

// Widens a column so that a text fits. Compares bytes first, because counting characters is slower.
void XlsxSheet::Widen(std::size_t column, std::string_view text) {
  if (widths_.size() <= column) widths_.resize(column + 1, 0);
  if (text.size() <= widths_[column]) return;  // Bytes are at least as many as characters.
  widths_[column] = std::max(widths_[column], CharactersIn(text));
}

void XlsxSheet::WidenTo(std::size_t column, double value, int decimals) {
  if (largest_.size() <= column) largest_.resize(column + 1);
  auto& [largest, most_decimals] = largest_[column];
  // The column already fits a number with as many digits.
  if (!std::signbit(value) && value <= largest && decimals <= most_decimals) return;
  if (value >= largest && decimals >= most_decimals) largest_[column] = {value, decimals};
  Widen(column, fmt::format("{:.{}f}", value, decimals));
}

void XlsxSheet::Text(std::size_t row, std::size_t column, std::string_view text, XlsxStyle style) {
  if (text.empty()) return;
  const std::string shown = XlsxText(text);
  // A long line is clipped; otherwise it would run over the page after a table's last column.
  const bool is_line = style == XlsxStyle::kPlain || style == XlsxStyle::kIndented;
  if (is_line && shown.size() > kWidest && CharactersIn(shown) > kWidest)
    style = XlsxStyle::kClipped;
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
  const bool has_decimals = style == XlsxStyle::kMilliseconds || style == XlsxStyle::kMegabytes ||
                            style == XlsxStyle::kAmount;
  WidenTo(column, value, has_decimals ? 5 : 1);
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

// In a column of mixed units, the format of each cell has its unit, so the cell is a number for
// formulas.
void XlsxSheet::Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity) {
  if (IsAbsent(quantity.value) || std::holds_alternative<std::string>(quantity.value)) {
    return Text(row, column, quantity.text, XlsxStyle::kWrap);
  }
  // The text of a difference of shares is in points, and its format is not percent.
  const bool is_points = quantity.unit == Unit::kShare && quantity.text.ends_with("points");
  const double factor = is_points ? 100 : XlsxUnitOf(quantity.unit).factor;
  const double value = AsNumber(quantity.value, 0) * factor;
  if (!std::isfinite(value)) return;
  book_.Check(worksheet_write_number(
      sheet_, RowOf(row), ColumnOf(column), value,
      is_points ? book_.Format(XlsxStyle::kPoints) : book_.FormatWithUnit(quantity.unit)));
  Widen(column, quantity.text + "0000");
}

void XlsxSheet::Formula(std::size_t row, std::size_t column, const std::string& formula,
                        double value, XlsxStyle style) {
  book_.Check(worksheet_write_formula_num(sheet_, RowOf(row), ColumnOf(column), formula.c_str(),
                                          book_.Format(style), value));
  WidenTo(column, value, style == XlsxStyle::kCount ? 0 : 5);
}

void XlsxSheet::Note(std::size_t row, std::size_t column, std::string_view text) {
  constexpr std::size_t kMostCharacters = 300;
  book_.Check(worksheet_write_comment(sheet_, RowOf(row), ColumnOf(column),
                                      XlsxText(ElideMiddle(text, kMostCharacters)).c_str()));
}

void XlsxSheet::Link(std::size_t row, std::size_t column, const std::string& target,
                     std::string_view text) {
  const std::string shown = XlsxText(text);
  const lxw_error error = worksheet_write_url(sheet_, RowOf(row), ColumnOf(column), target.c_str(),
                                              book_.Format(XlsxStyle::kLink));
  // If an address is too long for the format, it is written as text.
  if (error != LXW_NO_ERROR) return Text(row, column, text);
  book_.Check(worksheet_write_string(sheet_, RowOf(row), ColumnOf(column), shown.c_str(),
                                     book_.Format(XlsxStyle::kLink)));
}

void XlsxSheet::AskForChoice(std::size_t first, std::size_t last, std::size_t column,
                             std::vector<std::string> words) {
  // The library's function takes writable texts, but does not write them.
  std::vector<char*> choices;
  for (std::string& word : words) choices.push_back(word.data());
  choices.push_back(nullptr);
  lxw_data_validation choice = {};
  choice.validate = LXW_VALIDATION_TYPE_LIST;
  choice.value_list = choices.data();
  book_.Check(worksheet_data_validation_range(sheet_, RowOf(first), ColumnOf(column), RowOf(last),
                                              ColumnOf(column), &choice));
}

void XlsxSheet::AskForDate(std::size_t first, std::size_t last, std::size_t column) {
  std::string title = "Not a date", message = "Enter a date, e.g. 2027-03-31.";
  lxw_data_validation date = {};
  date.validate = LXW_VALIDATION_TYPE_DATE;
  date.criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN;
  date.minimum_datetime = {2000, 1, 1, 0, 0, 0};
  date.value_datetime = {2000, 1, 1, 0, 0, 0};
  date.error_title = title.data();
  date.error_message = message.data();
  book_.Check(worksheet_data_validation_range(sheet_, RowOf(first), ColumnOf(column), RowOf(last),
                                              ColumnOf(column), &date));
  for (std::size_t row = first; row <= last; ++row) {
    worksheet_write_blank(sheet_, RowOf(row), ColumnOf(column), book_.Format(XlsxStyle::kDate));
  }
}

// Adds a color rule for each word, not a format for each cell, so that a changed word changes its
// color.
void XlsxSheet::ColourLevels(std::size_t first, std::size_t last, std::size_t column) {
  using enum report::State;
  for (const State state :
       {kError, kWarn, kMissing, kOpen, kBroken, kLowConfidence, kPass, kGood}) {
    const StatusLook& look = LookOf(state);
    std::string word = '"' + std::string(look.word) + '"';
    lxw_conditional_format rule = {};
    rule.type = LXW_CONDITIONAL_TYPE_CELL;
    rule.criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO;
    rule.value_string = word.data();
    rule.format = book_.Format(XlsxStyleOf(look.tone));
    book_.Check(worksheet_conditional_format_range(sheet_, RowOf(first), ColumnOf(column),
                                                   RowOf(last), ColumnOf(column), &rule));
  }
}

std::size_t XlsxSheet::AddTable(std::size_t row, const std::vector<XlsxColumn>& columns,
                                std::size_t rows, const std::string& name, int level) {
  // Columns of a table must have distinct names.
  std::vector<std::string> heads;
  std::set<std::string> taken;
  for (const XlsxColumn& column : columns) {
    const std::string_view unit = XlsxUnitOf(column.unit).name;
    std::string head = XlsxText(ElideMiddle(column.title.empty() ? "–" : column.title, 80));
    if (!unit.empty()) head += fmt::format(" ({})", unit);
    std::replace(head.begin(), head.end(), '\n', ' ');
    for (int n = 2; !taken.insert(head).second; ++n) head += fmt::format(" {}", n);
    Widen(heads.size(), head + "    ");  // Leaves space for the filter's button.
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
  if (level >= 0) ColourLevels(row + 1, last, static_cast<std::size_t>(level));
  return last + 1;
}

// Summary rows are above their parts, as in a tree. The library sets level and height together.
void XlsxSheet::Outline(std::size_t row, std::size_t level) {
  constexpr double kUsualHeight = 15;
  if (level == 0) return;
  lxw_row_col_options options = {};
  options.level = static_cast<std::uint8_t>(std::min<std::size_t>(level, 7));
  book_.Check(worksheet_set_row_opt(sheet_, RowOf(row), kUsualHeight, nullptr, &options));
  worksheet_outline_settings(sheet_, LXW_TRUE, LXW_FALSE, LXW_TRUE, LXW_FALSE);
}

// The height is an estimate, because only the spreadsheet knows its fonts: 52 characters a line, at
// most 25 lines. The longest text of a row counts.
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

void XlsxSheet::PrintOnOnePage(std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0) return;
  book_.Check(worksheet_print_area(sheet_, 0, 0, RowOf(rows - 1), ColumnOf(columns - 1)));
  worksheet_fit_to_pages(sheet_, 1, 1);
}

std::string XlsxSheet::RangeOf(std::size_t first_row, std::size_t last_row,
                               std::size_t column) const {
  return fmt::format("'{}'!{}:{}", name_, XlsxAddress(first_row, column),
                     XlsxAddress(last_row, column));
}

void XlsxSheet::FitColumns() {
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    const std::size_t width = std::clamp(widths_[i] + 2, kNarrowest, kWidest);
    book_.Check(worksheet_set_column(sheet_, ColumnOf(i), ColumnOf(i), static_cast<double>(width),
                                     nullptr));
  }
}

}  // namespace profgauge::render
