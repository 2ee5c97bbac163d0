#include "analysis/breakdown/breakdown.h"

#include <algorithm>
#include <random>

#include "breakdowns.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

breakdown::Breakdown PartsOf(const Profile& profile, Span range) {
  return BreakdownsOf(profile, classify::ClassifyDevice(profile), std::span(&range, 1)).front();
}

// The TensorBoard plug-in's own example of all categories: 15, 10, 5, 0, 30, 180, 35, 125 of 400.
TEST(Breakdown, AllCategories) {
  TestProfile test;
  const ThreadId backward = test.Thread(456);
  test.Step(1, {0, 400});
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {50, 230});
  test.Op("aten::to", {150, 210});
  test.Op("aten::nll_loss_backward", {290, 360}, backward);
  test.Launch("Memcpy HtoD (Pageable -> Device)", {310, 330}, {355, 365}, backward,
              DeviceKind::kMemcpy);
  test.Launch("Memset (Device)", {340, 350}, {370, 375}, backward, DeviceKind::kMemset);
  test.Launch("void nll_loss<float>", {355, 360}, {380, 395}, backward);
  EXPECT_EQ(PartsOf(test.Finish(), {0, 400}),
            (breakdown::Breakdown{0, 15, 0, 10, 5, 30, 180, 35, 125}));
}

TEST(Breakdown, TensorCoresFirstCopiesAfterCollectives) {
  TestProfile test;
  test.Work("volta_h884gemm_128x64_nn", {0, 10});
  test.Work("elementwise_kernel", {5, 20}, DeviceKind::kKernel, 0, 8);
  test.Work("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", {15, 40}, DeviceKind::kKernel,
            0, 9);
  test.Work("Memcpy HtoD", {30, 35}, DeviceKind::kMemcpy, 0, 10);
  test.builder().AddGpu({0, "Tesla V100", 7, 0, 80, -1, -1, -1});
  EXPECT_EQ(PartsOf(test.Finish(), {0, 50}), (breakdown::Breakdown{10, 10, 20, 0, 0, 0, 0, 0, 10}));
}

// One definition in the bar, in the finding and by rank.
TEST(Breakdown, CommunicationUnderCopiesIsExposed) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Launch("elementwise_kernel", {0, 5}, {10, 30});
  test.Launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", {6, 8}, {30, 70}, {}, DeviceKind::kKernel,
              0, 20);
  test.Launch("Memcpy DtoD", {8, 9}, {20, 90}, {}, DeviceKind::kMemcpy, 0, 21);
  const Profile profile = test.Finish();
  const breakdown::Breakdown parts = PartsOf(profile, {0, 100});
  EXPECT_EQ(parts[static_cast<std::size_t>(Category::kCommunication)], 40);
  EXPECT_EQ(parts[static_cast<std::size_t>(Category::kMemcpy)], 20);
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_EQ(NumberOf(analysis, "breakdown.communication"), 0.4);
  EXPECT_EQ(NumberOf(analysis, "communication.exposed_share"), 0.4);
  EXPECT_EQ(NumberOf(analysis, "breakdown.memcpy"), 0.2);
}

// Annotations and nccl's host ranges would hide a host that does nothing for the GPU; gloo's are
// the communication itself.
TEST(Breakdown, AnnotationsAreNoCpuTime) {
  TestProfile test;
  test.Host(HostKind::kAnnotation, "forward", {0, 100});
  test.Host(HostKind::kAnnotation, "nccl:all_reduce", {0, 10});
  test.Host(HostKind::kAnnotation, "gloo:all_reduce", {20, 30});
  test.Op("gloo:broadcast", {40, 45});
  test.Op("nccl:broadcast", {50, 60});
  test.Host(HostKind::kOverhead, "Activity Buffer Request", {70, 80});
  EXPECT_EQ(PartsOf(test.Finish(), {0, 100}), (breakdown::Breakdown{0, 0, 15, 0, 0, 0, 0, 10, 75}));
}

