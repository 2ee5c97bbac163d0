// Parses Python literals as repr() prints them; never evaluates them.
//
// PyProf's net.dict and its NVTX markers are such texts. Accepts None, True, False, integers,
// floating-point numbers (also nan and inf), strings in single or double quotes with their escapes,
// lists, tuples and dictionaries. Anything else is an error: a name, a call, an operator, a
// comment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace profgauge {

struct PyValue {
  enum class Kind : std::uint8_t { kNone, kBool, kInt, kFloat, kText, kList, kTuple, kDict };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;    ///< kInt and kBool; an integer out of range is a kFloat.
  double real = 0;             ///< kFloat; also set for kInt and kBool.
  std::string text;            ///< kText, with the escapes resolved.
  std::vector<PyValue> items;  ///< kList, kTuple; kDict: key, value, key, value, …

  bool is_text() const { return kind == Kind::kText; }
  bool is_number() const { return kind == Kind::kInt || kind == Kind::kFloat; }
  bool is_sequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
  /// The value of a text key of a dictionary; nullptr if there is none or this is no dictionary.
  const PyValue* Find(std::string_view key) const;
};

struct PyError {
  std::size_t column = 0;  ///< 1-based, in bytes.
  std::string expected;    ///< "a value", "`]` or `,`".
};

/// Parses all of `text`. Nesting is at most 64 levels; memory is proportional to the text. As in
/// Python, a tuple of one value needs its comma: "(1)" is a number.
tl::expected<PyValue, PyError> ParsePythonLiteral(std::string_view text);

}  // namespace profgauge
