// The part of the GPU's work that the analysis can assign: to an operator, a launch, or iterations.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::trust {

/// GPU time of one rank by coverage.
struct CoverageFacts {
  bool has_ops = false, has_calls = false;
  Ns total = 0;                     ///< GPU time in the whole profile.
  Ns in_any = 0;                    ///< Launched in any iteration.
  Ns in_window = 0;                 ///< Started while iterations run.
  Ns with_op = 0, with_launch = 0;  ///< Parts of `in_window`.
  Ns kernels = 0;                   ///< Part of `total` in kernels and graphs,
  Ns whole_graphs = 0;              ///< and in graphs recorded as one event.
  /// Events that start while iterations run.
  std::int64_t kernels_seen = 0, copies_seen = 0, memsets_seen = 0;
  bool collectives_only = false;  ///< Has kernels of collectives, but no calls or operators.
};
/// Returns the GPU times of one rank; each is a part of its whole GPU time. O(device rows + host
/// rows).
CoverageFacts CoverageFactsOf(const iterations::RankContext& rank);

/// Sets coverage.*: shares of GPU time over all ranks. The shares with an operator and with a
/// launch refer to work that starts while the selected iterations run (work launched before the
/// profile has neither, which is no fault). The share outside of iterations refers to the whole
/// profile. The share with an operator is absent if no rank recorded operators or ranges, and the
/// share with a launch if none recorded calls.
///
/// Adds the remark kNoDeviceEvents, kNoKernels or kCollectivesOnly if no recorded event of any rank
/// is computation, and kWorkOutside if much work without launches is in no iteration. Only
/// iterations of the contexts are used.
void AddCoverage(std::span<const iterations::RankContext> contexts,
                 std::span<const CoverageFacts> ranks, catalog::Output& out);

// Work that is not the program's steady work: the backlog at the start of a profile, and captured
// graphs that did not run.

/// Work of one rank that is not steady.
struct EdgeFacts {
  bool has_device = false;
  Ns backlog = 0;   ///< Work launched before its first iteration.
  Ns start_up = 0;  ///< Before the window, without iterations.
  Ns capture = 0;   ///< Captures within unobserved time.
  CaptureCounts counts;
};
/// Returns the edges of one rank. `backlog` is 0 for a profile that starts with an idle device.
/// O(calls + device rows). REQUIRES: the rank has an iteration.
EdgeFacts EdgeFactsOf(const iterations::RankContext& rank);

/// Sets coverage.{backlog,tail,start_up,capture}_time and launch.captured_share. If most launches
/// of the host were captured without running, makes values on GPU use and idle time absent: an idle
/// GPU is then no fault of the program. REQUIRES: all analyses that set gpu.* and add the table
/// `gaps` have run. Uses only `unobserved` and iterations of the contexts.
void AddEdges(std::span<const iterations::RankContext> ranks, std::span<const EdgeFacts> facts,
              catalog::Output& out);

// Uncertainty due to lost device events: if work is missing, the device seems idle.

/// Marks idle and waiting time as uncertain in two cases. First, a profiler lost at least one event
/// in 500, or an unknown number; a profile that only ends early lost none. Second, iterations have
/// no launches (adds a remark). Values stay, but those of unrecorded copies become absent.
/// REQUIRES: all analyses that set these metrics have run.
void MarkLosses(std::span<const iterations::RankContext> ranks, catalog::Output& out);

/// For profiles that lost many kernel names: makes values absent that follow only from names, if no
/// kernel is known to communicate or to use Tensor Cores, because some still may. If many names are
/// unknown, the number of Tensor Core kernels becomes uncertain. REQUIRES: all analyses that set
/// these metrics have run.
void MarkLostNames(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Uncertainty due to graphs recorded as one event: in them, a device may be idle, communicate or
// run any number of kernels.

/// Sets the worst possible values of idle time, utilization, communication and counts of kernels
/// for the time in which only such graphs run; does nothing without them. Only iterations, GPUs and
/// groups of the contexts are used. REQUIRES: all analyses that set these metrics have run.
void BoundByWholeGraphs(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::trust
