// Plans and floors of made profiles, whose truth is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../analysis/fixture.h"
#include "analysis/replay.h"
#include "rules/facts.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

constexpr Ns kTenthMs = analysis::kMs / 10;
constexpr Ns kPeriod = 100 * analysis::kMs, kPrepared = 60 * analysis::kMs,
             kKernelStart = 605 * kTenthMs, kKernelEnd = 95 * analysis::kMs;
constexpr std::string_view kShapes = "[[4096, 4096], [4096, 4096]]";

void AddMatmul(Ns at, std::string_view shapes, analysis::TestProfile& profile) {
  HostRow row;
  row.start = at + kPrepared;
  row.duration = analysis::kMs;
  row.name = profile.builder().Intern("aten::mm");
  row.thread = profile.main();
  if (!shapes.empty()) row.input_shapes = profile.builder().Intern(shapes);
  row.input_dtypes = profile.builder().Intern("[float, float]");
  profile.builder().AddHost(row);
  profile.Launch("ampere_sgemm_128x64_nn", {at + 601 * kTenthMs, at + 602 * kTenthMs},
                 {at + kKernelStart, at + kKernelEnd});
}

/// Ten iterations of 100 ms on an A100: `frame` takes 60, then a matmul in FP32 34.5, for which the
/// host waits. The markers begin `late`: what is before them is a pause between iterations.
Profile Loop(std::string_view frame, std::string_view shapes, Ns late = 0) {
  analysis::TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.compute_major = 8;
  gpu.compute_minor = 0;
  profile.builder().AddGpu(gpu);
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * kPeriod;
    profile.Step(i, {at + late, at + kPeriod});
    PythonRow python;
    python.start = at;
    python.duration = kPrepared;
    python.name = profile.builder().Intern(frame);
    python.thread = profile.main();
    profile.builder().AddPython(python);
    AddMatmul(at, shapes, profile);
    profile.Call("cudaDeviceSynchronize", ApiKind::kSync,
                 {at + 61 * analysis::kMs, at + kKernelEnd + 1'000});
  }
  return profile.Finish();
}

struct MadePlan {
  Policy policy;
  std::vector<Profile> ranks;
  analysis::Replayable run;
  std::optional<Rulebook> book;
  Evaluation evaluation;
  Plan plan;

  const Finding& FindingOf(std::size_t step) const {
    return evaluation.findings[plan.steps[step].findings.front()];
  }
};

std::unique_ptr<MadePlan> PlanOfMade(std::vector<Profile> ranks) {
  auto out = std::make_unique<MadePlan>();
  out->ranks = std::move(ranks);
  out->policy = *LoadPolicy("builtin:recommended");
  out->book = *LoadRulebook(out->policy, {});
  auto run = analysis::AnalyzeForReplay(out->ranks, {});
  EXPECT_TRUE(run.has_value());
  out->run = *std::move(run);
  const auto simulations = SimulationsOf(out->run.replayer.get());
  out->evaluation = out->book->Evaluate(
      out->run.analysis, CollectFacts(out->ranks, out->run.analysis), false, simulations.get());
  out->plan = out->book->PlanOf(out->evaluation, out->run.analysis, simulations.get());
  return out;
}

std::unique_ptr<MadePlan> PlanOfMade(Profile profile) {
  return PlanOfMade(analysis::OneRank(std::move(profile)));
}

// What the scenario of a rule saves by itself, in ns per iteration.
double SavedBy(const MadePlan& made, std::string_view rule) {
  for (const CompiledRule& some : made.book->compiled()) {
    if (some.rule->id != rule) continue;
    const auto found = ScenarioRunner(*made.run.replayer).Run(*some.scenario).prediction;
    return found ? found->recorded_time - found->iteration_time : -1;
  }
  return -1;
}

constexpr Ns kCompute = analysis::kMs, kTransfer = 4 * kTenthMs, kLate = 3 * kTenthMs;
constexpr int kCalls = 4;

void Reduce(std::int64_t number, analysis::At call, analysis::At device,
            analysis::TestProfile& profile) {
  auto& builder = profile.builder();
  Collective collective;
  collective.name = builder.Intern("allreduce");
  collective.dtype = builder.Intern("Float");
  collective.group = builder.Intern("dp");
  collective.in_elements = collective.out_elements = 1'000;
  collective.group_size = 2;
  collective.sequence = number;
  ApiRow launch;
  launch.start = call.start;
  launch.duration = call.duration();
  launch.name = builder.Intern("cudaLaunchKernel");
  launch.kind = ApiKind::kLaunch;
  launch.thread = profile.main();
  launch.correlation = 1'000'000 + number;
  builder.AddApi(launch);
  DeviceRow kernel;
  kernel.start = device.start;
  kernel.duration = device.duration();
  kernel.kind = DeviceKind::kKernel;
  kernel.name = builder.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)");
  kernel.gpu = 0;
  kernel.stream = 7;
  kernel.correlation = launch.correlation;
  kernel.collective = builder.AddCollective(collective);
  builder.AddDevice(kernel);
}

