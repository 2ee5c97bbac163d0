// The parts of one rank's iterations: computing, communicating, waiting, copying and loading. They
// are disjoint, and add up exactly to the rank's iteration time.
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
  Ns compute_only = 0;      ///< Kernels compute without communication.
  Ns overlapped = 0;        ///< Computation and communication.
  Ns waiting_exposed = 0;   ///< No computation, before the last rank arrived.
  Ns transfer_exposed = 0;  ///< No computation, otherwise; also if unmatched.
  Ns copy = 0;              ///< Copies and memsets while neither of the above runs.
  Ns dataloader = 0;
  Ns host = 0;  ///< Runtime calls and operators of the host while its GPUs are idle.
  Ns unattributed = 0;
  // Parts of the above, like in the breakdown.
  Ns on_matrix_units = 0;  ///< Part of computing.
  Ns memset = 0;           ///< Part of `copy`.
  Ns runtime = 0;          ///< Part of `host`.
  bool matched = false;    ///< Whether waiting could be separated from transfer.

  Ns sum() const {
    return compute_only + overlapped + waiting_exposed + transfer_exposed + copy + dataloader +
           host + unattributed;
  }
};

/// Returns the parts of each selected iteration before calls are matched: waiting is still part of
/// transfer. MatchedParts() of rank_facts.h separates them.
std::vector<RankParts> PartsOfSteps(const breakdown::CategoryTimes& times);
/// The sum of the parts of all iterations.
RankParts SumOf(std::span<const RankParts> steps);

/// Parts from an iteration's breakdown and its time with both computation and communication.
RankParts PartsFrom(const breakdown::Breakdown& breakdown, Ns overlapped);

// Collectives of a rank, summed by kind and group size.

/// "all_reduce of 8": device time by iteration. Empty without collectives on the rank's devices.
std::vector<breakdown::NameWork> CollectiveWorkOf(const iterations::RankContext& rank);

/// Returns the spans of the rank's own GPUs; one that it hardly uses belongs to another rank. All
/// device time in communication refers to these GPUs. Same cost as CollectDeviceSpans().
std::vector<classify::DeviceSpans> OwnDeviceSpans(const iterations::RankContext& rank);

/// Returns the time with collectives on its GPUs, from the start of each selected iteration to the
/// next. Adds up to the rank's device time in communication.time. Empty if the profile has none.
std::vector<Ns> CommunicationByIteration(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
