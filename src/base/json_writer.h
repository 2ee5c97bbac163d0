// The common base of handlers for Boost's JSON parser. A handler derives from it and defines the
// functions for the values that it needs; others are ignored. Nothing is limited, since inputs of
// any size are read piece by piece; a handler that stores values must set limits.
//
//   struct Reals : JsonHandler {
//     bool on_double(double real, View, Code&) { … }
//   };
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/string_view.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace profgauge {

/// Deeper nesting is no profile; each level takes stack.
inline constexpr std::size_t kDeepestJson = 128;

/// A handler function that returns `false` stops the parser, with the reason in the code. Nothing
/// is virtual: the parser knows the type of the handler.
struct JsonHandler {
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = max_array_size;
  static constexpr std::size_t max_string_size = max_array_size;
  static constexpr std::size_t max_key_size = max_array_size;
  using Code = boost::json::error_code;
  using View = boost::json::string_view;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t, Code&) { return true; }
  bool on_key_part(View, std::size_t, Code&) { return true; }
  bool on_key(View, std::size_t, Code&) { return true; }
  bool on_string_part(View, std::size_t, Code&) { return true; }
  bool on_string(View, std::size_t, Code&) { return true; }
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t, View, Code&) { return true; }
  bool on_uint64(std::uint64_t, View, Code&) { return true; }
  bool on_double(double, View, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }
};

// Writes JSON: indented by two spaces, keys in the given order, and always valid UTF-8.
//
// A list or object can be written inline, on one line, e.g. for table rows. Numbers are exact:
// integers as integers, doubles as the shortest text that reads back as the same double, with a
// point or an exponent so that they stay doubles. A double that is not finite becomes null.
//
//   kLines               kInline
//   {                    {"id": "gpu", "unit": "count"}
//     "id": "gpu",
//     "unit": "count"
//   }
//
// Everything inside an inline list or object is inline, too.

class JsonWriter {
 public:
  enum class Style : std::uint8_t { kLines, kInline };

  /// Begins an object as a value: after Key(), in an array, or as the document. REQUIRES: each
  /// Begin has its End, properly nested.
  void BeginObject(Style style = Style::kLines) { Begin('{', style); }
  void EndObject() { End('}'); }
  void BeginArray(Style style = Style::kLines) { Begin('[', style); }
  void EndArray() { End(']'); }
  /// The key of the next value. REQUIRES: in an object.
  void Key(std::string_view key);

  void Text(std::string_view text);
  void Integer(std::int64_t value);
  /// A real; null if it is not finite, since JSON has no such number. 2 is written as 2.0.
  void Real(double value);
  void Bool(bool value);
  void Null();
  /// Writes by the type of the value; null if it is absent.
  void Write(const Value& value);

  void Field(std::string_view key, std::string_view text) { Key(key), Text(text); }
  void Field(std::string_view key, std::int64_t value) { Key(key), Integer(value); }
  /// Writes the field only if `text` is not empty.
  void OptionalField(std::string_view key, std::string_view text);

  /// Returns the document with a final newline; empties the writer. REQUIRES: all is ended.
  std::string Take();

 private:
  struct Level {
    bool is_inline = false;
    bool has_elements = false;
  };

  void Begin(char bracket, Style style);
  void End(char bracket);
  void BeforeValue();
  void NewLine();
  void Quote(std::string_view text);

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace profgauge
