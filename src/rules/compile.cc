#include "rules/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "base/parallel.h"
#include "base/text.h"
#include "expr/parser.h"
#include "rules/catalogue_words.h"
#include "rules/never_missed.h"
#include "rules/rule_mistakes.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

using expr::Context;
using expr::Scope;
using expr::Want;

expr::Display ToDisplay(const ShowAs& show) {
  return {static_cast<expr::Display::Kind>(show.kind), show.decimals};
}
static_assert(static_cast<int>(ShowAs::Kind::kDuration) ==
              static_cast<int>(expr::Display::Kind::kDuration));
static_assert(static_cast<int>(ShowAs::Kind::kBytes) ==
              static_cast<int>(expr::Display::Kind::kBytes));
static_assert(static_cast<int>(ShowAs::Kind::kPercent) ==
              static_cast<int>(expr::Display::Kind::kPercent));
static_assert(static_cast<int>(ShowAs::Kind::kNumber) ==
              static_cast<int>(expr::Display::Kind::kNumber));

/// Compiles the parts of one rule in the order in which they may use each other:
///
///     where ─► let ─► when ─► metric ─► limits ─► sure_when ─► gain ─► texts, evidence
///
/// A `let` may use earlier ones, a limit the metric, a text all names. An error in one part does
/// not hide errors in others. A wrong name is reported once, not at each use (wrong_names_).
class RuleCompiler {
 public:
  /// `active` has the rule's parameters; nullptr: their defaults are used.
  RuleCompiler(const Rule& rule, const ActiveRule* active, Errors& errors)
      : rule_(rule), active_(active), errors_(errors), reaches_(rule, active) {}

  CompiledRule Run() {
    out_.rule = &rule_;
    if (rule_.for_each.empty()) return std::move(out_);  // Its error was already added.
    out_.names = BuildRuleSchema(rule_, errors_);
    // Without the table, every field would be an error, although one error is enough.
    if (rule_.for_each.text != "profile" && out_.names.table == nullptr) return std::move(out_);
    Needs();
    first_of_where_ = errors_.size();
    out_.where = One(rule_.where, Context::kRow, Want::kCondition);
    Lets();
    RowNames();
    out_.when = One(rule_.when, Context::kGroup, Want::kCondition);
    Metric();
    out_.sure_when = One(rule_.sure_when, Context::kGroup, Want::kCondition);
    Gain();
    Items(rule_.message, out_.message);
    Items(rule_.advice, out_.advice);
    if (rule_.metric && rule_.metric->of) Text(*rule_.metric->of, out_.metric_of.emplace());
    if (rule_.next) Text(*rule_.next, out_.next.emplace());
    if (rule_.change) Text(*rule_.change, out_.change.emplace());
    Evidence();
    for (const RuleLet& entry : rule_.explains_when) {
      auto holds = One(entry.value, Context::kGroup, Want::kCondition);
      if (holds) out_.explains_when.push_back(*std::move(holds));
    }
    out_.names.Bind();
    return std::move(out_);
  }

 private:
  expr::Schema& schema() { return out_.names.schema; }

  /// Adds errors, except for uses of a `let` name whose expression is wrong.
  void Add(const SourceText& source, std::vector<Error> found) {
    std::erase_if(found, [&](const Error& error) {
      const std::string name = source.text.substr(error.where.offset, error.where.length);
      return FollowsFromRow(error) ||
             (error.code == "expr/unknown-field" &&
              std::find(wrong_names_.begin(), wrong_names_.end(), name) != wrong_names_.end());
    });
    AddMapped(source, std::move(found), errors_);
  }

  std::optional<expr::Program> Take(const SourceText& source, expr::CompileResult result) {
    if (result) {
      AddMapped(source, result->warnings(), out_.warnings);
      return *std::move(result);
    }
    Add(source, std::move(result.error()));
    return std::nullopt;
  }
  std::optional<expr::Program> One(const SourceText& source, Context context, Want want) {
    if (source.empty()) return std::nullopt;  // The key is missing; its error was already added.
    return Take(source, expr::Compile(source.text, schema(), context, want));
  }
  std::optional<expr::Program> One(const std::optional<SourceText>& source, Context context,
                                   Want want) {
    if (!source) return std::nullopt;
    return One(*source, context, want);
  }

