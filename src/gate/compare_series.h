// The values of a run by iteration, as a comparison takes them.
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

/// Whether the metric is a time of the typical iteration, from start to end or to the next start;
/// a limit on it holds the total to the same.
bool IsTypicalTime(std::string_view metric);
/// Whether it is the mean of such times, which is their total.
bool IsMeanTime(std::string_view metric);

/// Per-iteration times of such a metric, of all runs; empty when one has none, or has a time of 0,
/// which has no logarithm.
SeriesList TimesOf(std::span<const Snapshot> runs, std::string_view metric);

/// The times of all iterations, from start to start without unobserved time; the last one counts
/// its own length. Where a run does not know its periods, lengths; empty as TimesOf.
SeriesList TotalsOf(std::span<const Snapshot> runs);

/// Whether all runs know their iterations from start to start.
bool HavePeriods(std::span<const Snapshot> runs);

/// The time that a share is of, by iteration; empty when a run has no such values.
std::vector<stats::ShareOfRun> SharesOf(std::span<const Snapshot> runs, std::string_view metric);

/// Values by iteration of a metric that is a sum over iterations; empty if a run does not know it,
/// or an iteration has none.
SeriesList SumsOf(std::span<const Snapshot> runs, std::string_view metric);

/// The same as plain numbers, of which some may be 0; empty when a run does not know it.
std::vector<std::vector<double>> PartsByIteration(std::span<const Snapshot> runs,
                                                  std::string_view metric);

/// The observed times of all iterations of all runs.
std::vector<double> AllTimes(std::span<const Snapshot> runs);

/// Median of the runs' medians without warm-up. REQUIRES: not empty, and no series is all warm-up.
double LevelOf(const SeriesList& runs);

}  // namespace profgauge::gate
