// From analysis and verdict to the report: names, dates, limits, margins, sentences.
#include "report/build_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace profgauge::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RunName, IsTheUsersName) {
  struct Row {
    std::string_view path, name;
  };
  const Row kRows[] = {
      {"run7.pt.trace.json.gz", "run7"},
      {"out/run7.pt.trace.json", "run7"},
      {"resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz", "resnet50_num_workers_0"},
      {"log/worker3_step_12.1694128201557.pt.trace.json.gz", "worker3_step_12"},
      {"rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", "rank-0.Apr_03_18_51_38.1102"},
      {"runs/resnet50/", "resnet50"},
      {"worker0.1623143089861.pt.trace.json", "worker0"},
      {"-", "-"},
      {".json", ".json"},
      {"a.b.json", "a.b"},
  };
  for (const Row& row : kRows) EXPECT_EQ(RunNameOf(row.path), row.name) << row.path;
}

TEST(LimitText, NamesTheSide) {
  EXPECT_EQ(LimitText(0.6, {}, Unit::kShare), "≥ 60\u202f%");
  EXPECT_EQ(LimitText({}, 3.6e8, Unit::kTime), "≤ 360\u202fms");
  EXPECT_EQ(LimitText(0.1, 0.6, Unit::kShare), "10\u202f% to 60\u202f%");
  EXPECT_EQ(LimitText({}, {}, Unit::kShare), "");
}

class BuildReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ranks_.resize(1);
    Profile& profile = ranks_[0];
    profile.source.path = "data/run7.pt.trace.json.gz";
    profile.source.format = "kineto";
    profile.source.hash = "0123456789abcdef0123456789abcdef";
    profile.origin_ns = 1'623'143'089'861'000'000;
    profile.facts = {{"schemaVersion", "1"},
                     {"cuda_runtime_version", "12040"},
                     {"record_shapes", "1"},
                     {"Framework", "PyTorch"}};
    profile.log.AddAt(Counter::events_negative_dur, "traceEvents[12]");
    analysis_.iteration_source = {IterationsBy::kProfilerSteps};
    analysis_.iterations_total = 12;
    analysis_.iterations_selected = 12;
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
      analysis::Metric metric;
      metric.spec = &spec;
      metric.absent_because = "not in this test";
      if (spec.id == "gpu.idle.mean") metric.value = 0.314;
      if (spec.id == "iteration.time.p95") metric.value = std::int64_t{343'000'000};
      analysis_.metrics.push_back(std::move(metric));
    }
  }

  void AddIterations(std::initializer_list<std::int64_t> indices) {
    Table table("iterations", "iteration", "Iterations", std::make_shared<StringPool>());
    Column& column = table.AddColumn({"index", "Iteration", Unit::kCount, ""});
    for (const std::int64_t index : indices) column.AddInteger(index);
    analysis_.iterations_selected = static_cast<std::int64_t>(indices.size());
    analysis_.tables.push_back(std::move(table));
  }

  Report Build() {
    BuildInput input;
    input.ranks = ranks_;
    input.analysis = &analysis_;
    input.options = {{"warmup", "3"}};
    if (is_judged_) {
      policy_.name = "builtin:recommended";
      policy_.hash = "abc";
      input.policy = &policy_;
      input.verdict = &verdict_;
    }
    return BuildReport(input);
  }

  std::vector<Profile> ranks_;
  analysis::Analysis analysis_;
  rules::Policy policy_;
  gate::Verdict verdict_;
  bool is_judged_ = false;
};

TEST_F(BuildReportTest, DescribesTheMeasurement) {
  const Report report = Build();
  EXPECT_EQ(report.profile.name, "run7");
  EXPECT_THAT(report.profile.sources, ElementsAre("data/run7.pt.trace.json.gz"));
  EXPECT_EQ(report.profile.captured, "2021-06-08T09:04:49Z");
  EXPECT_EQ(report.profile.framework, "PyTorch");
  EXPECT_THAT(report.profile.versions, ElementsAre(Pair("CUDA runtime", "12.4")));
  EXPECT_THAT(report.environment, ElementsAre(Pair("record_shapes", "1")));
  EXPECT_EQ(report.profile.selection, "all 12 iterations");
  EXPECT_THAT(report.provenance, ElementsAre(Pair("input", "0123456789abcdef0123456789abcdef"),
                                             Pair("option warmup", "3")));
  EXPECT_EQ(report.verdict.status, State::kNotJudged);
  EXPECT_THAT(report.gate, IsEmpty());
  ASSERT_EQ(report.import.size(), 1u);
  EXPECT_EQ(report.import[0].name, "events_negative_dur");
  EXPECT_THAT(report.import[0].examples, ElementsAre("traceEvents[12]"));
}

