// Operators by path and their groups, as DLProf counts them.
#include <gtest/gtest.h>

#include <filesystem>

#include "fixture.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

// A marked call, with a kernel of `length` when it has one.
void Mark(TestProfile& profile, std::string_view op, std::string_view path, At at, Ns length = 0) {
  HostRow row;
  row.start = at.start;
  row.duration = at.duration();
  row.name = profile.builder().Intern(op);
  row.thread = profile.main();
  row.concrete_inputs = profile.builder().Intern(fmt::format(
      "{{'mod': '', 'op': '{}', 'dir': 'fprop', 'traceMarker': ['a.py:1', 'b.py:2'], 'funcStack': "
      "'{}'}}",
      op, path));
  row.input_shapes = profile.builder().Intern("[[2, 3], []]");
  row.input_dtypes = profile.builder().Intern("[float32, Scalar]");
  profile.builder().AddHost(row);
  if (length == 0) return;
  profile.Launch("volta_sgemm_128x64_tn", {at.start + 10, at.start + 30},
                 {at.start + 40, at.start + 40 + length});
}

Profile MarkedCalls() {
  TestProfile profile;
  for (int i = 0; i < 2; ++i) {
    const Ns start = i * 1'000;
    profile.Step(i, {start, start + 1'000});
    Mark(profile, "linear", "/<module>/net::forward/fc(2)/linear", {start + 100, start + 200}, 50);
    Mark(profile, "relu", "/<module>/net::forward/relu", {start + 300, start + 350 + 10 * i});
  }
  return profile.Finish();
}

TEST(OpPaths, ARowForEachPlaceInTheProgram) {
  const Analysis analysis = AnalyzeOne(MarkedCalls());
  const Table* table = analysis.FindTable("op_paths");
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows(), 2u);
  const auto text = [&](const char* id) { return std::get<std::string>(table->At(0, id)); };
  const auto number = [&](const char* id) { return std::get<std::int64_t>(table->At(0, id)); };
  EXPECT_EQ(text("name"), "/module/net::forward/fc[2]/linear");
  EXPECT_EQ(text("op_id"), "LINEAR_1");
  EXPECT_EQ(text("direction"), "forward");
  EXPECT_EQ(text("dtype"), "float32");
  EXPECT_EQ(text("uses_tensor_core"), "no");
  EXPECT_EQ(text("call_stack"), "b.py:2;a.py:1");
  EXPECT_EQ(number("calls"), 2);
  EXPECT_EQ(number("kernels"), 2);
  EXPECT_EQ(number("host_total"), 200);
  EXPECT_EQ(number("overhead"), 160);
  EXPECT_EQ(number("device_total"), 100);
}

TEST(OpPaths, GroupsAddUpByIteration) {
  const Analysis analysis = AnalyzeOne(MarkedCalls());
  const Table* table = analysis.FindTable("op_groups");
  ASSERT_NE(table, nullptr);
  std::vector<std::string> names;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    names.push_back(std::get<std::string>(table->At(row, "name")));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"/", "/module/", "/module/net::forward/",
                                             "/module/net::forward/fc[2]/", "_CompleteModel_"}));
  const auto number = [&](const char* id) { return std::get<std::int64_t>(table->At(2, id)); };
  EXPECT_EQ(number("calls"), 4);
  EXPECT_EQ(number("host_total"), 310);
  EXPECT_EQ(number("host_mean"), 155);
  EXPECT_EQ(number("host_min"), 150);
  EXPECT_EQ(number("host_max"), 160);
  EXPECT_EQ(number("operators_eligible"), 1);
}

TEST(OpPaths, OfTwoRanksAddUp) {
  std::vector<Profile> ranks;
  ranks.push_back(MarkedCalls());
  ranks.push_back(MarkedCalls());
  const auto analysis = Analyze(ranks, {});
  ASSERT_TRUE(analysis);
  const Table* ops = analysis->FindTable("op_paths");
  ASSERT_NE(ops, nullptr);
  EXPECT_EQ(ops->rows(), 2u);
  EXPECT_EQ(std::get<std::int64_t>(ops->At(0, "calls")), 4);
  EXPECT_EQ(std::get<std::int64_t>(analysis->FindTable("op_groups")->At(0, "calls")), 8);
}

TEST(OpPaths, NoneWithoutPaths) {
  TestProfile profile;
  profile.Op("aten::mm", {0, 100});
  profile.Launch("gemm", {10, 20}, {30, 60});
  const Analysis analysis = AnalyzeOne(profile.Finish());
  EXPECT_TRUE(analysis.FindTable("op_paths")->columns().empty());
  EXPECT_TRUE(analysis.FindTable("op_groups")->columns().empty());
}

// Nsight's recording of the run of which DLProf wrote these files: each number of each group.
TEST(OpPaths, GroupsOfNsightEqualDlprofs) {
  const std::filesystem::path data = std::string(PROFGAUGE_SHARED_DIR) + "/data/";
  const auto csv = data / "dlprof/dummynet_wrelu/dlprof_group_op.csv";
  if (!std::filesystem::exists(csv)) GTEST_SKIP() << "no shared profiles";
  const auto profile = readers::ReadProfile(
      (data / "nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite").string(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  const Analysis analysis = AnalyzeOne(*profile);
  const Table* table = analysis.FindTable("op_groups");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(analysis.FindTable("op_paths")->rows(), 36u);
  std::ifstream file(csv);
  std::string line;
  std::map<std::string, std::vector<double>> stated;
  while (std::getline(file, line)) {
    if (!line.starts_with("\"/") && !line.starts_with("\"_")) continue;
    const auto quote = line.find('"', 1);
    std::stringstream numbers(line.substr(quote + 2));
    std::vector<double>& row = stated[line.substr(1, quote - 1)];
    for (std::string cell; std::getline(numbers, cell, ',');) row.push_back(std::stod(cell));
  }
  ASSERT_EQ(stated.size(), table->rows());
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const std::string name = std::get<std::string>(table->At(row, "name"));
    const std::vector<double>& theirs = stated[name];
    ASSERT_EQ(theirs.size() + 1, table->columns().size()) << name;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const Column& column = table->columns()[i + 1];
      // Means are rounded down here.
      EXPECT_NEAR(AsNumber(table->At(row, column.id()), -1), theirs[i], 1) << name << column.id();
    }
  }
}

}  // namespace
}  // namespace profgauge::analysis
