// What files of times hold besides steps: benchmarks and the results of load tests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/recording/unrecorded.h"
#include "analysis/tables/reported_columns.h"
#include "analysis/tables/row_writer.h"
#include "analysis/time/iteration_stats.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "model/run_side.h"

namespace profgauge::analysis::recording {

namespace {

// More columns than this are not seen in a chart.
constexpr std::size_t kMostRows = 512;

void AddSteps(const JudgedSteps& steps, tables::Output& out) {
  tables::RowWriter<tables::columns::kSteps> write(out.AddTable("steps"));
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

// A latency that the tool does not state has no row.
void AddServing(const LoadTest& test, tables::Output& out) {
  tables::RowWriter<tables::columns::kServing> latencies(out.AddTable("serving"));
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
  tables::RowWriter<tables::columns::kServingLoad> load(out.AddTable("serving_load"));
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

void AddSideResults(std::span<const context::RankContext> ranks, const JudgedSteps* steps,
                    tables::Output& out) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [](const context::RankContext& rank) { return IsOfTimes(*rank.profile); })) {
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
  for (const context::RankContext& rank : ranks) {
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
  tables::RowWriter<tables::columns::kBenchmarks> write(out.AddTable("benchmarks"));
  for (const context::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const NamedTimes& benchmark : side->benchmarks) {
      const time::SeriesStats stats = time::Describe(benchmark.lengths);
      write.Text("name"_col, benchmark.name)
          .Integer("runs"_col, static_cast<std::int64_t>(benchmark.lengths.size()))
          .Integer("median"_col, std::llround(stats.median))
          .Real("robust_cv"_col, stats.robust_cv);
    }
  }
}

}  // namespace profgauge::analysis::recording
