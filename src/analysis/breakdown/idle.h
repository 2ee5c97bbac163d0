// Why a GPU had nothing to do.
//
// The time in which nothing at all runs on a GPU falls into gaps. Each gap is divided by the cause
// that delayed the work at its end: the part before its launch call began is the host's, the part
// after is the way to the device. All parts of a gap add up to its length exactly, in ns, so the
// causes add up to the idle time. Source: HTA's idle-time breakdown (host wait, kernel wait,
// other), by device instead of by stream and made exclusive.
//
// A gap, and the parts of its causes (module loading is found in both halves):
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

/// One gap of one GPU. `causes` add up to the length of `time`, once GapExplainer filled them:
/// VisitGaps() leaves them 0.
struct IdleGap {
  Span time;
  /// The whole time without work; `time` is its observed part. Causes are found for the whole of
  /// it, so the selection does not change them.
  Span whole;
  DeviceId before;  ///< The last work to end before it; invalid at the beginning.
  DeviceId after;   ///< The work that ends it; invalid if nothing follows.
  std::array<Ns, kIdleCauses> causes{};
  /// The cause of the largest part; the earlier one at a tie.
  IdleCause main_cause() const;
};

/// The gaps of one GPU in the window, in order. `use` comes from MeasureGpus(rank).
/// O(n log n) over the GPU's device rows and the host's events. It lists all gaps, which may be
/// millions: for queries that ask for gaps, and tests.
std::vector<IdleGap> ExplainIdle(const iterations::RankContext& rank,
                                 const iterations::GpuUse& use);

/// Calls `visit` for each gap of one GPU, in order, without its causes. Long profiles have millions
/// of gaps, so they are never all in memory. Gaps are inside of the window and outside of its
/// unobserved parts; those shorter than the clock can show are skipped (ShortestIdle()). A GPU
/// without any row has one gap for each observed part, with no work on either side.
void VisitGaps(const iterations::RankContext& rank, const iterations::GpuUse& use,
               const std::function<void(const IdleGap&)>& visit);

/// The idle facts of one rank. `gpus` is empty when nothing was observed or no GPU has work.
struct IdleFacts {
  Ns observed = 0;                                ///< The window as far as it is observed.
  std::vector<std::array<Ns, kIdleCauses>> gpus;  ///< Idle time by cause, of each GPU with work.
  /// Of that time, summed over GPUs: what lies between two pieces of work, for the next launch.
  Ns between_launches = 0;
  /// Of that time, summed over GPUs: what the profiler may have made, by the events that it
  /// recorded of the launching thread inside of each gap; at most half of a gap.
  Ns delayed = 0;
  std::int64_t iterations = 1;
  bool knows_delay = false;  ///< Whether it is known what an event costs this profiler.
  bool has_launches = false, has_host = false, has_api = false;
};
/// The causes by GPU, without the gaps themselves, for summaries.
IdleFacts IdleFactsOf(const iterations::RankContext& rank);

/// Sets gpu.idle_cause.* and adds the table of gaps: the 10 000 longest of the run. The metrics
/// count all gaps.
void AddIdle(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// Sets gpu.idle_cause.*, launch.wait_share and profiler.delay_time: of each GPU the share of its
/// rank's observed window, averaged over the GPUs of all ranks. Absent where no GPU has work, and
/// for a cause that the profile could not show and that has no time.
void SetIdleCauses(std::span<const IdleFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
