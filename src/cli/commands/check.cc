// `profgauge check` and `profgauge report`: the same run; only the exit code differs.
#include <fmt/core.h>

#include <cstdlib>
#include <utility>

#include "analysis/replay.h"
#include "api/session.h"
#include "cli/alert_places.h"
#include "cli/candidates.h"
#include "cli/commands.h"
#include "cli/conclude.h"
#include "cli/console.h"
#include "cli/default_policy.h"
#include "cli/draw.h"
#include "cli/exit_code.h"
#include "cli/reading.h"
#include "cli/snapshots.h"
#include "cli/stats.h"
#include "gate/baseline_verdict.h"
#include "gate/verdict.h"
#include "report/build_findings.h"
#include "report/build_report.h"
#include "report/redact.h"
#include "report/timeline.h"
#include "report/wording.h"
#include "rules/policy.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

/// The rules that the policy makes run; empty after their errors were reported.
std::optional<Rulebook> ReadRules(const Policy& policy, const SelectOptions& select,
                                  Console& console) {
  auto book = LoadRulebook(policy, select);
  if (book) return *std::move(book);
  console.Warn(RenderErrors(book.error(), console.color_err()));
  return std::nullopt;
}

// Only the page and the trace draw it.
report::TimelineOptions TimelineOf(const Options& options, const Policy& policy) {
  using Mode = report::TimelineOptions::Mode;
  report::TimelineOptions timeline;
  timeline.knowledge = policy.knowledge;
  const bool has_page =
      !options.html.empty() || !options.html_dir.empty() || !options.out_dir.empty();
  timeline.mode = options.timeline == "full" ? Mode::kFull : Mode::kAuto;
  const bool is_wanted = has_page || !options.emit_trace.empty();
  if (!is_wanted || options.timeline == "off") timeline.mode = Mode::kOff;
  for (const auto& [name, time] : options.marks) timeline.marks.push_back({name, time});
  return timeline;
}

/// What the runs were measured to be. The report is about the one in the middle.
struct Measured {
  std::vector<Snapshot> snapshots;  ///< Of all runs, with a baseline; else empty.
  std::size_t middle = 0;
  Replayable run;  ///< The one in the middle.
};

Result<Measured> Measure(const std::vector<Candidate>& candidates, const Selection& selection,
                         bool has_baseline, Stats& stats) {
  Measured measured;
  std::vector<Replayable> runs;
  for (const Candidate& candidate : candidates) {
    PROFGAUGE_TRY(Replayable run, AnalyzeForReplay(candidate.ranks, selection));
    runs.push_back(std::move(run));
  }
  stats.EndPhase("analyze");
  for (std::size_t i = 0; has_baseline && i < candidates.size(); ++i) {
    PROFGAUGE_TRY(Snapshot snapshot,
                  SnapshotOf(candidates[i].name, candidates[i].ranks, runs[i].analysis, selection));
    measured.snapshots.push_back(std::move(snapshot));
  }
  if (has_baseline) {
    measured.middle = FindMiddleRun(measured.snapshots);
    stats.EndPhase("attribute");
  }
  measured.run = std::move(runs[measured.middle]);
  return measured;
}

/// Draws and says the verdict; returns its exit code.
int Finish(const report::Report& report, const Verdict& verdict, const Options& options,
           Drawing& drawing, Stats& stats, Console& console) {
  const Status drawn = drawing.Draw(report, stats);
  if (options.stats) console.Warn(stats.Table());
  Conclude(report, drawing, console);
  const int exit_code = ExitCodeOf(verdict, options.exit_zero);
  if (drawn) return exit_code;
  console.Report(drawn.error());
  return StrongerExit(exit_code, ExitCodeOf(drawn.error().kind));
}

