// Collectives, the work that overlaps them and the ranks that wait, on small profiles made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <tuple>

#include "analysis/classify/device_spans.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/iterations/context.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

TEST(ExposedTime, IsTimeWithoutOwnComputation) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("gemm", {100, 200});
  test.Work("gemm", {250, 300});
  test.Work("ncclDevKernel_AllReduce(x)", {150, 270}, DeviceKind::kKernel, 0, 20);
  test.Work("ncclDevKernel_AllReduce(x)", {400, 410}, DeviceKind::kKernel, 0, 20);
  test.Work("gemm", {0, 500}, DeviceKind::kKernel, 1);
  const Profile profile = test.Finish();
  const auto classes = classify::ClassifyDevice(profile);
  const auto spans = classify::CollectDeviceSpans(profile, classes);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(Length(spans[0].communication), 130);
  EXPECT_THAT(classify::ExposedTimes(profile, classes, classify::Exposable::kCollectives).values(),
              ::testing::ElementsAre(0, 0, 50, 10, 0));
  EXPECT_TRUE(classify::ExposedTimes(profile, classes, classify::Exposable::kCopiesAndSets)
                  .values()
                  .empty());
}

std::vector<Profile> TwoRanks(std::string_view stray) {
  std::vector<Profile> run;
  for (const std::int32_t rank : {0, 1}) {
    TestProfile test;
    test.builder().distributed().rank = rank;
    test.builder().distributed().world_size = 2;
    test.Step(0, {0, 100'000});
    test.Work("gemm", {0, 50'000}, DeviceKind::kKernel, rank);
    test.Work("ncclDevKernel_AllReduce(x)", {50'000, 60'000}, DeviceKind::kKernel, rank, 20);
    if (!stray.empty() && rank == 1) test.Work(stray, {0, 10}, DeviceKind::kKernel, 0);
    run.push_back(test.Finish());
  }
  return run;
}

// "cuda:0" is everybody's default: a kernel there makes rank 0's GPU no GPU of rank 1's.
TEST(RankTimes, AreThoseOfItsOwnGpus) {
  for (const std::string_view stray : {"", "fill"}) {
    const auto analysis = Analyze(TwoRanks(stray), {});
    ASSERT_TRUE(analysis);
    EXPECT_DOUBLE_EQ(NumberOf(*analysis, "communication.exposed_share"), 0.1) << stray;
    EXPECT_EQ(NumberOf(*analysis, "communication.time"), 20'000) << stray;
    EXPECT_DOUBLE_EQ(NumberOf(*analysis, "rank.imbalance"), 0) << stray;
    EXPECT_DOUBLE_EQ(NumberOf(*analysis, "gpu.idle.max"), 0.4) << stray;
    const Table& ranks = *analysis->FindTable("ranks");
    for (const std::size_t row : {0U, 1U}) {
      EXPECT_DOUBLE_EQ(AsNumber(ranks.At(row, "idle"), -1), 0.4) << stray;
    }
  }
}

// So in each iteration: a collective's short kernel on "cuda:0" is none of rank 1's communication.
TEST(RankTimes, IterationsSumToThoseOfOwnGpus) {
  const auto profiles = TwoRanks("ncclDevKernel_AllReduce(x)");
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  ASSERT_TRUE(ranks);
  const communication::TimeFacts facts(*ranks);
  for (const std::size_t rank : {0U, 1U}) {
    EXPECT_EQ(communication::CommunicationByIteration((*ranks)[rank]), std::vector<Ns>{10'000})
        << rank;
    EXPECT_EQ(facts.communication[rank].times.communication, 10'000) << rank;
  }
}

// While the profiler stops nothing is observed, whatever the host waits for.
TEST(RankTimes, NothingUnobservedIsExposed) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const Ns begin = i * 100 * kMs, end = begin + (i == 3 ? 150 : 100) * kMs;
    test.Step(i, {begin, end});
    test.Launch("kernel", {begin, begin + 5'000}, {begin + 10'000, begin + 65 * kMs});
    test.Op("gloo:all_reduce", {begin + 70 * kMs, begin + 80 * kMs});
  }
  test.Call("cudaProfilerStop", ApiKind::kOther, {400 * kMs, 450 * kMs});
  test.Op("gloo:all_reduce", {410 * kMs, 430 * kMs}, test.Thread(2));
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->front().unobserved, (std::vector<Span>{{400 * kMs, 450 * kMs}}));
  const communication::RankFacts facts = communication::TimeFacts(*ranks).communication.front();
  EXPECT_EQ(Length(facts.exposed), 40 * kMs);
  EXPECT_EQ(OverlapLength(facts.exposed, ranks->front().unobserved), 0);
}

// Sums of rows never exceed the exposed time.
TEST(ExposedTime, ConcurrentWorkCountsOnce) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("gemm", {0, 100});
  for (const std::int64_t stream : {20, 21, 22}) {
    test.Work("Memcpy", {50, 300}, DeviceKind::kMemcpy, 0, stream);
    test.Work("Memset", {250, 400}, DeviceKind::kMemset, 0, stream + 10);
    test.Work("ncclDevKernel_AllReduce(x)", {300 + stream, 500}, DeviceKind::kKernel, 0,
              stream + 20);
  }
  const Profile profile = test.Finish();
  const auto exposed_of = [&](classify::Exposable wanted) {
    return classify::ExposedTimes(profile, classify::ClassifyDevice(profile), wanted);
  };
  const auto collectives = exposed_of(classify::Exposable::kCollectives);
  const auto copies = exposed_of(classify::Exposable::kCopiesAndSets);
  std::array<Ns, 4> sums{};
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const bool is_collective = profile.Name(profile.device.name[row]).starts_with("nccl");
    sums[is_collective ? 3 : static_cast<std::size_t>(profile.device.kind[row])] +=
        collectives[row] + copies[row];
  }
  EXPECT_EQ(sums, (std::array<Ns, 4>{0, 200, 100, 180}));
}

// The row to which a moment in a gap of at most 2 ns belongs, or none: the work before the gap.
std::uint32_t BeforeShortGap(const DeviceTable& device, std::int32_t gpu, Ns at) {
  const auto end_of = [&](std::uint32_t row) { return device.start[row] + device.duration[row]; };
  std::uint32_t before = DeviceId::kNone;
  Ns next = std::numeric_limits<Ns>::max();
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.gpu[row] != gpu || device.duration[row] <= 0) continue;
    if (device.start[row] > at) next = std::min<Ns>(next, device.start[row]);
    if (end_of(row) > at) continue;
    const auto order = [&](std::uint32_t of) {
      return std::tuple(-end_of(of), device.kind[of], device.start[of]);
    };
    if (before == DeviceId::kNone || order(row) < order(before)) before = row;
  }
  const bool is_short = before != DeviceId::kNone && next != std::numeric_limits<Ns>::max() &&
                        next - end_of(before) < 3;
  return is_short ? before : DeviceId::kNone;
}

// Nanosecond by nanosecond: the first one to begin among those that run, unless other work overlaps
// them.
Ns ExposedOf(const Profile& profile, const classify::KernelClasses& classes, std::uint32_t row,
             Ns end, std::span<const Span> uncounted) {
  const DeviceTable& device = profile.device;
  enum { kComputes, kCollective, kCopy, kSet };
  const auto kind_of = [&](std::uint32_t of) {
    if (device.kind[of] == DeviceKind::kMemcpy) return kCopy;
    if (device.kind[of] == DeviceKind::kMemset) return kSet;
    return classes[of].collective ? kCollective : kComputes;
  };
  Ns sum = 0;
  for (Ns at = 0; at < end; ++at) {
    std::array<std::uint32_t, 4> first;
    first.fill(DeviceId::kNone);
    for (std::uint32_t of = 0; of < device.size(); ++of) {
      const bool runs = device.start[of] <= at && at < device.start[of] + device.duration[of];
      std::uint32_t& known = first[kind_of(of)];
      if (!runs || device.gpu[of] != device.gpu[row]) continue;
      if (known == DeviceId::kNone || device.start[of] < device.start[known]) known = of;
    }
    const bool is_idle = std::ranges::count(first, DeviceId::kNone) == std::ssize(first);
    const std::uint32_t before =
        is_idle ? BeforeShortGap(device, device.gpu[row], at) : DeviceId::kNone;
    if (before != DeviceId::kNone) first[kind_of(before)] = before;
    const auto kind = kind_of(row);
    const bool is_hidden = first[kComputes] != DeviceId::kNone ||
                           (kind == kSet && first[kCopy] != DeviceId::kNone) ||
                           !Near(uncounted, {at, at + 1}).empty();
    if (kind != kComputes && !is_hidden && first[kind] == row) ++sum;
  }
  return sum;
}

TEST(ExposedTime, RandomWorkNanosecondByNanosecond) {
  constexpr Ns kEnd = 120;
  std::mt19937 random(7);
  const auto below = [&random](int end) { return static_cast<Ns>(random() % end); };
  for (int round = 0; round < 100; ++round) {
    TestProfile test;
    test.Op("x", {0, 1});
    for (Ns i = 1 + below(25); i > 0; --i) {
      const Ns start = below(90), kind = below(4);
      test.Work(kind == 0 ? "gemm" : "ncclDevKernel_AllReduce(x)", {start, start + below(30)},
                kind == 2   ? DeviceKind::kMemcpy
                : kind == 3 ? DeviceKind::kMemset
                            : DeviceKind::kKernel,
                static_cast<std::int32_t>(below(2)), below(3));
    }
    const Profile profile = test.Finish();
    const classify::KernelClasses classes = classify::ClassifyDevice(profile);
    const std::vector<Span> uncounted = Merge({{below(90), below(90)}});
    const auto collectives =
        classify::ExposedTimes(profile, classes, classify::Exposable::kCollectives, uncounted);
    const auto copies =
        classify::ExposedTimes(profile, classes, classify::Exposable::kCopiesAndSets, uncounted);
    for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
      ASSERT_EQ(collectives[row] + copies[row], ExposedOf(profile, classes, row, kEnd, uncounted));
    }
  }
}

