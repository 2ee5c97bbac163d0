// Copies Ascend's trace and tables without folders, and only with columns that reports need.
#pragma once

#include <string_view>

#include "readers/text/csv_copy.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers::ascend {

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "ascend";

/// The keys of trace_view.json to copy. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// The part of a column of kernel_details.csv or cluster_step_trace_time.csv to copy. For a column
/// that is not listed, only numbers are copied.
CsvKeep KeptColumn(std::string_view column);

}  // namespace profgauge::readers::ascend