  void Needs() {
    for (const SourceText& need : rule_.needs) {
      const auto program = One(need, Context::kRow, Want::kAnything);
      if (!program) continue;
      const std::vector<expr::Slot> fields = program->Fields();
      if (program->ast().nodes.size() != 1 || fields.empty()) {
        AddError(need.All(), "rules/needs", "`needs` lists fields, not expressions", "", errors_);
        continue;
      }
      out_.needs.push_back(fields.front());
    }
  }

  expr::Slot AddComputed(const std::string& name, Unit unit,
                         const expr::Enumeration* values = nullptr) {
    return out_.names.Add(name, unit, Scope::kGroup, {Binding::Kind::kComputed, nullptr, name},
                          values);
  }

  /// Reports errors in names of rows once, not at each use.
  void RowNames() {
    const std::size_t before = errors_.size();
    for (const RuleLet& name : rule_.row_names) {
      CheckName(name);
      One(name.value, Context::kRow, Want::kAnything);
    }
    wrong_rows_.assign(errors_.begin() + static_cast<std::ptrdiff_t>(before), errors_.end());
    DropFollowing(0, before);
  }

  /// Drops errors [first, end) that a later error repeats.
  void DropFollowing(std::size_t first, std::size_t end) {
    const auto from = errors_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = errors_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto follows = [&](const Error& error) {
      return std::any_of(to, errors_.end(),
                         [&](const Error& known) { return known.message == error.message; });
    };
    errors_.erase(std::remove_if(from, to, follows), to);
  }

  bool FollowsFromRow(const Error& error) const {
    return std::any_of(wrong_rows_.begin(), wrong_rows_.end(),
                       [&error](const Error& known) { return known.message == error.message; });
  }

  bool CheckName(const RuleLet& let) {
    if (let.name != "metric" && let.name != "gain" &&
        schema().Find(let.name) == expr::Schema::kNone) {
      return true;
    }
    AddError(let.where, "rules/name", fmt::format("`{}` is the name of something else", let.name),
             "choose another name", errors_);
    return false;
  }

  void Lets() {
    const std::size_t before = errors_.size();
    for (const RuleLet& let : rule_.let) {
      auto value = One(let.value, Context::kGroup, Want::kAnything);
      if (!CheckName(let)) continue;
      if (!value) {
        wrong_names_.push_back(let.name);
        continue;
      }
      const expr::Slot slot =
          AddComputed(let.name, value->type().unit, KnownValuesOf(let.values_of));
      reaches_.Add(let.name, *value);
      out_.lets.push_back({slot, *std::move(value)});
    }
    DropFollowing(first_of_where_, before);  // `where` contains their expressions.
  }

  void Metric() {
    if (!rule_.metric) return;
    const RuleMetric& metric = *rule_.metric;
    out_.metric_display = ToDisplay(metric.show_as);
    out_.metric = One(metric.value, Context::kGroup, Want::kNumber);
    if (!out_.metric) return wrong_names_.push_back("metric");
    const std::string misfit = expr::CheckDisplay(out_.metric_display, out_.metric->type());
    if (!misfit.empty()) {
      AddError(metric.value.All(), "rules/show-as", fmt::format("`show_as`: {}", misfit), "",
               errors_);
    }
    out_.metric_slot =
        AddComputed("metric", expr::DisplayUnit(out_.metric_display, out_.metric->type()));
    Limit(metric.error_above, Level::kError, true);
    Limit(metric.warn_above, Level::kWarn, true);
    Limit(metric.error_below, Level::kError, false);
    Limit(metric.warn_below, Level::kWarn, false);
  }

  void Limit(const std::optional<SourceText>& source, Level level, bool above) {
    auto program = One(source, Context::kGroup, Want::kNumber);
    if (!program) return;
    if (!expr::SameDimension(program->type(), out_.metric->type())) {
      AddError(source->All(), "expr/type",
               fmt::format("the metric is {}, and this limit is {}",
                           expr::TypeName(out_.metric->type()), expr::TypeName(program->type())),
               fmt::format("write it as `{}`", ExampleLiteral(out_.metric->type().unit)), errors_);
      return;
    }
    CheckMissed(*source, *program, level, above);
    out_.limits.push_back({level, above, *std::move(program), std::nullopt});
  }

