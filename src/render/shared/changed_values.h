// Metrics of two compared runs that changed.
#pragma once

#include <cstddef>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

/// Changes below are in the noise of nearly all runs, and shares of less than half a point of a
/// whole mean nothing; `compare` lists such, and warns of none.
inline constexpr double kLeastShownChange = 0.01, kLeastShownPoints = 0.005;

/// Those without a limit that changed by at least 1 %, shares by half a point; the largest change
/// first, then those that rose from 0, which have no share. The compared ones are in
/// Comparison::metrics. The pointers are into `comparison`.
std::vector<const report::PairedValue*> ChangedValues(const report::Comparison& comparison);

}  // namespace profgauge::render
