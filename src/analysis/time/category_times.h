// What one walk over all events of a rank reports its iterations and its collectives: where the
// time went, what loading holds up, and what communication runs beside.
#pragma once

#include <span>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/breakdown.h"

namespace profgauge {

/// Waiting for input data, in the selected iterations and from each to the next: loops often ask
/// for a batch before they mark the iteration.
struct LoaderTimes {
  Ns between = 0;  ///< While the device is idle, after an iteration and before the next.
  Ns stalled = 0;  ///< While no kernel computes, whatever copies, sets or communicates.
};

struct CategoryTimes {
  /// Of every selected iteration, in the order of iterations.selected(): of what the profile
  /// shows of it.
  std::vector<Breakdown> iterations;
  std::vector<Ns> overlapped;  ///< Also, while it computes and communicates at once.
  LoaderTimes loader;
  /// When collectives run and nothing computes. Of the whole profile.
  std::vector<Span> exposed_communication;
  std::vector<Breakdown> ranges;  ///< Of the ranges that were asked for.
};

/// `ranges`: in order, without overlap. O(n log s) for s streams and threads.
CategoryTimes CategoryTimesOf(const RankContext& rank, std::span<const Span> ranges);

/// What the loader holds up, in each selected iteration and from it to the next; sums to the rank's
/// part of dataloader.exposed_time. Empty where it never waits. A walk as CategoryTimesOf().
std::vector<Ns> LoadingByIteration(const RankContext& rank);

}  // namespace profgauge
