// Replaces names in expressions by the expressions that they stand for.

#include "rules/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/metric_id.h"
#include "base/text.h"
#include "expr/function.h"
#include "expr/message.h"
#include "expr/parser.h"
#include "rules/catalogue_words.h"
#include "rules/rule_decode.h"
#include "rules/rule_schema.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

bool IsToken(const expr::Token& token, expr::TokenKind kind, std::string_view text) {
  return token.kind == kind && token.text == text;
}

/// Facts that have the value `unknown` if nothing is recorded.
bool IsAlwaysKnown(std::string_view name) {
  return name == "device.vendor" || name == "profile.framework" || name == "profile.format" ||
         name == "profile.workload";
}

/// True if the text can be inserted without parentheses.
bool IsPrimary(const std::string& text) {
  const auto ast = expr::Parse(text);
  if (!ast) return false;
  return ast->nodes.back().op <= expr::Op::kCall;
}

}  // namespace

// The nodes of a call's arguments are those from `first` to the call, in postfix order.
NamedFields FieldsOf(const std::string& text) {
  NamedFields out;
  const auto ast = expr::Parse(text);
  if (!ast) return out;
  std::vector<bool> inside(ast->nodes.size(), false);
  for (expr::NodeId id = 0; id < ast->nodes.size(); ++id) {
    const expr::Node& node = ast->nodes[id];
    if (node.op != expr::Op::kCall) continue;
    const expr::Function* function = expr::FindFunction(node.text);
    if (function == nullptr || !function->is_aggregate) continue;
    std::fill(inside.begin() + node.first, inside.begin() + id, true);
  }
  for (expr::NodeId id = 0; id < ast->nodes.size(); ++id) {
    if (ast->nodes[id].op != expr::Op::kField) continue;
    out.all.push_back(ast->nodes[id].text);
    if (!inside[id]) out.free.push_back(ast->nodes[id].text);
  }
  return out;
}

// Replaces text instead of a syntax tree. So an error in the expanded expression points at the
// place in the file from which the wrong part came.
SourceText Lowering::Expand(const SourceText& source, Inline mode) {
  const auto tokens = expr::Tokenize(source.text);
  if (!tokens) return source;  // Compiling reports the error.
  if (!NamesAnything(*tokens)) return source;
  TextBuilder out(source.file);
  std::size_t copied = 0;
  ExpandRange(source, *tokens, 0, tokens->size() - 1, mode, copied, out);
  out.Part(source, copied, source.text.size());
  return out.Take();
}

bool Lowering::NamesAnything(const std::vector<expr::Token>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [this](const expr::Token& token) {
    return token.kind == expr::TokenKind::kWord &&
           (token.text == "per_iteration" || token.text == "share_of_iteration" ||
            IsAlwaysKnown(token.text) || Find(token.text) != nullptr);
  });
}

void Lowering::ExpandRange(const SourceText& source, const std::vector<expr::Token>& tokens,
                           std::size_t begin, std::size_t end, Inline mode, std::size_t& copied,
                           TextBuilder& out) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].kind != expr::TokenKind::kWord) continue;
    const bool is_call = IsToken(tokens[i + 1], expr::TokenKind::kSymbol, "(");
    if (is_call && (tokens[i].text == "per_iteration" || tokens[i].text == "share_of_iteration")) {
      i = PerIteration(source, tokens, i, mode, copied, out);
      continue;
    }
    if (is_call) continue;
    const std::optional<SourceText> text = WordOf(tokens[i].text, mode);
    if (!text) continue;
    out.Part(source, copied, tokens[i].range.begin);
    const bool is_whole = begin == 0 && end == 1;
    const bool plain = is_whole || IsPrimary(text->text);
    out.Inserted(plain ? text->text : "(" + text->text + ")", source.At(tokens[i].range.begin));
    copied = tokens[i].range.end;
  }
}

