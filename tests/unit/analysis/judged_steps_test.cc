// Unrecorded iterations: their level and its interval by simulation, which of them count, and what
// is corrected by them.
#include "analysis/recording/judged_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"
#include "model/run_side.h"

namespace profgauge {
namespace {

/// Normal values from SplitMix64: the same on every machine except for the last digits.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  double Uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
  }
  std::uint64_t state_;
};

/// Lengths around 27.8 ms that vary by `cv`, each correlated with the one before by `rho`.
std::vector<Ns> LengthsAround(std::size_t n, double cv, double rho, Normal& normal) {
  std::vector<Ns> lengths;
  double x = normal();
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) x = rho * x + std::sqrt(1 - rho * rho) * normal();
    lengths.push_back(std::llround(27.8e6 * std::exp(cv * x)));
  }
  return lengths;
}

// Of two equal runs: how often the interval of the change holds 0, in per cent.
double CoverageOf(std::size_t n, double rho, int repetitions) {
  Normal normal(n * 1000 + static_cast<std::uint64_t>(rho * 10));
  int held = 0;
  for (int i = 0; i < repetitions; ++i) {
    const StepLevel a = LevelOfSteps(LengthsAround(n, 0.02, rho, normal));
    const StepLevel b = LevelOfSteps(LengthsAround(n, 0.02, rho, normal));
    held += std::abs(std::log(b.median / a.median)) <= std::hypot(a.own, b.own);
  }
  return 100.0 * held / repetitions;
}

TEST(JudgedSteps, IntervalsHoldTheirChange) {
  for (const std::size_t n : {std::size_t{200}, std::size_t{1000}}) {
    for (const double rho : {0.0, 0.5, 0.8}) {
      const double coverage = CoverageOf(n, rho, n == 200 ? 2000 : 1000);
      RecordProperty("coverage_" + std::to_string(n) + "_" + std::to_string(rho),
                     std::to_string(coverage));
      EXPECT_GE(coverage, 93) << n << ", rho " << rho;
      EXPECT_LE(coverage, 99) << n << ", rho " << rho;
    }
  }
}

// The smallest change that nine of ten would find: (z.975 + z.90) spreads of a difference.
TEST(JudgedSteps, LevelsFindSmallChanges) {
  const struct {
    std::size_t n;
    double cv, found;  // In per cent.
  } kCells[] = {{50, 2, 2.35},  {50, 5, 6.0},    {50, 10, 12.2}, {200, 2, 1.19}, {200, 5, 3.1},
                {200, 10, 6.4}, {1000, 2, 0.54}, {1000, 5, 1.4}, {1000, 10, 2.8}};
  for (const auto& cell : kCells) {
    Normal normal(cell.n * 100 + static_cast<std::uint64_t>(cell.cv));
    const int repetitions = cell.n == 1000 ? 1000 : 4000;
    double sum = 0, squares = 0;
    for (int i = 0; i < repetitions; ++i) {
      const double level =
          std::log(LevelOfSteps(LengthsAround(cell.n, cell.cv / 100, 0.5, normal)).median / 27.8e6);
      sum += level;
      squares += level * level;
    }
    const double spread = std::sqrt((squares - sum * sum / repetitions) / (repetitions - 1));
    const double found = 100 * (1.959964 + 1.281552) * std::sqrt(2.0) * spread;
    EXPECT_NEAR(found, cell.found, 0.3) << cell.n << ", cv " << cell.cv;
  }
}

TEST(JudgedSteps, CoarseLengthsAreNoMoreExactThanTheirClock) {
  const StepLevel level = LevelOfSteps(std::vector<Ns>(100, 28'000'000));
  EXPECT_EQ(level.median, 28e6);
  EXPECT_NEAR(level.own, 0.5 / 28, 1e-9);
}

/// Recorded iterations 100 to 103 of `length` ms, in each of which a kernel runs for `busy` ms.
Profile Recorded(double length, double busy) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](double ms) { return static_cast<Ns>((i * length + ms) * kMs); };
    test.Step(100 + i, {at(0), at(length)});
    test.Launch("kernel", {at(0.1), at(0.2)}, {at(length - busy), at(length)});
  }
  return test.Finish();
}

void Attach(std::vector<StepSegment> segments, Profile& profile, bool is_of_process = true) {
  auto side = std::make_shared<RunSide>();
  side->document.emplace().segments = std::move(segments);
  side->document->clock = StepClock::kDeviceEvent;
  side->is_of_process = is_of_process;
  profile.run_side = std::move(side);
}

