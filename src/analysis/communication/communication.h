// Communication between ranks: all collective calls, their overlap with computation, their speed,
// and waiting between ranks.
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

/// Reason why values that compare ranks are absent.
inline constexpr std::string_view kNeedsRanks = "needs the profiles of at least two ranks";

/// The end of a reason: a PyTorch version whose profiler records the sizes of collectives. Empty
/// for devices whose collectives other tools record.
std::string HowCollectivesAreRecorded(const catalog::Output& out);

}  // namespace profgauge::analysis::communication
