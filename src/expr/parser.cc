#include "expr/parser.h"

#include <fmt/format.h>

#include "base/text.h"

namespace profgauge::expr {
namespace {

struct Spelling {
  std::string_view text;
  Op op;
};
constexpr Spelling kComparisons[] = {{"<", Op::kLess},    {"<=", Op::kLessEqual},
                                     {">", Op::kGreater}, {">=", Op::kGreaterEqual},
                                     {"==", Op::kEqual},  {"!=", Op::kNotEqual}};
/// Words of other languages for the operators of this one.
struct OtherWord {
  std::string_view theirs, ours;
};
constexpr OtherWord kOtherWords[] = {{"like", "contains"},
                                     {"startswith", "starts_with"},
                                     {"endswith", "ends_with"},
                                     {"startsWith", "starts_with"},
                                     {"endsWith", "ends_with"},
                                     {"includes", "contains"},
                                     {"match", "matches"},
                                     {"regex", "matches"},
                                     {"is", "=="},
                                     {"else", "default"}};
constexpr Spelling kTextTests[] = {{"contains", Op::kContains},
                                   {"starts_with", Op::kStartsWith},
                                   {"ends_with", Op::kEndsWith},
                                   {"matches", Op::kMatches}};

/// Recursive descent. Errors travel as a stored Error and a false return, so that the grammar's
/// functions read like the grammar.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Ast> Whole() {
    if (!Or() || !AtEnd()) return Fail(std::move(error_));
    return std::move(ast_);
  }

  Result<Order> WholeOrder() {
    if (!Or()) return Fail(std::move(error_));
    Order order;
    order.descending = IsWord("desc");
    if (IsWord("asc") || IsWord("desc")) ++at_;
    if (!AtEnd()) return Fail(std::move(error_));
    order.ast = std::move(ast_);
    return order;
  }

 private:
  const Token& Now() const { return tokens_[at_]; }
  bool IsWord(std::string_view word) const {
    return Now().kind == TokenKind::kWord && Now().text == word;
  }
  bool IsSymbol(std::string_view symbol) const {
    return Now().kind == TokenKind::kSymbol && Now().text == symbol;
  }
  bool Take(std::string_view symbol) {
    if (!IsSymbol(symbol)) return false;
    ++at_;
    return true;
  }

  bool Error(Range range, std::string code, std::string message,
             std::vector<std::string> notes = {}) {
    error_ = ErrorAt(range, std::move(code), std::move(message), std::move(notes));
    return false;
  }

  std::string Found() const {
    if (Now().kind == TokenKind::kEnd) return "the end";
    if (Now().kind == TokenKind::kText) return fmt::format("'{}'", PrintableShort(Now().text, 40));
    return fmt::format("`{}`", PrintableShort(Now().text, 40));
  }
  bool Expected(std::string_view what, std::vector<std::string> notes = {}) {
    for (const OtherWord& word : kOtherWords) {
      if (!IsWord(word.theirs)) continue;
      return Error(Now().range, "expr/syntax", fmt::format("`{}` is no operator", word.theirs),
                   {fmt::format("help: write `{}`", word.ours)});
    }
    return Error(Now().range, "expr/syntax", fmt::format("expected {}, found {}", what, Found()),
                 std::move(notes));
  }

  bool AtEnd() {
    if (Now().kind == TokenKind::kEnd) return true;
    for (const Spelling& comparison : kComparisons) {
      if (!IsSymbol(comparison.text)) continue;
      return Error(Now().range, "expr/syntax", "comparisons cannot be chained",
                   {"help: write `a < b and b < c`"});
    }
    return Expected("an operator or the end");
  }

  /// Appends a node over the last `children`. False when the expression is too large.
  /// Nodes come in post-order: the operands are pushed before their operator.
  bool Push(Node node) {
    if (ast_.nodes.size() == kMaxNodes) {
      return Error(node.range, "expr/too-large",
                   fmt::format("the expression has more than {} parts", kMaxNodes),
                   {"help: split it with `let:`"});
    }
    const auto id = static_cast<NodeId>(ast_.nodes.size());
    node.first = node.children.empty() ? id : ast_.nodes[node.children.front()].first;
    ast_.nodes.push_back(std::move(node));
    return true;
  }
  NodeId Last() const { return static_cast<NodeId>(ast_.nodes.size() - 1); }

  bool PushOver(Op op, std::vector<NodeId> children, std::uint32_t begin) {
    Node node;
    node.op = op;
    node.range = {begin, tokens_[at_ - 1].range.end};
    node.children = std::move(children);
    return Push(std::move(node));
  }

