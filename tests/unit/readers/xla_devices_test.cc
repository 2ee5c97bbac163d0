// Devices of XLA's profiles: their list, their work, and whose steps are the iterations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/processes.h"
#include "xla_message.h"

namespace profgauge::readers {
namespace {

using ::testing::ElementsAre;

// FLOPs and bytes that the compiler states of ops: a loop's are those of its body.
TEST(XPlane, PlacesTpuOpsOnRoofline) {
  PlaneText device("/device:TPU:0");
  device.PlaneStat("peak_teraflops_per_second", 2)
      .PlaneStat("peak_hbm_bw_gigabytes_per_second", 100);
  device.Line(3, "XLA Ops", 0,
              {{"while", 0, 100, {{"flops", "50000"}, {"bytes_accessed", "1000"}}},
               {"dot", 10, 40, {{"flops", "40000"}, {"bytes_accessed", "1000"}}},
               {"dot", 60, 40, {{"flops", "40000"}, {"bytes_accessed", "1000"}}},
               {"add", 100, 100, {{"flops", "1000"}, {"bytes_accessed", "8000"}}}});
  const auto profile = ReadBytes(device.Done().str());
  ASSERT_TRUE(profile) << profile.error().message;
  const auto& reported = profile->reported;
  ASSERT_EQ(reported.metrics.size(), 2);
  EXPECT_EQ(reported.metrics[0].id, "flops.achieved");
  EXPECT_DOUBLE_EQ(AsNumber(reported.metrics[0].value, 0), 81000 / 200e-9);
  EXPECT_DOUBLE_EQ(AsNumber(reported.metrics[1].value, 0), 81000 / 200e-9 / 2e12);
  ASSERT_EQ(reported.tables.size(), 1);
  const auto& rows = reported.tables[0].rows;
  ASSERT_EQ(rows.size(), 2);
  const auto cell = [&](std::size_t row, const std::string& column) {
    const auto& columns = reported.tables[0].columns;
    const auto at = std::find(columns.begin(), columns.end(), column);
    return rows[row][static_cast<std::size_t>(at - columns.begin())];
  };
  EXPECT_EQ(cell(0, "name"), Value(std::string("add")));
  EXPECT_EQ(cell(0, "bound"), Value(std::string("memory")));
  EXPECT_NEAR(AsNumber(cell(0, "bandwidth_share"), 0), 0.8, 1e-12);
  EXPECT_EQ(cell(1, "calls"), Value(std::int64_t{2}));
  EXPECT_EQ(cell(1, "bound"), Value(std::string("compute")));
  EXPECT_NEAR(AsNumber(cell(1, "mfu"), 0), 0.5, 1e-12);
  EXPECT_NEAR(AsNumber(cell(1, "roof_share"), 0), 0.5, 1e-12);
}

TEST(XPlane, InnermostTpuOpTakesTheTime) {
  PlaneText device("/device:TPU:0");
  device.Line(1, "Steps", 0, {{"7", 0, 1000, {}}});
  device.Line(3, "XLA Ops", 0,
              {{"while", 0, 100, {}},
               {"fusion.1", 10, 30, {}},
               {"dot", 40, 60, {}},
               {"copy", 100, 50, {}}});
  const auto profile = ReadBytes(device.Done().str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Names(*profile, profile->device.name),
              ElementsAre("while", "fusion.1", "dot", "copy"));
  EXPECT_THAT(profile->device.duration, ElementsAre(10, 30, 60, 50));
  // Without steps of the host, the device's are the iterations.
  EXPECT_THAT(Names(*profile, profile->host.name), ElementsAre("7"));
  EXPECT_EQ(profile->host.kind[0], HostKind::kIterationMarker);
}

// The host runs ahead and marks no separate steps: each is from the launch of its first work to
// that of the next one's, so that its work is its own.
TEST(XPlane, DeviceStepsAreTheLaunchingHosts) {
  PlaneText host("/host:CPU");
  host.Line(583, "Host Threads/583", 0,
            {{"cuLaunchKernel", 10, 5, {{"correlation_id", "1"}}},
             {"cuLaunchKernel", 20, 5, {{"correlation_id", "2"}}},
             {"cuLaunchKernel", 30, 5, {{"correlation_id", "3"}}},
             {"cuLaunchKernel", 40, 5, {{"correlation_id", "4"}}}});
  PlaneText device("/device:GPU:0");
  device.Line(1, "Steps", 0, {{"7", 100, 200, {}}, {"8", 300, 200, {}}});
  device.Line(20, "Stream #20(Kernel)", 0,
              {{"a", 100, 50, {{"correlation_id", "1"}}},
               {"b", 150, 150, {{"correlation_id", "2"}}},
               {"a", 300, 50, {{"correlation_id", "3"}}},
               {"b", 350, 150, {{"correlation_id", "4"}}}});
  const auto profile = ReadBytes(host.Done().str() + device.Done().str());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(Names(*profile, profile->host.name), ElementsAre("7", "8"));
  EXPECT_THAT(profile->host.start, ElementsAre(0, 20));  // Times count from the first launch.
  EXPECT_THAT(profile->host.duration, ElementsAre(20, 15));
}

// Two devices whose steps are apart in time are judged in their own; where they overlap, one
// device's steps are those of all.
TEST(XPlane, DevicesWithSeparateStepsAreRanks) {
  for (const std::uint64_t apart : {0, 40, 5'000}) {
    std::string planes;
    for (std::uint64_t gpu = 0; gpu < 2; ++gpu) {
      PlaneText device("/device:GPU:" + std::to_string(gpu));
      const std::uint64_t base = gpu * apart;
      std::vector<PlaneText::Row> steps, kernels;
      for (std::uint64_t i = 0; i < 10; ++i) {
        steps.push_back({std::to_string(i), base + i * 100, 100, {}});
        kernels.push_back({"gemm", base + i * 100, 90, {}});
      }
      device.Line(1, "Steps", 0, steps);
      device.Line(20, "Stream #20(Compute)", 0, kernels);
      planes += device.Done().str();
    }
    auto profile = ReadBytes(planes);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->step_lanes.size(), 2u);
    const auto ranks = SplitProcesses(*std::move(profile));
    ASSERT_EQ(ranks.size(), apart == 5'000 ? 2u : 1u) << apart;
    for (const Profile& rank : ranks) {
      EXPECT_EQ(rank.device.size() * ranks.size(), 20u);
      EXPECT_EQ(rank.host.size() * ranks.size(), 20u);
    }
  }
}

// Planes of SparseCores end with their number, which is no TPU's; their work keeps theirs busy.
TEST(XPlane, SparseCoresAreTpuUnits) {
  PlaneText tpu("/device:TPU:2"), first("/device:TPU:2 SparseCore 0"),
      second("/device:TPU:2 SparseCore 1");
  tpu.PlaneStat("peak_teraflops_per_second", 2).PlaneStat("peak_hbm_bw_gigabytes_per_second", 100);
  tpu.Line(1, "Steps", 0, {{"7", 0, 100, {}}});
  tpu.Line(3, "XLA Ops", 0, {{"dot", 60, 40, {{"flops", "40000"}, {"bytes_accessed", "1000"}}}});
  for (PlaneText* core : {&first, &second}) {
    core->PlaneStat("core_count", 1);
    core->Line(1, "Sparse Core Steps", 0, {{"7", 0, 60, {}}});
    core->Line(2, "Sparse Core Modules", 0, {{"jit_f", 0, 60, {}}});
    core->Line(3, "Sparse Core Ops", 0, {{"loop", 0, 60, {}}, {"gather", 10, 50, {}}});
  }
  const auto profile = ReadBytes(tpu.Done().str() + first.Done().str() + second.Done().str());
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->gpus.size(), 1);
  EXPECT_EQ(profile->gpus[0].id, 2);
  EXPECT_EQ(profile->gpus[0].name, "TPU");
  EXPECT_THAT(Names(*profile, profile->device.name),
              ElementsAre("dot", "loop", "gather", "loop", "gather"));
  EXPECT_THAT(profile->device.gpu, ElementsAre(2, 2, 2, 2, 2));
  EXPECT_THAT(profile->device.stream, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(profile->device.duration, ElementsAre(40, 10, 50, 10, 50));
  EXPECT_EQ(profile->stream_names.at({2, 2}), "SparseCore 1");
  EXPECT_EQ(profile->log[Counter::events_derived], 5);
  // A SparseCore's work is not compared with the TensorCores' peak.
  ASSERT_EQ(profile->reported.metrics.size(), 2);
  EXPECT_DOUBLE_EQ(AsNumber(profile->reported.metrics[0].value, 0), 40000 / 40e-9);
}

// No launch of a TPU's work is recorded: where it runs after the host's steps, the TPU's own
// give the length of an iteration.
TEST(XPlane, LeadingHostGivesTpuSteps) {
  struct Row {
    const char* plane;
    const char* ops;
    std::uint64_t host_length;
    bool is_host;
  };
  const Row rows[] = {{"/device:TPU:0", "XLA Ops", 10, false},
                      {"/device:TPU:0", "XLA Ops", 480, true},  // The host waits for each.
                      {"/device:TPU:0", "nothing", 10, true},   // No work is of any step.
                      {"/device:GPU:0", "Stream #20", 10, true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.plane) + row.ops + std::to_string(row.host_length));
    PlaneText host("/host:CPU"), device(row.plane);
    host.Line(7, "python", 0,
              {{"train", 0, row.host_length, {{"step_num", "3"}}},
               {"train", 500, row.host_length, {{"step_num", "4"}}}});
    host.Line(8, "driver", 0, {{"cuLaunchKernel", 2, 3, {{"correlation_id", "1"}}}});
    device.Line(1, "Steps", 0, {{"7", 20, 450, {}}, {"8", 520, 450, {}}});
    device.Line(3, row.ops, 0,
                {{"dot.1", 20, 450, {{"correlation_id", "1"}}}, {"dot.1", 520, 450, {}}});
    const auto profile = ReadBytes(host.Done().str() + device.Done().str());
    ASSERT_TRUE(profile) << profile.error().message;
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < profile->host.size(); ++i) {
      if (profile->host.kind[i] != HostKind::kIterationMarker) continue;
      steps.emplace_back(profile->Name(profile->host.name[i]));
    }
    EXPECT_THAT(Names(*profile, profile->host.name), ::testing::Contains("train 3"));
    if (row.is_host) {
      EXPECT_THAT(steps, ElementsAre("train 3", "train 4"));
    } else {
      EXPECT_THAT(steps, ElementsAre("7", "8"));
    }
  }
}

// Several devices of one program are not several programs.
TEST(XPlane, SeveralDevicesStepsAreOneProcess) {
  PlaneText first("/device:TPU:0"), second("/device:TPU:1");
  for (PlaneText* device : {&first, &second}) {
    device->Line(1, "Steps", 0, {{"7", 100, 200, {}}, {"8", 300, 200, {}}});
    device->Line(3, "XLA Ops", 0, {{"dot.1", 100, 150, {}}, {"dot.1", 300, 150, {}}});
  }
  const auto profile = ReadBytes(first.Done().str() + second.Done().str());
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->host.size(), 4);
  const Thread& one = profile->threads[profile->host.thread[0].value];
  const Thread& other = profile->threads[profile->host.thread[2].value];
  EXPECT_EQ(one.process, other.process);
  EXPECT_EQ(one.name, "/device:TPU:0");
  EXPECT_EQ(other.name, "/device:TPU:1");
}

