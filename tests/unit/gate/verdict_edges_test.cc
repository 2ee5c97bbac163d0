// Cases beside the plain ones: several limits on a number, counts, the recipients of each text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gate/verdict.h"
#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

rules::Policy PolicyOf(std::string_view text) {
  const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(text), "p.yaml");
  EXPECT_TRUE(policy) << text;
  return policy ? *policy : rules::Policy{};
}

rules::Evaluation EvaluationOf(const rules::Rule& rule, rules::FindingStatus status,
                               bool is_uncertain = false) {
  rules::Evaluation evaluation;
  rules::Finding& finding = evaluation.findings.emplace_back();
  finding.rule = &rule;
  finding.status = status;
  finding.is_uncertain = is_uncertain;
  return evaluation;
}

rules::Rule RuleOn(std::string_view metric, std::vector<std::string> explains = {}) {
  rules::Rule rule;
  rule.id = "gpu/idle";
  rule.metric.emplace();
  rule.metric->value.text = metric;
  for (std::string& id : explains) {
    rule.explains.emplace_back();
    rule.explains.back().text = std::move(id);
  }
  return rule;
}

// Among limits on one number the one with the largest effect on the verdict counts: a certain miss
// before a possible one, whatever their order.
TEST(Verdict, StrongestLimitOnANumberCounts) {
  struct Row {
    std::string_view limits;
    VerdictStatus status;
    std::string_view counts;  ///< errors warnings open
  };
  const analysis::Analysis open = MakeAnalysis({{"gpu.idle.mean", 0.1, false, 0.6}});
  const Row kRows[] = {
      {"error; [{max: 30%}, {max: 5%}]", kFail, "1 0 0"},
      {"error; [{max: 5%}, {max: 30%}]", kFail, "1 0 0"},
      {"warn; [{max: 30%, level: warn}, {max: 5%, level: warn}]", kFail, "0 1 0"},
      {"warn; [{max: 30%}, {max: 5%, level: warn}]", kFail, "0 1 0"},
      {"error; [{max: 5%, level: warn}, {max: 30%}]", kNoVerdict, "0 0 1"},
      {"error; [{max: 5%, level: info}, {max: 4%, level: warn}]", kPass, "0 1 0"},
      {"warn; [{max: 4%, level: warn}, {max: 5%}]", kFail, "1 0 0"},
      {"never; [{max: 4%, level: warn}, {max: 5%}]", kPass, "1 0 0"},
      {"error; [{max: 4%}, {max: 5%}]", kFail, "1 0 0"},
      {"error; [{max: 4%, level: warn}, {max: 5%, level: warn}]", kPass, "0 1 0"},
      {"error; [{max: 70%}, {max: 5%, level: warn}]", kPass, "0 1 0"},
  };
  for (const Row& row : kRows) {
    const std::size_t semicolon = row.limits.find(';');
    const rules::Policy policy =
        PolicyOf(fmt::format("fail_on: {}\nthresholds: {{gpu.idle.mean: {}}}",
                             row.limits.substr(0, semicolon), row.limits.substr(semicolon + 2)));
    const Verdict verdict = Judge(policy, open, {}, {});
    EXPECT_EQ(VerdictStatusName(verdict.status), VerdictStatusName(row.status)) << row.limits;
    EXPECT_EQ(fmt::format("{} {} {}", verdict.errors, verdict.warnings, verdict.open), row.counts)
        << row.limits;
  }
}

// Limits without a number are each reported as missing: one that informs does not replace one that
// fails.
TEST(Verdict, EachAbsentNumbersLimitIsMissing) {
  for (const char* limits :
       {"[{max: 5%, level: info}, {max: 30%}]", "[{max: 30%}, {max: 5%, level: info}]"}) {
    const Verdict verdict =
        Judge(PolicyOf(fmt::format("thresholds: {{gpu.idle.mean: {}}}", limits)),
              MakeAnalysis({{"gpu.idle.mean", {}}}), {}, {});
    EXPECT_EQ(verdict.status, kNoVerdict) << limits;
    EXPECT_EQ(verdict.missing, 2) << limits;
  }
}

