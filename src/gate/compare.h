// Holds a run against a baseline: are they comparable, what changed beyond its limit, and where the
// time went.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "gate/attribution.h"
#include "gate/pairing.h"
#include "gate/snapshot.h"
#include "gate/statistics.h"
#include "rules/policy.h"

namespace profgauge {

/// A property that differs between the runs.
struct Difference {
  std::string property;       ///< Key of Snapshot::environment, or "format".
  std::string base, current;  ///< Empty: not recorded.
  bool is_hard = false;       ///< Makes the runs incomparable.
};

/// Differences in the order of the environment, hard ones first. A property that one side did not
/// record is listed but never hard. Hard by default: format, gpu, gpus, world_size; `match` of the
/// policy replaces that list.
std::vector<Difference> FindDifferences(const Snapshot& base, const Snapshot& current,
                                        const PolicyBaseline& policy);

/// How one metric was compared.
enum class CompareMethod : std::uint8_t {
  kStatistics,  ///< Per-iteration values, with an interval.
  kExact,       ///< A count that does not vary from run to run.
  kValue,       ///< Two numbers; no statement about noise.
};

struct MetricComparison {
  std::string metric;
  Unit unit = Unit::kNumber;
  CompareMethod method = CompareMethod::kValue;
  double base = 0, current = 0;  ///< In the metric's unit; medians over the baseline runs.
  double change = 0;             ///< current - base.
  /// Of `change` relative to `base`, or of `change` itself for shares. With kStatistics only.
  double low = 0, high = 0;
  stats::Change verdict = stats::Change::kPass;
  Level level = Level::kError;
  bool is_missing = false;  ///< One side has no value; `reason` says which.
  std::string limit;        ///< "≤ +5 %".
  std::string reason;       ///< One clause: noise, what would decide it, low confidence.
};

struct RunComparison {
  std::string base_name;     ///< Of the run that the waterfall starts from.
  std::string current_name;  ///< Of the run that it ends at.
  std::int64_t baseline_runs = 0, current_runs = 0;
  std::vector<Difference> differences;
  /// Properties, and their values, that all runs have alike.
  std::vector<std::pair<std::string, std::string>> alike;
  bool is_comparable = true;
  /// Whether the limits on changes count: false for runs that must not be compared.
  bool is_judged = true;
  std::vector<MetricComparison> metrics;
  Waterfall waterfall;  ///< Empty, from 0 to 0, when one of its runs has no iteration times.
  std::vector<PairedValue> values;  ///< Of the two runs of the waterfall, as the tables.
  PairedTable kernels, ops;
};

/// Index of the run in the middle by its median iteration time, the earlier one of two.
/// REQUIRES: runs is not empty.
std::size_t FindMiddleRun(std::span<const Snapshot> runs);

/// Compares `candidates`, runs of one program, with `baselines`. The waterfall leads from the
/// middle run of the one to that of the other. Without limits in `policy` (nullptr or none), gates
/// iteration.time.median at +5 % and compares counts exactly, as warnings.
/// REQUIRES: neither list is empty; every run has at least one iteration.
RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const PolicyBaseline* policy);

}  // namespace profgauge
