#include "rules/evaluator.h"

#include <gtest/gtest.h>

#include "made_run.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kTensorCore = R"(
  - id: eligible-not-used
    title: Tensor-core-eligible work runs on CUDA cores
    category: compute
    for_each: kernel
    needs: [kernel.uses_tensor_core, kernel.tensor_core_eligible]
    params:
      min_kernel_time: {default: 20 us, doc: Ignore kernels too short to matter.}
    where: kernel.tensor_core_eligible and kernel.uses_tensor_core == 'no'
           and kernel.mean >= $min_kernel_time
    metric:
      value: sum(kernel.time) / profile.kernel_time
      show_as: percent
      warn_above: 5%
      error_above: 20%
    gain:
      value: sum(kernel.time) * (1 - 1 / 4) / profile.iterations
      bound: upper
      why: Tensor-core GEMMs are taken as 4x faster than FP32 ones.
    message: >-
      {{ metric }} of kernel time ({{ sum(kernel.time) / profile.iterations | duration }} per
      iteration) is spent in {{ count() }} kernels whose op could use tensor cores but does not.
    advice: Turn on mixed precision.
    evidence:
      order_by: kernel.time desc
      limit: 15
      columns:
        - {head: Kernel, value: kernel.name, style: code}
        - {head: Time / iter, value: kernel.time / profile.iterations, show_as: duration}
        - {head: Share, value: kernel.time / profile.kernel_time, show_as: percent}
)";

TestRun KernelRun(Value eligible) {
  TestRun run;
  run.Set("profile.kernel_time", Ms(100)).Set("profile.iterations", Whole(10));
  run.Rows(
      "kernels_by_op",
      {"name", "time", "mean", "calls", "uses_tensor_core", "op", "tensor_core_eligible"},
      {{Text("sgemm_128x64"), Ms(30), Ms(0.3), Whole(100), Text("no"), Text("aten::mm"), eligible},
       {Text("h884gemm"), Ms(50), Ms(0.5), Whole(100), Text("yes"), Text("aten::mm"), eligible}});
  return run;
}

TEST(Evaluator, TheDesignPagesTensorCoreRule) {
  EXPECT_EQ(Check(kTensorCore, KernelRun(true)),
            "test/eligible-not-used: error 30.0 % (> 20 %) gain 2250000 | 30.0 % of kernel time "
            "(3.00 ms per iteration) is spent in 1 kernels whose op could use tensor cores but "
            "does not.\n");
}

TEST(Evaluator, EvidenceHasUnitsAndWholeTimes) {
  Loaded loaded;
  ASSERT_EQ(Load(kTensorCore, "", loaded), "");
  const TestRun run = KernelRun(true);
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  const Finding& finding = evaluation.findings.front();
  ASSERT_EQ(finding.evidence_heads.size(), 3u);
  EXPECT_TRUE(finding.evidence_heads[0].is_code);
  EXPECT_EQ(finding.evidence_heads[1].unit, Unit::kTime);
  EXPECT_EQ(finding.evidence_heads[2].unit, Unit::kShare);
  ASSERT_EQ(finding.evidence.size(), 1u);
  EXPECT_EQ(finding.evidence[0],
            (std::vector<Value>{Text("sgemm_128x64"), Whole(3'000'000), Value(0.3)}));
}

TEST(Evaluator, NotApplicableNamesTheMissingField) {
  EXPECT_EQ(Check(kTensorCore, KernelRun({})),
            "test/eligible-not-used: not_applicable {kernel.tensor_core_eligible} because Eligible "
            "(Kernels by operator and launch configuration) is unknown: no row has it\n");
  EXPECT_EQ(
      Check(kTensorCore, TestRun().Absent("kernels_by_op", "the recording has no GPU events")),
      "test/eligible-not-used: not_applicable because the recording has no GPU events\n");
  EXPECT_EQ(Check(kTensorCore, TestRun()),
            "test/eligible-not-used: not_applicable because the profile has no kernels by operator "
            "and launch "
            "configuration\n");
}

TEST(Evaluator, ParamsComeFromThePolicy) {
  EXPECT_EQ(Check(kTensorCore, KernelRun(true),
                  "rules: {test/eligible-not-used: {level: default, params: {min_kernel_time: 1 "
                  "ms}}}"),
            "test/eligible-not-used: not_found because Kernels by operator and launch "
            "configuration: 0 of 2\n");
}

