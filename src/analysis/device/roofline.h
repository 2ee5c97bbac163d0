// Roofline per operator: the rate of its kernels' work, compared with the GPU's peak.
//
// Work is counted at the outermost operator whose work is known (analysis/flops/op_work.h), time is
// that of the kernels launched in it. The roof of an operator is the longer of FLOPs / peak and
// bytes / bandwidth; the longer one is the bottleneck. Definition: Williams et al.,
// "Roofline", 2009; TraceLens has the same per operator.
//
// A matmul of 4096 by 4096 by 4096 in FP16 that takes 0.40 ms on a GPU of 989 TFLOP/s, 3.35 TB/s:
//
//   compute   137 GFLOP / 989 TFLOP/s   0.139 ms     the roof: compute-bound
//   memory    101 MB / 3.35 TB/s        0.030 ms
//   roof_share = 0.139 / 0.40 = 35 %, achieved 344 TFLOP/s
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// The calls of one operator with the same shapes and types on the same kind of GPU. Texts are
/// those of the profile and its context, or of the summaries, which must outlive it. Its identity
/// is WorkKey (roofline_points.h).
struct WorkPoint {
  std::string_view name, shapes, dtypes, gpu;  ///< `gpu`: its name; empty when not recorded.
  std::string_view values;  ///< Arguments that are no tensors, of convolutions and attention.
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  double flops = 0, bytes = 0;  ///< Sums; bytes -1 when unknown.
  double recomputed = 0;        ///< Part of the FLOPs that the backward pass computes again.
  std::string_view dtype;       ///< Data type of the first operand.
  bool is_matrix = false;
  std::int32_t multiprocessors = -1;  ///< Multiprocessors of the GPU; -1 unknown.
  std::int64_t kernels = 0;           ///< Number over all calls.
  std::string_view kernel;            ///< The one with most time,
  Ns kernel_time = 0;                 ///< and that time;
  std::int64_t blocks = -1;           ///< the blocks of its grid, -1 unknown.
  std::int64_t parts = 1;             ///< Parts of the inner dimension: PartsInName().
  bool unknown_parts = false;         ///< NamesUnknownParts().
  std::int64_t single_experts = 0;    ///< Matmuls of as many experts, one by one; 0: none.
  std::int64_t read_at_once = 0;      ///< Least AlignmentInName() of its kernels; 0: none says.
};

/// For one rank.
struct RooflineFacts {
  std::vector<WorkPoint> points;         ///< By name, shapes, types and GPU, in that order.
  Ns kernel_time = 0, counted_time = 0;  ///< Times of kernels that compute.
  /// Time of matmuls with unknown work, by operator.
  std::map<std::string, Ns> not_counted;
  bool has_timeline = false, knows_threads = false;
  std::vector<std::uint32_t> point_of;  ///< By row of the device table; not to be kept.
};
/// The points of one rank, of the selected iterations. Operators whose work cannot be counted are
/// in `not_counted` with their time. O(n log n) in operators and kernels.
RooflineFacts RooflineFactsOf(const iterations::RankContext& rank);

/// Adds the table `roofline` and sets flops.achieved, flops.mfu and flops.hfu.
/// Only window, GPUs with work and knowledge of the contexts are used. REQUIRES: `ranks` is not
/// empty; one fact per context. Without any point all are absent, and with a relevant point of
/// unknown peak the shares are.
void AddRoofline(std::span<const iterations::RankContext> ranks,
                 std::span<const RooflineFacts> facts, catalog::Output& out);

// Experts that are computed one by one: matmuls of equal weights' sizes and different rows, side by
// side in one call of a module. Their rows differ because tokens are shared out among them.

/// Sets WorkPoint::single_experts of those points. `point_of`: by row of the host table, kNoIndex
/// where it has none. Nothing is found where calls of modules were not recorded.
void FindSingleExperts(const iterations::RankContext& rank, std::span<const std::uint32_t> point_of,
                       std::vector<WorkPoint>& points);

}  // namespace profgauge::analysis::device
