// The output of `profgauge history trend`.
#pragma once

#include <string>

#include "cli/json_list.h"
#include "report/runs.h"

namespace profgauge::cli {

/// The first series, the median iteration time, as bars; of the others the changes. REQUIRES:
/// `trend` has a series.
std::string TrendText(const report::Trend& trend);

/// A row for each value of a series; the first of a level has the value before it.
JsonList TrendList(const report::Trend& trend);

}  // namespace profgauge::cli
