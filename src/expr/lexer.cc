#include "expr/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/literal.h"
#include "base/text.h"

namespace profgauge::expr {
namespace {

/// Enough for kMaxNodes nodes with all their punctuation; more is refused before it costs memory.
constexpr std::size_t kMaxTokens = 8 * kMaxNodes;

/// `null` is reserved so that it is an error with advice and not a field.
constexpr std::array<std::string_view, 13> kReserved = {
    "and",     "or",   "not",   "in",  "contains", "starts_with", "ends_with",
    "matches", "true", "false", "asc", "desc",     "null"};
constexpr std::array<std::string_view, 4> kTwoCharSymbols = {"<=", ">=", "==", "!="};
constexpr std::string_view kSymbols = "()[],+-*/<>";

/// Words that people type instead of the language's words.
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

/// An operator, and not reserved: a name of `let` may be called so.
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

  /// Digits and the unit after them, with or without a blank between.
  Status Number() {
    const std::size_t length = NumberLength(Rest());
    std::size_t end = at_ + length;
    // A number that runs on ("010", "1_000", "0x10", "5.") is one bad word, not two tokens.
    // Two tokens would give "expected an operator", which hides the mistake.
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

  /// The word after a number, when it is no word of the language; a rate ("GB/s") as a whole.
  /// `5 us` and `5us` are one number; `5 and` is a number and an operator. Any other word is taken
  /// as a unit, so that `5 sec` is an error about the unit, not about a missing operator.
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

  /// 'text'; two quotes are one quote. Backslashes mean nothing here, so regular expressions need
  /// no doubling.
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

}  // namespace profgauge::expr
