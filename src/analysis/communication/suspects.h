// Kernels that behave like communication and that no name rule knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/classify/collective.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::communication {

/// In words, the kernels that look as if they waited for other ranks: launched again and again by
/// no operator that computes, always with the same few blocks, and now and then many times longer
/// than at best. "`exchange` (73 launches of 20 blocks, 4.1 us to 3.2 ms)", at most three, the
/// longest in total first; empty when there is none. Work whose size differs from launch to launch
/// looks alike, so this is a hint and no verdict.
/// O(device rows).
std::string DescribeSuspects(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
