#include "rules/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/simulation/replayer.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/parallel.h"
#include "knowledge/plan.h"
#include "rules/plan_search.h"
#include "rules/rule_run.h"

namespace profgauge::rules {
namespace {

// Work of the search. After the first step, this many passed rules are options too: launches and
// copies become the limit of 5 of 13 simulated plans. If nothing saves enough alone, pairs of this
// many are tried. The steps of all simulations together take about 6 s of two cores.
constexpr std::size_t kMostLaterOptions = 4;
constexpr std::size_t kMostPaired = 4;
constexpr std::size_t kMostReplayedSteps = 100'000'000;

struct Candidate {
  std::size_t finding = 0;
  analysis::simulation::Scenario changes;
  PlanOption option;
  bool host_reacts = false, to_target = false, is_typical = false, changes_host = false;
};

bool SelectsRows(const analysis::simulation::Scenario& changes) {
  return changes.without_waiting || std::any_of(changes.scalings.begin(), changes.scalings.end(),
                                                [](const analysis::simulation::Scaling& scaling) {
                                                  return scaling.rows.size() > 0;
                                                });
}

const CompiledRule* RuleOf(std::span<const CompiledRule> rules, const Finding& finding) {
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const auto& some) { return some.rule == finding.rule; });
  return rule == rules.end() ? nullptr : &*rule;
}

// True for the first finding of a rule, which represents its others: they have one scenario.
bool IsFirstOfItsRule(const std::vector<Finding>& findings, std::size_t at) {
  return std::none_of(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(at),
                      [&](const Finding& other) { return other.rule == findings[at].rule; });
}

// True if some launches keep their recorded times, which makes simulated savings too small.
bool HasFreeThreads(const analysis::simulation::Replayer& replayer) {
  const auto graphs = replayer.graphs();
  return std::any_of(
      graphs.begin(), graphs.end(),
      [](const analysis::simulation::PathGraph& graph) { return !graph.free_threads().empty(); });
}

class Planner {
 public:
  Planner(std::span<const CompiledRule> rules, const std::vector<Finding>& findings,
          ScenarioRunner& simulations, double start, double host_excess)
      : rules_(rules),
        findings_(findings),
        simulations_(simulations),
        replayer_(simulations.replayer()),
        start_(start),
        host_excess_(host_excess) {}

  Plan Make() {
    Plan plan;
    plan.start = start_;
    plan.limits = PredictionLimits(&replayer_);
    Collect(true, knowledge::kPlanMostOptions.as<std::size_t>());
    if (candidates_.empty()) {
      plan.absent_because = "no finding says which work would take less time";
      return plan;
    }
    Collect(false, kMostLaterOptions);
    Search(plan);
    return plan;
  }

  /// The changes of all steps of the plan.
  analysis::simulation::Scenario Chosen() const { return Together(chosen_); }

