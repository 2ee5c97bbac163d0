#include "rules/text_builder.h"

#include <fmt/format.h>

namespace profgauge::rules {

void TextBuilder::Run(const Where& where) {
  out_.runs.push_back({out_.text.size(), where.line, where.column});
}

void TextBuilder::Part(const SourceText& from, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  Run(from.At(begin));
  const std::size_t shift = out_.text.size();
  for (const SourceText::Run& run : from.runs) {
    if (run.offset <= begin || run.offset >= end) continue;
    out_.runs.push_back({run.offset - begin + shift, run.line, run.column});
  }
  out_.text.append(from.text, begin, end - begin);
}

void TextBuilder::Inserted(std::string_view text, const Where& where) {
  bool is_start = true;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (is_start || !is_word) Run(where);
    is_start = !is_word;
    out_.text += c;
  }
}

std::string QuotedText(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string LiteralText(const Literal& value) {
  for (const UnitSuffix& suffix : UnitSuffixes()) {
    // Skips suffixes of other units, and those of shares, which are written as plain numbers.
    if (suffix.unit != value.unit || suffix.unit == Unit::kShare) continue;
    return fmt::format("{} {}", value.value / suffix.factor, suffix.text);
  }
  return fmt::format("{}", value.value);
}

}  // namespace profgauge::rules