/// `count` lengths of about `ms`.
StepSegment Steps(std::int64_t first, std::size_t count, double ms) {
  StepSegment segment{first, {}};
  for (std::size_t i = 0; i < count; ++i) {
    segment.lengths.push_back(std::llround(ms * 1e6) + static_cast<Ns>(i % 7) * 1'000);
  }
  return segment;
}

double ValueIn(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  return metric == nullptr ? -1 : AsNumber(metric->value, -1);
}

TEST(JudgedSteps, CorrectIdleTimeByTheUnrecordedLength) {
  Profile profile = Recorded(12.2, 2.93);
  Attach({Steps(10, 80, 10), Steps(110, 80, 10)}, profile);
  const Analysis analysis = AnalyzeOne(profile);
  ASSERT_NE(analysis.steps, nullptr);
  EXPECT_EQ(analysis.steps->level.values, 160u);
  EXPECT_NEAR(ValueIn(analysis, "gpu.idle.mean"), 1 - 2.93 / 12.2, 0.01);
  EXPECT_NEAR(ValueIn(analysis, "gpu.idle.unrecorded"), 0.707, 0.001);
  EXPECT_NEAR(ValueIn(analysis, "gpu.utilization.unrecorded"), 0.293, 0.001);
  EXPECT_NEAR(ValueIn(analysis, "step.perturbation"), 1.22, 0.005);
  const Metric* idle = analysis.Find("gpu.idle.unrecorded");
  EXPECT_LT(*idle->may_also_be, 0.707 - 0.005);
  EXPECT_GT(*idle->may_be, 0.707 + 0.005);
}

TEST(JudgedSteps, ThoseAfterTheProfileCountWhereTheyAreAsFast) {
  Profile profile = Recorded(12.2, 2.93);
  Attach({Steps(10, 80, 10), Steps(110, 80, 12.4)}, profile);
  Analysis analysis = AnalyzeOne(profile);
  ASSERT_NE(analysis.steps, nullptr);
  EXPECT_TRUE(analysis.steps->is_before_only);
  EXPECT_NEAR(ValueIn(analysis, "step.time.median") / 1e6, 10, 0.01);
  const auto after =
      std::ranges::find(analysis.certificate.checks, "after-profile", &CertificateCheck::id);
  ASSERT_NE(after, analysis.certificate.checks.end());
  EXPECT_EQ(after->state, CheckState::kDoubt);
  EXPECT_EQ(analysis.certificate.trust, Trust::kLimited);
}

TEST(JudgedSteps, UnusualOnesCountInTheTotalOnly) {
  Profile profile = Recorded(12.2, 2.93);
  StepSegment steps = Steps(10, 60, 10);
  steps.lengths[30] = 60'000'000;
  Attach({steps}, profile);
  auto side = std::make_shared<RunSide>(*profile.run_side);
  side->document->marks = {{40, 40, "checkpoint"}};
  profile.run_side = side;
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_NEAR(ValueIn(analysis, "step.time.max") / 1e6, 10, 0.01);
  EXPECT_NEAR(ValueIn(analysis, "run.time.mean") / 1e6, 10 + 50.0 / 60, 0.01);
  EXPECT_NEAR(ValueIn(analysis, "run.unusual_share"), 60.0 / 650, 1e-3);
}

// Half the time is no better run: the device works for longer in one recorded iteration.
TEST(JudgedSteps, ShorterThanTheWorkContradicts) {
  Profile profile = Recorded(10, 8);
  Attach({Steps(10, 80, 4)}, profile);
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_EQ(analysis.steps, nullptr);
  EXPECT_EQ(ValueIn(analysis, "gpu.idle.unrecorded"), -1);
  EXPECT_TRUE(std::ranges::any_of(
      analysis.remarks, [](const Remark& remark) { return remark.id == "run-contradicts"; }));
  EXPECT_EQ(analysis.certificate.trust, Trust::kNone);
}

TEST(JudgedSteps, WorkAtAPowerLimitIsNoContradiction) {
  Profile profile = Recorded(10, 9.9);
  Attach({Steps(10, 80, 9.6)}, profile);
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_NE(analysis.steps, nullptr);
  EXPECT_EQ(ValueIn(analysis, "gpu.idle.unrecorded"), 0);
}

TEST(JudgedSteps, FewOrLongerOnesCorrectNothing) {
  Profile profile = Recorded(10, 5);
  Attach({Steps(10, 19, 8)}, profile);
  EXPECT_EQ(AnalyzeOne(profile).steps, nullptr);
  Attach({Steps(10, 80, 12)}, profile);
  const Analysis longer = AnalyzeOne(profile);
  EXPECT_NE(longer.steps, nullptr);
  EXPECT_EQ(ValueIn(longer, "gpu.idle.unrecorded"), -1);
}

TEST(JudgedSteps, WithoutADocumentNothingIsSaid) {
  const Analysis analysis = AnalyzeOne(Recorded(10, 5));
  EXPECT_EQ(analysis.steps, nullptr);
  EXPECT_EQ(ValueIn(analysis, "step.time.median"), -1);
  EXPECT_EQ(analysis.certificate.trust, Trust::kWhole);
  EXPECT_GE(analysis.certificate.checks.size(), 25u);
}

}  // namespace
}  // namespace profgauge
