#include "gate/verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"
#include "gate/baseline_verdict.h"
#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

TEST(Verdict, LimitsAndLevels) {
  const analysis::Analysis idle = MakeAnalysis({{"gpu.idle.mean", 0.42}});
  Expect("thresholds: {gpu.idle.mean: {max: 50%}}", idle, {kPass, 0, "pass", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 42%}}", idle, {kPass, 0, "pass", ""});  // Inclusive.
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", idle,
         {kFail, 1, "error", "gpu.idle.mean is 42.0 %, above the limit of 30 %\n"});
  Expect("thresholds: {gpu.idle.mean: {min: 50%, side: any}}", idle,
         {kFail, 1, "error", "gpu.idle.mean is 42.0 %, below the limit of 50 %\n"});
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", MakeAnalysis({{"gpu.idle.mean", 0.3004}}),
         {kFail, 1, "error", "gpu.idle.mean is 30.04 %, above the limit of 30 %\n"});
  Expect("thresholds: {gpu.idle.mean: {max: 30%, level: warn}}", idle, {kPass, 0, "warn", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 30%, level: info}}", idle, {kPass, 0, "info", ""});
  Expect("fail_on: warn\nthresholds: {gpu.idle.mean: {max: 30%, level: warn}}", idle,
         {kFail, 1, "warn", "gpu.idle.mean is 42.0 %, above the limit of 30 %\n"});
  Expect("fail_on: never\nthresholds: {gpu.idle.mean: {max: 30%}}", idle, {kPass, 0, "error", ""});
  Expect("thresholds: {gpu.idle.mean: [{max: 15%, level: warn}, {max: 50%}]}", idle,
         {kPass, 0, "warn pass", ""});
}

TEST(Verdict, MissingMetrics) {
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", {}}});
  constexpr std::string_view kMissing = "gpu.idle.mean is missing: no such events were recorded\n";
  Expect("thresholds: {gpu.idle.mean: [{max: 9%}, {max: 5%, level: warn}]}", analysis,
         {kNoVerdict, 3, "missing missing", kMissing});
  Expect("thresholds: {gpu.idle.mean: {max: 9%, level: info}}", analysis,
         {kPass, 0, "missing", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 9%, on_missing: skip}}", analysis,
         {kPass, 0, "skipped", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 9%, on_missing: fail}}", analysis,
         {kFail, 1, "missing", kMissing});
  Expect("on_missing: fail\nthresholds: {gpu.idle.mean: {max: 9%, level: warn}}", analysis,
         {kPass, 0, "missing", ""});
  Expect("on_missing: fail\nthresholds: {gpu.idle.mean: {max: 9%, on_missing: no_verdict}}",
         analysis, {kNoVerdict, 3, "missing", kMissing});
}

// What only the profiler may have made is the warning that the policy has beside the error.
TEST(Verdict, AnErrorOfTheProfilerIsAWarning) {
  analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.41}});
  analysis.metrics[0].may_be = 0.29;
  analysis.metrics[0].note = "29.0 % without the profiler";
  constexpr std::string_view kBoth =
      "thresholds: {gpu.idle.mean: [{max: 30%}, {max: 15%, level: warn}]}";
  Expect(kBoth, analysis,
         {kNoVerdict, 3, "low_confidence warn",
          "gpu.idle.mean is 41.0 %, above the limit of 30 %, but uncertain: 29.0 % without the "
          "profiler\n"});
  analysis.metrics[0].is_slowed = true;
  Expect(kBoth, analysis, {kPass, 0, "warn warn", ""});
  // Without such a warning nothing would be left of the miss.
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", analysis,
         {kNoVerdict, 3, "low_confidence",
          "gpu.idle.mean is 41.0 %, above the limit of 30 %, but uncertain: 29.0 % without the "
          "profiler\n"});
  analysis.metrics[0].may_be = 0.31;
  Expect(kBoth, analysis,
         {kFail, 1, "error warn", "gpu.idle.mean is 41.0 %, above the limit of 30 %\n"});
}

