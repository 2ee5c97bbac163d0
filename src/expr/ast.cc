#include "expr/ast.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace profgauge::expr {
namespace {

struct OpInfo {
  const char* text;
  int binds;  ///< Higher binds tighter.
};
constexpr int kOrBinds = 1, kAndBinds = 2, kNotBinds = 3, kCompareBinds = 4, kDefaultBinds = 5,
              kSumBinds = 6, kTermBinds = 7, kUnaryBinds = 8, kPrimaryBinds = 9;

constexpr OpInfo InfoOf(Op op) {
  switch (op) {
    case Op::kNumber:
    case Op::kText:
    case Op::kBool:
    case Op::kField:
    case Op::kCall:
      return {"", kPrimaryBinds};
    case Op::kNegate:
      return {"-", kUnaryBinds};
    case Op::kNot:
      return {"not", kNotBinds};
    case Op::kAdd:
      return {"+", kSumBinds};
    case Op::kSubtract:
      return {"-", kSumBinds};
    case Op::kMultiply:
      return {"*", kTermBinds};
    case Op::kDivide:
      return {"/", kTermBinds};
    case Op::kLess:
      return {"<", kCompareBinds};
    case Op::kLessEqual:
      return {"<=", kCompareBinds};
    case Op::kGreater:
      return {">", kCompareBinds};
    case Op::kGreaterEqual:
      return {">=", kCompareBinds};
    case Op::kEqual:
      return {"==", kCompareBinds};
    case Op::kNotEqual:
      return {"!=", kCompareBinds};
    case Op::kIn:
      return {"in", kCompareBinds};
    case Op::kContains:
      return {"contains", kCompareBinds};
    case Op::kStartsWith:
      return {"starts_with", kCompareBinds};
    case Op::kEndsWith:
      return {"ends_with", kCompareBinds};
    case Op::kMatches:
      return {"matches", kCompareBinds};
    case Op::kDefault:
      return {"default", kDefaultBinds};
    case Op::kAnd:
      return {"and", kAndBinds};
    case Op::kOr:
      return {"or", kOrBinds};
  }
  return {"", kPrimaryBinds};
}

bool HasNegatedForm(Op op) { return op >= Op::kIn && op <= Op::kMatches; }

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += '\'';
  }
  return out + "'";
}

/// Prints every node once, children before parents; `binds` shows where parentheses are needed.
class Printer {
 public:
  explicit Printer(const Ast& ast)
      : ast_(ast), texts_(ast.nodes.size()), binds_(ast.nodes.size()), heads_(ast.nodes.size()) {}

  std::string Run() {
    for (NodeId id = 0; id < ast_.nodes.size(); ++id) {
      binds_[id] = InfoOf(ast_.nodes[id].op).binds;
      texts_[id] = One(id);
      // An operand's text is used once; keeping it would need quadratic memory for a chain.
      for (const NodeId child : ast_.nodes[id].children) std::string().swap(texts_[child]);
    }
    return texts_.back();
  }

 private:
  std::string Operand(NodeId id, int at_least) const {
    return binds_[id] >= at_least ? texts_[id] : fmt::format("({})", texts_[id]);
  }

  std::string List(const std::vector<NodeId>& ids, std::size_t from, int at_least) const {
    std::string out;
    for (std::size_t i = from; i < ids.size(); ++i) {
      if (i > from) out += ", ";
      out += Operand(ids[i], at_least);
    }
    return out;
  }

  std::string One(NodeId id) {
    const Node& node = ast_.nodes[id];
    switch (node.op) {
      case Op::kNumber:
        return node.spelled;
      case Op::kText:
        return Quoted(node.spelled.empty() ? node.text : node.spelled);
      case Op::kBool:
        return node.number != 0 ? "true" : "false";
      case Op::kField:
        return node.text;
      case Op::kCall:
        return fmt::format("{}({})", node.text, List(node.children, 0, kOrBinds));
      case Op::kNegate:
        return fmt::format("-{}", Operand(node.children[0], kUnaryBinds));
      case Op::kNot:
        return Not(id, node.children[0]);
      default:
        return Binary(id, node);
    }
  }

  // Prints `a OP b`. The left operand may bind as loosely as the operator (a - b - c), but the
  // right one must bind tighter (a - (b - c)). Comparisons do not chain, so both must bind tighter.
  std::string Binary(NodeId id, const Node& node) {
    const OpInfo info = InfoOf(node.op);
    const bool compares = info.binds == kCompareBinds;
    const bool defaults = node.op == Op::kDefault;  // Needs parentheses beside arithmetic.
    std::string text = defaults && ast_.nodes[node.children[0]].op != Op::kDefault
                           ? Operand(node.children[0], kPrimaryBinds)
                           : Operand(node.children[0], compares ? kDefaultBinds : info.binds);
    heads_[id] = text.size();
    text += fmt::format(" {} ", info.text);
    if (node.op == Op::kIn) return text + "[" + List(node.children, 1, kPrimaryBinds) + "]";
    return text + Operand(node.children[1], defaults ? kPrimaryBinds : info.binds + 1);
  }

  /// Prints `x not in [...]` rather than `not x in [...]`.
  std::string Not(NodeId id, NodeId child) {
    if (!HasNegatedForm(ast_.nodes[child].op))
      return fmt::format("not {}", Operand(child, kNotBinds));
    binds_[id] = kCompareBinds;
    std::string text = texts_[child];
    return text.insert(heads_[child], " not");
  }

