// Causes and their symptoms, and the bounds of their savings.
#include <gtest/gtest.h>

#include "made_run.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kCauses = R"(
  - id: idle
    title: Idle
    category: gpu
    for_each: profile
    metric: {value: gpu.idle.mean, warn_above: 15%}
    gain: {value: gpu.idle.mean * iteration.time.mean, bound: upper}
    message: idle {{ metric }}
  - id: loader
    title: Loader
    category: input
    for_each: profile
    metric: {value: dataloader.exposed_share, warn_above: 10%}
    gain: {value: dataloader.exposed_share * iteration.time.mean, bound: upper}
    explains: [test/idle]
    message: loader {{ metric }}
  - id: amp
    title: AMP
    category: compute
    for_each: profile
    metric: {value: tensor_core.eligible_share, warn_above: 10%}
    gain: {value: 1 ms, bound: upper}
    message: amp
  - id: broken-recording
    title: Recording
    category: recording
    for_each: profile
    level: error
    when: coverage.linked_share < 50%
    message: linked {{ coverage.linked_share }}
  - id: needs-more
    title: Other
    category: gpu
    for_each: profile
    metric: {value: memory.peak_share, warn_above: 90%}
    message: memory
)";

constexpr std::string_view kFamily = R"(schema: 2
namespace: test
category: gpu
rules:
  - {id: most, title: Most, family: idle, metric: {value: gpu.idle.mean, warn_above: 15%},
     gain: {value: gpu.idle.mean * iteration.time.mean}, message: most}
  - {id: less, title: Less, family: idle, level: warn, gain: {value: 5 ms}, message: less}
  - {id: unknown, title: Unknown, family: idle, level: info, message: unknown}
  - {id: graver, title: Graver, family: idle, level: error, gain: {value: 1 ms}, message: graver}
  - {id: other, title: Other, family: copies, level: warn, gain: {value: 2 ms}, message: other}
  - {id: alone, title: Alone, level: warn, gain: {value: 3 ms}, message: alone}
)";

TestRun CauseRun() {
  TestRun run;
  run.Set("gpu.idle.mean", 0.6)
      .Set("iteration.time.mean", Ms(100))
      .Set("dataloader.exposed_share", 0.4)
      .Set("tensor_core.eligible_share", 0.5)
      .Set("coverage.linked_share", 0.9);
  return run;
}

TEST(CausesAndGains, SymptomsFollowCausesRankedByGain) {
  EXPECT_EQ(Check(kCauses, CauseRun()),
            "test/loader: warn 40.0 % (> 10 %) gain 40000000 | loader 40.0 %\n"
            "  test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\n"
            "test/amp: warn 50.0 % (> 10 %) gain 1000000 | amp\n"
            "test/broken-recording: not_found because Device time with a known operator is 90.0 %, "
            "needed: less than 50.0 %\n"
            "test/needs-more: not_applicable {memory.peak_share} because Peak share of device "
            "memory is unknown: not recorded here\n");
}

constexpr std::string_view kWaiver =
    "waivers: [{rule: test/loader, reason: known, owner: ann, expires: '2027-01-01'}]\n";

TEST(CausesAndGains, WaivedCauseCoversSymptoms) {
  const std::string shown = Check(kCauses, CauseRun(), kWaiver);
  EXPECT_EQ(shown.substr(0, shown.find("test/broken")),
            "test/amp: warn 50.0 % (> 10 %) gain 1000000 | amp\n"
            "test/loader: waived 40.0 % (> 10 %) gain 40000000 because known (ann, until "
            "2027-01-01) | loader 40.0 %\n"
            "  test/idle: waived 60.0 % (> 15 %) gain 60000000 because `test/loader` explains it, "
            "and is waived | idle 60.0 %\n");
}

