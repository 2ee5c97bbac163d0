#include "rules/rule_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "knowledge/thresholds.h"
#include "rules/policy_decode.h"

namespace profgauge::rules {
namespace {

Decoder::Key Required(Decoder::Key key) {
  key.required = true;
  return key;
}

constexpr std::string_view kThresholds = "thresholds.";
constexpr int kUsualEvidence = 10;

/// The entry of that name, which is added if need be.
template <class T>
T& EntryNamed(std::vector<T>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  if (found != all.end()) return *found;
  all.emplace_back().name = name;
  return all.back();
}

}  // namespace

std::vector<Decoder::Key> RuleReader::Keys() {
  return {
      Required(TitleKey("title", rule_.title)),
      {"category",
       [this](const YamlNode& n) { Set(rule_.category, IdPart(decoder_, n, "category")); }},
      TextKey("source", rule_.source),
      {"family", [this](const YamlNode& n) { Set(rule_.family, IdPart(decoder_, n, "family")); }},
      {"formerly", [this](const YamlNode& n) { Formerly(n); }},
      SourceKey("for_each", rule_.for_each),
      {"needs", [this](const YamlNode& n) { rule_.needs = decoder_.Sources(n, "needs"); }},
      {"params", [this](const YamlNode& n) { Params(n); }},
      OptionalKey("where", rule_.where),
      {"group_by",
       [this](const YamlNode& n) { rule_.group_by = decoder_.OneOrMore(n, "group_by"); }},
      {"report",
       [this](const YamlNode& n) {
         Set(rule_.report, decoder_.OneOf<GroupReport>(n, "report", kReports));
       }},
      {"let", [this](const YamlNode& n) { Lets(n); }},
      OptionalKey("when", rule_.when),
      {"metric", [this](const YamlNode& n) { Metric(n); }},
      OptionalKey("sure_when", rule_.sure_when),
      {"level",
       [this](const YamlNode& n) { rule_.level = decoder_.OneOf<Level>(n, "level", kLevels); }},
      {"gain", [this](const YamlNode& n) { Gain(n); }},
      {"evidence", [this](const YamlNode& n) { Evidence(n); }},
      {"explains", [this](const YamlNode& n) { Explains(n); }},
      {"message",
       [this](const YamlNode& n) { rule_.message = DecodeItems(decoder_, n, "message"); }, true},
      {"advice", [this](const YamlNode& n) { rule_.advice = DecodeItems(decoder_, n, "advice"); }},
      OptionalKey("change", rule_.change),
      OptionalKey("next", rule_.next),
      TextKey("docs", rule_.docs),
  };
}

Decoder::Key RuleReader::OptionalKey(std::string_view name, std::optional<SourceText>& out) {
  return {name, [this, name, &out](const YamlNode& n) {
            if (auto source = decoder_.Source(n, name)) out = std::move(source);
          }};
}

void RuleReader::Formerly(const YamlNode& node) {
  for (const SourceText& id : decoder_.Sources(node, "formerly")) {
    rule_.formerly.push_back(id.text);
  }
}

void RuleReader::Params(const YamlNode& node) {
  decoder_.EachEntry(node, "`params`", [this](const YamlNode& key, const YamlNode& value) {
    if (!CheckVariable(decoder_, key, "a parameter's name")) {
      RuleParam ignored;
      return Param(value, ignored);
    }
    RuleParam& param = EntryNamed(rule_.params, key.text);
    param.where = decoder_.document().At(key);
    Param(value, param);
  });
}

void RuleReader::Param(const YamlNode& node, RuleParam& param) {
  const Decoder::Key kKeys[] = {
      {"default", [&](const YamlNode& n) { Default(n, param.default_value); }, true},
      {"doc", [&](const YamlNode& n) { Set(param.doc, decoder_.Text(n, "doc")); }, true},
      {"formerly",
       [&](const YamlNode& n) {
         for (const SourceText& name : decoder_.OneOrMore(n, "formerly")) {
           param.formerly.push_back(name.text);
         }
       }},
  };
  decoder_.Map(node, "a parameter", kKeys);
}

// A number that the analysis knows by a name is not copied into a rule: it would stay behind when
// the analysis learns better.
void RuleReader::Default(const YamlNode& node, Literal& out) {
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) {
    if (!decoder_.Is(node, std::string(kThresholds) + std::string(row.id))) continue;
    out = {row.value, row.unit};
    return;
  }
  if (node.kind == YamlNode::Kind::kScalar && node.text.starts_with(kThresholds)) {
    std::vector<std::string_view> ids;
    for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) ids.push_back(row.id);
    const std::string_view id = std::string_view(node.text).substr(kThresholds.size());
    AddSuggestion(decoder_.Add(node, "config/word",
                               fmt::format("there is no threshold `{}`", PrintableShort(id))),
                  id, ids);
    return;
  }
  Set(out, decoder_.Number(node, "default"));
}