TEST(Verdict, LimitsOnTwoNumbersAreTwo) {
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.4}, {"gpu.idle.max", 0.5}});
  const auto counts = [&](std::string_view level) {
    const Verdict verdict =
        Judge(PolicyOf(fmt::format("thresholds: {{gpu.idle.mean: {{max: 9%, level: {}}}, "
                                   "gpu.idle.max: {{max: 9%}}}}",
                                   level)),
              analysis, {}, {});
    return fmt::format("{} {} {}", verdict.errors, verdict.warnings, verdict.reasons.size());
  };
  EXPECT_EQ(counts("error"), "2 0 2");
  EXPECT_EQ(counts("warn"), "1 1 1");
}

TEST(Verdict, EachLimitCountsOnce) {
  struct Row {
    std::string_view limit;
    std::string_view counts;  ///< errors warnings passed not_applicable missing open
  };
  const Row kRows[] = {
      {"gpu.idle.mean: {max: 9%}", "1 0 0 0 0 0"},
      {"gpu.idle.mean: {max: 9%, level: warn}", "0 1 0 0 0 0"},
      {"gpu.idle.mean: {max: 9%, level: info}", "0 0 0 0 0 0"},
      {"gpu.idle.mean: {max: 90%}", "0 0 1 0 0 0"},
      {"gpu.idle.mean: {max: 9%, when: gpu.idle.mean > 90%}", "0 0 0 1 0 0"},
      {"gpu.idle.max: {max: 9%}", "0 0 0 0 1 0"},
      {"gpu.idle.max: {max: 9%, on_missing: fail}", "0 0 0 0 1 0"},
      {"gpu.idle.max: {max: 9%, on_missing: skip}", "0 0 0 1 0 0"},
      {"gpu.occupancy: {max: 9%, side: any}", "0 0 0 0 0 1"},
      {"gpu.occupancy: {max: 9%, side: any, level: info}", "0 0 0 0 0 0"},
  };
  const analysis::Analysis analysis =
      MakeAnalysis({{"gpu.idle.mean", 0.42}, {"gpu.idle.max", {}}, {"gpu.occupancy", 0.42, true}});
  for (const Row& row : kRows) {
    const Verdict verdict =
        Judge(PolicyOf(fmt::format("thresholds: {{{}}}", row.limit)), analysis, {}, {});
    EXPECT_EQ(fmt::format("{} {} {} {} {} {}", verdict.errors, verdict.warnings, verdict.passed,
                          verdict.not_applicable, verdict.missing, verdict.open),
              row.counts)
        << row.limit;
  }
}

TEST(Verdict, MissesFailFromFailOn) {
  struct Row {
    rules::FailOn fail_on;
    bool info, warn, error;
  };
  for (const Row& row : {Row{rules::FailOn::kError, false, false, true},
                         Row{rules::FailOn::kWarn, false, true, true},
                         Row{rules::FailOn::kNever, false, false, false}}) {
    EXPECT_EQ(Fails(rules::Level::kInfo, row.fail_on), row.info);
    EXPECT_EQ(Fails(rules::Level::kWarn, row.fail_on), row.warn);
    EXPECT_EQ(Fails(rules::Level::kError, row.fail_on), row.error);
  }
}

TEST(Verdict, LimitsAreInclusive) {
  for (const auto& [limit, status] : {std::pair{"{max: 25%}", kPass},
                                      {"{min: 25%, side: any}", kPass},
                                      {"{max: 24.9%}", kFail},
                                      {"{min: 25.1%, side: any}", kFail},
                                      {"{min: 25%, max: 25%}", kPass}}) {
    EXPECT_EQ(Judge(PolicyOf(fmt::format("thresholds: {{gpu.idle.mean: {}}}", limit)),
                    MakeAnalysis({{"gpu.idle.mean", 0.25}}), {}, {})
                  .status,
              status)
        << limit;
  }
}

TEST(Verdict, LimitsShowValueOrReason) {
  analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.42, true}, {"gpu.idle.max", {}}});
  const rules::Policy policy = PolicyOf(
      "thresholds: {gpu.idle.mean: {max: 9%}, gpu.idle.max: {max: 9%}, "
      "gpu.occupancy: {min: 9%}}");
  const auto reasons = [&] {
    std::string out;
    for (const GateResult& result : Judge(policy, analysis, {}, {}).gate) {
      out += WithPlainSpaces(result.reason) + "; ";
    }
    return out;
  };
  EXPECT_EQ(Judge(policy, analysis, {}, {}).gate[0].measured, Value(0.42));
  EXPECT_EQ(reasons(),
            "is 42.0 %, above the limit of 9 %, but uncertain: only 4 iterations; no such "
            "events were recorded; this profile does not have it; ");
  analysis.metrics[0].note.clear();
  analysis.metrics[1].absent_because.clear();
  EXPECT_EQ(reasons(),
            "is 42.0 %, above the limit of 9 %, but uncertain; this profile does not have "
            "it; this profile does not have it; ");
}

