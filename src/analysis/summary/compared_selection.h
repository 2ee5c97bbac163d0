// Selection and knowledge at the time of an analysis, which must agree between compared runs.
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge {

/// ComparedSelection() of all iterations, with nothing known.
inline constexpr std::string_view kAllIterations = "all iterations";

/// Which of the marked iterations count, and the project's knowledge of kernels and devices; equal
/// texts mean equal choices. Markers of iterations, and a range, are no part of it: a snapshot has
/// these apart.
std::string ComparedSelection(const Selection& selection);

}  // namespace profgauge
