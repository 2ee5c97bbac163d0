// `profgauge compare BASE CURRENT`: explains, and judges where a policy is given.
#include "gate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/analysis.h"
#include "api/run_picture.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/draw.h"
#include "cli/exit_code.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "gate/baseline_verdict.h"
#include "render/shared/renderer.h"
#include "report/build_report.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

std::int64_t FewestIterations(const std::vector<Snapshot>& runs) {
  std::int64_t fewest = static_cast<std::int64_t>(runs.front().iteration_times.size());
  for (const Snapshot& run : runs) {
    fewest = std::min(fewest, static_cast<std::int64_t>(run.iteration_times.size()));
  }
  return fewest;
}

// Counts what the comparison shows; it decides nothing without a policy.
Verdict VerdictOf(const RunComparison& comparison, const std::optional<Policy>& policy,
                  std::vector<std::string> incomplete) {
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, policy.value_or(Policy{}), verdict);
  if (!policy) {
    verdict.status = VerdictStatus::kNotJudged;
    verdict.reasons.clear();
  } else if (!incomplete.empty()) {
    if (verdict.status == VerdictStatus::kPass) verdict.status = VerdictStatus::kNoVerdict;
    verdict.reasons.insert(verdict.reasons.end(), incomplete.begin(), incomplete.end());
  }
  return verdict;
}

// What is missing beside a profile's is said.
void NoteSummaries(const RunPicture& base, const RunPicture& current, RunComparison& comparison) {
  for (const auto& [picture, name] :
       {std::pair(&base, &comparison.base_name), std::pair(&current, &comparison.current_name)}) {
    if (!picture->is_summarized) continue;
    comparison.notes.push_back(
        *name +
        " is known by summaries of its ranks, which keep no call tree and no timeline: compare "
        "profiles for these");
  }
}

// Runs of one name are told apart by nothing, and what both have is said once.
void Tell(const std::string& name, const std::vector<std::string>& doubts,
          std::vector<std::string>& told) {
  for (const std::string& doubt : doubts) {
    std::string text = fmt::format("{}: {}", name, doubt);
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
}

}  // namespace

Result<int> RunCompare(const Options& options, Console& console) {
  Stats stats(console);
  std::optional<Policy> policy;
  if (!options.policy.empty()) {
    policy = ReadPolicy(options, console);
    if (!policy) return kExitUsage;
  }
  Drawing drawing(KeptBy(options, policy ? &*policy : nullptr));
  PROFGAUGE_CHECK(drawing.Open(options));
  const Policy selecting = policy.value_or(Policy{});
  ImportLog log;
  RunPicture base_picture, current_picture;
  std::vector<std::string> base_doubts, current_doubts;
  PROFGAUGE_TRY(std::vector<Snapshot> base,
                LoadSnapshots(options.arguments[0], options, selecting, console,
                              {&log, &base_doubts, &base_picture}));
  stats.EndPhase("read base");
  PROFGAUGE_TRY(std::vector<Snapshot> current,
                LoadSnapshots(options.arguments[1], options, selecting, console,
                              {&log, &current_doubts, &current_picture}));
  stats.EndPhase("read current");
  if (options.redact) {
    HideNames("baseline", base);
    HideNames("run", current);
  }
  RunComparison comparison =
      CompareRuns(base, current, selecting.baseline ? &*selecting.baseline : nullptr,
                  policy ? ComparePurpose::kJudge : ComparePurpose::kExplain);
  NoteSummaries(base_picture, current_picture, comparison);
  if (policy) comparison.is_judged = comparison.is_comparable || options.allow_incomparable;
  std::vector<std::string> incomplete =
      WhyIncomplete(selecting, log, FewestIterations(current), options.allow_incomplete);
  // Without a policy nobody judges; then they are notes.
  std::vector<std::string>& told = policy ? incomplete : comparison.notes;
  Tell(comparison.base_name, base_doubts, told);
  Tell(comparison.current_name, current_doubts, told);
  const Verdict verdict = VerdictOf(comparison, policy, std::move(incomplete));
  report::Report report =
      report::BuildComparisonReport(comparison, verdict, policy ? policy->name : std::string());
  AddPictures(std::move(base_picture), std::move(current_picture), report);
  if (options.redact) report::Redact(report);
  stats.EndPhase("compare");
  PROFGAUGE_CHECK(drawing.Draw(report, stats));
  if (options.stats) console.Warn(stats.Table());
  const std::string text = render::RenderComparison(report, options.verbosity);
  if (drawing.uses_stdout()) {
    console.Warn(text);
  } else {
    console.Print(text);
  }
  for (const std::string& line : drawing.Summary()) console.Say(line);
  return ExitCodeOf(verdict, options.exit_zero);
}

}  // namespace profgauge::cli
