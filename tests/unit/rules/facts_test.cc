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

// An iterator is made once an epoch; two constructors are called for each. Of one iteration nothing
// is known.
TEST(Facts, ALoaderThatIsMadeInEachIteration) {
  Profile profile;
  const auto call = [&profile](std::string_view name) {
    profile.python.start.push_back(0);
    profile.python.name.push_back(profile.strings.Intern(name));
  };
  analysis::Analysis analysis;
  const auto makes = [&](std::int64_t iterations) {
    analysis.iterations_total = iterations;
    return CollectFacts(std::span(&profile, 1), analysis).at("profile.makes_loader");
  };
  EXPECT_TRUE(IsAbsent(makes(3)));  // No Python functions.
  call("torch/utils/data/dataloader.py(632): __init__");
  call("torch/utils/data/dataloader.py(741): __init__");
  EXPECT_EQ(makes(3), Value(false));
  EXPECT_TRUE(IsAbsent(makes(1)));
  for (int i = 0; i < 4; ++i) call("torch/utils/data/dataloader.py(632): __init__");
  EXPECT_EQ(makes(3), Value(true));
  for (int i = 0; i < 90; ++i) call("model/net.py(1): __init__");
  EXPECT_EQ(makes(4), Value(false));
}

// "dali" alone is in "modality".
TEST(Facts, LibrariesByNames) {
  for (const auto& [name, dali, xla] :
       {std::tuple{"nvidia/dali/plugin/pytorch.py(213): __next__", true, false},
        std::tuple{"DALIGenericIterator", true, false},
        std::tuple{"nvidia.dali.pipeline", true, false},
        std::tuple{"model.py(3): fuse_modalities", false, false},
        std::tuple{"cluster_0_1/xla_run", false, true}, std::tuple{"_XlaRun", false, true},
        std::tuple{"aten::_fused_adamw_", false, false}}) {
    analysis::TestProfile test;
    test.Op(name, {0, 10});
    const std::vector<Profile> ranks = analysis::OneRank(test.Finish());
    const Facts facts = CollectFacts(ranks, {});
    EXPECT_EQ(facts.at("profile.uses_dali"), Value(dali)) << name;
    EXPECT_EQ(facts.at("profile.uses_xla"), Value(xla)) << name;
    const bool is_optimizer = std::string_view(name).find("_fused_") != std::string_view::npos;
    EXPECT_EQ(facts.at("profile.uses_fused_optimizer"), Value(is_optimizer)) << name;
  }
}

// Wrappers of torch/_dynamo are on the stacks of programs that compile nothing.
TEST(Facts, CompiledGraphsByNames) {
  for (const auto& [name, compiled] :
       {std::pair{"CompiledFunction", true}, std::pair{"CompiledFunctionBackward", true},
        std::pair{"Torch-Compiled Region: 0/0", true}, std::pair{"triton_poi_fused_add_0", true},
        std::pair{"torch/_dynamo/eval_frame.py(489): _fn", false},
        std::pair{"_layer_norm_fwd_fused", false}}) {
    analysis::TestProfile test;
    test.Op(name, {0, 10});
    const std::vector<Profile> ranks = analysis::OneRank(test.Finish());
    EXPECT_EQ(CollectFacts(ranks, {}).at("profile.runs_compiled"), Value(compiled)) << name;
  }
}

}  // namespace
}  // namespace profgauge::rules
