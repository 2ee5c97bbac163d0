// Reasons for an undecided verdict beside limits and findings: doubts, limits that fell silent,
// missing ranks, data that summaries do not keep. As tables: one row, one way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"
#include "gate/doubts.h"
#include "gate/limits.h"
#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

// Who may accept a doubt: no one, --allow-incomplete, or `allow_missing` as well.
TEST(Doubts, AreAcceptedByWhoMay) {
  struct Row {
    std::string_view remark;
    bool by_incomplete, by_missing;
  };
  const Row kRows[] = {
      {analysis::iterations::kIterationsLost, true, false},
      {analysis::iterations::kIterationsPartial, true, false},
      {analysis::iterations::kProcessesApart, true, false},
      {analysis::iterations::kWorkOutside, true, false},
      {analysis::iterations::kRanksWithoutMarkers, true, false},
      {analysis::iterations::kRanksWithoutWork, true, true},
      {analysis::communication::kRanksApart, false, false},
  };
  for (const Row& row : kRows) {
    analysis::Analysis analysis = MakeAnalysis({{"profile.ranks_without_work", std::int64_t{2}}});
    analysis.remarks = {{"another-remark", "said"}, {std::string(row.remark), "doubted"}};
    const auto open = [&](std::int64_t allowed, bool allow_incomplete) {
      rules::Policy policy;
      policy.ranks.allow_missing = allowed;
      const std::vector<std::string> doubts = DoubtsOf(policy, analysis, allow_incomplete);
      EXPECT_TRUE(doubts.empty() || (doubts.size() == 1 && doubts.front().starts_with("doubted [")))
          << row.remark;
      return !doubts.empty();
    };
    EXPECT_TRUE(open(0, false)) << row.remark;
    EXPECT_TRUE(open(1, false)) << row.remark;
    EXPECT_EQ(open(2, false), !row.by_missing) << row.remark;
    EXPECT_EQ(open(0, true), !row.by_incomplete) << row.remark;
    analysis.metrics.front().value = Value();
    EXPECT_TRUE(open(2, false)) << row.remark;
    analysis.metrics.clear();
    EXPECT_TRUE(open(2, false)) << row.remark;
  }
}

TEST(Doubts, NothingToJudgePrecedesFailures) {
  for (const std::string_view id :
       {analysis::iterations::kNoDeviceEvents, analysis::iterations::kNoKernels,
        analysis::iterations::kCollectivesOnly, analysis::iterations::kAlmostEmpty}) {
    analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 1.0}});
    analysis.remarks = {{std::string(id), "nothing"}};
    const auto verdict_of = [&](std::string_view text, bool allow_incomplete) {
      const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(text), "p.yaml");
      EXPECT_TRUE(policy.has_value());
      JudgeOptions options;
      options.allow_incomplete = allow_incomplete;
      return Judge(*policy, analysis, {}, options);
    };
    constexpr std::string_view kLimit = "thresholds: {gpu.idle.mean: {max: 30%}}\n";
    const Verdict verdict = verdict_of(kLimit, false);
    EXPECT_EQ(ExitCodeOf(verdict, false), 3) << id;
    EXPECT_EQ(verdict.reasons, std::vector<std::string>{fmt::format("nothing [recording/{}]", id)})
        << id;
    EXPECT_EQ(ExitCodeOf(verdict_of(kLimit, true), false), 1) << id;
    EXPECT_EQ(ExitCodeOf(verdict_of(std::string(kLimit) + "on_missing: skip\n", false), false), 3);
    // A policy that asks nothing of a device.
    constexpr std::string_view kOther =
        "thresholds: {dataloader.exposed_share: {max: 30%, "
        "on_missing: skip}}\n";
    EXPECT_EQ(ExitCodeOf(verdict_of(kOther, false), false), 0) << id;
  }
}

