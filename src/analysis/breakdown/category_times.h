// The result of one walk over all events of a rank, for its iterations and its collectives: the
// time by category, the delays by loading, and the overlap of communication. One walk serves them
// all, since it goes over every event.
#pragma once

#include <span>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/work_sums.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Waiting for input data, in the selected iterations and from each to the next: loops often ask
/// for a batch before they mark the iteration. Sums over the rank, ns; unobserved time is left out.
struct LoaderTimes {
  Ns between = 0;  ///< While the device is idle, after an iteration and before the next.
  Ns stalled = 0;  ///< While no kernel computes, whatever copies, sets or communicates.
};

/// The results of the walk, by selected iteration. A rank without events has breakdowns of which
/// all time is `other`, and no exposed communication.
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

/// `ranges`: in order, without overlap; may be empty, and may lie outside of iterations. They are
/// broken down whole, with their unobserved time. O(n log s) for s streams and threads.
CategoryTimes CategoryTimesOf(const iterations::RankContext& rank, std::span<const Span> ranges);

/// Exposed loading time in each selected iteration and from it to the next; sums to the rank's part
/// of dataloader.exposed_time. Empty where it never waits. A walk as CategoryTimesOf().
std::vector<Ns> LoadingByIteration(const iterations::RankContext& rank);

// Metrics that are sums over iterations, iteration by iteration. They let the gate compute how
// chance distributes slow iterations.

/// By metric id: the time of kernels, of the iterations that launched them. Where nothing divides
/// the profile there is none.
std::vector<NameWork> IterationSumsOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::breakdown
