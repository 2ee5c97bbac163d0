#include "rules/rule_decode.h"

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
#include "rules/rule_schema.h"
#include "rules/text_builder.h"

namespace profgauge {
namespace {

using expr::Token;
using expr::TokenKind;

constexpr std::string_view kArgument = "with.";
constexpr std::size_t kLongestName = 10'000;

/// Which names are replaced by their expressions.
enum class Inline : std::uint8_t {
  kRowNames,  ///< Those of rows; the others have a value for each group.
  kAllNames,  ///< All: there is no group yet.
};

bool IsToken(const Token& token, TokenKind kind, std::string_view text) {
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

/// Fields of an expression that are outside of aggregates, then all.
struct NamedFields {
  std::vector<std::string> free, all;
};
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

class Lowering {
 public:
  Lowering(const LowerContext& context, Rule& rule, Errors& errors)
      : context_(context), rule_(rule), errors_(errors) {
    Errors ignored;  // Compiling reports them again.
    schema_ = BuildRuleSchema(rule, ignored);
  }

  void Run() {
    AddDefinitions();
    rule_.title = PlainText(rule_.title);
    rule_.title_pass = PlainText(rule_.title_pass);
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

 private:
  struct Definition {
    RuleLet let;
    bool is_own = false;  ///< A name of the rule, not shared.
    enum class State : std::uint8_t { kNew, kBusy, kReady } state = State::kNew;
    bool is_row = false, is_used = false, is_given = false;
    SourceText expanded;
    std::optional<SourceText> inlined;  ///< Without any name.
  };

  void Add(const Where& where, std::string code, std::string message) {
    errors_.push_back({ErrorKind::kConfig, std::move(code), std::move(message), where, {}});
  }

  // Names.

  void AddDefinitions() {
    for (const RuleLet& let : context_.library.let) definitions_.emplace_back().let = let;
    const std::size_t shared = definitions_.size();
    for (const RuleLet& let : rule_.let) {
      const auto end = definitions_.begin() + static_cast<std::ptrdiff_t>(shared);
      const auto known = std::find_if(definitions_.begin(), end, [&let](const Definition& other) {
        return other.let.name == let.name;
      });
      if (known != end) {
        Add(let.where, "rules/name",
            fmt::format("`{}` is already a name of {}:{}", let.name,
                        Printable(std::filesystem::path(known->let.where.file).filename().string()),
                        known->let.where.line));
      }
      Definition& own = definitions_.emplace_back();
      own.let = let;
      own.is_own = true;
    }
  }

  Definition* Find(std::string_view name) {
    // Names of the rule itself win.
    const auto found = std::find_if(definitions_.rbegin(), definitions_.rend(),
                                    [name](const Definition& d) { return d.let.name == name; });
    return found == definitions_.rend() ? nullptr : &*found;
  }

  bool IsRowField(const std::string& name) {
    const expr::Slot slot = schema_.schema.Find(name);
    return slot != expr::Schema::kNone && schema_.schema[slot].scope == expr::Scope::kRow;
  }

  /// Expands its own expression. False: it is being expanded just now.
  bool Prepare(Definition& definition) {
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

  /// Names of rows that name others twice grow by powers.
  SourceText Bounded(SourceText text, const RuleLet& let) {
    if (text.text.size() <= kLongestName) return text;
    Add(let.where, "expr/too-large",
        fmt::format("`{}` is longer than {} bytes, with the names that it uses", let.name,
                    kLongestName));
    text.text = "0";
    text.runs.resize(1);
    return text;
  }

  void TakeNames() {
    for (Definition& definition : definitions_) {
      if (definition.is_own) Prepare(definition);
    }
    rule_.let.clear();
    rule_.row_names.clear();
    for (Definition& definition : definitions_) {
      if (definition.is_used || definition.is_own) Give(definition);
    }
  }

  /// Adds a name to the rule, after those that it uses.
  void Give(Definition& definition) {
    if (definition.is_given) return;
    definition.is_given = true;
    if (const auto tokens = expr::Tokenize(definition.expanded.text)) {
      for (const Token& token : *tokens) {
        Definition* used = token.kind == TokenKind::kWord ? Find(token.text) : nullptr;
        if (used != nullptr && used->state == Definition::State::kReady) Give(*used);
      }
    }
    definition.let.value = definition.expanded;
    (definition.is_row ? rule_.row_names : rule_.let).push_back(definition.let);
  }

  // Expressions.

  void Replace(std::optional<SourceText>& source, Inline mode = Inline::kRowNames) {
    if (source) source = Expand(*source, mode);
  }

  SourceText Expand(const SourceText& source, Inline mode = Inline::kRowNames) {
    const auto tokens = expr::Tokenize(source.text);
    if (!tokens) return source;  // Compiling reports the error.
    if (!NamesAnything(*tokens)) return source;
    TextBuilder out(source.file);
    std::size_t copied = 0;
    ExpandRange(source, *tokens, 0, tokens->size() - 1, mode, copied, out);
    out.Part(source, copied, source.text.size());
    return out.Take();
  }

  bool NamesAnything(const std::vector<Token>& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), [this](const Token& token) {
      return token.kind == TokenKind::kWord &&
             (token.text.starts_with(kArgument) || token.text == "per_iteration" ||
              token.text == "share_of_iteration" || IsAlwaysKnown(token.text) ||
              Find(token.text) != nullptr || context_.library.sets.contains(token.text) ||
              context_.library.patterns.contains(token.text));
    });
  }

  /// Tokens [begin, end). `copied`: how far the text is in `out` already.
  void ExpandRange(const SourceText& source, const std::vector<Token>& tokens, std::size_t begin,
                   std::size_t end, Inline mode, std::size_t& copied, TextBuilder& out) {
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens[i].kind != TokenKind::kWord) continue;
      const bool is_call = IsToken(tokens[i + 1], TokenKind::kSymbol, "(");
      if (is_call &&
          (tokens[i].text == "per_iteration" || tokens[i].text == "share_of_iteration")) {
        i = PerIteration(source, tokens, i, mode, copied, out);
        continue;
      }
      if (is_call) continue;
      const std::string_view before = i > 0 ? std::string_view(tokens[i - 1].text) : "";
      const std::optional<SourceText> text = WordOf(source, tokens[i], before, mode);
      if (!text) continue;
      out.Part(source, copied, tokens[i].range.begin);
      const bool is_whole = begin == 0 && end == 1;
      const bool plain = is_whole || text->text.starts_with('[') || IsPrimary(text->text);
      out.Inserted(plain ? text->text : "(" + text->text + ")", source.At(tokens[i].range.begin));
      copied = tokens[i].range.end;
    }
  }