TEST(LostLimits, JudgedABaselineRun) {
  struct Row {
    std::optional<double> now, first, second;  // The second run of the baseline besides.
    std::string_view lost;
  };
  constexpr std::string_view kNothing = "";
  // The limit is 20 % to 50 %, where the occupancy is over 30 %; it is 40 % in the first run.
  const Row kRows[] = {
      {std::nullopt, 0.25, {}, "first has 25.0 %"},
      {std::nullopt, 0.75, {}, "first has 75.0 %"},
      {std::nullopt, {}, {}, kNothing},
      {std::nullopt, {}, 0.25, "second has 25.0 %"},
      {0.1, 0.25, {}, "first has 25.0 %"},
      {0.9, 0.25, {}, "first has 25.0 %"},
      {0.2, 0.25, {}, kNothing},
      {0.5, 0.25, {}, kNothing},
      {0.3, 0.25, {}, kNothing},
      {0.9, 0.75, {}, kNothing},
      {0.1, 0.1, {}, kNothing},
      {0.9, 0.75, 0.5, "second has 50.0 %"},
      {0.9, 0.2, 0.5, "first has 20.0 %"},
  };
  rules::Threshold limit;
  limit.metric = "gpu.idle.mean";
  limit.min = 0.2;
  limit.max = 0.5;
  limit.when.text = "gpu.occupancy > 30%";
  for (const Row& row : kRows) {
    std::vector<Snapshot> runs(2);
    runs[0].name = "first";
    runs[1].name = "second";
    if (row.first) runs[0].metrics["gpu.idle.mean"] = *row.first;
    if (row.second) runs[1].metrics["gpu.idle.mean"] = *row.second;
    for (Snapshot& run : runs) {
      run.metrics["gpu.occupancy"] = 0.4;
      for (const char* id : {"gpu.idle.mean", "gpu.occupancy"}) {
        run.definitions[id] = analysis::FindMetric(id)->definition_number;
      }
    }
    const analysis::Analysis analysis =
        row.now ? MakeAnalysis({{"gpu.idle.mean", *row.now}}) : MakeAnalysis({});
    const auto said = [&] { return WithPlainSpaces(WhyLost(limit, analysis, runs).value_or("")); };
    EXPECT_EQ(said(), row.lost);
    for (Snapshot& run : runs) run.metrics["gpu.occupancy"] = 0.3;
    EXPECT_EQ(said(), kNothing);
    for (Snapshot& run : runs) run.metrics.erase("gpu.occupancy");
    EXPECT_EQ(said(), kNothing);
  }
}

TEST(MissingRanks, MatterToCommonMetrics) {
  struct Row {
    std::string_view policy;
    bool has_baseline;
    bool matters;
  };
  const Row kRows[] = {
      {"", false, false},
      {"", true, true},
      {"ranks: {expect: 8}", false, true},
      {"ranks: {on_missing: no_verdict}", false, true},
      {"ranks: {allow_missing: 1}", false, false},
      {"thresholds: {gpu.idle.mean: {max: 9%}}", false, false},
      {"thresholds: {gpu.idle.max: {max: 9%}}", false, true},
      {"thresholds: {gpu.utilization.min: {min: 9%}}", false, true},
      {"thresholds: {gpu.idle.max: {max: 9%, level: warn}}", false, true},
      {"thresholds: {gpu.idle.max: {max: 9%, level: info}}", false, false},
      {"thresholds: {iteration.time.median: {max: 9 ms}}", false, true},
      {"thresholds: {communication.exposed_share: {max: 9%}}", false, true},
      {"thresholds: {pipeline.bubble_share: {max: 9%}}", false, true},
      {"thresholds: {rank.imbalance: {max: 9%}}", false, true},
      {"baseline: {iteration.time.median: {max_increase: 9%}}", false, true},
      {"baseline: {iteration.time.median: {max_increase: 9%, level: info}}", false, false},
      {"baseline: {gpu.idle.mean: {max_increase: 9%}}", false, false},
  };
  const analysis::Analysis six = MakeAnalysis({{"profile.ranks", 6}, {"profile.ranks_missing", 2}});
  for (const Row& row : kRows) {
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(row.policy), "p.yaml");
    ASSERT_TRUE(policy) << row.policy << policy.error().front().message;
    EXPECT_EQ(WhyRanksMissing(*policy, six, row.has_baseline).has_value(), row.matters)
        << row.policy;
  }
}

