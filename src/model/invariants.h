// Invariants of every Profile that ProfileBuilder::Finish() returns.
#pragma once

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// No moment is further from 0 than this, so that sums of some are numbers, too.
inline constexpr Ns kFarthestTime = Ns{1} << 61;

/// Columns are equally long, rows are in the documented order, ids are in range, no time is before
/// the profile's start, no duration is negative. Errors: kInternal with the first broken invariant.
Status CheckInvariants(const Profile& profile);

}  // namespace profgauge
