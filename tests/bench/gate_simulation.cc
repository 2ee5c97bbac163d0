// How often the regression gate cries wolf, and how often it finds a real slowdown: a Monte-Carlo
// over synthetic iteration times with known truth, judged by the program's own functions. Prints
// the table of rules/README.md and the acceptance grid; fails when a cell is beyond its bound.
//
//   gate_simulation [--repetitions N]     Comparisons a cell. Default: 2000.
//
// Deterministic: the seed is fixed, and normal numbers are made by Box and Muller, since
// std::normal_distribution differs between libraries. A cell has N comparisons, or about 50 N over
// all its shapes where a row says that nothing may be missed. A share is allowed to lie beyond its
// bound by four binomial standard errors, so that few repetitions do not fail by chance; counts
// that must be 0 have no such room.
//
// A run's level varies by 1 % (the run effect, which no number of iterations inside one run
// reveals); times are log-normal around it. Limit 5 %, noise floor 1 %.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "gate/change.h"
#include "gate/warmup.h"

namespace {

using profgauge::stats::Change;
using profgauge::stats::Compare;
using profgauge::stats::CompareOptions;
using profgauge::stats::Comparison;
using profgauge::stats::FindWarmup;
using profgauge::stats::Series;

constexpr double kRunEffect = 0.01;
constexpr double kLimit = 0.05;

enum class Shape { kNone, kStep, kDecay };

// How the iterations of a run are made.
struct Noise {
  double cv = 0.02;
  double correlation = 0;
  double outliers = 0;  // Share of iterations that take 2 to 10 times as long.
  double bimodal = 0;   // Share of iterations that take 20 % longer.
  double skew = 0;      // Every fifth iteration, by chance, has an exponential tail of this mean.
  Shape warmup = Shape::kNone;
  double warm_share = 0, warm_size = 0;
  double drift = 0;      // From the first iteration to the last.
  double unsettled = 0;  // Decays over the whole run.
  double odd = 0;        // The whole run is slower.
  double stalls = 0;     // Share of iterations, evenly spread, that take three times as long.
};

// Which runs are disturbed.
enum class Who { kAll, kCandidate, kBaselines, kFirstBaseline };

struct Cell {
  int iterations = 5;
  int baselines = 1;
  Noise quiet, disturbed;
  Who who = Who::kAll;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Series Make(int iterations, const Noise& noise, double change) {
    const double level = std::log(100 * (1 + change) * (1 + noise.odd)) + kRunEffect * Normal();
    const double step = noise.cv * std::sqrt(1 - noise.correlation * noise.correlation);
    double wave = noise.cv * Normal();
    Series run;
    for (int i = 0; i < iterations; ++i) {
      wave = noise.correlation * wave + step * Normal();
      double x = level + wave + Disturbance(noise, i, iterations);
      if (noise.outliers > 0 && Uniform() < noise.outliers) {
        x += std::log(2.0) + Uniform() * std::log(5.0);
      }
      if (std::floor((i + 1) * noise.stalls) > std::floor(i * noise.stalls)) x += std::log(3.0);
      if (noise.bimodal > 0 && Uniform() < noise.bimodal) x += std::log(1.2);
      if (noise.skew > 0 && Uniform() < 0.2) x -= noise.skew * std::log(1 - Uniform());
      run.values.push_back(std::exp(x));
    }
    run.warmup = FindWarmup(run.values);
    return run;
  }

 private:
  double Uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  double Normal() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

  static double Disturbance(const Noise& noise, int i, int iterations) {
    double x = 0;
    const double warm = std::max(1.0, std::round(noise.warm_share * iterations));
    if (noise.warmup == Shape::kStep && i < warm) x += std::log1p(noise.warm_size);
    // A tenth of it is left where a step would have ended.
    if (noise.warmup == Shape::kDecay) x += std::log1p(noise.warm_size * std::exp(-i * 2.3 / warm));
    x += noise.drift * (static_cast<double>(i) / std::max(1, iterations - 1) - 0.5);
    if (noise.unsettled > 0) {
      x += std::log1p(noise.unsettled * std::exp(-i / (0.5 * iterations)));
    }
    return x;
  }

