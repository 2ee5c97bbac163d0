#include "expr/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/text.h"
#include "expr/checker.h"
#include "expr/function.h"
#include "expr/parser.h"
#include "expr/schema.h"

namespace profgauge::expr {
// A node whose child failed gets no further error, so that one mistake is one message.
Checked Checker::Run() {
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
  std::stable_sort(out_.errors.begin(), out_.errors.end(),
                   [](const Error& a, const Error& b) { return a.where.offset < b.where.offset; });
  return std::move(out_);
}

void Checker::Fault(NodeId id, Range range, std::string code, std::string message,
                    std::vector<std::string> notes) {
  failed_[id] = true;
  out_.errors.push_back(ErrorAt(range, std::move(code), std::move(message), std::move(notes)));
}

// Before any types: a field of rows may stand only below such a call, wherever the call is.
void Checker::MarkAggregate(NodeId id) {
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

void Checker::One(NodeId id, const Node& node) {
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

//   scope of a field          for each row      for a group
//   kGroup   gpu.idle         one value         one value
//   kKey     key of a group   one for each      one value
//   kRow     kernel.time      one for each      an error outside of an aggregate
void Checker::FieldNode(NodeId id, const Node& node) {
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
    Fault(id, node.range, "expr/context",
          fmt::format("`{}` has one value per row, but this expression covers all rows", node.text),
          {fmt::format("help: wrap it in an aggregate, such as `{}({})`",
                       field.unit == Unit::kText   ? "distinct"
                       : field.unit == Unit::kBool ? "any"
                                                   : "sum",
                       node.text)});
  }
}

void Checker::UnknownField(NodeId id, const Node& node) {
  const bool is_param = node.text.starts_with('$');
  const std::string help = HelpForName(node.text, schema_.Names(), schema_.row_name());
  std::vector<std::string> notes;
  if (!help.empty()) notes.push_back("help: " + help);
  Fault(id, node.range, "expr/unknown-field",
        fmt::format("unknown {} `{}`", is_param ? "parameter" : "field", PrintableShort(node.text)),
        std::move(notes));
}

void Checker::Logical(NodeId id, const Node& node) {
  for (const NodeId child : node.children) {
    if (TypeAt(child).kind == Kind::kBool) continue;
    return Fault(id, ast_.nodes[child].range, "expr/type",
                 fmt::format("`{}` needs true or false, found {}", OpText(node.op),
                             TypeName(TypeAt(child))));
  }
  out_.info[id].type = TypeOf(Unit::kBool);
}

std::vector<std::string> Checker::UnitHelp(const Node& node) const {
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

// Times add to times and counts to counts. A plain number among units is an error with the unit to
// write, as `duration > 5` says neither ns nor ms.
void Checker::Additive(NodeId id, const Node& node) {
  const Type& left = TypeAt(node.children[0]);
  const Type& right = TypeAt(node.children[1]);
  if (node.op == Op::kAdd && left.kind == Kind::kText && right.kind == Kind::kText) {
    out_.info[id].type = left;
    return;
  }
  if (left.kind != Kind::kNumber || !SameDimension(left, right)) {
    return TypeFault(id,
                     fmt::format("`{}` cannot combine {} with {}", OpText(node.op), TypeName(left),
                                 TypeName(right)),
                     UnitHelp(node));
  }
  out_.info[id].type = left;
  if (left.unit != right.unit) out_.info[id].type.unit = Unit::kNumber;
}

//   bytes / time     bandwidth
//   time / time      a plain number
//   time * time      time^2, which may be divided again
//   'a' * 2          an error
void Checker::Multiplicative(NodeId id, const Node& node) {
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

void Checker::Comparison(NodeId id, const Node& node) {
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

// `idle_cause == 'host_wait'` names one of a field's values by its id. The data may have another
// spelling ("host not ready"): the literal is compared as that. A name that is no value would never
// be equal: NeverEqual() says so.
void Checker::NameValue(NodeId what, NodeId literal) {
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
  NeverEqual(what, literal, *values);
}

// A comparison that can never hold switches a rule off silently, so it is an error where all values
// are known, and a warning where a newer version may have more.
void Checker::NeverEqual(NodeId what, NodeId literal, const Enumeration& values) {
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
  std::string help = near.empty() ? fmt::format("help: values are {}", list)
                                  : fmt::format("help: did you mean '{}'? values: {}", near, list);
  if (values.is_open) {
    out_.warnings.push_back(ErrorAt(node.range, "expr/unknown-value",
                                    fmt::format("`{}` has no known value '{}'", field, text),
                                    {std::move(help)}));
    return;
  }
  Fault(literal, node.range, "expr/never-equal", fmt::format("`{}` is never '{}'", field, text),
        {std::move(help)});
}

void Checker::Default(NodeId id, const Node& node) {
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

// Each item is compared with the value as by `==`; a text among them may be the id of a known
// value.
void Checker::In(NodeId id, const Node& node) {
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

void Checker::TextTest(NodeId id, const Node& node) {
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

Checked Check(const Ast& ast, Schema& schema, Context context) {
  return Checker(ast, schema, context).Run();
}

}  // namespace profgauge::expr
