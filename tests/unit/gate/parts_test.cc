// Single kernels, collectives and modules that became slower, against chance.
#include "gate/parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare_fixture.h"
#include "gate/compare.h"
#include "gate/snapshot.h"

namespace profgauge::gate {
namespace {

constexpr int kIterations = 12;
constexpr double kIterationNs = 1e8;

// Even numbers in [-1, 1), the same on every machine.
class Even {
 public:
  double Next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 33) / static_cast<double>(1U << 30) - 1;
  }

 private:
  std::uint64_t state_ = 42;
};

using Sums = std::vector<analysis::breakdown::WorkSum> analysis::breakdown::WorkSums::*;

struct Part {
  std::string name;
  double share = 0.02;  ///< Share of the iteration.
};

// Parts of a run, each off by up to half a per cent; iterations by up to two.
Snapshot RunOf(const std::vector<Part>& parts, Sums sums, Even& even, double clock = 1) {
  Snapshot run;
  run.iteration_times.assign(kIterations, static_cast<Ns>(kIterationNs));
  run.work.iterations = kIterations;
  run.work.has_gpu = true;
  for (const Part& part : parts) {
    analysis::breakdown::WorkSum& sum = (run.work.*sums).emplace_back();
    sum.name = part.name;
    sum.count = kIterations;
    const double level = part.share * kIterationNs * clock * (1 + 0.005 * even.Next());
    for (int i = 0; i < kIterations; ++i) {
      sum.series.push_back(static_cast<Ns>(level * (1 + 0.02 * even.Next())));
      sum.gpu_time += sum.series.back();
    }
  }
  return run;
}

std::vector<Part> FortyParts(double of_third = 0.02) {
  std::vector<Part> parts;
  for (int i = 0; i < 40; ++i) parts.push_back({"part " + std::to_string(i)});
  parts[3].share = of_third;
  return parts;
}

PartFindings Judged(const std::vector<Part>& base, const std::vector<Part>& current,
                    Sums sums = &analysis::breakdown::WorkSums::kernels, double clock = 1,
                    int runs = 20) {
  Even even;
  std::vector<Snapshot> baselines;
  for (int i = 0; i < runs; ++i) baselines.push_back(RunOf(base, sums, even));
  return JudgeParts(baselines, RunOf(current, sums, even, clock), sums, {}, 0.01);
}

// As if two candidates showed the same.
ConfirmedParts TwiceOf(const PartFindings& findings) {
  return ConfirmParts(std::vector<PartFindings>{findings, findings}, nullptr);
}

TEST(JudgeParts, FindsTheSlowerOneOfForty) {
  for (const Sums sums :
       {&analysis::breakdown::WorkSums::kernels, &analysis::breakdown::WorkSums::ops,
        &analysis::breakdown::WorkSums::collectives, &analysis::breakdown::WorkSums::modules}) {
    const PartFindings findings = Judged(FortyParts(), FortyParts(0.0216), sums);
    ASSERT_EQ(findings.found.size(), 1U);
    EXPECT_EQ(findings.found[0].name, "part 3");
    EXPECT_NEAR(findings.found[0].change, 0.08, 0.02);
    EXPECT_EQ(findings.tested, 40U);
  }
}

TEST(JudgeParts, FindsNothingWhereNothingChanged) {
  Even even;
  int alarms = 0;
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<Snapshot> baselines;
    for (int i = 0; i < 10; ++i)
      baselines.push_back(RunOf(FortyParts(), &analysis::breakdown::WorkSums::ops, even));
    const Snapshot run = RunOf(FortyParts(), &analysis::breakdown::WorkSums::ops, even);
    alarms +=
        !JudgeParts(baselines, run, &analysis::breakdown::WorkSums::ops, {}, 0.01).found.empty();
  }
  EXPECT_EQ(alarms, 0);
}

// A clock moves all parts alike, which the typical iteration shows.
TEST(JudgeParts, LeavesOutCommonChange) {
  EXPECT_TRUE(Judged(FortyParts(), FortyParts(), &analysis::breakdown::WorkSums::kernels, 1.2)
                  .found.empty());
  const PartFindings both =
      Judged(FortyParts(), FortyParts(0.0216), &analysis::breakdown::WorkSums::kernels, 1.2);
  ASSERT_EQ(both.found.size(), 1U);
  EXPECT_NEAR(both.common, 0.2, 0.02);
  const std::string text = PartsText(TwiceOf(both), "kernel");
  EXPECT_NE(text.find("; the typical kernel +2"), std::string::npos) << text;
  EXPECT_NE(text.find(", which is taken off"), std::string::npos) << text;
}

