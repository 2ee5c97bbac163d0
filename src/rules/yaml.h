// Reads YAML strictly; only this code calls yaml-cpp.
//
// Constructs that YAML readers silently misread are errors with places: duplicate keys, merge keys
// (`<<`), anchors and aliases, tags, a second document, unclosed quotes, control characters, more
// than 1 MiB, deep nesting. Scalars stay text (`no` is "no", `010` is "010"); base/literal reads
// numbers. Every text knows its place in the file, even inside folded and quoted scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "profgauge/error.h"
#include "rules/builtin_files.h"
#include "rules/errors.h"

namespace profgauge::rules {

inline constexpr std::size_t kLargestConfigFile = std::size_t{1} << 20;

struct YamlEntry;

/// One value of the file. Mappings keep the file's order. An empty value (`key:`) is kNull, at the
/// place of its key.
struct YamlNode {
  enum class Kind : std::uint8_t {
    kNull,
    kScalar,
    kList,
    kMap,
    kBroken,  ///< An alias, for which an error was already added.
  };
  Kind kind = Kind::kNull;
  std::string text;                ///< Text of a scalar, decoded.
  std::size_t offset = 0;          ///< Byte of the file at which it starts.
  std::uint32_t line = 0;          ///< 1-based.
  std::uint32_t column = 0;        ///< 1-based, in bytes.
  bool plain = true;               ///< A scalar without quotes that is no block.
  std::vector<YamlNode> items;     ///< Items of a list.
  std::vector<YamlEntry> entries;  ///< Entries of a mapping, in file order, keys distinct.

  /// The value of `key` in a mapping; nullptr if it has no such key.
  const YamlNode* Find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;  ///< Always a scalar.
  YamlNode value;
};

struct YamlDocument {
  std::string file;
  std::string source;
  YamlNode root;

  /// A scalar's text with its places; for other nodes an empty text, whose At(0) is their start.
  SourceText TextOf(const YamlNode& node) const;
  /// The place of the node's start; messages underline a whole scalar.
  Where At(const YamlNode& node) const { return TextOf(node).All(); }
};

/// Parses one document. Errors (all kConfig) go to `errors`. After some errors (a duplicate key, an
/// alias) parsing continues, so that the rest of the file is checked, too. Returns no value if the
/// document has no usable structure.
std::optional<YamlDocument> ParseYaml(std::string_view text, const std::string& file,
                                      Errors& errors);

/// Reads a configuration file, like ReadConfigFile() and ParseYaml(). Faster for built-in files,
/// which were parsed when the program was built.
std::optional<YamlDocument> ReadYaml(const std::string& path, std::optional<BuiltinKind> kind,
                                     Errors& errors);

/// Sorts errors by place; files are in the order of their first error. Removes duplicates, because
/// a mistake in a shared part is reported for every rule that uses it.
void SortByPlace(Errors& errors);

/// Reads a configuration file, or a compiled-in one, "builtin:NAME". Errors: kConfig if it is
/// missing, a directory, unreadable or larger than kLargestConfigFile. `kind` is the required kind
/// of a built-in file; empty: any.
Result<std::string> ReadConfigFile(const std::string& path,
                                   std::optional<BuiltinKind> kind = std::nullopt);

// Finds the places in the file of a YAML scalar's bytes. YAML folds lines, strips indentation and
// decodes escapes, and yaml-cpp reports only the start of a scalar.

/// Follows the source and the decoded text in parallel. The places are exact for every byte that is
/// not a space; a space from folding is placed at the end of its line.
std::vector<SourceText::Run> FindPlaces(std::string_view source, const YamlNode& node);

/// True if the quoted scalar at `offset` is closed within the file, and for blocks. Needed because
/// yaml-cpp also accepts unclosed quotes.
bool IsQuoteClosed(std::string_view source, std::size_t offset);

// Stores trees of YAML files as bytes. Built-in files are parsed when the program is built, because
// parsing took a third of the time of `check` for a small profile.

/// Encodes a tree; equal trees give equal bytes.
std::string EncodeYamlTree(const YamlNode& root);
/// Decodes a tree. REQUIRES: `bytes` come from EncodeYamlTree() of the same program version.
YamlNode DecodeYamlTree(std::string_view bytes);

}  // namespace profgauge::rules
