// A person's answer to a drawn case, limit by limit and rule by rule.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "drawn_policy.h"

namespace profgauge::gate::drawn {
namespace {

// The consequence of one limit, finding or doubt.
enum class Said { kNothing, kOpen, kFails };
enum class Is { kFalse, kTrue, kUnknown };

class Naive {
 public:
  explicit Naive(const Case& drawn) : drawn_(drawn) {}

  std::string_view Verdict() const {
    std::vector<Said> said = {Ranks(), Doubts()};
    for (const Limit& limit : drawn_.limits) said.push_back(Of(limit));
    for (const DrawnRule& rule : drawn_.rules) said.push_back(Of(rule));
    if (drawn_.has_other_gpu) {
      said.push_back(Said::kOpen);
    } else if (drawn_.has_baseline) {
      for (const Change& change : drawn_.changes) said.push_back(Of(change));
    }
    if (std::count(said.begin(), said.end(), Said::kFails) > 0) return "fail";
    if (std::count(said.begin(), said.end(), Said::kOpen) > 0) return "no_verdict";
    return "pass";
  }

 private:
  bool Counts(rules::Level level) const {
    if (drawn_.fail_on == rules::FailOn::kNever || level == rules::Level::kInfo) return false;
    return level == rules::Level::kError || drawn_.fail_on == rules::FailOn::kWarn;
  }

  static Is Holds(const std::optional<Condition>& when, std::optional<double> Measured::*side,
                  const Case& drawn) {
    if (!when) return Is::kTrue;
    const std::optional<double> value = drawn.metrics[when->metric].*side;
    if (!value) return Is::kUnknown;
    return (when->above ? *value > when->than : *value < when->than) ? Is::kTrue : Is::kFalse;
  }

  static bool IsBeyond(const Limit& limit, double value) {
    return (limit.max && value > *limit.max) || (limit.min && value < *limit.min);
  }

  Said OfAbsent(const Limit& limit) const {
    if (limit.on_missing.value_or(drawn_.on_missing) == rules::OnMissing::kFail) {
      return Counts(limit.level) ? Said::kFails : Said::kNothing;
    }
    return limit.level == rules::Level::kInfo ? Said::kNothing : Said::kOpen;
  }

  // A limit that says nothing here must not have judged the baseline.
  Said OfSilent(const Limit& limit) const {
    const Measured& metric = drawn_.metrics[limit.metric];
    // A number of another definition is none.
    Case then = drawn_;
    for (Measured& measured : then.metrics) {
      if (measured.base_is_of_old) measured.base.reset();
    }
    const std::optional<double> base = then.metrics[limit.metric].base;
    const bool judged_base =
        drawn_.has_baseline && base && Holds(limit.when, &Measured::base, then) == Is::kTrue;
    if (!judged_base || !Counts(limit.level)) return Said::kNothing;
    if (!metric.now) return OfAbsent(limit);
    return IsBeyond(limit, *metric.now) && !IsBeyond(limit, *base) ? OfAbsent(limit)
                                                                   : Said::kNothing;
  }

  Said Of(const Limit& limit) const {
    const Measured& metric = drawn_.metrics[limit.metric];
    const bool may_skip = limit.on_missing.value_or(drawn_.on_missing) == rules::OnMissing::kSkip;
    const Is applies = Holds(limit.when, &Measured::now, drawn_);
    if (applies == Is::kFalse) return OfSilent(limit);
    if (applies == Is::kUnknown) {
      const bool matters = metric.now && IsBeyond(limit, *metric.now) && !may_skip;
      return matters ? OfAbsent(limit) : OfSilent(limit);
    }
    if (!metric.now) return may_skip ? OfSilent(limit) : OfAbsent(limit);
    const bool beyond = IsBeyond(limit, *metric.now);
    if (!Counts(limit.level)) return Said::kNothing;
    if (beyond && metric.is_uncertain) return Said::kOpen;
    if (metric.other && IsBeyond(limit, *metric.other) != beyond) {
      return may_skip ? OfSilent(limit) : Said::kOpen;
    }
    return beyond ? Said::kFails : Said::kNothing;
  }

  // Whether the limit is missed, or kept, by a number that may be another.
  bool IsUnsure(const Limit& limit) const {
    const Measured& metric = drawn_.metrics[limit.metric];
    if (limit.level == rules::Level::kInfo || !metric.now) return false;
    return Holds(limit.when, &Measured::now, drawn_) == Is::kTrue && Of(limit) == Said::kOpen;
  }

