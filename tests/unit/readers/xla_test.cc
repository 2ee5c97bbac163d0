#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/byte_source.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/load.h"
#include "readers/xla/wire.h"
#include "readers/xla/xla_reader.h"

namespace profgauge {
namespace {

using readers::xla::WireReader;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Puts a Protocol Buffers message together.
class Message {
 public:
  Message& Number(std::uint32_t field, std::uint64_t value) {
    Varint(field << 3);
    Varint(value);
    return *this;
  }
  Message& Bytes(std::uint32_t field, const std::string& value) {
    Varint(field << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Sub(std::uint32_t field, const Message& message) { return Bytes(field, message.bytes_); }
  const std::string& str() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

// A plane in words; ids are made from the names.
class PlaneText {
 public:
  explicit PlaneText(const std::string& name) { plane_.Number(1, 3).Bytes(2, name); }

  using Stats = std::map<std::string, std::string>;
  PlaneText& PlaneStat(const std::string& name, std::uint64_t value) {
    plane_.Sub(6, Message().Number(1, StatId(name)).Number(3, value));
    return *this;
  }
  /// Events of a line that starts at `base` ns: name, start and length in ns from there.
  struct Row {
    std::string name;
    std::uint64_t start, length;
    Stats stats;
  };
  PlaneText& Line(std::uint64_t id, const std::string& name, std::uint64_t base,
                  const std::vector<Row>& rows) {
    Message line;
    line.Number(1, id).Bytes(2, name).Number(3, base);
    for (const auto& row : rows) {
      Message event;
      event.Number(1, EventId(row.name)).Number(2, row.start * 1000).Number(3, row.length * 1000);
      for (const auto& [key, value] : row.stats) {
        event.Sub(4, Message().Number(1, StatId(key)).Bytes(5, value));
      }
      line.Sub(4, event);
    }
    lines_.Sub(3, line);
    return *this;
  }
  Message Done() const {
    Message done = plane_;
    std::string bytes = done.str() + lines_.str();
    for (const auto& [name, id] : events_) {
      bytes += Message()
                   .Sub(4, Message().Number(1, id).Sub(2, Message().Number(1, id).Bytes(2, name)))
                   .str();
    }
    for (const auto& [name, id] : stats_) {
      bytes += Message()
                   .Sub(5, Message().Number(1, id).Sub(2, Message().Number(1, id).Bytes(2, name)))
                   .str();
    }
    Message space;
    space.Bytes(1, bytes);
    return space;
  }

 private:
  std::uint64_t StatId(const std::string& name) {
    return stats_.emplace(name, stats_.size() + 1).first->second;
  }
  std::uint64_t EventId(const std::string& name) {
    return events_.emplace(name, events_.size() + 1).first->second;
  }
  Message plane_;
  Message lines_;
  std::map<std::string, std::uint64_t> events_;
  std::map<std::string, std::uint64_t> stats_;
};

const ReadOptions kIncomplete = {.allow_incomplete = true, .threads = 1, .progress = {}};

Result<Profile> ReadBytes(const std::string& bytes, const ReadOptions& options = {}) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(bytes)));
  return readers::MakeXPlaneReader()->Read(*source, options);
}

Result<Profile> ReadTrace(const std::string& text, const ReadOptions& options = {}) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  return readers::MakeXlaTraceReader()->Read(*source, options);
}

Match Sniff(const Reader& reader, const std::string& bytes) {
  return reader.Sniff(std::as_bytes(std::span(bytes)));
}

std::vector<std::string> Names(const Profile& profile, const std::vector<StringId>& ids) {
  std::vector<std::string> names;
  for (const auto id : ids) names.emplace_back(profile.Name(id));
  return names;
}

// One step of one GPU: a call launches a kernel of an HLO op, another a copy.
std::string OneStep() {
  PlaneText host("/host:CPU");
  host.Line(7, "python", 1000,
            {{"train", 0, 900, {{"step_num", "4"}}},
             {"$loop.py:12 step", 10, 800, {}},
             {"MemoryAllocation",
              20,
              0,
              {{"allocator_name", "GPU_1_bfc"},
               {"allocation_bytes", "512"},
               {"bytes_allocated", "4096"},
               {"addr", "77"}}}});
  host.Line(583, "Host Threads/583", 1000,
            {{"cuLaunchKernel", 100, 20, {{"correlation_id", "5"}}},
             {"cuMemcpyHtoDAsync_v2", 200, 30, {{"correlation_id", "6"}}}});
  PlaneText device("/device:GPU:1");
  device.PlaneStat("core_count", 100).PlaneStat("memory_size", 8000);
  device.Line(20, "Stream #20(Kernel)", 1000,
              {{"gemm_fusion_dot_3",
                150,
                400,
                {{"correlation_id", "5"},
                 {"hlo_op", "gemm_fusion_dot.3"},
                 {"hlo_module", "jit_f"},
                 {"name", "jit(f)/dot_general"},
                 {"tf_op", "XlaModule:"},
                 {"kernel_details",
                  "regs:40 static_shared:512 dynamic_shared:1024 grid:200,1,1 "
                  "block:128,1,1 occ_pct:50"}}}});
  device.Line(21, "Stream #21(MemcpyH2D)", 1000,
              {{"MemcpyH2D",
                560,
                40,
                {{"correlation_id", "6"},
                 {"memcpy_details", "kind_src:pinned kind_dst:device size:2048 dest:0 async:1"}}}});
  device.Line(1, "Steps", 1000, {{"4", 150, 450, {}}});
  device.Line(2, "XLA Modules", 1000, {{"jit_f", 150, 400, {}}});
  device.Line(3, "XLA Ops", 1000, {{"gemm_fusion_dot.3", 150, 400, {}}});
  return host.Done().str() + device.Done().str();
}

// The same events as the profiler's trace.json has them.
constexpr const char* kOneStepTrace =
    R"json({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},
"traceEvents":[
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"M","pid":701,"tid":7,"name":"thread_name","args":{"name":"python"}},
{"ph":"M","pid":701,"tid":583,"name":"thread_name","args":{"name":"Host Threads/583"}},
{"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:1"}},
{"ph":"M","pid":2,"tid":20,"name":"thread_name","args":{"name":"Stream #20(Kernel)"}},
{"ph":"M","pid":2,"tid":21,"name":"thread_name","args":{"name":"Stream #21(MemcpyH2D)"}},
{"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
{"ph":"X","pid":701,"tid":7,"ts":1,"dur":0.9,"name":"train","args":{"step_num":"4"}},
{"ph":"X","pid":701,"tid":7,"ts":1.01,"dur":0.8,"name":"$loop.py:12 step"},
{"ph":"X","pid":701,"tid":7,"ts":1.02,"dur":0.000001,"name":"MemoryAllocation","args":{
  "allocator_name":"GPU_1_bfc","allocation_bytes":"512","bytes_allocated":"4096","addr":"77"}},
{"ph":"X","pid":701,"tid":583,"ts":1.1,"dur":0.02,"name":"cuLaunchKernel",
  "args":{"correlation_id":"5"}},
{"ph":"X","pid":701,"tid":583,"ts":1.2,"dur":0.03,"name":"cuMemcpyHtoDAsync_v2",
  "args":{"correlation_id":"6"}},
{"ph":"X","pid":2,"tid":20,"ts":1.15,"dur":0.4,"name":"gemm_fusion_dot_3","args":{
  "correlation_id":"5","hlo_op":"gemm_fusion_dot.3","hlo_module":"jit_f",
  "name":"jit(f)/dot_general","tf_op":"XlaModule:","kernel_details":
  "regs:40 static_shared:512 dynamic_shared:1024 grid:200,1,1 block:128,1,1 occ_pct:50"}},
{"ph":"X","pid":2,"tid":21,"ts":1.56,"dur":0.04,"name":"MemcpyH2D","args":{"correlation_id":"6",
  "memcpy_details":"kind_src:pinned kind_dst:device size:2048 dest:0 async:1"}},
{"ph":"X","pid":2,"tid":1,"ts":1.15,"dur":0.45,"name":"4"},
{}]})json";

