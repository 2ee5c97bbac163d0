#include "rules/policy_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "analysis/analysis.h"
#include "base/format.h"
#include "base/hashes.h"
#include "base/text.h"
#include "knowledge/gate.h"
#include "rules/policy.h"
#include "rules/project.h"
#include "rules/rule.h"
#include "rules/selection.h"
#include "rules/waiver.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kNone = "none";

// The values of a setting, loosest first.
template <class T>
using Order = std::pair<T, std::string_view>;
constexpr Order<FailOn> kFailOnOrder[] = {
    {FailOn::kNever, "never"}, {FailOn::kError, "error"}, {FailOn::kWarn, "warn"}};
constexpr Order<OnMissing> kOnMissingOrder[] = {
    {OnMissing::kSkip, "skip"}, {OnMissing::kNoVerdict, "no_verdict"}, {OnMissing::kFail, "fail"}};
constexpr Order<OnInconclusive> kOnInconclusiveOrder[] = {
    {OnInconclusive::kPass, "pass"},
    {OnInconclusive::kWarn, "warn"},
    {OnInconclusive::kNoVerdict, "no_verdict"}};
constexpr Order<OnMissingRanks> kOnMissingRanksOrder[] = {
    {OnMissingRanks::kWarn, "warn"},
    {OnMissingRanks::kNoVerdict, "no_verdict"},
    {OnMissingRanks::kFail, "fail"}};
constexpr Order<OnBaselineMissing> kOnBaselineMissingOrder[] = {
    {OnBaselineMissing::kPass, "pass"},
    {OnBaselineMissing::kWarn, "warn"},
    {OnBaselineMissing::kNoVerdict, "no_verdict"},
    {OnBaselineMissing::kFail, "fail"}};
constexpr Order<RuleSetting::Choice> kChoiceOrder[] = {{RuleSetting::Choice::kOff, "off"},
                                                       {RuleSetting::Choice::kInfo, "info"},
                                                       {RuleSetting::Choice::kWarn, "warn"},
                                                       {RuleSetting::Choice::kDefault, "default"},
                                                       {RuleSetting::Choice::kError, "error"}};

template <class T, std::size_t N>
std::size_t RankOf(T value, const Order<T> (&order)[N]) {
  return static_cast<std::size_t>(std::ranges::find(order, value, &Order<T>::first) - order);
}

template <class T, std::size_t N>
std::string NameOf(T value, const Order<T> (&order)[N]) {
  const std::size_t rank = RankOf(value, order);
  return rank < N ? std::string(order[rank].second) : std::string();
}

std::string PercentOf(double share) { return FormatLimit(share, Unit::kShare); }

Unit UnitOf(const std::string& metric) {
  const auto spec = analysis::DescribeMetric(metric);
  return spec ? spec->unit : Unit::kNumber;
}

// For each limit of `before`: unless a limit of `now` on the same metric is at least as strict,
// adds the earlier limit and removes the looser ones.
template <class Limit, class AsStrict, class Text>
void HoldLimits(const std::vector<Limit>& before, std::vector<Limit>& now, AsStrict is_as_strict,
                Text text, std::vector<Loosened>& out) {
  for (const Limit& old : before) {
    const auto is_its = [&](const Limit& limit) { return limit.metric == old.metric; };
    const bool holds = std::ranges::any_of(
        now, [&](const Limit& limit) { return is_its(limit) && is_as_strict(limit, old); });
    if (holds) continue;
    const auto looser = std::ranges::find_if(now, is_its);
    out.push_back(
        {old.metric, text(old), looser == now.end() ? std::string(kNone) : text(*looser)});
    std::erase_if(now,
                  [&](const Limit& limit) { return is_its(limit) && is_as_strict(old, limit); });
    now.push_back(old);
  }
}

// True if `now` is at most `before`. A missing value means unlimited.
bool IsAtMost(const std::optional<double>& now, const std::optional<double>& before) {
  return !before || (now && *now <= *before);
}
bool IsAtLeast(const std::optional<double>& now, const std::optional<double>& before) {
  return !before || (now && *now >= *before);
}

