#include "rules/rule_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "rules/policy_decode.h"

namespace profgauge::rules {
namespace {

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

/// The one text of a message or advice.
void SetItem(std::vector<TextItem>& out, std::optional<SourceText> text) {
  out.clear();
  if (text) out.emplace_back().text = *std::move(text);
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
      {"message", [&](const YamlNode& n) { SetItem(rule.message, decoder.Source(n, "message")); },
       true},
      {"advice", [&](const YamlNode& n) { SetItem(rule.advice, decoder.Source(n, "advice")); }},
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
  const YamlNode* schema = root.Find("schema");
  if (schema != nullptr && schema->text == "2") return DecodeRuleFile2(decoder, out);
  out.file = decoder.document().file;
  // Ids need the namespace, wherever it is.
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

}  // namespace profgauge::rules