void ExpectOneStep(const Profile& profile) {
  ASSERT_EQ(profile.device.size(), 2);
  EXPECT_THAT(Names(profile, profile.device.name), ElementsAre("gemm_fusion_dot_3", "MemcpyH2D"));
  EXPECT_THAT(profile.device.start, ElementsAre(150, 560));
  EXPECT_THAT(profile.device.duration, ElementsAre(400, 40));
  EXPECT_THAT(profile.device.gpu, ElementsAre(1, 1));
  EXPECT_THAT(profile.device.stream, ElementsAre(20, 21));
  EXPECT_EQ(profile.device.copy[1], CopyKind::kHostToDevice);
  EXPECT_EQ(profile.device.host_memory[1], HostMemory::kPinned);
  EXPECT_EQ(profile.device.bytes[1], 2048);
  EXPECT_EQ(profile.Name(profile.api.name[profile.device.launch[0].value]), "cuLaunchKernel");
  // The kernel's op is the HLO op, inside the framework's scope.
  const HostId op = profile.device.op[0];
  EXPECT_EQ(profile.Name(profile.host.name[op.value]), "jit_f/gemm_fusion_dot.3");
  const HostId scope = profile.host.parent[op.value];
  EXPECT_EQ(profile.Name(profile.host.name[scope.value]), "jit(f)/dot_general");
  EXPECT_THAT(Names(profile, profile.host.name), ::testing::Contains("train 4"));
  EXPECT_TRUE(profile.Has(Capability::kIterationMarkers));
  EXPECT_EQ(profile.Name(profile.python.name[0]), "loop.py(12): step");
  const auto& config = profile.launch_configs[profile.device.config[0].value];
  EXPECT_EQ(config.grid[0], 200);
  EXPECT_EQ(config.block[0], 128);
  EXPECT_EQ(config.registers, 40);
  EXPECT_EQ(config.shared_memory, 1536);
  EXPECT_DOUBLE_EQ(config.occupancy, 0.5);
  ASSERT_EQ(profile.memory.size(), 1);
  EXPECT_EQ(profile.memory.bytes[0], 512);
  EXPECT_EQ(profile.memory.total_allocated[0], 4096);
  EXPECT_EQ(profile.memory.device[0], 1);
}

