// The keys of a rule, read into a Rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decode.h"
#include "rules/rule.h"
#include "rules/rule_decode.h"

namespace profgauge::rules {

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
