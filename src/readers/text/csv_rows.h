// Tables in CSV, row by row under the names of their head while they are read. Memory is bounded by
// the longest row.
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

/// One row. Views are valid during the call that hands it over.
class CsvRow {
 public:
  CsvRow(const std::vector<std::string>& head, std::span<const std::string> cells)
      : head_(head), cells_(cells) {}
  /// Without blanks and tabs around it; empty when the column or the cell is missing, or says
  /// "N/A".
  /// O(columns), like the others.
  std::string_view Text(std::string_view column) const;
  std::optional<std::int64_t> Integer(std::string_view column) const;
  /// Microseconds as nanoseconds, exactly.
  std::optional<Ns> Microseconds(std::string_view column) const;

 private:
  const std::vector<std::string>& head_;
  std::span<const std::string> cells_;
};

/// Reads all of `source`, whose first row is the head, and fills path, bytes and hash of
/// builder.source(). Errors: kInput "csv/truncated" when it ends inside a quoted cell or a row
/// (accepted and counted with options.allow_incomplete; that row does not count), "csv/joined",
/// "csv/row-too-long".
Status ReadCsvRows(ByteSource& source, const ReadOptions& options,
                   const std::function<void(const CsvRow&)>& receive, ProfileBuilder& builder);

}  // namespace profgauge::readers
