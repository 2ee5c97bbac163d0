// Links related rows: parents, launches, operators, forward operators. ProfileBuilder calls these
// functions on sorted tables. Each writes separate columns and has separate counters in the import
// log for rows that it could not link. So functions without requirements may run concurrently.
//
// Only links that the file shows are made; other rows keep an invalid id. An invalid parent means
// that there is none. Any other invalid id may also mean that the row is missing in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// HostTable::parent by containment on each thread. O(rows).
void Parents(Profile& profile);

/// Sets ApiTable::op to the range that the call's external id names, if the call starts inside it
/// on the same thread. Both ends count as inside: this settles ties between ranges that touch
/// within a clock tick. Otherwise it is the innermost range of the thread that contains the call.
/// `host_ids` and `api_ids` are external ids by row, -1 none.
void CallsToRanges(Profile& profile, const std::vector<std::int64_t>& host_ids,
                   const OptionalColumn<std::int64_t, -1>& api_ids);

/// Sets DeviceTable::op. If the format itself names the launching range, it is the nearest operator
/// of that range, on any thread; otherwise the innermost operator around the launch. `device_ids`
/// are external ids by row, -1 none. Counts launched rows whose operator is unknown. REQUIRES:
/// Parents(), CallsToRanges() and DeviceToCalls().
void DeviceToOps(Profile& profile, const std::vector<std::int64_t>& host_ids,
                 const OptionalColumn<std::int64_t, -1>& device_ids);

/// Sets HostTable::forward from recorded arrows. For backward ops without an arrow it uses the
/// sequence number, if only one thread ran forward ops with that number.
void BackwardToForward(Profile& profile, std::vector<FlowRow> flows,
                       const std::vector<bool>& host_backward);

/// Sets MemoryTable::op to the innermost range, of any kind, of the event's thread at its time.
void MemoryToRanges(Profile& profile);

}  // namespace profgauge::link