class PolicyDiff {
 public:
  PolicyDiff(const Policy& before, Policy& now) : before_(before), now_(now) {}

  std::vector<Loosened> Hold() {
    Word("fail_on", before_.fail_on, now_.fail_on, kFailOnOrder);
    Word("on_missing", before_.on_missing, now_.on_missing, kOnMissingOrder);
    Word("on_inconclusive", before_.on_inconclusive, now_.on_inconclusive, kOnInconclusiveOrder);
    if (before_.unrecorded == Unrecorded::kRequire && now_.unrecorded != Unrecorded::kRequire) {
      Add("unrecorded", "require", now_.unrecorded == Unrecorded::kUse ? "use" : "ignore");
      now_.unrecorded = Unrecorded::kRequire;
    }
    HoldCounts();
    HoldThresholds();
    HoldRules();
    HoldRequired();
    HoldWaivers();
    if (before_.baseline) HoldBaseline(*before_.baseline);
    if (!out_.empty()) {
      ContentHash both;
      both.Add(before_.hash);
      both.Add(now_.hash);
      now_.hash = both.Hex();
    }
    return std::move(out_);
  }

 private:
  void Add(std::string what, std::string before, std::string now, bool is_held = true) {
    out_.push_back({std::move(what), std::move(before), std::move(now), is_held});
  }

  template <class T, std::size_t N>
  void Word(std::string_view what, T before, T& now, const Order<T> (&order)[N]) {
    if (RankOf(now, order) >= RankOf(before, order)) return;
    Add(std::string(what), NameOf(before, order), NameOf(now, order));
    now = before;
  }

  // Compares one number, and keeps the stricter value.
  template <class T, class Text>
  void Number(std::string_view what, const T& before, T& now, bool is_looser, Text text) {
    if (!is_looser) return;
    Add(std::string(what), text(before), text(now));
    now = before;
  }

  void HoldCounts() {
    const auto count = [](const std::optional<std::int64_t>& value) {
      return value ? FormatCount(*value) : std::string(kNone);
    };
    const auto is_fewer = [](const auto& before, const auto& now) {
      return before && (!now || *now < *before);
    };
    Number("iterations.min", before_.iterations.min, now_.iterations.min,
           is_fewer(before_.iterations.min, now_.iterations.min), count);
    Number("ranks.expect", before_.ranks.expect, now_.ranks.expect,
           is_fewer(before_.ranks.expect, now_.ranks.expect), count);
    Number("ranks.allow_missing", before_.ranks.allow_missing, now_.ranks.allow_missing,
           now_.ranks.allow_missing > before_.ranks.allow_missing,
           [](std::int64_t value) { return FormatCount(value); });
    OnMissingRanks now = now_.ranks.on_missing.value_or(OnMissingRanks::kNoVerdict);
    Word("ranks.on_missing", before_.ranks.on_missing.value_or(OnMissingRanks::kNoVerdict), now,
         kOnMissingRanksOrder);
    if (now_.ranks.on_missing) now_.ranks.on_missing = now;
  }

  void HoldThresholds() {
    const auto on_missing = [](const Threshold& limit, const Policy& policy) {
      return RankOf(limit.on_missing.value_or(policy.on_missing), kOnMissingOrder);
    };
    HoldLimits(
        before_.thresholds, now_.thresholds,
        [&](const Threshold& a, const Threshold& b) {
          return a.when.text == b.when.text && IsAtMost(a.max, b.max) && IsAtLeast(a.min, b.min) &&
                 a.level >= b.level && on_missing(a, now_) >= on_missing(b, before_);
        },
        [&](const Threshold& limit) {
          const Unit unit = UnitOf(limit.metric);
          std::vector<std::string> parts;
          if (limit.min) parts.push_back("min " + FormatLimit(*limit.min, unit));
          if (limit.max) parts.push_back("max " + FormatLimit(*limit.max, unit));
          if (limit.level != Level::kError) parts.emplace_back(LevelName(limit.level));
          if (limit.on_missing) {
            parts.push_back("on_missing " + NameOf(*limit.on_missing, kOnMissingOrder));
          }
          if (!limit.when.text.empty()) parts.push_back("when " + limit.when.text);
          return fmt::format("{}", fmt::join(parts, ", "));
        },
        out_);
  }

