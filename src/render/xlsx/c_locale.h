// libxlsxwriter prints numbers with printf: a decimal comma would break the file.
#pragma once

#include <locale.h>

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

}  // namespace profgauge::render