  std::mt19937_64 random_;
};

// What comparisons at one effect came to.
struct Tally {
  std::int64_t comparisons = 0, failed = 0, open = 0, passed = 0;

  void Add(const Comparison& result) {
    ++comparisons;
    failed += result.change == Change::kFail;
    open += result.change == Change::kInconclusive && result.over_limit;
    passed += result.change != Change::kFail &&
              !(result.change == Change::kInconclusive && result.over_limit);
  }
  void Add(const Tally& other) {
    comparisons += other.comparisons;
    failed += other.failed;
    open += other.open;
    passed += other.passed;
  }
  std::int64_t Missed() const { return comparisons - failed; }
  double FailedShare() const {
    return static_cast<double>(failed) / static_cast<double>(comparisons);
  }
  double OpenShare() const { return static_cast<double>(open) / static_cast<double>(comparisons); }
};

Tally Run(const Cell& cell, double effect, std::int64_t repetitions) {
  // A seed of the cell's own: its numbers do not depend on how many ran before.
  static std::uint64_t cells = 0;
  Maker maker(20260101 + ++cells);
  const auto noise_of = [&cell](bool is_candidate, bool is_first) -> const Noise& {
    const bool is_disturbed = cell.who == Who::kAll ||
                              (cell.who == Who::kCandidate && is_candidate) ||
                              (cell.who == Who::kBaselines && !is_candidate) ||
                              (cell.who == Who::kFirstBaseline && is_first);
    return is_disturbed ? cell.disturbed : cell.quiet;
  };
  Tally tally;
  for (std::int64_t i = 0; i < repetitions; ++i) {
    std::vector<Series> base;
    for (int k = 0; k < cell.baselines; ++k) {
      base.push_back(maker.Make(cell.iterations, noise_of(false, k == 0), 0));
    }
    const std::vector<Series> current = {
        maker.Make(cell.iterations, noise_of(true, false), effect)};
    tally.Add(Compare(base, current, {.limit = kLimit}));
  }
  return tally;
}

Cell Plain(int iterations, int baselines, const Noise& noise) {
  return {iterations, baselines, noise, noise, Who::kAll};
}

std::string Named(const Noise& noise) {
  std::string text = fmt::format("cv {:g} %", noise.cv * 100);
  if (noise.correlation > 0) text += fmt::format(", correlation {:g}", noise.correlation);
  if (noise.outliers > 0) text += fmt::format(", {:g} % outliers", noise.outliers * 100);
  if (noise.bimodal > 0) text += ", bimodal";
  if (noise.skew > 0) text += ", skewed";
  return text;
}

// All disturbances of the grid at one spread; the quiet runs have the spread alone.
std::vector<Cell> Disturbances(double cv) {
  std::vector<Cell> cells;
  const auto add = [&](const Noise& noise, Who who, bool several) {
    for (const int n : {5, 8, 12, 20}) {
      for (const int k : {1, 5}) {
        if (several && k == 1) continue;
        cells.push_back({n, k, Noise{.cv = cv}, noise, who});
      }
    }
  };
  constexpr Who kEach[] = {Who::kCandidate, Who::kBaselines, Who::kAll};
  for (const double share : {0.1, 0.2, 0.4}) {
    for (const double size : {0.05, 0.1, 0.2, 0.5}) {
      for (const Shape shape : {Shape::kStep, Shape::kDecay}) {
        const Noise warm{.cv = cv, .warmup = shape, .warm_share = share, .warm_size = size};
        for (const Who who : kEach) add(warm, who, false);
        add(warm, Who::kFirstBaseline, true);
      }
    }
  }
  for (const double drift : {0.1, -0.1}) {
    for (const Who who : kEach) add(Noise{.cv = cv, .drift = drift}, who, false);
  }
  add(Noise{.cv = cv, .unsettled = 0.5}, Who::kFirstBaseline, true);
  add(Noise{.cv = cv, .odd = 0.3}, Who::kFirstBaseline, true);
  return cells;
}

std::vector<Cell> Quiet(std::vector<int> lengths) {
  std::vector<Cell> cells;
  for (const int n : lengths) {
    for (const int k : {1, 2, 3, 5}) {
      for (const double cv : {0.005, 0.01, 0.02}) cells.push_back(Plain(n, k, Noise{.cv = cv}));
    }
  }
  return cells;
}

std::vector<Cell> Noisy(bool with_waves) {
  std::vector<Noise> kinds = {{.cv = 0.1}, {.cv = 0.01, .bimodal = 0.3}};
  if (with_waves) kinds.push_back({.cv = 0.05, .correlation = 0.7});
  std::vector<Cell> cells;
  for (const int n : {3, 5, 8, 12, 20, 50}) {
    for (const int k : {1, 3, 5}) {
      for (const Noise& noise : kinds) cells.push_back(Plain(n, k, noise));
    }
  }
  return cells;
}

// The typical iteration is the baseline's.
std::vector<Cell> Stalls(double share, const std::vector<int>& lengths) {
  std::vector<Cell> cells;
  for (const int n : lengths) {
    for (const int k : {1, 3, 5}) {
      for (const double cv : {0.01, 0.03}) {
        const Noise quiet{.cv = cv};
        cells.push_back({n, k, quiet, Noise{.cv = cv, .stalls = share}, Who::kCandidate});
      }
    }
  }
  return cells;
}

class Grid {
 public:
  explicit Grid(std::int64_t repetitions) : repetitions_(repetitions) {}

