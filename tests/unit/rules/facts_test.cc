#include "rules/facts.h"

#include <tuple>

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

// A function of `PIL/` calls others of it, and the wait is the loader's.
TEST(Facts, ImageWorkOfARunWithALoader) {
  for (const bool loads : {true, false}) {
    analysis::TestProfile test;
    if (loads) test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {0, 100});
    test.Op("torchvision/transforms/functional.py(476): resize", {10, 50});
    test.Op("/lib/PIL/Image.py(2127): resize", {15, 45});
    test.Op("tf::DecodeJpeg", {60, 80}, test.Thread(2));
    test.Op("torchvision/models/resnet.py(1): forward", {100, 200});
    const std::vector<Profile> ranks = analysis::OneRank(test.Finish());
    const Facts facts = CollectFacts(ranks, {});
    ASSERT_EQ(facts.contains("profile.image_work"), loads);
    if (!loads) continue;
    EXPECT_EQ(facts.at("profile.image_work"),
              Value(std::string("torchvision/transforms/functional.py(476): resize")));
    EXPECT_EQ(facts.at("profile.image_time"), Value(std::int64_t{60}));
    EXPECT_EQ(facts.at("profile.uses_dali"), Value(false));
  }
}

// "dali" alone is in "modality".
TEST(Facts, LibrariesByNames) {
  for (const auto& [name, dali, xla] :
       {std::tuple{"nvidia/dali/plugin/pytorch.py(213): __next__", true, false},
        std::tuple{"DALIGenericIterator", true, false},
        std::tuple{"model.py(3): fuse_modalities", false, false},
        std::tuple{"cluster_0_1/xla_run", false, true}, std::tuple{"_XlaRun", false, true}}) {
    analysis::TestProfile test;
    test.Op(name, {0, 10});
    const std::vector<Profile> ranks = analysis::OneRank(test.Finish());
    const Facts facts = CollectFacts(ranks, {});
    EXPECT_EQ(facts.at("profile.uses_dali"), Value(dali)) << name;
    EXPECT_EQ(facts.at("profile.uses_xla"), Value(xla)) << name;
  }
}

}  // namespace
}  // namespace profgauge::rules
