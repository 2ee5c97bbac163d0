// Limits of rules that no run can miss.
#include "rules/never_missed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "rules/compile.h"
#include "rules/rule.h"

namespace profgauge::rules {
namespace {

struct Checked {
  std::string code;
  std::vector<std::string> doubts;
};

// A rule about the profile or about kernels whose metric has this value and limit.
Checked Check(std::string_view value, std::string_view limit, std::string_view rows = "profile",
              std::string_view more = "") {
  const std::string text = fmt::format(
      "schema: 2\nnamespace: t\ncategory: c\nrules:\n"
      "  - {{id: a, title: A, for_each: {}, message: m{},\n     metric: {{value: \"{}\", "
      "{}}}}}\n",
      rows, more, value, limit);
  const auto file = ParseRuleFile(text, "t.yaml");
  if (!file) return {file.error().front().code + " " + file.error().front().message, {}};
  const Errors errors = CheckRule(file->rules.front());
  return {errors.empty() ? "" : errors.front().code, DoubtsOf(file->rules.front())};
}

TEST(NeverMissed, FoundForBoundedExpressions) {
  struct Row {
    std::string_view value, limit, code;
  };
  constexpr std::string_view kNever = "rules/never-missed";
  const Row kRows[] = {
      {"gpu.idle.mean", "error_above: 10", kNever},
      {"gpu.idle.mean", "error_above: 120%", kNever},
      {"gpu.idle.mean", "error_above: 100%", ""},
      {"gpu.idle.mean", "warn_above: 30%, error_above: 60%", ""},
      {"gpu.utilization.mean", "error_below: 0", kNever},
      {"gpu.utilization.mean", "error_below: 1%", ""},
      {"gpu.idle.mean", "error_above: 0", ""},
      {"1 - gpu.utilization.mean", "error_above: 101%", kNever},
      {"2 * gpu.idle.mean", "error_above: 120%", ""},
      {"2 * gpu.idle.mean", "error_above: 201%", kNever},
      {"greatest(gpu.idle.mean, 30%)", "error_below: 20%", kNever},
      {"greatest(gpu.idle.mean, gpu.idle.max)", "error_above: 110%", kNever},
      {"least(gpu.idle.mean, 30%)", "error_above: 40%", kNever},
      {"if(gpu.idle.mean > 10%, gpu.idle.mean, 20%)", "error_above: 110%", kNever},
      {"gpu.idle.mean / 2", "error_above: 60%", kNever},
      {"iteration.time.median", "error_above: 10 s", ""},
      {"iteration.drift", "error_below: 0", ""},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Check(row.value, row.limit).code, row.code) << row.value << " " << row.limit;
  }
}

// The whole of a part is unknown: such a limit is doubted, not refused.
TEST(NeverMissed, IsDoubtedWhereNothingBoundsAShare) {
  const Checked part = Check("sum(kernel.time) / sum(kernel.time)", "error_above: 10", "kernel");
  EXPECT_EQ(part.code, "");
  ASSERT_EQ(part.doubts.size(), 1U);
  EXPECT_EQ(part.doubts.front(), fmt::format("t/a: `error_above` is {}; a percentage ends with %",
                                             FormatLimit(10, Unit::kShare)));
  EXPECT_TRUE(
      Check("sum(kernel.time) / sum(kernel.time)", "error_above: 90%", "kernel").doubts.empty());
}

TEST(NeverMissed, KnowsParametersAndNames) {
  EXPECT_EQ(Check("gpu.idle.mean", "error_above: $most", "profile",
                  ", params: {most: {default: 200%, doc: d}}")
                .code,
            "rules/never-missed");
  EXPECT_EQ(Check("both", "error_above: 120%", "profile",
                  ", let: {both: 'greatest(gpu.idle.mean, gpu.idle.max)'}")
                .code,
            "rules/never-missed");
}

}  // namespace
}  // namespace profgauge::rules
