#include "render/html/compact.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace profgauge::render::html {
namespace {

// An end tag that HTML lets out where one of these follows.
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

// Elements that are taken as they are: their content is no markup, blanks in them count, or others
// look for their very text.
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

  // One empty line replaces several.
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

  // Leaves an end tag out where one of its followers comes next, together with the blanks between.
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
    const bool is_meta = name == "meta";  // By these a later run knows that the file is ours.
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

  // The scope of a head of a column or row: the same without the attribute, as tables here have
  // heads above all columns and before all rows.
  bool SkipsScope() {
    const std::size_t start = BehindBlanks(at_);
    for (const std::string_view scope : {"scope=\"col\"", "scope=\"row\""}) {
      if (!html_.substr(start).starts_with(scope)) continue;
      at_ = start + scope.size();
      return true;
    }
    return false;
  }

  // One attribute. A value loses its quotes where it has no blank, quote, `=`, `<`, `>` or
  // backtick, and no slash that would read as the end of the tag.
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

}  // namespace profgauge::render::html
