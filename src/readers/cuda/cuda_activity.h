// The meaning of CUPTI's activity records, which NVProf and Nsight Systems store in the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/import_log.h"
#include "model/profile_builder.h"
#include "model/tables.h"
#include "readers/database/sqlite_table.h"

namespace profgauge::readers {

/// Makes a launch configuration from nine columns from `first` on: gridX to gridZ, blockX to
/// blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory. If the chip's number of
/// streaming multiprocessors is known (not 0), it includes blocks and warps per SM. REQUIRES: the
/// scan has kCudaLaunchColumns at `first`.
LaunchConfig CudaLaunchConfig(const TableScan& scan, std::size_t first, std::int32_t sms);

/// The nine columns of CudaLaunchConfig(), as TableScan takes them.
inline constexpr Wanted kCudaLaunchColumns[] = {{{"gridX"}},
                                                {{"gridY"}},
                                                {{"gridZ"}},
                                                {{"blockX"}},
                                                {{"blockY"}},
                                                {{"blockZ"}},
                                                {{"registersPerThread"}},
                                                {{"staticSharedMemory"}},
                                                {{"dynamicSharedMemory"}}};

/// Concatenates lists of columns, whose names are literals. Column i of the second list is column i
/// + (size of the first) of the scan.
std::vector<Wanted> JoinedColumns(std::initializer_list<std::span<const Wanted>> lists);

/// The name of a value of CUPTI's syncType, e.g. "Stream Sync".
std::string_view CudaSyncName(std::int64_t type);

/// The host's memory of a copy. `pageable` is the number that means pageable memory; pinned memory
/// is one more. NVProf has CUPTI's numbers, with pageable memory as 1; in Nsight Systems it is 0.
HostMemory CudaHostMemory(CopyKind kind, std::int64_t source, std::int64_t destination,
                          std::int64_t pageable);

/// True if a call's return value is an error. cudaErrorNotReady from a query is a result, because
/// it means that work is unfinished.
bool CudaCallFailed(std::string_view name, std::int64_t return_value);

/// Counts the rows of one table while they are read. A few rows without times are negligible among
/// all events of a file, but may be most rows of their kind.
class TableLoss {
 public:
  explicit TableLoss(ImportLog& log)
      : log_(log), bad_(log[Counter::events_bad_time]), read_(log[Counter::events_read]) {}
  /// Counts the table as unusable if at least half of its rows had no time. REQUIRES: the object
  /// was made before the table's first row was read, and all rows are read.
  void Tell(std::string_view table) const;

 private:
  ImportLog& log_;
  std::uint64_t bad_, read_;
};

// Names and numbers of CUDA as NVIDIA's tools write them.

/// Adds the name of a runtime or driver call and returns its name and kind. Calls are grouped by
/// this name, which has no version suffix ("cudaLaunchKernel_ptsz_v7000" and "cudaLaunchKernel" are
/// one function); Profile::api_symbols keeps the recorded name. Call it once per recorded name.
std::pair<StringId, ApiKind> AddApiName(std::string_view recorded, ProfileBuilder& builder);

/// The meaning of CUPTI's number for a kind of copy.
struct CudaCopy {
  CopyKind kind;
  std::string_view name;  ///< In nsys' words: "[CUDA memcpy Host-to-Device]".
  bool migrates = false;  ///< Pages of unified memory, moved by the driver.
};
/// Interprets CUPTI's number for the kind of a copy.
CudaCopy CudaCopyOf(std::int64_t copy_kind);

inline constexpr std::string_view kCudaMemset = "[CUDA memset]";

// Iteration markers whose end was not recorded. Such a marker lasts until the next one of its name
// (without numbers) on its thread. A marker that is open when the capture ends is the last one; but
// if a profiler lost all ends, each marker would otherwise contain all later ones. The last marker
// gets length zero if others of its name have ends: the analysis drops it as unfinished.

/// Collects all markers of a file and closes those without an end.
///
///   recorded   [step#1 -- ]  [step#2 ...............  no end   [step#3 -- ]
///   kept       [step#1 -- ]  [step#2 ----------------------- ) [step#3 -- ]
class OpenMarkers {
 public:
  /// Adds a marker, with or without an end. `name`: as the program wrote it.
  void AddStart(const HostRow& row, std::string_view name);
  /// Adds a marker without an end. Its length is used if no marker of its name follows.
  void AddOpen(const HostRow& row, std::string_view name);
  /// Adds the markers without an end to the builder. REQUIRES: AddStart() of all markers.
  void Finish(ProfileBuilder& builder);

 private:
  using Series = std::pair<std::uint32_t, std::string>;  ///< Thread, and name without numbers.
  static Series SeriesOf(const HostRow& row, std::string_view name);

  std::map<Series, std::vector<Ns>> starts_;
  std::vector<std::pair<HostRow, Series>> open_;
};

}  // namespace profgauge::readers
