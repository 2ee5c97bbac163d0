#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "fixture.h"
#include "oracle_tables.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

// nccl-tests: the bytes that each rank reduces, sends or broadcasts; for gathers and scatters all
// of it.
TEST(OpBytes, ByTheOperatorsSignature) {
  struct Row {
    std::string_view op, shapes, dtypes, values;
    std::int64_t bytes, group_size;
  };
  constexpr Row kRows[] = {
      {"c10d::allreduce_", "[[], [], [], []]", "[TensorList, , , Scalar]", "", -1, -1},
      {"nccl:all_reduce", "[[394241]]", "[float]", "", 1'576'964, -1},
      {"nccl:all_reduce", "[[112], [16]]", "[float, float]", "", 512, -1},
      {"c10d::alltoall_base_", "[[382132224], [419430400], [], [], [], []]",
       "[unsigned char, unsigned char, , , , Scalar]", "", 419'430'400, -1},
      {"c10d::_allgather_base_", "[[1073741824], [16777216], []]", "[signed char, signed char, ]",
       "", 1'073'741'824, 64},
      {"c10d::_reduce_scatter_base_", "[[1000, 8], [8000, 8], []]",
       "[c10::BFloat16, c10::BFloat16, ]", "", 128'000, 8},
      {"nccl:_all_gather_base", "[[16777216]]", "[signed char]", "", -1, -1},
      {"nccl:_reduce_scatter_base", "[[8000, 8]]", "[c10::Half]", "", 128'000, -1},
      {"_c10d_functional::all_gather_into_tensor", "[[1024], [], []]", "[float, Scalar, ]",
       "[, 16, 0]", 65'536, 16},
      {"_c10d_functional::reduce_scatter_tensor", "[[1024], [], [], []]", "[float, , Scalar, ]",
       "[, sum, 4, 0]", 4'096, 4},
      {"_c10d_functional::all_to_all_single", "[[1024], [], [], []]", "[float, , , ]", "", 4'096,
       -1},
      {"c10d::broadcast_", "[[[512], [512]], [], [], []]", "[float, , Scalar, Scalar]", "", 4'096,
       -1},
      {"c10d::send", "[[[256]], [], [], []]", "[c10::Half, , Scalar, Scalar]", "", 512, -1},
      {"vllm::all_reduce", "[[4, 128], []]", "[c10::BFloat16, ]", "", 1'024, -1},
      {"c10d::barrier", "[[1]]", "[float]", "", -1, -1},
      {"c10d::alltoall_base_", "[[1, x], [y]]", "[float, float]", "", -1, -1},
  };
  for (const Row& row : kRows) {
    const communication::OpSize size = communication::SizeOfOp(
        row.op, classify::CollectiveKindOf(row.op), row.shapes, row.dtypes, row.values);
    EXPECT_EQ(size.bytes, row.bytes) << row.op << row.shapes;
    EXPECT_EQ(size.group_size, row.group_size) << row.op << row.shapes;
  }
}

Collective Recorded(TestProfile& test, std::string_view name, std::int64_t in, std::int64_t out,
                    std::int64_t ranks) {
  Collective collective;
  collective.name = test.builder().Intern(name);
  collective.dtype = test.builder().Intern("Float");
  collective.in_elements = in;
  collective.out_elements = out;
  collective.group_size = ranks;
  return collective;
}

TEST(OpBytes, UsesRecordedSizes) {
  struct Sized {
    std::string_view name;
    std::int64_t in, out, ranks, bytes, group_size;
  };
  constexpr Sized kSized[] = {
      {"allreduce", 100, 100, 8, 400, 8},
      {"_allgather_base", 100, 800, -1, 3'200, 8},
      {"_reduce_scatter_base", 800, 100, -1, 3'200, 8},
      {"all_to_all", 100, 120, 4, 400, 4},
      {"gather", 100, 0, 4, 1'600, 4},    // Not the root.
      {"gather", 100, 400, 4, 1'600, 4},  // The root.
      {"scatter", 0, 100, 4, 1'600, 4},
      {"recv", 0, 50, 2, 200, 2},
      {"barrier", 1, 1, 8, -1, 8},
  };
  for (const Sized& row : kSized) {
    TestProfile test;
    const Collective collective = Recorded(test, row.name, row.in, row.out, row.ranks);
    test.Op("op", {0, 10});
    const Profile profile = test.Finish();
    EXPECT_EQ(classify::CollectiveBytes(profile, collective), row.bytes) << row.name;
    EXPECT_EQ(classify::CollectiveGroupSize(profile, collective), row.group_size) << row.name;
  }
}

Analysis Of(const std::vector<Profile>& ranks) {
  auto analysis = Analyze(ranks, {});
  EXPECT_TRUE(analysis);
  return std::move(*analysis);
}

// PyTorch's own range is in the process group's operator: it says the kind, that the sizes. Eight
// of sixteen ranks gather, as the shapes say.
TEST(Bandwidth, ShapesGiveGroupDurationNoTransfer) {
  TestProfile test;
  test.builder().distributed().rank = 0;
  test.builder().distributed().world_size = 16;
  HostRow op;
  op.name = test.builder().Intern("c10d::_allgather_base_");
  op.start = 0;
  op.duration = 100;
  op.thread = test.main();
  op.input_shapes = test.builder().Intern("[[8000], [1000], []]");
  op.input_dtypes = test.builder().Intern("[float, float, ]");
  test.builder().AddHost(op);
  test.Host(HostKind::kAnnotation, "nccl:_all_gather_base", {10, 90});
  test.Launch("ncclKernel_AllGather_RING_LL_Sum_int8_t(P)", {20, 30}, {40, 140});
  const Analysis analysis = Of(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("collectives");
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(table.At(0, "bytes")), 32'000);
  EXPECT_EQ(std::get<std::int64_t>(table.At(0, "group_size")), 8);
  EXPECT_TRUE(IsAbsent(table.At(0, "bus_bandwidth")));
  EXPECT_EQ(std::get<double>(table.At(0, "bus_bandwidth_unmatched")), 32'000 * 7.0 / 8 / 100e-9);
}

TEST(Bandwidth, UnequalPartsHaveNone) {
  TestProfile test;
  test.Op("op", {0, 100});
  DeviceRow row;
  row.start = 10;
  row.duration = 100;
  row.name = test.builder().Intern("ncclDevKernel_SendRecv(P)");
  row.gpu = 0;
  row.collective = test.builder().AddCollective(Recorded(test, "all_to_allv", 100, 130, 4));
  test.builder().AddDevice(row);
  const Analysis analysis = Of(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("collectives");
  EXPECT_EQ(std::get<std::string>(table.At(0, "name")), "all_to_allv");
  EXPECT_EQ(std::get<std::int64_t>(table.At(0, "bytes")), 400);
  EXPECT_TRUE(IsAbsent(table.At(0, "bus_bandwidth")));
  EXPECT_TRUE(IsAbsent(table.At(0, "bus_bandwidth_unmatched")));
}

// PyTorch 2.0 writes no sizes to its kernels; 394 241 + 112 + 226 960 floats are reduced.
TEST(Bandwidth, DlrmsEightRanks) {
  const std::string folder = SharedPath("data/kineto/dlrm_8ranks");
  PROFGAUGE_NEEDS(folder);
  std::vector<Profile> ranks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    auto profile = readers::ReadProfile(entry.path().string(), {});
    ASSERT_TRUE(profile);
    ranks.push_back(std::move(*profile));
  }
  const Analysis all = Of(ranks);
  const Table& table = *all.FindTable("collectives");
  std::size_t reductions = 0;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (std::get<std::string>(table.At(row, "name")) != "all_reduce") continue;
    EXPECT_EQ(std::get<std::int64_t>(table.At(row, "bytes")), 2'485'252);
    EXPECT_TRUE(IsAbsent(table.At(row, "bus_bandwidth_unmatched")));
    slowest = std::min(slowest, std::get<double>(table.At(row, "bus_bandwidth")));
    ++reductions;
  }
  EXPECT_EQ(reductions, 8U);

  // Waiting for the other ranks cannot be told from transfer.
  ranks.erase(ranks.begin() + 1, ranks.end());
  const Analysis one = Of(ranks);
  const Table& calls = *one.FindTable("collectives");
  for (std::size_t row = 0; row < calls.rows(); ++row) {
    if (std::get<std::string>(calls.At(row, "name")) != "all_reduce") continue;
    EXPECT_TRUE(IsAbsent(calls.At(row, "bus_bandwidth")));
    EXPECT_LT(std::get<double>(calls.At(row, "bus_bandwidth_unmatched")), slowest);
  }
}

}  // namespace
}  // namespace profgauge::analysis
