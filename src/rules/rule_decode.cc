#include "rules/rule_decode.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "rules/rule_reader.h"

namespace profgauge::rules {
namespace {

/// The file as its rules see it.
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

// Errors of the lowering go to `errors`, since they count as errors of expressions, not of keys:
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

// The text of a key that is needed before the keys are read in order; errors are reported then.
std::string ScalarOf(const YamlNode& root, std::string_view key) {
  const YamlNode* node = root.Find(key);
  return node != nullptr && node->kind == YamlNode::Kind::kScalar ? node->text : std::string();
}

/// The names of a file.
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
  // Before all uses, wherever they are.
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
         if (root.Find("let") == nullptr) ReadLet(decoder, n, scope.let);  // Only its shape.
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

}  // namespace profgauge::rules
