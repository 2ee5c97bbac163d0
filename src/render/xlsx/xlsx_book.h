// The format of a workbook: styles of cells, a number format per unit, and valid cell text.
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
  kClipped,  ///< Text that is clipped to its cell.
  kFree,     ///< Text that may overflow and widens no column.
};

/// The written form of a unit: times in ms, sizes in MB, work in GFLOP, rates in GB/s and TFLOP/s;
/// others unchanged.
struct XlsxUnit {
  double factor = 1;
  std::string_view name;  ///< For column heads: "ms"; empty: none.
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
/// Plain text from a text with parts, and from the points of a list.
std::string XlsxProse(const RichText& parts);
std::string XlsxAdvice(const std::vector<RichText>& points);

/// Text that a cell can hold: valid UTF-8 and XML, at most 32 767 characters.
std::string XlsxText(std::string_view text);

/// A cell address such as "$B$7"; `column` and `row` are zero-based.
std::string XlsxAddress(std::size_t row, std::size_t column);

// The locale for libxlsxwriter: the library prints numbers with printf, and a decimal comma would
// break the file.

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

// A workbook over libxlsxwriter. The bytes do not depend on clock, locale or time zone.

/// The date of a file whose profile has no date: 2000-01-01, so that no clock is used.
inline constexpr std::int64_t kUnknownDay = 946'684'800;

class XlsxBook {
 public:
  /// `created`: the file's date, in seconds since 1970.
  XlsxBook(const std::string& title, std::int64_t created);
  ~XlsxBook();
  XlsxBook(const XlsxBook&) = delete;
  XlsxBook& operator=(const XlsxBook&) = delete;

  /// Returns the bytes of the file; called once, at the end. Errors: kOutput "xlsx/library".
  Result<std::string> Finish();

  lxw_workbook* handle() { return book_; }
  lxw_format* Format(XlsxStyle style);
  /// The number format of `unit`, including the unit, for columns of mixed units.
  lxw_format* FormatWithUnit(Unit unit);
  /// Names cells of a sheet ("$B$4", "$E$2:$E$68") for formulas and scripts.
  void Name(const char* name, const std::string& sheet, const std::string& cells);
  /// Stores the first failure.
  void Check(lxw_error error);

 private:
  std::string folder_;     ///< For temporary files of the library.
  std::string to_remove_;  ///< A named file to remove; empty: none.
  int file_ = -1;
  lxw_workbook* book_ = nullptr;
  std::map<XlsxStyle, lxw_format*> formats_;
  std::map<Unit, lxw_format*> unit_formats_;
  lxw_error error_ = LXW_NO_ERROR;
};

}  // namespace profgauge::render
