// Scenarios in the rule language, and how near their predictions come: to recordings that were
// generated with the change, and to real ones.
#include "rules/what_if.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/replay.h"
#include "readers/load.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

std::vector<Profile> Read(const std::string& path) {
  readers::ReadOptions options;
  options.threads = 1;
  auto profiles = readers::ReadProfiles(path, options);
  EXPECT_TRUE(profiles.has_value()) << path << ": " << (profiles ? "" : profiles.error().message);
  return profiles ? *std::move(profiles) : std::vector<Profile>{};
}

/// A profile of tests/tools/make_profile.
std::vector<Profile> Made(const std::string& flags) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("what_if_{}.json", ::getpid()))
          .string();
  EXPECT_EQ(std::system(fmt::format("{} {} {}", PROFGAUGE_MAKE_PROFILE, path, flags).c_str()), 0);
  std::vector<Profile> profiles = Read(path);
  std::filesystem::remove(path);
  return profiles;
}

CompiledScenario Compiled(const std::vector<std::string>& scales) {
  WhatIf scenario{"test", {}, false, {}};
  for (const std::string& text : scales) {
    auto scale = ParseScale(text, "--scale");
    EXPECT_TRUE(scale.has_value()) << text;
    scenario.scales.push_back(*std::move(scale));
  }
  auto compiled = CompileScenario(scenario);
  EXPECT_TRUE(compiled.has_value()) << (compiled ? "" : compiled.error().front().message);
  return *std::move(compiled);
}

analysis::simulation::Prediction Predicted(const std::vector<Profile>& profiles,
                                           const std::vector<std::string>& scales) {
  const auto run = analysis::AnalyzeForReplay(profiles, {});
  EXPECT_TRUE(run.has_value());
  EXPECT_NE(run->replayer, nullptr);
  const ScenarioOutcome outcome = ScenarioRunner(*run->replayer).Run(Compiled(scales));
  for (const std::uint64_t matched : outcome.matched) EXPECT_GT(matched, 0u);
  EXPECT_TRUE(outcome.prediction.has_value()) << outcome.absent_because;
  return *outcome.prediction;
}

double IterationTime(const std::vector<Profile>& profiles) {
  const auto analysis = analysis::Analyze(profiles, {});
  EXPECT_TRUE(analysis.has_value());
  return AsNumber(analysis->Find("iteration.time.mean")->value, 0);
}

TEST(WhatIf, AScaleIsAConditionAndAFactor) {
  const auto scale = ParseScale("host_op.name == 'a by 2' by 25%", "--scale");
  ASSERT_TRUE(scale.has_value());
  EXPECT_EQ(scale->where.text, "host_op.name == 'a by 2'");
  EXPECT_EQ(scale->factor, 0.25);
  for (const char* text : {"host_op.name == 'x'", "host_op.name == 'x' by", "true by fast",
                           "true by -1", "true by 1001", "true by 3 ms"}) {
    const auto wrong = ParseScale(text, "--scale");
    ASSERT_FALSE(wrong.has_value()) << text;
    EXPECT_EQ(wrong.error().code, "usage/no-factor");
    EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
  }
}

// A row without a target is no row of the change: "saves nothing" would be a claim.
TEST(WhatIf, RowsOfAnUnknownFactorAreLeftOut) {
  const std::vector<Profile> profiles = Made("--iterations 3");
  const auto run = analysis::AnalyzeForReplay(profiles, {});
  ASSERT_TRUE(run.has_value());
  const auto matched = [&run](const char* by) {
    WhatIf scenario{"x", {{{"launch.time > 0 ns", {}, {}}, 1}}, false, {}};
    scenario.scales.front().by.text = by;
    const auto compiled = CompileScenario(scenario);
    EXPECT_TRUE(compiled.has_value());
    return ScenarioRunner(*run->replayer).Run(*compiled).matched.front();
  };
  EXPECT_GT(matched("launch.target / launch.time"), 0u);
  EXPECT_LT(matched("launch.target / launch.time"), matched("0.5"));
}

TEST(WhatIf, MistakesGetRuleLanguageMessages) {
  const auto code_of = [](const char* text) {
    const auto compiled = CompileScenario({"x", {{{text, {}, {}}, 0.5}}, false, {}});
    return compiled ? std::string() : compiled.error().front().code;
  };
  EXPECT_EQ(code_of("host_op.nam == 'x'"), "expr/unknown-field");
  EXPECT_EQ(code_of("host_op.time > 5%"), "expr/type");
  EXPECT_EQ(code_of("host_op.name =="), "expr/syntax");
  EXPECT_EQ(code_of("host_op.name == 'x' and launch.name == 'y'"), "expr/unknown-field");
  EXPECT_EQ(code_of("true"), "expr/no-rows");
  EXPECT_EQ(code_of("launch.is_collective"), "");
  EXPECT_EQ(code_of("api_call.kind == 'sync'"), "");
}

