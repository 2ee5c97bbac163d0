#include "render/shared/ending.h"

#include <fmt/format.h>

#include <algorithm>

namespace profgauge::render {

report::State StateOf(const Ending& ending) {
  return ending.is_configuration ? report::State::kNotJudged : report::State::kNoVerdict;
}

VerdictFacts FactsOf(const report::Report& report, int exit_code) {
  VerdictFacts facts;
  facts.status = report::NameOf(report.verdict.status);
  facts.exit_code = exit_code;
  facts.name = report.profile.name;
  facts.policy = report.verdict.policy;
  facts.config = report.verdict.config;
  if (report.baseline) {
    const auto runs = static_cast<std::int64_t>(report.baseline->runs.size());
    facts.baseline = {report.baseline->state, runs, std::max(runs, report.baseline->wanted)};
  }
  facts.reasons = report.verdict.reasons;
  facts.accepted = report.verdict.accepted;
  facts.no_verdict = report.verdict.no_verdict;
  facts.again = report.verdict.again;
  facts.needed = report.verdict.needed;
  if (report.comparison) facts.recordings = report.comparison->current_runs;
  facts.policy_hash = report.verdict.policy_hash;
  facts.loosened = report.verdict.loosened;
  return facts;
}

VerdictFacts FactsOf(const Ending& ending) {
  VerdictFacts facts;
  facts.status = report::NameOf(StateOf(ending));
  facts.exit_code = ending.exit_code;
  facts.name = ending.name;
  for (const EndingError& error : ending.errors) {
    facts.reasons.push_back(fmt::format("{} [{}]", error.message, error.code));
    facts.errors.push_back(error.code);
  }
  return facts;
}

}  // namespace profgauge::render
