#include "rules/facts.h"

#include "../analysis/fixture.h"

namespace profgauge::rules {
namespace {

// The ranks wait for the one that collects longest.
TEST(Facts, GarbageCollectionOfLongestRank) {
  std::vector<Profile> ranks;
  for (const Ns time : {0, 70, 30}) {
    analysis::TestProfile test;
    test.Op("aten::mm", {0, 10});
    if (time > 0) test.Op("Python GC", {20, 20 + time});
    ranks.push_back(test.Finish());
  }
  EXPECT_EQ(CollectFacts(ranks, {}).at("profile.gc_time"), Value(std::int64_t{70}));
  EXPECT_TRUE(IsAbsent(CollectFacts(std::span(ranks).first(1), {}).at("profile.gc_time")));
}

// A range inside of the frame of its function, or in another range, is the same collection.
TEST(Facts, NestedCollectionsCountOnce) {
  analysis::TestProfile test;
  test.Op("aten::mm", {0, 10});
  test.Op("gc.collect", {20, 120});
  test.Op("Python GC", {30, 90});
  test.Op("Python GC", {200, 230});
  test.Op("Python GC", {210, 225}, test.Thread(2));
  const std::vector<Profile> ranks = analysis::OneRank(test.Finish());
  EXPECT_EQ(CollectFacts(ranks, {}).at("profile.gc_time"), Value(std::int64_t{145}));
}

}  // namespace
}  // namespace profgauge::rules