TEST(MissingRanks, AreCounted) {
  struct Row {
    std::optional<std::int64_t> present, lacking;
    std::string_view ranks;
    std::string_view said;
  };
  const Row kRows[] = {
      {6, 2, "on_missing: warn", "2 of 8 ranks are missing [ranks/missing]"},
      {7, 1, "on_missing: warn", "1 of 8 ranks is missing [ranks/missing]"},
      {8, 0, "on_missing: warn", ""},
      {6, {}, "on_missing: warn", ""},
      {{}, 2, "on_missing: warn", ""},
      {{}, 2, "expect: 8", ""},
      {6, {}, "expect: 8", "2 of 8 ranks are missing [ranks/missing]"},
      {6, 1, "expect: 8", "2 of 8 ranks are missing [ranks/missing]"},
      {8, 1, "expect: 8", ""},
      {9, {}, "expect: 8", "the run has 9 ranks, the policy expects 8 [ranks/too-many]"},
      {6, 2, "expect: 6", ""},
      {6, 2, "{on_missing: warn, allow_missing: 2}", ""},
      {6, 2, "{on_missing: warn, allow_missing: 1}",
       "2 of 8 ranks are missing, the policy allows 1 [ranks/missing]"},
      {6,
       {},
       "{expect: 8, allow_missing: 1}",
       "2 of 8 ranks are missing, the policy allows 1 [ranks/missing]"},
      {6, {}, "{expect: 8, allow_missing: 2}", ""},
  };
  for (const Row& row : kRows) {
    analysis::Analysis analysis = MakeAnalysis({});
    const auto add = [&](const char* id, std::optional<std::int64_t> value) {
      analysis.metrics.push_back(
          {analysis::FindMetric(id), value ? Value(*value) : Value(), "", false, ""});
    };
    add("profile.ranks", row.present);
    add("profile.ranks_missing", row.lacking);
    const std::string ranks =
        row.ranks.front() == '{' ? std::string(row.ranks) : fmt::format("{{{}}}", row.ranks);
    const auto policy = rules::ParsePolicy("schema: 1\nranks: " + ranks, "p.yaml");
    ASSERT_TRUE(policy) << ranks;
    EXPECT_EQ(WhyRanksMissing(*policy, analysis, false).value_or(""), row.said) << ranks;
  }
  analysis::Analysis noted = MakeAnalysis({{"profile.ranks", 6}, {"profile.ranks_missing", 2}});
  noted.metrics.back().note = "ranks 6 and 7";
  EXPECT_EQ(WhyRanksMissing({}, noted, true),
            "2 of 8 ranks are missing (ranks 6 and 7) [ranks/missing]");
}

// A run of summaries, with limits and rules of which some need missing data.
struct Kept {
  analysis::Analysis analysis = MakeAnalysis({});
  std::vector<GateResult> gate;
  std::vector<rules::Rule> rules;
  std::vector<rules::Finding> findings;
  rules::Policy policy;

  Kept() { analysis.not_kept = "summaries do not keep it"; }
  void Limit(GateStatus status, rules::Level level, std::string reason) {
    GateResult& result = gate.emplace_back();
    result.status = status;
    result.threshold.level = level;
    result.reason = std::move(reason);
  }
  void Rules(std::size_t count, rules::FindingStatus status, rules::Level most,
             const std::string& reason) {
    for (std::size_t i = 0; i < count; ++i) rules.emplace_back().id = fmt::format("x/{}", i);
    for (const rules::Rule& rule : rules) {
      rules::Finding& finding = findings.emplace_back();
      finding.rule = &rule;
      finding.status = status;
      finding.most = most;
      finding.reason = reason;
    }
  }
  std::string Said() const {
    const std::string said = WhyNotKept(analysis, gate, findings, policy).value_or("");
    return said.substr(0, said.find(" need"));
  }
};

TEST(NotKept, CountsPossiblyFailingLimits) {
  struct Row {
    GateStatus status;
    rules::Level level;
    std::string_view reason;
    std::string_view said;
  };
  constexpr std::string_view kReason = "this: summaries do not keep it; give the profiles";
  const Row kRows[] = {
      {GateStatus::kSkipped, rules::Level::kError, kReason, "1 limit"},
      {GateStatus::kNotApplicable, rules::Level::kError, kReason, "1 limit"},
      {GateStatus::kSkipped, rules::Level::kWarn, kReason, ""},
      {GateStatus::kSkipped, rules::Level::kError, "no such events", ""},
      {GateStatus::kPass, rules::Level::kError, kReason, ""},
      {GateStatus::kMissing, rules::Level::kError, kReason, ""},
  };
  for (const Row& row : kRows) {
    Kept kept;
    kept.Limit(row.status, row.level, std::string(row.reason));
    EXPECT_EQ(kept.Said(), row.said) << row.reason;
    kept.analysis.not_kept.clear();
    EXPECT_EQ(kept.Said(), "");
  }
  Kept two;
  for (int i = 0; i < 2; ++i)
    two.Limit(GateStatus::kSkipped, rules::Level::kError, std::string(kReason));
  EXPECT_EQ(
      WhyNotKept(two.analysis, two.gate, {}, {}),
      "2 limits need data that summaries do not contain; check the full profiles, or drop the "
      "limit [summary/not-kept]");
}

