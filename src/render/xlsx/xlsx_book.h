// A workbook over libxlsxwriter, and the locale that it needs: the library prints numbers with
// printf, and a decimal comma would break the file. Same calls, same bytes: the clock, the locale
// and the time zone have no part in it.
#pragma once

#include <locale.h>
#include <xlsxwriter.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/units.h"
#include "profgauge/error.h"
#include "render/xlsx/xlsx_style.h"

namespace profgauge::render {

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