  struct Step {
    std::optional<double> value;
    rules::Level level = rules::Level::kWarn;
  };

  // The limits of the rule, or those that the policy has on the very metric.
  std::vector<Step> StepsOf(const DrawnRule& rule, const Case& numbers) const {
    const auto told = [&](double value, std::optional<std::size_t> of) {
      return of ? numbers.metrics[*of].now : value;
    };
    std::vector<Step> own, adopted;
    if (rule.error) own.push_back({told(*rule.error, rule.error_of), rules::Level::kError});
    if (rule.warn) own.push_back({told(*rule.warn, rule.warn_of), rules::Level::kWarn});
    for (const Limit& limit : drawn_.limits) {
      if (limit.metric != rule.metric || rule.is_rest) continue;
      if (limit.when) return own;
      if (const auto& value = rule.is_below ? limit.min : limit.max) {
        adopted.push_back({*value, limit.level});
      }
    }
    return adopted.empty() ? own : adopted;
  }

  // The level at which the rule fires on these numbers.
  std::optional<rules::Level> LevelOf(const DrawnRule& rule, const Case& numbers) const {
    if (Holds(rule.when, &Measured::now, numbers) != Is::kTrue) return std::nullopt;
    if (!rule.warn && !rule.error) return rule.level;
    const double measured = *numbers.metrics[rule.metric].now;
    const double value = rule.is_rest ? 1 - measured : measured;
    std::optional<rules::Level> found;
    for (const Step& step : StepsOf(rule, numbers)) {
      if (!step.value) continue;
      const bool passed = rule.is_below ? value < *step.value : value > *step.value;
      if (passed && (!found || step.level > *found)) found = step.level;
    }
    return found;
  }

  rules::Level AsThePolicySays(const DrawnRule& rule, rules::Level own) const {
    switch (rule.choice) {
      case rules::RuleSetting::Choice::kInfo:
        return rules::Level::kInfo;
      case rules::RuleSetting::Choice::kWarn:
        return rules::Level::kWarn;
      case rules::RuleSetting::Choice::kError:
        return rules::Level::kError;
      default:
        return own;
    }
  }

  struct Levels {
    std::optional<rules::Level> at;      // None: the rule says nothing.
    std::optional<rules::Level> surely;  // Whatever the number is.
    bool lacks_any = false;              // One of its limits cannot be evaluated,
    bool lacks_graver = false;           // one above `at`.
  };

  Levels LevelsOf(const DrawnRule& rule) const {
    Levels out;
    const std::optional<rules::Level> own = LevelOf(rule, drawn_);
    const bool has_metric = rule.warn || rule.error;
    for (const Step& step : has_metric ? StepsOf(rule, drawn_) : std::vector<Step>()) {
      out.lacks_any |= !step.value;
      out.lacks_graver |= own && !step.value && step.level > *own;
    }
    if (!own) return out;
    out.at = AsThePolicySays(rule, *own);
    if (has_metric && drawn_.metrics[rule.metric].is_uncertain) return out;
    Case other = drawn_;
    for (Measured& metric : other.metrics) {
      if (metric.now && metric.other) metric.now = metric.other;
    }
    std::optional<rules::Level> there = LevelOf(rule, other);
    if (there && IsWaived(rule, other)) there = own;
    if (there) out.surely = AsThePolicySays(rule, std::min(*own, *there));
    return out;
  }

  static bool IsWaived(const DrawnRule& rule, const Case& numbers) {
    return std::any_of(rule.waivers.begin(), rule.waivers.end(), [&](const auto& waived) {
      return !waived.has_expired && Holds(waived.where, &Measured::now, numbers) == Is::kTrue;
    });
  }

  Said Of(const DrawnRule& rule) const {
    if (rule.choice == rules::RuleSetting::Choice::kOff) return Said::kNothing;
    const Said unanswered = rule.is_required ? Said::kOpen : Said::kNothing;
    const bool has_metric = rule.warn || rule.error;
    const Is applies = Holds(rule.when, &Measured::now, drawn_);
    if (applies == Is::kUnknown) return unanswered;
    if (applies == Is::kFalse) return Said::kNothing;
    if (has_metric && !drawn_.metrics[rule.metric].now) return unanswered;
    const Levels levels = LevelsOf(rule);
    if (!levels.at) return levels.lacks_any ? unanswered : Said::kNothing;
    if (IsWaived(rule, drawn_)) return Said::kNothing;
    const Said said = OfLevels(rule, levels);
    return said == Said::kNothing && levels.lacks_graver ? unanswered : said;
  }

