// How metrics over several iterations follow from those over each, by the catalog, on every
// available profile; and that the beginning of a profile changes only its losses.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fixture.h"
#include "kineto_edit.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

std::optional<double> ValueOf(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) return std::nullopt;
  return AsNumber(metric->value, 0);
}

std::vector<double> Present(const std::vector<Analysis>& singles, std::string_view id) {
  std::vector<double> values;
  for (const Analysis& single : singles) {
    if (const auto value = ValueOf(single, id)) values.push_back(*value);
  }
  return values;
}

// Time between iterations, as a share of the window: metrics of the window include it, metrics of
// the iterations do not.
double Between(const Analysis& all, const std::vector<Analysis>& singles) {
  double inside = 0;
  for (const Analysis& single : singles) inside += NumberOf(single, "profile.wall_time");
  return std::max(0.0, 1 - inside / NumberOf(all, "profile.wall_time"));
}

bool IsOfWindow(const MetricSpec& spec) {
  return spec.id.starts_with("gpu.") || spec.id.starts_with("communication.") ||
         spec.id.starts_with("flops.") || spec.id.starts_with("dataloader.") ||
         spec.id == "launch.wait_share";
}

void ExpectPooled(const MetricSpec& spec, double all, const std::vector<double>& singles,
                  double between, double wall) {
  const double slack = IsOfWindow(spec) ? between : 0;
  if (spec.pooling == Pooling::kSum) {
    double sum = 0;
    for (const double single : singles) sum += single;
    EXPECT_NEAR(all, sum, 1e-9 * std::abs(sum) + slack * wall) << spec.id;
    return;
  }
  const double least = *std::min_element(singles.begin(), singles.end());
  const double most = *std::max_element(singles.begin(), singles.end());
  const double rounding = 1e-9 * std::abs(most) + (spec.unit == Unit::kTime ? 1 : 0);
  EXPECT_GE(all, least * (1 - slack) - rounding) << spec.id;
  EXPECT_LE(all, most + slack * std::max(1.0, most) + rounding) << spec.id;
  if (spec.pooling != Pooling::kMax) return;
  EXPECT_NEAR(all, most, rounding) << spec.id;
}

constexpr std::int64_t kMost = 3;  // Iterations of one profile.

void ExpectPooled(const Profile& profile) {
  const std::span<const Profile> run(&profile, 1);
  const auto all = Analyze(run, {});
  ASSERT_TRUE(all.has_value());
  if (all->iterations_selected < 2 || !profile.has_timeline) return;
  // A long profile is represented by its first iterations.
  Selection selection;
  selection.stop = std::min<std::int64_t>(all->iterations_selected, kMost) - 1;
  const auto several = Analyze(run, selection);
  ASSERT_TRUE(several.has_value());
  std::vector<Analysis> singles;
  for (std::int64_t i = 0; i <= selection.stop; ++i) {
    Selection one;
    one.start = one.stop = i;
    auto single = Analyze(run, one);
    ASSERT_TRUE(single.has_value());
    singles.push_back(std::move(*single));
  }
  const double between = Between(*several, singles);
  const double wall = NumberOf(*several, "profile.wall_time");
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.pooling == Pooling::kOther) continue;
    const auto whole = ValueOf(*several, spec.id);
    const std::vector<double> values = Present(singles, spec.id);
    if (!whole || values.empty()) continue;
    // A number that an iteration does not have (it launches no kernel, say) bounds nothing.
    if (spec.pooling != Pooling::kSum && values.size() < singles.size()) continue;
    ExpectPooled(spec, *whole, values, between, wall);
  }
  // Selecting all of them by number is no other selection than "all".
  if (all->iterations_selected > kMost) return;
  for (const MetricSpec& spec : MetricCatalogue()) {
    EXPECT_EQ(ValueOf(*all, spec.id), ValueOf(*several, spec.id)) << spec.id;
  }
}

TEST(Pooling, HoldsOnEveryProfile) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  std::size_t read = 0;
  for (const std::string& path : AllRecordings()) {
    const auto profile = readers::ReadProfile(path, {});
    if (!profile) continue;
    SCOPED_TRACE(path);
    ++read;
    ExpectPooled(*profile);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(read, 100U);
}

// Metrics that do not follow from single iterations, by kind: spread and drift, extremes over
// devices or ranks, windows, and facts of the profile or of the machine.
TEST(Pooling, ExemptMetrics) {
  const std::set<std::string_view> expected = {"profile.wall_time",
                                               "profile.ranks",
                                               "profile.gpus",
                                               "iteration.time.stddev",
                                               "iteration.time.cv",
                                               "iteration.time.robust_cv",
                                               "iteration.outliers",
                                               "iteration.drift",
                                               "gpu.utilization.min",
                                               "gpu.idle.max",
                                               "gpu.idle.time.mean",
                                               "gpu.idle.time.max",
                                               "rank.imbalance",
                                               "rank.straggler",
                                               "memory.fragmentation",
                                               "gpu.measured.tensor_active",
                                               "gpu.measured.sm_active",
                                               "gpu.measured.dram_read",
                                               "gpu.measured.dram_write",
                                               "launch.captured_share",
                                               "coverage.linked_share",
                                               "coverage.kernel_share",
                                               "coverage.launched_share",
                                               "coverage.backlog_time",
                                               "coverage.outside_share"};
  std::set<std::string_view> exempt;
  for (const MetricSpec& spec : MetricCatalogue()) {
    const bool is_common = spec.family.empty();
    if (is_common && spec.pooling == Pooling::kOther) exempt.insert(spec.id);
  }
  for (const std::string_view id : expected) EXPECT_TRUE(exempt.contains(id)) << id;
}

