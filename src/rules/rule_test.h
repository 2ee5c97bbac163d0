// Tests of rules, in YAML beside them: with these metrics and rows, expect these findings.
//
//   schema: 1
//   rules: [tensorcore.yaml]          # beside the test file; or builtin:NAME
//   tests:
//     - name: FP32 GEMMs on an eligible op are an error
//       given:
//         profile: {kernel_time: 100 ms, iterations: 10}     # metrics profile.kernel_time, …
//         gpu.idle.mean: {absent: no GPU events}             # a metric without a value
//         kernel:                                            # rows of the table of kernels
//           - {name: sgemm, time: 30 ms, calls: 100, op: null}
//       params: {tensorcore/eligible-not-used: {min_kernel_time: 5 us}}
//       expect:
//         - {rule: tensorcore/eligible-not-used, level: error, metric: 30%, rows: 1,
//            message: contains '30.0 % of kernel time'}
//
// Anything that is not given is absent: metrics, columns and rows. All rules of `rules` run, but
// only expected findings are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/literal.h"
#include "profgauge/error.h"
#include "rules/facts.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// An expected number as written. The measured number is rounded to the same digits.
struct ExpectedNumber {
  Literal literal;
  double tolerance = 0;  ///< Half of the last written digit, in base units.
  std::string text;
};

/// An expected text and its comparison; empty `operator_name`: equal. U+202F counts as a space.
struct ExpectedText {
  enum class Match : std::uint8_t {
    kEquals,
    kContains,
    kNotContains,
    kStartsWith,
    kEndsWith,
    kMatches
  };
  Match match = Match::kEquals;
  std::string text;
};

struct RuleExpectation {
  std::string rule;
  Where where;
  std::optional<std::string> status;  ///< "error", "warn", "info", "pass", "not_applicable", …
  std::optional<ExpectedNumber> metric, gain;
  std::optional<std::int64_t> rows;  ///< Number of evidence rows, including those not shown.
  std::optional<ExpectedText> message, advice;
  std::optional<std::string> because;  ///< A part of the reason.
};

struct RuleTestCase {
  std::string name;
  Where where;
  analysis::Analysis given;
  Facts facts;  ///< Also from `given`: `profile: {data_loss: true}`.
  std::vector<RuleSetting> params;
  std::vector<RuleExpectation> expect;
};

struct RuleTestFile {
  std::string file;
  std::vector<std::string> rules;  ///< Paths, resolved relative to the file's folder.
  std::vector<RuleTestCase> tests;
};

/// Decodes a test file. Reports all errors.
tl::expected<RuleTestFile, Errors> ParseRuleTests(std::string_view text, const std::string& file);

/// Compares `text` with the expected one. Returns a sentence about the difference, or nothing.
std::optional<std::string> Differs(const ExpectedText& expected, std::string_view text);
std::optional<std::string> Differs(const ExpectedNumber& expected, const Value& value, Unit unit);

/// The result of one test.
struct RuleTestResult {
  std::string file, name;
  Where where;
  std::vector<std::string> failures;  ///< Sentences; empty: passed.
  std::vector<std::string> rules;     ///< Files of the tested rules.
};

/// Runs the tests of `paths`, i.e. test files or folders (all *.test.yaml, by name), in the order
/// of paths, files and tests. A failed test is a result, not an error. Errors: test files or rules
/// that do not load, or no tests.
tl::expected<std::vector<RuleTestResult>, Errors> RunRuleTests(
    const std::vector<std::string>& paths);

}  // namespace profgauge::rules
