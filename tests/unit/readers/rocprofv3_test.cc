#include "readers/rocprofv3/rocprofv3_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// One process: a roctx step with an op in it, which calls HIP to launch a kernel and copy, and a
// collective. Grids count work items.
constexpr const char* kRun = R"json({"rocprofiler-sdk-tool": [{
"metadata": {"pid": 41, "init_time": 900, "fini_time": 9000},
"agents": [
  {"id": {"handle": 70}, "type": 1, "product_name": "some CPU", "logical_node_type_id": 0},
  {"id": {"handle": 71}, "type": 2, "product_name": "AMD Instinct MI300X", "name": "gfx942",
   "logical_node_type_id": 0, "cu_count": 304, "wave_front_size": 64, "max_waves_per_cu": 32,
   "gfx_target_version": 90402, "mem_banks": [{"size_in_bytes": 1000, "flags": {"x": 0}}]},
  {"id": {"handle": 72}, "type": 2, "product_name": "AMD Instinct MI300X",
   "logical_node_type_id": 1, "cu_count": 304}],
"strings": {"buffer_records": [
  {"kind": "NONE", "operations": []},
  {"kind": "HIP_RUNTIME_API", "operations": ["hipApiName", "hipLaunchKernel", "hipMemcpyAsync",
                                             "hipStreamSynchronize"]},
  {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxMarkA", "roctxThreadRangeA"]},
  {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_DEVICE"]},
  {"kind": "KERNEL_DISPATCH", "operations": ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE",
                                             "KERNEL_DISPATCH_COMPLETE"]},
  {"kind": "RCCL_API", "operations": ["ncclAllReduce"]}],
 "marker_api": [{"key": 1, "value": "step 3"},
                {"key": 2, "value": "aten::mm, seq = 4, sizes = [[8, 8], [8, 8]]"}]},
"kernel_symbols": [
  {"kernel_id": 0, "formatted_kernel_name": "0"},
  {"kernel_id": 9, "formatted_kernel_name": "gemm<float>(int)", "arch_vgpr_count": 32}],
"callback_records": {"counter_collection": []},
"buffer_records": {
 "kernel_dispatch": [
  {"kind": 4, "operation": 2, "thread_id": 5, "correlation_id": {"internal": 3, "external": 0},
   "start_timestamp": 1200, "end_timestamp": 1500, "stream_id": {"handle": 6}, "dispatch_info": {
    "agent_id": {"handle": 71}, "queue_id": {"handle": 2}, "kernel_id": 9,
    "group_segment_size": 128, "workgroup_size": {"x": 64, "y": 2, "z": 1},
    "grid_size": {"x": 640, "y": 4, "z": 1}}},
  {"kind": 4, "operation": 2, "thread_id": 5, "correlation_id": {"internal": 8, "external": 0},
   "start_timestamp": 1500, "end_timestamp": 1450, "dispatch_info": {
    "agent_id": {"handle": 71}, "queue_id": {"handle": 2}, "kernel_id": 77}},
  {"kind": 4, "operation": 2, "start_timestamp": 0, "end_timestamp": 0}],
 "hip_api": [
  {"kind": 1, "operation": 1, "thread_id": 5, "correlation_id": {"internal": 3, "external": 0},
   "start_timestamp": 1100, "end_timestamp": 1150},
  {"kind": 1, "operation": 2, "thread_id": 5, "correlation_id": {"internal": 4, "external": 0},
   "start_timestamp": 1160, "end_timestamp": 1180},
  {"kind": 1, "operation": 3, "thread_id": 5, "correlation_id": {"internal": 5, "external": 0},
   "start_timestamp": 1700, "end_timestamp": 1800}],
 "rccl_api": [{"kind": 5, "operation": 0, "thread_id": 5, "correlation_id": {"internal": 6},
   "start_timestamp": 1600, "end_timestamp": 1650}],
 "marker_api": [
  {"kind": 2, "operation": 1, "thread_id": 5, "correlation_id": {"internal": 1},
   "start_timestamp": 1000, "end_timestamp": 1900},
  {"kind": 2, "operation": 1, "thread_id": 5, "correlation_id": {"internal": 2},
   "start_timestamp": 1050, "end_timestamp": 1190}],
 "memory_copy": [{"kind": 3, "operation": 1, "thread_id": 5, "correlation_id": {"internal": 4},
   "start_timestamp": 1510, "end_timestamp": 1540, "bytes": 4096,
   "src_agent_id": {"handle": 70}, "dst_agent_id": {"handle": 71}, "stream_id": {"handle": 6}}],
 "scratch_memory": [{"kind": 7}]}}]})json";

