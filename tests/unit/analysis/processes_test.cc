#include "model/processes.h"

#include <gmock/gmock.h>

#include "fixture.h"
#include "model/certificate.h"

namespace profgauge::analysis {
namespace {

// Two processes with an iteration each; the second one's queue is long, so that its kernels run
// long after their launches. A third only loads data.
TestProfile TwoProcesses(std::int32_t second_gpu = 1) {
  TestProfile test;
  const ThreadId second = test.builder().AddThread("2", "1");
  const ThreadId loader = test.builder().AddThread("3", "1");
  test.Step(0, {0, 500});
  test.Step(1, {500, 1000});
  for (const int step : {0, 1}) {
    test.Host(HostKind::kIterationMarker, "ProfilerStep#" + std::to_string(step),
              {step * 100, step * 100 + 90}, second);
    const Ns at = step * 500;
    test.Op("aten::mm", {at + 10, at + 30});
    test.Launch("a", {at + 11, at + 12}, {at + 50, at + 450});
    test.Op("aten::mm", {step * 100 + 10, step * 100 + 30}, second);
    test.Launch("b", {step * 100 + 11, step * 100 + 12}, {at + 60, at + 460}, second,
                DeviceKind::kKernel, second_gpu);
  }
  test.Op("load", {5, 400}, loader);
  test.Work("unlaunched", {470, 480}, DeviceKind::kKernel, second_gpu);
  return test;
}

TEST(Processes, EachThatTrainsIsARank) {
  const std::vector<Profile> ranks = SplitProcesses(TwoProcesses().Finish());
  ASSERT_EQ(ranks.size(), 2U);
  for (const Profile& rank : ranks) {
    const auto status = CheckInvariants(rank);
    EXPECT_TRUE(status.has_value()) << (status ? "" : status.error().message);
    EXPECT_EQ(rank.distributed.rank, -1);
  }
  EXPECT_EQ(ranks[1].source.dialect, "pid 2");
  EXPECT_THAT(ranks[0].device.gpu, ::testing::ElementsAre(0, 0));
  EXPECT_THAT(ranks[1].device.gpu, ::testing::ElementsAre(1, 1, 1));
  // The loader is no one's in particular.
  EXPECT_EQ(ranks[0].host.size(), 5U);
  EXPECT_EQ(ranks[1].host.size(), 4U);
  const DeviceTable& device = ranks[1].device;
  ASSERT_TRUE(device.launch[0].valid());
  EXPECT_EQ(ranks[1].api.start[device.launch[0].value], 11);
  EXPECT_EQ(ranks[1].Name(ranks[1].host.name[device.op[0].value]), "aten::mm");
  EXPECT_EQ(ranks[1].Name(device.name[2]), "b");
}

// The document of the run is of all its processes, as a mark among the events is.
TEST(Processes, EachKeepsTheRunDocument) {
  Profile profile = TwoProcesses().Finish();
  profile.run_document = "{}";
  for (const Profile& rank : SplitProcesses(std::move(profile))) EXPECT_EQ(rank.run_document, "{}");
}

// Without markers, that they communicate makes them ranks.
TEST(Processes, EachThatCommunicatesIsARank) {
  for (const bool communicate : {false, true}) {
    TestProfile test;
    const ThreadId second = test.builder().AddThread("2", "1");
    test.Launch("a", {0, 10}, {50, 450});
    test.Launch("b", {0, 12}, {60, 460}, second, DeviceKind::kKernel, 1);
    Profile profile = test.Finish();
    if (communicate) profile.communicating = {"pid 1", "pid 2"};
    const std::vector<Profile> ranks = SplitProcesses(std::move(profile));
    ASSERT_EQ(ranks.size(), communicate ? 2U : 1U);
    EXPECT_EQ(ranks.back().Name(ranks.back().device.name.back()), "b");
  }
}

// Work that one process launches while another one is in its first iteration is not of that
// iteration.
TEST(Processes, WorkBelongsToItsProcess) {
  const auto analysis = Analyze(SplitProcesses(TwoProcesses().Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "profile.ranks"), 2);
  EXPECT_EQ(NumberOf(*analysis, "iteration.time.max"), 500);
  // And work without a launch, between two kernels of the second process.
  EXPECT_EQ(NumberOf(*analysis, "kernel.count_per_iteration"), 1.5);
}

// A process that marks nothing and works on another GPU is beside the point.
TEST(Processes, OtherProcessesWorkIsOutside) {
  for (const std::int32_t gpu : {0, 1}) {
    TestProfile test;
    const ThreadId other = test.builder().AddThread("2", "1");
    for (int i = 0; i < 4; ++i) {
      const Ns at = i * 1'000;
      test.Step(i, {at, at + 1'000});
      test.Launch("a", {at + 1, at + 2}, {at + 50, at + 900});
    }
    for (int k = 0; k < 10; ++k) {
      test.Launch("b", {20 + k, 21 + k}, {100 + k * 300, 390 + k * 300}, other, DeviceKind::kKernel,
                  gpu, 8);
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(NumberOf(*analysis, "iteration.time.max"), 1'000);
    EXPECT_EQ(NumberOf(*analysis, "kernel.count_per_iteration") == 1, gpu == 1);
  }
}

// One whose launches are there and whose work is not is a rank that lost it, not a helper.
TEST(Processes, MissesRankWithoutItsWork) {
  TestProfile test = TwoProcesses();
  const ThreadId third = test.builder().AddThread("4", "1");
  test.Host(HostKind::kIterationMarker, "ProfilerStep#0", {0, 90}, third);
  test.Call("cudaLaunchKernel", ApiKind::kLaunch, {10, 11}, third);
  const std::vector<Profile> ranks = SplitProcesses(test.Finish());
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks[2].device.size(), 0U);
  const auto analysis = Analyze(ranks, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "profile.ranks_without_work"), 1);
}

// Each would see the GPU idle while it works for the other.
TEST(Processes, ThatShareAGpuStayTogether) {
  const std::vector<Profile> ranks = SplitProcesses(TwoProcesses(0).Finish());
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].device.size(), 5U);
}

// A number that processes share may mean a GPU for each (CUDA_VISIBLE_DEVICES).
TEST(Processes, PossiblySharedNumberIsUndecided) {
  for (const bool by_process : {false, true}) {
    for (const int listed : {1, 2}) {
      TestProfile test = TwoProcesses(0);
      for (int gpu = 0; gpu < listed; ++gpu) {
        Gpu properties;
        properties.id = gpu;
        test.builder().AddGpu(properties);
      }
      Profile profile = test.Finish();
      profile.gpus_by_process = by_process;
      const std::vector<Profile> ranks = SplitProcesses(std::move(profile));
      ASSERT_EQ(ranks.size(), 1U);
      EXPECT_EQ(ranks[0].log.HasDataLoss(), by_process && listed == 2) << by_process << listed;
    }
  }
}

// E.g. work that a process runs on the first GPU before it chooses its own.
TEST(Processes, GpuBelongsToItsMainProcess) {
  for (const Ns length : {3, 200}) {
    TestProfile test = TwoProcesses();
    const ThreadId second = test.builder().AddThread("2", "1");
    test.Launch("fill", {1, 2}, {5, 5 + length}, second);
    const std::vector<Profile> ranks = SplitProcesses(test.Finish());
    ASSERT_EQ(ranks.size(), length == 3 ? 2U : 1U);
    if (ranks.size() < 2) continue;
    EXPECT_THAT(ranks[0].device.gpu, ::testing::ElementsAre(0, 0, 0));
    EXPECT_THAT(ranks[1].device.gpu, ::testing::ElementsAre(1, 1, 1));
    EXPECT_FALSE(ranks[0].device.launch[0].valid());
    EXPECT_EQ(ranks[0].log[Counter::work_of_other_processes], 1U);
  }
}

// A process that helps a rank on its GPU is of that rank, with its launches.
TEST(Processes, HelpersJoinTheirGpusProcess) {
  TestProfile test = TwoProcesses();
  const ThreadId decoder = test.builder().AddThread("4", "1");
  test.Launch("decode", {3, 4}, {500, 900}, decoder, DeviceKind::kKernel, 1, 9);
  const std::vector<Profile> ranks = SplitProcesses(test.Finish());
  ASSERT_EQ(ranks.size(), 2U);
  ASSERT_EQ(ranks[1].device.size(), 4U);
  EXPECT_TRUE(ranks[1].device.launch[3].valid());
  EXPECT_EQ(ranks[0].device.size(), 2U);
}

TEST(Processes, SingleTrainerStays) {
  TestProfile test;
  const ThreadId loader = test.builder().AddThread("2", "1");
  test.Step(0, {0, 500});
  test.Launch("a", {11, 12}, {50, 450});
  test.Host(HostKind::kIterationMarker, "batch 1", {0, 90}, loader);
  const std::vector<Profile> ranks = SplitProcesses(test.Finish());
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].host.size(), 2U);
}

}  // namespace
}  // namespace profgauge::analysis
