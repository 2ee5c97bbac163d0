#include "rules/reason_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/devices.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kNoWords = "it is about other runs";

// The conditions that `and` joins at the outermost level of a canonical text.
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
    if (text.substr(i).starts_with(" or ")) return {text};  // It binds less.
    if (!text.substr(i).starts_with(" and ")) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + std::string_view(" and ").size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `name` if that is all of the text; `name default X` counts as the name.
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

// Its value, evaluated as the rule would.
std::optional<std::string> ShownOf(const CompiledRule& rule, const expr::Data& data,
                                   std::span<const expr::RowId> group, std::string_view text) {
  expr::Schema schema = rule.names.schema;
  const auto program = expr::Compile(text, schema, expr::Context::kGroup);
  if (!program) return std::nullopt;
  const expr::Outcome outcome = expr::Evaluate(*program, data, group);
  if (IsAbsent(outcome.value)) return std::nullopt;
  return expr::Format(outcome.value, program->type(), {});
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

bool IsNumberOfProfile(const expr::Field& field, const Binding& binding) {
  return binding.kind == Binding::Kind::kMetric && field.unit == Unit::kCount &&
         binding.name.starts_with("profile.");
}

// Whether all names of an expression are of the profile. Lets use earlier lets only, so this ends.
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

// Calls `of` for each of the false or unknown conditions, until it returns true.
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
    const auto value = ShownOf(rule, data, group, condition.substr(0, at));
    const auto limit = ShownOf(rule, data, group, condition.substr(at + sign.size()));
    if (of.empty() || !value || !limit) break;
    return fmt::format("{} is {}, needed: {} {}", of, *value, words, *limit);
  }
  for (const std::string_view sign : {" not in [", " in [", " == '", " != '"}) {
    const std::size_t at = condition.find(sign);
    if (at == condition.npos) continue;
    const std::string of = title(condition.substr(0, at));
    const auto value = ShownOf(rule, data, group, condition.substr(0, at));
    if (of.empty() || !value) break;
    return fmt::format("{} is {}", of, value->empty() ? "unknown" : *value);
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
  // "profile.iterations_by" → "Iterations by".
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
  // "`a / b` divides by zero or is out of range".
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

}  // namespace profgauge::rules
