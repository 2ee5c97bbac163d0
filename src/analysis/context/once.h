// One-off time, beyond the usual of all iterations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "knowledge/once.h"

namespace profgauge {

/// `times` of iterations with rare large ones cut to the next largest: more than
/// `once.stands_out` as long, and at most `once.share` of them (of `least` or more at least one).
/// If iterations differ in their calls (`calls`, none or one number each), one with more than
/// twice the calls of all others is its kind's, however long.
std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls = {},
                            knowledge::Count least = knowledge::kOnceLeastIterations);

/// The difference of the sums.
Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls = {},
            knowledge::Count least = knowledge::kOnceLeastIterations);

}  // namespace profgauge