// Without a device, concurrent operators hide a collective, in the breakdown and in the shares.
TEST(Breakdown, HostOperatorsHideItsCollectives) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 40});
  test.Op("gloo:all_reduce", {20, 60});
  test.Op("aten::mm", {50, 80});
  test.Op("gloo:all_reduce", {52, 70});
  test.Op("c10d::barrier", {80, 100});  // Lasts as long as the awaited work.
  test.Op("gloo:barrier", {82, 98});
  test.Op("aten::stack", {84, 90}, test.Thread(9));  // A loader's.
  const Profile profile = test.Finish();
  EXPECT_EQ(PartsOf(profile, {0, 100}), (breakdown::Breakdown{0, 0, 26, 0, 0, 0, 0, 74, 0}));
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_EQ(NumberOf(analysis, "breakdown.communication"), 0.26);
  EXPECT_EQ(NumberOf(analysis, "communication.exposed_share"), 0.26);
  EXPECT_EQ(NumberOf(analysis, "communication.time"), 66);
}

// A checkpoint's coordination: the loop goes on beside it, or waits for it.
TEST(Breakdown, AwaitedCollectivesOfThreadsAreExposed) {
  TestProfile test;
  const ThreadId other = test.Thread(9);
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 20});
  test.Launch("k", {5, 10}, {10, 30});
  test.Op("aten::add", {40, 60});
  test.Op("gloo:all_gather", {5, 55}, other);   // Ends beside aten::add.
  test.Op("gloo:all_gather", {56, 90}, other);  // For whose end the loop waits.
  const Profile profile = test.Finish();
  EXPECT_EQ(PartsOf(profile, {0, 100}), (breakdown::Breakdown{0, 20, 30, 0, 0, 5, 0, 25, 20}));
  EXPECT_EQ(NumberOf(AnalyzeOne(profile), "communication.exposed_share"), 0.3);
}

// Where the plug-in starts over (its own test gives 470 of 235 ns), covered time stays covered.
TEST(Breakdown, NothingIsCountedTwice) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Launch("kernel", {10, 20}, {0, 100});
  EXPECT_EQ(PartsOf(test.Finish(), {0, 100}), (breakdown::Breakdown{0, 100, 0, 0, 0, 0, 0, 0, 0}));
}

// Compared with the active events at each nanosecond.
TEST(Breakdown, RandomEventsNanosecondByNanosecond) {
  constexpr Ns kEnd = 300;
  std::mt19937 random(3);
  const auto below = [&random](Ns end) { return static_cast<Ns>(random() % end); };
  for (int round = 0; round < 500; ++round) {
    std::vector<CategoryEvent> events;
    std::vector<breakdown::CategorySet> active(kEnd, 0);
    const Ns longest = 1 + below(60);
    for (Ns i = below(40); i > 0; --i) {
      const auto category = static_cast<Category>(below(kBreakdownCategories - 1));
      const Ns start = below(kEnd), end = std::min(kEnd, start + below(longest));
      events.emplace_back(category, Span{start, end});
      for (Ns at = start; at < end; ++at) active[at] |= breakdown::SetOf(category);
    }
    std::vector<Span> ranges, hidden;
    for (Ns at = 0; at < kEnd;) {
      const Ns end = std::min(kEnd, at + below(70));
      ranges.push_back({at, end});
      at = end + (below(3) == 0 ? below(20) : 0);
    }
    if (below(2) == 0) hidden = Merge({{below(kEnd), below(kEnd)}, {below(kEnd), below(kEnd)}});

    std::vector<breakdown::CategorySet> found(kEnd, 0);
    breakdown::BreakdownSums sums(ranges, hidden);
    Ns before = 0;
    VisitCategoriesOf(events, [&](Span stretch, breakdown::CategorySet set) {
      ASSERT_LE(before, stretch.start);
      ASSERT_LT(stretch.start, stretch.end);
      before = stretch.end;
      std::fill(found.begin() + stretch.start, found.begin() + stretch.end, set);
      sums.Add(stretch, set);
    });
    ASSERT_EQ(found, active);
    std::vector<breakdown::Breakdown> expected;
    for (const Span range : ranges) {
      breakdown::Breakdown& parts = expected.emplace_back();
      for (Ns at = range.start; at < range.end; ++at) {
        if (!Near(hidden, {at, at + 1}).empty()) continue;
        const Category category =
            active[at] == 0 ? Category::kOther : breakdown::FirstOf(active[at]);
        ++parts[static_cast<std::size_t>(category)];
      }
    }
    ASSERT_EQ(sums.Take(), expected);
  }
}

TEST(Breakdown, CategoryIds) {
  EXPECT_EQ(CategoryId(Category::kTensorCoreKernel), "tensor_core_kernel");
  EXPECT_EQ(CategoryId(Category::kOther), "other");
}

}  // namespace
}  // namespace profgauge::analysis