  // Compares the effective settings rule by rule, because patterns and their order hide them.
  void HoldRules() {
    const auto key = [](const RuleSetting& setting) {
      std::vector<std::tuple<std::string, double, Unit>> params;
      for (const auto& [name, param] : setting.params) {
        params.emplace_back(name, param.value.value, param.value.unit);
      }
      return std::tuple(setting.pattern, setting.choice, params);
    };
    HoldRuleFiles();
    if (std::ranges::equal(before_.rules, now_.rules, {}, key, key)) return;
    Errors ignored;  // LoadRulebook() reports the present ones.
    std::vector<std::string> files = BuiltinRuleFiles();
    files.insert(files.end(), now_.rule_files.begin(), now_.rule_files.end());
    const RuleSet rules = LoadRulesWithErrors(files, ignored);
    SelectOptions options;
    options.allow_long_waivers = true;
    const auto old = SelectRulesWithErrors(rules, before_, options, ignored);
    const auto active = SelectRulesWithErrors(rules, now_, options, ignored);
    for (const ActiveRule& rule : old) {
      const auto found = std::ranges::find(active, rule.rule, &ActiveRule::rule);
      HoldRule(rule, found == active.end() ? nullptr : &*found);
    }
  }

  void HoldRuleFiles() {
    for (const std::string& file : before_.rule_files) {
      if (std::ranges::find(now_.rule_files, file) != now_.rule_files.end()) continue;
      std::error_code error;
      const bool is_there = std::filesystem::exists(file, error);
      Add("rule_files", file, std::string(kNone), is_there);
      if (is_there) now_.rule_files.push_back(file);
    }
  }

  void HoldRule(const ActiveRule& old, const ActiveRule* now) {
    RuleSetting held;
    held.pattern = old.rule->id;
    held.where = old.rule->place;
    const auto choice = now == nullptr ? RuleSetting::Choice::kOff : now->choice;
    if (RankOf(choice, kChoiceOrder) < RankOf(old.choice, kChoiceOrder)) {
      Add("rules: " + old.rule->id, NameOf(old.choice, kChoiceOrder), NameOf(choice, kChoiceOrder));
      held.choice = old.choice;
    }
    for (const auto& [name, value] : old.params) {
      const Literal& other = now == nullptr ? value : now->params.find(name)->second;
      const bool is_looser = (IsLimit(*old.rule, name, true) && other.value > value.value) ||
                             (IsLimit(*old.rule, name, false) && other.value < value.value);
      if (is_looser) {
        Add(fmt::format("rules: {} {}", old.rule->id, name), FormatLimit(value.value, value.unit),
            FormatLimit(other.value, other.unit));
      }
      if (is_looser || now == nullptr) held.params[name] = {value, old.rule->place};
    }
    if (held.choice || !held.params.empty()) now_.rules.push_back(std::move(held));
  }

  static bool IsLimit(const Rule& rule, const std::string& param, bool is_upper) {
    if (!rule.metric) return false;
    const RuleMetric& metric = *rule.metric;
    const auto is_it = [&](const std::optional<SourceText>& limit) {
      return limit && Trim(limit->text) == "$" + param;
    };
    return is_upper ? is_it(metric.warn_above) || is_it(metric.error_above)
                    : is_it(metric.warn_below) || is_it(metric.error_below);
  }

  void HoldRequired() {
    for (const RequiredRule& required : before_.require) {
      if (std::ranges::find(now_.require, required.rule, &RequiredRule::rule) !=
          now_.require.end()) {
        continue;
      }
      Add("require", required.rule, std::string(kNone));
      now_.require.push_back(required);
    }
  }

