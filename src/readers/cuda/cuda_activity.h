// Meaning of CUPTI's activity records, which NVProf and Nsight Systems store in the same form.
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

/// Nine columns from `first` on: gridX to gridZ, blockX to blockZ, registersPerThread,
/// staticSharedMemory, dynamicSharedMemory. With the chip's number of streaming multiprocessors
/// (0: unknown) blocks and warps per SM follow.
/// REQUIRES: the scan wants kCudaLaunchColumns at `first`.
LaunchConfig CudaLaunchConfig(const TableScan& scan, std::size_t first, std::int32_t sms);

/// The nine, as TableScan wants them.
inline constexpr Wanted kCudaLaunchColumns[] = {{{"gridX"}},
                                                {{"gridY"}},
                                                {{"gridZ"}},
                                                {{"blockX"}},
                                                {{"blockY"}},
                                                {{"blockZ"}},
                                                {{"registersPerThread"}},
                                                {{"staticSharedMemory"}},
                                                {{"dynamicSharedMemory"}}};

/// Lists of columns, one after the other. Their names are literals.
/// Column i of the second list is column i + (size of the first) of the scan.
std::vector<Wanted> JoinedColumns(std::initializer_list<std::span<const Wanted>> lists);

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
  /// REQUIRES: the object was made before the table's first row, and all its rows are read.
  void Tell(std::string_view table) const;

 private:
  ImportLog& log_;
  std::uint64_t bad_, read_;
};

// Names and numbers of CUDA as NVIDIA's tools write them.

/// A runtime or driver call: its name without the suffix of a version, under which calls are
/// grouped ("cudaLaunchKernel_ptsz_v7000" and "cudaLaunchKernel" are one function), and its kind.
/// The recorded name is kept in Profile::api_symbols. Call it once for each recorded name.
std::pair<StringId, ApiKind> AddApiName(std::string_view recorded, ProfileBuilder& builder);

/// The meaning of one number of a copy.
struct CudaCopy {
  CopyKind kind;
  std::string_view name;  ///< nsys' words: "[CUDA memcpy Host-to-Device]".
  bool migrates = false;  ///< Pages of unified memory, moved by the driver.
};
/// CUPTI's number of a copy's kind.
CudaCopy CudaCopyOf(std::int64_t copy_kind);

inline constexpr std::string_view kCudaMemset = "[CUDA memset]";

// Iteration markers whose end was not recorded. One lasts to the next of its name, numbers aside,
// on its thread: a marker without an end when the capture ends is the last one, and if a profiler
// lost all ends, each would otherwise hold all that follow it. The last of a name of which others
// have ends is of no length: the analysis leaves it out as unfinished.

/// Collects all markers of a file, and closes those without an end.
///
///   recorded   [step#1 -- ]  [step#2 ...............  no end   [step#3 -- ]
///   kept       [step#1 -- ]  [step#2 ----------------------- ) [step#3 -- ]
class OpenMarkers {
 public:
  /// A marker, with or without an end. `name`: as the program wrote it.
  void AddStart(const HostRow& row, std::string_view name);
  /// A marker without an end; its length is used if no marker of its name follows.
  void AddOpen(const HostRow& row, std::string_view name);
  /// Adds those without an end to the builder. REQUIRES: AddStart() of all markers.
  void Finish(ProfileBuilder& builder);

 private:
  using Series = std::pair<std::uint32_t, std::string>;  ///< Thread, and name without numbers.
  static Series SeriesOf(const HostRow& row, std::string_view name);

  std::map<Series, std::vector<Ns>> starts_;
  std::vector<std::pair<HostRow, Series>> open_;
};

}  // namespace profgauge::readers
