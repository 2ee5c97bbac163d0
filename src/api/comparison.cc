#include "api/comparison.h"

#include "analysis/trust/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "analysis/iterations/iterations.h"
#include "api/snapshots.h"
#include "gate/baseline_verdict.h"
#include "gate/circumstances.h"
#include "gate/comparable.h"
#include "gate/compare.h"
#include "gate/duet.h"
#include "model/summary/summary.h"
#include "report/build_report.h"
#include "report/redact.h"
#include "report/timeline.h"
#include "report/tree_change.h"

namespace profgauge {
namespace {

// The start of the iteration that the tree shows; without a tree, that of the first selected one.
Ns IterationStart(const Profile& profile, const analysis::Selection& selection,
                  const RunPicture& picture) {
  const auto iterations = analysis::iterations::FindIterations(profile, selection);
  if (!iterations) return 0;
  std::size_t position = iterations->first;
  if (picture.tree && picture.tree->rows() > 0) {
    const Value recorded = picture.tree->At(0, "iteration");
    if (const auto* number = std::get_if<std::int64_t>(&recorded)) {
      position = static_cast<std::size_t>(std::max<std::int64_t>(0, *number));
    }
  }
  return iterations->all[std::min(position, iterations->all.size() - 1)].time.start;
}

}  // namespace

// Makes the picture of the first rank. Halves the budget of events, because a page of two runs has
// two timelines.
RunPicture PictureOf(std::span<const Profile> ranks, const analysis::Analysis& analysis,
                     const analysis::Selection& selection, EventsInPage events) {
  RunPicture picture;
  for (const analysis::Remark& remark : analysis.remarks) {
    if (remark.id != "clocks-apart" && remark.id != analysis::trust::kRunUnused) continue;
    picture.remarks.push_back(remark.text);
  }
  picture.is_summarized = std::any_of(ranks.begin(), ranks.end(), IsSummary);
  if (picture.is_summarized) return picture;
  if (const Table* tree = analysis.FindTable("op_tree")) picture.tree = *tree;
  report::TimelineOptions options;
  using Mode = report::TimelineOptions::Mode;
  options.mode = events == EventsInPage::kAll    ? Mode::kFull
                 : events == EventsInPage::kNone ? Mode::kOff
                                                 : Mode::kAuto;
  options.budget /= 2;
  options.knowledge = selection.knowledge;
  for (const auto& [name, time] : selection.marks) options.marks.push_back({name, time});
  picture.timeline = report::BuildTimeline(ranks.first(1), {}, options);
  picture.iteration_start = IterationStart(ranks.front(), selection, picture);
  return picture;
}

void AddPictures(RunPicture base, RunPicture current, report::Report& comparison) {
  if (base.tree && current.tree && comparison.comparison) {
    comparison.tables.push_back(
        report::AlignTrees(*base.tree, *current.tree, comparison.comparison->accelerator));
  }
  if (base.timeline.empty() || current.timeline.empty()) return;
  comparison.timeline =
      report::StackTimelines({std::move(base.timeline), base.iteration_start, "base"},
                             {std::move(current.timeline), current.iteration_start, "this run"});
}

namespace {

// The number of iterations of the run with the fewest, because every run must reach a policy's
// minimum. REQUIRES: `runs` is not empty.
std::int64_t FewestIterations(const std::vector<gate::Snapshot>& runs) {
  std::int64_t fewest = static_cast<std::int64_t>(runs.front().iteration_times.size());
  for (const gate::Snapshot& run : runs) {
    fewest = std::min(fewest, static_cast<std::int64_t>(run.iteration_times.size()));
  }
  return fewest;
}

// Makes the verdict on a comparison; without a policy, decides nothing. Missing data turns a pass
// into no verdict but keeps a failure, because it cannot undo a measured regression.
gate::Verdict ComparisonVerdict(gate::RunComparison& comparison, const rules::Policy* policy,
                                std::vector<std::string> incomplete) {
  gate::Verdict verdict;
  verdict.status = gate::VerdictStatus::kPass;
  gate::AddComparison(comparison, policy != nullptr ? *policy : rules::Policy{}, verdict);
  if (policy == nullptr) {
    verdict.status = gate::VerdictStatus::kNotJudged;
    verdict.reasons.clear();
  } else if (!incomplete.empty()) {
    if (verdict.status == gate::VerdictStatus::kPass)
      verdict.status = gate::VerdictStatus::kNoVerdict;
    verdict.reasons.insert(verdict.reasons.end(), incomplete.begin(), incomplete.end());
  }
  return verdict;
}

// Notes data that is missing because the run has only summaries.
void NoteSummary(const RunPicture& picture, const std::string& name,
                 gate::RunComparison& comparison) {
  if (!picture.is_summarized) return;
  comparison.notes.push_back(
      name + " has only summaries, without call tree and timeline; compare profiles to get them");
}

// Reports a doubt of several runs with one name only once, because such runs look the same.
void Tell(const std::string& name, const std::vector<std::string>& doubts,
          std::vector<std::string>& told) {
  for (const std::string& doubt : doubts) {
    std::string text = fmt::format("{}: {}", name, doubt);
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
  }
}

// Makes one key for both sides, so that equal names stay equal when they are hidden.
std::string KeyOfRuns(const report::Redaction& redaction, std::span<const gate::Snapshot> base,
                      std::span<const gate::Snapshot> current) {
  std::vector<std::string> sources;
  for (const gate::Snapshot& run : base) sources.push_back(run.source);
  for (const gate::Snapshot& run : current) sources.push_back(run.source);
  return report::KeyOf(redaction, sources);
}

// Decides, by `match: any`, if runs that may have done different work are judged; adds a note.
void DecideJudging(const rules::Policy& policy, gate::RunComparison& comparison) {
  const bool matches_any = policy.baseline && policy.baseline->match_any;
  comparison.is_judged = comparison.is_comparable || matches_any;
  const std::string differences = gate::AllowedDifferences(comparison.differences);
  if (!matches_any || differences.empty()) return;
  comparison.notes.push_back("runs that are not comparable are compared (match: any): " +
                             differences);
}

}  // namespace

gate::RunComparison CompareAlike(std::span<const gate::Snapshot> baselines,
                                 std::span<const gate::Snapshot> runs, const rules::Policy& policy,
                                 const CompareHow& how) {
  const rules::PolicyBaseline limits = policy.baseline.value_or(rules::PolicyBaseline{});
  gate::RunComparison comparison =
      gate::CompareRuns(baselines, runs, policy.baseline ? &*policy.baseline : nullptr, how.purpose,
                        how.accepts_work, how.earlier);
  DecideJudging(policy, comparison);
  gate::JudgeClocks(baselines, runs, limits, comparison);
  if (comparison.is_judged) {
    gate::CompareParts(how.parts.value_or(gate::PartRuns{baselines, runs}), limits, comparison);
  }
  return comparison;
}

void IgnoreUnrecorded(const rules::Policy& policy, std::vector<gate::Snapshot>& runs) {
  if (policy.unrecorded != rules::Unrecorded::kIgnore) return;
  for (gate::Snapshot& run : runs) run.step_times.clear(), run.steps_unusual.clear();
}

JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const rules::Policy* policy, const CompareChoices& choices) {
  const report::Redaction redaction(choices.redact.level,
                                    KeyOfRuns(choices.redact, base.runs, current.runs));
  if (choices.redact) {
    HideNames("baseline", base.runs);
    HideNames("run", current.runs);
  }
  const rules::Policy selecting = policy != nullptr ? *policy : rules::Policy{};
  IgnoreUnrecorded(selecting, base.runs);
  IgnoreUnrecorded(selecting, current.runs);
  CompareHow how;
  if (policy == nullptr) how.purpose = gate::ComparePurpose::kExplain;
  gate::RunComparison comparison = CompareAlike(base.runs, current.runs, selecting, how);
  NoteSummary(base.picture, comparison.base_name, comparison);
  NoteSummary(current.picture, comparison.current_name, comparison);
  Tell(comparison.base_name, base.picture.remarks, comparison.notes);
  Tell(comparison.current_name, current.picture.remarks, comparison.notes);
  if (policy != nullptr) {
    comparison.movement = gate::FindMovement(base.runs, current.runs, comparison);
  }
  std::vector<std::string> incomplete =
      gate::WhyIncomplete(selecting, log, FewestIterations(current.runs), choices.allow_incomplete);
  // Without a policy nothing is judged, so the doubts become notes.
  std::vector<std::string>& told = policy != nullptr ? incomplete : comparison.notes;
  Tell(comparison.base_name, base.doubts, told);
  Tell(comparison.current_name, current.doubts, told);
  if (policy == nullptr) {
    for (const std::string& reason : incomplete) {
      comparison.notes.push_back("one run has no verdict: " + reason);
    }
  }
  JudgedComparison out;
  out.verdict = ComparisonVerdict(comparison, policy, std::move(incomplete));
  out.report = report::BuildComparisonReport(comparison, out.verdict,
                                             policy != nullptr ? policy->name : std::string());
  AddPictures(std::move(base.picture), std::move(current.picture), out.report);
  if (redaction) report::Redact(out.report, redaction);
  return out;
}