constexpr std::string_view kPolicy = R"(schema: 1
what_if:
  - {name: loader, scale: [{where: "host_op.name contains 'DataLoader'", by: 0}]}
  - {name: nothing, scale: [{where: "host_op.name == 'no such'", by: 0}]}
  - {name: alone, without_waiting: true}
thresholds:
  what_if.loader.gain_share: {max: 5%}
)";

TEST(WhatIf, PolicyScenariosHaveMetricsAndLimits) {
  auto policy = ParsePolicy(kPolicy, "policy.yaml");
  ASSERT_TRUE(policy.has_value()) << RenderErrors(policy.error(), false);
  ASSERT_EQ(policy->thresholds.size(), 1u);
  const auto book = LoadRulebook(*policy, {});
  ASSERT_TRUE(book.has_value()) << RenderErrors(book.error(), false);
  const std::vector<Profile> profiles = Made("--iterations 3");
  auto run = analysis::AnalyzeForReplay(profiles, {});
  analysis::Analysis* analysis = &run->analysis;
  book->Predict(run->replayer.get(), *analysis);
  const analysis::Metric* share = analysis->Find("what_if.loader.gain_share");
  ASSERT_NE(share, nullptr);
  EXPECT_GT(AsNumber(share->value, 0), 0.1);
  EXPECT_EQ(AsNumber(analysis->Find("what_if.nothing.gain_share")->value, 1), 0);
  const analysis::Metric* alone = analysis->Find("what_if.alone.iteration_time");
  EXPECT_TRUE(IsAbsent(alone->value));
  EXPECT_NE(alone->absent_because.find("other ranks"), std::string::npos);
  const Table* table = analysis->FindTable("what_if");
  ASSERT_EQ(table->rows(), 4u);  // With all together that can be predicted.
  EXPECT_EQ(table->Find("iteration_time")->IntegerAt(3),
            table->Find("iteration_time")->IntegerAt(0));
  EXPECT_EQ(table->Find("rows")->IntegerAt(0), 3);
  EXPECT_EQ(analysis->remarks.back().id, "what-if-no-match");
}

TEST(WhatIf, MistakesInAPolicyHaveTheirPlace) {
  const auto first_error = [](const std::string& scenario) {
    const auto policy = ParsePolicy("schema: 1\nwhat_if:\n  - " + scenario + "\n", "p.yaml");
    EXPECT_FALSE(policy.has_value()) << scenario;
    return policy ? Error{} : policy.error().front();
  };
  EXPECT_EQ(first_error("{name: loader}").code, "policy/no-change");
  EXPECT_EQ(first_error("{name: Big Loader, without_waiting: true}").code, "policy/name");
  EXPECT_EQ(first_error("{name: x, scale: [{where: \"launch.is_collective\", by: 1e9}]}").code,
            "config/number");
  const Error factor = first_error("{name: x, scale: [{where: \"launch.is_collective\", by: -1}]}");
  EXPECT_EQ(factor.code, "config/number");
  EXPECT_EQ(factor.where.line, 3u);
  auto policy = ParsePolicy(
      "schema: 1\nwhat_if:\n  - {name: x, scale: [{where: \"launch.nam == 'y'\", by: 0}]}\n",
      "p.yaml");
  ASSERT_TRUE(policy.has_value());
  const auto scenarios = CompileScenarios(*policy);
  ASSERT_FALSE(scenarios.has_value());
  EXPECT_EQ(scenarios.error().front().code, "expr/unknown-field");
  EXPECT_EQ(scenarios.error().front().where.line, 3u);
  EXPECT_EQ(scenarios.error().front().where.column, 32u);
}

TEST(WhatIf, ALimitNamesAScenarioThatIsThere) {
  auto policy =
      ParsePolicy("schema: 1\nthresholds:\n  what_if.x.gain_share: {max: 5%}\n", "p.yaml");
  ASSERT_TRUE(policy.has_value());
  const auto book = LoadRulebook(*policy, {});
  ASSERT_FALSE(book.has_value());
  EXPECT_EQ(book.error().front().code, "policy/unknown-scenario");
  EXPECT_EQ(book.error().front().where.line, 3u);
}

