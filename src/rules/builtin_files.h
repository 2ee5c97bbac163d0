// The files of rules/ that are compiled in. profgauge_embed() of src/layers.cmake generates them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::rules {

/// The text of a file, e.g. "rules/recommended.yaml"; empty if there is no such file.
std::string_view EmbeddedRules(std::string_view path);
/// The file's tree, encoded for DecodeYamlTree(). Made when the program is built (embed_trees.cc).
std::string_view EmbeddedRuleTree(std::string_view path);
/// The paths of all these files, in the order of CMakeLists.txt.
std::span<const std::string_view> EmbeddedRulesPaths();

/// The kind of a built-in file.
enum class BuiltinKind : std::uint8_t { kRules, kPreset };
/// The names of all files of a kind, "builtin:comm", …, in the order of CMakeLists.txt.
std::vector<std::string> BuiltinFiles(BuiltinKind kind);
/// True if rules/ has a policy of this name, e.g. "recommended".
bool IsPresetName(std::string_view stem);

/// Prefix of the names of built-in files: "builtin:recommended".
inline constexpr std::string_view kBuiltinPrefix = "builtin:";

}  // namespace profgauge::rules
