// Statistics of one row of a report, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exports/nsys/reports.h"

namespace profgauge::nsys {

/// The object of one row.
struct Group {
  std::vector<std::string> labels;  ///< After the numbers.
  std::vector<std::int64_t> values;
};

/// Sum, mean, median, least, most and sample standard deviation.
struct Summary {
  std::int64_t count = 0, total = 0, min = 0, max = 0;
  double mean = 0, median = 0, stddev = 0;
};
Summary Summarize(std::vector<std::int64_t> values);

/// "Time (%),Total Time (ns),COUNT,Avg (ns),…" and the labels.
ReportTable TimeTable(std::vector<Group> groups, const char* count,
                      const std::vector<std::string>& labels);
/// "Total (MB),Count,Avg (MB),…" and the label.
ReportTable SizeTable(std::vector<Group> groups, const std::string& label);

}  // namespace profgauge::nsys
