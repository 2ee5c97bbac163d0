#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// What SetAsideImpossible() removed.
struct Impossible {
  std::size_t count = 0;
  bool is_much = false;  ///< loss.verdict_share of a process's linked work, or more.
};

/// Removes device work that begins before its launch, after a wait that covers it has ended, out of
/// the order of its stream, or long after its launch while its device had nothing to do: its time
/// is wrong, whatever the clocks are. Counts each. Where the first two are more than a few of a
/// process, its clocks differ as a whole: that is counted, and nothing of the process removed.
/// REQUIRES: rows are linked to their calls. O(rows), and O(n log n) where a stream is out of
/// order.
Impossible SetAsideImpossible(Profile& profile, NarrowColumn<std::int64_t>& correlations,
                              OptionalColumn<std::int64_t, -1>& op_ids);

}  // namespace profgauge::link
