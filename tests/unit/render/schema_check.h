// Checks a JSON document with a schema: the keywords of JSON Schema that tests/schemas use.
//
// type (object, array, string, integer, boolean), required, properties, additionalProperties (false
// or a schema), items, minItems, enum, minimum, minLength, $ref into definitions; and `uniqueBy`,
// ours: elements of a list differ in that property.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::render::testing {

class SchemaCheck {
 public:
  explicit SchemaCheck(const boost::json::object& schema) : root_(schema) {}

  /// The errors, with their paths; empty if there are none.
  std::vector<std::string> Problems(const boost::json::value& document) {
    problems_.clear();
    Check(document, root_, "$");
    return problems_;
  }

 private:
  using Object = boost::json::object;
  using Value = boost::json::value;

  void Add(const std::string& path, std::string_view what) {
    problems_.push_back(fmt::format("{}: {}", path, what));
  }

  static bool IsOf(const Value& value, std::string_view type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_bool()) ||
           (type == "integer" && (value.is_int64() || value.is_uint64()));
  }

  void Check(const Value& value, const Object& schema, const std::string& path) {
    if (const Value* reference = schema.if_contains("$ref")) {
      const auto& definitions = root_.at("definitions").as_object();
      return Check(value, definitions.at(reference->as_string()).as_object(), path);
    }
    if (const Value* type = schema.if_contains("type"); type && !IsOf(value, type->as_string())) {
      return Add(path, fmt::format("is no {}", std::string_view(type->as_string())));
    }
    if (const Value* allowed = schema.if_contains("enum")) {
      const auto& list = allowed->as_array();
      if (std::find(list.begin(), list.end(), value) == list.end()) Add(path, "is not allowed");
    }
    if (const Value* least = schema.if_contains("minimum");
        least && value.to_number<double>() < least->to_number<double>()) {
      Add(path, "is too small");
    }
    if (const Value* least = schema.if_contains("minLength");
        least && value.as_string().size() < least->to_number<std::size_t>()) {
      Add(path, "is empty");
    }
    if (value.is_object()) CheckObject(value.as_object(), schema, path);
    if (value.is_array()) CheckArray(value.as_array(), schema, path);
  }

  void CheckObject(const Object& object, const Object& schema, const std::string& path) {
    if (const Value* required = schema.if_contains("required")) {
      for (const Value& name : required->as_array()) {
        if (!object.contains(name.as_string())) {
          Add(path, fmt::format("lacks {}", std::string_view(name.as_string())));
        }
      }
    }
    const Value* properties = schema.if_contains("properties");
    const Value* others = schema.if_contains("additionalProperties");
    for (const auto& [name, member] : object) {
      const std::string below = path + "." + std::string(name);
      const Value* known = properties ? properties->as_object().if_contains(name) : nullptr;
      if (known) {
        Check(member, known->as_object(), below);
      } else if (others && others->is_object()) {
        Check(member, others->as_object(), below);
      } else if (others && !others->as_bool()) {
        Add(below, "is unknown");
      }
    }
  }

  void CheckArray(const boost::json::array& list, const Object& schema, const std::string& path) {
    if (const Value* least = schema.if_contains("minItems");
        least && list.size() < least->to_number<std::size_t>()) {
      Add(path, "has too few elements");
    }
    const Value* items = schema.if_contains("items");
    const Value* key = schema.if_contains("uniqueBy");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string below = fmt::format("{}[{}]", path, i);
      if (items) Check(list[i], items->as_object(), below);
      const Object* object = list[i].if_object();
      if (!key || !object || !object->contains(key->as_string())) continue;
      if (!seen.insert(boost::json::serialize(object->at(key->as_string()))).second) {
        Add(below, "is there twice");
      }
    }
  }

  const Object& root_;
  std::vector<std::string> problems_;
};

}  // namespace profgauge::render::testing
