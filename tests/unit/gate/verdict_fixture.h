// Verdicts of a policy's text on a few metrics.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "gate/reasons.h"
#include "gate/verdict.h"

namespace profgauge::gate {

struct Given {
  std::string_view metric;
  Value value;
  bool low_confidence = false;
  std::optional<double> may_be = std::nullopt;
};

inline analysis::Analysis MakeAnalysis(std::initializer_list<Given> given) {
  analysis::Analysis analysis;
  for (const Given& g : given) {
    analysis::Metric metric{analysis::FindMetric(g.metric), g.value, "", g.low_confidence, ""};
    if (IsAbsent(g.value)) metric.absent_because = "no such events were recorded";
    if (g.low_confidence) metric.note = "only 4 iterations";
    metric.may_be = g.may_be;
    if (g.may_be) metric.note = "some work is unknown";
    analysis.metrics.push_back(metric);
  }
  analysis.iterations_selected = 10;
  return analysis;
}

inline std::string WithPlainSpaces(std::string text) {
  for (std::size_t at; (at = text.find(kNumberSpace)) != std::string::npos;) {
    text.replace(at, kNumberSpace.size(), " ");
  }
  return text;
}

struct Outcome {
  VerdictStatus verdict;
  int exit_code;
  std::string_view gate;     ///< Statuses of the limits, joined by blanks.
  std::string_view reasons;  ///< One a line.
};

inline void Expect(std::string_view policy_text, const analysis::Analysis& analysis,
                   const Outcome& outcome, const ImportLog& log = {},
                   const JudgeOptions& options = {}) {
  const auto policy = rules::ParsePolicy("schema: 1\n" + std::string(policy_text), "p.yaml");
  ASSERT_TRUE(policy) << policy.error().front().message;
  const Verdict verdict = Judge(*policy, analysis, log, options);
  std::string gate, reasons;
  for (const GateResult& result : verdict.gate) {
    gate += (gate.empty() ? "" : " ") + std::string(GateStatusName(result.status));
  }
  // Without their ids, which reasons_test.cc and every case hold.
  for (const std::string& reason : verdict.reasons)
    reasons +=
        (ReasonOfText(reason) == nullptr ? reason : reason.substr(0, reason.rfind(" ["))) + "\n";
  EXPECT_EQ(VerdictStatusName(verdict.status), VerdictStatusName(outcome.verdict)) << policy_text;
  EXPECT_EQ(ExitCodeOf(verdict, false), outcome.exit_code) << policy_text;
  EXPECT_EQ(ExitCodeOf(verdict, true), 0);
  EXPECT_EQ(gate, outcome.gate) << policy_text;
  EXPECT_EQ(WithPlainSpaces(reasons), outcome.reasons) << policy_text;
}

inline constexpr auto kPass = VerdictStatus::kPass;
inline constexpr auto kFail = VerdictStatus::kFail;
inline constexpr auto kNoVerdict = VerdictStatus::kNoVerdict;

}  // namespace profgauge::gate
