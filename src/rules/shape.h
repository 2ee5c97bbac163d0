// The valid contents of a configuration file, as its decoder reports them: the decoder runs over an
// empty value of each kind and notes the values that it would have accepted (see Decoder). So a
// schema always agrees with the decoder.
//
// A shape has only structure: keys, kinds, words, ranges, units, ids. Only the decoder checks
// conditions on several values, on other files, or on the meaning of a text.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace profgauge::rules {

struct ShapeKey;

/// The valid values at one place in a file. If several alternatives are set, any of them is valid.
struct Shape {
  bool is_null = false;
  bool is_text = false;                                          ///< Any text that is not blank.
  std::vector<std::string> words;                                ///< Any of these words.
  std::optional<std::pair<std::int64_t, std::int64_t>> integer;  ///< Least and largest integer.
  std::set<Unit> units;      ///< Numbers in one of these units; see ConvertLiteral.
  bool is_unsigned = false;  ///< Numbers must not be negative.
  bool is_number = false;    ///< A number of any unit.
  bool is_list = false;
  std::vector<Shape> items;  ///< For a list: one shape.
  bool is_map = false;
  std::string what;            ///< Name of the mapping in messages: "a waiver".
  std::vector<ShapeKey> keys;  ///< The mapping's keys, in the decoder's order.
  std::vector<Shape> others;   ///< Values under names chosen by the user: none or one shape.
};

struct ShapeKey {
  std::string name;
  bool is_required = false;
  Shape value;
};

/// A kind of file: the argument of `profgauge schema`.
struct FileShape {
  std::string_view name;   ///< "policy"
  std::string_view title;  ///< One line.
  Shape shape;
};

/// "policy", "rules", "rule-tests", "devices", "config", "names".
std::vector<FileShape> ConfigurationShapes();

/// The purpose of a key as one sentence without a full stop; empty if unknown. `what`: Shape::what.
std::string_view KeyDoc(std::string_view what, std::string_view key);

// Makes JSON Schema (2020-12) for configuration files, which editors use.
//
// Values are read by the rules of YAML 1.2. The decoder may reject a value that the schema accepts,
// because a schema knows only structure.

/// The schema as indented JSON. Equal mappings are written once, in `$defs`.
std::string ConfigurationSchema(const FileShape& file);

/// Formats JSON with an indent of two; a list of plain values is on one line.
std::string PrettyJson(const boost::json::value& value);

}  // namespace profgauge::rules
