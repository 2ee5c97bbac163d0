#include "base/python_literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

namespace profgauge {
namespace {

PyValue Parse(std::string_view text) {
  auto value = ParsePythonLiteral(text);
  EXPECT_TRUE(value) << text << ": expected " << value.error().expected;
  return value ? std::move(*value) : PyValue{};
}

TEST(PythonLiteralTest, ReadsADictionaryOfEveryKind) {
  const PyValue value = Parse(
      R"({'a': [1, -2.5, True, None], "b": (32, 3), 'c': 'it\'s \x41é\n', 'd': {}, 'e': (6,)})");
  const PyValue* a = value.Find("a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->items.size(), 4u);
  EXPECT_EQ(a->items[0].integer, 1);
  EXPECT_EQ(a->items[1].real, -2.5);
  EXPECT_EQ(a->items[2].kind, PyValue::Kind::kBool);
  EXPECT_EQ(a->items[3].kind, PyValue::Kind::kNone);
  EXPECT_EQ(value.Find("b")->kind, PyValue::Kind::kTuple);
  EXPECT_EQ(value.Find("c")->text, "it's A\xC3\xA9\n");
  EXPECT_EQ(value.Find("d")->kind, PyValue::Kind::kDict);
  EXPECT_EQ(value.Find("e")->items.size(), 1u);
  EXPECT_EQ(value.Find("f"), nullptr);
}

TEST(PythonLiteralTest, SingleBracketedValueIsNoTuple) {
  EXPECT_EQ(Parse("(7)").integer, 7);
  EXPECT_EQ(Parse("(7,)").kind, PyValue::Kind::kTuple);
  EXPECT_EQ(Parse("()").kind, PyValue::Kind::kTuple);
}

TEST(PythonLiteralTest, NumbersBeyond64BitsAreReal) {
  EXPECT_EQ(Parse("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(Parse("9223372036854775808").real, 9223372036854775808.0);
  EXPECT_TRUE(std::isinf(Parse("-inf").real));
  EXPECT_TRUE(std::isnan(Parse("nan").real));
}

struct Wrong {
  std::string_view text;
  std::size_t column;
  std::string_view expected;
};
// Names of tests must not hold values that differ from run to run, e.g. addresses.
void PrintTo(const Wrong& row, std::ostream* out) { *out << row.text; }

class PythonLiteralErrorTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(PythonLiteralErrorTest, NamesTheColumn) {
  const auto value = ParsePythonLiteral(GetParam().text);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().column, GetParam().column);
  EXPECT_EQ(value.error().expected, GetParam().expected);
}

// Among them code that eval() would run.
INSTANTIATE_TEST_SUITE_P(
    All, PythonLiteralErrorTest,
    ::testing::Values(Wrong{"", 1, "a value"}, Wrong{"__import__('os')", 1, "a value"},
                      Wrong{"{'a': open('x')}", 7, "a value"}, Wrong{"[1, 2", 6, "`,` or `]`"},
                      Wrong{"'abc", 5, "`'`"}, Wrong{"{'a' 1}", 6, "`:`"},
                      Wrong{"1 + 1", 3, "the end of the line"},
                      Wrong{"'\\x4'", 4, "hexadecimal digits"}, Wrong{"-", 1, "a value"}));

TEST(PythonLiteralTest, DeepNestingIsRefusedNotFollowed) {
  EXPECT_TRUE(ParsePythonLiteral(std::string(60, '[') + std::string(60, ']')));
  const auto deep = ParsePythonLiteral(std::string(1'000'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().expected, "at most 64 nested brackets");
}

}  // namespace
}  // namespace profgauge