// Three digits say the same of both.
TEST_F(BuildReportTest, AMissReadsLikeOne) {
  is_judged_ = true;
  gate::GateResult missed;
  missed.threshold.metric = "iteration.time.p95";
  missed.threshold.max = 343'000'000;
  missed.measured = std::int64_t{343'000'804};
  missed.status = gate::GateStatus::kError;
  gate::GateResult met = missed;
  met.measured = std::int64_t{342'999'804};
  met.status = gate::GateStatus::kPass;
  verdict_.gate = {missed, met};
  const Report report = Build();
  ASSERT_EQ(report.gate.size(), 2u);
  EXPECT_EQ(report.gate[0].measured.text, "343.000804\u202fms");
  EXPECT_EQ(report.gate[0].limit, "≤ 343\u202fms");
  EXPECT_EQ(report.gate[1].measured.text, "343\u202fms");
}

TEST_F(BuildReportTest, MetricsCarryTheirTextAndDefinition) {
  const Report report = Build();
  // Every metric but those of devices that the run does not have.
  const auto ours = [](const analysis::MetricSpec& spec) { return spec.family.empty(); };
  ASSERT_EQ(report.metrics.size(), std::ranges::count_if(analysis::MetricCatalogue(), ours));
  const Metric* idle = FindMetricById(report, "gpu.idle.mean");
  EXPECT_EQ(idle->quantity.text, "31.4\u202f%");
  EXPECT_EQ(idle->better, Better::kLower);
  EXPECT_FALSE(idle->definition.empty());
  const Metric* wall = FindMetricById(report, "profile.wall_time");
  EXPECT_EQ(wall->quantity.text, "–");
  EXPECT_EQ(wall->quantity.absent_because, "not in this test");
}

TEST_F(BuildReportTest, BootClockIsNoDate) {
  ranks_[0].origin_ns = 1'234'567'000'000;
  EXPECT_EQ(Build().profile.captured, "");
}

TEST_F(BuildReportTest, SelectionInWords) {
  AddIterations({3, 4, 5});
  EXPECT_EQ(Build().profile.selection, "iterations 3 to 5 of 12");
}

TEST_F(BuildReportTest, SelectionNamesCutIterations) {
  AddIterations({0, 1, 2});
  analysis_.iterations_total = 5;
  EXPECT_EQ(Build().profile.selection, "iterations 0 to 2 of 5");
  analysis_.remarks.push_back({"incomplete-iterations", "the last 2 of 5 iterations are left out"});
  EXPECT_EQ(Build().profile.selection,
            "iterations 0 to 2 of 5; the last 2 are excluded as incomplete");
  Table others("other_iterations", "", "Others", std::make_shared<StringPool>());
  others.AddColumn({"index", "Iteration", Unit::kCount, ""}).AddInteger(3);
  analysis_.tables.push_back(std::move(others));
  EXPECT_EQ(Build().profile.selection,
            "iterations 0 to 2 of 5; the last is excluded as incomplete");
}

TEST_F(BuildReportTest, SelectionWithHoles) {
  AddIterations({3, 5, 9});
  EXPECT_EQ(Build().profile.selection, "3 of 12 iterations");
}

TEST_F(BuildReportTest, SelectionOfOne) {
  AddIterations({7});
  EXPECT_EQ(Build().profile.selection, "iteration 7 of 12");
}

TEST_F(BuildReportTest, RanksThatDifferAreListed) {
  ranks_.emplace_back();
  ranks_[1].source.hash = "ff";
  ranks_[1].facts = {{"cuda_runtime_version", "12040"}, {"record_shapes", "0"}};
  const Report report = Build();
  EXPECT_EQ(report.profile.ranks, 2);
  EXPECT_THAT(report.environment, ElementsAre(Pair("record_shapes", "1; 0")));
  EXPECT_THAT(report.provenance, ElementsAre(Pair("input 0", "0123456789abcdef0123456789abcdef"),
                                             Pair("input 1", "ff"), Pair("option warmup", "3")));
}

TEST_F(BuildReportTest, AThresholdShowsValueLimitAndRoom) {
  is_judged_ = true;
  rules::Threshold idle;
  idle.metric = "gpu.idle.mean";
  idle.max = 0.3;
  rules::Threshold time;
  time.metric = "iteration.time.p95";
  time.max = 360e6;
  time.level = rules::Level::kWarn;
  rules::Threshold missing;
  missing.metric = "memory.peak_share";
  missing.min = 0.1;
  missing.max = 0.9;
  verdict_.status = gate::VerdictStatus::kFail;
  verdict_.errors = 1;
  verdict_.reasons = {"gpu.idle.mean is too much"};
  verdict_.gate = {{idle, 0.314, gate::GateStatus::kError, "above", ""},
                   {time, std::int64_t{343'000'000}, gate::GateStatus::kPass, "", ""},
                   {missing, {}, gate::GateStatus::kMissing, "not in this test", ""}};
  const Report report = Build();
  EXPECT_EQ(report.verdict.status, State::kFail);
  EXPECT_EQ(report.verdict.policy, "builtin:recommended");
  ASSERT_EQ(report.gate.size(), 3u);
  EXPECT_EQ(report.gate[0].measured.text, "31.4\u202f%");
  EXPECT_EQ(report.gate[0].limit, "≤ 30\u202f%");
  EXPECT_EQ(report.gate[0].margin.text, "−1.4\u202fpoints");
  EXPECT_EQ(report.gate[0].status, State::kError);
  EXPECT_EQ(report.gate[1].limit, "≤ 360\u202fms");
  EXPECT_EQ(report.gate[1].margin.text, "+17.0\u202fms");
  EXPECT_EQ(report.gate[1].level, State::kWarn);
  EXPECT_EQ(report.gate[2].limit, "10\u202f% to 90\u202f%");
  EXPECT_EQ(report.gate[2].margin.text, "–");
  EXPECT_EQ(report.gate[2].reason, "not in this test");
}

