// The verdict against a second, naive one: thousands of drawn policies, runs and findings. The
// naive one merges nothing and knows one sentence: a certain miss that the policy fails on fails
// the run; else anything that it cannot tell leaves it without a verdict; else it passes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "gate/verdict.h"

namespace profgauge {
namespace {

constexpr const char* kMetrics[] = {"gpu.idle.mean", "gpu.utilization.mean", "gpu.occupancy",
                                    "dataloader.exposed_share", "gpu.sm_efficiency"};
constexpr std::size_t kMetricCount = std::size(kMetrics);

struct Condition {
  std::size_t metric = 0;
  bool above = true;
  double than = 0;
};

/// A drawn case, with what the naive verdict needs beside what the real one is given.
struct Case {
  Policy policy;
  Analysis analysis;
  ImportLog log;
  std::deque<Rule> rules;
  Evaluation evaluation;
  JudgeOptions options;
  std::vector<std::optional<Condition>> conditions;  ///< One for each limit.
  std::vector<std::optional<double>> values;         ///< One for each metric.
  std::vector<bool> uncertain;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t Below(std::size_t n) { return random_() % n; }
  bool OneIn(std::size_t n) { return Below(n) == 0; }
  double Share() { return static_cast<double>(Below(11)) / 10; }
  template <class Enum>
  Enum Of(std::initializer_list<Enum> all) {
    return *(all.begin() + static_cast<std::ptrdiff_t>(Below(all.size())));
  }

 private:
  std::mt19937_64 random_;
};

void DrawRun(Draw& draw, Case& out) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const bool known = !draw.OneIn(4), listed = known || draw.OneIn(2);
    out.values.push_back(known ? std::optional(draw.Share()) : std::nullopt);
    out.uncertain.push_back(known && draw.OneIn(5));
    if (!listed) continue;
    Metric metric{FindMetric(kMetrics[i]), {}, "", out.uncertain.back(), ""};
    if (known) metric.value = *out.values.back();
    out.analysis.metrics.push_back(metric);
  }
  out.analysis.iterations_selected = static_cast<std::int64_t>(draw.Below(6));
  if (draw.OneIn(10)) out.log.Add(Counter::truncated);
}

void DrawLimit(Draw& draw, Case& out) {
  Threshold limit;
  limit.metric = kMetrics[draw.Below(kMetricCount)];
  if (draw.OneIn(2)) limit.min = draw.Share();
  if (!limit.min || draw.OneIn(2)) limit.max = draw.Share();
  limit.level = draw.Of({Level::kInfo, Level::kWarn, Level::kError});
  if (draw.OneIn(3)) {
    limit.on_missing = draw.Of({OnMissing::kNoVerdict, OnMissing::kSkip, OnMissing::kFail});
  }
  std::optional<Condition> condition;
  if (draw.OneIn(3)) {
    condition = Condition{draw.Below(kMetricCount), draw.OneIn(2), draw.Share()};
    limit.when.text = fmt::format("{} {} {}", kMetrics[condition->metric],
                                  condition->above ? ">" : "<", condition->than);
  }
  out.conditions.push_back(condition);
  out.policy.thresholds.push_back(std::move(limit));
}

void DrawFinding(Draw& draw, Case& out) {
  Rule& rule = out.rules.emplace_back();
  rule.id = fmt::format("x/rule-{}", out.rules.size());
  if (draw.OneIn(2)) rule.explains.push_back({kMetrics[draw.Below(kMetricCount)], "", {}});
  if (draw.OneIn(4)) out.policy.require.push_back({rule.id, {}});
  Finding finding;
  finding.rule = &rule;
  finding.status =
      draw.Of({FindingStatus::kError, FindingStatus::kWarn, FindingStatus::kInfo,
               FindingStatus::kPass, FindingStatus::kWaived, FindingStatus::kNotApplicable});
  if (draw.OneIn(40)) finding.status = FindingStatus::kBroken;
  finding.is_uncertain = finding.status == FindingStatus::kWarn && draw.OneIn(4);
  out.evaluation.findings.push_back(std::move(finding));
}

void DrawCase(std::uint64_t seed, Case& out) {
  Draw draw(seed);
  DrawRun(draw, out);
  out.policy.fail_on = draw.Of({FailOn::kError, FailOn::kWarn, FailOn::kNever});
  out.policy.on_missing = draw.Of({OnMissing::kNoVerdict, OnMissing::kSkip, OnMissing::kFail});
  if (draw.OneIn(4)) out.policy.iterations.min = static_cast<std::int64_t>(draw.Below(6));
  for (std::size_t i = draw.Below(5); i > 0; --i) DrawLimit(draw, out);
  for (std::size_t i = draw.Below(4); i > 0; --i) DrawFinding(draw, out);
  out.options = {draw.OneIn(4), &out.evaluation};
}

enum class Effect { kNone, kOpen, kFails };

