// Text to tree. The grammar is in rules/README.md ("The language").
//
// Bounded, so that no text can exhaust stack or memory: at most kMaxNodes nodes, parentheses, `not`
// and `-` at most kMaxDepth deep.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "expr/ast.h"
#include "profgauge/error.h"

namespace profgauge::expr {

inline constexpr std::size_t kMaxNodes = 2000;
inline constexpr int kMaxDepth = 64;

/// Errors: kConfig "expr/syntax" or "expr/too-large"; where.offset (has_offset) and where.length
/// are the bytes of `text` at fault.
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