TEST(XPlane, ReadsKernelsWithTheirOpsAndSteps) {
  const auto profile = ReadBytes(OneStep());
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  ASSERT_EQ(profile->gpus.size(), 1);
  EXPECT_EQ(profile->gpus[0].sms, 100);
  EXPECT_EQ(profile->gpus[0].memory, 8000);
  EXPECT_DOUBLE_EQ(profile->launch_configs[profile->device.config[0].value].blocks_per_sm, 2);
  // Steps, XLA Modules and XLA Ops say again what the streams say.
  EXPECT_EQ(profile->log[Counter::events_derived], 3);
  EXPECT_THAT(Names(*profile, profile->device_ranges.name), ElementsAre("jit_f"));
}

TEST(XlaTrace, SaysWhatTheXPlaneSays) {
  const auto profile = ReadTrace(kOneStepTrace);
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  EXPECT_TRUE(profile->gpus.empty());
  EXPECT_EQ(profile->log[Counter::events_derived], 1);
}

// The events of kOneStepTrace that `wants` in its order, then the others.
std::string Reordered(const std::function<bool(const std::string&)>& wants) {
  const std::string text = kOneStepTrace;
  const std::string between = ",\n{\"ph\"";
  std::string first, others;
  std::size_t at = text.find("{\"ph\"");
  const std::string head = text.substr(0, at);
  while (at != text.npos) {
    const std::size_t end = std::min(text.find(between, at), text.find(",\n{}]", at));
    const std::string event = text.substr(at, end - at);
    (wants(event) ? first : others) += event + ",\n";
    at = text.compare(end, between.size(), between) == 0 ? end + 2 : text.npos;
  }
  return head + first + others + "{}]}";
}

