// Reads CSV tables row by row, with cells by the names in the head. Memory is bounded by the
// longest row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "model/profile_builder.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// One row. Views are valid only during the callback.
class CsvRow {
 public:
  CsvRow(const std::vector<std::string>& head, std::span<const std::string> cells)
      : head_(head), cells_(cells) {}
  /// The cell without surrounding blanks and tabs; empty if the column or the cell is missing, or
  /// if the cell is "N/A". O(columns), like the functions below.
  std::string_view Text(std::string_view column) const;
  std::optional<std::int64_t> Integer(std::string_view column) const;
  /// The cell's microseconds, exactly converted to nanoseconds.
  std::optional<Ns> Microseconds(std::string_view column) const;

 private:
  const std::vector<std::string>& head_;
  std::span<const std::string> cells_;
};

/// Reads all of `source`, whose first row is the head, and sets path, bytes and hash of
/// builder.source(). Errors: kInput "csv/truncated" if the source ends inside a quoted cell or a
/// row (with options.allow_incomplete this is counted and the row dropped), "csv/joined",
/// "csv/row-too-long".
Status ReadCsvRows(ByteSource& source, const ReadOptions& options,
                   const std::function<void(const CsvRow&)>& receive, ProfileBuilder& builder);

}  // namespace profgauge::readers
