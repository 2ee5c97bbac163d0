// Decides whether two runs can be compared, and lists their differences.
//
// There are two kinds of reasons. A difference of the environment makes runs incomparable, unless
// `match` or the user allows it. The Why... functions check the work itself, for limits on times,
// sums and counts. No setting turns them off, because the numbers would be meaningless.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// A property that differs between the runs.
struct Difference {
  std::string property;       ///< Key of Snapshot::environment, or "format".
  std::string base, current;  ///< Empty: not recorded.
  bool is_hard = false;       ///< True if it makes the runs incomparable.
};

/// Lists differences in the order of the environment, hard ones first. A property that one side did
/// not record is listed but never hard. Hard by default: format, gpu, gpus, ranks, world_size,
/// iterations, cuda_graphs, selection. The policy's `match` replaces that list.
std::vector<Difference> FindDifferences(const Snapshot& base, const Snapshot& current,
                                        const rules::PolicyBaseline& policy);

/// The hard differences in words: "gpu is `A` there and `B` here; ranks is `8` there and `4` here".
std::string HardDifferences(std::span<const Difference> differences);
/// The differences that only `match: any` allows, because they are hard by default, in words.
std::string AllowedDifferences(std::span<const Difference> differences);

/// Reasons why a run does not fit other runs of a baseline or a history.
struct Misfit {
  const Snapshot* same = nullptr;       ///< A run of the same profile; nullptr: none.
  std::vector<Difference> differences;  ///< Differences that are hard by default.
  bool has_other_shapes = false;        ///< Other operators, input shapes or launches; tolerated.
};
/// Finds why the run does not fit the others. Empty if it does.
Misfit FindMisfit(const Snapshot& run, std::span<const Snapshot> others);

/// The differences between any runs of both sides, each once, hard ones first.
std::vector<Difference> AllDifferences(std::span<const Snapshot> baselines,
                                       std::span<const Snapshot> candidates,
                                       const rules::PolicyBaseline& policy);

/// Properties that both runs have in common, with their values, except those in `differences`.
std::vector<std::pair<std::string, std::string>> AlikeProperties(
    const Snapshot& base, const Snapshot& current, std::span<const Difference> differences);

/// Explains why lengths of the runs do not show their speed, whatever `match` is. Reasons: ranges
/// of time (no iterations, or --range) whose numbers of events differ by more than 1 %; a range
/// compared with iterations; much more device work outside the iterations than in the baseline.
/// Returns nothing if the lengths can be compared.
std::optional<std::string> WhyNoLengths(std::span<const Snapshot> baselines,
                                        std::span<const Snapshot> candidates);

/// A sentence if a candidate has more device time outside of its iterations than every run of the
/// baseline, by a tenth of it: that time is not compared. Otherwise empty.
std::string MoreOutside(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// The properties that must agree for times to be compared, as text: equal for comparable runs.
std::string KindOf(const Snapshot& run);
/// True if KindOf() contains the property.
bool IsOfKind(std::string_view property);

/// True if the metric is a sum over the selected iterations, so it grows with their number.
bool GrowsWithIterations(std::string_view metric);

/// The number of iterations that the sums of `run` cover; at least 1.
double SummedIterations(const Snapshot& run);

}  // namespace profgauge::gate
