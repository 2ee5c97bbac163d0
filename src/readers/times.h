// Times as in files: any 64-bit number, also implausible ones. Arithmetic here saturates instead of
// wrapping, so that a hostile or damaged number stays recognizable: it fails TimesFit(), and its
// row is counted as one with a bad time.
#pragma once

#include <cstdint>
#include <limits>

#include "base/interval.h"

namespace profgauge::readers {

/// The length from `start` to `end`. If it does not fit into 64 bits, returns the largest or
/// smallest number, which no valid row has (see TimesFit).
inline Ns Between(std::int64_t start, std::int64_t end) {
  Ns length = 0;
  if (!__builtin_sub_overflow(end, start, &length)) return length;
  return end > start ? std::numeric_limits<Ns>::max() : std::numeric_limits<Ns>::min();
}

/// Adds `more` to `sum`. A sum that does not fit becomes the largest or smallest number.
inline void AddTo(std::int64_t& sum, std::int64_t more) {
  if (!__builtin_add_overflow(sum, more, &sum)) return;
  sum = more > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

}  // namespace profgauge::readers
