// One import of an export of Nsight Systems, as SQLite or Parquet, shared by the parts of the
// reader.
//
// Source of the schema: NVIDIA's export documentation and 30 real exports from 2020 to 2026; tables
// and columns are found by their names, never by version.
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
/// The tables of one launch, and how they meet. Times of all tables are nanoseconds of
/// one clock:
///
///   CUPTI_ACTIVITY_KIND_RUNTIME   start, end, globalTid, correlationId, nameId     the call
///   CUPTI_ACTIVITY_KIND_KERNEL    start, end, globalPid, correlationId, deviceId   its kernel
///   NVTX_EVENTS                   start, end, globalTid, text or textId            ranges
///   StringIds                     id, value                                        all texts
///
///   globalTid   | hardware 8 bits | virtual machine 8 | process 24 | thread 24 |
///
/// ReadExport() has the order of the parts: processes and devices before calls, calls before
/// diagnostics (which processes use CUDA), and all that have threads before scheduling.
struct Import {
  Import(Tables from, ProfileBuilder& to) : tables(from), builder(&to) {}

  Tables tables;
  ProfileBuilder* builder = nullptr;

  /// StringIds: the export's id to ours.
  boost::unordered_flat_map<std::int64_t, StringId> strings;
  boost::unordered_flat_map<std::int64_t, ThreadId> threads;  ///< By globalTid.
  /// (Process, CUDA ordinal) to the GPU's id: TARGET_INFO_CUDA_DEVICE or, where an export has none,
  /// the result of ReadProcesses().
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> gpu_of;
  std::map<std::int32_t, std::int32_t> sms_of;  ///< Streaming multiprocessors by GPU id.
  /// (process, domain id) to the NVTX domain's name.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> domains;
  boost::unordered_flat_set<std::int64_t> cuda_processes;  ///< With calls or work of CUDA.
  std::set<std::int64_t> ranks;  ///< Processes that communicate with others of the profile.
  std::map<std::int64_t, std::int64_t> calls;  ///< CUDA calls, by globalTid.
  /// Markers of iterations, by process.
  std::map<std::int64_t, std::vector<HostRow>> markers;
  std::map<std::int32_t, Span> worked;  ///< By GPU id: from its first work to the end of its last.
  bool has_whole_graphs = false;        ///< Graphs were recorded whole,
  bool has_graph_kernels = false;       ///< or by their kernels.
  Ns capture_end = -1;                  ///< Where unclosed ranges are clipped; -1 unknown.

  StringId String(std::int64_t id) const {
    const auto it = strings.find(id);
    return it == strings.end() ? StringId{} : it->second;
  }
};

/// globalTid is hardware (8 bits), virtual machine (8), process (24), thread (24).
/// Hardware and machine are dropped: processes with one number on two machines are one.
inline std::int64_t ProcessOf(std::int64_t global_id) { return (global_id >> 24) & 0xff'ffff; }
/// The thread's number in its process. The other bits of a globalTid are machine and process.
inline std::int64_t ThreadNumberOf(std::int64_t global_id) { return global_id & 0xff'ffff; }

/// Correlation ids count per process.
/// Made unique in the file: the process above, the id's lower 32 bits below. -1 stays -1.
inline std::int64_t CorrelationOf(std::int64_t process, std::int64_t correlation) {
  return correlation < 0 ? -1 : (process << 32) | (correlation & 0xffff'ffff);
}

// NCCL's data about its calls: sizes, communicators and peers, in the payloads of its NVTX ranges.
//
// Source: NCCL's src/include/nvtx_payload_schemas.h (2.26) and the layout of
// `NVTX_EVENTS.binaryData` in exports of 2026, as public decoders read it: 32 bytes that name
// domain, schema and size, then the fields listed in NVTX_PAYLOAD_SCHEMA_ENTRIES. The
// exports that this reader was made with hold no such payloads.

/// The collective of each range of NCCL's that has one, by the globalTid and start of the range. A
/// group's end, where its kernels are launched, has that of the group's call if there is one only.
/// Sizes are in bytes, so that a collective's type is "bytes"; if the message is one
/// rank's part, the whole is known where the communicator's size is. Invalid payloads are
/// out. Errors: those of the database.
class NcclCalls {
 public:
  static Result<NcclCalls> Read(Import& import);
  /// Invalid where there is none.
  CollectiveId Of(std::int64_t thread, Ns start) const;

 private:
  std::map<std::pair<std::int64_t, Ns>, CollectiveId> by_range_;
};

}  // namespace profgauge::readers::nsight
