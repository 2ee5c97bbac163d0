#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/sqlite.h"
#include "model/cpu_activity.h"
#include "readers/load.h"
#include "readers/text/nvtx_text.h"

namespace profgauge {
namespace {

using ::testing::HasSubstr;

// Process 7, threads 1 and 2: pid << 24 | tid.
constexpr const char* kThread1 = "117440513";
constexpr const char* kThread2 = "117440514";

class NsightTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "nsight_" + std::to_string(::getpid()) + ".sqlite";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void Write(const std::string& sql) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    // No waiting for the disk.
    const Status status = database->Execute("pragma synchronous = off; begin;" + sql + "; commit");
    ASSERT_TRUE(status) << status.error().message;
  }

  Profile Read() {
    auto profile = ReadProfile(path_, {});
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? std::move(*profile) : Profile{};
  }

  // A small export: one op launches a kernel and a copy; the oldest columns only.
  static std::string Basic() {
    return std::string(R"(
      create table StringIds (id integer, value text);
      insert into StringIds values (1, 'volta_sgemm_128x64'), (2, 'cudaLaunchKernel_v7000_ptsz'),
        (3, 'cudaMemcpyAsync_v3020'), (4, 'layer one');
      create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, demangledName integer,
        shortName integer, gridX integer, gridY integer, gridZ integer, blockX integer,
        blockY integer, blockZ integer, registersPerThread integer, staticSharedMemory integer,
        dynamicSharedMemory integer);
      insert into CUPTI_ACTIVITY_KIND_KERNEL values
        (1000, 1500, 0, 7, 11, 117440512, 1, 1, 40, 1, 1, 256, 1, 1, 32, 1024, 1024),
        (9000, 8000, 0, 7, 12, 117440512, 99, 98, 1, 1, 1, 1, 1, 1, 1, 0, 0);
      create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, bytes integer,
        copyKind integer, srcKind integer, dstKind integer);
      insert into CUPTI_ACTIVITY_KIND_MEMCPY values
        (2000, 2100, 0, 7, 13, 117440512, 4096, 1, 0, 2);
      create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
        correlationId integer, nameId integer, returnValue integer);
      insert into CUPTI_ACTIVITY_KIND_RUNTIME values (500, 600, )") +
           kThread1 + ", 11, 2, 0), (700, 800, " + kThread1 + R"(, 13, 3, 2);
      create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
        textId integer, globalTid integer, endGlobalTid integer, domainId integer);
      insert into NVTX_EVENTS values
        (-5, null, 75, 'TensorRT', null, )" +
           kThread1 + R"(, null, 3),
        (400, 900, 59, 'aten::mm, seq = 3, sizes = [[2, 3], [3, 4]]', null, )" +
           kThread1 +
           R"(, null, 0),
        (100, 950, 59, null, 4, )" +
           kThread1 + R"(, null, 3),
        (50, 990, 60, 'step 12', null, )" +
           kThread1 + ", " + kThread1 + R"(, 0),
        (60, 70, 60, 'elsewhere', null, )" +
           kThread1 + ", " + kThread2 + ", 0);";
  }

  std::string path_;
};

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
  // The launch lies inside aten::mm, which lies inside the TensorRT layer and the step.
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

TEST_F(NsightTest, CountsWhatIsWrong) {
  Write(Basic());
  const Profile profile = Read();
  EXPECT_EQ(profile.log[Counter::events_negative_dur], 1u);
  EXPECT_EQ(profile.log[Counter::ranges_across_threads], 1u);
  EXPECT_EQ(profile.log[Counter::api_errors], 1u);
  EXPECT_THAT(profile.log.Examples(Counter::api_errors), ::testing::ElementsAre("cudaMemcpyAsync"));
  EXPECT_EQ(profile.Name(profile.device.name[2]), "(unnamed kernel)");
}

