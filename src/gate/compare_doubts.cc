// Why a metric cannot be compared, and why a comparison is undecided.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "gate/circumstances.h"
#include "gate/comparable.h"
#include "gate/compare_metric.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"

namespace profgauge::gate {
namespace {

// If the least detectable change is over twenty times the limit, the limit has no meaning.
constexpr double kFloorOverLimit = knowledge::kGateFloorOverLimit.value();

}  // namespace

// Numbers of different definitions say nothing of each other.
bool MetricComparer::LackDefinition(MetricComparison& out) const {
  const std::int32_t now = candidates_.front().DefinitionOf(out.metric);
  for (const std::span<const Snapshot> runs : {baselines_, candidates_}) {
    for (const Snapshot& run : runs) {
      const std::int32_t its = run.DefinitionOf(out.metric);
      if (its == now) continue;
      out.is_missing = true;
      out.reason = fmt::format(
          "{} has another definition of it ({}, now {}): save the baseline again with "
          "`profgauge baseline save` [baseline/old-definition]",
          &runs.front() == &baselines_.front() ? "the baseline" : "a run", its, now);
      return true;
    }
  }
  return false;
}

// Shorter iterations of other work, or of another batch, are no faster program, and longer ones no
// slower one. Work that is less and slower fails all the same. No setting turns this off.
void MetricComparer::DoubtWork(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (out.is_missing || (work_.kind == WorkKind::kInputs && limit.per_sample)) return;
  const std::optional<std::string> reason = WhyNoTimes(work_, out.verdict == stats::Change::kFail,
                                                       out.verdict == stats::Change::kImproved);
  if (!reason) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.is_of_other_work = true;
  out.reason = *reason;
}

// Which of the runs have how many samples no one recorded.
bool MetricComparer::LackSamples(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (!limit.per_sample) return false;
  const auto is_unknown = [&](const Snapshot& run) {
    return !SamplesRatio(baselines_.front(), run).has_value();
  };
  out.is_missing =
      std::ranges::any_of(baselines_, is_unknown) || std::ranges::any_of(candidates_, is_unknown);
  if (!out.is_missing) return false;
  out.reason =
      "`per: sample` needs the samples of an iteration in both: `per_step` of the unrecorded "
      "iterations' document, or input shapes that differ only by the batch [baseline/no-samples]";
  return true;
}

// A profiler that stays attached slows iterations after the profile, which so do not count. It does
// so in the baseline, too: a slowdown relative to the baseline is the run's.
void MetricComparer::DoubtAfter(MetricComparison& out) const {
  const auto ratio_of = [](std::span<const Snapshot> runs) {
    std::vector<double> ratios;
    for (const Snapshot& run : runs) {
      if (run.steps_after > 0) ratios.push_back(run.steps_after);
    }
    return ratios.empty() ? 0 : stats::Median(ratios);
  };
  const double there = ratio_of(baselines_), here = ratio_of(candidates_);
  const bool can_be = !out.is_missing && out.verdict != stats::Change::kFail && out.total_limit;
  if (!can_be || there <= 0 || here <= there * (1 + *out.total_limit)) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "iterations after the profile take {:.2f} times as long as those before it, the baseline's "
      "{:.2f} times: the run became slower. Before: {}",
      here, there, out.reason);
}

// Where work is taken for that of another iteration, some are left without any time.
void MetricComparer::DoubtEmptyIterations(MetricComparison& out) const {
  for (const std::span<const Snapshot> runs : {baselines_, candidates_}) {
    for (const Snapshot& run : runs) {
      const std::vector<double> times = ObservedTimes(run);
      const auto empty = std::count_if(times.begin(), times.end(), [](double t) { return t <= 0; });
      if (empty == 0 || out.is_missing) continue;
      out.is_missing = true;
      out.reason =
          fmt::format("{} of {} iterations of {} have no separate length [baseline/no-times]",
                      empty, times.size(), run.name);
    }
  }
}

