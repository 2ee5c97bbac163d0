// Edge cases of a rule's result: unknown rows, limits and small gains, uncertain
// numbers, levels.
#include "rules/rule_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "made_run.h"

namespace profgauge::rules {
namespace {

// "warn", "not_found: Kernels: 0 of 2": the status of the first finding, and why.
std::string StatusIn(std::string_view rule, const TestRun& run, std::string_view policy = "",
                     RuleRunOptions options = {}) {
  Loaded loaded;
  const std::string errors = Load(rule, policy, loaded);
  if (!errors.empty()) return errors;
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, options);
  const Finding& finding = evaluation.findings.front();
  return std::string(FindingStatusName(finding.status)) +
         // What is good says its number, which others test.
         (finding.reason.empty() || finding.status == FindingStatus::kGood
              ? ""
              : ": " + finding.reason) +
         (finding.is_uncertain ? " (uncertain)" : "");
}

TEST(RuleRun, UnknownRowsAreUndecided) {
  constexpr std::string_view kRule =
      "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: kernel\n"
      "    where: kernel.dtype == 'float'\n    level: warn\n";
  struct Row {
    std::vector<const char*> dtypes;  ///< nullptr: unknown.
    std::string_view status;
  };
  const Row kRows[] = {
      {{"half", "half"}, "not_found: Kernels by operator and launch configuration: 0 of 2"},
      {{"half", nullptr},
       "not_applicable: Type (Kernels by operator and launch configuration) is unknown"},
      {{"half", "half", "half", nullptr, nullptr},
       "not_applicable: Type (Kernels by operator and launch configuration) is unknown"},
      {{"half", nullptr, nullptr},
       "not_applicable: Type (Kernels by operator and launch configuration) is unknown"},
      {{nullptr, nullptr, "float"}, "warn"},
      {{nullptr, nullptr},
       "not_applicable: Type (Kernels by operator and launch configuration) is unknown"},
  };
  for (const Row& row : kRows) {
    const auto cell = [&](std::size_t i) {
      return row.dtypes[i] == nullptr ? Value() : Text(row.dtypes[i]);
    };
    TestRun run;
    switch (row.dtypes.size()) {
      case 2:
        run.Rows("kernels_by_op", {"dtype"}, {{cell(0)}, {cell(1)}});
        break;
      case 3:
        run.Rows("kernels_by_op", {"dtype"}, {{cell(0)}, {cell(1)}, {cell(2)}});
        break;
      default:
        run.Rows("kernels_by_op", {"dtype"},
                 {{cell(0)}, {cell(1)}, {cell(2)}, {cell(3)}, {cell(4)}});
    }
    EXPECT_EQ(StatusIn(kRule, run), row.status) << row.dtypes.size();
  }
}

TEST(RuleRun, NeededDataMustExist) {
  constexpr std::string_view kRule =
      "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: kernel\n"
      "    needs: [gpu.idle.mean, kernel.dtype]\n    level: error\n";
  TestRun run;
  run.Rows("kernels_by_op", {"dtype"}, {{Value()}, {Text("half")}});
  EXPECT_EQ(StatusIn(kRule, run), "not_applicable: Device idle time is unknown: not recorded here");
  run.Set("gpu.idle.mean", 0.5);
  EXPECT_EQ(StatusIn(kRule, run), "error");
  TestRun none;
  none.Set("gpu.idle.mean", 0.5).Rows("kernels_by_op", {"dtype"}, {{Value()}, {Value()}});
  EXPECT_EQ(StatusIn(kRule, none),
            "not_applicable: Type (Kernels by operator and launch configuration) is unknown: no "
            "row has it");
  TestRun empty;
  empty.Set("gpu.idle.mean", 0.5).Rows("kernels_by_op", {"dtype"}, {});
  EXPECT_TRUE(StatusIn(kRule, empty).starts_with("not_applicable: "));
}

// A limit may be an expression; where it is unknown, so cannot the rule.
TEST(RuleRun, AbsentLimitDoesNotJudge) {
  for (const char* limit : {"error_above", "error_below", "warn_above", "warn_below"}) {
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n"
        "    metric: {{value: gpu.idle.mean, {}: gpu.idle.max}}\n",
        limit);
    TestRun run;
    run.Set("gpu.idle.mean", 0.4);
    EXPECT_TRUE(StatusIn(rule, run).starts_with("not_applicable: ")) << limit;
    const bool is_above = std::string_view(limit).ends_with("above");
    run.Set("gpu.idle.max", is_above ? 0.3 : 0.5);
    EXPECT_EQ(StatusIn(rule, run),
              std::string_view(limit).substr(0, std::string_view(limit).find('_')));
    run.Set("gpu.idle.max", is_above ? 0.5 : 0.3);
    EXPECT_EQ(StatusIn(rule, run), "good");
  }
}

