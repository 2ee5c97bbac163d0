// Decides whether a failure is final or needs another profile.
//
// A machine has states: its clock, a busy neighbor, its placement. If the K baseline runs had only
// a fast state and the candidate's C profiles only a slow one, this looks like a slower program,
// whatever the number of iterations. If slow runs have the share q, the probability is
//
//     (1 - q)^K q^C  <=  K^K C^C / (K + C)^(K + C)         for the worst q, C / (K + C)
//
//     K      1     3    4     6    7    10    36    37
//     C = 1  25    10.5 8.2   5.7  4.9  3.5   1.01  0.98 %       so that at most 1 of 100 healthy
//     C = 2  14.8  3.5  2.2   1.1  0.85 0.46                     runs fail: none for K of 1 to 3,
//     C = 3  10.5  1.6  0.84  0.4                                three for 4 to 6, two from 7 on
//
// A change beyond three limits is always taken for a regression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gate/sides.h"

namespace profgauge::gate::stats {

/// The fewest profiles of a program that confirm a change against `runs` baseline runs. Nothing if
/// even three profiles are not enough. REQUIRES: runs > 0.
std::optional<std::size_t> NeededRecordings(std::size_t runs);

/// Which of the two judged quantities failed.
enum class Judged : std::uint8_t { kTypical, kTotal };

/// True if every run of `current`, including outliers, is slower than both the median and the
/// slowest run of the baseline by more than half a limit.
bool IsRepeated(const Side& base, const Side& current, Judged judged, double limit);

/// Counts the earlier profiles that are as slow, by the condition of IsRepeated().
std::size_t CountSlowRecordings(const Side& base, const Side& earlier, Judged judged, double limit);

/// The number of groups of consecutive slow iterations, in the run with most. `limit`: relative.
std::size_t SlowStretches(const Side& side, double limit);

}  // namespace profgauge::gate::stats
