// Tables as CSV (RFC 4180), cut into rows of cells piece by piece: quoted cells may hold commas,
// doubled quotes and line ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::readers {

/// Cuts bytes into rows.
/// A quote that opens in the middle of a cell is a letter (`5" disk`); carriage returns outside of
/// quotes are dropped. A row may be cut anywhere by Feed().
///
///   in     a,"b, ""c""",\n1,,x\n
///   rows   [a] [b, "c"] []        [1] [] [x]
class CsvCutter {
 public:
  /// The cells of a row as written, without quotes; an empty line has one empty cell. Valid
  /// during the call.
  using Take = std::function<void(std::span<const std::string> cells)>;
  explicit CsvCutter(Take take) : take_(std::move(take)) {}

  /// False when a row is too long; RowTooLong() says so.
  /// O(bytes). A row has at most 16 MiB and 65 536 cells.
  bool Feed(std::string_view bytes);
  /// Gives the last row, where no line end follows it. False when it is cut: it ends inside of
  /// quotes or has fewer than `fewest` cells, and is not given.
  bool End(std::size_t fewest);

 private:
  std::string& OpenCell();
  void EndCell();
  void EndRow();

  Take take_;
  std::vector<std::string> cells_;  // Their memory is used again.
  std::size_t used_ = 0;            // Complete cells of the open row.
  std::size_t length_ = 0;          // Bytes of the open row.
  bool is_quoted_ = false, is_behind_quote_ = false;
};

/// Whether the line has no cell with a text.
inline bool IsEmptyLine(std::span<const std::string> cells) {
  return cells.size() == 1 && cells[0].empty();
}

/// "csv/row-too-long"; `read`: bytes of `file` up to there.
Error RowTooLong(const std::string& file, std::uint64_t read);

/// Whether `row` is the head once more, as between two files that were joined; the first's last
/// row may have had no line end.
bool RepeatsHead(std::span<const std::string> head, std::span<const std::string> row);
Error JoinedTables(const std::string& file);  ///< "csv/joined"

}  // namespace profgauge::readers
