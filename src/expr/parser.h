// Makes tokens and a tree of the text of an expression. Types are checked by program.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/ast.h"
#include "profgauge/error.h"

namespace profgauge::expr {

enum class TokenKind : std::uint8_t {
  kEnd,
  kNumber,  ///< With its unit, if any.
  kText,
  kWord,    ///< A name with its dots and `$`, or a word of the language.
  kSymbol,  ///< ( ) [ ] , + - * / < <= > >= == !=
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Range range;
  std::string text;  ///< Content of a text; the word; the symbol; a number in canonical form.
  double number = 0;
  Unit unit = Unit::kNumber;
};

/// The last token is kEnd. Errors: those of Parse().
Result<std::vector<Token>> Tokenize(std::string_view text);

/// True if `word` belongs to the language and cannot be a name.
bool IsReserved(std::string_view word);

// Parses text into a tree. The grammar is in rules/README.md ("The language").
//
// Limited, so that no text can exhaust stack or memory: at most kMaxNodes nodes; parentheses, `not`
// and `-` nest at most kMaxDepth deep.

inline constexpr std::size_t kMaxNodes = 2000;
inline constexpr int kMaxDepth = 64;

/// Precedence from loosest to tightest: or, and, not, comparisons (which do not chain), default, +
/// -, * /, unary -. Time and memory are linear in the text. Errors: kConfig "expr/syntax" or
/// "expr/too-large"; where.offset (has_offset) and where.length are the faulty bytes of `text`.
Result<Ast> Parse(std::string_view text);

/// An expression followed by `asc` or `desc` (order_by). Default: ascending.
struct Order {
  Ast ast;
  bool descending = false;
};
Result<Order> ParseOrder(std::string_view text);

/// An error at bytes [begin, end) of an expression.
Error ErrorAt(Range range, std::string code, std::string message,
              std::vector<std::string> notes = {});

}  // namespace profgauge::expr
