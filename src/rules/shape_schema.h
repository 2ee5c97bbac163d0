// Shapes of configuration files as JSON Schema (2020-12), for editors.
//
// Values are read by the rules of YAML 1.2. The decoder may refuse a value that the schema accepts:
// a schema knows only structure (rules/shape.h).
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "rules/shape.h"

namespace profgauge {

/// The schema as indented JSON. Equal mappings are written once, under `$defs`.
std::string ConfigurationSchema(const FileShape& file);

/// Indented by two; lists of plain values on one line.
std::string PrettyJson(const boost::json::value& value);

}  // namespace profgauge
