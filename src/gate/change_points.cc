#include "gate/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "knowledge/trend.h"

namespace profgauge::gate::stats {
namespace {

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double VarianceOf(std::span<const double> values, double mean) {
  double square = 0;
  for (const double v : values) square += (v - mean) * (v - mean);
  return values.size() < 2 ? 0 : square / static_cast<double>(values.size() - 1);
}

// Two-sided p-value of Welch's t-test (1947), which allows different variances of the segments. 0
// for constant segments with different levels. REQUIRES: two values a side.
double WelchPValue(std::span<const double> a, std::span<const double> b) {
  const double mean_a = MeanOf(a);
  const double mean_b = MeanOf(b);
  const double error_a = VarianceOf(a, mean_a) / static_cast<double>(a.size());
  const double error_b = VarianceOf(b, mean_b) / static_cast<double>(b.size());
  const double error = error_a + error_b;
  if (mean_a == mean_b) return 1;
  if (error == 0) return 0;
  const double degrees = error * error /
                         (error_a * error_a / static_cast<double>(a.size() - 1) +
                          error_b * error_b / static_cast<double>(b.size() - 1));
  const double t = std::abs(mean_a - mean_b) / std::sqrt(error);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

// Finds the split with the largest energy distance (Szekely & Rizzo 2004) between its sides, scaled
// by their sizes. With m left and k right values it is
//
//     m k / (m + k) * (2 E|x - y| - E|x - x'| - E|y - y'|)      x, x' left; y, y' right
//
// Moving one value v from right to left changes each sum only by the distances of v, so all splits
// together cost O(n^2):
//
//     left  | v | right         left    += |v - left values|
//           `-->                right   -= |v - right values|
//                               between += |v - right values| - |v - left values|
std::size_t BestSplit(std::span<const double> values, std::size_t min_segment) {
  const std::size_t n = values.size();
  // Sums of |x - y| within the left side, within the right one and between them, updated.
  double left = 0;
  double right = 0;
  double between = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) right += std::abs(values[i] - values[j]);
  }
  std::size_t best = 0;
  double best_energy = -1;
  for (std::size_t split = 1; split < n; ++split) {
    double to_left = 0;
    double to_right = 0;
    for (std::size_t i = 0; i < n; ++i) {
      (i < split - 1 ? to_left : to_right) += std::abs(values[i] - values[split - 1]);
    }
    left += to_left;
    right -= to_right;
    between += to_right - to_left;
    if (split < min_segment || n - split < min_segment) continue;
    const auto m = static_cast<double>(split);
    const auto k = static_cast<double>(n - split);
    const double energy =
        (m * k / (m + k)) * (2 * between / (m * k) - 2 * left / (m * m) - 2 * right / (k * k));
    if (energy > best_energy) {
      best_energy = energy;
      best = split;
    }
  }
  return best;
}

struct Split {
  std::size_t at = 0;
  double max_p_value = 0;  // The largest at which it stays.
};

// A bump takes two splits at once: its first is not significant, as one side has both levels.
//
//     38 38 38 38 | 43 43 43 38 38 38        not significant: the right mean is 40.5
//     38 38 38 38 | 43 43 43 | 38 38 38      both are
//
// So the sides of a doubtful split are split once more. The more splits are tried, the more are
// significant by chance, so these must be ten times as certain (`trend.doubtful_share`).

// Appends splits in ascending order: those before, this one, those after. Some are not significant
// between their neighbors and are dropped later.
void Bisect(std::span<const double> values, std::size_t offset, double max_p_value,
            const ChangePointOptions& options, std::vector<Split>& splits) {
  if (values.size() < 2 * options.min_segment) return;
  const std::size_t split = BestSplit(values, options.min_segment);
  const auto before = values.first(split);
  const auto after = values.subspan(split);
  if (WelchPValue(before, after) > max_p_value) {
    if (max_p_value < options.max_p_value) return;
    max_p_value = knowledge::kTrendDoubtfulShare.Of(max_p_value);
  }
  Bisect(before, offset, max_p_value, options, splits);
  splits.push_back({offset + split, max_p_value});
  Bisect(after, offset + split, max_p_value, options, splits);
}

ChangePoint Describe(std::span<const double> before, std::span<const double> after,
                     std::size_t index) {
  ChangePoint point;
  point.index = index;
  point.before = MeanOf(before);
  point.after = MeanOf(after);
  point.change = point.before == 0 ? 0 : point.after / point.before - 1;
  point.p_value = WelchPValue(before, after);
  return point;
}

// Describes each split by the segments beside it.
std::vector<ChangePoint> DescribeAll(std::span<const double> values,
                                     const std::vector<Split>& splits) {
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::size_t at = splits[i].at;
    const std::size_t begin = i == 0 ? 0 : splits[i - 1].at;
    const std::size_t end = i + 1 < splits.size() ? splits[i + 1].at : values.size();
    points.push_back(Describe(values.subspan(begin, at - begin), values.subspan(at, end - at), at));
  }
  return points;
}

