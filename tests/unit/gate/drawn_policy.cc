#include "drawn_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"

namespace profgauge::gate::drawn {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t Below(std::size_t n) { return random_() % n; }
  bool OneIn(std::size_t n) { return Below(n) == 0; }
  double Share() { return static_cast<double>(Below(9)) / 8; }
  // Neither end: a limit there is one that no run can miss, which a policy must not have.
  double Inner() { return static_cast<double>(1 + Below(7)) / 8; }
  std::optional<double> MaybeInner() { return OneIn(2) ? std::optional(Inner()) : std::nullopt; }
  std::optional<double> Maybe() { return OneIn(2) ? std::optional(Share()) : std::nullopt; }
  std::optional<std::int64_t> Count(std::size_t one_in, std::size_t below) {
    if (!OneIn(one_in)) return std::nullopt;
    return static_cast<std::int64_t>(Below(below));
  }
  rules::Level OneLevel() { return static_cast<rules::Level>(Below(3)); }
  std::optional<Condition> When(std::size_t one_in) {
    if (!OneIn(one_in)) return std::nullopt;
    return Condition{Below(kIds.size()), OneIn(2), Share()};
  }

 private:
  std::mt19937_64 random_;
};

Limit DrawLimit(Draw& draw) {
  Limit limit;
  limit.metric = draw.Below(kIds.size());
  limit.min = draw.MaybeInner();
  limit.max = limit.min ? draw.MaybeInner() : draw.Inner();
  if (limit.min && limit.max && *limit.min > *limit.max) std::swap(limit.min, limit.max);
  limit.level = draw.OneLevel();
  if (draw.OneIn(3)) limit.on_missing = static_cast<rules::OnMissing>(draw.Below(3));
  limit.when = draw.When(3);
  return limit;
}

DrawnRule DrawRule(Draw& draw) {
  DrawnRule rule;
  rule.metric = draw.Below(kIds.size());
  rule.is_rest = draw.OneIn(3);
  rule.is_below = draw.OneIn(3);
  // No share is under 0, so that a rule must not have that limit, either.
  const auto limit = [&] { return rule.is_below ? draw.MaybeInner() : draw.Maybe(); };
  rule.warn = limit();
  rule.error = limit();
  if (rule.warn && draw.OneIn(4)) rule.warn_of = draw.Below(kIds.size());
  if (rule.error && draw.OneIn(4)) rule.error_of = draw.Below(kIds.size());
  rule.level = draw.OneLevel();
  rule.when = draw.When(3);
  if (draw.OneIn(2)) rule.explains = draw.Below(kIds.size());
  rule.choice = draw.OneIn(3) ? static_cast<rules::RuleSetting::Choice>(draw.Below(5))
                              : rules::RuleSetting::Choice::kDefault;
  rule.is_required = draw.OneIn(4) && rule.choice != rules::RuleSetting::Choice::kOff;
  while (draw.OneIn(4)) rule.waivers.push_back({draw.When(2), draw.OneIn(3)});
  return rule;
}

Change DrawChange(Draw& draw, std::size_t metric) {
  Change change;
  change.metric = metric;
  change.increase = draw.Maybe();
  change.decrease = change.increase ? draw.MaybeInner() : draw.Inner();
  if (draw.OneIn(3)) change.min_abs = draw.Inner() / 4;
  change.level = draw.OneLevel();
  if (draw.OneIn(4)) {
    change.answer = {static_cast<stats::Change>(draw.Below(4)), draw.OneIn(2)};
  }
  return change;
}

std::string Percent(double share) { return fmt::format("{}%", share * 100); }

std::string Text(const Condition& when) {
  return fmt::format("{} {} {}", kIds[when.metric], when.above ? ">" : "<", Percent(when.than));
}

std::string Text(const Limit& limit) {
  std::string text = fmt::format("level: {}, side: any", rules::LevelName(limit.level));
  if (limit.min) text += ", min: " + Percent(*limit.min);
  if (limit.max) text += ", max: " + Percent(*limit.max);
  constexpr const char* kWords[] = {"no_verdict", "skip", "fail"};
  if (limit.on_missing) {
    text += fmt::format(", on_missing: {}", kWords[static_cast<int>(*limit.on_missing)]);
  }
  if (limit.when) text += fmt::format(", when: '{}'", Text(*limit.when));
  return "{" + text + "}";
}

std::string Text(const Change& change) {
  std::string text = fmt::format("level: {}, side: any", rules::LevelName(change.level));
  if (change.increase) text += ", max_increase: " + Percent(*change.increase);
  if (change.decrease) text += ", max_decrease: " + Percent(*change.decrease);
  if (change.min_abs) text += ", min_abs: " + Percent(*change.min_abs);
  return "{" + text + "}";
}