  void CheckMissed(const SourceText& source, const expr::Program& limit, Level level, bool above) {
    const LimitReach reach = reaches_.Judge(*out_.metric, limit, level, above);
    if (!reach.never_missed.empty()) {
      AddError(source.All(), "rules/never-missed", reach.never_missed, "", errors_);
    } else if (!reach.doubt.empty()) {
      out_.doubts.push_back(fmt::format("{}: {}", rule_.id, reach.doubt));
    }
  }

  /// Inserts parameters as numbers, because a scenario knows only the rows that it changes.
  SourceText WithParameters(const SourceText& source) const {
    const auto tokens = expr::Tokenize(source.text);
    if (!tokens) return source;
    TextBuilder out(source.file);
    std::size_t copied = 0;
    for (const expr::Token& token : *tokens) {
      if (!token.text.starts_with('$')) continue;
      const auto param =
          std::find_if(rule_.params.begin(), rule_.params.end(),
                       [&token](const RuleParam& one) { return one.name == token.text.substr(1); });
      if (param == rule_.params.end()) continue;
      out.Part(source, copied, token.range.begin);
      out.Inserted(LiteralText(ValueOfParam(*param, active_)), source.At(token.range.begin));
      copied = token.range.end;
    }
    out.Part(source, copied, source.text.size());
    return out.Take();
  }

  void CompileGainScenario() {
    if (rule_.gain->scenario.empty()) return;
    std::vector<WhatIfScale> scales = rule_.gain->scenario;
    for (WhatIfScale& scale : scales) {
      scale.where = WithParameters(scale.where);
      if (!scale.by.empty()) scale.by = WithParameters(scale.by);
    }
    auto scenario = CompileScenario({rule_.id, std::move(scales), false, {}});
    if (scenario) {
      for (CompiledScale& scale : scenario->scales) {
        scale.without_waiting = rule_.gain->without_waiting;
        scale.keeps_up = rule_.gain->keeps_up;
      }
      scenario->host_reacts = rule_.gain->host_reacts;
      out_.scenario = *std::move(scenario);
    } else {
      for (Error& error : scenario.error()) errors_.push_back(std::move(error));
    }
  }

  std::optional<expr::Program> GainTime(const SourceText& source) {
    std::optional<expr::Program> time = One(source, Context::kGroup, Want::kNumber);
    if (time && !expr::SameDimension(time->type(), expr::TypeOf(Unit::kTime))) {
      AddError(
          source.All(), "expr/type",
          fmt::format("`gain` is a time per iteration, found {}", expr::TypeName(time->type())), "",
          errors_);
    }
    return time;
  }

  void Gain() {
    if (!rule_.gain) return;
    out_.gain = GainTime(rule_.gain->value);
    if (!out_.gain) return wrong_names_.push_back("gain");
    if (rule_.gain->at_most) out_.gain_at_most = GainTime(*rule_.gain->at_most);
    CompileGainScenario();
    out_.gain_slot = AddComputed("gain", Unit::kTime);
  }

  void Items(const std::vector<TextItem>& items, std::vector<CompiledRule::Item>& out) {
    for (const TextItem& item : items) {
      CompiledRule::Item& made = out.emplace_back();
      made.when = One(item.when, Context::kGroup, Want::kCondition);
      made.is_case = item.is_case;
      if (!item.text.empty()) Text(item.text, made.text);
      Items(item.items, made.items);
    }
  }

  void Text(const SourceText& source, expr::Message& out) {
    expr::MessageResult message = expr::CompileMessage(source.text, schema());
    if (!message) return Add(source, std::move(message.error()));
    out = *std::move(message);
    // A hole that is only `{{ metric }}` has the format of the rule's metric, including decimals.
    for (expr::Message::Part& part : out.parts) {
      if (!part.has_hole || part.display.kind != expr::Display::Kind::kAuto) continue;
      const bool is_metric =
          part.hole.ast().nodes.size() == 1 && part.hole.info().back().slot == out_.metric_slot;
      if (is_metric && out_.metric_slot != expr::Schema::kNone) part.display = out_.metric_display;
    }
  }

