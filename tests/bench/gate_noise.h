// Runs with a known truth: iteration times as logarithms, with the noise that programs have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>
#include <vector>

namespace profgauge::simulation {

/// Deterministic on every machine: std::normal_distribution differs between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  int Below(int n) { return std::min(n - 1, static_cast<int>(Uniform() * n)); }
  double Normal() {  // Box and Muller.
    const double u = (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

 private:
  std::mt19937_64 engine_;
};

enum class Kind {
  kEven,        ///< Normal, spread `a`.
  kWave,        ///< The same, autocorrelated by `b`.
  kBimodal,     ///< A share `a` takes `b` longer.
  kHeavy,       ///< Spread `a`; a share `b` takes 2 to 10 times as long.
  kStalls,      ///< Spread `a`; a share `b` takes `c` times as long.
  kStudent3,    ///< Student's t with 3 degrees, spread `a`.
  kThrottle,    ///< Slows down by `a` over a quarter of the run, from a random iteration on.
  kDrift,       ///< Slows down by `a` over the run.
  kCheckpoint,  ///< Every `a`-th takes `b` longer.
  kWarmup,      ///< Up to a share `a` begins by `b` slower.
  kGarbage,     ///< A share `a` takes 10 to 50 % longer.
  kSkewed,      ///< Half-normal, spread `a`.
};

struct Noise {
  std::string_view name;
  Kind kind = Kind::kEven;
  double a = 0.02, b = 0, c = 0;
};

/// Noise between runs of one program.
constexpr double kRunNoise = 0.01;

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}
  Random& random() { return random_; }

  std::vector<double> Run(const Noise& noise, int n) {
    const double level = kRunNoise * random_.Normal();
    std::vector<double> run;
    if (noise.kind == Kind::kThrottle) start_ = random_.Below(n);
    if (noise.kind == Kind::kCheckpoint) start_ = random_.Below(static_cast<int>(noise.a));
    if (noise.kind == Kind::kWarmup) {
      start_ = std::max(1, static_cast<int>(n * random_.Uniform(0, noise.a)));
    }
    wave_ = random_.Normal();
    for (int i = 0; i < n; ++i) run.push_back(level + Value(noise, i, n));
    return run;
  }

 private:
  double Value(const Noise& noise, int i, int n) {
    const auto some = [&](double share) { return random_.Uniform() < share; };
    switch (noise.kind) {
      case Kind::kEven:
        return noise.a * random_.Normal();
      case Kind::kWave:
        if (i > 0) {
          wave_ = noise.b * wave_ + std::sqrt(1 - noise.b * noise.b) * random_.Normal();
        }
        return noise.a * wave_;
      case Kind::kBimodal:
        return (some(noise.a) ? std::log1p(noise.b) : 0) + 0.01 * random_.Normal();
      case Kind::kHeavy:
        return noise.a * random_.Normal() + (some(noise.b) ? std::log(random_.Uniform(2, 10)) : 0);
      case Kind::kStalls:
        return noise.a * random_.Normal() + (some(noise.b) ? std::log(noise.c) : 0);
      case Kind::kStudent3: {
        double squares = 0;
        for (int k = 0; k < 3; ++k) squares += std::pow(random_.Normal(), 2);
        return noise.a * random_.Normal() / std::sqrt(squares / 3);
      }
      case Kind::kThrottle:
        return 0.01 * random_.Normal() +
               std::log1p(noise.a) * std::clamp((i - start_) / std::max(1.0, n / 4.0), 0.0, 1.0);
      case Kind::kDrift:
        return 0.01 * random_.Normal() + std::log1p(noise.a) * i / std::max(1, n - 1);
      case Kind::kCheckpoint:
        return 0.02 * random_.Normal() +
               ((i + start_) % static_cast<int>(noise.a) == 0 ? std::log1p(noise.b) : 0);
      case Kind::kWarmup:
        return 0.02 * random_.Normal() +
               (i < start_ ? std::log1p(noise.b) * (1 - static_cast<double>(i) / start_) : 0);
      case Kind::kGarbage:
        return 0.02 * random_.Normal() +
               (some(noise.a) ? std::log1p(random_.Uniform(0.1, 0.5)) : 0);
      case Kind::kSkewed:
        return std::abs(noise.a * random_.Normal());
    }
    return 0;
  }

  Random random_;
  int start_ = 0;
  double wave_ = 0;
};

}  // namespace profgauge::simulation
