#include "expr/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/literal.h"
#include "base/text.h"

namespace profgauge::expr {
namespace {

/// Enough for kMaxNodes nodes with their punctuation; more is rejected before it takes memory.
constexpr std::size_t kMaxTokens = 8 * kMaxNodes;

/// `null` is reserved, so that it is an error with advice instead of a field.
constexpr std::array<std::string_view, 13> kReserved = {
    "and",     "or",   "not",   "in",  "contains", "starts_with", "ends_with",
    "matches", "true", "false", "asc", "desc",     "null"};
constexpr std::array<std::string_view, 4> kTwoCharSymbols = {"<=", ">=", "==", "!="};
constexpr std::string_view kSymbols = "()[],+-*/<>";

/// Words that people type in place of the language's words.
struct Mistake {
  std::string_view text, help;
};
constexpr Mistake kMistakes[] = {
    {"=~", "write `matches`"},
    {"??", "write `default`"},
    {"&&", "write `and`"},
    {"||", "write `or`"},
    {"&", "write `and`"},
    {"|", "write `or`; a filter `|` is allowed only in `{{ }}`"},
    {"!", "write `not`"},
    {"=", "write `==`"},
    {"\"", "texts need single quotes: 'like this'"},
    {"`", "texts need single quotes: 'like this'"},
    {"%", "`%` follows a number: `50%`"},
    {"\xce\xbc", "write `us` for microseconds"},
    {"^", "there are no powers; multiply"},
    {"?", "write `if(condition, a, b)`"},
    {"{", "there are no braces in expressions"},
    {"}", "there are no braces in expressions"},
};

/// True for the operator `default`, which is not reserved: a `let` name may be the same.
bool IsDefault(std::string_view word) { return word == "default"; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    while (true) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (tokens_.size() == kMaxTokens) {
        return Fail(ErrorAt({Position(), Position() + 1}, "expr/too-large",
                            fmt::format("the expression has more than {} parts", kMaxNodes),
                            {"help: split it with `let:`"}));
      }
      PROFGAUGE_CHECK(Next());
    }
    tokens_.push_back({TokenKind::kEnd, {Position(), Position()}, "", 0, Unit::kNumber});
    return std::move(tokens_);
  }

 private:
  std::uint32_t Position() const { return static_cast<std::uint32_t>(at_); }
  std::string_view Rest() const { return text_.substr(at_); }

  Status Next() {
    const char c = text_[at_];
    if (IsDigit(c)) return Number();
    if (c == '\'') return Text();
    if (IsNameStart(c) || c == '$') return Word();
    for (const std::string_view symbol : kTwoCharSymbols) {
      if (Rest().starts_with(symbol)) return Symbol(symbol);
    }
    if (kSymbols.find(c) != std::string_view::npos) return Symbol(text_.substr(at_, 1));
    return Unexpected();
  }

  Status Symbol(std::string_view symbol) {
    const auto end = static_cast<std::uint32_t>(at_ + symbol.size());
    tokens_.push_back(
        {TokenKind::kSymbol, {Position(), end}, std::string(symbol), 0, Unit::kNumber});
    at_ = end;
    return {};
  }

