#include "api/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "api/candidates.h"
#include "api/comparison.h"
#include "api/run_remarks.h"
#include "api/snapshots.h"
#include "base/format.h"
#include "gate/baseline_verdict.h"
#include "gate/circumstances.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "gate/doubts.h"
#include "gate/reasons.h"
#include "gate/sides.h"
#include "gate/unrecorded.h"
#include "knowledge/thresholds.h"
#include "readers/ranks.h"
#include "report/build_comparison.h"
#include "report/build_findings.h"
#include "report/build_plan.h"
#include "report/build_report.h"
#include "report/build_sections.h"
#include "report/redact.h"
#include "report/strip.h"
#include "report/timeline.h"
#include "rules/rank.h"
#include "rules/waiver.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

/// The last part of a path: "a" for both "runs/a/" and "runs/a".
std::string LastName(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path named = absolute.has_filename() ? absolute : absolute.parent_path();
  return named.filename().string();
}

/// The results of measuring the runs. The report describes the run with the median iteration time.
struct Measured {
  std::vector<gate::Snapshot> snapshots;  ///< Snapshots of all runs if there is a baseline; else
                                          ///< empty.
  std::size_t middle = 0;
  analysis::Replayable run;         ///< The run in the middle.
  std::vector<std::string> doubts;  ///< Why the verdict on other runs may be undecided, by name.
};

// Adds doubts about a run that is only compared with, because it must be as complete as the other.
void AddDoubts(const std::string& name, std::span<const Profile> ranks,
               const analysis::Analysis& analysis, const rules::Policy& policy,
               bool allow_incomplete, std::vector<std::string>& doubts) {
  std::vector<std::string> found =
      gate::WhyIncomplete(policy, MergedLog(ranks), analysis.iterations_selected, allow_incomplete);
  for (auto* why : {gate::WhyNothingToJudge, gate::DoubtsOf}) {
    for (std::string& doubt : why(policy, analysis, allow_incomplete)) {
      found.push_back(std::move(doubt));
    }
  }
  const auto missing = gate::WhyRanksMissing(policy, analysis, true);
  if (missing && policy.ranks.on_missing != rules::OnMissingRanks::kWarn) found.push_back(*missing);
  for (const std::string& doubt : found) doubts.push_back(name + ": " + doubt);
}

// Analyzes all runs before any is compared, because only then the described run is known. All
// analyses are in memory until then, so n runs need n times the memory of one.
Result<Measured> Measure(std::span<const RunToJudge> runs, const analysis::Selection& selection,
                         const rules::Policy& policy, bool has_baseline,
                         const JudgeRunsOptions& options) {
  Measured measured;
  std::vector<analysis::Replayable> analysed;
  for (const RunToJudge& run : runs) {
    PROFGAUGE_TRY(analysis::Replayable one, analysis::AnalyzeForReplay(run.ranks, selection));
    analysed.push_back(std::move(one));
  }
  options.phase_ended("analyze");
  for (std::size_t i = 0; has_baseline && i < runs.size(); ++i) {
    PROFGAUGE_TRY(gate::Snapshot snapshot,
                  SnapshotOf(runs[i].name, runs[i].ranks, analysed[i].analysis, selection));
    measured.snapshots.push_back(std::move(snapshot));
  }
  if (has_baseline) {
    measured.middle = gate::FindMiddleRun(measured.snapshots);
    options.phase_ended("attribute");
  }
  for (std::size_t i = 0; i < measured.snapshots.size(); ++i) {
    if (i == measured.middle) continue;
    AddDoubts(options.redact ? "run " + std::to_string(i + 1) : measured.snapshots[i].name,
              runs[i].ranks, analysed[i].analysis, policy, options.choices.allow_incomplete,
              measured.doubts);
  }
  measured.run = std::move(analysed[measured.middle]);
  return measured;
}

/// The ids of the tables that no rule reads.
std::vector<std::string_view> TablesBesides(const rules::Rulebook& rules) {
  std::vector<std::string_view> tables;
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (!rules.LooksAt(table)) tables.push_back(table.id);
  }
  return tables;
}