  // A waiver that existed before keeps its earlier end and smaller bound; new ones are ignored.
  void HoldWaivers() {
    const auto key = [](const Waiver& waiver) {
      return std::tie(waiver.rule, waiver.limit, waiver.threshold, waiver.where.text);
    };
    std::vector<Waiver> held;
    for (const Waiver& waiver : now_.waivers) {
      const auto old = std::ranges::find_if(
          before_.waivers, [&](const Waiver& other) { return key(other) == key(waiver); });
      const bool is_new = old == before_.waivers.end();
      const bool is_wider =
          !is_new && (waiver.expires > old->expires || !IsAtMost(waiver.up_to, old->up_to));
      if (!is_new && !is_wider) held.push_back(waiver);
      if (is_wider) held.push_back(*old);
      if (!is_new && !is_wider) continue;
      Add(fmt::format("waivers: {}", SubjectOf(waiver)), is_new ? std::string(kNone) : TextOf(*old),
          TextOf(waiver));
    }
    now_.waivers = std::move(held);
  }

  static std::string TextOf(const Waiver& waiver) { return "until " + waiver.expires; }

  void HoldBaseline(const PolicyBaseline& before) {
    if (!now_.baseline) now_.baseline.emplace();
    PolicyBaseline& now = *now_.baseline;
    HoldLimits(before.limits, now.limits, IsAsStrict, BaselineText, out_);
    HoldPart("kernels", before.kernels, now.kernels);
    HoldPart("operators", before.operators, now.operators);
    HoldPart("collectives", before.collectives, now.collectives);
    HoldPart("modules", before.modules, now.modules);
    HoldPart("benchmarks", before.benchmarks, now.benchmarks);
    constexpr auto kUsual = OnBaselineMissing::kNoVerdict;
    OnBaselineMissing missing = now.missing.value_or(kUsual);
    Word("baseline.missing", before.missing.value_or(kUsual), missing, kOnBaselineMissingOrder);
    if (missing != now.missing.value_or(kUsual)) now.missing = missing;
    Number("baseline.min_runs", before.min_runs, now.min_runs, now.min_runs < before.min_runs,
           [](std::int64_t runs) { return FormatCount(runs); });
    if (before.anchor.judges && !now.anchor.judges) {
      Add("baseline.anchor", "on", "off");
      now.anchor = before.anchor;
    }
    const auto share = [](const std::optional<double>& of) {
      return of ? PercentOf(*of) : std::string("as the limits");
    };
    Number("baseline.anchor", before.anchor.max_increase, now.anchor.max_increase,
           now.anchor.max_increase.value_or(0) >
               before.anchor.max_increase.value_or(std::numeric_limits<double>::infinity()),
           share);
    HoldComparison(before, now);
  }

  void HoldComparison(const PolicyBaseline& before, PolicyBaseline& now) {
    const double usual = knowledge::kGateNoiseFloor.value();
    Number(
        "baseline.noise_floor", before.noise_floor, now.noise_floor,
        now.noise_floor.value_or(usual) > before.noise_floor.value_or(usual),
        [usual](const std::optional<double>& floor) { return PercentOf(floor.value_or(usual)); });
    if (now.certain && !before.certain) {
      Add("baseline.strictness", "normal", "certain");
      now.certain = false;
    }
    const auto listed = [](const PolicyBaseline& baseline) {
      return baseline.match_any ? std::string("any")
             : baseline.match   ? fmt::format("{}", fmt::join(*baseline.match, ", "))
                                : std::string("as usual");
    };
    const auto all = [&before](const std::vector<std::string>& match) {
      return !before.match || std::ranges::all_of(*before.match, [&](const std::string& property) {
        return std::ranges::find(match, property) != match.end();
      });
    };
    const bool is_any = now.match_any && !before.match_any;
    const bool is_less = !before.match_any && now.match && !now.match_any && !all(*now.match);
    if (!is_any && !is_less) return;
    Add("baseline.match", listed(before), listed(now));
    now.match_any = before.match_any;
    now.match = before.match;
  }