// If some limits are unknown, the known ones are judged: an exceeded level counts, and a level that
// is not exceeded does not decide an unknown one.
TEST(RuleRun, KnownLimitsJudge) {
  struct Row {
    std::string_view limits;
    double value;
    std::string_view status;
  };
  constexpr std::string_view kAbsent =
      "not_applicable: Highest device idle time is unknown: not recorded here";
  constexpr std::string_view kPartly =
      "warn: a stricter limit could not be evaluated: Highest device idle time is unknown: not "
      "recorded here";
  const Row kRows[] = {
      {"warn_above: gpu.idle.max, error_above: 30%", 0.4, "error"},
      {"warn_above: gpu.idle.max, error_above: 30%", 0.3, kAbsent},
      {"warn_above: 30%, error_above: gpu.idle.max", 0.4, kPartly},
      {"warn_above: 30%, error_above: gpu.idle.max", 0.3, kAbsent},
      {"warn_below: gpu.idle.max, error_below: 30%", 0.2, "error"},
      {"warn_below: gpu.idle.max, error_below: 30%", 0.3, kAbsent},
      {"warn_below: 30%, error_below: gpu.idle.max", 0.2, kPartly},
      {"warn_above: gpu.idle.max, error_above: gpu.idle.max", 0.4, kAbsent},
  };
  for (const Row& row : kRows) {
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n"
        "    metric: {{value: gpu.idle.mean, {}}}\n",
        row.limits);
    TestRun run;
    run.Set("gpu.idle.mean", row.value);
    EXPECT_EQ(StatusIn(rule, run), row.status) << row.limits << " " << row.value;
  }
}

// A plan may make a condition on times true, but none on the profile.
TEST(RuleRun, TellsConditionsOnTheProfile) {
  struct Row {
    std::string_view when;
    bool is_other;
  };
  const Row kRows[] = {
      {"profile.iterations_by != 'whole_profile'", true},
      {"gpu.idle.mean > 50%", false},
      {"gpu.idle.mean > 50% and profile.iterations_by != 'whole_profile'", true},
      {"gpu.idle.mean > 50% and profile.iterations_by == 'whole_profile'", false},
      {"gpu.idle.mean > 50% or profile.ranks >= 2", false},
      {"profile.ranks >= 2", true},
      {"profile.iterations >= $few", true},
      {"profile.kernel_time > 1 s", false},
      {"not known(gpu.idle.mean)", true},
      {"wide", true},
      {"long", false},
  };
  for (const Row& row : kRows) {
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n"
        "    params: {{few: {{default: 4, doc: d}}}}\n"
        "    let: {{wide: profile.ranks >= 2, long: iteration.time.mean > 1 s}}\n"
        "    when: {}\n    metric: {{value: gpu.idle.mean, warn_above: 1%}}\n",
        row.when);
    TestRun run;
    run.Set("gpu.idle.mean", 0.4).Set("iteration.time.mean", Ms(5)).Set("profile.ranks", 1);
    run.Set("profile.iterations", 1).Set("profile.kernel_time", Ms(5));
    Loaded loaded;
    ASSERT_EQ(Load(rule, "", loaded), "") << row.when;
    const Facts facts = {{"profile.iterations_by", std::string("whole_profile")}};
    const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), facts, {});
    const Finding& finding = evaluation.findings.front();
    EXPECT_TRUE(finding.is_left_out) << row.when << " " << finding.reason;
    EXPECT_EQ(finding.is_other_profile, row.is_other) << row.when;
  }
}