TEST(Collectives, KindsFromAnySpelling) {
  struct Row {
    std::string_view name, kind;
  };
  constexpr Row kRows[] = {
      {"allreduce", "all_reduce"},
      {"nccl:all_reduce", "all_reduce"},
      {"_reduce_scatter_base", "reduce_scatter"},
      {"allgather_into_tensor_coalesced", "all_gather"},
      {"nccl:_all_gather_base", "all_gather"},
      {"all_to_allv", "all_to_all"},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", "reduce_scatter"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", "send_recv"},
      {"void vllm::cross_device_reduce_1stage<float, 8>(P)", "all_reduce"},
      {"c10d::broadcast_", "broadcast"},
      {"reduce", "reduce"},
      {"c10d::gather_", "gather"},
      {"scatter", "scatter"},
      {"barrier", "barrier"},
      {"wait", "other"},
      {"void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, 8>(float*)",
       "all_reduce"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(classify::CollectiveKindId(classify::CollectiveKindOf(row.name)), row.kind)
        << row.name;
  }
  EXPECT_DOUBLE_EQ(classify::BusFactor(classify::CollectiveKind::kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(classify::BusFactor(classify::CollectiveKind::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(classify::BusFactor(classify::CollectiveKind::kBroadcast, 4), 1);
}

// Rank 1 comes late to the collective: rank 0 waits 60 ns for it.
std::vector<Profile> OneLateRank() {
  const auto rank = [](int number, Ns join) {
    TestProfile test;
    test.builder().distributed().rank = number;
    test.builder().distributed().world_size = 2;
    Collective collective;
    collective.name = test.builder().Intern("allreduce");
    collective.dtype = test.builder().Intern("Float");
    collective.group = test.builder().Intern("default_pg");
    collective.in_elements = collective.out_elements = 1000;
    collective.group_size = 2;
    test.Op("step", {0, 200});
    test.Work("gemm", {0, join});
    DeviceRow row;
    row.start = join;
    row.duration = 120 - join;
    row.name = test.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)");
    row.gpu = number;
    row.stream = 20;
    row.collective = test.builder().AddCollective(collective);
    test.builder().AddDevice(row);
    return test.Finish();
  };
  std::vector<Profile> ranks;
  ranks.push_back(rank(0, 40));
  ranks.push_back(rank(1, 100));
  return ranks;
}

TEST(Communication, WaitingIsNotTransferring) {
  const Analysis analysis = AnalyzeAll(OneLateRank());
  const Table& calls = *analysis.FindTable("collectives");
  ASSERT_EQ(calls.rows(), 2U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "all_reduce");
  EXPECT_EQ(TextAt(calls, 0, "dtype"), "float32");
  EXPECT_EQ(IntegerAt(calls, 0, "bytes"), 4000);
  EXPECT_EQ(IntegerAt(calls, 0, "time"), 80);
  EXPECT_EQ(IntegerAt(calls, 1, "time"), 20);
  EXPECT_EQ(IntegerAt(calls, 0, "transfer_time"), 20);
  EXPECT_EQ(IntegerAt(calls, 1, "transfer_time"), 20);
  EXPECT_DOUBLE_EQ(RealAt(calls, 0, "bus_bandwidth"), 4000 / 20e-9);
  EXPECT_EQ(NumberOf(analysis, "communication.time"), 100);
  EXPECT_EQ(NumberOf(analysis, "communication.overlap"), 0);
  EXPECT_TRUE(IsAbsent(analysis.Find("rank.straggler")->value));
  EXPECT_EQ(analysis.Find("rank.straggler")->absent_because,
            "ranks are late too rarely to separate a pattern from chance");
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "rank.imbalance"), 60.0 / 70);
  const Table& ranks = *analysis.FindTable("ranks");
  ASSERT_EQ(ranks.rows(), 2U);
  EXPECT_EQ(IntegerAt(ranks, 0, "waiting_time"), 60);
  EXPECT_EQ(IntegerAt(ranks, 1, "waiting_time"), 0);
  EXPECT_EQ(IntegerAt(ranks, 1, "compute_time"), 100);
}

// One rank of a group does not show how many ranks the group has.
TEST(Communication, ARankAloneKnowsNoGroupSize) {
  const auto size_of = [](std::int64_t recorded) {
    TestProfile test;
    Collective collective;
    collective.name = test.builder().Intern("allreduce");
    collective.group = test.builder().Intern("default_pg");
    collective.group_size = recorded;
    test.Op("step", {0, 200});
    DeviceRow row;
    row.start = 40;
    row.duration = 80;
    row.name = test.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)");
    row.gpu = 0;
    row.collective = test.builder().AddCollective(collective);
    test.builder().AddDevice(row);
    std::vector<Profile> ranks;
    ranks.push_back(test.Finish());
    return AnalyzeAll(ranks).FindTable("process_groups")->At(0, "size");
  };
  EXPECT_EQ(size_of(8), Value{std::int64_t{8}});
  EXPECT_TRUE(IsAbsent(size_of(-1)));
}

}  // namespace
}  // namespace profgauge::analysis