 private:
  // Adds candidates with the largest bounds, from fired findings or else from passed ones.
  void Collect(bool fired, std::size_t most) {
    std::vector<std::optional<Candidate>> found(findings_.size());
    ForEachAtOnce(
        findings_.size(), [&](std::size_t i) { found[i] = CandidateOf(i, fired); },
        kMostSimulatedAtOnce);
    std::vector<Candidate> some;
    for (std::optional<Candidate>& candidate : found) {
      if (candidate) some.push_back(*std::move(candidate));
    }
    std::stable_sort(some.begin(), some.end(), [](const Candidate& a, const Candidate& b) {
      return a.option.at_most > b.option.at_most;
    });
    if (some.size() > most) some.resize(most);
    std::move(some.begin(), some.end(), std::back_inserter(candidates_));
    // Keeps the order of the findings, which decides between equal savings.
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
      return std::pair(!a.option.is_asked_for, a.finding) <
             std::pair(!b.option.is_asked_for, b.finding);
    });
  }

  std::optional<Candidate> CandidateOf(std::size_t i, bool fired) const {
    const Finding& finding = findings_[i];
    const bool is_wanted =
        fired ? Fired(finding.status) : Passed(finding.status) || finding.is_left_out;
    if (finding.is_other_profile) return std::nullopt;
    if (!is_wanted || finding.rule->category == kAboutRecording) return std::nullopt;
    const CompiledRule* rule = RuleOf(rules_, finding);
    if (rule == nullptr || !rule->scenario || !IsFirstOfItsRule(findings_, i)) return std::nullopt;
    // A fired finding needs a simulated claim, and so does a range, whose low end only that has.
    const bool promises = fired || rule->scenario->host_reacts;
    if (promises && !finding.claim.is_simulated()) return std::nullopt;
    Candidate candidate{i, simulations_.ChangesOf(*rule->scenario), {}, false};
    if (!WhyNotSimulated(candidate.changes, replayer_).empty()) return std::nullopt;
    if (!SelectsRows(candidate.changes)) return std::nullopt;
    candidate.host_reacts = rule->scenario->host_reacts;
    candidate.to_target = rule->scenario->is_to_target();
    candidate.is_typical = rule->scenario->is_typical();
    candidate.changes_host = rule->scenario->changes_host();
    candidate.option = {replayer_.MostSaved(candidate.changes), fired, AloneOf(finding)};
    return candidate;
  }

  // The finding's own simulated saving. A saving of 0 or of the whole iteration may have been
  // capped, so it is not used: it would give a wrong time.
  std::optional<double> AloneOf(const Finding& finding) const {
    const Claim& claim = finding.claim;
    const bool is_known = claim.is_simulated() && claim.saves > 0 && claim.saves < start_;
    return is_known ? std::optional(claim.saves) : std::nullopt;
  }

  // The changes of several findings as one. If two select the same kernel, the smaller factor is
  // used, because two fixes do not both shorten it.
  analysis::simulation::Scenario Together(std::span<const std::size_t> chosen) const {
    analysis::simulation::Scenario all;
    all.by_smallest = chosen.size() > 1;
    for (const std::size_t option : chosen) {
      const analysis::simulation::Scenario& changes = candidates_[option].changes;
      all.without_waiting = all.without_waiting || changes.without_waiting;
      all.scalings.insert(all.scalings.end(), changes.scalings.begin(), changes.scalings.end());
    }
    return all;
  }

  double TimeWith(std::span<const std::size_t> chosen) const {
    if (chosen.empty()) return recorded_;
    return replayer_.Predict(Together(chosen), analysis::simulation::PredictionOf::kTimes)
        .iteration_time;
  }

  // Explains a saving larger than the time that its rule measured: later work may start sooner, and
  // earlier steps may expose more. Empty for findings of the first step, which explain it.
  std::string WhyMoreThanMeasured(std::span<const std::size_t> options, double saves) const {
    if (options.size() != 1) return {};
    const Finding& finding = findings_[candidates_[options.front()].finding];
    if (chosen_.size() == 1 && Fired(finding.status)) return {};
    if (!finding.estimate || saves - *finding.estimate < LeastTold()) return {};
    if (std::llround(*finding.estimate) == 0) {
      return "its rule measures nothing of this time today; later work starts sooner";
    }
    return fmt::format(
        "its rule measures {} of this time today; the rest is later work that starts sooner{}",
        FormatDuration(*finding.estimate),
        replayer_.TimeWithPauses() > 0 ? ", or is between iterations" : "");
  }

  double TimeWithSlowerHost() const {
    return replayer_
        .Predict(simulations_.WithSlowerHost(Together(chosen_)),
                 analysis::simulation::PredictionOf::kTimes)
        .iteration_time;
  }

  // The iteration time with all changes, which is the least possible. Also sets recorded_.
  double TimeWithAll() {
    std::vector<std::size_t> all(candidates_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    analysis::simulation::Scenario together = Together(all);
    together.keeps_rooms = true;
    const analysis::simulation::Prediction found =
        replayer_.Predict(together, analysis::simulation::PredictionOf::kTimes);
    recorded_ = found.recorded_time;
    return found.iteration_time;
  }

  double LeastTold() const { return knowledge::kPlanLeastGainShare.Of(start_); }

  // Sets the low end of a step's saving, if the host reacts to it or to an earlier step.
  void LowerBySlowerHost(bool reacts, double slowest_before, double& slowest, PlanStep& out) {
    slowest = out.time;
    if (!reacts) return;
    const double high =
        std::clamp(start_ - recorded_ + TimeWithSlowerHost(), out.time, slowest_before);
    if (high - out.time < LeastTold()) return;
    slowest = high;
    // If earlier steps slowed the host as much, this step saves no less than simulated.
    out.claim.low = std::min(slowest_before - high, out.claim.saves);
  }

  void Search(Plan& plan) {
    std::size_t length = 1;
    for (const analysis::simulation::PathGraph& graph : replayer_.graphs()) length += graph.size();
    PlanLimits limits;
    limits.least_saving = knowledge::kPlanLeastGainShare.Of(start_);
    limits.new_share = knowledge::kPlanPromotedShare.value();
    limits.tie = knowledge::kPlanTieShare.Of(start_);
    limits.most_steps = knowledge::kPlanMostSteps.as<std::size_t>();
    limits.paired = kMostPaired;
    limits.at_once = replayer_.is_joint() ? 1 : Cores();  // Many ranks need much memory.
    limits.most_replays = kMostReplayedSteps / length;
    if (limits.most_replays > 0) limits.least_time = TimeWithAll();
    std::vector<PlanOption> options;
    for (const Candidate& candidate : candidates_) options.push_back(candidate.option);
    const PlannedSteps found = SearchPlan(
        options, limits, [this](std::span<const std::size_t> set) { return TimeWith(set); });
    plan.replays = found.replays;
    plan.complete = found.complete;
    double time = start_, slowest = start_;  // With normal and with slower other work of the host.
    double highest = start_;                 // If each step saves its least.
    double excess_left = host_excess_;       // The profiler's delay goes once, not with each step.
    bool reacts = false;
    for (const PlannedStep& step : found.steps) {
      const double before = time, slowest_before = slowest;
      time = std::max(0.0, before - step.saves);
      PlanStep& out = plan.steps.emplace_back();
      out.time = time;
      out.claim = {Basis::kSimulated, before - time, {}, {}};
      out.alone = step.alone;
      bool changes_host = false;
      for (const std::size_t option : step.options) {
        out.findings.push_back(candidates_[option].finding);
        chosen_.push_back(option);
        reacts = reacts || candidates_[option].host_reacts;
        out.claim.is_best_case = out.claim.is_best_case || candidates_[option].to_target;
        out.claim.is_typical = out.claim.is_typical || candidates_[option].is_typical;
        changes_host = changes_host || candidates_[option].changes_host;
      }
      // If the finding's own saving is nothing, it must be nothing here, too.
      const Finding& first = findings_[out.findings.front()];
      if (out.findings.size() == 1 && Fired(first.status)) out.alone = first.claim.saves;
      out.claim.why = WhyMoreThanMeasured(step.options, out.claim.saves);
      LowerBySlowerHost(reacts, slowest_before, slowest, out);
      if (out.claim.is_best_case) out.claim.low = 0;  // No recording shows that they reach it.
      // Without the profiler the start is shorter, and so the saving; the end is not. But if
      // nothing shows what a usual iteration has, the work may stay, and so does the time after it.
      const double excess = changes_host ? excess_left : 0;
      if (std::isinf(excess)) AllowForExcess(excess, LeastTold(), out.claim);
      // If earlier steps save less than at best, this one may save no more than without them.
      if (highest - before >= LeastTold() && out.claim.least() - out.alone >= LeastTold()) {
        out.claim.low = std::max(0.0, out.alone);
      }
      highest = std::max(time, highest - out.claim.least());
      if (highest - time >= LeastTold()) out.high = highest;
      if (excess > 0) AllowForExcess(excess, LeastTold(), out.claim);
      if (std::isfinite(excess))
        excess_left = std::max(0.0, excess_left - std::min(excess, before - time));
    }
    for (const std::size_t option : found.no_effect) {
      plan.no_effect.push_back(candidates_[option].finding);
    }
    if (!plan.steps.empty()) return;
    plan.absent_because =
        plan.complete
            ? fmt::format("fixing the findings would save less than {:g} % of an iteration",
                          100 * knowledge::kPlanLeastGainShare.value())
            : "the profile is too long to simulate its findings";
  }

  std::span<const CompiledRule> rules_;
  const std::vector<Finding>& findings_;
  ScenarioRunner& simulations_;
  const analysis::simulation::Replayer& replayer_;
  double start_, host_excess_, recorded_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> chosen_;  // Candidates that became steps.
};

