// Every *.bad.yaml under data/policy has its whole error text beside it; PROFGAUGE_UPDATE=1 writes
// the texts anew.
#include "rules/policy.h"

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "read_all.h"
#include "rules/policy_reads.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

/// Names in messages are as given, so the tests run inside the data folder.
class PolicyFiles : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(fs::path(PROFGAUGE_SOURCE_DIR) / "tests/unit/rules/data/policy");
  }
  void TearDown() override { fs::current_path(before_); }

  fs::path before_;
};

TEST_F(PolicyFiles, BadOnesReportAllMistakes) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bad.yaml")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  ASSERT_GE(names.size(), 10U);
  for (const std::string& name : names) {
    const auto policy = LoadPolicy(name);
    ASSERT_FALSE(policy) << name;
    const std::string text = RenderErrors(policy.error(), false);
    const fs::path expected = fs::path(name).replace_extension(".txt");
    if (std::getenv("PROFGAUGE_UPDATE") != nullptr) std::ofstream(expected) << text;
    EXPECT_EQ(text, ReadAll(expected)) << name;
  }
}

// What a policy names may be anybody's file, and a mistake in it is shown with its text.
TEST_F(PolicyFiles, RefusedFilesAreNotOpened) {
  const fs::path folder = fs::path(::testing::TempDir()) / fmt::format("reads_{}", ::getpid());
  fs::create_directories(folder);
  const std::string outside = (folder / "outside.yaml").string();
  std::ofstream(outside) << "secret_word: 7\n";
  const std::string policy = (folder / "policy.yaml").string();
  for (const std::string line : {"extends: [outside.yaml]", "rule_files: [outside.yaml]",
                                 "devices: outside.yaml", "tensor_core: {names: outside.yaml}"}) {
    std::ofstream(policy) << "schema: 1\n" << line << '\n';
    std::vector<std::string> asked;
    const auto refuse = [&](const std::string& path) -> Status {
      asked.push_back(path);
      if (!path.ends_with("outside.yaml")) return {};
      return Fail(Error{ErrorKind::kUsage, "test/outside", "outside", {}, {}});
    };
    const auto loaded = LoadPolicyWithin(policy, refuse);
    ASSERT_FALSE(loaded) << line;
    EXPECT_EQ(loaded.error().size(), 1U) << line;
    EXPECT_EQ(loaded.error().front().code, "test/outside") << line;
    EXPECT_EQ(RenderErrors(loaded.error(), false).find("secret_word"), std::string::npos) << line;
    EXPECT_EQ(asked, (std::vector<std::string>{policy, outside})) << line;
  }
  std::ofstream(policy) << "schema: 1\nextends: [builtin:strict]\n";
  EXPECT_TRUE(LoadPolicyWithin(policy, [](const std::string&) { return Status(); }));
  fs::remove_all(folder);
}

