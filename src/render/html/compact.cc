#include "render/html/compact.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "base/text.h"

namespace profgauge::render::html {
namespace {

constexpr std::string_view kSigns = "{}()[]=,;:?<>|&*!+-/%";

bool IsSign(char c) { return kSigns.find(c) != kSigns.npos; }

// The end of the string or template that starts at `at`, or of the line. A value in a template may
// contain a template.
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

// The end of the pattern that starts at `at`, before its flags.
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

// True if a slash starts a pattern (`x = /a/`), not a division (`a / b`). `before` is the code
// before the slash, without spaces.
bool BeginsPattern(std::string_view before) {
  constexpr std::string_view kBeforeValues = "(,=:[!&|?{};>";
  return before.empty() || kBeforeValues.find(before.back()) != kBeforeValues.npos ||
         before.ends_with("return ");
}

// Appends one line, token by token. Texts and patterns are copied, and a comment ends the line. A
// space stays only between two words, two plus or minus signs, or `return` and a pattern.
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
      const bool is_needed = last == next && (next == '+' || next == '-');  // E.g. "a - -b"
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
      // The last declaration of a rule needs no semicolon.
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

namespace {

// An end tag that HTML allows to omit before one of these tags.
struct Optional {
  std::string_view end;
  std::array<std::string_view, 5> before;
};
constexpr std::array<Optional, 6> kOptional = {{
    {"</td>", {"<td", "<th", "<tr", "</tr>", "</tbody>"}},
    {"</th>", {"<td", "<th", "<tr", "</tr>", "</tbody>"}},
    {"</tr>", {"<tr", "</tbody>", "</thead>", "</tfoot>", "</table>"}},
    {"</li>", {"<li", "</ul>", "</ol>"}},
    {"</dt>", {"<dt", "<dd"}},
    {"</dd>", {"<dt", "<dd", "</dl>", "</div>"}},
}};

// Elements that are copied unchanged, because their content is no markup, their spaces matter, or
// other tools search for their exact text.
constexpr std::array<std::string_view, 4> kWhole = {"script", "style", "pre", "textarea"};

/// Reads markup and writes it shorter.
class Compactor {
 public:
  explicit Compactor(std::string_view html) : html_(html) {}

  std::string Run() {
    out_.reserve(html_.size());
    while (at_ < html_.size()) {
      const std::string_view rest = html_.substr(at_);
      if (rest.starts_with("<!--")) {
        CopyUntil("-->");
      } else if (rest.starts_with("</")) {
        EndTag();
      } else if (rest.size() > 1 && rest[0] == '<' &&
                 std::isalpha(static_cast<unsigned char>(rest[1])) != 0) {
        StartTag();
      } else if (IsBlank(rest[0])) {
        Blanks();
      } else {
        const auto is_text = [](char c) { return c != '<' && !IsBlank(c); };
        const auto end = std::find_if_not(rest.begin(), rest.end(), is_text);
        Copy(std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.begin())));
      }
    }
    return std::move(out_);
  }

 private:
  void Copy(std::size_t count) {
    out_ += html_.substr(at_, count);
    at_ += std::min(count, html_.size() - at_);
  }
  void CopyUntil(std::string_view end) {
    const std::size_t found = html_.find(end, at_);
    Copy(found == html_.npos ? html_.size() - at_ : found + end.size() - at_);
  }
  std::size_t BehindBlanks(std::size_t from) const {
    while (from < html_.size() && IsBlank(html_[from])) ++from;
    return from;
  }

  // Copies one of several empty lines.
  void Blanks() {
    const std::size_t end = BehindBlanks(at_);
    const std::string_view blanks = html_.substr(at_, end - at_);
    if (std::count(blanks.begin(), blanks.end(), '\n') > 1) {
      out_ += '\n';
    } else {
      out_ += blanks;
    }
    at_ = end;
  }

  // Copies an end tag, or omits it and the spaces after it, if HTML allows that before the next.
  void EndTag() {
    for (const Optional& tag : kOptional) {
      if (!html_.substr(at_).starts_with(tag.end)) continue;
      const std::size_t next = BehindBlanks(at_ + tag.end.size());
      for (const std::string_view before : tag.before) {
        if (before.empty() || !html_.substr(next).starts_with(before)) continue;
        at_ = next;
        return;
      }
    }
    CopyUntil(">");
  }

  void StartTag() {
    const std::size_t begin = at_ + 1;
    Copy(1);
    while (at_ < html_.size() && !IsBlank(html_[at_]) && html_[at_] != '>') Copy(1);
    const std::string_view name = html_.substr(begin, at_ - begin);
    const bool is_meta = name == "meta";  // A later run finds our files by this element.
    while (at_ < html_.size() && html_[at_] != '>') {
      if (is_meta) {
        Copy(1);
      } else if (name == "th" && SkipsScope()) {
        continue;
      } else {
        Attribute();
      }
    }
    Copy(1);
    if (std::find(kWhole.begin(), kWhole.end(), name) != kWhole.end()) {
      CopyUntil("</" + std::string(name));
    }
  }

  // Omits the scope of a head of a column or row. It is implied, because our heads are above all
  // columns or before all rows.
  bool SkipsScope() {
    const std::size_t start = BehindBlanks(at_);
    for (const std::string_view scope : {"scope=\"col\"", "scope=\"row\""}) {
      if (!html_.substr(start).starts_with(scope)) continue;
      at_ = start + scope.size();
      return true;
    }
    return false;
  }

