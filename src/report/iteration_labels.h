// The names of iterations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::report {

/// "ProfilerStep#5 (0)" by position, of those whose recorded name is not their position.
using Labels = std::map<std::int64_t, std::string>;
Labels IterationLabels(const Report& report);

/// The one that a cell under this title names; empty if it names no iteration, or one
/// whose name is its position.
std::string_view LabelOfCell(const Labels& labels, std::string_view title, const Value& cell);

}  // namespace profgauge::report