TEST_F(PolicyFiles, GoodOneSetsEveryKey) {
  const auto policy = LoadPolicy("all_keys.good.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  EXPECT_EQ(policy->name, "all_keys.good.yaml");
  EXPECT_EQ(policy->fail_on, FailOn::kWarn);
  EXPECT_EQ(policy->on_missing, OnMissing::kSkip);
  EXPECT_EQ(policy->on_inconclusive, OnInconclusive::kNoVerdict);
  EXPECT_EQ(policy->iterations.marker, "ProfilerStep");
  EXPECT_EQ(policy->iterations.warmup, 3);
  EXPECT_EQ(policy->iterations.min, 10);
  EXPECT_EQ(policy->rule_files, std::vector<std::string>{"more/rules.yaml"});
  EXPECT_EQ(policy->ranks.expect, 8);
  EXPECT_EQ(policy->ranks.allow_missing, 1);
  EXPECT_EQ(policy->ranks.on_missing, OnMissingRanks::kWarn);
  EXPECT_EQ(policy->devices.path, "devices.yaml");
  EXPECT_TRUE(policy->knowledge.undecided_use_tensor_cores);

  ASSERT_EQ(policy->rules.size(), 3U);
  EXPECT_EQ(policy->rules[1].pattern, "io/dataloader-bound");
  EXPECT_EQ(policy->rules[1].params.at("wait").value.value, 20e3);
  EXPECT_EQ(policy->rules[2].choice, RuleSetting::Choice::kOff);

  // The preset's other limits stay, idle time is taken away.
  std::vector<std::string> metrics;
  for (const Threshold& threshold : policy->thresholds) metrics.push_back(threshold.metric);
  EXPECT_EQ(metrics, (std::vector<std::string>{"tensor_core.efficiency", "tensor_core.efficiency",
                                               "iteration.time.robust_cv",
                                               "iteration.time.robust_cv", "gpu.utilization.mean",
                                               "iteration.time.p95", "memory.peak_allocated"}));
  const Threshold& p95 = policy->thresholds[5];
  EXPECT_EQ(p95.max, 360e6);
  EXPECT_EQ(p95.level, Level::kWarn);
  EXPECT_EQ(p95.on_missing, OnMissing::kFail);
  EXPECT_EQ(policy->thresholds[6].when.text, "profile.gpus >= 2 and gpu.utilization.mean > 50%");

  ASSERT_TRUE(policy->baseline);
  ASSERT_EQ(policy->baseline->limits.size(), 2U);
  EXPECT_TRUE(policy->baseline->certain);
  EXPECT_TRUE(policy->baseline->limits[0].max_increase->relative);
  EXPECT_EQ(policy->baseline->limits[0].min_abs, 2e6);
  EXPECT_FALSE(policy->baseline->limits[1].max_increase->relative);

  EXPECT_EQ(policy->baseline->limits[0].total, 0.08);
  EXPECT_TRUE(policy->baseline->limits[0].judges_total);

  ASSERT_EQ(policy->waivers.size(), 3U);
  EXPECT_EQ(policy->waivers[1].limit, "iteration.time.median");
  EXPECT_EQ(policy->waivers[1].up_to, 0.12);
  EXPECT_EQ(policy->waivers[2].threshold, "gpu.idle.max");
  EXPECT_EQ(policy->waivers[0].where.text, "rank.id == 7");
  EXPECT_EQ(policy->waivers[0].expires, "2027-03-31");
  ASSERT_EQ(policy->require.size(), 1U);
  EXPECT_EQ(policy->require[0].where.line, 25U);
}

TEST(Policy, DescribesRequiredBaseline) {
  const auto policy = ParsePolicy(
      "schema: 1\n"
      "baseline:\n"
      "  match: any\n"
      "  missing: no_verdict\n"
      "  min_runs: 3\n"
      "  anchor: {max_increase: 8%}\n"
      "  iteration.time.median: {max_increase: 5%, total: off}\n"
      "  gpu.utilization.mean: {max_increase: 5%, side: any}\n",
      "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const PolicyBaseline& baseline = *policy->baseline;
  EXPECT_TRUE(baseline.match_any);
  EXPECT_EQ(baseline.missing, OnBaselineMissing::kNoVerdict);
  EXPECT_EQ(baseline.min_runs, 3);
  EXPECT_EQ(baseline.anchor.max_increase, 0.08);
  EXPECT_FALSE(baseline.limits[0].judges_total);
  const auto anchored = ParsePolicy("schema: 1\nbaseline: {anchor: off}\n", "p.yaml");
  ASSERT_TRUE(anchored);
  EXPECT_FALSE(anchored->baseline->anchor.judges);
  const auto release = ParsePolicy("schema: 1\nbaseline: {anchor: v2.3}\n", "p.yaml");
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().front().code, "config/word");
}

// A policy that judges nothing, or switches off its own settings, is refused.
TEST(Policy, SettingsThatDoNothingAreRefused) {
  const auto code = [](const std::string& text) {
    const auto policy = ParsePolicy("schema: 1\n" + text, "p.yaml");
    if (!policy) return policy.error().front().code;
    const auto book = LoadRulebook(*policy, {});
    return book ? std::string("none") : book.error().front().code;
  };
  EXPECT_EQ(code("rules: {\"*\": off}\n"), "policy/judges-nothing");
  EXPECT_EQ(code("rules: {\"*\": off}\nbaseline: {iteration.time.median: {max_increase: 5%}}\n"),
            "none");
  EXPECT_EQ(code("rules: {\"*\": off, gpu/idle: {params: {error: 20%}}}\n"
                 "thresholds: {gpu.idle.mean: {max: 10%}}\n"),
            "policy/params-of-off");
  EXPECT_EQ(code("rules: {\"*\": off, gpu/idle: {level: default, params: {error: 20%}}}\n"),
            "none");
  EXPECT_EQ(code("rules: {gpu/idle: error, \"*\": off}\nthresholds: {gpu.idle.mean: {max: 10%}}\n"),
            "policy/off-after");
  EXPECT_EQ(code("rules: {\"*\": off, gpu/idle: error}\n"), "none");
  EXPECT_EQ(code("extends: [builtin:report-only, builtin:strict, builtin:times]\n"),
            "policy/fail-on");
  EXPECT_EQ(code("extends: [builtin:report-only, builtin:strict, builtin:times]\nfail_on: error\n"),
            "none");
  EXPECT_EQ(code("extends: [builtin:report-only]\n"), "none");
}

TEST_F(PolicyFiles, LaterChangesReplaceEarlierOnes) {
  const auto policy = ParsePolicy(
      "schema: 1\nextends: all_keys.good.yaml\n"
      "baseline: {strictness: normal, iteration.time.median: {max_decrease: 9%, side: any}}\n",
      "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  ASSERT_EQ(policy->baseline->limits.size(), 2U);
  EXPECT_EQ(policy->baseline->limits[0].metric, "memory.peak_allocated");
  EXPECT_FALSE(policy->baseline->limits[1].max_increase);
  EXPECT_EQ(policy->baseline->limits[1].max_decrease->value, 0.09);
  EXPECT_FALSE(policy->baseline->certain);
  EXPECT_EQ(policy->baseline->noise_floor, 0.02);
}

TEST_F(PolicyFiles, KeyOpReplacesMarker) {
  const auto policy = ParsePolicy(
      "schema: 1\nextends: all_keys.good.yaml\niterations: {key_op: aten::mm}\n", "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  EXPECT_EQ(policy->iterations.key_op, "aten::mm");
  EXPECT_FALSE(policy->iterations.marker);
  EXPECT_EQ(policy->iterations.start, 2);
}

TEST_F(PolicyFiles, KnowledgeIsReadFromItsFiles) {
  const auto policy = LoadPolicy("all_keys.good.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto& names = policy->knowledge.kernel_names;
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].id, "ours/gemm");
  EXPECT_EQ(names[0].except, "_simt$");
  EXPECT_EQ(names[0].tensor_core, analysis::classify::Tri::kYes);
  EXPECT_EQ(names[1].tensor_core, analysis::classify::Tri::kNo);
  const auto& devices = policy->knowledge.devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].properties.memory, std::int64_t{80} << 30);
  EXPECT_EQ(devices[0].properties.sms, -1);
  EXPECT_EQ(devices[1].properties.compute_major, 9);
  EXPECT_EQ(devices[1].properties.compute_minor, 0);
}

