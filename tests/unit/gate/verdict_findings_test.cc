// How findings of rules, waivers and limits on the same numbers count in the verdict.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "gate/verdict.h"
#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

rules::Evaluation OneFinding(const rules::Rule& rule, rules::FindingStatus status) {
  rules::Finding finding;
  finding.rule = &rule;
  finding.title = rule.title;
  finding.status = status;
  finding.metric_text = "31.4 %";
  finding.reason = "kernel.op is absent";
  rules::Evaluation evaluation;
  evaluation.findings.push_back(std::move(finding));
  return evaluation;
}

// Missing ranks that the policy only warns of are one warning, whoever reports them.
TEST(Verdict, MissingRanksAreOneWarning) {
  const auto policy = rules::ParsePolicy("schema: 1\nranks: {on_missing: warn}", "p.yaml");
  ASSERT_TRUE(policy);
  const analysis::Analysis six = MakeAnalysis({{"profile.ranks", 6}, {"profile.ranks_missing", 2}});
  rules::Rule rule;
  rule.title = "Ranks of the program are missing";
  for (const char* id : {"recording/ranks-missing", "gpu/idle"}) {
    rule.id = id;
    const rules::Evaluation evaluation = OneFinding(rule, rules::FindingStatus::kWarn);
    JudgeOptions options;
    options.evaluation = &evaluation;
    EXPECT_EQ(Judge(*policy, six, {}, options).warnings, rule.id == "gpu/idle" ? 2 : 1);
  }
}

TEST(Verdict, FindingsCountLikeLimits) {
  struct Row {
    std::string_view policy;
    rules::FindingStatus status;
    Outcome outcome;
    std::string_view counts;  ///< errors warnings passed not_applicable waived broken
  };
  constexpr std::string_view kFound = "gpu/idle: The GPU idles (31.4 %)\n";
  const Row kRows[] = {
      {"", rules::FindingStatus::kError, {kFail, 1, "", kFound}, "1 0 0 0 0 0"},
      {"fail_on: never", rules::FindingStatus::kError, {kPass, 0, "", ""}, "1 0 0 0 0 0"},
      {"", rules::FindingStatus::kWarn, {kPass, 0, "", ""}, "0 1 0 0 0 0"},
      {"fail_on: warn", rules::FindingStatus::kWarn, {kFail, 1, "", kFound}, "0 1 0 0 0 0"},
      {"fail_on: warn", rules::FindingStatus::kInfo, {kPass, 0, "", ""}, "0 0 0 0 0 0"},
      {"", rules::FindingStatus::kGood, {kPass, 0, "", ""}, "0 0 1 0 0 0"},
      {"", rules::FindingStatus::kWaived, {kPass, 0, "", ""}, "0 0 0 0 1 0"},
      {"", rules::FindingStatus::kNotApplicable, {kPass, 0, "", ""}, "0 0 0 1 0 0"},
      {"require: [gpu/idle]",
       rules::FindingStatus::kNotApplicable,
       {kNoVerdict, 3, "", "gpu/idle is required, but not applicable: kernel.op is absent\n"},
       "0 0 0 1 0 0"},
      {"require: [gpu/sleepy]",
       rules::FindingStatus::kNotApplicable,
       {kNoVerdict, 3, "", "gpu/idle is required, but not applicable: kernel.op is absent\n"},
       "0 0 0 1 0 0"},
  };
  rules::Rule rule;
  rule.id = "gpu/idle";
  rule.title = "The GPU idles";
  rule.formerly = {"gpu/sleepy"};
  for (const Row& row : kRows) {
    const rules::Evaluation evaluation = OneFinding(rule, row.status);
    JudgeOptions options;
    options.evaluation = &evaluation;
    Expect(row.policy, MakeAnalysis({}), row.outcome, {}, options);
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(row.policy), "p.yaml");
    const Verdict verdict = Judge(*policy, MakeAnalysis({}), {}, options);
    EXPECT_EQ(fmt::format("{} {} {} {} {} {}", verdict.errors, verdict.warnings, verdict.passed,
                          verdict.not_applicable, verdict.waived, verdict.broken),
              row.counts);
  }
}

