// Whether two runs can be compared, and their differences.
//
// Two kinds of reasons. Differences of the environment make runs incomparable, unless `match` or
// the user allows them. The Why... functions look at the work itself and are asked for limits on
// times, sums and counts: no setting turns them off, as the numbers would mean nothing.
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
  bool is_hard = false;       ///< Makes the runs incomparable.
};

/// Differences in the order of the environment, hard ones first. A property that one side did not
/// record is listed but never hard. Hard by default: format, gpu, gpus, ranks, world_size,
/// iterations, cuda_graphs, selection; `match` of the policy replaces that list.
std::vector<Difference> FindDifferences(const Snapshot& base, const Snapshot& current,
                                        const rules::PolicyBaseline& policy);

/// The hard ones in words: "gpu is `A` there and `B` here; ranks is `8` there and `4` here".
std::string HardDifferences(std::span<const Difference> differences);
/// The same of those that are hard by default, whatever the policy has: what `match: any` allows.
std::string AllowedDifferences(std::span<const Difference> differences);

/// Reasons against `run` beside `others` in a baseline or a history.
struct Misfit {
  const Snapshot* same = nullptr;       ///< A run of the same profile.
  std::vector<Difference> differences;  ///< Hard ones, by the default list.
  bool has_other_shapes = false;        ///< Other ops, input shapes or launches: no refusal.
};
/// Why the run does not belong to the others. Empty if it does.
Misfit FindMisfit(const Snapshot& run, std::span<const Snapshot> others);

/// Every difference once, whichever runs have it, hard ones first.
std::vector<Difference> AllDifferences(std::span<const Snapshot> baselines,
                                       std::span<const Snapshot> candidates,
                                       const rules::PolicyBaseline& policy);

/// Common properties of all runs except `differences`, with their values.
std::vector<std::pair<std::string, std::string>> AlikeProperties(
    const Snapshot& base, const Snapshot& current, std::span<const Difference> differences);

/// Why lengths of the runs cannot show their speed, whatever `match` sets: time ranges (profiles
/// without iterations, --range) with different amounts of work, by more than 1 % of their events;
/// or a range beside iterations; or iterations outside of which is far more of the device's work
/// than in the baseline. Nothing where they can be compared.
std::optional<std::string> WhyNoLengths(std::span<const Snapshot> baselines,
                                        std::span<const Snapshot> candidates);

/// What must agree for times to be compared, as a text: runs with equal ones agree in it.
std::string KindOf(const Snapshot& run);
/// Whether KindOf() has the property.
bool IsOfKind(std::string_view property);

/// Whether the metric is a sum over the selected iterations: more of them make it larger.
bool GrowsWithIterations(std::string_view metric);

/// How many iterations the sums of `run` are of; at least 1.
double SummedIterations(const Snapshot& run);

}  // namespace profgauge::gate
