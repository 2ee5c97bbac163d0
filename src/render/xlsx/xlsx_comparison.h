#pragma once

#include <xlsxwriter.h>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "render/xlsx/xlsx_book.h"
#include "report/report.h"
#include "report/table_look.h"

namespace profgauge::render {

/// If there is a comparison, adds the sheets Baseline (differences and limits), Waterfall with its
/// chart, Kernel changes, Operator changes and Side by side.
void AddComparisonSheets(XlsxBook& book, const report::Report& report);

}  // namespace profgauge::render
