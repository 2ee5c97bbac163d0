// Several runs in one report, and the differences between any two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

/// n runs have n (n - 1) / 2 pairs.
struct Runs {
  struct Pair {
    std::size_t base = 0, current = 0;  ///< Positions in `runs`; `base` is the earlier one.
    Report report;                      ///< Only a comparison: BuildComparisonReport.
  };
  std::vector<Report> runs;  ///< Named `profile.name`, each by another name.
  std::vector<Pair> pairs;   ///< Every two runs, by base, then by current.
};

// The history of runs as a trend page shows it: one line of numbers for each metric, with the
// places where its level changed.

struct TrendRun {
  std::int64_t id = 0;
  std::string added;  ///< "2026-11-21 12:00", UTC.
  std::string branch, commit, name;
  std::int64_t iterations = 0;
};

/// From `run` on the level is another.
struct TrendChange {
  std::size_t run = 0;     ///< Index into Trend::runs.
  Quantity before, after;  ///< Means of the levels.
  Quantity change;         ///< Relative, with a sign.
  /// The metric has another definition from here on: `before`, `after` are empty.
  bool is_redefined = false;
  bool is_worse = false;  ///< By the metric's direction; false for neutral ones.
};

struct TrendSeries {
  std::string metric, title;
  std::vector<Quantity> values;  ///< One for each run; absent where the run has no such value.
  std::vector<TrendChange> changes;
  /// What `history check` finds since the last accepted level: "step", "creep" or "flat", and its
  /// sentence. Empty of few runs, of a metric without a worse side, or if a run has no value.
  std::string state, answer;
};

struct Trend {
  std::string tool;
  std::string branch;
  std::vector<TrendRun> runs;  ///< Oldest first.
  std::string left_out;        ///< "run 3 (H100), runs 4, 6 (model bert)"; empty: none.
  std::vector<TrendSeries> series;
};

}  // namespace profgauge::report
