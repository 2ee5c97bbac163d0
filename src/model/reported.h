// Numbers that a file states itself, of a recording whose events it does not hold: DLProf's
// reports, a profiler's own summary. Analysis takes them where it cannot compute the number from
// events.
#pragma once

#include <string>
#include <vector>

#include "base/value.h"

namespace profgauge {

/// `id` is one of the metric catalogue; the value is in that metric's unit (times ns, shares 0..1).
struct ReportedMetric {
  std::string id;
  Value value;
  std::string note;  ///< Whose number: "as DLProf 1.8.0 reported it". May be empty.
};

/// A table of the table catalogue. Columns are named by id, in any order, and may be fewer than the
/// catalogue's; each row has one value per column, in the column's unit, absent where unknown.
struct ReportedTable {
  std::string id;
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

struct Reported {
  std::vector<ReportedMetric> metrics;
  std::vector<ReportedTable> tables;
};

}  // namespace profgauge