// The data that judged a baseline is required if only a limit is silent.
TEST(Verdict, MissedLimitStaysBesideBaseline) {
  Snapshot base;
  base.metrics = {{"gpu.idle.mean", 0.1}};
  base.definitions["gpu.idle.mean"] = analysis::FindMetric("gpu.idle.mean")->definition_number;
  JudgeOptions options;
  options.baselines = {&base, 1};
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.42}});
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", analysis,
         {kFail, 1, "error", "gpu.idle.mean is 42.0 %, above the limit of 30 %\n"}, {}, options);
  Expect("thresholds: {gpu.idle.mean: {max: 30%}}", MakeAnalysis({{"gpu.idle.mean", {}}}),
         {kNoVerdict, 3, "missing", "gpu.idle.mean is missing: no such events were recorded\n"}, {},
         options);
}

TEST(Verdict, OnlyDataLossMakesVerdictUndecided) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    ImportLog log;
    log.Add(counter);
    const bool loses = InfoOf(counter).severity == Severity::kDataLoss;
    EXPECT_EQ(WhyIncomplete({}, log, 10, false).size(), loses ? 1U : 0U) << InfoOf(counter).text;
    EXPECT_TRUE(WhyIncomplete({}, log, 10, true).empty()) << InfoOf(counter).text;
  }
}

// A rule about missing ranks reports them only where it fires: a waiver for it, say, takes away
// the finding and not the ranks' own warning.
TEST(Verdict, FindsMissingRanksByEither) {
  const analysis::Analysis six = MakeAnalysis({{"profile.ranks", 6}, {"profile.ranks_missing", 2}});
  rules::Rule rule;
  rule.id = "recording/ranks-missing";
  const rules::Policy policy = PolicyOf("fail_on: warn\nranks: {on_missing: warn}");
  for (const rules::FindingStatus status :
       {rules::FindingStatus::kWarn, rules::FindingStatus::kWaived, rules::FindingStatus::kGood,
        rules::FindingStatus::kNotApplicable}) {
    const rules::Evaluation evaluation = EvaluationOf(rule, status);
    JudgeOptions options;
    options.evaluation = &evaluation;
    const Verdict verdict = Judge(policy, six, {}, options);
    EXPECT_EQ(verdict.status, kFail) << rules::FindingStatusName(status);
    EXPECT_EQ(verdict.warnings, 1) << rules::FindingStatusName(status);
    EXPECT_EQ(verdict.notes, std::vector<std::string>{"2 of 8 ranks are missing [ranks/missing]"});
  }
  const Verdict open =
      Judge(PolicyOf("fail_on: warn\nranks: {on_missing: no_verdict}"), six, {}, {});
  EXPECT_EQ(open.status, kNoVerdict);
  EXPECT_EQ(open.warnings, 0);
  EXPECT_TRUE(open.notes.empty());
  const Verdict failed = Judge(PolicyOf("ranks: {on_missing: fail}"), six, {}, {});
  EXPECT_EQ(failed.reasons, std::vector<std::string>{"2 of 8 ranks are missing [ranks/missing]"});
}

TEST(Verdict, FindingIsNamedWithItsData) {
  rules::Rule rule;
  rule.id = "gpu/idle";
  rules::Evaluation evaluation = EvaluationOf(rule, rules::FindingStatus::kError);
  rules::Finding& finding = evaluation.findings.front();
  finding.title = "The GPU idles";
  JudgeOptions options;
  options.evaluation = &evaluation;
  const auto reason = [&] { return Judge({}, MakeAnalysis({}), {}, options).reasons.front(); };
  EXPECT_EQ(reason(), "gpu/idle: The GPU idles");
  finding.metric_text = "31.4 %";
  EXPECT_EQ(reason(), "gpu/idle: The GPU idles (31.4 %)");
  finding.group = "rank 3";
  EXPECT_EQ(reason(), "gpu/idle: The GPU idles (31.4 %), rank 3");
}

