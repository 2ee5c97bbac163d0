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

/// Reads kernels, copies, memsets, graphs and synchronization.
Status ReadDevice(Import& import);

}  // namespace profgauge::readers::nsight