// A list of events has no order.
TEST(XlaTrace, NamesOfTracksStandBeforeTheirEventsOrBehind) {
  const auto has = [](std::string words) {
    return [words = std::move(words)](const std::string& event) {
      return event.find(words) != event.npos;
    };
  };
  for (const char* first : {"\"ph\":\"X\"", "thread_name", "\"pid\":701", "\"pid\":2", "ts"}) {
    SCOPED_TRACE(first);
    const auto profile = ReadTrace(Reordered(has(first)));
    ASSERT_TRUE(profile) << profile.error().message;
    ExpectOneStep(*profile);
    EXPECT_EQ(profile->log[Counter::events_derived], 1);
    EXPECT_EQ(profile->log[Counter::events_ignored_kind], 0);
    EXPECT_FALSE(profile->log.HasDataLoss());
  }
}

TEST(XlaTrace, EventsOfTracksThatAreNeverNamedAreLost) {
  for (const char* name : {"Stream #20(Kernel)", "/device:GPU:1"}) {
    SCOPED_TRACE(name);
    std::string text = kOneStepTrace;
    const std::string key = std::string("\"name\":\"") + name;
    text.replace(text.find(key), 6, "\"other\"");
    const auto profile = ReadTrace(text);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(profile->log.HasDataLoss());
    EXPECT_EQ(profile->log[Counter::rows_unusable], 1);
  }
  // A thread of the host is what it is without its name.
  std::string text = kOneStepTrace;
  text.replace(text.find("\"name\":\"Host Threads/583"), 6, "\"other\"");
  const auto profile = ReadTrace(text);
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  EXPECT_FALSE(profile->log.HasDataLoss());
}