TEST(Verdict, UncertainMissesNeitherFailNorPass) {
  const analysis::Analysis analysis = MakeAnalysis({{"iteration.time.robust_cv", 0.2, true}});
  constexpr std::string_view kPolicy = "thresholds: {iteration.time.robust_cv: {max: 10%}}";
  constexpr std::string_view kOpen =
      "iteration.time.robust_cv is 20.0 %, above the limit of 10 %, but uncertain: only 4 "
      "iterations\n";
  Expect(kPolicy, analysis, {kNoVerdict, 3, "low_confidence", kOpen});
  Expect("fail_on: warn\n" + std::string(kPolicy), analysis,
         {kNoVerdict, 3, "low_confidence", kOpen});
  // Where a sure miss would not fail the run, an unsure one does not stop it.
  Expect("fail_on: never\n" + std::string(kPolicy), analysis, {kPass, 0, "low_confidence", ""});
  Expect("thresholds: {iteration.time.robust_cv: {max: 10%, level: warn}}", analysis,
         {kPass, 0, "low_confidence", ""});
  const Verdict verdict =
      Judge(*rules::ParsePolicy("schema: 1\n" + std::string(kPolicy), "p.yaml"), analysis, {}, {});
  EXPECT_EQ(WithPlainSpaces(verdict.gate[0].reason),
            "is 20.0 %, above the limit of 10 %, but uncertain: only 4 iterations");
  EXPECT_EQ(verdict.open, 1);
  EXPECT_EQ(verdict.warnings, 0);
}

// A pass says why its number is uncertain.
TEST(Verdict, AnUncertainPassSaysSo) {
  const auto policy =
      rules::ParsePolicy("schema: 1\nthresholds: {iteration.time.robust_cv: {max: 10%}}", "p.yaml");
  const auto judged = [&](bool is_uncertain) {
    return Judge(*policy, MakeAnalysis({{"iteration.time.robust_cv", 0.05, is_uncertain}}), {}, {})
        .gate[0];
  };
  EXPECT_EQ(judged(true).status, GateStatus::kPass);
  EXPECT_EQ(judged(true).reason, "only 4 iterations");
  EXPECT_EQ(judged(false).reason, "");
}

// A limit is kept or missed for certain only if both ends of the number's range agree.
TEST(Verdict, MissingDataMakesLimitUndecided) {
  const analysis::Analysis open = MakeAnalysis({{"gpu.idle.mean", 0.1, false, 0.6}});
  constexpr std::string_view kWithin =
      "gpu.idle.mean is 10.0 %, within the limit, but uncertain: some work is unknown\n";
  Expect("thresholds: {gpu.idle.mean: {max: 70%}}", open, {kPass, 0, "pass", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", open,
         {kNoVerdict, 3, "low_confidence", kWithin});
  Expect("thresholds: {gpu.idle.mean: {max: 5%}}", open,
         {kFail, 1, "error", "gpu.idle.mean is 10.0 %, above the limit of 5 %\n"});
  Expect("thresholds: {gpu.idle.mean: {min: 30%, side: any}}", open,
         {kNoVerdict, 3, "low_confidence",
          "gpu.idle.mean is 10.0 %, below the limit of 30 %, but uncertain: some work is "
          "unknown\n"});
  Expect("thresholds: {gpu.idle.mean: {max: 30%, on_missing: skip}}", open,
         {kPass, 0, "caution", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 30%, level: warn}}", open,
         {kPass, 0, "low_confidence", ""});
  Expect("thresholds: {gpu.idle.mean: {max: 30%, level: info}}", open, {kPass, 0, "pass", ""});
  const analysis::Analysis unbounded = MakeAnalysis(
      {{"kernel.count_per_iteration", 24.0, false, std::numeric_limits<double>::infinity()}});
  Expect("thresholds: {kernel.count_per_iteration: {min: 10, side: any}}", unbounded,
         {kPass, 0, "pass", ""});
  Expect("thresholds: {kernel.count_per_iteration: {max: 100}}", unbounded,
         {kNoVerdict, 3, "low_confidence",
          "kernel.count_per_iteration is 24, within the limit, but uncertain: some work is "
          "unknown\n"});
}

