#include "report/json_node.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <memory>

#include "base/errors.h"
#include "base/exact_json.h"
#include "base/text.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

std::string_view KindName(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "true or false";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a text";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

std::string ToString(const json::string& text) { return std::string(text.c_str(), text.size()); }

// False for lists, objects and integers beyond 64 bits.
bool ToValue(const json::value& value, Value& out) {
  if (value.is_null()) return out = Value{}, true;
  if (value.is_bool()) return out = value.get_bool(), true;
  if (value.is_int64()) return out = value.get_int64(), true;
  if (value.is_double()) return out = value.get_double(), true;
  if (value.is_string()) return out = ToString(value.get_string()), true;
  return false;
}

}  // namespace

void JsonNode::Expected(std::string_view what, std::string_view found) const {
  if (!*bad_) *bad_ = BadField{path_, std::string(what), std::string(found)};
}

void JsonNode::Expected(std::string_view what) const {
  Expected(what, value_ == nullptr ? "nothing" : KindName(*value_));
}

bool JsonNode::Asks(std::string_view type) const {
  if (shape_ != nullptr) shape_->types.emplace(type);
  return shape_ != nullptr;
}

JsonNode JsonNode::operator[](std::string_view key) const {
  if (Asks("object")) return {shape_->At(key), *bad_};
  std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  const json::value* found = nullptr;
  if (value_ != nullptr && !value_->is_object()) Expected("an object");
  if (value_ != nullptr && value_->is_object()) found = value_->get_object().if_contains(key);
  return {found, std::move(path), *bad_};
}

std::string JsonNode::Text() const {
  if (Asks("string") || value_ == nullptr) return {};
  if (value_->is_string()) return ToString(value_->get_string());
  Expected("a text");
  return {};
}

std::int64_t JsonNode::Integer() const {
  if (Asks("integer") || value_ == nullptr) return 0;
  if (value_->is_int64()) return value_->get_int64();
  Expected("a whole number");
  return 0;
}

bool JsonNode::Bool() const {
  if (Asks("boolean") || value_ == nullptr) return false;
  if (value_->is_bool()) return value_->get_bool();
  Expected("true or false");
  return false;
}

Value JsonNode::Any() const {
  Value value;
  if (shape_ != nullptr) shape_->types.insert({"boolean", "null", "number", "string"});
  if (value_ != nullptr && !ToValue(*value_, value)) Expected("a text, a number, true or false");
  return value;
}

Unit JsonNode::UnitNamed() const {
  const std::string name = Text();
  if (shape_ != nullptr) {
    for (int i = 0; i <= static_cast<int>(Unit::kFlopRate); ++i) {
      shape_->words.emplace_back(UnitName(static_cast<Unit>(i)));
    }
    return Unit::kText;
  }
  for (int i = 0; i <= static_cast<int>(Unit::kFlopRate); ++i) {
    if (UnitName(static_cast<Unit>(i)) == name) return static_cast<Unit>(i);
  }
  Expected("a unit", "`" + PrintableShort(name) + "`");
  return Unit::kText;
}

std::optional<std::size_t> JsonNode::IndexAmong(std::span<const std::string_view> names) const {
  const std::string text = Text();
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    if (shape_ != nullptr) shape_->words.emplace_back(names[i]);
    if (names[i] == text) return i;
    all += fmt::format("{}`{}`", all.empty() ? "" : ", ", names[i]);
  }
  if (!text.empty()) Expected("one of " + all, "`" + PrintableShort(text) + "`");
  return std::nullopt;
}

std::vector<JsonNode> JsonNode::Elements() const {
  std::vector<JsonNode> nodes;
  if (Asks("array")) {
    if (shape_->items == nullptr) shape_->items = std::make_unique<JsonShape>();
    nodes.push_back({*shape_->items, *bad_});
    return nodes;
  }
  if (value_ == nullptr) return nodes;
  if (!value_->is_array()) return Expected("a list"), nodes;
  for (const json::value& element : value_->get_array()) {
    nodes.push_back({&element, fmt::format("{}[{}]", path_, nodes.size()), *bad_});
  }
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::Entries() const {
  std::vector<std::pair<std::string, JsonNode>> entries;
  if (Asks("object")) {
    if (shape_->others == nullptr) shape_->others = std::make_unique<JsonShape>();
    entries.emplace_back("", JsonNode{*shape_->others, *bad_});
    return entries;
  }
  if (value_ == nullptr) return entries;
  if (!value_->is_object()) return Expected("an object"), entries;
  for (const auto& entry : value_->get_object()) {
    const std::string key(entry.key());
    entries.emplace_back(key, JsonNode{&entry.value(), path_ + "." + key, *bad_});
  }
  return entries;
}

std::vector<std::string> JsonNode::Texts() const {
  std::vector<std::string> texts;
  for (const JsonNode& node : Elements()) texts.push_back(node.Text());
  return texts;
}

std::vector<std::pair<std::string, std::string>> JsonNode::TextPairs() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, node] : Entries()) pairs.emplace_back(key, node.Text());
  return pairs;
}

std::vector<Value> JsonNode::Cells(std::size_t size) const {
  std::vector<Value> cells;
  if (Asks("array")) return cells;
  if (value_ == nullptr || !value_->is_array()) return Expected("a list"), cells;
  const json::array& array = value_->get_array();
  if (array.size() != size) {
    Expected(fmt::format("{} cells", size), fmt::format("{}", array.size()));
    return cells;
  }
  cells.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (ToValue(array[i], cells[i])) continue;
    Expected(fmt::format("a value in cell {}", i), KindName(array[i]));
  }
  return cells;
}

namespace {

namespace json = boost::json;

Error NotJson(const std::string& name, std::size_t offset, std::string_view message) {
  return InputErrorAt(name, offset, "report/not-json", std::string(message),
                      "`render` reads a report.json that `check` or `report` wrote with --json");
}

}  // namespace

Result<json::value> ParseJsonDocument(std::string_view text, const std::string& name) {
  json::error_code error;
  std::size_t parsed = 0;
  json::value document = ParseExactJson(text, {}, error, parsed);
  if (!error) return document;
  if (error == json::error::incomplete) {
    return Fail(NotJson(name, parsed, "the report ends early"));
  }
  if (error == json::error::extra_data) {
    return Fail(NotJson(name, parsed, "expected the end of the report, found more text"));
  }
  return Fail(
      NotJson(name, parsed,
              "expected a report.json, found " + (error == json::error::too_deep
                                                      ? std::string("values nested deeper than 32")
                                                      : "a text that is not JSON")));
}

}  // namespace profgauge::report