TEST(Evaluator, LevelsComeFromThePolicy) {
  EXPECT_EQ(Check(kTensorCore, KernelRun(true), "rules: {test/*: info}").substr(0, 40),
            "test/eligible-not-used: info 30.0 % (> 2");
}

TEST(Evaluator, GroupsFoldIntoTheWorst) {
  EXPECT_EQ(Check(kRanks, RankRun()),
            "test/exposed[rank 1]: error 25.0 % (> 20 %) gain 2500000 | Rank 1 waits 25.0 %.\n");
}

TEST(Evaluator, FiltersByGroupKeys) {
  constexpr std::string_view kRule = R"(
  - id: by-key
    title: By key
    category: x
    for_each: kernel
    where: rank.id != 1 and kernel.name != 'gemm'
    group_by: [kernel.name, rank.id]
    metric: {value: sum(kernel.exposed_time), show_as: duration, warn_above: 1 ms}
    report: each
    message: "{{ kernel.name }} of rank {{ rank.id }}"
    evidence: {columns: [{head: Rank, value: rank.id}]}
)";
  EXPECT_EQ(Check(kRule, RankRun()),
            "test/by-key[nccl, rank 0]: warn 15.0 ms (> 1 ms) | nccl of rank 0\n"
            "test/by-key[nccl, rank 2]: warn 2.00 ms (> 1 ms) | nccl of rank 2\n");
}

TEST(Evaluator, GroupsAreAllListedWorstFirst) {
  Loaded loaded;
  ASSERT_EQ(Load(kRanks, "", loaded), "");
  const TestRun run = RankRun();
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  std::string groups;
  for (const GroupResult& group : evaluation.findings.front().groups) {
    groups += group.label + " " + std::string(FindingStatusName(group.status)) + " " +
              PlainSpaces(group.metric_text) + "; ";
  }
  EXPECT_EQ(groups, "rank 1 error 25.0 %; rank 0 warn 15.0 %; rank 2 good 2.0 %; ");
}

TEST(Evaluator, ReportEachKeepsEveryFiringGroup) {
  std::string rules(kRanks);
  rules += "    report: each\n";
  EXPECT_EQ(Check(rules, RankRun()),
            "test/exposed[rank 1]: error 25.0 % (> 20 %) gain 2500000 | Rank 1 waits 25.0 %.\n"
            "test/exposed[rank 0]: warn 15.0 % (> 10 %) gain 1500000 | Rank 0 waits 15.0 %.\n");
}

TEST(Evaluator, WaiversAcceptNamedGroups) {
  constexpr std::string_view kPolicy = R"(
waivers:
  - rule: test/exposed
    where: rank.id == 1
    reason: old switch
    owner: infra
    expires: 2027-03-31
)";
  EXPECT_EQ(Check(kRanks, RankRun(), kPolicy),
            "test/exposed[rank 0]: warn 15.0 % (> 10 %) gain 1500000 | Rank 0 waits 15.0 %.\n");
  RuleRunOptions late;
  late.today = ParseDay("2027-04-01");
  EXPECT_EQ(Check(kRanks, RankRun(), kPolicy, late),
            "test/exposed[rank 1]: error 25.0 % (> 20 %) gain 2500000 | Rank 1 waits 25.0 %.\n");
  EXPECT_EQ(Check(kRanks, RankRun(), R"(
waivers:
  - {rule: test/exposed, reason: all known, owner: infra, expires: 2027-03-31}
)"),
            "test/exposed[rank 1]: waived 25.0 % (> 20 %) gain 2500000 because all known (infra, "
            "until 2027-03-31) | Rank 1 waits 25.0 %.\n");
}

TEST(Evaluator, WaiversAreCounted) {
  Loaded loaded;
  ASSERT_EQ(Load(kRanks, R"(
waivers:
  - {rule: test/exposed, where: rank.id == 1, reason: a, owner: o, expires: 2027-03-31}
  - {rule: test/exposed, where: rank.id == 7, reason: b, owner: o, expires: 2027-03-31}
)",
                 loaded),
            "");
  const TestRun run = RankRun();
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  ASSERT_EQ(evaluation.waivers.size(), 2u);
  EXPECT_EQ(evaluation.waivers[0].findings, 1u);
  EXPECT_EQ(evaluation.waivers[1].findings, 0u);
}

