// Idle time of GPUs by cause.
//
// The time in which nothing runs on a GPU is divided into gaps. Each gap is divided by the cause
// that delayed the work at its end. The part before its launch call began is due to the host, the
// rest to the way to the device. All parts of a gap add up exactly to its length in ns, so the
// causes add up to the idle time. Source: HTA's idle-time breakdown (host wait, kernel wait,
// other), by device instead of by stream and made exclusive.
//
// A gap and its parts by cause (module loading can be in both halves):
//
//   device  ##before##|                                                  |##after##
//   host       [sync call] [malloc]  other host work  [launch call]
//                     |----|------|-------------------|-----------|------|
//   cause              sync memory     host_wait       launch_latency  launch_latency if short,
//                     |<------ host's part --------->|<- to the device ->|      else queued
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/utilization.h"
#include "model/idle_cause.h"

namespace profgauge::analysis::breakdown {

/// One gap of one GPU. `causes` add up to the length of `time` after GapExplainer has set them;
/// VisitGaps() leaves them 0.
struct IdleGap {
  Span time;
  /// The whole time without work; `time` is its observed part. Causes are found for all of it, so
  /// they do not depend on the selection.
  Span whole;
  DeviceId before;  ///< The work that ended last before the gap; invalid at the beginning.
  DeviceId after;   ///< The work that ends the gap; invalid if none follows.
  std::array<Ns, kIdleCauses> causes{};
  /// The cause of the largest part; the earlier one at a tie.
  IdleCause main_cause() const;
};

/// The gaps of one GPU in the window, in order. `use`: from MeasureGpus(rank). O(n log n) over the
/// GPU's device rows and the host's events. Stores all gaps, possibly millions: only for gap
/// queries and tests.
std::vector<IdleGap> ExplainIdle(const iterations::RankContext& rank,
                                 const iterations::GpuUse& use);

/// Calls `visit` for each gap of one GPU, in order and without causes. Long profiles have millions
/// of gaps, so they are never all in memory. Gaps are inside of the window and outside of its
/// unobserved parts; those below the clock's resolution are skipped (ShortestIdle()). A GPU without
/// any row has one gap for each observed part, with no work on either side.
void VisitGaps(const iterations::RankContext& rank, const iterations::GpuUse& use,
               const std::function<void(const IdleGap&)>& visit);

/// Idle time of one rank. `gpus` is empty if nothing was observed or no GPU has work.
struct IdleFacts {
  Ns observed = 0;                                ///< Observed time of the window.
  std::vector<std::array<Ns, kIdleCauses>> gpus;  ///< Idle time by cause, of each GPU with work.
  /// The part of the idle time between two device events that waits for the next launch.
  Ns between_launches = 0;
  /// The part of the idle time that the profiler may have caused, summed over GPUs. It follows from
  /// the recorded events of the launching thread in each gap; at most half of a gap.
  Ns delayed = 0;
  std::int64_t iterations = 1;
  bool knows_delay = false;  ///< Whether the profiler's cost per event is known.
  bool has_launches = false, has_host = false, has_api = false;
};
/// Computes the causes by GPU without storing gaps, for summaries.
IdleFacts IdleFactsOf(const iterations::RankContext& rank);

/// Sets gpu.idle_cause.* and adds the table of gaps: the 10 000 longest of the run. The metrics
/// include all gaps.
void AddIdle(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// Sets gpu.idle_cause.*, launch.wait_share and profiler.delay_time: the share in the observed
/// window of a GPU's rank, averaged over the GPUs of all ranks. Absent if no GPU has work, or if a
/// cause has no time and the profile could not show it.
void SetIdleCauses(std::span<const IdleFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
