#include "analysis/device/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/device/roofline_points.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/roofline.h"

namespace profgauge::analysis::device {
namespace {

constexpr std::string_view kNothingCounted = "no operator's FLOPs can be counted";

constexpr std::initializer_list<MetricId> kMetrics = {metric::kFlopsAchieved, metric::kFlopsMfu,
                                                      metric::kFlopsHfu};

struct Totals {
  double flops = 0;
  double seconds_at_peak = 0;             // Σ FLOPs / peak of their type.
  double recomputation_at_peak = 0;       // The part that the backward pass repeats.
  Ns kernel_time = 0, counted_time = 0;   // Times of kernels that compute.
  std::map<std::string, Ns> not_counted;  // See RooflineFacts.
  Ns matrix_time = 0;                     // Time of matmuls whose work is counted.
  Ns peakless_time = 0;                   // Time of points that compute and have no peak,
  std::string why_peakless;               // and why the longest of them has none.
  Ns longest_peakless = 0;
};

constexpr std::uint32_t kNoPoint = kNoIndex;

// -1, unknown, for numbers that no whole number holds.
std::int64_t Rounded(double number) { return number < 9e18 ? std::llround(number) : -1; }

// The columns from `kind` on.
void AppendShape(const RooflinePoint& point, tables::RowWriter<tables::columns::kRoofline>& write) {
  const work::ProductSizes& sizes = point.shape.product;
  const OpVerdict& verdict = point.verdict;
  const OpTiles& tiles = verdict.tiles;
  const bool has_sizes = sizes.known();
  write.Text("kind"_col, work::OpKindName(point.shape.kind))
      .IntegerIf("batch"_col, has_sizes, Rounded(sizes.batch))
      .IntegerIf("m"_col, has_sizes, Rounded(sizes.m))
      .IntegerIf("n"_col, has_sizes, Rounded(sizes.n))
      .IntegerIf("k"_col, has_sizes, Rounded(sizes.k))
      .Text("tile"_col, tiles.tile.first > 0
                            ? fmt::format("{} × {}", tiles.tile.first, tiles.tile.second)
                            : std::string())
      .Known("tiles"_col, tiles.tiles > 0 ? Rounded(tiles.tiles) : -1)
      .KnownReal("wave_use"_col, tiles.wave_use)
      .KnownReal("tile_use"_col, tiles.tile_use)
      .KnownReal("reach"_col, point.reach)
      .Known("target"_col, verdict.target >= 0 ? Rounded(verdict.target * 1e9) : -1)
      .Known("matrix_target"_col,
             SecondsOnMatrixUnits(point) >= 0 ? Rounded(SecondsOnMatrixUnits(point) * 1e9) : -1)
      .Text("form"_col, verdict.form)
      .Text("trait"_col, TraitName(verdict.trait))
      .Text("trait_text"_col, verdict.text);
}

// The row of a point. REQUIRES: its time is above 0, which PointCollector asks for.
void AppendRow(const WorkKey& key, const RooflinePoint& of_run,
               tables::RowWriter<tables::columns::kRoofline>& write) {
  const WorkPoint& point = of_run.sums;
  const double seconds = static_cast<double>(point.time) / 1e9;
  const double compute = of_run.compute_time(), memory = of_run.memory_time();
  const bool has_roof = compute >= 0 && memory >= 0;
  const bool has_bytes = point.bytes >= 0 && point.bytes < kLargestWhole;
  write.Text("name"_col, std::get<0>(key))
      .Text("input_shapes"_col, std::get<1>(key))
      .Text("dtype"_col, point.dtype)
      .Text("gpu_name"_col, std::get<4>(key))
      .Integer("calls"_col, point.calls)
      .Integer("time"_col, point.time)
      .KnownReal("flops"_col, point.flops)
      .IntegerIf("bytes"_col, has_bytes, has_bytes ? static_cast<std::int64_t>(point.bytes) : 0)
      .KnownReal("intensity"_col, point.bytes > 0 ? point.flops / point.bytes : -1)
      .KnownReal("achieved"_col, point.flops / seconds)
      .KnownReal("peak"_col, of_run.peak() > 0 ? of_run.peak() : -1)
      .KnownReal("mfu"_col, compute >= 0 ? compute / seconds : -1)
      .KnownReal("achieved_bandwidth"_col, point.bytes >= 0 ? point.bytes / seconds : -1)
      .KnownReal("bandwidth_share"_col, memory >= 0 ? memory / seconds : -1)
      .Text("bound"_col, !has_roof          ? ""
                         : compute > memory ? "compute"
                                            : "memory")
      .KnownReal("roof_share"_col, has_roof ? std::max(compute, memory) / seconds : -1)
      .Text("values"_col, point.values)
      .Text("kernel"_col, point.kernel);
  AppendShape(of_run, write);
}

// Longest first, and notes the row of each point for LinkRows().
void FillTable(RooflinePoints& points, tables::Output& out) {
  std::vector<RooflinePoints::value_type*> rows;
  for (auto& row : points) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto* a, auto* b) { return a->second.sums.time > b->second.sums.time; });
  tables::RowWriter<tables::columns::kRoofline> write(out.AddTable("roofline"));
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[row]->second.table_row = row;
    AppendRow(rows[row]->first, rows[row]->second, write);
  }
}

