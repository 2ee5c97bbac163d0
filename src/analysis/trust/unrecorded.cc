#include "analysis/trust/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/iteration_stats.h"
#include "analysis/catalog/reported_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/iterations/utilization.h"
#include "base/format.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/whole.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"
#include "model/reported.h"
#include "model/run_side.h"

namespace profgauge::analysis::trust {
namespace {

constexpr std::string_view kNoReadings =
    "needs readings of the devices (`devices` of `profgauge.run`, or `--device-log FILE`)";
constexpr std::string_view kNoSuchReading = "the readings of the devices do not include it";

constexpr MetricId kOfConditions[] = {
    metric::kConditionsClock,          metric::kConditionsClockLimit,
    metric::kConditionsMemoryClock,    metric::kConditionsPower,
    metric::kConditionsPowerLimit,     metric::kConditionsTemperature,
    metric::kConditionsPowerCapped,    metric::kConditionsThrottled,
    metric::kConditionsComputeBound,   metric::kConditionsMemoryBound,
    metric::kConditionsEccUncorrected, metric::kConditionsOtherProcesses};

using RunDevices = std::vector<const RunDevice*>;

// Devices with any reading, stored in the profiles' `run_side`.
RunDevices KnownDevices(std::span<const iterations::RankContext> ranks) {
  RunDevices devices;
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const RunDevice& device : DevicesOf(*side)) {
      if (!device.conditions.empty() || !device.reasons.empty()) devices.push_back(&device);
    }
  }
  return devices;
}

const DeviceCondition* ConditionOf(const RunDevice& device, std::string_view name) {
  const auto found = device.conditions.find(name);
  return found == device.conditions.end() ? nullptr : &found->second;
}

/// The device with the lowest or highest median; nullptr if none has one. A run is judged by its
/// worst device: the lowest clock, the highest power.
const DeviceCondition* Outermost(const RunDevices& devices, std::string_view name, bool is_least) {
  const DeviceCondition* outermost = nullptr;
  for (const RunDevice* device : devices) {
    const DeviceCondition* one = ConditionOf(*device, name);
    if (one == nullptr || !std::isfinite(one->median)) continue;
    const bool is_farther = outermost == nullptr || (is_least ? one->median < outermost->median
                                                              : one->median > outermost->median);
    if (is_farther) outermost = one;
  }
  return outermost;
}

/// "1 200 to 1 980" next to the median; empty if it did not vary.
std::string RangeText(const DeviceCondition& condition) {
  const bool varies = std::isfinite(condition.least) && std::isfinite(condition.most) &&
                      condition.least < condition.most;
  return varies ? fmt::format("{:.0f} to {:.0f}", condition.least, condition.most) : "";
}

// Adds the range in a note if the readings vary.
void SetMedian(MetricId id, const DeviceCondition* condition, catalog::Output& out) {
  if (condition == nullptr) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, condition->median);
  if (std::string range = RangeText(*condition); !range.empty()) out.SetNote(id, std::move(range));
}

void SetLimit(MetricId id, const DeviceCondition* condition, catalog::Output& out) {
  if (condition == nullptr || !std::isfinite(condition->limit)) {
    return out.SetAbsent(id, std::string(kNoSuchReading));
  }
  out.Set(id, condition->limit);
}

/// The highest value of any device.
void SetMost(MetricId id, const RunDevices& devices, std::string_view name, catalog::Output& out) {
  std::optional<double> highest;
  for (const RunDevice* device : devices) {
    const DeviceCondition* one = ConditionOf(*device, name);
    if (one == nullptr) continue;
    const double most = std::isfinite(one->most) ? one->most : one->median;
    if (std::isfinite(most)) highest = std::max(highest.value_or(most), most);
  }
  if (!highest) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, *highest);
}

/// The largest share of a single reason of this kind, over devices that report reasons.
void SetReason(MetricId id, const RunDevices& devices, bool (*is_of_kind)(std::string_view),
               catalog::Output& out) {
  double largest = 0;
  std::string_view named;
  bool are_known = false;
  for (const RunDevice* device : devices) {
    are_known = are_known || device->knows_reasons;
    for (const auto& [reason, share] : device->reasons) {
      if (!is_of_kind(reason) || share <= largest) continue;
      largest = share;
      named = reason;
    }
  }
  if (!are_known) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, largest);
  if (!named.empty()) out.SetNote(id, fmt::format("`{}`", named));
}

