#include "rules/rule_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/format.h"
#include "rules/evaluator.h"
#include "rules/rule.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

void Append(Errors& errors, Errors more) {
  for (Error& error : more) errors.push_back(std::move(error));
}

std::vector<std::string> TestFilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const fs::path& file : ListFolder(path)) {
    if (file.filename().string().ends_with(".test.yaml")) files.push_back(file.string());
  }
  return files;
}

/// The finding that represents a rule: its first fired finding, else its first one.
const Finding* FindingOf(const Evaluation& evaluation, const Rule& rule) {
  const Finding* found = nullptr;
  for (const Finding& finding : evaluation.findings) {
    if (finding.rule != &rule) continue;
    if (found == nullptr || (Fired(finding.status) && !Fired(found->status))) found = &finding;
  }
  return found;
}

class Comparison {
 public:
  Comparison(const RuleExpectation& expected, const Finding& found)
      : expected_(expected), found_(found) {}

  std::vector<std::string> Failures() {
    CompareStatus();
    if (expected_.metric) {
      Add("metric", Differs(*expected_.metric, found_.metric, found_.metric_unit));
    }
    if (expected_.gain) {
      // The rule's own number is tested, even if a bound makes the saving of the finding unknown.
      const Claim& claim = found_.claim;
      const Value gain = claim.is_known()    ? Value(claim.saves)
                         : found_.about_time ? Value(*found_.about_time)
                                             : Value{};
      Add("gain", Differs(*expected_.gain, gain, Unit::kTime));
    }
    if (expected_.rows && static_cast<std::uint64_t>(*expected_.rows) != found_.rows) {
      Add("rows", fmt::format("expected {}, found {}", *expected_.rows, found_.rows));
    }
    if (expected_.message) Add("message", Differs(*expected_.message, found_.message));
    if (expected_.advice) Add("advice", Differs(*expected_.advice, found_.advice));
    if (expected_.because && found_.missing_field != *expected_.because) {
      const ExpectedText part{ExpectedText::Match::kContains, *expected_.because};
      Add("because", Differs(part, found_.reason));
    }
    return std::move(failures_);
  }

 private:
  void CompareStatus() {
    const std::string_view status = FindingStatusName(found_.status);
    if (!expected_.status || *expected_.status == status) return;
    // "pass" means that the rule did not fire, and that no data was missing.
    if (*expected_.status == "pass" && (Passed(found_.status) || found_.is_left_out)) return;
    std::string text = fmt::format("expected {}, found {}", *expected_.status, status);
    if (!found_.metric_text.empty()) text += fmt::format(" (metric {})", found_.metric_text);
    if (!found_.reason.empty()) text += fmt::format(": {}", found_.reason);
    failures_.push_back(fmt::format("{}: {}", expected_.rule, text));
  }

  void Add(std::string_view what, const std::optional<std::string>& difference) {
    if (difference)
      failures_.push_back(fmt::format("{}: {}: {}", expected_.rule, what, *difference));
  }

  const RuleExpectation& expected_;
  const Finding& found_;
  std::vector<std::string> failures_;
};

/// Runs one test with its `params`, but without waivers and levels, which belong to policies.
/// Compiles and runs all rules of the file, because `explains` may name any of them.
tl::expected<RuleTestResult, Errors> RunTest(const RuleTestCase& test, const RuleTestFile& file,
                                             const RuleSet& rules) {
  Policy policy;
  policy.rules = test.params;
  for (const RuleExpectation& expected : test.expect) {
    policy.require.push_back({expected.rule, expected.where});  // Unknown ids become errors.
  }
  const auto active = SelectRules(rules, policy, {});
  if (!active) return tl::unexpected(active.error());
  const auto compiled = CompileRules(*active, policy);
  if (!compiled) return tl::unexpected(compiled.error());
  const Evaluation evaluation = EvaluateRules(*compiled, test.given, test.facts, {});

  RuleTestResult result{file.file, test.name, test.where, {}, file.rules};
  for (const RuleExpectation& expected : test.expect) {
    const Finding* found = FindingOf(evaluation, *rules.Find(expected.rule));
    if (found == nullptr) {
      result.failures.push_back(fmt::format("{}: the rule gave no result", expected.rule));
      continue;
    }
    for (std::string& failure : Comparison(expected, *found).Failures()) {
      result.failures.push_back(std::move(failure));
    }
  }
  return result;
}

void RunFile(const RuleTestFile& file, std::vector<RuleTestResult>& results, Errors& errors) {
  auto rules = LoadRules(file.rules);
  if (!rules) {
    Append(errors, std::move(rules).error());
    return;
  }
  for (const RuleTestCase& test : file.tests) {
    auto result = RunTest(test, file, *rules);
    if (!result) {
      Append(errors, std::move(result).error());
      return;  // All tests would give the same errors.
    }
    results.push_back(*std::move(result));
  }
}

}  // namespace

tl::expected<std::vector<RuleTestResult>, Errors> RunRuleTests(
    const std::vector<std::string>& paths) {
  std::vector<RuleTestResult> results;
  Errors errors;
  for (const std::string& path : paths) {
    for (const std::string& file : TestFilesOf(path)) {
      auto text = ReadConfigFile(file);
      if (!text) {
        errors.push_back(std::move(text).error());
        continue;
      }
      auto tests = ParseRuleTests(*text, file);
      if (tests) {
        RunFile(*tests, results, errors);
      } else {
        Append(errors, std::move(tests).error());
      }
    }
  }
  if (errors.empty() && results.empty()) {
    errors.push_back(
        {ErrorKind::kConfig, "rules/no-tests", "there are no rule tests (*.test.yaml)", {}, {}});
    errors.back().where.file = paths.empty() ? "" : paths.front();
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return results;
}

}  // namespace profgauge::rules
