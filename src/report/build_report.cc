#include "report/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "gate/reasons.h"
#include "model/devices.h"
#include "model/import_log.h"
#include "model/run_side.h"
#include "profgauge/version.h"
#include "report/build_comparison.h"
#include "report/build_profile.h"
#include "report/build_sections.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

/// The device families for which the run has metrics; metrics of other families are omitted.
std::set<std::string_view> FamiliesOf(const analysis::Analysis& analysis) {
  std::set<std::string_view> families = {""};
  for (const analysis::Metric& found : analysis.metrics) {
    if (!IsAbsent(found.value)) families.insert(found.spec->family);
  }
  return families;
}

/// True if times without a profile can have the metric: of steps, of the run, or of a load test.
bool IsOfTimes(const analysis::Metric& metric) {
  return metric.spec->family == analysis::kUnrecordedFamily ||
         metric.spec->family == analysis::kServingFamily ||
         metric.spec->family == analysis::kConditionsFamily;
}

std::vector<Metric> BuildMetrics(const analysis::Analysis& analysis, const DeviceWords& words,
                                 bool is_of_times) {
  const auto families = FamiliesOf(analysis);
  std::vector<Metric> metrics;
  for (const analysis::Metric& found : analysis.metrics) {
    if (!families.contains(found.spec->family)) continue;
    // Without a profile, the list of missing metrics is useless.
    const bool is_told = IsOfTimes(found) || found.spec->id == metric::kProfileRanks;
    if (is_of_times && (IsAbsent(found.value) || !is_told)) continue;
    Metric& metric = metrics.emplace_back();
    metric.id = found.spec->id;
    metric.title = InDeviceWords(found.spec->title, words);
    metric.definition = InDeviceWords(found.spec->definition, words);
    metric.formula = InDeviceWords(found.spec->formula, words);
    metric.source = found.spec->source;
    metric.better = BetterOf(found.spec->direction);
    metric.quantity = MakeQuantity(found.value, found.spec->unit, found.absent_because);
    metric.note = found.note;
    // The run's own unit: "samples per second".
    if (found.spec->id == metric::kStepThroughput && !IsAbsent(found.value)) {
      metric.quantity.text += " " + found.note.substr(0, found.note.find(' ')) + "/s";
    }
    if (found.low_confidence && metric.note.empty()) metric.note = "low confidence";
  }
  return metrics;
}

bool AreOfTimes(std::span<const Profile> ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const Profile& rank) { return profgauge::IsOfTimes(rank); });
}

Value LimitOf(const std::optional<double>& limit) { return limit ? Value{*limit} : Value{}; }

/// Distance of the measured value to its limits; negative if it is beyond one.
Value RoomOf(const Value& measured, const rules::Threshold& threshold) {
  if (IsAbsent(measured) || (!threshold.min && !threshold.max)) return {};
  const double value = AsNumber(measured, 0);
  double room = std::numeric_limits<double>::infinity();
  if (threshold.max) room = std::min(room, *threshold.max - value);
  if (threshold.min) room = std::min(room, value - *threshold.min);
  return room;
}

// The margin is the distance to the nearer limit, negative beyond it. A limit that does not apply
// has no margin, even if the number is known.
GateRow BuildGateRow(const gate::GateResult& result, const analysis::Analysis& analysis,
                     const DeviceWords& words) {
  const std::shared_ptr<const analysis::MetricSpec> spec =
      analysis::DescribeMetric(result.threshold.metric);
  const analysis::Metric* metric = analysis.Find(result.threshold.metric);
  const Unit unit = spec == nullptr ? Unit::kNumber : spec->unit;
  GateRow row;
  row.metric = result.threshold.metric;
  row.title = spec == nullptr ? result.threshold.metric : InDeviceWords(spec->title, words);
  row.measured =
      MakeQuantity(result.measured, unit, metric == nullptr ? "" : metric->absent_because);
  row.min = LimitOf(result.threshold.min);
  row.max = LimitOf(result.threshold.max);
  row.limit = LimitText(row.min, row.max, unit);
  const bool applies = result.status != gate::GateStatus::kNotApplicable;
  row.margin = applies ? MakeDifference(RoomOf(result.measured, result.threshold), unit,
                                        row.measured.absent_because)
                       : MakeDifference(Value{}, unit, "the limit does not apply");
  row.level = StateOf(rules::LevelName(result.threshold.level));
  row.status = StateOf(gate::GateStatusName(result.status));
  // All outputs show the measured value and the limit beside it.
  const bool said_already = result.status == gate::GateStatus::kError ||
                            result.status == gate::GateStatus::kWarn ||
                            result.status == gate::GateStatus::kInfo;
  if (!said_already) row.reason = InDeviceWords(result.reason, words);
  // "3.88 ms (limit ≤ 3.88 ms)" would hide the difference between the two numbers.
  const auto reads_alike = [&](const Value& limit) {
    return !IsAbsent(limit) && row.measured.text == FormatValue(limit, unit);
  };
  const double room = AsNumber(RoomOf(result.measured, result.threshold), 0);
  if (room < 0 && (reads_alike(row.min) || reads_alike(row.max))) {
    row.measured.text = FormatLimit(AsNumber(result.measured, 0), unit);
  }
  row.counted_with = result.counted_with;
  if (!IsAbsent(result.recorded)) {
    row.recorded = MakeQuantity(result.recorded, unit, "");
    row.measured.text += fmt::format(" without the profiler ({} recorded)", row.recorded.text);
  }
  return row;
}