// Why columns are empty, and how to have them.
void MarkAbsentColumns(const RooflinePoints& points, const Totals& totals, tables::Output& out) {
  const auto any = [&](auto has) {
    return std::any_of(points.begin(), points.end(),
                       [&](const auto& point) { return has(point.second); });
  };
  if (!any([](const RooflinePoint& point) { return point.verdict.target >= 0; })) {
    const std::string why =
        totals.why_peakless.empty() ? "no operator has a known roof" : totals.why_peakless;
    for (const std::string_view column : {"roof_share", "bound", "target"}) {
      out.MarkColumnAbsent("roofline", column, why);
    }
    if (!any([](const RooflinePoint& point) { return point.verdict.trait != Trait::kUnknown; })) {
      out.MarkColumnAbsent("roofline", "trait", why);
    }
  }
  if (any([](const RooflinePoint& point) { return point.verdict.tiles.tiles > 0; })) return;
  const bool has_matmuls =
      any([](const RooflinePoint& point) { return point.shape.product.known(); });
  const std::string why = has_matmuls ? "no kernel's name says its tile, and no grid was recorded"
                                      : "no matmul with known shapes launched a kernel";
  for (const std::string_view column : {"tile", "tiles", "wave_use", "tile_use"}) {
    out.MarkColumnAbsent("roofline", column, why);
  }
}

// Says which row counts which kernel. REQUIRES: the table is filled.
void LinkRows(std::span<const RooflineFacts> facts, const RooflinePoints& points,
              tables::Output& out) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    std::vector<std::uint32_t> row_of;
    for (const WorkPoint& point : facts[i].points) {
      row_of.push_back(points.find(KeyOf(point))->second.table_row);
    }
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("roofline", i);
    rows.assign(facts[i].point_of.size(), tables::Output::kNoRow);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (facts[i].point_of[row] != kNoPoint) rows[row] = row_of[facts[i].point_of[row]];
    }
  }
}

// GPU time of the run: every GPU with work, for the whole of its rank's window.
double GpuSeconds(std::span<const context::RankContext> ranks) {
  double seconds = 0;
  for (const context::RankContext& rank : ranks) {
    seconds +=
        static_cast<double>(rank.window().length()) / 1e9 * static_cast<double>(rank.gpus.size());
  }
  return seconds;
}

void SetAllAbsent(std::initializer_list<MetricId> ids, const std::string& reason,
                  tables::Output& out) {
  for (const MetricId id : ids) out.SetAbsent(id, reason);
}

// "; no formula for aten::_grouped_mm (12.0 %), …": the three with most time.
std::string NamesNotCounted(const Totals& totals) {
  std::vector<std::pair<std::string, Ns>> ops(totals.not_counted.begin(), totals.not_counted.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kNamed = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, ops.size()); ++i) {
    words += fmt::format(
        "{}{} ({})", i == 0 ? "; matmuls not counted: " : ", ", ops[i].first,
        FormatShare(static_cast<double>(ops[i].second) / static_cast<double>(totals.kernel_time)));
  }
  return words + (ops.size() > kNamed ? ", …" : "");
}

// Whether all ranks have it: one rank without makes a sum over the run wrong.
bool All(std::span<const RooflineFacts> facts, bool RooflineFacts::*has) {
  return std::all_of(facts.begin(), facts.end(),
                     [has](const RooflineFacts& rank) { return rank.*has; });
}

// Why a point that computes has no peak. Each reason is the missing piece, so that it can be
// repaired.
std::string WhyNoPeak(const WorkKey& key, const RooflinePoint& point, const tables::Output& out) {
  constexpr std::string_view kRemedy = "; add it to the `devices` file of the policy";
  const std::string gpu(std::get<4>(key));
  const std::string op(std::get<0>(key));
  if (gpu.empty()) {
    return out.Told("the name of the {{ device.device }} is missing, and so its peak") +
           std::string(kRemedy);
  }
  if (point.peaks == nullptr) return fmt::format("the peak of {} is unknown{}", gpu, kRemedy);
  const std::string_view dtype = point.sums.dtype;
  if (point.sums.is_matrix && dtype.empty()) {
    return fmt::format("the element type of {} is missing, and with it the peak", op);
  }
  return fmt::format("{} has no known peak for {}, the type of {}{}", gpu,
                     point.sums.is_matrix ? dtype
                     : dtype == "float64" ? "float64"
                                          : "float32",
                     op, kRemedy);
}

