#include "expr/message.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace profgauge::expr {
namespace {

std::string PlainSpaces(std::string text) {
  for (std::size_t at; (at = text.find("\u202f")) != std::string::npos;) text.replace(at, 3, " ");
  return text;
}

struct MessageCase {
  std::string_view text, shown;
};
constexpr MessageCase kMessageCases[] = {
    {"no holes, one } and { each", "no holes, one } and { each"},
    {"{{ metric }} of kernel time ({{ sum(kernel.time) / profile.iterations | duration }} per "
     "iteration) in {{ count() }} kernels",
     "30.0 % of kernel time (10.0 ms per iteration) in 4 kernels"},
    {"{{sum(kernel.time)}}", "100 ms"},
    {"{{ 1 / 3 | percent }}, {{ 1 / 3 | number:1 }}, {{ 1 / 3 | number }}", "33.3 %, 0.3, 0.333"},
    {"{{ sum(kernel.bytes) | bytes }}", "12.3 kB"},
    {"{{ sum(kernel.calls) }} calls", "3 300 calls"},
    {"{{ at_max(kernel.name, kernel.time) }} {{ '}}|' }}", "h884gemm }}|"},
    {"lost {{ lost }}", "lost –"},
};

TEST(Message, HolesAreFilledInTheirUnit) {
  TestData test;
  for (const MessageCase& c : kMessageCases) {
    const auto message = CompileMessage(c.text, test.schema);
    ASSERT_TRUE(message) << c.text << ": " << message.error().front().message;
    EXPECT_EQ(PlainSpaces(RenderMessage(*message, test.data, test.rows)), c.shown);
  }
}

TEST(Message, AllErrorsTogetherAtTheirPlace) {
  Schema schema = TestSchema();
  const auto message = CompileMessage(
      "{{ kernel.time }} {{ wait | percent }} {{ wait | hours }} {{ oops }} {{ 1", schema);
  ASSERT_FALSE(message);
  std::string shown;
  for (const Error& error : message.error()) {
    shown += std::to_string(error.where.offset) + "+" + std::to_string(error.where.length) + ": " +
             error.message + "\n";
  }
  EXPECT_EQ(shown,
            "3+11: `kernel.time` has one value per row, but this expression covers all rows\n"
            "28+7: `percent` shows plain numbers, found time\n"
            "49+5: unknown filter `hours`\n"
            "61+4: unknown field `oops`\n"
            "69+2: `{{` has no closing `}}`\n");
}

TEST(Message, TimesAndCountsAreWhole) {
  EXPECT_EQ(ToCell(Value(2.6), Unit::kTime), Value(std::int64_t{3}));
  EXPECT_EQ(ToCell(Value(0.5), Unit::kShare), Value(0.5));
  EXPECT_EQ(ToCell(Value(true), Unit::kBool), Value(true));
  EXPECT_EQ(ToCell(Value(std::string("x")), Unit::kText), Value(std::string("x")));
  EXPECT_EQ(ToCell(Value(), Unit::kTime), Value());
}

}  // namespace
}  // namespace profgauge::expr