// FLOPs and bytes that the compiler states of ops: a loop's are those of its body.
TEST(XPlane, PlacesTheOpsOfATpuOnTheRoofline) {
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

TEST(XPlane, GivesEachInstantOfATpuToTheInnermostOp) {
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

// The host runs ahead and marks no steps of its own: each is from the launch of its first work to
// that of the next one's, so that its work is its own.
TEST(XPlane, StepsOfADeviceAreTheHostsThatLaunchedThem) {
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

// Planes of SparseCores end with their number, which is no TPU's; what they run keeps theirs busy.
TEST(XPlane, SparseCoresAreUnitsOfTheirTpu) {
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
  // What a SparseCore runs is not held against the TensorCores' peak.
  ASSERT_EQ(profile->reported.metrics.size(), 2);
  EXPECT_DOUBLE_EQ(AsNumber(profile->reported.metrics[0].value, 0), 40000 / 40e-9);
}

// Nothing records what launches a TPU's work: where it runs behind the host's steps, the TPU's own
// say how long an iteration takes.
TEST(XPlane, StepsAreTheTpusWhereTheHostRunsAhead) {
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
TEST(XPlane, StepsOfSeveralDevicesAreOfOneProcess) {
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
TEST(XlaTrace, ATpuIsADeviceByItsPlanesName) {
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
}

// Put behind one another two files are one message with the planes of both.
TEST(XPlane, AFileTwiceInOneCountsOnceAndTwoRecordingsAreRefused) {
  const auto twice = ReadBytes(OneStep() + OneStep());
  ASSERT_TRUE(twice) << twice.error().message;
  ExpectOneStep(*twice);
  EXPECT_EQ(twice->host.size(), ReadBytes(OneStep())->host.size());
  EXPECT_THAT(twice->facts,
              ::testing::Contains(::testing::Pair("planes recorded twice", "2; each counts once")));

  PlaneText device("/device:GPU:1");
  device.Line(20, "Stream #20(Kernel)", 9000, {{"later", 0, 400, {}}});
  const std::string two = OneStep() + device.Done().str();
  const auto refused = ReadBytes(two);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "xla/goes-on");
  const auto first = ReadBytes(two, kIncomplete);
  ASSERT_TRUE(first) << first.error().message;
  ExpectOneStep(*first);
}

// What the profiler says of its recording stands in the space itself, beside the planes.
TEST(XPlane, WhatTheProfilerSaysItDroppedIsLost) {
  constexpr std::uint32_t kErrors = 2, kWarnings = 3;
  struct Row {
    std::uint32_t field;
    const char* text;
    bool is_loss;
  };
  const Row rows[] = {
      {kWarnings,
       "Detected GPU events dropped on node7: Profiler has collected 480 driver events and 480 "
       "device events. 480 events dropped because total device(activity) events reaches max.",
       true},
      {kWarnings, "No XSpace data returned from subprocess: pid: 77", true},
      {kWarnings, "some option has no effect here", false},
      {kErrors, "CUPTI could not be loaded or symbol could not be found.", true},
      {kErrors, "Key 'x' is not recognised by the ROCm GPU tracer. The key was ignored.", false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto profile = ReadBytes(OneStep() + Message().Bytes(row.field, row.text).str());
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->log.HasDataLoss(), row.is_loss);
    EXPECT_EQ(profile->log[Counter::events_dropped], row.is_loss ? 1 : 0);
    const Counter told = row.is_loss ? Counter::events_dropped : Counter::profiler_warnings;
    ASSERT_EQ(profile->log.Examples(told).size(), 1);
    EXPECT_EQ(profile->log.Examples(told)[0], row.text);
  }
  // Of two hosts: how many were dropped is as unknown as of one.
  const std::string words = Message().Bytes(kWarnings, "events dropped on a").str() +
                            Message().Bytes(kWarnings, "events dropped on b").str();
  const auto two = ReadBytes(OneStep() + words);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->log[Counter::events_dropped], 1);
  EXPECT_EQ(two->log[Counter::profiler_warnings], 1);
}

TEST(XPlane, RefusesWhatIsCutOffOrDamaged) {
  const std::string whole = OneStep();
  const auto cut = ReadBytes(whole.substr(0, whole.size() - 9));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, "xla/truncated");
  const auto accepted = ReadBytes(whole.substr(0, whole.size() - 9), kIncomplete);
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(accepted->log.HasDataLoss());
  EXPECT_EQ(accepted->device.size(), 0);

  Message space;
  space.Bytes(1, Message().Bytes(2, "/host:CPU").Bytes(3, "\x0B").str());
  const auto damaged = ReadBytes(space.str());
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, "xla/malformed");
  EXPECT_TRUE(damaged.error().where.has_offset);

  const auto empty = ReadBytes(PlaneText("/host:CPU").Done().str());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "xla/no-events");
}

TEST(XlaTrace, RefusesWhatIsCutOffOrDamaged) {
  const std::string whole = kOneStepTrace;
  const auto cut = ReadTrace(whole.substr(0, whole.size() - 40));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, "json/truncated");
  EXPECT_THAT(cut.error().message, HasSubstr("14 of its rows are complete"));
  EXPECT_TRUE(ReadTrace(whole.substr(0, whole.size() - 40), kIncomplete));
  const auto twice = ReadTrace(whole + "\n" + whole);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, "json/goes-on");
  EXPECT_EQ(twice.error().where.offset, whole.size() + 1);
  EXPECT_TRUE(ReadTrace(whole + "\n" + whole, kIncomplete));
  EXPECT_TRUE(ReadTrace(whole + " \n"));
  const auto damaged = ReadTrace("{\"traceEvents\": [{\"ph\": X}]}");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, "json/invalid");
  EXPECT_EQ(damaged.error().where.offset, 24);
}

