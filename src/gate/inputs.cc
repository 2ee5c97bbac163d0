#include "gate/circumstances.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "analysis/time/iteration_stats.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// The time of iterations on some shapes, in typical iterations.
using Factors = std::map<std::uint64_t, double>;

// Whether the shapes of each of the values are known. Periods lack that of the last iteration, and
// where most numbers jump those of the iterations before a jump, too: then it is unknown which
// iterations they are of.
bool HasShapes(std::span<const Snapshot> runs, const std::vector<stats::Series>& series) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t shapes = runs[r].iteration_shapes.size();
    const bool is_of_all = shapes == runs[r].iteration_times.size();
    if (!is_of_all || series[r].values.size() + 1 < shapes) return false;
  }
  return true;
}

// From the baseline without its warm-up, over all runs:
//
//     shapes      times               median    factor (typical 10)
//     A           10 10 11 10 10 10 10  10        1.0
//     B           20 21 20              20        2.0
//     C           15                              none     under three: left out
//
// A candidate's iteration on B of 22 is compared as 11.
Factors InputFactorsOf(std::span<const Snapshot> runs, const std::vector<stats::Series>& series) {
  std::map<std::uint64_t, std::vector<double>> by_shapes;
  std::vector<double> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = series[r].warmup; i < series[r].values.size(); ++i) {
      by_shapes[runs[r].iteration_shapes[i]].push_back(series[r].values[i]);
      all.push_back(series[r].values[i]);
    }
  }
  const double typical = stats::Median(all);
  Factors factors;
  for (const auto& [shapes, values] : by_shapes) {
    if (values.size() < knowledge::kGateInputsLeast) continue;
    factors[shapes] = stats::Median(values) / typical;
  }
  return factors;
}

// The mean length of the inputs themselves, as a logarithm, by the baseline's factors.
double MeanLog(std::span<const Snapshot> runs, const Factors& factors) {
  double sum = 0, count = 0;
  for (const Snapshot& run : runs) {
    for (const std::uint64_t shapes : run.iteration_shapes) {
      const auto factor = factors.find(shapes);
      if (factor == factors.end()) continue;
      sum += std::log(factor->second);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

// The share of iterations on shapes without a factor. REQUIRES: an iteration.
double UnknownShare(std::span<const Snapshot> runs, const Factors& factors) {
  double unknown = 0, all = 0;
  for (const Snapshot& run : runs) {
    for (const std::uint64_t shapes : run.iteration_shapes) {
      unknown += factors.contains(shapes) ? 0 : 1;
      ++all;
    }
  }
  return unknown / all;
}

stats::Series WithoutInputs(const stats::Series& series, const Snapshot& run,
                            const Factors& factors) {
  stats::Series out;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const auto factor = factors.find(run.iteration_shapes[i]);
    if (factor != factors.end()) out.values.push_back(series.values[i] / factor->second);
  }
  if (!out.values.empty()) out.warmup = analysis::time::stats::FindWarmup(out.values);
  return out;
}

// The mean of the skipped iterations, beside the mean of the compared ones. The lengths of the
// inputs are unknown.
double UnknownCost(std::span<const Snapshot> runs, const Factors& factors,
                   const std::vector<stats::Series>& series) {
  double known = 0, all = 0, of_known = 0, of_all = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < series[r].values.size(); ++i) {
      const auto factor = factors.find(runs[r].iteration_shapes[i]);
      const double value = series[r].values[i] / (factor == factors.end() ? 1 : factor->second);
      all += value;
      ++of_all;
      if (factor == factors.end()) continue;
      known += value;
      ++of_known;
    }
  }
  return known > 0 ? all / of_all / (known / of_known) - 1 : 0;
}

// False, and nothing changed, where a run would have no iteration left.
bool TakeOff(std::span<const Snapshot> runs, const Factors& factors,
             std::vector<stats::Series>& series) {
  std::vector<stats::Series> out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    out.push_back(WithoutInputs(series[r], runs[r], factors));
    if (out.back().values.empty()) return false;
  }
  series = std::move(out);
  return true;
}

}  // namespace

InputMix TakeOffInputs(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       std::vector<stats::Series>& base, std::vector<stats::Series>& current) {
  InputMix mix;
  if (!HasShapes(baselines, base) || !HasShapes(candidates, current)) return mix;
  const Factors factors = InputFactorsOf(baselines, base);
  if (factors.size() < 2) return mix;
  mix.unknown_share = UnknownShare(candidates, factors);
  if (mix.unknown_share > knowledge::kGateInputsUnknown) return mix;
  std::vector<stats::Series> there = base, here = current;
  if (!TakeOff(baselines, factors, there) || !TakeOff(candidates, factors, here)) return mix;
  mix.unknown_cost = UnknownCost(candidates, factors, current);
  base = std::move(there);
  current = std::move(here);
  mix.is_taken_off = true;
  mix.longer = std::expm1(MeanLog(candidates, factors) - MeanLog(baselines, factors));
  return mix;
}

}  // namespace profgauge::gate