// The V100's recording with loader, six steps: as if it had begun in the middle of step 6.
constexpr const char* kV100 =
    "data/kineto/v100_resnet50/resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz";

TEST(Edges, CuttingTheStartTakesOnlyThat) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const std::string text = Inflated(SharedPath(kV100));
  KinetoEdit edit(text);
  const double cut = (edit.StartOfStep(6) + edit.StartOfStep(7)) / 2;
  edit.CutBefore(cut);
  const auto before = ReadTraceText(text);
  const auto after = ReadTraceText(edit.Text());
  ASSERT_TRUE(before && after);
  for (const int step : {7, 8, 9, 10}) {
    Selection one;
    one.start_number = one.stop_number = step;
    const auto a = Analyze(std::span(&*before, 1), one);
    const auto b = Analyze(std::span(&*after, 1), one);
    ASSERT_TRUE(a && b);
    for (const char* id :
         {"iteration.time.mean", "profile.kernel_time", "kernel.count_per_iteration",
          "launch.count_per_iteration", "gpu.utilization.mean", "tensor_core.share",
          "breakdown.dataloader.time", "breakdown.cpu.time", "memcpy.h2d.bytes_per_iteration",
          "launch.delay.median"}) {
      EXPECT_NEAR(NumberOf(*a, id), NumberOf(*b, id), 1e-9 * NumberOf(*a, id)) << step << ' ' << id;
    }
  }
}

TEST(Edges, ShiftingAProfileChangesNothing) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  for (const char* path :
       {kV100, "data/kineto/dlrm_8ranks/worker0_step_12.1694128201545.pt.trace.json.gz"}) {
    SCOPED_TRACE(path);
    const std::string text = Inflated(SharedPath(path));
    KinetoEdit edit(text);
    edit.Shift(1048576);
    const auto before = ReadTraceText(text);
    const auto after = ReadTraceText(edit.Text());
    ASSERT_TRUE(before && after);
    const auto a = Analyze(std::span(&*before, 1), {});
    const auto b = Analyze(std::span(&*after, 1), {});
    ASSERT_TRUE(a && b);
    for (const MetricSpec& spec : MetricCatalogue()) {
      EXPECT_EQ(ValueOf(*a, spec.id), ValueOf(*b, spec.id)) << spec.id;
    }
  }
}

std::vector<std::int64_t> Durations(const Analysis& analysis) {
  const Table* table = analysis.FindTable("iterations");
  std::vector<std::int64_t> durations;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    durations.push_back(table->Find("duration")->IntegerAt(row));
  }
  return durations;
}

// The profile starts while the GPU works 39 ms on the iteration before; its host steps on.
TEST(Edges, FirstIterationExcludesStepBefore) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const auto profiles = ReadTrace("data/kineto/hta/trace_diff/test/test.json.gz");
  ASSERT_EQ(profiles.size(), 1U);
  const auto analysis = Analyze(profiles, {});
  ASSERT_TRUE(analysis.has_value());
  const std::vector<std::int64_t> durations = Durations(*analysis);
  ASSERT_EQ(durations.size(), 6U);
  for (const std::int64_t duration : durations) {
    EXPECT_GT(duration, 114'000'000);
    EXPECT_LT(duration, 124'000'000);
  }
  EXPECT_NEAR(NumberOf(*analysis, "coverage.backlog_time"), 39e6, 1e6);
  // 9 876 kernels in the profile, 546 of them of the step before.
  EXPECT_EQ(NumberOf(*analysis, "kernel.count_per_iteration") * 6, 9330);
  const Table* by_op = analysis->FindTable("kernels_by_op");
  const Table* by_name = analysis->FindTable("kernels");
  const auto sum = [](const Table* table, const char* column) {
    std::int64_t total = 0;
    for (std::size_t row = 0; row < table->rows(); ++row) {
      total += table->Find(column)->IntegerAt(row);
    }
    return total;
  };
  EXPECT_EQ(sum(by_op, "calls"), 9330);
  EXPECT_EQ(sum(by_name, "calls"), 9876);
  EXPECT_EQ(sum(by_name, "time") - sum(by_name, "outside"), sum(by_op, "time"));
  EXPECT_EQ(NumberOf(*analysis, "profile.kernel_time"), static_cast<double>(sum(by_op, "time")));
}

}  // namespace
}  // namespace profgauge::analysis
