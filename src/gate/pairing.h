// Pairs two runs: all their metrics, and all kernels and operators with their values per iteration.
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

/// The values of a metric, or the mean times of a benchmark in ns, in both runs.
struct PairedValue {
  const analysis::MetricSpec* spec = nullptr;  ///< nullptr: it is a benchmark.
  std::optional<double> base, current;         ///< In the metric's unit; absent: the run has none.
  std::string benchmark = {};                  ///< Name of the benchmark.
};

/// Pairs the metrics in catalog order, then the benchmarks in the order of the files.
std::vector<PairedValue> PairValues(const Snapshot& base, const Snapshot& current);

/// A kernel, copy or operator in both runs. Times are in ns per iteration, rounded.
struct PairedWork {
  std::string name;  ///< "new ← old" for a renamed kernel.
  PartChange change = PartChange::kChanged;
  double base_count = 0, current_count = 0;  ///< Per iteration.
  Ns base = 0, current = 0;                  ///< Time, as PairedTable says.
  Ns base_host = 0, current_host = 0;        ///< An operator's own host time.
  Ns delta = 0;                              ///< count_effect + duration_effect.
  Ns count_effect = 0;                       ///< Change of count times the old mean duration.
  Ns duration_effect = 0;                    ///< New count times the change of mean duration.
  double p_value = -1;                       ///< -1: not tested.
  bool significant = false;                  ///< gate/significance.h
};

/// The kernels or operators of both runs. Times are in ns per iteration.
struct PairedTable {
  bool of_host = false;      ///< `base` and `current` are host time, for a run without GPU work.
  Ns base = 0, current = 0;  ///< Sums over the rows' times before rounding.
  Ns delta = 0;              ///< current - base; the rows' deltas sum exactly to it.
  std::vector<PairedWork> rows;  ///< Largest |delta| first, then by name.
};

/// Pairs kernels by name. A vanished and a new kernel are one renamed kernel if most of their time
/// is in the same places (operator, input shapes, position among the operator's launches). Empty if
/// a run has no sums.
PairedTable PairKernels(const Snapshot& base, const Snapshot& current);
/// Pairs operators by name. Times are their own GPU time, or host time if a run has no GPU work.
PairedTable PairOps(const Snapshot& base, const Snapshot& current);

// Names that identify a kernel in different builds.

/// The name without numbers that compilers and code generators make: function arguments, numbers of
/// lambdas, template arguments with pointers, hashes of files, and numbers of Triton's and XLA's
/// fusions. "void f<4, g(T&)::{lambda(float)#2}, std::array<char*, 3ul> >(int)" becomes "void f<4,
/// g(T&)::{lambda}>". Kernels with the same result are summed. Unmatched brackets are kept.
std::string CanonicalKernel(std::string_view name);

}  // namespace profgauge::gate
