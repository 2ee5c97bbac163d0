// Work of captured graphs gets the operators of the capture whose kernels have the same names in
// the same order; work that no capture has, or that several have differently, gets none.
#include "model/graph_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "built_rows.h"
#include "model/certificate.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

using ::testing::ElementsAre;

struct Step {
  std::string op, shapes, kernel;
  std::int32_t grid = 0;
};

LaunchConfigId ConfigOf(ProfileBuilder& builder, std::int32_t size) {
  if (size == 0) return {};
  LaunchConfig config;
  config.grid[0] = config.block[0] = size;
  return builder.AddLaunchConfig(config);
}

/// A run of operators, each of which launches one kernel, in a module.
Profile Captured(const std::vector<Step>& steps) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "1");
  Ns at = 1000;
  PythonRow module;
  module.start = at - 10;
  module.duration = static_cast<Ns>(steps.size()) * 100 + 20;
  module.name = builder.Intern("nn.Module: Net_0");
  module.thread = main;
  module.module_id = 0;
  builder.AddPython(module);
  std::int64_t id = 0;
  for (const Step& step : steps) {
    HostRow op = Op(builder, step.op, at, 90, main);
    op.input_shapes = builder.Intern(step.shapes);
    builder.AddHost(op);
    builder.AddApi(Launch(builder, at + 10, 5, main, ++id));
    DeviceRow kernel = Kernel(builder, at + 200, id);
    kernel.name = builder.Intern(step.kernel);
    kernel.config = ConfigOf(builder, step.grid);
    builder.AddDevice(kernel);
    at += 100;
  }
  return *builder.Finish();
}

/// Launches of graphs of these kernels; "set" is a memset.
Profile Replayed(const std::vector<std::vector<std::string>>& graphs, Ns launch = 100,
                 std::int32_t grid = 0) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("9", "9");
  Ns at = 0;
  std::int64_t id = 0;
  for (const auto& graph : graphs) {
    HostRow range = Op(builder, "serve", at, 900, main);
    range.kind = HostKind::kAnnotation;
    builder.AddHost(range);
    ApiRow call = Launch(builder, at + 10, launch, main, ++id);
    call.name = builder.Intern("cudaGraphLaunch");
    builder.AddApi(call);
    Ns start = at + 200;
    for (const std::string& name : graph) {
      DeviceRow work = Kernel(builder, start, id);
      work.name = builder.Intern(name);
      if (name == "set") work.kind = DeviceKind::kMemset;
      work.config = ConfigOf(builder, grid);
      builder.AddDevice(work);
      start += 25;
    }
    at += 1000;
  }
  return *builder.Finish();
}

/// "kernel < operator shapes" of all work.
std::vector<std::string> OperatorsOf(const Profile& profile) {
  std::vector<std::string> texts;
  for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
    std::string text(profile.Name(profile.device.name[row]));
    if (const HostId op = profile.device.op[row]; op.valid()) {
      text += " < " + std::string(profile.Name(profile.host.name[op.value])) + " " +
              std::string(profile.Name(profile.host.input_shapes[op.value]));
    }
    texts.push_back(text);
  }
  return texts;
}

GraphOperators::Outcome Give(Profile& replayed, const std::vector<Profile>& captures) {
  GraphOperators graphs(replayed);
  for (const Profile& capture : captures) graphs.Learn(capture);
  return graphs.Give();
}