VerdictInfo VerdictOf(const gate::Verdict& verdict) {
  VerdictInfo info;
  info.status = StateOf(gate::VerdictStatusName(verdict.status));
  info.errors = verdict.errors;
  info.warnings = verdict.warnings;
  info.passed = verdict.passed;
  info.not_applicable = verdict.not_applicable;
  info.missing = verdict.missing;
  info.open = verdict.open;
  info.cautions = verdict.cautions;
  info.not_found = verdict.not_found;
  info.reasons = verdict.reasons;
  info.waived = verdict.waived_limits;
  const auto share = [](const std::optional<double>& of) {
    if (!of) return Quantity{};
    Quantity quantity = MakeQuantity(*of, Unit::kShare);
    quantity.text.insert(0, "+");
    return quantity;
  };
  for (const gate::Accepted& one : verdict.accepted) {
    info.accepted.push_back({one.what, share(one.change), share(one.up_to), one.reason, one.owner,
                             one.until, gate::AcceptedText(one)});
  }
  if (verdict.status == gate::VerdictStatus::kNoVerdict) {
    const bool is_settled = verdict.needed > 0 && verdict.recordings >= verdict.needed;
    info.again = !verdict.reasons.empty();
    info.recordings = verdict.recordings;
    info.needed = verdict.needed;
    for (const std::string& text : verdict.reasons) {
      const gate::Reason* reason = gate::ReasonOfText(text);
      if (reason == nullptr) continue;  // A failure beside it.
      info.no_verdict.push_back({std::string(reason->id), text, std::string(reason->act)});
      info.again &= reason->again && (reason->of != gate::ReasonOf::kLimit || !is_settled);
    }
  }
  for (const rules::Loosened& one : verdict.loosened) {
    info.loosened.push_back({one.what, one.before, one.now, rules::LoosenedText(one)});
  }
  return info;
}

VerdictInfo BuildVerdict(const BuildInput& input) {
  VerdictInfo info = VerdictOf(input.verdict == nullptr ? gate::Verdict() : *input.verdict);
  if (input.policy != nullptr) {
    info.policy = input.policy->name;
    info.policy_hash = input.policy->hash;
  }
  if (input.comparison != nullptr) info.accept_line = gate::AcceptLine(input.comparison->metrics);
  for (const Finding& finding : input.findings) info.waived += finding.status == State::kWaived;
  return info;
}

// Adds tables in catalog order; tables without columns are missing ones.
void BuildTables(const BuildInput& input, Report& report) {
  if (input.tables != nullptr) {
    report.tables = std::move(*input.tables);
  } else {
    report.tables = input.analysis->tables;
  }
  std::erase_if(report.tables, [](const Table& table) { return table.columns().empty(); });
  const auto& absent = input.analysis->absent_tables;
  const auto families = FamiliesOf(*input.analysis);
  if (AreOfTimes(input.ranks)) {
    std::erase_if(report.tables, [](const Table& table) { return table.rows() == 0; });
    return;
  }
  for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
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
    counters.push_back({std::string(info.name), info.severity,
                        std::string(CounterText(counter, log[counter])), log[counter],
                        log.Examples(counter)});
  }
  return counters;
}

/// The row of a limit on a change in the table of limits, with the change that missed it.
GateRow RowOf(const ComparedMetric& metric) {
  GateRow row;
  row.metric = metric.metric;
  row.title = metric.title;
  row.measured = metric.current;
  row.limit = metric.limit;
  row.baseline = metric.base;
  row.change = metric.change;
  row.level = metric.level;
  row.status = metric.result == State::kFail           ? metric.level
               : metric.result == State::kInconclusive ? State::kLowConfidence
               : metric.result == State::kImproved     ? State::kPass
                                                       : metric.result;
  row.reason = metric.note;
  if (IsOfTotal(metric)) {
    row.change = metric.total;
    row.change.text = "total " + metric.total.text;
    row.limit = "≤ " + metric.total_limit.text;
  }
  return row;
}

