// The effect of each answer of a comparison on a verdict, and its words.
#include "gate/baseline_verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

constexpr auto kMiss = stats::Change::kFail;
constexpr auto kOpenAnswer = stats::Change::kInconclusive;
constexpr auto kKept = stats::Change::kPass;
constexpr auto kFaster = stats::Change::kImproved;

MetricComparison Answer(stats::Change change, bool over_limit, rules::Level level,
                        bool is_missing) {
  MetricComparison metric;
  metric.metric = "gpu.idle.mean";
  metric.verdict = change;
  metric.over_limit = over_limit;
  metric.level = level;
  metric.is_missing = is_missing;
  return metric;
}

TEST(BaselineVerdict, EachAnswerCountsOnce) {
  struct Row {
    std::string_view policy;
    MetricComparison answer;
    VerdictStatus status;
    std::string_view counts;  ///< errors warnings passed open missing not_applicable
  };
  const rules::Level kErr = rules::Level::kError, kWrn = rules::Level::kWarn,
                     kInf = rules::Level::kInfo;
  const Row kRows[] = {
      {"", Answer(kMiss, false, kErr, false), kFail, "1 0 0 0 0 0"},
      {"", Answer(kMiss, false, kWrn, false), kPass, "0 1 0 0 0 0"},
      {"", Answer(kMiss, false, kInf, false), kPass, "0 0 0 0 0 0"},
      {"fail_on: warn", Answer(kMiss, false, kWrn, false), kFail, "0 1 0 0 0 0"},
      {"fail_on: never", Answer(kMiss, false, kErr, false), kPass, "1 0 0 0 0 0"},
      {"", Answer(kKept, false, kErr, false), kPass, "0 0 1 0 0 0"},
      {"", Answer(kFaster, false, kErr, false), kPass, "0 0 1 0 0 0"},
      {"", Answer(kOpenAnswer, true, kErr, false), kNoVerdict, "0 0 0 1 0 0"},
      {"", Answer(kOpenAnswer, true, kWrn, false), kPass, "0 1 0 0 0 0"},
      {"", Answer(kOpenAnswer, true, kInf, false), kPass, "0 0 0 0 0 0"},
      {"fail_on: warn", Answer(kOpenAnswer, true, kWrn, false), kNoVerdict, "0 0 0 1 0 0"},
      {"fail_on: never", Answer(kOpenAnswer, true, kErr, false), kPass, "0 1 0 0 0 0"},
      {"", Answer(kOpenAnswer, false, kErr, false), kPass, "0 1 0 0 0 0"},
      {"on_inconclusive: pass", Answer(kOpenAnswer, false, kErr, false), kPass, "0 0 1 0 0 0"},
      {"on_inconclusive: no_verdict", Answer(kOpenAnswer, false, kErr, false), kNoVerdict,
       "0 0 0 1 0 0"},
      {"on_inconclusive: no_verdict", Answer(kOpenAnswer, false, kInf, false), kPass,
       "0 0 0 0 0 0"},
      {"", Answer(kOpenAnswer, false, kInf, false), kPass, "0 0 0 0 0 0"},
      {"on_inconclusive: pass", Answer(kOpenAnswer, false, kInf, false), kPass, "0 0 1 0 0 0"},
      {"", Answer(kMiss, false, kErr, true), kNoVerdict, "0 0 0 0 1 0"},
      {"", Answer(kMiss, false, kWrn, true), kNoVerdict, "0 0 0 0 1 0"},
      {"", Answer(kMiss, false, kInf, true), kPass, "0 0 0 0 1 0"},
      {"on_missing: skip", Answer(kKept, false, kErr, true), kPass, "0 0 0 0 1 0"},
      {"on_missing: fail", Answer(kKept, false, kErr, true), kFail, "0 0 0 0 1 0"},
      {"on_missing: fail", Answer(kKept, false, kWrn, true), kPass, "0 0 0 0 1 0"},
      {"on_missing: fail\nfail_on: warn", Answer(kKept, false, kWrn, true), kFail, "0 0 0 0 1 0"},
  };
  for (const Row& row : kRows) {
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(row.policy), "p.yaml");
    ASSERT_TRUE(policy);
    RunComparison comparison;
    comparison.metrics = {row.answer};
    const std::string what = fmt::format(
        "{} {} {} {} {}", row.policy, stats::ChangeName(row.answer.verdict), row.answer.over_limit,
        rules::LevelName(row.answer.level), row.answer.is_missing);
    const auto judged = [&](VerdictStatus before) {
      Verdict verdict;
      verdict.status = before;
      AddComparison(comparison, *policy, verdict);
      return verdict;
    };
    const Verdict verdict = judged(kPass);
    EXPECT_EQ(VerdictStatusName(verdict.status), VerdictStatusName(row.status)) << what;
    EXPECT_EQ(fmt::format("{} {} {} {} {} {}", verdict.errors, verdict.warnings, verdict.passed,
                          verdict.open, verdict.missing, verdict.not_applicable),
              row.counts)
        << what;
    EXPECT_EQ(verdict.reasons.size(), row.status == kPass ? 0U : 1U) << what;
    // An earlier failure stays, and so does a question, except for a failure.
    EXPECT_EQ(judged(kFail).status, kFail) << what;
    EXPECT_EQ(judged(kNoVerdict).status, row.status == kFail ? kFail : kNoVerdict) << what;
    comparison.is_judged = false;
    comparison.metrics.resize(3);
    const Verdict apart = judged(kPass);
    EXPECT_EQ(apart.status, kNoVerdict);
    EXPECT_EQ(apart.not_applicable, 3);
    EXPECT_EQ(apart.errors + apart.warnings + apart.passed + apart.open + apart.missing, 0);
    EXPECT_EQ(judged(kFail).status, kFail);
    comparison.is_judged = true;
  }
}