  void Evidence() {
    if (!rule_.evidence) return;
    const RuleEvidence& evidence = *rule_.evidence;
    if (evidence.order_by) {
      out_.order_by =
          Take(*evidence.order_by, expr::CompileOrder(evidence.order_by->text, schema()));
    }
    for (const EvidenceColumn& column : evidence.columns) {
      auto value = One(column.value, Context::kRow, Want::kAnything);
      if (!value) continue;
      const expr::Display display = ToDisplay(column.show_as);
      const std::string misfit = expr::CheckDisplay(display, value->type());
      if (!misfit.empty()) {
        AddError(column.value.All(), "rules/show-as", fmt::format("`show_as`: {}", misfit), "",
                 errors_);
      }
      out_.columns.push_back({*std::move(value), display});
    }
  }

  const Rule& rule_;
  const ActiveRule* active_;
  Errors& errors_;
  CompiledRule out_;
  std::size_t first_of_where_ = 0;  ///< Index of the first error of `where`.
  Errors wrong_rows_;               ///< Errors in names of rows.
  Reaches reaches_;
  std::vector<std::string> wrong_names_;  ///< Names whose expression has an error.
};

}  // namespace

std::vector<CompiledRule> CompileRulesWithErrors(std::span<const ActiveRule> rules,
                                                 const Policy& policy, Errors& errors) {
  std::vector<CompiledRule> out(rules.size());
  std::vector<Errors> errors_of(rules.size());
  ForEachAtOnce(
      rules.size(),
      [&](std::size_t i) {
        out[i] = RuleCompiler(*rules[i].rule, &rules[i], errors_of[i]).Run();
        DropConsequences(*rules[i].rule, errors_of[i]);
        NameUser(*rules[i].rule, errors_of[i]);
        out[i].active = rules[i];
        AdoptLimits(policy, out[i]);
      },
      ThreadsForAllocation());
  for (const Errors& own : errors_of) errors.insert(errors.end(), own.begin(), own.end());
  LinkSymptoms(out);
  CheckCircles(out, errors);
  AttachWaivers(policy, errors_of, out, errors);
  return out;
}

tl::expected<std::vector<CompiledRule>, Errors> CompileRules(std::span<const ActiveRule> rules,
                                                             const Policy& policy) {
  Errors errors;
  std::vector<CompiledRule> compiled = CompileRulesWithErrors(rules, policy, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return compiled;
}

// A computed number means something else than the metrics in it, so only an unchanged one counts.
std::string_view MeasuredMetric(const Rule& rule) {
  if (!rule.metric) return {};
  const std::string_view text = Trim(rule.metric->value.text);
  return analysis::DescribeMetric(text) == nullptr ? std::string_view() : text;
}

Errors CheckRule(const Rule& rule, Errors* warnings) {
  Errors errors;
  CompiledRule compiled = RuleCompiler(rule, nullptr, errors).Run();
  DropConsequences(rule, errors);
  NameUser(rule, errors);
  if (warnings == nullptr) return errors;
  AddWarnings(compiled);
  NameUser(rule, compiled.warnings);
  std::move(compiled.warnings.begin(), compiled.warnings.end(), std::back_inserter(*warnings));
  return errors;
}

std::vector<std::string> DoubtsOf(const Rule& rule) {
  Errors errors;
  return RuleCompiler(rule, nullptr, errors).Run().doubts;
}

namespace {

bool Names(std::string_view pattern, const Rule& rule) {
  if (GlobMatch(pattern, rule.id)) return true;
  return std::any_of(rule.formerly.begin(), rule.formerly.end(),
                     [&](const std::string& id) { return GlobMatch(pattern, id); });
}

}  // namespace

/// Sets `symptoms`. `explains` may also name metrics, and rules that are switched off.
void LinkSymptoms(std::vector<CompiledRule>& rules) {
  for (std::size_t cause = 0; cause < rules.size(); ++cause) {
    for (const SourceText& pattern : rules[cause].rule->explains) {
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (i == cause || !Names(pattern.text, *rules[i].rule)) continue;
        auto& symptoms = rules[cause].symptoms;
        if (std::find(symptoms.begin(), symptoms.end(), i) == symptoms.end()) symptoms.push_back(i);
      }
    }
    const std::vector<RuleLet>& entries = rules[cause].rule->explains_when;
    for (std::size_t entry = 0; entry < entries.size(); ++entry) {
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (i == cause || !Names(entries[entry].name, *rules[i].rule)) continue;
        rules[cause].symptoms_when.emplace_back(i, entry);
      }
    }
  }
}

