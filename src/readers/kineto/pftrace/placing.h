// Sets times and threads of rows after the whole trace is read, and passes rows to the builder.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "model/profile_builder.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/paired.h"
#include "readers/kineto/pftrace/annotations.h"
#include "readers/kineto/pftrace/decoder.h"
#include "readers/kineto/pftrace/foreign.h"
#include "readers/kineto/pftrace/state.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers::pftrace {

/// Adds the rows of ranges that have a begin and an end, in the trace's order. Counts the other
/// ranges. O(n log n) in the number of slices.
void PlaceRows(Decoded& decoded, ProfileBuilder& builder);

}  // namespace profgauge::readers::pftrace
