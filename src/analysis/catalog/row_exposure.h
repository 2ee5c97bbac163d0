// Maximum cost of rows of a table: the time of a device in which it does only their
// work, or nothing else besides them. Work that overlaps other work costs nothing, however long
// it is.
//
// Time is kept by the rows that share it, so that the cost of any choice of rows is exact: the
// union of their times, not the sum.
//
// The device time of two rows of a table, A and B, with a gap before the second A:
//
//   stream 1   |AAAAAAAAAA|                 |AAAA|
//   stream 2        |BBBBBBBBBB|
//              |----|----|----|------------|----|
//               A    A,B   B    gap of B,A   A
//
// Exposed({A}) is both A parts. Exposed({A, B}) adds B and the shared part, which counts only if
// all of its rows are chosen. Idle({A}) is the gap: it counts if any of its neighbors is chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge::analysis::catalog {

/// The exposure of one table. Times are ns over the selected iterations of the device's rank.
struct Exposure {
  /// Time that these rows share; `rows` is sorted, each once.
  struct Part {
    std::vector<std::uint32_t> rows;
    Ns time = 0;
  };
  /// One device that works in the selected iterations.
  struct Device {
    std::int64_t iterations = 1;  ///< Selected, of the device's rank.
    /// The device does the work of exactly these rows: counts when all of them are chosen.
    std::vector<Part> alone;
    /// Calls of these rows run and the device does only the work that they wait for: counts when
    /// any is chosen.
    std::vector<Part> blocked;
    /// Whole gaps that these rows touch: their work ends or begins them, their calls run in them.
    /// Counts when any is chosen.
    std::vector<Part> gaps;
  };
  std::vector<Device> devices;
  bool has_work = true;  ///< False: only gaps are known, as of operators with time on the host.
};

/// How the costs of several devices are one.
enum class AcrossDevices : std::uint8_t {
  kLargest,  ///< The device where it is longest decides: they wait for nobody.
  kSum,      ///< They wait for each other in collectives, so each may delay the others in turn.
};

/// The cost of choices of rows of one exposure: each choice in the time of its rows' shared parts.
/// O(parts + rows) to make, whatever the number of devices: 512 ranks have one index, not 512. A
/// question costs the parts of its rows only, and leaves no trace; not safe for several threads.
/// The exposure need not outlive it.
class ExposureCosts {
 public:
  explicit ExposureCosts(const Exposure& exposure, AcrossDevices across = AcrossDevices::kLargest);

  /// Time per iteration that the chosen rows, each named once, are exposed, of all devices as
  /// `across` says. Nothing when the work is unknown.
  std::optional<double> Exposed(std::span<const std::uint32_t> rows);
  /// Also the idle time that they touch: per iteration, of all devices as `across` says; 0
  /// without gaps. For calls a moment may count as both: a call that runs in a gap is exposed in
  /// it.
  double Idle(std::span<const std::uint32_t> rows);

 private:
  struct Part {
    std::uint32_t device = 0;
    std::uint32_t needed = 0;  // It counts when this many of its rows are chosen.
    std::uint32_t have = 0;    // Chosen so far; 0 between two questions.
    Ns time = 0;
  };
  struct Parts {
    std::vector<Part> parts;
    std::vector<std::uint32_t> begin;  // Where a row's parts begin in `of_rows`.
    std::vector<std::uint32_t> of_rows;
  };
  static Parts Index(std::vector<Part> parts,
                     std::span<const std::vector<std::uint32_t>* const> rows);
  double CostOf(Parts& parts, std::span<const std::uint32_t> rows);

  bool has_work_;
  AcrossDevices across_;
  std::vector<std::int64_t> iterations_;  // By device.
  std::vector<Ns> sums_;                  // By device; 0 between two questions.
  Parts work_, gaps_;
};

}  // namespace profgauge::analysis::catalog
