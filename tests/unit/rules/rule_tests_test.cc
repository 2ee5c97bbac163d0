// The test format of rules, by its own examples and by those of rules/README.md.
#include <unistd.h>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "read_all.h"
#include "rules/rule_test.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

class RuleTests : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(fs::path(PROFGAUGE_SOURCE_DIR) / "tests/unit/rules/data/rule_tests");
  }
  void TearDown() override { fs::current_path(before_); }

  fs::path before_;
};

TEST_F(RuleTests, GoodOnesPass) {
  const auto results = RunRuleTests({"idle.good.test.yaml"});
  ASSERT_TRUE(results) << RenderErrors(results.error(), false);
  ASSERT_EQ(results->size(), 3U);
  for (const RuleTestResult& result : *results) {
    EXPECT_EQ(testing::PrintToString(result.failures), "{}") << result.name;
  }
}

TEST_F(RuleTests, FailuresShowExpectedAndFound) {
  const auto results = RunRuleTests({"idle.fails.test.yaml"});
  ASSERT_TRUE(results) << RenderErrors(results.error(), false);
  ASSERT_EQ(results->size(), 1U);
  std::string text;
  for (const std::string& failure : results->front().failures) text += failure + "\n";
  EXPECT_EQ(text,
            "gpu/slow-kernels: expected error, found warn (metric 30.0\u202f%)\n"
            "gpu/slow-kernels: metric: expected 31%, found 30.0 % (exactly 0.3)\n"
            "gpu/slow-kernels: gain: expected 5 us, found 300 µs (exactly 300000 ns)\n"
            "gpu/slow-kernels: rows: expected 2, found 1\n"
            "gpu/slow-kernels: message: expected a text that starts with '31', found "
            "'30.0 % of kernel time is in 1 long kernels.'\n");
}

// There are as many names of rows as tables: "…" in the expected texts.
std::string WithoutRowNames(std::string text) {
  std::vector<std::string_view> names;
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (!table.row_name.empty()) names.push_back(table.row_name);
  }
  const std::string all = fmt::format("note: rows are called {}", fmt::join(names, ", "));
  const std::size_t at = text.find(all);
  return at == text.npos ? text : text.replace(at, all.size(), "note: rows are called …");
}

TEST_F(RuleTests, BadFilesReportAllMistakes) {
  for (const std::string name : {"bad", "unknown"}) {
    const auto results = RunRuleTests({name + ".test.yaml"});
    ASSERT_FALSE(results);
    const std::string text = WithoutRowNames(RenderErrors(results.error(), false));
    if (std::getenv("PROFGAUGE_UPDATE") != nullptr) std::ofstream(name + ".txt") << text;
    EXPECT_EQ(text, ReadAll(name + ".txt"));
  }
}

TEST_F(RuleTests, NoTestsIsAnError) {
  const auto results = RunRuleTests({".."});
  ASSERT_FALSE(results);
  EXPECT_EQ(RenderErrors(results.error(), false),
            "error: there are no rule tests (*.test.yaml)   [rules/no-tests]\n  --> ..\n");
}

std::string RulesPage() { return ReadAll(fs::path(PROFGAUGE_SOURCE_DIR) / "rules/README.md"); }

/// The YAML block of the page that begins with `head`.
std::string BlockOf(const std::string& page, const std::string& head) {
  const std::string fence = "```yaml\n";
  const std::size_t at = page.find(fence + head);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no block of rules/README.md begins with " << head;
    return {};
  }
  const std::size_t body = at + fence.size();
  return page.substr(body, page.find("```", body) - body);
}

// Those with a file name in their first line are held by shipped_rules_test.cc.
TEST(RuleExamples, FirstFilesOfThePageWork) {
  const std::string page = RulesPage();
  const fs::path folder =
      fs::path(testing::TempDir()) / ("profgauge_rule_examples_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto write = [&](const std::string& schema, const std::string& name) {
    std::ofstream(folder / name) << BlockOf(
        page, "# yaml-language-server: $schema=https://profgauge.example.org/schemas/1/" + schema +
                  ".json\n");
  };
  write("rules", "mine.yaml");
  write("rule-tests", "mine.test.yaml");
  write("policy", "policy.yaml");
  const auto policy = LoadPolicy((folder / "policy.yaml").string());
  EXPECT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto results = RunRuleTests({(folder / "mine.test.yaml").string()});
  ASSERT_TRUE(results) << RenderErrors(results.error(), false);
  EXPECT_EQ(results->size(), 2U);
  for (const RuleTestResult& result : *results) {
    EXPECT_EQ(testing::PrintToString(result.failures), "{}") << result.name;
  }
  fs::remove_all(folder);
}

TEST(RuleExamples, ScenariosOfThePageLoad) {
  const auto policy =
      ParsePolicy("schema: 1\n" + BlockOf(RulesPage(), "what_if:\n"), "rules/README.md");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  EXPECT_EQ(policy->what_if.size(), 2U);
}

}  // namespace
}  // namespace profgauge::rules
