// What happens once, among what every iteration has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// Of fewer iterations none is told from a habit.
inline constexpr std::size_t kFewTimes = 4;

/// `times` of iterations with those cut to the next largest that stand alone: more than three times
/// as long, and at most one in ten (of `least` or more at least one). Where iterations differ in
/// what they do (`calls`, none or one number each), one with more than twice the calls of all
/// others is its kind's, however long.
std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls = {},
                            std::size_t least = kFewTimes);

/// The difference of the sums.
Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls = {},
            std::size_t least = kFewTimes);

}  // namespace profgauge