TEST(CausesAndGains, MoreSevereSymptomCounts) {
  std::string rules(kCauses);
  const std::string_view warns = "value: gpu.idle.mean, warn_above: 15%";
  rules.replace(rules.find(warns), warns.size(),
                "value: gpu.idle.mean, warn_above: 15%, error_above: 30%");
  const std::string shown = Check(rules, CauseRun(), kWaiver);
  EXPECT_EQ(shown.substr(0, shown.find('\n')),
            "test/idle: error 60.0 % (> 30 %) gain 60000000 | idle 60.0 %");
}

TEST(CausesAndGains, UnwaivedCauseKeepsSymptoms) {
  std::string rules(kCauses);
  const std::string_view amp = "    gain: {value: 1 ms, bound: upper}\n";
  rules.insert(rules.find(amp) + amp.size(), "    explains: [test/idle]\n");
  rules.replace(rules.find("gain: {value: 1 ms"), 18, "gain: {value: 60 ms");
  const std::string shown = Check(rules, CauseRun(), kWaiver);
  EXPECT_EQ(shown.substr(0, shown.find("test/loader")),
            "test/amp: warn 50.0 % (> 10 %) gain 60000000 | amp\n"
            "  test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\n");
}

TEST(CausesAndGains, ConditionalSymptomFollowsTrueCondition) {
  std::string rules(kCauses);
  const std::string_view always = "explains: [test/idle]";
  rules.replace(rules.find(always), always.size(),
                "explains: [{when: metric > 30% and known(iteration.time.mean), rule: test/idle}]");
  EXPECT_EQ(Check(rules, CauseRun()).substr(0, 130),
            "test/loader: warn 40.0 % (> 10 %) gain 40000000 | loader 40.0 %\n"
            "  test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\ntest");
  rules.replace(rules.find("> 30%"), 5, "> 45%");
  EXPECT_EQ(Check(rules, CauseRun()).substr(0, 128),
            "test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\n"
            "test/loader: warn 40.0 % (> 10 %) gain 40000000 | loader 40.0 %\ntest");
}

TEST(CausesAndGains, SmallCauseDoesNotTakeSymptom) {
  // 10.1 ms of 60 ms: the loader is a separate finding, and most of the idle time is not its
  // doing.
  EXPECT_EQ(Check(kCauses, CauseRun().Set("dataloader.exposed_share", 0.101)).substr(0, 128),
            "test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\n"
            "test/loader: warn 10.1 % (> 10 %) gain 10100000 | loader 10.1 %\ntest");
}

TEST(CausesAndGains, ProfileProblemsComeFirst) {
  EXPECT_EQ(Check(kCauses, CauseRun().Set("coverage.linked_share", 0.2)).substr(0, 50),
            "test/broken-recording: error | linked 20.0 %\ntest/");
}

TEST(CausesAndGains, SymptomNeedsItsCause) {
  EXPECT_EQ(Check(kCauses, CauseRun().Set("dataloader.exposed_share", 0.05)).substr(0, 71),
            "test/idle: warn 60.0 % (> 15 %) gain 60000000 | idle 60.0 %\ntest/amp: w");
}

TEST(CausesAndGains, GainIsAtMostAnIteration) {
  EXPECT_EQ(
      Check(kCauses, CauseRun().Set("gpu.idle.mean", 1.5).Set("dataloader.exposed_share", 0.0))
          .substr(0, 63),
      "test/idle: warn 150.0 % (> 15 %) gain 100000000 | idle 150.0 %\n");
}

