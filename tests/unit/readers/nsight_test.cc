#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/tables.h"
#include "nsight_fixture.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::HasSubstr;

TEST_F(NsightTest, ReadsKernelsCopiesCallsAndRanges) {
  Write(Basic() +
        "create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer, "
        "totalMemory integer, computeMajor integer, computeMinor integer);"
        "insert into TARGET_INFO_GPU values (0, 'Tesla V100', 0, 80, 1000, 7, 0);");
  const Profile profile = Read();
  ASSERT_EQ(profile.device.size(), 3u);
  EXPECT_EQ(profile.Name(profile.device.name[0]), "volta_sgemm_128x64");
  EXPECT_EQ(profile.device.duration[0], 500);
  const LaunchConfig& config = profile.launch_configs[profile.device.config[0].value];
  EXPECT_EQ(config.blocks_per_sm, 0.5);
  EXPECT_EQ(config.warps_per_sm, 4);
  EXPECT_EQ(config.shared_memory, 2048);
  // The launch is inside aten::mm, which is inside the TensorRT layer and the step.
  const HostId op = profile.device.op[0];
  ASSERT_TRUE(op.valid());
  EXPECT_EQ(profile.Name(profile.host.name[op.value]), "aten::mm");
  EXPECT_EQ(profile.Name(profile.host.input_shapes[op.value]), "[[2, 3], [3, 4]]");
  EXPECT_EQ(profile.host.sequence[op.value], 3);
  const HostId layer = profile.host.parent[op.value];
  EXPECT_EQ(profile.Name(profile.host.name[layer.value]), "layer one");
  EXPECT_EQ(profile.host.kind[layer.value], HostKind::kOp);
  const HostId step = profile.host.parent[layer.value];
  EXPECT_EQ(profile.host.kind[step.value], HostKind::kIterationMarker);

  EXPECT_EQ(profile.Name(profile.device.name[1]), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(profile.device.host_memory[1], HostMemory::kPageable);
  EXPECT_EQ(profile.device.bytes[1], 4096);
  EXPECT_EQ(profile.Name(profile.api.name[0]), "cudaLaunchKernel");
}

TEST_F(NsightTest, CountsFaults) {
  Write(Basic());
  const Profile profile = Read();
  EXPECT_EQ(profile.log[Counter::events_negative_dur], 1u);
  EXPECT_EQ(profile.log[Counter::ranges_across_threads], 1u);
  EXPECT_EQ(profile.log[Counter::api_errors], 1u);
  EXPECT_THAT(profile.log.Examples(Counter::api_errors), ::testing::ElementsAre("cudaMemcpyAsync"));
  EXPECT_EQ(profile.Name(profile.device.name[2]), "(unnamed kernel)");
}

TEST_F(NsightTest, OrdinalsCountPerProcess) {
  Write(Basic() +
        "insert into CUPTI_ACTIVITY_KIND_KERNEL select start, end, 0, streamId, correlationId, "
        "134217728, demangledName, shortName, 1, 1, 1, 1, 1, 1, 1, 0, 0 "
        "from CUPTI_ACTIVITY_KIND_KERNEL where correlationId = 11;"
        "create table TARGET_INFO_CUDA_DEVICE (gpuId integer, cudaId integer, pid integer);"
        "insert into TARGET_INFO_CUDA_DEVICE values (0, 0, 7), (1, 0, 8);");
  const Profile profile = Read();
  const std::set<std::int32_t> gpus(profile.device.gpu.begin(), profile.device.gpu.end());
  EXPECT_THAT(gpus, ::testing::ElementsAre(0, 1));
  // Correlation 11 of process 8 has no call: it must not take process 7's.
  EXPECT_EQ(profile.log[Counter::kernels_without_launch], 2u);
}

// Processes 7 and 8 with two launches each; their communications begin `apart` from each other.
// Process 7 marks an iteration.
std::string TwoRanks(int gpus, Ns apart) {
  using namespace nsight_tables;
  std::string sql = std::string(kStringIds) + kGpus + kNamedKernels + kRuntimeCalls + kNvtxTexts +
                    "insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), "
                    "(3, 'ncclDevKernel_AllReduce_Sum_f16_RING_LL');";
  for (int gpu = 0; gpu < gpus; ++gpu) {
    sql += fmt::format("insert into TARGET_INFO_GPU values ({0}, 'A100', {0}, 108);", gpu);
  }
  for (std::int64_t process = 7; process < 9; ++process) {
    const std::int64_t pid = process << 24;
    const Ns nccl = 600'000 + (process == 8 ? apart : 0);
    sql += fmt::format(
        "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (1000, 2000, {1}, 1, 2, 0), "
        "(3000, 4000, {1}, 2, 2, 0);"
        "insert into CUPTI_ACTIVITY_KIND_KERNEL values (5000, 500000, 0, 7, 1, {0}, 1), "
        "({2}, {3}, 0, 7, 2, {0}, 3);",
        pid, pid | process, nccl, nccl + 100'000);
  }
  return sql + fmt::format("insert into NVTX_EVENTS values (500, 900000, 59, 'iteration 1', {});",
                           (std::int64_t{7} << 24) | 7);
}

// NCCL refuses two ranks on one GPU: of processes that communicate, each has its own
// (CUDA_VISIBLE_DEVICES), and one of them has marks while the other works, too.
TEST_F(NsightTest, CommunicatingProcessesHaveSeparateGpus) {
  Write(TwoRanks(4, 20'000));
  const Profile profile = Read();
  const std::set<std::int32_t> gpus(profile.device.gpu.begin(), profile.device.gpu.end());
  EXPECT_EQ(gpus.size(), 2u);
  EXPECT_FALSE(profile.gpus_by_process);
  std::set<std::string> marked;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    EXPECT_EQ(profile.host.kind[row], HostKind::kIterationMarker);
    marked.insert(profile.threads[profile.host.thread[row].value].process);
  }
  EXPECT_THAT(marked, ::testing::ElementsAre("pid 7", "pid 8"));
  EXPECT_THAT(profile.communicating, ::testing::ElementsAre("pid 7", "pid 8"));
  EXPECT_EQ(profile.log[Counter::profiler_warnings], 2u);
}

// nsys' own threads, which hold no one up, are not kept.
TEST_F(NsightTest, KeepsNsysWorkOnProgramThreads) {
  Write(Basic() +
        "create table PROFILER_OVERHEAD (start integer, end integer, globalTid integer, nameId "
        "integer); insert into PROFILER_OVERHEAD values (850, 1000, " +
        kThread1 + ", 4), (860, 900, " + kThread2 + ", 4);");
  const Profile profile = Read();
  ASSERT_TRUE(profile.cpu != nullptr);
  ASSERT_EQ(profile.cpu->overhead.size(), 1u);
  EXPECT_EQ(profile.cpu->overhead[0].duration, 150);
  EXPECT_EQ(profile.threads[profile.cpu->overhead[0].thread.value].tid, 1);
}

TEST_F(NsightTest, OtherProcessesMayShareAGpu) {
  Write(TwoRanks(4, 1'000'000));
  const Profile profile = Read();
  const std::set<std::int32_t> gpus(profile.device.gpu.begin(), profile.device.gpu.end());
  EXPECT_EQ(gpus.size(), 1u);
  EXPECT_TRUE(profile.gpus_by_process);
  EXPECT_EQ(profile.host.size(), 1u);
}

TEST_F(NsightTest, CaptureDiagnosticsBecomeWarnings) {
  Write(Basic() +
        "create table DIAGNOSTIC_EVENT (severity integer, text text);"
        "insert into DIAGNOSTIC_EVENT values "
        "(2, 'Not all CUDA events might have been collected.'), "
        "(2, 'No NVTX events collected. Does the process use NVTX?'), "
        "(3, 'cannot open /home/someone/secret');" +
        nsight_tables::kCaptureMetadata +
        "insert into META_DATA_CAPTURE values ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Graph'), "
        "('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=secret'), ('PROCESS_0:COMMAND', 'secret');");
  const Profile profile = Read();
  EXPECT_TRUE(profile.log.HasDataLoss());
  EXPECT_EQ(profile.log[Counter::profiler_warnings], 2u);
  EXPECT_EQ(profile.log[Counter::graph_kernels_hidden], 0u);  // No graph was launched.
  for (const auto& [key, value] : profile.facts) EXPECT_EQ(value.find("secret"), std::string::npos);
  for (std::uint32_t i = 0; i < profile.strings.size(); ++i) {
    EXPECT_EQ(profile.strings[StringId{i}].find("secret"), std::string::npos);
  }
  for (const auto& example : profile.log.Examples(Counter::profiler_warnings)) {
    EXPECT_EQ(example.find("secret"), std::string::npos);
  }
}

TEST_F(NsightTest, WholeGraphsHaveUnknownKernels) {
  Write(Basic() + nsight_tables::kGraphTraces +
        "insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (3000, 4500, 0, 7, 20, 117440512, 5);");
  const Profile profile = Read();
  EXPECT_EQ(profile.log[Counter::graph_kernels_hidden], 1u);
  std::size_t whole = 0;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    if (!profile.IsWholeGraph(row)) continue;
    ++whole;
    EXPECT_EQ(profile.Name(profile.device.name[row]), "CUDA graph 5");
  }
  EXPECT_EQ(whole, 1u);
  EXPECT_THAT(profile.facts,
              ::testing::Contains(std::pair<std::string, std::string>("cuda_graphs", "whole")));
}

TEST_F(NsightTest, GraphsRecordedByKernelSaySo) {
  Write(Basic() +
        "alter table CUPTI_ACTIVITY_KIND_KERNEL add column graphNodeId integer;"
        "update CUPTI_ACTIVITY_KIND_KERNEL set graphNodeId = 4294967296 where start = 1000;");
  const Profile profile = Read();
  EXPECT_FALSE(profile.IsWholeGraph(0));
  EXPECT_THAT(profile.facts,
              ::testing::Contains(std::pair<std::string, std::string>("cuda_graphs", "by kernel")));
}

TEST_F(NsightTest, ReportsGpuCounters) {
  Write(Basic() + nsight_tables::kGpuMetricNames +
        "insert into TARGET_INFO_GPU_METRICS values (256, 3, 'Tensor Active [Throughput %]'), "
        "(256, 4, 'GPC Clock Frequency [MHz]');" +
        nsight_tables::kGpuMetrics +
        "insert into GPU_METRICS values (256, 1, 3, 10), (256, 2, 3, 30), (256, 1, 4, 1400), "
        "(257, 1, 3, 50);");
  const Profile profile = Read();
  ASSERT_EQ(profile.reported.metrics.size(), 1u);
  EXPECT_EQ(profile.reported.metrics[0].id, "gpu.measured.tensor_active");
  EXPECT_EQ(profile.reported.metrics[0].value, Value{0.3});
}

// The machine has a GPU that the program does not use, and was sampled before it began.
TEST_F(NsightTest, CountersOnlyOfWorkingGpus) {
  Write(Basic() + nsight_tables::kGpuMetricNames +
        "insert into TARGET_INFO_GPU_METRICS values (256, 3, 'Tensor Active [Throughput %]');" +
        nsight_tables::kGpuMetrics +
        "insert into GPU_METRICS values (256, 10, 3, 0), (256, 2000, 3, 60), (256, 3000, 3, 40), "
        "(257, 2000, 3, 0), (256, 20000, 3, 0);");
  const Profile profile = Read();
  ASSERT_EQ(profile.reported.metrics.size(), 1u);
  EXPECT_EQ(profile.reported.metrics[0].value, Value{0.5});
  EXPECT_EQ(profile.reported.metrics[0].note,
            "mean of 2 samples from the first to the last recorded work of each GPU that has any");
}

TEST_F(NsightTest, MemoryTrafficIsReadingAndWriting) {
  Write(
      Basic() + nsight_tables::kGpuMetricNames +
      "insert into TARGET_INFO_GPU_METRICS values (256, 3, 'DRAM Read Bandwidth [Throughput %]'), "
      "(256, 4, 'DRAM Write Bandwidth [Throughput %]');" +
      nsight_tables::kGpuMetrics +
      "insert into GPU_METRICS values (256, 2000, 3, 30), (256, 2000, 4, 20);");
  const Profile profile = Read();
  ASSERT_EQ(profile.reported.metrics.size(), 3u);
  EXPECT_EQ(profile.reported.metrics[2].id, "gpu.measured.dram");
  EXPECT_EQ(profile.reported.metrics[2].value, Value{0.5});
}

TEST_F(NsightTest, SchedulingAndSampledStacks) {
  Write(Basic() +
        "insert into StringIds values (50, 'main'), (51, 'train'), (52, '0x7f'), "
        "(53, '/usr/lib/libcuda.so.1'), (54, '/home/me/net'), (55, '[Max depth]');"
        "create table ENUM_SCHEDULING_THREAD_BLOCK (id integer, name text, label text);"
        "insert into ENUM_SCHEDULING_THREAD_BLOCK values (0, 'NonBlocked', 'NonBlocked'), "
        "(6, 'Mutex', 'Mutex');"
        "create table SCHED_EVENTS (start integer, cpu integer, isSchedIn integer, "
        "globalTid integer, threadState integer, threadBlock integer);"
        "insert into SCHED_EVENTS values (1000, 3, 1, " +
        std::string(kThread1) + ", 0, null), (1250, 4, 1, " + kThread1 +
        ", 0, null), (1200, 3, 0, " + kThread1 + ", 0, 6), (1300, 4, 0, " + kThread1 +
        ", 0, 0), (1400, 5, 1, " + kThread1 +
        ", 0, null), (1000, 9, 1, 99, 0, null), (1600, 9, 0, 99, 0, 6);"
        "create table COMPOSITE_EVENTS (id integer, start integer, globalTid integer);"
        "insert into COMPOSITE_EVENTS values (1, 1100, " +
        kThread1 + "), (2, 1150, " + kThread1 + "), (3, 1260, " + kThread1 + "), (4, 1270, " +
        kThread1 +
        ");"
        "create table SAMPLING_CALLCHAINS (id integer, symbol integer, module integer, "
        "unresolved integer, stackDepth integer);"
        "insert into SAMPLING_CALLCHAINS values (1, 50, 54, 0, 3), (1, 51, 54, 0, 2), "
        "(1, 52, 53, 1, 1), (1, 52, 53, 1, 0), (2, 50, 54, 0, 1), (2, 51, 54, 0, 0), "
        "(3, 50, 54, 0, 0), (3, 55, 55, 0, 1), (9, 50, 54, 0, 0);");
  const Profile profile = Read();
  ASSERT_NE(profile.cpu, nullptr);
  std::string spans, samples;
  for (const CpuSpan& span : profile.cpu->spans) {
    spans += fmt::format("{}+{} {} {}, ", profile.origin_ns + span.start, span.duration, span.core,
                         profile.Name(span.name));
  }
  for (const CpuSample& sample : profile.cpu->samples) {
    samples += std::string(profile.Name(sample.stack)) + ", ";
  }
  EXPECT_EQ(spans,
            "1000+200 3 thread 1, 1200+50 -1 Mutex, 1250+50 4 thread 1, 1300+100 -1 , "
            "1400+200 5 thread 1, ");
  EXPECT_EQ(samples, "main\ntrain\n[libcuda.so.1], main\ntrain, main, ");
}

// Counts of the real files, taken from them with sqlite3.
TEST(NsightReal, CountsAgreeWithTheTables) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/nsight-systems/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  struct Expected {
    const char* file;
    std::size_t device, api, host;
  };
  constexpr Expected kExpected[] = {
      {"lockfuehrer_beast_report1", 2260, 4597, 0}, {"dlprof_dummynet_wrelu_nsys", 76, 321, 166},
      {"michaelmichaeln_tile_8x8", 2421, 2448, 0},  {"centerformer_baseline_nvtxonly", 0, 0, 1824},
      {"memfusion_artifact_report1", 40, 5668, 59}, {"hsiaogary_cuda_course_report1", 73, 6, 0},
      {"baardrw_sigma_report2", 41, 111, 0},        {"miniGEMM_report1", 0, 897, 0}};
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.file);
    const auto profile = ReadProfile(folder + expected.file + ".sqlite", {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->device.size(), expected.device);
    EXPECT_EQ(profile->api.size(), expected.api);
    EXPECT_EQ(profile->host.size(), expected.host);
  }
  EXPECT_EQ(ReadProfile(folder + "dynamicvit_dlprof_nsys_profile.sqlite", {}).error().code,
            "nsight/no-events");
}

}  // namespace
}  // namespace profgauge::readers
