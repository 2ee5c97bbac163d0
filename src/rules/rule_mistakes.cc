#include "rules/rule_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/metric_id.h"
#include "expr/function.h"
#include "rules/catalogue_words.h"

namespace profgauge::rules {

void DropConsequences(const Rule& rule, Errors& errors) {
  constexpr std::string_view kOnTheirOwn[] = {
      "expr/ambiguous-default", "expr/never-equal", "expr/pattern",       "expr/syntax",
      "expr/too-large",         "rules/group-by",   "rules/unknown-rows", "expr/unknown-function"};
  if (rule.is_whole) return;
  std::erase_if(errors, [&](const Error& error) {
    const bool names_field = error.code == "expr/unknown-field" &&
                             error.message.find('.') != std::string::npos &&
                             error.message.find('$') == std::string::npos;
    return !names_field && std::ranges::find(kOnTheirOwn, error.code) == std::end(kOnTheirOwn);
  });
}

void NameUser(const Rule& rule, Errors& errors) {
  for (Error& error : errors) {
    const bool is_own = error.where.file == rule.place.file &&
                        error.where.line >= rule.place.line && error.where.line <= rule.last_line;
    if (is_own || error.where.line == 0) continue;
    error.notes.push_back(fmt::format("note: used by {}", PlaceText(rule.place)));
  }
}

namespace {

using expr::FunctionId;
using expr::Node;
using expr::NodeId;
using expr::Op;
using expr::Program;

/// An expression of a rule, with the place of its text.
struct Part {
  const Program& program;
  const SourceText& source;
};

Error WarningAt(const Part& part, NodeId id, std::string code, std::string message,
                std::string help) {
  const expr::Range range = part.program.ast().nodes[id].range;
  return {ErrorKind::kConfig,
          std::move(code),
          std::move(message),
          part.source.At(range.begin, range.end - range.begin),
          {"help: " + std::move(help)}};
}

/// Finds constants that replace absent data (`x default 0`) and may make the result smaller, so
/// that the rule silently passes. Skips subtrahends and divisors, whose absence makes it larger,
/// and a `default` that is itself an argument of `least` or `greatest`, which is only a limit.
class SilentPass {
 public:
  explicit SilentPass(CompiledRule& rule) : rule_(rule), seen_(rule.lets.size(), false) {}

  void Look(const Program& program, const SourceText& source) {
    const Part part{program, source};
    Walk(part, static_cast<NodeId>(program.ast().nodes.size() - 1));
  }

 private:
  void Walk(const Part& part, NodeId id) {
    const Node& node = part.program.ast().nodes[id];
    switch (node.op) {
      case Op::kDefault:
        Default(part, id);
        return Walk(part, node.children[0]);
      case Op::kField:
        return Name(part.program.info()[id].slot);
      case Op::kSubtract:
      case Op::kDivide:
        return Walk(part, node.children[0]);
      case Op::kAdd:
      case Op::kMultiply:
        Walk(part, node.children[0]);
        return Walk(part, node.children[1]);
      case Op::kCall:
        return Call(part, id);
      default:
        return;
    }
  }

  void Call(const Part& part, NodeId id) {
    const Node& node = part.program.ast().nodes[id];
    const expr::Function& function = *part.program.info()[id].function;
    if (function.is_aggregate) {
      if (!node.children.empty()) Walk(part, node.children[0]);
      return;
    }
    const bool bounds = function.id == FunctionId::kLeast || function.id == FunctionId::kGreatest;
    for (std::size_t i = function.id == FunctionId::kIf ? 1 : 0; i < node.children.size(); ++i) {
      const bool is_bound = bounds && part.program.ast().nodes[node.children[i]].op == Op::kDefault;
      if (!is_bound) Walk(part, node.children[i]);
    }
  }

  /// Continues in the expression of a `let` name.
  void Name(expr::Slot slot) {
    for (std::size_t i = 0; i < rule_.lets.size(); ++i) {
      if (rule_.lets[i].slot != slot || seen_[i]) continue;
      seen_[i] = true;
      const RuleLet* let = FindLet(rule_.names.schema[slot].name);
      if (let == nullptr) return;
      const Part part{rule_.lets[i].value, let->value};
      return Walk(part, static_cast<NodeId>(part.program.ast().nodes.size() - 1));
    }
  }
  const RuleLet* FindLet(const std::string& name) const {
    for (const RuleLet& let : rule_.rule->let) {
      if (let.name == name) return &let;
    }
    return nullptr;
  }

