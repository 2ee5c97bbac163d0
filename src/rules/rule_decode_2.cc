#include "rules/rule_decode.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "rules/rule_library.h"
#include "rules/rule_reader.h"

namespace profgauge::rules {
namespace {

std::uint32_t LastLine(const YamlNode& node) {
  std::uint32_t line = node.line;
  for (const YamlNode& item : node.items) line = std::max(line, LastLine(item));
  for (const YamlEntry& entry : node.entries) {
    line = std::max({line, entry.key.line, LastLine(entry.value)});
  }
  return line;
}

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

// The template's rule is read into `rule` first, then the rule's own keys over it; then
// arguments and names are put in. Errors of the lowering go to `errors`, since they count as errors
// of expressions, not of keys: is_whole is only about keys.
void DecodeRule2(Decoder& decoder, const YamlNode& node, const FileScope& scope,
                 std::vector<Rule>& out, Errors& errors) {
  Rule rule;
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

// The text of a key that is needed before the keys are read in order; errors are reported then.
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

void DecodeRuleFile(Decoder& decoder, RuleFile& out) {
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
      {"schema",
       [&](const YamlNode& n) {
         decoder.Schema(
             n, 2, "write `schema: 2`, and the rules with its keys (`profgauge schema rules`)");
       },
       true},
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

}  // namespace profgauge::rules
