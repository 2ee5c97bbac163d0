// Configuration that decides a verdict: any bytes as a policy, as rules, as devices and as names,
// each not only read, as yaml_fuzz does, but put to use on a run.
//
// Checks: no crash; every refusal has a reason; a run is judged the same twice; the exit code
// follows from the verdict, and a run that misses an error's limit does not pass.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/byte_source.h"
#include "gate/verdict.h"
#include "readers/kineto/kineto_reader.h"
#include "rules/compile.h"
#include "rules/evaluator.h"
#include "rules/facts.h"
#include "rules/knowledge_decode.h"
#include "rules/policy.h"
#include "rules/policy_decode.h"
#include "rules/rule.h"
#include "rules/selection.h"
#include "rules/yaml.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"

namespace {

using namespace profgauge;

constexpr const char* kName = "fuzz.yaml";

constexpr std::string_view kKnown[] = {
    "schema: 1",
    "fail_on: warn",
    "on_missing: fail",
    "thresholds:",
    "  gpu.idle.mean: {max: 5%, level: warn}",
    "  kernel.count: {min: 1, on_missing: skip}",
    "  iteration.time.median: {max: 1 us, when: profile.gpus > 0}",
    "iterations: {min: 3}",
    "ranks: {expect: 8, on_missing: warn}",
    "tensor_core: {unknown: upper_bound}",
    "names:",
    "  - {id: mine, matches: gemm, except: x, uses_tensor_core: true}",
    "devices:",
    "  - {match: V100, name: Mine, sms: 80, memory: 16 GiB}",
    "baseline: {iteration.time.median: {max_increase: 3%}}",
    "require: [mine/rule]",
    "namespace: mine",
    "rules:",
    "  - id: other",
    "    title: A rule",
    "    category: compute",
    "    for_each: kernel",
    "    needs: [kernel.uses_tensor_core]",
    "    params: {least: {default: 20 us, doc: The least.}}",
    "    where: kernel.time > $least and kernel.calls >= 1",
    "    group_by: [gpu.id]",
    "    report: each",
    "    let: {sum: sum(kernel.time)}",
    "    when: profile.gpus >= 1",
    "    metric: {value: sum / profile.kernel_time, show_as: percent, warn_above: 5%}",
    "    metric: {value: gpu.idle.mean, error_below: 0.5}",
    "    level: error",
    "    gain: {value: sum * 0.75, bound: upper, why: Guessed.}",
    "    explains: [other]",
    "    message: '{{ count() }} kernels take {{ sum(kernel.time) | duration }}'",
    "    evidence: {order_by: kernel.time desc, limit: 5, columns: [{head: A, value: "
    "kernel.name}]}",
    "schema: 2",
    "category: compute",
    "let:",
    "  long: kernel.mean > $least",
    "  worst: {greatest: {host_wait: gpu.idle.mean, other: gpu.utilization.mean}}",
    "  said: {case: [{when: nvidia, text: one}, {text: other}]}",
    "    where: kernel.name matches '(?i)gemm' and long",
    "    metric: {is: share, value: sum(kernel.time) / profile.kernel_time, warn_above: 5%}",
    "    let: {each: per_iteration(sum(kernel.time, long)), part: share_of_iteration(each)}",
    "    when: (worst.value > 5% default 0%) default true",
    "    explains: [other, {when: metric > 1, rule: mine/rule}]",
    "    family: idle",
    "    change: Move {{ worst }}",
    "    message: [{when: known(each), text: '{{ plural(count(), ''kernel'') }}'}, Go.]",
    "    advice: [{case: [{when: captured, text: A.}, {text: B.}]}, Go.]",
    "    evidence: {columns: [kernel.name, per_iteration(kernel.calls)]}",
    "    next: profgauge inspect {{ worst }}",
};

// clang-format off
constexpr std::string_view kTrace = R"json({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":50,
 "args":{"External id":1,"Input Dims":[[64,64],[64,64]],"Input type":["float","float"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":10,
 "args":{"External id":1,"correlation":7}},
{"ph":"X","cat":"kernel","name":"volta_sgemm_64x64_nn","pid":0,"tid":7,"ts":40,"dur":30,
 "args":{"External id":1,"correlation":7,"device":0,"stream":7,"grid":[8,1,1],"block":[128,1,1]}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":90},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":100,"dur":80},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":110,
 "dur":20,"args":{"device":0,"stream":7,"correlation":9,"bytes":4096}}]})json";
// clang-format on

/// The run that is judged.
struct Judged {
  std::vector<Profile> ranks;
  profgauge::analysis::Analysis analysis;
  profgauge::rules::Facts facts;
};