void AddComparison(const gate::RunComparison& comparison, Report& report) {
  report.comparison = BuildComparison(comparison, report.profile.accelerator);
  for (const ComparedMetric& metric : report.comparison->metrics) {
    if (!metric.limit.empty()) report.gate.push_back(RowOf(metric));
  }
}

BaselineUse BaselineOf(const gate::BaselineInfo& info) {
  BaselineUse use;
  use.state = gate::BaselineStateName(info.state);
  use.source = info.source;
  use.wanted = info.wanted;
  for (const gate::BaselineRun& run : info.runs) use.runs.push_back({run.id, run.commit, run.name});
  for (const gate::SkippedRun& run : info.skipped) use.skipped.emplace_back(run.id, run.why);
  if (info.level) {
    use.level = fmt::format("run {}, accepted by {}: {}", info.level->run, info.level->owner,
                            info.level->reason);
  }
  use.anchor = info.anchor;
  use.learning_until = info.learning_until;
  use.line = gate::BaselineLine(info);
  use.mark = gate::BaselineMark(info);
  return use;
}

void AddNotes(const gate::RunComparison& comparison, Report& report) {
  for (const std::string& note : comparison.notes) report.remarks.push_back({"comparison", note});
  if (!comparison.changed.empty()) report.remarks.push_back({"changed", comparison.changed});
  if (!comparison.outside.empty()) {
    // It has the same number, and what it was before.
    std::erase_if(report.remarks, [](const Remark& remark) { return remark.id == kOutside; });
    report.remarks.push_back({std::string(kPassedOutside), comparison.outside});
  }
  for (const ComparedMetric& metric : report.comparison->metrics) {
    if (!PassesInSpiteOfTotal(metric)) continue;
    report.remarks.push_back(
        {std::string(kPassedTotal),
         fmt::format("{}: all iterations together take {} (limit {}), {}", metric.title,
                     metric.total.text, metric.total_limit.text,
                     IsAbsent(metric.chance.value)
                         ? "by a slow start, which fails a run only beyond three limits"
                         : fmt::format("which chance does in {} of cases", metric.chance.text))});
  }
}

}  // namespace

Quantity MakeQuantity(Value value, Unit unit, std::string absent_because) {
  Quantity quantity;
  quantity.text = FormatValue(value, unit);
  quantity.value = std::move(value);
  quantity.unit = unit;
  if (IsAbsent(quantity.value)) quantity.absent_because = std::move(absent_because);
  return quantity;
}

Quantity MakeDifference(Value difference, Unit unit, std::string absent_because) {
  Quantity quantity = MakeQuantity(std::move(difference), unit, std::move(absent_because));
  if (IsAbsent(quantity.value)) return quantity;
  const double number = AsNumber(quantity.value, 0);
  if (unit == Unit::kShare) {
    quantity.text = FormatNumber(std::abs(number) * 100, 1) + std::string(kNumberSpace) + "points";
  } else if (number < 0) {
    quantity.text = FormatValue(-number, unit);
  }
  if (number != 0) quantity.text = (number < 0 ? "−" : "+") + quantity.text;
  return quantity;
}