namespace {

/// True if `target` is a direct or indirect symptom of `from`. Searches depth first. Conditions on
/// symptoms count as true, because a cycle that is possible in any run is an error.
bool CanReach(const std::vector<CompiledRule>& rules, std::size_t from, std::size_t target) {
  std::vector<bool> seen(rules.size(), false);
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    std::vector<std::size_t> symptoms = rules[at].symptoms;
    for (const auto& [symptom, condition] : rules[at].symptoms_when) symptoms.push_back(symptom);
    for (const std::size_t next : symptoms) {
      if (next == target) return true;
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

}  // namespace

void CheckCircles(const std::vector<CompiledRule>& rules, Errors& errors) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!CanReach(rules, i, i)) continue;
    const Rule& rule = *rules[i].rule;
    AddError(rule.explains.empty() ? rule.explains_when.front().where : rule.explains.front().All(),
             "rules/circle",
             fmt::format("`{}` explains itself through a cycle of `explains`", rules[i].rule->id),
             "a cause cannot be its own symptom", errors);
  }
}

namespace {

/// True if the policy changes a parameter from its default.
bool HasOwnParams(const ActiveRule& active) {
  return std::any_of(
      active.rule->params.begin(), active.rule->params.end(), [&](const RuleParam& param) {
        const auto found = active.params.find(param.name);
        return found != active.params.end() && found->second.value != param.default_value.value;
      });
}

}  // namespace

/// Replaces the rule's limits, see MeasuredMetric(). Limits on one number in rule and policy would
/// give two verdicts, so the user's limit is used, unless the user also set the rule's parameters.
/// A conditional limit is a different statement and replaces nothing.
void AdoptLimits(const Policy& policy, CompiledRule& rule) {
  const std::string_view metric = MeasuredMetric(*rule.rule);
  if (metric.empty() || rule.limits.empty() || HasOwnParams(rule.active)) return;
  const CompiledRule::Limit own = rule.limits.front();
  std::vector<CompiledRule::Limit> adopted;
  for (const Level level : {Level::kError, Level::kWarn, Level::kInfo}) {
    for (const Threshold& threshold : policy.thresholds) {
      if (threshold.metric != metric || threshold.level != level) continue;
      if (!threshold.when.empty()) return;
      const auto& value = own.above ? threshold.max : threshold.min;
      if (value) adopted.push_back({level, own.above, own.value, value});
    }
  }
  if (!adopted.empty()) rule.limits = std::move(adopted);
}

/// Assigns waivers to rules. Conditions are not checked for rules with errors.
void AttachWaivers(const Policy& policy, std::span<const Errors> errors_of,
                   std::vector<CompiledRule>& rules, Errors& errors) {
  for (const Waiver& waiver : policy.waivers) {
    for (CompiledRule& rule : rules) {
      const bool is_whole =
          rule.rule->is_whole && errors_of[static_cast<std::size_t>(&rule - rules.data())].empty();
      if (!is_whole || IsGlob(waiver.rule) || !Names(waiver.rule, *rule.rule)) continue;
      CompiledRule::Waived waived;
      waived.waiver = &waiver;
      if (!waiver.where.empty()) {
        auto where = expr::Compile(waiver.where.text, rule.names.schema, expr::Context::kGroup,
                                   expr::Want::kCondition);
        if (!where) {
          AddMapped(waiver.where, std::move(where.error()), errors);
          continue;
        }
        waived.where = *std::move(where);
        rule.names.Bind();
      }
      rule.waivers.push_back(std::move(waived));
    }
  }
}

}  // namespace profgauge::rules
