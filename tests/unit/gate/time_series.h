// Runs of times, and the gate's answers to them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/breakdown/warmup.h"
#include "gate/change.h"
#include "gate/change_text.h"

namespace profgauge::gate::stats {

using Times = std::vector<double>;
using Runs = std::vector<Times>;

inline Times Scaled(Times times, double factor) {
  for (double& time : times) time *= factor;
  return times;
}

inline std::vector<Series> SeriesOf(const Runs& runs) {
  std::vector<Series> series;
  for (const Times& times : runs) series.push_back({times, analysis::breakdown::FindWarmup(times)});
  return series;
}

/// As of this comparison alone: no failure needs to be repeated.
inline Comparison Held(const Runs& base, const Runs& current, CompareOptions options = {}) {
  options.must_repeat = false;
  return Compare(SeriesOf(base), SeriesOf(current), options);
}

inline std::string Said(const Comparison& result) {
  std::string text = DescribeChange(result, {Unit::kTime, 0.05, true});
  for (std::size_t at = 0; (at = text.find("\u202f", at)) != std::string::npos;) {
    text.replace(at, 3, " ");
  }
  return text;
}

}  // namespace profgauge::gate::stats
