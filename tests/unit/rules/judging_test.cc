// How a rule's finding counts: the bounds of its saving, and the waivers that cover it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "made_run.h"

namespace profgauge::rules {
namespace {

TestRun GainRun() {
  TestRun run;
  run.Set("iteration.time.mean", Ms(100)).Set("gpu.idle.mean", 0.6).Set("gpu.idle.max", 0.3);
  run.Set("gpu.idle.time.max", Ms(40)).Set("gpu.occupancy", 0.5);
  run.Rows("gpus", {"rank", "id", "idle", "kernels"}, {{Whole(0), Whole(0), 0.6, Whole(100)}});
  run.Rows("kernels_by_op", {"rank", "gpu", "name", "time"},
           {{Whole(0), Whole(0), Text("a"), Ms(90)}});
  return run;
}

// Idle time cannot gain more than all there is; other time is not bounded by that.
TEST(Gains, IdleGainIsWithinIdleTime) {
  struct Row {
    std::string_view rule;  ///< for_each, lets and the gain.
    std::string_view gain;
  };
  const Row kRows[] = {
      {"for_each: profile\n    gain: {value: gpu.idle.mean * iteration.time.mean, bound: upper}",
       "40000000"},
      {"for_each: profile\n    gain: {value: gpu.occupancy * iteration.time.mean, bound: upper}",
       "50000000"},
      {"for_each: profile\n    let: {waited: gpu.idle.mean * iteration.time.mean}\n"
       "    gain: {value: waited, bound: upper}",
       "40000000"},
      {"for_each: profile\n    let: {waited: gpu.idle.mean, other: gpu.occupancy}\n"
       "    gain: {value: other * iteration.time.mean, bound: upper}",
       "50000000"},
      {"for_each: profile\n    let: {other: gpu.occupancy, waited: gpu.idle.mean}\n"
       "    gain: {value: waited * other * 200 ms, bound: upper}",
       "40000000"},
      {"for_each: profile\n    gain: {value: gpu.idle * iteration.time.mean, bound: upper}",
       "40000000"},
      {"for_each: profile\n    gain: {value: gpu.kernels * 0.6 ms, bound: upper}", "60000000"},
      {"for_each: kernel\n    group_by: [gpu.id]\n"
       "    gain: {value: gpu.idle * iteration.time.mean, bound: upper}",
       "40000000"},
      {"for_each: kernel\n    group_by: [gpu.id]\n"
       "    gain: {value: gpu.kernels * 0.6 ms, bound: upper}",
       "60000000"},
      {"for_each: kernel\n    gain: {value: sum(kernel.time), bound: upper}", "90000000"},
      {"for_each: kernel\n    gain: {value: 2 * sum(kernel.time), bound: upper}", "100000000"},
      {"for_each: profile\n    gain: {value: -1 ms, bound: upper}", "0"},
  };
  for (const Row& row : kRows) {
    const std::string rule = fmt::format(
        "  - id: idle\n    title: t\n    category: c\n    level: info\n    message: m\n    {}\n",
        row.rule);
    const std::string said = Check(rule, GainRun());
    EXPECT_NE(said.find(fmt::format("gain {} |", row.gain)), said.npos) << row.rule << said;
  }
}

TEST(Gains, IdleTimeComesFromBestSource) {
  constexpr std::string_view kRule =
      "  - {id: idle, title: t, category: c, level: info, message: m, for_each: profile,\n"
      "     gain: {value: gpu.idle.mean * iteration.time.mean, bound: upper}}\n";
  const auto gain = [&](const TestRun& run) {
    const std::string said = Check(kRule, run);
    const std::size_t at = said.find("gain ");
    return at == said.npos ? said : said.substr(at + 5, said.find(' ', at + 5) - at - 5);
  };
  EXPECT_EQ(gain(GainRun()), "40000000");
  EXPECT_EQ(gain(GainRun().Set("gpu.idle.time.max", {})), "30000000");
  EXPECT_EQ(gain(GainRun().Set("gpu.idle.time.max", {}).Set("gpu.idle.max", {})), "60000000");
  EXPECT_EQ(gain(GainRun().Set("gpu.idle.time.max", Ms(70)).Set("gpu.idle.max", 0.1)), "60000000");
}

// Where it is unknown how much idle time there is, it bounds nothing.
TEST(Gains, UnknownIdleTimeBoundsNothing) {
  constexpr std::string_view kRule =
      "  - {id: idle, title: t, category: c, level: info, message: m, for_each: profile,\n"
      "     gain: {value: gpu.idle.mean * 100 ms, bound: typical}}\n";
  Loaded loaded;
  ASSERT_EQ(Load(kRule, "", loaded), "");
  const auto gain = [&](const analysis::Analysis& analysis) {
    return EvaluateRules(loaded.compiled, analysis, {}, {}).findings.front().claim.saves;
  };
  EXPECT_EQ(gain(GainRun().analysis()), 40e6);
  TestRun shares = GainRun().Set("gpu.idle.time.max", {});
  EXPECT_EQ(gain(shares.analysis()), 30e6);
  EXPECT_EQ(gain(shares.Set("iteration.time.mean", {}).analysis()), 60e6);
  // Metrics that an analysis does not have at all.
  const auto without = [](std::initializer_list<std::string_view> ids) {
    analysis::Analysis analysis = GainRun().analysis();
    std::erase_if(analysis.metrics, [&](const analysis::Metric& metric) {
      return std::find(ids.begin(), ids.end(), metric.spec->id) != ids.end();
    });
    return analysis;
  };
  EXPECT_EQ(gain(without({"gpu.idle.time.max"})), 30e6);
  EXPECT_EQ(gain(without({"gpu.idle.time.max", "gpu.idle.max"})), 60e6);
  EXPECT_EQ(gain(without({"gpu.idle.time.max", "iteration.time.mean"})), 60e6);
}

// Where the iteration is unknown, or takes no time, a gain is no share of it.
TEST(Gains, NoCapWithoutIteration) {
  constexpr std::string_view kRule =
      "  - id: idle\n    title: t\n    category: c\n    level: error\n    message: m\n"
      "    for_each: profile\n    gain: {value: 5 ms, bound: typical}\n";
  Loaded loaded;
  ASSERT_EQ(Load(kRule, "", loaded), "");
  const auto first = [&](const analysis::Analysis& analysis) {
    return EvaluateRules(loaded.compiled, analysis, {}, {}).findings.front();
  };
  const TestRun zero = GainRun().Set("iteration.time.mean", Ms(0));
  const TestRun absent = GainRun().Set("iteration.time.mean", {});
  for (const analysis::Analysis& analysis :
       {analysis::Analysis(), absent.analysis(), zero.analysis()}) {
    const Finding finding = first(analysis);
    EXPECT_EQ(finding.status, FindingStatus::kError);
    EXPECT_EQ(finding.worth, 0);
  }
  EXPECT_EQ(first(analysis::Analysis()).claim.saves, 5e6);
  EXPECT_EQ(first(absent.analysis()).claim.saves, 5e6);
  EXPECT_EQ(first(zero.analysis()).claim.saves, 0);
  EXPECT_EQ(first(GainRun().analysis()).worth, 0.05);
}

TestRun FiveRanks() {
  TestRun run;
  run.Rows("ranks", {"id", "compute_time"},
           {{Whole(0), Ms(50)},
            {Whole(1), Ms(40)},
            {Whole(2), Ms(80)},
            {Whole(3), {}},
            {Whole(4), Ms(45)},
            {Whole(5), Ms(50)}});
  return run;
}

std::string GroupsOf(std::string_view rule, std::string_view policy, const TestRun& run) {
  Loaded loaded;
  const std::string errors = Load(rule, policy, loaded);
  if (!errors.empty()) return errors;
  std::string out;
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  for (const GroupResult& group : evaluation.findings.front().groups) {
    out += fmt::format("{} {} {} {} of {}{}\n", group.label, FindingStatusName(group.status),
                       PlainSpaces(group.metric_text), group.limit ? LimitText(*group.limit) : "",
                       group.rows, group.reason.empty() ? "" : ": " + group.reason);
  }
  return PlainSpaces(out);
}

// The question for a required rule: the groups that it cannot evaluate.
TEST(Groups, ThatAreUnknownLeaveARuleUnanswered) {
  struct Row {
    std::string_view limit;
    FindingStatus status;
    std::string_view unanswered;
  };
  constexpr std::string_view kThird = "of 3: Compute time (Ranks) is unknown";
  const auto with_all = [] {
    TestRun run;
    run.Rows("ranks", {"id", "compute_time"}, {{Whole(0), Ms(50)}, {Whole(1), Ms(90)}});
    return run;
  };
  for (const Row& row :
       {Row{"warn_above: 60 ms", FindingStatus::kWarn, kThird},
        Row{"warn_above: 100 ms", FindingStatus::kGood, kThird},
        Row{"warn_above: gpu.idle.time.max", FindingStatus::kNotApplicable, ""},
        Row{"warn_above: 60 ms, error_above: gpu.idle.time.max", FindingStatus::kWarn,
            "a stricter limit could not be evaluated: Highest device idle time per iteration is "
            "unknown: not recorded here"}}) {
    const std::string rule = fmt::format(
        "  - id: slow\n    title: t\n    category: c\n    message: m\n    for_each: rank\n"
        "    group_by: [rank.id]\n    metric: {{value: max(rank.compute_time), {}}}\n",
        row.limit);
    Loaded loaded;
    ASSERT_EQ(Load(rule, "", loaded), "");
    const auto first = [&](const TestRun& run) {
      return EvaluateRules(loaded.compiled, run.analysis(), {}, {}).findings.front();
    };
    EXPECT_EQ(first(FiveRanks()).status, row.status) << row.limit;
    EXPECT_EQ(first(FiveRanks()).unanswered, row.unanswered) << row.limit;
    EXPECT_EQ(first(with_all()).unanswered.empty(),
              !row.unanswered.starts_with("a stricter") || row.unanswered.empty())
        << row.limit;
  }
}

// The worst group is the rule's result: fired before waived before passed before not
// applicable, then by the metric on its bad side; equal ones as they come.
TEST(Groups, AreSortedWorstFirst) {
  constexpr std::string_view kBelow =
      "  - id: slow\n    title: t\n    category: c\n    message: m\n    for_each: rank\n"
      "    group_by: [rank.id]\n    metric: {value: max(rank.compute_time), show_as: duration, "
      "warn_below: 60 ms}\n";
  constexpr std::string_view kWaived =
      "waivers:\n  - {rule: test/slow, where: rank.id == 4, reason: known, owner: o, expires: "
      "2027-01-01}\n";
  EXPECT_EQ(GroupsOf(kBelow, kWaived, FiveRanks()),
            "1 warn 40.0 ms < 60 ms of 1\n"
            "0 warn 50.0 ms < 60 ms of 1\n"
            "5 warn 50.0 ms < 60 ms of 1\n"
            "4 waived 45.0 ms < 60 ms of 1: known (o, until 2027-01-01)\n"
            "2 good 80.0 ms < 60 ms of 1\n"
            "3 not_applicable –  of 1: Compute time (Ranks) is unknown\n");
  std::string above(kBelow);
  above.replace(above.find("warn_below: 60"), 14, "error_above: 46");
  EXPECT_EQ(GroupsOf(above, "", FiveRanks()),
            "2 error 80.0 ms > 46 ms of 1\n"
            "0 error 50.0 ms > 46 ms of 1\n"
            "5 error 50.0 ms > 46 ms of 1\n"
            "4 good 45.0 ms > 46 ms of 1\n"
            "1 good 40.0 ms > 46 ms of 1\n"
            "3 not_applicable –  of 1: Compute time (Ranks) is unknown\n");
}

// Without a metric by how many rows there are.
TEST(Groups, WithMoreRowsAreWorse) {
  TestRun run = FiveRanks();
  run.Rows("kernels_by_op", {"rank", "name"},
           {{Whole(0), Text("a")}, {Whole(1), Text("a")}, {Whole(1), Text("b")}});
  EXPECT_EQ(GroupsOf("  - id: some\n    title: t\n    category: c\n    message: m\n"
                     "    for_each: kernel\n    group_by: [rank.id]\n    level: warn\n",
                     "", run),
            "rank 1 warn   of 2\nrank 0 warn   of 1\n");
}

// Groups that are equally bad come by their key: numbers by value, and 0 and -0 are one.
TEST(Groups, OfNumbersAreInOrder) {
  TestRun run;
  run.Rows(
      "ranks", {"id", "idle"},
      {{Whole(0), 0.25}, {Whole(1), -0.25}, {Whole(2), 0.0}, {Whole(3), -0.5}, {Whole(4), -0.0}});
  EXPECT_EQ(GroupsOf("  - id: some\n    title: t\n    category: c\n    message: m\n"
                     "    for_each: rank\n    group_by: [rank.idle]\n    level: warn\n",
                     "", run),
            "0 % warn   of 2\n−50.0 % warn   of 1\n−25.0 % warn   of 1\n25.0 % warn   of 1\n");
}

std::string Uses(std::string_view rules, std::string_view waivers, const TestRun& run,
                 const char* today = nullptr) {
  Loaded loaded;
  const std::string errors = Load(rules, "waivers:\n" + std::string(waivers), loaded);
  if (!errors.empty()) return errors;
  RuleRunOptions options;
  if (today != nullptr) options.today = ParseDay(today);
  std::string out;
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, options);
  for (const WaiverUse& use : evaluation.waivers) {
    out +=
        fmt::format("{}{} {}; ", use.waiver->reason, use.expired ? " expired" : "", use.findings);
  }
  return out;
}

TEST(Waivers, CountCoveredFindings) {
  constexpr std::string_view kPlain =
      "  - {id: a, title: t, category: c, level: error, message: m, for_each: profile}\n"
      "  - {id: b, title: t, category: c, level: warn, message: m, for_each: profile}\n";
  constexpr std::string_view kA =
      "  - {rule: test/a, reason: first, owner: o, expires: 2027-01-01}\n"
      "  - {rule: test/a, reason: second, owner: o, expires: 2027-01-01}\n"
      "  - {rule: test/b, reason: third, owner: o, expires: 2026-01-01}\n";
  EXPECT_EQ(Uses(kPlain, kA, TestRun()), "first 1; second 0; third 1; ");
  EXPECT_EQ(Uses(kPlain, kA, TestRun(), "2026-06-01"), "first 1; second 0; third expired 0; ");
  EXPECT_EQ(Uses(kPlain, kA, TestRun(), "2026-01-01"), "first 1; second 0; third 1; ");
  // Each group of a rule once, whichever of its findings report it.
  constexpr std::string_view kAll =
      "  - {rule: test/exposed, reason: all, owner: o, expires: 2027-01-01}\n";
  EXPECT_EQ(Uses(kRanks, kAll, RankRun()), "all 2; ");
  EXPECT_EQ(Uses(std::string(kRanks) + "    report: each\n", kAll, RankRun()), "all 2; ");
}

}  // namespace
}  // namespace profgauge::rules
