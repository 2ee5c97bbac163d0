#include "api/duet.h"

#include <utility>

#include "api/snapshots.h"
#include "gate/baseline_verdict.h"
#include "gate/compare.h"
#include "gate/duet.h"
#include "report/build_report.h"
#include "report/redact.h"

namespace profgauge {
namespace {

/// The profiles explain the change, the blocks decide.
RunComparison Explained(const DuetProfiles& profiles, RunComparison decided) {
  RunComparison out =
      CompareRuns(profiles.a.runs, profiles.b.runs, nullptr, ComparePurpose::kExplain);
  out.metrics = std::move(decided.metrics);
  out.base_name = std::move(decided.base_name);
  out.current_name = std::move(decided.current_name);
  out.baseline_runs = decided.baseline_runs;
  out.current_runs = decided.current_runs;
  out.differences.insert(out.differences.begin(), decided.differences.begin(),
                         decided.differences.end());
  out.is_comparable = decided.is_comparable;
  out.notes.insert(out.notes.begin(), decided.notes.begin(), decided.notes.end());
  return out;
}

}  // namespace

Result<JudgedComparison> JudgeDuetRuns(const Duet& duet, std::optional<DuetProfiles> profiles,
                                       const Policy& policy, const CompareChoices& choices) {
  PROFGAUGE_TRY(RunComparison comparison,
                JudgeDuet(duet, policy.baseline.value_or(PolicyBaseline{})));
  if (profiles) comparison = Explained(*profiles, std::move(comparison));
  DecideJudging(choices.allow_incomparable, comparison);
  JudgedComparison out;
  out.verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, policy, out.verdict);
  out.report = report::BuildComparisonReport(comparison, out.verdict, policy.name);
  if (profiles) {
    AddPictures(std::move(profiles->a.picture), std::move(profiles->b.picture), out.report);
  }
  if (choices.redact) report::Redact(out.report, choices.redact);
  return out;
}

}  // namespace profgauge
