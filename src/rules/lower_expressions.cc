// Expressions with the names in place that they name.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/metric_id.h"
#include "expr/function.h"
#include "expr/parser.h"
#include "rules/catalogue_words.h"
#include "rules/lowering.h"
#include "rules/rule_decode.h"
#include "rules/rule_schema.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

bool IsToken(const expr::Token& token, expr::TokenKind kind, std::string_view text) {
  return token.kind == kind && token.text == text;
}

/// Facts that are `unknown` where nothing is recorded.
bool IsAlwaysKnown(std::string_view name) {
  return name == "device.vendor" || name == "profile.framework" || name == "profile.format" ||
         name == "profile.workload";
}

/// Whether no parentheses are needed around it.
bool IsPrimary(const std::string& text) {
  const auto ast = expr::Parse(text);
  if (!ast) return false;
  return ast->nodes.back().op <= expr::Op::kCall;
}

}  // namespace

// Nodes are in postfix order: the arguments of a call are the nodes from `first` up to it.
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

// Text is replaced, not a tree: errors of the expanded expression then point at the place in the
// file that each part came from.
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
      definition->inlined = Bounded(Expand(definition->let.value, mode), definition->let);
    }
    return definition->inlined;
  }
  if (definition->is_row) return definition->expanded;
  return std::nullopt;
}

// A sum over rows is of all iterations and devices of the profile, and nobody cares about that
// number: it grows with the recording.
std::size_t Lowering::PerIteration(const SourceText& source, const std::vector<expr::Token>& tokens,
                                   std::size_t i, Inline mode, std::size_t& copied,
                                   TextBuilder& out) {
  std::size_t close = i + 2;
  for (int depth = 1; close < tokens.size() - 1; ++close) {
    if (IsToken(tokens[close], expr::TokenKind::kSymbol, "(")) ++depth;
    if (IsToken(tokens[close], expr::TokenKind::kSymbol, ")") && --depth == 0) break;
  }
  if (close == tokens.size() - 1) return i;  // Parsing says that it is not closed.
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

// The divisor depends on what the rows are: work of devices is divided by iterations and devices,
// work of hosts by iterations and ranks, and not by those that the rows or groups already belong
// to.
//
//     argument                     rows or groups          divided by
//     sum(kernel.time)             one group of all        iterations * GPUs
//     sum(kernel.time)             group_by gpu.id         iterations
//     sum(kernel.time)             group_by rank.id        iterations * GPUs a rank
//     the same of host work        one group of all        iterations * ranks
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

}  // namespace profgauge::rules
