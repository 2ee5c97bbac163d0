// Types of expressions: true/false, text, or a number with a dimension.
//
// A dimension is a combination of powers of time, bytes and operations, so that `bytes / time` is a
// bandwidth and `time / time` a plain number. Values are kept in the base units of base/units.h:
// nanoseconds, bytes, operations, and rates per *second*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace profgauge::expr {

enum class Kind : std::uint8_t { kBool, kText, kNumber };

/// The powers of `bytes / time` are bytes 1, time -1. Text and Booleans have none.
struct Type {
  Kind kind = Kind::kNumber;
  std::int8_t time = 0, bytes = 0, flop = 0;  ///< Powers; all 0 for a plain number.
  Unit unit = Unit::kNumber;  ///< Unit for display; counts, shares and numbers are one dimension.
};

Type TypeOf(Unit unit);
/// True if two types can be compared and added: counts, shares and plain numbers can; a time and a
/// number cannot.
bool SameDimension(const Type& a, const Type& b);
/// Returns the type of a product (`sign` 1) or quotient (-1). `ok` is false if a power is out of
/// range, which no sensible formula reaches.
Type Combine(const Type& a, const Type& b, int sign, bool& ok);
/// Returns the factor that converts a product or quotient of values in base units to base units. It
/// is needed because rates are per second, but times are in nanoseconds. 10 MB / 2 ms is 10e6 / 2e6
/// in base units and 5e9 bytes per second, so the factor is 1e9.
double CombineFactor(const Type& a, const Type& b, int sign, const Type& result);
/// "time", "number", "bandwidth", "string", "true or false", "time^2".
std::string TypeName(const Type& type);

// The tree of an expression, stored flat in post-order: children before parents, each subtree
// contiguous, the root last. So every pass over it is a loop, and depth takes no stack.
//
// `a + b * 2 > 5 us` is stored as
//
//   id     0    1    2    3     4     5      6
//   op     a    b    2    *     +     5 us   >
//   first  0    1    2    1     0     5      0
//
// Node 3 has the children 1 and 2; its subtree is [first, id] = [1, 3].

/// Bytes of the expression's text; `end` is exclusive.
struct Range {
  std::uint32_t begin = 0, end = 0;
};

enum class Op : std::uint8_t {
  kNumber,
  kText,
  kBool,   // literals
  kField,  // kernel.mean, $limit, wait
  kCall,   // sum(x)
  kNegate,
  kNot,  // one child
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,  // first child: the value; the others: the list
  kContains,
  kStartsWith,
  kEndsWith,
  kMatches,
  kDefault,  // first child if it is known, else the second
  kAnd,
  kOr,
};
/// "+", "<=", "starts_with"; empty for literals, fields and calls.
const char* OpText(Op op);

using NodeId = std::uint32_t;

struct Node {
  Op op = Op::kNumber;
  Range range;
  double number = 0;          ///< kNumber in base units; kBool as 0 or 1.
  Unit unit = Unit::kNumber;  ///< Only for a kNumber literal.
  std::string text;           ///< kText's content; name of a kField ("$x" with its $) or kCall.
  /// A kNumber as written, with its unit in canonical form: "5 us", "50%". For a kText that names a
  /// value of the data by its id: that id, as `text` is then the data's cell. Else empty.
  std::string spelled;
  std::vector<NodeId> children;
  NodeId first = 0;  ///< First node of this subtree; the subtree is [first, own id].
};

struct Ast {
  std::vector<Node> nodes;
  NodeId root() const { return static_cast<NodeId>(nodes.size() - 1); }
};

/// One-line dump for tests: "(+ a (* b 2))", "(> k.time 5000ns)", "(call sum k.time)".
std::string Dump(const Ast& ast);
/// Canonical text: one blank around binary operators, the fewest parentheses and blanks otherwise,
/// units as base/units spells them. Parsing it again gives the same tree.
std::string Print(const Ast& ast);

}  // namespace profgauge::expr
