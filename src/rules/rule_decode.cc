#include "rules/rule_decode.h"

#include "rules/policy_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "model/device_words.h"

namespace profgauge {
namespace {

constexpr int kMostEvidence = 1000;
constexpr int kMostDecimals = 9;

constexpr Decoder::Word<GroupReport> kReports[] = {{"worst", GroupReport::kWorst},
                                                   {"each", GroupReport::kEach}};
constexpr Decoder::Word<GainBound> kBounds[] = {{"upper", GainBound::kUpper},
                                                {"typical", GainBound::kTypical},
                                                {"measured", GainBound::kMeasured}};
constexpr Decoder::Word<bool> kStyles[] = {{"code", true}, {"text", false}};

/// Letters, digits and `separator`, a letter first: names that expressions and ids can spell.
bool IsName(std::string_view text, char separator) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [separator](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == separator;
  });
}

/// A part of an id: "eligible-not-used".
std::optional<std::string> IdPart(Decoder& decoder, const YamlNode& node, std::string_view what) {
  auto text = decoder.Text(node, what);
  if (!text || IsName(*text, '-')) return text;
  decoder.Add(node, "rules/name",
              fmt::format("`{}`: expected small letters, digits and `-`, found `{}`", what,
                          PrintableShort(*text, 40)));
  return std::nullopt;
}

bool CheckVariable(Decoder& decoder, const YamlNode& key, std::string_view what) {
  if (IsName(key.text, '_')) return true;
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

void DecodeParam(Decoder& decoder, const YamlNode& key, const YamlNode& node,
                 std::vector<RuleParam>& out) {
  RuleParam param;
  param.name = key.text;
  param.where = decoder.document().At(key);
  const Decoder::Key kKeys[] = {
      {"default",
       [&](const YamlNode& n) { Set(param.default_value, decoder.Number(n, "default")); }, true},
      {"doc", [&](const YamlNode& n) { Set(param.doc, decoder.Text(n, "doc")); }, true},
  };
  const bool named = CheckVariable(decoder, key, "a parameter's name");
  decoder.Map(node, "a parameter", kKeys);
  if (named) out.push_back(std::move(param));
}

void DecodeMetric(Decoder& decoder, const YamlNode& node, std::optional<RuleMetric>& out) {
  RuleMetric metric;
  const auto limit = [&](std::string_view name, std::optional<SourceText>& target) {
    return Decoder::Key{
        name, [&decoder, &target, name](const YamlNode& n) { target = decoder.Source(n, name); }};
  };
  const Decoder::Key kKeys[] = {
      {"value", [&](const YamlNode& n) { Set(metric.value, decoder.Source(n, "value")); }, true},
      {"show_as", [&](const YamlNode& n) { Set(metric.show_as, DecodeShowAs(decoder, n)); }},
      limit("warn_above", metric.warn_above),
      limit("error_above", metric.error_above),
      limit("warn_below", metric.warn_below),
      limit("error_below", metric.error_below),
  };
  decoder.Map(node, "`metric`", kKeys);
  const bool above = metric.warn_above || metric.error_above;
  const bool below = metric.warn_below || metric.error_below;
  if (above && below) {
    decoder.Add(node, "rules/both-directions", "a metric is limited above or below, not both")
        .notes.emplace_back("help: write two rules");
  }
  out = std::move(metric);
}

void DecodeGain(Decoder& decoder, const YamlNode& node, std::optional<RuleGain>& out) {
  RuleGain gain;
  const Decoder::Key kKeys[] = {
      {"value", [&](const YamlNode& n) { Set(gain.value, decoder.Source(n, "value")); }, true},
      {"bound",
       [&](const YamlNode& n) { Set(gain.bound, decoder.OneOf<GainBound>(n, "bound", kBounds)); },
       true},
      {"why", [&](const YamlNode& n) { Set(gain.why, decoder.Text(n, "why")); }},
      {"scenario",
       [&](const YamlNode& n) { DecodeScales(decoder, n, "`scenario`", gain.scenario); }},
      {"without_waiting",
       [&](const YamlNode& n) { Set(gain.without_waiting, decoder.Bool(n, "without_waiting")); }},
  };
  decoder.Map(node, "`gain`", kKeys);
  out = std::move(gain);
}

/// A text that may name parts of the device as `{{ device.core }}`, and nothing else.
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

void DecodeColumn(Decoder& decoder, const YamlNode& node, std::vector<EvidenceColumn>& out) {
  EvidenceColumn column;
  const Decoder::Key kKeys[] = {
      {"head", [&](const YamlNode& n) { Set(column.head, TextWithWords(decoder, n, "head")); },
       true},
      {"value", [&](const YamlNode& n) { Set(column.value, decoder.Source(n, "value")); }, true},
      {"show_as", [&](const YamlNode& n) { Set(column.show_as, DecodeShowAs(decoder, n)); }},
      {"style",
       [&](const YamlNode& n) { Set(column.is_code, decoder.OneOf<bool>(n, "style", kStyles)); }},
  };
  decoder.Map(node, "a column", kKeys);
  out.push_back(std::move(column));
}

void DecodeEvidence(Decoder& decoder, const YamlNode& node, std::optional<RuleEvidence>& out) {
  RuleEvidence evidence;
  const Decoder::Key kKeys[] = {
      {"order_by", [&](const YamlNode& n) { evidence.order_by = decoder.Source(n, "order_by"); }},
      {"limit",
       [&](const YamlNode& n) {
         if (const auto limit = decoder.Integer(n, "limit", 1, kMostEvidence)) {
           evidence.limit = static_cast<int>(*limit);
         }
       }},
      {"columns",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`columns`", [&](const YamlNode& item) {
           DecodeColumn(decoder, item, evidence.columns);
         });
       },
       true},
  };
  decoder.Map(node, "`evidence`", kKeys);
  out = std::move(evidence);
}

