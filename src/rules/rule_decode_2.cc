#include "rules/rule_decode.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "knowledge/thresholds.h"
#include "rules/policy_decode.h"
#include "rules/rule_library.h"

namespace profgauge {
namespace {

constexpr std::string_view kThresholds = "thresholds.";
constexpr int kUsualEvidence = 10;

/// The file as its rules see it.
struct FileScope {
  std::string name_space, category;
  const RuleLibrary& library;
};

std::uint32_t LastLine(const YamlNode& node) {
  std::uint32_t line = node.line;
  for (const YamlNode& item : node.items) line = std::max(line, LastLine(item));
  for (const YamlEntry& entry : node.entries) {
    line = std::max({line, entry.key.line, LastLine(entry.value)});
  }
  return line;
}

/// The entry of that name, which is added if need be.
template <class T>
T& EntryNamed(std::vector<T>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  if (found != all.end()) return *found;
  all.emplace_back().name = name;
  return all.back();
}

/// The keys of a rule. They can be read twice, of a template and then of the rule that uses it:
/// mappings are merged, lists and scalars of the rule replace them.
class RuleReader {
 public:
  RuleReader(Decoder& decoder, const FileScope& scope, Rule& rule)
      : decoder_(decoder), scope_(scope), rule_(rule) {}

  std::vector<Decoder::Key> Keys() {
    return {
        TextKey("title", rule_.title),
        TextKey("title_pass", rule_.title_pass),
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
         [this](const YamlNode& n) {
           rule_.message = DecodeItems(decoder_, n, "message", scope_.library);
         }},
        {"advice",
         [this](const YamlNode& n) {
           rule_.advice = DecodeItems(decoder_, n, "advice", scope_.library);
         }},
        OptionalKey("change", rule_.change),
        OptionalKey("next", rule_.next),
        TextKey("docs", rule_.docs),
    };
  }

 private:
  Decoder::Key TextKey(std::string_view name, std::string& out) {
    return {name, [this, name, &out](const YamlNode& n) { Set(out, decoder_.Text(n, name)); }};
  }
  Decoder::Key SourceKey(std::string_view name, SourceText& out) {
    return {name, [this, name, &out](const YamlNode& n) { Set(out, decoder_.Source(n, name)); }};
  }
  Decoder::Key OptionalKey(std::string_view name, std::optional<SourceText>& out) {
    return {name, [this, name, &out](const YamlNode& n) {
              if (auto source = decoder_.Source(n, name)) out = std::move(source);
            }};
  }

  void Formerly(const YamlNode& node) {
    rule_.formerly.clear();
    for (const SourceText& id : decoder_.Sources(node, "formerly")) {
      rule_.formerly.push_back(id.text);
    }
  }

