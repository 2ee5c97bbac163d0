// Clocks, power, temperature and reasons for lowered clocks as metrics.
#include "analysis/trust/unrecorded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/metric_id.h"
#include "fixture.h"
#include "model/run_side.h"

namespace profgauge::analysis {
namespace {

void AddOpTo(const char* name, const char* shapes, const char* types, At at, TestProfile& profile) {
  HostRow row;
  row.start = at.start;
  row.duration = at.duration();
  row.name = profile.builder().Intern(name);
  row.thread = profile.main();
  row.input_shapes = profile.builder().Intern(shapes);
  row.input_dtypes = profile.builder().Intern(types);
  profile.builder().AddHost(row);
}

/// On an A100: a matmul in 21 µs, which arithmetic limits, an addition in 10 µs, which memory
/// limits, and 9 µs of a kernel of no operator.
Profile OfBounds() {
  TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  profile.builder().AddGpu(gpu);
  profile.Step(1, {0, 100'000});
  AddOpTo("aten::mm", "[[1024, 1024], [1024, 1024]]", "[c10::BFloat16, c10::BFloat16]",
          {2'000, 9'000}, profile);
  profile.Launch("ampere_bf16_s16816gemm_bf16_128x128", {3'000, 4'000}, {5'000, 26'000});
  AddOpTo("aten::add", "[[1024, 1024], [1024, 1024], []]", "[float, float, Scalar]",
          {20'000, 30'000}, profile);
  profile.Launch("elementwise_kernel", {21'000, 22'000}, {30'000, 40'000});
  profile.Launch("other_kernel", {41'000, 42'000}, {50'000, 59'000});
  return profile.Finish();
}

RunDevice Device(double clock, double watts) {
  const double unknown = std::nan("");
  RunDevice device;
  device.conditions["sm_mhz"] = {clock, clock - 100, clock + 100, 1980};
  device.conditions["watts"] = {watts, watts, watts, 700};
  device.conditions["celsius"] = {60, unknown, 71, unknown};
  return device;
}

std::shared_ptr<RunSide> With(std::vector<RunDevice> devices) {
  auto side = std::make_shared<RunSide>();
  side->logged = std::move(devices);
  return side;
}

const Metric& Of(const Analysis& analysis, MetricId id) { return *analysis.Find(id); }

TEST(Conditions, AreAbsentWithoutReadings) {
  const Analysis analysis = AnalyzeOne(OfBounds());
  EXPECT_TRUE(IsAbsent(Of(analysis, metric::kConditionsClock).value));
  EXPECT_NE(Of(analysis, metric::kConditionsThrottled).absent_because.find("--device-log"),
            std::string::npos);
}

TEST(Conditions, UsesOutermostOfSeveralDevices) {
  Profile profile = OfBounds();
  RunDevice slow = Device(1200, 699), fast = Device(1980, 512);
  slow.knows_reasons = true;
  slow.reasons = {{"sw_power_cap", 0.63}, {"hw_thermal", 0.02}, {"sw_thermal", 0.01}};
  profile.run_side = With({fast, slow});
  const Analysis analysis = AnalyzeOne(std::move(profile));
  EXPECT_EQ(NumberOf(analysis, "conditions.sm_mhz"), 1200);
  EXPECT_EQ(Of(analysis, metric::kConditionsClock).note, "1100 to 1300");
  EXPECT_EQ(NumberOf(analysis, "conditions.sm_limit_mhz"), 1980);
  EXPECT_EQ(NumberOf(analysis, "conditions.watts"), 699);
  EXPECT_EQ(NumberOf(analysis, "conditions.limit_watts"), 700);
  EXPECT_EQ(NumberOf(analysis, "conditions.celsius"), 71);
  EXPECT_EQ(NumberOf(analysis, "conditions.power_capped_share"), 0.63);
  EXPECT_EQ(NumberOf(analysis, "conditions.throttled_share"), 0.02);
  EXPECT_EQ(Of(analysis, metric::kConditionsThrottled).note, "`hw_thermal`");
  EXPECT_TRUE(IsAbsent(Of(analysis, metric::kConditionsMemoryClock).value));
}

TEST(Conditions, CountsAreTheMostOfAnyDevice) {
  Profile profile = OfBounds();
  RunDevice one = Device(1980, 512), other = Device(1980, 512);
  one.conditions["other_processes"] = {0, 0, 2, std::nan("")};
  other.conditions["other_processes"] = {1, 1, 1, std::nan("")};
  other.conditions["ecc_uncorrected"] = {0, 0, 0, std::nan("")};
  profile.run_side = With({one, other});
  const Analysis analysis = AnalyzeOne(std::move(profile));
  EXPECT_EQ(NumberOf(analysis, "conditions.other_processes"), 2);
  EXPECT_EQ(NumberOf(analysis, "conditions.ecc_uncorrected"), 0);
  profile = OfBounds();
  profile.run_side = With({Device(1980, 512)});
  EXPECT_TRUE(
      IsAbsent(Of(AnalyzeOne(std::move(profile)), metric::kConditionsEccUncorrected).value));
}

TEST(Conditions, UnknownReasonsAreNotNone) {
  Profile profile = OfBounds();
  profile.run_side = With({Device(1200, 699)});
  EXPECT_TRUE(IsAbsent(Of(AnalyzeOne(std::move(profile)), metric::kConditionsThrottled).value));
  profile = OfBounds();
  RunDevice device = Device(1200, 699);
  device.knows_reasons = true;
  profile.run_side = With({device});
  EXPECT_EQ(NumberOf(AnalyzeOne(std::move(profile)), "conditions.throttled_share"), 0);
}

TEST(Conditions, KernelTimeByItsBound) {
  Profile profile = OfBounds();
  profile.run_side = With({Device(1200, 699)});
  const Analysis analysis = AnalyzeOne(std::move(profile));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "conditions.compute_bound_share"), 21.0 / 40);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "conditions.memory_bound_share"), 10.0 / 40);
}

}  // namespace
}  // namespace profgauge::analysis
