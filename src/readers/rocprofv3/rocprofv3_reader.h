// Reads `*_results.json` of AMD's rocprofv3 (`rocprofv3 --sys-trace --output-format json --
// COMMAND`); readers/rocprofv3/rocpd reads its databases.
//
// One object "rocprofiler-sdk-tool": a list with an entry per process, which holds agents (CPUs and
// GPUs), kernel symbols, names of kinds and operations, and buffer_records, one list per domain.
// Times are nanoseconds of one clock. Schema: source/lib/output/generateJSON.cpp of
// github.com/ROCm/rocprofiler-sdk.
//
// Kernels and copies have their GPU, stream and launch properties. HIP, HSA and RCCL calls are
// linked to them by correlation id. roctx ranges become ops and annotations like NVTX ranges.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "readers/reader.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

namespace rocprofv3 {

/// How to record readable files. All help texts about AMD's files contain this text.
inline constexpr std::string_view kRecord =
    "record with `rocprofv3 --sys-trace -- COMMAND` and pass its `*_results.db`; before ROCm 7 add "
    "`--output-format json` and pass its `*_results.json`";
inline constexpr const char* kNoCopies =
    "no copy was recorded; record with `rocprofv3 --memory-copy-trace`";
/// Missing data of a profile, and the option that records it.
std::span<const RecordingHint> Hints();

}  // namespace rocprofv3

/// Makes the reader. Errors: kInput "rocprofv3/no-events" and those of ReadJsonRows(). It rejects
/// rocprof's CSV tables, with the command that records more.
std::unique_ptr<Reader> MakeRocprofv3Reader();

}  // namespace profgauge::readers

namespace profgauge::readers::rocprofv3 {

// Defines a shared copy of rocprofv3's JSON.

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "rocprofv3";

/// Copies only keys that the reader uses; below buffer_records only numbers.
JsonKeep KeptKeys(const Rename& rename);

}  // namespace profgauge::readers::rocprofv3