/// Everything; returns the exit code of the verdict. The configuration is read before the profile,
/// so that a typo costs milliseconds.
Result<int> Judged(const Options& options, Console& console) {
  if (!options.emit_trace.empty() && options.timeline == "off") {
    return Fail(Error{ErrorKind::kUsage,
                      "usage/conflict",
                      "`--emit-trace` and `--timeline off` exclude each other",
                      {},
                      {}});
  }
  Stats stats(console);
  auto policy = ReadPolicy(options, console);
  if (!policy) return kExitUsage;
  SelectOptions select;
  PROFGAUGE_TRY(select.today, Today(options.now, std::getenv("SOURCE_DATE_EPOCH")));
  select.allow_long_waivers = options.allow_long_waivers;
  auto book = ReadRules(*policy, select, console);
  if (!book) return kExitUsage;
  Drawing drawing(KeptBy(options, &*policy));
  PROFGAUGE_CHECK(drawing.Open(options));
  PROFGAUGE_TRY(std::vector<Snapshot> baselines, LoadBaselines(options, *policy, console));
  stats.EndPhase("policy");
  PROFGAUGE_TRY(const auto candidates, ReadCandidates(options, baselines, console));
  stats.EndPhase("read");
  const bool on_cpu = options.policy.empty() && IsCpuOnly(candidates);
  if (on_cpu) {
    Options by_name = options;
    by_name.policy = kCpuPolicy;
    policy = ReadPolicy(by_name, console);
    if (policy) book = ReadRules(*policy, select, console);
    if (!policy || !book) return kExitUsage;
  }
  const EvaluateOptions choices = Choices(options);
  const Selection selection = SelectionOf(*policy, choices);
  PROFGAUGE_TRY(Measured measured, Measure(candidates, selection, !baselines.empty(), stats));
  const Candidate& subject = candidates[measured.middle];
  Analysis& analysis = measured.run.analysis;
  const Replayer* replayer = measured.run.replayer.get();
  if (on_cpu) analysis.remarks.push_back({"cpu-policy", std::string(kWhyCpuPolicy)});
  book->Predict(replayer, analysis);
  const Evaluation evaluation =
      book->Evaluate(analysis, CollectFacts(subject.ranks, analysis), false, replayer);
  Verdict verdict = Judge(*policy, analysis, MergedLog(subject.ranks),
                          JudgeOptions{options.allow_incomplete, &evaluation});
  std::optional<RunComparison> comparison;
  if (options.redact) {
    HideNames("baseline", baselines);
    HideNames("run", measured.snapshots);
  }
  if (!baselines.empty()) {
    comparison =
        CompareRuns(baselines, measured.snapshots, policy->baseline ? &*policy->baseline : nullptr);
    comparison->is_judged = comparison->is_comparable || options.allow_incomparable;
    AddComparison(*comparison, *policy, verdict);
    stats.EndPhase("compare");
  }
  report::BuildInput input;
  input.run_name = subject.name;
  input.ranks = subject.ranks;
  input.analysis = &analysis;
  input.policy = &*policy;
  input.verdict = &verdict;
  input.comparison = comparison ? &*comparison : nullptr;
  input.findings = report::BuildFindings(evaluation);
  input.rules_hash = book->rules().hash;
  input.options = ProvenanceOptions(choices, *policy);
  // Only waivers depend on the day; without them the report does not.
  if (!policy->waivers.empty()) input.options.emplace_back("now", FormatDay(select.today));
  input.tables = &analysis.tables;
  report::Report report = report::BuildReport(input);
  report.timeline = report::BuildTimeline(subject.ranks, report, TimelineOf(options, *policy));
  report::Reword(report.timeline, report.profile.accelerator);
  if (options.redact) report::Redact(report);
  drawing.ShowAlertsAt(PlacesOf(options, *policy));
  stats.EndPhase("judge");
  return Finish(report, verdict, options, drawing, stats, console);
}

}  // namespace

Result<int> RunCheck(const Options& options, Console& console) {
  const Result<int> exit_code = Judged(options, console);
  const bool unreadable = !exit_code && exit_code.error().kind == ErrorKind::kInput;
  if (!unreadable || !options.exit_zero) return exit_code;
  console.Report(exit_code.error());
  return kExitPass;
}

Result<int> RunReport(const Options& options, Console& console) {
  PROFGAUGE_TRY(const int exit_code, Judged(options, console));
  const bool verdict_only = exit_code == kExitFail || exit_code == kExitNoVerdict;
  return verdict_only ? kExitPass : exit_code;
}

}  // namespace profgauge::cli
