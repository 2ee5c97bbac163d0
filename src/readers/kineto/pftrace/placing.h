// Gives rows their times and threads, once the whole trace is read, and hands them to the builder.
#pragma once

#include "model/profile_builder.h"
#include "readers/kineto/pftrace/decoder.h"

namespace profgauge::readers::pftrace {

/// Adds ranges with begin and end, in the trace's order, and counts those without.
void PlaceRows(Decoded& decoded, ProfileBuilder& builder);

}  // namespace profgauge::readers::pftrace
