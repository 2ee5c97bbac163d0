// The accepted contents of a configuration file, reported by its decoder: the decoder runs once
// over an empty value of each kind, and notes the values that it would have accepted (Decoder,
// "shape"). So a schema always agrees with the decoder.
//
// Only structure: keys, kinds, words, ranges, units, ids. Conditions on more than one value, on
// other files or on the meaning of a text are known only to the decoder.
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

/// The accepted values of one place. If there are several: any of them.
struct Shape {
  bool is_null = false;
  bool is_text = false;                                          ///< Any text that is not blank.
  std::vector<std::string> words;                                ///< One of these.
  std::optional<std::pair<std::int64_t, std::int64_t>> integer;  ///< From, to.
  std::set<Unit> units;      ///< Numbers of these; see ConvertLiteral.
  bool is_unsigned = false;  ///< No number of `units` is negative.
  bool is_number = false;    ///< A number of any unit.
  bool is_list = false;
  std::vector<Shape> items;  ///< For a list: one shape.
  bool is_map = false;
  std::string what;            ///< "a waiver", as messages call the mapping.
  std::vector<ShapeKey> keys;  ///< The mapping's keys, in the decoder's order.
  std::vector<Shape> others;   ///< Values under names of the user's: none or one shape.
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

/// The purpose of a key, one sentence without full stop; empty when it has no entry. `what`: see
/// Shape.
std::string_view KeyDoc(std::string_view what, std::string_view key);

// Shapes of configuration files as JSON Schema (2020-12), for editors.
//
// Values are read by the rules of YAML 1.2. The decoder may refuse a value that the schema accepts:
// a schema knows only structure.

/// The schema as indented JSON. Equal mappings are written once, under `$defs`.
std::string ConfigurationSchema(const FileShape& file);

/// Indented by two; lists of plain values on one line.
std::string PrettyJson(const boost::json::value& value);

}  // namespace profgauge::rules
