// The reference that `rules docs` prints names everything that a rule may say.
#include "cli/text/rules_text.h"

#include <gtest/gtest.h>

#include "expr/function.h"
#include "rules/facts.h"

namespace profgauge::cli {
namespace {

TEST(RuleDocs, HoldTheRuleKeyByKey) {
  const auto file = ParseRuleFile(R"(schema: 1
namespace: t
rules:
  - id: slow
    title: Slow
    category: compute
    for_each: kernel
    needs: [kernel.op]
    params: {least: {default: 10%, doc: Share that matters.}}
    where: kernel.calls > 1
    metric: {value: sum(kernel.time) / profile.kernel_time, warn_above: $least, error_above: 50%}
    gain: {value: sum(kernel.time), bound: upper, why: As if it were gone.}
    message: m
    advice: |
      - Do less.
)",
                                  "t.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(RuleDocs(file->rules),
            "### t-slow\n\n`t/slow`: **Slow** (compute; warn, error)\n\n"
            "Measures `sum(kernel.time) / profile.kernel_time` over each `kernel` where "
            "`kernel.calls > 1`.\n\n"
            "Needs `kernel.op`.\n\n"
            "- `least` (default 10\u202f%): Share that matters.\n\n"
            "- Do less.\n\n"
            "Estimated gain (upper): As if it were gone.\n\n");
}

TEST(LanguageDocs, NameEveryFunctionFactAndColumn) {
  const std::string docs = LanguageDocs();
  const auto names = [&docs](const std::string& what) {
    return docs.find("| `" + what) != std::string::npos;
  };
  for (const expr::Function& function : expr::Functions()) {
    EXPECT_TRUE(names(std::string(function.name))) << function.name;
  }
  for (const FactSpec& fact : FactCatalogue()) EXPECT_TRUE(names(std::string(fact.name)));
  for (const TableSpec& table : TableCatalogue()) {
    if (table.row_name.empty()) continue;
    for (const ColumnSpec& column : table.columns) {
      EXPECT_TRUE(names(std::string(table.row_name) + "." + std::string(column.id) + "`"))
          << table.row_name << "." << column.id;
    }
  }
}

}  // namespace
}  // namespace profgauge::cli
