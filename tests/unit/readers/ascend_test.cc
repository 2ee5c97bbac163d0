#include "readers/ascend/ascend_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/interval.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// An op asks for a product from the Python thread 9; CANN's thread 12 launches it. "Overlap
// Analysis" repeats the kernel, "Communication" holds a collective and its tasks.
std::string AscendTraceText(const std::string& computing = "2.5") {
  return R"json([
{"ph": "X", "name": "ProfilerStep#2", "pid": 7, "tid": 9, "ts": "1700000000000000.000",
 "dur": 100, "cat": "user_annotation", "args": {}},
{"ph": "X", "name": "aten::mm", "pid": 7, "tid": 9, "ts": "1700000000000001.000", "dur": 20,
 "cat": "cpu_op", "args": {"Sequence number": 4, "Fwd thread id": 0, "Input Dims": "8,16;16,4"}},
{"ph": "X", "name": "aclnnMm", "pid": 7, "tid": 9, "ts": "1700000000000002.250", "dur": 10,
 "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0}},
{"ph": "X", "name": "Enqueue", "pid": 7, "tid": 9, "ts": "1700000000000003.000", "dur": 1,
 "cat": "enqueue", "args": {"correlation_id": 1}},
{"ph": "s", "name": "torch_to_npu", "id": 5, "pid": 7, "tid": 9, "ts": "1700000000000002.250",
 "cat": "async_npu"},
{"ph": "f", "name": "torch_to_npu", "id": 5, "pid": 800, "tid": 3, "ts": "1700000000000040.500",
 "cat": "async_npu"},
{"name": "process_name", "pid": 7, "tid": 0, "args": {"name": "Python"}, "ph": "M"},
{"name": "AscendCL@aclnnMm", "pid": 70, "tid": 12, "ts": "1700000000000010.000", "dur": 12.5,
 "args": {"Thread Id": 12, "level": "acl", "connection_id": 1}, "ph": "X"},
{"name": "AscendCL@aclrtSynchronizeStream", "pid": 70, "tid": 9, "ts": "1700000000000080.000",
 "dur": 5, "args": {}, "ph": "X"},
{"name": "HostToDevice77", "ph": "s", "cat": "HostToDevice", "id": "77", "pid": 70, "tid": 12,
 "ts": "1700000000000012.000"},
{"name": "HostToDevice77", "ph": "f", "cat": "HostToDevice", "id": "77", "pid": 800, "tid": 3,
 "ts": "1700000000000040.500"},
{"name": "aclnnMm_MatMulCommon_MatMulV2", "pid": 800, "tid": 3, "ts": "1700000000000040.500",
 "dur": 2.5, "args": {"Task Type": "AI_CORE", "Stream Id": 3}, "ph": "X"},
{"name": "MEMCPY_ASYNC", "pid": 800, "tid": 3, "ts": "1700000000000044.000", "dur": 1,
 "args": {"Task Type": "Other", "Stream Id": 3}, "ph": "X"},
{"name": "EVENT_WAIT", "pid": 800, "tid": 3, "ts": "1700000000000046.000", "dur": 9,
 "args": {"Task Type": "EVENT_WAIT", "Stream Id": 3}, "ph": "X"},
{"name": "hcom_allReduce__1", "pid": 900, "tid": 2, "ts": "1700000000000050.000", "dur": 6,
 "args": {}, "ph": "X"},
{"name": "Reduce_Inline", "pid": 900, "tid": 4, "ts": "1700000000000051.000", "dur": 2,
 "args": {}, "ph": "X"},
{"name": "Computing", "pid": 4376751100, "tid": 0, "ts": "1700000000000040.500", "dur": )json" +
         computing + R"json(, "ph": "X"},
{"name": "process_name", "pid": 70, "tid": 0, "args": {"name": "CANN"}, "ph": "M"},
{"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"},
{"name": "process_name", "pid": 900, "tid": 0, "args": {"name": "Communication"}, "ph": "M"},
{"name": "thread_name", "pid": 900, "tid": 2, "args": {"name": "Group 0 Communication"},
 "ph": "M"},
{"name": "thread_name", "pid": 900, "tid": 4, "args": {"name": "Plane 0"}, "ph": "M"},
{"name": "process_name", "pid": 4376751100, "tid": 0, "args": {"name": "Overlap Analysis"},
 "ph": "M"},
{"name": "thread_name", "pid": 4376751100, "tid": 0, "args": {"name": "Computing"}, "ph": "M"}
])json";
}