TEST(CausesAndGains, SmallGainsOnlyInform) {
  constexpr std::string_view kRule = R"(
  - id: rare
    title: Rare
    category: gpu
    for_each: profile
    metric: {value: gpu.idle.mean, warn_above: 15%, error_above: 30%}
    gain: {value: 0.9 ms, bound: upper}
    message: idle
)";
  const std::string informs =
      "test/rare: info 60.0 % (> 30 %) gain 900000 because informational: it can save less than 1 "
      "% of an iteration | idle\n";
  EXPECT_EQ(Check(kRule, CauseRun()), informs);
  EXPECT_EQ(Check(kRule, CauseRun(), "rules: {test/rare: {level: default, params: {}}}"), informs);
  // A policy's decision is kept: a level, and a limit on the same number.
  EXPECT_EQ(Check(kRule, CauseRun(), "rules: {test/rare: warn}").substr(0, 37),
            "test/rare: warn 60.0 % (> 30 %) gain ");
  EXPECT_EQ(Check(kRule, CauseRun(), "thresholds: {gpu.idle.mean: {max: 40%}}").substr(0, 38),
            "test/rare: error 60.0 % (> 40 %) gain ");
  // Without an iteration there is nothing to compare with.
  EXPECT_EQ(Check(kRule, CauseRun().Set("iteration.time.mean", {})).substr(0, 18),
            "test/rare: error 6");
}

// 15 and 10 ms of rank 1 overlap each other for 8 ms and other work for 5 ms, in ten iterations.
TEST(CausesAndGains, GainIsAtMostRowsCost) {
  analysis::catalog::Exposure exposure;
  exposure.devices.push_back(
      {10, {{{1}, 5'000'000}, {{2}, 7'000'000}, {{1, 2}, 2'000'000}}, {}, {}});
  exposure.devices.push_back({10, {{{0}, 15'000'000}, {{1, 4}, 9'000'000}}, {}, {}});
  EXPECT_NE(Check(kRanks, RankRun()).find("gain 2500000"), std::string::npos);
  EXPECT_NE(Check(kRanks, RankRun().Exposed("kernels_by_op", exposure)).find("gain 1400000"),
            std::string::npos);
}

// If the gain is idle time, the gaps beside its rows bound their cost.
TEST(CausesAndGains, IdleGainIsWithinAdjacentGaps) {
  constexpr std::string_view kRule = R"(
  - id: calls
    title: Calls
    category: host
    for_each: api_call
    where: api_call.kind == 'sync'
    let: {waited: gpu.idle.mean * iteration.time.mean}
    metric: {value: sum(api_call.time) / iteration.time.mean, warn_above: 1}
    gain: {value: waited, bound: upper}
    message: calls
)";
  TestRun run = CauseRun();
  run.Rows("api_calls", {"name", "kind", "time"},
           {{Text("a"), Text("sync"), Ms(300)}, {Text("b"), Text("launch"), Ms(300)}});
  analysis::catalog::Exposure exposure;
  exposure.devices.push_back({2, {}, {{{0}, 1'000}}, {{{0, 1}, 30'000'000}, {{1}, 50'000'000}}});
  EXPECT_EQ(Check(kRule, run), "test/calls: warn 3 (> 1) gain 60000000 | calls\n");
  EXPECT_EQ(Check(kRule, run.Exposed("api_calls", exposure)),
            "test/calls: warn 3 (> 1) gain 15000000 | calls\n");
}

/// One subject, one finding: others are listed under the one that saves most, except severer ones.
TEST(Families, FollowTheLargestSaving) {
  auto file = ParseRuleFile(kFamily, "test.yaml");
  ASSERT_TRUE(file) << ShowErrors(file.error());
  Loaded loaded;
  loaded.rules.rules = std::move(file->rules);
  const auto active = SelectRules(loaded.rules, loaded.policy, {});
  loaded.compiled = *CompileRules(*active, loaded.policy);
  EXPECT_EQ(Show(EvaluateRules(loaded.compiled, CauseRun().analysis(), {}, {})),
            "test/most: warn 60.0 % (> 15 %) gain 60000000 | most\n"
            "  test/less: warn gain 5000000 | less\n"
            "  test/unknown: info | unknown\n"
            "test/alone: warn gain 3000000 | alone\n"
            "test/other: warn gain 2000000 | other\n"
            "test/graver: error gain 1000000 | graver\n");
}

}  // namespace
}  // namespace profgauge::rules
