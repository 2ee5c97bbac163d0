#include "rules/rule_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.h"
#include "knowledge/thresholds.h"
#include "model/devices.h"
#include "rules/policy_decode.h"

namespace profgauge::rules {
namespace {

/// The names of a file, which its rules may use.
struct FileScope {
  std::string name_space, category;
  std::vector<RuleLet> let;
};

std::uint32_t LastLine(const YamlNode& node) {
  std::uint32_t line = node.line;
  for (const YamlNode& item : node.items) line = std::max(line, LastLine(item));
  for (const YamlEntry& entry : node.entries) {
    line = std::max({line, entry.key.line, LastLine(entry.value)});
  }
  return line;
}

/// Adds missing descriptions of limits, and moves limits to the front, as people read them.
void CompleteParams(Rule& rule) {
  for (RuleParam& param : rule.params) {
    const std::string_view what =
        rule.metric && !rule.metric->is.empty() ? std::string_view(rule.metric->is) : "the metric";
    const bool below = rule.metric && (rule.metric->warn_below || rule.metric->error_below);
    if (!param.doc.empty()) continue;
    param.doc = fmt::format("{} {} this: {}.", param.name == "warn" ? "Warning" : "Error",
                            below ? "below" : "above", what);
  }
  std::stable_sort(rule.params.begin(), rule.params.end(),
                   [](const RuleParam& a, const RuleParam& b) {
                     const auto place = [](const RuleParam& param) {
                       return param.name == "warn" ? 0 : param.name == "error" ? 1 : 2;
                     };
                     return place(a) < place(b);
                   });
}

// Decodes a rule. Errors of the lowering go to `errors` only: they are errors of expressions, and
// is_whole is only about keys.
void DecodeRule(Decoder& decoder, const YamlNode& node, const FileScope& scope,
                std::vector<Rule>& out, Errors& errors) {
  Rule rule;
  rule.place = decoder.document().At(node);
  rule.last_line = LastLine(node);
  rule.category = scope.category;
  const std::size_t errors_before = decoder.errors();
  std::vector<Decoder::Key> keys = {
      {"id",
       [&](const YamlNode& n) {
         rule.place = decoder.document().At(n);
         if (const auto id = IdPart(decoder, n, "id")) rule.id = scope.name_space + "/" + *id;
       },
       true},
  };
  RuleReader reader(decoder, rule);
  for (Decoder::Key& key : reader.Keys()) keys.push_back(std::move(key));
  decoder.Map(node, "a rule", keys);
  if (node.kind != YamlNode::Kind::kMap) return;
  if (rule.for_each.empty() && node.Find("for_each") == nullptr) {
    rule.for_each = {"profile", rule.place.file, {{0, rule.place.line, rule.place.column}}};
  }
  if (rule.category.empty() && node.Find("category") == nullptr) {
    decoder.Add(rule.place, "config/missing-key", "a rule needs the key `category`");
  }
  CheckFires(decoder, node, rule);
  LowerRule(scope.let, rule, errors);
  CompleteParams(rule);
  rule.is_whole = decoder.errors() == errors_before;
  out.push_back(std::move(rule));
}

// The text of a key that is needed before all keys are decoded in order. Adds no errors.
std::string ScalarOf(const YamlNode& root, std::string_view key) {
  const YamlNode* node = root.Find(key);
  return node != nullptr && node->kind == YamlNode::Kind::kScalar ? node->text : std::string();
}

/// Reads the `let` names of a file.
void ReadLet(Decoder& decoder, const YamlNode& node, std::vector<RuleLet>& out) {
  decoder.EachEntry(node, "`let`", [&](const YamlNode& key, const YamlNode& value) {
    std::vector<RuleLet> made;
    const bool is_named = CheckVariable(decoder, key, "a name in `let`");
    DecodeLet(decoder, key, value, made);
    if (!is_named) return;
    std::move(made.begin(), made.end(), std::back_inserter(out));
  });
}

}  // namespace

void DecodeRuleFile(Decoder& decoder, RuleFile& out) {
  const YamlNode& root = decoder.document().root;
  out.file = decoder.document().file;
  out.name_space = ScalarOf(root, "namespace");
  FileScope scope{out.name_space, ScalarOf(root, "category"), {}};
  // Reads the names before all their uses, wherever in the file the key is.
  if (const YamlNode* let = root.Find("let")) ReadLet(decoder, *let, scope.let);
  Errors errors;
  const Decoder::Key kKeys[] = {
      {"schema",
       [&](const YamlNode& n) {
         decoder.Schema(
             n, 2, "write `schema: 2`, and the rules with its keys (`profgauge schema rules`)");
       },
       true},
      {"namespace", [&](const YamlNode& n) { IdPart(decoder, n, "namespace"); }, true},
      {"category", [&](const YamlNode& n) { IdPart(decoder, n, "category"); }},
      {"let",
       [&](const YamlNode& n) {
         if (root.Find("let") == nullptr) ReadLet(decoder, n, scope.let);  // Its shape only.
       }},
      {"rules",
       [&](const YamlNode& n) {
         decoder.EachItem(n, "`rules`", [&](const YamlNode& item) {
           DecodeRule(decoder, item, scope, out.rules, errors);
         });
       },
       true},
  };
  decoder.Map(root, "a rule file", kKeys);
  decoder.AddAll(std::move(errors));
}

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
                              fmt::format("no word of the device: `{}`", PrintableShort(unknown))),
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

