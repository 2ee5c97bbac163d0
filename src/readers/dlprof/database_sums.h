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

/// Reports the aggregation's values as metrics and tables: groups of ops, and advice.
Status StateAggregation(DatabaseImport& import);
/// Compares the aggregation's sums with those of the rows and counts each difference. The
/// comparison is exact, since both are sums of integer nanoseconds. If a sum of rows is lower than
/// the stored one by more than a tolerance, events were dropped: data loss.
Status CheckSums(DatabaseImport& import);

}  // namespace profgauge::readers::dlprof
