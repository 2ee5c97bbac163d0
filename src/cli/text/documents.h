// What the program says about itself: manual pages, and the schemas of its files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cli {

// Manual pages in mdoc(7), made from the tables of commands and options and from the shapes of
// policies and rules.

struct ManualPage {
  std::string name;  ///< "profgauge-baseline-save.1", as the file is called.
  std::string text;
};

/// profgauge.1, one page a command, profgauge-policy.5, profgauge-config.5 and profgauge-rules.5.
/// Same sources, same bytes: the day in them is a constant.
std::vector<ManualPage> ManualPages();

}  // namespace profgauge::cli

// Every JSON Schema that `profgauge schema` prints.

namespace profgauge::cli {

/// A schema that is written by hand; empty when there is no such file.
std::string_view EmbeddedSchema(std::string_view path);

}  // namespace profgauge::cli

namespace profgauge::cli {

struct NamedSchema {
  std::string_view name;   ///< "policy"
  std::string_view title;  ///< One line.
  std::string text;
};

/// Those of the configuration, then report.json's and those written by hand. Only the last are
/// files; the others are made from the shapes of the decoders and of the report.
std::vector<NamedSchema> AllSchemas();

/// The first line of a YAML file, by which editors find the schema `name` where releases publish
/// it:
/// "# yaml-language-server: $schema=https://…/schemas/1/policy.json\n".
std::string SchemaLine(std::string_view name);

}  // namespace profgauge::cli
