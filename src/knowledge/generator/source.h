// Input and output of the generator: YAML with the place of every mistake, and files that are
// not written if their content is equal, so that files which include them are not compiled again.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace profgauge::knowledge {

/// One file of rules/knowledge/.
class Source {
 public:
  /// Parses FOLDER/NAME; a file that cannot be parsed is a mistake, and the document is empty.
  Source(const std::filesystem::path& folder, const std::string& name);

  const YAML::Node& root() const { return root_; }
  const std::string& name() const { return name_; }
  /// How many mistakes were printed, "thresholds.yaml:12:5: error: …".
  std::size_t mistakes() const { return mistakes_; }
  void Complain(const YAML::Node& node, std::string_view message);

  /// The scalar of a key, or empty; a missing one is a mistake.
  std::string Text(const YAML::Node& map, const char* key);
  /// The same of a key that may be missing. A list of texts is their concatenation.
  std::string OptionalText(const YAML::Node& map, const char* key);
  /// Reports each key of `map` that is not one of `keys`, and a node that is no map.
  void CheckKeys(const YAML::Node& map, std::initializer_list<std::string_view> keys);

 private:
  std::string name_;
  YAML::Node root_;
  std::size_t mistakes_ = 0;
};

/// "minimum_cost_share" is "MinimumCostShare".
std::string Camel(std::string_view snake);
/// Whether it is lower case words of letters and digits, joined by `_`, a letter first.
bool IsSnake(std::string_view name);
/// A C++ literal of any text.
std::string Literal(std::string_view text);
/// Writes the file unless it has that content already. False: it cannot be written.
bool WriteIfChanged(const std::filesystem::path& path, std::string_view content);

// The files that the generator writes from rules/knowledge/.

/// thresholds.yaml: one header of typed constants per section (OUT/SECTION.h), the set of those
/// that a policy may set (OUT/tunable.h), and all rows as data (OUT/thresholds.cc). Mistakes are
/// printed, all of them; then nothing is written and the result is false.
bool WriteThresholds(const std::filesystem::path& source, const std::filesystem::path& out);

/// names.yaml, devices.yaml, markers.yaml and foreign.yaml: of each list OUT/LIST.inc, the rows of
/// an array in designated initializers. The file that includes it declares the struct, and is
/// compiled only where keys and types fit. Mistakes are printed, all of them; a list with one is
/// not written, and the result is false.
bool WriteTables(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace profgauge::knowledge
