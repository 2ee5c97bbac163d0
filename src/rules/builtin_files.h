// The files of rules/ that are compiled in. Written by profgauge_embed() in src/layers.cmake.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::rules {

/// The text of "rules/recommended.yaml"; empty when there is no such file.
std::string_view EmbeddedRules(std::string_view path);
/// Its tree, for DecodeYamlTree; written when the program is built (embed_trees.cc).
std::string_view EmbeddedRuleTree(std::string_view path);
/// All of them, in the order of CMakeLists.txt.
std::span<const std::string_view> EmbeddedRulesPaths();

/// The kind of a file of rules/.
enum class BuiltinKind : std::uint8_t { kRules, kPreset };
/// "builtin:comm", …: all files of a kind, in the order of CMakeLists.txt.
std::vector<std::string> BuiltinFiles(BuiltinKind kind);
/// Whether a file of that name in rules/ is a policy: "recommended".
bool IsPresetName(std::string_view stem);

/// A name that starts so represents a file that is compiled in: "builtin:recommended".
inline constexpr std::string_view kBuiltinPrefix = "builtin:";

}  // namespace profgauge::rules