  void HoldPart(std::string_view what, const std::optional<PartLimit>& before,
                std::optional<PartLimit>& now) {
    if (!before) return;
    const auto text = [](const std::optional<PartLimit>& limit) {
      if (!limit) return std::string(kNone);
      return fmt::format("+{} of parts over {}, {}{}", PercentOf(limit->max_increase),
                         PercentOf(limit->min_share), LevelName(limit->level),
                         limit->is_optional ? ", on_missing skip" : "");
    };
    const bool is_looser = !now || now->max_increase > before->max_increase ||
                           now->min_share > before->min_share || now->level < before->level ||
                           (now->is_optional && !before->is_optional);
    Number("baseline." + std::string(what), before, now, is_looser, text);
  }

  static bool IsAsStrict(const BaselineLimit& a, const BaselineLimit& b) {
    const auto is_at_most = [](const std::optional<BaselineLimit::Amount>& one,
                               const std::optional<BaselineLimit::Amount>& other) {
      return !other || (one && one->relative == other->relative && one->value <= other->value);
    };
    const bool total =
        !b.judges_total ||
        (a.judges_total && (!b.total ? !a.total || IsAtMost(a.total, RelativeOf(b))
                                     : IsAtMost(a.total ? a.total : RelativeOf(a), b.total)));
    return is_at_most(a.max_increase, b.max_increase) &&
           is_at_most(a.max_decrease, b.max_decrease) &&
           a.min_abs.value_or(0) <= b.min_abs.value_or(0) && total && a.level >= b.level &&
           (!a.is_optional || b.is_optional);
  }

  // The relative limit on an increase. It also limits the total, unless that has its own limit.
  static std::optional<double> RelativeOf(const BaselineLimit& limit) {
    if (!limit.max_increase || !limit.max_increase->relative) return std::nullopt;
    return limit.max_increase->value;
  }

  static std::string BaselineText(const BaselineLimit& limit) {
    const auto amount = [&](std::string_view sign, const BaselineLimit::Amount& of) {
      return std::string(sign) +
             FormatLimit(of.value, of.relative ? Unit::kShare : UnitOf(limit.metric));
    };
    std::vector<std::string> parts;
    if (limit.max_increase) parts.push_back(amount("+", *limit.max_increase));
    if (limit.max_decrease) parts.push_back(amount("−", *limit.max_decrease));
    if (limit.min_abs) {
      parts.push_back("min_abs " + FormatLimit(*limit.min_abs, UnitOf(limit.metric)));
    }
    if (!limit.judges_total) parts.emplace_back("total off");
    if (limit.is_optional) parts.emplace_back("on_missing skip");
    if (limit.total) parts.push_back("total +" + PercentOf(*limit.total));
    if (limit.level != Level::kError) parts.emplace_back(LevelName(limit.level));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  const Policy& before_;
  Policy& now_;
  std::vector<Loosened> out_;
};

// Compares the settings of profgauge.yaml, both of each job and at the top.
class ProjectDiff {
 public:
  ProjectDiff(const Project& before, Project& now) : before_(before), now_(now) {}

  std::vector<Loosened> Hold() {
    HoldSettings("", before_.top, {}, now_.top, {});
    for (const ProjectJob& job : before_.jobs) {
      const auto found = std::ranges::find(now_.jobs, job.name, &ProjectJob::name);
      if (found == now_.jobs.end()) {
        out_.push_back({"jobs", job.name, std::string(kNone)});
        now_.jobs.push_back(job);
        continue;
      }
      HoldSettings("job " + job.name + ": ", job.own, before_.top, found->own, now_.top);
      HoldInputs(job, *found);
    }
    return std::move(out_);
  }

 private:
  static const std::optional<ProjectText>& Of(const std::optional<ProjectText>& own,
                                              const std::optional<ProjectText>& top) {
    return own ? own : top;
  }
  static std::string TextOf(const std::optional<ProjectText>& text) {
    return text ? text->text : std::string(kNone);
  }

