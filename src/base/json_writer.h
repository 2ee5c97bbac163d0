// Writes JSON: two spaces of indentation, keys in the order given, valid UTF-8 whatever comes in.
//
// A list or object can be written inline, on one line: table rows are. Numbers are exact: integers
// as integers, doubles as the shortest text that reads back to the same double, with a point or an
// exponent so that they stay doubles. A double that is not finite becomes null.
//
//   kLines               kInline
//   {                    {"id": "gpu", "unit": "count"}
//     "id": "gpu",
//     "unit": "count"
//   }
//
// Everything inside of an inline list or object is inline, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace profgauge {

class JsonWriter {
 public:
  enum class Style : std::uint8_t { kLines, kInline };

  /// Begins an object, as a value: after Key(), in an array, or as the document. REQUIRES: each
  /// Begin has its End, in order.
  void BeginObject(Style style = Style::kLines) { Begin('{', style); }
  void EndObject() { End('}'); }
  void BeginArray(Style style = Style::kLines) { Begin('[', style); }
  void EndArray() { End(']'); }
  /// The key of the next value. REQUIRES: in an object.
  void Key(std::string_view key);

  void Text(std::string_view text);
  void Integer(std::int64_t value);
  /// A real; null where it is not finite, since JSON has no such number. 2 is written as 2.0.
  void Real(double value);
  void Bool(bool value);
  void Null();
  /// By the kind of value: null where it is absent.
  void Write(const Value& value);

  void Field(std::string_view key, std::string_view text) { Key(key), Text(text); }
  void Field(std::string_view key, std::int64_t value) { Key(key), Integer(value); }
  /// Only when `text` is not empty.
  void OptionalField(std::string_view key, std::string_view text);

  /// The document, with a final newline. The writer is empty then. REQUIRES: everything is ended.
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
