// What each kernel, copy and op did in the selected iterations: plain sums, in which work that ran
// in parallel counts each time. (analysis/time/attribution.h says what the wall time is due to.)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/run_iterations.h"
#include "base/units.h"

namespace profgauge {

struct WorkSum {
  std::string name;
  std::int64_t count = 0;  ///< Launches of a kernel or copy; calls of an op.
  Ns gpu_time = 0;         ///< Sum of durations; of an op: of the work that it launched itself.
  Ns host_time = 0;        ///< Of an op: self time. 0 for kernels.
  /// GPU time by iteration of the run, on its slowest rank; host time where no rank has GPU work.
  /// Empty for small ones.
  std::vector<Ns> series;
};

struct WorkSums {
  std::int64_t iterations = 0;   ///< Selected iterations of all ranks together: divide by this.
  bool has_gpu = false;          ///< Whether some rank has GPU work.
  std::vector<WorkSum> kernels;  ///< With copies and sets; longest first.
  std::vector<WorkSum> ops;      ///< By GPU time, then host time.
};

/// Of each list at most 500 names are kept; the rest is summed up as "(smaller)". Work counts for
/// the iteration that launched it, ops for the one in which they start.
WorkSums SumWork(std::span<const RankContext> ranks, std::span<const RunIteration> run);

}  // namespace profgauge
