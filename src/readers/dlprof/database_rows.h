#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/sqlite.h"
#include "model/profile_builder.h"
#include "readers/dlprof/database.h"

namespace profgauge::readers::dlprof {

/// Calls of ops, runtime calls, kernels, copies, memsets, iterations.
/// REQUIRES: ReadDatabaseFacts(). Launching calls have no correlations in the file: each row of a
/// kernel or copy has its call in it, and gets a number here.
Status ReadDatabaseRows(DatabaseImport& import);

}  // namespace profgauge::readers::dlprof
