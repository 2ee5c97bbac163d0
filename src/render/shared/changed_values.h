// Finds metrics that changed between two compared runs.
#pragma once

#include <cstddef>
#include <vector>

#include "report/labels.h"
#include "report/report.h"

namespace profgauge::render {

using report::kLeastShownChange;
using report::kLeastShownPoints;

/// The metrics without a limit that changed by at least 1 % (shares by half a point), largest
/// change first, then those that rose from 0 and so have no relative change. Metrics with a limit
/// are in Comparison::metrics. Points into `comparison`.
std::vector<const report::PairedValue*> ChangedValues(const report::Comparison& comparison);

}  // namespace profgauge::render