  /// The replacement of a word; nothing: itself.
  std::optional<SourceText> WordOf(const SourceText& source, const Token& token,
                                   std::string_view before, Inline mode) {
    const auto made = [](std::string text) {
      SourceText out;
      out.text = std::move(text);
      return out;
    };
    const std::string& word = token.text;
    if (word.starts_with(kArgument)) return ArgumentOf(source, token, before, mode);
    if (before == "in") {
      const auto set = context_.library.sets.find(word);
      if (set != context_.library.sets.end()) return made(ListText(set->second.values));
    }
    if (before == "matches") {
      const auto pattern = context_.library.patterns.find(word);
      if (pattern != context_.library.patterns.end()) {
        return made(QuotedText(pattern->second.pattern));
      }
    }
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

  std::optional<SourceText> ArgumentOf(const SourceText& source, const Token& token,
                                       std::string_view before, Inline mode) {
    const auto found = context_.arguments.find(token.text.substr(kArgument.size()));
    if (found == context_.arguments.end()) {
      Add(source.At(token.range.begin, token.text.size()), "rules/argument",
          fmt::format("there is no argument `{}`", token.text));
      return std::nullopt;
    }
    const RuleArgument& argument = found->second;
    SourceText out;
    switch (argument.type) {
      case ArgumentType::kList:
        if (before != "in") {
          Add(source.At(token.range.begin, token.text.size()), "rules/argument",
              fmt::format("`{}` is a list; write `x in {}`", token.text, token.text));
        }
        out.text = ListText(argument.list);
        return out;
      case ArgumentType::kRegex:
      case ArgumentType::kText:
        out.text = QuotedText(argument.text.text);
        return out;
      case ArgumentType::kNumber:
        return argument.text;
      case ArgumentType::kExpression:
        return Expand(argument.text, mode);
    }
    return std::nullopt;
  }

  static std::string ListText(const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) {
      list += (list.empty() ? "" : ", ") + QuotedText(value);
    }
    return "[" + list + "]";
  }

