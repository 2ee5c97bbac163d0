// Parts of the analysis that run beside each other, and how their results join.
#include "analysis/tables/output.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace profgauge {
namespace {

TEST(Output, PartsJoinInTheOrderGiven) {
  Output whole, first = whole.Beside(), second = whole.Beside();
  whole.Set("profile.ranks", std::int64_t{2});
  second.Set("profile.gpus", std::int64_t{4});
  second.AddRemark("b", "second");
  first.SetAbsent("gpu.idle.mean", "nothing ran");
  first.AddRemark("a", "first");
  first.RowsOfDevice("kernels", 0) = {7};
  Table& table = first.AddTable("host_cores");
  for (Column& column : table.columns()) column.AddAbsent();
  whole.Join(std::move(first));
  whole.Join(std::move(second));
  EXPECT_EQ(AsNumber(whole.ValueOf("profile.ranks"), 0), 2);
  EXPECT_EQ(AsNumber(whole.ValueOf("profile.gpus"), 0), 4);
  EXPECT_FALSE(whole.IsSet("gpu.idle.mean"));
  EXPECT_EQ(whole.RowsOfDevice("kernels", 0), std::vector<std::uint32_t>{7});
  Analysis analysis;
  whole.MoveTo(analysis);
  EXPECT_EQ(analysis.Find("gpu.idle.mean")->absent_because, "nothing ran");
  EXPECT_EQ(analysis.FindTable("host_cores")->rows(), 1U);
  ASSERT_EQ(analysis.remarks.size(), 2U);
  EXPECT_EQ(analysis.remarks[0].id, "a");
  EXPECT_EQ(analysis.remarks[1].id, "b");
}

TEST(Output, WhatMayBeMoreAndLessIsUncertain) {
  struct Case {
    double first, second, may_be;
    bool is_uncertain;
  };
  for (const auto& [first, second, may_be, is_uncertain] :
       {Case{0.6, 0.9, 0.9, false}, Case{0.9, 0.6, 0.9, false}, Case{0.1, 0.9, 0.9, true},
        Case{0.9, 0.1, 0.9, true}, Case{0.3, 0.1, 0.1, false}, Case{0.5, 0.1, 0.1, false}}) {
    Output out;
    out.Set("gpu.idle.mean", 0.5);
    out.MayBe("gpu.idle.mean", first, "one");
    out.MayBe("gpu.idle.mean", second, "two");
    Analysis analysis;
    out.MoveTo(analysis);
    const Metric* idle = analysis.Find("gpu.idle.mean");
    EXPECT_EQ(idle->may_be, may_be);
    EXPECT_EQ(idle->low_confidence, is_uncertain);
    EXPECT_EQ(idle->note, "one; two");
  }
}

TEST(Output, OfWhatTwoPartsSayTheLaterCounts) {
  Output whole, first = whole.Beside(), second = whole.Beside(), third = whole.Beside();
  first.Set("profile.gpus", std::int64_t{4});
  second.SetAbsent("profile.gpus", "not recorded");
  third.Set("profile.ranks", std::int64_t{1});
  whole.Join(std::move(first));
  whole.Join(std::move(second));
  whole.Join(std::move(third));
  Analysis analysis;
  whole.MoveTo(analysis);
  EXPECT_TRUE(IsAbsent(analysis.Find("profile.gpus")->value));
  EXPECT_EQ(analysis.Find("profile.gpus")->absent_because, "not recorded");
}

TEST(Output, WhatARecordingLacksIsTakenBack) {
  Output out;
  out.Set("gpu.idle.mean", 0.1);
  out.Set("memory.growth", std::int64_t{5});
  out.AddTable("gaps");
  out.MarkUncertain(&Basis::all_work, "events were lost");
  EXPECT_TRUE(out.IsSet("gpu.idle.mean"));
  out.SetLacking(&Basis::execution, "nothing ran");
  EXPECT_FALSE(out.IsSet("gpu.idle.mean"));
  EXPECT_TRUE(out.IsSet("memory.growth"));
  EXPECT_EQ(out.Added("gaps"), nullptr);
  Analysis analysis;
  out.MoveTo(analysis);
  EXPECT_EQ(analysis.Find("gpu.idle.mean")->absent_because, "nothing ran");
  EXPECT_FALSE(analysis.Find("memory.growth")->low_confidence);
  EXPECT_EQ(analysis.absent_tables.find("gaps")->second, "nothing ran");
}

}  // namespace
}  // namespace profgauge
