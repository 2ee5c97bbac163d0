// The glue between a caller's choices and the layers below.
#include "api/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "readers/load.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge {
namespace {

TEST(RunName, IsTheFoldersOrTheFiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "resnet50.ddp";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(RunName({"x/run7.pt.trace.json.gz"}), "");
  EXPECT_EQ(RunName({"-"}), "stdin");
  EXPECT_EQ(RunName({folder.string()}), "resnet50.ddp");
  EXPECT_EQ(RunName({folder.string() + "/"}), "resnet50.ddp");
  EXPECT_EQ(RunName({"exp1/worker0.json.gz", "exp1/worker1.json.gz"}), "exp1");
  EXPECT_EQ(RunName({"a/worker0.json.gz", "b/worker0.json.gz"}), "");
  EXPECT_EQ(RunName({}), "");
}

TEST(SelectionOf, TheCallerWinsOverThePolicy) {
  rules::Policy policy;
  policy.iterations.warmup = 3;
  policy.iterations.start = 5;
  policy.iterations.key_op = "aten::mm";
  policy.knowledge.kernel_names = {{"ours", "^mine_", "", analysis::classify::Tri::kYes}};
  EvaluateOptions options;
  options.iter_start = 0;
  options.rank = 2;
  const analysis::Selection selection = SelectionOf(policy, options);
  EXPECT_EQ(selection.warmup, 3);
  EXPECT_EQ(selection.start, 0);
  EXPECT_EQ(selection.stop, -1);
  EXPECT_EQ(selection.rank, 2);
  EXPECT_EQ(selection.key_op, "aten::mm");
  EXPECT_EQ(selection.iteration_marker, "");
  EXPECT_EQ(selection.knowledge.kernel_names.size(), 1U);
}

TEST(SelectionOf, OneWayMarksIterations) {
  rules::Policy policy;
  policy.iterations.marker = "train_step";
  EvaluateOptions options;
  options.key_op = "aten::mm";
  EXPECT_EQ(SelectionOf(policy, options).key_op, "aten::mm");
  EXPECT_EQ(SelectionOf(policy, options).iteration_marker, "");
  EXPECT_EQ(SelectionOf(policy, {}).iteration_marker, "train_step");
}

TEST(ProvenanceOptions, HoldsNumberChangingOptions) {
  EvaluateOptions options;
  rules::Policy policy;
  EXPECT_TRUE(ProvenanceOptions(options, policy).empty());
  options.iter_start = 2;
  options.allow_incomplete = true;
  policy.knowledge.undecided_use_tensor_cores = true;
  policy.tensor_core_names.path = "ci/names.yaml";
  policy.devices.path = "/etc/chips.yaml";
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"iter-start", "2"},
      {"allow-incomplete", "yes"},
      {"tensor-core-unknown", "upper_bound"},
      {"tensor-core-names", "names.yaml"},
      {"devices", "chips.yaml"}};
  EXPECT_EQ(ProvenanceOptions(options, policy), expected);
}

std::string FiredLevels(const report::Report& report) {
  std::multiset<std::string> levels;
  for (const report::Finding& finding : report.findings) {
    const std::string_view level = NameOf(finding.status);
    if (level == "error" || level == "warn") levels.insert(finding.rule + " " + std::string(level));
  }
  std::string text;
  for (const std::string& level : levels) text += level + "\n";
  return text;
}

// A quiet check asks for no savings; its verdict and its counts must not differ.
TEST(JudgeRuns, SavingsDecideNothing) {
  const std::string examples = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/";
  for (const char* file : {"slow.pt.trace.json.gz", "healthy.pt.trace.json.gz",
                           "h200/bf16.pt.trace.json.gz", "h200/fp32.pt.trace.json.gz"}) {
    const auto ranks = readers::ReadRun({examples + file}, {});
    ASSERT_TRUE(ranks.has_value()) << file;
    for (const char* name : {"builtin:recommended", "builtin:strict", "builtin:report-only"}) {
      const auto policy = rules::LoadPolicy(name);
      ASSERT_TRUE(policy.has_value()) << name;
      for (const rules::FailOn fail_on : {rules::FailOn::kError, rules::FailOn::kWarn}) {
        rules::Policy chosen = *policy;
        chosen.fail_on = fail_on;
        const auto book = rules::LoadRulebook(chosen, {});
        ASSERT_TRUE(book.has_value());
        const RunToJudge run{file, *ranks};
        JudgeRunsOptions options;
        options.timeline_later = true;
        const auto whole = JudgeRuns({&run, 1}, chosen, *book, BaselineSource(), options);
        options.verdict_only = options.without_savings = true;
        const auto quiet = JudgeRuns({&run, 1}, chosen, *book, BaselineSource(), options);
        ASSERT_TRUE(whole.has_value() && quiet.has_value());
        EXPECT_EQ(FiredLevels(whole->report), FiredLevels(quiet->report)) << file << " " << name;
        EXPECT_EQ(whole->verdict.status, quiet->verdict.status) << file << " " << name;
        EXPECT_EQ(whole->verdict.reasons.size(), quiet->verdict.reasons.size())
            << file << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace profgauge
