// Whether a failure is final, or asks for another recording.
//
// A machine has states: a clock, a neighbor, a placement. If the baseline's K runs met only a fast
// one and the candidate's C recordings only a slow one, no number of iterations tells that from a
// slower program. With a share q of slow runs it has the probability
//
//     (1 - q)^K q^C  <=  K^K C^C / (K + C)^(K + C)         for the worst q, C / (K + C)
//
//     K      1     3    4     6    7    10    36    37
//     C = 1  25    10.5 8.2   5.7  4.9  3.5   1.01  0.98 %       so that at most 1 of 100 healthy
//     C = 2  14.8  3.5  2.2   1.1  0.85 0.46                     runs fail: none for K of 1 to 3,
//     C = 3  10.5  1.6  0.84  0.4                                three for 4 to 6, two from 7 on
//
// Beyond three limits a state is taken for a regression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gate/sides.h"

namespace profgauge::gate::stats {

/// Fewest recordings of a program that confirm a change against this many runs; nothing where three
/// do not. REQUIRES: runs > 0.
std::optional<std::size_t> NeededRecordings(std::size_t runs);

/// Which of the two answers failed.
enum class Judged : std::uint8_t { kTypical, kTotal };

/// Whether every run of `current` is slower than the baseline by half a limit, and the slowest run
/// of the baseline faster than all of them by half a limit. All runs count, odd ones too.
bool IsRepeated(const Side& base, const Side& current, Judged judged, double limit);

/// How many of the earlier recordings are slower by themselves in this way.
std::size_t CountSlowRecordings(const Side& base, const Side& earlier, Judged judged, double limit);

/// Groups of consecutive slow iterations in the run of `side` that has most. `limit`: relative.
std::size_t SlowStretches(const Side& side, double limit);

}  // namespace profgauge::gate::stats
