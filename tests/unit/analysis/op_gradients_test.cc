// Work of gradients that were recorded without arguments.
#include "analysis/flops/op_gradients.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

constexpr double kProductOf20 = 2 * 20 * 30 * 40;
constexpr double kBytesOf20 = 4 * (20 * 30 + 30 * 40 + 20 * 40);

void AddRow(TestProfile& profile, std::string_view name, At at, std::string_view shapes,
            std::int64_t sequence = -1, bool backward = false) {
  HostRow row;
  row.start = at.start;
  row.duration = at.duration();
  row.name = profile.builder().Intern(name);
  row.thread = profile.main();
  row.sequence = sequence;
  row.backward = backward;
  if (!shapes.empty()) {
    row.input_shapes = profile.builder().Intern(shapes);
    row.input_dtypes = profile.builder().Intern("[float, float, float]");
  }
  profile.builder().AddHost(row);
}

// Operations and bytes of the row with that name.
std::pair<double, double> WorkOfOp(const Profile& profile, std::string_view name) {
  const Analysis analysis = AnalyzeOne(profile);
  const Table& ops = *analysis.FindTable("ops");
  for (std::size_t row = 0; row < ops.rows(); ++row) {
    if (std::get<std::string>(ops.At(row, "name")) != name) continue;
    return {AsNumber(ops.At(row, "flops"), -1), AsNumber(ops.At(row, "bytes"), -1)};
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

// Forward: a linear with its shapes, inside of it mm with the number of autograd. Backward: the
// node of that number with `products` product kernels, and one that adds up their parts.
Profile Training(int products) {
  TestProfile profile;
  AddRow(profile, "linear", {0, 100}, "[[20, 30], [40, 30], [40]]");
  AddRow(profile, "mm", {10, 60}, "", 7);
  profile.Launch("volta_sgemm_128x64_tn", {20, 30}, {40, 60});
  AddRow(profile, "MmBackward", {1'000, 1'900}, "", 7, true);
  for (int i = 0; i < products; ++i) {
    const Ns at = 1'100 + 100 * i;
    AddRow(profile, "mm", {at, at + 90}, "");
    profile.Launch("volta_sgemm_128x64_nn", {at + 10, at + 20}, {at + 30, at + 60});
  }
  profile.Launch("splitKreduce_kernel<32>", {1'800, 1'810}, {1'820, 1'830});
  return profile.Finish();
}

TEST(OpGradients, AProductForEachFactor) {
  EXPECT_EQ(WorkOfOp(Training(2), "MmBackward"), std::pair(2 * kProductOf20, 2 * kBytesOf20));
}

TEST(OpGradients, AFactorWithoutGradientHasNone) {
  EXPECT_EQ(WorkOfOp(Training(1), "MmBackward"), std::pair(kProductOf20, kBytesOf20));
  EXPECT_EQ(WorkOfOp(Training(0), "MmBackward"), std::pair(-1.0, -1.0));
}

// As libraries do that split a sum.
TEST(OpGradients, MoreKernelsAreNoMoreFactors) {
  EXPECT_EQ(WorkOfOp(Training(5), "MmBackward"), std::pair(2 * kProductOf20, 2 * kBytesOf20));
}

TEST(OpGradients, ForwardArgumentsOfTheNodeItself) {
  TestProfile profile;
  AddRow(profile, "mmBackward", {0, 900}, "[[20, 30], [30, 40]]", -1, true);
  profile.Launch("volta_sgemm_128x64_nn", {10, 20}, {30, 60});
  profile.Launch("volta_sgemm_128x64_nt", {30, 40}, {60, 90});
  EXPECT_EQ(WorkOfOp(profile.Finish(), "mmBackward"), std::pair(2 * kProductOf20, 2 * kBytesOf20));
}

// What the operators inside a node do is counted there.
TEST(OpGradients, KnownWorkInsideCountsOnce) {
  TestProfile profile;
  AddRow(profile, "aten::mm", {0, 100}, "[[20, 30], [30, 40]]", 7);
  profile.Launch("volta_sgemm_128x64_tn", {20, 30}, {40, 60});
  AddRow(profile, "MmBackward0", {1'000, 1'900}, "[[20, 40]]", 7, true);
  AddRow(profile, "aten::mm", {1'100, 1'200}, "[[30, 20], [20, 40]]");
  profile.Launch("volta_sgemm_128x64_nn", {1'110, 1'120}, {1'130, 1'160});
  const Profile finished = profile.Finish();
  EXPECT_EQ(WorkOfOp(finished, "MmBackward0").first, -1);
  EXPECT_EQ(WorkOfOp(finished, "aten::mm").first, 2 * kProductOf20);
}

TEST(OpGradients, AnotherOperatorsGradientIsNotOne) {
  TestProfile profile;
  AddRow(profile, "linear", {0, 100}, "[[20, 30], [40, 30], [40]]");
  AddRow(profile, "add", {70, 90}, "", 8);
  AddRow(profile, "AddBackward0", {1'000, 1'900}, "", 8, true);
  profile.Launch("reduce_kernel", {1'010, 1'020}, {1'030, 1'060});
  EXPECT_EQ(WorkOfOp(profile.Finish(), "AddBackward0").first, -1);
}

// One training step, recorded by nvprof and written by PyProf: two readers, the same numbers.
TEST(OpGradients, NvprofAndNetDictAgree) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/pyprof/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared profiles";
  const auto sql = readers::ReadProfile(data + "josiahdavis_profiling-lm.net.sql", {});
  const auto dict = readers::ReadProfile(data + "josiahdavis_profiling-lm.net.dict", {});
  ASSERT_TRUE(sql && dict);
  // 2 products of 2 · 700 · (33 278 · 200 + 3 · 200 · 200 + 200 · 600).
  const auto mm = WorkOfOp(*dict, "mmBackward");
  EXPECT_EQ(mm.first, 19'307'680'000);
  EXPECT_EQ(WorkOfOp(*sql, "MmBackward"), mm);
  EXPECT_EQ(WorkOfOp(*sql, "BmmBackward"), WorkOfOp(*dict, "bmmBackward"));
}

}  // namespace
}  // namespace profgauge::analysis
