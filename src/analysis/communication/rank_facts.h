// Facts of one rank that the run needs for waiting between ranks: its collectives call by call,
// its time between them, and the sums of its kernels. Only integers and names, so
// that it can be kept without the profile.
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
  std::string_view name;                ///< In the profile's texts, or the summaries'.
  std::array<std::int64_t, 6> shape{};  ///< Grid and block; 0 where not recorded.
  /// Represents the shapes of the inputs of the launching operator; 0: not recorded. A
  /// kernel that goes over all of its work with as many blocks as there are cores has one grid for
  /// all of them.
  std::int64_t inputs = 0;
  bool is_matrix = false;  ///< Multiplies matrices, convolves or attends.
  std::int64_t calls = 0;
  Ns time = 0;
};

/// See the head. Two ranks' facts can be compared without their profiles.
struct RankFacts {
  /// One selected iteration.
  struct Step {
    std::int64_t number = 0;  ///< As recorded, else the position.
    Span time;
    RankParts parts;  ///< As if no call were matched.
  };

  std::int64_t rank = 0;
  std::int64_t world_size = -1;
  std::vector<ProcessGroup> groups;
  bool has_device = false, has_timeline = false;
  std::vector<Step> steps;  ///< The selected iterations.
  RankTimes times;
  RankParts parts;                    ///< As if no call were matched.
  std::vector<CollectiveCall> calls;  ///< By start.
  std::vector<Span> exposed;          ///< When collectives run and nothing computes, in all of the
                                      ///< recording that is observed.
  /// Starts and ends of calls, ascending; and where the time from the first to each of them went.
  ///   calls     |--A--|    |--B--|
  ///   moments   0     3    5     8
  ///   until     0     a    b     c       Between(3, 5) is b - a: no pass over events
  std::vector<Ns> moments;
  std::vector<breakdown::Breakdown> until;
  std::vector<KernelSum> kernels;  ///< By name, shape and inputs.
  /// Among its GPUs, if it has three or more, the one whose kernels take longest compared with
  /// those of the median one, and how much longer, by KernelSlowdowns(); -1 and 0 if unknown.
  std::int64_t slow_gpu = -1;
  double gpu_slowdown = 0;
  std::string suspects;  ///< DescribeSuspects(), where it has no collective.
  MachineFacts machine;
  SharedStreams shared;         ///< Empty where the host communicates.
  std::size_t device_rows = 0;  ///< Number of device rows in its profile; 0 without it.

  /// Whether the overlap of its calls is known: for calls on the host it is not.
  bool KnowsHidden() const;
  Ns step_time() const;  ///< Observed time of the selected iterations: the sum of the parts.
  /// Where the time between two starts or ends of calls went. REQUIRES: both are in `moments`,
  /// from <= to.
  /// O(log moments).
  breakdown::Breakdown Between(Ns from, Ns to) const;
};

/// Facts of one rank about its iterations and its communication: both need
/// the times of each category, which take long to find.
struct RankTimeFacts {
  breakdown::IterationFacts iterations;
  RankFacts communication;
};
/// The facts about time of one rank. The times of each category are found once for both.
RankTimeFacts TimeFactsOf(const iterations::RankContext& rank);

/// The same of all ranks.
struct TimeFacts {
  explicit TimeFacts(std::span<const iterations::RankContext> ranks);
  std::vector<breakdown::IterationFacts> iterations;
  std::vector<RankFacts> communication;
};

/// Matches the calls of all ranks, and sizes those whose group only the run knows.
/// Sets `transfer` and `bytes` of the calls in `ranks`. Call it once, before all that reads
/// waiting.
Matching MatchFacts(std::span<RankFacts> ranks);

/// Its parts, with waiting separated from transfer where calls were matched.
/// `matched` is false, and waiting 0, if no call of the rank was matched.
RankParts MatchedParts(const RankFacts& rank);
/// The same of each of its iterations.
std::vector<RankParts> MatchedSteps(const RankFacts& rank);

/// How many took part in the call: as recorded or as shapes say, else the world's size, else the
/// run's. -1: nothing shows.
std::int64_t GroupSizeOf(const CollectiveCall& call, std::span<const RankFacts> ranks);

/// Adds collectives, groups and ranks; sets communication.* and rank.*.
void AddCommunication(std::span<RankFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::communication
