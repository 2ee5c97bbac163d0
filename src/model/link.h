// Links related rows: parents, launches, ops, forward ops. ProfileBuilder calls these on
// sorted tables; each writes separate columns, and counts in the import log, by separate
// counters, the rows it could not link. So those without requirements may run concurrently.
//
// A link that the file does not show is not made: the row keeps an invalid id. Except for parents,
// an invalid id does not mean that there is no such row: it may only be missing in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// HostTable::parent by containment on each thread. O(rows).
void Parents(Profile& profile);

/// ApiTable::op: the range that the call's external id names, when the call starts inside it on the
/// same thread (both ends included: this settles ties between ranges that touch within a clock
/// tick); else the innermost range of the thread that contains the call.
/// `host_ids` and `api_ids` are external ids by row, -1 none.
void CallsToRanges(Profile& profile, const std::vector<std::int64_t>& host_ids,
                   const OptionalColumn<std::int64_t, -1>& api_ids);

/// DeviceTable::op: of the rows whose op the format names itself the nearest op of that range, on
/// whatever thread; else the innermost op around the launch. `device_ids` are external ids by row,
/// -1 none. Counts the launched rows whose op nothing shows. REQUIRES: Parents(), CallsToRanges()
/// and DeviceToCalls().
void DeviceToOps(Profile& profile, const std::vector<std::int64_t>& host_ids,
                 const OptionalColumn<std::int64_t, -1>& device_ids);

/// HostTable::forward, from recorded arrows; for backward ops without one, from the sequence number
/// when only one thread ran forward ops with it.
void BackwardToForward(Profile& profile, std::vector<FlowRow> flows,
                       const std::vector<bool>& host_backward);

/// MemoryTable::op: the innermost range of the event's thread around its time, of any kind.
void MemoryToRanges(Profile& profile);

}  // namespace profgauge::link
