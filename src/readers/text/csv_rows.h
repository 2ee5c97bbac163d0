// Tables in CSV (RFC 4180), row by row while they are read: quoted cells may hold commas, doubled
// quotes and line ends. Memory is bounded by the longest row.
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

/// One row under the names of the head. Cells are trimmed of blanks and tabs. Views are valid
/// during the call that hands the row over.
class CsvRow {
 public:
  CsvRow(const std::vector<std::string>& head, std::span<const std::string> cells)
      : head_(head), cells_(cells) {}
  /// Empty when the column or the cell is missing, or says "N/A".
  std::string_view Text(std::string_view column) const;
  std::optional<std::int64_t> Integer(std::string_view column) const;
  /// Microseconds as nanoseconds, exactly.
  std::optional<Ns> Microseconds(std::string_view column) const;

 private:
  const std::vector<std::string>& head_;
  std::span<const std::string> cells_;
};

/// Whether `row` is the head once more, as between two files that were joined; the first's last
/// row may have had no line end.
bool RepeatsHead(std::span<const std::string> head, std::span<const std::string> row);
Error JoinedTables(const std::string& file);  ///< "csv/joined"

/// Reads all of `source`, whose first row is the head, and fills path, bytes and hash of
/// builder.source(). Errors: kInput "csv/truncated" when it ends inside a quoted cell or a row
/// (accepted and counted with options.allow_incomplete; that row does not count), "csv/joined",
/// "csv/row-too-long".
Status ReadCsvRows(ByteSource& source, const ReadOptions& options,
                   const std::function<void(const CsvRow&)>& receive, ProfileBuilder& builder);

}  // namespace profgauge::readers