Result<Profile> ReadWith(const Reader& reader, const std::string& text,
                         bool allow_incomplete = false) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  ReadOptions options;
  options.allow_incomplete = allow_incomplete;
  return reader.Read(*source, options);
}
Result<Profile> ReadAscendTrace(const std::string& text) {
  return ReadWith(*readers::MakeAscendTraceReader(), text);
}
Result<Profile> ReadTable(const std::string& text, bool allow_incomplete = false) {
  return ReadWith(*readers::MakeAscendTableReader(), text, allow_incomplete);
}

void Replace(std::string& text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  ASSERT_NE(at, text.npos) << what;
  text.replace(at, what.size(), by);
}

TEST(AscendTrace, LinksKernelsToCallsAndOps) {
  const auto profile = ReadAscendTrace(AscendTraceText());
  ASSERT_TRUE(profile) << profile.error().message;
  const auto& device = profile->device;
  ASSERT_EQ(device.size(), 3);
  EXPECT_EQ(profile->Name(device.name[0]), "aclnnMm_MatMulCommon_MatMulV2");
  EXPECT_EQ(device.start[0], 40'500);
  EXPECT_EQ(device.duration[0], 2'500);
  EXPECT_THAT(device.kind,
              ElementsAre(DeviceKind::kKernel, DeviceKind::kMemcpy, DeviceKind::kKernel));
  EXPECT_EQ(profile->Name(device.name[2]), "hcom_allReduce__1");
  const auto call = device.launch[0];
  ASSERT_TRUE(call.valid());
  EXPECT_EQ(profile->Name(profile->api.name[call.value]), "aclnnMm");
  EXPECT_EQ(profile->api.kind[call.value], ApiKind::kLaunch);
  // The op is on another thread than the call.
  const auto op = device.op[0];
  ASSERT_TRUE(op.valid());
  EXPECT_EQ(profile->Name(profile->host.name[op.value]), "aclnnMm");
  const auto outer = profile->host.parent[op.value];
  EXPECT_EQ(profile->Name(profile->host.input_shapes[outer.value]), "[[8, 16], [16, 4]]");
  EXPECT_TRUE(profile->Has(Capability::kIterationMarkers));
  EXPECT_EQ(profile->sync.size(), 1);
  EXPECT_EQ(profile->gpus.at(0).name, "Ascend NPU");
  EXPECT_EQ(profile->log[Counter::events_derived], 2);  // Computing, and a task of the collective.
  EXPECT_EQ(profile->log[Counter::own_totals_differ], 0);
}

// An op of 1000 us asks for work at 900 us, after `inner` ops that it called have ended.
std::string LateRequest(int inner) {
  std::string ops;
  for (int i = 0; i < inner; ++i) {
    ops += fmt::format(R"({{"ph": "X", "name": "inner", "pid": 7, "tid": 9, "ts": "{}.000",)"
                       R"("dur": 3, "cat": "cpu_op", "args": {{}}}},)",
                       100 + 4 * i);
  }
  return R"json([
{"name": "process_name", "pid": 7, "tid": 0, "args": {"name": "Python"}, "ph": "M"},
{"name": "process_name", "pid": 70, "tid": 0, "args": {"name": "CANN"}, "ph": "M"},
{"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"},
{"ph": "X", "name": "before", "pid": 7, "tid": 9, "ts": "2.000", "dur": 3, "cat": "cpu_op",
 "args": {}},
{"ph": "X", "name": "outer", "pid": 7, "tid": 9, "ts": "10.000", "dur": 1000, "cat": "cpu_op",
 "args": {}},
)json" + ops +
         R"json(
{"ph": "s", "name": "torch_to_npu", "id": 5, "pid": 7, "tid": 9, "ts": "900.000",
 "cat": "async_npu"},
{"ph": "f", "name": "torch_to_npu", "id": 5, "pid": 800, "tid": 3, "ts": "940.500",
 "cat": "async_npu"},
{"name": "MatMulV2", "pid": 800, "tid": 3, "ts": "940.500", "dur": 2.5,
 "args": {"Task Type": "AI_CORE", "Stream Id": 3}, "ph": "X"}])json";
}