TEST(Verdict, MissingRanks) {
  const analysis::Analysis six = MakeAnalysis(
      {{"profile.ranks", 6}, {"profile.ranks_missing", 2}, {"communication.exposed_share", 0.1}});
  const analysis::Analysis eight = MakeAnalysis(
      {{"profile.ranks", 8}, {"profile.ranks_missing", 0}, {"communication.exposed_share", 0.1}});
  // Limits on the ranks' common work need them all; others do not.
  constexpr std::string_view kLimit = "thresholds: {communication.exposed_share: {max: 20%}}\n";
  Expect(kLimit, six, {kNoVerdict, 3, "pass", "2 of 8 ranks are missing\n"});
  Expect(kLimit, eight, {kPass, 0, "pass", ""});
  Expect("thresholds: {profile.ranks: {min: 2}}", six, {kPass, 0, "pass", ""});
  // The slowest rank may be one of those that are missing.
  const analysis::Analysis timed = MakeAnalysis({{"profile.ranks", 6},
                                                 {"profile.ranks_missing", 2},
                                                 {"iteration.time.median", 9.0},
                                                 {"gpu.idle.max", 0.1}});
  Expect("thresholds: {iteration.time.median: {max: 10 ns}}", timed,
         {kNoVerdict, 3, "pass", "2 of 8 ranks are missing\n"});
  Expect("thresholds: {gpu.idle.max: {max: 20%}}", timed,
         {kNoVerdict, 3, "pass", "2 of 8 ranks are missing\n"});
  Expect("ranks: {expect: 8}", six, {kNoVerdict, 3, "", "2 of 8 ranks are missing\n"});
  Expect("ranks: {expect: 6}\n" + std::string(kLimit), six, {kPass, 0, "pass", ""});
  Expect("ranks: {expect: 4}", six,
         {kNoVerdict, 3, "", "the run has 6 ranks, the policy expects 4\n"});
  Expect("ranks: {allow_missing: 2}\n" + std::string(kLimit), six, {kPass, 0, "pass", ""});
  Expect("ranks: {allow_missing: 1}\n" + std::string(kLimit), six,
         {kNoVerdict, 3, "pass", "2 of 8 ranks are missing, the policy allows 1\n"});
  Expect("ranks: {on_missing: fail}", six, {kFail, 1, "", "2 of 8 ranks are missing\n"});
  EXPECT_EQ(
      Judge(*rules::ParsePolicy("schema: 1\nranks: {on_missing: fail}", "p.yaml"), six, {}, {})
          .errors,
      1);
  Expect("ranks: {on_missing: warn}\n" + std::string(kLimit), six, {kPass, 0, "pass", ""});
  const auto warn = rules::ParsePolicy("schema: 1\nranks: {on_missing: warn}", "p.yaml");
  EXPECT_EQ(Judge(*warn, six, {}, {}).warnings, 1);
  Expect("fail_on: warn\nranks: {on_missing: warn}\n" + std::string(kLimit), six,
         {kFail, 1, "pass", "2 of 8 ranks are missing\n"});
  // A baseline limits iterations, whatever the policy's own limits are.
  const std::vector<Snapshot> baselines(1);
  JudgeOptions options;
  options.baselines = baselines;
  Expect("", six, {kNoVerdict, 3, "", "2 of 8 ranks are missing\n"}, {}, options);
  Expect("", eight, {kPass, 0, "", ""}, {}, options);
  // One rank of a run that does not say how many there are.
  Expect("ranks: {expect: 8}", MakeAnalysis({{"profile.ranks", 1}}),
         {kNoVerdict, 3, "", "7 of 8 ranks are missing\n"});
  Expect("ranks: {on_missing: fail}", MakeAnalysis({{"profile.ranks", 1}}), {kPass, 0, "", ""});
}