// Decodes items of messages and advice.

namespace {

/// The limit of nesting: a deeper `case` is unreadable.
constexpr int kDeepestCase = 3;

constexpr std::string_view kItemKeys[] = {"when", "text", "case"};

class ItemDecoder {
 public:
  ItemDecoder(Decoder& decoder, std::string_view what) : decoder_(decoder), what_(what) {}

  std::vector<TextItem> List(const YamlNode& node, int depth) {
    std::vector<TextItem> items;
    if (node.kind == YamlNode::Kind::kScalar) {
      Leaf(node, items);
      return items;
    }
    decoder_.EachItem(node, fmt::format("`{}`", what_),
                      [&](const YamlNode& item) { One(item, depth, items); });
    return items;
  }

 private:
  void Leaf(const YamlNode& node, std::vector<TextItem>& items) {
    TextItem item;
    auto text = decoder_.Source(node, what_);
    if (!text) return;
    item.text = *std::move(text);
    items.push_back(std::move(item));
  }

  void One(const YamlNode& node, int depth, std::vector<TextItem>& items) {
    if (node.kind == YamlNode::Kind::kScalar) return Leaf(node, items);
    if (IsUnquoted(node)) return;
    TextItem item;
    std::vector<Decoder::Key> keys = {
        {"when", [&](const YamlNode& n) { item.when = decoder_.Source(n, "when"); }},
        {"text", [&](const YamlNode& n) { Set(item.text, decoder_.Source(n, "text")); }},
    };
    if (depth < kDeepestCase) {
      keys.push_back({"case", [&](const YamlNode& n) {
                        item.is_case = true;
                        item.items = List(n, depth + 1);
                      }});
    }
    decoder_.Map(node, "an item", keys);
    if (node.kind != YamlNode::Kind::kMap) return;
    const auto given = std::count_if(node.entries.begin(), node.entries.end(), [](const auto& e) {
      return e.key.text == "text" || e.key.text == "case";
    });
    if (given != 1 && !HasUnknownKey(node)) {
      decoder_.Add(node, "rules/item", "an item has one of `text` and `case`");
    }
    items.push_back(std::move(item));
  }

  static bool IsItemKey(std::string_view key) {
    return std::find(std::begin(kItemKeys), std::end(kItemKeys), key) != std::end(kItemKeys);
  }
  static bool HasUnknownKey(const YamlNode& node) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [](const YamlEntry& entry) { return !IsItemKey(entry.key.text); });
  }

  /// True for an unquoted text with a colon, such as `- Send less: half precision`: a YAML mapping.
  bool IsUnquoted(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kMap || node.entries.size() != 1) return false;
    const YamlNode& key = node.entries.front().key;
    if (IsItemKey(key.text) || key.text.find(' ') == std::string::npos) return false;
    decoder_
        .Add(key, "config/unknown-key",
             fmt::format("unknown key `{}` in an item of {}", PrintableShort(key.text), what_))
        .notes.emplace_back("help: put the text in quotes, since it contains `: `");
    return true;
  }

  Decoder& decoder_;
  std::string_view what_;
};

}  // namespace

std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what) {
  return ItemDecoder(decoder, what).List(node, 0);
}

namespace {

Decoder::Key Required(Decoder::Key key) {
  key.required = true;
  return key;
}

constexpr std::string_view kThresholds = "thresholds.";
constexpr int kUsualEvidence = 10;

/// The entry with this name. Adds it if it is missing.
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

// Reads a default. A number of the analysis is named, not copied, so that it cannot become
// outdated.
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

// Reads a limit: `warn_above: 30%` defines the parameter `warn` of policies and the limit `$warn`.
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
