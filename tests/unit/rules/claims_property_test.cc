// What holds of every saving, whatever the profile and the rule: of files at hand, and of made
// profiles whose truth is known. tests/tools/claims.py has what can be seen in a report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../analysis/fixture.h"
#include "analysis/replay.h"
#include "analysis/simulation/replayer.h"
#include "analysis/simulation/scenario_changes.h"
#include "made_training.h"
#include "path_cuts.h"
#include "readers/load.h"
#include "rules/builtin_files.h"
#include "rules/facts.h"
#include "rules/plan.h"
#include "rules/policy.h"
#include "rules/rulebook.h"
#include "rules/what_if.h"

namespace profgauge::rules {
namespace {

// --- What the tests know of the types of savings; all else of this file is about numbers.

/// ns per iteration that a finding says it saves, at most or about; nothing where it is unknown.
std::optional<double> ClaimOf(const Finding& finding) {
  return finding.claim.is_known() ? std::optional(finding.claim.saves) : std::nullopt;
}
/// ns per iteration that a step of a plan saves after the steps before it.
double SavesOf(const PlanStep& step) { return step.claim.saves; }
/// Whether the work of a rule's scenario still runs, beside other work.
bool IsHidden(const CompiledRule& rule) {
  return std::ranges::any_of(rule.scenario->scales,
                             [](const CompiledScale& scale) { return scale.hides; });
}
/// The scenario with the factors that Replayer::Predict() finds.
path::Scenario AsPredicted(const path::Replayer& replayer, const path::Scenario& scenario) {
  return replayer.WithFactors(scenario);
}

// --- Runs and their plans.

/// The shipped rules, as without a policy.
struct ShippedBook {
  Policy policy = *LoadPolicy("builtin:recommended");
  Rulebook book = *LoadRulebook(policy, {});
};
const ShippedBook& OwnBook() {
  static const ShippedBook known;
  return known;
}

/// A run, its findings, and its plan.
struct PlannedRun {
  explicit PlannedRun(std::vector<Profile> read)
      : ranks(std::move(read)), run(*analysis::AnalyzeForReplay(ranks, {})) {
    const Rulebook& book = OwnBook().book;
    const auto simulations = SimulationsOf(run.replayer.get());
    evaluation =
        book.Evaluate(run.analysis, CollectFacts(ranks, run.analysis), false, simulations.get());
    plan = book.PlanOf(evaluation, run.analysis, simulations.get());
  }

  /// The fired finding of a rule; null without one.
  const Finding* Find(std::string_view rule) const {
    const auto found = std::ranges::find_if(evaluation.findings, [&](const Finding& finding) {
      return finding.rule->id == rule && Fired(finding.status);
    });
    return found == evaluation.findings.end() ? nullptr : &*found;
  }
  double time() const { return analysis::NumberOf(run.analysis, "iteration.time.mean"); }