TEST(Verdict, LostIterationsPreventAPass) {
  analysis::Analysis analysis = MakeAnalysis({{"iteration.time.median", 9.0}});
  analysis.remarks.push_back(
      {std::string(analysis::iterations::kIterationsLost), "the last 10 of 20 are left out"});
  Expect("thresholds: {iteration.time.median: {max: 10 ns}}", analysis,
         {kNoVerdict, 3, "pass", "the last 10 of 20 are left out\n"});
  Expect("thresholds: {iteration.time.median: {max: 10 ns}}", analysis, {kPass, 0, "pass", ""}, {},
         {true});
}

TEST(Verdict, PartialIterationsPreventAPass) {
  analysis::Analysis analysis = MakeAnalysis({{"iteration.time.median", 9.0}});
  analysis.remarks.push_back(
      {std::string(analysis::iterations::kIterationsPartial), "some are left out"});
  Expect("", analysis, {kNoVerdict, 3, "", "some are left out\n"});
  Expect("", analysis, {kPass, 0, "", ""}, {}, {true});
}

TEST(Verdict, RankWithoutDeviceWorkPreventsPass) {
  analysis::Analysis analysis = MakeAnalysis(
      {{"iteration.time.median", 9.0}, {"profile.ranks_without_work", std::int64_t{2}}});
  analysis.remarks.push_back(
      {std::string(analysis::iterations::kRanksWithoutWork), "rank 3 has none"});
  constexpr std::string_view kPolicy = "thresholds: {iteration.time.median: {max: 10 ns}}";
  Expect(kPolicy, analysis, {kNoVerdict, 3, "pass", "rank 3 has none\n"});
  Expect(kPolicy, analysis, {kPass, 0, "pass", ""}, {}, {true});
  Expect("ranks: {allow_missing: 2}\n" + std::string(kPolicy), analysis, {kPass, 0, "pass", ""});
  Expect("ranks: {allow_missing: 1}\n" + std::string(kPolicy), analysis,
         {kNoVerdict, 3, "pass", "rank 3 has none\n"});
}

TEST(Verdict, SeveralRunsRanksDoNotPass) {
  analysis::Analysis analysis = MakeAnalysis({{"iteration.time.median", 9.0}});
  analysis.remarks.push_back({std::string(analysis::communication::kRanksApart), "not of one run"});
  for (const bool allow_incomplete : {false, true}) {
    Expect("thresholds: {iteration.time.median: {max: 10 ns}}", analysis,
           {kNoVerdict, 3, "pass", "not of one run\n"}, {}, {allow_incomplete});
  }
}

TEST(Verdict, SummariesDoNotHideBadRuns) {
  analysis::Analysis analysis =
      MakeAnalysis({{"gpu.idle.mean", {}}, {"iteration.time.median", 9.0}});
  analysis.not_kept = "summaries do not keep it";
  analysis.metrics.front().absent_because = analysis.not_kept + "; give the profiles";
  constexpr std::string_view kUnjudged =
      "1 limit needs data that summaries do not contain; check the full profiles, or drop the "
      "limit\n";
  Expect("thresholds: {gpu.idle.mean: {max: 9%, on_missing: skip}}", analysis,
         {kNoVerdict, 3, "skipped", kUnjudged});
  Expect("thresholds: {gpu.idle.mean: {max: 9%, level: warn, on_missing: skip}}", analysis,
         {kPass, 0, "skipped", ""});
  Expect("thresholds: {iteration.time.median: {max: 10 ns}}", analysis, {kPass, 0, "pass", ""});
  const auto with_rule = [&](rules::Level most) {
    rules::Rule rule;
    rule.id = "gpu/idle";
    rules::Evaluation evaluation;
    rules::Finding& finding = evaluation.findings.emplace_back();
    finding.rule = &rule;
    finding.status = rules::FindingStatus::kNotApplicable;
    finding.most = most;
    finding.reason = analysis.not_kept;
    JudgeOptions options;
    options.evaluation = &evaluation;
    return Judge(*rules::ParsePolicy("schema: 1\n", "p.yaml"), analysis, {}, options).status;
  };
  EXPECT_EQ(with_rule(rules::Level::kWarn), kPass);
  EXPECT_EQ(with_rule(rules::Level::kError), kNoVerdict);
}

