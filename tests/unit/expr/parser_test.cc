#include "expr/parser.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace profgauge::expr {
namespace {

struct Shape {
  std::string_view text, dump, print;
};
constexpr Shape kShapes[] = {
    // Precedence and associativity.
    {"a + b * 2", "(+ a (* b 2))", "a + b * 2"},
    {"(a + b) * 2", "(* (+ a b) 2)", "(a + b) * 2"},
    {"a - b - c", "(- (- a b) c)", "a - b - c"},
    {"a - (b - c)", "(- a (- b c))", "a - (b - c)"},
    {"a / b / c", "(/ (/ a b) c)", "a / b / c"},
    {"a / (b * c)", "(/ a (* b c))", "a / (b * c)"},
    {"-a * b", "(* (- a) b)", "-a * b"},
    {"-(a + b)", "(- (+ a b))", "-(a + b)"},
    {"--a", "(- (- a))", "--a"},
    {"a or b and not c", "(or a (and b (not c)))", "a or b and not c"},
    {"(a or b) and c", "(and (or a b) c)", "(a or b) and c"},
    {"not not x", "(not (not x))", "not not x"},
    {"not x and y", "(and (not x) y)", "not x and y"},
    {"not (x and y)", "(not (and x y))", "not (x and y)"},
    {"not a == b", "(not (== a b))", "not a == b"},
    {"(a == b) == c", "(== (== a b) c)", "(a == b) == c"},
    {"a < b and b <= c or d != e", "(or (and (< a b) (<= b c)) (!= d e))",
     "a < b and b <= c or d != e"},
    // Numbers and units.
    {"k.time > 5 us", "(> k.time 5000ns)", "k.time > 5 us"},
    {"k.time>5us", "(> k.time 5000ns)", "k.time > 5 us"},
    {"x > 75%", "(> x 0.75)", "x > 75%"},
    {"x > 75 %", "(> x 0.75)", "x > 75%"},
    {"1 GiB", "1073741824bytes", "1 GiB"},
    {"12 GB/s", "12000000000bytes/s", "12 GB/s"},
    {"12 GB / s", "(/ 12000000000bytes s)", "12 GB / s"},
    {"1.5e3", "1500", "1.5e3"},
    {"2 TFLOP/s", "2000000000000flop/s", "2 TFLOP/s"},
    {"0.07 s", "70000000ns", "0.07 s"},
    // Texts.
    {"name == 'it''s'", "(== name 'it''s')", "name == 'it''s'"},
    {"name matches '^nccl\\d+'", "(matches name '^nccl\\d+')", "name matches '^nccl\\d+'"},
    {"name not matches '^(nccl|Mem)'", "(not (matches name '^(nccl|Mem)'))",
     "name not matches '^(nccl|Mem)'"},
    {"not name matches 'a'", "(not (matches name 'a'))", "name not matches 'a'"},
    {"a contains 'x' and b not starts_with 'y'", "(and (contains a 'x') (not (starts_with b 'y')))",
     "a contains 'x' and b not starts_with 'y'"},
    {"a in ['x', 'y']", "(in a 'x' 'y')", "a in ['x', 'y']"},
    {"a not in [1, (2 + 3)]", "(not (in a 1 (+ 2 3)))", "a not in [1, (2 + 3)]"},
    {"not (a not in [1])", "(not (not (in a 1)))", "not a not in [1]"},
    // Names and calls.
    {"$limit * 2", "(* $limit 2)", "$limit * 2"},
    {"memcpy.h2d.time", "memcpy.h2d.time", "memcpy.h2d.time"},
    {"count()", "(call count)", "count()"},
    {"percentile(a.b, 95)", "(call percentile a.b 95)", "percentile(a.b, 95)"},
    {"sum(a, b > 1 or c)", "(call sum a (or (> b 1) c))", "sum(a, b > 1 or c)"},
    {"true and false", "(and true false)", "true and false"},
    {" a\n  + b ", "(+ a b)", "a + b"},
};

TEST(Parser, TreesAndCanonicalText) {
  for (const Shape& shape : kShapes) {
    const auto ast = Parse(shape.text);
    ASSERT_TRUE(ast) << shape.text << ": " << ast.error().message;
    EXPECT_EQ(Dump(*ast), shape.dump) << shape.text;
    EXPECT_EQ(Print(*ast), shape.print) << shape.text;
    const auto again = Parse(Print(*ast));
    ASSERT_TRUE(again) << Print(*ast);
    EXPECT_EQ(Dump(*again), shape.dump) << shape.text;
  }
}

TEST(Parser, EveryNodeKnowsItsPlace) {
  const std::string_view text = "sum(a.b) / -(c + 2 us) > 5%";
  const auto ast = Parse(text);
  ASSERT_TRUE(ast);
  std::vector<std::string> places;
  for (const Node& node : ast->nodes) {
    places.emplace_back(text.substr(node.range.begin, node.range.end - node.range.begin));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"a.b", "sum(a.b)", "c", "2 us", "c + 2 us",
                                              "-(c + 2 us)", "sum(a.b) / -(c + 2 us)", "5%",
                                              "sum(a.b) / -(c + 2 us) > 5%"}));
}

struct SyntaxFailure {
  std::string_view text, message;
};
/// "offset+length code: message | note"
std::string Show(const Error& error) {
  std::string out = std::to_string(error.where.offset) + "+" + std::to_string(error.where.length) +
                    " " + error.code + ": " + error.message;
  for (const std::string& note : error.notes) out += " | " + note;
  return out;
}