TEST(AscendTrace, LinksWorkToAnOpOfManyOps) {
  for (const int inner : {0, 1, 63, 65, 190}) {
    const auto profile = ReadAscendTrace(LateRequest(inner));
    ASSERT_TRUE(profile) << profile.error().message;
    ASSERT_EQ(profile->device.size(), 1u);
    const HostId op = profile->device.op[0];
    ASSERT_TRUE(op.valid()) << inner;
    EXPECT_EQ(profile->Name(profile->host.name[op.value]), "outer");
  }
}

TEST(AscendTrace, SaysWhereTheOverlapAnalysisDiffers) {
  const auto profile = ReadAscendTrace(AscendTraceText("4"));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::own_totals_differ], 1);
  EXPECT_THAT(profile->log.Examples(Counter::own_totals_differ),
              ElementsAre("Overlap Analysis, Computing: 4000 ns; its events: 2500 ns"));
}

TEST(AscendTrace, LargeTotalsShowLostEvents) {
  EXPECT_FALSE(ReadAscendTrace(AscendTraceText("3.1"))->log.HasDataLoss());
  EXPECT_TRUE(ReadAscendTrace(AscendTraceText("3.2"))->log.HasDataLoss());
  EXPECT_FALSE(ReadAscendTrace(AscendTraceText("1"))->log.HasDataLoss());
}

// `calls` calls of one kernel each, of which the first `lost` have an arrow to nothing.
std::string Launches(int calls, int lost) {
  std::string rows =
      R"([{"name": "process_name", "pid": 70, "tid": 0, "args": {"name": "CANN"}, "ph": "M"},
{"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"})";
  for (int i = 0; i < calls; ++i) {
    rows += fmt::format(
        R"(,{{"name": "AscendCL@aclnnMm", "pid": 70, "tid": 12, "ts": "{0}.000", "dur": 5,
 "args": {{}}, "ph": "X"}},
{{"name": "a", "ph": "s", "cat": "HostToDevice", "id": "{0}", "pid": 70, "tid": 12,
 "ts": "{0}.500"}},
{{"name": "a", "ph": "f", "cat": "HostToDevice", "id": "{0}", "pid": 800, "tid": 3,
 "ts": "{1}.000"}})",
        1000 + 10 * i, 1003 + 10 * i);
    if (i < lost) continue;
    rows += fmt::format(
        R"(,{{"name": "MatMul", "pid": 800, "tid": 3, "ts": "{}.000", "dur": 2,
 "args": {{"Task Type": "AI_CORE", "Stream Id": 3}}, "ph": "X"}})",
        1003 + 10 * i);
  }
  return rows + "]";
}

TEST(AscendTrace, DanglingArrowsShowLostWork) {
  const auto whole = ReadAscendTrace(Launches(100, 0));
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->log[Counter::launches_without_device_event], 0);
  const auto half = ReadAscendTrace(Launches(100, 50));
  ASSERT_TRUE(half) << half.error().message;
  EXPECT_EQ(half->log[Counter::launches_without_device_event], 50);
  EXPECT_TRUE(half->log.HasDataLoss());
  for (const ApiKind kind : half->api.kind) EXPECT_EQ(kind, ApiKind::kLaunch);
}