  /// Counts nesting; everything that recurses without consuming a bounded amount goes through here.
  bool Nested(bool (Parser::*parse)()) {
    if (depth_ == kMaxDepth) {
      return Error(Now().range, "expr/too-large",
                   fmt::format("the expression is nested more than {} deep", kMaxDepth),
                   {"help: split it with `let:`"});
    }
    ++depth_;
    const bool ok = (this->*parse)();
    --depth_;
    return ok;
  }

  bool Or() { return WordChain("or", Op::kOr, &Parser::And); }
  bool And() { return WordChain("and", Op::kAnd, &Parser::Not); }

  bool WordChain(std::string_view word, Op op, bool (Parser::*operand)()) {
    const std::uint32_t begin = Now().range.begin;
    if (!(this->*operand)()) return false;
    while (IsWord(word)) {
      const NodeId left = Last();
      ++at_;
      if (!(this->*operand)() || !PushOver(op, {left, Last()}, begin)) return false;
    }
    return true;
  }

  bool Not() {
    if (!IsWord("not")) return Comparison();
    const std::uint32_t begin = Now().range.begin;
    ++at_;
    return Nested(&Parser::Not) && PushOver(Op::kNot, {Last()}, begin);
  }

  bool Comparison() {
    const std::uint32_t begin = Now().range.begin;
    if (!Value()) return false;
    const NodeId left = Last();
    for (const Spelling& comparison : kComparisons) {
      if (!Take(comparison.text)) continue;
      return Value() && PushOver(comparison.op, {left, Last()}, begin);
    }
    const bool negated = IsWord("not");
    if (negated) ++at_;
    if (IsWord("in")) {
      ++at_;
      if (!List(left, begin)) return false;
    } else {
      bool found = false;
      for (const Spelling& test : kTextTests) {
        if (found || !IsWord(test.text)) continue;
        found = true;
        ++at_;
        if (!Value() || !PushOver(test.op, {left, Last()}, begin)) return false;
      }
      if (!found) {
        return !negated ||
               Expected("`in`, `contains`, `starts_with`, `ends_with` or `matches` after `not`");
      }
    }
    return !negated || PushOver(Op::kNot, {Last()}, begin);
  }

  bool List(NodeId what, std::uint32_t begin) {
    if (!Take("[")) return Expected("`[`", {"help: write `x in ['a', 'b']`"});
    std::vector<NodeId> children = {what};
    do {
      if (!Primary()) return false;
      children.push_back(Last());
    } while (Take(","));
    if (!Take("]")) return Expected("`,` or `]`");
    return PushOver(Op::kIn, std::move(children), begin);
  }

  /// `sum default sum`. Beside arithmetic both readings are possible, so neither is taken.
  /// `a / b default c`: of a missing b, or of a missing quotient? They differ where b is 0.
  bool Value() {
    const std::uint32_t begin = Now().range.begin;
    if (!Sum()) return false;
    while (IsWord("default")) {
      const NodeId left = Last();
      if (IsBareArithmetic(left)) return Ambiguous(left, begin);
      ++at_;
      const std::uint32_t right_begin = Now().range.begin;
      if (!Sum()) return false;
      if (IsBareArithmetic(Last())) return AmbiguousRight(begin, right_begin);
      if (!PushOver(Op::kDefault, {left, Last()}, begin)) return false;
    }
    return true;
  }

  /// Whether the last value is a sum, product or negation without parentheses around it.
  bool IsBareArithmetic(NodeId id) const {
    const Op op = ast_.nodes[id].op;
    return op >= Op::kNegate && op <= Op::kDivide && op != Op::kNot &&
           ast_.nodes[id].range.end == tokens_[at_ - 1].range.end;
  }
  std::string Between(std::uint32_t begin, std::uint32_t end) const {
    return std::string(Trim(text_.substr(begin, end - begin)));
  }
  bool AmbiguousBetween(std::uint32_t begin, std::uint32_t end, const std::string& one,
                        const std::string& other) {
    return Error({begin, end}, "expr/ambiguous-default",
                 fmt::format("`{}` can be read in two ways", Between(begin, end)),
                 {fmt::format("help: write `{}` or `{}`", one, other)});
  }
  /// At `a / b default c`, before `default`.
  bool Ambiguous(NodeId left, std::uint32_t begin) {
    const std::uint32_t left_end = tokens_[at_ - 1].range.end;
    const std::uint32_t operand = ast_.nodes[ast_.nodes[left].children.back()].range.begin;
    ++at_;
    const std::uint32_t value = Now().range.begin;
    if (!Sum()) return false;
    const std::uint32_t end = tokens_[at_ - 1].range.end;
    const std::string default_text = Between(value, end);
    return AmbiguousBetween(begin, end,
                            fmt::format("({}) default {}", Between(begin, left_end), default_text),
                            fmt::format("{}({} default {})", text_.substr(begin, operand - begin),
                                        Between(operand, left_end), default_text));
  }
  /// After `default b` in `a default b + c`.
  bool AmbiguousRight(std::uint32_t begin, std::uint32_t right_begin) {
    const std::uint32_t end = tokens_[at_ - 1].range.end;
    const Node& right = ast_.nodes[Last()];
    const std::uint32_t first_end =
        right.children.size() == 2 ? ast_.nodes[right.children[0]].range.end : right_begin;
    const std::string whole =
        fmt::format("{}({})", text_.substr(begin, right_begin - begin), Between(right_begin, end));
    return AmbiguousBetween(
        begin, end, whole,
        right.children.size() == 2
            ? fmt::format("({}) {}", Between(begin, first_end), Between(first_end, end))
            : whole);
  }

