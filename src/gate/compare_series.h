// The values of a run by iteration, in the form that comparisons use.
//
// Every list except AllTimes() has one entry for each run, in order. An empty list says that this
// data cannot be compared, since one run at least does not have it: a time that is missing in one
// run is no change. The warm-up of each series is found here (FindWarmup()).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gate/by_chance.h"
#include "gate/change.h"
#include "gate/snapshot.h"

namespace profgauge::gate {

using SeriesList = std::vector<stats::Series>;

/// True if the metric is a time of the typical iteration, from start to end or to the next start. A
/// limit on it also limits the total.
bool IsTypicalTime(std::string_view metric);
/// True if the metric is the mean of such times. It is judged as their total.
bool IsMeanTime(std::string_view metric);

/// The times by iteration of such a metric, for all runs. Empty if a run has none, or has a time of
/// 0, which has no logarithm.
SeriesList TimesOf(std::span<const Snapshot> runs, std::string_view metric);

/// The times of all iterations from start to start, without unobserved time; the last one is its
/// length. If a run has no such times, lengths. Empty in the cases of TimesOf().
SeriesList TotalsOf(std::span<const Snapshot> runs);

/// True if all runs have the times from start to start.
bool HavePeriods(std::span<const Snapshot> runs);

/// For each iteration, the part and the whole of a share. Empty if a run does not have them.
std::vector<stats::ShareOfRun> SharesOf(std::span<const Snapshot> runs, std::string_view metric);

/// The values by iteration of a metric that is a sum over iterations. Empty if a run has none, or
/// if a value is missing.
SeriesList SumsOf(std::span<const Snapshot> runs, std::string_view metric);

/// The values by iteration of a metric as plain numbers, which may be 0. Empty if a run has none.
std::vector<std::vector<double>> PartsByIteration(std::span<const Snapshot> runs,
                                                  std::string_view metric);

/// The observed times of all iterations of all runs.
std::vector<double> AllTimes(std::span<const Snapshot> runs);

/// The median of the runs' medians, without warm-up. REQUIRES: a run; none is only warm-up.
double LevelOf(const SeriesList& runs);

}  // namespace profgauge::gate