  const Ast& ast_;
  std::vector<std::string> texts_;
  std::vector<int> binds_;
  std::vector<std::size_t> heads_;  ///< Length of a test's first operand in the printed text.
};

std::string DumpLiteral(const Node& node) {
  if (node.op == Op::kText) return Quoted(node.text);
  if (node.op == Op::kBool) return node.number != 0 ? "true" : "false";
  const std::string_view unit =
      node.unit == Unit::kShare || node.unit == Unit::kNumber || node.unit == Unit::kCount
          ? std::string_view()
          : UnitName(node.unit);
  return fmt::format("{}{}", node.number, unit);
}

}  // namespace

const char* OpText(Op op) { return InfoOf(op).text; }

std::string Print(const Ast& ast) { return Printer(ast).Run(); }

// Children precede parents, so one pass makes the text. A child's text is freed once it is part of
// its parent's; otherwise deep trees would keep each text once per level.
std::string Dump(const Ast& ast) {
  std::vector<std::string> texts(ast.nodes.size());
  for (NodeId id = 0; id < ast.nodes.size(); ++id) {
    const Node& node = ast.nodes[id];
    if (node.op == Op::kField) {
      texts[id] = node.text;
    } else if (node.op <= Op::kBool) {
      texts[id] = DumpLiteral(node);
    } else {
      texts[id] = node.op == Op::kCall ? fmt::format("(call {}", node.text)
                                       : fmt::format("({}", OpText(node.op));
      for (const NodeId child : node.children) texts[id] += " " + texts[child];
      texts[id] += ")";
      for (const NodeId child : node.children) std::string().swap(texts[child]);
    }
  }
  return texts.back();
}

namespace {

constexpr int kLargestPower = 4;

/// The unit for displaying a dimension; kNumber for dimensions without a name.
Unit UnitOf(const Type& type) {
  if (type.flop == 0 && type.bytes == 0 && type.time == 1) return Unit::kTime;
  if (type.flop == 0 && type.bytes == 1 && type.time == 0) return Unit::kBytes;
  if (type.flop == 0 && type.bytes == 1 && type.time == -1) return Unit::kBandwidth;
  if (type.flop == 1 && type.bytes == 0 && type.time == 0) return Unit::kFlops;
  if (type.flop == 1 && type.bytes == 0 && type.time == -1) return Unit::kFlopRate;
  return Unit::kNumber;
}

/// The factor between "per second" and "per nanosecond": 1e9 for each power of a second.
double PerSecond(const Type& type) { return type.time < 0 ? std::pow(1e9, -type.time) : 1.0; }

}  // namespace

Type TypeOf(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return {Kind::kText, 0, 0, 0, unit};
    case Unit::kBool:
      return {Kind::kBool, 0, 0, 0, unit};
    case Unit::kTime:
      return {Kind::kNumber, 1, 0, 0, unit};
    case Unit::kBytes:
      return {Kind::kNumber, 0, 1, 0, unit};
    case Unit::kBandwidth:
      return {Kind::kNumber, -1, 1, 0, unit};
    case Unit::kFlops:
      return {Kind::kNumber, 0, 0, 1, unit};
    case Unit::kFlopRate:
      return {Kind::kNumber, -1, 0, 1, unit};
    case Unit::kCount:
    case Unit::kNumber:
    case Unit::kShare:
      return {Kind::kNumber, 0, 0, 0, unit};
  }
  return {};
}

bool SameDimension(const Type& a, const Type& b) {
  return a.kind == b.kind && a.time == b.time && a.bytes == b.bytes && a.flop == b.flop;
}

Type Combine(const Type& a, const Type& b, int sign, bool& ok) {
  const auto power = [&](std::int8_t x, std::int8_t y) {
    const int sum = x + sign * y;
    if (std::abs(sum) > kLargestPower) ok = false;
    return ok ? static_cast<std::int8_t>(sum) : std::int8_t{0};
  };
  ok = true;
  Type type;
  type.time = power(a.time, b.time);
  type.bytes = power(a.bytes, b.bytes);
  type.flop = power(a.flop, b.flop);
  type.unit = UnitOf(type);
  return type;
}

double CombineFactor(const Type& a, const Type& b, int sign, const Type& result) {
  const double parts = PerSecond(a) * (sign > 0 ? PerSecond(b) : 1 / PerSecond(b));
  return PerSecond(result) / parts;
}

std::string TypeName(const Type& type) {
  if (type.kind == Kind::kBool) return "true or false";
  if (type.kind == Kind::kText) return "string";
  switch (UnitOf(type)) {
    case Unit::kTime:
      return "time";
    case Unit::kBytes:
      return "bytes";
    case Unit::kBandwidth:
      return "bandwidth";
    case Unit::kFlops:
      return "operations";
    case Unit::kFlopRate:
      return "operation rate";
    default:
      break;
  }
  std::string name;
  const auto add = [&name](std::string_view base, int power) {
    if (power == 0) return;
    if (!name.empty()) name += '*';
    name += power == 1 ? std::string(base) : fmt::format("{}^{}", base, power);
  };
  add("bytes", type.bytes);
  add("operations", type.flop);
  add("time", type.time);
  return name.empty() ? "number" : name;
}

}  // namespace profgauge::expr
