#include "rules/rule_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/devices.h"

namespace profgauge::rules {
namespace {

constexpr int kMostDecimals = 9;

}  // namespace

bool IsRuleName(std::string_view text, char separator) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [separator](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == separator;
  });
}

std::optional<std::string> IdPart(Decoder& decoder, const YamlNode& node, std::string_view what) {
  auto text = decoder.Text(node, what);
  if (!text || IsRuleName(*text, '-')) return text;
  decoder.Add(node, "rules/name",
              fmt::format("`{}`: expected small letters, digits and `-`, found `{}`", what,
                          PrintableShort(*text, 40)));
  return std::nullopt;
}

bool CheckVariable(Decoder& decoder, const YamlNode& key, std::string_view what) {
  if (IsRuleName(key.text, '_')) return true;
  decoder.Add(key, "rules/name",
              fmt::format("{}: expected small letters, digits and `_`, found `{}`", what,
                          PrintableShort(key.text, 40)));
  return false;
}

std::optional<ShowAs> DecodeShowAs(Decoder& decoder, const YamlNode& node) {
  using Kind = ShowAs::Kind;
  constexpr std::pair<std::string_view, Kind> kKinds[] = {{"duration", Kind::kDuration},
                                                          {"bytes", Kind::kBytes},
                                                          {"percent", Kind::kPercent},
                                                          {"number", Kind::kNumber}};
  constexpr std::string_view kDecimals[] = {"number:0", "number:1", "number:2", "number:3",
                                            "number:4", "number:5", "number:6", "number:7",
                                            "number:8", "number:9"};
  static_assert(std::size(kDecimals) == kMostDecimals + 1);
  std::vector<Decoder::Word<ShowAs>> words;
  for (const auto& [name, kind] : kKinds) words.push_back({name, {kind, -1}});
  for (int i = 0; i <= kMostDecimals; ++i) {
    words.push_back({kDecimals[static_cast<std::size_t>(i)], {Kind::kNumber, i}});
  }
  return decoder.OneOf<ShowAs>(node, "show_as", words);
}

std::optional<std::string> TextWithWords(Decoder& decoder, const YamlNode& node,
                                         std::string_view what) {
  std::optional<std::string> text = decoder.Text(node, what);
  if (!text) return text;
  std::vector<std::string_view> words;
  for (const DeviceWord& word : DeviceWordCatalogue()) words.push_back(word.name);
  for (const std::string_view unknown : UnknownDeviceWords(*text)) {
    AddSuggestion(decoder.Add(node, "expr/unknown-field",
                              fmt::format("unknown field `{}`", PrintableShort(unknown))),
                  unknown, words);
  }
  return text;
}

void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule) {
  const bool limited = rule.metric && (rule.metric->warn_above || rule.metric->error_above ||
                                       rule.metric->warn_below || rule.metric->error_below);
  if (limited && rule.level) {
    decoder
        .Add(rule.place, "rules/two-levels",
             "the rule has limits on its metric and a separate `level`")
        .notes.emplace_back("help: the limits already say which level; remove `level`");
  }
  if (!limited && !rule.level && node.Find("level") == nullptr) {
    decoder
        .Add(rule.place, "rules/never-fires",
             "the rule has neither a `level` nor limits on its metric")
        .notes.emplace_back(
            "help: add `level: warn`, or `warn_above`, `error_above`, `warn_below` or "
            "`error_below` to `metric`");
  }
}

}  // namespace profgauge::rules