// Slower in two runs fails or warns; slower in the only run asks for a second one, or is a note.
TEST(BaselineVerdict, PartsOfOneRunAskForASecond) {
  struct Row {
    std::string_view policy;
    rules::Level level;
    bool is_twice;
    VerdictStatus status;
    std::string_view counts;  ///< errors warnings passed open
    std::size_t notes;
  };
  const rules::Level kErr = rules::Level::kError, kWrn = rules::Level::kWarn;
  const Row kRows[] = {
      {"", kErr, true, kFail, "1 0 0 0", 0},
      {"", kErr, false, kNoVerdict, "0 0 0 1", 0},
      {"", kWrn, true, kPass, "0 1 0 0", 1},
      {"", kWrn, false, kPass, "0 0 1 0", 1},
      {"fail_on: warn", kWrn, true, kFail, "0 1 0 0", 0},
      {"fail_on: warn", kWrn, false, kNoVerdict, "0 0 0 1", 0},
  };
  for (const Row& row : kRows) {
    const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(row.policy), "p.yaml");
    ASSERT_TRUE(policy);
    RunComparison comparison;
    comparison.current_runs = row.is_twice ? 2 : 1;
    PartsComparison parts;
    parts.kind = "kernels";
    parts.level = row.level;
    parts.allowed = 0.05;
    parts.worst = 0.4;
    if (row.is_twice) parts.found = {"kernel a: +40 % in 2 runs"};
    if (!row.is_twice) parts.once = "kernel a: +40 % in this run";
    comparison.parts = {parts};
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddComparison(comparison, *policy, verdict);
    EXPECT_EQ(verdict.status, row.status);
    EXPECT_EQ(
        fmt::format("{} {} {} {}", verdict.errors, verdict.warnings, verdict.passed, verdict.open),
        row.counts);
    EXPECT_EQ(verdict.notes.size() + verdict.part_warnings.size(), row.notes);
    EXPECT_EQ(verdict.part_warnings.size(), row.counts == "0 1 0 0" ? row.notes : 0U);
    if (row.status != kNoVerdict) continue;
    EXPECT_EQ(verdict.reasons.front(), "kernel a: +40 % in this run [baseline/part-once]");
    EXPECT_EQ(verdict.needed, 2);
    // Who accepts the change needs no second run of it.
    const auto lines = ParseAcceptance("+50% wider kernel");
    ASSERT_TRUE(lines);
    Verdict accepted;
    accepted.status = VerdictStatus::kPass;
    AddComparison(comparison, *policy, accepted, Acceptance{*lines, "anna"});
    EXPECT_EQ(accepted.status, VerdictStatus::kPass);
    EXPECT_EQ(accepted.accepted.size(), 1U);
  }
}

