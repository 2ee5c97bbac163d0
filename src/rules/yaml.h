// YAML, read strictly: the one place where yaml-cpp is called.
//
// Constructs that YAML readers silently misread are errors here, with their places: keys given
// twice, merge keys (`<<`), anchors and aliases, tags, a second document, quotes that are never
// closed, control characters, more than 1 MiB, deep nesting. Scalars stay text (`no` is "no", `010`
// is "010"); base/literal reads numbers. Every text knows its place in the file, also inside folded
// and quoted scalars.
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

/// One value of the file. Mappings keep the order of the file. An empty value (`key:`) is kNull, at
/// the place of its key.
struct YamlNode {
  enum class Kind : std::uint8_t {
    kNull,
    kScalar,
    kList,
    kMap,
    kBroken,  ///< An alias: an error was added, nothing more needs to be said.
  };
  Kind kind = Kind::kNull;
  std::string text;                ///< Text of a scalar, decoded.
  std::size_t offset = 0;          ///< Byte of the file at which it starts.
  std::uint32_t line = 0;          ///< 1-based.
  std::uint32_t column = 0;        ///< 1-based, in bytes.
  bool plain = true;               ///< A scalar without quotes and not a block.
  std::vector<YamlNode> items;     ///< Items of a list.
  std::vector<YamlEntry> entries;  ///< Entries of a mapping, in file order, keys distinct.

  /// The value of `key` in a mapping; nullptr when there is none.
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

  /// A scalar's text with its places. For other nodes the text is empty and At(0) is their start.
  SourceText TextOf(const YamlNode& node) const;
  /// The node's start; scalars are underlined.
  Where At(const YamlNode& node) const { return TextOf(node).All(); }
};

/// Reads one document. Errors are added to `errors` (all kConfig); with some of them (a key given
/// twice, an alias) reading goes on, so that the rest of the file is checked too. Without a value
/// the document has no usable structure at all.
std::optional<YamlDocument> ParseYaml(std::string_view text, const std::string& file,
                                      Errors& errors);

/// A configuration file's document: ReadConfigFile and ParseYaml in one, and faster for built-in
/// files, which were parsed when the program was built.
std::optional<YamlDocument> ReadYaml(const std::string& path, std::optional<BuiltinKind> kind,
                                     Errors& errors);

/// Puts errors in file order, each once; files in the order of their first error. A mistake in a
/// shared part is reported for every rule that uses the part.
void SortByPlace(Errors& errors);

/// Reads a configuration file, "builtin:NAME" from the compiled-in ones. Errors: kConfig when it is
/// missing, a directory, unreadable or larger than kLargestConfigFile. `kind`: the required kind of
/// a built-in file; empty: either kind.
Result<std::string> ReadConfigFile(const std::string& path,
                                   std::optional<BuiltinKind> kind = std::nullopt);

// Where the bytes of a YAML scalar are in the file, although YAML folds lines, strips indentation
// and decodes escapes, and yaml-cpp reports only where a scalar starts.

/// Walks the source along with the decoded text. Exact for every byte that is not a blank; blanks
/// that folding made are placed at the end of their line.
std::vector<SourceText::Run> FindPlaces(std::string_view source, const YamlNode& node);

/// Whether the quoted scalar at `offset` ends before the file does (yaml-cpp accepts it if not).
/// True for blocks.
bool IsQuoteClosed(std::string_view source, std::size_t offset);

// Trees of YAML files as bytes: the built-in files are parsed when the program is built, since
// parsing them took a third of a small profile's `check`.

/// The same tree always gives the same bytes.
std::string EncodeYamlTree(const YamlNode& root);
/// The tree again. REQUIRES: `bytes` are EncodeYamlTree's, of a program of the same version.
YamlNode DecodeYamlTree(std::string_view bytes);

}  // namespace profgauge::rules
