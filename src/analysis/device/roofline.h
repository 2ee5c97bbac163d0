// Roofline per operator: the rate of its kernels' work compared with the GPU's peak.
//
// Work is counted for the outermost operator with known work (analysis/flops/op_work.h); time is
// that of the kernels launched in it. The roofline time of an operator is the longer of FLOPs /
// peak and bytes / bandwidth; the longer one is the bottleneck. Definition: Williams et al.,
// "Roofline", 2009; TraceLens also applies it per operator.
//
// A matmul of 4096 by 4096 by 4096 in FP16 that takes 0.40 ms on a GPU of 989 TFLOP/s, 3.35 TB/s:
//
//   compute   137 GFLOP / 989 TFLOP/s   0.139 ms     the longer one: compute-bound
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

/// The calls of one operator with equal shapes and types on one kind of GPU. Texts are views into
/// the profile and its context, or into the summaries, which must outlive it. WorkKey
/// (roofline_points.h) identifies it.
struct WorkPoint {
  std::string_view name, shapes, dtypes, gpu;  ///< `gpu`: its name; empty if not recorded.
  std::string_view values;  ///< Non-tensor arguments of convolutions and attention.
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  double flops = 0, bytes = 0;  ///< Sums; bytes -1 when unknown.
  double recomputed = 0;        ///< Part of the FLOPs that the backward pass computes again.
  std::string_view dtype;       ///< Data type of the first operand.
  bool is_matrix = false;
  std::int32_t multiprocessors = -1;  ///< Multiprocessors of the GPU; -1 unknown.
  std::int64_t kernels = 0;           ///< Number of kernels over all calls.
  std::string_view kernel;            ///< The kernel with most time,
  Ns kernel_time = 0;                 ///< and its time;
  std::int64_t blocks = -1;           ///< the blocks of its grid, -1 unknown.
  std::int64_t parts = 1;             ///< Parts of the inner dimension: PartsInName().
  bool unknown_parts = false;         ///< NamesUnknownParts().
  std::int64_t single_experts = 0;    ///< Number of separate expert matmuls; 0: none.
  std::int64_t read_at_once = 0;      ///< Smallest AlignmentInName() of its kernels; 0: unknown.
};

/// The roofline of one rank.
struct RooflineFacts {
  std::vector<WorkPoint> points;         ///< By name, shapes, types and GPU, in that order.
  Ns kernel_time = 0, counted_time = 0;  ///< Times of kernels that compute.
  /// Time of matmuls with unknown work, by operator.
  std::map<std::string, Ns> not_counted;
  bool has_timeline = false, knows_threads = false, has_shapes = false;
  std::vector<std::uint32_t> point_of;  ///< By row of the device table; not stored in summaries.
};
/// Returns the points of one rank over the selected iterations, with the times of operators whose
/// work is unknown. O(n log n) in operators and kernels.
RooflineFacts RooflineFactsOf(const iterations::RankContext& rank);

/// Adds the table `roofline` and sets flops.achieved, flops.mfu and flops.hfu. All are absent
/// without points; the shares also if a relevant point has no known peak. Uses only window, GPUs
/// with work and knowledge of the contexts. REQUIRES: `ranks` is not empty; one fact per context.
void AddRoofline(std::span<const iterations::RankContext> ranks,
                 std::span<const RooflineFacts> facts, catalog::Output& out);

// Finds experts that are computed one by one: matmuls in one call of a module, whose weights have
// equal sizes but whose row counts differ, because tokens are distributed among experts.

/// Sets WorkPoint::single_experts of such matmuls. `point_of`: by row of the host table, kNoIndex
/// without a point. Finds none if module calls were not recorded.
void FindSingleExperts(const iterations::RankContext& rank, std::span<const std::uint32_t> point_of,
                       std::vector<WorkPoint>& points);

}  // namespace profgauge::analysis::device
