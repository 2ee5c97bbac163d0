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

/// Makes a trend from `entries`, oldest first. Entries that are not comparable with the last one
/// are excluded, because another model or GPU would look like a change of the level. The series are
/// the median iteration time, and a few metrics that at least two runs have. Changes of the level
/// are searched only between changes of a metric's definition (gate/change_points.h). Steps and
/// creep come from gate/history_check.h, for runs since the last of `levels`.
Trend BuildTrend(std::span<const gate::HistoryEntry* const> entries, const std::string& branch,
                 std::span<const gate::HistoryLevel> levels = {});

}  // namespace profgauge::report
