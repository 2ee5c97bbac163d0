#include "base/rich_text.h"

#include <algorithm>

#include "base/text.h"

namespace profgauge {

std::string_view TextPartName(TextPart::Kind kind) {
  constexpr std::string_view kNames[] = {"text", "code", "number", "link"};
  return kNames[static_cast<std::size_t>(kind)];
}

void AddPart(RichText& to, TextPart::Kind kind, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty() && to.back().kind == kind) {
    to.back().text += text;
  } else {
    to.emplace_back().kind = kind;
    to.back().text = text;
  }
}

// Splits "set `pin_memory` to True" into text, code and text. The backtick of "a ` here" has no
// partner, so all of it is text.
RichText PartsOf(std::string_view text) {
  RichText parts;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) {
      AddPart(parts, TextPart::Kind::kText, text);
      break;
    }
    AddPart(parts, TextPart::Kind::kText, text.substr(0, open));
    AddPart(parts, TextPart::Kind::kCode, text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return parts;
}

std::string TextOf(const RichText& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    const bool is_code = part.kind == TextPart::Kind::kCode;
    text.append(is_code ? "`" : "").append(part.text).append(is_code ? "`" : "");
  }
  return text;
}

// The list "- one point that\n  goes on\n- another" has two items, "one point that goes on" and
// "another": a line without a dash continues the previous item.
std::vector<RichText> PointsOf(std::string_view list) {
  std::vector<std::string> points;
  for (const std::string_view line : Lines(list)) {
    const std::string_view words = Trim(line);
    if (words.empty()) continue;
    if (words.starts_with("- ")) {
      points.emplace_back(words.substr(2));
    } else if (points.empty()) {
      points.emplace_back(words);
    } else {
      points.back() += " " + std::string(words);
    }
  }
  std::vector<RichText> out;
  for (const std::string& point : points) out.push_back(PartsOf(point));
  return out;
}

}  // namespace profgauge