// One of two ranks that compute and reduce four times an iteration. They compute longer in turns,
// so that the other waits. The host launches all of it, then waits for the device.
Profile RankThatReduces(int rank) {
  analysis::TestProfile profile;
  auto& distributed = profile.builder().distributed();
  distributed.backend = "nccl";
  distributed.rank = rank;
  distributed.world_size = 2;
  ProcessGroup group;
  group.name = "dp";
  group.size = 2;
  group.ranks = {0, 1};
  distributed.groups.push_back(group);
  std::int64_t number = 0;
  for (int i = 0; i < 6; ++i) {
    const Ns start = i * 7 * analysis::kMs;
    Ns call = start, device = start + kTenthMs;
    for (int c = 0; c < kCalls; ++c, ++number) {
      const Ns compute = kCompute + (c % 2 == rank ? kLate : 0);
      profile.Launch("gemm", {call, call + 1'000}, {device, device + compute});
      const Ns end = start + kTenthMs + (c + 1) * (kCompute + kLate + kTransfer);
      Reduce(number, {call + 2'000, call + 3'000}, {device + compute, end}, profile);
      call += 4'000;
      device = end;
    }
    profile.Call("cudaDeviceSynchronize", ApiKind::kSync, {call, device + 1'000});
    profile.Step(i, {start, device + 2'000});
  }
  return profile.Finish();
}

TEST(MadePlan, WaitingAndTransfersAreTwoSteps) {
  std::vector<Profile> ranks;
  for (const int rank : {0, 1}) ranks.push_back(RankThatReduces(rank));
  const auto made = PlanOfMade(std::move(ranks));
  EXPECT_NEAR(SavedBy(*made, "comm/exposed"), kCalls * kTransfer, 1'000);
  EXPECT_NEAR(SavedBy(*made, "comm/taking-turns"), kCalls / 2 * kLate, 1'000);
  const auto alone = [&](std::string_view rule) {
    for (std::size_t i = 0; i < made->plan.steps.size(); ++i) {
      if (made->FindingOf(i).rule->id == rule) return made->plan.steps[i].alone;
    }
    return -1.0;
  };
  EXPECT_NEAR(alone("comm/exposed"), kCalls * kTransfer, 1'000);
  // Waiting is too little to fire, and becomes the next bottleneck.
  EXPECT_NEAR(alone("comm/taking-turns"), kCalls / 2 * kLate, 1'000);
}

TEST(MadePlan, NamesTheFrameThatTheDeviceWaitsFor) {
  const auto made = PlanOfMade(Loop("train.py(12): preprocess", kShapes));
  ASSERT_GE(made->plan.steps.size(), 2u);
  EXPECT_EQ(made->FindingOf(0).rule->id, "gpu/idle");
  EXPECT_NE(made->FindingOf(0).change.find("`train.py(12): preprocess`"), std::string::npos)
      << made->FindingOf(0).change;
  EXPECT_NEAR(made->plan.steps[0].claim.saves, 60.0 * analysis::kMs, 6.0 * analysis::kMs);
}

// What a change saves between the markers is not taken off the time inside of them.
TEST(MadePlan, WithPausesItGoesFromStartToStart) {
  const auto made = PlanOfMade(Loop("train.py(12): preprocess", kShapes, kPrepared));
  ASSERT_FALSE(made->plan.steps.empty()) << made->plan.absent_because;
  EXPECT_TRUE(made->plan.with_pauses);
  // The last iteration has no pause after it.
  EXPECT_NEAR(made->plan.start, 40.0 * analysis::kMs + 54.0 * analysis::kMs, analysis::kMs);
  EXPECT_GE(made->plan.steps[0].time, 34.5 * analysis::kMs);
}

TEST(MadePlan, NamesNoFrameWhereFrameworkCodeRuns) {
  const auto made = PlanOfMade(Loop("aten::item", kShapes));
  for (std::size_t i = 0; i < made->plan.steps.size(); ++i) {
    EXPECT_NE(made->FindingOf(i).rule->id, "gpu/idle");
  }
}

TEST(MadePlan, UsesMatrixUnitTimeOfShapes) {
  const auto made = PlanOfMade(Loop("train.py(12): preprocess", kShapes));
  ASSERT_GE(made->plan.steps.size(), 2u);
  EXPECT_EQ(made->FindingOf(1).rule->id, "tensorcore/eligible-not-used");
  // 2 · 4096³ operations at half of 156 TFLOP/s take 1.76 ms of 34.5.
  EXPECT_NEAR(made->plan.steps[1].claim.saves, 32.7 * analysis::kMs, 1.0 * analysis::kMs);
  const auto unknown = PlanOfMade(Loop("train.py(12): preprocess", ""));
  ASSERT_GE(unknown->plan.steps.size(), 2u);
  EXPECT_NEAR(unknown->plan.steps[1].claim.saves, 0.75 * 34.5 * analysis::kMs, 1.0 * analysis::kMs);
}

TEST(MadePlan, FloorIsTheRoofOfKernels) {
  const auto made = PlanOfMade(Loop("train.py(12): preprocess", kShapes));
  const Floor alone = FindFloor(*made->run.replayer, made->run.analysis, {}, 100.0 * analysis::kMs,
                                100.0 * analysis::kMs);
  EXPECT_EQ(alone.absent_because, "");
  EXPECT_DOUBLE_EQ(alone.counted.value_or(0), 1);
  // 19.5 TFLOP/s by the data sheet, three quarters of them in reach.
  EXPECT_NEAR(alone.time, 7.05 * analysis::kMs, 0.3 * analysis::kMs);
  EXPECT_NEAR(alone.reachable, 9.4 * analysis::kMs, 0.3 * analysis::kMs);
  // The changes of the plan go below the roof of today's types.
  EXPECT_LE(made->plan.floor.time, made->plan.end());
  EXPECT_LT(made->plan.floor.time, alone.time);
}

// One reduction of 10 MB takes 2 ms, another of as much 10: the links carry 10 MB in 2.
TEST(MadePlan, FloorHasTransfersAtTheBestBandwidth) {
  const auto reduce = [](Ns start, Ns end, int group, analysis::TestProfile& profile) {
    Collective collective;
    collective.name = profile.builder().Intern("allreduce");
    collective.dtype = profile.builder().Intern("Float");
    collective.group = profile.builder().Intern(std::to_string(group));
    collective.in_elements = collective.out_elements = 2'500'000;
    collective.group_size = 2;
    DeviceRow kernel;
    kernel.start = start;
    kernel.duration = end - start;
    kernel.kind = DeviceKind::kKernel;
    kernel.name = profile.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    kernel.gpu = 0;
    kernel.stream = 7;
    kernel.collective = profile.builder().AddCollective(collective);
    profile.builder().AddDevice(kernel);
  };
  const auto floor_with = [&](Ns second) {
    analysis::TestProfile profile;
    Gpu gpu;
    gpu.id = 0;
    gpu.name = "NVIDIA A100-SXM4-80GB";
    gpu.compute_major = 8;
    profile.builder().AddGpu(gpu);
    for (int i = 0; i < 5; ++i) {
      const Ns at = i * 2 * kPeriod;
      profile.Step(i, {at, at + 2 * kPeriod});
      AddMatmul(at, kShapes, profile);
      reduce(at + 110 * analysis::kMs, at + 112 * analysis::kMs, 1, profile);
      reduce(at + 120 * analysis::kMs, at + 120 * analysis::kMs + second, 2, profile);
    }
    const auto made = PlanOfMade(profile.Finish());
    const Floor floor = FindFloor(*made->run.replayer, made->run.analysis, {},
                                  200.0 * analysis::kMs, 200.0 * analysis::kMs);
    EXPECT_EQ(floor.absent_because, "");
    return floor.time;
  };
  EXPECT_NEAR(floor_with(10 * analysis::kMs), floor_with(2 * analysis::kMs), 0.1 * analysis::kMs);
  EXPECT_GT(floor_with(2 * analysis::kMs), 4.0 * analysis::kMs);
}

TEST(MadePlan, FloorIsUnknownWithoutShapes) {
  const auto made = PlanOfMade(Loop("train.py(12): preprocess", ""));
  EXPECT_NE(made->plan.floor.absent_because.find("needs input shapes"), std::string::npos)
      << made->plan.floor.absent_because;
}

TEST(MadePlan, FloorOfOneRankOfSeveralNeedsTheOthers) {
  analysis::TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  profile.builder().AddGpu(gpu);
  profile.builder().distributed().rank = 0;
  profile.builder().distributed().world_size = 2;
  for (int i = 0; i < 3; ++i) {
    const Ns at = i * kPeriod;
    profile.Step(i, {at, at + kPeriod});
    AddMatmul(at, kShapes, profile);
    profile.Launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                   {at + 61 * analysis::kMs, at + 611 * kTenthMs},
                   {at + kKernelEnd, at + 110 * analysis::kMs});
  }
  const auto made = PlanOfMade(profile.Finish());
  EXPECT_NE(made->plan.floor.absent_because.find("all ranks"), std::string::npos)
      << made->plan.floor.absent_because;
}

}  // namespace
}  // namespace profgauge::rules
