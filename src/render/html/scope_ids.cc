#include "render/html/compact.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace profgauge::render::html {
namespace {

constexpr std::array<std::string_view, 8> kReferences = {
    "id",      "for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-details",
    "headers", "list"};

/// Reads tags of one document and writes them, ids with the prefix.
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
    // Their content is no markup.
    if (tag == "script") CopyUntil(html_.find("</script", at_));
    if (tag == "style") CopyUntil(html_.find("</style", at_));
  }

  // One attribute, with or without quotes.
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

  // A value may name several ids, separated by blanks. A link that does not begin with `#` leads
  // out of the document and stays.
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