// A point without FLOPs (a copy) needs no peak. If points that compute have none, the longest of
// them gives the reason.
void AddPoint(const WorkKey& key, const RooflinePoint& point, const tables::Output& out,
              Totals& totals) {
  totals.flops += point.sums.flops;
  if (point.sums.is_matrix) totals.matrix_time += point.sums.time;
  if (point.sums.flops == 0) return;
  if (point.compute_time() >= 0) {
    totals.seconds_at_peak += point.compute_time();
    totals.recomputation_at_peak += point.sums.recomputed / point.peak();
    return;
  }
  totals.peakless_time += point.sums.time;
  if (point.sums.time <= totals.longest_peakless) return;
  totals.longest_peakless = point.sums.time;
  totals.why_peakless = WhyNoPeak(key, point, out);
}

Ns NotCountedTime(const Totals& totals) {
  Ns time = 0;
  for (const auto& [op, of_op] : totals.not_counted) time += of_op;
  return time;
}

void SetMetrics(std::span<const context::RankContext> ranks, std::span<const RooflineFacts> facts,
                const Totals& totals, tables::Output& out) {
  const bool has_timeline = All(facts, &RooflineFacts::has_timeline);
  const double seconds = GpuSeconds(ranks);
  if (!has_timeline || seconds <= 0) {
    return SetAllAbsent(kMetrics, "needs the times of events, which this format does not have",
                        out);
  }
  const double covered = totals.kernel_time > 0 ? static_cast<double>(totals.counted_time) /
                                                      static_cast<double>(totals.kernel_time)
                                                : 0;
  const std::string note = fmt::format(
      "covers {} of the time of kernels that compute; the work of the others is "
      "unknown{}",
      FormatShare(covered), NamesNotCounted(totals));
  // Products that are not counted are work all the same: how fast they were is unknown.
  const Ns not_counted = NotCountedTime(totals);
  const bool lacks_products =
      static_cast<double>(not_counted) >
      knowledge::kRooflineNotCountedShare * static_cast<double>(not_counted + totals.matrix_time);
  const auto set = [&](MetricId id, double value, const std::string& words) {
    out.Set(id, value);
    const bool is_impossible = id != metric::kFlopsAchieved && value > 1;
    out.SetNote(
        id,
        words + (is_impossible ? "; more than the peak: shapes, times or the peak are wrong" : ""),
        covered < knowledge::kRooflineCoveredShare || lacks_products || is_impossible);
  };
  set(metric::kFlopsAchieved, totals.flops / seconds, note);
  if (totals.seconds_at_peak <= 0 ||
      static_cast<double>(totals.peakless_time) >
          knowledge::kRooflineNegligibleShare * static_cast<double>(totals.counted_time)) {
    return SetAllAbsent({metric::kFlopsMfu, metric::kFlopsHfu}, totals.why_peakless, out);
  }
  set(metric::kFlopsHfu, totals.seconds_at_peak / seconds, note);
  if (!All(facts, &RooflineFacts::knows_threads)) {
    return out.SetAbsent(metric::kFlopsMfu,
                         "threads were not recorded, so recomputation in the backward pass cannot "
                         "be excluded; flops.hfu includes it");
  }
  const double share = totals.recomputation_at_peak / totals.seconds_at_peak;
  set(metric::kFlopsMfu, (totals.seconds_at_peak - totals.recomputation_at_peak) / seconds,
      share > 0 ? fmt::format("{}; leaves out recomputation, {} of all operations", note,
                              FormatShare(share))
                : note);
}

}  // namespace

void AddRoofline(std::span<const context::RankContext> ranks, std::span<const RooflineFacts> facts,
                 tables::Output& out) {
  KnownPeaks peaks(ranks.front().knowledge);
  RooflinePoints points = PoolPoints(facts, peaks);
  if (points.empty()) {
    const std::string why = fmt::format("{}: {}", kNothingCounted, out.Gap(Capability::kShapes));
    out.SetTableAbsent("roofline", why);
    return SetAllAbsent(kMetrics, why, out);
  }
  Totals totals;
  for (const RooflineFacts& rank : facts) {
    totals.kernel_time += rank.kernel_time;
    totals.counted_time += rank.counted_time;
    for (const auto& [op, time] : rank.not_counted) totals.not_counted[op] += time;
  }
  for (const auto& [key, point] : points) AddPoint(key, point, out, totals);
  JudgePoints(points);
  for (auto& [key, point] : points) point.verdict.text = out.Told(point.verdict.text);
  FillTable(points, out);
  MarkAbsentColumns(points, totals, out);
  LinkRows(facts, points, out);
  if (totals.flops <= 0) {
    return SetAllAbsent(kMetrics,
                        "the only operators with known shapes move data and compute nothing", out);
  }
  SetMetrics(ranks, facts, totals, out);
}

}  // namespace profgauge::analysis::device