/// A rule and a limit on one number are counted once, and the more severe of two limits.
TEST(Verdict, OneNumberCountsOnce) {
  struct Row {
    std::string_view policy;
    rules::FindingStatus status;
    std::string_view counts;  ///< errors warnings passed
    std::string_view reasons;
  };
  constexpr std::string_view kLimit = "gpu.idle.mean is 42.0 %, above the limit of 30 %\n";
  const Row kRows[] = {
      {"thresholds: {gpu.idle.mean: {max: 30%}}", rules::FindingStatus::kError, "1 0 0", kLimit},
      {"thresholds: {gpu.idle.mean: {max: 30%}}", rules::FindingStatus::kWarn, "1 0 0", kLimit},
      {"thresholds: {gpu.idle.mean: {max: 30%, level: warn}}", rules::FindingStatus::kWarn, "0 1 0",
       ""},
      {"thresholds: {gpu.idle.mean: {max: 30%, level: warn}}", rules::FindingStatus::kError,
       "1 1 0", "gpu/idle: The GPU idles (31.4 %)\n"},
      {"thresholds: {gpu.idle.mean: {max: 50%}}", rules::FindingStatus::kWarn, "0 1 1", ""},
      {"thresholds: {gpu.idle.mean: [{max: 15%, level: warn}, {max: 30%}]}",
       rules::FindingStatus::kError, "1 0 0", kLimit},
      {"thresholds: {gpu.idle.max: {max: 15%}}", rules::FindingStatus::kError, "1 0 0",
       "gpu.idle.max is 42.0 %, above the limit of 15 %\n"},
      {"thresholds: {gpu.utilization.mean: {min: 90%}}", rules::FindingStatus::kError, "2 0 0",
       "gpu.utilization.mean is 42.0 %, below the limit of 90 %\n"
       "gpu/idle: The GPU idles (31.4 %)\n"},
  };
  rules::Rule rule;
  rule.id = "gpu/idle";
  rule.title = "The GPU idles";
  rule.metric.emplace();
  rule.metric->value.text = "gpu.idle.mean";
  for (const char* explained : {"sync.time_share", "gpu.idle.max"}) {
    rule.explains.emplace_back();
    rule.explains.back().text = explained;
  }
  const analysis::Analysis analysis = MakeAnalysis(
      {{"gpu.idle.mean", 0.42}, {"gpu.idle.max", 0.42}, {"gpu.utilization.mean", 0.42}});
  for (const Row& row : kRows) {
    const rules::Evaluation evaluation = OneFinding(rule, row.status);
    JudgeOptions options;
    options.evaluation = &evaluation;
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(row.policy), "p.yaml");
    ASSERT_TRUE(policy) << rules::RenderErrors(policy.error(), false);
    const Verdict verdict = Judge(*policy, analysis, {}, options);
    EXPECT_EQ(fmt::format("{} {} {}", verdict.errors, verdict.warnings, verdict.passed), row.counts)
        << row.policy;
    std::string reasons;
    for (const std::string& reason : verdict.reasons) reasons += WithPlainSpaces(reason) + "\n";
    EXPECT_EQ(reasons, row.reasons) << row.policy;
  }
}

// A finding that would fail the run with a certain number leaves it undecided; if a warning fails
// the run, it fails as a warning.
TEST(Verdict, UncertainFindingIsUndecidedOrFails) {
  rules::Rule rule;
  rule.id = "gpu/idle";
  rule.title = "The GPU idles";
  rules::Evaluation evaluation = OneFinding(rule, rules::FindingStatus::kWarn);
  evaluation.findings.front().is_uncertain = true;
  JudgeOptions options;
  options.evaluation = &evaluation;
  const analysis::Analysis none = MakeAnalysis({});
  Expect("", none,
         {kNoVerdict, 3, "", "gpu/idle: The GPU idles (31.4 %), but kernel.op is absent\n"}, {},
         options);
  Expect("fail_on: warn", none, {kFail, 1, "", "gpu/idle: The GPU idles (31.4 %)\n"}, {}, options);
  Expect("fail_on: never", none, {kPass, 0, "", ""}, {}, options);
}

// A finding is counted with an uncertain limit only where the run does not fail by the finding.
TEST(Verdict, AFindingAmongUncertainLimits) {
  rules::Rule rule;
  rule.id = "gpu/idle";
  rule.title = "The GPU idles";
  rule.explains.emplace_back();
  rule.explains.back().text = "gpu.idle.max";
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.max", 0.42, true}});
  const rules::Evaluation evaluation = OneFinding(rule, rules::FindingStatus::kWarn);
  JudgeOptions options;
  options.evaluation = &evaluation;
  const auto judged = [&](std::string_view fail_on) {
    const auto policy = rules::ParsePolicy(
        fmt::format("schema: 1\nfail_on: {}\nthresholds: {{gpu.idle.max: {{max: 30%}}}}", fail_on),
        "p.yaml");
    return Judge(*policy, analysis, {}, options);
  };
  EXPECT_EQ(judged("error").status, kNoVerdict);
  EXPECT_EQ(judged("error").open, 1);
  EXPECT_EQ(judged("error").warnings, 0);
  EXPECT_EQ(judged("error").findings_counted_with.front(), "gpu.idle.max");
  EXPECT_EQ(judged("warn").status, kFail);
  EXPECT_EQ(judged("warn").open, 1);
  EXPECT_EQ(judged("warn").warnings, 1);
}