Plan NoPlan(std::string why) {
  Plan plan;
  plan.floor.absent_because = why;
  plan.absent_because = std::move(why);
  return plan;
}

std::string WhyNoReplay(const analysis::Analysis& analysis) {
  const analysis::Metric* path = analysis.Find(metric::kCriticalHostShare);
  return path == nullptr || path->absent_because.empty() ? "this profile cannot be simulated"
                                                         : path->absent_because;
}

// The reason why nothing can be simulated; empty if something can.
std::string WhyNoneAtAll(double start, const analysis::Analysis& analysis,
                         const analysis::simulation::Replayer* replayer) {
  if (start <= 0) return "the profile has no iterations";
  if (replayer == nullptr || !replayer->can_replay()) return WhyNoReplay(analysis);
  return HasFreeThreads(*replayer) ? "some threads launch work without a visible reason to wait"
                                   : "";
}

// The time for loading code, if there is only one iteration. Later iterations would not need it.
double FirstCallsOf(const analysis::Analysis& analysis, double mean) {
  const analysis::Metric* iterations = analysis.Find(metric::kProfileIterations);
  const analysis::Metric* loading = analysis.Find(metric::kGpuIdleCauseModuleLoading);
  if (iterations == nullptr || loading == nullptr || AsNumber(iterations->value, 0) != 1) return 0;
  const double share = std::clamp(AsNumber(loading->value, 0), 0.0, 1.0);
  return share < knowledge::kPlanLeastGainShare.value() ? 0 : share * mean;
}

