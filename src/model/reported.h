// Numbers that a file itself states for a profile without these events: DLProf's reports, a
// profiler's own summary. Analysis uses them if it cannot compute the number from events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/metric_id.h"
#include "base/value.h"

namespace profgauge {

/// The value is in the metric's unit (times ns, shares 0..1).
struct ReportedMetric {
  MetricId id;
  Value value;
  std::string note;  ///< Source of the number: "as DLProf 1.8.0 reported it". May be empty.
};

/// A table of the table catalogue. Columns are named by id, in any order, and may be fewer than in
/// the catalog; each row has one value per column, in the column's unit, absent where unknown.
struct ReportedTable {
  std::string id;
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

/// The iterations that the numbers cover, if the file states them.
struct StatedIterations {
  std::int64_t total = 0;              ///< How many were recorded; 0 unknown.
  std::int64_t start = -1, stop = -1;  ///< Inclusive; -1 unknown.
};

struct Reported {
  StatedIterations iterations;
  std::vector<ReportedMetric> metrics;
  std::vector<ReportedTable> tables;
};

}  // namespace profgauge
