// Documentation that the program prints: manual pages, and the schemas of its files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cli {

// Manual pages in mdoc(7), made from the tables of commands and options, and from the shapes of
// policies and rules.

struct ManualPage {
  std::string name;  ///< The file: "profgauge-baseline-save.1".
  std::string text;
};

/// The pages: profgauge.1, one page per command, profgauge-policy.5, profgauge-config.5 and
/// profgauge-rules.5. Their date is a constant, so equal sources give equal bytes.
std::vector<ManualPage> ManualPages();

}  // namespace profgauge::cli

// All JSON Schemas that `profgauge schema` prints.

namespace profgauge::cli {

/// The text of a hand-written schema; empty if no such file exists.
std::string_view EmbeddedSchema(std::string_view path);

}  // namespace profgauge::cli

namespace profgauge::cli {

struct NamedSchema {
  std::string_view name;   ///< "policy"
  std::string_view title;  ///< One line.
  std::string text;
};

/// The schemas of the configuration, of report.json, and hand-written ones. Only the latter are
/// files; the others are made from the shapes of the decoders and of the report.
std::vector<NamedSchema> AllSchemas();

/// The first line of a YAML file, from which editors find the published schema `name`:
/// "# yaml-language-server: $schema=https://…/schemas/1/policy.json\n".
std::string SchemaLine(std::string_view name);

}  // namespace profgauge::cli
