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

namespace profgauge::readers::nsight {

/// Fills DeviceRangeTable: the extent of the device work launched in each annotation or marker, by
/// GPU and stream. REQUIRES: a finished profile without device ranges. Rows are added by start.
void ProjectRanges(Profile& profile);

}  // namespace profgauge::readers::nsight
