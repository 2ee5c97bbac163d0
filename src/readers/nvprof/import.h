// One import of an NVProf database, shared by the parts of the reader.
//
// Source of the schema: CUPTI's activity records of versions 12 (CUDA 9) and 18 (CUDA 12); tables
// and columns are found by their names. Times are nanoseconds of CUPTI's clock.
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
/// NVProf has one table for each kind of CUPTI's records. There is no table of names of calls:
/// `cbid` is CUPTI's number of the function. Kernels name no process, so a file of several cannot
/// be divided.
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
  std::size_t device_rows = 0;                      ///< Kernels, copies and sets read.
  boost::unordered_flat_set<std::int64_t> kernels;  ///< Correlations of those read.

  StringId String(std::int64_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? StringId{} : it->second;
  }
  /// `table` shows that nvprof ran this many kernels one by one, or again.
  void CountSerialized(const char* table, std::size_t count) {
    builder->log().AddAt(Counter::kernels_serialized, table);
    builder->log().Add(Counter::kernels_serialized, count - 1);
  }
};

/// Threads are distinguished by their lower 32 bits: calls record pthread ids cut to those, with a
/// sign, and PyProf shows them so.
/// O(log threads). Added if it is new.
ThreadId ThreadOf(Import& import, std::int64_t process, std::int64_t thread);

Status ReadMetadata(Import& import);  ///< Strings and GPUs.
Status ReadDevice(Import& import);    ///< Kernels, copies, memsets, waiting.
Status ReadApi(Import& import);       ///< Runtime and driver calls, and the profiler's own work.
Status ReadMarkers(Import& import);   ///< NVTX ranges.

/// NVProf stores some names as linker symbols. Names that do not demangle stay as they are.
/// Names of over 4 096 bytes stay too.
std::string Demangled(std::string_view name);

/// "cudaLaunchKernel" for 211; empty for one that is unknown. The numbers are those of CUPTI's
/// cupti_runtime_cbid.h and cupti_driver_cbid.h, which never change.
std::string_view RuntimeCallName(std::int64_t cbid);
/// The name of a driver call by CUPTI's number; empty for an unknown number.
std::string_view DriverCallName(std::int64_t cbid);

}  // namespace profgauge::readers::nvprof
