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

/// Reads NVTX ranges, and the run's settings in them. A range without an end lasts to the end of
/// the capture; an iteration marker without an end lasts to the next one.
Status ReadNvtx(Import& import);

}  // namespace profgauge::readers::nsight