std::optional<SourceText> Lowering::WordOf(const std::string& word, Inline mode) {
  const auto made = [](std::string text) {
    SourceText out;
    out.text = std::move(text);
    return out;
  };
  if (IsAlwaysKnown(word)) return made(word + " default 'unknown'");
  Definition* definition = Find(word);
  if (definition == nullptr) return std::nullopt;
  if (!Prepare(*definition)) {
    Add(definition->let.where, "rules/circle", fmt::format("`{}` is defined by itself", word));
    return made("0");
  }
  definition->is_used = true;
  if (mode == Inline::kAllNames) {
    if (!definition->inlined) {
      // Prepare() told of a circle; the texts of one would have no end.
      definition->inlined = made("0");
      definition->inlined = Bounded(Expand(definition->let.value, mode), definition->let);
    }
    return definition->inlined;
  }
  if (definition->is_row) return definition->expanded;
  return std::nullopt;
}

// Divides a sum over rows by iterations and devices. The sum itself covers all of them, so it would
// grow with the length of the profile.
std::size_t Lowering::PerIteration(const SourceText& source, const std::vector<expr::Token>& tokens,
                                   std::size_t i, Inline mode, std::size_t& copied,
                                   TextBuilder& out) {
  std::size_t close = i + 2;
  for (int depth = 1; close < tokens.size() - 1; ++close) {
    if (IsToken(tokens[close], expr::TokenKind::kSymbol, "(")) ++depth;
    if (IsToken(tokens[close], expr::TokenKind::kSymbol, ")") && --depth == 0) break;
  }
  if (close == tokens.size() - 1) return i;  // The parser reports the unclosed call.
  const Where where = source.At(tokens[i].range.begin, tokens[i].text.size());
  out.Part(source, copied, tokens[i].range.begin);
  TextBuilder argument(source.file);
  std::size_t inner = tokens[i + 1].range.end;
  ExpandRange(source, tokens, i + 2, close, mode, inner, argument);
  argument.Part(source, inner, tokens[close].range.begin);
  const SourceText text = argument.Take();
  const bool plain = IsPrimary(text.text);
  out.Inserted(plain ? "(" : "((", where);
  out.Part(text, 0, text.text.size());
  out.Inserted((plain ? " / " : ") / ") + DivisorOf(text.text, where), where);
  if (tokens[i].text == "share_of_iteration") {
    out.Inserted(fmt::format(" / {}", metric::kIterationTimeMean.text()), where);
  }
  out.Inserted(")", where);
  copied = tokens[close].range.end;
  return close;
}

// The divisor depends on the rows: device work is divided by iterations and devices, host work by
// iterations and ranks. Factors that the rows or groups already have are omitted.
//
//     argument                     rows or groups          divided by
//     sum(kernel.time)             one group of all        iterations * GPUs
//     sum(kernel.time)             group_by gpu.id         iterations
//     sum(kernel.time)             group_by rank.id        iterations * GPUs a rank
//     the same for host work       one group of all        iterations * ranks
//     kernel.time                  each row has its GPU    iterations
std::string Lowering::DivisorOf(const std::string& argument, const Where& where) {
  const NamedFields fields = FieldsOf(argument);
  const auto host = std::count_if(fields.all.begin(), fields.all.end(), IsHostWork);
  const auto device = std::count_if(fields.all.begin(), fields.all.end(), IsDeviceWork);
  if (host > 0 && device > 0) {
    Add(where, "rules/per-iteration",
        "`per_iteration` adds work of hosts and of devices; divide each by itself");
  }
  const bool is_row = std::any_of(fields.free.begin(), fields.free.end(),
                                  [this](const std::string& name) { return IsRowField(name); });
  const bool has_rank = HasRow("rank"), has_gpu = HasRow("gpu");
  if (has_rank && !has_gpu && (is_row || HasKey("rank"))) return "rank.iterations";
  const std::string iterations(metric::kProfileIterations.text());
  if (is_row ? has_gpu : HasKey("gpu")) return iterations;
  std::string shared_by =
      fmt::format("greatest(profile.{} default 1, 1)", host > 0 ? "ranks" : "gpus");
  if (!is_row && HasKey("rank")) {
    if (host > 0) return iterations;
    shared_by = "greatest((profile.gpus / profile.ranks) default 1, 1)";
  }
  return fmt::format("({} * {})", iterations, shared_by);
}