std::string RanksText(const Case& drawn) {
  constexpr const char* kWords[] = {"no_verdict", "warn", "fail"};
  std::string text;
  if (drawn.expected) text += fmt::format("  expect: {}\n", *drawn.expected);
  if (drawn.allowed) text += fmt::format("  allow_missing: {}\n", *drawn.allowed);
  if (drawn.on_missing_ranks) {
    text += fmt::format("  on_missing: {}\n", kWords[static_cast<int>(*drawn.on_missing_ranks)]);
  }
  return text.empty() ? text : "ranks:\n" + text;
}

std::string RulesOfPolicyText(const Case& drawn) {
  constexpr const char* kChoices[] = {"default", "off", "info", "warn", "error"};
  std::string settings, required, waivers;
  for (std::size_t i = 0; i < drawn.rules.size(); ++i) {
    const DrawnRule& rule = drawn.rules[i];
    settings += fmt::format("  x/rule-{}: {}\n", i, kChoices[static_cast<int>(rule.choice)]);
    if (rule.is_required) required += fmt::format("  - x/rule-{}\n", i);
    for (const DrawnRule::Waived& waived : rule.waivers) {
      waivers += fmt::format("  - {{rule: x/rule-{}, reason: r, owner: o, expires: 2026-11-2{}", i,
                             waived.has_expired ? 0 : 1);
      if (waived.where) waivers += fmt::format(", where: '{}'", Text(*waived.where));
      waivers += "}\n";
    }
  }
  std::string text;
  if (!settings.empty()) text += "rules:\n" + settings;
  if (!required.empty()) text += "require:\n" + required;
  if (!waivers.empty()) text += "waivers:\n" + waivers;
  return text;
}

}  // namespace

Case DrawCase(std::uint64_t seed) {
  Draw draw(seed);
  Case out;
  for (Measured& metric : out.metrics) {
    if (!draw.OneIn(5)) metric.now = draw.Share();
    if (metric.now && draw.OneIn(4)) metric.other = draw.Share();
    metric.is_uncertain = metric.now && draw.OneIn(6);
    if (!draw.OneIn(5)) metric.base = draw.Share();
    metric.base_is_uncertain = metric.base && draw.OneIn(6);
    metric.base_is_of_old = draw.OneIn(12);
  }
  out.fail_on = static_cast<rules::FailOn>(draw.Below(3));
  out.on_missing = static_cast<rules::OnMissing>(draw.Below(3));
  out.on_inconclusive = static_cast<rules::OnInconclusive>(draw.Below(3));
  for (std::size_t i = draw.Below(4); i > 0; --i) out.limits.push_back(DrawLimit(draw));
  for (std::size_t i = draw.Below(3); i > 0; --i) out.rules.push_back(DrawRule(draw));
  out.has_baseline = draw.OneIn(2);
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    if (!draw.OneIn(5)) continue;
    out.changes.push_back(DrawChange(draw, i));
  }
  const bool judges_nothing =
      out.limits.empty() && out.changes.empty() && !out.rules.empty() &&
      std::all_of(out.rules.begin(), out.rules.end(), [](const DrawnRule& rule) {
        return rule.choice == rules::RuleSetting::Choice::kOff;
      });
  if (judges_nothing)
    out.rules.front().choice = rules::RuleSetting::Choice::kDefault;  // Else refused.
  if (out.changes.empty()) out.has_baseline = false;  // Nothing of it would be judged by these.
  out.has_other_gpu = out.has_baseline && draw.OneIn(10);
  out.least_iterations = draw.Count(6, 6);
  out.iterations = static_cast<std::int64_t>(draw.Below(8));
  out.ranks = draw.Count(2, 5);
  out.lacking = draw.Count(2, 3);
  out.expected = draw.Count(5, 5);
  if (out.expected == 0) out.expected.reset();
  out.allowed = draw.Count(4, 3);
  if (out.expected && out.allowed) out.allowed = std::min(*out.allowed, *out.expected - 1);
  if (draw.OneIn(5)) out.on_missing_ranks = static_cast<rules::OnMissingRanks>(draw.Below(3));
  out.unreadable = draw.OneIn(10) ? static_cast<std::int64_t>(draw.Below(3)) : 0;
  out.is_truncated = draw.OneIn(20);
  out.lost_iterations = draw.OneIn(20);
  out.is_of_two_runs = draw.OneIn(30);
  out.allow_incomplete = draw.OneIn(3);
  return out;
}

