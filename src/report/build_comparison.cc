#include "report/build_comparison.h"

#include "report/build_sections.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "gate/change_numbers.h"
#include "gate/change_text.h"
#include "gate/comparable.h"
#include "model/devices.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

constexpr const char* kOtherWork = "the runs did different work";

/// A difference; its text has a sign.
Quantity MakeChange(double change, Unit unit, bool is_points) {
  if (is_points) return MakeDifference(change, Unit::kShare);
  Quantity quantity = MakeQuantity(change, unit);
  if (change < 0) quantity.text = MakeQuantity(-change, unit).text;
  if (change != 0) quantity.text = (change < 0 ? "−" : "+") + quantity.text;
  return quantity;
}

/// Returns a change as people write it: relative for times and counts, in percentage points for
/// shares, in the unit if the base is 0.
Quantity ChangeOf(double base, double change, Unit unit) {
  if (unit == Unit::kShare) return MakeChange(change, Unit::kShare, true);
  if (base != 0) return MakeChange(change / base, Unit::kShare, false);
  return MakeChange(change, unit, false);
}

/// A change in the unit of the limit beside it, if there is a limit.
Quantity ChangeBesideLimit(const gate::MetricComparison& compared) {
  if (compared.limit.empty()) return ChangeOf(compared.base, compared.change, compared.unit);
  const bool is_share = compared.unit == Unit::kShare;
  if (!compared.is_relative) return MakeChange(compared.change, compared.unit, is_share);
  if (is_share && compared.base != 0) {
    return MakeChange(compared.change / compared.base, Unit::kShare, false);
  }
  return ChangeOf(compared.base, compared.change, compared.unit);
}

/// Each number is in the unit of the limit beside it:
///
///     limit           change, low, high         of iteration.time.median, base 40 ms
///     5 %             shares                    +7.8 % [+3.1, +12.7]
///     2 ms            times                     +3.1 ms [+1.2, +5.1]
///     of a share      points, or parts of it    +3.0 points, or +12 %
ComparedMetric BuildComparedMetric(const gate::MetricComparison& compared,
                                   const gate::RunComparison& run, const DeviceWords& words) {
  const std::shared_ptr<const analysis::MetricSpec> spec =
      analysis::DescribeMetric(compared.metric);
  ComparedMetric metric;
  metric.metric = compared.metric;
  metric.title = spec == nullptr ? compared.metric : InDeviceWords(spec->title, words);
  if (compared.is_per_sample) metric.title += kPerSample;
  if (!compared.since.empty()) metric.title += " since " + compared.since;
  metric.limit = compared.limit;
  if (!compared.limit.empty()) metric.level = StateOf(rules::LevelName(compared.level));
  metric.result = compared.is_missing   ? State::kMissing
                  : compared.over_limit ? State::kOpen
                                        : StateOf(gate::stats::ChangeName(compared.verdict));
  metric.note = compared.reason;
  if (compared.excuse == gate::Excuse::kWaived) metric.result = State::kWaived;
  if (compared.excuse == gate::Excuse::kAccepted) metric.result = State::kAccepted;
  if (!run.is_judged) {
    metric.result = State::kNotApplicable;
    metric.note = "the baseline is not comparable: " + gate::HardDifferences(run.differences);
  }
  if (compared.is_missing) {
    metric.change = MakeQuantity({}, Unit::kShare, compared.reason);
    return metric;
  }
  metric.base = MakeQuantity(compared.base, compared.unit);
  metric.current = MakeQuantity(compared.current, compared.unit);
  metric.change = ChangeBesideLimit(compared);
  if (compared.method == gate::CompareMethod::kStatistics) {
    const bool is_points = compared.unit == Unit::kShare && !compared.is_relative;
    // Times are compared as ratios, whatever the unit of their limit is.
    const bool is_amount = compared.unit != Unit::kShare && !compared.is_relative;
    const auto said = [&](double change) {
      return is_amount ? MakeChange(change * compared.base, compared.unit, false)
                       : MakeChange(change, Unit::kShare, is_points);
    };
    const auto end = [&](double change) {
      Quantity quantity = said(change);
      if (!is_points && !is_amount) quantity.text = gate::IntervalEnd(change, false);
      return quantity;
    };
    metric.change = said(compared.shift);
    metric.low = end(compared.low);
    metric.high = end(compared.high);
  }
  const auto share = [](const std::optional<double>& of, bool is_change) {
    if (!of) return Quantity{};
    return is_change ? MakeChange(*of, Unit::kShare, false) : MakeQuantity(*of, Unit::kShare);
  };
  metric.total = share(compared.all ? compared.all : compared.total, true);
  metric.total_limit = share(compared.total_limit, true);
  metric.chance = share(compared.chance, false);
  metric.sees = share(compared.sees, true);
  // A number such as "-6.4 %" would be a comparison, although times are not compared.
  if (compared.is_of_other_work) {
    metric.change = MakeQuantity({}, metric.change.unit, kOtherWork);
    metric.low = metric.high = metric.total = metric.chance = metric.sees = {};
  }
  return metric;
}

