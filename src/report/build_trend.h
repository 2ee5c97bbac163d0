// Makes the trend of a history.
#pragma once

#include <span>
#include <string>

#include "gate/history.h"
#include "report/trend.h"

namespace profgauge::report {

/// `entries`: oldest first. Series: the median iteration time of all runs, and a few other metrics
/// that at least two runs have.
Trend BuildTrend(std::span<const HistoryEntry> entries, const std::string& branch);

}  // namespace profgauge::report