// A broken rule leaves everything open, a failure too.
TEST(Verdict, ABrokenRuleIsNoVerdict) {
  const rules::Rule rule = RuleOn("gpu.idle.mean");
  const rules::Evaluation evaluation = EvaluationOf(rule, rules::FindingStatus::kBroken);
  JudgeOptions options;
  options.evaluation = &evaluation;
  for (const char* policy : {"", "thresholds: {gpu.idle.mean: {max: 9%}}"}) {
    const Verdict verdict =
        Judge(PolicyOf(policy), MakeAnalysis({{"gpu.idle.mean", 0.42}}), {}, options);
    EXPECT_EQ(verdict.status, kNoVerdict) << policy;
    EXPECT_EQ(verdict.broken, 1) << policy;
  }
}

// Where a finding is counted: by itself, or as the missed limit on its metric or on one it
// explains.
TEST(Verdict, EqualLimitsCountTheFinding) {
  struct Row {
    std::string_view policy;
    rules::FindingStatus status;
    bool is_uncertain;
    std::string_view explains;  ///< Empty: the rule measures gpu.idle.mean itself.
    bool is_counted_with;
    VerdictStatus verdict;
  };
  const auto kError = rules::FindingStatus::kError;
  const auto kWarn = rules::FindingStatus::kWarn;
  const auto kInfo = rules::FindingStatus::kInfo;
  const Row kRows[] = {
      {"thresholds: {gpu.idle.mean: {max: 9%, level: info}}", kInfo, false, "", true, kPass},
      {"thresholds: {gpu.idle.mean: {max: 9%, level: info}}", kWarn, false, "", false, kPass},
      {"thresholds: {gpu.idle.mean: {max: 90%}}", kInfo, false, "", false, kPass},
      {"thresholds: {gpu.idle.mean: {max: 90%}}", kError, false, "", false, kFail},
      {"thresholds: {gpu.idle.mean: {max: 9%, level: warn}}", kError, false, "", false, kFail},
      {"thresholds: {gpu.idle.mean: {max: 9%}}", rules::FindingStatus::kGood, false, "", false,
       kFail},
      {"thresholds: {gpu.idle.mean: {max: 9%}}", rules::FindingStatus::kWaived, false, "", false,
       kFail},
      // An explained limit that is missed for sure, and one that may not be.
      {"fail_on: warn\nthresholds: {gpu.idle.max: {max: 9%, level: warn}}", kWarn, false,
       "gpu.idle.max", true, kFail},
      {"fail_on: warn\nthresholds: {gpu.occupancy: {max: 9%, side: any}}", kWarn, false,
       "gpu.occupancy", false, kFail},
      {"fail_on: warn\nthresholds: {gpu.occupancy: {max: 9%, side: any}}", kInfo, false,
       "gpu.occupancy", true, kNoVerdict},
      {"thresholds: {gpu.occupancy: {max: 9%, side: any}}", kWarn, false, "gpu.occupancy", true,
       kNoVerdict},
      // An uncertain error is no less open than the limit.
      {"thresholds: {gpu.occupancy: {max: 9%, side: any}}", kWarn, true, "gpu.occupancy", true,
       kNoVerdict},
      {"thresholds: {gpu.occupancy: {max: 9%, side: any, level: warn}}", kWarn, true,
       "gpu.occupancy", false, kNoVerdict},
      {"thresholds: {gpu.idle.mean: {max: 9%, level: warn}}", kWarn, true, "", false, kNoVerdict},
      {"fail_on: never\nthresholds: {gpu.idle.mean: {max: 9%, level: warn}}", kWarn, true, "", true,
       kPass},
      {"fail_on: warn\nthresholds: {gpu.idle.mean: {max: 9%, level: warn}}", kWarn, true, "", true,
       kFail},
  };
  const analysis::Analysis analysis = MakeAnalysis(
      {{"gpu.idle.mean", 0.42}, {"gpu.idle.max", 0.42}, {"gpu.occupancy", 0.42, true}});
  for (const Row& row : kRows) {
    const rules::Rule rule =
        row.explains.empty()
            ? RuleOn("gpu.idle.mean")
            : RuleOn("1 - gpu.idle.mean", {"sync.time_share", std::string(row.explains)});
    const rules::Evaluation evaluation = EvaluationOf(rule, row.status, row.is_uncertain);
    JudgeOptions options;
    options.evaluation = &evaluation;
    const Verdict verdict = Judge(PolicyOf(row.policy), analysis, {}, options);
    EXPECT_EQ(!verdict.findings_counted_with.front().empty(), row.is_counted_with)
        << row.policy << " " << rules::FindingStatusName(row.status) << row.is_uncertain;
    EXPECT_EQ(VerdictStatusName(verdict.status), VerdictStatusName(row.verdict)) << row.policy;
  }
}

