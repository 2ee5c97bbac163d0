#include "report/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/format.h"
#include "profgauge/version.h"
#include "report/build_profile.h"

namespace profgauge::report {
namespace {

Quantity MakeQuantity(Value value, Unit unit, std::string absent_because = {}) {
  Quantity quantity;
  quantity.text = FormatValue(value, unit);
  quantity.value = std::move(value);
  quantity.unit = unit;
  if (IsAbsent(quantity.value)) quantity.absent_because = std::move(absent_because);
  return quantity;
}

std::string_view BetterOf(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return "higher";
    case Direction::kLowerIsBetter:
      return "lower";
    case Direction::kNeutral:
      break;
  }
  return "neutral";
}

/// The kinds of device whose own metrics the run has: those of others would only be noise.
std::set<std::string_view> FamiliesOf(const Analysis& analysis) {
  std::set<std::string_view> families = {""};
  for (const profgauge::Metric& found : analysis.metrics) {
    if (!IsAbsent(found.value)) families.insert(found.spec->family);
  }
  return families;
}

std::vector<Metric> BuildMetrics(const Analysis& analysis) {
  const auto families = FamiliesOf(analysis);
  std::vector<Metric> metrics;
  for (const profgauge::Metric& found : analysis.metrics) {
    if (!families.contains(found.spec->family)) continue;
    Metric& metric = metrics.emplace_back();
    metric.id = found.spec->id;
    metric.title = found.spec->title;
    metric.definition = found.spec->definition;
    metric.formula = found.spec->formula;
    metric.source = found.spec->source;
    metric.better = BetterOf(found.spec->direction);
    metric.quantity = MakeQuantity(found.value, found.spec->unit, found.absent_because);
    metric.note = found.note;
    if (found.low_confidence && metric.note.empty()) metric.note = "low confidence";
  }
  return metrics;
}

Value LimitOf(const std::optional<double>& limit) { return limit ? Value{*limit} : Value{}; }

/// How far the measured value is inside its limits: negative when it is beyond one.
Value RoomOf(const Value& measured, const Threshold& threshold) {
  if (IsAbsent(measured) || (!threshold.min && !threshold.max)) return {};
  const double value = AsNumber(measured, 0);
  double room = std::numeric_limits<double>::infinity();
  if (threshold.max) room = std::min(room, *threshold.max - value);
  if (threshold.min) room = std::min(room, value - *threshold.min);
  return room;
}

GateRow BuildGateRow(const GateResult& result, const Analysis& analysis) {
  const MetricSpec* spec = profgauge::FindMetric(result.threshold.metric);
  const profgauge::Metric* metric = analysis.Find(result.threshold.metric);
  const Unit unit = spec == nullptr ? Unit::kNumber : spec->unit;
  GateRow row;
  row.metric = result.threshold.metric;
  row.title = spec == nullptr ? result.threshold.metric : std::string(spec->title);
  row.measured =
      MakeQuantity(result.measured, unit, metric == nullptr ? "" : metric->absent_because);
  row.min = LimitOf(result.threshold.min);
  row.max = LimitOf(result.threshold.max);
  row.limit = LimitText(row.min, row.max, unit);
  row.margin =
      MakeQuantity(RoomOf(result.measured, result.threshold), unit, row.measured.absent_because);
  row.level = LevelName(result.threshold.level);
  row.status = GateStatusName(result.status);
  // Measured value and limit stand beside it in every rendering.
  const bool said_already = result.status == GateStatus::kError ||
                            result.status == GateStatus::kWarn ||
                            result.status == GateStatus::kInfo;
  if (!said_already) row.reason = result.reason;
  return row;
}

VerdictInfo BuildVerdict(const BuildInput& input) {
  VerdictInfo info;
  info.status = VerdictStatusName(VerdictStatus::kNotJudged);
  if (input.policy != nullptr) info.policy = input.policy->name;
  for (const Finding& finding : input.findings) info.waived += finding.status == "waived";
  if (input.verdict == nullptr) return info;
  const Verdict& verdict = *input.verdict;
  info.status = VerdictStatusName(verdict.status);
  info.errors = verdict.errors;
  info.warnings = verdict.warnings;
  info.passed = verdict.passed;
  info.not_applicable = verdict.not_applicable;
  info.missing = verdict.missing;
  info.reasons = verdict.reasons;
  return info;
}

// Catalogue order; tables without columns are absent ones.
void BuildTables(const BuildInput& input, Report& report) {
  if (input.tables != nullptr) {
    report.tables = std::move(*input.tables);
  } else {
    report.tables = input.analysis->tables;
  }
  std::erase_if(report.tables, [](const Table& table) { return table.columns().empty(); });
  const auto& absent = input.analysis->absent_tables;
  const auto families = FamiliesOf(*input.analysis);
  for (const TableSpec& spec : TableCatalogue()) {
    if (!families.contains(spec.family)) continue;
    const auto it = absent.find(spec.id);
    if (it != absent.end()) report.absent_tables.emplace_back(*it);
  }
}

std::vector<ImportCounter> BuildImport(std::span<const Profile> ranks) {
  ImportLog log;
  for (const Profile& profile : ranks) log.Merge(profile.log);
  std::vector<ImportCounter> counters;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    if (log[counter] == 0) continue;
    const CounterInfo& info = InfoOf(counter);
    counters.push_back({std::string(info.name), std::string(SeverityName(info.severity)),
                        std::string(info.text), log[counter], log.Examples(counter)});
  }
  return counters;
}