// Twenty of forty parts by +20 %: the others show that no machine became slower, so that nothing is
// common; and those that did not become 10 % faster with the others did not become slower.
TEST(JudgeParts, TakesOffOnlyWhatSlowsNearlyAll) {
  std::vector<Part> half = FortyParts(), fast = FortyParts();
  for (std::size_t i = 0; i < half.size(); i += 2) half[i].share *= 1.2;
  for (std::size_t i = 4; i < fast.size(); ++i) fast[i].share *= 0.9;
  const PartFindings slower = Judged(FortyParts(), half);
  EXPECT_EQ(slower.found.size(), 20U);
  EXPECT_EQ(slower.taken, 0);
  EXPECT_FALSE(slower.is_common);
  EXPECT_TRUE(Judged(FortyParts(), fast).found.empty());
}

TEST(JudgeParts, TellsWhatSlowsAll) {
  const PartFindings all =
      Judged(FortyParts(), FortyParts(), &analysis::breakdown::WorkSums::kernels, 1.3);
  EXPECT_TRUE(all.is_common);
  EXPECT_TRUE(all.is_alike);
  EXPECT_EQ(all.alike, 40U);
  EXPECT_EQ(PartsCommonText(TwiceOf(all), "kernel"),
            "40 kernels of the same work are all about 30 % slower in 2 runs; that is no single "
            "kernel, and no limit on time is missed");
  const std::vector<PartFindings> once = {all};
  EXPECT_NE(PartsCommonText(ConfirmParts(once, nullptr), "kernel").find("slower in this run;"),
            std::string::npos);
  EXPECT_NE(PartsCommonText(ConfirmParts(once, &all), "kernel").find("and the one before;"),
            std::string::npos);
  const PartFindings same = Judged(FortyParts(), FortyParts());
  EXPECT_EQ(PartsCommonText(TwiceOf(same), "kernel"), "");
}

// A step that only warns passes, and its runs become baselines: they do not hide it.
TEST(JudgeParts, RunsOfTheStepAreNoBaseline) {
  constexpr Sums kSums = &analysis::breakdown::WorkSums::kernels;
  Even even;
  std::vector<Snapshot> baselines;
  for (int i = 0; i < 10; ++i) baselines.push_back(RunOf(FortyParts(), kSums, even));
  for (int i = 0; i < 4; ++i) baselines.push_back(RunOf(FortyParts(0.028), kSums, even));
  const Snapshot run = RunOf(FortyParts(0.028), kSums, even);
  EXPECT_TRUE(JudgeParts(baselines, run, kSums, {}, 0.01).found.empty());
  const PartFindings found = JudgeParts(baselines, run, kSums, {}, 0.01, true);
  ASSERT_EQ(found.found.size(), 1U);
  EXPECT_NEAR(found.found[0].change, 0.4, 0.03);
  EXPECT_EQ(found.found[0].of_runs, 10U);
  const std::vector<PartFindings> once = {found};
  const std::string text = PartsText(ConfirmParts(once, &found), "kernel");
  EXPECT_NE(text.find("10 runs of the history before it)"), std::string::npos) << text;
}

// A kernel under another name is compared with the one that it replaces.
TEST(JudgeParts, ComparesNewNamesWithGoneOnes) {
  std::vector<Part> before = FortyParts(), after = FortyParts();
  before[5] = {"gemm_128x64", 0.02};
  after[5] = {"gemm_64x64", 0.03};
  const PartFindings findings = Judged(before, after);
  ASSERT_EQ(findings.found.size(), 1U);
  EXPECT_EQ(findings.found[0].name, "others");
  EXPECT_EQ(findings.found[0].names, "gemm_64x64 for gemm_128x64");
  EXPECT_TRUE(PartsText(TwiceOf(findings), "kernel")
                  .starts_with("kernel group under other names (gemm_64x64 for gemm_128x64): +"));
  EXPECT_NEAR(findings.found[0].change, 0.5, 0.05);
  EXPECT_TRUE(findings.lone.empty());
  after[5].share = 0.02;
  EXPECT_TRUE(Judged(before, after).found.empty());
}

