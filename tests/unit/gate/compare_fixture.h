// Runs to compare: as many iterations as wanted, which differ by little.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "gate/compare.h"

namespace profgauge::gate::testing {

inline Snapshot Sample(double level, int iterations = 20) {
  Snapshot run;
  run.name = "run";
  run.format = "kineto";
  run.environment = {{"gpu", "Tesla V100"}, {"gpus", "1"}, {"world_size", "1"}};
  for (int i = 0; i < iterations; ++i) {
    run.iteration_times.push_back(static_cast<Ns>(level * (1e6 + 1e3 * (i * 7 % 5))));
  }
  run.iteration_shares["breakdown.dataloader"] =
      std::vector<double>(run.iteration_times.size(), 0.1);
  run.metrics["kernel.count_per_iteration"] = 100;
  run.metrics["gpu.idle.mean"] = 0.2;
  analysis::breakdown::TimePart part;
  part.category = "other";
  part.count = iterations;
  part.time = std::accumulate(run.iteration_times.begin(), run.iteration_times.end(), Ns{0});
  run.parts = {part};
  return run;
}

inline const MetricComparison& Find(const RunComparison& comparison, const std::string& metric) {
  for (const MetricComparison& row : comparison.metrics) {
    if (row.metric == metric) return row;
  }
  ADD_FAILURE() << "no row for " << metric;
  return comparison.metrics.front();
}

/// With plain spaces before units.
inline std::string Plain(std::string text) {
  constexpr std::string_view kSpace = "\u202f";
  for (auto at = text.find(kSpace); at != std::string::npos; at = text.find(kSpace)) {
    text.replace(at, kSpace.size(), " ");
  }
  return text;
}

}  // namespace profgauge::gate::testing
