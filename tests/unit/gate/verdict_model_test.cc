// The way from a policy's text to the exit code against a second, naive one (naive_verdict.cc):
// thousands of drawn policies, rules, runs and baselines.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "drawn_policy.h"
#include "gate/baseline_verdict.h"
#include "gate/verdict.h"
#include "rules/compile.h"
#include "rules/selection.h"

namespace profgauge::gate {
namespace {

template <class T>
T Valid(tl::expected<T, rules::Errors> value) {
  if (!value) throw std::runtime_error(rules::RenderErrors(value.error(), false));
  return *std::move(value);
}

Verdict JudgeDrawn(const drawn::Case& drawn) {
  const rules::Policy policy = Valid(rules::ParsePolicy(drawn::PolicyText(drawn), "policy.yaml"));
  rules::RuleSet rules;
  if (!drawn.rules.empty()) {
    rules.rules = Valid(rules::ParseRuleFile(drawn::RulesText(drawn), "rules.yaml")).rules;
  }
  const auto active = Valid(rules::SelectRules(rules, policy, {.today = drawn::kToday}));
  const auto compiled = Valid(rules::CompileRules(active, policy));
  const analysis::Analysis analysis = drawn::AnalysisOf(drawn);
  const rules::Evaluation evaluation =
      rules::EvaluateRules(compiled, analysis, {}, {.today = drawn::kToday});
  ImportLog log;
  if (drawn.is_truncated) log.Add(Counter::truncated);
  for (std::int64_t i = 0; i < drawn.unreadable; ++i) log.Add(Counter::ranks_unreadable);
  std::vector<Snapshot> baselines;
  if (drawn.has_baseline) baselines.push_back(drawn::RunOf(drawn, true));
  Verdict verdict =
      Judge(policy, analysis, log, {drawn.allow_incomplete, &evaluation, baselines, {}});
  if (drawn.has_baseline) {
    const std::vector<Snapshot> now = {drawn::RunOf(drawn, false)};
    RunComparison comparison = CompareRuns(baselines, now, &*policy.baseline);
    comparison.is_judged = comparison.is_comparable;
    for (std::size_t i = 0; i < drawn.changes.size(); ++i) {
      if (!drawn.changes[i].answer) continue;
      comparison.metrics[i].verdict = drawn.changes[i].answer->change;
      comparison.metrics[i].over_limit = drawn.changes[i].answer->over;
    }
    AddComparison(comparison, policy, verdict);
  }
  return verdict;
}

// Campaigns draw more: PROFGAUGE_VERDICTS=1000000.
TEST(VerdictModel, AgreesWithANaiveOne) {
  const char* wanted = std::getenv("PROFGAUGE_VERDICTS");
  const std::uint64_t cases = wanted == nullptr ? 10'000 : std::strtoull(wanted, nullptr, 10);
  const std::map<std::string_view, int> codes = {{"pass", 0}, {"fail", 1}, {"no_verdict", 3}};
  std::map<std::string_view, std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const drawn::Case drawn = drawn::DrawCase(seed);
    const Verdict verdict = JudgeDrawn(drawn);
    const std::string_view naive = drawn::NaiveVerdict(drawn);
    ++seen[naive];
    ASSERT_EQ(VerdictStatusName(verdict.status), naive) << "seed " << seed << ":\n"
                                                        << drawn::Described(drawn);
    ASSERT_EQ(ExitCodeOf(verdict, false), codes.at(naive)) << "seed " << seed;
    // A failure or a missing verdict has a reason; a pass has none.
    ASSERT_EQ(verdict.reasons.empty(), naive == "pass") << "seed " << seed;
  }
  for (const auto& [verdict, code] : codes) EXPECT_GT(seen[verdict], cases / 20) << verdict;
}

}  // namespace
}  // namespace profgauge::gate
