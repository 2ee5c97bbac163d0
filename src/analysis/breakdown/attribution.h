// The attribution of the iterations' wall time: it credits every nanosecond of the exclusive
// breakdown to one kernel, copy, call or operator. The parts add up exactly to the observed
// iteration times. Baselines store it, so that a comparison can name the kernel that became slower.
// Sums of work regardless of overlap are in work_sums.h.
//
// If several events of a category run simultaneously, the one that started first gets the time, and
// the next one gets the rest. Host time goes to the innermost operator. Example: an iteration of 10
// us with two kernels of one category:
//
//   stream 1   |aaaaaaaa|              a runs from 0 to 4 and takes 4
//   stream 2       |bbbbbbbb|          b runs from 2 to 6 and takes 2: a has the first 2 of it
//   host         |----- mm -----|      mm runs from 1 to 8 and takes 2, after 6
//              0         5         10  `other` takes the last 2, so that all add up to 10
//
// The pass over one rank is in rank_attribution.h, the join of ranks in run_attribution.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/breakdown/work_sums.h"
#include "base/units.h"

namespace profgauge::analysis::breakdown {

/// One credited kernel, copy, call or operator, in one category. The first six members identify it:
/// no two parts of an Attribution are equal in all of them.
struct TimePart {
  std::string category;       ///< Breakdown category: "other_kernel", "dataloader", …
  std::string op_type;        ///< "convolution"; empty if the part belongs to no operator.
  std::string op;             ///< "aten::conv2d"; empty in the same case.
  std::string shapes;         ///< Input shapes of the op; empty when unknown.
  std::string kernel;         ///< Kernel, copy or call; empty for the op's own host time.
  std::int64_t position = 0;  ///< Number of the launch within one call of the op, 0 to 15.
  std::int64_t count = 0;     ///< Number of events that took part, over the selection.
  Ns time = 0;                ///< Exclusive wall time over the selection.
  std::vector<Ns> series;     ///< Time by selected iteration; empty for small parts.
};

/// The time of a run by parts. All parts of an iteration add up exactly to its observed length, in
/// integer nanoseconds. Each vector by iteration has the length of iteration_times or is empty,
/// except iteration_periods.
struct Attribution {
  std::vector<Ns> iteration_times;  ///< Selected iterations, each on its slowest rank.
  /// Unobserved time of each iteration. Empty if all of it is observed.
  std::vector<Ns> iteration_unobserved;
  /// Time from start to next start (RunIteration::period). Iterations without a next one are
  /// omitted, or count with their length if few iteration numbers jump.
  std::vector<Ns> iteration_periods;
  /// Share of each iteration by breakdown metric id ("breakdown.memcpy"), aligned with the times.
  std::map<std::string, std::vector<double>, std::less<>> iteration_shares;
  /// By metric id, the time in each iteration; these add up to the metric over all ranks. Empty if
  /// ranks have different iterations.
  std::map<std::string, std::vector<Ns>, std::less<>> iteration_values;
  /// Largest first. Parts below 0.02 % are merged by category and op type into one with the kernel
  /// "(smaller parts)"; parts of at least 0.5 % (at most 64) have a series.
  std::vector<TimePart> parts;
  /// Hash over the names and input shapes of the ops that launch GPU work, with their launches per
  /// iteration: it changes with batch size and model. Empty if no shapes were recorded.
  std::string shape_signature;
  /// By iteration, over all ranks: a number for the input shapes of its matmuls and convolutions,
  /// which is equal for equal shapes. Empty if a rank has no shapes.
  std::vector<std::uint64_t> iteration_shapes;
  WorkSums work;           ///< The work of each kernel and op, regardless of overlap.
  std::string gpu_models;  ///< Models of the GPUs with work, without duplicates.
};

/// Takes profiles and summaries, one per rank, like Analyze(). Errors: as Analyze(), and kInput
/// "summary/no-events" for summaries without data to attribute. Needs a second pass over all
/// events: O(n log n), and memory for one event list per category of one rank.
Result<Attribution> AttributeTime(std::span<const Profile> profiles, const Selection& selection);

}  // namespace profgauge::analysis::breakdown