TEST(JudgeParts, PoolsKernelsByOperatorType) {
  Even even;
  const auto with = [&](const std::string& name, double share) {
    std::vector<Part> parts = FortyParts();
    parts[5] = {name, share};
    Snapshot run = RunOf(parts, &analysis::breakdown::WorkSums::kernels, even);
    analysis::breakdown::TimePart part;
    part.op_type = "mm";
    part.op = "aten::mm";
    part.kernel = name;
    part.time = 1;
    run.parts = {part};
    run.work.ops = {{"aten::mm", kIterations, static_cast<Ns>(share * 1e9), 0, {}}};
    return run;
  };
  std::vector<Snapshot> baselines;
  for (int i = 0; i < 20; ++i) baselines.push_back(with("gemm_a", 0.02));
  const PartFindings pooled = JudgeParts(baselines, with("gemm_b", 0.03),
                                         &analysis::breakdown::WorkSums::kernels, {}, 0.01);
  ASSERT_EQ(pooled.found.size(), 1U);
  EXPECT_EQ(pooled.found[0].name, "mm: others");
  EXPECT_EQ(PartTitle("kernel", pooled.found[0].name, pooled.found[0].names),
            "kernel group of mm under other names (gemm_b for gemm_a)");
  // The operator that launches a slower kernel is named with its own change, which
  // excludes the common one, too.
  const PartFindings named = JudgeParts(baselines, with("gemm_a", 0.024),
                                        &analysis::breakdown::WorkSums::kernels, {}, 0.01);
  ASSERT_EQ(named.found.size(), 1U);
  EXPECT_TRUE(named.found[0].above.starts_with("aten::mm +19.")) << named.found[0].above;
}

TEST(JudgeParts, ReportsPartsWithoutCounterpart) {
  std::vector<Part> more = FortyParts();
  more.push_back({"fused_x", 0.031});
  const PartFindings added = Judged(FortyParts(), more);
  EXPECT_TRUE(added.found.empty());
  ASSERT_EQ(added.lone.size(), 1U);
  EXPECT_TRUE(added.lone[0].is_new);
  EXPECT_EQ(LonePartTexts(TwiceOf(added), "kernel").front().substr(0, 24),
            "kernels fused_x are new:");
  const PartFindings gone = Judged(more, FortyParts());
  ASSERT_EQ(gone.lone.size(), 1U);
  EXPECT_FALSE(gone.lone[0].is_new);
}

TEST(JudgeParts, NeedsFiveRuns) {
  EXPECT_FALSE(Judged(FortyParts(), FortyParts(0.04), &analysis::breakdown::WorkSums::modules, 1, 4)
                   .is_judged);
  EXPECT_TRUE(Judged(FortyParts(), FortyParts(0.04), &analysis::breakdown::WorkSums::modules, 1, 5)
                  .is_judged);
}

PartFindings FoundParts(std::vector<std::string> names, double change = 0.2) {
  PartFindings findings;
  findings.runs = 10;
  findings.is_judged = true;
  for (std::string& name : names)
    findings.found.push_back({std::move(name), {}, change, 0.01, 1e-9, 10, {}, 1});
  return findings;
}

TEST(ConfirmParts, IsSlowerInTwoOfTheRuns) {
  const std::vector<PartFindings> each = {FoundParts({"a", "b"}), FoundParts({"c"}),
                                          FoundParts({"b"}, 0.3)};
  const ConfirmedParts parts = ConfirmParts(each, nullptr);
  ASSERT_EQ(parts.slower.size(), 1U);
  EXPECT_EQ(parts.slower[0].name, "b");
  EXPECT_EQ(parts.slower[0].in_runs, 2U);
  EXPECT_NEAR(parts.slower[0].change, std::sqrt(1.2 * 1.3) - 1, 1e-9);
  EXPECT_EQ(parts.once.size(), 2U);
  EXPECT_FALSE(parts.IsOpen());
  EXPECT_EQ(testing::Plain(PartsText(parts, "kernel")),
            "kernel b: +24.9 % in 2 runs (1.0 % of the iteration; by chance under 1 of 100 000; 10 "
            "baseline runs)");
  EXPECT_EQ(testing::Plain(PartsOnceText(parts, "kernel")),
            "kernel a: +20.0 %, kernel c: +20.0 % in one of 3 runs only");
}

