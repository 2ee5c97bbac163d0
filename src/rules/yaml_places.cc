#include "rules/yaml.h"

#include "base/text.h"

namespace profgauge::rules {
namespace {

/// A position in the source that knows its line and column.
struct Cursor {
  std::string_view source;
  std::size_t at;
  std::uint32_t line, column;

  bool AtEnd() const { return at >= source.size(); }
  char Peek(std::size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }
  void Advance(std::size_t count) {
    for (; count > 0 && !AtEnd(); --count, ++at) {
      if (source[at] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    }
  }
  void SkipBlanks() {
    while (!AtEnd() && IsSpace(Peek())) Advance(1);
  }
};

/// Bytes of source that the escape at the cursor takes; 0 when there is none.
std::size_t EscapeLength(const Cursor& cursor, char quote) {
  if (quote == '\'') return cursor.Peek() == '\'' && cursor.Peek(1) == '\'' ? 2 : 0;
  if (quote != '"' || cursor.Peek() != '\\') return 0;
  switch (cursor.Peek(1)) {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

void Place(std::vector<SourceText::Run>& runs, std::size_t offset, const Cursor& cursor) {
  if (!runs.empty()) {
    const SourceText::Run& last = runs.back();
    if (last.line == cursor.line && cursor.column - last.column == offset - last.offset) return;
  }
  runs.push_back({offset, cursor.line, cursor.column});
}

}  // namespace

// Two cursors, one over the decoded text, one over the source. Where bytes are equal both advance;
// where they are not, YAML has decoded something:
//
//     line 3   when: >                        text   gpu.idle > 20% and rank.id == 3
//     line 4       gpu.idle > 20% and                ^0                 ^19
//     line 5       rank.id == 3               runs   {0: line 4, column 5}, {19: line 5, column 5}
//
// A run is kept only where the place does not follow from the run before it.
std::vector<SourceText::Run> FindPlaces(std::string_view source, const YamlNode& node) {
  std::vector<SourceText::Run> runs;
  Cursor cursor{source, node.offset, node.line, node.column};
  const char quote = node.plain ? '\0' : cursor.Peek();
  if (quote == '"' || quote == '\'') cursor.Advance(1);
  if (quote == '|' || quote == '>') {
    while (!cursor.AtEnd() && cursor.Peek() != '\n') cursor.Advance(1);
    cursor.Advance(1);
  }
  if (node.text.empty()) runs.push_back({0, node.line, node.column});
  for (std::size_t i = 0; i < node.text.size(); ++i) {
    if (quote == '"' && cursor.Peek() == '\\' && IsSpace(cursor.Peek(1)) && cursor.Peek(1) != ' ') {
      cursor.Advance(1);  // An escaped line end adds no character.
      cursor.SkipBlanks();
    }
    if (const std::size_t escape = EscapeLength(cursor, quote); escape > 0) {
      Place(runs, i, cursor);
      cursor.Advance(escape);
      i += std::max<std::size_t>(1, Utf8Length(std::string_view(node.text).substr(i))) - 1;
      continue;
    }
    if (cursor.Peek() != node.text[i]) {
      const Cursor before = cursor;
      cursor.SkipBlanks();
      if (IsSpace(node.text[i])) {  // A folded line end.
        Place(runs, i, before);
        continue;
      }
      if (cursor.Peek() != node.text[i]) break;  // Lost: the rest counts from the last place.
    }
    Place(runs, i, cursor);
    cursor.Advance(1);
  }
  if (runs.empty()) runs.push_back({0, node.line, node.column});
  return runs;
}

// In double quotes a backslash takes the next byte, in single quotes two quotes are one.
bool IsQuoteClosed(std::string_view source, std::size_t offset) {
  if (offset >= source.size()) return true;
  const char quote = source[offset];
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t at = offset + 1; at < source.size(); ++at) {
    if (quote == '"' && source[at] == '\\') {
      ++at;
    } else if (source[at] == quote) {
      if (quote == '"' || at + 1 >= source.size() || source[at + 1] != '\'') return true;
      ++at;
    }
  }
  return false;
}

}  // namespace profgauge::rules
