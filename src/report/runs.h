// Several runs in one report, and the differences between any two of them.
#pragma once

#include <cstddef>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

struct Runs {
  struct Pair {
    std::size_t base = 0, current = 0;  ///< Positions in `runs`; `base` is the earlier one.
    Report report;                      ///< Only a comparison: BuildComparisonReport.
  };
  std::vector<Report> runs;  ///< Named `profile.name`, each by another name.
  std::vector<Pair> pairs;   ///< Every two runs, by base, then by current.
};

}  // namespace profgauge::report