// If the profile gives a number as a range, a rule errs on it only if it does so at both
// ends; a result at both is certain.
TEST(RuleRun, RangesAreErrorsOnlyAsAWhole) {
  struct Row {
    double value, may_be;
    std::string_view policy, status;
    bool is_sure;
  };
  constexpr std::string_view kUncertain = "warn: the number is too uncertain to be an error";
  const Row kRows[] = {
      {0.4, 0.35, "", "error", true},
      {0.4, 0.9, "", "error", true},
      {0.4, 0.2, "", kUncertain, true},
      {0.4, 0.05, "", kUncertain, false},
      {0.2, 0.15, "", "warn", true},
      {0.2, 0.9, "", "warn", true},
      {0.2, 0.05, "", "warn", false},
      {0.05, 0.9, "", "good", false},
      {0.2, 0.15, "rules: {test/a: error}", "error", true},
      {0.2, 0.05, "rules: {test/a: error}", kUncertain, false},
      {0.4, 0.05, "rules: {test/a: info}", "info", false},
      {0.4, 0.2, "thresholds: {gpu.idle.mean: [{max: 10%, level: info}, {max: 30%, level: warn}]}",
       "warn", false},
  };
  constexpr std::string_view kRule =
      "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n"
      "    metric: {value: gpu.idle.mean, warn_above: 10%, error_above: 30%}\n";
  for (const Row& row : kRows) {
    TestRun run;
    run.Set("gpu.idle.mean", row.value).MayBe("gpu.idle.mean", row.may_be);
    const std::string is_uncertain = row.status == kUncertain ? " (uncertain)" : "";
    EXPECT_EQ(StatusIn(kRule, run, row.policy), std::string(row.status) + is_uncertain)
        << row.value << " " << row.may_be;
    Loaded loaded;
    ASSERT_EQ(Load(kRule, row.policy, loaded), "");
    const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
    EXPECT_EQ(evaluation.findings.front().is_sure, row.is_sure) << row.value << " " << row.may_be;
  }
}

// A rule that fails during evaluation is broken, and no pass: here a condition that is a number.
TEST(RuleRun, ARuleThatThrowsIsBroken) {
  Loaded loaded;
  ASSERT_EQ(Load("  - id: a\n    title: t\n    category: c\n    message: m\n"
                 "    for_each: profile\n    when: gpu.idle.mean > 10%\n"
                 "    metric: {value: gpu.idle.mean, error_above: 90%}\n",
                 "", loaded),
            "");
  TestRun run;
  run.Set("gpu.idle.mean", 0.4);
  const auto finding = [&] {
    return EvaluateRules(loaded.compiled, run.analysis(), {}, {}).findings.front();
  };
  EXPECT_EQ(finding().status, FindingStatus::kGood);
  loaded.compiled.front().when = loaded.compiled.front().metric;
  EXPECT_EQ(finding().status, FindingStatus::kBroken);
  EXPECT_EQ(finding().rule, loaded.compiled.front().rule);
  EXPECT_EQ(finding().title, "t");
  EXPECT_FALSE(finding().reason.empty());
}

TEST(RuleRun, UngroupedRowsAreNoPass) {
  TestRun run;
  run.Rows("kernels_by_op", {"rank", "time"}, {{Value(), Ms(5)}});
  EXPECT_EQ(StatusIn("  - id: a\n    title: t\n    category: c\n    message: m\n"
                     "    for_each: kernel\n    group_by: [rank.id]\n    level: warn\n",
                     run),
            "not_applicable: no row has a value for the group");
}

// Under a hundredth of the iteration a gain is small, except for a policy's decision; if an
// iteration is long now and then, of the usual one.
TEST(RuleRun, SmallGainsInform) {
  struct Row {
    double gain, mean, median;
    std::string_view policy;
    std::string_view status;
  };
  const Row kRows[] = {
      {1, 100, 100, "", "error"},
      {0.99, 100, 100, "", "info"},
      {0.3, 100, 20, "", "error"},
      {0.19, 100, 20, "", "info"},
      {1.1, 100, 200, "", "error"},
      {0.9, 100, 200, "", "info"},
      {0.1, 0, 0, "", "error"},
      {0.1, 100, 100, "rules: {test/a: error}", "error"},
      {0.1, 100, 100, "rules: {test/a: warn}", "warn"},
      {0.1, 100, 100, "thresholds: {gpu.idle.mean: {max: 10%}}", "error"},
      {0.1, 100, 100, "thresholds: {gpu.idle.mean: {max: 10%, level: warn}}", "warn"},
      {0.1, 100, 100, "thresholds: {gpu.idle.mean: {max: 90%}}", "good"},
  };
  for (const Row& row : kRows) {
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n"
        "    metric: {{value: gpu.idle.mean, error_above: 50%}}\n"
        "    gain: {{value: {} ms, bound: upper}}\n",
        row.gain);
    TestRun run;
    run.Set("gpu.idle.mean", 0.6).Set("iteration.time.mean", Ms(row.mean));
    run.Set("iteration.time.median", Ms(row.median));
    const std::string said = StatusIn(rule, run, row.policy);
    EXPECT_EQ(said.substr(0, said.find(':')), row.status) << row.gain << " " << row.policy;
  }
}

