#include "render/shared/template.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <deque>
#include <kainjow/mustache.hpp>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profgauge::render {
namespace {

namespace json = boost::json;
namespace mustache = kainjow::mustache;

using Frames = std::vector<const json::value*>;  // Outermost first.

// Finds `a.b.c` in one frame.
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

// Finds a name in the innermost frame that has it, as Mustache requires.
const json::value* FindName(const Frames& frames, std::string_view name) {
  if (name == ".") return frames.back();
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (const auto* found = FindIn(**frame, name)) return found;
  }
  return nullptr;
}

// Gives Mustache the values of the view, one name at a time, without copying the view first. The
// result of get() lives until its section ends.
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
    // For an inverted section, Mustache pushes the requested value even if it does not exist.
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
      partial = std::make_unique<mustache::data>(std::string(folder_.Text(name)));
    }
    return partial.get();
  }

 private:
  // Empty text counts as absent, so that {{#x}} tests if there is something to show.
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

}  // namespace

boost::json::value MakeMarkup(std::string markup) {
  return json::object{{"markup", std::move(markup)}};
}

bool IsMarkup(const boost::json::value& value) {
  const auto* object = value.if_object();
  return object != nullptr && object->size() == 1 && object->contains("markup");
}

namespace {

// Collects Mustache's output. A stream of the standard library would hide that memory ran out, and
// would truncate the page.
struct Rendered {
  std::string text;
  Rendered& operator<<(const std::string& part) {
    text += part;
    return *this;
  }
};

}  // namespace

std::string_view TemplateFolder::Text(std::string_view name) const {
  return text_of(fmt::format("{}{}{}", path, name, suffix));
}

std::string RenderTemplate(const TemplateFolder& folder, std::string_view name,
                           const boost::json::value& view) {
  mustache::mustache engine{std::string(folder.Text(name))};
  engine.set_custom_escape([&folder](const std::string& value) { return folder.escape(value); });
  ViewContext context(folder, view);
  Rendered page;
  engine.render(context, page);
  return std::move(page.text);
}

}  // namespace profgauge::render