// Sets a value, or makes the metric absent with a reason.
void SetMetric(MetricId id, Value value, const std::string& absent_because, const std::string& note,
               analysis::Analysis& analysis) {
  const auto metric = std::find_if(
      analysis.metrics.begin(), analysis.metrics.end(),
      [&](const analysis::Metric& some) { return some.spec == &analysis::SpecOf(id); });
  if (metric == analysis.metrics.end()) return;
  metric->absent_because = absent_because;
  if (!absent_because.empty()) return;
  metric->value = std::move(value);
  metric->note = note;
}

void AddFloorMetrics(const Floor& floor, analysis::Analysis& analysis) {
  const std::string note =
      fmt::format("{} of the time of computing kernels has known work, the rest counts as recorded",
                  FormatShare(floor.counted.value_or(0)));
  SetMetric(metric::kFloorTime, static_cast<std::int64_t>(std::llround(floor.time)),
            floor.absent_because, note, analysis);
  SetMetric(metric::kFloorShare, floor.share, floor.absent_because, note, analysis);
}

}  // namespace

Plan MakePlan(std::span<const CompiledRule> rules, const std::vector<Finding>& findings,
              const analysis::Analysis& analysis, ScenarioRunner* simulations) {
  const bool any_fired = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return Fired(finding.status) && finding.rule->category != kAboutRecording;
  });
  const analysis::Metric* mean = analysis.Find(metric::kIterationTimeMean);
  double recorded = mean == nullptr ? 0 : AsNumber(mean->value, 0);
  const bool can_replay = simulations != nullptr && simulations->replayer().can_replay();
  const double with_pauses = can_replay ? simulations->replayer().TimeWithPauses() : 0;
  recorded = std::max(recorded, with_pauses);
  const double first_calls = FirstCallsOf(analysis, recorded), start = recorded - first_calls;
  const double profiler_delay = ProfilerDelayOf(analysis);
  const std::string why =
      WhyNoneAtAll(start, analysis, simulations == nullptr ? nullptr : &simulations->replayer());
  Plan plan;
  if (!any_fired) {
    plan = NoPlan("nothing was found that could take less time");
    plan.floor.absent_because = why;
  } else if (!why.empty()) {
    return NoPlan(why);
  }
  if (!why.empty()) return plan;
  Planner planner(rules, findings, *simulations, start, HostExcessOf(analysis));
  if (any_fired) plan = planner.Make();
  plan.first_calls = first_calls;
  plan.with_pauses = with_pauses > 0;
  if (profiler_delay > 0) plan.without_profiler = std::max(0.0, start - profiler_delay);
  const double end = plan.steps.empty() ? start : plan.end();
  plan.floor = FindFloor(simulations->replayer(), analysis, planner.Chosen(), recorded, end);
  plan.floor.share = recorded > 0 ? std::min(1.0, plan.floor.time / recorded) : 0;
  return plan;
}

void AddPlanMetrics(const Plan& plan, analysis::Analysis& analysis) {
  const double first = plan.steps.empty() ? 0 : plan.steps.front().claim.saves;
  const double start = plan.start > 0 ? plan.start : 1;
  const auto set = [&](MetricId id, Value value) {
    const std::string& why = plan.steps.empty() ? plan.absent_because : std::string();
    SetMetric(id, std::move(value), why, plan.limits, analysis);
  };
  set(metric::kPlanEndTime, static_cast<std::int64_t>(std::llround(plan.end())));
  set(metric::kPlanGainShare, std::min(1.0, plan.saved() / start));
  set(metric::kPlanFirstGainShare, std::min(1.0, first / start));
  set(metric::kPlanSteps, static_cast<std::int64_t>(plan.steps.size()));
  AddFloorMetrics(plan.floor, analysis);
}

}  // namespace profgauge::rules
