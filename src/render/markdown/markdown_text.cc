#include "render/markdown/markdown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rich_text.h"
#include "base/text.h"
#include "render/shared/escape.h"
#include "render/shared/template.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr std::string_view kNoBreak = "&#8203;";  // Zero-width: ends mentions and numbers.

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The text on one line, without characters that control a terminal or reverse text. A line end
// would leave the table cell.
std::string OneLine(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return Printable(line);
}

// The length of the start that would make the line a list item ("12.", "-") or a rule ("---"); 0 if
// there is none. The last character of the start is escaped: "12\.".
std::size_t ListMark(std::string_view text) {
  std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end > 0) {
    if (end == text.size() || (text[end] != '.' && text[end] != ')')) return 0;
    ++end;
  } else {
    end = std::min(text.find_first_not_of("-+="), text.size());
  }
  return end == text.size() || text[end] == ' ' ? end : 0;
}

// A code span. By CommonMark 6.1, it ends at the next sequence of as many backticks, so its fence
// is longer than any in the text. If the text has backticks at its ends, spaces separate them.
std::string CodeSpan(const std::string& line, bool in_table) {
  if (line.find_first_not_of(' ') == std::string::npos) return "–";
  std::size_t longest = 0, run = 0;
  std::string code;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|' && in_table) code += '\\';
    code += c;
  }
  const std::string fence(longest + 1, '`');
  const bool pad = line.front() == '`' || line.back() == '`';
  return fence + (pad ? " " : "") + code + (pad ? " " : "") + fence;
}

}  // namespace

std::string EscapeMarkdown(std::string_view text) {
  const std::string line = OneLine(text);
  std::string out;
  const std::size_t begin = ListMark(line);
  if (begin > 0) out = line.substr(0, begin - 1) + "\\" + line[begin - 1];
  for (std::size_t i = begin; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      out += "@" + std::string(kNoBreak);
    } else if (c == '#') {
      out += "\\#";
      if (i + 1 < line.size() && IsDigit(line[i + 1])) out += kNoBreak;
    } else if (std::string_view("\\`*_[]{}|~$").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string EscapeMarkdownHtml(std::string_view text) {
  std::string out;
  for (const char c : EscapeHtml(OneLine(text))) {
    out += c;
    if (c == '@') out += kNoBreak;
  }
  return out;
}

std::string MarkdownProse(const RichText& parts, bool in_table) {
  std::string out;
  for (const TextPart& part : parts) {
    out += part.kind == TextPart::Kind::kCode ? CodeSpan(OneLine(part.text), in_table)
                                              : EscapeMarkdown(part.text);
  }
  return out;
}

std::string MarkdownProse(std::string_view text, bool in_table) {
  return MarkdownProse(PartsOf(text), in_table);
}

std::string MarkdownCode(std::string_view text, bool in_table) {
  return CodeSpan(ElideMiddle(OneLine(text), kMarkdownNameCharacters), in_table);
}

boost::json::value MarkdownCell(std::string_view text) {
  return MakeMarkup(MarkdownCode(text, true));
}

std::string MarkdownAdvice(const std::vector<RichText>& points) {
  std::string out;
  for (const RichText& point : points) {
    out += out.empty() ? "- " : "\n- ";
    for (const TextPart& part : point) {
      if (part.kind == TextPart::Kind::kCode) {
        out += CodeSpan(OneLine(part.text), false);
        continue;
      }
      // A backslash before `<` prevents that it begins a tag.
      for (const char c : Printable(part.text))
        out += c == '<' ? std::string("\\<") : std::string(1, c);
    }
  }
  return out;
}

std::string MarkdownBar(double share) {
  constexpr int kCells = 10;
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double bounded = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const int eighths = static_cast<int>(std::lround(bounded * kCells * 8));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[static_cast<std::size_t>(eighths % 8)];
  for (int i = (eighths + 7) / 8; i < kCells; ++i) bar += "░";
  return bar;
}

std::string MarkerName(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '.' || c == '_';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name.substr(0, 80);
}

}  // namespace profgauge::render