// Steps and modules of TPUs say that they ran, and trace.json states nothing else of them.
TEST(XlaTrace, PlaneNameMakesATpu) {
  const std::string events =
      R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
{"ph":"M","pid":2,"name":"process_name","args":{"name":"host7 /device:TPU:1"}},
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"4"},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"M","pid":701,"tid":7,"name":"thread_name","args":{"name":"python"}},
{"ph":"X","pid":701,"tid":7,"ts":1,"dur":9,"name":"train","args":{"step_num":"4"}},{}]})";
  const std::string begin =
      R"({"metadata":{"highres-ticks":true},"traceEvents":[{"ph":"M","pid":1,"name":"process_name",)";
  const auto tpu = ReadTrace(begin + R"("args":{"name":"/device:TPU:0"}},)" + events);
  ASSERT_TRUE(tpu) << tpu.error().message;
  EXPECT_EQ(tpu->device.size(), 0);
  ASSERT_EQ(tpu->gpus.size(), 2);
  EXPECT_EQ(tpu->gpus[0].name, "TPU");
  EXPECT_EQ(tpu->gpus[1].id, 1);
  // A GPU that ran modules lost its kernels; one whose plane is empty is not used.
  const auto gpu = ReadTrace(begin + R"("args":{"name":"/device:GPU:3"}},
{"ph":"M","pid":5,"name":"process_name","args":{"name":"/device:GPU:4"}},)" +
                             events);
  ASSERT_TRUE(gpu) << gpu.error().message;
  ASSERT_EQ(gpu->gpus.size(), 2);
  EXPECT_EQ(gpu->gpus[1].id, 3);
  // A CPU's work does not belong to the GPU of its number.
  PlaneText cpu("/device:CPU:0"), idle("/device:GPU:0"), host("/host:CPU");
  cpu.Line(2, "XLA Modules", 0, {{"jit_f", 0, 100, {}}});
  host.Line(7, "python", 0, {{"train", 0, 100, {{"step_num", "1"}}}});
  const auto on_cpu = ReadBytes(idle.Done().str() + cpu.Done().str() + host.Done().str());
  ASSERT_TRUE(on_cpu) << on_cpu.error().message;
  EXPECT_TRUE(on_cpu->gpus.empty());
}

}  // namespace
}  // namespace profgauge::readers
