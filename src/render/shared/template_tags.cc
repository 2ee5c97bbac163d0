#include "render/shared/template_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace profgauge::render {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Gives line and column of places that come in order: together one walk over the text.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  void Tell(std::size_t at, Tag& tag) {
    for (; at_ < at; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      begin_ = at_ + 1;
    }
    tag.line = line_;
    tag.column = static_cast<std::uint32_t>(at - begin_ + 1);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;  // Position in the line.
  std::uint32_t line_ = 1;
};

// Sets kind and name from the text between the braces; false for a comment.
bool Classify(std::string_view inside, bool triple, Tag& tag) {
  constexpr std::pair<char, TagKind> kSigils[] = {{'&', TagKind::kRaw},
                                                  {'#', TagKind::kSection},
                                                  {'^', TagKind::kInverted},
                                                  {'/', TagKind::kEnd},
                                                  {'>', TagKind::kPartial}};
  if (inside.starts_with('!')) return false;
  tag.kind = triple ? TagKind::kRaw : TagKind::kText;
  for (const auto& [sigil, kind] : kSigils) {
    if (!triple && inside.starts_with(sigil)) {
      tag.kind = kind;
      inside.remove_prefix(1);
      break;
    }
  }
  const auto first = inside.find_first_not_of(kSpace);
  const auto last = inside.find_last_not_of(kSpace);
  tag.name = first == std::string_view::npos ? "" : inside.substr(first, last - first + 1);
  return true;
}

// The engine would draw the rest of the page inside an open section, or fail without a place.
Status CheckBalance(const std::vector<Tag>& tags, const std::string& file) {
  std::vector<const Tag*> open;
  for (const Tag& tag : tags) {
    if (tag.kind == TagKind::kSection || tag.kind == TagKind::kInverted) open.push_back(&tag);
    if (tag.kind != TagKind::kEnd) continue;
    if (open.empty()) {
      return Fail(TagError("template/unbalanced-section",
                           fmt::format("`{}` is closed but was never opened", tag.name), tag,
                           file));
    }
    if (open.back()->name != tag.name) {
      return Fail(TagError("template/unbalanced-section",
                           fmt::format("expected `{{{{/{}}}}}` for line {}, found `{{{{/{}}}}}`",
                                       open.back()->name, open.back()->line, tag.name),
                           tag, file));
    }
    open.pop_back();
  }
  if (open.empty()) return {};
  return Fail(TagError("template/unbalanced-section",
                       fmt::format("`{}` is opened but never closed", open.back()->name),
                       *open.back(), file));
}

}  // namespace

Error TagError(std::string code, std::string message, const Tag& tag, const std::string& file) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = file;
  error.where.line = tag.line;
  error.where.column = tag.column;
  error.where.length = static_cast<std::uint32_t>(tag.name.size());
  return error;
}

// A tag ends at the first closer: text between braces holds none. The place of a tag is that of its
// name, so that an error points at the word to change.
Result<std::vector<Tag>> ScanTags(std::string_view text, const std::string& file) {
  std::vector<Tag> tags;
  Places places(text);
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const bool triple = text.substr(at).starts_with("{{{");
    const std::size_t begin = at + (triple ? 3 : 2);
    const std::string_view closer = triple ? "}}}" : "}}";
    const std::size_t end = text.find(closer, begin);
    Tag tag;
    places.Tell(at, tag);
    if (end == std::string_view::npos) {
      return Fail(TagError("template/unclosed-tag",
                           fmt::format("expected `{}`, found the end of the file", closer), tag,
                           file));
    }
    const std::string_view inside = text.substr(begin, end - begin);
    if (Classify(inside, triple, tag)) {
      if (!tag.name.empty()) places.Tell(text.find(tag.name, begin), tag);
      if (tag.name.empty() || inside.starts_with('=')) {
        return Fail(TagError("template/unsupported-tag",
                             fmt::format("expected a name in the tag, found `{}`", inside), tag,
                             file));
      }
      tags.push_back(std::move(tag));
    }
    at = end + closer.size();
  }
  PROFGAUGE_CHECK(CheckBalance(tags, file));
  return tags;
}

}  // namespace profgauge::render
