// The maximum savings of changing a table's rows: the time in which a device does only their work,
// and the gaps next to it. Work that overlaps other work costs nothing, however long it is.
//
// Time is stored by the set of rows that share it, so that the cost of any selection of rows is
// exact: the union of their times, not the sum.
//
// Example: device time of two rows A and B, with a gap before the second A:
//
//   stream 1   |AAAAAAAAAA|                 |AAAA|
//   stream 2        |BBBBBBBBBB|
//              |----|----|----|------------|----|
//               A    A,B   B    gap of B,A   A
//
// Exposed({A}) is both A parts. Exposed({A, B}) adds B and the shared part, which only counts if
// all of its rows are selected. Idle({A}) is the gap, which counts if any neighbor is selected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge::analysis::catalog {

/// The exposure of one table. Times are ns over the selected iterations of the device's rank.
struct Exposure {
  /// Time that these rows share; `rows` is sorted and unique.
  struct Part {
    std::vector<std::uint32_t> rows;
    Ns time = 0;
  };
  /// One device that works in the selected iterations.
  struct Device {
    std::int64_t iterations = 1;  ///< Selected iterations of the device's rank.
    /// The device only does the work of these rows. Counts if all of the rows are selected.
    std::vector<Part> alone;
    /// Calls of these rows run, and the device does nothing but the work for which they wait.
    /// Counts if any of the rows is selected.
    std::vector<Part> blocked;
    /// Gaps of the device next to these rows: their work ends or begins the gap, or their calls run
    /// in it. Counts if any of the rows is selected.
    std::vector<Part> gaps;
  };
  std::vector<Device> devices;
  bool has_work = true;  ///< False: only gaps are known, e.g. for operators.
};

/// How the costs of several devices are combined.
enum class AcrossDevices : std::uint8_t {
  kLargest,  ///< The largest cost counts: devices do not wait for each other.
  kSum,      ///< Devices wait in collectives: each may delay the others.
};

/// Computes the cost of selections of rows of one exposure, in O(parts of the selected rows) each.
/// O(parts + rows) to build, for any number of devices: 512 ranks share one index. Queries are
/// independent, but not thread-safe. The exposure need not outlive it.
class ExposureCosts {
 public:
  explicit ExposureCosts(const Exposure& exposure, AcrossDevices across = AcrossDevices::kLargest);

  /// Returns the exposed time per iteration of the selected rows (each given once), with devices
  /// combined according to `across`. None if the work is unknown.
  std::optional<double> Exposed(std::span<const std::uint32_t> rows);
  /// Returns the idle time per iteration next to the selected rows, with devices combined in the
  /// same way; 0 without gaps. For calls, the exposed and the idle time may include the same time:
  /// a call that runs in a gap is also exposed in it.
  double Idle(std::span<const std::uint32_t> rows);

 private:
  struct Part {
    std::uint32_t device = 0;
    std::uint32_t needed = 0;  // It counts if this many of its rows are selected.
    std::uint32_t have = 0;    // Selected so far; 0 between queries.
    Ns time = 0;
  };
  struct Parts {
    std::vector<Part> parts;
    std::vector<std::uint32_t> begin;  // By row: first part in `of_rows`.
    std::vector<std::uint32_t> of_rows;
  };
  static Parts Index(std::vector<Part> parts,
                     std::span<const std::vector<std::uint32_t>* const> rows);
  double CostOf(Parts& parts, std::span<const std::uint32_t> rows);

  bool has_work_;
  AcrossDevices across_;
  std::vector<std::int64_t> iterations_;  // By device.
  std::vector<Ns> sums_;                  // By device; 0 between queries.
  Parts work_, gaps_;
};

}  // namespace profgauge::analysis::catalog
