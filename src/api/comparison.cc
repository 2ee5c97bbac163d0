#include "api/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "api/snapshots.h"
#include "gate/baseline_verdict.h"
#include "gate/comparable.h"
#include "gate/compare.h"
#include "gate/device_clocks.h"
#include "report/build_report.h"
#include "report/redact.h"
#include "report/tree_change.h"

namespace profgauge {
namespace {

std::int64_t FewestIterations(const std::vector<Snapshot>& runs) {
  std::int64_t fewest = static_cast<std::int64_t>(runs.front().iteration_times.size());
  for (const Snapshot& run : runs) {
    fewest = std::min(fewest, static_cast<std::int64_t>(run.iteration_times.size()));
  }
  return fewest;
}

// Counts the comparison's results; it decides nothing without a policy.
Verdict ComparisonVerdict(const RunComparison& comparison, const Policy* policy,
                          std::vector<std::string> incomplete) {
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, policy != nullptr ? *policy : Policy{}, verdict);
  if (policy == nullptr) {
    verdict.status = VerdictStatus::kNotJudged;
    verdict.reasons.clear();
  } else if (!incomplete.empty()) {
    if (verdict.status == VerdictStatus::kPass) verdict.status = VerdictStatus::kNoVerdict;
    verdict.reasons.insert(verdict.reasons.end(), incomplete.begin(), incomplete.end());
  }
  return verdict;
}

// Reports missing data besides a profile's.
void NoteSummary(const RunPicture& picture, const std::string& name, RunComparison& comparison) {
  if (!picture.is_summarized) return;
  comparison.notes.push_back(
      name + " has only summaries, without call tree and timeline; compare profiles to get them");
}

// Runs of one name cannot be distinguished, and their common doubts are reported once.
void Tell(const std::string& name, const std::vector<std::string>& doubts,
          std::vector<std::string>& told) {
  for (const std::string& doubt : doubts) {
    std::string text = fmt::format("{}: {}", name, doubt);
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
}

// Both sides have one key, so that equal names stay equal.
std::string KeyOfRuns(const report::Redaction& redaction, std::span<const Snapshot> base,
                      std::span<const Snapshot> current) {
  std::vector<std::string> sources;
  for (const Snapshot& run : base) sources.push_back(run.source);
  for (const Snapshot& run : current) sources.push_back(run.source);
  return report::KeyOf(redaction, sources);
}

}  // namespace

void DecideJudging(bool allow_incomparable, RunComparison& comparison) {
  comparison.is_judged = comparison.is_comparable || allow_incomparable;
  if (comparison.is_comparable || !comparison.is_judged) return;
  comparison.notes.push_back("runs that are not comparable are compared (--allow-incomparable): " +
                             HardDifferences(comparison.differences));
}

JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const Policy* policy, const CompareChoices& choices) {
  const report::Redaction redaction(choices.redact.level,
                                    KeyOfRuns(choices.redact, base.runs, current.runs));
  if (choices.redact) {
    HideNames("baseline", base.runs);
    HideNames("run", current.runs);
  }
  const Policy selecting = policy != nullptr ? *policy : Policy{};
  RunComparison comparison =
      CompareRuns(base.runs, current.runs, selecting.baseline ? &*selecting.baseline : nullptr,
                  policy != nullptr ? ComparePurpose::kJudge : ComparePurpose::kExplain);
  JudgeClocks(base.runs, current.runs, selecting.baseline.value_or(PolicyBaseline{}),
              policy == nullptr || choices.allow_incomparable, comparison);
  NoteSummary(base.picture, comparison.base_name, comparison);
  NoteSummary(current.picture, comparison.current_name, comparison);
  if (policy != nullptr) DecideJudging(choices.allow_incomparable, comparison);
  std::vector<std::string> incomplete =
      WhyIncomplete(selecting, log, FewestIterations(current.runs), choices.allow_incomplete);
  // Without a policy no one judges; then they are notes.
  std::vector<std::string>& told = policy != nullptr ? incomplete : comparison.notes;
  Tell(comparison.base_name, base.doubts, told);
  Tell(comparison.current_name, current.doubts, told);
  JudgedComparison out;
  out.verdict = ComparisonVerdict(comparison, policy, std::move(incomplete));
  out.report = report::BuildComparisonReport(comparison, out.verdict,
                                             policy != nullptr ? policy->name : std::string());
  AddPictures(std::move(base.picture), std::move(current.picture), out.report);
  if (redaction) report::Redact(out.report, redaction);
  return out;
}

report::Report ExplainTwoRuns(const Snapshot& base, const report::Report& base_report,
                              const Snapshot& current, const report::Report& current_report) {
  const RunComparison comparison =
      CompareRuns(std::span(&base, 1), std::span(&current, 1), nullptr, ComparePurpose::kExplain);
  report::Report report =
      report::BuildComparisonReport(comparison, ComparisonVerdict(comparison, nullptr, {}), {});
  const Table* base_tree = report::FindTableById(base_report, "op_tree");
  const Table* tree = report::FindTableById(current_report, "op_tree");
  if (base_tree != nullptr && tree != nullptr && report.comparison) {
    report.tables.push_back(report::AlignTrees(*base_tree, *tree, report.comparison->accelerator));
  }
  return report;
}

}  // namespace profgauge
