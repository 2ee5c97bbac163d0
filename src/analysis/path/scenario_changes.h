// What a scenario changes in the graph of one rank: how much shorter its segments are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/path/graph.h"

namespace profgauge {

class JointReplay;
struct Scenario;

/// By step, as PathChanges shows it: as far as anything may change, the device's steps or all.
struct ScenarioChanges {
  std::vector<Ns> cuts;
  std::vector<std::uint8_t> alone;
  std::vector<std::uint32_t> factors;  ///< Which one each step has, while they are made.
};

/// `transfers`: per device row how long its collective takes without waiting, -1 unknown; may be
/// empty. `joint`: set where the replay is joint; what is scaled of its calls is their transfer.
/// What `out` held is overwritten, its memory used again.
void SetChanges(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                std::span<const Ns> transfers, const JointReplay* joint, ScenarioChanges& out);

}  // namespace profgauge