// If summaries keep only the longest gaps, only rules that choose among these pass.
TEST(Verdict, UnkeptRowsPreventAPass) {
  analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.1}});
  analysis.not_kept = "summaries do not keep it";
  const auto status = [&](std::string file, std::string policy) {
    rules::Rule rule;
    rule.id = "gpu/gaps";
    rule.for_each.text = "gap";
    rule.for_each.file = std::move(file);
    rule.where.emplace();
    rule.where->text = "gap.duration >= $shortest";
    rules::Evaluation evaluation;
    rules::Finding& finding = evaluation.findings.emplace_back();
    finding.rule = &rule;
    finding.status = rules::FindingStatus::kGood;
    finding.most = rules::Level::kError;
    JudgeOptions options;
    options.evaluation = &evaluation;
    return Judge(*rules::ParsePolicy("schema: 1\n" + policy, "p.yaml"), analysis, {}, options)
        .status;
  };
  constexpr const char* kShorter = "rules: {gpu/gaps: {params: {shortest: 1 us}}}\n";
  EXPECT_EQ(status("ours.yaml", kShorter), kPass);
  analysis.remarks.push_back({"summary-rows/gaps", "of 7286 rows, summaries keep 107"});
  EXPECT_EQ(status("builtin:gpu", ""), kPass);
  EXPECT_EQ(status("builtin:gpu", "rules: {gpu/gaps: {params: {warn: 1 %}}}\n"), kPass);
  EXPECT_EQ(status("builtin:gpu", kShorter), kNoVerdict);
  EXPECT_EQ(status("ours.yaml", ""), kNoVerdict);
}

TEST(Verdict, ConditionsDecideWhetherALimitApplies) {
  constexpr std::string_view kPolicy =
      "thresholds: {tensor_core.efficiency: {min: 60%, when: tensor_core.eligible_share >= 10%}}";
  Expect(kPolicy,
         MakeAnalysis({{"tensor_core.efficiency", 0.1}, {"tensor_core.eligible_share", 0.1}}),
         {kFail, 1, "error", "tensor_core.efficiency is 10.0 %, below the limit of 60 %\n"});
  const auto reason = [&](const analysis::Analysis& analysis) {
    Expect(kPolicy, analysis, {kPass, 0, "not_applicable", ""});
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(kPolicy), "p.yaml");
    return WithPlainSpaces(Judge(*policy, analysis, {}, {}).gate[0].reason);
  };
  EXPECT_EQ(
      reason(MakeAnalysis({{"tensor_core.efficiency", 0.1}, {"tensor_core.eligible_share", 0.05}})),
      "not for such a run: Eligible kernel time is 5.0 %");
  EXPECT_EQ(reason(MakeAnalysis({{"tensor_core.eligible_share", {}}})),
            "whether it applies is unknown; Eligible kernel time is missing: no such events were "
            "recorded");
}

// The work that Tensor Cores could take over is 11 % of the kernel time in both, but 0.6 % of the
// run in one.
TEST(Verdict, PresetsJudgeRelevantTensorCores) {
  const auto status = [](const char* preset, double utilization) {
    const analysis::Analysis analysis = MakeAnalysis({{"tensor_core.efficiency", 0.0},
                                                      {"tensor_core.eligible_share", 0.11},
                                                      {"gpu.utilization.mean", utilization},
                                                      {"gpu.idle.mean", 0.1}});
    for (const GateResult& result : Judge(*rules::LoadPolicy(preset), analysis, {}, {}).gate) {
      if (result.threshold.metric == "tensor_core.efficiency" &&
          result.threshold.level == rules::Level::kError) {
        return result.status;
      }
    }
    return GateStatus::kMissing;
  };
  for (const char* preset : {"builtin:recommended", "builtin:strict"}) {
    EXPECT_EQ(status(preset, 0.9), GateStatus::kError) << preset;
    EXPECT_EQ(status(preset, 0.054), GateStatus::kNotApplicable) << preset;
  }
}

