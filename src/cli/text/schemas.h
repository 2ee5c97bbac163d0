// Every JSON Schema that `profgauge schema` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cli {

struct NamedSchema {
  std::string_view name;   ///< "policy"
  std::string_view title;  ///< One line.
  std::string text;
};

/// Those of the configuration, then report.json's.
std::vector<NamedSchema> AllSchemas();

}  // namespace profgauge::cli
