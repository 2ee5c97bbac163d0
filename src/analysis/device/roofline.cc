#include "analysis/device/roofline.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/name_memo.h"
#include "analysis/device/roofline_points.h"
#include "analysis/flops/op_call.h"
#include "analysis/flops/op_shape.h"
#include "analysis/flops/recomputation.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/roofline.h"
#include "knowledge/traits.h"

namespace profgauge::analysis::device {
namespace {

constexpr std::initializer_list<MetricId> kMetrics = {metric::kFlopsAchieved, metric::kFlopsMfu,
                                                      metric::kFlopsHfu};

struct Totals {
  double flops = 0;
  double seconds_at_peak = 0;             // Σ FLOPs / peak of their type.
  double recomputation_at_peak = 0;       // The part that backward repeats.
  Ns kernel_time = 0, counted_time = 0;   // Times of kernels that compute.
  std::map<std::string, Ns> not_counted;  // See RooflineFacts.
  Ns matrix_time = 0;                     // Time of matmuls whose work is counted.
  Ns peakless_time = 0;                   // Time of computing points without a peak,
  std::string why_peakless;               // and the reason for the longest of them.
  Ns longest_peakless = 0;
};

constexpr std::uint32_t kNoPoint = kNoIndex;

// Rounded to an integer; -1 (unknown) if it does not fit.
std::int64_t Rounded(double number) { return number < 9e18 ? std::llround(number) : -1; }

// Appends the columns from `kind` on.
void AppendShape(const RooflinePoint& point,
                 catalog::RowWriter<catalog::columns::kRoofline>& write) {
  const flops::ProductSizes& sizes = point.shape.product;
  const OpVerdict& verdict = point.verdict;
  const OpTiles& tiles = verdict.tiles;
  const bool has_sizes = sizes.known();
  write.Text("kind"_col, flops::OpKindName(point.shape.kind))
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

// Appends the row of a point. REQUIRES: its time is positive, as PointCollector ensures.
void AppendRow(const WorkKey& key, const RooflinePoint& of_run,
               catalog::RowWriter<catalog::columns::kRoofline>& write) {
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

// Sorts by time, longest first, and stores the row of each point for LinkRows().
void FillTable(RooflinePoints& points, catalog::Output& out) {
  std::vector<RooflinePoints::value_type*> rows;
  for (auto& row : points) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto* a, auto* b) { return a->second.sums.time > b->second.sums.time; });
  catalog::RowWriter<catalog::columns::kRoofline> write(out.AddTable("roofline"));
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[row]->second.table_row = row;
    AppendRow(rows[row]->first, rows[row]->second, write);
  }
}

// Sets why columns are empty, and how to fill them.
void MarkAbsentColumns(const RooflinePoints& points, const Totals& totals, catalog::Output& out) {
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

// Records which row counts each kernel. REQUIRES: the table is filled.
void LinkRows(std::span<const RooflineFacts> facts, const RooflinePoints& points,
              catalog::Output& out) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    std::vector<std::uint32_t> row_of;
    for (const WorkPoint& point : facts[i].points) {
      row_of.push_back(points.find(KeyOf(point))->second.table_row);
    }
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("roofline", i);
    rows.assign(facts[i].point_of.size(), catalog::Output::kNoRow);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (facts[i].point_of[row] != kNoPoint) rows[row] = row_of[facts[i].point_of[row]];
    }
  }
}

// GPU time of the run: the sum of the ranks' windows over all GPUs with work.
double GpuSeconds(std::span<const iterations::RankContext> ranks) {
  double seconds = 0;
  for (const iterations::RankContext& rank : ranks) {
    seconds +=
        static_cast<double>(rank.window().length()) / 1e9 * static_cast<double>(rank.gpus.size());
  }
  return seconds;
}

void SetAllAbsent(std::initializer_list<MetricId> ids, const std::string& reason,
                  catalog::Output& out) {
  for (const MetricId id : ids) out.SetAbsent(id, reason);
}

