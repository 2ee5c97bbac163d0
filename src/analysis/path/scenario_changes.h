// What a scenario changes in the graph of one rank: how much shorter its segments are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/path/graph.h"

namespace profgauge {

class JointReplay;
struct Scenario;

/// Which factor each step has: there are few, so that a byte tells mostly.
struct StepFactors {
  std::vector<std::uint8_t> low;
  std::vector<std::uint32_t> high;  ///< In units of 256; empty as long as there are no more.

  std::size_t size() const { return low.size(); }
  std::uint32_t Of(std::size_t step) const {
    return high.empty() ? low[step] : high[step] * 256 + low[step];
  }
  void Set(std::size_t step, std::uint32_t which);
  void Resize(std::size_t steps);  ///< Those of further steps are 0.
};

/// By step, as PathChanges shows it: as far as anything may change, the device's steps or all.
struct ScenarioChanges {
  std::vector<Ns> cuts;
  std::vector<std::uint8_t> alone;
  StepFactors factors;  ///< While the others are made.
};

/// `transfers`: per device row how long its collective takes without waiting, -1 unknown; may be
/// empty. `joint`: set where the replay is joint; what is scaled of its calls is their transfer.
/// What `out` held is overwritten, its memory used again.
void SetChanges(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                std::span<const Ns> transfers, const JointReplay* joint, ScenarioChanges& out);

}  // namespace profgauge