bool LimitsPlan(const rules::Policy& policy) {
  return std::ranges::any_of(policy.thresholds, [](const rules::Threshold& limit) {
    return limit.metric.starts_with("plan.") || limit.metric.starts_with("floor.");
  });
}

// Hides names in the history as well, and those of users who accepted something.
void HideNamesOf(gate::BaselineInfo& info) {
  for (gate::BaselineRun& run : info.runs) run.commit.clear();
  for (gate::BaselineRun& run : info.runs) run.name = "baseline";
  for (gate::SkippedRun& run : info.skipped)
    run.why = run.why.starts_with("model ") ? "model" : run.why;
  info.level.reset();
  info.ended.reset();
  info.source.clear();
  info.why_missing = "none is comparable";
}

/// Removes repeated profiles, so that each counts once.
void RemoveCopies(std::vector<gate::Snapshot>& runs) {
  std::set<std::string> seen;
  std::erase_if(runs, [&seen](const gate::Snapshot& run) {
    return !run.source.empty() && !seen.insert(run.source).second;
  });
}

/// Sorts files, so that nothing depends on the order in which they were given.
void SortByName(std::vector<gate::Snapshot>& runs) {
  std::ranges::stable_sort(runs, [](const gate::Snapshot& a, const gate::Snapshot& b) {
    return std::tie(a.name, a.source) < std::tie(b.name, b.source);
  });
}

/// The runs for limits on parts. `baselines` are those of `chosen`, prepared for the comparison.
gate::PartRuns PartRunsOf(const ChosenBaseline& chosen, std::span<const gate::Snapshot> baselines,
                          std::span<const gate::Snapshot> runs) {
  if (!chosen.parts.empty()) baselines = chosen.parts;
  if (!chosen.is_of_history) return {baselines, runs};
  if (!chosen.failed.empty()) return {baselines, runs, &chosen.failed.back(), true};
  return gate::WithNewest(baselines, runs);
}

/// Compares the runs with the baselines; nullopt if there are none.
std::optional<gate::RunComparison> CompareThem(const ChosenBaseline& chosen,
                                               std::vector<gate::Snapshot> runs,
                                               const rules::Policy& policy,
                                               const JudgeRunsOptions& options) {
  std::vector<gate::Snapshot> baselines = chosen.runs;
  if (baselines.empty()) return std::nullopt;
  IgnoreUnrecorded(policy, baselines);
  IgnoreUnrecorded(policy, runs);
  if (!options.is_paired) {
    if (!chosen.is_of_history) SortByName(baselines);
    SortByName(runs);
  }
  if (options.redact) {
    HideNames("baseline", baselines);
    HideNames("run", runs);
  }
  if (!options.is_paired) {
    RemoveCopies(baselines);
    RemoveCopies(runs);
  }
  CompareHow how;
  if (options.is_paired) how.purpose = gate::ComparePurpose::kJudgePairs;
  how.accepts_work = options.acceptance.About(gate::kAcceptWork) != nullptr;
  how.earlier = chosen.failed;
  how.parts = PartRunsOf(chosen, baselines, runs);
  gate::RunComparison comparison = CompareAlike(baselines, runs, policy, how);
  if (!chosen.anchor.empty() && comparison.is_judged) {
    std::vector<gate::Snapshot> since = chosen.runs;
    since.insert(since.end(), chosen.failed.begin(), chosen.failed.end());
    gate::HoldAgainstAnchor(chosen.anchor, runs,
                            policy.baseline ? *policy.baseline : rules::PolicyBaseline{},
                            chosen.info, comparison, since);
  }
  comparison.movement = gate::FindMovement(baselines, runs, comparison, chosen.same_commit);
  const bool is_slower = std::any_of(comparison.metrics.begin(), comparison.metrics.end(),
                                     [](const gate::MetricComparison& metric) {
                                       return metric.verdict == gate::stats::Change::kFail &&
                                              gate::IsTypicalTime(metric.metric);
                                     });
  if (is_slower && chosen.blame && !options.redact) {
    comparison.blame = chosen.blame(runs[gate::FindMiddleRun(runs)]);
  }
  return comparison;
}