constexpr SyntaxFailure kSyntaxFailures[] = {
    {"", "0+0 expr/syntax: expected a value, found the end"},
    {"kernel.time >", "13+0 expr/syntax: expected a value, found the end"},
    {"a +* b", "3+1 expr/syntax: expected a value, found `*`"},
    {"a b", "2+1 expr/syntax: expected an operator or the end, found `b`"},
    {"(a", "2+0 expr/syntax: expected `)`, found the end"},
    {"a)", "1+1 expr/syntax: expected an operator or the end, found `)`"},
    {"sum(a b)", "6+1 expr/syntax: expected `,` or `)`, found `b`"},
    {"sum(a,)", "6+1 expr/syntax: expected a value, found `)`"},
    {"a < b < c", "6+1 expr/syntax: comparisons cannot be chained | help: write `a < b and b < c`"},
    {"a in 'x'", "5+3 expr/syntax: expected `[`, found 'x' | help: write `x in ['a', 'b']`"},
    {"a in []", "6+1 expr/syntax: expected a value, found `]`"},
    {"a not b",
     "6+1 expr/syntax: expected `in`, `contains`, `starts_with`, `ends_with` or `matches` after "
     "`not`, found `b`"},
    {"a && b", "2+2 expr/syntax: unexpected `&&` | help: write `and`"},
    {"a || b", "2+2 expr/syntax: unexpected `||` | help: write `or`"},
    {"!a", "0+1 expr/syntax: unexpected `!` | help: write `not`"},
    {"a = b", "2+1 expr/syntax: unexpected `=` | help: write `==`"},
    {"a == \"x\"",
     "5+1 expr/syntax: unexpected `\"` | help: texts need single quotes: 'like this'"},
    {"a == 'x", "5+2 expr/syntax: this text has no closing `'`"},
    {"a == null", "5+4 expr/syntax: expected a value, found `null` | help: test with `known(x)`"},
    {"a + not b",
     "4+3 expr/syntax: expected a value, found `not` | help: put `not …` in parentheses"},
    {"a > 010",
     "4+3 expr/syntax: expected a number with an optional unit, found `010`; leading zeros are not "
     "allowed, since some readers take them for octal"},
    {"a > 1_000",
     "4+5 expr/syntax: expected a number with an optional unit, found `1_000`; digits are not "
     "grouped"},
    {"a > 5 sec",
     "4+5 expr/syntax: unknown unit `sec`; units are ns us ms s % B KB MB GB KiB MiB GiB GB/s "
     "TFLOP/s"},
    {"a > 1e999", "4+5 expr/syntax: the number `1e999` is out of range"},
    {"a. > 1", "0+2 expr/syntax: expected a name after `.`"},
    {"$ > 1", "0+1 expr/syntax: expected a name after `$`"},
    {"a > \x01", "4+1 expr/syntax: unexpected `\\x01`"},
    {"a asc", "2+3 expr/syntax: expected an operator or the end, found `asc`"},
};

TEST(Parser, ErrorsNamePlaceAndNextStep) {
  for (const SyntaxFailure& wrong : kSyntaxFailures) {
    const auto ast = Parse(wrong.text);
    ASSERT_FALSE(ast) << wrong.text;
    EXPECT_EQ(Show(ast.error()), wrong.message) << wrong.text;
  }
}

TEST(Parser, OrderHasADirection) {
  EXPECT_TRUE(ParseOrder("kernel.time desc")->descending);
  EXPECT_FALSE(ParseOrder("kernel.time asc")->descending);
  EXPECT_FALSE(ParseOrder("kernel.time")->descending);
  EXPECT_EQ(Dump(ParseOrder("a + b desc")->ast), "(+ a b)");
  EXPECT_EQ(Show(ParseOrder("a desc b").error()),
            "7+1 expr/syntax: expected an operator or the end, found `b`");
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parser, HugeExpressionsAreRefusedNotOverflown) {
  constexpr std::string_view kParts =
      " expr/too-large: the expression has more than 2000 parts | help: split it with `let:`";
  constexpr std::string_view kDeep =
      " expr/too-large: the expression is nested more than 64 deep | help: split it with `let:`";
  const auto ends_with = [](const Error& error, std::string_view end) {
    return Show(error).ends_with(end);
  };
  EXPECT_TRUE(ends_with(Parse("a" + Repeat(" + a", 10'000)).error(), kParts));
  EXPECT_TRUE(ends_with(Parse("a in [1" + Repeat(", 1", 10'000) + "]").error(), kParts));
  EXPECT_TRUE(ends_with(Parse(Repeat("(", 100'000)).error(), kParts));
  EXPECT_TRUE(ends_with(Parse(Repeat("(", 100)).error(), kDeep));
  EXPECT_TRUE(ends_with(Parse(Repeat("-", 100) + "a").error(), kDeep));
  EXPECT_TRUE(ends_with(Parse(Repeat("not ", 100) + "a").error(), kDeep));
  EXPECT_TRUE(ends_with(Parse(Repeat("abs(", 100)).error(), kDeep));
  // A chain of 900 is fine, and so is its printing.
  const auto chain = Parse("a" + Repeat(" - a", 900));
  ASSERT_TRUE(chain);
  EXPECT_EQ(Print(*chain), "a" + Repeat(" - a", 900));
}

}  // namespace
}  // namespace profgauge::expr
