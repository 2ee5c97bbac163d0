// Whether a limit's `when` is true, and the reason when it is false.
#include "rules/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "made_run.h"

namespace profgauge::rules {
namespace {

SourceText Condition(std::string_view text) {
  SourceText condition;
  condition.text = text;
  return condition;
}

// Two metrics that are there, one without a value, and one that is not even listed.
analysis::Analysis FewMetrics(std::string why = "not recorded here") {
  analysis::Analysis analysis;
  const auto add = [&](const char* id, Value value) -> analysis::Metric& {
    analysis.metrics.push_back({analysis::FindMetric(id), std::move(value), "", false, ""});
    return analysis.metrics.back();
  };
  add("gpu.idle.mean", 0.2);
  add("gpu.occupancy", 0.0);
  add("gpu.sm_efficiency", {}).absent_because = std::move(why);
  return analysis;
}

TEST(Condition, HoldsOrSaysWhyNot) {
  struct Row {
    std::string_view condition;
    std::string_view why;  ///< Empty: it holds.
    bool is_unknown;
  };
  const Row kRows[] = {
      {"", "", false},
      {"gpu.idle.mean > 10%", "", false},
      {"gpu.idle.mean > 20%", "not for such a run: {{ device.device }} idle time is 20.0 %", false},
      {"gpu.idle.mean + gpu.occupancy > 50%",
       "not for such a run: {{ device.device }} idle time is 20.0 %, Estimated achieved occupancy "
       "is 0 %",
       false},
      // The first of several parts that is false, however deep it is.
      {"gpu.idle.mean > 10% and gpu.occupancy > 10% and gpu.idle.mean > 90%",
       "not for such a run: Estimated achieved occupancy is 0 %", false},
      {"gpu.idle.mean > 10% and (gpu.idle.mean > 15% and gpu.occupancy > 10%)",
       "not for such a run: Estimated achieved occupancy is 0 %", false},
      {"gpu.idle.mean > 10% and (gpu.idle.mean > 90% or gpu.occupancy > 10%)",
       "not for such a run: {{ device.device }} idle time is 20.0 %, Estimated achieved occupancy "
       "is 0 %",
       false},
      {"if(gpu.idle.mean > 10%, gpu.occupancy > 10%, gpu.idle.mean > 90%)",
       "not for such a run: Estimated achieved occupancy is 0 %", false},
      {"if(gpu.idle.mean > 50%, gpu.occupancy > 10%, gpu.idle.mean > 90%)",
       "not for such a run: {{ device.device }} idle time is 20.0 %", false},
      {"if(gpu.sm_efficiency > 50%, true, false)", "?", true},
      {"known(gpu.sm_efficiency)",
       "not for such a run: Estimated {{ device.core }} efficiency is –", false},
      {"known(gpu.utilization.mean)", "not for such a run: {{ device.device }} utilization is –",
       false},
      {"max(gpu.idle.mean, gpu.occupancy) > 50%", "?", false},
      {"gpu.sm_efficiency > 10%",
       "whether it applies is unknown; Estimated {{ device.core }} efficiency is missing: not "
       "recorded here",
       true},
      {"gpu.utilization.mean > 10%",
       "whether it applies is unknown; {{ device.device }} utilization is missing: this profile "
       "does not have it",
       true},
      {"gpu.idle.mean / gpu.occupancy > 1",
       "whether it applies is unknown: `gpu.idle.mean / gpu.occupancy` divides by zero or is out "
       "of range",
       true},
  };
  for (const Row& row : kRows) {
    const SourceText condition = Condition(row.condition);
    if (!CheckCondition(condition).empty()) {
      EXPECT_EQ(row.why, "?") << row.condition;
      continue;
    }
    const std::string why = PlainSpaces(WhyNotMet(condition, FewMetrics()).value_or(""));
    if (row.why != "?") {
      EXPECT_EQ(why, row.why) << row.condition;
    }
    EXPECT_EQ(IsUnknown(condition, FewMetrics()), row.is_unknown) << row.condition;
  }
  EXPECT_EQ(*WhyNotMet(Condition("gpu.sm_efficiency > 10%"), FewMetrics("")),
            "whether it applies is unknown; Estimated {{ device.core }} efficiency is missing: "
            "this profile does not have it");
}

TEST(Condition, NoExpressionIsFalse) {
  EXPECT_FALSE(CheckCondition(Condition("gpu.idle.mean >")).empty());
  EXPECT_EQ(*WhyNotMet(Condition("gpu.idle.mean >"), FewMetrics()),
            "its condition is not an expression");
  EXPECT_FALSE(IsUnknown(Condition("gpu.idle.mean >"), FewMetrics()));
}

}  // namespace
}  // namespace profgauge::rules
