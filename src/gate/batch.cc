#include "gate/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/classify/eligibility.h"
#include "base/format.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// "[[64, 1024], [1024, 1024]]" as the dimensions of its tensors.
using Shapes = std::vector<std::vector<std::int64_t>>;

Shapes ShapesOf(std::string_view text) {
  Shapes shapes;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') shapes.emplace_back();
    std::int64_t number = 0;
    const char* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    const bool is_number = error == std::errc() && !shapes.empty();
    if (is_number) shapes.back().push_back(number);
    at += is_number ? static_cast<std::size_t>(end - begin) : 1;
  }
  return shapes;
}

// By how much shapes of one call differ, where at most one dimension of each tensor does and all
// by the same factor. A dimension of the model is of weights, which have it twice or not at all.
std::optional<double> RatioOf(const Shapes& base, const Shapes& run) {
  if (base.size() != run.size()) return std::nullopt;
  std::optional<double> ratio;
  for (std::size_t tensor = 0; tensor < base.size(); ++tensor) {
    if (base[tensor].size() != run[tensor].size()) return std::nullopt;
    bool differs = false;
    for (std::size_t i = 0; i < base[tensor].size(); ++i) {
      const std::int64_t there = base[tensor][i], here = run[tensor][i];
      if (there == here) continue;
      if (differs || there <= 0 || here <= 0) return std::nullopt;
      differs = true;
      const double its = static_cast<double>(here) / static_cast<double>(there);
      if (ratio && *ratio != its) return std::nullopt;
      ratio = its;
    }
  }
  return ratio.value_or(1);
}

// Each matmul and convolution of `run` votes with its time for the ratios that lead from a call of
// the same operator in `base` to it:
//
//     base   aten::addmm [[64, 1024], [1024, 4096]]
//     run    aten::addmm [[32, 1024], [1024, 4096]]     0.5: one dimension, in one tensor
//
// One of 90 % of the time wins. Without such a ratio the batch is unknown, not equal.
std::optional<double> RatioByShapes(const Snapshot& base, const Snapshot& run) {
  std::map<std::string_view, std::vector<Shapes>> there;
  for (const analysis::time::TimePart& part : base.parts) {
    if (analysis::classify::IsProduct(part.op) && !part.shapes.empty())
      there[part.op].push_back(ShapesOf(part.shapes));
  }
  std::map<double, double> times;  // Times of the matmuls that a ratio explains.
  double whole = 0;
  for (const analysis::time::TimePart& part : run.parts) {
    if (!analysis::classify::IsProduct(part.op) || part.shapes.empty()) continue;
    const Shapes here = ShapesOf(part.shapes);
    std::set<double> ratios;
    for (const Shapes& shapes : there[part.op]) {
      if (const auto ratio = RatioOf(shapes, here)) ratios.insert(*ratio);
    }
    // The same shapes are in both: no other call explains them.
    if (ratios.contains(1)) ratios = {1};
    for (const double ratio : ratios) times[ratio] += static_cast<double>(part.time);
    whole += static_cast<double>(part.time);
  }
  for (const auto& [ratio, time] : times) {
    if (time >= knowledge::kGateBatchShare * whole && whole > 0) return ratio;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> SamplesRatio(const Snapshot& base, const Snapshot& run) {
  if (base.samples > 0 && run.samples > 0) return run.samples / base.samples;
  return RatioByShapes(base, run);
}

}  // namespace profgauge::gate
