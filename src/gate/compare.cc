#include "gate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "analysis/trust/judged_steps.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "gate/change_text.h"
#include "gate/changed.h"
#include "gate/compare_metric.h"
#include "gate/compare_ranks.h"
#include "gate/compare_signatures.h"
#include "gate/constants.h"
#include "gate/parts.h"
#include "gate/statistics.h"
#include "gate/unrecorded.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr double kDefaultLimit = knowledge::kGateDefaultLimit.value();

// The limits for a policy without any. Times are noisy and may grow a little. Counts have no noise,
// so any change is reported, but only as a warning, because it may not cost time. Nor does memory,
// until it is all used.
std::vector<rules::BaselineLimit> DefaultLimits(StepsUse steps) {
  std::vector<rules::BaselineLimit> limits;
  rules::BaselineLimit time;
  time.max_increase = rules::BaselineLimit::Amount{kDefaultLimit, true};
  const bool is_by_steps = steps == StepsUse::kBoth || steps == StepsUse::kOtherSampling;
  if (is_by_steps) {
    time.metric = metric::kStepTimeMedian.text();
    limits.push_back(time);
  } else {
    time.metric = metric::kIterationTimeMedian.text();
    limits.push_back(time);
    time.metric = metric::kIterationPeriodMedian.text();
    limits.push_back(time);
  }
  for (const std::string_view metric : ExactMetrics()) {
    rules::BaselineLimit count;
    count.metric = metric;
    // For most counts, less is no regression. Less work on Tensor Cores is one.
    const bool more_is_better =
        analysis::FindMetric(metric)->direction == analysis::Direction::kHigherIsBetter;
    (more_is_better ? count.max_decrease : count.max_increase) =
        rules::BaselineLimit::Amount{0, true};
    count.level = rules::Level::kWarn;
    limits.push_back(count);
  }
  rules::BaselineLimit memory;
  memory.metric = metric::kMemoryPeakAllocated.text();
  memory.max_increase = rules::BaselineLimit::Amount{kDefaultLimit, true};
  memory.level = rules::Level::kWarn;
  limits.push_back(memory);
  return limits;
}

// True if a limit on the length of iterations already reports the same, because without pauses
// between iterations, both times are equal.
bool IsToldByLength(const rules::BaselineLimit& limit,
                    std::span<const rules::BaselineLimit> limits) {
  using Amount = std::optional<rules::BaselineLimit::Amount>;
  const auto is_same = [](const Amount& a, const Amount& b) {
    if (!a || !b) return !a && !b;
    return a->value == b->value && a->relative == b->relative;
  };
  return limit.metric == metric::kIterationPeriodMedian &&
         std::any_of(limits.begin(), limits.end(), [&](const rules::BaselineLimit& other) {
           return other.metric == metric::kIterationTimeMedian && other.level == limit.level &&
                  is_same(other.max_increase, limit.max_increase) &&
                  is_same(other.max_decrease, limit.max_decrease) && other.min_abs == limit.min_abs;
         });
}

std::int64_t FewestIterations(std::span<const Snapshot> runs) {
  std::size_t fewest = runs.front().iteration_times.size();
  for (const Snapshot& run : runs) fewest = std::min(fewest, run.iteration_times.size());
  return static_cast<std::int64_t>(fewest);
}

// The smallest number of unrecorded iterations of any run.
std::size_t FewestSteps(std::span<const Snapshot> runs) {
  std::size_t fewest = runs.front().step_times.size();
  for (const Snapshot& run : runs) fewest = std::min(fewest, run.step_times.size());
  return fewest;
}

