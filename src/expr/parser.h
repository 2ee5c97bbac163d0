// Text to tokens. Internal to the parser.
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
  std::string text;  ///< Content of a text; the word; the symbol; a number as canonically written.
  double number = 0;
  Unit unit = Unit::kNumber;
};

/// The last token is kEnd. Errors as Parse.
Result<std::vector<Token>> Tokenize(std::string_view text);

/// Whether `word` belongs to the language and cannot be a name.
bool IsReserved(std::string_view word);

// Text to tree. The grammar is in rules/README.md ("The language").
//
// Bounded, so that no text can exhaust stack or memory: at most kMaxNodes nodes, parentheses, `not`
// and `-` at most kMaxDepth deep.

inline constexpr std::size_t kMaxNodes = 2000;
inline constexpr int kMaxDepth = 64;

/// Errors: kConfig "expr/syntax" or "expr/too-large"; where.offset (has_offset) and where.length
/// are the bytes of `text` at fault.
/// From loosest to tightest: or, and, not, comparisons (which do not chain), default, + -, * /,
/// unary -. Time and memory are linear in the text.
Result<Ast> Parse(std::string_view text);

/// An expression with `asc` or `desc` after it (order_by). Default: ascending.
struct Order {
  Ast ast;
  bool descending = false;
};
Result<Order> ParseOrder(std::string_view text);

/// An error at bytes [begin, end) of an expression.
Error ErrorAt(Range range, std::string code, std::string message,
              std::vector<std::string> notes = {});

}  // namespace profgauge::expr