/// The share of kernel time in operators with this bound. The total includes operators with unknown
/// rooflines.
void SetBound(MetricId id, std::string_view bound, catalog::Output& out) {
  const double kernels = AsNumber(out.ValueOf(metric::kProfileKernelTime), 0);
  const Table* roofline = out.Added("roofline");
  const Column* of = catalog::ColumnOf<catalog::columns::kRoofline>(roofline, "bound"_col);
  const Column* times = catalog::ColumnOf<catalog::columns::kRoofline>(roofline, "time"_col);
  if (kernels <= 0 || of == nullptr || times == nullptr) {
    return out.SetAbsent(id, "needs the work of operators and the peaks of the device");
  }
  double sum = 0;
  bool is_known = false;
  for (std::size_t row = 0; row < roofline->rows(); ++row) {
    const Value cell = roofline->At(row, *of);
    const auto* text = std::get_if<std::string>(&cell);
    is_known = is_known || (text != nullptr && !text->empty());
    if (text != nullptr && *text == bound) sum += AsNumber(roofline->At(row, *times), 0);
  }
  if (!is_known) return out.SetAbsent(id, "no operator has a known roof");
  out.Set(id, std::clamp(sum / kernels, 0.0, 1.0));
}

}  // namespace

void AddConditions(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const RunDevices devices = KnownDevices(ranks);
  if (devices.empty()) {
    for (const MetricId id : kOfConditions) out.SetAbsent(id, std::string(kNoReadings));
    return;
  }
  const DeviceCondition* clock = Outermost(devices, "sm_mhz", true);
  const DeviceCondition* power = Outermost(devices, "watts", false);
  SetMedian(metric::kConditionsClock, clock, out);
  SetLimit(metric::kConditionsClockLimit, clock, out);
  SetMedian(metric::kConditionsMemoryClock, Outermost(devices, "memory_mhz", true), out);
  SetMedian(metric::kConditionsPower, power, out);
  SetLimit(metric::kConditionsPowerLimit, power, out);
  SetMost(metric::kConditionsTemperature, devices, "celsius", out);
  SetMost(metric::kConditionsEccUncorrected, devices, "ecc_uncorrected", out);
  SetMost(metric::kConditionsOtherProcesses, devices, "other_processes", out);
  SetReason(metric::kConditionsPowerCapped, devices, IsPowerCap, out);
  SetReason(metric::kConditionsThrottled, devices, IsThrottle, out);
  SetBound(metric::kConditionsComputeBound, "compute", out);
  SetBound(metric::kConditionsMemoryBound, "memory", out);
}

namespace {

/// Appends a cell in the column's type; a value of another type counts as absent.
void AddCell(const Value& value, Column& column, StringPool& strings) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* text = std::get_if<std::string>(&value);
  const bool is_number = !IsAbsent(value) && text == nullptr;
  if (column.type() == CellType::kText && text != nullptr) {
    column.AddText(strings.Intern(*text));
  } else if (column.type() == CellType::kReal && is_number) {
    column.AddReal(AsNumber(value, 0));
  } else if (column.type() == CellType::kInteger && integer != nullptr) {
    column.AddInteger(*integer);
  } else if (column.unit() == Unit::kBool && std::holds_alternative<bool>(value)) {
    column.AddInteger(std::get<bool>(value) ? 1 : 0);
  } else {
    column.AddAbsent();
  }
}

void FillTable(const ReportedTable& reported, Table& table) {
  for (Column& column : table.columns()) {
    const auto at = std::find(reported.columns.begin(), reported.columns.end(), column.id());
    if (at == reported.columns.end()) {
      column.MarkAbsent("the tables stored in the profile have no such column");
    }
    const auto index = static_cast<std::size_t>(at - reported.columns.begin());
    for (const std::vector<Value>& row : reported.rows) {
      AddCell(index < row.size() ? row[index] : Value{}, column, table.strings());
    }
  }
}

/// Whether the file reports a larger count than its data show: of ranks whose data it sums up, or
/// of GPUs that it does not list.
bool IsMoreThanHeld(const ReportedMetric& metric, const catalog::Output& out) {
  if (metric.id != metric::kProfileRanks && metric.id != metric::kProfileGpusListed) return false;
  return AsNumber(metric.value, 0) > AsNumber(out.ValueOf(metric.id), 0);
}

}  // namespace