TEST(XlaSniff, TellsXlaFromKineto) {
  const auto xplane = readers::MakeXPlaneReader();
  const auto trace = readers::MakeXlaTraceReader();
  const std::string kineto = R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op",
      "name": "/device:GPU:0"}]})";
  EXPECT_EQ(Sniff(*xplane, OneStep()), Match::kYes);
  EXPECT_EQ(Sniff(*xplane, kOneStepTrace), Match::kNo);
  EXPECT_EQ(Sniff(*xplane, ""), Match::kNo);
  EXPECT_EQ(Sniff(*xplane, std::string(20, '\x0A')), Match::kNo);
  EXPECT_EQ(Sniff(*trace, kOneStepTrace), Match::kYes);
  EXPECT_EQ(Sniff(*trace, kineto), Match::kNo);
  EXPECT_EQ(Sniff(*trace, OneStep()), Match::kNo);
}

TEST(WireReader, ReadsFieldsAndStopsAtWhatIsNone) {
  struct Row {
    std::string bytes;
    std::size_t fields;
    bool ok;
  };
  const Row rows[] = {
      {"", 0, true},
      {std::string("\x08\x96\x01", 3), 1, true},
      {std::string("\x12\x03"
                   "abc\x08\x01",
                   7),
       2, true},
      {std::string("\x12\x04"
                   "abc",
                   5),
       0, false},                                                      // longer than what is there
      {std::string("\x08", 1), 0, false},                              // no value
      {std::string("\x00\x01", 2), 0, false},                          // field 0
      {std::string("\x0B", 1), 0, false},                              // a group
      {std::string("\x0F", 1), 0, false},                              // wire type 7
      {"\x08" + std::string(10, '\xFF'), 0, false},                    // a number of over 64 bits
      {"\x12" + std::string(9, '\xFF') + "\x01", 0, false},            // a length of 2^64 - 1
      {std::string("\x09\x00\x00\x00\x00\x00\x00\x00", 8), 0, false},  // 7 of 8 bytes
  };
  for (const auto& row : rows) {
    WireReader reader(row.bytes);
    std::size_t fields = 0;
    while (reader.Next()) ++fields;
    EXPECT_EQ(fields, row.fields) << ::testing::PrintToString(row.bytes);
    EXPECT_EQ(reader.ok(), row.ok) << ::testing::PrintToString(row.bytes);
  }
  WireReader negative(std::string_view("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11));
  ASSERT_TRUE(negative.Next());
  EXPECT_EQ(negative.Signed(), -1);
  EXPECT_EQ(negative.Bytes(), "");
}

// Counts and sums of the real files, taken from them with a decoder of their own in Python; both
// ways of reading them agree.
TEST(XlaReal, TotalsAgreeWithTheFiles) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/xla/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  struct Expected {
    const char* file;
    std::size_t kernels, calls, memory, python;
    Ns kernel_time;
    std::uint64_t without_op;
  };
  constexpr Expected kExpected[] = {{"mi300_jax_conv", 235, 234, 230, 1353, 28'137'077, 37},
                                    {"mi_te_fused_attn", 150, 150, 59, 59, 12'133'585, 0}};
  for (const auto& expected : kExpected) {
    for (const char* suffix : {".xplane.pb", ".CONVERTED.trace.json.gz"}) {
      SCOPED_TRACE(std::string(expected.file) + suffix);
      const auto profile = ReadProfile(folder + expected.file + suffix, {});
      ASSERT_TRUE(profile) << profile.error().message;
      EXPECT_EQ(profile->source.format, "xla");
      EXPECT_EQ(profile->device.size(), expected.kernels);
      EXPECT_EQ(profile->api.size(), expected.calls);
      EXPECT_EQ(profile->memory.size(), expected.memory);
      EXPECT_EQ(profile->python.size(), expected.python);
      Ns time = 0;
      for (const Ns duration : profile->device.duration) time += duration;
      EXPECT_EQ(time, expected.kernel_time);
      for (const ApiId launch : profile->device.launch) EXPECT_TRUE(launch.valid());
      EXPECT_EQ(profile->log[Counter::kernels_without_op], expected.without_op);
    }
  }
}

}  // namespace
}  // namespace profgauge
