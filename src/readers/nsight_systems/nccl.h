// NCCL's data about its calls: sizes, communicators and peers, in the payloads of its NVTX ranges.
//
// Source: NCCL's src/include/nvtx_payload_schemas.h (2.26) and the layout of
// `NVTX_EVENTS.binaryData` in exports of 2026, as public decoders read it: 32 bytes that name
// domain, schema and size, then the fields listed in NVTX_PAYLOAD_SCHEMA_ENTRIES. The
// exports that this reader was made with hold no such payloads.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {

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
