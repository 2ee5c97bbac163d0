// A snapshot: the data of one run that comparisons need, in kilobytes instead of gigabytes. A
// baseline file has one or several, the history stores them; comparisons explain their difference.
//
// Schema 3 of the baseline file:
//   {"schema": 3, "kind": "profgauge-baseline", "tool": "…", "runs": [snapshot, …]}
// Names are stored once, in a snapshot's "strings" (the first is empty). A part is a list of
// numbers:
//   [category, op_type, op, shapes, kernel, position, count, time, [series…]]
// The first five are indices into "strings"; the series may be missing. "work" has the total work:
// {"iterations", "has_gpu", "kernels": [sum…], "ops": [sum…]}, and "collectives", "modules" and
// "benchmarks" if there are any. A sum is [name, count, gpu_time, host_time, [series…]]. Runs
// without "work" can be compared, too. "definitions" has the definition numbers of metrics that are
// not 1. Each of the following fields may be missing. "iteration_shapes" has 16 hex digits for each
// iteration, equal for equal input shapes. "iteration_values" has the times of each iteration by
// metric id, for metrics that are their sums. "steps" has unrecorded iterations, "samples" the
// number per iteration, "conditions" the clock speeds of the devices. "uncertain" lists metrics
// whose values are uncertain. Damaged files and files of another schema or kind are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/attribution.h"
#include "base/units.h"
#include "profgauge/error.h"

namespace profgauge::gate {

inline constexpr int kBaselineSchema = 3;
inline constexpr std::string_view kBaselineKind = "profgauge-baseline";

/// A key of Snapshot::environment: how marked iterations were selected, and the project's knowledge
/// of kernels and devices. If it is missing, all iterations were used, without such knowledge.
inline constexpr std::string_view kSelectionProperty = "selection";

/// Prefix of keys of Snapshot::environment that describe the load of a load test. Latencies under
/// different loads cannot be compared.
inline constexpr std::string_view kLoadProperty = "load.";

/// A key of Snapshot::environment: a hash of the operators that launch work, their input shapes and
/// numbers of launches.
inline constexpr std::string_view kSignatureProperty = "shape_signature";

/// The work of a rank per iteration without waiting for others, in ns; means over iterations.
struct RankWork {
  std::int64_t rank = 0;
  Ns own = 0;        ///< Its iteration minus exposed communication.
  Ns computing = 0;  ///< The part of `own` in which kernels run.
  /// The rank's iterations and their parts, like those of Snapshot. Files do not store them, so
  /// they are empty unless they were made from profiles.
  std::vector<Ns> iteration_times = {};
  std::vector<analysis::breakdown::TimePart> parts = {};
};

/// The least number of ranks that shows how much ranks differ.
inline constexpr std::size_t kRanksToStandOut = 3;

/// One run in the form that comparisons read. Runs of one program have equal `environment`. Times
/// are in ns.
struct Snapshot {
  std::string name;    ///< Run name.
  std::string source;  ///< XXH3-128 of the input(s).
  std::string format;  ///< Reader's name.
  /// Properties that must be equal for two runs to be comparable, in a fixed order: ("gpu", "Tesla
  /// V100…"), ("gpus", "1"), ("world_size", "1"), ("driver", …), ("shape_signature", …)…
  std::vector<std::pair<std::string, std::string>> environment;
  /// The selected iterations, in order. If the profile has no times of events, a single 0.
  std::vector<Ns> iteration_times;
  /// The unobserved time of each iteration; empty if there is none. Judged lengths exclude it.
  std::vector<Ns> iteration_unobserved;
  /// Times from each selected iteration's start to the next start; fewer than there are iterations.
  std::vector<Ns> iteration_periods;
  /// The unrecorded iterations that judge the run, in order, including unusual ones; empty if there
  /// are none. If the log has means, each value is the mean of `steps_a_value` iterations.
  std::vector<Ns> step_times;
  std::vector<std::uint32_t> steps_unusual;  ///< Indices into `step_times`, e.g. of checkpoints.
  std::int64_t steps_a_value = 1;
  /// The ratio of iteration times after the profile to those before it, if later iterations are not
  /// used for this reason as well; 0 if unknown.
  double steps_after = 0;
  double samples = 0;  ///< Samples per iteration, if the run recorded them; else 0.
  /// The numbers of requests and tokens that a server answered in a load test; 0: none, or unknown.
  double answered = 0, answered_tokens = 0;
  /// For each iteration, a hash of the input shapes of its matmuls and convolutions: equal for
  /// equal shapes. Empty if shapes were not recorded.
  std::vector<std::uint64_t> iteration_shapes;
  /// Shares by metric id ("breakdown.dataloader") and iteration (indices of iteration_times).
  std::map<std::string, std::vector<double>, std::less<>> iteration_shares;
  /// Times by metric id and iteration, for metrics that are sums of these; indices as above.
  std::map<std::string, std::vector<Ns>, std::less<>> iteration_values;
  std::map<std::string, double, std::less<>> metrics;  ///< Only present ones, in base units.
  /// The definition number (MetricSpec::definition_number) of each metric; 1 if not listed.
  std::map<std::string, std::int32_t, std::less<>> definitions;
  std::set<std::string, std::less<>> uncertain;  ///< Ids of `metrics` with Metric::low_confidence.
  std::vector<analysis::breakdown::TimePart> parts;  ///< Largest first.
  analysis::breakdown::WorkSums work;                ///< Empty if it was not recorded.
  std::vector<RankWork> ranks;                       ///< Only with several ranks, by number.
  /// The idle time of devices per iteration and rank in ns, by the name of the host's function,
  /// operator or range at that time. Files do not store it: absent unless made from profiles.
  std::optional<std::map<std::string, double, std::less<>>> idle_in;

  std::int32_t DefinitionOf(std::string_view metric) const;
  std::string_view Environment(std::string_view key) const;  ///< Empty if it was not recorded.
};

/// The judged lengths: the observed part of `iteration_times` in ns, one for each iteration.
std::vector<double> ObservedTimes(const Snapshot& run);

/// True if the run is a file that has only times.
bool IsOfTimes(const Snapshot& run);

/// True if the run has comparable iteration times, i.e. their median is above 0. REQUIRES: the run
/// has an iteration; a run without times of events has a single 0.
bool IsTimed(const Snapshot& run);

/// The median of the run's iteration times in ns; for times without a profile, that of the steps.
/// Nothing if there are none.
std::optional<double> MedianIteration(const Snapshot& run);

/// The time that represents a run in lists.
struct TypicalTime {
  double time = 0;  ///< ns
  std::string_view
      of;  ///< The measured thing without iterations: "TTFT", "benchmarks"; else empty.
};
/// The time for lists: MedianIteration() or, without it, the median time to the first token of a
/// load test, or the geometric mean of benchmarks' means. Nothing if a run has none of these.
std::optional<TypicalTime> TypicalTimeOf(const Snapshot& run);

/// Mean time of a benchmark in ns; nothing if it has no value.
std::optional<double> MeanOfBenchmark(const analysis::breakdown::WorkSum& benchmark);

/// The bytes of a baseline file. Equal runs give equal bytes.
std::string WriteBaseline(const std::vector<Snapshot>& runs);

/// Parses a baseline file. Messages use `name`. Errors (kConfig, codes "baseline/…") name file and
/// field: not JSON, no baseline, newer schema, missing or impossible fields.
Result<std::vector<Snapshot>> ParseBaseline(std::string_view text, const std::string& name);

}  // namespace profgauge::gate