TEST(Verdict, ReportsFailingPartOfCondition) {
  const auto reason = [](std::string_view when) {
    const auto policy = rules::ParsePolicy(
        fmt::format("schema: 1\nthresholds: {{tensor_core.efficiency: {{min: 60%, when: '{}'}}}}",
                    when),
        "p.yaml");
    const analysis::Analysis analysis = MakeAnalysis({{"tensor_core.efficiency", 0.1},
                                                      {"tensor_core.eligible_share", 0.05},
                                                      {"gpu.idle.mean", 0.2}});
    return WithPlainSpaces(Judge(*policy, analysis, {}, {}).gate[0].reason);
  };
  EXPECT_EQ(
      reason("if(known(tensor_core.eligible_share), tensor_core.eligible_share >= 10%, true) and "
             "known(gpu.idle.mean)"),
      "not for such a run: Eligible kernel time is 5.0 %");
  EXPECT_EQ(reason("known(tensor_core.efficiency) and not known(gpu.idle.mean)"),
            "used only where {{ device.device }} idle time is unknown");
  EXPECT_EQ(reason("if(gpu.idle.mean > 10%, false, true)"),
            "not for such a run: {{ device.device }} idle time is 20.0 %");
}

TEST(Verdict, AConditionThatIsUnknownExcusesNothing) {
  constexpr std::string_view kPolicy =
      "thresholds: {tensor_core.efficiency: {min: 60%, when: tensor_core.eligible_share >= 10%}}";
  const auto given = [](double efficiency) {
    return MakeAnalysis(
        {{"tensor_core.efficiency", efficiency}, {"tensor_core.eligible_share", {}}});
  };
  Expect(kPolicy, given(0.1),
         {kNoVerdict, 3, "missing",
          "tensor_core.efficiency is missing: whether it applies is unknown; Eligible kernel time "
          "is missing: no such events were recorded\n"});
  // Within the limit it does not matter, and `on_missing: skip` is the policy's own choice.
  Expect(kPolicy, given(0.9), {kPass, 0, "not_applicable", ""});
  Expect("on_missing: skip\n" + std::string(kPolicy), given(0.1), {kPass, 0, "not_applicable", ""});
}

