// What a rank's collectives could reach: the bandwidth of the links between the devices of its
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
  classify::Links links;     ///< Of its first GPU with work.
  std::int64_t devices = 0;  ///< Listed; a process may see only its own.
};

MachineFacts MachineOf(const iterations::RankContext& rank);

/// The bus bandwidth that the links between the `size` ranks of the call's group reach; nothing
/// where the links are unknown, the group may span machines, or the kind of the call leaves links
/// unused. `groups`: those that the rank lists; `world_size`: as far as known. A launcher numbers
/// the ranks of a machine in a row.
std::optional<double> LinkReach(const CollectiveCall& call, std::int64_t size,
                                const MachineFacts& machine,
                                const std::vector<ProcessGroup>& groups, std::int64_t world_size);

}  // namespace profgauge::analysis::communication