  void Default(const Part& part, NodeId id) {
    const auto& nodes = part.program.ast().nodes;
    const NodeId fallback = nodes[id].children[1];
    for (NodeId below = nodes[fallback].first; below <= fallback; ++below) {
      const bool is_param = nodes[below].text.starts_with('$');
      if (nodes[below].op == Op::kField && !is_param) return;
    }
    const NodeId value = nodes[id].children[0];
    for (NodeId below = nodes[value].first; below <= value; ++below) {
      if (nodes[below].op != Op::kField || !IsData(part.program.info()[below].slot)) continue;
      rule_.warnings.push_back(WarningAt(
          part, id, "rules/silent-pass",
          fmt::format("without `{}` the rule judges a constant", nodes[below].text),
          fmt::format("add `{}` to `needs`, or leave the default out: the rule is then not "
                      "applicable without it",
                      nodes[below].text)));
      return;
    }
  }

  /// True if a profile may not have the field, and `needs` does not list it.
  bool IsData(expr::Slot slot) const {
    const Binding::Kind kind = rule_.names.bindings[slot].kind;
    return kind != Binding::Kind::kParam && kind != Binding::Kind::kComputed &&
           std::ranges::find(rule_.needs, slot) == rule_.needs.end();
  }

  CompiledRule& rule_;
  std::vector<bool> seen_;  ///< `let` names that were visited.
};

/// True if the rows of a group belong to one device or one rank.
bool IsOfOne(const CompiledRule& rule) {
  return std::ranges::any_of(rule.names.keys, [&](const RuleSchema::Key& key) {
    const analysis::TableSpec* table = key.joined != nullptr ? key.joined : rule.names.table;
    return table->row_name == "gpu" || table->row_name == "rank" || key.column == "gpu" ||
           key.column == "rank";
  });
}

void AddPooledGain(CompiledRule& rule) {
  if (!rule.gain || IsOfOne(rule)) return;
  const auto& nodes = rule.gain->ast().nodes;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    if (nodes[id].op != Op::kDivide) continue;
    const Node& by = nodes[nodes[id].children[1]];
    if (by.op != Op::kField || by.text != metric::kProfileIterations.text()) continue;
    const NodeId work = nodes[id].children[0];
    if (nodes[work].op == Op::kDivide) continue;  // Probably divides by the number of devices.
    for (NodeId below = nodes[work].first; below <= work; ++below) {
      const bool is_sum =
          nodes[below].op == Op::kCall && rule.gain->info()[below].function->id == FunctionId::kSum;
      if (!is_sum) continue;
      const bool is_pooled = std::any_of(
          nodes.begin() + nodes[below].first, nodes.begin() + below, [](const Node& node) {
            return node.op == Op::kField && IsDeviceWork(node.text) && node.text.find("rank.") != 0;
          });
      if (!is_pooled) continue;
      rule.warnings.push_back(
          WarningAt({*rule.gain, rule.rule->gain->value}, id, "rules/pooled-gain",
                    "the gain divides work of all devices only by iterations",
                    "write `per_iteration(…)`, which divides by the devices too"));
      return;
    }
  }
}

}  // namespace

void AddWarnings(CompiledRule& rule) {
  SilentPass silent(rule);
  if (rule.rule->metric) {
    const RuleMetric& metric = *rule.rule->metric;
    if (rule.metric) silent.Look(*rule.metric, metric.value);
    for (const CompiledRule::Limit& limit : rule.limits) {
      const auto& source = limit.level == Level::kError
                               ? (limit.above ? metric.error_above : metric.error_below)
                               : (limit.above ? metric.warn_above : metric.warn_below);
      silent.Look(limit.value, *source);
    }
  }
  AddPooledGain(rule);
}

void AddMapped(const SourceText& source, std::vector<Error> found, Errors& errors) {
  for (Error& error : found) {
    error.where = source.At(error.where.offset, error.where.length);
    errors.push_back(std::move(error));
  }
}

void AddError(const Where& where, std::string code, std::string message, std::string help,
              Errors& errors) {
  Error error{ErrorKind::kConfig, std::move(code), std::move(message), where, {}};
  if (!help.empty()) error.notes.push_back("help: " + help);
  errors.push_back(std::move(error));
}

}  // namespace profgauge::rules