  std::vector<Profile> ranks;
  analysis::Replayable run;
  Evaluation evaluation;
  Plan plan;
};

// --- What must hold.

/// The changes together, as the plan makes them (rules/plan.cc).
path::Scenario Joined(const path::Replayer& replayer, std::span<const path::Scenario> some) {
  path::Scenario all;
  all.by_smallest = some.size() > 1;
  for (const path::Scenario& one : some) {
    all.without_waiting = all.without_waiting || one.without_waiting;
    all.scalings.insert(all.scalings.end(), one.scalings.begin(), one.scalings.end());
  }
  return AsPredicted(replayer, std::move(all));
}

struct NamedScenario {
  const CompiledRule* rule = nullptr;
  path::Scenario changes;
};

/// The scenarios of all shipped rules that select rows of this run.
std::vector<NamedScenario> ScenariosOf(const PlannedRun& planned) {
  std::vector<NamedScenario> out;
  ScenarioRunner runner(*planned.run.replayer, path::PredictionOf::kTimes);
  for (const CompiledRule& rule : OwnBook().book.compiled()) {
    if (!rule.scenario) continue;
    path::Scenario changes = runner.ChangesOf(*rule.scenario);
    if (!WhyNotSimulated(changes, *planned.run.replayer).empty()) continue;
    const bool selects = std::ranges::any_of(
        changes.scalings, [](const path::Scaling& scaling) { return scaling.rows.size() > 0; });
    if (selects || changes.without_waiting) out.push_back({&rule, std::move(changes)});
  }
  return out;
}

/// That these times are those of which savings are predicted, where no time between iterations
/// counts.
void ExpectPredicted(const path::Replayer& replayer, const Simulated& simulated,
                     const path::Prediction& prediction) {
  std::map<std::string_view, std::pair<Ns, Ns>> slowest;  // Recorded and simulated.
  for (std::size_t rank = 0; rank < simulated.times.size(); ++rank) {
    const auto spans = replayer.graphs()[rank].IterationsAt(simulated.times[rank]);
    const auto selected = replayer.ranks()[rank].iterations.selected();
    for (std::size_t k = 0; k < spans.size(); ++k) {
      auto& [recorded, later] = slowest[selected[k].name];
      recorded = std::max(recorded, selected[k].time.length());
      later = std::max(later, spans[k].length());
    }
  }
  double recorded = 0, later = 0;
  for (const auto& [name, lengths] : slowest) {
    recorded += static_cast<double>(lengths.first) / static_cast<double>(slowest.size());
    later += static_cast<double>(lengths.second) / static_cast<double>(slowest.size());
  }
  if (std::abs(recorded - prediction.recorded_time) < 1) {
    // It may be more: what the streams work all the same.
    EXPECT_GE(prediction.iteration_time, later - 1);
  }
}

/// I1: T(C) - T(C and c) is no more than c cuts from the critical path of C.
void ExpectSavesNoMoreThanPath(const OwnJoint& joint, std::span<const path::Scenario> done,
                               const NamedScenario& next) {
  SCOPED_TRACE(next.rule->rule->id);
  const path::Replayer& replayer = joint.replayer();
  std::vector<path::Scenario> all(done.begin(), done.end());
  all.push_back(next.changes);
  const path::Scenario first = Joined(replayer, done), both = Joined(replayer, all);
  if (first.without_waiting != both.without_waiting && replayer.is_joint()) return;  // Two models.
  const Simulated before(joint, first), after(joint, both);
  PathCuts cuts(joint, before, after);
  std::size_t wrong = 0;
  for (std::uint32_t rank = 0; rank < before.times.size(); ++rank) {
    for (StepId step = 0; step < before.times[rank].size(); ++step) {
      const Ns saved = before.times[rank][step] - after.times[rank][step];
      const Ns most = cuts.Of(rank, step);
      if (saved > most && ++wrong == 1) {
        ADD_FAILURE() << "step " << step << " of rank " << rank << ": " << saved << " > " << most;
      }
    }
  }
  ExpectPredicted(replayer, after, replayer.Predict(both, path::PredictionOf::kTimes));
}

/// I5: no iteration is shorter than the work of one stream; hidden work still runs.
void ExpectNoLessThanStreams(const PlannedRun& planned, std::span<const NamedScenario> done) {
  const path::Replayer& replayer = *planned.run.replayer;
  const OwnJoint joint(replayer);
  std::vector<path::Scenario> all, shorter;
  std::vector<analysis::simulation::Flags> hidden(replayer.graphs().size());
  for (std::uint32_t rank = 0; rank < hidden.size(); ++rank) {
    hidden[rank] = path::Flags(replayer.graphs()[rank].rank().profile->device.size());
  }
  for (const NamedScenario& some : done) {
    all.push_back(some.changes);
    if (!IsHidden(*some.rule)) {
      shorter.push_back(some.changes);
      continue;
    }
    for (const path::Scaling& scaling : some.changes.scalings) {
      if (scaling.table != path::PathTable::kDevice) continue;
      for (const path::ScenarioRows::Range& range : scaling.rows.ranges()) {
        hidden[range.rank].Set(range.begin, range.end);
      }
    }
  }
  const path::Prediction predicted =
      replayer.Predict(Joined(replayer, all), path::PredictionOf::kTimes);
  const path::Scenario others = Joined(replayer, shorter);
  for (std::uint32_t rank = 0; rank < hidden.size(); ++rank) {
    const path::PathGraph& graph = replayer.graphs()[rank];
    const Profile& profile = *graph.rank().profile;
    const path::ScenarioChanges changes(others, graph, rank, replayer.transfers(rank),
                                        joint.Of(others));
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::pair<double, double>> streams;
    for (StepId end = 1; end < graph.device_steps(); end += 2) {
      const std::uint32_t row = graph.OwnerOf(end).row;
      if (!graph.rank().InIterations(DeviceId{row})) continue;
      Ns work = profile.device.duration[row];
      if (!replayer.transfers(rank).empty() && replayer.transfers(rank)[row] >= 0) {
        work = std::min(work, replayer.transfers(rank)[row]);  // Waiting is no work.
      }
      auto& [recorded, left] =
          streams[{profile.device.gpu[row], profile.device.stream[row], hidden[rank][row]}];
      recorded += static_cast<double>(work);
      left += static_cast<double>(std::max<Ns>(0, work - changes.Of(end).cut));
    }
    const auto iterations =
        static_cast<double>(std::max<std::size_t>(graph.rank().iterations.selected().size(), 1));
    for (const auto& [stream, work] : streams) {
      // Work that was recorded beside other work of its stream is no bound.
      if (work.first / iterations > predicted.recorded_time) continue;
      EXPECT_GE(predicted.iteration_time, work.second / iterations - 1)
          << "rank " << rank << ", stream " << std::get<1>(stream)
          << (std::get<2>(stream) ? ", hidden" : "");
    }
  }
}

/// I1 and I5 of the plan, and of random sets of all rules' scenarios.
void ExpectPossible(const PlannedRun& planned, unsigned seed) {
  if (planned.run.replayer == nullptr || !planned.run.replayer->can_replay()) return;
  const OwnJoint joint(*planned.run.replayer);
  std::vector<NamedScenario> scenarios = ScenariosOf(planned);
  for (NamedScenario& one : scenarios) {
    planned.run.replayer->FindSteps(one.changes);
    ExpectSavesNoMoreThanPath(joint, {}, one);
  }
  std::mt19937 random(seed);
  std::shuffle(scenarios.begin(), scenarios.end(), random);
  std::vector<path::Scenario> done;
  for (const NamedScenario& one :
       std::span(scenarios).first(std::min<std::size_t>(scenarios.size(), 4))) {
    ExpectSavesNoMoreThanPath(joint, done, one);
    done.push_back(one.changes);
  }
  std::vector<NamedScenario> steps;
  for (const PlanStep& step : planned.plan.steps) {
    for (const std::size_t finding : step.findings) {
      const Finding& its = planned.evaluation.findings[finding];
      const Rule* const rule = its.rule;
      EXPECT_FALSE(its.is_other_profile) << rule->id << " " << its.reason;
      const auto found = std::ranges::find_if(
          scenarios, [&](const NamedScenario& one) { return one.rule->rule == rule; });
      if (found != scenarios.end()) steps.push_back(*found);
    }
    SCOPED_TRACE(testing::Message() << "after " << steps.size() << " changes, the last of "
                                    << steps.back().rule->rule->id);
    ExpectNoLessThanStreams(planned, steps);
  }
}

/// I4: the steps add up, and the time never rises.
void ExpectSum(const Plan& plan) {
  double time = plan.start, saved = 0;
  for (const PlanStep& step : plan.steps) {
    EXPECT_LE(step.time, time);
    EXPECT_NEAR(time - step.time, SavesOf(step), 1);
    saved += SavesOf(step);
    time = step.time;
  }
  EXPECT_NEAR(plan.start - plan.end(), saved, 1);
}

/// Files that can be read in no time: of the repository, and others' where they are there.
std::vector<std::string> SmallProfiles() {
  constexpr std::uintmax_t kSmall = 150'000;
  const std::string root = PROFGAUGE_SOURCE_DIR;
  std::vector<std::string> out = {root + "/examples/ddp"};
  const std::string shared = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto";
  for (const std::string& folder : {root + "/examples", shared + "/micro", shared + "/dlrm_8ranks",
                                    std::string(PROFGAUGE_SHARED_DIR) + "/data/claims"}) {
    if (!std::filesystem::exists(folder)) continue;
    if (folder.ends_with("dlrm_8ranks")) out.push_back(folder);
    for (const auto& some : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string file = some.path().string();
      const bool is_profile = file.ends_with(".json.gz") || file.ends_with("trace.json");
      if (is_profile && some.file_size() < kSmall) out.push_back(file);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ClaimsProperty, SavingsOfProfilesArePossible) {
  std::size_t plans = 0;
  unsigned seed = 0;
  for (const std::string& file : SmallProfiles()) {
    SCOPED_TRACE(file);
    auto ranks = readers::ReadRun({file}, {});
    if (!ranks) continue;
    const PlannedRun planned(*std::move(ranks));
    ExpectSum(planned.plan);
    ExpectPossible(planned, ++seed);
    plans += planned.plan.steps.empty() ? 0 : 1;
  }
  EXPECT_GT(plans, 5u);
}

struct PlanLine {
  std::vector<std::string> rules;
  double time = 0;
};

std::vector<PlanLine> LinesOf(const Plan& plan, const std::vector<Finding>& findings) {
  std::vector<PlanLine> out;
  for (const PlanStep& step : plan.steps) {
    PlanLine& line = out.emplace_back();
    line.time = step.time;
    for (const std::size_t at : step.findings) line.rules.push_back(findings[at].rule->id);
    std::sort(line.rules.begin(), line.rules.end());
  }
  return out;
}

TEST(ClaimsProperty, OrderOfRulesAndThreadsChangeNothing) {
  const std::string root = PROFGAUGE_SOURCE_DIR;
  for (const std::string file : {"/examples/slow.pt.trace.json.gz", "/examples/ddp",
                                 "/examples/h200/fp32.pt.trace.json.gz"}) {
    SCOPED_TRACE(file);
    readers::ReadOptions single, several;
    single.threads = 1;
    several.threads = 8;
    const PlannedRun one(*readers::ReadRun({root + file}, single));
    const PlannedRun many(*readers::ReadRun({root + file}, several));
    const Policy& policy = OwnBook().policy;
    RuleSet reversed = *LoadRules(BuiltinRuleFiles());
    std::reverse(reversed.rules.begin(), reversed.rules.end());
    const auto active = SelectRules(reversed, policy, {});
    ASSERT_TRUE(active.has_value());
    const auto compiled = CompileRules(*active, policy);
    ASSERT_TRUE(compiled.has_value());
    RuleRunOptions options;
    const auto simulations = SimulationsOf(one.run.replayer.get());
    options.simulations = simulations.get();
    const Evaluation evaluation = EvaluateRules(*compiled, one.run.analysis,
                                                CollectFacts(one.ranks, one.run.analysis), options);
    const Plan plan = MakePlan(*compiled, evaluation.findings, one.run.analysis, simulations.get());
    const auto expected = LinesOf(one.plan, one.evaluation.findings);
    ASSERT_FALSE(expected.empty());
    for (const auto& lines :
         {LinesOf(many.plan, many.evaluation.findings), LinesOf(plan, evaluation.findings)}) {
      ASSERT_EQ(lines.size(), expected.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i].rules, expected[i].rules);
        EXPECT_NEAR(lines[i].time, expected[i].time, 1);
      }
    }
    std::map<std::string, std::optional<double>> claims;
    for (const Finding& finding : one.evaluation.findings) {
      if (Fired(finding.status)) claims[finding.key] = ClaimOf(finding);
    }
    for (const Finding& finding : evaluation.findings) {
      if (Fired(finding.status) && claims.contains(finding.key)) {
        EXPECT_EQ(ClaimOf(finding), claims[finding.key]) << finding.key;
      }
    }
  }
}

// Of FP32 matmuls that the host cannot feed faster, a third is worth their time.
TEST(ClaimsProperty, FasterDeviceWorkSavesNoMoreThanItsRemoval) {
  const std::string root = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/";
  const CompiledScenario removal = *CompileScenario(
      {.name = "removal", .scales = {*ParseScale("launch.time >= 0 ns by 0", "")}});
  bool is_capped = false;
  for (const std::string file : {"slow.pt.trace.json.gz", "h200/fp32.pt.trace.json.gz"}) {
    SCOPED_TRACE(file);
    const PlannedRun planned(*readers::ReadRun({root + file}, {}));
    ScenarioRunner runner(*planned.run.replayer, path::PredictionOf::kTimes);
    const auto removed = runner.Run(removal).prediction;
    ASSERT_TRUE(removed.has_value());
    const double most = removed->recorded_time - removed->iteration_time;
    for (const Finding& finding : planned.evaluation.findings) {
      const std::string& row = finding.rule->for_each.text;
      const bool is_device = row == "kernel" || row == "roofline_op" || row == "tensor_core_op";
      if (!is_device || !Fired(finding.status) || !ClaimOf(finding)) continue;
      EXPECT_LE(*ClaimOf(finding), most + 1) << finding.key;
      is_capped = is_capped || finding.estimate.value_or(0) > most + 1;
    }
  }
  EXPECT_TRUE(is_capped);
}

// GPU 0 works 8 of 10 ms and GPU 1 works 2: without any waiting, an iteration takes 8 ms.
TEST(ClaimsProperty, IdleTimeIsBoundedByTheBusiestGpu) {
  using analysis::kMs;
  analysis::TestProfile test;
  for (int i = 0; i < 12; ++i) {
    const Ns at = i * 10 * kMs;
    test.Step(i, {at, at + 10 * kMs});
    for (const int gpu : {0, 1}) {
      const Ns work = (gpu == 0 ? 8 : 2) * kMs;
      test.Launch("k", {at + 10'000, at + 20'000}, {at + 100'000, at + 100'000 + work}, {},
                  DeviceKind::kKernel, gpu);
    }
  }
  const PlannedRun planned(analysis::OneRank(test.Finish()));
  const Finding* const idle = planned.Find("gpu/idle");
  ASSERT_NE(idle, nullptr);
  ASSERT_TRUE(ClaimOf(*idle).has_value());
  EXPECT_LE(*ClaimOf(*idle), 2.0 * kMs + 1);
}

// Batches are stacked on the CPU for 6.9 of 10 ms: three launches fewer bring none of it back.
TEST(ClaimsProperty, FewerLaunchesSaveNoWorkOfTheCpu) {
  using analysis::kMs;
  analysis::TestProfile test;
  for (int i = 0; i < 12; ++i) {
    const Ns at = i * 10 * kMs;
    test.Step(i, {at, at + 10 * kMs});
    test.Op("aten::stack", {at + 10'000, at + 6'900'000});
    for (int k = 0; k < 3; ++k) {
      const Ns op = at + 6'920'000 + k * 20'000, work = at + 6'950'000 + k * kMs;
      test.Op("aten::mm", {op, op + 15'000});
      test.Launch("k", {op + 3'000, op + 9'000}, {work, work + kMs});
    }
  }
  const PlannedRun planned(analysis::OneRank(test.Finish()));
  for (const PlanStep& step : planned.plan.steps) {
    for (const std::size_t at : step.findings) {
      if (planned.evaluation.findings[at].rule->id != "host/launch-bound") continue;
      EXPECT_LE(step.claim.saves, 3 * 15'000 + 3 * 6'000);
    }
  }
  const Finding* const launches = planned.Find("host/launch-bound");
  EXPECT_LE(launches == nullptr ? 0 : ClaimOf(*launches).value_or(0), 3 * 15'000 + 3 * 6'000);
  // In the simulation the operators that launch are selected, and the stacked batch is not.
  const auto selected = [&](const char* condition) {
    const auto one = *CompileScenario({.name = "s", .scales = {*ParseScale(condition, "")}});
    return ScenarioRunner(*planned.run.replayer, path::PredictionOf::kTimes).Run(one).matched;
  };
  EXPECT_EQ(selected("host_op.name == 'aten::mm' and host_op.launches by 0"),
            std::vector<std::uint64_t>{36});
  EXPECT_EQ(selected("host_op.name == 'aten::stack' and not host_op.launches by 0.5"),
            std::vector<std::uint64_t>{12});
}

// Steps that reach targets at best may save nothing: the high end of a plan is no shorter than the
// time that the other steps leave.
TEST(ClaimsProperty, HighEndOfAPlanKeepsWhatMayRemain) {
  const std::string root = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/";
  std::size_t opened = 0;
  for (const std::string file : {"slow.pt.trace.json.gz", "h200/fp32.pt.trace.json.gz",
                                 "h200/bf16_odd_vocabulary.pt.trace.json.gz"}) {
    SCOPED_TRACE(file);
    const PlannedRun planned(*readers::ReadRun({root + file}, {}));
    ScenarioRunner runner(*planned.run.replayer, path::PredictionOf::kTimes);
    std::vector<CompiledScenario> sure;
    bool is_open = false;
    for (const PlanStep& step : planned.plan.steps) {
      is_open = is_open || step.claim.is_best_case;
      for (const std::size_t at : step.findings) {
        if (step.claim.is_best_case) continue;
        const auto rule =
            std::ranges::find(OwnBook().book.compiled(), planned.evaluation.findings[at].rule->id,
                              [](const CompiledRule& compiled) { return compiled.rule->id; });
        sure.push_back(*rule->scenario);
      }
      if (!is_open || sure.empty()) continue;
      const auto left = runner.RunTogether(sure).prediction;
      ASSERT_TRUE(left.has_value());
      ++opened;
      EXPECT_GE(step.high.value_or(step.time), left->iteration_time - 0.01 * planned.plan.start);
    }
  }
  EXPECT_GT(opened, 1U);
}

// --- Made profiles, whose truth is known.

constexpr unsigned kSeeds = 200;

// Claim <= min(transfer, computation), and the twin in which that much is hidden is no faster.
TEST(ClaimsProperty, OverlapSavesWhatComputationHides) {
  std::size_t claims = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const MadeTraining run(seed);
    const double twin = PlannedRun(Beside(run)).time();
    for (const bool all : {false, true}) {
      SCOPED_TRACE(all ? "all ranks" : "the late rank");
      std::vector<Profile> ranks = Serial(run);
      if (!all) {  // Of the one that waits for nobody: the profile cannot know.
        std::swap(ranks.front(), ranks[run.late]);
        ranks.erase(ranks.begin() + 1, ranks.end());
      }
      const PlannedRun planned(std::move(ranks));
      const Finding* const finding = planned.Find("comm/exposed");
      if (finding == nullptr || !ClaimOf(*finding)) continue;
      ++claims;
      const auto most = static_cast<double>(std::min(run.transfer(), run.computation()));
      const double rounding = 1 + static_cast<double>(run.transfers.size());
      EXPECT_LE(*ClaimOf(*finding), most + rounding);
      // Factors are in thousandths, rounded to save less.
      const double steps = static_cast<double>(run.transfer()) / 1'000;
      EXPECT_GE(twin, planned.time() - *ClaimOf(*finding) - rounding - steps);
    }
  }
  EXPECT_GT(claims, kSeeds);
}

TEST(ClaimsProperty, SavingsOfMadeProfilesArePossible) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const MadeTraining run(seed);
    std::vector<Profile> ranks = Serial(run);
    if (seed % 2 == 0) ranks.erase(ranks.begin() + 1, ranks.end());
    const PlannedRun planned(std::move(ranks));
    ExpectSum(planned.plan);
    ExpectPossible(planned, seed);
  }
}

// A first launch that loads code is no cost of launching: less launching saves what it saves
// without, and what of the work before can run beside that call.
TEST(ClaimsProperty, FirstCallsChangeNoSavingOfLaunches) {
  std::size_t loads = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed + 1'000);
    const double times = std::pow(10.0, static_cast<double>(random() % 3'001) / 1'000);
    const Ns first = std::llround(times * static_cast<double>(kCall));
    if (first <= 200'000) continue;  // idle.loading_launch: else it may be a slow launch.
    ++loads;
    const PlannedRun usual(analysis::OneRank(LaunchBound(seed, kCall)));
    const PlannedRun loading(analysis::OneRank(LaunchBound(seed, first)));
    const Finding* const was = usual.Find("host/launch-bound");
    const Finding* const is = loading.Find("host/launch-bound");
    ASSERT_NE(was, nullptr);
    if (is == nullptr) continue;  // Little beside the first call.
    const double more = ClaimOf(*is).value_or(0) - ClaimOf(*was).value_or(0);
    EXPECT_GE(more, -0.01 * kCall) << first;
    EXPECT_LE(more, LaunchShape(seed).WorkBefore() + 0.01 * kCall) << first;
  }
  EXPECT_GT(loads, kSeeds / 3);
}

}  // namespace
}  // namespace profgauge::rules
