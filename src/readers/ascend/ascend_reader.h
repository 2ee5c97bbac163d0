// Profiles of Huawei's Ascend NPUs, as torch_npu writes them into ASCEND_PROFILER_OUTPUT/:
//
//   - trace_view.json: readers/ascend/trace_view.h;
//   - kernel_details.csv: only the kernels, with their unit (Cube or Vector) and blocks;
//   - cluster_step_trace_time.csv: times of all ranks, summed up by Ascend's cluster analysis.
//
// The files of a folder:
//
//   DIR/*_ascend_pt/                       a folder of each rank: refused, pass its outputs
//     PROF_.../, device_0/                 raw data: refused, with the command that analyzes them
//     ASCEND_PROFILER_OUTPUT/              OutputsOf(): read instead of the folder
//       trace_view.json                    read
//       kernel_details.csv                 left out beside trace_view.json, else read
//       step_trace_time.csv, ..., *.db     left out; refused if a user passes one
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Reads trace_view.json. Errors: kInput "ascend/no-events", and those of text/json_rows.h.
std::unique_ptr<Reader> MakeAscendTraceReader();
/// Reads the tables. The cluster's table has no timeline, only metrics and tables (Reported).
/// Errors: kInput "ascend/no-events", and those of text/csv_rows.h.
std::unique_ptr<Reader> MakeAscendTableReader();

}  // namespace profgauge::readers
