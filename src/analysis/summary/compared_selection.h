// What was selected and known when a run was analyzed, as runs that are compared must have it.
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge {

/// ComparedSelection() of all iterations, with nothing known.
inline constexpr std::string_view kAllIterations = "all iterations";

/// Which of the marked iterations count, and what the project knows of kernels and devices; equal
/// texts mean equal choices. What marks iterations, and a range, are no part of it: a snapshot has
/// these apart.
std::string ComparedSelection(const Selection& selection);

}  // namespace profgauge
