#include "render/shared/template.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <deque>
#include <exception>
#include <filesystem>
#include <kainjow/mustache.hpp>
#include <map>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "render/shared/template_check.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
namespace mustache = kainjow::mustache;

constexpr std::size_t kMaxIncludes = 8;
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
  explicit Checker(const TemplateFolder& folder) : folder_(folder) {}

  Status CheckFile(std::string_view name, Frames& frames) {
    const std::string file = fmt::format("{}/{}{}", folder_.folder, name, folder_.suffix);
    PROFGAUGE_TRY(const std::string text, LoadTemplate(file, folder_.override_dir));
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
    auto checked = CheckFile(tag.name, frames);
    if (!checked && checked.error().code == "template/missing") {
      return Fail(TagError("template/unknown-include",
                           fmt::format("there is no template `{}`", tag.name), tag, file));
    }
    return checked;
  }

  const TemplateFolder& folder_;
  std::size_t depth_ = 0;
};

// Feeds Mustache from the view, one name at a time: nothing is copied up front. The result of get()
// lives until the section that asked for it is left.
//
//   {{#rows}}        get("rows")     a list of markers; values_ has the row of each
//                    push(marker)    frames_ = [view, row 0]
//     {{name}}       get("name")     looked for in row 0, then in the view
//   {{/rows}}        pop             frames_ = [view]; the results of get() since then are freed
class ViewContext final : public mustache::basic_context<std::string> {
 public:
  ViewContext(const TemplateFolder& folder, const json::value& view)
      : folder_(folder), frames_{&view} {}

  void push(const mustache::data* data) override {
    const auto found = values_.find(data);
    // An inverted section pushes the requested value, which may be nothing.
    frames_.push_back(found == values_.end() ? frames_.back() : found->second);
    owned_before_.push_back(owned_.size());
  }

  void pop() override {
    frames_.pop_back();
    owned_.resize(owned_before_.back());
    owned_before_.pop_back();
  }

  const mustache::data* get(const std::string& name) const override {
    const json::value* value = FindName(frames_, name);
    if (value == nullptr) return nullptr;
    owned_.push_back(std::make_unique<mustache::data>(Wrap(*value)));
    const mustache::data* data = owned_.back().get();
    values_[data] = value;
    if (const auto* list = value->if_array()) {
      for (std::size_t i = 0; i < list->size(); ++i) values_[&data->list_value()[i]] = &(*list)[i];
    }
    return data;
  }

  const mustache::data* get_partial(const std::string& name) const override {
    auto& partial = partials_[name];
    if (partial == nullptr) {
      auto text = LoadTemplate(fmt::format("{}/{}{}", folder_.folder, name, folder_.suffix),
                               folder_.override_dir);
      partial = std::make_unique<mustache::data>(text ? *std::move(text) : std::string());
    }
    return partial.get();
  }

 private:
  // Empty text counts as absent, so that {{#x}} asks whether there is something to show.
  static mustache::data Wrap(const json::value& value) {
    if (const auto* list = value.if_array()) {
      return mustache::data(mustache::list(list->size(), mustache::data(true)));
    }
    if (IsMarkup(value)) {
      const auto& markup = value.as_object().at("markup").as_string();
      return markup.empty() ? mustache::data(false) : mustache::data(std::string(markup));
    }
    switch (value.kind()) {
      case json::kind::bool_:
        return mustache::data(value.as_bool());
      case json::kind::int64:
        return mustache::data(fmt::to_string(value.as_int64()));
      case json::kind::uint64:
        return mustache::data(fmt::to_string(value.as_uint64()));
      case json::kind::string:
        if (value.as_string().empty()) return mustache::data(false);
        return mustache::data(std::string(value.as_string()));
      case json::kind::object:
        return mustache::data();
      default:
        return mustache::data(false);
    }
  }

  const TemplateFolder& folder_;
  Frames frames_;
  std::vector<std::size_t> owned_before_;
  mutable std::deque<std::unique_ptr<mustache::data>> owned_;
  mutable std::unordered_map<const mustache::data*, const json::value*> values_;
  mutable std::map<std::string, std::unique_ptr<mustache::data>> partials_;
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

Error Missing(std::string_view path) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "template/missing";
  error.message = fmt::format("there is no template `{}`", path);
  return error;
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

boost::json::value MakeMarkup(std::string markup) {
  return json::object{{"markup", std::move(markup)}};
}

bool IsMarkup(const boost::json::value& value) {
  const auto* object = value.if_object();
  return object != nullptr && object->size() == 1 && object->contains("markup");
}

Result<std::string> LoadTemplate(std::string_view path, const std::string& override_dir) {
  if (!override_dir.empty()) {
    auto own = ReadSmallFile(std::filesystem::path(override_dir) / path);
    if (own) return *std::move(own);
  }
  const std::string_view text = EmbeddedTemplate(fmt::format("templates/{}", path));
  if (text.empty()) return Fail(Missing(path));
  return std::string(text);
}

Status CheckTemplate(const TemplateFolder& folder, std::string_view name,
                     const boost::json::value& schema) {
  Frames frames{&schema};
  return Checker(folder).CheckFile(name, frames);
}

namespace {

// Mustache's output. A stream of the standard library would hide that memory is short, and
// leave the page without its end.
struct Rendered {
  std::string text;
  Rendered& operator<<(const std::string& part) {
    text += part;
    return *this;
  }
};

}  // namespace

Result<std::string> RenderTemplate(const TemplateFolder& folder, std::string_view name,
                                   const boost::json::value& view,
                                   const boost::json::value& schema) {
  PROFGAUGE_CHECK(CheckTemplate(folder, name, schema));
  PROFGAUGE_TRY(const std::string text,
                LoadTemplate(fmt::format("{}/{}{}", folder.folder, name, folder.suffix),
                             folder.override_dir));
  Error error;
  error.code = "template/engine";
  try {
    mustache::mustache engine(text);
    engine.set_custom_escape([&folder](const std::string& value) { return folder.escape(value); });
    ViewContext context(folder, view);
    Rendered page;
    engine.render(context, page);
    if (engine.is_valid()) return std::move(page.text);
    error.message = engine.error_message();
  } catch (const std::bad_alloc&) {
    throw;  // Not its fault.
  } catch (const std::exception& thrown) {
    error.message = thrown.what();
  }
  return Fail(std::move(error));
}

}  // namespace profgauge::render
