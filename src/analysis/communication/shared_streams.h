// Streams that collectives share with computation, where neither can overlap the other.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::communication {

/// Collectives of a rank's selected iterations on streams that also compute at least
/// `collectives.shared_stream_share` of their GPU's computing kernel time.
///
///   stream 7    ccccc rrr ccccc rrr       computation and two collectives on one stream
///   stream 20        rr                   2 of 8: time 6, all 8, calls 2
struct SharedStreams {
  Ns time = 0, all = 0;    ///< Sums of device time: of these collectives, and of all.
  std::int64_t calls = 0;  ///< Number of these collectives.
  std::string streams;     ///< "7", "7, 13": the one with the longest collectives first.
};

/// O(device rows).
SharedStreams SharedStreamsOf(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