TEST(GraphOperators, LaunchesGetOperatorsOfEqualSequence) {
  Profile replayed = Replayed({{"gemm", "relu"}, {"gemm", "relu"}, {"relu", "gemm"}});
  const std::uint64_t before = replayed.log[Counter::kernels_without_op];
  std::vector<Profile> captures;
  captures.push_back(Captured(
      {{"other", "[1]", "fill"}, {"aten::mm", "[2, 2]", "gemm"}, {"aten::relu", "[2]", "relu"}}));
  const auto outcome = Give(replayed, captures);
  EXPECT_EQ(outcome.launches, 3u);
  EXPECT_EQ(outcome.given, 2u);
  EXPECT_EQ(outcome.unknown, 1u);
  EXPECT_EQ(outcome.work, 4u);
  EXPECT_THAT(OperatorsOf(replayed),
              ElementsAre("gemm < aten::mm [2, 2]", "relu < aten::relu [2]",
                          "gemm < aten::mm [2, 2]", "relu < aten::relu [2]", "relu", "gemm"));
  EXPECT_TRUE(CheckInvariants(replayed));
  EXPECT_EQ(replayed.log[Counter::kernels_without_op], before - 4);
  // Each launch has separate rows, within its call, in the module's.
  ASSERT_EQ(replayed.python.size(), 2u);
  EXPECT_EQ(replayed.Name(replayed.python.name[0]), "nn.Module: Net_0");
  for (std::uint32_t row = 0; row < replayed.device.size(); ++row) {
    const HostId op = replayed.device.op[row];
    if (!op.valid()) continue;
    const std::uint32_t call = replayed.device.launch[row].value;
    EXPECT_GT(replayed.host.start[op.value], replayed.api.start[call]);
    EXPECT_LT(replayed.host.start[op.value] + replayed.host.duration[op.value],
              replayed.api.start[call] + replayed.api.duration[call]);
    EXPECT_EQ(replayed.Name(replayed.host.name[replayed.host.parent[op.value].value]), "serve");
    EXPECT_EQ(replayed.Name(replayed.host.name[replayed.api.op[call].value]), "serve");
  }
}

TEST(GraphOperators, WorkBetweenKernelsGetsOperators) {
  Profile replayed = Replayed({{"gemm", "set", "relu"}});
  Profile capture = Captured(
      {{"aten::mm", "[2]", "gemm"}, {"aten::zero_", "[3]", "x"}, {"aten::relu", "[2]", "relu"}});
  capture.device.kind[1] = DeviceKind::kMemset;
  std::vector<Profile> captures;
  captures.push_back(std::move(capture));
  EXPECT_EQ(Give(replayed, captures).work, 3u);
  EXPECT_THAT(OperatorsOf(replayed),
              ElementsAre("gemm < aten::mm [2]", "set < aten::zero_ [3]", "relu < aten::relu [2]"));
}

TEST(GraphOperators, AmbiguousKernelsGetNoOperators) {
  std::vector<Profile> captures;
  captures.push_back(
      Captured({{"aten::mm", "[8, 8]", "gemm", 8}, {"aten::relu", "[8]", "relu", 8}}));
  captures.push_back(
      Captured({{"aten::mm", "[4, 4]", "gemm", 4}, {"aten::relu", "[4]", "relu", 4}}));
  Profile unclear = Replayed({{"gemm", "relu"}});
  const auto outcome = Give(unclear, captures);
  EXPECT_EQ(outcome.ambiguous, 1u);
  EXPECT_EQ(outcome.work, 0u);
  EXPECT_THAT(OperatorsOf(unclear), ElementsAre("gemm", "relu"));
  // The launch's shape distinguishes them.
  Profile clear = Replayed({{"gemm", "relu"}}, 100, 4);
  EXPECT_EQ(Give(clear, captures).given, 1u);
  EXPECT_THAT(OperatorsOf(clear), ElementsAre("gemm < aten::mm [4, 4]", "relu < aten::relu [4]"));
}

TEST(GraphOperators, TooShortLaunchesGetNoOperators) {
  Profile replayed = Replayed({{"gemm", "relu"}}, 5);
  std::vector<Profile> captures;
  captures.push_back(Captured({{"aten::mm", "", "gemm"}, {"aten::relu", "", "relu"}}));
  EXPECT_EQ(Give(replayed, captures).no_room, 1u);
  EXPECT_THAT(OperatorsOf(replayed), ElementsAre("gemm", "relu"));
}

TEST(GraphOperators, ProfilesWithoutGraphsStay) {
  Profile eager = Captured({{"aten::mm", "[2]", "gemm"}});
  GraphOperators graphs(eager);
  EXPECT_FALSE(graphs.are_wanted());
  graphs.Learn(eager);
  EXPECT_EQ(graphs.Give().launches, 0u);
  Profile empty;
  EXPECT_FALSE(GraphOperators(empty).are_wanted());
}

}  // namespace
}  // namespace profgauge
