#include "render/html/compact.h"

#include <cstddef>

#include "base/text.h"

namespace profgauge::render::html {
namespace {

constexpr std::string_view kSigns = "{}()[]=,;:?<>|&*!+-/%";

bool IsSign(char c) { return kSigns.find(c) != kSigns.npos; }

// Where a string or template that begins at `at` ends, or the end of the line; a template's values
// may hold templates.
std::size_t EndOfText(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    } else if (quote == '`' && line.substr(i).starts_with("${")) {
      int depth = 0;
      for (++i; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\'' || c == '"' || c == '`') i = EndOfText(line, i) - 1;
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0) break;
      }
    }
  }
  return line.size();
}

// Where a pattern that begins at `at` ends, before its flags.
std::size_t EndOfPattern(std::string_view line, std::size_t at) {
  bool in_class = false;
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '/' && !in_class) {
      return i + 1;
    } else if (line[i] == '[' || line[i] == ']') {
      in_class = line[i] == '[';
    }
  }
  return line.size();
}

// A slash divides the value before it, or begins a pattern where there is none: `a / b`, but `x =
// /a/`. `before` is the code before it, without the blank.
bool BeginsPattern(std::string_view before) {
  constexpr std::string_view kBeforeValues = "(,=:[!&|?{};>";
  return before.empty() || kBeforeValues.find(before.back()) != kBeforeValues.npos ||
         before.ends_with("return ");
}

// One line, token by token: texts and patterns are copied, comments end it, and a blank stays only
// where it separates two words, two plus or two minus signs, or `return` and a pattern.
void AppendLine(std::string_view line, std::string& out) {
  std::string code;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    std::size_t end = i + 1;
    if (line.substr(i).starts_with("//")) break;
    if (c == '\'' || c == '"' || c == '`') {
      end = EndOfText(line, i);
    } else if (c == '/' && BeginsPattern(code)) {
      end = EndOfPattern(line, i);
    } else if (c == ' ') {
      const char last = code.empty() ? ' ' : code.back(),
                 next = end < line.size() ? line[end] : ' ';
      const bool is_needed = last == next && (next == '+' || next == '-');  // a - -b
      if (!is_needed && (last == ' ' || next == ' ' || IsSign(last) || IsSign(next))) {
        // A pattern after a word: "return /a/".
        if (!(next == '/' && code.ends_with("return"))) {
          ++i;
          continue;
        }
      }
    }
    code += line.substr(i, end - i);
    i = end;
  }
  const std::string_view shown = Trim(code);
  if (shown.empty()) return;
  out += shown;
  out += '\n';
}

}  // namespace

std::string CompactScript(std::string_view js) {
  std::string out;
  for (const std::string_view line : Lines(js)) AppendLine(Trim(line), out);
  return out;
}

std::string CompactStyle(std::string_view css) {
  std::string out;
  constexpr std::string_view kAround = "{};,>";
  for (std::size_t i = 0; i < css.size(); ++i) {
    if (css.substr(i).starts_with("/*")) {
      const std::size_t end = css.find("*/", i);
      i = end == css.npos ? css.size() : end + 1;
      continue;
    }
    if (css[i] != ' ' && css[i] != '\n') {
      // The last declaration of a rule needs no end.
      if (css[i] == '}' && out.ends_with(';')) out.pop_back();
      out += css[i];
      continue;
    }
    const std::size_t next = css.find_first_not_of(" \n", i);
    const char last = out.empty() ? ' ' : out.back();
    const bool separates = next != css.npos && kAround.find(css[next]) == kAround.npos &&
                           kAround.find(last) == kAround.npos && last != ':' && last != ' ';
    if (separates) out += ' ';
    if (next == css.npos) break;
    i = next - 1;
  }
  return out;
}

}  // namespace profgauge::render::html