TEST(Evaluator, UncertainNumbersAreNoErrors) {
  constexpr std::string_view kRule = R"(
  - id: variance
    title: Variance
    category: iteration
    for_each: profile
    metric: {value: iteration.time.robust_cv, show_as: percent, warn_above: 5%, error_above: 10%}
    message: varies {{ metric }}
)";
  TestRun run;
  run.Set("iteration.time.robust_cv", 0.2);
  EXPECT_EQ(Check(kRule, run), "test/variance: error 20.0 % (> 10 %) | varies 20.0 %\n");
  run.LowConfidence("iteration.time.robust_cv");
  EXPECT_EQ(
      Check(kRule, run),
      "test/variance: warn 20.0 % (> 10 %) because the number is too uncertain to be an error "
      "| varies 20.0 %\n");
}

// A rule itself may make an error uncertain; a warning stays one, and so does an error that a
// policy makes an error of.
TEST(Evaluator, SureWhenDecidesErrors) {
  constexpr std::string_view kRule = R"(
  - id: variance
    title: Variance
    category: iteration
    for_each: profile
    metric: {value: iteration.time.robust_cv, show_as: percent, warn_above: 5%, error_above: 10%}
    sure_when: iteration.time.cv > 10%
    message: varies {{ metric }}
)";
  const auto checked = [&](double robust, std::optional<double> plain,
                           std::string_view policy = "") {
    TestRun run;
    run.Set("iteration.time.robust_cv", robust);
    if (plain) run.Set("iteration.time.cv", *plain);
    return Check(kRule, run, policy);
  };
  EXPECT_EQ(checked(0.2, 0.3), "test/variance: error 20.0 % (> 10 %) | varies 20.0 %\n");
  const std::string_view open =
      "test/variance: warn 20.0 % (> 10 %) because the rule asks for more to be sure of an error, "
      "so this is a warning | varies 20.0 %\n";
  EXPECT_EQ(checked(0.2, 0.05), open);
  EXPECT_EQ(checked(0.2, {}), open);
  EXPECT_EQ(checked(0.07, 0.05), "test/variance: warn 7.0 % (> 5 %) | varies 7.0 %\n");
  EXPECT_EQ(checked(0.2, 0.05, "rules: {test/*: error}"),
            "test/variance: error 20.0 % (> 10 %) | varies 20.0 %\n");
  TestRun run;
  run.Set("iteration.time.robust_cv", 0.2).Set("iteration.time.cv", 0.05);
  Loaded loaded;
  ASSERT_EQ(Load(kRule, "", loaded), "");
  const Evaluation evaluation = EvaluateRules(loaded.compiled, run.analysis(), {}, {});
  EXPECT_TRUE(evaluation.findings.front().is_uncertain);
}

TEST(Evaluator, UnknownRowsAreNoPass) {
  constexpr std::string_view kRule = R"(
  - id: fp32
    title: FP32
    category: compute
    for_each: kernel
    where: kernel.dtype == 'float'
    level: warn
    message: some
)";
  TestRun mostly_unknown;
  mostly_unknown.Rows("kernels_by_op", {"name", "dtype"},
                      {{Text("a"), {}}, {Text("b"), {}}, {Text("c"), Text("half")}});
  EXPECT_EQ(Check(kRule, mostly_unknown),
            "test/fp32: not_applicable {kernel.dtype} because Type (Kernels by operator and launch "
            "configuration) is unknown\n");
  TestRun mostly_known;
  mostly_known.Rows("kernels_by_op", {"name", "dtype"},
                    {{Text("a"), {}}, {Text("b"), Text("half")}, {Text("c"), Text("half")}});
  EXPECT_EQ(Check(kRule, mostly_known), Check(kRule, mostly_unknown));
}

TEST(Evaluator, JoinedFieldsAndLets) {
  constexpr std::string_view kRule = R"(
  - id: straggler
    title: Straggler
    category: communication
    for_each: rank
    when: profile.ranks >= 2
    let:
      slowest: at_max(rank.id, rank.compute_time)
      middle: median(rank.compute_time)
    metric:
      value: max(rank.compute_time) / middle - 1
      show_as: percent
      warn_above: 8%
    message: Rank {{ slowest }} computes {{ metric }} longer than {{ middle }}.
)";
  EXPECT_EQ(Check(kRule, RankRun()),
            "test/straggler: warn 60.0 % (> 8 %) | Rank 2 computes 60.0 % longer than 50.0 ms.\n");
}

