// Reads a JSON document, or records which values a decoder would read.
//
// A JsonNode is of a document or of a shape. The same decoder reads a report from a document, and
// notes in a shape the schema of all that it reads. So report.schema.json always agrees with it.
//
//     node["gate"].Elements()[0]["limit"].Text()     document: the text, path "gate[0].limit"
//                                                    shape: gate is a list of {limit: string}
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "profgauge/error.h"

namespace profgauge::report {

struct JsonShape {
  struct Entry;

  std::set<std::string> types;  ///< Types of JSON Schema: "string", "integer", "array", …
  std::vector<std::string> words;
  std::vector<std::unique_ptr<Entry>> keys;  ///< For an object, in the order of reading.
  std::unique_ptr<JsonShape> others;         ///< For an object: values under all other keys.
  std::unique_ptr<JsonShape> items;          ///< For a list.

  /// The shape under `key`, created at the first call.
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

// A cursor over a parsed JSON document, for decoders that must not stop at errors: a missing value
// reads as empty, and only the first invalid field is kept.

struct BadField {
  std::string path, expected, found;
};

/// A value of the document, or none, with its path. It points into the document.
class JsonNode {
 public:
  /// The root. `bad` receives the first invalid field and must outlive all nodes.
  JsonNode(const boost::json::value& root, std::optional<BadField>& bad)
      : value_(&root), bad_(&bad) {}
  /// A node that reports: every function notes in `shape` the value that it would read, and reads
  /// nothing. A list then has one element, an object one entry besides the named ones.
  JsonNode(JsonShape& shape, std::optional<BadField>& bad) : shape_(&shape), bad_(&bad) {}

  /// The entry `key` of this object; an empty node if there is none.
  JsonNode operator[](std::string_view key) const;
  bool exists() const { return value_ != nullptr || shape_ != nullptr; }
  const std::string& path() const { return path_; }

  std::string Text() const;
  std::int64_t Integer() const;
  bool Bool() const;
  /// Text, number, true or false; absent for null and empty nodes.
  Value Any() const;
  /// A name of UnitName().
  Unit UnitNamed() const;
  /// The index of this text in `names`; nothing for empty nodes and texts. Other texts are invalid.
  std::optional<std::size_t> IndexAmong(std::span<const std::string_view> names) const;

  /// The elements of this list.
  std::vector<JsonNode> Elements() const;
  /// The entries of this object, in the document's order.
  std::vector<std::pair<std::string, JsonNode>> Entries() const;
  std::vector<std::string> Texts() const;
  std::vector<std::pair<std::string, std::string>> TextPairs() const;
  /// The cells of this list, which must have `size` elements; else invalid, and no cells.
  std::vector<Value> Cells(std::size_t size) const;

  /// Notes that this value is invalid.
  void Expected(std::string_view what) const;
  void Expected(std::string_view what, std::string_view found) const;

 private:
  JsonNode(const boost::json::value* value, std::string path, std::optional<BadField>& bad)
      : value_(value), path_(std::move(path)), bad_(&bad) {}

  /// True if this node reports; then the type is noted.
  bool Asks(std::string_view type) const;

  const boost::json::value* value_ = nullptr;
  JsonShape* shape_ = nullptr;
  std::string path_;
  std::optional<BadField>* bad_ = nullptr;
};

// Parses report.json like base/exact_json.h, so that a report that was read is written with the
// same bytes.

/// Parses a document. Errors (kInput, "report/not-json"): invalid JSON, with the byte offset, or
/// nested deeper than 32.
Result<boost::json::value> ParseJsonDocument(std::string_view text, const std::string& name);

}  // namespace profgauge::report
