// Trees of YAML files as bytes: the built-in files are parsed when the program is built, since
// parsing them took a third of a small profile's `check`.
#pragma once

#include <string>
#include <string_view>

#include "rules/yaml.h"

namespace profgauge {

/// The same tree always gives the same bytes.
std::string EncodeYamlTree(const YamlNode& root);
/// The tree again. REQUIRES: `bytes` are EncodeYamlTree's, of a program of the same version.
YamlNode DecodeYamlTree(std::string_view bytes);

}  // namespace profgauge