  bool Sum() {
    const std::uint32_t begin = Now().range.begin;
    if (!Term()) return false;
    while (IsSymbol("+") || IsSymbol("-")) {
      const Op op = IsSymbol("+") ? Op::kAdd : Op::kSubtract;
      const NodeId left = Last();
      ++at_;
      if (!Term() || !PushOver(op, {left, Last()}, begin)) return false;
    }
    return true;
  }

  bool Term() {
    const std::uint32_t begin = Now().range.begin;
    if (!Unary()) return false;
    while (IsSymbol("*") || IsSymbol("/")) {
      const Op op = IsSymbol("*") ? Op::kMultiply : Op::kDivide;
      const NodeId left = Last();
      ++at_;
      if (!Unary() || !PushOver(op, {left, Last()}, begin)) return false;
    }
    return true;
  }

  bool Unary() {
    if (!IsSymbol("-")) return Primary();
    const std::uint32_t begin = Now().range.begin;
    ++at_;
    return Nested(&Parser::Unary) && PushOver(Op::kNegate, {Last()}, begin);
  }

  bool Primary() {
    const Token& token = Now();
    Node node;
    node.range = token.range;
    switch (token.kind) {
      case TokenKind::kNumber:
        node.op = Op::kNumber;
        node.number = token.number;
        node.unit = token.unit;
        node.spelled = token.text;
        ++at_;
        return Push(std::move(node));
      case TokenKind::kText:
        node.op = Op::kText;
        node.text = token.text;
        ++at_;
        return Push(std::move(node));
      case TokenKind::kWord:
        return WordPrimary();
      case TokenKind::kSymbol:
        if (!Take("(")) break;
        if (!Nested(&Parser::Or)) return false;
        return Take(")") || Expected("`)`");
      case TokenKind::kEnd:
        break;
    }
    return Expected("a value");
  }

  bool WordPrimary() {
    const Token& token = Now();
    Node node;
    node.range = token.range;
    node.text = token.text;
    if (token.text == "true" || token.text == "false") {
      node.op = Op::kBool;
      node.number = token.text == "true" ? 1 : 0;
      ++at_;
      return Push(std::move(node));
    }
    if (token.text == "null") return Expected("a value", {"help: test with `known(x)`"});
    if (token.text == "not") return Expected("a value", {"help: put `not …` in parentheses"});
    if (IsReserved(token.text)) return Expected("a value");
    ++at_;
    if (!IsSymbol("(")) {
      node.op = Op::kField;
      return Push(std::move(node));
    }
    return Call(std::move(node));
  }

  bool Call(Node node) {
    node.op = Op::kCall;
    ++at_;
    if (!Take(")")) {
      do {
        if (!Nested(&Parser::Or)) return false;
        node.children.push_back(Last());
      } while (Take(","));
      if (!Take(")")) return Expected("`,` or `)`");
    }
    node.range.end = tokens_[at_ - 1].range.end;
    return Push(std::move(node));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Ast ast_;
  profgauge::Error error_;
};

}  // namespace

Result<Ast> Parse(std::string_view text) {
  PROFGAUGE_TRY(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).Whole();
}

Result<Order> ParseOrder(std::string_view text) {
  PROFGAUGE_TRY(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).WholeOrder();
}

Error ErrorAt(Range range, std::string code, std::string message, std::vector<std::string> notes) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = std::move(code);
  error.message = std::move(message);
  error.notes = std::move(notes);
  error.where.offset = range.begin;
  error.where.has_offset = true;
  error.where.length = range.end - range.begin;
  return error;
}

}  // namespace profgauge::expr