TEST(RuleRun, UncertaintyPropagates) {
  struct Row {
    std::string_view lines;
    std::string_view status;
  };
  constexpr std::string_view kUnsure =
      "warn: the number is too uncertain to be an error (uncertain)";
  const Row kRows[] = {
      {"metric: {value: iteration.time.robust_cv, error_above: 10%}", kUnsure},
      {"metric: {value: iteration.time.robust_cv, warn_above: 10%}", "warn"},
      {"metric: {value: 1 - gpu.idle.mean, error_above: 10%}", "error"},
      {"metric: {value: 2 * iteration.time.robust_cv - gpu.idle.mean, error_above: 10%}", kUnsure},
      {"let: {cv: iteration.time.robust_cv}\n    metric: {value: cv, error_above: 10%}", kUnsure},
      {"let: {cv: iteration.time.robust_cv, twice: 2 * cv}\n"
       "    metric: {value: twice, error_above: 10%}",
       kUnsure},
      {"let: {cv: iteration.time.robust_cv, idle: gpu.idle.mean}\n"
       "    metric: {value: idle, error_above: 10%}",
       "error"},
      {"level: error\n    when: iteration.time.robust_cv > 10%", "error"},
  };
  for (const Row& row : kRows) {
    TestRun run;
    run.Set("iteration.time.robust_cv", 0.4).Set("gpu.idle.mean", 0.2);
    run.LowConfidence("iteration.time.robust_cv");
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n    {}\n",
        row.lines);
    EXPECT_EQ(StatusIn(rule, run), row.status) << row.lines;
  }
}

// Idle time is 20 %, and may be anything up to 60 %, or down to 5 %.
TEST(RuleRun, ErrorsHoldForTheWholeRange) {
  struct Row {
    std::string_view lines;
    double may_be;
    std::string_view status;
  };
  constexpr std::string_view kUnsure =
      "warn: the number is too uncertain to be an error (uncertain)";
  const Row kRows[] = {
      {"metric: {value: gpu.idle.mean, error_above: 10%}", 0.6, "error"},
      {"metric: {value: gpu.idle.mean, error_above: 10%}", 0.05, kUnsure},
      {"metric: {value: gpu.idle.mean, error_above: 30%}", 0.05, "good"},
      {"metric: {value: gpu.idle.mean, warn_above: 10%}", 0.05, "warn"},
      {"metric: {value: gpu.idle.mean, warn_above: 30%}", 0.6, "good"},
      {"let: {busy: 1 - gpu.idle.mean}\n    metric: {value: busy, error_above: 50%}", 0.6, kUnsure},
      {"level: error\n    when: gpu.idle.mean > 10%", 0.05, kUnsure},
      {"level: error\n    when: gpu.idle.mean > 10%", 0.6, "error"},
      {"level: warn\n    when: gpu.idle.mean > 30%", 0.6,
       "not_found: Device idle time is 20.0\u202f%, needed: more than 30.0\u202f%"},
  };
  for (const Row& row : kRows) {
    TestRun run;
    run.Set("gpu.idle.mean", 0.2).MayBe("gpu.idle.mean", row.may_be);
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n    {}\n",
        row.lines);
    EXPECT_EQ(StatusIn(rule, run), row.status) << row.lines << " " << row.may_be;
  }
}

