// The summaries of `nsys stats` for any profile, with the same names, columns, order and rounding.
//
// Definitions are from a genuine output and from NVIDIA's documentation of the report scripts: the
// median of an even count is the mean of the middle two, the standard deviation is the sample's (0
// for one value), 1 MB is 1 000 000 bytes, and rows are sorted by total, longest first. We only
// remove the suffix that PyTorch adds to a range's name (", seq = 3, op_id = 7"), so that all calls
// of an operator are one row.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "exports/selected.h"

namespace profgauge::exports::nsys {

/// A report. Cells are written as nsys writes them, and each row has one cell for each head.
struct ReportTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};

struct ReportSpec {
  std::string_view name;   ///< "cuda_gpu_kern_sum"
  std::string_view brief;  ///< A row's meaning.
  ReportTable (*make)(std::span<const SelectedRank> ranks);
};
/// All reports, in the order in which they are listed.
std::span<const ReportSpec> Reports();
/// Finds a report by its name, or by its name in nsys before 2022.4 ("gpukernsum"); else nullptr.
const ReportSpec* FindReport(std::string_view name);

// Ranges of the program (NVTX, record_function) and the device work launched inside them.

/// True if reports of ranges list this host row. With NVTX, these are ranges of all kinds; in other
/// formats, rows that are not operators.
bool IsRange(const Profile& profile, std::uint32_t host_row);
/// The range's label, "domain:name". The default domain has no name.
std::string RangeLabel(const Profile& profile, std::uint32_t host_row);
std::string StyleLabel(const Profile& profile, std::uint32_t host_row);

/// A range as seen on the GPU: from the start of its first device work to the end of its last.
/// Device work belongs to every range around its launch on the same thread.
///
///   host    |--- range ---|
///   calls     |l1|  |l2|
///   GPU            |##k1##|    |##k2##|
///   projection     |------------------|       longer than its work if the GPU idles in between
struct Projection {
  Span span{0, -1};  ///< Empty (end before start) if there is no work.
  std::int64_t work = 0;
  bool empty() const { return work == 0; }
};
/// The projections of all host rows, by row.
std::vector<Projection> ProjectRanges(const SelectedRank& rank);

/// Calls `use(host row, device row)` for each range around each selected launch, innermost first.
void ForEachEnclosing(const SelectedRank& rank,
                      const std::function<void(std::uint32_t, std::uint32_t)>& use);

// The statistics in a row of a report, as text.

/// The data of one row.
struct Group {
  std::vector<std::string> labels;  ///< The cells after the numbers.
  std::vector<std::int64_t> values;
};

/// Sum, mean, median, minimum, maximum and sample standard deviation of some values.
struct Summary {
  std::int64_t count = 0, total = 0, min = 0, max = 0;
  double mean = 0, median = 0, stddev = 0;
};
/// The statistics of the values; all zeros if there are no values. O(n log n).
Summary Summarize(std::vector<std::int64_t> values);

/// A table with the columns "Time (%),Total Time (ns),COUNT,Avg (ns),…" and the labels.
ReportTable TimeTable(std::vector<Group> groups, const char* count,
                      const std::vector<std::string>& labels);
/// A table with the columns "Total (MB),Count,Avg (MB),…" and the label.
ReportTable SizeTable(std::vector<Group> groups, const std::string& label);

}  // namespace profgauge::exports::nsys