TEST(ConfirmParts, OfOneRunASecondDecides) {
  const std::vector<PartFindings> one = {FoundParts({"a"})};
  const ConfirmedParts once = ConfirmParts(one, nullptr);
  EXPECT_TRUE(once.slower.empty());
  EXPECT_TRUE(once.IsOpen());
  EXPECT_EQ(testing::Plain(PartsOnceText(once, "kernel")),
            "kernel a: +20.0 % in this run; one run may be chance. A second run "
            "decides: profgauge check A B --baseline …");
}

TEST(ConfirmParts, TheRunBeforeConfirmsWhatItShows) {
  const std::vector<PartFindings> one = {FoundParts({"a", "b"})};
  const PartFindings newest = FoundParts({"b", "c"});
  const ConfirmedParts parts = ConfirmParts(one, &newest);
  ASSERT_EQ(parts.slower.size(), 1U);
  EXPECT_EQ(parts.slower[0].name, "b");
  EXPECT_NE(
      testing::Plain(PartsText(parts, "kernel")).find("+20.0 % in this run and the one before ("),
      std::string::npos);
  ASSERT_EQ(parts.once.size(), 1U);
  EXPECT_EQ(parts.once[0].name, "a");
}

TEST(CompareParts, TheNewestRunLeavesTheBaselineFromSixOn) {
  const std::vector<Snapshot> six(6), five(5), one(1);
  EXPECT_EQ(WithNewest(six, one).baselines.size(), 5U);
  EXPECT_EQ(WithNewest(six, one).newest, &six.back());
  EXPECT_EQ(WithNewest(five, one).baselines.size(), 5U);
  EXPECT_EQ(WithNewest(five, one).newest, nullptr);
}

// Without any limit in the policy kernels are judged, as warnings; else only what it names.
TEST(CompareParts, JudgesKernelsByDefault) {
  Even even;
  std::vector<Snapshot> baselines;
  for (int i = 0; i < 5; ++i)
    baselines.push_back(RunOf(FortyParts(), &analysis::breakdown::WorkSums::kernels, even));
  std::vector<Snapshot> slower;
  for (int i = 0; i < 2; ++i)
    slower.push_back(RunOf(FortyParts(0.03), &analysis::breakdown::WorkSums::kernels, even));
  RunComparison comparison;
  CompareParts({baselines, slower}, {}, comparison);
  ASSERT_EQ(comparison.parts.size(), 1U);
  EXPECT_EQ(comparison.parts[0].level, rules::Level::kWarn);
  EXPECT_FALSE(comparison.parts[0].found.empty());
  EXPECT_TRUE(comparison.parts[0].once.empty());
  comparison = {};
  CompareParts({baselines, std::span(slower).first(1)}, {}, comparison);
  ASSERT_EQ(comparison.parts.size(), 1U);
  EXPECT_TRUE(comparison.parts[0].found.empty());
  EXPECT_FALSE(comparison.parts[0].once.empty());
  comparison = {};
  CompareParts({baselines, std::span(slower).first(1), &slower.back()}, {}, comparison);
  EXPECT_FALSE(comparison.parts.front().found.empty());
  rules::PolicyBaseline limited;
  limited.limits.push_back({});
  comparison = {};
  CompareParts({baselines, slower}, limited, comparison);
  EXPECT_TRUE(comparison.parts.empty());
  comparison = {};
  CompareParts({std::span(baselines).first(4), slower}, {}, comparison);
  EXPECT_TRUE(comparison.parts.empty());
  EXPECT_TRUE(comparison.notes.empty());
}

// A limit on parts that nobody recorded is missing, as one on a metric is.
TEST(CompareParts, PartsThatNoRunHasAreMissing) {
  Even even;
  std::vector<Snapshot> baselines;
  for (int i = 0; i < 5; ++i)
    baselines.push_back(RunOf(FortyParts(), &analysis::breakdown::WorkSums::kernels, even));
  const std::vector<Snapshot> runs = {baselines.front()};
  rules::PolicyBaseline policy;
  policy.modules.emplace();
  RunComparison comparison;
  CompareParts({baselines, runs}, policy, comparison);
  ASSERT_EQ(comparison.parts.size(), 1U);
  EXPECT_EQ(comparison.parts[0].missing, "no run has any; record with `with_modules=True`");
  policy.modules->is_optional = true;
  comparison = {};
  CompareParts({baselines, runs}, policy, comparison);
  EXPECT_TRUE(comparison.parts.empty());
}