// The names mark the device's events: without them nothing ran on a device.
TEST(AscendTrace, EventsOfUnnamedProcessesAreLost) {
  std::string text = Launches(100, 0);
  for (auto at = text.find("process_name"); at != text.npos; at = text.find("process_name")) {
    text.replace(at, 12, "process_sort");
  }
  text.insert(1, R"({"name": "op", "cat": "cpu_op", "pid": 7, "tid": 9, "ts": "1000.000",
 "dur": 9, "args": {}, "ph": "X"},)");
  const auto profile = ReadAscendTrace(text);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::rows_unusable], 1);
  EXPECT_THAT(profile->log.Examples(Counter::rows_unusable),
              ElementsAre(HasSubstr("belong to processes without a name")));
}

// Threads separate the collectives of a group from their tasks; without their names collectives'
// own do.
TEST(AscendTrace, FindsCollectivesOfUnnamedThreads) {
  std::string text = AscendTraceText();
  for (auto at = text.find("thread_name"); at != text.npos; at = text.find("thread_name")) {
    text.replace(at, 11, "thread_sort");
  }
  const auto profile = ReadAscendTrace(text);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->device.size(), 3);
  EXPECT_EQ(profile->Name(profile->device.name[2]), "hcom_allReduce__1");
  EXPECT_FALSE(profile->log.HasDataLoss());
  Replace(text, "hcom_allReduce__1", "allReduce");
  const auto lost = ReadAscendTrace(text);
  EXPECT_EQ(lost->device.size(), 2);
  EXPECT_THAT(lost->log.Examples(Counter::rows_unusable),
              ElementsAre("2 communication events belong to threads without a name"));
}

struct Npu {
  std::string pid, label;
};

// Two kernels of 3 us, one on each NPU, concurrently; each NPU's collective and its own totals.
std::string TwoNpus(const Npu& first, const Npu& second, const std::string& totals_of = "both") {
  std::string rows;
  int kind = 0;
  for (const auto& npu : {first, second}) {
    for (const std::string process : {"Ascend Hardware", "Communication", "Overlap Analysis"}) {
      const bool own = process == "Overlap Analysis";
      if (own && totals_of == "one" && kind > 2) continue;
      const std::string pid = std::to_string(std::stoll(npu.pid) + 1024 * (kind++ % 3));
      rows += fmt::format(
          R"({}{{"name": "process_name", "pid": {}, "tid": 0, "args": {{"name": "{}"}}, "ph": "M"}},
{{"name": "process_labels", "pid": {}, "tid": 0, "args": {{"labels": "{}"}}, "ph": "M"}},
{{"name": "thread_name", "pid": {}, "tid": 2, "args": {{"name": "{}"}}, "ph": "M"}},
{{"name": "{}", "pid": {}, "tid": 2, "ts": "1000.000", "dur": {}, "args": {{}}, "ph": "X"}})",
          rows.empty() ? "[" : ",", pid, process, pid, npu.label, pid,
          own ? "Computing" : "Group 0 Communication", own ? "Computing" : "MatMul", pid,
          own && totals_of == "one" ? 6 : 3);
    }
  }
  return rows + "]";
}

TEST(AscendTrace, HardwareProcessesAreNpus) {
  struct {
    Npu first, second;
    std::vector<std::int32_t> ids;
  } const kCases[] = {
      {{"800", "NPU 2"}, {"801", "NPU 5"}, {2, 5}},
      {{"800", "NPU"}, {"803", "NPU"}, {0, 3}},
      {{"800", "NPU"}, {"864", "NPU"}, {0, 1}},  // The last bits are the same.
  };
  for (const auto& [first, second, ids] : kCases) {
    const auto profile = ReadAscendTrace(TwoNpus(first, second));
    ASSERT_TRUE(profile) << profile.error().message;
    ASSERT_EQ(profile->gpus.size(), 2);
    EXPECT_EQ(profile->gpus[0].id, ids[0]);
    EXPECT_EQ(profile->gpus[1].id, ids[1]);
    std::map<std::int32_t, int> rows;
    for (const std::int32_t gpu : profile->device.gpu) ++rows[gpu];
    EXPECT_THAT(rows, ElementsAre(Pair(ids[0], 2), Pair(ids[1], 2)));
    // Each analysis belongs to its NPU.
    EXPECT_EQ(profile->log[Counter::own_totals_differ], 0);
  }
  EXPECT_EQ(ReadAscendTrace(TwoNpus({"800", "NPU"}, {"801", "NPU"}, "one"))
                ->log[Counter::own_totals_differ],
            0);
}