// With an owner and an end, up to a change; beyond it, or after its day, the limit counts.
TEST(BaselineVerdict, WaivesUpToChangeAndDay) {
  const auto policy = rules::ParsePolicy(
      "schema: 1\nwaivers:\n  - {limit: gpu.idle.mean, up_to: +12%, reason: cluster move, owner: "
      "anna, expires: 2026-12-31}\n",
      "p.yaml");
  ASSERT_TRUE(policy);
  const auto judged = [&](double change, std::chrono::sys_days today) {
    MetricComparison metric = Answer(kMiss, false, rules::Level::kError, false);
    metric.base = 100;
    metric.change = change;
    RunComparison comparison;
    comparison.metrics = {metric};
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddComparison(comparison, *policy, verdict, {}, today);
    return verdict;
  };
  using std::chrono::December;
  const std::chrono::sys_days early = std::chrono::year(2026) / December / 1;
  const std::chrono::sys_days late = std::chrono::year(2026) / December / 22;
  const std::chrono::sys_days after = std::chrono::year(2027) / std::chrono::January / 1;
  EXPECT_EQ(judged(11, early).status, VerdictStatus::kPass);
  EXPECT_EQ(judged(11, early).waived_limits, 1);
  EXPECT_EQ(judged(11, early).waiver_notes.front(),
            "waived: gpu.idle.mean (anna, until 2026-12-31: cluster move)");
  EXPECT_EQ(judged(11, late).waiver_notes.front(),
            "waived: gpu.idle.mean (anna, until 2026-12-31: cluster move; expires in 9 days)");
  EXPECT_EQ(judged(13, early).status, VerdictStatus::kFail);
  EXPECT_EQ(judged(11, after).status, VerdictStatus::kFail);
  // Neither ends in silence.
  ASSERT_EQ(judged(13, early).waiver_notes.size(), 1U);
  EXPECT_TRUE(
      judged(13, early).waiver_notes.front().starts_with("over the bound of its waiver: gpu."));
  ASSERT_EQ(judged(11, after).waiver_notes.size(), 1U);
  EXPECT_NE(judged(11, after).waiver_notes.front().find("expired on 2026-12-31"),
            std::string::npos);
}

// An intended change passes with its reason; an undecided one stays undecided.
TEST(BaselineVerdict, AcceptsFailedLimitsAndNoQuestions) {
  const auto judged = [](const MetricComparison& metric) {
    RunComparison comparison;
    comparison.metrics = {metric};
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddComparison(comparison, {}, verdict,
                  {*ParseAcceptance("gpu.idle.mean +900% wider model"), "anna"});
    EXPECT_EQ(comparison.metrics.front().excuse == Excuse::kAccepted, !verdict.accepted.empty());
    return verdict;
  };
  const Verdict accepted = judged(Answer(kMiss, false, rules::Level::kError, false));
  EXPECT_EQ(accepted.status, VerdictStatus::kPass);
  ASSERT_EQ(accepted.accepted.size(), 1U);
  EXPECT_EQ(accepted.accepted.front().reason, "wider model");
  EXPECT_EQ(accepted.accepted.front().owner, "anna");
  EXPECT_EQ(accepted.errors, 0);
  EXPECT_EQ(judged(Answer(kOpenAnswer, true, rules::Level::kError, false)).status,
            VerdictStatus::kNoVerdict);
  EXPECT_EQ(judged(Answer(kKept, false, rules::Level::kError, false)).accepted.size(), 0U);
  // A few iterations that stalled, and a slow start, are changes that somebody may mean.
  for (const stats::Open open : {stats::Open::kAgain, stats::Open::kLearning, stats::Open::kStalls,
                                 stats::Open::kStart, stats::Open::kTooFew}) {
    MetricComparison metric = Answer(kOpenAnswer, true, rules::Level::kError, false);
    metric.open = open;
    EXPECT_EQ(judged(metric).accepted.empty(), open == stats::Open::kTooFew);
  }
}

// The reason of a failure has the line that would accept it.
TEST(BaselineVerdict, NamesTheLineThatWouldAccept) {
  MetricComparison metric = Answer(kMiss, false, rules::Level::kError, false);
  metric.base = 100;
  metric.change = 50;
  metric.allowed = 0.05;
  RunComparison comparison;
  comparison.metrics = {metric};
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, {}, verdict, {*ParseAcceptance("gpu.idle.mean +10% cache"), "anna"});
  EXPECT_EQ(verdict.status, VerdictStatus::kFail);
  EXPECT_NE(comparison.metrics.front().reason.find("accepted up to +10 %, measured +50 %"),
            std::string::npos)
      << comparison.metrics.front().reason;
}

TEST(BaselineVerdict, MissingBaselineFollowsPolicy) {
  BaselineInfo info;
  info.state = BaselineState::kLost;
  info.source = "history:main~5";
  info.why_missing = "none.db does not exist";
  const auto judged = [&](rules::OnBaselineMissing choice) {
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddMissingBaseline(info, choice, {}, verdict);
    return fmt::format("{} {}", VerdictStatusName(verdict.status), verdict.warnings);
  };
  EXPECT_EQ(judged(rules::OnBaselineMissing::kPass), "pass 0");
  EXPECT_EQ(judged(rules::OnBaselineMissing::kWarn), "pass 1");
  EXPECT_EQ(judged(rules::OnBaselineMissing::kNoVerdict), "no_verdict 0");
  info.branch = "main";
  EXPECT_EQ(
      BaselineLine(info),
      "baseline history:main~5: the history is empty or gone, and should not be (none.db does "
      "not exist). Restore it, or let main run once; to start over, set `learning_until` in "
      "profgauge.yaml");
  // In the days of learning nothing fails, whatever was chosen.
  info.state = BaselineState::kFirst;
  EXPECT_EQ(judged(rules::OnBaselineMissing::kNoVerdict), "pass 1");
}