bool Lowering::HasRow(std::string_view enclosing) const {
  return schema_.table != nullptr &&
         (schema_.table->row_name == enclosing || !LinkColumns(*schema_.table, enclosing).empty());
}

bool Lowering::HasKey(std::string_view enclosing) const {
  return std::any_of(schema_.keys.begin(), schema_.keys.end(), [&](const RuleSchema::Key& key) {
    if (key.joined != nullptr) return key.joined->row_name == enclosing;
    return schema_.table->row_name == enclosing && key.column == "id";
  });
}

// Expands each `let` name (words, names of the file and of the rule) once, in the order in which
// they use each other.

namespace {

constexpr std::size_t kLongestName = 10'000;

}  // namespace

void Lowering::AddDefinitions() {
  for (const RuleLet& let : BuiltinWords()) definitions_.emplace_back().let = let;
  for (const RuleLet& let : file_let_) definitions_.emplace_back().let = let;
  for (const RuleLet& let : rule_.let) {
    const auto known = std::ranges::find(file_let_, let.name, &RuleLet::name);
    if (known != file_let_.end()) {
      Add(let.where, "rules/name",
          fmt::format("`{}` is already a name of {}:{}", let.name,
                      Printable(std::filesystem::path(known->where.file).filename().string()),
                      known->where.line));
    }
    Definition& own = definitions_.emplace_back();
    own.let = let;
    own.is_own = true;
  }
}

Lowering::Definition* Lowering::Find(std::string_view name) {
  // The last definition is used: names of the rule precede those of its file, and these words.
  const auto found = std::find_if(definitions_.rbegin(), definitions_.rend(),
                                  [name](const Definition& d) { return d.let.name == name; });
  return found == definitions_.rend() ? nullptr : &*found;
}

bool Lowering::IsRowField(const std::string& name) {
  const expr::Slot slot = schema_.schema.Find(name);
  return slot != expr::Schema::kNone && schema_.schema[slot].scope == expr::Scope::kRow;
}

bool Lowering::Prepare(Definition& definition) {
  if (definition.state == Definition::State::kBusy) return false;
  if (definition.state == Definition::State::kReady) return true;
  definition.state = Definition::State::kBusy;
  definition.expanded = Bounded(Expand(definition.let.value), definition.let);
  const NamedFields fields = FieldsOf(definition.expanded.text);
  definition.is_row = std::any_of(fields.free.begin(), fields.free.end(),
                                  [this](const std::string& name) { return IsRowField(name); });
  definition.state = Definition::State::kReady;
  return true;
}

SourceText Lowering::Bounded(SourceText text, const RuleLet& let) {
  if (text.text.size() <= kLongestName) return text;
  Add(let.where, "expr/too-large",
      fmt::format("`{}` is longer than {} bytes, with the names that it uses", let.name,
                  kLongestName));
  text.text = "0";
  text.runs.resize(1);
  return text;
}

void Lowering::TakeNames() {
  for (Definition& definition : definitions_) {
    if (definition.is_own) Prepare(definition);
  }
  rule_.let.clear();
  rule_.row_names.clear();
  for (Definition& definition : definitions_) {
    if (definition.is_used || definition.is_own) Give(definition);
  }
}

void Lowering::Give(Definition& definition) {
  if (definition.is_given) return;
  definition.is_given = true;
  if (const auto tokens = expr::Tokenize(definition.expanded.text)) {
    for (const expr::Token& token : *tokens) {
      Definition* used = token.kind == expr::TokenKind::kWord ? Find(token.text) : nullptr;
      if (used != nullptr && used->state == Definition::State::kReady) Give(*used);
    }
  }
  definition.let.value = definition.expanded;
  (definition.is_row ? rule_.row_names : rule_.let).push_back(definition.let);
}

namespace {

using expr::Token;
using expr::TokenKind;

}  // namespace

// `where` and scenarios select rows and events before groups exist, so names in them are replaced
// by their expressions. Elsewhere, a `let` name is computed once per group.
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

// Expands holes up to their format:
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

// Most evidence columns are columns of the rule's table, whose heads are in the catalog.
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