// Prevents a verdict for a run with fewer than half of the baseline's fewest iterations, because
// one that broke off looks as fast as a complete one. Below 80 %, adds a note.
void NoteIterations(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                    RunComparison& out) {
  const bool is_of_times =
      std::ranges::any_of(baselines, IsOfTimes) || std::ranges::any_of(candidates, IsOfTimes);
  std::int64_t there = FewestIterations(baselines), here = FewestIterations(candidates);
  // A file of times has steps instead of recorded iterations, so their number is not checked.
  if (is_of_times) there = here = 1;
  const double share = static_cast<double>(here) / static_cast<double>(there);
  if (share < stats::kEndedEarly) {
    out.ended_early = EndedEarly{here, there};
  } else if (share < stats::kFewerIterations) {
    out.notes.push_back(
        fmt::format("{} iterations, the baseline's runs have {} or more", here, there));
  }
  const bool leaves_out =
      std::any_of(candidates.begin(), candidates.end(), [](const Snapshot& run) {
        return run.steps_after > 0 && !analysis::trust::ChangeAfter{run.steps_after}.IsAlike();
      });
  if (leaves_out || StepsUseOf(baselines, candidates) != StepsUse::kBoth) return;
  // A number of steps has other reasons, too, so only a very low one is noted.
  const std::size_t steps_there = FewestSteps(baselines), steps_here = FewestSteps(candidates);
  if (static_cast<double>(steps_here) > stats::kEndedEarly * static_cast<double>(steps_there)) {
    return;
  }
  out.notes.push_back(fmt::format(
      "{} unrecorded iterations, the baseline's runs have {} or more: did it break off?",
      steps_here, steps_there));
}

// Replaces a changed signature, which is only a hash, by facts that differ.
void NameSignatures(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                    RunComparison& out) {
  const auto is_known = [](const Difference& difference) {
    return difference.property == kSignatureProperty && !difference.base.empty() &&
           !difference.current.empty();
  };
  const auto found = std::ranges::find_if(out.differences, is_known);
  if (found == out.differences.end()) return;
  const auto run_of = [](std::span<const Snapshot> runs, const std::string& signature) {
    return std::ranges::find_if(runs, [&signature](const Snapshot& run) {
      return run.Environment(kSignatureProperty) == signature;
    });
  };
  std::vector<Difference> named;
  for (WorkFact& fact :
       DescribeSignatures(*run_of(baselines, found->base), *run_of(candidates, found->current))) {
    if (fact.is_of_inputs && out.changed_inputs.empty()) {
      out.changed_inputs = fact.base + " → " + fact.current;
    }
    named.push_back({std::string(kSignatureProperty), std::move(fact.base), std::move(fact.current),
                     found->is_hard});
  }
  const auto at = found - out.differences.begin();
  std::erase_if(out.differences, is_known);
  out.differences.insert(out.differences.begin() + at, named.begin(), named.end());
}

// Notes that without known batch sizes a faster run may just process fewer samples.
void NoteUnknownBatch(RunComparison& out) {
  const bool is_faster =
      std::any_of(out.metrics.begin(), out.metrics.end(), [](const MetricComparison& metric) {
        return metric.verdict == stats::Change::kImproved && IsTypicalTime(metric.metric);
      });
  if (is_faster && !out.work.samples) {
    out.notes.emplace_back("inputs were not recorded: a smaller batch would look like this");
  }
}

}  // namespace

namespace {

// A rank as a run that only has its parts, because Explain() reads nothing else.
std::optional<Snapshot> RunOfRank(const Snapshot& run, std::int64_t rank) {
  const auto of = std::ranges::find(run.ranks, rank, &RankWork::rank);
  if (of == run.ranks.end() || of->parts.empty()) return std::nullopt;
  Snapshot out;
  out.iteration_times = of->iteration_times;
  out.parts = of->parts;
  return out;
}

// Explains times by the waterfall of the runs or of a slow rank. A run's parts come from the
// slowest rank of each iteration. If others wait for a slow rank, they may be a waiting rank's.
void ExplainTimes(const Snapshot& base, const Snapshot& current, RunComparison& out) {
  if (out.slow_rank) {
    const auto there = RunOfRank(base, out.slow_rank->rank);
    const auto here = RunOfRank(current, out.slow_rank->rank);
    out.is_of_rank = there && here && IsTimed(*there) && IsTimed(*here);
    if (out.is_of_rank) {
      out.waterfall = Explain(*there, *here);
      return;
    }
  }
  out.waterfall = Explain(base, current);
}

}  // namespace