// A machine that slows all kernels is told where no limit on time tells it.
TEST(CompareParts, TellsACommonChange) {
  Even even;
  std::vector<Snapshot> baselines, slower;
  for (int i = 0; i < 5; ++i)
    baselines.push_back(RunOf(FortyParts(), &analysis::breakdown::WorkSums::kernels, even));
  for (int i = 0; i < 2; ++i)
    slower.push_back(RunOf(FortyParts(), &analysis::breakdown::WorkSums::kernels, even, 1.3));
  RunComparison comparison;
  CompareParts({baselines, slower}, {}, comparison);
  ASSERT_EQ(comparison.parts.size(), 1U);
  EXPECT_TRUE(comparison.parts[0].is_common_confirmed);
  EXPECT_NE(comparison.parts[0].common, "");
  EXPECT_TRUE(comparison.parts[0].found.empty());
}

// Each benchmark has its own number of values; a change of all of them is no common one.
TEST(JudgeParts, BenchmarksAreOfNoIteration) {
  constexpr Sums kSums = &analysis::breakdown::WorkSums::benchmarks;
  const auto as_benchmarks = [](Snapshot run) {
    run.iteration_times = {0};
    return run;
  };
  Even even;
  std::vector<Snapshot> baselines;
  for (int i = 0; i < 10; ++i) {
    baselines.push_back(as_benchmarks(RunOf({{"a"}, {"b", 0.0001}}, kSums, even)));
  }
  const Snapshot same = as_benchmarks(RunOf({{"a"}, {"b", 0.0001}}, kSums, even));
  const Snapshot slow = as_benchmarks(RunOf({{"a", 0.04}, {"b", 0.0002}}, kSums, even));
  const Snapshot other = as_benchmarks(RunOf({{"a"}, {"c"}}, kSums, even));
  const rules::PartLimit limit{{}, 0.05, 0, rules::Level::kError};
  EXPECT_TRUE(JudgeParts(baselines, same, kSums, limit, 0.01).found.empty());
  const PartFindings both = JudgeParts(baselines, slow, kSums, limit, 0.01);
  EXPECT_EQ(both.found.size(), 2U);
  const std::vector<PartFindings> twice = {both, both};
  const std::string slower = PartsText(ConfirmParts(twice, nullptr), "benchmark");
  EXPECT_EQ(slower.find("of the iteration"), std::string::npos);
  EXPECT_NE(slower.find("; also benchmark "), std::string::npos) << slower;
  const PartFindings lone = JudgeParts(baselines, other, kSums, limit, 0.01);
  EXPECT_TRUE(lone.found.empty());
  ASSERT_EQ(lone.lone.size(), 2U);
  const std::vector<PartFindings> once = {lone};
  EXPECT_EQ(LonePartTexts(ConfirmParts(once, nullptr), "benchmark").front(),
            "benchmark c is new: there is nothing to compare it with");
}

TEST(JudgeParts, SaysWhereTheSpreadIsAssumed) {
  Even even;
  std::vector<Snapshot> baselines;
  constexpr Sums kSums = &analysis::breakdown::WorkSums::kernels;
  for (int i = 0; i < 20; ++i) baselines.push_back(RunOf(FortyParts(), kSums, even));
  Snapshot run = RunOf(FortyParts(0.04), kSums, even);
  const auto text = [&] {
    return PartsText(TwiceOf(JudgeParts(baselines, run, kSums, {}, 0.01)), "kernel");
  };
  EXPECT_EQ(text().find("assumed"), std::string::npos) << text();
  run.work.kernels[3].series.clear();
  EXPECT_NE(text().find("spread between iterations assumed"), std::string::npos) << text();
}

TEST(JudgeParts, CountsPartsWithoutCounterpartThatAreNotNamed) {
  ConfirmedParts parts;
  for (int i = 0; i < 10; ++i) parts.lone.push_back({fmt::format("k{}", i), "", 0.02, true});
  EXPECT_EQ(LonePartTexts(parts, "kernel").size(), 10U);
  for (int i = 0; i < 3; ++i) parts.lone.push_back({fmt::format("l{}", i), "", 0.01, true});
  const std::vector<std::string> texts = LonePartTexts(parts, "kernel");
  ASSERT_EQ(texts.size(), 11U);
  EXPECT_EQ(texts.back(), "3 more kernels are new or gone, with nothing to compare");
}

}  // namespace
}  // namespace profgauge::gate
