// The files of rules/ that are compiled in. Written by profgauge_embed() in CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace profgauge {

/// The text of "rules/recommended.yaml"; empty when there is no such file.
std::string_view EmbeddedRules(std::string_view path);
/// All of them, in the order of CMakeLists.txt.
std::span<const std::string_view> EmbeddedRulesPaths();

/// A name that starts so stands for a file that is compiled in: "builtin:recommended".
inline constexpr std::string_view kBuiltinPrefix = "builtin:";

}  // namespace profgauge