/// The change as people say it: relative for times and counts, in points for shares.
Quantity ChangeOf(const MetricComparison& metric, double change) {
  if (metric.is_missing) return MakeQuantity({}, Unit::kShare, metric.reason);
  return MakeQuantity(change, Unit::kShare);
}

ComparedMetric BuildComparedMetric(const MetricComparison& compared) {
  const MetricSpec* spec = profgauge::FindMetric(compared.metric);
  const bool is_share = compared.unit == Unit::kShare;
  ComparedMetric metric;
  metric.metric = compared.metric;
  metric.title = spec == nullptr ? compared.metric : std::string(spec->title);
  if (!compared.is_missing) {
    metric.base = MakeQuantity(compared.base, compared.unit);
    metric.current = MakeQuantity(compared.current, compared.unit);
  }
  const bool relative = !is_share && compared.base != 0;
  metric.change =
      is_share || relative
          ? ChangeOf(compared, relative ? compared.change / compared.base : compared.change)
          : MakeQuantity(compared.change, compared.unit);
  if (compared.method == CompareMethod::kStatistics && !compared.is_missing) {
    metric.low = MakeQuantity(compared.low, Unit::kShare);
    metric.high = MakeQuantity(compared.high, Unit::kShare);
  }
  metric.limit = compared.limit;
  metric.level = compared.limit.empty() ? std::string() : std::string(LevelName(compared.level));
  metric.result = compared.is_missing ? "missing" : std::string(ChangeName(compared.verdict));
  metric.note = compared.reason;
  return metric;
}

Comparison BuildComparison(const RunComparison& run) {
  Comparison comparison;
  comparison.baseline = run.base_name;
  comparison.baseline_runs = run.baseline_runs;
  comparison.comparable = run.is_comparable;
  for (const profgauge::Difference& difference : run.differences) {
    comparison.differences.push_back(
        {difference.property, difference.base, difference.current, difference.is_hard});
  }
  for (const MetricComparison& metric : run.metrics) {
    comparison.metrics.push_back(BuildComparedMetric(metric));
  }
  comparison.base = run.waterfall.base;
  comparison.current = run.waterfall.current;
  comparison.delta = run.waterfall.delta;
  for (const WaterfallStep& step : run.waterfall.steps) {
    comparison.waterfall.push_back({std::string(PartLevelName(step.level)), step.name, step.parent,
                                    std::string(PartChangeName(step.change)), step.base,
                                    step.current, step.delta, step.count_effect,
                                    step.duration_effect, step.significant});
  }
  return comparison;
}

/// A limit on a change stands in the gate table with the others.
GateRow RowOf(const ComparedMetric& metric) {
  GateRow row;
  row.metric = metric.metric;
  row.title = metric.title;
  row.measured = metric.current;
  row.limit = metric.limit;
  row.baseline = metric.base;
  row.change = metric.change;
  row.level = metric.level;
  row.status = metric.result == "fail"           ? metric.level
               : metric.result == "inconclusive" ? "low_confidence"
               : metric.result == "missing"      ? "missing"
                                                 : "pass";
  row.reason = metric.note;
  return row;
}

}  // namespace

std::string LimitText(const Value& min, const Value& max, Unit unit) {
  if (!IsAbsent(min) && !IsAbsent(max)) {
    return fmt::format("{} to {}", FormatLimit(AsNumber(min, 0), unit),
                       FormatLimit(AsNumber(max, 0), unit));
  }
  if (!IsAbsent(min)) return "≥ " + FormatLimit(AsNumber(min, 0), unit);
  if (!IsAbsent(max)) return "≤ " + FormatLimit(AsNumber(max, 0), unit);
  return {};
}

Report BuildReport(const BuildInput& input) {
  const Analysis& analysis = *input.analysis;
  Report report;
  report.tool = std::string("profgauge ") + kVersion;
  report.profile = BuildProfileInfo(input);
  report.verdict = BuildVerdict(input);
  if (input.verdict != nullptr) {
    for (const GateResult& result : input.verdict->gate) {
      report.gate.push_back(BuildGateRow(result, analysis));
    }
  }
  report.metrics = BuildMetrics(analysis);
  report.findings = input.findings;
  BuildTables(input, report);
  if (input.comparison != nullptr) {
    report.comparison = BuildComparison(*input.comparison);
    for (const ComparedMetric& metric : report.comparison->metrics) {
      if (!metric.limit.empty()) report.gate.push_back(RowOf(metric));
    }
  }
  for (const profgauge::Remark& remark : analysis.remarks) {
    report.remarks.push_back({remark.id, remark.text});
  }
  if (input.verdict != nullptr) {
    for (const std::string& note : input.verdict->notes) report.remarks.push_back({"waiver", note});
  }
  report.import = BuildImport(input.ranks);
  report.environment = BuildEnvironment(input.ranks);
  report.provenance = BuildProvenance(input);
  return report;
}

Report BuildComparisonReport(const std::string& name, const RunComparison& comparison) {
  Report report;
  report.tool = std::string("profgauge ") + kVersion;
  report.profile.name = name;
  report.verdict.status = std::string(VerdictStatusName(VerdictStatus::kNotJudged));
  report.comparison = BuildComparison(comparison);
  return report;
}

}  // namespace profgauge::report
