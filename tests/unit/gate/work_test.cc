#include "gate/work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/baseline_verdict.h"
#include "gate/compare.h"

namespace profgauge::gate {
namespace {

using testing::Sample;

struct Name {
  std::string name;
  std::int64_t count = 0;
  Ns time = 0;
};

// Ten iterations of these kernels, each with its launches and time an iteration.
Snapshot Doing(const std::vector<Name>& kernels, double level = 1) {
  Snapshot run = Sample(level);
  run.work.iterations = 10;
  run.work.has_gpu = true;
  for (const Name& one : kernels) {
    analysis::breakdown::WorkSum sum;
    sum.name = one.name;
    sum.count = 10 * one.count;
    sum.gpu_time = 10 * one.time;
    run.work.kernels.push_back(sum);
  }
  return run;
}

WorkKind KindOf(const std::vector<Name>& base, const std::vector<Name>& run) {
  return CompareWork(std::vector{Doing(base)}, std::vector{Doing(run)}).kind;
}

const std::vector<Name> kStep = {
    {"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}, {"adamw", 20, 500}};

TEST(Work, HasAKind) {
  struct Row {
    std::string_view what;
    std::vector<Name> run;
    WorkKind kind;
  };
  const Row kRows[] = {
      {"the same", kStep, WorkKind::kSame},
      {"a launch more or less",
       {{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}, {"adamw", 19, 475}},
       WorkKind::kSame},
      {"slower",
       {{"gemm", 40, 8000}, {"softmax", 20, 1000}, {"relu", 20, 500}, {"adamw", 20, 500}},
       WorkKind::kSame},
      {"more work",
       {{"gemm", 80, 8000}, {"softmax", 40, 2000}, {"relu", 40, 1000}, {"adamw", 40, 1000}},
       WorkKind::kChanged},
      {"half of each step",
       {{"gemm", 20, 2000}, {"softmax", 10, 500}, {"relu", 10, 250}, {"adamw", 20, 500}},
       WorkKind::kLess},
      {"one kernel skipped",
       {{"gemm", 40, 5600}, {"softmax", 20, 1400}, {"relu", 20, 700}},
       WorkKind::kLess},
      {"fused",
       {{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"fused", 20, 700}},
       WorkKind::kChanged},
      {"a tiny kernel in its place",
       {{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}, {"a", 20, 10}},
       WorkKind::kLess},
      {"other names", {{"k1", 40, 9000}, {"k2", 60, 9000}}, WorkKind::kOther},
      {"nothing was computed",
       {{"gemm", 40, 200}, {"softmax", 20, 50}, {"relu", 20, 25}, {"adamw", 20, 25}},
       WorkKind::kCollapsed},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(WorkKindName(KindOf(kStep, row.run)), WorkKindName(row.kind)) << row.what;
  }
}

TEST(Work, ScalingLaunchesIsNeverAnImprovement) {
  for (int m = 2; m < 20; ++m) {
    std::vector<Name> part = {{"gemm", 240 / m, 24000 / m}, {"relu", 120 / m, 6000 / m}};
    EXPECT_NE(KindOf({{"gemm", 240, 24000}, {"relu", 120, 6000}}, part), WorkKind::kSame) << m;
    EXPECT_NE(KindOf({{"gemm", 240, 24000}, {"relu", 120, 6000}}, part), WorkKind::kChanged) << m;
  }
}

TEST(Work, NamesWhatWentAndCame) {
  const WorkChange work = CompareWork(
      std::vector{Doing(kStep)},
      std::vector{Doing({{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}})});
  EXPECT_TRUE(work.gone.starts_with("`adamw` (20 an iteration, 8.3")) << work.gone;
  EXPECT_EQ(work.come, "");
  const std::string why = WhyNoTimes(work, false, true).value_or("");
  EXPECT_TRUE(why.find("new: nothing") != std::string::npos) << why;
  EXPECT_TRUE(why.ends_with("[baseline/less-work]")) << why;
  EXPECT_FALSE(WhyNoTimes(work, true, false));  // Slower all the same.
}

TEST(Work, IsJudgedWhereTheProgramCountsTheSame) {
  Snapshot base = Doing(kStep), run = Doing({{"k1", 40, 9000}});
  EXPECT_TRUE(LeavesOpen(CompareWork(std::vector{base}, std::vector{run})));
  base.samples = run.samples = 64;
  EXPECT_EQ(CompareWork(std::vector{base}, std::vector{run}).kind, WorkKind::kChanged);
  run.samples = 32;
  const WorkChange half = CompareWork(std::vector{base}, std::vector{run});
  EXPECT_EQ(half.kind, WorkKind::kChanged);
  EXPECT_TRUE(half.by_sample);
}

TEST(Work, MayDifferAsMuchAsItDoesByItself) {
  const std::vector<Name> fewer = {
      {"gemm", 36, 3600}, {"softmax", 18, 900}, {"relu", 18, 450}, {"adamw", 18, 450}};
  EXPECT_EQ(CompareWork(std::vector{Doing(kStep)}, std::vector{Doing(fewer)}).kind,
            WorkKind::kLess);
  EXPECT_NE(CompareWork(std::vector{Doing(kStep), Doing(fewer)}, std::vector{Doing(fewer)}).kind,
            WorkKind::kLess);
}

TEST(Work, FewerLaunchesOfLessWorkAreNoImprovement) {
  const auto count_of = [](const std::vector<Name>& kernels) {
    Snapshot base = Doing(kStep), run = Doing(kernels);
    base.metrics["kernel.count_per_iteration"] = 100;
    run.metrics["kernel.count_per_iteration"] = 80;
    const RunComparison compared =
        CompareRuns(std::vector{base}, std::vector{run}, nullptr, ComparePurpose::kJudge, false);
    const auto found = std::ranges::find(compared.metrics, "kernel.count_per_iteration",
                                         &MetricComparison::metric);
    return found == compared.metrics.end() ? stats::Change::kFail : found->verdict;
  };
  EXPECT_EQ(count_of(kStep), stats::Change::kImproved);
  EXPECT_EQ(count_of({{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}}),
            stats::Change::kPass);
}

int ExitOf(const Snapshot& base, const Snapshot& run, const std::string& accept = "") {
  const Acceptance acceptance{*ParseAcceptance(accept), "anna"};
  RunComparison comparison =
      CompareRuns(std::vector{base}, std::vector{run}, nullptr, ComparePurpose::kJudge,
                  acceptance.About(kAcceptWork) != nullptr);
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, {}, verdict, acceptance);
  return ExitCodeOf(verdict, false);
}

TEST(Work, GuardsTheVerdict) {
  const std::vector<Name> less = {{"gemm", 40, 4000}, {"softmax", 20, 1000}, {"relu", 20, 500}};
  EXPECT_EQ(ExitOf(Doing(kStep), Doing(kStep)), 0);
  EXPECT_EQ(ExitOf(Doing(kStep), Doing(less, 0.7)), 3);
  EXPECT_EQ(ExitOf(Doing(kStep), Doing(less, 1.6)), 1);
  EXPECT_EQ(ExitOf(Doing(kStep), Doing({{"k", 40, 4000}}, 1.6)), 3);
  // Accepted is the work, not the time.
  EXPECT_EQ(ExitOf(Doing(kStep), Doing(less, 0.7), "work: no optimizer"), 0);
  EXPECT_EQ(ExitOf(Doing(kStep), Doing({{"k", 40, 4000}}, 3), "work: compiled"), 1);
  EXPECT_EQ(ExitOf(Doing(kStep), Doing(less, 0.7), "wider"), 3);
}

// Latencies of answered requests say nothing of those that were not.
TEST(Work, OfALoadTestIsWhatWasAnswered) {
  const auto answering = [](double requests, double tokens, double failed) {
    Snapshot run = Sample(1);
    run.answered = requests;
    run.answered_tokens = tokens;
    run.metrics["serve.failed_share"] = failed;
    return run;
  };
  const std::vector<Snapshot> base = {answering(400, 51200, 0), answering(400, 51200, 0)};
  struct Row {
    double requests, tokens, failed;
    std::string_view told;
  };
  for (const Row& row : {Row{400, 51200, 0, ""}, Row{399, 51072, 0.0025, ""},
                         Row{267, 34176, 0.3325, "133 of 400 requests failed"},
                         Row{300, 51200, 0, "300 requests were completed, in the baseline 400"},
                         Row{400, 25600, 0, "25600 output tokens were completed"}}) {
    const std::vector<Snapshot> run = {answering(row.requests, row.tokens, row.failed)};
    const WorkChange work = CompareWork(base, run);
    EXPECT_EQ(work.kind, row.told.empty() ? WorkKind::kSame : WorkKind::kLess) << row.told;
    EXPECT_TRUE(work.answered.starts_with(row.told)) << work.answered;
    EXPECT_EQ(WhyNoTimes(work, false, true).has_value(), !row.told.empty());
    EXPECT_EQ(CompareWork(base, run, true).kind,
              row.told.empty() ? WorkKind::kSame : WorkKind::kChanged);
  }
}

}  // namespace
}  // namespace profgauge::gate