namespace {

// Hardware counters: the mean of the ranks' values, weighted by their windows.
void SetMeansOfRanks(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const MetricId id :
       {metric::kGpuMeasuredTensorActive, metric::kGpuMeasuredSmActive,
        metric::kGpuMeasuredDramRead, metric::kGpuMeasuredDramWrite, metric::kGpuMeasuredDram}) {
    double sum = 0, time = 0;
    std::size_t sampled = 0;
    for (const iterations::RankContext& rank : ranks) {
      const auto& metrics = rank.profile->reported.metrics;
      const auto found = std::ranges::find(metrics, id, &ReportedMetric::id);
      if (found == metrics.end() || IsAbsent(found->value)) continue;
      const auto length = static_cast<double>(rank.window().length());
      sum += AsNumber(found->value, 0) * length;
      time += length;
      ++sampled;
    }
    if (sampled == 0 || out.IsSet(id)) continue;
    if (sampled < ranks.size() || time <= 0) {
      out.SetAbsent(id, fmt::format("{} of {} ranks sampled it; the others are unknown", sampled,
                                    ranks.size()));
      continue;
    }
    out.Set(id, sum / time);
    out.SetNote(id, fmt::format("mean of {} ranks, each by its recorded time", ranks.size()));
  }
}

}  // namespace

bool IsOfRecorder(std::string_view table) { return table == "op_types"; }

void AddReported(std::span<const iterations::RankContext> ranks, bool range_chosen,
                 catalog::Output& out) {
  if (ranks.size() > 1) SetMeansOfRanks(ranks, out);
  // Each of several ranks reports its own numbers; those of the host cover the whole run.
  const Profile* stating = nullptr;
  for (const iterations::RankContext& rank : ranks) {
    const Reported& reported = rank.profile->reported;
    if (reported.metrics.empty() && reported.tables.empty()) continue;
    if (stating != nullptr) return;
    stating = rank.profile;
  }
  const bool of_host = stating != nullptr && !stating->reported.metrics.empty() &&
                       stating->reported.metrics.front().id.text().starts_with("host.");
  if (stating == nullptr || (ranks.size() != 1 && !of_host)) return;
  const Reported& reported = stating->reported;
  for (const ReportedMetric& metric : reported.metrics) {
    if (out.IsSet(metric.id) && !IsMoreThanHeld(metric, out)) continue;
    // Reported without a number: the note has the reason.
    if (IsAbsent(metric.value)) {
      if (!metric.note.empty()) out.SetAbsent(metric.id, metric.note);
      continue;
    }
    out.Set(metric.id, metric.value);
    if (!metric.note.empty()) out.SetNote(metric.id, metric.note);
  }
  for (const ReportedTable& table : reported.tables) {
    if (FindTable(table.id) == nullptr) continue;
    if (out.HasRows(table.id) && (range_chosen || !IsOfRecorder(table.id))) continue;
    FillTable(table, out.ReplaceTable(table.id));
  }
}

// Other contents of files of times: benchmarks and load tests.

