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

/// Returns the thread of a globalTid; adds it if it is new.
ThreadId ThreadOf(Import& import, std::int64_t global_tid);

/// Reads strings, GPUs, versions and capture settings. It reads only allow-listed values, because
/// an export contains the user's whole environment.
Status ReadMetadata(Import& import);

/// Reads nsys' own diagnostics of its capture. The message "Not all CUDA events might have been
/// collected" means data loss, unless it is about a process that uses no CUDA and marks no ranges
/// while another process uses CUDA. REQUIRES: ReadDevice() and ReadApi().
Status ReadDiagnostics(Import& import);

}  // namespace profgauge::readers::nsight
