#include "expr/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "expr/function.h"
#include "expr/parser.h"
#include "expr/schema.h"

namespace profgauge::expr {
namespace {

class Checker {
 public:
  Checker(const Ast& ast, Schema& schema, Context context)
      : ast_(ast),
        schema_(schema),
        context_(context),
        failed_(ast.nodes.size(), false),
        below_unknown_(ast.nodes.size(), false) {
    out_.info.resize(ast.nodes.size());
  }

  Checked Run() {
    for (NodeId id = 0; id < ast_.nodes.size(); ++id) MarkAggregate(id);
    for (NodeId id = 0; id < ast_.nodes.size(); ++id) {
      const Node& node = ast_.nodes[id];
      for (const NodeId child : node.children) {
        if (failed_[child]) failed_[id] = true;
        if (out_.info[child].varies) out_.info[id].varies = true;
      }
      // A call is looked at even then: an unknown function name is a separate error.
      if (failed_[id] && node.op != Op::kCall) continue;
      One(id, node);
    }
    std::stable_sort(out_.errors.begin(), out_.errors.end(), [](const Error& a, const Error& b) {
      return a.where.offset < b.where.offset;
    });
    return std::move(out_);
  }

 private:
  const Type& TypeAt(NodeId id) const { return out_.info[id].type; }

  void Fault(NodeId id, Range range, std::string code, std::string message,
             std::vector<std::string> notes = {}) {
    failed_[id] = true;
    out_.errors.push_back(ErrorAt(range, std::move(code), std::move(message), std::move(notes)));
  }
  void TypeFault(NodeId id, std::string message, std::vector<std::string> notes = {}) {
    Fault(id, ast_.nodes[id].range, "expr/type", std::move(message), std::move(notes));
  }

  void MarkAggregate(NodeId id) {
    const Node& node = ast_.nodes[id];
    if (node.op != Op::kCall) return;
    const Function* function = FindFunction(node.text);
    if (function != nullptr && !function->is_aggregate) return;
    // The result of an unknown function is unknown too: no errors for its uses.
    for (NodeId below = node.first; below < id; ++below) {
      if (function == nullptr) below_unknown_[below] = true;
      if (function != nullptr) out_.info[below].in_aggregate = true;
    }
  }

  void One(NodeId id, const Node& node) {
    switch (node.op) {
      case Op::kNumber:
        out_.info[id].type = TypeOf(node.unit);
        return;
      case Op::kText:
        out_.info[id].type = TypeOf(Unit::kText);
        return;
      case Op::kBool:
        out_.info[id].type = TypeOf(Unit::kBool);
        return;
      case Op::kField:
        return FieldNode(id, node);
      case Op::kCall:
        return CallNode(id, node);
      case Op::kNegate:
        if (TypeAt(node.children[0]).kind != Kind::kNumber) {
          return TypeFault(
              id, fmt::format("`-` needs a number, found {}", TypeName(TypeAt(node.children[0]))));
        }
        out_.info[id].type = TypeAt(node.children[0]);
        return;
      case Op::kNot:
      case Op::kAnd:
      case Op::kOr:
        return Logical(id, node);
      case Op::kAdd:
      case Op::kSubtract:
        return Additive(id, node);
      case Op::kMultiply:
      case Op::kDivide:
        return Multiplicative(id, node);
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
      case Op::kEqual:
      case Op::kNotEqual:
        return Comparison(id, node);
      case Op::kIn:
        return In(id, node);
      case Op::kDefault:
        return Default(id, node);
      case Op::kContains:
      case Op::kStartsWith:
      case Op::kEndsWith:
      case Op::kMatches:
        return TextTest(id, node);
    }
  }

  void FieldNode(NodeId id, const Node& node) {
    const Slot slot = schema_.Find(node.text);
    if (slot == Schema::kNone) return UnknownField(id, node);
    const Field& field = schema_[slot];
    out_.info[id].slot = slot;
    out_.info[id].type = TypeOf(field.unit);
    out_.info[id].values = field.values;
    out_.info[id].varies =
        field.scope == Scope::kRow || (field.scope == Scope::kKey && context_ == Context::kRow);
    if (field.scope == Scope::kRow && context_ == Context::kGroup && !out_.info[id].in_aggregate &&
        !below_unknown_[id]) {
      Fault(
          id, node.range, "expr/context",
          fmt::format("`{}` has one value per row, but this expression covers all rows", node.text),
          {fmt::format("help: wrap it in an aggregate, such as `{}({})`",
                       field.unit == Unit::kText   ? "distinct"
                       : field.unit == Unit::kBool ? "any"
                                                   : "sum",
                       node.text)});
    }
  }

