#include "analysis/device/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/name_memo.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"
#include "analysis/work/device_peaks.h"
#include "analysis/work/recomputation.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/no_index.h"
#include "knowledge/roofline.h"

namespace profgauge {
namespace {

constexpr std::string_view kNoShapes =
    "no operator with known shapes launched device work whose operations can be counted";

constexpr std::initializer_list<MetricId> kMetrics = {metric::kFlopsAchieved, metric::kFlopsMfu,
                                                      metric::kFlopsHfu};

using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

Key KeyOf(const WorkPoint& point) { return {point.name, point.shapes, point.dtypes, point.gpu}; }

void Join(WorkPoint& point, const WorkPoint& other) {
  point.calls += other.calls;
  point.time += other.time;
  point.tensor_core_time += other.tensor_core_time;
  point.flops += other.flops;
  point.bytes = point.bytes < 0 || other.bytes < 0 ? -1 : point.bytes + other.bytes;
  point.recomputed += other.recomputed;
  point.dtype = other.dtype;
  point.is_matrix = other.is_matrix;
}

// A point of the run, against what its GPU can do.
struct Point {
  WorkPoint sums;
  const DevicePeaks* peaks = nullptr;
  std::uint32_t table_row = 0;  // Once the table is filled.

  double peak() const {
    return peaks == nullptr
               ? 0
               : FlopPeak(*peaks, sums.dtype, sums.is_matrix, sums.tensor_core_time > 0);
  }
  double compute_time() const { return peak() > 0 ? sums.flops / peak() : -1; }
  double memory_time() const {
    return peaks != nullptr && peaks->memory_bandwidth > 0 && sums.bytes >= 0
               ? sums.bytes / peaks->memory_bandwidth
               : -1;
  }
};

using Points = std::map<Key, Point>;  // Keys point into the facts of ranks.

// The GPU on which an operator's kernels ran: the first one's.
std::vector<std::int32_t> GpuOfCalls(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  std::vector<std::int32_t> gpus(rank.profile->host.size(), -1);
  for (std::size_t row = device.size(); row-- > 0;) {
    const HostId op = device.op[row];
    if (device.kind[row] != DeviceKind::kKernel || !op.valid()) continue;
    const std::uint32_t counted = rank.works.counted_in[op.value];
    if (counted != OpWorks::kNone) gpus[counted] = device.gpu[row];
  }
  return gpus;
}

struct Totals {
  double flops = 0;
  double seconds_at_peak = 0;             // Σ FLOPs / peak of their type.
  double recomputation_at_peak = 0;       // Of these, what the backward pass does again.
  Ns kernel_time = 0, counted_time = 0;   // Of kernels that compute.
  std::map<std::string, Ns> not_counted;  // As in RooflineFacts.
  Ns matrix_time = 0;                     // Of products whose work is counted.
  Ns peakless_time = 0;                   // Of points that compute and have no peak,
  std::string why_peakless;               // and why the longest of them has none.
  Ns longest_peakless = 0;
};

constexpr std::uint32_t kNoPoint = kNoIndex;

std::string_view NameOf(const RankContext& rank, std::int32_t id) {
  const Gpu* gpu = FindGpu(rank.devices, id);
  return gpu == nullptr ? std::string_view() : gpu->name;
}

// Products that are there and have no known work: grouped and sparse ones, operators of projects.
void AddNotCounted(const RankContext& rank, std::uint32_t row, NameMemo& is_eligible,
                   RooflineFacts& facts) {
  const HostId op = rank.profile->device.op[row];
  if (op.valid() && rank.works.counted_in[op.value] != OpWorks::kNone) return;
  if (!IsMatrixRule(rank.classes[row]) && !(op.valid() && is_eligible(op))) return;
  const std::string_view name = op.valid() ? rank.profile->Name(rank.profile->host.name[op.value])
                                           : std::string_view("kernels without an operator");
  facts.not_counted[std::string(name)] += rank.profile->device.duration[row];
}

// Adds up the calls of one rank; the point of each by row of the host table.
class PointCollector {
 public:
  explicit PointCollector(const RankContext& rank)
      : rank_(rank), point_of_(rank.profile->host.size(), kNoPoint) {
    const HostTable& host = rank.profile->host;
    const std::vector<std::int32_t> gpus = GpuOfCalls(rank);
    const std::vector<bool> recomputed = FindRecomputed(*rank.profile);
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      if (rank.works.counted_in[row] != row || rank.tree.kernel_total[row] <= 0) continue;
      if (!rank.InIterations(HostId{row})) continue;
      const OpWork& work = *rank.works.Find(row);
      const std::uint32_t point = PointOf(row, gpus[row]);
      Join(points_[point], {{},
                            {},
                            {},
                            {},
                            1,
                            rank.tree.kernel_total[row],
                            rank.tree.tensor_core_total[row],
                            work.flops,
                            work.bytes,
                            recomputed[row] ? work.flops : 0,
                            work.dtype,
                            work.is_matrix});
      point_of_[row] = point;
    }
  }

