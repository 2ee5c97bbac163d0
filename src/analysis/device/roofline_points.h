// The rows of the roofline while they are made: the points of all ranks, compared with the peaks of
// their devices.
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

/// The identity of a point.
using WorkKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           std::string_view>;
/// The views point into the point, which must outlive the key.
WorkKey KeyOf(const WorkPoint& point);
/// Adds calls to a point, of the same rank or of another one. Unknown bytes make the sum unknown.
void Join(WorkPoint& point, const WorkPoint& other);
/// The smaller of two AlignmentInName(); 0: unknown.
std::int64_t LeastRead(std::int64_t a, std::int64_t b);

/// One row: the sums over all calls and ranks, with the device's peaks. `peaks` is nullptr for an
/// unknown device. `shape`, `reach` and `verdict` are set by JudgePoints().
struct RooflinePoint {
  WorkPoint sums;
  const DevicePeaks* peaks = nullptr;
  std::uint32_t table_row = 0;  ///< Once the table is filled.
  flops::OpShape shape;
  double reach = -1;  ///< Only for matmuls and their equivalents; -1: unknown.
  OpVerdict verdict;

  double peak() const;
  double compute_time() const;  ///< Seconds; -1 unknown, as memory_time().
  double memory_time() const;
};
using RooflinePoints = std::map<WorkKey, RooflinePoint>;  ///< Keys point into the facts of ranks.

/// The peaks of all kinds of GPUs of the run, by name. Keeps a reference to `knowledge`; pointers
/// that it gives stay valid as long as it lives.
class KnownPeaks {
 public:
  explicit KnownPeaks(const classify::Knowledge& knowledge) : knowledge_(knowledge) {}
  const DevicePeaks* Of(std::string_view name);

 private:
  const classify::Knowledge& knowledge_;
  std::map<std::string_view, std::optional<DevicePeaks>> peaks_;  // Names are those of points.
};

/// The time that a matmul without matrix units should take on them: in TF32 if the chip has it,
/// else in 16 bits. -1: it uses them, or they are unknown, or no faster. Seconds over all calls.
double SecondsOnMatrixUnits(const RooflinePoint& point);

/// Joins the points of the ranks. `facts` must outlive the result.
RooflinePoints PoolPoints(std::span<const RooflineFacts> facts, KnownPeaks& peaks);
/// Fills in the traits that follow from the points' shapes. Two passes: the reach of a device
/// follows from the best of its matmuls.
void JudgePoints(RooflinePoints& points);

}  // namespace profgauge::analysis::device
