#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// The events that SetAsideImpossible() removed.
struct Impossible {
  std::size_t count = 0;
  bool is_much = false;  ///< They are loss.verdict_share of a process's linked work, or more.
};

/// Removes and counts device work whose time must be wrong: it begins before its launch, after the
/// end of a wait that covers it, out of the order of its stream, or long after its launch while its
/// device was idle. If the first two cases are over loss.verdict_share of a process's linked work
/// and at least kLossLeastEvents, the clocks of host and device differ: such rows of this process
/// are counted and stay. REQUIRES: rows are linked to their calls. O(rows), and O(n log n) if a
/// stream is out of order.
Impossible SetAsideImpossible(Profile& profile, NarrowColumn<std::int64_t>& correlations,
                              OptionalColumn<std::int64_t, -1>& op_ids);

}  // namespace profgauge::link
