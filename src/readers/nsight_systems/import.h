// The state of one import of an Nsight Systems export (SQLite or Parquet), which all parts of the
// reader share.
//
// Source of the schema: NVIDIA's export documentation and 30 real exports from 2020 to 2026. Tables
// and columns are found by name, never by version.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "model/profile_builder.h"
#include "readers/database/sqlite_table.h"

namespace profgauge::readers::nsight {

/// The state that the parts of the import share. The builder must outlive it.
///
/// The tables of one launch and their common columns. Times of all tables are nanoseconds of one
/// clock:
///
///   CUPTI_ACTIVITY_KIND_RUNTIME   start, end, globalTid, correlationId, nameId     the call
///   CUPTI_ACTIVITY_KIND_KERNEL    start, end, globalPid, correlationId, deviceId   its kernel
///   NVTX_EVENTS                   start, end, globalTid, text or textId            ranges
///   StringIds                     id, value                                        all texts
///
///   globalTid   | hardware 8 bits | virtual machine 8 | process 24 | thread 24 |
///
/// ReadExport() has the order of the parts: processes and devices before calls, calls before
/// diagnostics (which need to know the processes that use CUDA), scheduling last.
struct Import {
  Import(Tables from, ProfileBuilder& to) : tables(from), builder(&to) {}

  Tables tables;
  ProfileBuilder* builder = nullptr;

  /// Maps ids of the export's StringIds to ours.
  boost::unordered_flat_map<std::int64_t, StringId> strings;
  boost::unordered_flat_map<std::int64_t, ThreadId> threads;  ///< By globalTid.
  /// Maps (process, CUDA ordinal) to the GPU's id, from TARGET_INFO_CUDA_DEVICE or, if an export
  /// does not have this table, from ReadProcesses().
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> gpu_of;
  std::map<std::int32_t, std::int32_t> sms_of;  ///< Streaming multiprocessors by GPU id.
  /// Maps (process, domain id) to the NVTX domain's name.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> domains;
  boost::unordered_flat_set<std::int64_t> cuda_processes;  ///< Processes with CUDA calls or work.
  std::set<std::int64_t> ranks;  ///< Processes that communicate with others of the profile.
  std::map<std::int64_t, std::int64_t> calls;  ///< Number of CUDA calls, by globalTid.
  /// Markers of iterations, by process.
  std::map<std::int64_t, std::vector<HostRow>> markers;
  std::map<std::int32_t, Span> worked;  ///< By GPU id: from the start of its first work to the end
                                        ///< of its last.
  bool has_whole_graphs = false;        ///< Graphs were recorded as one event each.
  bool has_graph_kernels = false;       ///< Graphs were recorded kernel by kernel.
  Ns capture_end = -1;                  ///< Unclosed ranges end here; -1 unknown.

  StringId String(std::int64_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? StringId{} : it->second;
  }
};

/// The process in a globalTid: hardware (8 bits), virtual machine (8), process (24), thread (24).
/// Hardware and machine are dropped, so equal process numbers of two machines are one process.
inline std::int64_t ProcessOf(std::int64_t global_id) { return (global_id >> 24) & 0xff'ffff; }
/// The thread's number in its process. The other bits of a globalTid are machine and process.
inline std::int64_t ThreadNumberOf(std::int64_t global_id) { return global_id & 0xff'ffff; }

/// Makes a correlation id, which is unique only in its process, unique in the file: the upper bits
/// are the process, the lower 32 bits the id. -1 stays -1.
inline std::int64_t CorrelationOf(std::int64_t process, std::int64_t correlation) {
  return correlation < 0 ? -1 : (process << 32) | (correlation & 0xffff'ffff);
}

// NCCL's data about its calls: sizes, communicators and peers, in the payloads of its NVTX ranges.
//
// Source: NCCL's src/include/nvtx_payload_schemas.h (2.26), and the layout of
// `NVTX_EVENTS.binaryData` in exports of 2026, as public decoders read it: 32 bytes that name
// domain, schema and size, then the fields listed in NVTX_PAYLOAD_SCHEMA_ENTRIES. No export with
// such payloads was available when this reader was written.

/// The collectives of NCCL's ranges, by globalTid and start of the range. The end of a group, in
/// whose range its kernels are launched, has the collective of the group's call if it is only one.
/// A collective's type is "bytes", because sizes are in bytes. One rank's part gives a total only
/// if the communicator's size is known. Drops invalid payloads. Errors: the database's.
class NcclCalls {
 public:
  static Result<NcclCalls> Read(Import& import);
  /// The collective of the range that starts at `start`; invalid if it has none.
  CollectiveId Of(std::int64_t thread, Ns start) const;

 private:
  std::map<std::pair<std::int64_t, Ns>, CollectiveId> by_range_;
};

}  // namespace profgauge::readers::nsight
