// Several runs in one report, with the differences between each two of them.
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
    std::size_t base = 0, current = 0;  ///< Indices in `runs`; `base` is the earlier one.
    Report report;                      ///< Only a comparison: BuildComparisonReport().
  };
  std::vector<Report> runs;  ///< Each with another `profile.name`.
  std::vector<Pair> pairs;   ///< All pairs, by base, then by current.
};

// The trend of a history: one series per metric, with the places at which its level changed.

struct TrendRun {
  std::int64_t id = 0;
  std::string added;  ///< "2026-11-21 12:00", UTC.
  std::string branch, commit, name;
  std::string verdict;  ///< As the history has it: "pass", "limits", …; empty: unknown.
  std::int64_t iterations = 0;
};

/// A change of the level, which starts at `run`.
struct TrendChange {
  std::size_t run = 0;     ///< Index into Trend::runs.
  Quantity before, after;  ///< Means of the levels.
  Quantity change;         ///< Relative, with a sign.
  /// The definition of the metric changes here: `before` and `after` are empty.
  bool is_redefined = false;
  bool is_worse = false;  ///< By the metric's direction; false for neutral ones.
};

struct TrendSeries {
  std::string metric, title;
  std::vector<Quantity> values;  ///< One per run; absent if the run has no value.
  std::vector<TrendChange> changes;
  /// The result of `history check` since the last accepted level: "step", "creep" or "flat", and
  /// its sentence. Empty for few runs, metrics without a worse side, and if a run has no value.
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
