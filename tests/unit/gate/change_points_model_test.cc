// Change points against a second, naive judge: sums of distances as their definition says, over
// histories that are drawn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gate/change_points.h"

namespace profgauge::gate::stats {
namespace {

using History = std::vector<double>;

History Slice(const History& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

double PlainMean(const History& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Variance of the mean.
double SquaredError(const History& values) {
  const auto n = static_cast<double>(values.size());
  double square = 0;
  for (const double value : values) square += std::pow(value - PlainMean(values), 2);
  return square / (n - 1) / n;
}

double NaiveWelch(const History& a, const History& b) {
  const double difference = std::abs(PlainMean(a) - PlainMean(b));
  const double error = SquaredError(a) + SquaredError(b);
  if (difference == 0) return 1;
  if (error == 0) return 0;
  const double degrees = error * error /
                         (std::pow(SquaredError(a), 2) / static_cast<double>(a.size() - 1) +
                          std::pow(SquaredError(b), 2) / static_cast<double>(b.size() - 1));
  const boost::math::students_t student(degrees);
  return 2 * boost::math::cdf(boost::math::complement(student, difference / std::sqrt(error)));
}

double MeanDistance(const History& a, const History& b) {
  double sum = 0;
  for (const double x : a) {
    for (const double y : b) sum += std::abs(x - y);
  }
  return sum / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

// Matteson & James 2014, (5) and (7), with an exponent of 1.
double NaiveEnergy(const History& a, const History& b) {
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return n * m / (n + m) * (2 * MeanDistance(a, b) - MeanDistance(a, a) - MeanDistance(b, b));
}

struct NaiveSplit {
  std::size_t at = 0;
  double max_p_value = 0;
};

// Splits each part at the largest energy. The parts of a doubtful split are split once more, if ten
// times as certain.
void NaiveSplits(const History& values, std::size_t begin, std::size_t end, bool is_of_doubtful,
                 const ChangePointOptions& options, std::vector<NaiveSplit>& splits) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t at = begin + options.min_segment; at + options.min_segment <= end; ++at) {
    const double energy = NaiveEnergy(Slice(values, begin, at), Slice(values, at, end));
    if (energy <= most + 1e-9 * std::abs(most)) continue;
    most = energy;
    best = at;
  }
  if (best == 0) return;
  const double p_value = NaiveWelch(Slice(values, begin, best), Slice(values, best, end));
  const bool is_doubtful = p_value > options.max_p_value * (is_of_doubtful ? 0.1 : 1);
  if (is_doubtful && is_of_doubtful) return;
  const bool is_strict = is_doubtful || is_of_doubtful;
  NaiveSplits(values, begin, best, is_strict, options, splits);
  splits.push_back({best, options.max_p_value * (is_strict ? 0.1 : 1)});
  NaiveSplits(values, best, end, is_strict, options, splits);
}

std::vector<ChangePoint> NaivePoints(const History& values, const ChangePointOptions& options) {
  std::vector<NaiveSplit> splits;
  NaiveSplits(values, 0, values.size(), false, options, splits);
  while (true) {
    std::vector<ChangePoint> points;
    std::size_t weakest = splits.size();
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const History before = Slice(values, i == 0 ? 0 : splits[i - 1].at, splits[i].at);
      const History after =
          Slice(values, splits[i].at, i + 1 == splits.size() ? values.size() : splits[i + 1].at);
      const double change = PlainMean(after) / PlainMean(before) - 1;
      points.push_back(
          {splits[i].at, PlainMean(before), PlainMean(after), change, NaiveWelch(before, after)});
      const auto is_small = [&](std::size_t at) {
        return std::abs(points[at].change) < options.min_magnitude;
      };
      const auto doubt = [&](std::size_t at) {
        return points[at].p_value / splits[at].max_p_value;
      };
      if (!is_small(i) && doubt(i) <= 1) continue;
      const bool is_weaker = weakest == splits.size() || (is_small(i) && !is_small(weakest)) ||
                             (is_small(i) == is_small(weakest) && doubt(i) > doubt(weakest));
      if (is_weaker) weakest = i;
    }
    if (weakest == splits.size()) return points;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
}

double SquaresOff(const History& values, const History& fit) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += (values[i] - fit[i]) * (values[i] - fit[i]);
  return sum;
}

// Whether a rise over four values or more leaves less than half the variance of the two levels.
bool NaiveIsRamp(const History& values, std::size_t split) {
  const std::size_t n = values.size();
  if (n < 5) return false;
  History levels(n);
  for (std::size_t i = 0; i < n; ++i) {
    levels[i] = PlainMean(i < split ? Slice(values, 0, split) : Slice(values, split, n));
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t start = 0; start < n; ++start) {
    for (std::size_t end = start + 4; end < n; ++end) {
      History shape(n), fit(n);
      for (std::size_t i = 0; i < n; ++i) {
        shape[i] = static_cast<double>(std::clamp(i, start, end) - start);
      }
      double with = 0, of_shape = 0;
      for (std::size_t i = 0; i < n; ++i) {
        with += (shape[i] - PlainMean(shape)) * values[i];
        of_shape += (shape[i] - PlainMean(shape)) * (shape[i] - PlainMean(shape));
      }
      for (std::size_t i = 0; i < n; ++i) {
        fit[i] = PlainMean(values) + with / of_shape * (shape[i] - PlainMean(shape));
      }
      least = std::min(least, SquaresOff(values, fit));
    }
  }
  const auto size = static_cast<double>(n);
  return least / (size - 4) < 0.5 * SquaresOff(values, levels) / (size - 3);
}

// The points of levels, without those within a ramp.
std::vector<ChangePoint> NaiveSteps(const History& values, const ChangePointOptions& options) {
  const std::vector<ChangePoint> points = NaivePoints(values, options);
  std::vector<std::size_t> ends = {0};
  for (const ChangePoint& point : points) ends.push_back(point.index);
  ends.push_back(values.size());
  std::vector<std::size_t> kept = {0};
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    if (!NaiveIsRamp(Slice(values, ends[i - 1], ends[i + 1]), ends[i] - ends[i - 1])) {
      kept.push_back(ends[i]);
    }
  }
  kept.push_back(values.size());
  std::vector<ChangePoint> steps;
  for (std::size_t i = 1; i + 1 < kept.size(); ++i) {
    const History before = Slice(values, kept[i - 1], kept[i]);
    const History after = Slice(values, kept[i], kept[i + 1]);
    steps.push_back({kept[i], PlainMean(before), PlainMean(after),
                     PlainMean(after) / PlainMean(before) - 1, NaiveWelch(before, after)});
  }
  return steps;
}

std::string Said(const std::vector<ChangePoint>& points) {
  std::string text;
  for (const ChangePoint& p : points) {
    text += fmt::format("{}: {:.7g} to {:.7g}, {:.6g}, p {:.6g}\n", p.index, p.before, p.after,
                        p.change, p.p_value);
  }
  return text;
}

TEST(FindChangePoints, AgreesWithANaiveOne) {
  std::mt19937_64 random(11);
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto unit = [&] { return static_cast<double>(random() >> 11U) / 9007199254740992.0; };
  std::size_t found = 0, several = 0;
  for (int history = 0; history < 400; ++history) {
    ChangePointOptions options;
    if (below(3) == 0) options.max_p_value = 0.05;
    if (below(3) == 0) options.min_magnitude = 0.05;
    options.min_segment = 2 + below(3);
    History values;
    const double spread = std::vector<double>{0.001, 0.01, 0.05}[below(3)];
    double level = 100;
    for (std::size_t part = 1 + below(4); part > 0; --part) {
      for (std::size_t i = 1 + below(14); i > 0; --i) {
        values.push_back(level * (1 + spread * (2 * unit() - 1)));
      }
      level *= std::vector<double>{0.97, 1.008, 1.03, 1.2, 0.7}[below(5)];
    }
    const std::vector<ChangePoint> points = FindChangePoints(values, options);
    found += points.empty() ? 0 : 1;
    several += points.size() > 1 ? 1 : 0;
    EXPECT_EQ(Said(points), Said(NaiveSteps(values, options))) << history;
  }
  EXPECT_GT(found, 100U);
  EXPECT_GT(several, 30U);
}

// Welch's test as R's t.test() has it.
TEST(FindChangePoints, TestsEachByWelch) {
  struct Row {
    History before, after;
    double p_value;
  };
  for (const Row& row : {Row{{1, 2, 3}, {11, 12, 14}, 0.001227151354},
                         Row{{10, 11, 12, 13}, {20, 24, 22, 21}, 0.0001130373099}}) {
    History values = row.before;
    values.insert(values.end(), row.after.begin(), row.after.end());
    const auto points = FindChangePoints(values, {.max_p_value = 0.05});
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(points[0].p_value, row.p_value, 1e-6 * row.p_value);
  }
}

TEST(FindChangePoints, LevelsWithoutAnySpread) {
  History values = {5, 5, 5, 6, 6, 6};
  const auto points = FindChangePoints(values, {});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].index, 3U);
  EXPECT_EQ(points[0].p_value, 0);
  EXPECT_NEAR(points[0].change, 0.2, 1e-12);
  values = {0, 0, 0, 6, 6, 6};  // A change from nothing has no size, and is none.
  EXPECT_TRUE(FindChangePoints(values, {}).empty());
  EXPECT_TRUE(FindChangePoints(History{}, {}).empty());
}

// Only the end of a long history.
TEST(FindChangePoints, LooksAtTheLastTwoThousand) {
  History values(2003, 5.0);
  std::fill(values.begin(), values.begin() + 100, 9.0);
  const auto points = FindChangePoints(values, {});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].index, 100U);
  EXPECT_EQ(points[0].before, 9);
  // Three of them are too many to look at: the rest of the level is too short for one.
  History few(2003, 5.0);
  std::fill(few.begin(), few.begin() + 5, 9.0);
  EXPECT_TRUE(FindChangePoints(few, {}).empty());
  few.assign(2002, 5.0);
  std::fill(few.begin(), few.begin() + 5, 9.0);
  EXPECT_EQ(FindChangePoints(few, {}).size(), 1U);
}

}  // namespace
}  // namespace profgauge::gate::stats
