// Intermediate rows of the roofline: the points of all ranks, compared with their devices' peaks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "analysis/classify/device_peaks.h"
#include "analysis/device/op_traits.h"
#include "analysis/device/roofline.h"

namespace profgauge::analysis::device {

/// Identifies a point.
using WorkKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           std::string_view>;
/// The key has views into the point, which must outlive it.
WorkKey KeyOf(const WorkPoint& point);
/// Adds calls of the same or another rank to a point. Unknown bytes make the sum unknown.
void Join(WorkPoint& point, const WorkPoint& other);
/// The smaller of two AlignmentInName(); 0: unknown.
std::int64_t LeastRead(std::int64_t a, std::int64_t b);

/// One row: sums over all calls and ranks, with the device's peaks. `peaks` is nullptr if the
/// device is unknown. JudgePoints() sets `shape`, `reach` and `verdict`.
struct RooflinePoint {
  WorkPoint sums;
  const DevicePeaks* peaks = nullptr;
  std::uint32_t table_row = 0;  ///< Set when the table is filled.
  flops::OpShape shape;
  double reach = -1;  ///< Only for matmuls and equivalents; -1: unknown.
  OpVerdict verdict;

  double peak() const;
  double compute_time() const;  ///< Seconds; -1 unknown, like memory_time().
  double memory_time() const;
};
using RooflinePoints = std::map<WorkKey, RooflinePoint>;  ///< Keys point into the facts of ranks.

/// The peaks of all kinds of GPUs in the run, by name. Keeps a reference to `knowledge`; returned
/// pointers are valid as long as this object.
class KnownPeaks {
 public:
  explicit KnownPeaks(const classify::Knowledge& knowledge) : knowledge_(knowledge) {}
  const DevicePeaks* Of(std::string_view name);

 private:
  const classify::Knowledge& knowledge_;
  std::map<std::string_view, std::optional<DevicePeaks>> peaks_;  // Names are those of points.
};

/// Seconds over all calls that a matmul without matrix units would take on them: in TF32 if the
/// chip has it, else in 16 bits. -1 if it uses them, or they are unknown or not faster.
double SecondsOnMatrixUnits(const RooflinePoint& point);

/// Merges the points of the ranks. `facts` must outlive the result.
RooflinePoints PoolPoints(std::span<const RooflineFacts> facts, KnownPeaks& peaks);
/// Judges the points: sets shape, reach and verdict. Two passes, because the reach of a device
/// follows from the best of its matmuls.
void JudgePoints(RooflinePoints& points);

}  // namespace profgauge::analysis::device
