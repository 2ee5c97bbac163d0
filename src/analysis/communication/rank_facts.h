// Facts of one rank that the run needs to find waiting between ranks: its collectives, its time
// between them, and the sums of its kernels. Only integers and names, which can be stored without
// the profile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/exposed_communication.h"
#include "analysis/communication/link_reach.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_parts.h"
#include "analysis/communication/shared_streams.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::communication {

/// Kernels of one name, shape and inputs that are no collectives.
struct KernelSum {
  std::string_view name;                ///< A view into texts of the profile or summaries.
  std::array<std::int64_t, 6> shape{};  ///< Grid and block; 0 if not recorded.
  /// Identifies the input shapes of the launching operator; 0: not recorded. The grid is not
  /// enough: persistent kernels have as many blocks as the GPU has cores for all input sizes.
  std::int64_t inputs = 0;
  bool is_matrix = false;  ///< Whether it computes matmuls, convolutions or attention.
  std::int64_t calls = 0;
  Ns time = 0;
};

/// Facts of one rank (see the top of this file), comparable without the profiles.
struct RankFacts {
  /// One selected iteration.
  struct Step {
    std::int64_t number = 0;  ///< As recorded, or the position.
    Span time;
    RankParts parts;  ///< Without matched calls.
  };

  std::int64_t rank = 0;
  std::int64_t world_size = -1;
  std::vector<ProcessGroup> groups;
  bool has_device = false, has_timeline = false;
  std::vector<Step> steps;  ///< The selected iterations.
  RankTimes times;
  RankParts parts;                    ///< Without matched calls.
  std::vector<CollectiveCall> calls;  ///< By start.
  std::vector<Span> exposed;          ///< When collectives run and no kernel
                                      ///< computes, in the whole observed profile.
  /// Starts and ends of calls, ascending; and the breakdown of the time from the first to each.
  ///   calls     |--A--|    |--B--|
  ///   moments   0     3    5     8
  ///   until     0     a    b     c       Between(3, 5) is b - a: no pass over events
  std::vector<Ns> moments;
  std::vector<breakdown::Breakdown> until;
  std::vector<KernelSum> kernels;  ///< By name, shape and inputs.
  /// The GPU whose kernels take longest compared with the median GPU, and by what factor
  /// (KernelSlowdowns()). -1 and 0 if unknown, or if the rank has fewer than three GPUs.
  std::int64_t slow_gpu = -1;
  double gpu_slowdown = 0;
  std::string suspects;  ///< DescribeSuspects(), if it has no collective.
  MachineFacts machine;
  SharedStreams shared;         ///< Empty if the host communicates.
  std::size_t device_rows = 0;  ///< Number of device rows in its profile; 0 without it.

  /// Whether the overlap of its calls is known; not for calls on the host.
  bool KnowsHidden() const;
  Ns step_time() const;  ///< Observed time of the selected iterations: the sum of the parts.
  /// The breakdown of the time between two starts or ends of calls. O(log moments).
  /// REQUIRES: both are in `moments`, from <= to.
  breakdown::Breakdown Between(Ns from, Ns to) const;
};

/// Facts about the iterations and the communication of one rank, together because both need the
/// times by category, which are slow to compute.
struct RankTimeFacts {
  breakdown::IterationFacts iterations;
  RankFacts communication;
};
/// Computes both facts of one rank, with one computation of the times by category.
RankTimeFacts TimeFactsOf(const iterations::RankContext& rank);

/// The facts about time of all ranks.
struct TimeFacts {
  explicit TimeFacts(std::span<const iterations::RankContext> ranks);
  std::vector<breakdown::IterationFacts> iterations;
  std::vector<RankFacts> communication;
};

/// Matches the calls of all ranks. Computes sizes that depend on the size of a group, if only the
/// run shows it. Sets `transfer` and `bytes` of the calls in `ranks`. Must be called once, before
/// any use of waiting times.
Matching MatchFacts(std::span<RankFacts> ranks);

/// Returns the rank's parts, with waiting separated from transfer in matched calls. If it has no
/// matched call, `matched` is false and waiting 0.
RankParts MatchedParts(const RankFacts& rank);
/// Like MatchedParts(), for each iteration of the rank.
std::vector<RankParts> MatchedSteps(const RankFacts& rank);

/// The number of ranks in the call: recorded or found from shapes, else the world's size or the
/// run's. -1: unknown.
std::int64_t GroupSizeOf(const CollectiveCall& call, std::span<const RankFacts> ranks);

/// Adds collectives, groups and ranks; sets communication.* and rank.*.
void AddCommunication(std::span<RankFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::communication
