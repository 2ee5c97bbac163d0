// Mistakes of every kind, in the policy and in its rule files, are reported together; consequences
// of another one are not.
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

class AllErrors : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  /// "file:line code" of each.
  std::vector<std::string> Errors() const {
    std::vector<std::string> out;
    const auto add = [&out](const rules::Errors& errors) {
      for (const Error& error : errors) {
        out.push_back(fs::path(error.where.file).filename().string() + ":" +
                      std::to_string(error.where.line) + " " + error.code);
      }
    };
    const auto policy = LoadPolicy((folder_ / "p.yaml").string());
    if (!policy) {
      add(policy.error());
      return out;
    }
    const auto book = LoadRulebook(*policy, {});
    if (!book) add(book.error());
    return out;
  }

 private:
  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("profgauge_all_errors_" + std::to_string(::getpid()));
};

constexpr const char* kRules =
    "schema: 2\n"
    "namespace: mine\n"
    "rules:\n"
    "  - id: a\n"
    "    titel: A\n"
    "    category: compute\n"
    "    for_each: kernel\n"
    "    params: {p: {default: 5 mb, doc: d}}\n"
    "    where: kernel.mean_time > 5 ms and kernel.mean > $p\n"
    "    level: warn\n"
    "    message: m\n"
    "  - {id: b, title: B, category: c, for_each: kernels, level: warn, message: m}\n"
    "  - {id: c, title: C, category: c, for_each: kernel, level: warn, message: m,\n"
    "     where: kernel.mean > 5 %}\n";

TEST_F(AllErrors, PolicyRulesAndSettingsTogether) {
  Write("mine.yaml", kRules);
  Write("p.yaml",
        "schema: 1\n"
        "rule_files: [mine.yaml]\n"
        "rules:\n"
        "  gpu/idel: off\n"
        "  mine/a: {params: {q: 1 ms}}\n"
        "  launch/*: {level: wran}\n"
        "what_if:\n"
        "  - {name: x, scale: [{where: launch.nme == 'x', by: 0}]}\n"
        "thresholds:\n"
        "  gpu.idle.meen: {max: 10%}\n");
  EXPECT_EQ(Errors(), (std::vector<std::string>{
                          "p.yaml:4 policy/unknown-rule", "p.yaml:6 config/word",
                          "p.yaml:8 expr/unknown-field", "p.yaml:10 policy/unknown-metric",
                          "mine.yaml:4 config/missing-key", "mine.yaml:5 config/unknown-key",
                          "mine.yaml:8 config/number", "mine.yaml:9 expr/unknown-field",
                          "mine.yaml:12 rules/unknown-rows", "mine.yaml:14 expr/type"}));
}

// No one knows which rules a file holds that cannot be read.
TEST_F(AllErrors, UnreadableFileCausesNoOthers) {
  Write("mine.yaml", "schema: 2\nrules: [\n");
  Write("p.yaml", "schema: 1\nrule_files: [mine.yaml]\nrules: {mine/a: off}\n");
  const std::vector<std::string> errors = Errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].starts_with("mine.yaml:")) << errors[0];
}

}  // namespace
}  // namespace profgauge::rules