TEST_F(BuildReportTest, ABaselineBecomesComparisonAndGateRows) {
  gate::RunComparison run;
  run.base_name = "main";
  run.baseline_runs = 2;
  run.differences = {{"driver", "535", "550", false}};
  gate::MetricComparison time;
  time.metric = "iteration.time.median";
  time.unit = Unit::kTime;
  time.base = 100e6;
  time.current = 110e6;
  time.change = 10e6;
  time.verdict = gate::stats::Change::kFail;
  time.limit = "≤ +5 %";
  gate::MetricComparison share = time;
  share.metric = "gpu.idle.mean";
  share.unit = Unit::kShare;
  share.base = 0.2, share.current = 0.25, share.change = 0.05;
  share.limit = "";
  gate::MetricComparison limited = share;
  limited.limit = "≤ +5 %";
  limited.level = rules::Level::kInfo;
  run.metrics = {time, share, limited};
  run.waterfall.delta = 10;
  run.waterfall.steps = {
      {gate::PartLevel::kCategory, "cpu", -1, gate::PartChange::kChanged, 1, 11, 10}};
  BuildInput input;
  input.ranks = ranks_;
  input.analysis = &analysis_;
  input.comparison = &run;
  const Report report = BuildReport(input);
  ASSERT_TRUE(report.comparison);
  EXPECT_EQ(report.comparison->metrics[0].change.text, "+10.0\u202f%");
  EXPECT_EQ(report.comparison->metrics[1].change.text, "+5.0\u202fpoints");
  EXPECT_EQ(report.comparison->metrics[2].change.text, "+25.0\u202f%");
  EXPECT_EQ(report.comparison->waterfall[0].delta, 10);
  ASSERT_EQ(report.gate.size(), 2u);
  EXPECT_EQ(report.gate[0].status, State::kError);
  EXPECT_EQ(report.gate[0].baseline.text, "100\u202fms");
  EXPECT_EQ(report.gate[0].measured.text, "110\u202fms");
}

TEST_F(BuildReportTest, IncomparableBaselineIsNotApplicable) {
  AddIterations({0});
  gate::RunComparison run;
  run.differences = {{"gpu", "Tesla V100", "NVIDIA A100", true}};
  run.is_comparable = run.is_judged = false;
  gate::MetricComparison time;
  time.metric = "iteration.time.median";
  time.unit = Unit::kTime;
  time.base = 100e6, time.current = 200e6, time.change = 100e6;
  time.verdict = gate::stats::Change::kFail;
  time.limit = "≤ +5 %";
  run.metrics = {time};
  BuildInput input;
  input.ranks = ranks_;
  input.analysis = &analysis_;
  input.comparison = &run;
  const Report report = BuildReport(input);
  ASSERT_EQ(report.gate.size(), 1u);
  EXPECT_EQ(report.gate[0].status, State::kNotApplicable);
  EXPECT_EQ(report.gate[0].reason,
            "the baseline is not comparable: gpu is `Tesla V100` there and `NVIDIA A100` here");
  EXPECT_EQ(report.comparison->metrics[0].result, State::kNotApplicable);
}

TEST_F(BuildReportTest, TablesAreCopiedOrMoved) {
  AddIterations({0});
  analysis_.tables.emplace_back("ops", "op", "Operators", std::make_shared<StringPool>());
  analysis_.absent_tables = {{"memory_events", "no events"}, {"ops", "no operators"}};
  EXPECT_EQ(Build().tables.size(), 1u);
  EXPECT_THAT(Build().absent_tables,
              ElementsAre(Pair("ops", "no operators"), Pair("memory_events", "no events")));
  BuildInput input;
  input.ranks = ranks_;
  input.analysis = &analysis_;
  input.tables = &analysis_.tables;
  EXPECT_EQ(BuildReport(input).tables.size(), 1u);
  EXPECT_THAT(analysis_.tables, IsEmpty());
}

}  // namespace
}  // namespace profgauge::report
