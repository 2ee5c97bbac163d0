// Two runs side by side: every metric that either has, and every kernel and op with its values in
// an iteration of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "gate/snapshot.h"
#include "gate/waterfall.h"

namespace profgauge::gate {

/// A metric of both runs, side by side, or the mean time of a benchmark in ns.
struct PairedValue {
  const analysis::MetricSpec* spec = nullptr;  ///< nullptr: of a benchmark.
  std::optional<double> base, current;         ///< In the metric's unit; absent: this run has none.
  std::string benchmark = {};                  ///< Its name.
};

/// In catalog order, then benchmarks in that of the files.
std::vector<PairedValue> PairValues(const Snapshot& base, const Snapshot& current);

/// A kernel, copy or op in both runs. Times are ns per iteration, rounded to whole ones.
struct PairedWork {
  std::string name;  ///< "new ← old" for a renamed kernel.
  PartChange change = PartChange::kChanged;
  double base_count = 0, current_count = 0;  ///< Per iteration.
  Ns base = 0, current = 0;                  ///< See PairedTable.
  Ns base_host = 0, current_host = 0;        ///< An op's own time on the host.
  Ns delta = 0;                              ///< count_effect + duration_effect.
  Ns count_effect = 0;                       ///< Change of count times the old mean duration.
  Ns duration_effect = 0;                    ///< New count times the change of mean duration.
  double p_value = -1;                       ///< -1: not tested.
  bool significant = false;                  ///< gate/significance.h
};

/// Kernels or ops of both runs, side by side. Times are ns per iteration.
struct PairedTable {
  bool of_host = false;      ///< `base`, `current` are time on the host: a run without GPU work.
  Ns base = 0, current = 0;  ///< Sums over the rows' times before rounding.
  Ns delta = 0;              ///< current - base; the rows' deltas sum exactly to it.
  std::vector<PairedWork> rows;  ///< Largest |delta| first, then by name.
};

/// Kernels by name; one that is gone and one that is new are one renamed kernel when most of their
/// time is at the same places: op, input shapes and position among the op's launches.
/// Empty when a run does not have the sums.
PairedTable PairKernels(const Snapshot& base, const Snapshot& current);
/// Ops by name; their own GPU time, or host time where a run has no GPU work.
PairedTable PairOps(const Snapshot& base, const Snapshot& current);

// The name by which a kernel of one build is identified in another.

/// The name without the numbers of compilers and code generators: function arguments, numbers of
/// lambdas, template arguments that hold pointers, hashes of files, and the numbers after names of
/// Triton's and XLA's fusions. "void f<4, g(T&)::{lambda(float)#2}, std::array<char*, 3ul> >(int)"
/// gives "void f<4, g(T&)::{lambda}>". Kernels that so get one name are summed up. Brackets that do
/// not match stay as they are.
std::string CanonicalKernel(std::string_view name);

}  // namespace profgauge::gate
