// The warnings of `rules check`, its report in one round, and the catalog's words.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/classify/collective.h"
#include "analysis/device/op_traits.h"
#include "analysis/flops/op_shape.h"
#include "made_run.h"
#include "rules/catalogue_words.h"
#include "rules/compile.h"
#include "rules/facts.h"
#include "rules/rule.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kHeadOfFile = "schema: 2\nnamespace: t\ncategory: c\n";

std::string ListedErrors(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) {
    out += fmt::format("{}:{} {}: {}", error.where.line, error.where.column, error.code,
                       error.message);
    for (const std::string& note : error.notes) out += "; " + note;
    out += '\n';
  }
  return out;
}

/// Errors and then warnings of `rules check`.
std::string CheckedFile(const std::string& rules, std::string_view head = kHeadOfFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "rule_warnings_test.yaml";
  std::ofstream(path) << head << "rules:\n" << rules;
  Errors errors, warnings;
  const RuleSet loaded = LoadRulesWithErrors({path.string()}, errors);
  for (const Rule& rule : loaded.rules) {
    for (Error& error : CheckRule(rule, &warnings)) errors.push_back(std::move(error));
  }
  SortByPlace(errors);
  std::filesystem::remove(path);
  std::string out = ListedErrors(errors) + ListedErrors(warnings);
  // The folder of a test run differs.
  for (std::size_t at; (at = out.find(path.string())) != std::string::npos;) {
    out.replace(at, path.string().size(), "t.yaml");
  }
  return out;
}

// Two rules that use a name of their file with two mistakes report each twice, in turns.
TEST(Warnings, EachMistakeIsSaidOnce) {
  const auto at = [](std::uint32_t line, std::string message) {
    Error error{ErrorKind::kConfig, "t/x", std::move(message), {}, {}};
    error.where.file = "t.yaml";
    error.where.line = line;
    error.where.column = 1;
    return error;
  };
  Errors errors = {at(7, "b"), at(7, "a"), at(7, "b"), at(7, "a"),
                   at(3, "a"), at(0, "x"), at(0, "x")};
  SortByPlace(errors);
  EXPECT_EQ(ListedErrors(errors), "0:1 t/x: x\n0:1 t/x: x\n3:1 t/x: a\n7:1 t/x: b\n7:1 t/x: a\n");
}

std::string RuleOfMetric(std::string_view value, std::string_view more = "") {
  return fmt::format(
      "  - {{id: a, title: A, for_each: kernel, message: m{},\n     metric: {{value: \"{}\", "
      "warn_above: 5%}}}}\n",
      more, value);
}

TEST(Warnings, MetricPassesWithoutData) {
  const std::string warning =
      "6:23 rules/silent-pass: without `gpu.idle.mean` the rule judges a constant; help: add "
      "`gpu.idle.mean` to `needs`, or leave the default out: the rule is then not applicable "
      "without it\n";
  EXPECT_EQ(CheckedFile(RuleOfMetric("gpu.idle.mean default 0%")), warning);
  EXPECT_EQ(CheckedFile(RuleOfMetric("gpu.idle.mean default 0%", ", needs: [gpu.idle.mean]")), "");
  EXPECT_EQ(CheckedFile(RuleOfMetric("gpu.idle.mean default gpu.utilization.mean")), "");
  // Absent subtrahends and divisors make the metric larger.
  EXPECT_EQ(CheckedFile(RuleOfMetric("1 - (gpu.idle.mean default 0%)")), "");
  EXPECT_EQ(CheckedFile(RuleOfMetric("1 / greatest(profile.gpus default 1, 1)")), "");
  const std::string by_name = RuleOfMetric("share / 2", ", let: {share: gpu.idle.mean default 0%}");
  EXPECT_NE(CheckedFile(by_name).find("5:66 rules/silent-pass"), std::string::npos)
      << CheckedFile(by_name);
}

