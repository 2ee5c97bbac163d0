#include "analysis/device/roofline_points.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/classify/arguments.h"
#include "analysis/device/op_limits.h"
#include "analysis/flops/op_call.h"
#include "knowledge/reach.h"
#include "knowledge/traits.h"

namespace profgauge::analysis::device {
namespace {

// Identifies matmuls of one type on one kind of GPU; the peak identifies the type.
using ReachKey = std::pair<std::string_view, double>;
ReachKey ReachKeyOf(const RooflinePoint& point) { return {point.sums.gpu, point.peak()}; }

// Uses texts that summaries contain, so that profiles and summaries give equal points.
flops::OpShape ShapeOfPoint(const WorkPoint& sums) {
  const auto call =
      flops::CallOf(flops::CallText{sums.name, sums.shapes, sums.dtypes, sums.values});
  return call ? flops::ShapeOf(*call) : flops::OpShape();
}

// Only for matmuls on matrix units that need little padding: otherwise other advice is better.
std::optional<classify::Misaligned> MisalignedOf(const WorkPoint& sums) {
  if (!sums.is_matrix || sums.tensor_core_time <= 0) return std::nullopt;
  const auto found =
      classify::FindMisaligned(sums.name, sums.shapes, sums.dtype, sums.read_at_once);
  return found && found->overhead() <= knowledge::kTraitsPaddingOverhead.value() ? found
                                                                                 : std::nullopt;
}

// Converts ns to seconds. An unknown reach counts as the full peak.
MeasuredOp FactsOf(const RooflinePoint& point) {
  const WorkPoint& sums = point.sums;
  MeasuredOp facts;
  facts.shape = point.shape;
  facts.kernel = {sums.kernel, static_cast<double>(sums.blocks), sums.parts, sums.unknown_parts};
  facts.calls = sums.calls;
  facts.kernels = static_cast<double>(sums.kernels);
  facts.time = static_cast<double>(sums.time) / 1e9;
  facts.compute_time = point.compute_time();
  facts.memory_time = point.memory_time();
  facts.flops = sums.flops;
  facts.bytes = sums.bytes;
  facts.element_bytes = classify::DtypeBytes(sums.dtype);
  facts.multiprocessors = sums.multiprocessors;
  facts.reach = point.reach > 0 ? point.reach : 1;
  facts.least_time = LeastKernelTime(sums.gpu);
  facts.misaligned = MisalignedOf(sums);
  facts.single_experts = sums.single_experts;
  return facts;
}

// The share of the peak that a matmul reaches.
ReachedShare ShareOf(const RooflinePoint& point) {
  const MeasuredOp facts = FactsOf(point);
  ReachedShare share;
  share.share = facts.compute_time / facts.time;
  share.call_time = facts.time / static_cast<double>(facts.calls);
  const OpTiles tiles = TilesOf(point.shape.product, facts.kernel, facts.multiprocessors);
  const bool fills = tiles.tiles < 0 || tiles.tiles >= facts.multiprocessors;
  share.is_good = facts.has_roof() && facts.is_compute_bound() && !facts.misaligned && fills;
  return share;
}

}  // namespace

WorkKey KeyOf(const WorkPoint& point) {
  return {point.name, point.shapes, point.dtypes, point.values, point.gpu};
}

std::int64_t LeastRead(std::int64_t a, std::int64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

void Join(WorkPoint& point, const WorkPoint& other) {
  point.calls += other.calls;
  point.time += other.time;
  point.tensor_core_time += other.tensor_core_time;
  point.flops += other.flops;
  point.bytes = point.bytes < 0 || other.bytes < 0 ? -1 : point.bytes + other.bytes;
  point.recomputed += other.recomputed;
  point.dtype = other.dtype;
  point.is_matrix = other.is_matrix;
  point.multiprocessors = std::max(point.multiprocessors, other.multiprocessors);
  point.kernels += other.kernels;
  point.parts = std::max(point.parts, other.parts);
  point.unknown_parts = point.unknown_parts || other.unknown_parts;
  point.single_experts = std::max(point.single_experts, other.single_experts);
  point.read_at_once = LeastRead(point.read_at_once, other.read_at_once);
  if (other.kernel_time > point.kernel_time) {
    point.kernel = other.kernel;
    point.kernel_time = other.kernel_time;
    point.blocks = other.blocks;
  }
}

double RooflinePoint::peak() const {
  return peaks == nullptr
             ? 0
             : classify::FlopPeak(*peaks, sums.dtype, sums.is_matrix, sums.tensor_core_time > 0);
}

double RooflinePoint::compute_time() const { return peak() > 0 ? sums.flops / peak() : -1; }

double RooflinePoint::memory_time() const {
  return peaks != nullptr && peaks->memory_bandwidth > 0 && sums.bytes >= 0
             ? sums.bytes / peaks->memory_bandwidth
             : -1;
}

// Assumes that half of the peak is reached (reach.matrix_units). An FP32 matmul moves the same
// bytes in TF32, and half of them in 16 bits.
double SecondsOnMatrixUnits(const RooflinePoint& point) {
  const WorkPoint& sums = point.sums;
  const bool may_use = sums.is_matrix && sums.tensor_core_time <= 0 && point.memory_time() >= 0;
  if (!may_use || sums.dtype == "float64") return -1;
  const bool is_fp32 = sums.dtype == "float32";
  const double tf32 = is_fp32 ? classify::FlopPeak(*point.peaks, "float32", true, true) : 0;
  const bool has_tf32 = tf32 > classify::FlopPeak(*point.peaks, "float32", true, false);
  const double peak = has_tf32 ? tf32 : classify::FlopPeak(*point.peaks, "float16", true, true);
  if (peak <= point.peak()) return -1;
  // Relative to the bytes of the recorded type.
  const double bytes = is_fp32 && !has_tf32 ? 0.5 : 1;
  return std::max(sums.flops / peak / knowledge::kReachMatrixUnits.value(),
                  point.memory_time() * bytes / BandwidthReach());
}

const DevicePeaks* KnownPeaks::Of(std::string_view name) {
  const auto [at, is_new] = peaks_.try_emplace(name);
  if (is_new) {
    Gpu gpu;
    gpu.name = name;
    at->second = classify::PeaksOf(gpu, knowledge_.devices);
  }
  return at->second ? &*at->second : nullptr;
}

// Merges points of equal keys. GPUs are identified by name, so that equal GPUs of several ranks
// share rows.
RooflinePoints PoolPoints(std::span<const RooflineFacts> facts, KnownPeaks& peaks) {
  RooflinePoints points;
  for (const RooflineFacts& rank : facts) {
    for (const WorkPoint& of_rank : rank.points) {
      const auto [at, is_new] = points.try_emplace(KeyOf(of_rank));
      if (!is_new) {
        Join(at->second.sums, of_rank);
        continue;
      }
      at->second.sums = of_rank;
      at->second.peaks = peaks.Of(of_rank.gpu);
    }
  }
  return points;
}

// First finds the shapes and shares of all matmuls, because the reach of a device is that of its
// best matmuls of a type. Then finds reach and verdict of each point.
void JudgePoints(RooflinePoints& points) {
  std::map<ReachKey, std::vector<ReachedShare>> products;
  for (auto& [key, point] : points) {
    point.shape = ShapeOfPoint(point.sums);
    if (point.shape.kind == flops::OpKind::kProduct && point.sums.time > 0) {
      products[ReachKeyOf(point)].push_back(ShareOf(point));
    }
  }
  for (auto& [key, point] : points) {
    if (point.peak() > 0 && point.sums.is_matrix) {
      point.reach = ComputeReach(point.sums.gpu, products[ReachKeyOf(point)]);
    }
    point.verdict = JudgeOp(FactsOf(point));
  }
}

}  // namespace profgauge::analysis::device