// Of other work, amounts of work still compare; times, rates and shares do not.
PairedValue BuildValue(const gate::PairedValue& paired, bool is_of_other_work,
                       const DeviceWords& words) {
  PairedValue value;
  Unit unit = Unit::kTime;
  if (paired.spec == nullptr) {
    value.metric = std::string(kBenchmarkSeries) + paired.benchmark;
    value.title = "Benchmark " + paired.benchmark;
    value.better = Better::kLower;
  } else {
    value.metric = paired.spec->id;
    value.title = InDeviceWords(paired.spec->title, words);
    value.better = BetterOf(paired.spec->direction);
    unit = paired.spec->unit;
  }
  const auto side = [unit](const std::optional<double>& number) {
    return MakeQuantity(number ? Value{*number} : Value{}, unit, "this run has no such value");
  };
  value.base = side(paired.base);
  value.current = side(paired.current);
  value.change = paired.base && paired.current
                     ? ChangeOf(*paired.base, *paired.current - *paired.base, unit)
                     : MakeQuantity({}, Unit::kShare, "one of the runs has no value");
  const bool is_amount =
      unit == Unit::kCount || unit == Unit::kNumber || unit == Unit::kBytes || unit == Unit::kFlops;
  if (is_of_other_work && !is_amount) value.change = MakeQuantity({}, unit, kOtherWork);
  return value;
}

/// "Of 5 benchmarks, 2 are slower and 0 are faster by 1 % or more"; empty if none is in both runs.
std::string BenchmarksText(const Comparison& comparison) {
  std::size_t all = 0, slower = 0, faster = 0;
  for (const PairedValue& value : comparison.values) {
    if (!value.metric.starts_with(kBenchmarkSeries) || IsAbsent(value.change.value)) continue;
    const double change = AsNumber(value.change.value, 0);
    ++all;
    if (change >= kLeastShownChange) ++slower;
    if (change <= -kLeastShownChange) ++faster;
  }
  if (all == 0) return {};
  const auto are = [](std::size_t count) {
    return fmt::format("{} {}", count, count == 1 ? "is" : "are");
  };
  const bool is_pair = comparison.baseline_runs + comparison.current_runs == 2;
  return fmt::format("Of {}, {} slower and {} faster by {} or more{}",
                     gate::change_numbers::Counted(all, "benchmark"), are(slower), are(faster),
                     FormatShare(kLeastShownChange),
                     is_pair ? "; two runs do not show how much equal runs differ" : "");
}

// Two runs do not show how much equal runs differ, so none of their differences is significant.
bool KnowsNoise(const gate::RunComparison& run) { return run.baseline_runs + run.current_runs > 2; }

ComparisonStep BuildStep(const gate::WaterfallStep& from, bool knows_noise) {
  ComparisonStep step;
  step.level = from.level;
  step.name = from.name;
  step.parent = from.parent;
  step.change = from.change;
  step.base = from.base;
  step.current = from.current;
  step.delta = from.delta;
  step.count_effect = from.count_effect;
  step.duration_effect = from.duration_effect;
  step.base_count = from.base_count;
  step.current_count = from.current_count;
  step.significant = from.significant && knows_noise;
  return step;
}

