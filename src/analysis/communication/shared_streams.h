// Streams that collectives share with computation, where neither can overlap the other.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::communication {

/// Collectives of a rank's selected iterations on streams that also compute, each at least
/// `collectives.shared_stream_share` of the computing kernel time of its GPU.
///
///   stream 7    ccccc rrr ccccc rrr       shared by computation and two collectives
///   stream 20        rr                   2 of 8: time 6, all 8, calls 2
struct SharedStreams {
  Ns time = 0, all = 0;    ///< Device time of these collectives, and of all; sums.
  std::int64_t calls = 0;  ///< Of these.
  std::string streams;     ///< "7", "7, 13": the one with the longest collectives first.
};

/// O(device rows).
SharedStreams SharedStreamsOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