namespace {

// More columns are not visible in a chart.
constexpr std::size_t kMostRows = 512;

void AddSteps(const JudgedSteps& steps, catalog::Output& out) {
  catalog::RowWriter<catalog::columns::kSteps> write(out.AddTable("steps"));
  const std::size_t each = (steps.lengths.size() + kMostRows - 1) / kMostRows;
  auto unusual = steps.unusual.begin();
  for (std::size_t first = 0; first < steps.lengths.size(); first += each) {
    const std::size_t end = std::min(first + each, steps.lengths.size());
    double sum = 0;
    Ns longest = 0;
    for (std::size_t i = first; i < end; ++i) {
      sum += static_cast<double>(steps.lengths[i]);
      longest = std::max(longest, steps.lengths[i]);
    }
    std::int64_t marked = 0;
    for (; unusual != steps.unusual.end() && *unusual < end; ++unusual) ++marked;
    write.Integer("first"_col, static_cast<std::int64_t>(first) * steps.a_value)
        .Integer("count"_col, static_cast<std::int64_t>(end - first) * steps.a_value)
        .Integer("mean"_col, std::llround(sum / static_cast<double>(end - first)))
        .Integer("longest"_col, longest)
        .Integer("unusual"_col, marked);
  }
}

struct Latency {
  std::string_view name;
  MetricId mean, median, p90, p95, p99;
};
constexpr Latency kLatencies[] = {
    {"time to first token", metric::kServeTtftMean, metric::kServeTtftMedian, metric::kServeTtftP90,
     metric::kServeTtftP95, metric::kServeTtftP99},
    {"time per output token", metric::kServeTpotMean, metric::kServeTpotMedian,
     metric::kServeTpotP90, metric::kServeTpotP95, metric::kServeTpotP99},
    {"time between tokens", metric::kServeItlMean, metric::kServeItlMedian, metric::kServeItlP90,
     metric::kServeItlP95, metric::kServeItlP99},
    {"time of a request", metric::kServeE2eMean, metric::kServeE2eMedian, metric::kServeE2eP90,
     metric::kServeE2eP95, metric::kServeE2eP99},
};

// A latency that the tool does not report has no row.
void AddServing(const LoadTest& test, catalog::Output& out) {
  catalog::RowWriter<catalog::columns::kServing> latencies(out.AddTable("serving"));
  for (const Latency& one : kLatencies) {
    const auto is_set = [&](MetricId id) { return out.IsSet(id); };
    const auto time = [&](MetricId id) { return is_set(id) ? AsWhole(out.ValueOf(id), 0) : 0; };
    if (!is_set(one.mean) && !is_set(one.median) && !is_set(one.p90) && !is_set(one.p95) &&
        !is_set(one.p99)) {
      continue;
    }
    latencies.Text("name"_col, one.name)
        .IntegerIf("mean"_col, is_set(one.mean), time(one.mean))
        .IntegerIf("median"_col, is_set(one.median), time(one.median))
        .IntegerIf("p90"_col, is_set(one.p90), time(one.p90))
        .IntegerIf("p95"_col, is_set(one.p95), time(one.p95))
        .IntegerIf("p99"_col, is_set(one.p99), time(one.p99));
  }
  catalog::RowWriter<catalog::columns::kServingLoad> load(out.AddTable("serving_load"));
  const auto row = [&](std::string_view name, const std::string& value) {
    load.Text("name"_col, name).Text("value"_col, value);
  };
  for (const auto& [name, value] : test.load) row(name, value);
  const auto count = [](double number) {
    return FormatCount(std::llround(std::min(number, 9e15)));
  };
  if (test.completed > 0) row("answered requests", count(test.completed));
  if (test.output_tokens > 0) row("output tokens", count(test.output_tokens));
  for (const auto& [id, name] :
       {std::pair(metric::kServeFailedShare, "failed requests"),
        std::pair(metric::kServeRequestRate, "answered requests per second"),
        std::pair(metric::kServeOutputRate, "output tokens per second"),
        std::pair(metric::kServeTotalRate, "tokens per second"),
        std::pair(metric::kServeGoodput, "goodput, requests per second")}) {
    if (out.IsSet(id)) row(name, FormatValue(out.ValueOf(id), SpecOf(id).unit));
  }
}

}  // namespace

void AddSideResults(std::span<const iterations::RankContext> ranks, const JudgedSteps* steps,
                    catalog::Output& out) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [](const iterations::RankContext& rank) { return IsOfTimes(*rank.profile); })) {
    out.AddRemark(
        "times-only",
        fmt::format("Times only. No profile was recorded, so this says whether the run is "
                    "slower, not why: record one{}",
                    steps == nullptr
                        ? ", `profgauge check PROFILE`"
                        : " and pass both, `profgauge check PROFILE --step-times FILE`"));
    if (steps != nullptr) AddSteps(*steps, out);
  }
  bool has_benchmarks = false;
  const LoadTest* load_test = nullptr;
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    has_benchmarks |= !side->benchmarks.empty();
    if (!side->load_test) continue;
    load_test = &*side->load_test;
    for (const auto& [id, value] : side->load_test->metrics) {
      if (SpecOf(id).unit == Unit::kTime) {
        out.Set(id, static_cast<std::int64_t>(std::llround(value)));
      } else {
        out.Set(id, value);
      }
    }
  }
  if (load_test != nullptr) AddServing(*load_test, out);
  if (!has_benchmarks) return;
  catalog::RowWriter<catalog::columns::kBenchmarks> write(out.AddTable("benchmarks"));
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const NamedTimes& benchmark : side->benchmarks) {
      const breakdown::SeriesStats stats = breakdown::Describe(benchmark.lengths);
      write.Text("name"_col, benchmark.name)
          .Integer("runs"_col, static_cast<std::int64_t>(benchmark.lengths.size()))
          .Integer("median"_col, std::llround(stats.median))
          .Real("robust_cv"_col, stats.robust_cv);
    }
  }
}

