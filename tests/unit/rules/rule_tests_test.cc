// The test format of rules, by its own examples, and the examples of the design, where they are at
// hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "read_all.h"
#include "rules/rule_test.h"

namespace profgauge {
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

TEST_F(RuleTests, FailuresSayWhatWasExpectedAndFound) {
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

TEST_F(RuleTests, BadFilesSayEverythingThatIsWrong) {
  for (const std::string name : {"bad", "unknown"}) {
    const auto results = RunRuleTests({name + ".test.yaml"});
    ASSERT_FALSE(results);
    const std::string text = RenderErrors(results.error(), false);
    if (std::getenv("PROFGAUGE_UPDATE") != nullptr) std::ofstream(name + ".txt") << text;
    EXPECT_EQ(text, ReadAll(name + ".txt"));
  }
}

TEST_F(RuleTests, NoTestsAtAllIsAnError) {
  const auto results = RunRuleTests({".."});
  ASSERT_FALSE(results);
  EXPECT_EQ(RenderErrors(results.error(), false),
            "error: there are no rule tests (*.test.yaml)   [rules/no-tests]\n  --> ..\n");
}

/// Writes each YAML block of the design page that starts with a file name to that file.
std::vector<std::string> ExtractExamples(const std::string& page, const fs::path& folder) {
  std::vector<std::string> names;
  constexpr std::string_view kFence = "```yaml\n# ";
  for (std::size_t at = 0; (at = page.find(kFence, at)) != std::string::npos; ++at) {
    const std::size_t start = at + kFence.size();
    const std::string head = page.substr(start, page.find('\n', start) - start);
    const fs::path name = fs::path(head.substr(0, head.find(' '))).filename();
    const std::size_t body = at + std::string_view("```yaml\n").size();
    std::ofstream(folder / name) << page.substr(body, page.find("```", body) - body);
    names.push_back(name.string());
  }
  return names;
}

TEST(RuleExamples, OfTheDesignLoadAndBehaveAsDescribed) {
  const fs::path page = fs::path(PROFGAUGE_SHARED_DIR) / "design/rules.md";
  if (!fs::exists(page)) GTEST_SKIP() << page << " is not there";
  const fs::path folder = fs::path(testing::TempDir()) / "profgauge_rule_examples";
  fs::create_directories(folder);
  const std::vector<std::string> names = ExtractExamples(ReadAll(page), folder);
  EXPECT_EQ(names,
            (std::vector<std::string>{"tensorcore.yaml", "comm.yaml", "io.yaml", "launch.yaml",
                                      "policy.yaml", "tensorcore.test.yaml"}));
  const auto policy = LoadPolicy((folder / "policy.yaml").string());
  EXPECT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto results = RunRuleTests({(folder / "tensorcore.test.yaml").string()});
  ASSERT_TRUE(results) << RenderErrors(results.error(), false);
  EXPECT_EQ(results->size(), 2U);
  for (const RuleTestResult& result : *results) {
    EXPECT_EQ(testing::PrintToString(result.failures), "{}") << result.name;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace profgauge
