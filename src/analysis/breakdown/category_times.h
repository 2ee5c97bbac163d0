// The results of one walk over all events of a rank: time by category, waiting for data, and the
// overlap of communication. They share one walk because it visits every event.
#pragma once

#include <span>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/work_sums.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Waiting for input data in the selected iterations, and between each and the next: loops often
/// request a batch before they mark the iteration. Sums over the rank in ns, without unobserved
/// time.
struct LoaderTimes {
  Ns between = 0;  ///< While the device is idle, after an iteration and before the next.
  Ns stalled = 0;  ///< While no kernel computes; copies, memsets and communication may run.
};

/// The results of the walk by selected iteration. For a rank without events, all time is `other`,
/// and there is no exposed communication.
struct CategoryTimes {
  /// The breakdown of every selected iteration, in the order of iterations.selected(). It covers
  /// observed time only.
  std::vector<Breakdown> iterations;
  /// By iteration, the time in which the rank computes and communicates simultaneously.
  std::vector<Ns> overlapped;
  LoaderTimes loader;
  /// When collectives run and no kernel computes. Covers the whole profile.
  std::vector<Span> exposed_communication;
  std::vector<Breakdown> ranges;  ///< Breakdowns of the requested ranges.
};

/// `ranges`: disjoint and in order, inside of iterations or not; may be empty. Their breakdowns
/// include unobserved time. O(n log s) for s streams and threads.
CategoryTimes CategoryTimesOf(const iterations::RankContext& rank, std::span<const Span> ranges);

/// Returns, for each selected iteration, the exposed loading time in it and until the next one.
/// Adds up to the rank's part of dataloader.exposed_time; empty if it never waits. One more walk.
std::vector<Ns> LoadingByIteration(const iterations::RankContext& rank);

// Metrics that are sums over iterations, given for each iteration. The gate uses them to compute
// the effect of randomly slow iterations.

/// By metric id, the kernel time in each iteration; a kernel counts for the iteration that launched
/// it. Empty if the profile has no iterations.
std::vector<NameWork> IterationSumsOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::breakdown