Result<Profile> Read(const std::string& text) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  return readers::MakeRocprofv3Reader()->Read(*source, {});
}

void ExpectRun(const Result<Profile>& profile) {
  ASSERT_TRUE(profile) << profile.error().message;
  const auto& device = profile->device;
  ASSERT_EQ(device.size(), 3);  // By stream: the nameless kernel's queue, then stream 6.
  EXPECT_EQ(profile->Name(device.name[0]), "(unnamed kernel 77)");
  EXPECT_EQ(profile->Name(device.name[1]), "gemm<float>(int)");
  EXPECT_EQ(profile->Name(device.name[2]), "MEMORY_COPY_HOST_TO_DEVICE");
  EXPECT_THAT(device.stream, ElementsAre(2, 6, 6));
  EXPECT_THAT(device.duration, ElementsAre(0, 300, 30));
  EXPECT_THAT(device.gpu, ElementsAre(0, 0, 0));
  EXPECT_EQ(device.copy[2], CopyKind::kHostToDevice);
  EXPECT_EQ(device.bytes[2], 4096);
  EXPECT_FALSE(device.launch[0].valid());
  EXPECT_EQ(profile->Name(profile->api.name[device.launch[1].value]), "hipLaunchKernel");
  EXPECT_EQ(profile->Name(profile->api.name[device.launch[2].value]), "hipMemcpyAsync");
  const auto op = device.op[1].value;
  EXPECT_EQ(profile->Name(profile->host.name[op]), "aten::mm");
  EXPECT_EQ(profile->Name(profile->host.input_shapes[op]), "[[8, 8], [8, 8]]");
  EXPECT_EQ(profile->api.kind[2], ApiKind::kSync);
  EXPECT_TRUE(profile->Has(Capability::kIterationMarkers));
  EXPECT_EQ(profile->log[Counter::events_negative_dur], 1);
  EXPECT_EQ(profile->log[Counter::events_bad_time], 1);
  EXPECT_EQ(profile->log[Counter::events_ignored_kind], 1);
}

TEST(Rocprofv3, ReadsKernelsCopiesCallsAndRanges) { ExpectRun(Read(kRun)); }

void ExpectProperties(const Result<Profile>& profile) {
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->gpus.size(), 1);  // The other one did nothing, and a CPU is none.
  const auto& gpu = profile->gpus[0];
  EXPECT_EQ(gpu.name, "AMD Instinct MI300X");
  EXPECT_EQ(gpu.sms, 304);
  EXPECT_EQ(gpu.memory, 1000);
  EXPECT_EQ(gpu.warp_size, 64);
  EXPECT_EQ(gpu.max_threads_per_sm, 2048);
  EXPECT_EQ(gpu.compute_major * 10 + gpu.compute_minor, 94);
  EXPECT_FALSE(profile->device.config[0].valid());
  const auto& config = profile->launch_configs[profile->device.config[1].value];
  EXPECT_THAT(config.grid, ElementsAre(10, 2, 1));
  EXPECT_THAT(config.block, ElementsAre(64, 2, 1));
  EXPECT_EQ(config.registers, 32);
  EXPECT_EQ(config.shared_memory, 128);
  EXPECT_DOUBLE_EQ(config.blocks_per_sm, 20.0 / 304);
  EXPECT_DOUBLE_EQ(config.warps_per_sm, 40.0 / 304);
}

TEST(Rocprofv3, ReadsDevicesAndLaunchProperties) { ExpectProperties(Read(kRun)); }

// Each process may have been given a GPU, and calls it by the same number.
TEST(Rocprofv3, EachProcessNumbersItsGpus) { EXPECT_TRUE(Read(kRun)->gpus_by_process); }

// kRun's process with its keys in another order.
std::string ReorderedProcess(const std::function<void(std::vector<std::string>&)>& change) {
  const std::string text = kRun, between = ",\n\"", end = "}]}";
  const std::size_t begin = text.find("\"metadata\"");
  std::string body = text.substr(begin, text.size() - end.size() - begin);
  std::vector<std::string> members;
  for (std::size_t at; (at = body.find(between)) != body.npos; body = body.substr(at + 2)) {
    members.push_back(body.substr(0, at));
  }
  members.push_back(body);
  EXPECT_EQ(members.size(), 6);
  change(members);
  std::string joined = text.substr(0, begin);
  for (const std::string& member : members) joined += member + ",\n";
  joined.resize(joined.size() - 2);
  return joined + end;
}

