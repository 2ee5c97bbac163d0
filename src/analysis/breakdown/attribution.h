// The attribution of the iterations' wall time: every nanosecond of the exclusive breakdown is
// credited to one kernel, copy, call or op. The parts sum exactly to the iteration times without
// their unobserved time. Baselines keep it, so that a comparison can name the kernel that became
// slower; the sums of work regardless of overlap are in work_sums.h.
//
// If several things of a category run simultaneously, the one that started first takes the time,
// and the next one takes the rest. Host time goes to the innermost op. One iteration of 10 us, with
// two kernels of one category:
//
//   stream 1   |aaaaaaaa|              a runs from 0 to 4 and takes 4
//   stream 2       |bbbbbbbb|          b runs from 2 to 6 and takes 2: a has the others
//   host         |----- mm -----|      mm runs from 1 to 8 and takes 2, from 6 on
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

/// One credited thing: a kernel, a copy, a call or an op, in one category. The first six members
/// identify it: two parts of an Attribution differ in one of them.
struct TimePart {
  std::string category;  ///< Breakdown category: "other_kernel", "dataloader", …
  std::string op_type;   ///< "convolution"; empty when the part belongs to no op.
  std::string op;        ///< "aten::conv2d"; empty also.
  std::string shapes;    ///< Input shapes of the op; empty when unknown.
  std::string kernel;    ///< Kernel, copy or call; empty when the part is the op's own host time.
  std::int64_t position = 0;  ///< Which of the op's launches of one call, from 0; at most 15.
  std::int64_t count = 0;     ///< How many took part, over the selection.
  Ns time = 0;                ///< Exclusive wall time over the selection.
  std::vector<Ns> series;     ///< The same by selected iteration; empty for small parts.
};

/// The time of a run by parts. All parts of an iteration add up to its observed length exactly,
/// in integer nanoseconds. The vectors by iteration have one length, that of iteration_times, or
/// none; iteration_periods leaves out iterations without a next one, or has their length.
struct Attribution {
  std::vector<Ns> iteration_times;  ///< Selected iterations; of the slowest rank each.
  /// Unobserved time of each iteration. Empty where that is nothing.
  std::vector<Ns> iteration_unobserved;
  /// From start to start, of those that have a next one; RunIteration::period. Lengths where few of
  /// the iterations' numbers jump.
  std::vector<Ns> iteration_periods;
  /// Share of each iteration by breakdown metric id ("breakdown.memcpy"), aligned with the times.
  std::map<std::string, std::vector<double>, std::less<>> iteration_shares;
  /// Times of each iteration by metric id, which sum to the metric over all
  /// ranks. Empty where ranks have different iterations.
  std::map<std::string, std::vector<Ns>, std::less<>> iteration_values;
  /// Largest first. Parts below 0.02 % are folded into one by category and op type, whose kernel is
  /// "(smaller parts)"; parts of at least 0.5 % (64 at most) have a series.
  std::vector<TimePart> parts;
  /// Hash over the names and input shapes of the ops that launch GPU work, with their launches per
  /// iteration: batch size and model show here. Empty when no shapes were recorded.
  std::string shape_signature;
  /// For each iteration, over all ranks: the input shapes of its matmuls and convolutions, as a
  /// number that is equal for equal shapes. Empty where a rank has none.
  std::vector<std::uint64_t> iteration_shapes;
  WorkSums work;           ///< The work of each kernel and op, regardless of overlap.
  std::string gpu_models;  ///< Models of the GPUs that worked, each once.
};

/// Takes profiles and summaries, as Analyze() does; one rank each. Errors: as Analyze(); kInput
/// "summary/no-events" for summaries that keep nothing to attribute. A second pass over all events
/// beside the analysis: O(n log n), and memory for one event list of each category of one rank.
Result<Attribution> AttributeTime(std::span<const Profile> profiles, const Selection& selection);

}  // namespace profgauge::analysis::breakdown