TEST(Policy, KnowledgeIsPartOfTheHash) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("knowledge_hash_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto hash_with = [&](std::string_view verdict) {
    std::ofstream(folder / "names.yaml")
        << "schema: 1\nnames: [{id: a, matches: x, uses_tensor_core: " << verdict << "}]\n";
    const auto policy = ParsePolicy("schema: 1\ntensor_core: {names: names.yaml}\n",
                                    (folder / "policy.yaml").string());
    return policy ? policy->hash : RenderErrors(policy.error(), false);
  };
  EXPECT_EQ(hash_with("yes"), hash_with("yes"));
  EXPECT_NE(hash_with("yes"), hash_with("no"));
}

TEST(Policy, PresetsLoad) {
  struct Row {
    std::string_view name;
    FailOn fail_on;
    std::size_t limits;
  };
  const Row kRows[] = {{"builtin:recommended", FailOn::kError, 8},
                       {"builtin:strict", FailOn::kError, 4},
                       {"builtin:report-only", FailOn::kNever, 8},
                       {"builtin:cpu", FailOn::kError, 4}};
  for (const Row& row : kRows) {
    const auto policy = LoadPolicy(std::string(row.name));
    ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
    EXPECT_EQ(policy->fail_on, row.fail_on) << row.name;
    EXPECT_EQ(policy->thresholds.size(), row.limits) << row.name;
    EXPECT_EQ(policy->hash.size(), 32U);
  }
}

TEST(Policy, LaterLimitsReplaceEarlierOnes) {
  const auto policy = ParsePolicy(
      "thresholds: {gpu.idle.mean: {max: 50%}}\nschema: 1\nextends: [builtin:recommended]\n",
      "p.yaml");
  ASSERT_TRUE(policy);
  std::vector<double> limits;
  for (const Threshold& threshold : policy->thresholds) {
    if (threshold.metric == "gpu.idle.mean") limits.push_back(*threshold.max);
  }
  EXPECT_EQ(limits, std::vector<double>{0.5});
}

TEST(Policy, RefusesConditionOfTenThousandTerms) {
  std::string text =
      "schema: 1\nthresholds:\n  gpu.idle.mean:\n    max: 15%\n    when: profile.gpus > 1";
  for (int i = 1; i < 10'000; ++i) text += " and profile.gpus > 1";
  const auto policy = ParsePolicy(text, "p.yaml");
  ASSERT_FALSE(policy);
  ASSERT_EQ(policy.error().size(), 1U);
  EXPECT_EQ(policy.error()[0].message, "the expression has more than 2000 parts");
  EXPECT_EQ(policy.error()[0].where.line, 5U);
}

TEST(Policy, HashIsOfAllSources) {
  const auto hash = [](std::string_view text) { return ParsePolicy(text, "p.yaml")->hash; };
  EXPECT_EQ(hash("schema: 1\n"), hash("schema: 1\n"));
  EXPECT_NE(hash("schema: 1\n"), hash("schema: 1 \n"));
  EXPECT_NE(hash("schema: 1\nextends: [builtin:strict]\n"),
            hash("schema: 1\nextends: [builtin:recommended]\n"));
}

}  // namespace
}  // namespace profgauge::rules
