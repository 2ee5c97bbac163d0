// Shapes of configuration files as JSON Schema (2020-12), for editors.
//
// Values are meant as YAML 1.2 reads them. What the schema accepts the decoder may still refuse: a
// schema knows structure alone (rules/shape.h).
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
