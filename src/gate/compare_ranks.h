#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "gate/by_chance.h"
#include "gate/change.h"
#include "gate/compare.h"

namespace profgauge::gate {

/// The rank whose own work became longer than that of the others; nothing where none stands out, or
/// one of the runs does not know its ranks.
std::optional<SlowRank> FindSlowRank(const Snapshot& base, const Snapshot& current);

/// "the host takes 901 µs longer per iteration while the device idles, mostly in `preprocess`";
/// empty where no name has half of the longer host time that `waterfall` finds, or a run does not
/// know the names.
std::string IdleInText(const Snapshot& base, const Snapshot& current, const Waterfall& waterfall);

}  // namespace profgauge::gate
