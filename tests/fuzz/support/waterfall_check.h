// The invariants of every explanation of a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gate/waterfall.h"
#include "support/fuzz.h"

namespace profgauge::fuzz {

/// Children sum to their parent in delta and in both effects, at every level.
inline void RequireExactSums(const gate::Waterfall& waterfall) {
  std::vector<Ns> delta(waterfall.steps.size()), count(waterfall.steps.size());
  Ns top = 0;
  for (const gate::WaterfallStep& step : waterfall.steps) {
    Require(step.delta == step.count_effect + step.duration_effect, "effects sum to a step");
    if (step.parent < 0) {
      top += step.delta;
      continue;
    }
    delta[static_cast<std::size_t>(step.parent)] += step.delta;
    count[static_cast<std::size_t>(step.parent)] += step.count_effect;
  }
  for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
    const gate::WaterfallStep& step = waterfall.steps[i];
    if (step.level == gate::PartLevel::kKernel) continue;
    Require(delta[i] == step.delta && count[i] == step.count_effect, "parts sum to their step");
  }
  Require(waterfall.delta == waterfall.current - waterfall.base, "the change is a difference");
  Require(waterfall.steps.empty() || top == waterfall.delta, "steps sum to the change");
}

}  // namespace profgauge::fuzz
