#include "rules/reason_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "knowledge/findings.h"
#include "model/devices.h"
#include "rules/groups.h"
#include "rules/rule_run.h"
#include "rules/rule_runner.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kNoWords = "its condition is not true";

// The conditions that `and` joins at the outermost level of an expression's canonical text.
std::vector<std::string_view> Conjuncts(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth > 0) continue;
    if (text.substr(i).starts_with(" or ")) return {text};  // It has lower precedence.
    if (!text.substr(i).starts_with(" and ")) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + std::string_view(" and ").size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// The name, if the text is only a name or `name default X`.
std::string_view NameIn(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  text = text.substr(0, text.find(" default "));
  const bool is_name = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
  return is_name ? text : std::string_view();
}

std::optional<expr::Slot> SlotOf(const CompiledRule& rule, std::string_view name) {
  const expr::Schema& schema = rule.names.schema;
  for (expr::Slot slot = 0; slot < schema.size(); ++slot) {
    if (schema[slot].name == name) return slot;
  }
  return std::nullopt;
}

// The value of an expression as text, evaluated with the rule's names.
std::optional<std::string> ShownOf(const CompiledRule& rule, const expr::Data& data,
                                   std::span<const expr::RowId> group, std::string_view text,
                                   expr::Display display = {}) {
  expr::Schema schema = rule.names.schema;
  const auto program = expr::Compile(text, schema, expr::Context::kGroup);
  if (!program) return std::nullopt;
  const expr::Outcome outcome = expr::Evaluate(*program, data, group);
  if (IsAbsent(outcome.value)) return std::nullopt;
  return expr::Format(outcome.value, program->type(), display);
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

bool IsNumberOfProfile(const expr::Field& field, const Binding& binding) {
  return binding.kind == Binding::Kind::kMetric && field.unit == Unit::kCount &&
         binding.name.starts_with("profile.");
}

// True if all names of an expression concern the profile. Ends, since lets use only earlier ones.
bool IsOfProfile(const CompiledRule& rule, const expr::Program& program) {
  const std::vector<expr::Slot> fields = program.Fields();
  return std::all_of(fields.begin(), fields.end(), [&](expr::Slot slot) {
    const expr::Field& field = rule.names.schema[slot];
    const Binding& binding = rule.names.bindings[slot];
    const auto let = std::find_if(rule.lets.begin(), rule.lets.end(),
                                  [slot](const auto& some) { return some.slot == slot; });
    if (let != rule.lets.end()) return IsOfProfile(rule, let->value);
    return binding.kind == Binding::Kind::kFact || binding.kind == Binding::Kind::kParam ||
           field.unit == Unit::kText || IsNumberOfProfile(field, binding);
  });
}

// Calls `of` for each condition that is false or unknown, until a call returns true.
template <typename Of>
void ForFalse(const CompiledRule& rule, const expr::Data& data, std::span<const expr::RowId> group,
              const Of& of) {
  const std::string text = rule.when->Text();
  for (const std::string_view condition : Conjuncts(text)) {
    expr::Schema schema = rule.names.schema;
    const auto program =
        expr::Compile(condition, schema, expr::Context::kGroup, expr::Want::kCondition);
    if (!program) return;
    const expr::Outcome outcome = expr::Evaluate(*program, data, group);
    if (!IsAbsent(outcome.value) && std::get<bool>(outcome.value)) continue;
    if (of(condition, *program)) return;
  }
}

std::string WordsOf(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                    std::span<const expr::RowId> group, std::string_view condition) {
  const auto title = [&](std::string_view text) -> std::string {
    const std::string_view name = NameIn(text);
    const auto slot = SlotOf(rule, name);
    return name.empty() || !slot ? std::string() : TitleOfName(rule, run, *slot);
  };
  for (const auto& [start, words] : {std::pair<std::string_view, std::string_view>{
                                         "not known(", "used only where {} is unknown"},
                                     {"known(", "{} is unknown"}}) {
    if (!condition.starts_with(start) || !condition.ends_with(')')) continue;
    const std::string of =
        title(condition.substr(start.size(), condition.size() - start.size() - 1));
    if (of.empty()) break;
    return fmt::format(fmt::runtime(words), of);
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kComparisons = {
      {{" >= ", "at least"}, {" <= ", "at most"}, {" > ", "more than"}, {" < ", "less than"}}};
  for (const auto& [sign, words] : kComparisons) {
    const std::size_t at = condition.find(sign);
    if (at == condition.npos || condition.find('\'') != condition.npos) continue;
    const std::string of = title(condition.substr(0, at));
    const auto limit = ShownOf(rule, data, group, condition.substr(at + sign.size()));
    // A quotient is a plain number; beside a share, it is one, too.
    using Kind = expr::Display::Kind;
    const auto kind = limit && limit->ends_with('%') ? Kind::kPercent : Kind::kAuto;
    const auto value = ShownOf(rule, data, group, condition.substr(0, at), {kind, -1});
    if (of.empty() || !value || !limit) break;
    return fmt::format("{} is {}, needed: {} {}", of, *value, words, *limit);
  }
  for (const std::string_view sign : {" not in [", " in [", " == '", " != '"}) {
    const std::size_t at = condition.find(sign);
    if (at == condition.npos) continue;
    const std::string of = title(condition.substr(0, at));
    const auto value = ShownOf(rule, data, group, condition.substr(0, at));
    if (of.empty() || !value) break;
    return fmt::format("{} is {}", of, value->empty() || *value == "–" ? "unknown" : *value);
  }
  return std::string(kNoWords);
}

}  // namespace

std::string TitleOfName(const CompiledRule& rule, const RunData& run, expr::Slot slot) {
  const Binding& binding = rule.names.bindings[slot];
  if (binding.kind == Binding::Kind::kMetric) {
    if (const analysis::Metric* metric = run.FindMetric(binding.name))
      return InDeviceWords(metric->spec->title, run.device_words());
  }
  if (binding.table != nullptr) {
    for (const ColumnSpec& column : binding.table->columns) {
      if (column.id == binding.name)
        return fmt::format("{} ({})", InDeviceWords(column.title, run.device_words()),
                           InDeviceWords(binding.table->title, run.device_words()));
    }
  }
  // Splits the name into words: "profile.iterations_by" becomes "Iterations by".
  std::string words(rule.names.schema[slot].name);
  if (const std::size_t point = words.rfind('.'); point != words.npos) words.erase(0, point + 1);
  std::ranges::replace(words, '_', ' ');
  return Capitalized(std::move(words));
}

std::string WhyUnknown(const CompiledRule& rule, const RunData& run, expr::Slot slot,
                       const std::string& why) {
  const std::string title = TitleOfName(rule, run, slot);
  return why.empty() ? fmt::format("{} is unknown", title)
                     : fmt::format("{} is unknown: {}", title, why);
}

std::string WhyUnknown(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       const expr::Outcome& outcome) {
  if (const auto slot = SlotOf(rule, outcome.absent_field)) {
    std::string why = data[*slot].absent_because;
    if (why.empty() && data[*slot].column != nullptr) why = data[*slot].column->absent_because();
    return WhyUnknown(rule, run, *slot, why);
  }
  // The error is "`a / b` divides by zero or is out of range".
  const std::size_t end = outcome.absent_because.find("` ");
  const bool has_expression = outcome.absent_because.starts_with('`') && end != std::string::npos;
  return has_expression ? "its number " + outcome.absent_because.substr(end + 2)
                        : outcome.absent_because;
}

std::string WhyNotWhen(const CompiledRule& rule, const RunData& run, const expr::Data& data,
                       std::span<const expr::RowId> group) {
  std::string words(kNoWords);
  ForFalse(rule, data, group, [&](std::string_view condition, const expr::Program&) {
    words = WordsOf(rule, run, data, group, condition);
    return true;
  });
  return words;
}

bool IsOtherProfile(const CompiledRule& rule, const expr::Data& data,
                    std::span<const expr::RowId> group) {
  bool is_other = false;
  ForFalse(rule, data, group, [&](std::string_view condition, const expr::Program& program) {
    is_other = condition.starts_with("known(") || condition.starts_with("not known(") ||
               IsOfProfile(rule, program);
    return is_other;
  });
  return is_other;
}

// Decides whether a rule applies to a run: by its table, by the names that it needs, and by the
// rows that it selects.

void RuleRun::NotApplicable(std::string reason, std::string field) {
  finding_.status = FindingStatus::kNotApplicable;
  finding_.reason = std::move(reason);
  finding_.missing_field = std::move(field);
}

bool RuleRun::CheckRows() {
  if (rule_.names.table == nullptr) {
    rows_ = {0};
    return true;
  }
  const Table* table = run_.FindTable(*rule_.names.table);
  if (table == nullptr || table->rows() == 0) {
    NotApplicable(run_.WhyNoTable(*rule_.names.table), "");
    return false;
  }
  looked_at_ = table->rows();
  rows_.resize(table->rows());
  std::iota(rows_.begin(), rows_.end(), expr::RowId{0});
  return true;
}

bool RuleRun::HasData(const expr::Source& source) {
  if (source.column == nullptr || !source.column->absent_because().empty()) return false;
  for (std::size_t row = 0; row < source.column->size(); ++row) {
    if (!source.column->IsAbsentAt(row)) return true;
  }
  return false;
}

// A needed column without any value counts as not recorded.
bool RuleRun::CheckNeeds() {
  for (const expr::Slot slot : rule_.needs) {
    const Binding::Kind kind = rule_.names.bindings[slot].kind;
    const bool is_column = kind == Binding::Kind::kColumn || kind == Binding::Kind::kJoined;
    const expr::Source& source = data_[slot];
    if (is_column ? HasData(source) : !IsAbsent(source.value)) continue;
    std::string why = source.absent_because;
    if (why.empty() && source.column != nullptr) why = source.column->absent_because();
    if (why.empty()) why = is_column ? "no row has it" : "the profile does not have it";
    NotApplicable(WhyUnknown(rule_, run_, slot, why), schema()[slot].name);
    return false;
  }
  return true;
}

// Selects rows. Those whose `where` is unknown are excluded and counted. A finding without them is
// valid, but a pass would be a claim about them, so a rule that passes becomes not applicable.
bool RuleRun::SelectRows() {
  if (rule_.where) {
    expr::Filtered filtered = expr::Filter(*rule_.where, data_, rows_);
    finding_.rows_unknown = filtered.unknown;
    Trace(finding_.trace, "where", *rule_.where,
          fmt::format("{} of {} rows{}", filtered.rows.size(), rows_.size(),
                      filtered.unknown == 0 ? "" : fmt::format(", {} unknown", filtered.unknown)));
    if (filtered.unknown > 0) {
      unknown_field_ = filtered.unknown_field;
      unknown_because_ =
          WhyUnknown(rule_, run_, data_, {{}, filtered.unknown_because, unknown_field_, 0});
    }
    if (filtered.rows.empty() && filtered.unknown > 0) {
      NotApplicable(unknown_because_, unknown_field_);
      return false;
    }
    rows_ = std::move(filtered.rows);
    if (rows_.empty()) {
      finding_.reason = WhatIsFine(finding_);
      return false;
    }
  }
  grouping_ = GroupRows(rule_, run_, std::move(rows_));
  finding_.rows_unknown += grouping_.unknown;
  return true;
}

}  // namespace profgauge::rules
