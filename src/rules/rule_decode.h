// Decodes the keys of a rule, with one function per section.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge::rules {

/// Decodes a rule file, and replaces `let` names that have a value per row by their expressions
/// (lowering.h). Parts with errors are missing or incomplete in `out`.
void DecodeRuleFile(Decoder& decoder, RuleFile& out);

inline constexpr int kMostEvidence = 1000;

inline constexpr Decoder::Word<GroupReport> kReports[] = {{"worst", GroupReport::kWorst},
                                                          {"each", GroupReport::kEach}};
inline constexpr Decoder::Word<GainBound> kBounds[] = {{"upper", GainBound::kUpper},
                                                       {"typical", GainBound::kTypical},
                                                       {"measured", GainBound::kMeasured}};
inline constexpr Decoder::Word<bool> kStyles[] = {{"code", true}, {"text", false}};

/// Reads a part of an id: "eligible-not-used".
std::optional<std::string> IdPart(Decoder& decoder, const YamlNode& node, std::string_view what);
/// True if `key` is a valid name in expressions; otherwise adds an error.
bool CheckVariable(Decoder& decoder, const YamlNode& key, std::string_view what);
std::optional<ShowAs> DecodeShowAs(Decoder& decoder, const YamlNode& node);
/// Reads a text. Its only holes may be words for the device, such as `{{ device.core }}`.
std::optional<std::string> TextWithWords(Decoder& decoder, const YamlNode& node,
                                         std::string_view what);
/// Checks that a rule has either limits on its metric or a level, but not both.
void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule);

/// True if `text` is a valid name in expressions: small letters, digits and `separator`.
bool IsRuleName(std::string_view text, char separator);

/// Decodes an entry of `let`: an expression, `greatest:` or `case:`.
void DecodeLet(Decoder& decoder, const YamlNode& key, const YamlNode& value,
               std::vector<RuleLet>& out);
/// Decodes a list of items, or one text, of a message or of advice.
std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what);

/// The file of names that every rule file knows. It is read once and kept. A name of a rule file or
/// rule replaces one with the same name.
inline constexpr std::string_view kWordsFile = "builtin:words";
const std::vector<RuleLet>& BuiltinWords();
/// All names in it with their definitions, as written: "greatest of other: …, sync: …".
std::vector<std::pair<std::string, std::string>> BuiltinWordTexts();

/// Makes a rule self-contained: replaces names of rows by their expressions, and `per_iteration` by
/// a quotient. `file_let` are the names of its file. Adds errors about names and columns.
void LowerRule(const std::vector<RuleLet>& file_let, Rule& rule, Errors& errors);

// The reading of a rule's keys into a Rule.

/// Reads all keys of a rule except its id.
class RuleReader {
 public:
  RuleReader(Decoder& decoder, Rule& rule) : decoder_(decoder), rule_(rule) {}

  std::vector<Decoder::Key> Keys();

 private:
  Decoder::Key TextKey(std::string_view name, std::string& out) {
    return {name, [this, name, &out](const YamlNode& n) { Set(out, decoder_.Text(n, name)); }};
  }
  /// The key for a title, which may have words for the device.
  Decoder::Key TitleKey(std::string_view name, std::string& out) {
    return {name,
            [this, name, &out](const YamlNode& n) { Set(out, TextWithWords(decoder_, n, name)); }};
  }
  Decoder::Key SourceKey(std::string_view name, SourceText& out) {
    return {name, [this, name, &out](const YamlNode& n) { Set(out, decoder_.Source(n, name)); }};
  }
  Decoder::Key OptionalKey(std::string_view name, std::optional<SourceText>& out);
  void Formerly(const YamlNode& node);
  void Params(const YamlNode& node);
  void Param(const YamlNode& node, RuleParam& param);

  /// Reads a number, or the name of one of the analysis: `thresholds.few_iterations`.
  void Default(const YamlNode& node, Literal& out);
  void Lets(const YamlNode& node);
  void Metric(const YamlNode& node);

  /// Reads a limit. A plain number becomes the default of the parameter `$warn` or `$error`.
  void Limit(const YamlNode& node, std::string_view name, std::optional<SourceText>& target);
  void Gain(const YamlNode& node);
  void Scenario(const YamlNode& node, std::vector<WhatIfScale>& out);
  void Factor(const YamlNode& node, WhatIfScale& scale);
  void Column(const YamlNode& node, std::vector<EvidenceColumn>& out);
  void Evidence(const YamlNode& node);
  void Explains(const YamlNode& node);

  Decoder& decoder_;
  Rule& rule_;
};

}  // namespace profgauge::rules