// Checks the lists of pairs. Pairing by position needs equal lengths, and fewer pairs than
// kLeastPairs cannot exclude chance.
Status CheckPairs(std::size_t baselines, std::size_t runs) {
  if (baselines == runs && runs >= gate::stats::kLeastPairs) return {};
  Error error;
  error.kind = ErrorKind::kUsage;
  error.code = "paired/count";
  error.message =
      fmt::format("`--paired` needs as many runs as baseline runs, {} or more: {} and {}",
                  gate::stats::kLeastPairs, runs, baselines);
  error.notes = {
      "help: record alternately, A B B A A B: check B1 B2 B3 --baseline A1 --baseline A2 "
      "--baseline A3"};
  return Fail(std::move(error));
}

// The options of the timeline. Called while the rules run, because critical paths need the graphs,
// which are freed before the timeline is built. All ranks share a budget, kMostPathMoves.
report::TimelineOptions TimelineOf(const JudgeRunsOptions& options, const rules::Policy& policy,
                                   const analysis::simulation::Replayer* replayer) {
  report::TimelineOptions timeline;
  timeline.knowledge = policy.knowledge;
  using Mode = report::TimelineOptions::Mode;
  const EventsInPage events = options.choices.events;
  timeline.mode = events == EventsInPage::kAll    ? Mode::kFull
                  : events == EventsInPage::kNone ? Mode::kOff
                                                  : Mode::kAuto;
  for (const auto& [name, time] : options.choices.marks) timeline.marks.push_back({name, time});
  if (replayer == nullptr || timeline.mode == Mode::kOff) return timeline;
  const std::size_t ranks = replayer->graphs().size();
  for (std::size_t i = 0; i < ranks; ++i) {
    timeline.paths.push_back(
        {replayer->graphs()[i].rank().profile,
         analysis::simulation::LongestPathMoves(*replayer, i, report::kMostPathMoves / ranks)});
  }
  return timeline;
}

}  // namespace

