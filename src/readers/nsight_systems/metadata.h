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

/// The thread of a globalTid, added if it is new.
ThreadId ThreadOf(Import& import, std::int64_t global_tid);

/// Strings, GPUs, versions and capture settings. It reads only the allow-list, because an export
/// holds the whole environment of the user.
Status ReadMetadata(Import& import);

/// nsys' own data about its capture. After ReadDevice() and ReadApi(): it is per process.
/// nsys' words "Not all CUDA events might have been collected" are data loss, unless they are of a
/// process that uses no CUDA, while another does, and marks nothing.
Status ReadDiagnostics(Import& import);

}  // namespace profgauge::readers::nsight
