// What people call an iteration.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "report/report.h"

namespace profgauge::report {

/// "ProfilerStep#5 (0)" by position, of those whose recorded name is not their position.
std::map<std::int64_t, std::string> IterationLabels(const Report& report);

}  // namespace profgauge::report
