// The form of a workbook's contents: styles of cells, a number format per unit, text that a cell
// can hold.
#pragma once

#include <locale.h>
#include <xlsxwriter.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"
#include "base/units.h"
#include "profgauge/error.h"
#include "render/shared/looks.h"

namespace profgauge::render {

enum class XlsxStyle : std::uint8_t {
  kPlain,
  kTitle,
  kHeading,
  kBold,
  kWrap,  ///< Text of several lines, from the top of its cell.
  kMuted,
  kLink,
  kDate,
  kCount,
  kNumber,
  kMilliseconds,
  kPercent,
  kPoints,  ///< Differences of percentages.
  kAmount,
  kMegabytes,
  kGood,
  kBad,
  kWarn,
  kHead,
  kHeadRight,
  kHeadIndented,
  kIndented,  ///< Text after a number, with a space between them.
  kWrapIndented,
  kClipped,  ///< Text that stays in its cell.
  kFree,     ///< Text that may run over its neighbors and widens no column.
};

/// How a unit is written: times in ms, sizes in MB, work in GFLOP, rates in GB/s and TFLOP/s; the
/// rest as it is.
struct XlsxUnit {
  double factor = 1;
  std::string_view name;  ///< For the head of a column: "ms"; empty: none.
  XlsxStyle style = XlsxStyle::kPlain;
};
XlsxUnit XlsxUnitOf(Unit unit);

/// "#1a7f37" as the library takes it.
lxw_color_t XlsxColour(std::string_view fill);

/// For a state's word.
XlsxStyle XlsxStyleOf(Tone tone);

/// Writes `style` into a format of the library.
void SetUpFormat(lxw_format* format, XlsxStyle style);

/// Text with its Markdown taken out: code without its backticks, list items with "•".
std::string XlsxProse(std::string_view markdown);
/// The same of texts that have their parts, and of points of a list.
std::string XlsxProse(const RichText& parts);
std::string XlsxAdvice(const std::vector<RichText>& points);

/// Text that a cell can hold: valid UTF-8 and XML, at most 32 767 characters.
std::string XlsxText(std::string_view text);

/// "$B$7" with `column` and `row` counted from 0.
std::string XlsxAddress(std::size_t row, std::size_t column);

// A workbook over libxlsxwriter, and the locale that it needs: the library prints numbers with
// printf, and a decimal comma would break the file. Same calls, same bytes: the clock, the locale
// and the time zone have no part in it.

/// The locale "C" for this thread, as long as it lives.
class CLocale {
 public:
  CLocale() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)), old_(uselocale(locale_)) {}
  ~CLocale() {
    uselocale(old_);
    if (locale_ != nullptr) freelocale(locale_);
  }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t locale_, old_;
};

// A workbook over libxlsxwriter. Same calls, same bytes: the clock, the locale and the time zone
// have no part in it.

/// The date of a file whose recording has none, 2000-01-01: no clock is asked.
inline constexpr std::int64_t kUnknownDay = 946'684'800;

class XlsxBook {
 public:
  /// `created` is written as the file's date, seconds since 1970.
  XlsxBook(const std::string& title, std::int64_t created);
  ~XlsxBook();
  XlsxBook(const XlsxBook&) = delete;
  XlsxBook& operator=(const XlsxBook&) = delete;

  /// The bytes of the file. Errors: kOutput "xlsx/library". Once, as the last call.
  Result<std::string> Finish();

  lxw_workbook* handle() { return book_; }
  lxw_format* Format(XlsxStyle style);
  /// The number format of `unit` with the unit after the number, for columns of mixed units.
  lxw_format* FormatWithUnit(Unit unit);
  /// Gives cells of a sheet ("$B$4", "$E$2:$E$68") a name that formulas and scripts can use.
  void Name(const char* name, const std::string& sheet, const std::string& cells);
  /// Keeps the first failure.
  void Check(lxw_error error);

 private:
  std::string folder_;     ///< For temporary files of the library.
  std::string to_remove_;  ///< A file with a separate name; empty: there is none.
  int file_ = -1;
  lxw_workbook* book_ = nullptr;
  std::map<XlsxStyle, lxw_format*> formats_;
  std::map<Unit, lxw_format*> unit_formats_;
  lxw_error error_ = LXW_NO_ERROR;
};

}  // namespace profgauge::render