Result<Judgement::Data> JudgeRuns(std::span<const RunToJudge> runs, const rules::Policy& policy,
                                  const rules::Rulebook& rules, const BaselineSource& source,
                                  const JudgeRunsOptions& options) {
  analysis::Selection selection = SelectionOf(policy, options.choices);
  if (options.verdict_only) selection.unwanted_tables = TablesBesides(rules);
  PROFGAUGE_TRY(Measured measured, Measure(runs, selection, policy, source.IsAsked(), options));
  PROFGAUGE_TRY(ChosenBaseline chosen, source.For(measured.snapshots));
  if (options.redact) HideNamesOf(chosen.info);
  const gate::BaselineState state = chosen.info.state;
  const bool is_missing = gate::IsMissing(state), is_first = state == gate::BaselineState::kFirst;
  chosen.info.warns =
      is_first || (is_missing && options.on_missing_baseline == rules::OnBaselineMissing::kWarn);
  const bool is_error =
      state == gate::BaselineState::kUnknownBranch ||
      (is_missing && !is_first && options.on_missing_baseline == rules::OnBaselineMissing::kFail);
  if (is_error) {
    return Fail(MissingBaseline(chosen.info));
  }
  if (options.is_paired) PROFGAUGE_CHECK(CheckPairs(chosen.runs.size(), runs.size()));
  const RunToJudge& subject = runs[measured.middle];
  std::shared_ptr<const analysis::simulation::Replayer> replayer = std::move(measured.run.replayer);
  Judgement::Data out;
  out.middle = measured.middle;
  out.analysis = std::move(measured.run.analysis);
  if (!options.remark.text.empty()) out.analysis.remarks.push_back(options.remark);
  AddRemarkOnRanks(subject.ranks, out.analysis);
  AddRemarkOnThresholds(policy, out.analysis);
  rules.Predict(replayer.get(), out.analysis);
  const bool has_plan = !options.without_savings || LimitsPlan(policy);
  std::unique_ptr<rules::ScenarioRunner> simulations;
  if (has_plan) simulations = rules::SimulationsOf(replayer.get());
  report::TimelineOptions timeline;
  gate::ReplacedMetrics recorded = gate::TakeProfilerOff(policy, out.analysis);
  const rules::Facts facts = rules::CollectFacts(subject.ranks, out.analysis);
  const auto evaluate = [&] {
    return rules.Evaluate(out.analysis, facts, false, simulations.get(),
                          [&] { timeline = TimelineOf(options, policy, replayer.get()); });
  };
  rules::Evaluation evaluation = evaluate();
  // A large saving makes a warning of a finding that only informs.
  if (!has_plan && rules::MayPromote(evaluation.findings)) {
    simulations = rules::SimulationsOf(replayer.get());
    evaluation = evaluate();
  }
  gate::PutBack(std::move(recorded), out.analysis);
  rules::Plan plan;
  plan.absent_because = plan.floor.absent_because = "no output asks for it";
  if (has_plan) {
    plan = rules.PlanOf(evaluation, out.analysis, simulations.get());
  }
  rules::AddPlanMetrics(plan, out.analysis);
  simulations.reset();
  replayer.reset();  // Timeline and outputs need about as much memory as its graphs.
  gate::JudgeOptions judging{
      options.choices.allow_incomplete, &evaluation, chosen.runs, source.IsAsked(), options.today,
      std::move(measured.doubts)};
  judging.plan = &plan;
  out.verdict = gate::Judge(policy, out.analysis, MergedLog(subject.ranks), judging);
  if (AreListed(subject.ranks)) {
    PROFGAUGE_CHECK(FailWithEach(subject.ranks, selection, policy, rules,
                                 options.choices.allow_incomplete, out.verdict));
  }
  std::optional<gate::RunComparison> comparison =
      CompareThem(chosen, std::move(measured.snapshots), policy, options);
  if (comparison) {
    gate::AddComparison(*comparison, policy, out.verdict, options.acceptance, options.today);
    options.phase_ended("compare");
  }
  if (is_missing) {
    gate::AddMissingBaseline(chosen.info, options.on_missing_baseline, policy, out.verdict);
  }
  gate::AddLoosened(options.loosened, options.acceptance, out.verdict);
  if (!options.policy_note.empty()) out.verdict.notes.push_back(options.policy_note);
  if (out.verdict.status == gate::VerdictStatus::kNoVerdict) {
    gate::OrderReasons(out.verdict.reasons);
  }
  report::BuildInput input;
  input.run_name = subject.name;
  input.ranks = subject.ranks;
  input.runs = runs.size();
  input.analysis = &out.analysis;
  input.policy = &policy;
  input.verdict = &out.verdict;
  input.comparison = comparison ? &*comparison : nullptr;
  const bool is_told = source.IsAsked() || policy.baseline.has_value();
  input.baseline = is_told ? &chosen.info : nullptr;
  input.findings = report::BuildFindings(evaluation, subject.ranks);
  input.plan = report::BuildPlan(plan, evaluation, DeviceWordsOf(AcceleratorOf(subject.ranks)));
  input.rules_hash = rules.rules().hash;
  input.options = ProvenanceOptions(options.choices, policy);
  // Only waivers depend on the date; without them, the report does not.
  if (!policy.waivers.empty()) input.options.emplace_back("now", rules::FormatDay(options.today));
  input.tables = &out.analysis.tables;
  out.report = report::BuildReport(input);
  if (out.report.baseline) {
    out.report.baseline->warns = chosen.info.warns;
  }
  out.add_timeline = [ranks = subject.ranks, times = std::move(out.analysis.rank_times),
                      how = std::move(timeline)](report::Report& report) {
    report.timeline = report::BuildTimeline(ranks, report, how);
    for (const analysis::RankTime& of_rank : times) {
      for (const Span& span : of_rank.unobserved) {
        report.timeline.unobserved.emplace_back(of_rank.rank, span);
      }
    }
    report.strip = report::BuildStrip(ranks, times, how.knowledge, report);
  };
  if (!options.timeline_later || options.redact) {
    std::exchange(out.add_timeline, nullptr)(out.report);
  }
  if (options.redact) report::Redact(out.report, options.redact);
  options.phase_ended("judge");
  return out;
}

