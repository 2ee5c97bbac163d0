#include "rules/finding_texts.h"

#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "expr/message.h"

namespace profgauge::rules {
namespace {

using expr::Outcome;
using expr::RowId;

bool IsInsideCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80; }

/// Shortens a very long name in the middle; tables have the whole name.
std::string ShortName(const std::string& name) {
  constexpr std::size_t kLongestName = 120, kHeadOfName = 70, kTailOfName = 40;
  if (name.size() <= kLongestName) return name;
  std::size_t head = kHeadOfName, tail = name.size() - kTailOfName;
  while (head > 0 && IsInsideCharacter(name[head])) --head;
  while (tail < name.size() && IsInsideCharacter(name[tail])) ++tail;
  return name.substr(0, head) + "…" + name.substr(tail);
}

/// Makes a text. Backticks of the rule mark code; text from the profile is never markup:
///
///     rule      `{{ kernel.name }}` takes {{ metric }}
///     profile   kernel.name is "f`g", metric is 0.314
///     parts     code "f`g", text " takes ", number 31.4 %
class PartsMaker {
 public:
  PartsMaker(const expr::Data& data, std::span<const RowId> rows) : data_(data), rows_(rows) {}

  RichText Make(const expr::Message& message) {
    for (const expr::Message::Part& part : message.parts) {
      Markup(part.literal);
      if (part.has_hole) Hole(part);
    }
    if (in_code_) {  // An unclosed backtick is plain text.
      RichText code = std::exchange(code_, {});
      AddPart(parts_, TextPart::Kind::kText, "`");
      for (const TextPart& part : code) AddPart(parts_, TextPart::Kind::kText, part.text);
    }
    return std::move(parts_);
  }

 private:
  void Text(std::string_view text) {
    AddPart(in_code_ ? code_ : parts_, in_code_ ? TextPart::Kind::kCode : TextPart::Kind::kText,
            text);
  }

  void Markup(std::string_view text) {
    for (std::size_t tick = text.find('`'); tick != text.npos; tick = text.find('`')) {
      Text(text.substr(0, tick));
      text.remove_prefix(tick + 1);
      in_code_ = !in_code_;
      if (in_code_) continue;
      const std::string name = code_.empty() ? "" : ShortName(code_.front().text);
      code_.clear();
      AddPart(parts_, TextPart::Kind::kCode, name);
    }
    Text(text);
  }

  void Hole(const expr::Message::Part& part) {
    const Outcome outcome = expr::Evaluate(part.hole, data_, rows_);
    const std::string text = expr::FormatHole(part, outcome);
    const auto* number = std::get_if<double>(&outcome.value);
    if (number != nullptr && !in_code_) {
      parts_.push_back({TextPart::Kind::kNumber, text, *number,
                        expr::DisplayUnit(part.display, part.hole.type()), ""});
    } else {
      Text(text);
    }
  }

  const expr::Data& data_;
  std::span<const RowId> rows_;
  RichText parts_, code_;
  bool in_code_ = false;
};

/// Adds the texts of those `items` that are shown.
void ShownTexts(const std::vector<CompiledRule::Item>& items, const expr::Data& data,
                std::span<const RowId> rows, bool only_first, std::vector<RichText>& out) {
  for (const CompiledRule::Item& item : items) {
    if (item.when) {
      const Outcome holds = expr::Evaluate(*item.when, data, rows);
      if (IsAbsent(holds.value) || !std::get<bool>(holds.value)) continue;
    }
    if (item.items.empty()) {
      out.push_back(PartsMaker(data, rows).Make(item.text));
    } else {
      ShownTexts(item.items, data, rows, item.is_case, out);
    }
    if (only_first) return;
  }
}

void Append(const RichText& from, RichText& to) {
  for (const TextPart& part : from) {
    if (part.kind == TextPart::Kind::kText) {
      AddPart(to, part.kind, part.text);
    } else {
      to.push_back(part);
    }
  }
}

// True for a command like "profgauge compare a.json a.json". It results if only one rank has a
// number, because then the slowest and the fastest rank are the same.
bool ComparesWithItself(std::string_view command) {
  constexpr std::string_view kCompare = "profgauge compare ";
  if (!command.starts_with(kCompare)) return false;
  command.remove_prefix(kCompare.size());
  const std::size_t half = command.size() / 2;
  return command.size() % 2 == 1 && command[half] == ' ' &&
         command.substr(0, half) == command.substr(half + 1);
}

}  // namespace

void AddTexts(const CompiledRule& rule, const expr::Data& data, std::span<const expr::RowId> rows,
              Finding& out) {
  std::vector<RichText> sentences;
  ShownTexts(rule.message, data, rows, false, sentences);
  for (const RichText& sentence : sentences) {
    if (!out.message_parts.empty()) AddPart(out.message_parts, TextPart::Kind::kText, " ");
    Append(sentence, out.message_parts);
  }
  out.message = profgauge::TextOf(out.message_parts);
  ShownTexts(rule.advice, data, rows, false, out.advice_parts);
  for (const RichText& point : out.advice_parts)
    out.advice += fmt::format("- {}\n", profgauge::TextOf(point));
  if (rule.metric_of) out.metric_of = expr::RenderMessage(*rule.metric_of, data, rows);
  if (rule.next) out.next = expr::RenderMessage(*rule.next, data, rows);
  if (ComparesWithItself(out.next)) out.next.clear();
  if (rule.change) out.change = expr::RenderMessage(*rule.change, data, rows);
}

}  // namespace profgauge::rules
