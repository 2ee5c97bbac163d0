// Profiles of Huawei's Ascend NPUs, as torch_npu writes them into ASCEND_PROFILER_OUTPUT/:
//
//   - trace_view.json: readers/ascend/trace_view.h;
// - kernel_details.csv: only the kernels, with their unit (Cube or Vector) and blocks;
//   - cluster_step_trace_time.csv: times of all ranks, summed up by Ascend's cluster analysis.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeAscendTraceReader();
std::unique_ptr<Reader> MakeAscendTableReader();

}  // namespace profgauge::readers
