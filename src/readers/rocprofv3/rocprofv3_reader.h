// `*_results.json` of AMD's rocprofv3 (`rocprofv3 --sys-trace --output-format json -- COMMAND`).
//
// One object "rocprofiler-sdk-tool": a list with an entry per process, which holds agents (CPUs and
// GPUs), kernel symbols, names of kinds and operations, and buffer_records, one list per domain.
// Times are nanoseconds of one clock. Schema: source/lib/output/generateJSON.cpp of
// github.com/ROCm/rocprofiler-sdk.
//
// Kernels and copies come with their GPU, stream and launch properties; HIP, HSA and RCCL calls
// link to them by correlation id; roctx ranges become ops and annotations as NVTX ranges do.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeRocprofv3Reader();

}  // namespace profgauge::readers
