#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "model/profile_builder.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {

/// Reads when threads ran, why they waited, and sampled call stacks. Call it last, when the
/// program's threads are known.
Status ReadCpu(Import& import);

}  // namespace profgauge::readers::nsight