TEST(AscendTrace, IsDistinguishedFromKineto) {
  const auto ascend = readers::MakeAscendTraceReader();
  const auto sniff = [&](const std::string& text) {
    return ascend->Sniff(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(sniff(AscendTraceText()), Match::kYes);
  EXPECT_EQ(sniff(R"([{"ph": "X", "cat": "cpu_op", "ts": 5, "dur": 1}])"), Match::kNo);
  EXPECT_EQ(sniff(R"({"traceEvents": [{"ph": "X", "ts": "5", "dur": 1}]})"), Match::kNo);
  EXPECT_EQ(sniff("no JSON"), Match::kNo);
  const auto empty = ReadAscendTrace(R"([{"ph": "M", "name": "process_name", "ts": "1"}])");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "ascend/no-events");
}

constexpr const char* kDetails =
    "Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Dim,"
    "Input Shapes\n"
    "19,1,2,aclnnMm_MatMulCommon_MatMulV2,MatMulV2,AI_CORE,\"1736413971558972.912\t\",185.504,16,"
    "\"\"\"8,16;16,4\"\"\"\n"
    "19,2,2,aclnnAdd_AddAiCore_Add,Add,AI_VECTOR_CORE,\"1736413971559200.000\t\",1.5,40,N/A\n"
    "20,3,N/A,odd,Add,AI_VECTOR_CORE,soon,1.5,40,N/A\n";

TEST(AscendTable, ReadsKernelDetails) {
  const auto profile = ReadTable(kDetails);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_THAT(profile->device.duration, ElementsAre(185'504, 1'500));
  EXPECT_EQ(profile->device.start[1] - profile->device.start[0], 227'088);
  EXPECT_THAT(profile->device.stream, ElementsAre(2, 2));
  EXPECT_EQ(profile->launch_configs[profile->device.config[0].value].grid[0], 16);
  ASSERT_EQ(profile->host.size(), 1);
  EXPECT_EQ(profile->Name(profile->host.name[0]), "step 19");
  EXPECT_EQ(profile->host.duration[0], 228'588);
  EXPECT_EQ(profile->log[Counter::events_bad_time], 1);
}

TEST(AscendTable, TakesTheSumsOfACluster) {
  const auto profile = ReadTable(
      "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,"
      "Stage,Bubble\n"
      ",rank,0,80.5,600,20,620,319.5,1000,0\n"
      ",rank,1,79.5,100,10,110,820.5,1000,0\n"
      ",stage,\"(0, 1)\",80.5,600,20,620,820.5,1000,0\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->has_timeline);
  ASSERT_EQ(profile->reported.tables.size(), 2);
  EXPECT_EQ(profile->reported.tables[0].rows.size(), 2);
  EXPECT_EQ(profile->reported.tables[1].id, "gpus");
  EXPECT_EQ(profile->reported.tables[1].rows[1][1], Value(0.8205));
  EXPECT_EQ(profile->reported.tables[0].rows[0][3], Value(std::int64_t{80'500}));
  const auto metric = [&](const std::string& id) {
    for (const auto& reported : profile->reported.metrics) {
      if (reported.id == id) return AsNumber(reported.value, -1);
    }
    return -2.0;
  };
  EXPECT_DOUBLE_EQ(metric("profile.ranks"), 2);
  EXPECT_DOUBLE_EQ(metric("gpu.idle.mean"), 0.57);
  EXPECT_DOUBLE_EQ(metric("gpu.idle.max"), 0.8205);
  EXPECT_DOUBLE_EQ(metric("rank.imbalance"), 1.0 / 80);
  EXPECT_DOUBLE_EQ(metric("communication.overlap"), 30.0 / 730);
  EXPECT_DOUBLE_EQ(metric("communication.exposed_share"), 0.35);
}

// Rows of ranks 0 and 1 in two steps; `change` edits the text.
Result<Profile> ReadCluster(const std::function<void(std::string&)>& change) {
  std::string text =
      "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,"
      "Stage,Bubble\n"
      "1,rank,0,500,100,20,120,400,1000,0\n"
      "2,rank,0,500,100,20,120,400,1000,0\n"
      "1,rank,1,500,100,20,120,400,1000,0\n"
      "2,rank,1,500,100,20,120,400,1000,0\n"
      "1,stage,\"(0, 1)\",500,100,20,120,400,1000,0\n";
  change(text);
  return ReadTable(text);
}

Value ReportedValue(const Profile& profile, std::string_view id) {
  for (const auto& reported : profile.reported.metrics) {
    if (reported.id == id) return reported.value;
  }
  return {};
}
std::string NoteOf(const Profile& profile, std::string_view id) {
  for (const auto& reported : profile.reported.metrics) {
    if (reported.id == id) return reported.note;
  }
  return {};
}

TEST(AscendTable, ClusterIsNoRankBesideTrace) {
  const std::string steps =
      "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,"
      "Stage,Bubble\n,rank,0,80.5,600,20,620,319.5,1000,0\n";
  readers::Run run;
  run.profiles.push_back(*ReadTable(steps));
  const auto reader = readers::MakeAscendTraceReader();
  ASSERT_TRUE(reader->Settle("", run));
  EXPECT_EQ(run.profiles.size(), 1U);  // Without others it is the run.
  run.profiles.push_back(*ReadAscendTrace(AscendTraceText()));
  ASSERT_TRUE(reader->Settle("", run));
  ASSERT_EQ(run.profiles.size(), 1U);
  EXPECT_TRUE(run.profiles.front().has_timeline);
  EXPECT_THAT(run.skipped, ElementsAre(HasSubstr("it has totals of all ranks")));
}

TEST(AscendTable, EmptyClusterCellsAreNotZero) {
  for (const char* cell : {"", "N/A", "soon", "-5"}) {
    const auto profile = ReadCluster([&](std::string& text) {
      Replace(text, "120,400,1000,0\n2", fmt::format("120,{},1000,0\n2", cell));
    });
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(IsAbsent(ReportedValue(*profile, "gpu.idle.mean"))) << cell;
    EXPECT_TRUE(IsAbsent(ReportedValue(*profile, "gpu.idle.max"))) << cell;
    EXPECT_EQ(NoteOf(*profile, "gpu.idle.mean"),
              "1 of 4 rows of ranks have no number in the column Free");
    EXPECT_EQ(ReportedValue(*profile, "communication.exposed_share"), Value(0.1));
    EXPECT_TRUE(IsAbsent(profile->reported.tables[1].rows[0][1]));
    EXPECT_EQ(profile->reported.tables[1].rows[1][1], Value(0.4));
  }
  const auto no_computing = ReadCluster([](std::string& text) { Replace(text, "0,500,", "0,,"); });
  EXPECT_TRUE(IsAbsent(ReportedValue(*no_computing, "rank.imbalance")));
  EXPECT_EQ(ReportedValue(*no_computing, "gpu.idle.mean"), Value(0.4));
  EXPECT_TRUE(no_computing->log.HasDataLoss());
  const auto no_overlap = ReadCluster([](std::string& text) { Replace(text, ",20,", ",,"); });
  EXPECT_TRUE(IsAbsent(ReportedValue(*no_overlap, "communication.overlap")));
  EXPECT_FALSE(no_overlap->log.HasDataLoss());
}

TEST(AscendTable, ClusterPartsMustAddUp) {
  const auto less = ReadCluster([](std::string& text) { Replace(text, "400,1000", "100,1000"); });
  EXPECT_TRUE(IsAbsent(ReportedValue(*less, "gpu.idle.mean")));
  EXPECT_TRUE(IsAbsent(ReportedValue(*less, "communication.exposed_share")));
  EXPECT_EQ(
      NoteOf(*less, "gpu.idle.mean"),
      "Computing, Communication(Not Overlapped) and Free of rank 0 add up to 85.0 % of Stage");
  // Time of receiving is outside of Stage.
  const auto pipeline =
      ReadCluster([](std::string& text) { Replace(text, "400,1000,0\n2", "600,1000,200\n2"); });
  EXPECT_EQ(ReportedValue(*pipeline, "gpu.idle.max"), Value(0.5));
}

TEST(AscendTable, ReportsMissingRanksAndSteps) {
  const auto rank = ReadCluster([](std::string& text) {
    Replace(text, "(0, 1)", "(0, 1, 2)");
    text += "1,stage,\"(5)\",500,100,20,120,400,1000,0\n";
  });
  EXPECT_EQ(ReportedValue(*rank, "profile.ranks"), Value(std::int64_t{2}));
  EXPECT_EQ(ReportedValue(*rank, "profile.ranks_missing"), Value(std::int64_t{2}));
  EXPECT_EQ(NoteOf(*rank, "profile.ranks_missing"), "the stages list 4 ranks, without a row: 2, 5");
  const auto step = ReadCluster(
      [](std::string& text) { Replace(text, "2,rank,1,500,100,20,120,400,1000,0\n", ""); });
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_TRUE(step->log.HasDataLoss());
  EXPECT_THAT(step->log.Examples(Counter::events_dropped), ElementsAre("rank 1 has 1 of 2 steps"));
  EXPECT_EQ(ReportedValue(*step, "rank.imbalance"), Value(0.0));
  EXPECT_FALSE(ReadCluster([](std::string&) {})->log.HasDataLoss());
}

TEST(AscendTable, RefusesTruncatedAndEmptyFiles) {
  const std::string details = kDetails;
  const auto cut = ReadTable(details.substr(0, details.find("\t\"")));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, "csv/truncated");
  // The third row is cut in its second cell; a fourth that only has no line end is whole.
  const auto row = details.find("20,3");
  const auto half = ReadTable(details.substr(0, row + 4));
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().code, "csv/truncated");
  const auto allowed = ReadTable(details.substr(0, row + 4), true);
  ASSERT_TRUE(allowed) << allowed.error().message;
  EXPECT_EQ(allowed->device.size(), 2);
  EXPECT_EQ(allowed->log[Counter::events_read], 2);
  EXPECT_EQ(allowed->log[Counter::truncated], 1);
  EXPECT_TRUE(ReadTable(details.substr(0, details.size() - 1)));
  const auto empty = ReadTable(details.substr(0, details.find('\n')));
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "ascend/no-events");
  const auto endless = ReadTable(
      details.substr(0, details.find('\n')) + "\n\"" + std::string(std::size_t{17} << 20, 'x'),
      true);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, "csv/row-too-long");
}

// 40 kernels of 400 us, 20 us apart as stated, without those of [from, to); each `times` times.
std::string Kernels(int from, int to, int times = 1) {
  std::string text =
      "Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait "
      "Time(us)\n";
  for (int i = 0; i < 40 * times; ++i) {
    const int row = i / times;
    if (row >= from && row < to) continue;
    text += fmt::format("{},{},2,Mm,MatMul,AI_CORE,{}.000,400,{}\n", row / 20, row,
                        1'000'000 + 420 * row, row % 20 == 0 ? 0 : 20);
  }
  return text;
}

TEST(AscendTable, HolesShowMissingRows) {
  EXPECT_FALSE(ReadTable(Kernels(0, 0))->log.HasDataLoss());
  const auto hole = ReadTable(Kernels(5, 15));
  ASSERT_TRUE(hole) << hole.error().message;
  EXPECT_EQ(hole->log[Counter::rows_missing], 1);
  EXPECT_FALSE(hole->has_timeline);
  EXPECT_EQ(hole->no_timeline_because, "needs all kernels: rows of the table are missing");
  // The first kernel of a step states no wait.
  EXPECT_FALSE(ReadTable(Kernels(15, 20))->log.HasDataLoss());
}

// The first kernel of a step has none to wait for: on each device, and wherever its row is.
TEST(AscendTable, StepsBeginOnEachDevice) {
  const std::string head =
      "Device_id,Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
      "Wait Time(us)\n";
  std::vector<std::string> rows;
  for (int step = 0; step < 4; ++step) {
    for (int device = 0; device < 2; ++device) {
      for (int i = 0; i < 3; ++i) {
        rows.push_back(fmt::format("{},{},{},2,Mm,MatMul,AI_CORE,{}.000,400,{}\n", device, step,
                                   3 * step + i, 1'000'000 + 4'000 * step + 420 * i,
                                   i == 0 ? 0 : 20));
      }
    }
  }
  std::string in_order = head, reversed = head;
  for (const std::string& row : rows) in_order += row;
  std::reverse(rows.begin(), rows.end());
  for (const std::string& row : rows) reversed += row;
  for (const std::string& text : {in_order, reversed}) {
    const auto profile = ReadTable(text);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->device.size(), 24u);
    EXPECT_FALSE(profile->log.HasDataLoss());
  }
}

TEST(AscendTable, DoubledRowCountsOnce) {
  const auto once = ReadTable(Kernels(0, 0)), twice = ReadTable(Kernels(0, 0, 2));
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_EQ(twice->device.size(), once->device.size());
  ASSERT_EQ(twice->reported.tables.size(), 2);
  EXPECT_EQ(twice->reported.tables[0].rows, once->reported.tables[0].rows);
  EXPECT_THAT(twice->facts, ::testing::Contains(Pair("events recorded twice",
                                                     "40 of the device; each counts once")));
}

TEST(AscendTable, RefusesTwoFilesInOne) {
  const std::string details = kDetails;
  for (const std::string& first : {details, details.substr(0, details.size() - 1)}) {
    const auto joined = ReadTable(first + details, true);
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, "csv/joined");
  }
}

// Counts and sums of the real file, taken from it with Python's json module.
TEST(AscendReal, TotalsAgreeWithTheFile) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/ascend/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  const auto profile = ReadProfile(folder + "trace_view.json", {});
  ASSERT_TRUE(profile) << profile.error().message;
  const auto& device = profile->device;
  ASSERT_EQ(device.size(), 276);
  std::vector<Span> kernels;
  std::size_t with_op = 0, with_launch = 0;
  Ns copies = 0;
  for (std::size_t i = 0; i < device.size(); ++i) {
    with_op += device.op[i].valid();
    with_launch += device.launch[i].valid();
    if (device.kind[i] == DeviceKind::kKernel) {
      kernels.push_back({device.start[i], device.start[i] + device.duration[i]});
    } else {
      copies += device.duration[i];
    }
  }
  EXPECT_EQ(with_op, 274);
  EXPECT_EQ(with_launch, 274);
  EXPECT_EQ(kernels.size(), 274);
  EXPECT_EQ(copies, 2'190);
  // The track "Computing" adds up to 1 788 250.5 ns; each of 274 times is rounded here.
  EXPECT_NEAR(static_cast<double>(Length(Merge(kernels))), 1'788'250, 137);
  EXPECT_EQ(profile->api.size(), 382);
  EXPECT_EQ(profile->host.size(), 1'007);
  EXPECT_EQ(profile->log[Counter::own_totals_differ], 0);
  EXPECT_EQ(profile->log[Counter::kernels_without_op], 0);
}

}  // namespace
}  // namespace profgauge::readers
