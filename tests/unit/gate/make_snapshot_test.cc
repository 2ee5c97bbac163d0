// The parts of a run that a snapshot keeps.
#include "gate/make_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/run_side.h"

namespace profgauge::gate {
namespace {

Profile RankOf(std::string hash, std::int64_t world_size = 0) {
  Profile rank;
  rank.source.format = "kineto";
  rank.source.hash = std::move(hash);
  rank.distributed.world_size = world_size;
  return rank;
}

std::vector<Profile> Ranks(const std::vector<std::string>& hashes, std::int64_t world_size = 0) {
  std::vector<Profile> ranks;
  for (const std::string& hash : hashes) ranks.push_back(RankOf(hash, world_size));
  return ranks;
}

analysis::Metric Measured(std::string_view id, Value value) {
  analysis::Metric metric;
  metric.spec = analysis::FindMetric(id);
  metric.value = std::move(value);
  return metric;
}

Snapshot Made(const std::vector<Profile>& ranks, const std::vector<analysis::Metric>& metrics = {},
              analysis::breakdown::Attribution attribution = {}) {
  analysis::Analysis analysis;
  analysis.metrics = metrics;
  analysis.iteration_source = {IterationsBy::kProfilerSteps};
  return MakeSnapshot("run", ranks, analysis, std::move(attribution));
}

TEST(MakeSnapshot, NamesItsSubject) {
  const Snapshot one = Made(Ranks({"aa"}));
  EXPECT_EQ(one.name, "run");
  EXPECT_EQ(one.format, "kineto");
  EXPECT_EQ(one.source, "aa");
  const Snapshot two = Made(Ranks({"aa", "bb"}));
  EXPECT_NE(two.source, Made(Ranks({"aa", "bc"})).source);
  EXPECT_NE(two.source, Made(Ranks({"aa"})).source);
  EXPECT_EQ(two.source, Made(Ranks({"aa", "bb"})).source);
  EXPECT_EQ(two.source.size(), 32U);
}

// The larger of the ranks' statement and their number.
TEST(MakeSnapshot, LargestStatedWorldSizeCounts) {
  EXPECT_EQ(Made(Ranks({"a"})).Environment("world_size"), "1");
  EXPECT_EQ(Made(Ranks({"a", "b"})).Environment("world_size"), "2");
  EXPECT_EQ(Made(Ranks({"a", "b"}, 8)).Environment("world_size"), "8");
  EXPECT_EQ(Made(Ranks({"a", "b", "c"}, 2)).Environment("world_size"), "3");
  std::vector<Profile> ranks = Ranks({"a", "b", "c"});
  ranks[0].distributed.world_size = 4;
  ranks[1].distributed.world_size = 16;
  EXPECT_EQ(Made(ranks).Environment("world_size"), "16");
}

TEST(MakeSnapshot, CountsRanksWithoutDevices) {
  const std::vector<Profile> ranks = Ranks({"a", "b", "c"});
  const Snapshot with = Made(ranks, {Measured("profile.gpus", std::int64_t{2})});
  EXPECT_EQ(with.Environment("gpus"), "2");
  EXPECT_EQ(with.Environment("ranks"), "");
  const Snapshot without = Made(ranks, {Measured("profile.gpus", std::int64_t{0})});
  EXPECT_EQ(without.Environment("gpus"), "0");
  EXPECT_EQ(without.Environment("ranks"), "3");
  EXPECT_EQ(Made(ranks).Environment("gpus"), "");
}

TEST(MakeSnapshot, KeepsFactsForComparison) {
  constexpr std::pair<std::string_view, std::string_view> kFacts[] = {
      {"driver", "cuda_driver_version"},
      {"driver", "hip_driver_version"},
      {"runtime", "cuda_runtime_version"},
      {"runtime", "hip_runtime_version"},
      {"nccl", "nccl_version"},
      {"framework", "Framework"},
      {"record_shapes", "record_shapes"},
      {"profile_memory", "profile_memory"},
      {"with_stack", "with_stack"},
      {"with_flops", "with_flops"},
      {"with_modules", "with_modules"},
      {"cuda_graphs", "cuda_graphs"},
  };
  for (const auto& [key, fact] : kFacts) {
    std::vector<Profile> ranks = Ranks({"a", "b"});
    ranks[0].facts = {{"another", "x"}, {std::string(fact), "12.4"}, {std::string(fact), "later"}};
    ranks[1].facts = {{std::string(fact), "of the second"}};
    const Snapshot run = Made(ranks);
    EXPECT_EQ(run.Environment(key), "12.4") << fact;
    EXPECT_EQ(run.environment.size(), 3U) << fact;  // With world_size and iterations.
  }
  std::vector<Profile> both = Ranks({"a"});
  both[0].facts = {
      {"hip_driver_version", "6"}, {"cuda_driver_version", "12"}, {"nccl_version", ""}};
  EXPECT_EQ(Made(both).Environment("driver"), "12");
  EXPECT_EQ(Made(both).environment.size(), 3U);
  analysis::breakdown::Attribution attribution;
  attribution.gpu_models = "Tesla V100";
  attribution.shape_signature = "abc";
  const Snapshot run = Made(Ranks({"a"}), {}, attribution);
  const std::vector<std::pair<std::string, std::string>> all = {{"gpu", "Tesla V100"},
                                                                {"world_size", "1"},
                                                                {"iterations", "ProfilerStep#N"},
                                                                {"shape_signature", "abc"}};
  EXPECT_EQ(run.environment, all);
}

TEST(MakeSnapshot, KeepsNumbersAndDefinitions) {
  const analysis::MetricSpec* newer = nullptr;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    if (spec.definition_number != 1 && spec.unit == Unit::kShare) newer = &spec;
  }
  ASSERT_NE(newer, nullptr);
  const analysis::MetricSpec* first = analysis::FindMetric("tensor_core.efficiency");
  ASSERT_NE(first, nullptr);
  const Snapshot run =
      Made(Ranks({"a"}), {Measured("gpu.occupancy", {}), Measured("profile.ranks", std::int64_t{3}),
                          Measured("gpu.sm_efficiency", std::nan("")),
                          Measured("gpu.idle.max", std::numeric_limits<double>::infinity()),
                          Measured(newer->id, 0.25)});
  const std::map<std::string, double, std::less<>> kept = {{"profile.ranks", 3},
                                                           {std::string(newer->id), 0.25}};
  EXPECT_EQ(run.metrics, kept);
  EXPECT_EQ(run.DefinitionOf(newer->id), newer->definition_number);
  for (const auto& [id, number] : run.definitions) EXPECT_NE(number, 1) << id;
}

// A number is uncertain that may be another: by over 1 %, of shares by over a point.
TEST(MakeSnapshot, KeepsWhichNumbersMayBeOthers) {
  struct Row {
    std::string_view metric;
    double value;
    bool low_confidence;
    std::optional<double> may_be;
    bool is_uncertain;
  };
  const Row kRows[] = {
      {"gpu.idle.mean", 0.25, false, {}, false},
      {"gpu.idle.mean", 0.25, true, {}, true},
      {"gpu.idle.mean", 0.25, true, 0.25, true},
      {"gpu.idle.mean", 0.25, false, 0.2590, false},
      {"gpu.idle.mean", 0.25, false, 0.2610, true},
      {"gpu.idle.mean", 0.25, false, 0.2390, true},
      {"gpu.idle.mean", 0.0, false, 0.5, true},
      {"kernel.count_per_iteration", 1000, false, 1009, false},
      {"kernel.count_per_iteration", 1000, false, 1011, true},
      {"kernel.count_per_iteration", 1000, false, 989, true},
      {"kernel.count_per_iteration", 1000, false, std::numeric_limits<double>::infinity(), true},
      // The comparison counts how well the steps show their median.
      {"step.time.median", 60e6, false, 66e6, false},
      {"step.time.median", 60e6, true, 66e6, true},
  };
  for (const Row& row : kRows) {
    analysis::Metric metric = Measured(row.metric, row.value);
    metric.low_confidence = row.low_confidence;
    metric.may_be = row.may_be;
    EXPECT_EQ(Made(Ranks({"a"}), {metric}).uncertain.contains(row.metric), row.is_uncertain)
        << row.metric << " " << row.may_be.value_or(-1);
  }
}

TEST(MakeSnapshot, KeepsTimesOfAllRanks) {
  const auto made = [](bool first_has, bool second_has) {
    std::vector<Profile> ranks = Ranks({"a", "b"});
    ranks[0].has_timeline = first_has;
    ranks[1].has_timeline = second_has;
    analysis::breakdown::Attribution attribution;
    attribution.iteration_times = {7, 8};
    attribution.iteration_unobserved = {1, 0};
    attribution.iteration_periods = {9};
    attribution.iteration_shares = {{"breakdown.dataloader", {0.1, 0.2}}};
    attribution.iteration_values = {{"profile.kernel_time", {3, 4}}};
    attribution.parts.resize(1);
    attribution.work.iterations = 2;
    return Made(ranks, {}, attribution);
  };
  const Snapshot timed = made(true, true);
  EXPECT_EQ(timed.iteration_times, (std::vector<Ns>{7, 8}));
  EXPECT_EQ(timed.iteration_unobserved, (std::vector<Ns>{1, 0}));
  EXPECT_EQ(timed.iteration_periods, (std::vector<Ns>{9}));
  EXPECT_EQ(timed.iteration_shares.size(), 1U);
  EXPECT_EQ(timed.iteration_values.at("profile.kernel_time"), (std::vector<Ns>{3, 4}));
  EXPECT_EQ(timed.parts.size(), 1U);
  for (const Snapshot& run : {made(true, false), made(false, true), made(false, false)}) {
    EXPECT_EQ(run.iteration_times, std::vector<Ns>{0});
    EXPECT_TRUE(run.iteration_unobserved.empty());
    EXPECT_TRUE(run.iteration_periods.empty());
    EXPECT_TRUE(run.iteration_shares.empty());
    EXPECT_TRUE(run.iteration_values.empty());
    EXPECT_TRUE(run.parts.empty());
    EXPECT_EQ(run.work.iterations, 2);
  }
}

// Names may have any bytes; a file of JSON may not.
TEST(MakeSnapshot, NamesAreValidText) {
  analysis::breakdown::Attribution attribution;
  attribution.gpu_models = "g\xff";
  attribution.parts = {{"c\xff", "t\xff", "o\xff", "s\xff", "k\xff", 0, 1, 7, {}}};
  attribution.work.kernels = {{"k\xff", 1, 7, 0, {}}};
  attribution.work.ops = {{"o\xff", 1, 7, 0, {}}};
  std::vector<Profile> ranks = Ranks({"a"});
  const Snapshot run = MakeSnapshot("r\xff", ranks, analysis::Analysis{}, std::move(attribution));
  EXPECT_EQ(run.name, "r\xef\xbf\xbd");
  EXPECT_EQ(run.Environment("gpu"), "g\xef\xbf\xbd");
  const analysis::breakdown::TimePart& part = run.parts[0];
  EXPECT_EQ(part.category + part.op_type + part.op + part.shapes + part.kernel,
            "c\xef\xbf\xbdt\xef\xbf\xbdo\xef\xbf\xbds\xef\xbf\xbdk\xef\xbf\xbd");
  EXPECT_EQ(run.work.kernels[0].name, "k\xef\xbf\xbd");
  EXPECT_EQ(run.work.ops[0].name, "o\xef\xbf\xbd");
}

// Of many values those that are kept are of all of them: this benchmark settles.
TEST(MakeSnapshot, KeepsValuesFromAllOfABenchmark) {
  std::vector<Profile> ranks = Ranks({"a"});
  auto side = std::make_shared<RunSide>();
  NamedTimes& benchmark = side->benchmarks.emplace_back();
  benchmark.name = "BM_a";
  for (int i = 0; i < 1024; ++i) benchmark.lengths.push_back(i < 256 ? 200 : 100);
  ranks[0].run_side = side;
  const Snapshot run = Made(ranks);
  ASSERT_EQ(run.work.benchmarks.size(), 1U);
  const std::vector<Ns>& series = run.work.benchmarks[0].series;
  ASSERT_EQ(series.size(), 256U);
  EXPECT_EQ(std::ranges::count(series, 200'000), 64);
  EXPECT_EQ(std::ranges::count(series, 100'000), 192);
}

}  // namespace
}  // namespace profgauge::gate