  void FalseAlarms() {
    Tally all_kinds;
    const auto hold = [&](const Noise& noise, std::vector<int> lengths, double one, double more) {
      for (const int n : lengths) {
        for (const int k : {1, 3, 5}) {
          const Tally tally = Run(Plain(n, k, noise), 0, repetitions_);
          AtMost(fmt::format("false alarms, {}, n {}, K {}", Named(noise), n, k), tally.failed,
                 tally.comparisons, k == 1 ? one : more);
          if (one < 0.02) all_kinds.Add(tally);
        }
      }
    };
    const std::vector<int> all = {5, 8, 12, 20, 50}, longer = {8, 12, 20, 50};
    for (const double cv : {0.005, 0.01, 0.02, 0.03}) hold({.cv = cv}, all, 0.015, 0.015);
    for (const double rho : {0.3, 0.7}) hold({.correlation = rho}, all, 0.015, 0.015);
    for (const double share : {0.02, 0.1}) hold({.outliers = share}, all, 0.015, 0.015);
    hold({.cv = 0.05}, longer, 0.015, 0.015);
    hold({.cv = 0.05, .correlation = 0.3}, longer, 0.015, 0.015);
    hold({.cv = 0.1}, longer, 0.015, 0.015);
    hold({.cv = 0.01, .bimodal = 0.3}, longer, 0.015, 0.015);
    hold({.cv = 0.05, .correlation = 0.7}, all, 0.08, 0.04);
    AtMost("false alarms, all kinds but slow waves", all_kinds.failed, all_kinds.comparisons,
           0.005);
  }

