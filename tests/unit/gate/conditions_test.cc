// What clocks of devices say beside a change.
#include <gtest/gtest.h>

#include <string>

#include "held_limits.h"

namespace profgauge {
namespace {

using testing::Amount;
using testing::Compared;
using testing::On;
using testing::WithMetric;
using testing::Words;

TEST(CompareRuns, ClocksOfDevicesStandBesideAChange) {
  Snapshot base = WithMetric("x", {}), run = WithMetric("x", {}, 1.22);
  base.conditions = {1980, "", 0};
  run.conditions = {1200, "sw_power_cap", 0.63};
  const BaselineLimit limit = On("iteration.time.median", Amount{0.05, true});
  const MetricComparison slower = Compared({base}, {run}, limit);
  EXPECT_EQ(Words(slower), "fail");
  EXPECT_NE(slower.reason.find("the devices ran at 1200 MHz instead of 1980 MHz (`sw_power_cap` for "
                               "63.0 % of the time), which explains at most +65.0 %"),
            std::string::npos)
      << slower.reason;
  run.conditions.clock_mhz = 1950;
  EXPECT_EQ(Compared({base}, {run}, limit).reason.find("MHz"), std::string::npos);
  run.conditions = {};
  EXPECT_EQ(Compared({base}, {run}, limit).reason.find("MHz"), std::string::npos);
}

}  // namespace
}  // namespace profgauge
