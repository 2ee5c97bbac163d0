// Whether two analyses bound the gain of every row alike.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/exposure.h"

namespace profgauge {

// What bounds the gain of rows, one by one and all together: findings weigh the same.
inline void ExpectEqualExposures(const Analysis& recorded, const Analysis& summarized) {
  EXPECT_EQ(recorded.exposures.size(), summarized.exposures.size());
  for (const auto& [id, exposure] : recorded.exposures) {
    const auto kept = summarized.exposures.find(id);
    ASSERT_NE(kept, summarized.exposures.end()) << id;
    const std::size_t rows = recorded.FindTable(id)->rows();
    for (std::size_t row = 0; row <= rows; ++row) {
      std::vector<bool> chosen(rows, row == rows);
      if (row < rows) chosen[row] = true;
      EXPECT_EQ(ExposedPerIteration(*kept->second, chosen), ExposedPerIteration(*exposure, chosen))
          << id << " row " << row;
      EXPECT_EQ(IdlePerIteration(*kept->second, chosen), IdlePerIteration(*exposure, chosen))
          << id << " row " << row;
    }
  }
}

}  // namespace profgauge