TEST(Warnings, GainWithoutDevices) {
  const auto gain = [](std::string_view value, std::string_view more = "") {
    return fmt::format(
        "  - {{id: a, title: A, for_each: kernel, level: warn, message: m{},\n     gain: {{value: "
        "\"{}\"}}}}\n",
        more, value);
  };
  EXPECT_EQ(CheckedFile(gain("sum(kernel.time) / profile.iterations")),
            "6:21 rules/pooled-gain: the gain divides work of all devices only by iterations; "
            "help: write `per_iteration(…)`, which divides by the devices too\n");
  EXPECT_EQ(CheckedFile(gain("per_iteration(sum(kernel.time))")), "");
  EXPECT_EQ(CheckedFile(gain("sum(kernel.time) / profile.iterations", ", group_by: gpu.id")), "");
}

TEST(Warnings, UnknownValues) {
  const auto where = [](std::string_view condition) {
    return fmt::format(
        "  - {{id: a, title: A, category: c, for_each: collective, level: warn, message: m,\n     "
        "where: \"{}\"}}\n",
        condition);
  };
  const std::string warning =
      "expr/unknown-value: `collective.name` has no known value 'allreduce'; help: did you mean "
      "'all_reduce'? values: all_reduce, all_gather, reduce_scatter, all_to_all, all_to_allv, "
      "broadcast, reduce, send_recv, gather, scatter, barrier, other\n";
  EXPECT_EQ(CheckedFile(where("collective.name == 'allreduce'")), "6:33 " + warning);
  EXPECT_EQ(CheckedFile(where("collective.name == 'all_reduce'")), "");
}

TEST(Mistakes, ReportedTogetherByRule) {
  EXPECT_EQ(
      CheckedFile("  - id: a\n    title: A\n    for_each: gap\n    level: warn\n    where: "
                  "gap.cause == 'host-wait'\n    when: count() =~ 3\n    message: m\n    advice: "
                  "[Send less: half precision]\n"),
      "9:25 expr/never-equal: `gap.cause` is never 'host-wait'; help: did you mean "
      "'host_wait'? values: host_wait, dataloader, sync, module_loading, capture, "
      "memory_management, launch_latency, queued, other\n"
      "10:19 expr/syntax: `=~` is no operator; help: write `matches`\n"
      "12:14 config/unknown-key: unknown key `Send less` in an item of advice; help: put the "
      "text in quotes, since it contains `: `\n");
}

TEST(Mistakes, NamesOfTheFileNameARuleUsingThem) {
  EXPECT_EQ(
      CheckedFile("  - {id: a, title: A, for_each: kernel, where: long, level: warn, message: m}\n"
                  "  - {id: b, title: B, for_each: kernel, where: long, level: warn, message: m}\n",
                  std::string(kHeadOfFile) + "let:\n  long: kernel.tim > 1 ms\n"),
      "5:9 expr/unknown-field: unknown field `kernel.tim`; help: did you mean "
      "`kernel.time`? nearest fields of `kernel`: time, exposed_time, min, name, op; "
      "`profgauge rules columns kernel` lists all; note: used by t.yaml:7:10\n");
}

TEST(Mistakes, TwoRulesOfOneTitle) {
  EXPECT_EQ(
      CheckedFile("  - {id: a, title: A, level: warn, message: m}\n  - {id: b, title: A, level: "
                  "warn, message: m}\n"),
      "6:10 rules/title: the title is that of `t/a`; help: name the difference in the title\n");
}

