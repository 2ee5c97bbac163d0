// The parts of one rank's iterations: a partition into computing, communicating, waiting, copying
// and loading. The parts add up to the rank's iteration time exactly.
//
//   computes       |######|      |####|
//   communicates       |=======|   |=======|
//   copies                   |-----|       |---|
//   parts          ccccooootttttkccooootttttkkkk...    c compute_only, o overlapped,
//                                                      t transfer_exposed, k copy, . the rest
#pragma once

#include <span>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/category_times.h"
#include "analysis/breakdown/work_sums.h"
#include "analysis/classify/device_spans.h"
#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::communication {

/// Disjoint parts in ns. `sum()` is the observed time of the iterations.
struct RankParts {
  Ns compute_only = 0;      ///< Kernels compute and nothing communicates.
  Ns overlapped = 0;        ///< Both.
  Ns waiting_exposed = 0;   ///< Nothing computes, before the last of the ranks has come.
  Ns transfer_exposed = 0;  ///< Nothing computes, otherwise; also where no one was matched.
  Ns copy = 0;              ///< Copies and memsets while neither of the above runs.
  Ns dataloader = 0;
  Ns host = 0;  ///< Runtime calls and operators of the host while its GPUs idle.
  Ns unattributed = 0;
  // What divides three of them further, as the breakdown has it.
  Ns on_matrix_units = 0;  ///< Of computing.
  Ns memset = 0;           ///< Of `copy`.
  Ns runtime = 0;          ///< Of `host`.
  bool matched = false;    ///< Whether waiting could be separated from transfer.

  Ns sum() const {
    return compute_only + overlapped + waiting_exposed + transfer_exposed + copy + dataloader +
           host + unattributed;
  }
};

/// For each selected iteration, without matched calls: MatchedParts() of rank_facts.h separates
/// waiting from transfer.
std::vector<RankParts> PartsOfSteps(const breakdown::CategoryTimes& times);
/// The parts of all iterations together.
RankParts SumOf(std::span<const RankParts> steps);

/// From an iteration's breakdown and the time in which it computes and communicates concurrently.
RankParts PartsFrom(const breakdown::Breakdown& breakdown, Ns overlapped);

// Collectives of a rank summed by kind and size of their group.

/// "all_reduce of 8": device time by iteration. Empty where the rank has none on its devices.
std::vector<breakdown::NameWork> CollectiveWorkOf(const iterations::RankContext& rank);

/// The spans of the GPUs that are the rank's: one that it hardly touches is another rank's. All
/// device time in communication is of these. Cost as CollectDeviceSpans().
std::vector<classify::DeviceSpans> OwnDeviceSpans(const iterations::RankContext& rank);

/// While collectives run on its GPUs, from each selected iteration to the next. Sums to the device
/// time in communication.time of the rank. Empty where its profile has no collectives.
std::vector<Ns> CommunicationByIteration(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