  void Params(const YamlNode& node) {
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

  void Param(const YamlNode& node, RuleParam& param) {
    const Decoder::Key kKeys[] = {
        {"default", [&](const YamlNode& n) { Default(n, param.default_value); }},
        {"doc", [&](const YamlNode& n) { Set(param.doc, decoder_.Text(n, "doc")); }},
        {"formerly",
         [&](const YamlNode& n) {
           param.formerly.clear();
           for (const SourceText& name : decoder_.OneOrMore(n, "formerly")) {
             param.formerly.push_back(name.text);
           }
         }},
    };
    decoder_.Map(node, "a parameter", kKeys);
  }

  /// A number, or the name of one that is known: `thresholds.few_iterations`.
  void Default(const YamlNode& node, Literal& out) {
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

  void Lets(const YamlNode& node) {
    decoder_.EachEntry(node, "`let`", [this](const YamlNode& key, const YamlNode& value) {
      std::vector<RuleLet> made;
      const bool named = CheckVariable(decoder_, key, "a name in `let`");
      DecodeLet(decoder_, key, value, made);
      if (!named) return;
      for (RuleLet& let : made) EntryNamed(rule_.let, let.name) = std::move(let);
    });
  }

  void Metric(const YamlNode& node) {
    if (!rule_.metric) rule_.metric.emplace();
    RuleMetric& metric = *rule_.metric;
    const auto limit = [this](std::string_view name, std::optional<SourceText>& target) {
      return Decoder::Key{name,
                          [this, &target, name](const YamlNode& n) { Limit(n, name, target); }};
    };
    const Decoder::Key kKeys[] = {
        TextKey("is", metric.is),
        SourceKey("value", metric.value),
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

  /// A number is the default of the parameter `$warn` or `$error`.
  void Limit(const YamlNode& node, std::string_view name, std::optional<SourceText>& target) {
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

  void Gain(const YamlNode& node) {
    if (!rule_.gain) rule_.gain.emplace();
    RuleGain& gain = *rule_.gain;
    const Decoder::Key kKeys[] = {
        SourceKey("value", gain.value),
        {"bound",
         [&](const YamlNode& n) {
           Set(gain.bound, decoder_.OneOf<GainBound>(n, "bound", kBounds));
         }},
        TextKey("why", gain.why),
        TextKey("measured", gain.measured),
        {"scenario", [&](const YamlNode& n) { Scenario(n, gain.scenario); }},
        {"without_waiting",
         [&](const YamlNode& n) {
           Set(gain.without_waiting, decoder_.Bool(n, "without_waiting"));
         }},
    };
    decoder_.Map(node, "`gain`", kKeys);
  }

  void Scenario(const YamlNode& node, std::vector<WhatIfScale>& out) {
    out.clear();
    decoder_.EachItem(node, "`scenario`", [&](const YamlNode& item) {
      WhatIfScale scale;
      const Decoder::Key kKeys[] = {
          {"where", [&](const YamlNode& n) { Set(scale.where, decoder_.Source(n, "where")); },
           true},
          {"by", [&](const YamlNode& n) { Factor(n, scale); }, true},
      };
      decoder_.Map(item, "a change", kKeys);
      out.push_back(std::move(scale));
    });
  }

  void Factor(const YamlNode& node, WhatIfScale& scale) {
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

  void Column(const YamlNode& node, std::vector<EvidenceColumn>& out) {
    EvidenceColumn column;
    if (node.kind == YamlNode::Kind::kScalar) {
      auto value = decoder_.Source(node, "columns");
      if (!value) return;
      column.value = *std::move(value);
      out.push_back(std::move(column));
      return;
    }
    const Decoder::Key kKeys[] = {
        {"head", [&](const YamlNode& n) { Set(column.head, decoder_.Text(n, "head")); }},
        {"value", [&](const YamlNode& n) { Set(column.value, decoder_.Source(n, "value")); }, true},
        {"show_as", [&](const YamlNode& n) { Set(column.show_as, DecodeShowAs(decoder_, n)); }},
        {"style",
         [&](const YamlNode& n) {
           Set(column.is_code, decoder_.OneOf<bool>(n, "style", kStyles));
         }},
    };
    decoder_.Map(node, "a column", kKeys);
    out.push_back(std::move(column));
  }

  void Evidence(const YamlNode& node) {
    if (!rule_.evidence) rule_.evidence.emplace().limit = kUsualEvidence;
    RuleEvidence& evidence = *rule_.evidence;
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
           evidence.columns.clear();
           decoder_.EachItem(n, "`columns`",
                             [&](const YamlNode& item) { Column(item, evidence.columns); });
         }},
    };
    decoder_.Map(node, "`evidence`", kKeys);
  }

  void Explains(const YamlNode& node) {
    rule_.explains.clear();
    rule_.explains_when.clear();
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

  Decoder& decoder_;
  const FileScope& scope_;
  Rule& rule_;
};

// Templates.

/// Parts that the rule takes from its template, whose mistakes were reported there.
void ReadTemplate(const RuleTemplate& used, const FileScope& scope, Rule& rule) {
  Errors ignored;
  Decoder decoder(*used.document, ignored);
  RuleReader reader(decoder, scope, rule);
  decoder.Map(*used.rule, "a rule", reader.Keys());
}

const RuleTemplate* FindTemplate(Decoder& decoder, const YamlNode& node, const FileScope& scope) {
  const auto name = decoder.Text(node, "use");
  if (!name) return nullptr;
  const auto found = scope.library.templates.find(*name);
  if (found != scope.library.templates.end()) return &found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : scope.library.templates) names.push_back(known);
  AddSuggestion(decoder.Add(node, "rules/unknown-template",
                            fmt::format("there is no template `{}`", PrintableShort(*name))),
                *name, names);
  return nullptr;
}

// Rules.

void CheckComplete(Decoder& decoder, const YamlNode& node, const Rule& rule) {
  const auto need = [&](std::string_view key, bool has, std::string_view what = "a rule") {
    if (has || (what == "a rule" && node.Find(key) != nullptr)) return;
    decoder.Add(rule.place, "config/missing-key", fmt::format("{} needs the key `{}`", what, key));
  };
  need("title", !rule.title.empty());
  need("category", !rule.category.empty());
  need("message", !rule.message.empty());
  if (rule.metric) need("value", !rule.metric->value.empty(), "`metric`");
  if (rule.gain) need("value", !rule.gain->value.empty(), "`gain`");
  if (rule.evidence) need("columns", !rule.evidence->columns.empty(), "`evidence`");
  for (const RuleParam& param : rule.params) {
    if (param.doc.empty() && param.name != "warn" && param.name != "error") {
      decoder.Add(param.where, "config/missing-key", "a parameter needs the key `doc`");
    }
  }
}

/// Limits describe themselves unless the rule does; they come first, in the order of reading.
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

void DecodeRule2(Decoder& decoder, const YamlNode& node, const FileScope& scope,
                 std::vector<Rule>& out, Errors& errors) {
  Rule rule;
  rule.schema = 2;
  rule.place = decoder.document().At(node);
  rule.last_line = LastLine(node);
  rule.category = scope.category;
  const std::size_t errors_before = decoder.errors();
  const RuleTemplate* used = nullptr;
  const YamlNode* with = node.Find("with");
  RuleArguments arguments;
  if (const YamlNode* use = node.Find("use")) {
    used = FindTemplate(decoder, *use, scope);
    if (used != nullptr) ReadTemplate(*used, scope, rule);
  }
  std::vector<Decoder::Key> keys = {
      {"id",
       [&](const YamlNode& n) {
         rule.place = decoder.document().At(n);
         if (const auto id = IdPart(decoder, n, "id")) rule.id = scope.name_space + "/" + *id;
       },
       true},
      {"use", [&](const YamlNode& n) { decoder.Text(n, "use"); }},
      {"with",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`with`", [&](const YamlNode& key, const YamlNode& value) {
           arguments[key.text] = DecodeArgument(decoder, key, value);
         });
       }},
  };
  RuleReader reader(decoder, scope, rule);
  for (Decoder::Key& key : reader.Keys()) keys.push_back(std::move(key));
  decoder.Map(node, "a rule", keys);
  if (node.kind != YamlNode::Kind::kMap) return;
  if (rule.for_each.empty() && node.Find("for_each") == nullptr) {
    rule.for_each = {"profile", rule.place.file, {{0, rule.place.line, rule.place.column}}};
  }
  if (used != nullptr) CheckArguments(decoder, rule.place, with, *used, arguments);
  CheckComplete(decoder, node, rule);
  CheckFires(decoder, node, rule);
  LowerRule({scope.library, arguments}, rule, errors);
  CompleteParams(rule);
  CheckDeviceWords(decoder, rule.place, rule.title);
  if (rule.evidence) {
    for (const EvidenceColumn& column : rule.evidence->columns) {
      CheckDeviceWords(decoder, column.value.All(), column.head);
    }
  }
  rule.is_whole = decoder.errors() == errors_before;
  out.push_back(std::move(rule));
}

std::string ScalarOf(const YamlNode& root, std::string_view key) {
  const YamlNode* node = root.Find(key);
  return node != nullptr && node->kind == YamlNode::Kind::kScalar ? node->text : std::string();
}

}  // namespace