  /// `per_iteration(x)` at token `i`; gives the token of its `)`.
  std::size_t PerIteration(const SourceText& source, const std::vector<Token>& tokens,
                           std::size_t i, Inline mode, std::size_t& copied, TextBuilder& out) {
    std::size_t close = i + 2;
    for (int depth = 1; close < tokens.size() - 1; ++close) {
      if (IsToken(tokens[close], TokenKind::kSymbol, "(")) ++depth;
      if (IsToken(tokens[close], TokenKind::kSymbol, ")") && --depth == 0) break;
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

  /// The iterations and devices (of host work: ranks) over which `argument` adds up.
  std::string DivisorOf(const std::string& argument, const Where& where) {
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

  /// Whether each row belongs to one `enclosing`, or is it.
  bool HasRow(std::string_view enclosing) const {
    return schema_.table != nullptr && (schema_.table->row_name == enclosing ||
                                        !LinkColumns(*schema_.table, enclosing).empty());
  }
  bool HasKey(std::string_view enclosing) const {
    return std::any_of(schema_.keys.begin(), schema_.keys.end(), [&](const RuleSchema::Key& key) {
      if (key.joined != nullptr) return key.joined->row_name == enclosing;
      return schema_.table->row_name == enclosing && key.column == "id";
    });
  }

  // Parts of the rule.

  void Metric(RuleMetric& metric) {
    metric.is = PlainText(metric.is);
    metric.value = Expand(metric.value);
    LimitParam(metric.warn_above, "warn");
    LimitParam(metric.error_above, "error");
    LimitParam(metric.warn_below, "warn");
    LimitParam(metric.error_below, "error");
    if (metric.show_as.kind != ShowAs::Kind::kAuto) return;
    for (const RuleParam& param : rule_.params) {
      const bool is_limit = param.name == "warn" || param.name == "error";
      if (is_limit && param.default_value.unit == Unit::kShare) {
        metric.show_as.kind = ShowAs::Kind::kPercent;
      }
    }
  }

  /// A limit that is a template's argument is a parameter as if it were written out.
  void LimitParam(std::optional<SourceText>& limit, std::string_view name) {
    if (!limit) return;
    const bool is_argument = limit->text.starts_with(kArgument);
    Replace(limit);
    if (!is_argument) return;
    const auto literal = ParseLiteral(Trim(limit->text));
    if (!literal) return;
    const auto known = std::ranges::find(rule_.params, name, &RuleParam::name);
    RuleParam& param = known == rule_.params.end() ? rule_.params.emplace_back() : *known;
    param.name = name;
    param.default_value = *literal;
    param.where = limit->All();
    limit->text = fmt::format("${}", name);
    limit->runs.resize(std::min<std::size_t>(limit->runs.size(), 1));
  }

  void Gain(RuleGain& gain) {
    gain.value = Expand(gain.value);
    for (WhatIfScale& scale : gain.scenario) {
      scale.where = Expand(scale.where, Inline::kAllNames);
      if (!scale.by.empty()) scale.by = Expand(scale.by, Inline::kAllNames);
    }
  }

  void Items(std::vector<TextItem>& items) {
    for (TextItem& item : items) {
      Replace(item.when);
      if (!item.text.empty()) item.text = Text(item.text);
      Items(item.items);
    }
  }

  /// A text with only `{{ with.noun }}`.
  std::string PlainText(std::string text) {
    SourceText source;
    source.text = std::move(text);
    return WithArguments(source).text;
  }

  SourceText WithArguments(const SourceText& source) {
    TextBuilder out(source.file);
    std::size_t copied = 0;
    for (std::size_t open = source.text.find("{{"); open != std::string::npos;
         open = source.text.find("{{", open + 2)) {
      const std::size_t close = expr::FindOutsideTexts(source.text, "}}", open + 2);
      if (close == std::string::npos) break;
      const std::string_view inside =
          Trim(std::string_view(source.text).substr(open + 2, close - open - 2));
      if (!inside.starts_with(kArgument)) continue;
      const auto argument = context_.arguments.find(inside.substr(kArgument.size()));
      if (argument == context_.arguments.end()) continue;
      if (argument->second.type == ArgumentType::kExpression) continue;
      out.Part(source, copied, open);
      out.Inserted(argument->second.text.text, source.At(open));
      copied = close + 2;
    }
    out.Part(source, copied, source.text.size());
    return out.Take();
  }

  SourceText Text(const SourceText& with_arguments) {
    const SourceText source = WithArguments(with_arguments);
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

  void Evidence(RuleEvidence& evidence) {
    Replace(evidence.order_by);
    for (EvidenceColumn& column : evidence.columns) {
      if (column.head.empty()) NameColumn(column);
      column.head = PlainText(column.head);
      column.value = Expand(column.value);
    }
  }

  /// `kernel.calls` and `per_iteration(kernel.calls)` have the head and style of their column.
  void NameColumn(EvidenceColumn& column) {
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

  const LowerContext& context_;
  Rule& rule_;
  Errors& errors_;
  RuleSchema schema_;
  std::vector<Definition> definitions_;
};

}  // namespace

void LowerRule(const LowerContext& context, Rule& rule, Errors& errors) {
  Lowering(context, rule, errors).Run();
}

}  // namespace profgauge
