// What must hold for every Profile that leaves ProfileBuilder::Finish().
#pragma once

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// Columns are equally long, rows are in the documented order, ids are in range, no time lies
/// before the profile's start, no duration is negative. Errors: kInternal naming the first broken
/// promise.
Status CheckInvariants(const Profile& profile);

}  // namespace profgauge
