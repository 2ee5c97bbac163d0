// What collectives could reach over the links of a machine.
#include "analysis/communication/link_reach.h"

#include <gtest/gtest.h>

#include "analysis/communication/collective_calls.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis::communication {
namespace {

double BusOf(std::string_view name, std::int64_t devices) {
  Gpu gpu;
  gpu.name = std::string(name);
  const auto links = classify::LinksOf(gpu);
  return links ? links->BusOf(devices) : -1;
}

TEST(LinkReach, KnowsChipsByWholeName) {
  EXPECT_DOUBLE_EQ(BusOf("AMD Instinct MI300X", 8), 336e9);
  EXPECT_DOUBLE_EQ(BusOf("NVIDIA A100-SXM4-80GB", 8), 230e9);
  EXPECT_DOUBLE_EQ(BusOf("NVIDIA H100 80GB HBM3", 8), 370e9);
  EXPECT_DOUBLE_EQ(BusOf("NVIDIA H200", 8), 370e9);
  EXPECT_DOUBLE_EQ(BusOf("NVIDIA B200", 8), 722e9);
  EXPECT_DOUBLE_EQ(BusOf("Tesla V100-SXM2-16GB", 8), 120e9);
  for (const char* name : {"", "NVIDIA A100-PCIE-40GB", "NVIDIA A100", "NVIDIA H100 NVL",
                           "NVIDIA H100 PCIe", "NVIDIA GeForce RTX 4090", "AMD Instinct MI210"}) {
    EXPECT_EQ(BusOf(name, 8), -1) << name;
  }
}

TEST(LinkReach, MeshUsesOneLinkForEachPeer) {
  EXPECT_DOUBLE_EQ(BusOf("AMD Instinct MI300X", 2), 48e9);
  EXPECT_DOUBLE_EQ(BusOf("AMD Instinct MI300X", 4), 144e9);
  EXPECT_DOUBLE_EQ(BusOf("Tesla V100-SXM2-16GB", 2), 20e9);
  EXPECT_DOUBLE_EQ(BusOf("NVIDIA A100-SXM4-80GB", 2), 230e9);
}

MachineFacts Machine(std::int64_t devices) { return {{300e9, 0}, devices}; }

CollectiveCall Call(classify::CollectiveKind kind) {
  CollectiveCall call;
  call.kind = kind;
  call.group = "tp";
  return call;
}

TEST(LinkReach, NeedsKindsThatUseAllLinks) {
  using enum classify::CollectiveKind;
  for (const auto kind : {kAllReduce, kAllGather, kReduceScatter, kAllToAll, kBroadcast, kReduce}) {
    EXPECT_EQ(LinkReach(Call(kind), 8, Machine(8), {}, 8), 300e9);
  }
  for (const auto kind : {kSendRecv, kGather, kScatter, kBarrier, kOther}) {
    EXPECT_EQ(LinkReach(Call(kind), 8, Machine(8), {}, 8), std::nullopt);
  }
}

// A launcher numbers the ranks of a machine in a row; a process may see only its own device.
TEST(LinkReach, NeedsOneMachine) {
  const auto reach = [](std::int64_t size, std::int64_t devices, std::int64_t world_size,
                        const std::vector<std::int64_t>& members = {}) {
    std::vector<ProcessGroup> groups(1);
    groups[0].name = "tp";
    groups[0].ranks = members;
    return LinkReach(Call(classify::CollectiveKind::kAllReduce), size, Machine(devices), groups,
                     world_size)
        .has_value();
  };
  EXPECT_TRUE(reach(8, 1, 8));
  EXPECT_TRUE(reach(8, 0, 8));
  EXPECT_FALSE(reach(16, 1, 16));
  EXPECT_TRUE(reach(16, 16, 16));
  EXPECT_FALSE(reach(8, 4, 8)) << "two machines of four";
  EXPECT_FALSE(reach(8, 8, 64)) << "perhaps one rank of each machine";
  EXPECT_TRUE(reach(4, 8, 64, {12, 13, 14, 15}));
  EXPECT_FALSE(reach(4, 8, 64, {0, 8, 16, 24}));
  EXPECT_FALSE(reach(4, 8, 64, {6, 7, 8, 9}));
  EXPECT_FALSE(reach(1, 8, 8));
}

constexpr Ns kTransfer = 1'000'000;

// One rank of eight: reduces 16 MB three times, for one, two and three times `kTransfer`.
Profile Reduces(std::string_view gpu) {
  TestProfile test;
  test.builder().distributed().rank = 0;
  test.builder().distributed().world_size = 8;
  if (!gpu.empty()) {
    Gpu known;
    known.id = 0;
    known.name = std::string(gpu);
    test.builder().AddGpu(known);
  }
  test.Step(0, {0, 20 * kMs});
  test.Work("gemm", {0, 4 * kMs});
  for (int i = 0; i < 3; ++i) {
    Collective collective;
    collective.name = test.builder().Intern("allreduce");
    collective.dtype = test.builder().Intern("Float");
    collective.in_elements = collective.out_elements = 4'000'000;
    collective.group_size = 8;
    DeviceRow row;
    row.start = (5 + 5 * i) * kMs;
    row.duration = (i + 1) * kTransfer;
    row.name = test.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)");
    row.gpu = 0;
    row.stream = 20;
    row.collective = test.builder().AddCollective(collective);
    test.builder().AddDevice(row);
  }
  return test.Finish();
}

TEST(LinkReach, FastestCallCounts) {
  const Analysis analysis = AnalyzeAll(OneRank(Reduces("AMD Instinct MI300X")));
  const Table& calls = *analysis.FindTable("collectives");
  ASSERT_EQ(calls.rows(), 1U);
  EXPECT_DOUBLE_EQ(RealAt(calls, 0, "best_bandwidth"), 16e6 * 1.75 / 1e-3);
  EXPECT_DOUBLE_EQ(RealAt(calls, 0, "links_bandwidth"), 336e9);
}

TEST(LinkReach, UnknownLinksHaveAReason) {
  for (const char* name : {"", "AMD Instinct MI210"}) {
    const Analysis analysis = AnalyzeAll(OneRank(Reduces(name)));
    const Table& calls = *analysis.FindTable("collectives");
    EXPECT_TRUE(IsAbsent(calls.At(0, "links_bandwidth"))) << name;
    EXPECT_NE(calls.Find("links_bandwidth")->absent_because().find("is unknown"), std::string::npos)
        << name;
    EXPECT_FALSE(IsAbsent(calls.At(0, "best_bandwidth"))) << name;
  }
}

}  // namespace
}  // namespace profgauge::analysis::communication
