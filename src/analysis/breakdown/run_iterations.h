// The iterations of the whole run, over all of its ranks: their times, statistics and breakdown.
//
// Iteration i of a run lasts as long as its slowest rank: ranks wait for each other, so that is the
// cost to the run. Ranks that wait for each other end together, and by chance one of them last: of
// those within 2 % of the longest, the slowest is the one with the most time beside exposed
// collectives, for which the others waited. Its row in the table of iterations is the slowest
// rank's, whose parts add up to it.
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

/// One iteration of the run: that of its slowest rank. Times are ns.
struct RunIteration {
  std::string name;
  std::size_t rank = 0;       ///< Position in `ranks` of the slowest.
  std::size_t iteration = 0;  ///< Its index into iterations.all there.
  Ns duration = 0;
  Ns unobserved = 0;  ///< Unobserved part of the duration.
  /// From its start to that of the next on the same rank; nothing for the last one, and where the
  /// profile skips some (their numbers jump).
  std::optional<Ns> period = {};
};

/// Sets the number of iterations, the number of selected ones, their source, and the window: that
/// of the rank whose window is longest. REQUIRES: `ranks` is not empty. Excluded iterations at the
/// ends of a profile count in the total: they were recorded.
void SetExtent(std::span<const iterations::RankContext> ranks, Analysis& analysis);

/// Sums over the kernels launched in an iteration.
struct IterationKernels {
  std::int64_t kernels = 0, tensor_core_kernels = 0;
  Ns time = 0, tensor_core_time = 0;
  Ns changing = 0;  ///< ChangingWork().
};

/// Processes that mark iterations in one profile, of which one's are taken.
struct MarkingProcesses {
  std::int64_t count = 0;
  double slower = 1;  ///< How many times as long those of the slowest take.
};

/// Data of one rank that the run needs besides its iterations. Only numbers, so that it can be
/// kept without the profile.
struct IterationFacts {
  bool has_device = false, has_host = false, has_api = false;
  std::int64_t gpus_listed = 0;
  MarkingProcesses processes;
  LoaderTimes loader;
  std::vector<Breakdown> parts;           ///< Parts of the selected iterations, in their order.
  std::vector<IterationKernels> kernels;  ///< Also.
};
/// `times`: CategoryTimesOf() the rank. O(n log n) in its device rows, calls and host rows.
IterationFacts IterationFactsOf(const iterations::RankContext& rank, const CategoryTimes& times);

/// The selected iterations, in the order of their numbers; in that of time where these fall, as all
/// series of a rank are. Ranks are matched by the numbers, so that a rank which began recording
/// later does not shift the others. Of `facts`, one for each rank, has_device and
/// parts are looked at. Ranks without markers beside marked ones give none.
///
///   rank    iteration 5           communicating only   own time
///   0       |--------------|100    30                   70
///   1       |-------------|99       5                   94    the slowest: 1 is within 2 % of 0
///   2       |--------|60            0                         too short to be compared
std::vector<RunIteration> PoolIterations(std::span<const iterations::RankContext> ranks,
                                         std::span<const IterationFacts> facts);

/// Sets profile.ranks, profile.gpus and profile.gpus_listed, which need no timeline.
void SetRecording(std::span<const iterations::RankContext> ranks, catalog::Output& out);

/// Sets profile.*, iteration.*, breakdown.* and dataloader.*, adds the table of
/// iterations, and proposes a steady sub-range when the selection is unsteady.
/// Returns PoolIterations(). The ranks' rows need not be at hand: of the contexts only rank,
/// iterations, GPUs with work and the hints are looked at. REQUIRES: `ranks` is not empty, and
/// `facts` has one entry for each.
std::vector<RunIteration> AddIterations(std::span<const iterations::RankContext> ranks,
                                        std::span<const IterationFacts> facts,
                                        catalog::Output& out);

/// The processes that mark iterations in the rank's profile; 0 where none is found. O(calls and
/// host rows).
MarkingProcesses ProcessesOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::breakdown
