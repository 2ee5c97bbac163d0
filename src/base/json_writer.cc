#include "base/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/readable.h"
#include "base/text.h"

namespace profgauge {

void JsonWriter::NewLine() {
  out_ += '\n';
  out_.append(levels_.size() * 2, ' ');
}

// Writes the comma and line break before a value or key; a value after its key needs none.
void JsonWriter::BeforeValue() {
  if (std::exchange(after_key_, false) || levels_.empty()) return;
  Level& level = levels_.back();
  if (std::exchange(level.has_elements, true)) out_ += level.is_inline ? ", " : ",";
  if (!level.is_inline) NewLine();
}

void JsonWriter::Begin(char bracket, Style style) {
  BeforeValue();
  const bool is_inline = style == Style::kInline || (!levels_.empty() && levels_.back().is_inline);
  out_ += bracket;
  levels_.push_back({is_inline, false});
}

void JsonWriter::End(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.has_elements && !level.is_inline) NewLine();
  out_ += bracket;
}

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  Quote(key);
  out_ += ": ";
  after_key_ = true;
}

// Appends runs of plain characters as a whole, since kernel names are most of a report. Bytes that
// are not UTF-8 become U+FFFD, so that every document can be parsed.
void JsonWriter::Quote(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  out_ += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    if (plain > 0) {  // Mostly all of it.
      out_ += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const std::size_t length = Utf8Length(text);
    const char c = text.front();
    const std::uint32_t misleading = MisleadingCode(text, length);
    if (length == 0) {
      out_ += "\ufffd";
    } else if (misleading != 0) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", misleading);
    } else if (length > 1) {
      out_ += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(c));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

void JsonWriter::Text(std::string_view text) {
  BeforeValue();
  Quote(text);
}

void JsonWriter::Integer(std::int64_t value) {
  BeforeValue();
  const fmt::format_int text(value);
  out_.append(text.data(), text.size());
}

void JsonWriter::Real(double value) {
  if (!std::isfinite(value)) return Null();
  BeforeValue();
  const std::string text = fmt::format("{}", value);
  out_ += text;
  if (text.find_first_of(".e") == std::string::npos) out_ += ".0";
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonWriter::Write(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return Text(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Integer(*integer);
  if (const auto* real = std::get_if<double>(&value)) return Real(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return Bool(*flag);
  Null();
}

void JsonWriter::OptionalField(std::string_view key, std::string_view text) {
  if (!text.empty()) Field(key, text);
}

std::string JsonWriter::Take() {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace profgauge
