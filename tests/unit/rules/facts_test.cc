#include "rules/facts.h"

#include "../analysis/fixture.h"

namespace profgauge {
namespace {

// The ranks wait for the one that collects longest.
TEST(Facts, GarbageCollectionOfLongestRank) {
  std::vector<Profile> ranks;
  for (const Ns time : {0, 70, 30}) {
    TestProfile test;
    test.Op("aten::mm", {0, 10});
    if (time > 0) test.Op("Python GC", {20, 20 + time});
    ranks.push_back(test.Finish());
  }
  EXPECT_EQ(CollectFacts(ranks, {}).at("profile.gc_time"), Value(std::int64_t{70}));
  EXPECT_TRUE(IsAbsent(CollectFacts(std::span(ranks).first(1), {}).at("profile.gc_time")));
}

}  // namespace
}  // namespace profgauge
