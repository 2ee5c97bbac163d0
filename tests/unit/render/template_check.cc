#include "template_check.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <utility>

#include "base/errors.h"

namespace profgauge::render::testing {
namespace {

namespace json = boost::json;

// The tags of a Mustache template, with their places.

enum class TagKind : std::uint8_t { kText, kRaw, kSection, kInverted, kEnd, kPartial };

struct Tag {
  TagKind kind = TagKind::kText;
  std::string name;
  std::uint32_t line = 0, column = 0;  // Place of the name, 1-based, in bytes.
};

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

using Frames = std::vector<const json::value*>;  // outermost first

// `a.b.c` in one frame.
const json::value* FindIn(const json::value& frame, std::string_view name) {
  const json::value* at = &frame;
  while (true) {
    const auto dot = name.find('.');
    const auto* object = at->if_object();
    if (object == nullptr) return nullptr;
    at = object->if_contains(name.substr(0, dot));
    if (at == nullptr || dot == std::string_view::npos) return at;
    name.remove_prefix(dot + 1);
  }
}

// From the innermost frame outwards, as Mustache demands.
const json::value* FindName(const Frames& frames, std::string_view name) {
  if (name == ".") return frames.back();
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (const auto* found = FindIn(**frame, name)) return found;
  }
  return nullptr;
}

constexpr std::size_t kMaxIncludes = 8;

Error UnknownName(const Tag& tag, const std::string& file, const Frames& frames) {
  std::vector<std::string_view> names;
  for (const json::value* frame : frames) {
    const auto* object = frame->if_object();
    if (object == nullptr) continue;
    for (const auto& member : *object) names.push_back(member.key());
  }
  Error error = TagError("template/unknown-name",
                         fmt::format("the report has no `{}` here", tag.name), tag, file);
  if (const auto guess = DidYouMean(tag.name, names); !guess.empty()) {
    error.notes.push_back(fmt::format("help: did you mean `{}`?", guess));
  }
  return error;
}

// Walks through the tags as drawing would, with the schema for a view: each section is entered
// once, also those that this report would skip.
class Checker {
 public:
  Checker(const TemplateFolder& folder, std::set<std::string>& seen)
      : folder_(folder), seen_(seen) {}

  Status CheckFile(std::string_view name, Frames& frames) {
    const std::string file = fmt::format("{}{}{}", folder_.path, name, folder_.suffix);
    const std::string_view text = folder_.text_of(file);
    seen_.insert(file);
    PROFGAUGE_TRY(const std::vector<Tag> tags, ScanTags(text, file));
    ++depth_;
    const std::size_t outer = frames.size();
    for (const Tag& tag : tags) PROFGAUGE_CHECK(CheckTag(tag, file, frames));
    frames.resize(outer);
    --depth_;
    return {};
  }

 private:
  Status CheckTag(const Tag& tag, const std::string& file, Frames& frames) {
    if (tag.kind == TagKind::kEnd) {
      frames.pop_back();
      return {};
    }
    if (tag.kind == TagKind::kPartial) return CheckPartial(tag, file, frames);
    const json::value* value = FindName(frames, tag.name);
    if (value == nullptr) return Fail(UnknownName(tag, file, frames));
    if (tag.kind == TagKind::kSection || tag.kind == TagKind::kInverted) {
      static const json::value kNothing;
      const auto* list = value->if_array();
      const json::value* inside = list != nullptr && !list->empty() ? &list->front() : value;
      frames.push_back(tag.kind == TagKind::kSection ? inside : &kNothing);
      return {};
    }
    return CheckText(tag, file, *value);
  }

  Status CheckText(const Tag& tag, const std::string& file, const json::value& value) {
    if (tag.kind == TagKind::kRaw && !IsMarkup(value)) {
      return Fail(
          TagError("template/raw-text",
                   fmt::format("`{0}` is text of the profile, expected `{{{{{0}}}}}`, which "
                               "escapes it",
                               tag.name),
                   tag, file));
    }
    if (tag.kind == TagKind::kText && IsMarkup(value)) {
      return Fail(TagError("template/escaped-markup",
                           fmt::format("`{0}` is markup, expected `{{{{{{{0}}}}}}}`", tag.name),
                           tag, file));
    }
    if (tag.kind == TagKind::kText && (value.is_object() || value.is_array())) {
      return Fail(TagError("template/not-text",
                           fmt::format("`{0}` is a {1}, expected a section `{{{{#{0}}}}}`",
                                       tag.name, value.is_array() ? "list" : "group"),
                           tag, file));
    }
    return {};
  }

  Status CheckPartial(const Tag& tag, const std::string& file, Frames& frames) {
    if (depth_ >= kMaxIncludes) {
      return Fail(TagError("template/include-depth",
                           fmt::format("`{}` includes itself, or files are nested deeper than {}",
                                       tag.name, kMaxIncludes),
                           tag, file));
    }
    if (folder_.Text(tag.name).empty()) {
      return Fail(TagError("template/unknown-include",
                           fmt::format("there is no template `{}`", tag.name), tag, file));
    }
    return CheckFile(tag.name, frames);
  }

  const TemplateFolder& folder_;
  std::set<std::string>& seen_;
  std::size_t depth_ = 0;
};

// Adds to `into` the names that only `from` has.
void Merge(const json::value& from, json::value& into) {
  if (from.is_array() && into.is_array()) {
    for (const json::value& element : from.as_array()) into.as_array().push_back(element);
  } else if (from.is_object() && into.is_object() && !IsMarkup(from)) {
    for (const auto& member : from.as_object()) {
      auto* known = into.as_object().if_contains(member.key());
      if (known == nullptr) {
        into.as_object().emplace(member.key(), member.value());
      } else {
        Merge(member.value(), *known);
      }
    }
  }
}

}  // namespace

boost::json::value MakeSchema(boost::json::value view) {
  if (auto* object = view.if_object()) {
    for (auto& member : *object) member.value() = MakeSchema(std::move(member.value()));
  } else if (auto* list = view.if_array(); list != nullptr && !list->empty()) {
    json::value merged = std::move(list->front());
    for (std::size_t i = 1; i < list->size(); ++i) Merge((*list)[i], merged);
    view = json::array{MakeSchema(std::move(merged))};
  }
  return view;
}

Status CheckTemplate(const TemplateFolder& folder, std::string_view name,
                     const boost::json::value& schema, std::set<std::string>& seen) {
  Frames frames{&schema};
  return Checker(folder, seen).CheckFile(name, frames);
}

}  // namespace profgauge::render::testing
