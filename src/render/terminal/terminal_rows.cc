#include "render/terminal/terminal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/format.h"
#include "base/text.h"

namespace profgauge::render {
namespace {

// The width of a column: its widest cell, but at most `most`, so that one long name does not push
// all values to the right.
std::size_t Widest(const std::vector<Row>& rows, std::string Row::*field, std::size_t most) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, CharactersIn(row.*field));
  return std::min(width, most);
}

/// Name and value of a row, and below them the limit and the gain, which have no room beside them.
std::string NarrowLine(const Row& row, std::size_t indent, std::size_t width) {
  std::string line = row.name + (row.value.empty() ? "" : "  " + row.value);
  for (const std::string& more : {row.limit, row.gain}) {
    for (const std::string& part : Wrapped(more, width - std::min(width / 2, indent))) {
      if (!part.empty()) line += "\n" + std::string(indent, ' ') + part;
    }
  }
  return line;
}

}  // namespace

std::string Painted(std::string_view text, Ink ink, bool color) {
  if (!color || ink == Ink::kNone) return std::string(text);
  constexpr std::array<std::string_view, 6> kCodes = {"", "1", "1;31", "33", "32", "2"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(ink)], text);
}

std::vector<std::string> Wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (!line.empty() && CharactersIn(line) + 1 + CharactersIn(word) > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::string Flowed(const std::string& lead, const std::vector<std::string>& parts,
                   std::size_t width) {
  std::string out = lead, line;
  const std::size_t indent = CharactersIn(lead);
  for (const std::string& part : parts) {
    if (!line.empty() && indent + CharactersIn(line) + 2 + CharactersIn(part) > width) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + part;
  }
  return out + line + "\n";
}

// A bracket is looked at only where a name precedes it, so that "(a remark)" in a sentence stays.
// Brackets within the folded one go with it; one that is never closed stays as it is.
std::string WithFoldedNames(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char open = text[i];
    const char before = out.empty() ? ' ' : out.back();
    const bool follows_name =
        std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '>';
    const char close = open == '<' ? '>' : ')';
    std::size_t end = i;
    if ((open == '<' || open == '(') && follows_name) {
      int depth = 0;
      for (; end < text.size(); ++end) {
        if (text[end] == open) ++depth;
        if (text[end] == close && --depth == 0) break;
      }
    }
    out += open;
    if (end == i || end == text.size() || end - i <= kLongest) continue;
    out += "…";
    out += close;
    i = end;
  }
  return out;
}

// One row after another, each by itself once the widths are known. Where its columns have no room,
// they go below each other (NarrowLine); where its sentence has none, it goes below the columns.
// Only the verb and the next command have color.
std::string ListText(const std::vector<Row>& rows, std::size_t width, bool color) {
  const std::size_t verb = Widest(rows, &Row::verb, 9), name = Widest(rows, &Row::name, 40);
  const std::size_t value = Widest(rows, &Row::value, 12), limit = Widest(rows, &Row::limit, 24);
  const std::size_t indent = 2 + verb + 2;
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    if (!row.name.empty()) {
      line = Padded(row.name, name) + "  " + Padded(row.value, value, true);
      const std::size_t gain = row.gain.empty() ? 0 : 2 + CharactersIn(row.gain);
      if (!row.limit.empty()) {
        line += "  " + Padded(row.limit, limit);
      } else if (limit > 0) {  // A long gain begins within the column that its row leaves empty.
        const std::size_t taken = indent + CharactersIn(line) + gain;
        line.append(std::min(2 + limit, width - std::min(width, taken)), ' ');
      }
      if (gain > 0) line += "  " + row.gain;
      line.erase(line.find_last_not_of(' ') + 1);
      if (indent + CharactersIn(line) > width) line = NarrowLine(row, indent, width);
    }
    const bool fits = indent + CharactersIn(line) + 2 + CharactersIn(row.text) <= width;
    if (!row.name.empty() && fits && !row.text.empty()) line += "  " + row.text;
    out += "  " + Painted(Padded(row.verb, verb), row.ink, color) + "  ";
    if (row.name.empty() || !fits) {
      std::string lead = row.name.empty() ? "" : "\n" + std::string(indent, ' ');
      for (const std::string& part : Wrapped(row.text, width - std::min(width / 2, indent))) {
        if (!part.empty()) line += lead + part;
        lead = "\n" + std::string(indent, ' ');
      }
    }
    out += line + "\n";
    if (!row.advice.empty()) {
      const std::size_t room = width - std::min(width / 2, indent);
      for (const std::string& part : Wrapped("do: " + row.advice, room)) {
        out += std::string(indent, ' ') + part + "\n";
      }
    }
    if (row.next.empty()) continue;
    out += std::string(indent, ' ') + Painted("next: " + row.next, Ink::kDim, color) + "\n";
  }
  return out;
}

}  // namespace profgauge::render