// A scenario may be made of rules: all that they would change, each row by its smallest factor.
TEST(WhatIf, APolicyJoinsTheScenariosOfRules) {
  auto policy = ParsePolicy(R"(schema: 1
extends: builtin:recommended
what_if:
  - {name: both, findings: [io/dataloader-bound, host/exposed-copies]}
  - {name: loader, findings: [io/dataloader-bound]}
  - {name: twice, findings: [io/dataloader-bound, io/dataloader-bound]}
)",
                            "p.yaml");
  ASSERT_TRUE(policy.has_value()) << RenderErrors(policy.error(), false);
  const auto book = LoadRulebook(*policy, {});
  ASSERT_TRUE(book.has_value()) << RenderErrors(book.error(), false);
  const std::vector<Profile> profiles = Made("--iterations 3");
  auto run = analysis::AnalyzeForReplay(profiles, {});
  book->Predict(run->replayer.get(), run->analysis);
  const auto time = [&](const std::string& name) {
    return AsNumber(run->analysis.Find("what_if." + name + ".iteration_time")->value, -1);
  };
  EXPECT_LT(time("both"), time("loader"));
  EXPECT_EQ(time("twice"), time("loader"));
}

TEST(WhatIf, JoinsOnlyRunningRulesWithScenarios) {
  const auto error_of = [](const std::string& rules) {
    auto policy =
        ParsePolicy("schema: 1\nextends: builtin:recommended\nwhat_if:\n  - {name: x, findings: [" +
                        rules + "]}\n",
                    "p.yaml");
    EXPECT_TRUE(policy.has_value());
    const auto book = LoadRulebook(*policy, {});
    EXPECT_FALSE(book.has_value()) << rules;
    return book ? Error{} : book.error().front();
  };
  const Error unknown = error_of("io/no-such");
  EXPECT_EQ(unknown.code, "policy/no-finding");
  EXPECT_EQ(unknown.where.line, 4u);
  EXPECT_NE(error_of("recording/few-iterations").message.find("no scenario to simulate"),
            std::string::npos);
}

// The shipped rules' estimates equal the savings of the profile without the fault.
TEST(WhatIf, ShippedGainsEqualTwinsDifference) {
  struct Fault {
    const char *with, *without, *rule;
    double tolerance;
  };
  const Fault faults[] = {
      {"--dataloader-us 3000", "--dataloader-us 0", "io/dataloader-bound", 0.01},
      {"--kernel-us 20 --launch-us 60 --dataloader-us 0 --layers 40",
       "--kernel-us 20 --launch-us 0 --dataloader-us 0 --layers 40", "host/launch-bound", 0.1},
  };
  const auto policy = ParsePolicy("schema: 1\nextends: builtin:recommended\n", "p.yaml");
  ASSERT_TRUE(policy.has_value());
  const auto book = LoadRulebook(*policy, {});
  ASSERT_TRUE(book.has_value());
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.rule);
    const std::vector<Profile> run = Made(fault.with);
    const auto analyzed = analysis::AnalyzeForReplay(run, {});
    ASSERT_TRUE(analyzed.has_value());
    const Evaluation evaluation =
        book->Evaluate(analyzed->analysis, CollectFacts(run, analyzed->analysis), false,
                       SimulationsOf(analyzed->replayer.get()).get());
    const auto found =
        std::find_if(evaluation.findings.begin(), evaluation.findings.end(),
                     [&](const Finding& finding) { return finding.rule->id == fault.rule; });
    ASSERT_NE(found, evaluation.findings.end());
    EXPECT_TRUE(found->claim.is_simulated());
    const double saved = IterationTime(run) - IterationTime(Made(fault.without));
    EXPECT_NEAR(found->claim.saves / saved, 1, fault.tolerance);
  }
}

