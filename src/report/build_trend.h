// Makes the trend of a history.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/compare.h"
#include "gate/history.h"
#include "model/devices.h"
#include "model/profile.h"
#include "report/build_report.h"
#include "report/report.h"
#include "report/runs.h"
#include "rules/evaluator.h"
#include "rules/plan.h"

namespace profgauge::report {

/// `entries`: oldest first. Those that are not comparable with the last one are left out: one of
/// another model or GPU would be a change of the level. Series: the median iteration time of all
/// runs, and a few other metrics that at least two runs have. Changes of the level are looked for
/// between two changes of a metric's definition only (gate/change_points.h).
/// Steps and creep are those of gate/history_check.h, of the runs since the last of `levels`.
Trend BuildTrend(std::span<const gate::HistoryEntry* const> entries, const std::string& branch,
                 std::span<const gate::HistoryLevel> levels = {});

}  // namespace profgauge::report