// Kernels under new names, a compiled step, an export without names: the limits that judged the
// baseline must not fall silent.
TEST(Verdict, BaselinesLimitKeepsJudging) {
  constexpr std::string_view kPolicy =
      "thresholds: {tensor_core.efficiency: "
      "{min: 30%, when: tensor_core.eligible_share >= 10%, on_missing: skip}}";
  Snapshot base;
  base.name = "main";
  base.metrics = {{"tensor_core.efficiency", 0.9}, {"tensor_core.eligible_share", 0.5}};
  for (const char* id : {"tensor_core.efficiency", "tensor_core.eligible_share"}) {
    base.definitions[id] = analysis::FindMetric(id)->definition_number;
  }
  const auto expect = [&](const analysis::Analysis& analysis, const Outcome& outcome,
                          std::string_view level = "error") {
    std::string policy(kPolicy);
    policy.insert(policy.find("min:"), fmt::format("level: {}, ", level));
    JudgeOptions options;
    options.baselines = {&base, 1};
    Expect(policy, analysis, outcome, {}, options);
  };
  const analysis::Analysis unknown =
      MakeAnalysis({{"tensor_core.efficiency", {}}, {"tensor_core.eligible_share", {}}});
  Expect(kPolicy, unknown, {kPass, 0, "not_applicable", ""});
  expect(unknown,
         {kNoVerdict, 3, "missing",
          "tensor_core.efficiency is missing: whether it applies is unknown; Eligible kernel time "
          "is missing: no such events were recorded; in the baseline main has 90.0 %\n"});
  JudgeOptions options;
  options.baselines = {&base, 1};
  Expect("thresholds: {tensor_core.efficiency: {min: 30%, on_missing: skip}}", unknown,
         {kNoVerdict, 3, "missing",
          "tensor_core.efficiency is missing: no such events were recorded; in the baseline main "
          "has 90.0 %\n"},
         {}, options);
  expect(unknown, {kPass, 0, "not_applicable", ""}, "warn");  // It would not fail the run either.
  const auto given = [](double efficiency, double eligible) {
    return MakeAnalysis(
        {{"tensor_core.efficiency", efficiency}, {"tensor_core.eligible_share", eligible}});
  };
  expect(given(0.0, 0.05), {kNoVerdict, 3, "missing",
                            "tensor_core.efficiency is missing: not for such a run: Eligible "
                            "kernel time is 5.0 %; in the baseline main has 90.0 %\n"});
  expect(given(0.9, 0.05), {kPass, 0, "not_applicable", ""});  // Nothing to fear from this one.
  base.definitions["tensor_core.efficiency"] = 1;
  expect(unknown, {kPass, 0, "not_applicable", ""});
  base.definitions["tensor_core.efficiency"] =
      analysis::FindMetric("tensor_core.efficiency")->definition_number;
  base.metrics["tensor_core.eligible_share"] = 0.05;  // It did not judge the baseline.
  expect(unknown, {kPass, 0, "not_applicable", ""});
}

TEST(Verdict, CountsMissingResults) {
  rules::Policy policy;
  policy.thresholds.emplace_back().metric = "gpu.idle.mean";
  policy.thresholds.back().max = 0.3;
  const Verdict verdict = Judge(policy, MakeAnalysis({{"gpu.idle.mean", {}}}), {}, {});
  EXPECT_EQ(verdict.missing, 1);
  EXPECT_EQ(verdict.warnings + verdict.errors + verdict.passed, 0);
}

TEST(Verdict, WorklessRunDoesNotPass) {
  // Nothing ran: every number of the work is absent, and that satisfies no limit.
  Expect("thresholds: {gpu.idle.mean: {max: 30%}, tensor_core.efficiency: {min: 60%}}",
         MakeAnalysis({{"gpu.idle.mean", {}}, {"tensor_core.efficiency", {}}}),
         {kNoVerdict, 3, "missing missing",
          "gpu.idle.mean is missing: no such events were recorded\n"
          "tensor_core.efficiency is missing: no such events were recorded\n"});
}

TEST(Verdict, LossIsUndecidedUnlessItFails) {
  ImportLog log;
  log.Add(Counter::truncated);
  constexpr std::string_view kTruncated =
      "the profile is incomplete: the file ends early; totals are lower bounds\n";
  const analysis::Analysis idle = MakeAnalysis({{"gpu.idle.mean", 0.42}});
  Expect("thresholds: {gpu.idle.mean: {max: 50%}}", idle, {kNoVerdict, 3, "pass", kTruncated}, log);
  Expect("thresholds: {gpu.idle.mean: {max: 50%}}", idle, {kPass, 0, "pass", ""}, log, {true});
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", idle,
         {kFail, 1, "error",
          "gpu.idle.mean is 42.0 %, above the limit of 30 %\n"
          "the profile is incomplete: the file ends early; totals are lower bounds\n"},
         log);
  Expect("iterations: {min: 20}", idle,
         {kNoVerdict, 3, "", "10 iterations are selected, the policy demands 20\n"});
  Expect("iterations: {min: 10}", idle, {kPass, 0, "", ""});
}