  void HoldSettings(const std::string& of, const ProjectSettings& before,
                    const ProjectSettings& before_top, ProjectSettings& now,
                    const ProjectSettings& now_top) {
    const auto& old_day = Of(before.learning_until, before_top.learning_until);
    const auto& day = Of(now.learning_until, now_top.learning_until);
    if (day && (!old_day || day->text > old_day->text)) {
      out_.push_back({of + "learning_until", TextOf(old_day), day->text, true});
      now.learning_until = old_day;
    }
    const auto rank = [](const std::optional<ProjectText>& text) {
      const auto word = std::ranges::find(kOnBaselineMissingOrder, text ? text->text : "no_verdict",
                                          &Order<OnBaselineMissing>::second);
      return word - kOnBaselineMissingOrder;
    };
    const auto& old_missing = Of(before.baseline_missing, before_top.baseline_missing);
    const auto& missing = Of(now.baseline_missing, now_top.baseline_missing);
    if (rank(missing) < rank(old_missing)) {
      out_.push_back({of + "baseline_missing", TextOf(old_missing), TextOf(missing)});
      now.baseline_missing = old_missing;
    }
    const auto& old_db = Of(before.db, before_top.db);
    const auto& db = Of(now.db, now_top.db);
    if (old_db && (!db || db->text != old_db->text)) {  // Another history is another baseline.
      out_.push_back({of + "db", TextOf(old_db), TextOf(db)});
      now.db = old_db;
    }
    HoldBaselines(of, before.baselines.empty() ? before_top.baselines : before.baselines,
                  now.baselines.empty() ? now_top.baselines : now.baselines, now);
  }

  // A baseline of another branch is another one; another number of runs of one branch is the same.
  void HoldBaselines(const std::string& of, const std::vector<ProjectText>& before,
                     const std::vector<ProjectText>& now, ProjectSettings& target) {
    const auto name = [](const ProjectText& baseline) {
      const std::string& text = baseline.text;
      return text.starts_with("history:") ? text.substr(0, text.rfind('~')) : text;
    };
    const bool has_all = std::ranges::all_of(before, [&](const ProjectText& baseline) {
      return std::ranges::find(now, name(baseline), name) != now.end();
    });
    if (has_all) return;
    const auto listed = [](const std::vector<ProjectText>& all) {
      std::vector<std::string_view> texts;
      for (const ProjectText& one : all) texts.push_back(one.text);
      return texts.empty() ? std::string(kNone) : fmt::format("{}", fmt::join(texts, ", "));
    };
    out_.push_back({of + "baseline", listed(before), listed(now)});
    target.baselines = before;
  }

  void HoldInputs(const ProjectJob& before, ProjectJob& now) {
    for (const ProjectText& input : before.inputs) {
      if (std::ranges::find(now.inputs, input.text, &ProjectText::text) != now.inputs.end()) {
        continue;
      }
      out_.push_back({fmt::format("job {}: inputs", now.name), input.text, std::string(kNone)});
      now.inputs.push_back(input);
    }
    if (before.take == Take::kAll && now.take == Take::kLatest) {
      out_.push_back({fmt::format("job {}: take", now.name), "all", "latest"});
      now.take = Take::kAll;
    }
  }

  const Project& before_;
  Project& now_;
  std::vector<Loosened> out_;
};

}  // namespace

std::string LoosenedText(const Loosened& one) {
  return fmt::format("{} {} → {}", one.what, one.before, one.now);
}

std::vector<Loosened> HoldStricter(const Policy& before, Policy& now) {
  if (before.hash == now.hash && before.fail_on == now.fail_on) return {};
  return PolicyDiff(before, now).Hold();
}

std::vector<Loosened> HoldStricter(const Project& before, Project& now) {
  return ProjectDiff(before, now).Hold();
}

}  // namespace profgauge::rules