/// A run of several ranks has the same per iteration as each of them.
TEST(PerIteration, EqualsEachCopyOfARank) {
  const std::string rules =
      std::string(kHeadOfFile) +
      "rules:\n"
      "  - {id: k, title: K, for_each: kernel, level: warn, message: m,\n"
      "     metric: {value: per_iteration(sum(kernel.time))}}\n"
      "  - {id: s, title: S, for_each: kernel, level: warn, message: m,\n"
      "     metric: {value: \"share_of_iteration(sum(kernel.time, kernel.name == 'gemm'))\"}}\n"
      "  - {id: h, title: H, for_each: api_call, level: warn, message: m,\n"
      "     metric: {value: per_iteration(sum(api_call.time))}}\n"
      "  - {id: g, title: G, for_each: kernel, group_by: gpu.id, level: warn, message: m,\n"
      "     metric: {value: per_iteration(sum(kernel.time))}}\n";
  auto file = ParseRuleFile(rules, "t.yaml");
  ASSERT_TRUE(file) << ShowErrors(file.error());
  Loaded loaded;
  loaded.rules.rules = std::move(file->rules);
  const auto active = SelectRules(loaded.rules, loaded.policy, {});
  ASSERT_TRUE(active);
  loaded.compiled = *CompileRules(*active, loaded.policy);
  const auto metrics_of = [&loaded](std::int64_t ranks) {
    TestRun run;
    run.Set("profile.iterations", Whole(10)).Set("profile.gpus", Whole(ranks));
    run.Set("profile.ranks", Whole(ranks)).Set("iteration.time.mean", Ms(8));
    std::vector<std::vector<Value>> gpus, kernels, calls;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      gpus.push_back({Whole(rank), Whole(0)});
      kernels.push_back({Whole(rank), Whole(0), Text("gemm"), Ms(30)});
      kernels.push_back({Whole(rank), Whole(0), Text("add"), Ms(10)});
      calls.push_back({Whole(rank), Text("launch"), Ms(5)});
    }
    run.RowsOf("gpus", {"rank", "id"}, gpus);
    run.RowsOf("kernels_by_op", {"rank", "gpu", "name", "time"}, kernels);
    run.RowsOf("api_calls", {"rank", "name", "time"}, calls);
    std::map<std::string, double> metrics;
    for (const Finding& finding : EvaluateRules(loaded.compiled, run.analysis(), {}, {}).findings) {
      metrics[finding.rule->id] = AsNumber(finding.metric, -1);
    }
    return metrics;
  };
  const auto one = metrics_of(1);
  EXPECT_EQ(one, (std::map<std::string, double>{
                     {"t/g", 4e6}, {"t/h", 0.5e6}, {"t/k", 4e6}, {"t/s", 0.375}}));
  for (const std::int64_t ranks : {2, 3, 8, 64}) EXPECT_EQ(metrics_of(ranks), one) << ranks;
}

/// The ids that rules may name are those that the analysis writes.
TEST(Values, EqualTheAnalysisOutput) {
  const auto has = [](std::string_view field, std::string_view id) {
    const expr::Enumeration* values = KnownValuesOf(field);
    return values != nullptr &&
           std::ranges::any_of(values->values, [&](const auto& value) { return value.cell == id; });
  };
  for (int i = 1; i <= static_cast<int>(analysis::device::Trait::kSlowElementwise); ++i) {
    const auto name = analysis::device::TraitName(static_cast<analysis::device::Trait>(i));
    EXPECT_TRUE(has("roofline_op.trait", name)) << name;
  }
  for (int i = 1; i <= static_cast<int>(analysis::flops::OpKind::kReduction); ++i) {
    const auto name = analysis::flops::OpKindName(static_cast<analysis::flops::OpKind>(i));
    EXPECT_TRUE(has("roofline_op.kind", name)) << name;
  }
  for (std::size_t i = 0; i < analysis::classify::kCollectiveKinds; ++i) {
    const auto name =
        analysis::classify::CollectiveKindId(static_cast<analysis::classify::CollectiveKind>(i));
    EXPECT_TRUE(has("collective.name", name)) << name;
  }
  for (int i = 0; i <= static_cast<int>(IterationsBy::kNoTimeline); ++i) {
    const auto name = IterationsById(static_cast<IterationsBy>(i));
    EXPECT_TRUE(has("profile.iterations_by", name)) << name;
  }
}

}  // namespace
}  // namespace profgauge::rules
