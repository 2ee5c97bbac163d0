// The keys of a rule, one function a section.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge::rules {

/// Decodes a whole rule file: names of rows are put in. Parts with errors are missing in `out` or
/// incomplete.
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
/// A rule says when it fires in exactly one way: limits on its metric, or a level.
void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule);

/// Whether `text` is a name that expressions can spell: small letters, digits and `separator`.
bool IsRuleName(std::string_view text, char separator);

/// One entry of `let`, which may be an expression, `greatest:` or `case:`.
void DecodeLet(Decoder& decoder, const YamlNode& key, const YamlNode& value,
               std::vector<RuleLet>& out);
/// A list of items (or one text) of a message or of advice.
std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what);

/// rules/words.yaml: names that every rule file knows. Those of a file or a rule win. For its
/// lifetime the program reads them once.
inline constexpr std::string_view kWordsFile = "builtin:words";
const std::vector<RuleLet>& BuiltinWords();
/// Each of them as the file has it, for readers: its name, and "greatest of other: …, sync: …".
std::vector<std::pair<std::string, std::string>> BuiltinWordTexts();

/// From a rule as its file writes it to a self-contained one: names of rows are replaced by their
/// expressions, `per_iteration` by a quotient. `file_let` are the names of the file. Adds errors of
/// names and columns.
void LowerRule(const std::vector<RuleLet>& file_let, Rule& rule, Errors& errors);

// The keys of a rule, read into a Rule.

/// The keys of a rule but its id.
class RuleReader {
 public:
  RuleReader(Decoder& decoder, Rule& rule) : decoder_(decoder), rule_(rule) {}

  std::vector<Decoder::Key> Keys();

 private:
  Decoder::Key TextKey(std::string_view name, std::string& out) {
    return {name, [this, name, &out](const YamlNode& n) { Set(out, decoder_.Text(n, name)); }};
  }
  /// May name parts of the device.
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

  /// A number, or the name of one that is known: `thresholds.few_iterations`.
  void Default(const YamlNode& node, Literal& out);
  void Lets(const YamlNode& node);
  void Metric(const YamlNode& node);

  /// A number is the default of the parameter `$warn` or `$error`.
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