// Chooses a real run, not a mean, because the waterfall explains one run part by part.
std::size_t FindMiddleRun(std::span<const Snapshot> runs) {
  using Key = std::tuple<double, std::string_view, std::string_view, std::size_t>;
  std::vector<Key> medians;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    medians.emplace_back(stats::Median(ObservedTimes(runs[i])), runs[i].name, runs[i].source, i);
  }
  std::sort(medians.begin(), medians.end());
  return std::get<std::size_t>(medians[(medians.size() - 1) / 2]);
}

std::vector<MetricComparison> CompareMetrics(
    std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
    const rules::PolicyBaseline& policy, const WorkChange& work, std::vector<std::string>& notes,
    ComparePurpose purpose, std::span<const Snapshot> earlier) {
  MetricComparer comparer(baselines, candidates, policy, work, purpose, earlier);
  std::vector<MetricComparison> metrics;
  const std::vector<rules::BaselineLimit> limits =
      policy.limits.empty() ? DefaultLimits(StepsUseOf(baselines, candidates)) : policy.limits;
  const auto is_nowhere = [&](const rules::BaselineLimit& limit) {
    const auto lacks = [&](const Snapshot& run) { return !run.metrics.contains(limit.metric); };
    return std::ranges::all_of(baselines, lacks) && std::ranges::all_of(candidates, lacks);
  };
  for (const rules::BaselineLimit& limit : limits) {
    if (limit.is_optional && is_nowhere(limit)) continue;
    metrics.push_back(comparer.Compare(limit));
    const bool may_be_no_news = policy.limits.empty() || IsToldByLength(limit, limits);
    if (may_be_no_news && !comparer.IsNews(metrics.back())) metrics.pop_back();
  }
  notes.insert(notes.end(), comparer.notes().begin(), comparer.notes().end());
  return metrics;
}

PartRuns WithNewest(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates) {
  if (baselines.size() <= stats::kPartRuns) return {baselines, candidates, nullptr, true};
  return {baselines.first(baselines.size() - 1), candidates, &baselines.back(), true};
}

namespace {

// True if a limit on time is missed. A total over its limit is one here: some iterations make all
// parts longer on average.
bool IsMissedTime(const MetricComparison& of) {
  return (IsMissed(of) || IsOfSomeIterations(of)) &&
         (IsTypicalTime(of.metric) || IsMeanTime(of.metric));
}

}  // namespace