  // One cell for each disturbance, over all lengths; the shapes are too many for more.
  void Disturbed() {
    for (const double cv : {0.01, 0.03}) {
      Tally alarms, found;
      for (const Cell& cell : Disturbances(cv)) {
        const std::int64_t few = std::max<std::int64_t>(1, repetitions_ / 5);
        const Tally none = Run(cell, 0, few), slower = Run(cell, 0.2, few);
        AtMost(fmt::format("false alarms, a disturbance, cv {:g} %", cv * 100), none.failed,
               none.comparisons, 0.03, false);
        AtLeast(fmt::format("found at +20 %, a disturbance, cv {:g} %", cv * 100), slower.failed,
                slower.comparisons, 0.9, false);
        alarms.Add(none);
        found.Add(slower);
      }
      AtMost(fmt::format("false alarms, all disturbances, cv {:g} %", cv * 100), alarms.failed,
             alarms.comparisons, 0.005);
      AtLeast(fmt::format("found at +20 %, all disturbances, cv {:g} %", cv * 100), found.failed,
              found.comparisons, 0.995);
    }
  }

  void Found() {
    for (const int n : {5, 8, 12, 20, 50}) {
      const Tally one = Run(Plain(n, 1, {}), 0.08, repetitions_);
      const Tally ten = Run(Plain(n, 10, {}), 0.08, repetitions_);
      AtLeast(fmt::format("found at +8 %, cv 2 %, n {}, K 10: not below K 1", n), ten.failed,
              ten.comparisons, one.FailedShare() - 0.03);
      const double bound = n == 5 ? 0.55 : n == 8 ? 0.78 : n == 12 ? 0.88 : 0.91;
      if (n <= 20) {
        AtLeast(fmt::format("found at +8 %, cv 2 %, n {}, K 1", n), one.failed, one.comparisons,
                bound);
      }
    }
    const Tally skewed = Run(Plain(20, 1, {.cv = 0.01, .skew = 0.05}), 0.08, repetitions_);
    AtLeast("found at +8 %, skewed 5 %, n 20, K 1", skewed.failed, skewed.comparisons, 0.95);
    const Tally waves = Run(Plain(20, 1, {.cv = 0.03, .correlation = 0.6}), 0.08, repetitions_);
    AtLeast("found at +8 %, cv 3 %, correlation 0.6, n 20, K 1", waves.failed, waves.comparisons,
            0.72);
  }

  void NoMiss() {
    std::vector<Cell> disturbed = Disturbances(0.01);
    for (const Cell& cell : Disturbances(0.03)) disturbed.push_back(cell);
    const auto missed = [](const Tally& tally) { return tally.Missed(); };
    const auto passed = [](const Tally& tally) { return tally.passed; };
    None("no miss at +16 %, quiet, n 8 to 50", Quiet({8, 12, 20, 50}), 0.16, missed);
    None("no miss at +20 %, quiet, n 3 to 50", Quiet({3, 4, 5, 6, 8, 12, 20, 50}), 0.2, missed);
    None("no miss at +50 %, disturbed", disturbed, 0.5, missed);
    None("no miss at +200 %, disturbed", disturbed, 2, missed);
    None("no miss at +100 %, noisy, n 3 to 50", Noisy(true), 1, missed);
    None("no miss at +200 %, noisy, n 3 to 50", Noisy(true), 2, missed);
    None("no exit 0 at +16 %, quiet", Quiet({3, 4, 5, 6, 8, 12, 20, 50}), 0.16, passed);
    None("no exit 0 at +20 %, disturbed", disturbed, 0.2, passed);
    None("no exit 0 at +50 %, cv 10 % and bimodal", Noisy(false), 0.5, passed);
    None("no exit 0, 45 % of iterations three times as long, n 30 and 50", Stalls(0.45, {30, 50}),
         0, passed);
    None("no miss, 45 % of iterations three times as long, n 50", Stalls(0.45, {50}), 0, missed);
  }

  bool Passed() const { return beyond_ == 0; }
  void Conclude() const { fmt::print("\n{} cells held, {} beyond\n", cells_ - beyond_, beyond_); }

 private:
  static double Room(double bound, std::int64_t of) {
    const double share = std::clamp(bound, 0.001, 0.999);
    return 4 * std::sqrt(share * (1 - share) / static_cast<double>(of));
  }

