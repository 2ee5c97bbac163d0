// Parses the text of a DLProf report: title, head and rows of a CSV file, or the blocks of a
// summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::readers::dlprof {

/// The kind of a report, by its title.
enum class ReportKind : std::uint8_t {
  kSummary,
  kDetailed,
  kIteration,
  kKernel,
  kTensorCore,
  kGroupOp,
  kOpType,
  kExpertSystems
};
/// The word for a kind in file names, e.g. "summary" or "detailed".
std::string_view KindName(ReportKind kind);
/// Finds the kind by the first line; nullopt if it is no title of DLProf 0.10 to 1.8.
std::optional<ReportKind> KindOfTitle(std::string_view first_line);

using Row = std::vector<std::string>;

/// The number in a cell; nullopt if it is no number or exceeds the range of integers.
std::optional<double> RealOf(std::string_view text);

/// The rows of a report without a last row that is cut off.
struct CsvText {
  std::vector<Row> rows;   ///< Including the title and the head.
  bool truncated = false;  ///< The last row has no line end.
};
/// Splits the text into rows. Drops a last row that is cut off.
CsvText ParseCsv(std::string_view text);

/// Finds columns by name, without units: "Avg." is "Avg", "Group Node" is "Group Op".
class Columns {
 public:
  explicit Columns(const Row& head);
  bool Has(std::string_view name) const { return Find(name).has_value(); }
  /// Empty if the row or the report does not have the column.
  std::string_view Text(const Row& row, std::string_view name) const;
  /// The integer in the column; nullopt if the cell is none.
  std::optional<std::int64_t> Integer(const Row& row, std::string_view name) const;
  std::optional<double> Real(const Row& row, std::string_view name) const {
    return RealOf(Text(row, name));
  }

 private:
  std::optional<std::size_t> Find(std::string_view name) const;
  std::vector<std::string> names_;
};

/// One line of a summary's block: "Ops using TC" with its cells.
///
///   Summary Report                          block
///   Wall Clock Time (ns),60000000           key, cells
///   GPU Utilization %,31.2
///                                           a blank line ends the block
///   All Kernels
///   ,GPU Time (ns),CPU Time (ns),# Kernels  a table's head begins with an empty cell
///   All kernels,4000,9000,12
struct SummaryLine {
  std::string block, key;
  Row cells;
};
/// Parses the blocks of the CSV form.
std::vector<SummaryLine> SummaryOfCsv(const std::vector<Row>& rows);
/// Parses the JSON form, where a value is a list of one element and a table's row is an object.
/// Errors: kInput "dlprof/not-json", "dlprof/not-a-summary".
Result<std::vector<SummaryLine>> SummaryOfJson(std::string_view text, const std::string& file);

}  // namespace profgauge::readers::dlprof
