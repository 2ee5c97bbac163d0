// Types of calls: what functions take and give, and what an aggregate may contain.
#include <fmt/format.h>

#include "base/errors.h"
#include "base/text.h"
#include "expr/check.h"
#include "expr/checker.h"
#include "expr/function.h"

namespace profgauge::expr {

// Errors in the order in which they help: an unknown name first, then the number of arguments, then
// where the call stands, and types last.
void Checker::CallNode(NodeId id, const Node& node) {
  const Function* function = FindFunction(node.text);
  out_.info[id].function = function;
  const Range name = {node.range.begin,
                      node.range.begin + static_cast<std::uint32_t>(node.text.size())};
  if (function == nullptr) return UnknownFunction(id, node, name);
  const int count = static_cast<int>(node.children.size());
  if (count < function->min_arguments || count > function->max_arguments) {
    return Fault(
        id, node.range, "expr/type",
        fmt::format("`{}` is called as `{}{}`", node.text, node.text, function->arguments));
  }
  if (function->is_aggregate && context_ == Context::kRow) {
    return Fault(
        id, name, "expr/context",
        fmt::format("`{}` needs all rows, but this expression is evaluated per row", node.text),
        {"help: aggregates are allowed in `let`, `when`, `metric`, `gain` and `message`"});
  }
  if (function->is_aggregate && out_.info[id].in_aggregate) {
    return Fault(id, name, "expr/context",
                 fmt::format("`{}` is inside another aggregate", node.text),
                 {"help: compute it in `let:` first"});
  }
  if (failed_[id]) return;
  if (function->is_aggregate) return Aggregate(id, node, *function);
  Scalar(id, node, *function);
}

void Checker::UnknownFunction(NodeId id, const Node& node, Range name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const Function& function : Functions()) {
    names.push_back(function.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", function.name);
  }
  const std::string_view near = DidYouMean(node.text, names);
  Fault(id, name, "expr/unknown-function",
        fmt::format("unknown function `{}`", PrintableShort(node.text)),
        {near.empty() ? fmt::format("help: functions are {}", list)
                      : fmt::format("help: did you mean `{}`?", near)});
}

bool Checker::NeedsArgument(NodeId id, const Node& node, std::size_t index, Kind kind) {
  const Type& type = TypeAt(node.children[index]);
  if (type.kind == kind) return true;
  Fault(id, ast_.nodes[node.children[index]].range, "expr/type",
        fmt::format("`{}` needs {} here, found {}", node.text,
                    kind == Kind::kBool   ? "true or false"
                    : kind == Kind::kText ? "a string"
                                          : "a number",
                    TypeName(type)));
  return false;
}

// The sum of a value that is the same in each row is that value times the number of rows, which
// nobody means: its argument must vary.
void Checker::Aggregate(NodeId id, const Node& node, const Function& function) {
  NodeInfo& info = out_.info[id];
  info.varies = false;
  if (node.children.empty()) {
    info.type = TypeOf(Unit::kCount);
    return;
  }
  if (!out_.info[node.children[0]].varies) {
    const Node& argument = ast_.nodes[node.children[0]];
    return Fault(
        id, argument.range, "expr/context",
        fmt::format("`{}` needs a field of the rows, and this is the same in every row", node.text),
        schema_.row_name().empty()
            ? std::vector<std::string>{}
            : std::vector<std::string>{fmt::format("help: rows are `{}`", schema_.row_name())});
  }
  const std::size_t required = static_cast<std::size_t>(function.min_arguments);
  const bool has_condition = required > 0 && node.children.size() > required;
  if (has_condition && !NeedsArgument(id, node, required, Kind::kBool)) return;
  const Type first = TypeAt(node.children[0]);
  switch (function.id) {
    case FunctionId::kCount:
    case FunctionId::kAny:
    case FunctionId::kAll:
      if (!NeedsArgument(id, node, 0, Kind::kBool)) return;
      info.type = TypeOf(function.id == FunctionId::kCount ? Unit::kCount : Unit::kBool);
      return;
    case FunctionId::kDistinct:
      info.type = TypeOf(Unit::kCount);
      return;
    case FunctionId::kAtMax:
      if (!NeedsArgument(id, node, 1, Kind::kNumber)) return;
      info.type = first;
      info.values = out_.info[node.children[0]].values;
      return;
    case FunctionId::kPercentile:
      if (!PercentileRank(id, node)) return;
      break;
    default:
      break;
  }
  if (!NeedsArgument(id, node, 0, Kind::kNumber)) return;
  info.type = first;
  const bool between_values = function.id == FunctionId::kMean ||
                              function.id == FunctionId::kMedian ||
                              function.id == FunctionId::kPercentile;
  if (between_values && first.unit == Unit::kCount) info.type.unit = Unit::kNumber;
}

// Written out, since a rank from the data would make the metric another one in each run.
bool Checker::PercentileRank(NodeId id, const Node& node) {
  const Node& rank = ast_.nodes[node.children[1]];
  if (rank.op == Op::kNumber && rank.unit == Unit::kNumber && rank.number >= 0 &&
      rank.number <= 100) {
    return true;
  }
  Fault(id, rank.range, "expr/type", "`percentile` needs a number from 0 to 100 here",
        {"help: write `percentile(x, 95)`"});
  return false;
}

void Checker::Scalar(NodeId id, const Node& node, const Function& function) {
  NodeInfo& info = out_.info[id];
  if (function.id == FunctionId::kKnown) {
    info.type = TypeOf(Unit::kBool);
    return;
  }
  if (function.id == FunctionId::kPlural) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (!NeedsArgument(id, node, i, i == 0 ? Kind::kNumber : Kind::kText)) return;
    }
    info.type = TypeOf(Unit::kText);
    return;
  }
  std::size_t first = 0;
  if (function.id == FunctionId::kIf) {
    if (!NeedsArgument(id, node, 0, Kind::kBool)) return;
    first = 1;
  } else {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (!NeedsArgument(id, node, i, Kind::kNumber)) return;
    }
  }
  info.type = TypeAt(node.children[first]);
  for (std::size_t i = first + 1; i < node.children.size(); ++i) {
    const Type& type = TypeAt(node.children[i]);
    if (!SameDimension(info.type, type)) {
      return Fault(id, ast_.nodes[node.children[i]].range, "expr/type",
                   fmt::format("`{}` cannot choose between {} and {}", node.text,
                               TypeName(info.type), TypeName(type)));
    }
    if (type.unit != info.type.unit) info.type.unit = Unit::kNumber;
  }
}

}  // namespace profgauge::expr