TEST(Evaluator, GroupsByGpuKnowTheirRank) {
  constexpr std::string_view kRule = R"(
  - id: tiny
    title: Tiny
    category: host
    for_each: kernel
    where: kernel.mean < 8 us
    group_by: [gpu.id]
    when: gpu.idle > 15%
    metric: {value: sum(kernel.calls) / gpu.kernels, show_as: percent, warn_above: 60%}
    message: GPU {{ gpu.id }} of rank {{ rank.id }} on {{ rank.host }} {{ metric }}
)";
  TestRun run;
  run.Rows("ranks", {"id", "host"}, {{Whole(0), Text("a")}, {Whole(1), Text("b")}});
  run.Rows("gpus", {"rank", "id", "idle", "kernels"},
           {{Whole(0), Whole(0), 0.1, Whole(100)}, {Whole(1), Whole(0), 0.5, Whole(100)}});
  run.Rows(
      "kernels_by_op", {"rank", "gpu", "mean", "calls"},
      {{Whole(0), Whole(0), Whole(1000), Whole(90)}, {Whole(1), Whole(0), Whole(1000), Whole(80)}});
  EXPECT_EQ(Check(kRule, run),
            "test/tiny[rank 1, device 0]: warn 80.0 % (> 60 %) | GPU 0 of rank 1 on b 80.0 %\n");
}

TEST(Evaluator, PolicyLimitsReplaceRuleLimits) {
  constexpr std::string_view kRule = R"(
  - id: idle
    title: Idle
    category: gpu
    for_each: profile
    params: {warn: {default: 15%, doc: d}}
    metric: {value: gpu.idle.mean, warn_above: $warn, error_above: 30%}
    message: m
)";
  struct Row {
    std::string_view policy, finding;
  };
  const Row kRows[] = {
      {"", "test/idle: error 35.0 % (> 30 %) | m\n"},
      {"thresholds: {gpu.idle.mean: {max: 50%}}",
       "test/idle: good 35.0 % (> 50 %) because 35.0 % (fails above 50 %)\n"},
      {"thresholds: {gpu.idle.mean: {max: 20%, level: warn}}",
       "test/idle: warn 35.0 % (> 20 %) | m\n"},
      {"thresholds: {gpu.idle.mean: [{max: 10%, level: info}, {max: 34%}]}",
       "test/idle: error 35.0 % (> 34 %) | m\n"},
      // Another direction, a condition, or the rule's parameters: the rule keeps its limits.
      {"thresholds: {gpu.idle.mean: {min: 50%, side: any}}",
       "test/idle: error 35.0 % (> 30 %) | m\n"},
      {"thresholds: {gpu.idle.mean: {max: 50%, when: profile.gpus > 1}}",
       "test/idle: error 35.0 % (> 30 %) | m\n"},
      {"thresholds: {gpu.idle.mean: {max: 50%}}\nrules: {test/idle: {params: {warn: 20%}}}",
       "test/idle: error 35.0 % (> 30 %) | m\n"},
  };
  TestRun run;
  run.Set("gpu.idle.mean", 0.35);
  for (const Row& row : kRows) EXPECT_EQ(Check(kRule, run, row.policy), row.finding) << row.policy;
}

TEST(Evaluator, FieldsThatAllGpusShare) {
  constexpr std::string_view kRule = R"(
  - id: name
    title: Name
    category: gpu
    for_each: profile
    level: info
    when: gpu.name contains 'V100'
    message: all are {{ gpu.name }}
)";
  TestRun same;
  same.Rows("gpus", {"id", "name"}, {{Whole(0), Text("V100")}, {Whole(1), Text("V100")}});
  EXPECT_EQ(Check(kRule, same), "test/name: info | all are V100\n");
  TestRun mixed;
  mixed.Rows("gpus", {"id", "name"}, {{Whole(0), Text("V100")}, {Whole(1), Text("A100")}});
  EXPECT_EQ(Check(kRule, mixed),
            "test/name: not_applicable {gpu.name} because Name (Devices) is unknown: it differs "
            "between the GPUs\n");
}

