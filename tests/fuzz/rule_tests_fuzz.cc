// Any bytes as a file of rule tests that is run, of rules that are beside it.
//
// Checks: no crash; every refusal has a reason; tests have the same result twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_test.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"
#include "support/temporary_folder.h"

namespace {

using namespace profgauge;

constexpr std::string_view kRules = R"(schema: 2
namespace: own
rules:
  - id: long-kernels
    title: Kernels that take long
    category: compute
    for_each: kernel
    params: {least: {default: 20 us, doc: The least.}}
    where: kernel.time > $least and kernel.calls >= 1
    metric: {value: sum(kernel.time) / profile.kernel_time, show_as: percent, warn_above: 5%}
    gain: {value: sum(kernel.time) * 0.5, bound: upper, why: Guessed.}
    message: '{{ count() }} kernels take {{ sum(kernel.time) | duration }}'
    evidence: {order_by: kernel.time desc, limit: 5, columns: [{head: A, value: kernel.name}]}
  - id: idle
    title: An idle GPU
    category: gpu
    when: profile.gpus >= 1
    metric: {value: gpu.idle.mean, show_as: percent, error_above: 50%}
    message: 'idle {{ gpu.idle.mean | percent }}'
)";

constexpr std::string_view kKnown[] = {
    "schema: 1",
    "rules: [own.yaml]",
    "tests:",
    "  - name: another",
    "    given:",
    "      gpu.idle.mean: 60%",
    "      gpu.idle.mean: {absent: no GPU events}",
    "      profile: {kernel_time: 100 ms, gpus: 1, data_loss: true}",
    "      kernel: [{name: sgemm, time: 30 ms, calls: 100, op: null}]",
    "    params: {own/long-kernels: {least: 5 us}}",
    "    expect:",
    "      - {rule: own/idle, level: error, metric: 60%}",
    "      - {rule: own/long-kernels, level: warn, metric: 30%, rows: 1, gain: 15 ms}",
    "      - {rule: own/idle, status: not_applicable, because: no GPU events}",
    "        message: contains 'kernels', advice: matches '.*'}",
};

using Results =
    tl::expected<std::vector<profgauge::rules::RuleTestResult>, profgauge::rules::Errors>;

std::string Told(const Results& results) {
  std::string text;
  if (!results) {
    for (const Error& error : results.error()) {
      fuzz::RequireReason(error);
      text += error.code + error.message;
    }
    return text;
  }
  for (const profgauge::rules::RuleTestResult& result : *results) {
    text += result.name + '\n';
    for (const std::string& failure : result.failures) text += failure + '\n';
  }
  return text;
}

}  // namespace

PROFGAUGE_FUZZ_LINES(' ', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder kFolder;
  static const std::string kOwn = kFolder.Write("own.yaml", kRules);
  const std::string_view text = fuzz::TextOf(data, size);
  const std::string path = kFolder.Write("fuzz.test.yaml", text);
  const auto tests = profgauge::rules::ParseRuleTests(text, path);
  if (tests) {  // No other file is read.
    const auto& rules = tests->rules;
    if (!std::all_of(rules.begin(), rules.end(), [](const auto& file) { return file == kOwn; })) {
      return 0;
    }
  }
  const std::string told = Told(profgauge::rules::RunRuleTests({path}));
  if (size % 4 == 0)
    fuzz::Require(Told(profgauge::rules::RunRuleTests({path})) == told, "the same result twice");
  return 0;
}