TEST(NotKept, NamesPossiblyFailingRules) {
  const std::string reason = "`x` is absent: summaries do not keep it";
  const auto said = [&](std::size_t count, rules::FindingStatus status, rules::Level most,
                        std::string why, rules::FailOn fail_on, bool with_limit) {
    Kept kept;
    if (with_limit) kept.Limit(GateStatus::kSkipped, rules::Level::kError, reason);
    kept.Rules(count, status, most, why);
    kept.policy.fail_on = fail_on;
    return kept.Said();
  };
  const auto kNone = rules::FindingStatus::kNotApplicable;
  EXPECT_EQ(said(1, kNone, rules::Level::kError, reason, rules::FailOn::kError, false),
            "1 rule (x/0)");
  EXPECT_EQ(said(3, kNone, rules::Level::kError, reason, rules::FailOn::kError, false),
            "3 rules (x/0, x/1, x/2)");
  EXPECT_EQ(said(4, kNone, rules::Level::kError, reason, rules::FailOn::kError, false),
            "4 rules (x/0, x/1, x/2, …)");
  EXPECT_EQ(said(5, kNone, rules::Level::kError, reason, rules::FailOn::kError, false),
            "5 rules (x/0, x/1, x/2, …)");
  EXPECT_EQ(said(1, kNone, rules::Level::kError, reason, rules::FailOn::kError, true),
            "1 limit and 1 rule (x/0)");
  EXPECT_EQ(said(1, kNone, rules::Level::kWarn, reason, rules::FailOn::kError, false), "");
  EXPECT_EQ(said(1, kNone, rules::Level::kWarn, reason, rules::FailOn::kWarn, false),
            "1 rule (x/0)");
  EXPECT_EQ(said(1, kNone, rules::Level::kError, "no such events", rules::FailOn::kError, false),
            "");
  EXPECT_EQ(said(1, rules::FindingStatus::kError, rules::Level::kError, reason,
                 rules::FailOn::kError, false),
            "");
}

TEST(NotKept, OneOrSeveralNeedIt) {
  const std::string reason = "summaries do not keep it";
  const auto said = [&](std::size_t limits, std::size_t rules) {
    Kept kept;
    for (std::size_t i = 0; i < limits; ++i) {
      kept.Limit(GateStatus::kSkipped, rules::Level::kError, reason);
    }
    kept.Rules(rules, rules::FindingStatus::kNotApplicable, rules::Level::kError, reason);
    const std::string all = WhyNotKept(kept.analysis, kept.gate, kept.findings, {}).value_or("");
    return all.find(" needs data") != all.npos ? 1 : all.find(" need data") != all.npos ? 2 : 0;
  };
  EXPECT_EQ(said(0, 0), 0);
  EXPECT_EQ(said(0, 1), 1);
  EXPECT_EQ(said(1, 0), 1);
  EXPECT_EQ(said(1, 1), 2);
  EXPECT_EQ(said(2, 1), 2);
}

TEST(NotKept, PassByCutRowsIsNone) {
  struct Row {
    std::string_view file, where, policy;
    bool is_open;
  };
  constexpr std::string_view kWhere = "gap.duration >= $shortest";
  const Row kRows[] = {
      {"ours.yaml", kWhere, "", true},
      {"ours.yaml", "", "", true},
      {"builtin:gpu", kWhere, "", false},
      {"builtin:gpu", kWhere, "x/0: {params: {shortest: 1 us}}", true},
      {"builtin:gpu", kWhere, "x/*: {params: {shortest: 1 us}}", true},
      {"builtin:gpu", kWhere, "old/name: {params: {shortest: 1 us}}", true},
      {"builtin:gpu", kWhere, "x/1: {params: {shortest: 1 us}}", false},
      {"builtin:gpu", kWhere, "x/0: {params: {warn: 1 %}}", false},
      {"builtin:gpu", kWhere, "x/0: {params: {a: 1 %, shortest: 1 us, z: 1 %}}", true},
      {"builtin:gpu", "", "x/0: {params: {shortest: 1 us}}", false},
  };
  for (const Row& row : kRows) {
    Kept kept;
    kept.Rules(1, rules::FindingStatus::kGood, rules::Level::kError, "");
    rules::Rule& rule = kept.rules.front();
    rule.formerly = {"older/name", "old/name"};
    rule.for_each.text = "gap";
    rule.for_each.file = row.file;
    if (!row.where.empty()) rule.where.emplace().text = row.where;
    const auto policy = rules::ParsePolicy(
        fmt::format("schema: 1\n{}",
                    row.policy.empty() ? std::string() : fmt::format("rules: {{{}}}", row.policy)),
        "p.yaml");
    ASSERT_TRUE(policy) << row.policy;
    kept.policy = *policy;
    EXPECT_EQ(kept.Said(), "") << "all rows are kept";
    kept.analysis.remarks = {
        {"ranks-apart", ""}, {"summary-rows/no-table", ""}, {"summary-rows/kernels_by_op", ""}};
    EXPECT_EQ(kept.Said(), "") << "those of other tables were cut";
    kept.analysis.remarks.push_back({"summary-rows/gaps", ""});
    EXPECT_EQ(kept.Said(), row.is_open ? "1 rule (x/0)" : "") << row.policy;
    kept.findings.front().status = rules::FindingStatus::kInfo;
    EXPECT_EQ(kept.Said(), "") << "it has fired";
  }
}

}  // namespace
}  // namespace profgauge::gate
