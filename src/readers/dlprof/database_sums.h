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

/// The values of the aggregation, as reported metrics and tables: its groups of ops, its advice.
Status StateAggregation(DatabaseImport& import);
/// Holds the aggregation's sums against those of the rows; each that differs is counted.
/// Exact comparison, since both are sums of whole nanoseconds. Rows that are over a tolerance below
/// their stored sum are counted as dropped events, which is data loss.
Status CheckSums(DatabaseImport& import);

}  // namespace profgauge::readers::dlprof