/// A rule says when it fires in exactly one way: limits on its metric, or a level.
void CheckFires(Decoder& decoder, const YamlNode& node, const Rule& rule) {
  const bool limited = rule.metric && (rule.metric->warn_above || rule.metric->error_above ||
                                       rule.metric->warn_below || rule.metric->error_below);
  if (limited && rule.level) {
    decoder
        .Add(rule.place, "rules/two-levels",
             "the rule has limits on its metric and a `level` of its own")
        .notes.emplace_back("help: the limits already say which level; remove `level`");
  }
  if (!limited && !rule.level && node.Find("level") == nullptr) {
    decoder
        .Add(rule.place, "rules/never-fires",
             "the rule says neither which `level` it has nor what limits its metric has")
        .notes.emplace_back(
            "help: add `level: warn`, or `warn_above`, `error_above`, `warn_below` or "
            "`error_below` to `metric`");
  }
}

/// The keys that are expressions.
std::vector<Decoder::Key> ExpressionKeys(Decoder& decoder, Rule& rule) {
  return {
      {"for_each", [&](const YamlNode& n) { Set(rule.for_each, decoder.Source(n, "for_each")); },
       true},
      {"needs", [&](const YamlNode& n) { rule.needs = decoder.Sources(n, "needs"); }},
      {"params",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`params`", [&](const YamlNode& key, const YamlNode& value) {
           DecodeParam(decoder, key, value, rule.params);
         });
       }},
      {"where", [&](const YamlNode& n) { rule.where = decoder.Source(n, "where"); }},
      {"group_by", [&](const YamlNode& n) { rule.group_by = decoder.OneOrMore(n, "group_by"); }},
      {"report",
       [&](const YamlNode& n) {
         Set(rule.report, decoder.OneOf<GroupReport>(n, "report", kReports));
       }},
      {"let",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`let`", [&](const YamlNode& key, const YamlNode& value) {
           const bool named = CheckVariable(decoder, key, "a name in `let`");
           auto source = decoder.Source(value, key.text);
           if (named && source) {
             rule.let.push_back({key.text, decoder.document().At(key), *std::move(source)});
           }
         });
       }},
      {"when", [&](const YamlNode& n) { rule.when = decoder.Source(n, "when"); }},
      {"metric", [&](const YamlNode& n) { DecodeMetric(decoder, n, rule.metric); }},
      {"sure_when", [&](const YamlNode& n) { rule.sure_when = decoder.Source(n, "sure_when"); }},
      {"level", [&](const YamlNode& n) { rule.level = decoder.OneOf<Level>(n, "level", kLevels); }},
      {"gain", [&](const YamlNode& n) { DecodeGain(decoder, n, rule.gain); }},
      {"evidence", [&](const YamlNode& n) { DecodeEvidence(decoder, n, rule.evidence); }},
  };
}

