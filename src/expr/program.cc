#include "expr/program.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "expr/function.h"
#include "expr/parser.h"
#include "expr/schema.h"

namespace profgauge::expr {

// A node whose child failed gets no error, so that one mistake gives one message.
Checked Checker::Run() {
  for (NodeId id = 0; id < ast_.nodes.size(); ++id) MarkAggregate(id);
  for (NodeId id = 0; id < ast_.nodes.size(); ++id) {
    const Node& node = ast_.nodes[id];
    for (const NodeId child : node.children) {
      if (failed_[child]) failed_[id] = true;
      if (out_.info[child].varies) out_.info[id].varies = true;
    }
    // A call is checked even then: an unknown function name is a separate error.
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

// Runs before types are determined: a row field may only be below such a call.
void Checker::MarkAggregate(NodeId id) {
  const Node& node = ast_.nodes[id];
  if (node.op != Op::kCall) return;
  const Function* function = FindFunction(node.text);
  if (function != nullptr && !function->is_aggregate) return;
  // The result of an unknown function is unknown, too, so its uses give no errors.
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

// Times add to times and counts to counts. A plain number beside a unit is an error that suggests
// the unit, since `duration > 5` could mean ns or ms.
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
// text ("host not ready"); then the literal becomes that text. A name that is no value would never
// be equal, which NeverEqual() reports.
void Checker::NameValue(NodeId what, NodeId literal) {
  const Enumeration* values = out_.info[what].values;
  const Node& node = ast_.nodes[literal];
  if (values == nullptr || node.op != Op::kText) return;
  for (const EnumValue& value : values->values) {
    if (value.id != node.text) continue;
    if (value.cell != value.id) out_.cells.emplace_back(literal, value.cell);
    return;
  }
  // `x default '' != 'a'` uses '' for an absent value, so '' needs no such value.
  if (node.text.empty()) return;
  NeverEqual(what, literal, *values);
}

// A comparison that can never be true silently disables a rule. So it is an error if all values are
// known, and a warning if a newer version may have more.
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

// Compares each item with the value as `==` does; a text item may be the id of a known value.
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

// Types of calls: the arguments and results of functions, and the contents of aggregates.

// Reports errors in the order in which they help: unknown name, number of arguments, place of the
// call, types.
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

// The argument of an aggregate must vary: summing a constant would give it times the number of
// rows, which is never intended.
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

// Must be a literal: a rank from the data would make it a different metric in each run.
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

namespace {

/// Memory limit of a compiled pattern; larger patterns are refused.
constexpr std::int64_t kPatternMemory = 1 << 20;

tl::unexpected<std::vector<Error>> One(Error error) {
  return tl::unexpected(std::vector<Error>{std::move(error)});
}

Error Unwanted(const Ast& ast, const Type& type, Want want) {
  const char* what = want == Want::kCondition ? "a condition" : "a number";
  return ErrorAt(ast.nodes.back().range, "expr/type",
                 fmt::format("expected {}, found {}", what, TypeName(type)));
}

bool Fits(const Type& type, Want want) {
  if (want == Want::kCondition) return type.kind == Kind::kBool;
  return want == Want::kAnything || type.kind == Kind::kNumber;
}

}  // namespace

struct Compiler {
  static CompileResult Finish(Ast ast, Schema& schema, Context context, Want want) {
    Checked checked = Check(ast, schema, context);
    auto body = std::make_shared<Program::Body>();
    for (NodeId id = 0; id < ast.nodes.size(); ++id) {
      if (ast.nodes[id].op == Op::kMatches) Pattern(ast, id, *body, checked.errors);
    }
    if (checked.errors.empty() && !Fits(checked.info.back().type, want)) {
      checked.errors.push_back(Unwanted(ast, checked.info.back().type, want));
    }
    if (!checked.errors.empty()) return tl::unexpected(std::move(checked.errors));
    // Rules name values by ids, but the data has the displayed texts. The tree keeps both: `text`
    // is compared, `spelled` is printed.
    for (auto& [id, cell] : checked.cells) {
      ast.nodes[id].spelled = std::exchange(ast.nodes[id].text, std::move(cell));
    }
    body->ast = std::move(ast);
    body->info = std::move(checked.info);
    body->warnings = std::move(checked.warnings);
    Program program;
    program.body_ = std::move(body);
    return program;
  }

  static void Pattern(const Ast& ast, NodeId id, Program::Body& body, std::vector<Error>& errors) {
    const Node& pattern = ast.nodes[ast.nodes[id].children[1]];
    if (pattern.op != Op::kText) return;
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPatternMemory);
    auto compiled = std::make_shared<const re2::RE2>(pattern.text, options);
    if (!compiled->ok()) {
      errors.push_back(ErrorAt(pattern.range, "expr/pattern",
                               fmt::format("not a regular expression: {}", compiled->error())));
      return;
    }
    body.patterns.emplace_back(id, std::move(compiled));
  }

  static void Descend(Program& program) { program.descending_ = true; }
};

std::vector<Slot> Program::Fields() const {
  std::vector<Slot> fields;
  for (const NodeInfo& node : info()) {
    if (node.slot == Schema::kNone) continue;
    if (std::find(fields.begin(), fields.end(), node.slot) == fields.end()) {
      fields.push_back(node.slot);
    }
  }
  return fields;
}

const re2::RE2* Program::PatternOf(NodeId id) const {
  for (const auto& [node, pattern] : body_->patterns) {
    if (node == id) return pattern.get();
  }
  return nullptr;
}

CompileResult Compile(std::string_view text, Schema& schema, Context context, Want want) {
  Result<Ast> ast = Parse(text);
  if (!ast) return One(std::move(ast).error());
  return Compiler::Finish(*std::move(ast), schema, context, want);
}

CompileResult CompileOrder(std::string_view text, Schema& schema) {
  Result<Order> order = ParseOrder(text);
  if (!order) return One(std::move(order).error());
  CompileResult program =
      Compiler::Finish(std::move(order->ast), schema, Context::kRow, Want::kAnything);
  if (program && order->descending) Compiler::Descend(*program);
  return program;
}

CompileResult CompileCondition(std::string_view text, Schema& schema) {
  return Compile(text, schema, Context::kGroup, Want::kCondition);
}

}  // namespace profgauge::expr
