// Text to tokens. Internal to the parser.
#pragma once

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

}  // namespace profgauge::expr