void CheckTemplateRule(Decoder& decoder, const YamlNode& node, const RuleLibrary& library) {
  Rule ignored;
  const FileScope scope{"", "", library};
  RuleReader reader(decoder, scope, ignored);
  decoder.Map(node, "a rule", reader.Keys());
}

void DecodeRuleFile2(Decoder& decoder, RuleFile& out) {
  const YamlNode& root = decoder.document().root;
  out.file = decoder.document().file;
  out.name_space = ScalarOf(root, "namespace");
  RuleLibrary library;
  Errors errors;
  std::vector<std::string> importing = {out.file};
  // Before all uses, wherever they are.
  if (const YamlNode* imports = root.Find("imports")) {
    decoder.EachItem(*imports, "`imports`",
                     [&](const YamlNode& item) { AddImport(decoder, item, importing, library); });
  }
  const FileScope scope{out.name_space, ScalarOf(root, "category"), library};
  std::vector<Decoder::Key> keys = {
      {"schema", [&](const YamlNode& n) { decoder.Integer(n, "schema", 2, 2); }, true},
      {"namespace", [&](const YamlNode& n) { IdPart(decoder, n, "namespace"); }},
      {"category", [&](const YamlNode& n) { IdPart(decoder, n, "category"); }},
      {"imports", [&](const YamlNode& n) { decoder.NoteSources(n, "imports"); }},
  };
  const std::vector<Decoder::Key> shared = LibraryKeys(decoder, library);
  for (const Decoder::Key& key : shared) {
    const YamlNode* node = root.Find(key.name);
    if (node != nullptr) key.decode(*node);
    keys.push_back({key.name, [node, decode = key.decode](const YamlNode& n) {
                      if (node == nullptr) decode(n);  // Run only to report its shape.
                    }});
  }
  keys.push_back({"rules", [&](const YamlNode& n) {
                    decoder.EachItem(n, "`rules`", [&](const YamlNode& item) {
                      DecodeRule2(decoder, item, scope, out.rules, errors);
                    });
                  }});
  decoder.Map(root, "a rule file", keys);
  if (root.Find("rules") != nullptr && root.Find("namespace") == nullptr) {
    decoder.Add(root, "config/missing-key", "a rule file needs the key `namespace`");
  }
  decoder.AddAll(std::move(errors));
}

}  // namespace profgauge