Better BetterOf(analysis::Direction direction) {
  switch (direction) {
    case analysis::Direction::kHigherIsBetter:
      return Better::kHigher;
    case analysis::Direction::kLowerIsBetter:
      return Better::kLower;
    case analysis::Direction::kNeutral:
      break;
  }
  return Better::kNeutral;
}

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
  const analysis::Analysis& analysis = *input.analysis;
  Report report;
  report.tool = std::string("profgauge ") + kVersion;
  report.profile = BuildProfileInfo(input);
  const DeviceWords& words = DeviceWordsOf(FindAccelerator(report.profile.accelerator));
  report.verdict = BuildVerdict(input);
  for (std::string& reason : report.verdict.reasons) reason = InDeviceWords(reason, words);
  if (input.verdict != nullptr) {
    for (const gate::GateResult& result : input.verdict->gate) {
      report.gate.push_back(BuildGateRow(result, analysis, words));
    }
  }
  report.metrics = BuildMetrics(analysis, words, AreOfTimes(input.ranks));
  report.findings = input.findings;
  report.plan = input.plan;
  if (input.verdict != nullptr) {
    const auto& counted_with = input.verdict->findings_counted_with;
    for (std::size_t i = 0; i < std::min(counted_with.size(), report.findings.size()); ++i) {
      report.findings[i].counted_with = counted_with[i];
    }
    const auto& covered = input.verdict->findings_covered;
    for (std::size_t i = 0; i < std::min(covered.size(), report.findings.size()); ++i) {
      if (covered[i].empty()) continue;
      report.findings[i].status = State::kCovered;
      report.findings[i].reason = covered[i];
    }
  }
  BuildTables(input, report);
  if (input.comparison != nullptr) AddComparison(*input.comparison, report);
  for (const analysis::Remark& remark : analysis.remarks) {
    report.remarks.push_back({remark.id, remark.text});
  }
  if (input.comparison != nullptr) {
    const std::optional<gate::SlowRank>& slow = input.comparison->slow_rank;
    if (slow) report.remarks.push_back({"comparison", slow->text});
    AddNotes(*input.comparison, report);
  }
  if (input.baseline != nullptr) report.baseline = BaselineOf(*input.baseline);
  const std::int64_t runs =
      report.comparison ? report.comparison->current_runs : static_cast<std::int64_t>(input.runs);
  if (runs > 1) {
    report.profile.runs = runs;
    report.remarks.push_back(
        {"several-runs",
         fmt::format("{} runs are {}; the rest describes {}, the run with the median "
                     "iteration time",
                     runs,
                     report.comparison ? "compared with the baseline together" : "judged together",
                     report.profile.name)});
  }
  if (input.verdict != nullptr) {
    for (const auto& [limit, text] : input.verdict->part_warnings) {
      report.remarks.push_back({std::string(kSlowerPart) + limit, text});
    }
    for (const std::string& note : input.verdict->waiver_notes) {
      report.remarks.push_back({"waiver", note});
    }
    for (const std::string& note : input.verdict->notes) {
      report.remarks.push_back({"verdict", note});
    }
  }
  report.recording = analysis.certificate;
  AddLaunchCheck(input.comparison, report.recording);
  report.import = BuildImport(input.ranks);
  report.environment = BuildEnvironment(input.ranks);
  report.provenance = BuildProvenance(input);
  if (AreOfTimes(input.ranks)) UseWordsOfTimes(report);
  return report;
}

Report BuildComparisonReport(const gate::RunComparison& comparison, const gate::Verdict& verdict,
                             const std::string& policy) {
  Report report;
  report.tool = std::string("profgauge ") + kVersion;
  report.profile.name = comparison.current_name;
  report.verdict = VerdictOf(verdict);
  report.verdict.policy = policy;
  AddComparison(comparison, report);
  AddNotes(comparison, report);
  const auto is_of_times = [](const auto& property) {
    return property.first == "format" && property.second == "times";
  };
  if (std::ranges::any_of(comparison.alike, is_of_times)) UseWordsOfTimes(report);
  return report;
}

namespace {

using Reworded = std::pair<std::string_view, std::string_view>;
constexpr Reworded kPlainIterations[] = {{"unrecorded iteration", "iteration"},
                                         {"Unrecorded iteration", "Iteration"},
                                         {"unrecorded time", "time"}};
// Words for comparisons of runs; elsewhere, a profile is the data that the reader could record.
constexpr Reworded kPlainRecordings[] = {{" profiles", " recordings"}, {" profile", " recording"}};

template <std::size_t N>
void Replace(const Reworded (&words)[N], std::string& text) {
  for (const auto& [from, to] : words) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
}

void Said(std::string& text) { Replace(kPlainIterations, text); }
void Compared(std::string& text) {
  Replace(kPlainIterations, text);
  Replace(kPlainRecordings, text);
}

}  // namespace

void UseWordsOfTimes(Report& report) {
  for (std::string& reason : report.verdict.reasons) Compared(reason);
  for (NoVerdict& reason : report.verdict.no_verdict) Compared(reason.text);
  for (GateRow& row : report.gate) Said(row.title), Compared(row.reason);
  for (Metric& metric : report.metrics) Said(metric.title), Said(metric.definition);
  for (Remark& remark : report.remarks) {
    if (remark.id == "comparison" || remark.id == "changed") {
      Compared(remark.text);
    } else {
      Said(remark.text);
    }
  }
  if (!report.comparison) return;
  for (ComparedMetric& metric : report.comparison->metrics) {
    Said(metric.title), Compared(metric.note);
  }
  for (PairedValue& value : report.comparison->values) Said(value.title);
}

}  // namespace profgauge::report
