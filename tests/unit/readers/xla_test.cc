#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "readers/kineto/kineto_reader.h"
#include "readers/load.h"
#include "readers/text/wire.h"
#include "readers/xla/xla_reader.h"
#include "xla_message.h"

namespace profgauge::readers {
namespace {

using readers::WireReader;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Match Sniff(const Reader& reader, const std::string& bytes) {
  return reader.Sniff(std::as_bytes(std::span(bytes)));
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

TEST(XPlane, ReadsKernelsWithOpsAndSteps) {
  const auto profile = ReadBytes(OneStep());
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  ASSERT_EQ(profile->gpus.size(), 1);
  EXPECT_EQ(profile->gpus[0].sms, 100);
  EXPECT_EQ(profile->gpus[0].memory, 8000);
  EXPECT_DOUBLE_EQ(profile->launch_configs[profile->device.config[0].value].blocks_per_sm, 2);
  // Steps, XLA Modules and XLA Ops repeat the streams.
  EXPECT_EQ(profile->log[Counter::events_derived], 3);
  EXPECT_THAT(Names(*profile, profile->device_ranges.name), ElementsAre("jit_f"));
}

TEST(XlaTrace, EqualsTheXPlane) {
  const auto profile = ReadTrace(kOneStepTrace);
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  EXPECT_TRUE(profile->gpus.empty());
  EXPECT_EQ(profile->log[Counter::events_derived], 1);
}

// The events of kOneStepTrace that `wants` in its order, then the others.
std::string ReorderedEvents(const std::function<bool(const std::string&)>& wants) {
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
TEST(XlaTrace, TrackNamesMayBeLate) {
  const auto has = [](std::string words) {
    return [words = std::move(words)](const std::string& event) {
      return event.find(words) != event.npos;
    };
  };
  for (const char* first : {"\"ph\":\"X\"", "thread_name", "\"pid\":701", "\"pid\":2", "ts"}) {
    SCOPED_TRACE(first);
    const auto profile = ReadTrace(ReorderedEvents(has(first)));
    ASSERT_TRUE(profile) << profile.error().message;
    ExpectOneStep(*profile);
    EXPECT_EQ(profile->log[Counter::events_derived], 1);
    EXPECT_EQ(profile->log[Counter::events_ignored_kind], 0);
    EXPECT_FALSE(profile->log.HasDataLoss());
  }
}

TEST(XlaTrace, EventsOfUnnamedTracksAreLost) {
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
  // A thread of the host is known without its name.
  std::string text = kOneStepTrace;
  text.replace(text.find("\"name\":\"Host Threads/583"), 6, "\"other\"");
  const auto profile = ReadTrace(text);
  ASSERT_TRUE(profile) << profile.error().message;
  ExpectOneStep(*profile);
  EXPECT_FALSE(profile->log.HasDataLoss());
}

// Two concatenated files are one message with the planes of both.
TEST(XPlane, DoubledFileCountsOnce) {
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

// The profiler's data about its profile is in the space itself, beside the planes.
TEST(XPlane, ProfilersDroppedEventsAreLost) {
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
    const auto profile = ReadBytes(OneStep() + ProtoMessage().Bytes(row.field, row.text).str());
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->log.HasDataLoss(), row.is_loss);
    EXPECT_EQ(profile->log[Counter::events_dropped], row.is_loss ? 1 : 0);
    const Counter told = row.is_loss ? Counter::events_dropped : Counter::profiler_warnings;
    ASSERT_EQ(profile->log.Examples(told).size(), 1);
    EXPECT_EQ(profile->log.Examples(told)[0], row.text);
  }
  // With two hosts, the number of dropped events is as unknown as with one.
  const std::string words = ProtoMessage().Bytes(kWarnings, "events dropped on a").str() +
                            ProtoMessage().Bytes(kWarnings, "events dropped on b").str();
  const auto two = ReadBytes(OneStep() + words);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->log[Counter::events_dropped], 1);
  EXPECT_EQ(two->log[Counter::profiler_warnings], 1);
}

TEST(XPlane, RefusesTruncatedOrDamaged) {
  const std::string whole = OneStep();
  const auto cut = ReadBytes(whole.substr(0, whole.size() - 9));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, "xla/truncated");
  const auto accepted = ReadBytes(whole.substr(0, whole.size() - 9), kIncomplete);
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(accepted->log.HasDataLoss());
  EXPECT_EQ(accepted->device.size(), 0);

  ProtoMessage space;
  space.Bytes(1, ProtoMessage().Bytes(2, "/host:CPU").Bytes(3, "\x0B").str());
  const auto damaged = ReadBytes(space.str());
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, "xla/malformed");
  EXPECT_TRUE(damaged.error().where.has_offset);

  const auto empty = ReadBytes(PlaneText("/host:CPU").Done().str());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "xla/no-events");
  EXPECT_EQ(empty.error().message, "the XLA profile has no events; its planes are /host:CPU");
  EXPECT_EQ(empty.error().notes.at(0),
            "help: no GPU or TPU was profiled: record in the process that uses it");
}

TEST(XlaTrace, RefusesTruncatedOrDamaged) {
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

TEST(XlaSniff, DistinguishesXlaFromKineto) {
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

TEST(WireReader, ReadsFieldsUntilInvalidBytes) {
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
       0, false},                                                      // longer than the rest of it
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

// Counts and sums of the real files, taken from them with a separate decoder in Python; both
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
}  // namespace profgauge::readers