  void UnknownField(NodeId id, const Node& node) {
    const bool is_param = node.text.starts_with('$');
    const std::string help = HelpForName(node.text, schema_.Names(), schema_.row_name());
    std::vector<std::string> notes;
    if (!help.empty()) notes.push_back("help: " + help);
    Fault(
        id, node.range, "expr/unknown-field",
        fmt::format("unknown {} `{}`", is_param ? "parameter" : "field", PrintableShort(node.text)),
        std::move(notes));
  }

  void Logical(NodeId id, const Node& node) {
    for (const NodeId child : node.children) {
      if (TypeAt(child).kind == Kind::kBool) continue;
      return Fault(id, ast_.nodes[child].range, "expr/type",
                   fmt::format("`{}` needs true or false, found {}", OpText(node.op),
                               TypeName(TypeAt(child))));
    }
    out_.info[id].type = TypeOf(Unit::kBool);
  }

  /// Help for a plain number where a number with a unit was needed.
  std::vector<std::string> UnitHelp(const Node& node) const {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Node& child = ast_.nodes[node.children[i]];
      const Type& other = TypeAt(node.children[i == 0 ? node.children.size() - 1 : 0]);
      if (child.op != Op::kNumber || child.unit != Unit::kNumber) continue;
      if (other.unit == Unit::kTime) {
        return {fmt::format("help: give it a unit, such as `{} us`", child.spelled)};
      }
      if (other.unit == Unit::kBytes) {
        return {fmt::format("help: give it a unit, such as `{} MiB`", child.spelled)};
      }
    }
    return {};
  }

  void Additive(NodeId id, const Node& node) {
    const Type& left = TypeAt(node.children[0]);
    const Type& right = TypeAt(node.children[1]);
    if (node.op == Op::kAdd && left.kind == Kind::kText && right.kind == Kind::kText) {
      out_.info[id].type = left;
      return;
    }
    if (left.kind != Kind::kNumber || !SameDimension(left, right)) {
      return TypeFault(id,
                       fmt::format("`{}` cannot combine {} with {}", OpText(node.op),
                                   TypeName(left), TypeName(right)),
                       UnitHelp(node));
    }
    out_.info[id].type = left;
    if (left.unit != right.unit) out_.info[id].type.unit = Unit::kNumber;
  }

  void Multiplicative(NodeId id, const Node& node) {
    const Type& left = TypeAt(node.children[0]);
    const Type& right = TypeAt(node.children[1]);
    const bool divides = node.op == Op::kDivide;
    if (left.kind != Kind::kNumber || right.kind != Kind::kNumber) {
      return TypeFault(id, fmt::format("`{}` cannot combine {} with {}", OpText(node.op),
                                       TypeName(left), TypeName(right)));
    }
    bool ok = true;
    out_.info[id].type = Combine(left, right, divides ? -1 : 1, ok);
    if (!ok) {
      TypeFault(id, fmt::format("{} {} {} has no sensible unit", TypeName(left), OpText(node.op),
                                TypeName(right)));
    }
  }

  void Comparison(NodeId id, const Node& node) {
    const Type& left = TypeAt(node.children[0]);
    const Type& right = TypeAt(node.children[1]);
    if (!SameDimension(left, right)) {
      return TypeFault(
          id,
          fmt::format("`{}` compares {} with {}", OpText(node.op), TypeName(left), TypeName(right)),
          UnitHelp(node));
    }
    const bool is_equality = node.op == Op::kEqual || node.op == Op::kNotEqual;
    if (left.kind != Kind::kNumber && !is_equality) {
      return TypeFault(
          id, fmt::format("`{}` compares numbers, found {}", OpText(node.op), TypeName(left)));
    }
    out_.info[id].type = TypeOf(Unit::kBool);
    NameValue(node.children[0], node.children[1]);
    NameValue(node.children[1], node.children[0]);
  }

  /// Where `what` has known values and `literal` is a text: the cell that the text names.
  void NameValue(NodeId what, NodeId literal) {
    const Enumeration* values = out_.info[what].values;
    const Node& node = ast_.nodes[literal];
    if (values == nullptr || node.op != Op::kText) return;
    for (const EnumValue& value : values->values) {
      if (value.id != node.text) continue;
      if (value.cell != value.id) out_.cells.emplace_back(literal, value.cell);
      return;
    }
    // `x default '' != 'a'`: '' represents an absent value.
    if (node.text.empty()) return;
    const bool is_cell = std::ranges::any_of(
        values->values, [&node](const EnumValue& value) { return value.cell == node.text; });
    if (!schema_.strict_values() && is_cell) return;  // Schema 1 names values either way.
    NeverEqual(what, literal, *values);
  }

