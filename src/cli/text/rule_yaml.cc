// A rule as YAML that says everything itself.
#include <fmt/format.h>

#include <string_view>

#include "cli/text/rules_text.h"
#include "rules/text_builder.h"

namespace profgauge::cli {
namespace {

/// A double-quoted scalar.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

std::string List(const std::vector<SourceText>& texts) {
  std::string out;
  for (const SourceText& text : texts) out += (out.empty() ? "" : ", ") + Quoted(text.text);
  return "[" + out + "]";
}

// Lines of YAML with given indents. Text() and Source() quote, so that no content is taken for
// YAML; Key() and Item() are for words of ours.
class Writer {
 public:
  void Key(int indent, std::string_view key, const std::string& value) {
    text_ += fmt::format("{:{}}{}:{}{}\n", "", indent, key, value.empty() ? "" : " ", value);
  }
  void Item(int indent, const std::string& value) {
    text_ += fmt::format("{:{}}- {}\n", "", indent, value);
  }
  void Text(int indent, std::string_view key, std::string_view value) {
    if (!value.empty()) Key(indent, key, Quoted(value));
  }
  void Source(int indent, std::string_view key, const std::optional<SourceText>& value) {
    if (value) Text(indent, key, value->text);
  }
  void Named(std::string_view key, const std::vector<rules::RuleLet>& lets) {
    if (lets.empty()) return;
    Key(4, key, "");
    for (const rules::RuleLet& let : lets) Text(6, Quoted(let.name), let.value.text);
  }
  void Items(int indent, const std::vector<rules::TextItem>& items) {
    for (const rules::TextItem& item : items) {
      std::string start = fmt::format("{:{}}- ", "", indent);
      if (item.when) {
        text_ += start + "when: " + Quoted(item.when->text) + "\n";
        start = std::string(static_cast<std::size_t>(indent) + 2, ' ');
      }
      if (item.items.empty()) {
        text_ += start + "text: " + Quoted(item.text.text) + "\n";
        continue;
      }
      text_ += start + "case:\n";
      Items(indent + 4, item.items);
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Lists that replace one text: each of its items under its condition.
///
///   - when: a                      - when: (a) and (b)
///     text: [{when: b, text: x},   ->  text: x
///            {text: y}]            - when: a
///                                    text: y
///
/// An item with `case` chooses one of its items, so it stays as it is.
std::vector<rules::TextItem> Flat(const std::vector<rules::TextItem>& items) {
  std::vector<rules::TextItem> out;
  for (const rules::TextItem& item : items) {
    if (item.items.empty() || item.is_case) {
      out.push_back(item);
      out.back().items = Flat(item.items);
      continue;
    }
    for (rules::TextItem inner : Flat(item.items)) {
      if (item.when && inner.when) {
        inner.when->text = fmt::format("({}) and ({})", item.when->text, inner.when->text);
      } else if (item.when) {
        inner.when = item.when;
      }
      out.push_back(std::move(inner));
    }
  }
  return out;
}

void MetricKeys(const rules::RuleMetric& metric, Writer& out) {
  out.Key(4, "metric", "");
  out.Text(6, "is", metric.is);
  out.Text(6, "value", metric.value.text);
  if (const std::string shown = ShowAsText(metric.show_as); !shown.empty()) {
    out.Key(6, "show_as", shown);
  }
  out.Source(6, "warn_above", metric.warn_above);
  out.Source(6, "error_above", metric.error_above);
  out.Source(6, "warn_below", metric.warn_below);
  out.Source(6, "error_below", metric.error_below);
}

void GainKeys(const rules::RuleGain& gain, Writer& out) {
  out.Key(4, "gain", "");
  out.Text(6, "value", gain.value.text);
  out.Key(6, "bound", std::string(rules::GainBoundName(gain.bound)));
  out.Text(6, "why", gain.why);
  out.Text(6, "measured", gain.measured);
  if (!gain.scenario.empty()) out.Key(6, "scenario", "");
  for (const rules::WhatIfScale& scale : gain.scenario) {
    const std::string by =
        scale.by.empty() ? fmt::format("{}", scale.factor) : Quoted(scale.by.text);
    out.Key(8, "- where", Quoted(scale.where.text));
    out.Key(10, "by", by);
  }
  if (gain.without_waiting) out.Key(6, "without_waiting", "true");
  if (gain.keeps_up) out.Key(6, "keeps_up", "true");
}

void EvidenceKeys(const rules::RuleEvidence& evidence, Writer& out) {
  out.Key(4, "evidence", "");
  out.Source(6, "order_by", evidence.order_by);
  out.Key(6, "limit", fmt::format("{}", evidence.limit));
  out.Key(6, "columns", "");
  for (const rules::EvidenceColumn& column : evidence.columns) {
    out.Key(8, "- head", Quoted(column.head));
    out.Text(10, "value", column.value.text);
    if (const std::string shown = ShowAsText(column.show_as); !shown.empty()) {
      out.Key(10, "show_as", shown);
    }
    if (column.is_code) out.Key(10, "style", "code");
  }
}

void ParamKeys(const std::vector<rules::RuleParam>& params, Writer& out) {
  if (!params.empty()) out.Key(4, "params", "");
  for (const rules::RuleParam& param : params) {
    out.Key(6, param.name, "");
    out.Key(8, "default", rules::LiteralText(param.default_value));
    out.Text(8, "doc", param.doc);
  }
}

void ExplainKeys(const rules::Rule& rule, Writer& out) {
  if (rule.explains.empty() && rule.explains_when.empty()) return;
  out.Key(4, "explains", "");
  for (const SourceText& id : rule.explains) out.Item(6, Quoted(id.text));
  for (const rules::RuleLet& entry : rule.explains_when) {
    out.Key(6, "- when", Quoted(entry.value.text));
    out.Text(8, "rule", entry.name);
  }
}

}  // namespace

std::string ExpandedRule(const rules::Rule& rule) {
  const std::size_t slash = rule.id.find('/');
  Writer out;
  out.Key(0, "schema", "2");
  out.Key(0, "namespace", rule.id.substr(0, slash));
  out.Key(0, "rules", "");
  out.Key(2, "- id", rule.id.substr(slash + 1));
  out.Text(4, "title", rule.title);
  out.Text(4, "title_pass", rule.title_pass);
  out.Text(4, "category", rule.category);
  out.Text(4, "source", rule.source);
  out.Text(4, "family", rule.family);
  out.Text(4, "for_each", rule.for_each.text);
  if (!rule.needs.empty()) out.Key(4, "needs", List(rule.needs));
  ParamKeys(rule.params, out);
  out.Source(4, "where", rule.where);
  if (!rule.group_by.empty()) out.Key(4, "group_by", List(rule.group_by));
  if (rule.report == rules::GroupReport::kEach) out.Key(4, "report", "each");
  out.Named("let", rule.let);
  out.Source(4, "when", rule.when);
  if (rule.metric) MetricKeys(*rule.metric, out);
  out.Source(4, "sure_when", rule.sure_when);
  if (rule.level) out.Key(4, "level", std::string(rules::LevelName(*rule.level)));
  if (rule.gain) GainKeys(*rule.gain, out);
  ExplainKeys(rule, out);
  out.Key(4, "message", "");
  out.Items(6, Flat(rule.message));
  if (!rule.advice.empty()) out.Key(4, "advice", "");
  out.Items(6, Flat(rule.advice));
  out.Source(4, "change", rule.change);
  out.Source(4, "next", rule.next);
  out.Text(4, "docs", rule.docs);
  if (rule.evidence) EvidenceKeys(*rule.evidence, out);
  return out.Take();
}

}  // namespace profgauge::cli
