// The device of a memory event, and the table of operators that allocate: parts of AddMemory().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/classify/name_memo.h"
#include "analysis/iterations/context.h"
#include "base/string_pool.h"

namespace profgauge::analysis::device {

/// c10::DeviceType and device number, as a key; all CPUs are one device.
using DeviceKey = std::pair<int, std::int32_t>;

DeviceKey KeyOf(const MemoryTable& memory, std::size_t row);

/// "GPU 0"; "CPU"; "device 1 of type 9".
std::string DeviceName(const DeviceKey& key);

/// Returns the innermost operator of the tree around a memory event in the host row `at`;
/// OpTree::kNone without any. Annotations are skipped. An event directly in a framework range (of
/// an optimizer or loader: `is_range` is true for its name) belongs to no operator. O(depth).
std::uint32_t OpOf(const iterations::RankContext& rank, classify::NameMemo& is_range, HostId at);

/// Adds the rank's rows of memory_ops: by device, sorted by the memory gained by the operator
/// itself, largest first. Counts only events in tables (RankContext::InTables()). `pool` stores the
/// names. O(events × depth + host rows).
void AppendOps(const iterations::RankContext& rank, StringPool& pool,
               catalog::RowWriter<catalog::columns::kMemoryOps>& write);

}  // namespace profgauge::analysis::device
