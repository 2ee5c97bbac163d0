// `default`, texts of rows, `plural` and enumerations.
#include <gtest/gtest.h>

#include <cmath>

#include "base/value.h"
#include "expr/parser.h"
#include "expr/program.h"
#include "fixture.h"

namespace profgauge::expr {
namespace {

std::string Printed(std::string_view text) {
  const auto ast = Parse(text);
  return ast ? Print(*ast) : ast.error().code + ": " + ast.error().message;
}

std::string HelpOf(std::string_view text) {
  const auto ast = Parse(text);
  return ast || ast.error().notes.empty() ? "" : ast.error().notes.front();
}

TEST(Default, BindsTighterThanComparisons) {
  EXPECT_EQ(Dump(*Parse("a default 1 > b default 2")), "(> (default a 1) (default b 2))");
  EXPECT_EQ(Dump(*Parse("not a default false and b")), "(and (not (default a false)) b)");
  EXPECT_EQ(Dump(*Parse("a default b default c")), "(default (default a b) c)");
  EXPECT_EQ(Dump(*Parse("5 default 3")), "(default 5 3)");
}

TEST(Default, PrintsAsItParses) {
  for (const std::string_view text :
       {"(a / b) default 0%", "a / (b default 0%)", "a default (b + c)", "(-a) default b",
        "a default (b default c)", "x default '' != 'helper'", "(a > b) default false",
        "a default 0% in [0%, 1%]", "sum(a default 0)"}) {
    EXPECT_EQ(Printed(text), text);
  }
}

TEST(Default, NeedsParenthesesBesideArithmetic) {
  EXPECT_EQ(Printed("a / b default 0%"),
            "expr/ambiguous-default: `a / b default 0%` can be read in two ways");
  EXPECT_EQ(HelpOf("a / b default 0%"), "help: write `(a / b) default 0%` or `a / (b default 0%)`");
  EXPECT_EQ(HelpOf("a default b + c"), "help: write `a default (b + c)` or `(a default b) + c`");
  EXPECT_EQ(HelpOf("-a default b"), "help: write `(-a) default b` or `-(a default b)`");
}

TEST(Default, OtherLanguagesOperatorsAreNamed) {
  EXPECT_EQ(Printed("a =~ 'x'"), "expr/syntax: `=~` is no operator");
  EXPECT_EQ(HelpOf("a =~ 'x'"), "help: write `matches`");
  EXPECT_EQ(HelpOf("a ?? 1"), "help: write `default`");
  EXPECT_EQ(HelpOf("a like 'x'"), "help: write `contains`");
  EXPECT_EQ(HelpOf("a startswith 'x'"), "help: write `starts_with`");
}

TEST(Default, IsANameWhereAValueIs) { EXPECT_EQ(Printed("default + 1"), "default + 1"); }

/// `x default d` is `if(known(x), x, d)`, but keeps the reason of x where both are absent.
TEST(Default, IsTheKnownOne) {
  TestData test;
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      {"lost default 3 us", "if(known(lost), lost, 3 us)"},
      {"wait default 3 us", "if(known(wait), wait, 3 us)"},
      {"sum(kernel.bytes default 7 B)", "sum(if(known(kernel.bytes), kernel.bytes, 7 B))"},
      {"count((kernel.bytes > 1 B) default true)",
       "count(if(known(kernel.bytes), kernel.bytes > 1 B, true))"},
      {"any(kernel.tensor_core_eligible default true)", "any(true or kernel.is_collective)"},
  };
  for (const auto& [one, other] : kSame) {
    const auto a = Compile(one, test.schema, Context::kGroup);
    const auto b = Compile(other, test.schema, Context::kGroup);
    ASSERT_TRUE(a) << one << a.error().front().message;
    ASSERT_TRUE(b) << other << b.error().front().message;
    EXPECT_EQ(Evaluate(*a, test.data, test.rows).value, Evaluate(*b, test.data, test.rows).value)
        << one;
  }
  const auto both = Compile("lost default lost", test.schema, Context::kGroup);
  EXPECT_EQ(Evaluate(*both, test.data, test.rows).absent_because,
            "`lost` is absent: the trace has no memory events");
}

TEST(Texts, RowTextsMayBeComputed) {
  TestData test;
  constexpr std::pair<std::string_view, double> kCounts[] = {
      {"count(kernel.op default '' == '')", 1},
      {"count(kernel.op default 'aten::mm' starts_with 'aten')", 4},
      {"count(kernel.op != 'aten::mm')", 1},
      {"count(if(kernel.is_collective, kernel.name, kernel.op) == 'ncclAllReduce')", 1},
      {"count(kernel.name + '!' == 'h884gemm!')", 1},
      {"distinct(kernel.op default kernel.name)", 3},
      {"distinct(kernel.op)", 2},
  };
  for (const auto& [text, expected] : kCounts) {
    const auto program = Compile(text, test.schema, Context::kGroup);
    ASSERT_TRUE(program) << text << program.error().front().message;
    EXPECT_EQ(AsNumber(Evaluate(*program, test.data, test.rows).value, -1), expected) << text;
  }
}

std::string TextOf(std::string_view text) {
  TestData test;
  const auto program = Compile(text, test.schema, Context::kGroup);
  if (!program) return program.error().front().message;
  const Outcome outcome = Evaluate(*program, test.data, test.rows);
  return IsAbsent(outcome.value) ? outcome.absent_because : std::get<std::string>(outcome.value);
}

TEST(Texts, PluralFitsItsNumber) {
  EXPECT_EQ(TextOf("plural(count(), 'kernel')"), "4 kernels");
  EXPECT_EQ(TextOf("plural(count(kernel.is_collective), 'kernel')"), "1 kernel");
  EXPECT_EQ(TextOf("plural(count(), 'copy', 'copies')"), "4 copies");
  EXPECT_EQ(TextOf("plural(sum(kernel.calls) * 1000, 'call')"), "3\u202f300\u202f000 calls");
  EXPECT_EQ(TextOf("plural('x', 'kernel')"), "`plural` needs a number here, found string");
  EXPECT_EQ(TextOf("plural(count(), 3)"), "`plural` needs a string here, found number");
}

constexpr EnumValue kUses[] = {{"no", "no"}, {"yes", "yes"}, {"unknown", "not recorded"}};
constexpr Enumeration kUsesValues{kUses, false};

class Values : public ::testing::Test {
 protected:
  Values() {
    schema_.Add("uses", Unit::kText, Scope::kGroup, &kUsesValues);
    data_.resize(schema_.size());
    data_.back().value = std::string("not recorded");
  }
  std::string Result(std::string_view text) {
    const auto program = Compile(text, schema_, Context::kGroup);
    if (!program) {
      const Error& error = program.error().front();
      return error.code + ": " + error.message + "; " + error.notes.front();
    }
    printed_ = program->Text();
    const Value value = Evaluate(*program, data_, {}).value;
    return std::get<bool>(value) ? "true" : "false";
  }
  Schema schema_;
  Data data_;
  std::string printed_;
};

TEST_F(Values, ComparesByIdShowsByTitle) {
  EXPECT_EQ(Result("uses == 'unknown'"), "true");
  EXPECT_EQ(printed_, "uses == 'unknown'");
  EXPECT_EQ(Result("uses in ['yes', 'unknown']"), "true");
  EXPECT_EQ(Result("uses default '' != 'no'"), "true");
}

TEST_F(Values, ThatNeverOccurAreErrors) {
  EXPECT_EQ(
      Result("uses == 'unknwon'"),
      "expr/never-equal: `uses` is never 'unknwon'; help: did you mean 'unknown'? values: no, "
      "yes, unknown");
  EXPECT_EQ(
      Result("uses == 'not recorded'"),
      "expr/never-equal: `uses` is never 'not recorded'; help: did you mean 'unknown'? values: "
      "no, yes, unknown");
}

}  // namespace
}  // namespace profgauge::expr
