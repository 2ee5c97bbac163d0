// Whether two analyses bound the gain of every row alike.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/row_exposure.h"

namespace profgauge::analysis {

// The bounds of the gain of rows, one by one and all together: findings weigh the same.
inline void ExpectEqualExposures(const Analysis& recorded, const Analysis& summarized) {
  EXPECT_EQ(recorded.exposures.size(), summarized.exposures.size());
  for (const auto& entry : recorded.exposures) {
    const auto& id = entry.first;
    const auto kept = summarized.exposures.find(id);
    ASSERT_NE(kept, summarized.exposures.end()) << id;
    catalog::ExposureCosts here(*kept->second), there(*entry.second);
    std::vector<std::uint32_t> all(recorded.FindTable(id)->rows());
    std::iota(all.begin(), all.end(), 0U);
    const auto expect_equal = [&](std::span<const std::uint32_t> rows) {
      EXPECT_EQ(here.Exposed(rows), there.Exposed(rows)) << id << " row " << rows.front();
      EXPECT_EQ(here.Idle(rows), there.Idle(rows)) << id << " row " << rows.front();
    };
    if (all.empty()) continue;
    for (const std::uint32_t& row : all) expect_equal(std::span(&row, 1));
    expect_equal(all);
  }
}

}  // namespace profgauge::analysis