TEST(BaselineVerdict, FailuresAreBeforeQuestions) {
  const auto order = [](VerdictStatus status, std::vector<MetricComparison> answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      answers[i].method = CompareMethod::kStatistics;
      answers[i].reason = std::string(1, static_cast<char>('a' + i));
    }
    RunComparison comparison;
    comparison.metrics = std::move(answers);
    Verdict verdict;
    verdict.status = status;
    verdict.reasons = {"before"};
    AddComparison(comparison, {}, verdict);
    std::string out;
    for (const std::string& reason : verdict.reasons) out += reason.substr(0, 6) + reason.back();
    return out;
  };
  const MetricComparison miss = Answer(kMiss, false, rules::Level::kError, false);
  const MetricComparison open = Answer(kOpenAnswer, true, rules::Level::kError, false);
  EXPECT_EQ(order(kNoVerdict, {open, miss}), "gpu.idbbeforeegpu.id]");
  EXPECT_EQ(order(kFail, {open, miss}), "gpu.idbbeforeegpu.id]");
  EXPECT_EQ(order(kFail, {open}), "beforeegpu.id]");
  EXPECT_EQ(order(kNoVerdict, {open}), "beforeegpu.id]");
}

TEST(BaselineVerdict, ChangesHaveTheLimitsUnit) {
  struct Row {
    Unit unit;
    bool is_relative;
    double base, current;
    std::string_view limit, reason;
    std::string_view said;
  };
  const Row kRows[] = {
      {Unit::kCount, true, 100, 110, "≤ +5 %", "", "+10.0 % against the baseline, limit ≤ +5 %"},
      {Unit::kCount, true, 100, 90, "", "", "-10.0 % against the baseline"},
      {Unit::kCount, true, 0, 110, "", "", "+110 against the baseline"},
      {Unit::kTime, false, 2e6, 1e6, "", "", "−1.00 ms against the baseline"},
      {Unit::kTime, false, 1e6, 3e6, "", "it is uncertain",
       "+2.00 ms against the baseline, but it is uncertain"},
      {Unit::kShare, true, 0.2, 0.3, "", "",
       "+50.0 % (from 20.0 % to 30.0 %) against the baseline"},
      {Unit::kShare, false, 0.2, 0.3, "", "", "+10.00 percentage points against the baseline"},
      {Unit::kShare, true, 0, 0.3, "", "", "+30.00 percentage points against the baseline"},
  };
  for (const Row& row : kRows) {
    MetricComparison metric = Answer(kMiss, false, rules::Level::kError, false);
    metric.unit = row.unit;
    metric.is_relative = row.is_relative;
    metric.base = row.base;
    metric.current = row.current;
    metric.change = row.current - row.base;
    metric.limit = row.limit;
    metric.reason = row.reason;
    RunComparison comparison;
    comparison.metrics = {metric};
    Verdict verdict;
    AddComparison(comparison, {}, verdict);
    EXPECT_EQ(WithPlainSpaces(verdict.reasons.front()),
              fmt::format("gpu.idle.mean changed by {}", row.said));
  }
}

TEST(BaselineVerdict, WhyTheBaselineIsNotComparable) {
  RunComparison comparison;
  comparison.is_judged = false;
  comparison.differences = {{"gpu", "V100", "A100", true}, {"driver", "1", "2", false}};
  const auto said = [&] {
    Verdict verdict;
    AddComparison(comparison, {}, verdict);
    return verdict.reasons.front();
  };
  EXPECT_EQ(said(),
            "the baseline is not comparable: gpu is `V100` there and `A100` here "
            "[baseline/not-comparable]");
  const std::string selection(kSelectionProperty);
  comparison.differences.push_back({selection, "all", "some", false});
  EXPECT_EQ(said(),
            "the baseline is not comparable: gpu is `V100` there and `A100` here "
            "[baseline/not-comparable]");
  comparison.differences.back().is_hard = true;
  EXPECT_TRUE(said().starts_with(
      "the baseline is not comparable: gpu is `V100` there and `A100` here; selection is `all` "
      "there and `some` here; save it again"))
      << said();
}

}  // namespace
}  // namespace profgauge::gate