analysis::Selection SelectionOf(const rules::Policy& loaded, const EvaluateOptions& options) {
  const rules::PolicyIterations& policy = loaded.iterations;
  analysis::Selection selection;
  // Either of them in the options replaces both of the policy's.
  const bool own = options.iteration_marker || options.key_op;
  selection.iteration_marker = (own ? options.iteration_marker : policy.marker).value_or("");
  selection.key_op = (own ? options.key_op : policy.key_op).value_or("");
  // A bound in the options replaces the policy's bound, as position or as recorded number.
  const bool own_start = options.iter_start || options.iter_start_number;
  const bool own_stop = options.iter_stop || options.iter_stop_number;
  selection.start = (own_start ? options.iter_start : policy.start).value_or(-1);
  selection.stop = (own_stop ? options.iter_stop : policy.stop).value_or(-1);
  selection.start_number = own_start ? options.iter_start_number : policy.start_number;
  selection.stop_number = own_stop ? options.iter_stop_number : policy.stop_number;
  selection.warmup = policy.warmup.value_or(0);
  selection.rank = options.rank.value_or(-1);
  if (options.range) selection.range = Span{options.range->first, options.range->second};
  for (const auto& [name, time] : options.marks) selection.marks.push_back({name, time});
  selection.source_root = options.source_root;
  selection.knowledge = loaded.knowledge;
  return selection;
}

// The choices are named like command line options; additions of the policy come last. The policy's
// files are named without folders, so that the report does not depend on where they are.
std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const rules::Policy& policy) {
  std::vector<std::pair<std::string, std::string>> result;
  const auto add_number = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) result.emplace_back(name, std::to_string(*value));
  };
  const auto add_text = [&](const char* name, const std::optional<std::string>& value) {
    if (value) result.emplace_back(name, *value);
  };
  add_text("iteration-marker", options.iteration_marker);
  add_text("key-op", options.key_op);
  add_number("iter-start", options.iter_start);
  add_number("iter-stop", options.iter_stop);
  const auto add_recorded = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) result.emplace_back(name, "#" + std::to_string(*value));
  };
  add_recorded("iter-start", options.iter_start_number);
  add_recorded("iter-stop", options.iter_stop_number);
  add_number("rank", options.rank);
  if (options.range) {
    result.emplace_back("range", std::to_string(options.range->first) + ":" +
                                     std::to_string(options.range->second));
  }
  for (const auto& [name, time] : options.marks) {
    result.emplace_back("mark", name + "=" + std::to_string(time));
  }
  if (options.allow_incomplete) result.emplace_back("allow-incomplete", "yes");
  const auto add_file = [&](const char* name, const rules::PolicyFile& file) {
    if (!file.path.empty()) result.emplace_back(name, fs::path(file.path).filename().string());
  };
  if (policy.knowledge.undecided_use_tensor_cores) {
    result.emplace_back("tensor-core-unknown", "upper_bound");
  }
  for (std::string& change : ThresholdChanges(policy)) {
    result.emplace_back("threshold", std::move(change));
  }
  add_file("tensor-core-names", policy.tensor_core_names);
  add_file("devices", policy.devices);
  return result;
}

ImportLog MergedLog(std::span<const Profile> ranks) {
  ImportLog log;
  for (const Profile& profile : ranks) log.Merge(profile.log);
  return log;
}

std::string RunName(const std::vector<std::string>& paths) {
  std::error_code error;
  if (paths.empty()) return {};
  if (paths.size() == 1) {
    if (paths[0] == "-") return "stdin";
    return fs::is_directory(paths[0], error) ? LastName(paths[0]) : std::string();
  }
  const fs::path folder = fs::absolute(paths[0], error).parent_path();
  const bool together = std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return fs::absolute(path, error).parent_path() == folder;
  });
  return together ? LastName(folder) : std::string();
}

}  // namespace profgauge
