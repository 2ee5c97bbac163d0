// The state of one import of an NVProf database, which all parts of the reader share.
//
// Source of the schema: CUPTI's activity records of versions 12 (CUDA 9) and 18 (CUDA 12). Tables
// and columns are found by name. Times are nanoseconds of CUPTI's clock.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/sqlite.h"
#include "model/profile_builder.h"

namespace profgauge::readers::nvprof {

/// The state that the parts of the import share. The database and the builder must outlive it.
///
/// NVProf has one table per kind of CUPTI record, and no table of call names: `cbid` is CUPTI's
/// number of the function. Kernels do not name their process, so a file of several processes cannot
/// be split.
///
///   RUNTIME, DRIVER     start, end, processId, threadId, correlationId, cbid
///   CONCURRENT_KERNEL   start, end, deviceId, streamId, correlationId, name (into StringTable)
///   MARKER              timestamp, id, flags (2 begin, 4 end), objectId (a BLOB), name, domain
struct Import {
  sqlite::Database* database = nullptr;
  ProfileBuilder* builder = nullptr;

  boost::unordered_flat_map<std::int64_t, StringId> strings;  ///< StringTable.
  std::map<std::int32_t, std::int32_t> sms_of;                ///< Multiprocessors by GPU id.
  std::map<std::pair<std::int64_t, std::int64_t>, ThreadId> threads;  ///< By process and number.
  std::set<std::int64_t> processes;                                   ///< Processes of the calls.
  std::size_t device_rows = 0;                      ///< Number of kernels, copies and memsets read.
  boost::unordered_flat_set<std::int64_t> kernels;  ///< Correlations of the kernels read.

  StringId String(std::int64_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? StringId{} : it->second;
  }
  /// Counts kernels that nvprof serialized or replayed, as `table` shows.
  void CountSerialized(const char* table, std::size_t count) {
    builder->log().AddAt(Counter::kernels_serialized, table);
    builder->log().Add(Counter::kernels_serialized, count - 1);
  }
};

/// Returns the thread; adds it if it is new. Only the lower 32 bits of a thread's number count:
/// calls record pthread ids truncated to these, with a sign, and PyProf shows them like this. O(log
/// threads).
ThreadId ThreadOf(Import& import, std::int64_t process, std::int64_t thread);

Status ReadMetadata(Import& import);  ///< Strings and GPUs.
Status ReadDevice(Import& import);    ///< Kernels, copies, memsets, waiting.
Status ReadApi(Import& import);       ///< Runtime and driver calls, and the profiler's own work.
Status ReadMarkers(Import& import);   ///< NVTX ranges.

/// Demangles names that NVProf stored as linker symbols. Names that cannot be demangled, or have
/// over 4 096 bytes, are unchanged.
std::string Demangled(std::string_view name);

/// The name of a runtime call, e.g. "cudaLaunchKernel" for 211; empty for an unknown number. The
/// numbers are those of CUPTI's cupti_runtime_cbid.h and cupti_driver_cbid.h, which never change.
std::string_view RuntimeCallName(std::int64_t cbid);
/// The name of a driver call by CUPTI's number; empty for an unknown number.
std::string_view DriverCallName(std::int64_t cbid);

}  // namespace profgauge::readers::nvprof