// A simulation that saves more than the rule's estimate is the finding's number.
TEST(WhatIf, SimulationDecidesOverTheEstimateOfTheRule) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("profgauge_cut_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << R"(schema: 2
namespace: mine
rules:
  - id: cut
    title: Loader
    category: input
    for_each: profile
    metric: {value: iteration.time.mean, warn_above: 1 ns}
    gain:
      value: 100 us
      bound: upper
      scenario:
        - {where: "host_op.name matches '^enumerate[(]DataLoader[)]#'", by: 0}
      why: A part of it.
    message: It loads.
    advice: Load less.
)";
  const auto policy = ParsePolicy("schema: 1\nrule_files: [" + file.string() + "]\n", "p.yaml");
  ASSERT_TRUE(policy.has_value());
  const auto book = LoadRulebook(*policy, {});
  std::filesystem::remove(file);
  ASSERT_TRUE(book.has_value()) << book.error().front().message;
  const std::vector<Profile> run = Made("--dataloader-us 3000");
  const auto analyzed = analysis::AnalyzeForReplay(run, {});
  ASSERT_TRUE(analyzed.has_value());
  const Evaluation evaluation =
      book->Evaluate(analyzed->analysis, CollectFacts(run, analyzed->analysis), false,
                     SimulationsOf(analyzed->replayer.get()).get());
  const auto found =
      std::find_if(evaluation.findings.begin(), evaluation.findings.end(),
                   [](const Finding& finding) { return finding.rule->id == "mine/cut"; });
  ASSERT_NE(found, evaluation.findings.end());
  EXPECT_TRUE(found->claim.is_simulated());
  EXPECT_NEAR(found->claim.saves, 3e6, 0.01e6);
}

// A rule that measures half of what its change takes away: the rest has to be explained.
TEST(WhatIf, SavingsBeyondTheShareSayWhy) {
  const auto message_of = [](std::string_view measured) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                       ("profgauge_half_" + std::to_string(getpid()) + ".yaml");
    std::ofstream(file) << R"(schema: 2
namespace: mine
rules:
  - id: half
    title: Loader
    category: input
    for_each: profile
    metric: {value: )" << measured
                        << R"(, warn_above: 1%}
    gain:
      value: )" << measured
                        << R"( * window
      scenario:
        - {where: "host_op.name matches '^enumerate[(]DataLoader[)]#'", by: 0}
      why: A part of it.
    message: It loads.
    advice: Load less.
)";
    const auto policy = ParsePolicy("schema: 1\nrule_files: [" + file.string() + "]\n", "p.yaml");
    const auto book = LoadRulebook(*policy, {});
    std::filesystem::remove(file);
    EXPECT_TRUE(book.has_value()) << book.error().front().message;
    const std::vector<Profile> run = Made("--dataloader-us 3000");
    const auto analyzed = analysis::AnalyzeForReplay(run, {});
    const Evaluation evaluation =
        book->Evaluate(analyzed->analysis, CollectFacts(run, analyzed->analysis), false,
                       SimulationsOf(analyzed->replayer.get()).get());
    const auto found =
        std::find_if(evaluation.findings.begin(), evaluation.findings.end(),
                     [](const Finding& finding) { return finding.rule->id == "mine/half"; });
    EXPECT_TRUE(found->claim.is_simulated());
    return found->message;
  };
  EXPECT_THAT(message_of("breakdown.dataloader / 2"),
              ::testing::MatchesRegex("It loads. Of the 3.00.*ms, 1.50.*ms is this time; "
                                      "the rest is later work that starts sooner."));
  EXPECT_EQ(message_of("breakdown.dataloader"), "It loads.");
}

// Recorded twice, with one knob turned: the first predicts the second within 1 %.
TEST(WhatIf, GeneratedTwins) {
  struct Twin {
    const char *from, *to;
    std::vector<std::string> scales;
  };
  const Twin twins[] = {
      {"--dataloader-us 3000",
       "--dataloader-us 900",
       {"host_op.name contains 'DataLoader' by 0.3"}},
      {"--dataloader-us 900", "--dataloader-us 3600", {"host_op.name contains 'DataLoader' by 4"}},
      {"--kernel-us 400", "--kernel-us 200", {"launch.kind == 'kernel' by 0.5"}},
      {"--launch-us 9", "--launch-us 36", {"api_call.kind in ['launch', 'memcpy'] by 4"}},
      {"--launch-us 40 --kernel-us 30",
       "--launch-us 20 --kernel-us 30",
       {"api_call.kind in ['launch', 'memcpy'] by 0.5"}},
      {"--launch-us 12 --kernel-us 5 --layers 60 --dataloader-us 0",
       "--launch-us 3 --kernel-us 5 --layers 60 --dataloader-us 0",
       {"api_call.kind in ['launch', 'memcpy'] by 0.25"}},
      {"--syncs 3", "--syncs 0", {"api_call.name == 'cudaDeviceSynchronize' by 0"}},
      // Layers with Tensor Cores are three times as fast there.
      {"--tensor-cores 0",
       "--tensor-cores 100",
       {"launch.uses_tensor_core == 'no' and launch.op matches 'mm$|batch_norm|clamp|threshold' by "
        "0.333333333"}},
  };
  for (const Twin& twin : twins) {
    const double predicted = Predicted(Made(twin.from), twin.scales).iteration_time;
    const double recorded = IterationTime(Made(twin.to));
    fmt::print("{} -> {}: predicted {:.0f}, recorded {:.0f}: {:+.2f} %\n", twin.from, twin.to,
               predicted, recorded, 100 * (predicted / recorded - 1));
    EXPECT_NEAR(predicted / recorded, 1, 0.01) << twin.from << " to " << twin.to;
  }
}