TEST(RuleRun, WaiversCoverNamesUntilExpiry) {
  constexpr std::string_view kRule =
      "  - {id: a, title: t, category: c, message: m, for_each: profile, level: error}\n";
  const auto status = [&](std::string_view where, const char* today) {
    RuleRunOptions options;
    if (today != nullptr) options.today = ParseDay(today);
    TestRun run;
    run.Set("gpu.idle.mean", 0.2);
    const std::string said = StatusIn(
        kRule, run,
        fmt::format("waivers:\n  - {{rule: test/a, reason: r, owner: o, expires: 2027-01-01{}}}\n",
                    where.empty() ? "" : fmt::format(", where: '{}'", where)),
        options);
    return said.substr(0, said.find(':'));
  };
  EXPECT_EQ(status("", nullptr), "waived");
  EXPECT_EQ(status("", "2027-01-01"), "waived");
  EXPECT_EQ(status("", "2027-01-02"), "error");
  EXPECT_EQ(status("gpu.idle.mean < 30%", "2026-01-01"), "waived");
  EXPECT_EQ(status("gpu.idle.mean > 30%", "2026-01-01"), "error");
  EXPECT_EQ(status("gpu.occupancy > 30%", "2026-01-01"), "error");  // It is unknown.
}

TEST(RuleRun, HighestPossibleLevel) {
  struct Row {
    std::string_view lines, policy;
    Level most;
  };
  const Row kRows[] = {
      {"level: info", "", Level::kInfo},
      {"level: error", "", Level::kError},
      {"metric: {value: gpu.idle.mean, warn_above: 10%}", "", Level::kWarn},
      {"metric: {value: gpu.idle.mean, warn_above: 10%, error_above: 20%}", "", Level::kError},
      {"metric: {value: gpu.idle.mean, warn_above: 10%, error_above: 20%}", "rules: {test/a: warn}",
       Level::kWarn},
      {"metric: {value: gpu.idle.mean, warn_above: 10%}", "rules: {test/a: error}", Level::kError},
      {"metric: {value: gpu.idle.mean, warn_above: 10%}", "rules: {test/a: info}", Level::kInfo},
  };
  for (const Row& row : kRows) {
    Loaded loaded;
    const std::string rule = fmt::format(
        "  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: profile\n    {}\n",
        row.lines);
    ASSERT_EQ(Load(rule, row.policy, loaded), "");
    const Evaluation evaluation = EvaluateRules(loaded.compiled, TestRun().analysis(), {}, {});
    EXPECT_EQ(evaluation.findings.front().most, row.most) << row.lines << " " << row.policy;
  }
}

// One finding a group, the worst twenty; the first lists all groups.
TEST(RuleRun, ReportsUpToTwentyGroups) {
  TestRun run;
  run.Rows("ranks", {"id"},
           {{Whole(0)},  {Whole(1)},  {Whole(2)},  {Whole(3)},  {Whole(4)},  {Whole(5)},
            {Whole(6)},  {Whole(7)},  {Whole(8)},  {Whole(9)},  {Whole(10)}, {Whole(11)},
            {Whole(12)}, {Whole(13)}, {Whole(14)}, {Whole(15)}, {Whole(16)}, {Whole(17)},
            {Whole(18)}, {Whole(19)}, {Whole(20)}, {Whole(21)}});
  Loaded loaded;
  ASSERT_EQ(Load("  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: rank\n"
                 "    group_by: [rank.id]\n    report: each\n"
                 "    metric: {value: rank.id, warn_above: 2}\n",
                 "waivers:\n  - {rule: test/a, where: rank.id == 21, reason: r, owner: o, expires: "
                 "2027-01-01}\n",
                 loaded),
            "");
  const Evaluation all = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  ASSERT_EQ(all.findings.size(), 19U);  // 3 to 20 fire, 21 is waived.
  EXPECT_EQ(all.findings.front().groups.size(), 22U);
  EXPECT_EQ(all.findings.back().status, FindingStatus::kWaived);
  ASSERT_EQ(Load("  - id: a\n    title: t\n    category: c\n    message: m\n    for_each: rank\n"
                 "    group_by: [rank.id]\n    report: each\n    level: warn\n",
                 "", loaded),
            "");
  EXPECT_EQ(EvaluateRules(loaded.compiled, run.analysis(), {}, {}).findings.size(), 20U);
}

}  // namespace
}  // namespace profgauge::rules
