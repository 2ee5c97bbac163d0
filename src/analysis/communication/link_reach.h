// The bandwidth that a rank's collectives could reach: that of the links between the devices of its
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/classify/device_peaks.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::communication {

/// The machine of a rank, as far as its profile shows it.
struct MachineFacts {
  classify::Links links;     ///< Links of its first GPU with work.
  std::int64_t devices = 0;  ///< Listed devices; a process may see only its own.
};

MachineFacts MachineOf(const iterations::RankContext& rank);

/// Returns the bus bandwidth of the links between the `size` ranks of the call's group. None if the
/// links are unknown, the group may span machines, or calls of this kind do not use all links.
/// `groups`: those that the rank lists; `world_size`: if known. Assumes that launchers number the
/// ranks of a machine consecutively.
std::optional<double> LinkReach(const CollectiveCall& call, std::int64_t size,
                                const MachineFacts& machine,
                                const std::vector<ProcessGroup>& groups, std::int64_t world_size);

}  // namespace profgauge::analysis::communication
