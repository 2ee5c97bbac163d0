// The format of a workbook: styles of cells, a number format for each unit, and valid texts.
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
  kWrap,  ///< Text of several lines, aligned at the top.
  kMuted,
  kLink,
  kDate,
  kCount,
  kNumber,
  kMilliseconds,
  kPercent,
  kPoints,  ///< A difference of percentages.
  kAmount,
  kMegabytes,
  kGood,
  kBad,
  kWarn,
  kHead,
  kHeadRight,
  kHeadIndented,
  kIndented,  ///< Text with a space before it, after a number.
  kWrapIndented,
  kClipped,  ///< Text that its cell clips.
  kFree,     ///< Overflows, and widens no column.
};

/// How a unit is written: times in ms, sizes in MB, work in GFLOP, rates in GB/s and TFLOP/s; other
/// units unchanged.
struct XlsxUnit {
  double factor = 1;
  std::string_view name;  ///< For heads: "ms"; empty: none.
  XlsxStyle style = XlsxStyle::kPlain;
};
XlsxUnit XlsxUnitOf(Unit unit);

/// The library's number for a color such as "#1a7f37".
lxw_color_t XlsxColour(std::string_view fill);

/// The style for a state's word.
XlsxStyle XlsxStyleOf(Tone tone);

/// Applies `style` to a format of the library.
void SetUpFormat(lxw_format* format, XlsxStyle style);

/// Plain text from Markdown: code without backticks, list items with "•".
std::string XlsxProse(std::string_view markdown);
/// Plain text from a text with parts, or from a list's points.
std::string XlsxProse(const RichText& parts);
std::string XlsxAdvice(const std::vector<RichText>& points);

/// The text in a form that a cell can have: valid UTF-8 and XML, at most 32 767 characters.
std::string XlsxText(std::string_view text);

/// The address of a cell, such as "$B$7". `column` and `row` count from 0.
std::string XlsxAddress(std::size_t row, std::size_t column);

// Sets the locale for libxlsxwriter, which prints numbers by printf: a decimal comma would make the
// file invalid.

/// Sets the locale "C" for this thread during its lifetime.
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

// A workbook over libxlsxwriter. Clock, locale and time zone do not change its bytes.

/// The date of a file whose profile has none: 2000-01-01, because no clock is used.
inline constexpr std::int64_t kUnknownDay = 946'684'800;

class XlsxBook {
 public:
  /// `created`: the file's date, in seconds since 1970.
  XlsxBook(const std::string& title, std::int64_t created);
  ~XlsxBook();
  XlsxBook(const XlsxBook&) = delete;
  XlsxBook& operator=(const XlsxBook&) = delete;

  /// Returns the bytes of the file. Called once, at the end. Errors: kOutput "xlsx/library".
  Result<std::string> Finish();

  lxw_workbook* handle() { return book_; }
  lxw_format* Format(XlsxStyle style);
  /// The number format of `unit`, which contains the unit, for columns of mixed units.
  lxw_format* FormatWithUnit(Unit unit);
  /// Gives cells of a sheet ("$B$4", "$E$2:$E$68") a name, for formulas and scripts.
  void Name(const char* name, const std::string& sheet, const std::string& cells);
  /// Stores the first error of the library, for Finish().
  void Check(lxw_error error);

 private:
  std::string folder_;     ///< For the library's temporary files.
  std::string to_remove_;  ///< Removed at the end; may be empty.
  int file_ = -1;
  lxw_workbook* book_ = nullptr;
  std::map<XlsxStyle, lxw_format*> formats_;
  std::map<Unit, lxw_format*> unit_formats_;
  lxw_error error_ = LXW_NO_ERROR;
};

}  // namespace profgauge::render
