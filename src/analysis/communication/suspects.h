// Kernels that behave like communication but match no name rule.
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

/// Describes kernels that seem to wait for other ranks: launched repeatedly, not by a computing
/// operator, always with the same few blocks, and sometimes many times longer than at best.
/// "`exchange` (73 launches of 20 blocks, 4.1 us to 3.2 ms)", at most three, the longest total
/// first; empty if there is none. Work of varying size looks the same, so this is only a hint.
/// O(device rows).
std::string DescribeSuspects(const iterations::RankContext& rank);

}  // namespace profgauge::analysis::communication