TEST_F(NsightTest, TheSameOrdinalInTwoProcessesIsTwoGpus) {
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

// Processes 7 and 8 with two launches each; what they communicate begins `apart` from each other.
// Process 7 marks an iteration.
std::string TwoRanks(int gpus, Ns apart) {
  std::string sql = R"(
      create table StringIds (id integer, value text);
      insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'),
        (3, 'ncclDevKernel_AllReduce_Sum_f16_RING_LL');
      create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer);
      create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer,
        streamId integer, correlationId integer, globalPid integer, demangledName integer);
      create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer,
        correlationId integer, nameId integer, returnValue integer);
      create table NVTX_EVENTS (start integer, end integer, eventType integer, text text,
        globalTid integer, domainId integer);)";
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
  return sql +
         fmt::format("insert into NVTX_EVENTS values (500, 900000, 59, 'iteration 1', {}, 0);",
                     (std::int64_t{7} << 24) | 7);
}

// NCCL refuses two ranks on one GPU: of processes that communicate, each has its own
// (CUDA_VISIBLE_DEVICES), and what one of them marks is when the other works, too.
TEST_F(NsightTest, ProcessesThatCommunicateHaveGpusOfTheirOwn) {
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

// Of its own threads, which hold nobody up, nothing is kept.
TEST_F(NsightTest, WhatNsysDoesOnTheProgramsThreadsIsKept) {
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

TEST_F(NsightTest, ProcessesThatDoNotCommunicateMayShareAGpu) {
  Write(TwoRanks(4, 1'000'000));
  const Profile profile = Read();
  const std::set<std::int32_t> gpus(profile.device.gpu.begin(), profile.device.gpu.end());
  EXPECT_EQ(gpus.size(), 1u);
  EXPECT_TRUE(profile.gpus_by_process);
  EXPECT_EQ(profile.host.size(), 1u);
}

TEST_F(NsightTest, WhatNsysSaysOfItsCaptureBecomesWarningsWithoutItsText) {
  Write(Basic() +
        "create table DIAGNOSTIC_EVENT (severity integer, text text);"
        "insert into DIAGNOSTIC_EVENT values "
        "(2, 'Not all CUDA events might have been collected.'), "
        "(2, 'No NVTX events collected. Does the process use NVTX?'), "
        "(3, 'cannot open /home/someone/secret');"
        "create table META_DATA_CAPTURE (name text, value text);"
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

TEST_F(NsightTest, GraphsRecordedWholeAreWorkWhoseKernelsAreUnknown) {
  Write(Basic() +
        "create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start integer, end integer, deviceId "
        "integer, streamId integer, correlationId integer, globalPid integer, graphId integer);"
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

TEST_F(NsightTest, WhatTheGpusCountersMeasuredIsReported) {
  Write(Basic() +
        "create table TARGET_INFO_GPU_METRICS (typeId integer, metricId integer, metricName text);"
        "insert into TARGET_INFO_GPU_METRICS values (256, 3, 'Tensor Active [Throughput %]'), "
        "(256, 4, 'GPC Clock Frequency [MHz]');"
        "create table GPU_METRICS (typeId integer, timestamp integer, metricId integer, value "
        "integer);"
        "insert into GPU_METRICS values (256, 1, 3, 10), (256, 2, 3, 30), (256, 1, 4, 1400), "
        "(257, 1, 3, 50);");
  const Profile profile = Read();
  ASSERT_EQ(profile.reported.metrics.size(), 1u);
  EXPECT_EQ(profile.reported.metrics[0].id, "gpu.measured.tensor_active");
  EXPECT_EQ(profile.reported.metrics[0].value, Value{0.3});
}

// The machine has a GPU that the program does not use, and was sampled before it began.
TEST_F(NsightTest, CountersAreOfGpusWithWorkWhileTheyHaveIt) {
  Write(Basic() +
        "create table TARGET_INFO_GPU_METRICS (typeId integer, metricId integer, metricName text);"
        "insert into TARGET_INFO_GPU_METRICS values (256, 3, 'Tensor Active [Throughput %]');"
        "create table GPU_METRICS (typeId integer, timestamp integer, metricId integer, value "
        "integer);"
        "insert into GPU_METRICS values (256, 10, 3, 0), (256, 2000, 3, 60), (256, 3000, 3, 40), "
        "(257, 2000, 3, 0), (256, 20000, 3, 0);");
  const Profile profile = Read();
  ASSERT_EQ(profile.reported.metrics.size(), 1u);
  EXPECT_EQ(profile.reported.metrics[0].value, Value{0.5});
  EXPECT_EQ(profile.reported.metrics[0].note,
            "mean of 2 samples from the first to the last recorded work of each GPU that has any");
}

TEST_F(NsightTest, RangesAreProjectedOntoTheGpu) {
  Write(Basic());
  const Profile profile = Read();
  // The step holds the launches of the kernel and of the copy, which are on one stream.
  ASSERT_EQ(profile.device_ranges.size(), 1u);
  EXPECT_EQ(profile.Name(profile.device_ranges.name[0]), "step 12");
  EXPECT_EQ(profile.device_ranges.duration[0], 1100);
}

TEST_F(NsightTest, MarksAreMomentsWithWhatIsAttachedAndThreadsHaveNames) {
  Write(Basic() +
        "alter table NVTX_EVENTS add column category integer;"
        "alter table NVTX_EVENTS add column color integer;"
        "alter table NVTX_EVENTS add column int64Value integer;"
        "insert into NVTX_EVENTS (start, eventType, text, globalTid, domainId, category) values "
        "(1, 33, 'I/O', " +
        kThread1 +
        ", 0, 7);"
        "insert into NVTX_EVENTS (start, eventType, text, globalTid) values (2, 39, 'loader', " +
        kThread1 +
        ");"
        "insert into NVTX_EVENTS (start, eventType, text, globalTid, domainId, category, color, "
        "int64Value) values (450, 34, 'step 99', " +
        kThread1 + ", 0, 7, 4285970688, 42);");
  const Profile profile = Read();
  const HostTable& host = profile.host;
  std::size_t marks = 0;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (profile.Name(host.name[row]) != "step 99") continue;
    ++marks;
    EXPECT_EQ(host.duration[row], 0);
    EXPECT_EQ(host.kind[row], HostKind::kAnnotation);  // A moment marks no iteration.
    EXPECT_EQ(profile.Name(host.concrete_inputs[row]), "category I/O, colour #76b900, payload 42");
    EXPECT_EQ(profile.threads[host.thread[row].value].name, "loader");
  }
  EXPECT_EQ(marks, 1u);
}

TEST_F(NsightTest, CallsOfLibrariesAreRangesOfTheirDomain) {
  Write(Basic() +
        "insert into StringIds values (901, 'cudnnConvolutionForward'), (902, 'cublasSgemm_v2');"
        "create table CUDNN_EVENTS (start integer, end integer, eventClass integer, "
        "globalTid integer, nameId integer);"
        "insert into CUDNN_EVENTS values (500, 560, 1, " +
        kThread1 +
        ", 901);"
        "create table CUBLAS_EVENTS (start integer, end integer, eventClass integer, "
        "globalTid integer, nameId integer);"
        "insert into CUBLAS_EVENTS values (600, null, 1, " +
        kThread1 + ", 902);");
  const Profile profile = Read();
  std::map<std::string, std::pair<std::string, Ns>> found;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    found[std::string(profile.Name(profile.host.name[row]))] = {
        std::string(profile.Name(profile.host.domain[row])), profile.host.duration[row]};
  }
  EXPECT_EQ(found.at("cudnnConvolutionForward"), (std::pair<std::string, Ns>("cuDNN", 60)));
  EXPECT_EQ(found.at("cublasSgemm_v2").first, "cuBLAS");
}

TEST_F(NsightTest, DomainsStylesAndPayloadsAreKept) {
  Write(Basic() +
        "create table OSRT_API (start integer, end integer, globalTid integer, nameId integer);"
        "insert into OSRT_API values (600, 640, " +
        kThread1 +
        ", 4);"
        "create table SCHED_EVENTS (start integer, isSchedIn integer, globalTid integer);"
        "insert into SCHED_EVENTS values (100, 1, " +
        kThread1 + "), (400, 0, " + kThread1 +
        ");"
        "alter table NVTX_EVENTS add column int64Value integer;"
        "update NVTX_EVENTS set int64Value = 42 where text = 'step 12';"
        "insert into NVTX_EVENTS (start, eventType, text, globalTid) values (5, 34, "
        "'{\"model_config\": {\"emit_nvtx\": true, \"num_workers\": 4, \"unknown\": 1}}', " +
        kThread1 + ");");
  const Profile profile = Read();
  using Fact = std::pair<std::string, std::string>;
  EXPECT_THAT(profile.facts, ::testing::ElementsAre(Fact{"model_config.emit_nvtx", "true"},
                                                    Fact{"model_config.num_workers", "4"}));
  const HostTable& host = profile.host;
  ASSERT_EQ(host.size(), 4u);
  EXPECT_EQ(profile.Name(host.domain[1]), "TensorRT");
  EXPECT_EQ(host.style[0], RangeStyle::kStartEnd);
  EXPECT_EQ(host.style[1], RangeStyle::kPushPop);
  EXPECT_EQ(profile.Name(host.concrete_inputs[0]), "payload 42");
  // The range that ends on another thread has a row of its own.
  EXPECT_EQ(profile.threads[host.thread[3].value].name, "ranges across threads");
  ASSERT_EQ(profile.os.size(), 1u);
  EXPECT_EQ(profile.os.duration[0], 40);
  ASSERT_NE(profile.cpu, nullptr);
  Ns on_core = 0;
  for (const CpuSpan& span : profile.cpu->spans) {
    if (span.thread == host.thread[0] && span.core >= 0) on_core += span.duration;
  }
  EXPECT_EQ(on_core, 300);
}

// A payload of NCCL's as SQL: the header with domain and schema, then 8 bytes for each number.
std::string Payload(int schema, std::initializer_list<std::uint64_t> numbers) {
  std::string bytes;
  const auto add = [&](std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) bytes += fmt::format("{:02x}", (number >> (8 * i)) & 0xff);
  };
  add(4, 8);
  add(static_cast<std::uint64_t>(schema), 8);
  add(8 * numbers.size(), 8);
  add(32 + 8 * numbers.size(), 8);
  for (const std::uint64_t number : numbers) add(number, 8);
  return "x'" + bytes + "'";
}

TEST_F(NsightTest, NcclSaysTheSizesAndGroupsOfItsCalls) {
  std::string sql = Basic() + R"(
    alter table NVTX_EVENTS add column binaryData blob;
    create table NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId integer, schemaId integer, idx integer,
      type integer, name text, offset integer);
    insert into NVTX_PAYLOAD_SCHEMA_ENTRIES values
      (4, 1, 0, 18, 'NCCL communicator ID', null), (4, 1, 1, 18, 'No. of ranks', 8),
      (4, 1, 2, 18, 'Rank', 16),
      (4, 2, 0, 18, 'NCCL communicator ID', null), (4, 2, 1, 22, 'Message size [bytes]', 8),
      (4, 3, 0, 18, 'NCCL communicator ID', null), (4, 3, 1, 22, 'Message size [bytes]', 8),
      (4, 3, 2, 18, 'Peer rank', 16), (4, 9, 0, 18, 'far', 4000000000);)";
  const auto range = [&](int start, int end, const char* name, const std::string& payload) {
    sql += fmt::format("insert into NVTX_EVENTS values ({}, {}, 59, '{}', null, {}, null, 4, {});",
                       start, end, name, kThread1, payload);
  };
  range(3000, 3100, "ncclAllReduce", Payload(2, {0xabc, 4096}));
  range(3200, 3300, "ncclAllGather", Payload(2, {0xabc, 100}));
  range(3400, 3410, "ncclGroupStart", "null");
  range(3420, 3430, "ncclReduceScatter", Payload(2, {0xabc, 10}));
  range(3440, 3490, "ncclGroupEnd", "null");
  range(3500, 3510, "ncclGroupStart", "null");
  range(3520, 3530, "ncclSend", Payload(3, {0xabc, 7, 1}));
  range(3540, 3550, "ncclRecv", Payload(3, {0xabc, 7, 1}));
  range(3560, 3590, "ncclGroupEnd", "null");
  range(3600, 3610, "ncclAllGather", Payload(2, {0xdef, 100}));      // Of a group made before.
  range(3620, 3630, "ncclAllReduce", "x'0011'");                     // Cut.
  range(3640, 3650, "ncclAllReduce", Payload(8, {1, 2}));            // Of no schema.
  range(3660, 3670, "ncclAllReduce", Payload(2, {0xabc, ~0ull}));    // No size.
  range(2000, 2900, "ncclCommInitRank", Payload(1, {0xabc, 4, 2}));  // Last in the file.
  Write(sql);
  const Profile profile = Read();
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < profile.host.size(); ++i) {
    const CollectiveId id = profile.host.collective[i];
    if (!id.valid()) continue;
    const Collective& call = profile.collectives[id.value];
    found.push_back(fmt::format("{}: {} {} to {} of {}, {} to {}, {}",
                                profile.Name(profile.host.name[i]), profile.Name(call.name),
                                call.in_elements, call.out_elements, call.group_size,
                                call.source_rank, call.destination_rank, profile.Name(call.group)));
  }
  EXPECT_THAT(found,
              ::testing::ElementsAre(
                  "ncclAllReduce: ncclAllReduce 4096 to 4096 of 4, -1 to -1, 0x0000000000000abc",
                  "ncclAllGather: ncclAllGather 100 to 400 of 4, -1 to -1, 0x0000000000000abc",
                  "ncclReduceScatter: ncclReduceScatter 40 to 10 of 4, -1 to -1, "
                  "0x0000000000000abc",
                  "ncclGroupEnd: ncclReduceScatter 40 to 10 of 4, -1 to -1, 0x0000000000000abc",
                  "ncclSend: ncclSend 7 to 7 of 4, 2 to 1, 0x0000000000000abc",
                  "ncclRecv: ncclRecv 7 to 7 of 4, 1 to 2, 0x0000000000000abc",
                  "ncclAllGather: ncclAllGather -1 to -1 of -1, -1 to -1, 0x0000000000000def"));
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

TEST_F(NsightTest, RefusesOtherDatabasesAndDamagedOnes) {
  Write("create table dictionary (x integer); create table db_version (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "dlprof/missing-table");
  std::filesystem::remove(path_);
  Write("create table rocpd_kernel_dispatch_1 (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "input/rocpd");
  std::filesystem::remove(path_);
  Write("create table recipes (x integer)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "input/sqlite");
  std::filesystem::remove(path_);
  Write("create table StringIds (id integer, value text)");
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "nsight/no-events");
  std::filesystem::remove(path_);
  std::ofstream(path_, std::ios::binary)
      << std::string("SQLite format 3\0", 16) << std::string(4096, 'x');
  EXPECT_EQ(ReadProfile(path_, {}).error().code, "sqlite/damaged");
}

// Exports differ by version in nearly every column: none that is missing may break the reading, and
// what must be there is refused by name.
TEST_F(NsightTest, AnyColumnAndAnyTableMayBeMissing) {
  const std::string rest =
      "create table OSRT_API (start integer, end integer, globalTid integer, nameId integer);"
      "insert into OSRT_API values (600, 640, " +
      std::string(kThread1) +
      ", 4);"
      "create table SCHED_EVENTS (start integer, isSchedIn integer, globalTid integer);"
      "insert into SCHED_EVENTS values (100, 1, " +
      kThread1 + "), (400, 0, " + kThread1 +
      ");"
      "create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start integer, end integer, deviceId integer,"
      " streamId integer, correlationId integer, globalPid integer, graphId integer);"
      "insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (2500, 2600, 0, 7, 14, 117440512, 1);"
      "create table GPU_METRICS (typeId integer, timestamp integer, metricId integer, value "
      "integer);"
      "insert into GPU_METRICS values (1, 1500, 1, 40);"
      "create table TARGET_INFO_GPU_METRICS (typeId integer, metricId integer, metricName text);"
      "insert into TARGET_INFO_GPU_METRICS values (1, 1, 'SMs Active');"
      "create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer);"
      "insert into TARGET_INFO_GPU values (0, 'A100', 0, 108);";
  Write(Basic() + rest);
  std::vector<std::string> changes;
  {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadOnly, ErrorKind::kInternal);
    auto columns = database->Prepare(
        "select m.name, c.name from sqlite_master m join pragma_table_info(m.name) c");
    ASSERT_TRUE(columns);
    while (*columns->Step()) {
      const std::string table(columns->Text(0)), column(columns->Text(1));
      changes.push_back("alter table " + table + " drop column \"" + column + "\"");
      changes.push_back("drop table if exists " + table);
      changes.push_back("alter table " + table + " add column fromTheFuture blob");
    }
  }
  EXPECT_GT(changes.size(), 150u);
  for (const std::string& change : changes) {
    SCOPED_TRACE(change);
    std::filesystem::remove(path_);
    Write(Basic() + rest + change);
    const auto profile = ReadProfile(path_, {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_GT(profile->device.size() + profile->api.size(), 2u);
  }
}

// A query that finds work unfinished answers so; it has not failed.
TEST_F(NsightTest, PollingIsNoError) {
  Write(Basic() +
        "insert into StringIds values (20, 'cudaEventQuery_v3020'), (21, 'cudaMalloc_v3020');"
        "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (600, 601, " +
        kThread1 + ", 21, 20, 600), (602, 603, " + kThread1 + ", 22, 20, 700), (604, 605, " +
        kThread1 + ", 23, 21, 600);");
  const Profile profile = Read();
  // One is Basic()'s own.
  EXPECT_EQ(profile.log[Counter::api_errors], 3u);
  EXPECT_THAT(profile.log.Examples(Counter::api_errors),
              ::testing::UnorderedElementsAre("cudaMemcpyAsync", "cudaEventQuery", "cudaMalloc"));
}

// What nobody can have recorded is left out: times whose sums would overflow, tables that are
// programs (this one never ends).
TEST_F(NsightTest, HostileTimesAndViewsAreLeftOut) {
  const std::string most = "9223372036854775807", least = "-9223372036854775808";
  Write(Basic() + "insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) values (" + most +
        ", " + most + ", 0), (" + least + ", " + most + ", 0), (0, " + most +
        ", 0), ('x', x'00', 'y');"
        "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (" +
        least + ", " + most +
        ", -1, 1, 2, 0);"
        "insert into NVTX_EVENTS (start, end, eventType, text, globalTid) values (0, " +
        least + ", 59, 'x, seq = 99999999999999999999', " + kThread1 + "), (" + most +
        ", 5, 59, 'y', " + kThread1 +
        ");"
        "drop table CUPTI_ACTIVITY_KIND_MEMCPY;"
        "create view CUPTI_ACTIVITY_KIND_MEMCPY as with recursive r(start) as (select 1 union all "
        "select start + 1 from r) select start, start + 1 as end from r;");
  const Profile profile = Read();
  EXPECT_GE(profile.log[Counter::events_bad_time], 4u);
  EXPECT_LT(profile.last, 1'000'000);
  for (const DeviceKind kind : profile.device.kind) EXPECT_EQ(kind, DeviceKind::kKernel);
}

// A sum of 64-bit extremes is no duration; the reader must not even form it.
TEST_F(NsightTest, DurationsBeyond64BitsAreLeftOut) {
  const std::string most = "9223372036854775807", least = "-9223372036854775808";
  Write(Basic() + "insert into CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) values (" + least +
        ", " + most + ", 0), (" + most + ", " + least +
        ", 0);"
        "insert into NVTX_EVENTS (start, end, eventType, text, globalTid) values (" +
        least + ", " + most + ", 59, 'x', " + kThread1 + ");");
  const Profile profile = Read();
  EXPECT_EQ(profile.device.size(), 3u);
  EXPECT_EQ(profile.log[Counter::events_bad_time], 3u);
  EXPECT_LT(profile.last, 1'000'000);
}

TEST_F(NsightTest, ADamagedFileSaysWhatSqliteSays) {
  Write(Basic());
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size / 2);
  std::filesystem::resize_file(path_, size);
  const auto profile = ReadProfile(path_, {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "sqlite/damaged");
  EXPECT_THAT(profile.error().notes.front(),
              ::testing::AllOf(HasSubstr("SQLite says: database disk image is malformed"),
                               HasSubstr("(code 11)")));
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

TEST(ParseRangeText, KnowsTheWritersOfRanges) {
  using readers::ParseRangeText;
  using readers::RangeKind;
  struct Row {
    const char* text;
    const char* domain;
    RangeKind kind;
    const char* name;
    const char* shapes;
    std::int64_t sequence;
  };
  constexpr Row kRows[] = {
      {"aten::conv2d, seq = 12, op_id = 9, sizes = [[1, 2], []], input_op_ids = [(4,0)]", "",
       RangeKind::kOp, "aten::conv2d", "[[1, 2], []]", 12},
      {"autograd::engine::evaluate_function: ConvolutionBackward0, seq = 12", "", RangeKind::kOp,
       "autograd::engine::evaluate_function: ConvolutionBackward0", "", 12},
      {"aten::mm, sizes = [[1, 2", "", RangeKind::kOp, "aten::mm", "", -1},
      {"step 12", "", RangeKind::kIterationMarker, "step 12", "", -1},
      {"ProfilerStep#3", "", RangeKind::kIterationMarker, "ProfilerStep#3", "", -1},
      {"batch_7", "", RangeKind::kIterationMarker, "batch_7", "", -1},
      {"stepper", "", RangeKind::kAnnotation, "stepper", "", -1},
      {"step 12 warm-up", "", RangeKind::kIterationMarker, "step 12 warm-up", "", -1},
      {"global_step 4", "", RangeKind::kIterationMarker, "global_step 4", "", -1},
      {"epoch 3", "", RangeKind::kAnnotation, "epoch 3", "", -1},
      {"[pl][profile][_TrainingEpochLoop].run_training_batch", "", RangeKind::kIterationMarker,
       "[pl][profile][_TrainingEpochLoop].run_training_batch", "", -1},
      {"ExecutionContext::enqueue", "TensorRT", RangeKind::kIterationMarker,
       "ExecutionContext::enqueue", "", -1},
      {R"({"op":"MatMul","name":"dense/MatMul","args":[{"name":"x","shape":[64,784]},null],)"
       R"("attrs":{"T":"bfloat32"}})",
       "tensorflow-core", RangeKind::kOp, "dense/MatMul", "[[64, 784], []]", -1},
      {"Op: dense/MatMul", "tensorflow-core", RangeKind::kOp, "dense/MatMul", "", -1},
      {"{'mod': 'torch', 'op': 'matmul', 'args': []}", "", RangeKind::kOp, "torch.matmul", "", -1},
      {"{'traceMarker': ['/home/x/y.py:3']}", "", RangeKind::kAnnotation, "traceMarker", "", -1},
      {"/conv1/Conv", "TensorRT", RangeKind::kOp, "/conv1/Conv", "", -1},
      {"forward", "", RangeKind::kAnnotation, "forward", "", -1},
      {"", "", RangeKind::kAnnotation, "", "", -1},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.text);
    const auto range = ParseRangeText(row.text, row.domain);
    EXPECT_EQ(range.kind, row.kind);
    EXPECT_EQ(range.name, row.name);
    EXPECT_EQ(range.input_shapes, row.shapes);
    EXPECT_EQ(range.sequence, row.sequence);
  }
}

}  // namespace
}  // namespace profgauge
