// Meaning of CUPTI's activity records, which NVProf and Nsight Systems store in the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/import_log.h"
#include "model/tables.h"
#include "readers/database/sqlite_table.h"

namespace profgauge::readers {

/// Nine columns from `first` on: gridX to gridZ, blockX to blockZ, registersPerThread,
/// staticSharedMemory, dynamicSharedMemory. With the chip's number of streaming multiprocessors
/// (0: unknown) blocks and warps per SM follow.
LaunchConfig CudaLaunchConfig(const TableScan& scan, std::size_t first, std::int32_t sms);

/// CUPTI's syncType: "Stream Sync".
std::string_view CudaSyncName(std::int64_t type);

/// `pageable` is the number of pageable memory; that of pinned memory is one higher. NVProf has
/// CUPTI's numbers, in which pageable memory is 1; those of Nsight Systems are one lower.
HostMemory CudaHostMemory(CopyKind kind, std::int64_t source, std::int64_t destination,
                          std::int64_t pageable);

/// Whether a call's return value says that it failed. That a query found work unfinished
/// (cudaErrorNotReady) is its answer, not an error.
bool CudaCallFailed(std::string_view name, std::int64_t return_value);

/// The rows of one table, counted while they are read: a few without times are a glitch among all
/// events of a file, and may be all that it has of their kind.
class TableLoss {
 public:
  explicit TableLoss(ImportLog& log)
      : log_(log), bad_(log[Counter::events_bad_time]), read_(log[Counter::events_read]) {}
  /// Counts the table as unusable where half of its rows or more had no time.
  void Tell(std::string_view table) const;

 private:
  ImportLog& log_;
  std::uint64_t bad_, read_;
};

}  // namespace profgauge::readers
