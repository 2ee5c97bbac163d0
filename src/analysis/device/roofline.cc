#include "analysis/device/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/work/device_peaks.h"
#include "analysis/work/recomputation.h"
#include "base/format.h"

namespace profgauge {
namespace {

constexpr std::string_view kNoShapes =
    "no operator with known shapes launched device work whose operations can be counted";

constexpr std::initializer_list<const char*> kMetrics = {"flops.achieved", "flops.mfu",
                                                         "flops.hfu"};

// The calls of one operator with the same shapes and types on the same kind of GPU.
struct Point {
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  double flops = 0, bytes = 0;  // Sums; bytes -1 when unknown.
  double recomputed = 0;        // Of the FLOPs, those that the backward pass does again.
  std::string dtype;
  bool is_matrix = false;
  std::string gpu;  // Its name; empty when not recorded.
  const DevicePeaks* peaks = nullptr;
  std::uint32_t table_row = 0;  // Once the table is filled.

  void Add(const RankContext& rank, std::uint32_t row, bool again) {
    const OpWork& work = *rank.works.Find(row);
    if (again) recomputed += work.flops;
    ++calls;
    time += rank.tree.kernel_total[row];
    tensor_core_time += rank.tree.tensor_core_total[row];
    flops += work.flops;
    bytes = bytes < 0 || work.bytes < 0 ? -1 : bytes + work.bytes;
    dtype = work.dtype;
    is_matrix = work.is_matrix;
  }
  double peak() const {
    return peaks == nullptr ? 0 : FlopPeak(*peaks, dtype, is_matrix, tensor_core_time > 0);
  }
  double compute_time() const { return peak() > 0 ? flops / peak() : -1; }
  double memory_time() const {
    return peaks != nullptr && peaks->memory_bandwidth > 0 && bytes >= 0
               ? bytes / peaks->memory_bandwidth
               : -1;
  }
};

using Key = std::tuple<std::string, std::string, std::string, std::string>;
using Points = std::map<Key, Point>;

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
  std::map<std::string, Ns> not_counted;  // Time of products whose work is not known, by operator.
  bool all_peaks = true;
  std::string unknown_gpu;
};

class Collector {
 public:
  void Add(const RankContext& rank, Totals& totals) {
    const HostTable& host = rank.profile->host;
    const std::vector<std::int32_t> gpus = GpuOfCalls(rank);
    const std::vector<bool> recomputed = FindRecomputed(*rank.profile);
    RankPoints of_rank;
    std::vector<const Point*>& calls = point_of.emplace_back(host.size(), nullptr);
    for (std::uint32_t row = 0; row < host.size(); ++row) {
      if (rank.works.counted_in[row] != row || rank.tree.kernel_total[row] <= 0) continue;
      if (!rank.InIterations(HostId{row})) continue;
      Point& point = PointOf(rank, row, gpus[row], of_rank);
      point.Add(rank, row, recomputed[row]);
      calls[row] = &point;
      totals.counted_time += rank.tree.kernel_total[row];
    }
    const DeviceTable& device = rank.profile->device;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (device.kind[row] != DeviceKind::kKernel || rank.classes[row].collective ||
          !rank.InIterations(DeviceId{row})) {
        continue;
      }
      totals.kernel_time += device.duration[row];
      AddNotCounted(rank, row, totals);
    }
  }

  Points points;
  std::vector<std::vector<const Point*>> point_of;  // By rank and row of its host table.

 private:
  // Products that are there and have no known work: grouped and sparse ones, operators of projects.
  static void AddNotCounted(const RankContext& rank, std::uint32_t row, Totals& totals) {
    const HostId op = rank.profile->device.op[row];
    if (!op.valid() || rank.works.counted_in[op.value] != OpWorks::kNone) return;
    const std::string_view name = rank.profile->Name(rank.profile->host.name[op.value]);
    if (!IsMatrixRule(rank.classes[row]) && !IsEligibleOp(name)) return;
    totals.not_counted[std::string(name)] += rank.profile->device.duration[row];
  }