  /// By key. Which of them each call belongs to is in point_of() then.
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
      if (point != kNoPoint) point = place[point];
    }
    return sorted;
  }
  const std::vector<std::uint32_t>& point_of() const { return point_of_; }

 private:
  std::uint32_t PointOf(std::uint32_t row, std::int32_t gpu) {
    const HostTable& host = rank_.profile->host;
    const std::array<std::uint32_t, 4> ids = {host.name[row].value, host.input_shapes[row].value,
                                              host.input_dtypes[row].value,
                                              static_cast<std::uint32_t>(gpu)};
    const auto [known, is_new] = by_ids_.try_emplace(ids, kNoPoint);
    if (!is_new) return known->second;
    // Several GPUs may have one name.
    const Profile& profile = *rank_.profile;
    const std::string_view gpu_name = NameOf(rank_, gpu);
    const auto [at, is_new_key] = by_key_.try_emplace({ids[0], ids[1], ids[2], gpu_name},
                                                      static_cast<std::uint32_t>(points_.size()));
    if (is_new_key) {
      WorkPoint& point = points_.emplace_back();
      point.name = profile.Name(host.name[row]);
      point.shapes = profile.Name(host.input_shapes[row]);
      point.dtypes = profile.Name(host.input_dtypes[row]);
      point.gpu = gpu_name;
    }
    known->second = at->second;
    return at->second;
  }

  const RankContext& rank_;
  std::vector<WorkPoint> points_;
  std::vector<std::uint32_t> point_of_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> by_ids_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>, std::uint32_t>
      by_key_;
};

// What all kinds of GPUs of the run can do, by name.
class KnownPeaks {
 public:
  explicit KnownPeaks(const Knowledge& knowledge) : knowledge_(knowledge) {}
  const DevicePeaks* Of(std::string_view name) {
    const auto [at, is_new] = peaks_.try_emplace(name);
    if (is_new) {
      Gpu gpu;
      gpu.name = name;
      at->second = PeaksOf(gpu, knowledge_.devices);
    }
    return at->second ? &*at->second : nullptr;
  }

 private:
  const Knowledge& knowledge_;
  std::map<std::string_view, std::optional<DevicePeaks>> peaks_;  // Names are those of points.
};

Points PoolPoints(std::span<const RooflineFacts> facts, KnownPeaks& peaks) {
  Points points;
  for (const RooflineFacts& rank : facts) {
    for (const WorkPoint& of_rank : rank.points) {
      const auto [at, is_new] = points.try_emplace(KeyOf(of_rank));
      if (is_new) at->second.peaks = peaks.Of(of_rank.gpu);
      Join(at->second.sums, of_rank);
    }
  }
  return points;
}

void AppendRow(const Key& key, const Point& of_run, RowWriter<columns::kRoofline>& write) {
  const WorkPoint& point = of_run.sums;
  const double seconds = static_cast<double>(point.time) / 1e9;
  const double compute = of_run.compute_time(), memory = of_run.memory_time();
  const bool has_roof = compute >= 0 && memory >= 0;
  const bool has_bytes = point.bytes >= 0 && point.bytes < 9e18;
  write.Text("name"_col, std::get<0>(key))
      .Text("input_shapes"_col, std::get<1>(key))
      .Text("dtype"_col, point.dtype)
      .Text("gpu_name"_col, std::get<3>(key))
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
      .KnownReal("roof_share"_col, has_roof ? std::max(compute, memory) / seconds : -1);
}

void FillTable(Points& points, Output& out) {
  std::vector<Points::value_type*> rows;
  for (auto& row : points) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto* a, auto* b) { return a->second.sums.time > b->second.sums.time; });
  RowWriter<columns::kRoofline> write(out.AddTable("roofline"));
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[row]->second.table_row = row;
    AppendRow(rows[row]->first, rows[row]->second, write);
  }
}

// Says which row counts which kernel. REQUIRES: the table is filled.
void LinkRows(std::span<const RooflineFacts> facts, const Points& points, Output& out) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    std::vector<std::uint32_t> row_of;
    for (const WorkPoint& point : facts[i].points) {
      row_of.push_back(points.find(KeyOf(point))->second.table_row);
    }
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("roofline", i);
    rows.assign(facts[i].point_of.size(), Output::kNoRow);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (facts[i].point_of[row] != kNoPoint) rows[row] = row_of[facts[i].point_of[row]];
    }
  }
}

// GPU time of the run: every GPU with work, for the whole of its rank's window.
double GpuSeconds(std::span<const RankContext> ranks) {
  double seconds = 0;
  for (const RankContext& rank : ranks) {
    seconds +=
        static_cast<double>(rank.window().length()) / 1e9 * static_cast<double>(rank.gpus.size());
  }
  return seconds;
}