std::string PolicyText(const Case& drawn) {
  constexpr const char* kFailOn[] = {"error", "warn", "never"};
  constexpr const char* kOnMissing[] = {"no_verdict", "skip", "fail"};
  constexpr const char* kInconclusive[] = {"warn", "pass", "no_verdict"};
  std::string text = fmt::format("schema: 1\nfail_on: {}\non_missing: {}\non_inconclusive: {}\n",
                                 kFailOn[static_cast<int>(drawn.fail_on)],
                                 kOnMissing[static_cast<int>(drawn.on_missing)],
                                 kInconclusive[static_cast<int>(drawn.on_inconclusive)]);
  std::string thresholds, changes;
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    std::string of_metric;
    for (const Limit& limit : drawn.limits) {
      if (limit.metric == i) of_metric += (of_metric.empty() ? "" : ", ") + Text(limit);
    }
    if (!of_metric.empty()) thresholds += fmt::format("  {}: [{}]\n", kIds[i], of_metric);
  }
  for (const Change& change : drawn.changes) {
    changes += fmt::format("  {}: {}\n", kIds[change.metric], Text(change));
  }
  if (!thresholds.empty()) text += "thresholds:\n" + thresholds;
  if (!changes.empty()) text += "baseline:\n" + changes;
  if (drawn.least_iterations)
    text += fmt::format("iterations: {{min: {}}}\n", *drawn.least_iterations);
  return text + RanksText(drawn) + RulesOfPolicyText(drawn);
}

std::string RulesText(const Case& drawn) {
  std::string text = "schema: 2\nnamespace: x\nrules:\n";
  for (std::size_t i = 0; i < drawn.rules.size(); ++i) {
    const DrawnRule& rule = drawn.rules[i];
    text += fmt::format(
        "  - id: rule-{0}\n    title: Rule {0}\n    category: x\n    for_each: profile\n", i);
    if (rule.when) text += fmt::format("    when: {}\n", Text(*rule.when));
    if (rule.warn || rule.error) {
      text += fmt::format("    metric:\n      value: {}{}\n", rule.is_rest ? "1 - " : "",
                          kIds[rule.metric]);
      const char* side = rule.is_below ? "below" : "above";
      const auto limit = [&](const char* level, double than, std::optional<std::size_t> of) {
        text += fmt::format("      {}_{}: {}\n", level, side, of ? kIds[*of] : Percent(than));
      };
      if (rule.warn) limit("warn", *rule.warn, rule.warn_of);
      if (rule.error) limit("error", *rule.error, rule.error_of);
    } else {
      text += fmt::format("    level: {}\n", rules::LevelName(rule.level));
    }
    if (rule.explains) text += fmt::format("    explains: [{}]\n", kIds[*rule.explains]);
    text += "    message: Said.\n";
  }
  return text;
}

analysis::Analysis AnalysisOf(const Case& drawn) {
  analysis::Analysis analysis;
  const auto add = [&](std::string_view id, Value value) -> analysis::Metric& {
    analysis.metrics.push_back({analysis::FindMetric(id), std::move(value), "", false, ""});
    return analysis.metrics.back();
  };
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    const Measured& measured = drawn.metrics[i];
    analysis::Metric& metric = add(kIds[i], measured.now ? Value(*measured.now) : Value());
    metric.low_confidence = measured.is_uncertain;
    metric.may_be = measured.other;
  }
  if (drawn.ranks) add("profile.ranks", *drawn.ranks);
  if (drawn.lacking) add("profile.ranks_missing", *drawn.lacking);
  analysis.iterations_selected = drawn.iterations;
  if (drawn.lost_iterations)
    analysis.remarks.push_back({std::string(analysis::iterations::kIterationsLost), "lost"});
  if (drawn.is_of_two_runs)
    analysis.remarks.push_back({std::string(analysis::communication::kRanksApart), "apart"});
  return analysis;
}

Snapshot RunOf(const Case& drawn, bool is_base) {
  Snapshot run;
  run.name = is_base ? "base" : "now";
  run.source = run.name;
  run.format = "kineto";
  run.environment = {{"gpu", is_base && drawn.has_other_gpu ? "A100" : "V100"}};
  run.iteration_times = {1000, 1000};
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    const Measured& measured = drawn.metrics[i];
    const std::string id(kIds[i]);
    if (const auto& value = is_base ? measured.base : measured.now) run.metrics[id] = *value;
    if (is_base ? measured.base_is_uncertain : measured.is_uncertain) run.uncertain.insert(id);
    const std::int32_t definition = analysis::FindMetric(id)->definition_number;
    run.definitions[id] = is_base && measured.base_is_of_old ? definition + 1 : definition;
  }
  return run;
}

std::string Described(const Case& drawn) {
  std::string text = PolicyText(drawn) + RulesText(drawn);
  const auto shown = [](const std::optional<double>& v) { return v ? Percent(*v) : "absent"; };
  for (std::size_t i = 0; i < kIds.size(); ++i) {
    const Measured& m = drawn.metrics[i];
    text += fmt::format("{} is {}{}, may be {}; was {}{}{}\n", kIds[i], shown(m.now),
                        m.is_uncertain ? " (uncertain)" : "", shown(m.other), shown(m.base),
                        m.base_is_uncertain ? " (uncertain)" : "",
                        m.base_is_of_old ? " (of another definition)" : "");
  }
  return text + fmt::format("ranks {}, lacking {}; baseline {}, of another GPU {}\n",
                            drawn.ranks.value_or(-1), drawn.lacking.value_or(-1),
                            drawn.has_baseline, drawn.has_other_gpu);
}

}  // namespace profgauge::gate::drawn