// Ranks that may be missing may be unreadable; a rank's losses are different.
TEST(Verdict, UnreadableRanksAreMissingOnes) {
  constexpr std::string_view kUnreadable =
      "the profile is incomplete: profiles of the folder that cannot be read; the others are "
      "judged\n";
  constexpr std::string_view kTruncated =
      "the profile is incomplete: the file ends early; totals are lower bounds\n";
  const analysis::Analysis analysis = MakeAnalysis({});
  ImportLog log;
  log.Add(Counter::ranks_unreadable);
  Expect("", analysis, {kNoVerdict, 3, "", kUnreadable}, log);
  Expect("ranks: {allow_missing: 1}", analysis, {kPass, 0, "", ""}, log);
  log.Add(Counter::ranks_unreadable);
  Expect("ranks: {allow_missing: 1}", analysis, {kNoVerdict, 3, "", kUnreadable}, log);
  Expect("ranks: {allow_missing: 2}", analysis, {kPass, 0, "", ""}, log);
  log.Add(Counter::truncated);
  Expect("ranks: {allow_missing: 2}", analysis, {kNoVerdict, 3, "", kTruncated}, log);
}

MetricComparison Compared(stats::Change verdict, bool over_limit,
                          rules::Level level = rules::Level::kError) {
  MetricComparison metric;
  metric.metric = "iteration.time.median";
  metric.method = CompareMethod::kStatistics;
  metric.verdict = verdict;
  metric.over_limit = over_limit;
  metric.level = level;
  metric.reason = "probably slower";
  return metric;
}

Verdict Judged(std::string_view policy_text, std::vector<MetricComparison> metrics,
               bool is_judged = true) {
  const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(policy_text), "p.yaml");
  RunComparison comparison;
  comparison.metrics = std::move(metrics);
  comparison.is_judged = is_judged;
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, *policy, verdict);
  return verdict;
}

TEST(ComparisonVerdict, ProbablySlowerIsNeverAPass) {
  for (const char* policy : {"", "on_inconclusive: pass", "on_inconclusive: warn"}) {
    const Verdict verdict = Judged(policy, {Compared(stats::Change::kInconclusive, true)});
    EXPECT_EQ(ExitCodeOf(verdict, false), 3) << policy;
    EXPECT_EQ(verdict.open, 1) << policy;
    EXPECT_EQ(verdict.reasons,
              std::vector<std::string>{"iteration.time.median: probably slower [gate/again]"});
  }
  // Where a sure miss would not fail the run, an unsure one does not stop it.
  EXPECT_EQ(
      ExitCodeOf(Judged("fail_on: never", {Compared(stats::Change::kInconclusive, true)}), false),
      0);
  const Verdict warned =
      Judged("", {Compared(stats::Change::kInconclusive, true, rules::Level::kWarn)});
  EXPECT_EQ(ExitCodeOf(warned, false), 0);
  EXPECT_EQ(warned.warnings, 1);
}

TEST(ComparisonVerdict, PolicyDecidesDoubtWithinLimit) {
  const std::vector<MetricComparison> within = {Compared(stats::Change::kInconclusive, false)};
  EXPECT_EQ(ExitCodeOf(Judged("", within), false), 0);
  EXPECT_EQ(Judged("", within).warnings, 1);
  EXPECT_EQ(Judged("on_inconclusive: pass", within).passed, 1);
  EXPECT_EQ(ExitCodeOf(Judged("on_inconclusive: no_verdict", within), false), 3);
}

TEST(ComparisonVerdict, AnIncomparableBaselineIsNoPass) {
  const Verdict verdict = Judged("", {Compared(stats::Change::kPass, false)}, false);
  EXPECT_EQ(ExitCodeOf(verdict, false), 3);
}

TEST(ComparisonVerdict, IncomparableResultsAreMissing) {
  MetricComparison missing = Compared(stats::Change::kPass, false);
  missing.is_missing = true;
  EXPECT_EQ(ExitCodeOf(Judged("", {missing}), false), 3);
  EXPECT_EQ(ExitCodeOf(Judged("on_missing: fail", {missing}), false), 1);
  EXPECT_EQ(ExitCodeOf(Judged("on_missing: skip", {missing}), false), 0);
}

}  // namespace
}  // namespace profgauge::gate
