// Cuts CSV tables (RFC 4180) into rows of cells, piece by piece. Quoted cells may contain commas,
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

/// Cuts bytes into rows. A quote in the middle of an unquoted cell is a letter (`5" disk`);
/// carriage returns outside of quotes are dropped. Pieces for Feed() may end anywhere in a row.
///
///   in     a,"b, ""c""",\n1,,x\n
///   rows   [a] [b, "c"] []        [1] [] [x]
class CsvCutter {
 public:
  /// The cells of a row as written, without quotes; an empty line has one empty cell. Valid
  /// during the call.
  using Take = std::function<void(std::span<const std::string> cells)>;
  explicit CsvCutter(Take take) : take_(std::move(take)) {}

  /// Takes the next bytes. False if a row is over 16 MiB or 65 536 cells; RowTooLong() is the
  /// error. O(bytes).
  bool Feed(std::string_view bytes);
  /// Passes on the last row if no line end follows it. A row that ends inside quotes or has fewer
  /// than `fewest` cells is cut off: then it is not passed on, and the result is false.
  bool End(std::size_t fewest);

 private:
  std::string& OpenCell();
  void EndCell();
  void EndRow();

  Take take_;
  std::vector<std::string> cells_;  // Kept to reuse their memory.
  std::size_t used_ = 0;            // Complete cells of the open row.
  std::size_t length_ = 0;          // Bytes of the open row.
  bool is_quoted_ = false, is_behind_quote_ = false;
};

/// True if the line has no text.
inline bool IsEmptyLine(std::span<const std::string> cells) {
  return cells.size() == 1 && cells[0].empty();
}

/// Makes the error "csv/row-too-long". `read` is the number of bytes of `file` read so far.
Error RowTooLong(const std::string& file, std::uint64_t read);

/// True if `row` repeats the head, because two files were joined. If the first file had no line
/// end, the row begins with the last cells of that file.
bool RepeatsHead(std::span<const std::string> head, std::span<const std::string> row);
Error JoinedTables(const std::string& file);  ///< "csv/joined"

}  // namespace profgauge::readers
