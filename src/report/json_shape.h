// The input of a decoder of JsonNodes, noted while it runs over a reporting node (JsonNode).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::report {

struct JsonShape {
  struct Entry;

  std::set<std::string> types;  ///< Types of JSON Schema: "string", "integer", "array", …
  std::vector<std::string> words;
  std::vector<std::unique_ptr<Entry>> keys;  ///< For an object, in the order of reading.
  std::unique_ptr<JsonShape> others;         ///< For an object: values under any other key.
  std::unique_ptr<JsonShape> items;          ///< For a list.

  /// The shape under `key`, made when asked for the first time.
  JsonShape& At(std::string_view key);
};

struct JsonShape::Entry {
  std::string key;
  JsonShape shape;
};

inline JsonShape& JsonShape::At(std::string_view key) {
  for (const auto& entry : keys) {
    if (entry->key == key) return entry->shape;
  }
  keys.push_back(std::make_unique<Entry>(Entry{std::string(key), {}}));
  return keys.back()->shape;
}

}  // namespace profgauge::report
