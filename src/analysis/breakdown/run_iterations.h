// The iterations of the whole run, over all its ranks: times, statistics and breakdown.
//
// Iteration i of a run lasts as long as on its slowest rank, because ranks wait for each other.
// Ranks that wait for each other end together, and the longest is then random. So among ranks
// within 2 % of the longest, the slowest is the one with the most time outside of exposed
// collectives, for which the others waited. Its row in the table of iterations has the slowest
// rank's parts, which add up to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/category_times.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis {
struct Analysis;
}  // namespace profgauge::analysis

namespace profgauge::analysis::breakdown {

/// One iteration of the run, as on its slowest rank. Times are ns.
struct RunIteration {
  std::string name;
  std::size_t rank = 0;       ///< Position of the slowest in `ranks`.
  std::size_t iteration = 0;  ///< Index into its iterations.all.
  Ns duration = 0;
  Ns unobserved = 0;  ///< Unobserved part of the duration.
  /// Time from its start to the next start on the same rank; none for the last one, and if the
  /// profile skips some (their numbers jump).
  std::optional<Ns> period = {};
};

/// Sets the number of iterations, the number of selected ones, their source, and the window of the
/// rank with the longest window. REQUIRES: `ranks` is not empty. Excluded iterations at the ends of
/// a profile are in the total, since they were recorded.
void SetExtent(std::span<const iterations::RankContext> ranks, Analysis& analysis);

/// Sums over the kernels launched in an iteration.
struct IterationKernels {
  std::int64_t kernels = 0, tensor_core_kernels = 0;
  Ns time = 0, tensor_core_time = 0;
  Ns changing = 0;  ///< ChangingWork().
};

/// Processes that mark iterations in one profile; the markers of one are used.
struct MarkingProcesses {
  std::int64_t count = 0;
  double slower = 1;  ///< Iteration time of the slowest process relative to the used one.
};

/// Data of one rank that the run needs besides its iterations: only numbers, which can be stored
/// without the profile.
struct IterationFacts {
  bool has_device = false, has_host = false, has_api = false;
  std::int64_t gpus_listed = 0;
  MarkingProcesses processes;
  LoaderTimes loader;
  std::vector<Breakdown> parts;           ///< By selected iteration.
  std::vector<IterationKernels> kernels;  ///< The same.
};
/// `times`: CategoryTimesOf() for the rank. O(n log n) in its device rows, calls and host rows.
IterationFacts IterationFactsOf(const iterations::RankContext& rank, const CategoryTimes& times);

/// Returns the run's selected iterations by number, or by time if numbers decrease. Ranks are
/// matched by these numbers, so a rank that began recording later does not shift the others.
/// `facts`: one for each rank, of which has_device and parts are used. Ranks without markers are
/// ignored if others have some.
///
///   rank    iteration 5           communicating only   own time
///   0       |--------------|100    30                   70
///   1       |-------------|99       5                   94    the slowest: 1 is within 2 % of 0
///   2       |--------|60            0                         too short to be compared
std::vector<RunIteration> PoolIterations(std::span<const iterations::RankContext> ranks,
                                         std::span<const IterationFacts> facts);

/// Sets profile.ranks, profile.gpus and profile.gpus_listed, which need no timeline.
void SetRecording(std::span<const iterations::RankContext> ranks, catalog::Output& out);

/// Sets profile.*, iteration.*, breakdown.* and dataloader.*, adds the table of iterations, and
/// proposes a steady range if the selection is unsteady. Returns PoolIterations(). Needs no events:
/// it reads only rank, iterations, GPUs with work and hints of the contexts. REQUIRES: `ranks` is
/// not empty, and `facts` has one entry for each.
std::vector<RunIteration> AddIterations(std::span<const iterations::RankContext> ranks,
                                        std::span<const IterationFacts> facts,
                                        catalog::Output& out);

/// The processes that mark iterations in the rank's profile; 0 if none is found. O(calls and host
/// rows).
MarkingProcesses ProcessesOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::breakdown
