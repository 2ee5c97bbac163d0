// Any bytes as a rule file, a policy and a file of rule tests: read, checked, errors shown.
//
// Checks: no crash, and every error has its place inside the file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "rules/compile.h"
#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/rule_test.h"
#include "rules/yaml.h"

namespace {

using namespace profgauge;

constexpr const char* kName = "fuzz.yaml";

void CheckPlaces(const profgauge::rules::Errors& errors, std::string_view text) {
  for (const Error& error : errors) {
    if (!error.message.empty() && error.where.offset <= text.size()) continue;
    std::fprintf(stderr, "no message or a place behind the end: %s\n", error.code.c_str());
    std::abort();
  }
  profgauge::rules::RenderErrors(errors, true);
}

/// Files that a policy names would be read from the disk.
bool NamesFiles(std::string_view text) {
  for (const std::string_view key : {"extends", "names", "devices"}) {
    if (text.find(key) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  profgauge::rules::Errors errors;
  profgauge::rules::ParseYaml(text, kName, errors);
  CheckPlaces(errors, text);
  if (const auto rules = profgauge::rules::ParseRuleFile(text, kName)) {
    for (const profgauge::rules::Rule& rule : rules->rules)
      CheckPlaces(profgauge::rules::CheckRule(rule), text);
  } else {
    CheckPlaces(rules.error(), text);
  }
  if (!NamesFiles(text)) {
    const auto policy = profgauge::rules::ParsePolicy(text, kName);
    if (!policy) CheckPlaces(policy.error(), text);
  }
  const auto tests = profgauge::rules::ParseRuleTests(text, kName);
  if (!tests) CheckPlaces(tests.error(), text);
  return 0;
}
