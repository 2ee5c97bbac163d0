// Memory copies and memsets: table `memcpys` and metrics memcpy.*, by direction and kind of host
// memory. Copies as a part of iteration time are in breakdown/category_times.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// Sums over copies of one kind, in ns and bytes. `time` counts each copy; `exposed` is the part
/// without computation. Bandwidth is bytes / sized_time: it excludes copies of unknown size.
struct CopySums {
  std::int64_t calls = 0;
  Ns time = 0, exposed = 0;
  Ns exposed_once = 0;  ///< Its one-off part (iterations/observed.h).
  std::int64_t bytes = 0;
  Ns sized_time = 0;  ///< Time of the copies of known size.
  std::int64_t sized = 0;
};

/// The copies of one kind, host memory and GPU in the selected iterations of one rank. `calls` is
/// at least 1.
struct CopyRow {
  std::uint8_t kind = 0;  ///< A CopyKind, or 7: memsets.
  HostMemory host_memory = HostMemory::kUnknown;
  std::int32_t gpu = -1;
  CopySums sums;
  std::vector<std::uint32_t> events;  ///< Rows of the rank's device table; not stored in summaries.
};

/// Whether a rank without copies really made none. Summaries store the numbers of these values.
enum class CopyKnowledge : std::uint8_t {
  kNoDevice,
  kRecorded,
  kNotInFile,    ///< Profile::copies_unknown has the reason.
  kInDevice,     ///< Unknown in the file, except copies within the device.
  kNotRecorded,  ///< Runtime calls copy, but no copy was recorded.
};
inline constexpr std::int64_t kCopyKnowledges =
    static_cast<std::int64_t>(CopyKnowledge::kNotRecorded) + 1;

/// The copies of one rank. If copies are unknown, `rows` is empty and `known` gives the reason, so
/// that reports do not show 0. With kInDevice, `rows` has only copies within the device.
struct CopyFacts {
  CopyKnowledge known = CopyKnowledge::kNoDevice;
  std::string why;  ///< For kNotInFile and kInDevice.
  std::vector<CopyRow> rows;
  std::size_t device_rows = 0;  ///< Number of device rows in its profile; 0 without it.
};
/// Returns the copies in the selected iterations of one rank. O(n log s) for s streams: the sweep
/// that finds exposed time.
CopyFacts CopyFactsOf(const iterations::RankContext& rank);

/// Adds memcpys and sets memcpy.*, as sums over all ranks. Copies between GPUs count as device to
/// device. If a copy's direction is unknown, all directions are; if its size is unknown, so are the
/// bytes of its direction. Uses only the rank of the contexts, and whether it has times. REQUIRES:
/// one fact per context.
void AddCopies(std::span<const iterations::RankContext> ranks, std::span<const CopyFacts> facts,
               catalog::Output& out);

}  // namespace profgauge::analysis::device
