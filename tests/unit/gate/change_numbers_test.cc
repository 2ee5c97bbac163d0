// The results of the procedure for drawn runs, in digits: a constant or formula that changes shows
// in data/change_numbers.txt, and must be meant. PROFGAUGE_UPDATE=1 writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analysis/breakdown/warmup.h"
#include "gate/change.h"

namespace profgauge::gate::stats {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}
  double Unit() { return static_cast<double>(random_() >> 11U) / 9007199254740992.0; }
  double Around(double level, double spread) { return level * (1 + spread * (2 * Unit() - 1)); }
  template <class T>
  T Of(std::initializer_list<T> all) {
    return *(all.begin() + static_cast<std::ptrdiff_t>(random_() % all.size()));
  }

 private:
  std::mt19937_64 random_;
};

Series DrawSeries(Numbers& draw, double level, std::size_t n, bool is_slow) {
  const double spread = draw.Of({0.002, 0.02, 0.1});
  const double start = draw.Of({0.0, 0.0, 0.0, 0.2, 0.4}), part = draw.Of({0.0, 0.0, 0.1, 0.3});
  const bool at_end = draw.Of({true, false});
  const double factor = draw.Of({1.2, 1.6, 3.0}), trend = draw.Of({0.0, 0.0, 0.05});
  Series series;
  for (std::size_t i = 0; i < n; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(n);
    double value = draw.Around(level, spread) * (1 + trend * place);
    if (place < start) value *= 1.5;
    if (is_slow && (at_end ? place >= 1 - part : draw.Unit() < part)) value *= factor;
    series.values.push_back(value);
  }
  series.warmup = analysis::breakdown::FindWarmup(series.values);
  return series;
}

std::vector<Series> DrawSide(Numbers& draw, double level, bool is_current) {
  const std::size_t runs = draw.Of({1u, 1u, 2u, 3u, 4u});
  const std::size_t n = draw.Of({1u, 2u, 3u, 4u, 5u, 8u, 12u, 20u, 40u, 60u});
  std::vector<Series> side;
  for (std::size_t i = 0; i < runs; ++i) {
    const bool is_odd = i > 0 && draw.Unit() < 0.15;
    side.push_back(DrawSeries(draw, draw.Around(is_odd ? 1.3 * level : level, 0.01),
                              n + draw.Of({0u, 0u, 1u}), is_current));
  }
  return side;
}

CompareOptions DrawOptions(Numbers& draw) {
  CompareOptions options;
  options.limit = draw.Of({0.02, 0.05, 0.05, 0.1});
  options.lower_is_better = draw.Of({true, true, true, false});
  options.absolute_floor = draw.Of({0.0, 0.0, 0.08});
  options.noise_floor = draw.Of({0.01, 0.01, 0.0, 0.03});
  if (draw.Unit() < 0.2) options.strictness = Strictness::kCertain;
  return options;
}

std::string Shown(const SideUse& side) {
  std::string text = fmt::format("{}/{} {}/{} {:.5g}", side.kept, side.runs.size(), side.used,
                                 side.iterations, side.level);
  if (side.apart != 0) text += fmt::format(" apart {:.4g}", side.apart);
  for (const RunUse& run : side.runs) {
    if (run.left_out == LeftOut::kOdd) text += fmt::format(" odd {:.4g}", run.from_others);
    if (run.left_out == LeftOut::kHalfWarmup) text += " half-warm";
  }
  return text;
}

std::string Shown(const Comparison& c) {
  std::string text =
      fmt::format("{}{}{} {:.5g} [{:.5g}, {:.5g}] all {:.5g} later {:.5g} under {:.4g}",
                  ChangeName(c.change), c.over_limit ? " over" : "", c.by_size ? " by size" : "",
                  c.shift, c.low, c.high, c.all_iterations, c.later_half.value_or(0), c.excluded);
  text += fmt::format("; noise {:.5g} {:.3g}{}; {} slower; {}; {}", c.noise, c.assumed_noise,
                      c.limit_below_noise ? " beyond the limit" : "", c.slower, Shown(c.base),
                      Shown(c.current));
  text += fmt::format("; sees {:.4g}", c.sees);
  if (c.total) {
    const Total& total = *c.total;
    text +=
        fmt::format("; total{} {} {:.5g} clipped {:.5g} all {:.5g} p {:.4g}; slow {}/{} {}/{}",
                    c.by == DecidedBy::kTotal ? " decides" : "", static_cast<int>(total.verdict),
                    total.change, total.clipped, total.with_start, total.chance.value_or(-1),
                    total.current.count, total.current.of, total.base.count, total.base.of);
  }
  if (c.open != Open::kNo) {
    text += fmt::format("; open {} {} of {}", static_cast<int>(c.open), c.recordings, c.needed);
  }
  if (c.remedy.kind != Remedy::Kind::kNone) {
    text += fmt::format("; remedy {} {}", static_cast<int>(c.remedy.kind), c.remedy.count);
  }
  return text;
}

std::string LineOf(std::uint64_t seed) {
  Numbers draw(seed);
  CompareOptions options = DrawOptions(draw);
  const double shift = draw.Of({0.0, 0.0, 0.03, 0.06, 0.1, 0.2, 0.5, -0.05, -0.2});
  const std::vector<Series> base = DrawSide(draw, 1, false);
  const std::vector<Series> current = DrawSide(draw, 1 + shift, true);
  options.total_limit = options.limit;
  return fmt::format("{}: {}", seed, Shown(Compare(base, current, options)));
}

TEST(ChangeNumbers, AreThoseOfTheProcedure) {
  const std::string path =
      std::string(PROFGAUGE_SOURCE_DIR) + "/tests/unit/gate/data/change_numbers.txt";
  constexpr std::uint64_t kCases = 150;
  if (std::getenv("PROFGAUGE_UPDATE") != nullptr) {
    std::ofstream out(path);
    for (std::uint64_t seed = 0; seed < kCases; ++seed) out << LineOf(seed) << "\n";
  }
  std::ifstream in(path);
  std::string line;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    ASSERT_TRUE(std::getline(in, line)) << path;
    EXPECT_EQ(LineOf(seed), line);
  }
}

}  // namespace
}  // namespace profgauge::gate::stats