  Status Unexpected() {
    for (const Mistake& mistake : kMistakes) {
      if (!Rest().starts_with(mistake.text)) continue;
      const auto end = static_cast<std::uint32_t>(at_ + mistake.text.size());
      const bool is_operator = mistake.text == "=~" || mistake.text == "??";
      std::string problem = is_operator ? fmt::format("`{}` is no operator", mistake.text)
                                        : fmt::format("unexpected `{}`", mistake.text);
      return Fail(ErrorAt({Position(), end}, "expr/syntax", std::move(problem),
                          {fmt::format("help: {}", mistake.help)}));
    }
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(Rest()));
    return Fail(ErrorAt({Position(), static_cast<std::uint32_t>(at_ + length)}, "expr/syntax",
                        fmt::format("unexpected `{}`", Printable(Rest().substr(0, length)))));
  }

  /// Parses digits and the following unit, with or without a blank between them.
  Status Number() {
    const std::size_t length = NumberLength(Rest());
    std::size_t end = at_ + length;
    // A malformed number ("010", "1_000", "0x10", "5.") is one bad word. As two tokens it would
    // give "expected an operator", which hides the mistake.
    std::size_t word_end = std::max(end, at_ + 1);
    while (word_end < text_.size() && (IsDigit(text_[word_end]) || text_[word_end] == '_')) {
      ++word_end;
    }
    if (length == 0 || word_end != end) {
      const auto literal = ParseLiteral(text_.substr(at_, word_end - at_));
      return Fail(ErrorAt({Position(), static_cast<std::uint32_t>(word_end)}, "expr/syntax",
                          literal ? "expected a number" : literal.error()));
    }
    std::size_t unit_at = end;
    while (unit_at < text_.size() && IsSpace(text_[unit_at])) ++unit_at;
    const std::string_view unit_text = UnitAt(unit_at);
    if (!unit_text.empty()) end = unit_at + unit_text.size();
    const std::string_view digits = text_.substr(at_, length);
    const std::string written =
        unit_text.empty() ? std::string(digits) : fmt::format("{} {}", digits, unit_text);
    const auto literal = ParseLiteral(written);
    if (!literal) {
      return Fail(
          ErrorAt({Position(), static_cast<std::uint32_t>(end)}, "expr/syntax", literal.error()));
    }
    Token token{TokenKind::kNumber,
                {Position(), static_cast<std::uint32_t>(end)},
                unit_text == "%" ? fmt::format("{}%", digits) : written,
                literal->value,
                literal->unit};
    tokens_.push_back(std::move(token));
    at_ = end;
    return {};
  }

  /// Returns the word after a number, unless it is a word of the language; a rate ("GB/s") as a
  /// whole. `5 us` and `5us` are one number; `5 and` is a number and an operator. Any other word is
  /// read as a unit, so that `5 sec` is an error about the unit, not about a missing operator.
  std::string_view UnitAt(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with('%')) return rest.substr(0, 1);
    if (rest.starts_with("\u00b5s")) return rest.substr(0, 3);
    std::size_t length = 0;
    while (length < rest.size() && IsNamePart(rest[length])) ++length;
    if (length == 0 || IsReserved(rest.substr(0, length)) || IsDefault(rest.substr(0, length))) {
      return {};
    }
    const bool is_rate = rest.substr(length).starts_with("/s") &&
                         (length + 2 == rest.size() || !IsNamePart(rest[length + 2])) &&
                         FindUnitSuffix(rest.substr(0, length + 2)) != nullptr;
    return rest.substr(0, is_rate ? length + 2 : length);
  }

  /// Parses 'text'; two quotes mean one quote. Backslashes are ordinary characters, so regular
  /// expressions need no doubling.
  Status Text() {
    std::string content;
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      if (text_[end] != '\'') {
        content += text_[end++];
      } else if (text_.substr(end).starts_with("''")) {
        content += '\'';
        end += 2;
      } else {
        break;
      }
    }
    if (end == text_.size()) {
      return Fail(ErrorAt({Position(), static_cast<std::uint32_t>(end)}, "expr/syntax",
                          "this text has no closing `'`"));
    }
    ++end;
    tokens_.push_back({TokenKind::kText,
                       {Position(), static_cast<std::uint32_t>(end)},
                       std::move(content),
                       0,
                       Unit::kNumber});
    at_ = end;
    return {};
  }

  Status Word() {
    std::size_t end = at_;
    if (text_[end] == '$') ++end;
    while (true) {
      if (end == text_.size() || !IsNameStart(text_[end])) {
        const bool after_dot = end > at_ && text_[end - 1] == '.';
        return Fail(ErrorAt({Position(), static_cast<std::uint32_t>(end)}, "expr/syntax",
                            fmt::format("expected a name after `{}`", after_dot ? "." : "$")));
      }
      while (end < text_.size() && IsNamePart(text_[end])) ++end;
      if (end == text_.size() || text_[end] != '.') break;
      ++end;
    }
    tokens_.push_back({TokenKind::kWord,
                       {Position(), static_cast<std::uint32_t>(end)},
                       std::string(text_.substr(at_, end - at_)),
                       0,
                       Unit::kNumber});
    at_ = end;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view text) { return Lexer(text).Run(); }

bool IsReserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

namespace {

struct Spelling {
  std::string_view text;
  Op op;
};
constexpr Spelling kComparisons[] = {{"<", Op::kLess},    {"<=", Op::kLessEqual},
                                     {">", Op::kGreater}, {">=", Op::kGreaterEqual},
                                     {"==", Op::kEqual},  {"!=", Op::kNotEqual}};
/// Words of other languages for this language's operators.
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

/// Parses by recursive descent. An error is stored and signaled by returning false, so that the
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

  /// Appends a node over the last `children` (post-order: operands before their operator). False if
  /// the expression is too large.
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

  /// Counts nesting; all unbounded recursion goes through here.
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

  /// Parses `sum default sum`. Arithmetic beside it is ambiguous and rejected: `a / b default c`
  /// could mean a missing b or a missing quotient, which differ if b is 0.
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

  /// True if the last value is a sum, product or negation without parentheses.
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
  /// Reports `a / b default c`; called before `default`.
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
  /// Reports `a default b + c`; called after `default b`.
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
