// Communication between ranks: every collective call, how much of it computation hides, how fast it
// is, and who waits for whom.
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

/// Why values that compare ranks are absent.
inline constexpr std::string_view kNeedsRanks = "needs the profiles of at least two ranks";

/// End of a reason where PyTorch's profiler, in another version, records sizes of
/// collectives; empty for devices whose collectives other tools record.
std::string HowCollectivesAreRecorded(const catalog::Output& out);

}  // namespace profgauge::analysis::communication