  Said OfLevels(const DrawnRule& rule, const Levels& levels) const {
    const bool is_sure_error = levels.surely == rules::Level::kError;
    const bool is_warning = *levels.at == rules::Level::kWarn ||  //
                            (*levels.at == rules::Level::kError && !is_sure_error);
    const bool is_sure_warning = levels.surely && *levels.surely >= rules::Level::kWarn;
    if (!is_warning) return Counts(*levels.at) ? Said::kFails : Said::kNothing;
    // A doubtful warning about the very number that leaves a limit open says nothing beside it.
    for (const Limit& limit : drawn_.limits) {
      const bool is_its = (rule.warn || rule.error) && !rule.is_rest && limit.metric == rule.metric;
      if (is_its && !is_sure_warning && IsUnsure(limit)) return Said::kNothing;
    }
    if (Counts(rules::Level::kWarn)) return Said::kFails;
    const bool would_fail = *levels.at == rules::Level::kError && Counts(rules::Level::kError);
    return would_fail ? Said::kOpen : Said::kNothing;
  }

  Said OfAnswer(const Change::Answer& answer, rules::Level level) const {
    if (answer.change == stats::Change::kFail) {
      return Counts(level) ? Said::kFails : Said::kNothing;
    }
    if (answer.change != stats::Change::kInconclusive) return Said::kNothing;
    if (answer.over) return Counts(level) ? Said::kOpen : Said::kNothing;
    const bool asks = drawn_.on_inconclusive == rules::OnInconclusive::kNoVerdict;
    return asks && level != rules::Level::kInfo ? Said::kOpen : Said::kNothing;
  }

  Said Of(const Change& change) const {
    const Measured& metric = drawn_.metrics[change.metric];
    if (!metric.now || !metric.base || metric.base_is_of_old) {
      if (drawn_.on_missing == rules::OnMissing::kFail && Counts(change.level)) return Said::kFails;
      const bool is_open = drawn_.on_missing == rules::OnMissing::kNoVerdict;
      return is_open && change.level != rules::Level::kInfo ? Said::kOpen : Said::kNothing;
    }
    if (change.answer) return OfAnswer(*change.answer, change.level);
    const double by = *metric.now - *metric.base;
    if (change.min_abs && std::abs(by) < *change.min_abs) return Said::kNothing;
    const bool over = (change.increase && by > *change.increase * *metric.base) ||
                      (change.decrease && -by > *change.decrease * *metric.base);
    if (!over || !Counts(change.level)) return Said::kNothing;
    return metric.is_uncertain || metric.base_is_uncertain ? Said::kOpen : Said::kFails;
  }

  Said Ranks() const {
    bool all_matter = drawn_.expected || drawn_.on_missing_ranks || drawn_.has_baseline;
    for (const Limit& limit : drawn_.limits) {
      all_matter |= limit.metric == kOfAllRanks && limit.level != rules::Level::kInfo;
    }
    for (const Change& change : drawn_.changes) {
      all_matter |= change.metric == kOfAllRanks && change.level != rules::Level::kInfo;
    }
    if (!all_matter || !drawn_.ranks || (!drawn_.expected && !drawn_.lacking)) {
      return Said::kNothing;
    }
    const std::int64_t missing =
        drawn_.expected ? *drawn_.expected - *drawn_.ranks : *drawn_.lacking;
    if (missing >= 0 && missing <= drawn_.allowed.value_or(0)) return Said::kNothing;
    switch (drawn_.on_missing_ranks.value_or(rules::OnMissingRanks::kNoVerdict)) {
      case rules::OnMissingRanks::kFail:
        return Counts(rules::Level::kError) ? Said::kFails : Said::kNothing;
      case rules::OnMissingRanks::kWarn:
        return Counts(rules::Level::kWarn) ? Said::kFails : Said::kNothing;
      default:
        return Said::kOpen;
    }
  }

  // For the profile as a whole.
  Said Doubts() const {
    const bool is_short = drawn_.least_iterations && drawn_.iterations < *drawn_.least_iterations;
    const bool lacks_data = drawn_.is_truncated || drawn_.lost_iterations ||
                            drawn_.unreadable > drawn_.allowed.value_or(0);
    const bool is_open =
        is_short || drawn_.is_of_two_runs || (lacks_data && !drawn_.allow_incomplete);
    return is_open ? Said::kOpen : Said::kNothing;
  }

  const Case& drawn_;
};

}  // namespace

std::string_view NaiveVerdict(const Case& drawn) { return Naive(drawn).Verdict(); }

}  // namespace profgauge::gate::drawn