  /// An error only where all values are known, and not in schema 1, whose rules stay as they are.
  void NeverEqual(NodeId what, NodeId literal, const Enumeration& values) {
    const Node& node = ast_.nodes[literal];
    std::vector<std::string_view> ids;
    std::string_view near;
    for (const EnumValue& value : values.values) {
      ids.push_back(value.id);
      if (value.cell == node.text) near = value.id;
    }
    if (near.empty()) near = DidYouMean(node.text, ids);
    const std::string list = fmt::format("{}", fmt::join(ids, ", "));
    const std::string& field = ast_.nodes[ast_.nodes[what].first].text;
    const std::string text = PrintableShort(node.text, 40);
    std::string help = near.empty()
                           ? fmt::format("help: values are {}", list)
                           : fmt::format("help: did you mean '{}'? values: {}", near, list);
    if (values.is_open || !schema_.strict_values()) {
      out_.warnings.push_back(ErrorAt(node.range, "expr/unknown-value",
                                      fmt::format("`{}` has no known value '{}'", field, text),
                                      {std::move(help)}));
      return;
    }
    Fault(literal, node.range, "expr/never-equal", fmt::format("`{}` is never '{}'", field, text),
          {std::move(help)});
  }

  void Default(NodeId id, const Node& node) {
    const Type& left = TypeAt(node.children[0]);
    const Type& right = TypeAt(node.children[1]);
    if (!SameDimension(left, right)) {
      return TypeFault(id, fmt::format("`default` cannot choose between {} and {}", TypeName(left),
                                       TypeName(right)));
    }
    out_.info[id].type = left;
    out_.info[id].values = out_.info[node.children[0]].values;
    if (left.unit != right.unit) out_.info[id].type.unit = Unit::kNumber;
    NameValue(node.children[0], node.children[1]);
  }

  void In(NodeId id, const Node& node) {
    const Type& what = TypeAt(node.children[0]);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      const Type& item = TypeAt(node.children[i]);
      NameValue(node.children[0], node.children[i]);
      if (SameDimension(what, item)) continue;
      return Fault(
          id, ast_.nodes[node.children[i]].range, "expr/type",
          fmt::format("`in` looks for {} in a list with {}", TypeName(what), TypeName(item)));
    }
    out_.info[id].type = TypeOf(Unit::kBool);
  }

  void TextTest(NodeId id, const Node& node) {
    for (const NodeId child : node.children) {
      if (TypeAt(child).kind == Kind::kText) continue;
      return Fault(
          id, ast_.nodes[child].range, "expr/type",
          fmt::format("`{}` needs strings, found {}", OpText(node.op), TypeName(TypeAt(child))));
    }
    if (node.op == Op::kMatches && ast_.nodes[node.children[1]].op != Op::kText) {
      return Fault(id, ast_.nodes[node.children[1]].range, "expr/type",
                   "`matches` needs its pattern written out, so that it can be checked now");
    }
    out_.info[id].type = TypeOf(Unit::kBool);
  }

  // Calls.

  void CallNode(NodeId id, const Node& node) {
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

  void UnknownFunction(NodeId id, const Node& node, Range name) {
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

  bool NeedsArgument(NodeId id, const Node& node, std::size_t index, Kind kind) {
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

  void Aggregate(NodeId id, const Node& node, const Function& function) {
    NodeInfo& info = out_.info[id];
    info.varies = false;
    if (node.children.empty()) {
      info.type = TypeOf(Unit::kCount);
      return;
    }
    if (!out_.info[node.children[0]].varies) {
      const Node& argument = ast_.nodes[node.children[0]];
      return Fault(id, argument.range, "expr/context",
                   fmt::format("`{}` needs a field of the rows, and this is the same in every row",
                               node.text),
                   schema_.row_name().empty() ? std::vector<std::string>{}
                                              : std::vector<std::string>{fmt::format(
                                                    "help: rows are `{}`", schema_.row_name())});
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

  bool PercentileRank(NodeId id, const Node& node) {
    const Node& rank = ast_.nodes[node.children[1]];
    if (rank.op == Op::kNumber && rank.unit == Unit::kNumber && rank.number >= 0 &&
        rank.number <= 100) {
      return true;
    }
    Fault(id, rank.range, "expr/type", "`percentile` needs a number from 0 to 100 here",
          {"help: write `percentile(x, 95)`"});
    return false;
  }

  void Scalar(NodeId id, const Node& node, const Function& function) {
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

  const Ast& ast_;
  Schema& schema_;
  Context context_;
  std::vector<bool> failed_;
  std::vector<bool> below_unknown_;  ///< Inside a call of an unknown function.
  Checked out_;
};

}  // namespace

Checked Check(const Ast& ast, Schema& schema, Context context) {
  return Checker(ast, schema, context).Run();
}

}  // namespace profgauge::expr
