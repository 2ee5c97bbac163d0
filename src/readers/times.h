// Times as files state them: any 64-bit number, also ones that no clock gave. Arithmetic here stays
// within 64 bits instead of wrapping, so that a hostile or damaged number stays recognizable: it
// fails TimesFit() and its row is counted as one with a bad time.
#pragma once

#include <cstdint>
#include <limits>

#include "base/interval.h"

namespace profgauge::readers {

/// From `start` to `end`; where that does not fit into 64 bits, the largest or least number, which
/// no row can have (TimesFit).
inline Ns Between(std::int64_t start, std::int64_t end) {
  Ns length = 0;
  if (!__builtin_sub_overflow(end, start, &length)) return length;
  return end > start ? std::numeric_limits<Ns>::max() : std::numeric_limits<Ns>::min();
}

/// Adds; a sum that does not fit stays at the largest or least number.
inline void AddTo(std::int64_t& sum, std::int64_t more) {
  if (!__builtin_add_overflow(sum, more, &sum)) return;
  sum = more > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

}  // namespace profgauge::readers