// "; no formula for aten::_grouped_mm (12.0 %), …": the three with the most time.
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

// Whether all ranks have it: a sum over the run is wrong if one rank does not.
bool All(std::span<const RooflineFacts> facts, bool RooflineFacts::*has) {
  return std::all_of(facts.begin(), facts.end(),
                     [has](const RooflineFacts& rank) { return rank.*has; });
}

// Why a computing point has no peak. The reason names the missing data, so that users can add it.
std::string WhyNoPeak(const WorkKey& key, const RooflinePoint& point, const catalog::Output& out) {
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

// Adds a point to the totals. One without FLOPs (a copy) needs no peak. If points with FLOPs have
// no peak, the longest of them gives the reason.
void AddPoint(const WorkKey& key, const RooflinePoint& point, const catalog::Output& out,
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

void SetMetrics(std::span<const iterations::RankContext> ranks,
                std::span<const RooflineFacts> facts, const Totals& totals, catalog::Output& out) {
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
  // Matmuls that are not counted are also work, but their speed is unknown.
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

void AddRoofline(std::span<const iterations::RankContext> ranks,
                 std::span<const RooflineFacts> facts, catalog::Output& out) {
  KnownPeaks peaks(ranks.front().knowledge);
  RooflinePoints points = PoolPoints(facts, peaks);
  if (points.empty()) {
    const bool has_shapes = std::any_of(facts.begin(), facts.end(),
                                        [](const RooflineFacts& rank) { return rank.has_shapes; });
    const std::string why =
        has_shapes ? std::string(catalog::kNothingCounted)
                   : fmt::format("{}: {}", catalog::kNothingCounted, out.Gap(Capability::kShapes));
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

// The roofline of one rank.

namespace {

constexpr std::uint32_t kOfNoPoint = kNoIndex;

// Whether non-tensor arguments change the work: only for convolutions and attention. For other
// operators they would only split the rows.
bool ValuesMatter(std::string_view op) {
  for (const std::string_view part : {"conv", "attention", "attn", "mha", "fwd"}) {
    if (op.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// The GPU of an operator's first kernel.
std::vector<std::int32_t> GpuOfCalls(const iterations::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  std::vector<std::int32_t> gpus(rank.profile->host.size(), -1);
  for (std::size_t row = device.size(); row-- > 0;) {
    const HostId op = device.op[row];
    if (device.kind[row] != DeviceKind::kKernel || !op.valid()) continue;
    const std::uint32_t counted = rank.works.counted_in[op.value];
    if (counted != flops::OpWorks::kNone) gpus[counted] = device.gpu[row];
  }
  return gpus;
}

// Adds matmuls without known work: grouped and sparse ones, and projects' own operators.
void AddNotCounted(const iterations::RankContext& rank, std::uint32_t row,
                   classify::NameMemo& is_eligible, RooflineFacts& facts) {
  const HostId op = rank.profile->device.op[row];
  if (op.valid() && rank.works.counted_in[op.value] != flops::OpWorks::kNone) return;
  if (!classify::IsMatrixRule(rank.classes[row]) && !(op.valid() && is_eligible(op))) return;
  const std::string_view name = op.valid() ? rank.profile->Name(rank.profile->host.name[op.value])
                                           : std::string_view("kernels without an operator");
  facts.not_counted[std::string(name)] += rank.profile->device.duration[row];
}

// Sums the calls of one rank, and stores the point of each by row of the host table.
class PointCollector {
 public:
  explicit PointCollector(const iterations::RankContext& rank)
      : rank_(rank),
        values_matter_(*rank.profile, ValuesMatter),
        point_of_(rank.profile->host.size(), kOfNoPoint) {
    const HostTable& host = rank.profile->host;
    const std::vector<std::int32_t> gpus = GpuOfCalls(rank);
    const std::vector<bool> recomputed = flops::FindRecomputed(*rank.profile);
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      if (rank.works.counted_in[row] != row || rank.tree.kernel_total[row] <= 0) continue;
      if (!rank.InIterations(HostId{row})) continue;
      const flops::OpWork& work = *rank.works.Find(row);
      const std::uint32_t point = PointOf(row, gpus[row]);
      WorkPoint call;
      call.calls = 1;
      call.time = rank.tree.kernel_total[row];
      call.tensor_core_time = rank.tree.tensor_core_total[row];
      call.flops = work.flops;
      call.bytes = work.bytes;
      call.recomputed = recomputed[row] ? work.flops : 0;
      call.dtype = work.dtype;
      call.is_matrix = work.is_matrix;
      Join(points_[point], call);
      point_of_[row] = point;
    }
  }

  /// The points by key; afterwards point_of() has the point of each call.
  std::vector<WorkPoint> Take() {
    std::vector<std::uint32_t> order(points_.size()), place(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return KeyOf(points_[a]) < KeyOf(points_[b]);
    });
    std::vector<WorkPoint> sorted;
    for (const std::uint32_t point : order) {
      place[point] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(points_[point]));
    }
    for (std::uint32_t& point : point_of_) {
      if (point != kOfNoPoint) point = place[point];
    }
    return sorted;
  }
  const std::vector<std::uint32_t>& point_of() const { return point_of_; }

 private:
  std::uint32_t PointOf(std::uint32_t row, std::int32_t gpu) {
    const HostTable& host = rank_.profile->host;
    const StringId values = ValuesOf(row);
    const std::array<std::uint32_t, 5> ids = {host.name[row].value, host.input_shapes[row].value,
                                              host.input_dtypes[row].value, values.value,
                                              static_cast<std::uint32_t>(gpu)};
    const auto [known, is_new] = by_ids_.try_emplace(ids, kOfNoPoint);
    if (!is_new) return known->second;
    // Several GPUs may have the same name.
    const Profile& profile = *rank_.profile;
    const Gpu* device = classify::FindGpu(rank_.devices, gpu);
    const std::string_view gpu_name = device == nullptr ? std::string_view() : device->name;
    const auto [at, is_new_key] = by_key_.try_emplace({ids[0], ids[1], ids[2], ids[3], gpu_name},
                                                      static_cast<std::uint32_t>(points_.size()));
    if (is_new_key) {
      WorkPoint& point = points_.emplace_back();
      point.name = profile.Name(host.name[row]);
      point.shapes = profile.Name(host.input_shapes[row]);
      point.dtypes = profile.Name(host.input_dtypes[row]);
      point.values = profile.Name(values);
      point.gpu = gpu_name;
      point.multiprocessors = device == nullptr ? -1 : device->sms;
    }
    known->second = at->second;
    return at->second;
  }

  // Convolutions and attention also depend on numbers: strides, dilation, the mask.
  StringId ValuesOf(std::uint32_t row) {
    return values_matter_(rank_.profile->host.name[row]) ? rank_.profile->host.concrete_inputs[row]
                                                         : StringId{};
  }

  const iterations::RankContext& rank_;
  classify::NameMemo values_matter_;
  std::vector<WorkPoint> points_;
  std::vector<std::uint32_t> point_of_;
  std::map<std::array<std::uint32_t, 5>, std::uint32_t> by_ids_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>,
           std::uint32_t>
      by_key_;
};

// Sums the kernels of each point by name and launch configuration, so that texts are parsed once
// for each of these instead of each kernel.
class PointKernels {
 public:
  explicit PointKernels(const iterations::RankContext& rank) : profile_(*rank.profile) {}

  void Add(std::uint32_t row, std::uint32_t point) {
    if (point == kOfNoPoint) return;
    const DeviceTable& device = profile_.device;
    Sum& sum = sums_[{point, device.name[row].value, device.config[row].value}];
    sum.time += device.duration[row];
    ++sum.calls;
    sum.row = row;
  }

  void Describe(std::vector<WorkPoint>& points) const {
    for (const auto& [key, sum] : sums_) Describe(sum, points[std::get<0>(key)]);
  }

 private:
  struct Sum {
    Ns time = 0;
    std::int64_t calls = 0;
    std::uint32_t row = 0;
  };

  void Describe(const Sum& sum, WorkPoint& point) const {
    const std::string_view name = profile_.Name(profile_.device.name[sum.row]);
    point.kernels += sum.calls;
    point.parts = std::max(point.parts, classify::PartsInName(name));
    point.unknown_parts = point.unknown_parts || classify::NamesUnknownParts(name);
    point.read_at_once = LeastRead(point.read_at_once, classify::AlignmentInName(name));
    if (sum.time < point.kernel_time || (sum.time == point.kernel_time && name >= point.kernel)) {
      return;
    }
    point.kernel = name;
    point.kernel_time = sum.time;
    point.blocks = BlocksOf(profile_.device.config[sum.row]);
  }

  // -1: not recorded.
  std::int64_t BlocksOf(LaunchConfigId config) const {
    if (!config.valid()) return -1;
    const std::int32_t(&grid)[3] = profile_.launch_configs[config.value].grid;
    std::int64_t blocks = 1;
    for (const std::int32_t size : grid) {
      if (size <= 0 || blocks > kMostBlocks) return -1;
      blocks *= size;
    }
    return blocks;
  }

  // Maximum first size of a grid.
  static constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;
  const Profile& profile_;
  boost::unordered_flat_map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sum> sums_;
};

// Recomputation is detected from the tree of operators, which needs recorded threads.
bool KnowsThreads(const iterations::RankContext& rank) {
  const std::vector<ThreadId>& threads = rank.profile->host.thread;
  return std::all_of(threads.begin(), threads.end(), [](ThreadId id) { return id.valid(); });
}

}  // namespace

RooflineFacts RooflineFactsOf(const iterations::RankContext& rank) {
  RooflineFacts facts;
  PointCollector collector(rank);
  facts.points = collector.Take();
  FindSingleExperts(rank, collector.point_of(), facts.points);
  for (const WorkPoint& point : facts.points) facts.counted_time += point.time;
  const DeviceTable& device = rank.profile->device;
  facts.point_of.assign(device.size(), kOfNoPoint);
  PointKernels kernels(rank);
  classify::NameMemo is_eligible(*rank.profile, classify::IsEligibleOp);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const HostId op = device.op[row];
    const std::uint32_t call = op.valid() ? rank.works.counted_in[op.value] : flops::OpWorks::kNone;
    if (call != flops::OpWorks::kNone) facts.point_of[row] = collector.point_of()[call];
    if (rank.classes[row].collective || !rank.InIterations(DeviceId{row})) continue;
    facts.kernel_time += device.duration[row];
    if (call != flops::OpWorks::kNone) kernels.Add(row, facts.point_of[row]);
    AddNotCounted(rank, row, is_eligible, facts);
  }
  kernels.Describe(facts.points);
  facts.has_timeline = rank.profile->has_timeline;
  facts.knows_threads = KnowsThreads(rank);
  facts.has_shapes = iterations::HasShapes(rank);
  return facts;
}

// FindSingleExperts() recognizes a layer of experts as a Python loop over linear layers:
//
//   module    |------------ MoE -------------|      four matmuls of equal n and k in one call
//   expert      |-0-|  |-1-|  |-2-|  |-3-|         of a module (or of up to two outer ones); rows
//   rows of mm    57    120     31     48          differ: tokens are distributed among experts

namespace {

// A module call, or a matmul with its point.
struct Item {
  Ns start = 0, end = 0;
  std::uint32_t point = kNoIndex;  // kNoIndex: a module.
};
using ItemsOfThreads = std::map<std::uint32_t, std::vector<Item>>;

// The matmuls of one size in one call of a module.
struct Group {
  std::int64_t calls = 0;
  std::set<double> rows;
  std::set<std::uint32_t> points;
};

// By point; unknown sizes if it is not a matmul.
std::vector<flops::ProductSizes> SizesOf(const std::vector<WorkPoint>& points) {
  std::vector<flops::ProductSizes> sizes;
  for (const WorkPoint& point : points) {
    flops::OpShape shape;
    if (point.is_matrix) {
      const auto call =
          flops::CallOf(flops::CallText{point.name, point.shapes, point.dtypes, point.values});
      if (call) shape = flops::ShapeOf(*call);
    }
    sizes.push_back(shape.kind == flops::OpKind::kProduct ? shape.product : flops::ProductSizes());
  }
  return sizes;
}

// Modules and matmuls by thread (only with modules), sorted by start, longest first.
ItemsOfThreads ItemsOf(const iterations::RankContext& rank, std::span<const std::uint32_t> point_of,
                       const std::vector<flops::ProductSizes>& sizes) {
  ItemsOfThreads threads;
  const PythonTable& python = rank.profile->python;
  for (std::uint32_t row = 0; row < python.size(); ++row) {
    if (python.module_id[row] < 0 || !python.thread[row].valid()) continue;
    const Ns start = python.start[row];
    threads[python.thread[row].value].push_back(
        {start, start + std::max<Ns>(python.duration[row], 0), kNoIndex});
  }
  if (threads.empty()) return threads;
  const HostTable& host = rank.profile->host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (point_of[row] == kNoIndex || !sizes[point_of[row]].known()) continue;
    const auto thread = threads.find(host.thread[row].value);
    if (!host.thread[row].valid() || thread == threads.end()) continue;
    const Ns start = host.start[row];
    thread->second.push_back({start, start + host.duration[row], point_of[row]});
  }
  for (auto& [thread, items] : threads) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.start, b.end) < std::tuple(b.start, a.end);
    });
  }
  return threads;
}