// A change to or from an uncertain number is no certain failure, as one beyond a limit is none. A
// median of several runs is certain where most of them are.
void MetricComparer::DoubtNumbers(MetricComparison& out) const {
  const auto is_uncertain = [&](const Snapshot& run) { return run.uncertain.contains(out.metric); };
  const auto are_uncertain = [&](std::span<const Snapshot> runs) {
    return 2 * static_cast<std::size_t>(std::ranges::count_if(runs, is_uncertain)) >= runs.size();
  };
  const bool base = are_uncertain(baselines_), current = are_uncertain(candidates_);
  if (out.is_missing || out.verdict != stats::Change::kFail || !(base || current)) return;
  out.over_limit = true;
  out.verdict = stats::Change::kInconclusive;
  out.reason += fmt::format("{}{} value is uncertain", out.reason.empty() ? "" : "; but ",
                            base && current ? "each run's"
                            : base          ? "the baseline's"
                                            : "this run's");
}

// Means of several iterations vary less than single ones: neither is the other's measure.
bool MetricComparer::LackSteps(MetricComparison& out) const {
  if (steps_ == StepsUse::kBoth) return false;
  out.is_missing = true;
  out.reason = steps_ == StepsUse::kOtherSampling
                   ? "one side has means of several iterations, the other single ones: they cannot "
                     "be compared [run/other-sampling]"
                   : fmt::format(
                         "both sides need the times of at least {} unrecorded iterations "
                         "[baseline/few-unrecorded]",
                         knowledge::kUnrecordedConfidentLeast.value());
  return true;
}

bool MetricComparer::LackTimes(MetricComparison& out) const {
  const bool base = std::all_of(baselines_.begin(), baselines_.end(), IsTimed);
  const bool current = std::all_of(candidates_.begin(), candidates_.end(), IsTimed);
  if (base && current) {
    const std::optional<std::string> reason = WhyNoLengths(baselines_, candidates_);
    out.is_missing = reason.has_value();
    out.reason = reason.value_or("");
    return out.is_missing;
  }
  out.is_missing = true;
  const std::span<const Snapshot> lacking = base ? candidates_ : baselines_;
  const bool has_any = std::any_of(lacking.begin(), lacking.end(), [](const Snapshot& run) {
    return std::any_of(run.iteration_times.begin(), run.iteration_times.end(),
                       [](Ns time) { return time > 0; });
  });
  out.reason = fmt::format("{} no iteration times: {} [baseline/no-times]",
                           base ? "this run has" : "the baseline has",
                           has_any ? "most iterations have no separate length"
                                   : "its format has only durations or sums");
  return true;
}

// A sum over a range of time says as little as its length. Work of one chip is no such range.
bool MetricComparer::LackSums(std::string_view family, MetricComparison& out) const {
  const auto reason =
      family.empty() ? WhyNoLengths(baselines_, candidates_) : std::optional<std::string>();
  out.is_missing = reason.has_value();
  out.reason = reason.value_or("");
  return out.is_missing;
}

// A least change that no run reaches within the limit's own scale lets everything pass.
void MetricComparer::DoubtFloor(const rules::BaselineLimit& limit, MetricComparison& out) const {
  const bool is_pass =
      out.verdict == stats::Change::kPass || out.verdict == stats::Change::kImproved;
  if (!limit.min_abs || out.is_missing || !is_pass || out.base <= 0) return;
  const auto& amount = limit.max_increase ? limit.max_increase : limit.max_decrease;
  const double allowed = AbsoluteOf(*amount, out.base);
  if (allowed <= 0 || *limit.min_abs <= kFloorOverLimit * allowed) return;
  out.is_missing = true;
  out.reason = fmt::format(
      "min_abs {} is far over the limit {} of {}: any change up to {} passes; lower it "
      "[policy/min-abs]",
      FormatValue(Value{*limit.min_abs}, out.unit), out.limit,
      FormatValue(Value{out.base}, out.unit), FormatShare(*limit.min_abs / out.base));
}

}  // namespace profgauge::gate
