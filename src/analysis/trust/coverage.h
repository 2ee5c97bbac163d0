// How much of the GPU's work the analysis can place: with an operator, with a launch, in
// iterations.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::trust {

/// GPU time of one rank.
struct CoverageFacts {
  bool has_ops = false, has_calls = false;
  Ns total = 0;                     ///< Time of the whole profile.
  Ns in_any = 0;                    ///< Launched in any iteration.
  Ns in_window = 0;                 ///< Started while iterations run.
  Ns with_op = 0, with_launch = 0;  ///< Of `in_window`.
  Ns kernels = 0;                   ///< Of `total`: of kernels and graphs,
  Ns whole_graphs = 0;              ///< and of graphs that were recorded whole.
  /// Events that start while iterations run.
  std::int64_t kernels_seen = 0, copies_seen = 0, memsets_seen = 0;
  bool collectives_only = false;  ///< Kernels of collectives, and no call or operator beside them.
};
/// The times of one rank; each is a part of the whole device time.
/// O(device rows + host rows).
CoverageFacts CoverageFactsOf(const iterations::RankContext& rank);

/// Sets coverage.*: shares of GPU time, over all ranks. With an operator, with a launch: of the
/// work that starts while the selected iterations run (work launched before the profile has
/// neither, and is no fault of it). Outside of the iterations: of the whole profile. Absent is
/// the share with an operator where no rank recorded operators or ranges, the share with a launch
/// where none recorded calls.
///
/// Remarks kNoDeviceEvents, kNoKernels or kCollectivesOnly where the run computed nothing that was
/// recorded, on any rank, and kWorkOutside if much of the work is in no iteration without launches.
/// Only iterations of the contexts are used.
void AddCoverage(std::span<const iterations::RankContext> contexts,
                 std::span<const CoverageFacts> ranks, catalog::Output& out);

// Work in a profile that is not the program's steady work: the backlog that it starts
// with, and graphs that were captured and not run.

/// For one rank.
struct EdgeFacts {
  bool has_device = false;
  Ns backlog = 0;   ///< Work from before its first iteration.
  Ns start_up = 0;  ///< Before the window of a profile without iterations.
  Ns capture = 0;   ///< In its unobserved time.
  CaptureCounts counts;
};
/// The edges of one rank. `backlog` is 0 for a profile that starts idle.
/// REQUIRES: the rank has an iteration. O(calls + device rows).
EdgeFacts EdgeFactsOf(const iterations::RankContext& rank);

/// Sets coverage.{backlog,tail,start_up,capture}_time and launch.captured_share. If most of the
/// host's launches were captured and did not run, values about the GPU's use and idle time become
/// absent: it is no fault of the program that nothing ran. REQUIRES: after all that set gpu.* and
/// add the table `gaps`. Only `unobserved` and iterations of the contexts are used.
void AddEdges(std::span<const iterations::RankContext> ranks, std::span<const EdgeFacts> facts,
              catalog::Output& out);

// Uncertainty by lost device events: where work is missing, the device seems to idle.

/// Marks idle and waiting time as uncertain if a profiler lost at least one
/// event in 500 or no one knows how many, or iterations have no launches, which is remarked. A
/// profile that only ends early lost none before its end. REQUIRES: after all that set these
/// metrics.
/// Values stay as they are, except those of copies that were not recorded: they become absent.
void MarkLosses(std::span<const iterations::RankContext> ranks, catalog::Output& out);

/// Makes values absent that follow only from kernel names, for profiles that lost many of them: no
/// kernel was found that communicates or uses Tensor Cores, which does not mean that none does. If
/// the names of many kernels are unknown, the number on Tensor Cores is uncertain. REQUIRES: after
/// all that set these metrics.
void MarkLostNames(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Uncertainty by graphs that were recorded whole: a device may idle, communicate or run any number
// of kernels in them.

/// Sets the worst possible values of idle time, utilization, communication and counts of kernels,
/// where only such graphs run. Only iterations, GPUs and groups of the contexts are used.
/// REQUIRES: after all that set these metrics.
/// Does nothing without such graphs.
void BoundByWholeGraphs(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::trust