PairedTable BuildTable(const gate::PairedTable& from, bool knows_noise) {
  PairedTable table;
  table.measure = from.of_host ? Measure::kHostTime : Measure::kGpuTime;
  table.base = from.base;
  table.current = from.current;
  table.delta = from.delta;
  for (const gate::PairedWork& work : from.rows) {
    PairedWork& row = table.rows.emplace_back();
    row.name = work.name;
    row.change = work.change;
    row.base_count = work.base_count;
    row.current_count = work.current_count;
    row.base = work.base;
    row.current = work.current;
    row.base_host = work.base_host;
    row.current_host = work.current_host;
    row.delta = work.delta;
    row.count_effect = work.count_effect;
    row.duration_effect = work.duration_effect;
    if (work.p_value >= 0 && knows_noise) row.p_value = work.p_value;
    row.significant = work.significant && knows_noise;
  }
  return table;
}

}  // namespace

std::string AcceleratorOf(const Comparison& comparison) {
  std::array<std::string_view, 2> device;  // Devices of baseline and candidate.
  const auto put = [&](std::string_view property, std::string_view base, std::string_view current) {
    if (property == "gpu") device = {base, current};
  };
  for (const auto& [property, value] : comparison.alike) put(property, value, value);
  for (const Difference& difference : comparison.differences) {
    put(difference.property, difference.base, difference.current);
  }
  const Accelerator base = AcceleratorOfName(device[0]);
  if (base != AcceleratorOfName(device[1])) return {};
  return std::string(AcceleratorId(base));
}

Comparison BuildComparison(const gate::RunComparison& run, const std::string& accelerator) {
  Comparison comparison;
  comparison.baseline = run.base_name;
  comparison.candidate = run.current_name;
  comparison.baseline_runs = run.baseline_runs;
  comparison.current_runs = run.current_runs;
  comparison.comparable = run.is_comparable;
  comparison.work = gate::WorkKindName(run.work.kind);
  comparison.work_gone = run.work.gone;
  comparison.work_come = run.work.come;
  for (const gate::Difference& difference : run.differences) {
    comparison.differences.push_back(
        {difference.property, difference.base, difference.current, difference.is_hard});
  }
  comparison.alike = run.alike;
  comparison.accelerator = accelerator.empty() ? AcceleratorOf(comparison) : accelerator;
  const DeviceWords& words = DeviceWordsOf(FindAccelerator(comparison.accelerator));
  for (const gate::MetricComparison& metric : run.metrics) {
    comparison.metrics.push_back(BuildComparedMetric(metric, run, words));
  }
  for (const gate::PairedValue& value : run.values) {
    comparison.values.push_back(BuildValue(value, gate::LeavesOpen(run.work), words));
  }
  comparison.benchmarks = BenchmarksText(comparison);
  if (run.slow_rank) comparison.slow_rank = run.slow_rank->text;
  if (run.is_of_rank) comparison.rank = run.slow_rank->rank;
  comparison.base = run.waterfall.base;
  comparison.current = run.waterfall.current;
  comparison.delta = run.waterfall.delta;
  for (const gate::WaterfallStep& step : run.waterfall.steps) {
    comparison.waterfall.push_back(BuildStep(step, KnowsNoise(run)));
  }
  comparison.kernels = BuildTable(run.kernels, KnowsNoise(run));
  comparison.ops = BuildTable(run.ops, KnowsNoise(run));
  if (run.movement) {
    comparison.movement = Movement{run.movement->kind, InDeviceWords(run.movement->text, words),
                                   run.movement->evidence};
  }
  return comparison;
}

void AddLaunchCheck(const gate::RunComparison* comparison, Certificate& certificate) {
  if (certificate.checks.empty()) return;
  CertificateCheck check{"launches-as-baseline", "Iterations launch as much as the baseline's"};
  check.affects = {"time", "idle", "kernels"};
  if (comparison == nullptr) {
    check.state = CheckState::kUnknown;
    check.text = "there is no baseline";
  } else if (const auto why = gate::WhyNoTimes(comparison->work, false, false)) {
    check.state = CheckState::kDoubt;
    check.text = *why;
    if (certificate.trust == Trust::kWhole) certificate.trust = Trust::kLimited;
  }
  certificate.checks.push_back(std::move(check));
}

}  // namespace profgauge::report
