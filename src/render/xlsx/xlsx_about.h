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

/// A row for every metric. If a metric is absent, the note is the reason.
void AddMetricsSheet(XlsxBook& book, const report::Report& report);

/// Sources, hashes, options, environment, import log, and data that this workbook does not have.
void AddAboutSheet(XlsxBook& book, const report::Report& report);

}  // namespace profgauge::render
