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

/// Finds the rank whose own work became longer than that of the others. Nothing if no rank clearly
/// differs, or if the ranks of a run are unknown.
std::optional<SlowRank> FindSlowRank(const Snapshot& base, const Snapshot& current);

/// Text: "the host takes 901 µs longer per iteration while the device idles, mostly in
/// `preprocess`". Empty if no name explains half of the longer host time in `waterfall`, or if a
/// run has no names.
std::string IdleInText(const Snapshot& base, const Snapshot& current, const Waterfall& waterfall);

}  // namespace profgauge::gate