  // Copies one attribute. The value loses its quotes if it contains no space, quote, `=`, `<`, `>`
  // or backtick, and no slash that would look like the end of the tag.
  void Attribute() {
    const std::size_t start = BehindBlanks(at_);
    if (start == html_.size() || html_[start] == '>') {
      at_ = start;
      return;
    }
    if (start > at_ && html_[start] != '/') out_ += ' ';
    at_ = start;
    while (at_ < html_.size() && !IsBlank(html_[at_]) && html_[at_] != '=' && html_[at_] != '>') {
      Copy(1);
    }
    if (at_ == html_.size() || html_[at_] != '=') return;
    Copy(1);
    if (at_ == html_.size() || html_[at_] != '"') {
      while (at_ < html_.size() && !IsBlank(html_[at_]) && html_[at_] != '>') Copy(1);
      return;
    }
    const std::size_t end = html_.find('"', at_ + 1);
    if (end == html_.npos) return Copy(html_.size() - at_);
    const std::string_view value = html_.substr(at_ + 1, end - at_ - 1);
    const bool closes = end + 1 < html_.size() && html_[end + 1] == '/';
    const bool is_plain = !value.empty() && !closes && value.back() != '/' &&
                          value.find_first_of(" \t\n\f\r\"'=<>`") == value.npos;
    if (is_plain) {
      out_ += value;
    } else {
      out_ += html_.substr(at_, end + 1 - at_);
    }
    at_ = end + 1;
  }

  std::string_view html_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string CompactMarkup(std::string_view html) { return Compactor(html).Run(); }

namespace {

constexpr std::array<std::string_view, 8> kReferences = {
    "id",      "for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-details",
    "headers", "list"};

/// Copies the tags of one document and adds the prefix to ids.
class Scoper {
 public:
  Scoper(std::string_view html, std::string_view prefix) : html_(html), prefix_(prefix) {}

  std::string Run() {
    while (at_ < html_.size()) {
      CopyUntil(html_.find('<', at_));
      if (at_ + 1 >= html_.size()) break;
      if (std::isalpha(static_cast<unsigned char>(html_[at_ + 1])) != 0) {
        CopyTag();
      } else {
        CopyUntil(at_ + 1);
      }
    }
    CopyUntil(html_.size());
    return std::move(out_);
  }

 private:
  void CopyUntil(std::size_t end) {
    end = std::min(end, html_.size());
    out_ += html_.substr(at_, end - at_);
    at_ = end;
  }

  void CopyWhile(bool (*is_part)(char)) {
    std::size_t end = at_;
    while (end < html_.size() && is_part(html_[end])) ++end;
    CopyUntil(end);
  }

  void CopyTag() {
    const std::size_t begin = at_ + 1;
    CopyWhile([](char c) { return !IsBlank(c) && c != '>'; });
    const std::string_view tag = html_.substr(begin, at_ - begin);
    while (at_ < html_.size() && html_[at_] != '>') CopyAttribute();
    // The content of a script or style is no markup, so it is copied.
    if (tag == "script") CopyUntil(html_.find("</script", at_));
    if (tag == "style") CopyUntil(html_.find("</style", at_));
  }

  // Copies one attribute, with or without quotes.
  void CopyAttribute() {
    CopyWhile([](char c) { return IsBlank(c) || c == '/'; });
    const std::size_t begin = at_;
    CopyWhile([](char c) { return !IsBlank(c) && c != '=' && c != '>' && c != '/'; });
    const std::string_view name = html_.substr(begin, at_ - begin);
    if (at_ == html_.size() || html_[at_] != '=') {
      if (name.empty() && at_ < html_.size() && html_[at_] != '>') CopyUntil(at_ + 1);
      return;
    }
    CopyUntil(at_ + 1);
    const char quote = at_ < html_.size() ? html_[at_] : ' ';
    if (quote != '"' && quote != '\'') {
      const auto end = std::find_if(html_.begin() + static_cast<std::ptrdiff_t>(at_), html_.end(),
                                    [](char c) { return IsBlank(c) || c == '>'; });
      Write(name, html_.substr(at_, static_cast<std::size_t>(end - html_.begin()) - at_));
      return;
    }
    CopyUntil(at_ + 1);
    Write(name, html_.substr(at_, std::min(html_.find(quote, at_), html_.size()) - at_));
    CopyUntil(at_ + 1);
  }

  // Adds the prefix to all ids of a value, which spaces separate. A link that does not start with
  // `#` leaves the document, so it stays unchanged.
  void Write(std::string_view name, std::string_view value) {
    at_ += value.size();
    if (name == "href" && value.size() > 1 && value[0] == '#') {
      out_ += '#';
      out_ += prefix_;
      out_ += value.substr(1);
    } else if (std::find(kReferences.begin(), kReferences.end(), name) != kReferences.end()) {
      bool is_first_of_word = true;
      for (const char c : value) {
        if (is_first_of_word && !IsBlank(c)) out_ += prefix_;
        is_first_of_word = IsBlank(c);
        out_ += c;
      }
    } else {
      out_ += value;
    }
  }

  std::string_view html_, prefix_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string ScopeIds(std::string_view html, std::string_view prefix) {
  return Scoper(html, prefix).Run();
}

}  // namespace profgauge::render::html