// Under `fail_on: warn` a warning that is one whatever the number is fails the run, beside a limit
// on the same number that may be kept.
TEST(Verdict, UndecidedLimitCountsNoCertainWarning) {
  const rules::Rule rule = RuleOn("gpu.idle.mean");
  const analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.4, false, 0.2}});
  for (const bool is_sure : {false, true}) {
    rules::Evaluation evaluation = EvaluationOf(rule, rules::FindingStatus::kWarn);
    evaluation.findings.front().is_sure = is_sure;
    JudgeOptions options;
    options.evaluation = &evaluation;
    const auto judged = [&](std::string_view fail_on) {
      return Judge(PolicyOf(fmt::format("fail_on: {}\nthresholds: {{gpu.idle.mean: {{max: 30%}}}}",
                                        fail_on)),
                   analysis, {}, options);
    };
    EXPECT_EQ(judged("warn").status, is_sure ? kFail : kNoVerdict);
    EXPECT_EQ(judged("error").status, kNoVerdict);
    EXPECT_EQ(judged("error").open, 1);
    EXPECT_EQ(judged("error").warnings, 0);
  }
}

// A rule that is required is asked for all that it could have said, whatever it found.
TEST(Verdict, RequiredRuleAnswersAllItsLimits) {
  const rules::Rule rule = RuleOn("gpu.idle.mean");
  for (const rules::FindingStatus status :
       {rules::FindingStatus::kWarn, rules::FindingStatus::kInfo, rules::FindingStatus::kError,
        rules::FindingStatus::kWaived, rules::FindingStatus::kGood}) {
    rules::Evaluation evaluation = EvaluationOf(rule, status);
    evaluation.findings.front().unanswered = "rank 3: `gpu.idle.max` is absent";
    JudgeOptions options;
    options.evaluation = &evaluation;
    const auto judged = [&](std::string_view policy) {
      return Judge(PolicyOf(policy), MakeAnalysis({{"gpu.idle.mean", 0.4}}), {}, options).status;
    };
    const bool fails = status == rules::FindingStatus::kError;
    evaluation.findings.front().unanswered.clear();
    EXPECT_EQ(judged("require: [gpu/idle]"), fails ? kFail : kPass)
        << rules::FindingStatusName(status);
    evaluation.findings.front().unanswered = "rank 3: `gpu.idle.max` is absent";
    EXPECT_EQ(judged(""), fails ? kFail : kPass) << rules::FindingStatusName(status);
    EXPECT_EQ(judged("require: [gpu/idle]"), fails ? kFail : kNoVerdict)
        << rules::FindingStatusName(status);
    // Where it is counted with a limit, too.
    EXPECT_EQ(judged("require: [gpu/idle]\n"
                     "thresholds: {gpu.idle.mean: {max: 30%, level: warn}}"),
              fails ? kFail : kNoVerdict)
        << rules::FindingStatusName(status);
  }
}

// `fail_on: never` is the user's decision on every failure; an undecided question stays undecided.
TEST(Verdict, NeverMissingRanksDoNotFail) {
  const analysis::Analysis six = MakeAnalysis({{"profile.ranks", 6}, {"profile.ranks_missing", 2}});
  for (const char* fail_on : {"never", "error", "warn"}) {
    const auto judged = [&](std::string_view on_missing) {
      return Judge(
          PolicyOf(fmt::format("fail_on: {}\nranks: {{on_missing: {}}}", fail_on, on_missing)), six,
          {}, {});
    };
    const bool is_never = fail_on == std::string_view("never");
    EXPECT_EQ(judged("fail").status, is_never ? kPass : kFail) << fail_on;
    EXPECT_EQ(judged("fail").errors, 1) << fail_on;
    EXPECT_EQ(judged("no_verdict").status, kNoVerdict) << fail_on;
  }
}

}  // namespace
}  // namespace profgauge::gate