// Judges parts. Those that cannot be judged become a note.
void CompareParts(const PartRuns& runs, const rules::PolicyBaseline& policy,
                  RunComparison& comparison) {
  const double floor = policy.noise_floor.value_or(stats::kUsualNoiseFloor);
  const bool is_default = policy.limits.empty() && !policy.kernels && !policy.operators &&
                          !policy.collectives && !policy.modules && !policy.benchmarks &&
                          runs.baselines.size() >= stats::kPartRuns;
  const auto judge = [&](const std::optional<rules::PartLimit>& limit, auto sums,
                         std::string_view word) {
    if (!limit) return;
    const bool are_benchmarks = word == "benchmark";
    const auto has_any = [&](const Snapshot& run) { return !(run.work.*sums).empty(); };
    const bool is_here = std::ranges::any_of(runs.candidates, has_any);
    const bool is_there = std::ranges::any_of(runs.baselines, has_any);
    if (is_default && !(is_here && is_there)) return;
    if (!is_here && !is_there && limit->is_optional) return;
    if (!(is_here || is_there) || !(are_benchmarks || (is_here && is_there))) {
      PartsComparison& parts = comparison.parts.emplace_back();
      parts.kind = fmt::format("{}s", word);
      parts.level = limit->level;
      parts.missing = fmt::format("{} has any", is_here    ? "no run of the baseline"
                                                : is_there ? "no judged run"
                                                           : "no run");
      if (word == "module") parts.missing += "; record with `with_modules=True`";
      return;
    }
    if (are_benchmarks) {
      std::set<std::string> known;
      for (const Snapshot& run : runs.baselines) {
        for (const auto& sum : run.work.*sums) known.insert(sum.name);
      }
      const auto is_known = [&](const auto& sum) { return known.contains(sum.name); };
      const auto shares_none = [&](const Snapshot& run) {
        return std::ranges::none_of(run.work.*sums, is_known);
      };
      if (std::ranges::any_of(runs.candidates, shares_none)) {
        PartsComparison& parts = comparison.parts.emplace_back();
        parts.kind = "benchmarks";
        parts.level = limit->level;
        parts.open.push_back(
            "no benchmark of the baseline is in this run, so that none is compared "
            "[baseline/other-work]");
        return;
      }
      // A single benchmark is the iteration itself, which has a separate limit.
      const auto is_single = [&](const Snapshot& run) { return (run.work.*sums).size() == 1; };
      if (std::ranges::all_of(runs.candidates, is_single) &&
          std::ranges::all_of(runs.baselines, is_single) && !comparison.metrics.empty()) {
        return;
      }
    }
    std::vector<PartFindings> each;
    for (const Snapshot& run : runs.candidates) {
      each.push_back(JudgeParts(runs.baselines, run, sums, *limit, floor, runs.is_ordered));
    }
    std::optional<PartFindings> newest;
    if (runs.newest != nullptr && each.size() == 1) {
      newest = JudgeParts(runs.baselines, *runs.newest, sums, *limit, floor, runs.is_ordered);
    }
    const ConfirmedParts confirmed = ConfirmParts(each, newest ? &*newest : nullptr);
    std::string text = PartsText(confirmed, word);
    std::string once = PartsOnceText(confirmed, word);
    const std::vector<std::string> lone = LonePartTexts(confirmed, word);
    comparison.notes.insert(comparison.notes.end(), lone.begin(), lone.end());
    if (!confirmed.is_judged && are_benchmarks && comparison.metrics.empty()) {
      // These files have nothing but benchmarks to compare, so the missing verdict is reported.
      PartsComparison& parts = comparison.parts.emplace_back();
      parts.kind = fmt::format("{}s", word);
      parts.level = limit->level;
      parts.open.push_back(text + " [gate/learning]");
      return;
    }
    if (!confirmed.is_judged) {
      comparison.notes.push_back(std::move(text));
      return;
    }
    PartsComparison& parts = comparison.parts.emplace_back();
    parts.kind = fmt::format("{}s", word);
    parts.level = limit->level;
    parts.allowed = limit->max_increase;
    parts.found = std::move(text);
    const std::vector<PartFinding>& most =
        confirmed.slower.empty() ? confirmed.once : confirmed.slower;
    if (!most.empty()) {
      const PartFinding& part = most.front();
      const std::string name = part.names.empty() ? fmt::format("`{}`", PrintableShort(part.name))
                                                  : PartTitle(word, part.name, part.names);
      parts.most = fmt::format("{} {}", name, RelativeChange(part.change));
    }
    for (const PartFinding& part : confirmed.slower)
      parts.worst = std::max(parts.worst, part.change);
    if (confirmed.common_runs > 0 && std::ranges::none_of(comparison.metrics, IsMissedTime)) {
      parts.common = PartsCommonText(confirmed, word);
      parts.is_common_confirmed = confirmed.common_runs > 1;
      parts.worst = std::max(parts.worst, confirmed.common);
    }
    if (!confirmed.IsOpen()) {
      if (!once.empty()) comparison.notes.push_back(std::move(once));
      return;
    }
    for (const PartFinding& part : confirmed.once) parts.worst = std::max(parts.worst, part.change);
    parts.once = std::move(once);
  };
  judge(is_default ? rules::PartLimit{} : policy.kernels, &analysis::breakdown::WorkSums::kernels,
        "kernel");
  judge(policy.operators, &analysis::breakdown::WorkSums::ops, "operator");
  judge(policy.collectives, &analysis::breakdown::WorkSums::collectives, "collective");
  judge(policy.modules, &analysis::breakdown::WorkSums::modules, "module");
  judge(policy.benchmarks, &analysis::breakdown::WorkSums::benchmarks, "benchmark");
}

RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const rules::PolicyBaseline* policy, ComparePurpose purpose,
                          bool accepts_work, std::span<const Snapshot> earlier) {
  const rules::PolicyBaseline defaults;
  const rules::PolicyBaseline& used = policy == nullptr ? defaults : *policy;
  RunComparison out;
  out.baseline_runs = static_cast<std::int64_t>(baselines.size());
  out.current_runs = static_cast<std::int64_t>(candidates.size());
  out.differences = AllDifferences(baselines, candidates, used);
  out.is_comparable = std::none_of(out.differences.begin(), out.differences.end(),
                                   [](const Difference& d) { return d.is_hard; });
  NameSignatures(baselines, candidates, out);
  out.alike = AlikeProperties(baselines.front(), candidates.front(), out.differences);
  for (auto& [property, value] : out.alike) {
    if (property == kSignatureProperty && !value.empty()) value = "alike";
  }
  out.work = CompareWork(baselines, candidates, accepts_work);
  out.metrics = CompareMetrics(baselines, candidates, used, out.work, out.notes, purpose, earlier);
  // Limits `per: sample` compare times although the inputs differ.
  const bool is_by_sample = out.work.kind == WorkKind::kInputs &&
                            std::ranges::any_of(out.metrics, &MetricComparison::is_per_sample) &&
                            std::ranges::none_of(out.metrics, &MetricComparison::is_of_other_work);
  if (is_by_sample) {
    out.work.kind = WorkKind::kChanged;
    out.work.by_sample = true;
  }
  NoteIterations(baselines, candidates, out);
  if (!WhyNoLengths(baselines, candidates)) out.outside = MoreOutside(baselines, candidates);
  if (out.work.by_sample || out.work.is_accepted) out.notes.push_back(WorkText(out.work));
  NoteUnknownBatch(out);
  const auto is_same = [&](const Snapshot& base) {
    return FindMisfit(base, candidates).same != nullptr;
  };
  out.is_same_run = std::all_of(baselines.begin(), baselines.end(), is_same);
  out.has_same_run = std::any_of(baselines.begin(), baselines.end(), is_same);
  for (const Snapshot& run : candidates) {
    if (const Snapshot* same = FindMisfit(run, baselines).same; same != nullptr) {
      out.notes.push_back(
          fmt::format("{} is the same profile as {} of the baseline: it is compared with itself",
                      run.name, same->name));
    }
  }
  const Snapshot& base = baselines[FindMiddleRun(baselines)];
  const Snapshot& current = candidates[FindMiddleRun(candidates)];
  out.base_name = base.name;
  out.current_name = current.name;
  out.slow_rank = FindSlowRank(base, current);
  if (IsTimed(base) && IsTimed(current)) ExplainTimes(base, current, out);
  if (std::string idle = IdleInText(base, current, out.waterfall);
      !out.is_of_rank && !idle.empty()) {
    out.notes.insert(out.notes.begin(), std::move(idle));
  }
  out.values = PairValues(base, current);
  if (!IsOfTimes(base) && !IsOfTimes(current)) {
    out.kernels = PairKernels(base, current);
    out.ops = PairOps(base, current);
  }
  out.changed = ChangedLine(out);
  return out;
}

}  // namespace profgauge::gate
