// Rules of schema 1 are read for ever: the shipped files as they were in it.
#include <gtest/gtest.h>

#include <filesystem>

#include "made_run.h"
#include "rules/rule.h"

namespace profgauge::rules {
namespace {

TEST(Schema1, ReadsAndCompilesLastFiles) {
  const std::string folder =
      (std::filesystem::path(PROFGAUGE_SOURCE_DIR) / "tests/unit/rules/data/schema1").string();
  const auto rules = LoadRules({folder});
  ASSERT_TRUE(rules) << ShowErrors(rules.error());
  EXPECT_EQ(rules->rules.size(), 114u);
  for (const Rule& rule : rules->rules) {
    EXPECT_EQ(ShowErrors(CheckRule(rule)), "") << rule.id;
    EXPECT_EQ(rule.schema, 1) << rule.id;
    ASSERT_EQ(rule.message.size(), 1u) << rule.id;
    EXPECT_FALSE(rule.message.front().text.empty()) << rule.id;
  }
}

/// A name called `default` is no keyword here, unlike in schema 2, and values are named by their
/// titles.
TEST(Schema1, Schema2WordsAreNames) {
  TestRun run;
  run.Rows("gaps", {"duration", "cause"},
           {{Ms(3), Text("host not ready")}, {Ms(1), Text("other")}});
  EXPECT_EQ(Check("  - id: a\n    title: A\n    category: c\n    for_each: gap\n    level: warn\n"
                  "    where: gap.cause in ['host not ready', 'nothing of the kind']\n"
                  "    let: {default: count() + 1}\n    message: \"{{ default | number:0 }}\"\n",
                  run),
            "test/a: warn | 2\n");
}

}  // namespace
}  // namespace profgauge::rules