  void Say(bool holds, bool always, const std::string& what, const std::string& numbers) {
    ++cells_;
    beyond_ += !holds;
    if (always || !holds) fmt::print("{}  {}: {}\n", holds ? "ok    " : "BEYOND", what, numbers);
  }

  void AtMost(const std::string& what, std::int64_t count, std::int64_t of, double bound,
              bool always = true) {
    const double share = static_cast<double>(count) / static_cast<double>(of);
    Say(share <= bound + Room(bound, of), always, what,
        fmt::format("{:.2f} %, at most {:g} %", share * 100, bound * 100));
  }

  void AtLeast(const std::string& what, std::int64_t count, std::int64_t of, double bound,
               bool always = true) {
    const double share = static_cast<double>(count) / static_cast<double>(of);
    Say(share >= bound - Room(bound, of), always, what,
        fmt::format("{:.2f} %, at least {:.4g} %", share * 100, bound * 100));
  }

  void None(const std::string& what, const std::vector<Cell>& cells, double effect,
            const std::function<std::int64_t(const Tally&)>& count) {
    const auto each =
        std::max<std::int64_t>(1, 50 * repetitions_ / static_cast<std::int64_t>(cells.size()));
    Tally all;
    for (const Cell& cell : cells) all.Add(Run(cell, effect, each));
    Say(count(all) == 0, true, what, fmt::format("{} of {}", count(all), all.comparisons));
  }

  std::int64_t repetitions_;
  std::int64_t cells_ = 0, beyond_ = 0;
};

// The table of the documentation: what fails, by kind of noise and how much is recorded.
void PrintTable(std::int64_t repetitions) {
  const std::vector<Noise> kinds = {{.cv = 0.005},
                                    {.cv = 0.01},
                                    {.cv = 0.02},
                                    {.cv = 0.03},
                                    {.cv = 0.05},
                                    {.cv = 0.1},
                                    {.correlation = 0.3},
                                    {.correlation = 0.7},
                                    {.outliers = 0.02},
                                    {.outliers = 0.1},
                                    {.cv = 0.01, .bimodal = 0.3}};
  fmt::print("| noise | n 5, K 1 | n 5, K 3 | n 12, K 1 | n 12, K 3 | n 20, K 1 | n 20, K 5 |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Noise& noise : kinds) {
    std::string line = "| " + Named(noise);
    for (const auto& [n, k] : {std::pair{5, 1}, {5, 3}, {12, 1}, {12, 3}, {20, 1}, {20, 5}}) {
      const Tally none = Run(Plain(n, k, noise), 0, repetitions);
      const Tally some = Run(Plain(n, k, noise), 0.08, repetitions);
      const Tally more = Run(Plain(n, k, noise), 0.2, repetitions);
      line +=
          fmt::format(" | {:.1f} / {:.1f} / {:.0f} / {:.0f}", none.FailedShare() * 100,
                      none.OpenShare() * 100, some.FailedShare() * 100, more.FailedShare() * 100);
    }
    fmt::print("{} |\n", line);
  }
}

std::int64_t RepetitionsOf(int argc, char** argv) {
  std::int64_t repetitions = 2000;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--repetitions") != 0) continue;
    const char* text = argv[i + 1];
    std::from_chars(text, text + std::strlen(text), repetitions);
  }
  return std::max<std::int64_t>(1, repetitions);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t repetitions = RepetitionsOf(argc, argv);
  fmt::print(
      "n iterations a run, K baseline runs; false alarms / exit 3 without a change / fails at +8 % "
      "/ at +20 %, in per cent of {} comparisons; limit +5 %\n\n",
      repetitions);
  PrintTable(repetitions);
  fmt::print("\n");
  Grid grid(repetitions);
  grid.FalseAlarms();
  grid.Disturbed();
  grid.Found();
  grid.NoMiss();
  grid.Conclude();
  return grid.Passed() ? 0 : 1;
}