void RuleReader::Lets(const YamlNode& node) {
  decoder_.EachEntry(node, "`let`", [this](const YamlNode& key, const YamlNode& value) {
    std::vector<RuleLet> made;
    const bool named = CheckVariable(decoder_, key, "a name in `let`");
    DecodeLet(decoder_, key, value, made);
    if (!named) return;
    for (RuleLet& let : made) EntryNamed(rule_.let, let.name) = std::move(let);
  });
}

void RuleReader::Metric(const YamlNode& node) {
  RuleMetric& metric = rule_.metric.emplace();
  const auto limit = [this](std::string_view name, std::optional<SourceText>& target) {
    return Decoder::Key{name, [this, &target, name](const YamlNode& n) { Limit(n, name, target); }};
  };
  const Decoder::Key kKeys[] = {
      TextKey("is", metric.is),
      OptionalKey("of", metric.of),
      Required(SourceKey("value", metric.value)),
      {"show_as", [&](const YamlNode& n) { Set(metric.show_as, DecodeShowAs(decoder_, n)); }},
      limit("warn_above", metric.warn_above),
      limit("error_above", metric.error_above),
      limit("warn_below", metric.warn_below),
      limit("error_below", metric.error_below),
  };
  decoder_.Map(node, "`metric`", kKeys);
  const bool above = metric.warn_above || metric.error_above;
  const bool below = metric.warn_below || metric.error_below;
  if (above && below) {
    decoder_.Add(node, "rules/both-directions", "a metric is limited above or below, not both")
        .notes.emplace_back("help: write two rules");
  }
}

// `warn_above: 30%` is short for a parameter `warn`, which policies can set, and the limit `$warn`.
void RuleReader::Limit(const YamlNode& node, std::string_view name,
                       std::optional<SourceText>& target) {
  auto source = decoder_.Source(node, name);
  if (!source) return;
  const auto literal = ParseLiteral(Trim(source->text));
  if (literal) {
    const std::string param_name(name.substr(0, name.find('_')));
    RuleParam& param = EntryNamed(rule_.params, param_name);
    param.default_value = *literal;
    if (param.where.file.empty()) param.where = source->All();
    source->text = "$" + param_name;
    source->runs.resize(1);
  }
  target = std::move(source);
}

void RuleReader::Gain(const YamlNode& node) {
  RuleGain& gain = rule_.gain.emplace();
  const Decoder::Key kKeys[] = {
      Required(SourceKey("value", gain.value)),
      OptionalKey("at_most", gain.at_most),
      {"bound",
       [&](const YamlNode& n) { Set(gain.bound, decoder_.OneOf<GainBound>(n, "bound", kBounds)); }},
      TextKey("why", gain.why),
      TextKey("measured", gain.measured),
      {"scenario", [&](const YamlNode& n) { Scenario(n, gain.scenario); }},
      {"without_waiting",
       [&](const YamlNode& n) { Set(gain.without_waiting, decoder_.Bool(n, "without_waiting")); }},
      {"keeps_up", [&](const YamlNode& n) { Set(gain.keeps_up, decoder_.Bool(n, "keeps_up")); }},
      {"host_reacts",
       [&](const YamlNode& n) { Set(gain.host_reacts, decoder_.Bool(n, "host_reacts")); }},
  };
  decoder_.Map(node, "`gain`", kKeys);
}