Effect NaiveLimit(const Case& c, std::size_t i) {
  const Threshold& limit = c.policy.thresholds[i];
  const bool fails = limit.level == Level::kError  ? c.policy.fail_on != FailOn::kNever
                     : limit.level == Level::kWarn ? c.policy.fail_on == FailOn::kWarn
                                                   : false;
  const auto metric = static_cast<std::size_t>(
      std::find(std::begin(kMetrics), std::end(kMetrics), limit.metric) - std::begin(kMetrics));
  const std::optional<double> value = c.values[metric];
  const bool beyond =
      value && ((limit.max && *value > *limit.max) || (limit.min && *value < *limit.min));
  const OnMissing on_missing = limit.on_missing ? *limit.on_missing : c.policy.on_missing;
  bool is_missing = !value;
  if (const auto& condition = c.conditions[i]) {
    const std::optional<double> other = c.values[condition->metric];
    if (other && !(condition->above ? *other > condition->than : *other < condition->than)) {
      return Effect::kNone;
    }
    if (!other && !beyond) return Effect::kNone;  // Within it, or not known: no matter.
    if (!other) is_missing = true;
  }
  if (is_missing) {
    if (on_missing == OnMissing::kSkip) return Effect::kNone;
    if (on_missing == OnMissing::kFail) return fails ? Effect::kFails : Effect::kNone;
    return limit.level == Level::kInfo ? Effect::kNone : Effect::kOpen;
  }
  if (!beyond || !fails) return Effect::kNone;
  return c.uncertain[metric] ? Effect::kOpen : Effect::kFails;
}

VerdictStatus NaiveVerdict(const Case& c) {
  bool fails = false, open = false;
  for (std::size_t i = 0; i < c.policy.thresholds.size(); ++i) {
    const Effect effect = NaiveLimit(c, i);
    fails = fails || effect == Effect::kFails;
    open = open || effect == Effect::kOpen;
  }
  for (const Finding& finding : c.evaluation.findings) {
    if (finding.status == FindingStatus::kBroken) return VerdictStatus::kNoVerdict;
    if (finding.status == FindingStatus::kError)
      fails = fails || c.policy.fail_on != FailOn::kNever;
    if (finding.status == FindingStatus::kWarn) fails = fails || c.policy.fail_on == FailOn::kWarn;
    if (finding.is_uncertain) open = open || c.policy.fail_on == FailOn::kError;
    if (finding.status != FindingStatus::kNotApplicable) continue;
    for (const RequiredRule& required : c.policy.require) {
      open = open || required.rule == finding.rule->id;
    }
  }
  if (c.log[Counter::truncated] > 0 && !c.options.allow_incomplete) open = true;
  if (c.policy.iterations.min && c.analysis.iterations_selected < *c.policy.iterations.min)
    open = true;
  return fails ? VerdictStatus::kFail : open ? VerdictStatus::kNoVerdict : VerdictStatus::kPass;
}

std::string Described(const Case& c) {
  std::string text = fmt::format("fail_on {}, on_missing {}", static_cast<int>(c.policy.fail_on),
                                 static_cast<int>(c.policy.on_missing));
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    text +=
        fmt::format("\n{} = {}{}", kMetrics[i], c.values[i] ? fmt::to_string(*c.values[i]) : "?",
                    c.uncertain[i] ? " (uncertain)" : "");
  }
  for (const Threshold& limit : c.policy.thresholds) {
    text += fmt::format("\n{} in [{}, {}] {} when `{}`", limit.metric, limit.min.value_or(-1),
                        limit.max.value_or(9), LevelName(limit.level), limit.when.text);
  }
  for (const Finding& finding : c.evaluation.findings) {
    text += fmt::format("\n{}: {} explains {}", finding.rule->id, FindingStatusName(finding.status),
                        finding.rule->explains.empty() ? "" : finding.rule->explains.front().text);
  }
  return text;
}

// ci/mutate.py and campaigns draw more: PROFGAUGE_VERDICTS=100000.
TEST(VerdictModel, AgreesWithANaiveOne) {
  const char* wanted = std::getenv("PROFGAUGE_VERDICTS");
  const std::uint64_t cases = wanted == nullptr ? 10'000 : std::strtoull(wanted, nullptr, 10);
  std::size_t seen[4] = {};
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    Case drawn;
    DrawCase(seed, drawn);
    const Verdict verdict = Judge(drawn.policy, drawn.analysis, drawn.log, drawn.options);
    const VerdictStatus naive = NaiveVerdict(drawn);
    ++seen[static_cast<std::size_t>(naive)];
    ASSERT_EQ(VerdictStatusName(verdict.status), VerdictStatusName(naive))
        << "seed " << seed << ": " << Described(drawn);
    // Whoever fails or has no verdict is told why; a pass has nothing to say.
    EXPECT_EQ(verdict.reasons.empty(), naive == VerdictStatus::kPass) << "seed " << seed;
  }
  for (const VerdictStatus status :
       {VerdictStatus::kPass, VerdictStatus::kFail, VerdictStatus::kNoVerdict}) {
    EXPECT_GT(seen[static_cast<std::size_t>(status)], cases / 20) << VerdictStatusName(status);
  }
}

}  // namespace
}  // namespace profgauge
