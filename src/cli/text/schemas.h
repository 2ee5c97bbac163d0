// Every JSON Schema that `profgauge schema` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge {

/// A schema that is written by hand; empty when there is no such file.
std::string_view EmbeddedSchema(std::string_view path);

}  // namespace profgauge

namespace profgauge::cli {

struct NamedSchema {
  std::string_view name;   ///< "policy"
  std::string_view title;  ///< One line.
  std::string text;
};

/// Those of the configuration, then report.json's and those written by hand.
std::vector<NamedSchema> AllSchemas();

}  // namespace profgauge::cli