namespace {

constexpr MetricId kOfSteps[] = {
    metric::kStepCount,        metric::kStepTimeMean,     metric::kStepTimeMedian,
    metric::kStepTimeMin,      metric::kStepTimeMax,      metric::kStepTimeP95,
    metric::kStepTimeRobustCv, metric::kStepOutliers,     metric::kStepDrift,
    metric::kStepThroughput,   metric::kStepPerturbation, metric::kRunTimeMean,
    metric::kRunUnusualShare};
constexpr MetricId kCorrected[] = {metric::kGpuIdleUnrecorded, metric::kGpuUtilizationUnrecorded,
                                   metric::kFlopsMfuUnrecorded};

template <std::size_t N>
void SetAllAbsent(const MetricId (&ids)[N], const std::string& why, catalog::Output& out) {
  for (const MetricId id : ids) out.SetAbsent(id, why);
}

Value RoundedNs(double nanoseconds) { return static_cast<std::int64_t>(std::llround(nanoseconds)); }

/// Bounds of one device's work per iteration.
struct Busy {
  double union_of_all = 0, kernels = 0;  ///< ns per iteration.
  double low = 0, high = 0;              ///< Range of `union_of_all` without the profiler.
  double error = 0;                      ///< Relative error of the mean over iterations.
};

/// One device's work per iteration.
struct DeviceSums {
  std::map<std::int64_t, double> of_stream;
  double all = 0;
  std::vector<double> of_iteration;
  SpanCollector computing;  ///< All except collectives.
};

void AddRow(const iterations::RankContext& rank, std::size_t row, DeviceSums& sums) {
  const DeviceTable& device = rank.profile->device;
  const auto length = static_cast<double>(device.duration[row]);
  sums.of_stream[device.stream[row]] += length;
  sums.all += length;
  const std::uint32_t index = rank.iterations.of_device[row];
  if (index != iterations::Iterations::kNone && rank.iterations.SelectsIteration(index)) {
    sums.of_iteration[index - rank.iterations.first] += length;
  }
  if (!rank.classes[row].collective) sums.computing.Add(device.start[row], device.duration[row]);
}

double ErrorOfMean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  const breakdown::SeriesStats stats = breakdown::Describe(values);
  return stats.cv.value_or(0) / std::sqrt(n);
}

/// Returns bounds of each device's busy time without the profiler. `waiting`: waiting in
/// collectives per iteration, if known; otherwise all of a collective may be waiting. Streams may
/// then overlap differently, so the device is busy for at least the busiest stream, and at most the
/// sum of all:
///
///   stream 1   |######|            6
///   stream 2       |######|        6      union 10, low 6, high 12
///
/// Collectives also wait for ranks that are faster without the profiler, so `low` excludes that.
std::vector<Busy> BusyOf(const iterations::RankContext& rank, bool communicates,
                         std::optional<double> waiting) {
  const auto count = static_cast<double>(rank.iterations.selected().size());
  std::vector<Busy> all;
  std::map<std::int32_t, DeviceSums> sums;
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!rank.iterations.CountsDevice(static_cast<std::uint32_t>(row))) continue;
    DeviceSums& of = sums[device.gpu[row]];
    of.of_iteration.resize(rank.iterations.selected().size());
    AddRow(rank, row, of);
  }
  for (const iterations::GpuUse& use : iterations::MeasureGpus(rank)) {
    Busy& busy = all.emplace_back();
    busy.union_of_all = static_cast<double>(use.busy) / count;
    busy.kernels = static_cast<double>(use.kernel_busy) / count;
    busy.low = busy.high = busy.union_of_all;
    const auto found = sums.find(use.gpu);
    if (found == sums.end()) {  // A summary: it may all be collectives.
      if (communicates && !waiting) busy.low = 0;
      if (communicates && waiting) busy.low = busy.union_of_all - *waiting;
      continue;
    }
    DeviceSums& of = found->second;
    double busiest = 0;
    for (const auto& [stream, time] : of.of_stream) busiest = std::max(busiest, time / count);
    const double computing = static_cast<double>(Length(of.computing.Take())) / count;
    busy.low = std::min(busiest, busy.union_of_all);
    if (computing < busy.union_of_all && communicates) {
      busy.low = std::min(busy.low, waiting ? busy.union_of_all - *waiting : computing);
    }
    busy.high = std::max(busy.union_of_all, of.all / count);
    busy.error = ErrorOfMean(of.of_iteration);
  }
  return all;
}

/// Returns the recorded time to compare with unrecorded iterations: from start to start, if there
/// is time between iterations, else the iteration time.
double RecordedLength(const catalog::Output& out) {
  const double between = AsNumber(out.ValueOf(metric::kIterationBetweenShare), 0);
  const MetricId id =
      between >= knowledge::kGateMuchBetween.value() && out.IsSet(metric::kIterationPeriodMedian)
          ? metric::kIterationPeriodMedian
          : metric::kIterationTimeMedian;
  return AsNumber(out.ValueOf(id), 0);
}

