#include "rules/lowering.h"
#include "rules/rule_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/metric_id.h"
#include "base/text.h"
#include "expr/message.h"
#include "expr/parser.h"
#include "rules/catalogue_words.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

using expr::Token;
using expr::TokenKind;

}  // namespace

// `where` and scenarios select rows and events before there are groups, so names become their
// expressions there; everywhere else a name of `let` is computed once for a group.
void Lowering::Run() {
  AddDefinitions();
  Replace(rule_.where, Inline::kAllNames);
  Replace(rule_.when);
  Replace(rule_.sure_when);
  if (rule_.metric) Metric(*rule_.metric);
  if (rule_.gain) Gain(*rule_.gain);
  Items(rule_.message);
  Items(rule_.advice);
  if (rule_.next) rule_.next = Text(*rule_.next);
  if (rule_.change) rule_.change = Text(*rule_.change);
  for (RuleLet& entry : rule_.explains_when) entry.value = Expand(entry.value);
  if (rule_.evidence) Evidence(*rule_.evidence);
  TakeNames();
}

void Lowering::Metric(RuleMetric& metric) {
  metric.value = Expand(metric.value);
  if (metric.of) metric.of = Text(*metric.of);
  Replace(metric.warn_above);
  Replace(metric.error_above);
  Replace(metric.warn_below);
  Replace(metric.error_below);
  if (metric.show_as.kind != ShowAs::Kind::kAuto) return;
  for (const RuleParam& param : rule_.params) {
    const bool is_limit = param.name == "warn" || param.name == "error";
    if (is_limit && param.default_value.unit == Unit::kShare) {
      metric.show_as.kind = ShowAs::Kind::kPercent;
    }
  }
}

void Lowering::Gain(RuleGain& gain) {
  gain.value = Expand(gain.value);
  if (gain.at_most) gain.at_most = Expand(*gain.at_most);
  for (WhatIfScale& scale : gain.scenario) {
    scale.where = Expand(scale.where, Inline::kAllNames);
    if (!scale.by.empty()) scale.by = Expand(scale.by, Inline::kAllNames);
  }
}

void Lowering::Items(std::vector<TextItem>& items) {
  for (TextItem& item : items) {
    Replace(item.when);
    if (!item.text.empty()) item.text = Text(item.text);
    Items(item.items);
  }
}

// Holes are expanded up to their format:
//
//     `{{ slow | code }}` takes long
//         ^^^^          an expression: its names are replaced
//              ^^^^^^   the format stays
SourceText Lowering::Text(const SourceText& source) {
  TextBuilder out(source.file);
  std::size_t copied = 0;
  for (std::size_t open = source.text.find("{{"); open != std::string::npos;
       open = source.text.find("{{", open + 2)) {
    const std::size_t close = expr::FindOutsideTexts(source.text, "}}", open + 2);
    if (close == std::string::npos) break;
    const std::size_t bar = std::min(expr::FindOutsideTexts(source.text, "|", open + 2), close);
    TextBuilder hole(source.file);
    hole.Part(source, open + 2, bar);
    const SourceText inside = hole.Take();
    const SourceText expanded = Expand(inside);
    if (expanded.text == inside.text) continue;
    out.Part(source, copied, open + 2);
    out.Part(expanded, 0, expanded.text.size());
    copied = bar;
  }
  out.Part(source, copied, source.text.size());
  return out.Take();
}

void Lowering::Evidence(RuleEvidence& evidence) {
  Replace(evidence.order_by);
  for (EvidenceColumn& column : evidence.columns) {
    if (column.head.empty()) NameColumn(column);
    column.value = Expand(column.value);
  }
}

// Most columns of evidence are columns of the rule's table: their heads are written once, in the
// catalog.
void Lowering::NameColumn(EvidenceColumn& column) {
  constexpr std::string_view kPerIteration = "per_iteration(";
  std::string_view field = Trim(column.value.text);
  const bool is_per_iteration = field.starts_with(kPerIteration) && field.ends_with(')');
  if (is_per_iteration) {
    field = Trim(field.substr(kPerIteration.size(), field.size() - kPerIteration.size() - 1));
  }
  const ColumnSpec* spec = FindRowColumn(field);
  if (spec == nullptr) {
    Add(column.value.All(), "rules/column",
        fmt::format("`{}` is no column of a table, so it needs a `head`",
                    PrintableShort(column.value.text)));
    return;
  }
  column.head = std::string(spec->title) + (is_per_iteration ? " / iteration" : "");
  column.is_code = IsCodeColumn(field);
}

void LowerRule(const std::vector<RuleLet>& file_let, Rule& rule, Errors& errors) {
  Lowering(file_let, rule, errors).Run();
}

}  // namespace profgauge::rules