TEST(Rocprofv3, KeysOfAProcessHaveNoOrder) {
  for (std::size_t first = 0; first < 6; ++first) {
    SCOPED_TRACE(first);
    const std::string rotated = ReorderedProcess([&](std::vector<std::string>& members) {
      std::rotate(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(first),
                  members.end());
    });
    ExpectRun(Read(rotated));
    ExpectProperties(Read(rotated));
  }
  // As `jq -S` and sort_keys write it.
  const std::string sorted = ReorderedProcess(
      [](std::vector<std::string>& members) { std::sort(members.begin(), members.end()); });
  ExpectRun(Read(sorted));
  ExpectProperties(Read(sorted));
}

// Ids are those of one process, whose names may come after its records.
TEST(Rocprofv3, IdsAreOfTheirProcess) {
  const auto process = [](const std::string& pid, const std::string& name) {
    return R"({"buffer_records": {"kernel_dispatch": [{"start_timestamp": 10, "end_timestamp": 20,
      "correlation_id": {"internal": 1}, "dispatch_info": {"kernel_id": 1}}], "hip_api": [
      {"kind": 0, "operation": 0, "thread_id": 5, "correlation_id": {"internal": 1},
       "start_timestamp": 5, "end_timestamp": 9}]},
      "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": ")" +
           name + R"("}], "metadata": {"pid": )" + pid +
           R"(}, "strings": {"buffer_records": [{"kind": "HIP", "operations": ["hip)" + name +
           R"("]}]}})";
  };
  const auto profile = Read(R"({"rocprofiler-sdk-tool": [)" + process("41", "First") + "," +
                            process("42", "Second") + "]}");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->device.size(), 2);
  ASSERT_EQ(profile->api.size(), 2);
  for (std::size_t row = 0; row < 2; ++row) {
    const std::uint32_t launch = profile->device.launch[row].value;
    EXPECT_EQ(profile->Name(profile->api.name[launch]),
              "hip" + std::string(profile->Name(profile->device.name[row])));
  }
  EXPECT_NE(profile->threads[profile->api.thread[0].value].process,
            profile->threads[profile->api.thread[1].value].process);
  EXPECT_FALSE(profile->log.HasDataLoss());
}

// Without names a collective is computation and a wait is a call like any other.
TEST(Rocprofv3, ManyRecordsWithoutNamesAreALoss) {
  const std::string whole = kRun;
  const auto without = [&](const std::string& key) {
    std::string text = whole;
    return Read(text.replace(text.find("\"" + key + "\""), 2, "\"no_"));
  };
  const auto kernels = without("kernel_symbols");
  ASSERT_TRUE(kernels) << kernels.error().message;
  EXPECT_TRUE(kernels->log.HasDataLoss());
  EXPECT_THAT(kernels->log.Examples(Counter::rows_unusable),
              Contains("2 of 2 kernels have no name in the file, e.g. `kernel 9`"));
  const auto calls = without("strings");
  ASSERT_TRUE(calls) << calls.error().message;
  EXPECT_THAT(
      calls->log.Examples(Counter::rows_unusable),
      Contains("5 of 5 calls and copies have no name in the file, e.g. `operation 1 of kind 3`"));
}

TEST(Rocprofv3, RefusesFilesWithoutRecords) {
  const auto empty = Read(R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}}]})");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "rocprofv3/no-events");
}

// Counts and sums of the real file, taken from it with Python's json module.
TEST(Rocprofv3, TotalsAgreeWithTheFile) {
  const std::string path = std::string(PROFGAUGE_SHARED_DIR) + "/data/rocm/908_results.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared profiles";
  const auto profile = ReadProfile(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->source.format, "rocprofv3");
  EXPECT_EQ(profile->device.size(), 43'915);
  Ns time = 0, first = profile->device.start[0], last = 0;
  std::size_t streams = 0;
  for (std::size_t i = 0; i < profile->device.size(); ++i) {
    time += profile->device.duration[i];
    first = std::min(first, profile->device.start[i]);
    last = std::max(last, profile->device.start[i] + profile->device.duration[i]);
    if (i == 0 || profile->device.stream[i] != profile->device.stream[i - 1]) ++streams;
  }
  EXPECT_EQ(time, 4'441'741'378);
  EXPECT_EQ(last - first, 15'122'023'494);
  EXPECT_EQ(streams, 567);
  EXPECT_EQ(profile->gpus.at(0).name, "AMD Instinct MI350X");
}

}  // namespace
}  // namespace profgauge::readers