std::string Times(double ns) { return FormatDuration(ns); }

void SetSteps(const JudgedSteps& steps, catalog::Output& out) {
  const breakdown::SeriesStats stats = breakdown::Describe(steps.usual);
  const double median = steps.level.median;
  out.Set(metric::kStepCount, static_cast<std::int64_t>(steps.level.values) * steps.a_value);
  out.Set(metric::kStepTimeMean, RoundedNs(stats.mean));
  out.Set(metric::kStepTimeMedian, RoundedNs(median));
  out.Set(metric::kStepTimeMin, RoundedNs(stats.min));
  out.Set(metric::kStepTimeMax, RoundedNs(stats.max));
  out.Set(metric::kStepTimeP95, RoundedNs(stats.p95));
  if (stats.robust_cv) out.Set(metric::kStepTimeRobustCv, *stats.robust_cv);
  out.Set(metric::kStepOutliers, stats.outliers);
  if (stats.drift) out.Set(metric::kStepDrift, *stats.drift);
  const std::string interval =
      fmt::format("95 % CI {} to {}, {} iterations{}{}", Times(median * (1 - steps.level.own)),
                  Times(median * (1 + steps.level.own)),
                  steps.level.values * static_cast<std::size_t>(steps.a_value),
                  steps.a_value > 1 ? fmt::format(" as means of {}", steps.a_value) : "",
                  steps.is_before_only ? " before the profile" : "");
  out.SetInterval(metric::kStepTimeMedian, median * (1 - steps.level.own),
                  median * (1 + steps.level.own), interval);
  const bool are_single = steps.a_value == 1 && steps.clock != StepClock::kHost;
  if (!are_single) {
    const std::string why =
        steps.a_value > 1 ? "the values are means of several iterations"
                          : "the host's clock runs ahead of the device: single iterations are "
                            "inexact";
    for (const MetricId id : {metric::kStepTimeMin, metric::kStepTimeMax, metric::kStepTimeP95,
                              metric::kStepTimeRobustCv, metric::kStepOutliers}) {
      if (out.IsSet(id)) out.SetNote(id, why, true);
    }
  }
  if (steps.work > 0) {
    out.Set(metric::kStepThroughput, steps.work / (median / 1e9));
    out.SetNote(metric::kStepThroughput, steps.work_name + " per second");
  } else {
    out.SetAbsent(metric::kStepThroughput, "needs the work of a step: `StepClock(tokens=…)`");
  }
  double all = 0, unusual = 0;
  for (const Ns length : steps.lengths) all += static_cast<double>(length);
  for (const std::uint32_t place : steps.unusual)
    unusual += static_cast<double>(steps.lengths[place]);
  out.Set(metric::kRunTimeMean, RoundedNs(all / static_cast<double>(steps.lengths.size())));
  out.Set(metric::kRunUnusualShare, unusual / all);
}

/// Sets the slowdown by the profiler, with the combined interval.
void SetPerturbation(std::span<const iterations::RankContext> ranks, const JudgedSteps& steps,
                     catalog::Output& out) {
  const double recorded = RecordedLength(out);
  if (recorded <= 0 || ranks.front().iterations.is_whole) {
    return out.SetAbsent(metric::kStepPerturbation, "needs recorded iterations");
  }
  const double ratio = recorded / steps.level.median;
  std::vector<double> lengths;
  for (const iterations::Iteration& iteration : ranks.front().iterations.selected()) {
    lengths.push_back(static_cast<double>(iteration.time.length()));
  }
  // The accuracy of the medians; for few recorded iterations from their spread.
  const double spread = breakdown::Describe(lengths).cv.value_or(0);
  const double n = static_cast<double>(lengths.size());
  const double own = lengths.size() < 2 ? 0 : StudentQuantile(0.975, n - 1) * spread / std::sqrt(n);
  const double error = std::hypot(own, steps.level.own);
  out.Set(metric::kStepPerturbation, ratio);
  out.SetInterval(metric::kStepPerturbation, std::max(0.0, ratio * (1 - error)),
                  ratio * (1 + error),
                  fmt::format("95 % CI {:.2f} to {:.2f}", std::max(0.0, ratio * (1 - error)),
                              ratio * (1 + error)));
}

/// A value from 0 to 1, with its range.
struct Corrected {
  double value = 0, low = 0, high = 0;
};