const Judged& TheRun() {
  static const Judged* const kRun = [] {
    const auto source = MakeMemorySource("fuzz", std::as_bytes(std::span(kTrace)));
    auto profile = readers::MakeKinetoReader()->Read(*source, {.threads = 1, .progress = {}});
    fuzz::Require(profile.has_value(), "the run is read");
    auto* made = new Judged;
    made->ranks.push_back(*std::move(profile));
    auto analysis = profgauge::analysis::Analyze(made->ranks, {});
    fuzz::Require(analysis.has_value(), "the run is analysed");
    made->analysis = *std::move(analysis);
    made->facts = profgauge::rules::CollectFacts(made->ranks, made->analysis);
    return made;
  }();
  return *kRun;
}

void CheckErrors(const profgauge::rules::Errors& errors) {
  for (const Error& error : errors) fuzz::RequireReason(error);
}

void CheckVerdict(const profgauge::rules::Policy& policy,
                  const profgauge::rules::Evaluation* evaluation) {
  const Judged& run = TheRun();
  const profgauge::gate::JudgeOptions options{false, evaluation, {}};
  const profgauge::gate::Verdict verdict =
      profgauge::gate::Judge(policy, run.analysis, run.ranks[0].log, options);
  const profgauge::gate::Verdict again =
      profgauge::gate::Judge(policy, run.analysis, run.ranks[0].log, options);
  fuzz::Require(verdict.status == again.status && verdict.reasons == again.reasons,
                "a run is judged the same twice");
  fuzz::Require(verdict.gate.size() == policy.thresholds.size(), "every limit is held");
  bool is_missed = false;
  for (const profgauge::gate::GateResult& limit : verdict.gate)
    is_missed |= limit.status == profgauge::gate::GateStatus::kError;
  const bool may_pass = policy.fail_on == profgauge::rules::FailOn::kNever || !is_missed;
  fuzz::Require(may_pass || verdict.status != profgauge::gate::VerdictStatus::kPass,
                "no missed limit passes");
  const int code = profgauge::gate::ExitCodeOf(verdict, false);
  const bool passes = verdict.status == profgauge::gate::VerdictStatus::kPass;
  fuzz::Require((code == 0) == (passes && verdict.broken == 0), "the exit code is the verdict's");
}

// Limits and the choice only of devices: without rules.
std::optional<profgauge::rules::Policy> PolicyOf(std::string_view text) {
  for (const std::string_view key : {"extends", "tensor_core", "devices", "rule_files"}) {
    if (text.find(key) != std::string_view::npos) return std::nullopt;  // They name files.
  }
  auto policy = profgauge::rules::ParsePolicy(text, kName);
  if (policy) return *std::move(policy);
  CheckErrors(policy.error());
  return std::nullopt;
}

void JudgeRules(profgauge::rules::RuleFile file) {
  profgauge::rules::RuleSet set;
  set.rules = std::move(file.rules);
  static const profgauge::rules::Policy kNone;
  const auto active = profgauge::rules::SelectRules(set, kNone, {});
  if (!active) return CheckErrors(active.error());
  const auto compiled = profgauge::rules::CompileRules(*active, kNone);
  if (!compiled) return CheckErrors(compiled.error());
  const profgauge::rules::Evaluation evaluation =
      profgauge::rules::EvaluateRules(*compiled, TheRun().analysis, TheRun().facts, {});
  CheckVerdict(kNone, &evaluation);
}

template <class T>
std::optional<std::vector<T>> Decoded(std::string_view text,
                                      void (*decode)(profgauge::rules::Decoder&, std::vector<T>&)) {
  profgauge::rules::Errors errors;
  const auto document = profgauge::rules::ParseYaml(text, kName, errors);
  if (!document) {
    CheckErrors(errors);
    return std::nullopt;
  }
  std::vector<T> values;
  profgauge::rules::Decoder decoder(*document, errors);
  decode(decoder, values);
  CheckErrors(errors);
  if (!errors.empty()) return std::nullopt;
  return values;
}

void UseKnowledge(std::string_view text) {
  profgauge::analysis::Selection selection;
  auto names = Decoded<profgauge::analysis::classify::KernelNameRule>(
      text, profgauge::rules::DecodeKernelNames);
  auto devices = Decoded<KnownDevice>(text, profgauge::rules::DecodeDevices);
  if (!names && !devices) return;
  if (names) selection.knowledge.kernel_names = *std::move(names);
  if (devices) selection.knowledge.devices = *std::move(devices);
  fuzz::Require(profgauge::analysis::Analyze(TheRun().ranks, selection).has_value(),
                "knowledge changes numbers alone");
}

}  // namespace

PROFGAUGE_FUZZ_LINES(' ', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  if (const auto policy = PolicyOf(text)) CheckVerdict(*policy, nullptr);
  if (auto rules = profgauge::rules::ParseRuleFile(text, kName)) {
    JudgeRules(*std::move(rules));
  } else {
    CheckErrors(rules.error());
  }
  UseKnowledge(text);
  return 0;
}