void SetAllAbsent(std::initializer_list<MetricId> ids, const std::string& reason, Output& out) {
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
        "{}{} ({})", i == 0 ? "; products not counted: " : ", ", ops[i].first,
        FormatShare(static_cast<double>(ops[i].second) / static_cast<double>(totals.kernel_time)));
  }
  return words + (ops.size() > kNamed ? ", …" : "");
}

bool KnowsThreads(const RankContext& rank) {
  const std::vector<ThreadId>& threads = rank.profile->host.thread;
  return std::all_of(threads.begin(), threads.end(), [](ThreadId id) { return id.valid(); });
}

bool All(std::span<const RooflineFacts> facts, bool RooflineFacts::*has) {
  return std::all_of(facts.begin(), facts.end(),
                     [has](const RooflineFacts& rank) { return rank.*has; });
}

// Why a point that computes has no peak. Each reason is what lacks, so that it can be mended.
std::string WhyNoPeak(const Key& key, const Point& point, const Output& out) {
  constexpr std::string_view kRemedy = "; add it to the file that the policy names under `devices`";
  const std::string gpu(std::get<3>(key));
  const std::string op(std::get<0>(key));
  if (gpu.empty()) {
    return out.Told("the name of the {{ device.device }} is missing, and with it its peak") +
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

void AddPoint(const Key& key, const Point& point, const Output& out, Totals& totals) {
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

void SetMetrics(std::span<const RankContext> ranks, std::span<const RooflineFacts> facts,
                const Totals& totals, Output& out) {
  const bool has_timeline = All(facts, &RooflineFacts::has_timeline);
  const double seconds = GpuSeconds(ranks);
  if (!has_timeline || seconds <= 0) {
    return SetAllAbsent(kMetrics, "needs the times of events, which this kind of file lacks", out);
  }
  const double covered = totals.kernel_time > 0 ? static_cast<double>(totals.counted_time) /
                                                      static_cast<double>(totals.kernel_time)
                                                : 0;
  const std::string note = fmt::format(
      "counts operators with {} of the time of computing kernels; the others' work is "
      "unknown{}",
      FormatShare(covered), NamesNotCounted(totals));
  // Products that are not counted are work all the same: how fast they were is not known.
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
                         "the recording does not tell threads, so what the backward pass computes "
                         "again cannot be left out; flops.hfu counts it");
  }
  const double share = totals.recomputation_at_peak / totals.seconds_at_peak;
  set(metric::kFlopsMfu, (totals.seconds_at_peak - totals.recomputation_at_peak) / seconds,
      share > 0 ? fmt::format("{}; leaves out recomputation, {} of all operations", note,
                              FormatShare(share))
                : note);
}

}  // namespace

RooflineFacts RooflineFactsOf(const RankContext& rank) {
  RooflineFacts facts;
  PointCollector collector(rank);
  facts.points = collector.Take();
  for (const WorkPoint& point : facts.points) facts.counted_time += point.time;
  const DeviceTable& device = rank.profile->device;
  facts.point_of.assign(device.size(), kNoPoint);
  NameMemo is_eligible(*rank.profile, IsEligibleOp);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const HostId op = device.op[row];
    const std::uint32_t call = op.valid() ? rank.works.counted_in[op.value] : OpWorks::kNone;
    if (call != OpWorks::kNone) facts.point_of[row] = collector.point_of()[call];
    if (rank.classes[row].collective || !rank.InIterations(DeviceId{row})) continue;
    facts.kernel_time += device.duration[row];
    AddNotCounted(rank, row, is_eligible, facts);
  }
  facts.has_timeline = rank.profile->has_timeline;
  facts.knows_threads = KnowsThreads(rank);
  return facts;
}

void AddRoofline(std::span<const RankContext> ranks, Output& out) {
  std::vector<RooflineFacts> facts;
  for (const RankContext& rank : ranks) facts.push_back(RooflineFactsOf(rank));
  AddRoofline(ranks, facts, out);
}

void AddRoofline(std::span<const RankContext> ranks, std::span<const RooflineFacts> facts,
                 Output& out) {
  KnownPeaks peaks(ranks.front().knowledge);
  Points points = PoolPoints(facts, peaks);
  if (points.empty()) {
    out.SetTableAbsent("roofline", std::string(kNoShapes));
    return SetAllAbsent(kMetrics, std::string(kNoShapes), out);
  }
  Totals totals;
  for (const RooflineFacts& rank : facts) {
    totals.kernel_time += rank.kernel_time;
    totals.counted_time += rank.counted_time;
    for (const auto& [op, time] : rank.not_counted) totals.not_counted[op] += time;
  }
  for (const auto& [key, point] : points) AddPoint(key, point, out, totals);
  FillTable(points, out);
  LinkRows(facts, points, out);
  if (totals.flops <= 0) {
    return SetAllAbsent(kMetrics,
                        "the only operators with known shapes move data and compute nothing", out);
  }
  SetMetrics(ranks, facts, totals, out);
}

}  // namespace profgauge
