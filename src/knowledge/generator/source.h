// Input and output of the generator: YAML with the place of each error, and files that are
// rewritten only if their content changed, so that files that include them are not recompiled.
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
  /// Parses FOLDER/NAME. If that fails, it counts as a mistake, and the document is empty.
  Source(const std::filesystem::path& folder, const std::string& name);

  const YAML::Node& root() const { return root_; }
  const std::string& name() const { return name_; }
  /// Number of mistakes printed, "thresholds.yaml:12:5: error: …".
  std::size_t mistakes() const { return mistakes_; }
  void Complain(const YAML::Node& node, std::string_view message);

  /// The scalar of a key, or empty; a missing key is a mistake.
  std::string Text(const YAML::Node& map, const char* key);
  /// Like Text(), for a key that may be missing. A list of texts is concatenated.
  std::string OptionalText(const YAML::Node& map, const char* key);
  /// Reports each key of `map` that is not one of `keys`, and a node that is not a map.
  void CheckKeys(const YAML::Node& map, std::initializer_list<std::string_view> keys);

 private:
  std::string name_;
  YAML::Node root_;
  std::size_t mistakes_ = 0;
};

/// Converts "minimum_cost_share" to "MinimumCostShare".
std::string Camel(std::string_view snake);
/// True for lower-case words of letters and digits, joined by `_`, a letter first.
bool IsSnake(std::string_view name);
/// A C++ literal for any text.
std::string Literal(std::string_view text);
/// Writes the file unless it has that content already. False if it cannot be written.
bool WriteIfChanged(const std::filesystem::path& path, std::string_view content);

// The files that the generator writes from rules/knowledge/.

/// Writes, from thresholds.yaml, one header of typed constants per section (OUT/SECTION.h), the set
/// of thresholds that a policy may set (OUT/tunable.h), and all rows as data (OUT/thresholds.cc).
/// If there are mistakes, prints all, writes nothing and returns false.
bool WriteThresholds(const std::filesystem::path& source, const std::filesystem::path& out);

/// Writes, from names.yaml, devices.yaml, markers.yaml and foreign.yaml, OUT/LIST.inc for each
/// list: the rows of an array with designated initializers. The including file declares the struct,
/// and compiles only if keys and types match. Prints all mistakes; a list with a mistake is not
/// written, and the result is false.
bool WriteTables(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace profgauge::knowledge
