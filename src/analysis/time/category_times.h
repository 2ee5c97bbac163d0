// The result of one walk over all events of a rank, for its iterations and its collectives: the
// time by category, the delays by loading, and the overlap of communication.
#pragma once

#include <span>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/breakdown.h"
#include "analysis/time/work_sums.h"

namespace profgauge {

/// Waiting for input data, in the selected iterations and from each to the next: loops often ask
/// for a batch before they mark the iteration.
struct LoaderTimes {
  Ns between = 0;  ///< While the device is idle, after an iteration and before the next.
  Ns stalled = 0;  ///< While no kernel computes, whatever copies, sets or communicates.
};

/// The results of the walk, by selected iteration. Empty lists if no event is of their kind.
struct CategoryTimes {
  /// The breakdown of every selected iteration, in the order of iterations.selected(). It covers
  /// observed time only.
  std::vector<Breakdown> iterations;
  /// Also the time in which it computes and communicates simultaneously.
  std::vector<Ns> overlapped;
  LoaderTimes loader;
  /// When collectives run and nothing computes. Covers the whole profile.
  std::vector<Span> exposed_communication;
  std::vector<Breakdown> ranges;  ///< Breakdowns of the requested ranges.
};

/// `ranges`: in order, without overlap. O(n log s) for s streams and threads.
CategoryTimes CategoryTimesOf(const RankContext& rank, std::span<const Span> ranges);

/// Exposed loading time in each selected iteration and from it to the next; sums to the rank's part
/// of dataloader.exposed_time. Empty where it never waits. A walk as CategoryTimesOf().
std::vector<Ns> LoadingByIteration(const RankContext& rank);

// Metrics that are sums over iterations, iteration by iteration. They let the gate compute how
// chance distributes slow iterations.

/// By metric id: the time of kernels, and of copies by direction. Where nothing divides the
/// profile there is none.
std::vector<NameWork> IterationSumsOf(const RankContext& rank);

}  // namespace profgauge