/// Idle time of one device without the profiler. Work takes equally long, only pauses are shorter.
/// Example: 60 ms of work leave 40 % idle time in a recorded iteration of 100 ms, and 25 % in an
/// unrecorded one of 80 ms.
Corrected IdleOf(const Busy& busy, const StepLevel& level) {
  const double length = level.median;
  const auto idle = [length](double work) { return 1 - work / length; };
  const double value = idle(busy.union_of_all);
  const double error =
      (1 - value) * std::hypot(knowledge::kUnrecordedKernelError.value(), busy.error, level.own);
  return {std::clamp(value, 0.0, 1.0), std::clamp(idle(busy.high) - error, 0.0, 1.0),
          std::clamp(idle(busy.low) + error, 0.0, 1.0)};
}

Corrected MeanOf(const std::vector<Corrected>& all) {
  Corrected mean;
  for (const Corrected& one : all) {
    mean.value += one.value / static_cast<double>(all.size());
    mean.low += one.low / static_cast<double>(all.size());
    mean.high += one.high / static_cast<double>(all.size());
  }
  return mean;
}

void SetShare(MetricId id, const Corrected& share, catalog::Output& out) {
  out.Set(id, share.value);
  out.SetInterval(id, share.low, share.high,
                  fmt::format("{} to {}", FormatShare(share.low), FormatShare(share.high)));
}

void SetCorrected(const std::vector<Busy>& devices, const JudgedSteps& steps,
                  catalog::Output& out) {
  std::vector<Corrected> idle, used;
  for (const Busy& busy : devices) {
    idle.push_back(IdleOf(busy, steps.level));
    Busy kernels = busy;
    kernels.union_of_all = busy.kernels;
    kernels.low = std::min(busy.low, busy.kernels);
    kernels.high = busy.kernels + busy.high - busy.union_of_all;
    const Corrected free = IdleOf(kernels, steps.level);
    used.push_back({1 - free.value, 1 - free.high, 1 - free.low});
  }
  SetShare(metric::kGpuIdleUnrecorded, MeanOf(idle), out);
  SetShare(metric::kGpuUtilizationUnrecorded, MeanOf(used), out);
}

// Uses the same FLOPs in the unrecorded time.
void SetMfu(const JudgedSteps& steps, catalog::Output& out) {
  if (!out.IsSet(metric::kFlopsMfu)) {
    return out.SetAbsent(metric::kFlopsMfuUnrecorded, "needs the FLOPs of the operators");
  }
  const double factor = AsNumber(out.ValueOf(metric::kIterationTimeMean), 0) / steps.level.median;
  const double mfu = AsNumber(out.ValueOf(metric::kFlopsMfu), 0) * factor;
  out.Set(metric::kFlopsMfuUnrecorded, mfu);
  out.SetInterval(metric::kFlopsMfuUnrecorded, mfu * (1 - steps.level.own),
                  mfu * (1 + steps.level.own),
                  fmt::format("{} to {}", FormatShare(mfu * (1 - steps.level.own)),
                              FormatShare(mfu * (1 + steps.level.own))));
}

/// Waiting in collectives per iteration; none if their ranks are incomplete.
std::optional<double> WaitingOf(const catalog::Output& out) {
  if (!out.IsSet(metric::kCommunicationWaitingShare)) return std::nullopt;
  return AsNumber(out.ValueOf(metric::kCommunicationWaitingShare), 0) *
         AsNumber(out.ValueOf(metric::kIterationTimeMean), 0);
}

/// Whether one of the names is in the other: "H200" of a log, "NVIDIA H200" of a profile.
bool AreOneModel(std::string_view one, std::string_view other) {
  return one.find(other) != one.npos || other.find(one) != other.npos;
}

/// Names the other model of device if the lengths were measured on one; empty if they were not, or
/// if the model of one side is unknown.
std::string OtherDevice(std::span<const iterations::RankContext> ranks) {
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr || !side->document) continue;
    std::string_view of_profile, of_times;
    bool is_same = false;
    for (const Gpu& gpu : rank.profile->gpus) {
      for (const RunDevice& device : side->document->devices) {
        if (gpu.name.empty() || device.name.empty()) continue;
        of_profile = gpu.name, of_times = device.name;
        is_same = is_same || AreOneModel(gpu.name, device.name);
      }
    }
    if (is_same || of_times.empty()) continue;
    return fmt::format("unrecorded iterations are of {}, the profile is of {}",
                       PrintableShort(of_times), PrintableShort(of_profile));
  }
  return {};
}

