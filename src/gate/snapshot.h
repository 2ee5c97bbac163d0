// A snapshot: the comparable essence of one run, kilobytes instead of gigabytes. A baseline file
// holds one or several; the history stores them; compare explains the difference between two.
//
// Schema 3 of the baseline file:
//   {"schema": 3, "kind": "profgauge-baseline", "tool": "…", "runs": [snapshot, …]}
// A snapshot's names are once in "strings" (the first is empty); a part is a list of numbers:
//   [category, op_type, op, shapes, kernel, position, count, time, [series…]]
// of which the first five are indices into "strings" and the series may be missing. "work" holds
// the total work of kernels and ops: {"iterations", "has_gpu", "kernels": [sum…], "ops": [sum…]},
// and "collectives", "modules" and "benchmarks" where there are any, a sum being [name, count,
// gpu_time, host_time, [series…]]; runs without it compare all the same. "definitions" has the
// numbers of the metrics' definitions that are not 1. Each of the following fields may be missing.
// "iteration_shapes" has 16 hex digits for each iteration: the same ones for the same input shapes;
// "iteration_values" has times of each iteration by metric id, of metrics that are their sums.
// "steps" are unrecorded iterations, "samples" is the number in an iteration, "conditions" the
// clock speeds of the devices. "uncertain" lists the metrics whose values are uncertain; runs
// without it have none. Files of another schema, of another kind, or damaged ones are refused;
// nothing is guessed.
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

/// A key of Snapshot::environment: the selection of the marked iterations, and the project's
/// knowledge of kernels and devices. Runs without it were made of all iterations and without such
/// knowledge.
inline constexpr std::string_view kSelectionProperty = "selection";

/// How keys of Snapshot::environment begin that say how a load test loaded the server. Latencies
/// under another load cannot be compared.
inline constexpr std::string_view kLoadProperty = "load.";

/// A key of Snapshot::environment: a number of the operators that launch work, with their input
/// shapes and launches.
inline constexpr std::string_view kSignatureProperty = "shape_signature";

/// What a rank does in an iteration without waiting for others: ns, the mean over iterations.
struct RankWork {
  std::int64_t rank = 0;
  Ns own = 0;        ///< Its iteration less exposed communication.
  Ns computing = 0;  ///< Of that, kernels.
  /// Its iterations and their parts, as those of the run. Files do not keep them: empty except
  /// where two profiles are explained.
  std::vector<Ns> iteration_times = {};
  std::vector<analysis::breakdown::TimePart> parts = {};
};

/// Two ranks do not show how much ranks differ.
inline constexpr std::size_t kRanksToStandOut = 3;

/// One run as comparisons see it. Two runs of one program have equal `environment`. Times are ns.
struct Snapshot {
  std::string name;    ///< Run name.
  std::string source;  ///< XXH3-128 of the input(s).
  std::string format;  ///< Reader's name.
  /// The properties that must be equal for two runs to be comparable, in a fixed order: ("gpu",
  /// "Tesla V100…"), ("gpus", "1"), ("world_size", "1"), ("driver", …), ("shape_signature", …)…
  std::vector<std::pair<std::string, std::string>> environment;
  /// Selected iterations, in order; a single 0 if the profile has no times of events.
  std::vector<Ns> iteration_times;
  /// Unobserved time of each; empty if there is none. No length judges it.
  std::vector<Ns> iteration_unobserved;
  /// From the start of a selected iteration to that of the next; fewer than there are iterations.
  std::vector<Ns> iteration_periods;
  /// Unrecorded iterations by which the run is judged, in order, unusual ones included; empty where
  /// there are none. In logs that average, each is the mean of `steps_a_value`.
  std::vector<Ns> step_times;
  std::vector<std::uint32_t> steps_unusual;  ///< Places in `step_times`: checkpoints, evaluation.
  std::int64_t steps_a_value = 1;
  /// How many times as long those after the profile take as those before it, where they do not
  /// count because of that, too; 0: unknown.
  double steps_after = 0;
  double samples = 0;  ///< Samples of an iteration, if the run states them; else 0.
  /// Requests and tokens that a server answered in a load test; 0: none, or not stated.
  double answered = 0, answered_tokens = 0;
  /// For each iteration: the input shapes of its matmuls and convolutions, as a number that is
  /// equal for equal shapes. Empty where that was not recorded.
  std::vector<std::uint64_t> iteration_shapes;
  /// Per-iteration shares by metric id ("breakdown.dataloader"), aligned with iteration_times.
  std::map<std::string, std::vector<double>, std::less<>> iteration_shares;
  /// Times of each iteration of metrics that are their sums, by id, aligned also.
  std::map<std::string, std::vector<Ns>, std::less<>> iteration_values;
  std::map<std::string, double, std::less<>> metrics;  ///< Present ones only, base units.
  /// Which definition (MetricSpec::definition_number) each of `metrics` has; 1 where not listed.
  std::map<std::string, std::int32_t, std::less<>> definitions;
  std::set<std::string, std::less<>> uncertain;      ///< Of `metrics`; Metric::low_confidence.
  std::vector<analysis::breakdown::TimePart> parts;  ///< Largest first.
  analysis::breakdown::WorkSums work;                ///< Empty when it was not recorded.
  std::vector<RankWork> ranks;                       ///< Of several ranks, by number.
  /// For how long devices idle in an iteration of a rank while the host is in a function, operator
  /// or range, by its name; ns. Files do not keep it: nothing except of profiles.
  std::optional<std::map<std::string, double, std::less<>>> idle_in;

  std::int32_t DefinitionOf(std::string_view metric) const;
  std::string_view Environment(std::string_view key) const;  ///< Empty when not recorded.
};

/// The lengths that are judged: `iteration_times` as observed, in ns, one for each iteration.
std::vector<double> ObservedTimes(const Snapshot& run);

/// Whether the run is of a file with times and nothing else.
bool IsOfTimes(const Snapshot& run);

/// Whether the run has iteration times that can be compared: their median is above 0.
/// REQUIRES: the run has an iteration; one without times of events has a single 0.
bool IsTimed(const Snapshot& run);

/// The median of the run's iteration times in ns, of times without a profile that of the steps;
/// nothing where it has none.
std::optional<double> MedianIteration(const Snapshot& run);

/// The time that stands for a run in lists of runs.
struct TypicalTime {
  double time = 0;  ///< ns
  std::string_view
      of;  ///< What takes it where no iteration does: "TTFT", "benchmarks"; else empty.
};
/// MedianIteration(); else of a load test the median time to the first token, of benchmarks the
/// geometric mean of their means. Nothing where a run has none of them.
std::optional<TypicalTime> TypicalTimeOf(const Snapshot& run);

/// Mean time of a benchmark in ns; nothing where it has no value.
std::optional<double> MeanOfBenchmark(const analysis::breakdown::WorkSum& benchmark);

/// The bytes of a baseline file; same runs, same bytes.
std::string WriteBaseline(const std::vector<Snapshot>& runs);

/// Parses a baseline file; `name` is used in messages. Errors (kConfig, codes "baseline/…"): not
/// JSON, not a baseline, newer schema, missing or impossible fields; each names file and field.
Result<std::vector<Snapshot>> ParseBaseline(std::string_view text, const std::string& name);

}  // namespace profgauge::gate