  // The points of one rank by the ids of their texts and the GPU.
  using RankPoints = std::map<std::array<std::uint32_t, 4>, Point*>;

  Point& PointOf(const RankContext& rank, std::uint32_t row, std::int32_t gpu_id,
                 RankPoints& of_rank) {
    const HostTable& host = rank.profile->host;
    Point*& known = of_rank[{host.name[row].value, host.input_shapes[row].value,
                             host.input_dtypes[row].value, static_cast<std::uint32_t>(gpu_id)}];
    if (known != nullptr) return *known;
    const std::string gpu = NameOf(rank, gpu_id);
    Point& point =
        points[Key{rank.profile->Name(host.name[row]), rank.profile->Name(host.input_shapes[row]),
                   rank.profile->Name(host.input_dtypes[row]), gpu}];
    if (point.calls == 0) {
      point.gpu = gpu;
      point.peaks = PeaksFor(rank, gpu);
    }
    known = &point;
    return point;
  }
  static std::string NameOf(const RankContext& rank, std::int32_t id) {
    const Gpu* gpu = FindGpu(rank.devices, id);
    return gpu == nullptr ? std::string() : gpu->name;
  }
  const DevicePeaks* PeaksFor(const RankContext& rank, const std::string& name) {
    const auto [at, is_new] = peaks_.try_emplace(name);
    if (is_new) {
      Gpu gpu;
      gpu.name = name;
      at->second = PeaksOf(gpu, rank.knowledge.devices);
    }
    return at->second ? &*at->second : nullptr;
  }

  std::map<std::string, std::optional<DevicePeaks>> peaks_;
};

void Real(Table& table, std::string_view id, double value) {
  Column& column = *table.Find(id);
  if (value >= 0) {
    column.AddReal(value);
  } else {
    column.AddAbsent();
  }
}

void Text(Table& table, std::string_view id, std::string_view value) {
  Column& column = *table.Find(id);
  if (value.empty()) {
    column.AddAbsent();
  } else {
    column.AddText(table.strings().Intern(value));
  }
}

void AppendRow(const Key& key, const Point& point, Table& table) {
  const double seconds = static_cast<double>(point.time) / 1e9;
  const double compute = point.compute_time(), memory = point.memory_time();
  const bool has_roof = compute >= 0 && memory >= 0;
  Text(table, "name", std::get<0>(key));
  Text(table, "input_shapes", std::get<1>(key));
  Text(table, "dtype", point.dtype);
  Text(table, "gpu_name", point.gpu);
  table.Find("calls")->AddInteger(point.calls);
  table.Find("time")->AddInteger(point.time);
  Real(table, "flops", point.flops);
  Column& bytes = *table.Find("bytes");
  if (point.bytes >= 0 && point.bytes < 9e18) {
    bytes.AddInteger(static_cast<std::int64_t>(point.bytes));
  } else {
    bytes.AddAbsent();
  }
  Real(table, "intensity", point.bytes > 0 ? point.flops / point.bytes : -1);
  Real(table, "achieved", point.flops / seconds);
  Real(table, "peak", point.peak() > 0 ? point.peak() : -1);
  Real(table, "mfu", compute >= 0 ? compute / seconds : -1);
  Real(table, "achieved_bandwidth", point.bytes >= 0 ? point.bytes / seconds : -1);
  Real(table, "bandwidth_share", memory >= 0 ? memory / seconds : -1);
  Text(table, "bound", !has_roof ? "" : compute > memory ? "compute" : "memory");
  Real(table, "roof_share", has_roof ? std::max(compute, memory) / seconds : -1);
}

void FillTable(Points& points, Output& out) {
  std::vector<Points::value_type*> rows;
  for (auto& row : points) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto* a, auto* b) { return a->second.time > b->second.time; });
  Table& table = out.AddTable("roofline");
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[row]->second.table_row = row;
    AppendRow(rows[row]->first, rows[row]->second, table);
  }
}

