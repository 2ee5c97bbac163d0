// NVTX marks and ranges in exports of Nsight Systems.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "model/tables.h"
#include "nsight_fixture.h"
#include "readers/load.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers {
namespace {

using ::testing::HasSubstr;

TEST_F(NsightTest, RangesAreProjectedOntoTheGpu) {
  Write(Basic());
  const Profile profile = Read();
  // The step holds the launches of the kernel and of the copy, which are on one stream.
  ASSERT_EQ(profile.device_ranges.size(), 1u);
  EXPECT_EQ(profile.Name(profile.device_ranges.name[0]), "step 12");
  EXPECT_EQ(profile.device_ranges.duration[0], 1100);
}

TEST_F(NsightTest, MarksKeepDataThreadsKeepNames) {
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
    EXPECT_EQ(profile.Name(host.concrete_inputs[row]), "category I/O, color #76b900, payload 42");
    EXPECT_EQ(profile.threads[host.thread[row].value].name, "loader");
  }
  EXPECT_EQ(marks, 1u);
}

TEST_F(NsightTest, LibraryCallsAreDomainRanges) {
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
  Write(Basic() + nsight_tables::kOsCalls + "insert into OSRT_API values (600, 640, " + kThread1 +
        ", 4);" + nsight_tables::kScheduling + "insert into SCHED_EVENTS values (100, 1, " +
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
  // The range that ends on another thread has a separate row.
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

TEST_F(NsightTest, NcclGivesSizesAndGroups) {
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
  range(3600, 3610, "ncclAllGather", Payload(2, {0xdef, 100}));    // A call of a group made before.
  range(3620, 3630, "ncclAllReduce", "x'0011'");                   // Cut.
  range(3640, 3650, "ncclAllReduce", Payload(8, {1, 2}));          // A payload without a schema.
  range(3660, 3670, "ncclAllReduce", Payload(2, {0xabc, ~0ull}));  // No size.
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
      {"ProfilerStep#warm-up", "", RangeKind::kIterationMarker, "ProfilerStep#warm-up", "", -1},
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
}  // namespace profgauge::readers
