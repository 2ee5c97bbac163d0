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

/// Reads calls of ops, runtime calls, kernels, copies, memsets and iterations. The file has no
/// correlations of launching calls: the row of a kernel or copy contains its call, and both get a
/// number here. REQUIRES: ReadDatabaseFacts().
Status ReadDatabaseRows(DatabaseImport& import);

}  // namespace profgauge::readers::dlprof
