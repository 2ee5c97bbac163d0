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

/// Reads system, GPUs, switches of the model, dictionary, ops, and the aggregation (-1: the
/// newest). Errors: kInput "dlprof/no-aggregation" with a list of the existing ones.
Status ReadDatabaseFacts(DatabaseImport& import, std::int64_t aggregation);

}  // namespace profgauge::readers::dlprof