/// Returns the reason why the lengths cannot be of this profile, or an empty text: a device cannot
/// work for longer in an iteration than the iteration takes.
std::string Contradiction(const std::vector<Busy>& devices, double recorded,
                          const JudgedSteps& steps) {
  const double length = steps.level.median;
  const double ratio = recorded > 0 ? length / recorded : 1;
  if (ratio < knowledge::kUnrecordedLeastOfRecorded ||
      ratio > knowledge::kUnrecordedMostOfRecorded) {
    return fmt::format(
        "unrecorded iterations take {}, recorded ones {}: of another program, or in another unit",
        Times(length), Times(recorded));
  }
  for (const Busy& busy : devices) {
    if (busy.low <= knowledge::kUnrecordedContradicts * length * (1 + steps.level.own)) continue;
    return fmt::format(
        "unrecorded iterations take {}, less than the {} that a device works in a recorded one",
        Times(length), Times(busy.low));
  }
  return {};
}

void RemarkProblems(std::span<const iterations::RankContext> ranks, const std::string& why_not,
                    catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const RunProblem& problem : side->problems) {
      const bool is_of_devices = problem.code.starts_with("conditions/");
      // The remaining data are used.
      const bool is_in_part =
          problem.code == "run/rows-skipped" || problem.code.starts_with("run/steps-");
      if (is_of_devices || is_in_part) {
        out.AddRemark(std::string(is_of_devices ? kConditionsUnused : kRunUnused),
                      fmt::format("{} (`{}`)", problem.text, problem.code));
        continue;
      }
      out.AddRemark(std::string(kRunUnused),
                    fmt::format("times of unrecorded iterations are left out (`{}`): {}",
                                problem.code, problem.text));
    }
    if (!side->note.empty()) out.AddRemark(std::string(kRunUnused), side->note);
  }
  if (!why_not.empty()) {
    out.AddRemark(std::string(kRunUnused),
                  fmt::format("unrecorded iterations judge nothing: {}", why_not));
  }
}

}  // namespace

std::shared_ptr<const JudgedSteps> AddUnrecorded(std::span<const iterations::RankContext> ranks,
                                                 catalog::Output& out) {
  std::optional<JudgedSteps> steps;
  std::string why_not;
  for (const iterations::RankContext& rank : ranks) {
    auto of_rank = JudgeSteps(rank, why_not);
    if (of_rank && (!steps || of_rank->level.median > steps->level.median))
      steps = std::move(of_rank);
  }
  if (steps) why_not.clear();
  RemarkProblems(ranks, why_not, out);
  if (!steps) {
    const bool are_times = std::ranges::all_of(
        ranks, [](const iterations::RankContext& rank) { return IsOfTimes(*rank.profile); });
    const std::string why = !why_not.empty() ? why_not
                            : are_times      ? "the file has no times of iterations"
                                             : "needs the times of unrecorded iterations "
                                               "(`profgauge.run`, or `--step-times FILE`)";
    SetAllAbsent(kOfSteps, why, out);
    SetAllAbsent(kCorrected, why, out);
    return nullptr;
  }
  const double recorded = ranks.front().iterations.is_whole ? 0 : RecordedLength(out);
  const bool communicates = AsNumber(out.ValueOf(metric::kCommunicationTime), 0) > 0;
  std::vector<Busy> devices;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.iterations.selected().empty() || rank.iterations.is_whole) continue;
    for (Busy& busy : BusyOf(rank, communicates, WaitingOf(out))) devices.push_back(busy);
  }
  std::string why = OtherDevice(ranks);
  if (why.empty()) why = Contradiction(devices, recorded, *steps);
  if (!why.empty()) {
    out.AddRemark(std::string(kRunContradicts), why);
    SetAllAbsent(kOfSteps, why, out);
    SetAllAbsent(kCorrected, why, out);
    return nullptr;
  }
  SetSteps(*steps, out);
  SetPerturbation(ranks, *steps, out);
  const double least = steps->level.median * (1 - steps->level.own);
  steps->exceeds_recorded = recorded > 0 && least > knowledge::kUnrecordedSlower * recorded;
  if (steps->exceeds_recorded) {
    SetAllAbsent(kCorrected,
                 fmt::format("unrecorded iterations take {}, longer than recorded ones ({}): the "
                             "profile is of another part of the run",
                             Times(steps->level.median), Times(recorded)),
                 out);
  } else if (devices.empty() || recorded <= 0) {
    SetAllAbsent(kCorrected, "needs recorded iterations with device work", out);
  } else {
    SetCorrected(devices, *steps, out);
    SetMfu(*steps, out);
  }
  return std::make_shared<const JudgedSteps>(*std::move(steps));
}

}  // namespace profgauge::analysis::trust