/// Mean length of the loader's ranges.
double LoaderTime(const std::vector<Profile>& profiles) {
  const HostTable& host = profiles.front().host;
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!profiles.front().Name(host.name[row]).starts_with("enumerate(DataLoader)")) continue;
    sum += static_cast<double>(host.duration[row]);
    ++count;
  }
  return sum / count;
}

// A real change: ResNet50 on a V100 with 0 and with 4 workers that load data. The prediction knows
// how long the loader takes afterwards; its error is the unknown part (workers that take cores from
// the main process, pinned copies that change their way) is its error, stated in rules/README.md.
TEST(WhatIf, RealTwins) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared folder";
  const auto none =
      Read(data + "v100_resnet50/resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz");
  const auto four =
      Read(data + "v100_resnet50/resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz");
  const double before = IterationTime(none), after = IterationTime(four);
  const double factor = LoaderTime(four) / LoaderTime(none);
  const auto scale = [](double by) {
    return fmt::format("host_op.name matches '^enumerate[(]DataLoader' by {:.6f}", by);
  };
  const analysis::simulation::Prediction predicted = Predicted(none, {scale(factor)});
  const analysis::simulation::Prediction gone = Predicted(none, {scale(0)});
  const analysis::simulation::Prediction back = Predicted(four, {scale(1 / factor)});
  fmt::print(
      "V100, 0 to 4 workers: {:.0f} to {:.0f}, loader by {:.4f}: predicted {:.0f}, {:+.1f} "
      "%; by 0: {:.0f}; and back {:.0f}, {:+.1f} %\n",
      before, after, factor, predicted.iteration_time, 100 * (predicted.iteration_time / after - 1),
      gone.iteration_time, back.iteration_time, 100 * (back.iteration_time / before - 1));
  EXPECT_NEAR(predicted.recorded_time / before, 1, 1e-6);
  EXPECT_LE(gone.iteration_time, predicted.iteration_time);
  EXPECT_NEAR(predicted.iteration_time / after, 1, 0.2);
}

// A thread that no record links to the others would keep its pace, and with it the whole iteration:
// a loader that the device waits for for a fifth of the time would then be worth nothing.
TEST(WhatIf, LoaderSavesItsWaitingTime) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared folder";
  for (const char* path :
       {"v100_resnet50/resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
        "legacy/hist_2021-02_resnet50_num_workers_0__worker0.pt.trace.json.gz"}) {
    SCOPED_TRACE(path);
    const auto run = Read(data + path);
    const auto analysis = analysis::Analyze(run, {});
    ASSERT_TRUE(analysis.has_value());
    const analysis::Metric* share = analysis->Find("dataloader.exposed_share");
    ASSERT_NE(share, nullptr);
    const double gain =
        Predicted(run, {"host_op.name matches '^enumerate[(]DataLoader' by 0"}).gain_share();
    EXPECT_NEAR(gain / AsNumber(share->value, 0), 1, 0.02);
  }
}

// A plan asks again for what the rules have simulated.
TEST(WhatIf, FindsChangesOnce) {
  const std::vector<Profile> profiles = Made("--iterations 3");
  const auto run = analysis::AnalyzeForReplay(profiles, {});
  ASSERT_TRUE(run.has_value());
  ASSERT_NE(run->replayer, nullptr);
  const CompiledScenario scenario = Compiled({"api_call.kind == 'launch' by 0.5"});
  ScenarioRunner runner(*run->replayer);
  const ScenarioOutcome first = runner.Run(scenario), again = runner.Run(scenario);
  ASSERT_TRUE(first.prediction.has_value());
  EXPECT_EQ(again.prediction->iteration_time, first.prediction->iteration_time);
  EXPECT_EQ(again.matched, first.matched);
  EXPECT_EQ(&runner.ChangesOf(scenario), &runner.ChangesOf(scenario));
}

}  // namespace
}  // namespace profgauge::rules
