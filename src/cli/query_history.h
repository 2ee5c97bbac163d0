// The history as tables for queries.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "query/relation.h"

namespace profgauge::cli {

/// Fills history_runs and history_metrics, where `wanted` has them. The file is only read.
Status AddHistory(const std::string& path, const query::Places& wanted, query::Dataset& data);

}  // namespace profgauge::cli