void DecodeRule(Decoder& decoder, const YamlNode& node, const std::string& name_space,
                std::vector<Rule>& out) {
  Rule rule;
  rule.place = decoder.document().At(node);
  const std::size_t errors_before = decoder.errors();
  std::vector<Decoder::Key> keys = {
      {"id",
       [&](const YamlNode& n) {
         rule.place = decoder.document().At(n);
         if (const auto id = IdPart(decoder, n, "id")) rule.id = name_space + "/" + *id;
       },
       true},
      {"title", [&](const YamlNode& n) { Set(rule.title, TextWithWords(decoder, n, "title")); },
       true},
      {"category", [&](const YamlNode& n) { Set(rule.category, IdPart(decoder, n, "category")); },
       true},
      {"formerly",
       [&](const YamlNode& n) {
         for (const SourceText& id : decoder.Sources(n, "formerly"))
           rule.formerly.push_back(id.text);
       }},
  };
  for (Decoder::Key& key : ExpressionKeys(decoder, rule)) keys.push_back(std::move(key));
  const Decoder::Key kTexts[] = {
      {"explains", [&](const YamlNode& n) { rule.explains = decoder.Sources(n, "explains"); }},
      {"explains_when",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`explains_when`", [&](const YamlNode& key, const YamlNode& value) {
           auto source = decoder.Source(value, key.text);
           if (!source) return;
           rule.explains_when.push_back({key.text, decoder.document().At(key), *std::move(source)});
         });
       }},
      {"message", [&](const YamlNode& n) { Set(rule.message, decoder.Source(n, "message")); },
       true},
      {"advice", [&](const YamlNode& n) { rule.advice = decoder.Source(n, "advice"); }},
      {"docs", [&](const YamlNode& n) { Set(rule.docs, decoder.Text(n, "docs")); }},
  };
  keys.insert(keys.end(), std::begin(kTexts), std::end(kTexts));
  decoder.Map(node, "a rule", keys);
  if (node.kind != YamlNode::Kind::kMap) return;
  CheckFires(decoder, node, rule);
  rule.is_whole = decoder.errors() == errors_before;
  out.push_back(std::move(rule));
}

}  // namespace

void DecodeRuleFile(Decoder& decoder, RuleFile& out) {
  const YamlNode& root = decoder.document().root;
  out.file = decoder.document().file;
  // Ids need the namespace, wherever it stands.
  if (const YamlNode* name = root.Find("namespace");
      name != nullptr && name->kind == YamlNode::Kind::kScalar) {
    out.name_space = name->text;
  }
  const Decoder::Key kKeys[] = {
      {"schema", [&](const YamlNode& n) { decoder.Schema(n); }, true},
      {"namespace", [&](const YamlNode& n) { IdPart(decoder, n, "namespace"); }, true},
      {"rules",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`rules`", [&](const YamlNode& item) {
           DecodeRule(decoder, item, out.name_space, out.rules);
         });
       },
       true},
  };
  decoder.Map(root, "a rule file", kKeys);
}

}  // namespace profgauge
