// Every word of a policy by itself: its meaning, and the codes of refused ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "rules/policy.h"

namespace profgauge::rules {
namespace {

TEST(PolicyWords, HaveTheirMeaning) {
  struct Row {
    std::string_view text;
    std::function<bool(const Policy&)> holds;
  };
  const auto limit = [](const Policy& p) -> const Threshold& { return p.thresholds.at(0); };
  const auto change = [](const Policy& p) -> const BaselineLimit& {
    return p.baseline->limits.at(0);
  };
  using P = const Policy&;
  const Row kRows[] = {
      {"fail_on: error", [](P p) { return p.fail_on == FailOn::kError; }},
      {"fail_on: warn", [](P p) { return p.fail_on == FailOn::kWarn; }},
      {"fail_on: never", [](P p) { return p.fail_on == FailOn::kNever; }},
      {"on_missing: no_verdict", [](P p) { return p.on_missing == OnMissing::kNoVerdict; }},
      {"on_missing: skip", [](P p) { return p.on_missing == OnMissing::kSkip; }},
      {"on_missing: fail", [](P p) { return p.on_missing == OnMissing::kFail; }},
      {"on_inconclusive: warn", [](P p) { return p.on_inconclusive == OnInconclusive::kWarn; }},
      {"on_inconclusive: pass", [](P p) { return p.on_inconclusive == OnInconclusive::kPass; }},
      {"on_inconclusive: no_verdict",
       [](P p) { return p.on_inconclusive == OnInconclusive::kNoVerdict; }},
      {"ranks: {on_missing: no_verdict}",
       [](P p) { return p.ranks.on_missing == OnMissingRanks::kNoVerdict; }},
      {"ranks: {on_missing: warn}",
       [](P p) { return p.ranks.on_missing == OnMissingRanks::kWarn; }},
      {"ranks: {on_missing: fail}",
       [](P p) { return p.ranks.on_missing == OnMissingRanks::kFail; }},
      {"ranks: {expect: 1, allow_missing: 0}",
       [](P p) { return p.ranks.expect == 1 && p.ranks.allow_missing == 0; }},
      {"iterations: {start: 0, stop: 0, warmup: 0, min: 0}",
       [](P p) {
         return p.iterations.start == 0 && p.iterations.stop == 0 && p.iterations.warmup == 0 &&
                p.iterations.min == 0 && !p.iterations.start_number;
       }},
      {"iterations: {start: '#0', stop: '#7', key_op: op}",
       [](P p) {
         return p.iterations.start_number == 0 && p.iterations.stop_number == 7 &&
                !p.iterations.start && !p.iterations.stop && p.iterations.key_op == "op";
       }},
      {"iterations: {phase: decode}",
       [](P p) {
         return p.iterations.marker && p.iterations.marker->find("DECODE") != std::string::npos &&
                p.iterations.marker->find("EXTEND") == std::string::npos && !p.iterations.key_op;
       }},
      {"iterations: {start: 5}", [](P p) { return p.iterations.start == 5; }},
      {"iterations: {stop: 5, min: 1000000000}", [](P p) { return p.iterations.stop == 5; }},
      {"baseline: {strictness: normal}", [](P p) { return !p.baseline->certain; }},
      {"baseline: {strictness: certain}", [](P p) { return p.baseline->certain; }},
      {"baseline: {match: [gpu, driver], noise_floor: 3%}",
       [](P p) {
         return p.baseline->noise_floor == 0.03 && p.baseline->match->size() == 2 &&
                p.baseline->match->at(1) == "driver";
       }},
      {"tensor_core: {unknown: lower_bound}",
       [](P p) { return !p.knowledge.undecided_use_tensor_cores; }},
      {"tensor_core: {unknown: upper_bound}",
       [](P p) { return p.knowledge.undecided_use_tensor_cores; }},
      {"thresholds: {gpu.idle.mean: {min: 20%, max: 20%}}",
       [&](P p) {
         return limit(p).min == 0.2 && limit(p).max == 0.2 && limit(p).level == Level::kError &&
                !limit(p).on_missing && limit(p).when.empty() && limit(p).where.line == 2;
       }},
      {"thresholds: {gpu.idle.mean: {min: 20%, level: warn, on_missing: skip, side: any}}",
       [&](P p) {
         return !limit(p).max && limit(p).level == Level::kWarn &&
                limit(p).on_missing == OnMissing::kSkip;
       }},
      // Limits at the ends of a metric's range mean that there is none.
      {"thresholds: {gpu.idle.mean: {max: 100%}}", [&](P p) { return limit(p).max == 1; }},
      {"thresholds: {iteration.time.median: {min: 0, side: any}}",
       [&](P p) { return limit(p).min == 0; }},
      // Ends where the other end judges, and metrics without an end.
      {"thresholds: {gpu.idle.mean: {min: 0%, max: 30%}}", [&](P p) { return limit(p).min == 0; }},
      {"thresholds: {gpu.utilization.mean: {min: 100%, max: 100%}}",
       [&](P p) { return limit(p).min == 1; }},
      {"thresholds: {iteration.outliers: {max: 0}}", [&](P p) { return limit(p).max == 0; }},
      {"thresholds: {iteration.time.robust_cv: {max: 120%}}",
       [&](P p) { return limit(p).max == 1.2; }},
      {"thresholds: {iteration.drift: {min: -5%}}", [&](P p) { return limit(p).min == -0.05; }},
      {"thresholds: {what_if.a.gain_share: {min: -5%, side: any}}",
       [&](P p) { return limit(p).min == -0.05; }},
      {"baseline: {iteration.time.median: {max_increase: 5%, max_decrease: 100%}}",
       [&](P p) { return change(p).max_decrease->value == 1; }},
      {"thresholds: {gpu.idle.mean: {max: 20%, level: info}}",
       [&](P p) { return !limit(p).min && limit(p).level == Level::kInfo; }},
      {"thresholds: {gpu.idle.mean: [{max: 20%}, {max: 30%}], gpu.idle.max: off}",
       [](P p) { return p.thresholds.size() == 2; }},
      {"baseline: {gpu.idle.mean: {max_increase: 5%, max_decrease: 7%, min_abs: 1%}}",
       [&](P p) {
         return change(p).max_increase->value == 0.05 && change(p).max_increase->relative &&
                change(p).max_decrease->relative && change(p).min_abs == 0.01 &&
                change(p).level == Level::kError;
       }},
      {"baseline: {iteration.time.median: {max_decrease: 2 ms, level: warn, side: any}}",
       [&](P p) {
         return change(p).max_decrease->value == 2e6 && !change(p).max_decrease->relative &&
                !change(p).max_increase && change(p).level == Level::kWarn;
       }},
      {"baseline: {iteration.time.median: {max_increase: 5%, total: 10%}}",
       [&](P p) { return change(p).total == 0.1 && change(p).judges_total; }},
      {"baseline: {iteration.period.median: {max_increase: 5%, total: off}}",
       [&](P p) { return !change(p).total && !change(p).judges_total; }},
      {"rules: {a/b: off, a/c: default, a/d: {params: {x: 5%}}}",
       [](P p) {
         return p.rules[0].choice == RuleSetting::Choice::kOff &&
                p.rules[1].choice == RuleSetting::Choice::kDefault && !p.rules[2].choice &&
                p.rules[2].params.at("x").value.value == 0.05;
       }},
      {"what_if: [{name: a_1z, scale: [{where: 'true', by: 0}]}, {name: b_0z9, without_waiting: "
       "true}]",
       [](P p) {
         return p.what_if.size() == 2 && p.what_if[0].scales.at(0).factor == 0 &&
                !p.what_if[0].without_waiting && p.what_if[1].without_waiting;
       }},
      {"what_if: [{name: a, without_waiting: true}, {name: a, without_waiting: false}]",
       [](P p) { return p.what_if.size() == 1 && !p.what_if[0].without_waiting; }},
  };
  for (const Row& row : kRows) {
    const auto policy = ParsePolicy(fmt::format("schema: 1\n{}\n", row.text), "p.yaml");
    ASSERT_TRUE(policy) << row.text << ": " << policy.error().front().message;
    EXPECT_TRUE(row.holds(*policy)) << row.text;
  }
}

TEST(PolicyWords, AreRefusedWithACode) {
  struct Row {
    std::string_view text;
    std::string_view codes;  ///< Codes of all errors, joined by blanks.
  };
  const Row kRows[] = {
      {"thresholds: {gpu.idle.mean: {min: 30%, max: 20%}}", "policy/empty-range"},
      // No run can miss these limits, or every run does.
      {"thresholds: {gpu.idle.mean: {max: 120%}}", "policy/out-of-range"},
      {"thresholds: {gpu.idle.mean: {min: 120%, side: any}}", "policy/out-of-range"},
      {"baseline: {kernels: {min_share: 200%}}", "policy/out-of-range"},
      {"thresholds: {gpu.idle.mean: {min: -5%}}", "policy/wrong-side policy/out-of-range"},
      {"thresholds: {gpu.idle.mean: {max: -5%}}", "policy/out-of-range"},
      {"thresholds: {gpu.idle.mean: [{max: 20%}, {min: 10%, max: 120%}]}", "policy/out-of-range"},
      {"thresholds: {gpu.idle.mean: {min: -5%, max: 120%}}",
       "policy/out-of-range policy/out-of-range"},
      {"thresholds: {iteration.time.median: {max: -5 ms}}", "policy/out-of-range"},
      {"thresholds: {profile.gpus: {min: -1}}", "policy/out-of-range"},
      {"baseline: {iteration.time.median: {max_decrease: 100%, side: any}}", "policy/never-missed"},
      {"baseline: {iteration.time.median: {max_increase: 5%, max_decrease: 150%}}",
       "policy/never-missed"},
      {"baseline: {gpu.idle.mean: {max_increase: 5%, min_abs: 100%}}", "policy/out-of-range"},
      {"baseline: {gpu.idle.mean: {max_increase: 5%, min_abs: -1%}}", "policy/out-of-range"},
      {"baseline: {gpu.idle.mean: {max_increase: 5%, total: 10%}}", "policy/no-total"},
      {"baseline: {noise_floor: 100%}", "policy/out-of-range"},
      {"baseline: {noise_floor: -1%}", "policy/out-of-range"},
      {"ranks: {expect: 4, allow_missing: 4}", "policy/never-missed"},
      {"thresholds: {gpu.idle.mean: {level: warn}}", "policy/no-limit"},
      {"thresholds: {gpu.idle.meen: {max: 1}}", "policy/unknown-metric"},
      {"thresholds: {gpu.idle.mean: 20%}", "config/type"},
      {"iterations: {start: 5, stop: 4}", "policy/empty-range"},
      {"iterations: {start: '#5', stop: '#4'}", "policy/empty-range"},
      {"iterations: {min: -1}", "config/number"},
      {"iterations: {min: 1000000001}", "config/number"},
      {"iterations: {start: '#-1'}", "config/number"},
      {"ranks: {expect: 0}", "config/number"},
      {"ranks: {allow_missing: -1}", "config/number"},
      {"baseline: {gpu.idle.mean: {level: warn}}", "policy/no-limit"},
      {"baseline: {gpu.idle.mean: {max_increase: 5 ms}}", "config/unit"},
      {"waivers: [{rule: a/b, reason: r, owner: o, expires: 2027-13-01}]", "policy/day"},
      {"waivers: [{reason: r, owner: o, expires: 2027-01-01}]", "policy/waiver"},
      {"waivers: [{rule: a/b, owner: o, expires: 2027-01-01}]", "config/missing-key"},
      {"waivers: [{rule: a/b, reason: r, expires: 2027-01-01}]", "config/missing-key"},
      {"waivers: [{rule: a/b, reason: r, owner: o}]", "config/missing-key"},
      {"baseline: {gpu.idle.meen: {max_increase: 5%}}", "policy/unknown-metric"},
      {"what_if: [{without_waiting: true}]", "config/missing-key"},
      {"what_if: [{name: a, scale: [{by: 1}]}]", "config/missing-key"},
      {"what_if: [{name: a, scale: [{where: 'true'}]}]", "config/missing-key"},
      {"what_if: [{name: A, without_waiting: true}]", "policy/name"},
      {"what_if: [{name: a-b, without_waiting: true}]", "policy/name"},
      {"what_if: [{name: 'a{', without_waiting: true}]", "policy/name"},
      {"what_if: [{name: 'a:', without_waiting: true}]", "policy/name"},
      {"what_if: [{name: a}]", "policy/no-change"},
      {"what_if: [{name: a, scale: [{where: 'true', by: 1001}]}]", "config/number"},
  };
  for (const Row& row : kRows) {
    const auto policy = ParsePolicy(fmt::format("schema: 1\n{}\n", row.text), "p.yaml");
    ASSERT_FALSE(policy) << row.text;
    std::string codes;
    for (const Error& error : policy.error()) codes += (codes.empty() ? "" : " ") + error.code;
    EXPECT_EQ(codes, row.codes) << row.text;
  }
}

}  // namespace
}  // namespace profgauge::rules
