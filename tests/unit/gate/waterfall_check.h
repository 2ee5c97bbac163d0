// Whether a waterfall adds up.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "gate/waterfall.h"

namespace profgauge::gate::testing {

/// Children sum to their parent in delta and in both effects, at every level; the top to the
/// change.
inline void ExpectExactSums(const Waterfall& waterfall) {
  Ns top = 0;
  std::vector<Ns> deltas(waterfall.steps.size()), counts(waterfall.steps.size());
  for (const WaterfallStep& step : waterfall.steps) {
    EXPECT_EQ(step.delta, step.count_effect + step.duration_effect) << step.name;
    if (step.parent < 0) {
      top += step.delta;
      continue;
    }
    deltas[static_cast<std::size_t>(step.parent)] += step.delta;
    counts[static_cast<std::size_t>(step.parent)] += step.count_effect;
  }
  for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
    const WaterfallStep& step = waterfall.steps[i];
    if (step.level == PartLevel::kKernel) continue;
    EXPECT_EQ(deltas[i], step.delta) << step.name;
    EXPECT_EQ(counts[i], step.count_effect) << step.name;
  }
  EXPECT_EQ(top, waterfall.delta);
}

}  // namespace profgauge::gate::testing