report::Report ExplainTwoRuns(const gate::Snapshot& base, const report::Report& base_report,
                              const gate::Snapshot& current, const report::Report& current_report) {
  CompareHow how;
  how.purpose = gate::ComparePurpose::kExplain;
  gate::RunComparison comparison =
      CompareAlike(std::span(&base, 1), std::span(&current, 1), {}, how);
  report::Report report =
      report::BuildComparisonReport(comparison, ComparisonVerdict(comparison, nullptr, {}), {});
  const Table* base_tree = report::FindTableById(base_report, "op_tree");
  const Table* tree = report::FindTableById(current_report, "op_tree");
  if (base_tree != nullptr && tree != nullptr && report.comparison) {
    report.tables.push_back(report::AlignTrees(*base_tree, *tree, report.comparison->accelerator));
  }
  return report;
}

namespace {

/// Combines a duet's two comparisons: that of the profiles explains, that of the blocks decides.
gate::RunComparison Explained(const DuetProfiles& profiles, gate::RunComparison decided) {
  gate::RunComparison out =
      gate::CompareRuns(profiles.a.runs, profiles.b.runs, nullptr, gate::ComparePurpose::kExplain);
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

/// Notes missing data of the profiles. It is no reason for the verdict, because the blocks decide.
void NoteLosses(const DuetProfiles& profiles, const rules::Policy& policy,
                const CompareChoices& choices, gate::RunComparison& comparison) {
  NoteSummary(profiles.a.picture, comparison.base_name, comparison);
  NoteSummary(profiles.b.picture, comparison.current_name, comparison);
  for (const std::string& reason : gate::WhyIncomplete(
           policy, profiles.log, FewestIterations(profiles.b.runs), choices.allow_incomplete)) {
    comparison.notes.push_back("profiles of the duet: " + reason);
  }
  Tell(comparison.base_name, profiles.a.doubts, comparison.notes);
  Tell(comparison.current_name, profiles.b.doubts, comparison.notes);
}

}  // namespace

Result<JudgedComparison> JudgeDuetRuns(const Duet& duet, std::optional<DuetProfiles> profiles,
                                       const rules::Policy& policy, const CompareChoices& choices) {
  PROFGAUGE_TRY(gate::RunComparison comparison,
                gate::JudgeDuet(duet, policy.baseline.value_or(rules::PolicyBaseline{})));
  if (profiles) {
    comparison = Explained(*profiles, std::move(comparison));
    NoteLosses(*profiles, policy, choices, comparison);
  }
  DecideJudging(policy, comparison);
  JudgedComparison out;
  out.verdict.status = gate::VerdictStatus::kPass;
  gate::AddComparison(comparison, policy, out.verdict);
  out.report = report::BuildComparisonReport(comparison, out.verdict, policy.name);
  if (profiles) {
    AddPictures(std::move(profiles->a.picture), std::move(profiles->b.picture), out.report);
  }
  if (choices.redact) report::Redact(out.report, choices.redact);
  return out;
}

}  // namespace profgauge
