// The keys of a rule, one function a section.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decode.h"
#include "rules/rule.h"
#include "rules/rule_library.h"

namespace profgauge::rules {

/// Decodes a whole rule file, with the files that it imports: templates, names of rows and
/// everything shared are put in. Parts with errors are missing in `out` or incomplete.
void DecodeRuleFile(Decoder& decoder, RuleFile& out);

inline constexpr int kMostEvidence = 1000;

inline constexpr Decoder::Word<GroupReport> kReports[] = {{"worst", GroupReport::kWorst},
                                                          {"each", GroupReport::kEach}};
inline constexpr Decoder::Word<GainBound> kBounds[] = {{"upper", GainBound::kUpper},
                                                       {"typical", GainBound::kTypical},
                                                       {"measured", GainBound::kMeasured}};
inline constexpr Decoder::Word<bool> kStyles[] = {{"code", true}, {"text", false}};

/// A part of an id: "eligible-not-used".
std::optional<std::string> IdPart(Decoder& decoder, const YamlNode& node, std::string_view what);
/// Whether `key` is a name that expressions can spell.
bool CheckVariable(Decoder& decoder, const YamlNode& key, std::string_view what);
std::optional<ShowAs> DecodeShowAs(Decoder& decoder, const YamlNode& node);
/// A text that may name parts of the device as `{{ device.core }}`, and nothing else.
std::optional<std::string> TextWithWords(Decoder& decoder, const YamlNode& node,
                                         std::string_view what);
/// Adds errors of the words for parts of the device in `text`.
void CheckDeviceWords(Decoder& decoder, const Where& where, std::string_view text);
/// A rule says when it fires in exactly one way: limits on its metric, or a level.
void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule);

// From a rule as its file writes it to a self-contained one: arguments of its template,
// names of rows, sets and patterns are replaced by their contents, `per_iteration` by a quotient.

/// An argument of a template.
struct RuleArgument {
  ArgumentType type = ArgumentType::kText;
  SourceText text;
  std::vector<std::string> list;
};
using RuleArguments = std::map<std::string, RuleArgument, std::less<>>;

/// Everything that `LowerRule` needs beside the rule.
struct LowerContext {
  const RuleLibrary& library;
  const RuleArguments& arguments;
};

/// Resolves all names in `rule`. Adds errors of names and columns.
void LowerRule(const LowerContext& context, Rule& rule, Errors& errors);

// Arguments of templates.

RuleArgument DecodeArgument(Decoder& decoder, const YamlNode& key, const YamlNode& node);

/// Gives `arguments` the types that `used` declares. Adds errors for missing, unknown or wrong
/// ones; `with` is the rule's mapping of them, null where it has none.
void CheckArguments(Decoder& decoder, const Where& place, const YamlNode* with,
                    const RuleTemplate& used, RuleArguments& arguments);

}  // namespace profgauge::rules