// Says which row counts which kernel. REQUIRES: the table is filled.
void LinkRows(std::span<const RankContext> ranks, const Collector& collector, Output& out) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const DeviceTable& device = ranks[i].profile->device;
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("roofline", i);
    rows.assign(device.size(), Output::kNoRow);
    for (std::size_t row = 0; row < device.size(); ++row) {
      const HostId op = device.op[row];
      if (device.kind[row] != DeviceKind::kKernel || !op.valid()) continue;
      const std::uint32_t call = ranks[i].works.counted_in[op.value];
      if (call == OpWorks::kNone || collector.point_of[i][call] == nullptr) continue;
      rows[row] = collector.point_of[i][call]->table_row;
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

void SetAllAbsent(std::initializer_list<const char*> ids, const std::string& reason, Output& out) {
  for (const char* id : ids) out.SetAbsent(id, reason);
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

bool KnowsThreads(std::span<const RankContext> ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const RankContext& rank) {
    const std::vector<ThreadId>& threads = rank.profile->host.thread;
    return std::all_of(threads.begin(), threads.end(), [](ThreadId id) { return id.valid(); });
  });
}

void SetMetrics(std::span<const RankContext> ranks, const Totals& totals, Output& out) {
  const bool has_timeline = std::all_of(ranks.begin(), ranks.end(), [](const RankContext& rank) {
    return rank.profile->has_timeline;
  });
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
  constexpr double kTooLittle = 0.5;
  const auto set = [&](const char* id, double value, const std::string& words) {
    out.Set(id, value);
    out.SetNote(id, words, covered < kTooLittle);
  };
  set("flops.achieved", totals.flops / seconds, note);
  if (!totals.all_peaks) {
    return SetAllAbsent(
        {"flops.mfu", "flops.hfu"},
        fmt::format("the peak of {} is not known for all types; add it to the file that the policy "
                    "names under `devices`",
                    totals.unknown_gpu.empty() ? "the GPU, whose name was not recorded,"
                                               : totals.unknown_gpu),
        out);
  }
  set("flops.hfu", totals.seconds_at_peak / seconds, note);
  if (!KnowsThreads(ranks)) {
    return out.SetAbsent("flops.mfu",
                         "the recording does not tell threads, so what the backward pass computes "
                         "again cannot be left out; flops.hfu counts it");
  }
  const double share = totals.recomputation_at_peak / totals.seconds_at_peak;
  set("flops.mfu", (totals.seconds_at_peak - totals.recomputation_at_peak) / seconds,
      share > 0 ? fmt::format("{}; leaves out recomputation, {} of all operations", note,
                              FormatShare(share))
                : note);
}

}  // namespace

void AddRoofline(std::span<const RankContext> ranks, Output& out) {
  Collector collector;
  Totals totals;
  for (const RankContext& rank : ranks) collector.Add(rank, totals);
  if (collector.points.empty()) {
    out.SetTableAbsent("roofline", std::string(kNoShapes));
    return SetAllAbsent(kMetrics, std::string(kNoShapes), out);
  }
  for (const auto& [key, point] : collector.points) {
    totals.flops += point.flops;
    if (point.flops == 0) continue;
    if (point.compute_time() >= 0) {
      totals.seconds_at_peak += point.compute_time();
      totals.recomputation_at_peak += point.recomputed / point.peak();
    } else {
      totals.all_peaks = false;
      totals.unknown_gpu = point.gpu;
    }
  }
  FillTable(collector.points, out);
  LinkRows(ranks, collector, out);
  if (totals.flops <= 0) {
    return SetAllAbsent(kMetrics,
                        "the only operators with known shapes move data and compute nothing", out);
  }
  SetMetrics(ranks, totals, out);
}

}  // namespace profgauge
