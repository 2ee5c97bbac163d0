// What is not said of a recording that lost work, and what is said of one of which part is judged.
#include "fixture.h"

namespace profgauge {
namespace {

bool IsRemarked(const Analysis& analysis, std::string_view id) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [&](const Remark& remark) { return remark.id == id; });
}

// Ten steps of one launch each, but for those from `from` on up to `to`.
TestProfile StepsWithout(int from, int to) {
  TestProfile test;
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * 1'000'000;
    test.Step(i, {at, at + 1'000'000});
    if (i >= from && i < to) continue;
    test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900'000});
  }
  return test;
}

TEST(Losses, IterationsWithoutLaunchesLeaveIdleTimeOpen) {
  struct Case {
    int from, to;
    bool is_lost;
  };
  for (const Case& of : {Case{0, 0, false}, Case{4, 5, false}, Case{3, 6, true}}) {
    const auto analysis = Analyze(OneRank(StepsWithout(of.from, of.to).Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "iterations-lost"), of.is_lost);
    EXPECT_EQ(analysis->Find("gpu.idle.mean")->low_confidence, of.is_lost);
    EXPECT_EQ(analysis->Find("gpu.idle_cause.host_wait")->low_confidence, of.is_lost);
    EXPECT_FALSE(analysis->Find("iteration.time.mean")->low_confidence);
  }
}

// One lost event of a million changes no idle time that anybody would look at.
TEST(Losses, ManyLostEventsLeaveIdleTimeOpen) {
  for (const std::uint64_t lost : {0, 1, 100}) {
    TestProfile test = StepsWithout(0, 0);
    Profile profile = test.Finish();
    profile.log.Add(Counter::events_read, 1'000);
    profile.log.Add(Counter::events_dropped, lost);
    const auto analysis = Analyze(OneRank(std::move(profile)), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(analysis->Find("gpu.idle.mean")->low_confidence, lost == 100);
    EXPECT_EQ(analysis->Find("breakdown.runtime")->low_confidence, lost == 100);
  }
}

TEST(Losses, WhatIsNotJudgedOfARecordingWithoutIterationsIsTold) {
  for (const Ns before : {0, 5'000'000}) {
    TestProfile test;
    test.Host(HostKind::kAnnotation, "compile", {0, 10});
    test.Op("aten::mm", {before, before + 100'000'000});
    test.Launch("k", {before + 1, before + 2}, {before + 3, before + 90'000'000});
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "window"), before > 0);
  }
}

}  // namespace
}  // namespace profgauge