void RuleReader::Scenario(const YamlNode& node, std::vector<WhatIfScale>& out) {
  decoder_.EachItem(node, "`scenario`", [&](const YamlNode& item) {
    WhatIfScale scale;
    const Decoder::Key kKeys[] = {
        {"where", [&](const YamlNode& n) { Set(scale.where, decoder_.Source(n, "where")); }, true},
        {"by", [&](const YamlNode& n) { Factor(n, scale); }},
        {"hides", [&](const YamlNode& n) { Set(scale.hides, decoder_.Bool(n, "hides")); }},
    };
    decoder_.Map(item, "a change", kKeys);
    if (scale.hides == (item.Find("by") != nullptr)) {
      decoder_.Add(item, "rules/change", "a change has either `by` or `hides: true`");
    }
    out.push_back(std::move(scale));
  });
}

void RuleReader::Factor(const YamlNode& node, WhatIfScale& scale) {
  auto source = decoder_.Source(node, "by");
  if (!source) return;
  const auto literal = ParseLiteral(Trim(source->text));
  if (!literal) {
    scale.by = *std::move(source);
  } else if (IsFactor(*literal)) {
    scale.factor = literal->value;
  } else {
    decoder_.Add(node, "config/number", fmt::format("`by`: expected {}", kFactors));
  }
}

void RuleReader::Column(const YamlNode& node, std::vector<EvidenceColumn>& out) {
  EvidenceColumn column;
  if (node.kind == YamlNode::Kind::kScalar) {
    auto value = decoder_.Source(node, "columns");
    if (!value) return;
    column.value = *std::move(value);
    out.push_back(std::move(column));
    return;
  }
  const Decoder::Key kKeys[] = {
      {"head", [&](const YamlNode& n) { Set(column.head, TextWithWords(decoder_, n, "head")); }},
      {"value", [&](const YamlNode& n) { Set(column.value, decoder_.Source(n, "value")); }, true},
      {"show_as", [&](const YamlNode& n) { Set(column.show_as, DecodeShowAs(decoder_, n)); }},
      {"style",
       [&](const YamlNode& n) { Set(column.is_code, decoder_.OneOf<bool>(n, "style", kStyles)); }},
  };
  decoder_.Map(node, "a column", kKeys);
  out.push_back(std::move(column));
}

void RuleReader::Evidence(const YamlNode& node) {
  RuleEvidence& evidence = rule_.evidence.emplace();
  evidence.limit = kUsualEvidence;
  const Decoder::Key kKeys[] = {
      OptionalKey("order_by", evidence.order_by),
      {"limit",
       [&](const YamlNode& n) {
         if (const auto limit = decoder_.Integer(n, "limit", 1, kMostEvidence)) {
           evidence.limit = static_cast<int>(*limit);
         }
       }},
      {"columns",
       [&](const YamlNode& n) {
         decoder_.EachItem(n, "`columns`",
                           [&](const YamlNode& item) { Column(item, evidence.columns); });
       },
       true},
  };
  decoder_.Map(node, "`evidence`", kKeys);
}

void RuleReader::Explains(const YamlNode& node) {
  decoder_.EachItem(node, "`explains`", [this](const YamlNode& item) {
    if (item.kind == YamlNode::Kind::kScalar) {
      if (auto id = decoder_.Source(item, "explains")) rule_.explains.push_back(*std::move(id));
      return;
    }
    RuleLet entry;
    const Decoder::Key kKeys[] = {
        {"when", [&](const YamlNode& n) { Set(entry.value, decoder_.Source(n, "when")); }, true},
        {"rule", [&](const YamlNode& n) { Set(entry.name, decoder_.Text(n, "rule")); }, true},
    };
    decoder_.Map(item, "a symptom", kKeys);
    entry.where = decoder_.document().At(item);
    rule_.explains_when.push_back(std::move(entry));
  });
}

}  // namespace profgauge::rules