TEST(Evaluator, TraceShowsEveryIntermediateValue) {
  Loaded loaded;
  ASSERT_EQ(Load(kTensorCore, "", loaded), "");
  const TestRun run = KernelRun(true);
  RuleRunOptions options;
  options.trace = true;
  const Finding finding =
      EvaluateRules(loaded.compiled, run.analysis(), {}, options).findings.front();
  std::string shown;
  const auto add = [&shown](const TraceValue& value) {
    shown += value.name + ": " + value.expression + " = " + value.shown + "\n";
  };
  for (const TraceValue& value : finding.trace) add(value);
  for (const TraceValue& value : finding.groups.front().trace) add(value);
  EXPECT_EQ(
      PlainSpaces(shown),
      "profile.kernel_time:  = 100 ms\n"
      "profile.iterations:  = 10\n"
      "where: kernel.tensor_core_eligible and kernel.uses_tensor_core == 'no' and kernel.mean "
      ">= $min_kernel_time = 1 of 2 rows\n"
      "metric: sum(kernel.time) / profile.kernel_time = 30.0 %\n"
      "error_above: $error = 20.0 %\n"
      "warn_above: $warn = 5.0 %\n"
      "gain: sum(kernel.time) * (1 - 1 / 4) / profile.iterations = 2.25 ms\n");
}

TEST(Evaluator, ReportsAllErrorsWithPlaces) {
  Loaded loaded;
  EXPECT_EQ(Load(R"(
  - id: wrong
    title: Wrong
    category: x
    for_each: kernel
    needs: [kernel.tim]
    where: kernel.time > 5%
    let:
      wait: sum(kernel.name)
    metric:
      value: wait / profile.kernel_time
      warn_above: 5 ms
    gain: {value: 3, bound: upper}
    message: >-
      A long text that folds over
      lines {{ kernel.time }} and {{ oops }}
    evidence:
      order_by: kernel.nam desc
      columns:
        - {head: A, value: kernel.name, show_as: bytes}
)",
                 "", loaded),
            "9:13+10 unknown field `kernel.tim`\n"
            "10:12+16 `>` compares time with number\n"
            "12:17+11 `sum` needs a number here, found string\n"
            "16:19+1 `gain` is a time per iteration, found number\n"
            "19:16+11 `kernel.time` has one value per row, but this expression covers all rows\n"
            "19:38+4 unknown field `oops`\n"
            "21:17+10 unknown field `kernel.nam`\n"
            "23:28+11 `show_as`: `bytes` shows sizes, found string\n");
}

TEST(Evaluator, UnknownRowsKeysAndCircles) {
  Loaded loaded;
  EXPECT_EQ(Load(R"(
  - id: a
    title: A
    category: x
    for_each: kernels
    level: info
    message: a
  - id: b
    title: B
    category: x
    for_each: op
    group_by: [rank.id]
    level: info
    message: b
  - id: c
    title: C
    category: x
    for_each: profile
    group_by: [rank.id]
    level: info
    message: c
)",
                 "", loaded),
            "8:15+7 unknown `for_each`: `kernels`\n"
            "15:16+7 rows of `op` have no `rank`\n"
            "22:16+7 `for_each: profile` has one row and cannot be grouped\n");
  EXPECT_EQ(Load(R"(
  - {id: a, title: A, category: x, for_each: profile, level: info, message: a, explains: [test/b]}
  - {id: b, title: B, category: x, for_each: profile, level: info, message: b, explains: [test/a]}
)",
                 "", loaded),
            "5:91+6 `test/a` explains itself through a cycle of `explains`\n"
            "6:91+6 `test/b` explains itself through a cycle of `explains`\n");
  EXPECT_EQ(Load(R"(
  - {id: a, title: A, category: x, for_each: profile, level: info, message: a, explains: [{when: 1 < 2, rule: test/b}]}
  - {id: b, title: B, category: x, for_each: profile, level: info, message: b, explains: [{when: gpu.idle.men > 1, rule: test/a}]}
)",
                 "", loaded),
            "6:98+12 unknown field `gpu.idle.men`\n"
            "5:91+0 `test/a` explains itself through a cycle of `explains`\n"
            "6:91+0 `test/b` explains itself through a cycle of `explains`\n");
}

}  // namespace
}  // namespace profgauge::rules
