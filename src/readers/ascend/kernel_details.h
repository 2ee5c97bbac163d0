// kernel_details.csv: the kernels of an NPU without their launches, but with the shapes and types
// of their operators and, if counters were recorded, the utilization of the cube units.
//
//   Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),
//   Block Dim,Input Shapes,Input Data Types,cube_utilization(%)
//   4,0,MatMul_1,MatMul,AI_CORE,"1704161511420306.491\t",20.5,1.5,
//   24,"""8,16;16,32""",DT_BF16;DT_BF16,81
//
// In the file, the head and each kernel are one line. Columns differ between versions, so each is
// found by its name.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/profile_builder.h"
#include "readers/text/csv_rows.h"

namespace profgauge::readers::ascend {

/// Receives the rows of the file one by one; Finish() completes them.
class KernelDetails {
 public:
  explicit KernelDetails(ProfileBuilder& builder) : builder_(builder) {}

  /// Adds one kernel. A row that equals an earlier one in device, stream, task, name and times is
  /// counted and left out.
  void Receive(const CsvRow& row);
  /// Adds the steps, each from its first kernel to its last, the devices, and tables of operators.
  /// Call once, after the last row. O(n log n).
  void Finish();
  /// True if the recorded waiting times show that rows are missing inside the table. The device's
  /// idle time is then unknown.
  bool is_excerpt() const { return is_excerpt_; }

 private:
  /// The calls of one operator.
  struct OpSum {
    std::int64_t calls = 0;
    Ns time = 0;
  };
  /// The time of one kernel on the device, and the wait before it.
  struct Stay {
    Ns start = 0, duration = 0;
    Ns wait = -1;  // As recorded, since the previous kernel; negative: not recorded.
    std::int64_t step = -1;
  };
  /// Gaps between kernels of a device that are far longer than the stated waiting time.
  struct Holes {
    std::uint64_t count = 0;
    Ns unexplained = 0, idle = 0, span = 0;
  };
  /// Device, stream, task, name, start, duration.
  using Identity = std::tuple<std::int32_t, std::int64_t, std::int64_t, std::uint32_t, Ns, Ns>;

  bool IsCopy(const CsvRow& row, const DeviceRow& out);
  void AddOp(const CsvRow& row, Ns duration);
  static Holes HolesOf(const std::vector<Stay>& kernels);
  void CountMissingRows();
  void ReportOps();

  ProfileBuilder& builder_;
  std::map<std::int64_t, std::pair<Ns, Ns>> steps_;
  std::map<std::int32_t, std::vector<Stay>> devices_;
  boost::unordered_flat_set<Identity> rows_;
  std::uint64_t copies_ = 0;  ///< Rows that repeat an earlier row.
  std::map<std::tuple<std::string, std::string, std::string>, OpSum>
      ops_;           ///< Type, shapes, types.
  Ns cube_time_ = 0;  ///< Time of kernels that state their cube utilization.
  bool is_excerpt_ = false;
  double cube_busy_ = 0;  ///< The part of cube_time_ in which cube units compute.
};

/// Converts "1,3,224,224;64,3" to "[[1, 3, 224, 224], [64, 3]]"; empty for other text.
std::string CanonicalShapes(std::string_view text);

}  // namespace profgauge::readers::ascend