// True if a ramp leaves far less variance than the levels before and after `split`. The levels are
// two numbers and a place, the ramp two and two places.
bool IsRamp(std::span<const double> values, std::size_t split) {
  const auto off = [](std::span<const double> level) {
    return VarianceOf(level, MeanOf(level)) * static_cast<double>(level.size() - 1);
  };
  const auto size = static_cast<double>(values.size());
  if (values.size() < 5) return false;
  const double levels = off(values.first(split)) + off(values.subspan(split));
  return FitOfRamp(values, knowledge::kTrendLeastRise.as<std::size_t>(), RampEnd::kAnywhere) /
             (size - 4) <
         knowledge::kTrendSlopeShare.Of(levels / (size - 3));
}

}  // namespace

// The ramp's shape is clamp(i - start, 0, end - start), whose sums are closed forms or differences
// of prefix sums.
double FitOfRamp(std::span<const double> values, std::size_t least_rise, RampEnd ending) {
  const std::size_t n = values.size();
  const double size = static_cast<double>(n), mean = MeanOf(values);
  std::vector<double> sums = {0}, weighted = {0};  // Of the values, and of value * place.
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values[i] - mean;
    sums.push_back(sums.back() + value);
    weighted.push_back(weighted.back() + static_cast<double>(i) * value);
    squares += value * value;
  }
  double least = squares;
  for (std::size_t start = 0; start + least_rise < n; ++start) {
    const std::size_t first = ending == RampEnd::kAtLast ? n - 1 : start + least_rise;
    for (std::size_t end = first; end < n; ++end) {
      const auto width = static_cast<double>(end - start), rest = static_cast<double>(n - 1 - end);
      const double x = width * (width + 1) / 2 + width * rest;
      const double xx = width * (width + 1) * (2 * width + 1) / 6 + width * width * rest;
      const double xy = weighted[end + 1] - weighted[start] -
                        static_cast<double>(start) * (sums[end + 1] - sums[start]) +
                        width * (sums[n] - sums[end + 1]);
      least = std::min(least, squares - xy * xy / (xx - x * x / size));
    }
  }
  return least;
}

std::vector<ChangePoint> FindChangePoints(std::span<const double> values,
                                          const ChangePointOptions& options) {
  const std::size_t skipped = values.size() > kMostStepped ? values.size() - kMostStepped : 0;
  values = values.subspan(skipped);
  std::vector<Split> splits;
  Bisect(values, 0, options.max_p_value, options, splits);
  // Later splits shorten the segments for which earlier ones were tested. Drops the weakest split
  // until all are significant between their neighbors.
  std::vector<ChangePoint> points = DescribeAll(values, splits);
  // Too small changes are the weakest; others are weak above 1.
  const auto weakness = [&](std::size_t i) {
    const bool is_small = std::abs(points[i].change) < options.min_magnitude;
    return std::pair(is_small, points[i].p_value / splits[i].max_p_value);
  };
  while (!points.empty()) {
    std::size_t weakest = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (weakness(i) > weakness(weakest)) weakest = i;
    }
    if (weakness(weakest) <= std::pair(false, 1.0)) break;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(weakest));
    points = DescribeAll(values, splits);
  }
  const auto is_ramp = [&](std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : splits[i - 1].at;
    const std::size_t end = i + 1 < splits.size() ? splits[i + 1].at : values.size();
    return IsRamp(values.subspan(begin, end - begin), splits[i].at - begin);
  };
  std::vector<Split> steps;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (!is_ramp(i)) steps.push_back(splits[i]);
  }
  if (steps.size() < splits.size()) points = DescribeAll(values, steps);
  for (ChangePoint& point : points) point.index += skipped;
  return points;
}

}  // namespace profgauge::gate::stats