// Whether a group is a layer of experts: at least four calls, at least three different row counts,
// and at least half as many as calls. A layer that is only repeated has a single row count.
bool AreExperts(const Group& group) {
  const auto rows = static_cast<std::int64_t>(group.rows.size());
  return knowledge::kTraitsLeastExperts <= group.calls &&
         knowledge::kTraitsLeastExpertRows <= rows && 2 * rows >= group.calls;
}

// Walks with a stack of open modules. Each matmul counts for up to traits.modules_around modules
// around it, because it is not recorded which of them is the expert layer.
void MarkExperts(const std::vector<Item>& items, const std::vector<flops::ProductSizes>& sizes,
                 std::vector<WorkPoint>& points) {
  using Key = std::tuple<std::uint32_t, std::string_view, double, double>;
  std::map<Key, Group> groups;
  std::vector<std::uint32_t> open;  // Indices of modules in `items`.
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    while (!open.empty() && items[open.back()].end <= items[i].start) open.pop_back();
    if (items[i].point == kNoIndex) {
      open.push_back(i);
      continue;
    }
    const std::uint32_t point = items[i].point;
    const flops::ProductSizes& size = sizes[point];
    const auto around = knowledge::kTraitsModulesAround.as<std::size_t>();
    for (std::size_t level = 0; level < std::min(around, open.size()); ++level) {
      const std::uint32_t module = open[open.size() - 1 - level];
      Group& group = groups[{module, points[point].name, size.n, size.k}];
      ++group.calls;
      group.rows.insert(size.m);
      group.points.insert(point);
    }
  }
  for (const auto& [key, group] : groups) {
    if (!AreExperts(group)) continue;
    for (const std::uint32_t point : group.points) {
      points[point].single_experts = std::max(points[point].single_experts, group.calls);
    }
  }
}

}  // namespace

void FindSingleExperts(const iterations::RankContext& rank, std::span<const std::uint32_t> point_of,
                       std::vector<WorkPoint>& points) {
  if (rank.profile->python.size() == 0) return;
  const std::vector<flops::ProductSizes> sizes = SizesOf(points);
  for (const auto& [thread, items] : ItemsOf(rank, point_of, sizes)) {
    MarkExperts(items, sizes, points);
  }
}

}  // namespace profgauge::analysis::device
