// Reserves memory for tables that grow row by row while a file is read. A vector that doubles is
// copied repeatedly and finally holds up to twice the needed memory. The share of the file that was
// read predicts how many rows will follow. Reserved memory that stays unused is never touched.
//
//   file      |--- other tables ---|=== this table, so far ===|...................|
//   read      0                    0.2 (begin)                0.6                 1
//   rows                           0                          40 000
//   expected  40 000 * (1 - 0.2) / (0.6 - 0.2) * 1.02 = 81 600
//
// If rows of other tables follow instead, the reserved memory stays unused.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace profgauge::readers::neuron {

/// Reserves memory according to the share of the file that was read.
class RowRoom {
 public:
  /// Sets the share (0..1) of the file that was read. If it is unknown, tables double as they grow.
  void SetRead(double share) { read_ = share; }
  /// A new table begins, to which the next rows belong.
  void BeginTable() { begin_ = read_; }

  /// Appends a row to `rows`, a table or a list of the same length.
  template <class Row>
  Row& Add(std::vector<Row>& rows) {
    if (rows.size() == rows.capacity()) Grow(rows);
    return rows.emplace_back();
  }

  /// The expected number of rows of the current table, which has `rows` now, if the rest of the
  /// file belongs to it; 0 if unknown.
  std::size_t Expected(std::size_t rows) const {
    constexpr std::size_t kRowsThatSayEnough = 4096;  // Fewer rows are no basis for a prediction.
    const double of_table = read_ - begin_;
    if (rows < kRowsThatSayEnough || of_table <= 0) return 0;
    const double expected = static_cast<double>(rows) * (1 - begin_) / of_table * kSurplus;
    // A table's first piece may be small, so growth is limited; the next prediction is better.
    constexpr double kMostGrowth = 1024;
    return expected > kMostGrowth * static_cast<double>(rows) ? 0
                                                              : static_cast<std::size_t>(expected);
  }

 private:
  static constexpr double kSurplus = 1.02;  // Rows differ in size.

  template <class Row>
  void Grow(std::vector<Row>& rows) const {
    const std::size_t expected = Expected(rows.size());
    if (expected < rows.size() + rows.size() / 8) return;  // The vector doubles.
    try {
      rows.reserve(expected);
    } catch (const std::bad_alloc&) {  // There is not enough memory; the next rows may still fit.
    }
  }

  double read_ = 0, begin_ = 0;
};

}  // namespace profgauge::readers::neuron
