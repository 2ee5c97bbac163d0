// The grammar as a whole: expressions made by chance from all of it, not only those that somebody
// thought of.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "expr/message.h"
#include "fixture.h"

namespace profgauge::expr {
namespace {

/// SplitMix64: the same expressions on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::size_t Below(std::size_t count) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % count);
  }
  template <std::size_t N>
  std::string Of(const std::string_view (&texts)[N]) {
    return std::string(texts[Below(N)]);
  }

 private:
  std::uint64_t state_;
};

/// Writes expressions of each type by the grammar of rules/README.md.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : chance_(seed) {}

  std::string Condition(int depth) {
    switch (depth <= 0 ? chance_.Below(2) : chance_.Below(9)) {
      case 0:
        return chance_.Of({"true", "false", "kernel.is_collective"});
      case 1:
        return "known(" + Leaf() + ")";
      case 2:
        return "(" + Condition(depth - 1) + " or " + Condition(depth - 1) + ")";
      case 3:
        return "(" + Condition(depth - 1) + " and " + Condition(depth - 1) + ")";
      case 4:
        return "(not " + Condition(depth - 1) + ")";
      case 5:
        return "(" + Time(depth - 1) + chance_.Of({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
               Time(depth - 1) + ")";
      case 6:
        return "(" + Name(depth - 1) + chance_.Of({" in ", " not in "}) + "[" + Quoted() + ", " +
               Quoted() + "])";
      case 7:
        return "(" + Name(depth - 1) +
               chance_.Of({" contains ", " not starts_with ", " ends_with ", " matches "}) +
               Quoted() + ")";
      default:
        return "(" + Condition(depth - 1) + " default " + chance_.Of({"true", "false"}) + ")";
    }
  }

  std::string Time(int depth) {
    switch (depth <= 0 ? 0 : chance_.Below(8)) {
      case 0:
        return Leaf();
      case 1:
        return "(" + Time(depth - 1) + chance_.Of({" + ", " - "}) + Time(depth - 1) + ")";
      case 2:
        return "(" + Time(depth - 1) + chance_.Of({" * ", " / "}) + Number() + ")";
      case 3:
        return "(-" + Time(depth - 1) + ")";
      case 4:
        return "((" + Time(depth - 1) + ") default (" + Time(depth - 1) + "))";
      case 5:
        return "if(" + Condition(depth - 1) + ", " + Time(depth - 1) + ", " + Time(depth - 1) + ")";
      case 6:
        return chance_.Of({"least(", "greatest(", "greatest_known("}) + Time(depth - 1) + ", " +
               Time(depth - 1) + ")";
      default:
        return "abs(" + Time(depth - 1) + ")";
    }
  }

 private:
  std::string Leaf() {
    return chance_.Of({"kernel.time", "kernel.mean", "lost", "wait", "$min_kernel_time", "3 us",
                       "0 ms", "2.5 s", "profile.kernel_time"});
  }
  std::string Number() { return chance_.Of({"2", "50%", "profile.ranks", "0", "kernel.calls"}); }
  std::string Name(int depth) {
    if (depth > 0 && chance_.Below(3) == 0) return "(" + Name(depth - 1) + " + " + Quoted() + ")";
    return chance_.Of({"kernel.name", "kernel.op", "gpu.name", "(kernel.op default '')"});
  }
  std::string Quoted() {
    return chance_.Of({"'sgemm'", "'aten::mm'", "'it''s'", "''", "'`|<'", "'\\d+'"});
  }

  Chance chance_;
};

constexpr int kMade = 4000;

TEST(Grammar, CanonicalTextIsTheSameExpression) {
  for (std::uint64_t seed = 0; seed < kMade; ++seed) {
    Writer writer(seed);
    const std::string text = seed % 2 == 0 ? writer.Condition(4) : writer.Time(4);
    const auto ast = Parse(text);
    ASSERT_TRUE(ast) << text << ": " << ast.error().message;
    const std::string printed = Print(*ast);
    const auto again = Parse(printed);
    ASSERT_TRUE(again) << text << " became " << printed;
    EXPECT_EQ(Dump(*again), Dump(*ast)) << text << " became " << printed;
    EXPECT_EQ(Print(*again), printed) << text;
  }
}

/// Every expression that the grammar and its types allow has a value or a reason in every row, and
/// the same in a batch.
TEST(Grammar, EveryExpressionHasAValueOrAReason) {
  TestData test;
  for (std::uint64_t seed = 0; seed < kMade; ++seed) {
    const std::string text = Writer(seed).Condition(4);
    const auto program = Compile(text, test.schema, Context::kRow, Want::kCondition);
    ASSERT_TRUE(program) << text << ": " << program.error().front().message;
    const std::vector<double> batch = EvaluateNumbers(*program, test.data, test.rows);
    for (const RowId row : test.rows) {
      const Outcome outcome = EvaluateRow(*program, test.data, row);
      if (IsAbsent(outcome.value)) {
        EXPECT_NE(outcome.absent_because, "") << text;
        EXPECT_TRUE(std::isnan(batch[row])) << text;
      } else {
        EXPECT_EQ(batch[row], AsNumber(outcome.value, -1)) << text;
      }
    }
  }
}

/// One byte more, less or other: an expression, or an error inside of the text.
TEST(Grammar, MistakesHavePlaces) {
  Chance chance(7);
  for (std::uint64_t seed = 0; seed < kMade; ++seed) {
    std::string text = Writer(seed).Condition(3);
    const std::size_t at = chance.Below(text.size());
    const std::string byte = chance.Of({"", "(", ")", "'", "?", "default ", " not ", ",", "%"});
    text.replace(at, chance.Below(2), byte);
    const auto ast = Parse(text);
    if (ast) continue;
    const Where& where = ast.error().where;
    EXPECT_LE(where.offset + where.length, text.size() + 1) << text;
    EXPECT_NE(ast.error().message, "") << text;
  }
}

struct Operand {
  std::string_view value, fallback;  // Both have one dimension.
};
constexpr Operand kOperands[] = {
    {"lost", "3 us"},                                              // absent
    {"wait", "3 us"},                                              // known
    {"sum(kernel.time)", "0 ms"},                                  // of a group
    {"lost / profile.ranks", "wait"},                              // absent by its parts
    {"profile.kernel_time / 0", "1 s"},                            // absent by its division
    {"max(kernel.time, kernel.time > 9 s)", "least(wait, 1 us)"},  // absent over no rows
};
constexpr std::string_view kAround[] = {"{} + 1 ms",
                                        "1 ms - {}",
                                        "-{}",
                                        "{} * 2",
                                        "{} / 4",
                                        "{} < 1 ms",
                                        "{} == 3 us",
                                        "known({})",
                                        "abs({})",
                                        "least({}, 1 ms)",
                                        "greatest(0 ms, {})",
                                        "if({} > 1 us, 1, 2)",
                                        "not {} > 1 us",
                                        "{} > 1 us and false",
                                        "{} > 1 us or true",
                                        "{} default 9 s",
                                        "greatest_known({}, lost)"};

/// `x default d` is `if(known(x), x, d)` under every operator, absent or not.
TEST(Default, IsKnownSideUnderEveryOperator) {
  TestData test;
  const auto value_of = [&test](const std::string& text) {
    const auto program = Compile(text, test.schema, Context::kGroup);
    EXPECT_TRUE(program) << text << ": " << program.error().front().message;
    return program ? Evaluate(*program, test.data, test.rows).value : Value();
  };
  for (const Operand& operand : kOperands) {
    for (const std::string_view around : kAround) {
      const auto with = [&around](const std::string& inner) {
        std::string text(around);
        return text.replace(text.find("{}"), 2, inner);
      };
      const std::string x(operand.value), d(operand.fallback);
      const std::string one = with("((" + x + ") default (" + d + "))");
      const std::string other = with("if(known(" + x + "), " + x + ", " + d + ")");
      EXPECT_EQ(value_of(one), value_of(other)) << one;
    }
  }
}

}  // namespace
}  // namespace profgauge::expr