// The limit that is not counted says where it is, at every level.
TEST(Verdict, LesserMissCountsWithTheOther) {
  const auto policy = rules::ParsePolicy(
      "schema: 1\nthresholds: {gpu.idle.mean: [{max: 15%, level: info}, {max: 30%}]}", "p.yaml");
  const Verdict verdict = Judge(*policy, MakeAnalysis({{"gpu.idle.mean", 0.42}}), {}, {});
  EXPECT_EQ(verdict.gate[0].counted_with, "gpu.idle.mean");
  EXPECT_EQ(verdict.gate[1].counted_with, "");
}

// A metric with a missed limit is not good by another one that it keeps.
TEST(Verdict, KeptLimitCountsWithTheMissedOne) {
  const auto judged = [](double idle) {
    const auto policy = rules::ParsePolicy(
        "schema: 1\nthresholds: {gpu.idle.mean: [{max: 15%, level: warn}, {max: 30%}]}", "p.yaml");
    return Judge(*policy, MakeAnalysis({{"gpu.idle.mean", idle}}), {}, {});
  };
  const Verdict warned = judged(0.2);
  EXPECT_EQ(warned.warnings, 1);
  EXPECT_EQ(warned.passed, 0);
  EXPECT_EQ(warned.gate[0].counted_with, "");
  EXPECT_EQ(warned.gate[1].counted_with, "gpu.idle.mean");
  EXPECT_EQ(judged(0.1).passed, 2);
}

TEST(Verdict, ReportsChangeLimitsWithoutBaseline) {
  const auto policy = rules::ParsePolicy(
      "schema: 1\nbaseline: {iteration.time.median: {max_increase: 5%}}", "p.yaml");
  ASSERT_TRUE(policy) << rules::RenderErrors(policy.error(), false);
  const std::vector<Snapshot> baselines(1);
  JudgeOptions options;
  EXPECT_EQ(Judge(*policy, MakeAnalysis({}), {}, options).notes.size(), 1U);
  options.baselines = baselines;
  EXPECT_TRUE(Judge(*policy, MakeAnalysis({}), {}, options).notes.empty());
}

TEST(Verdict, OtherRunsDoubtsAreUndecided) {
  JudgeOptions options;
  options.doubts = {"b: the profile is incomplete"};
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.42}});
  Expect("thresholds: {gpu.idle.mean: {max: 50%}}", analysis,
         {kNoVerdict, 3, "pass", "b: the profile is incomplete\n"}, {}, options);
  Expect("thresholds: {gpu.idle.mean: {max: 15%}}", analysis,
         {kFail, 1, "error",
          "gpu.idle.mean is 42.0 %, above the limit of 15 %\n"
          "b: the profile is incomplete\n"},
         {}, options);
}

TEST(Verdict, BrokenRuleIsAConfigurationError) {
  rules::Rule rule;
  rule.id = "gpu/idle";
  const rules::Evaluation evaluation = OneFinding(rule, rules::FindingStatus::kBroken);
  JudgeOptions options;
  options.evaluation = &evaluation;
  const auto policy =
      rules::ParsePolicy("schema: 1\nthresholds: {gpu.idle.mean: {max: 30%}}", "p.yaml");
  const Verdict verdict = Judge(*policy, MakeAnalysis({{"gpu.idle.mean", 0.42}}), {}, options);
  EXPECT_EQ(ExitCodeOf(verdict, false), 2);
  EXPECT_EQ(ExitCodeOf(verdict, true), 2);
  EXPECT_EQ(verdict.reasons.front(),
            "gpu/idle cannot be evaluated: kernel.op is absent [rules/broken]");
}

TEST(Verdict, NotesExpiredAndUnusedWaivers) {
  const auto policy = rules::ParsePolicy(
      "schema: 1\nwaivers:\n"
      "  - {rule: gpu/idle, reason: r, owner: ops, expires: 2026-01-01}\n"
      "  - {rule: gpu/idle, reason: r, owner: ops, expires: 2027-01-01}\n"
      "  - {rule: gpu/idle, reason: r, owner: ops, expires: 2027-01-01}\n",
      "p.yaml");
  rules::Evaluation evaluation;
  evaluation.waivers = {{&policy->waivers[0], true, 0},
                        {&policy->waivers[1], false, 0},
                        {&policy->waivers[2], false, 1}};
  JudgeOptions options;
  options.evaluation = &evaluation;
  const Verdict verdict = Judge(*policy, MakeAnalysis({}), {}, options);
  EXPECT_EQ(
      verdict.waiver_notes,
      (std::vector<std::string>{
          "the waiver for `gpu/idle` (owner: ops) expired on 2026-01-01 and no longer applies; "
          "fix the cause, or renew it",
          "the waiver for `gpu/idle` (owner: ops) matches no finding; remove it if the problem is "
          "fixed"}));
}

}  // namespace
}  // namespace profgauge::gate
