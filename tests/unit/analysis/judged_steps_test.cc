// Unrecorded iterations: their level and its interval by simulation, the ones that count, and the
// numbers that they correct.
#include "analysis/trust/judged_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "fixture.h"
#include "model/run_side.h"

namespace profgauge::analysis {
namespace {

/// Normal values from SplitMix64: the same on every machine except for the last digits.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

  double Uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_;
};

/// How the lengths of a run vary: by `cv`, each correlated with the one before by `rho`; a share of
/// them takes `times` as long; runs differ by `run`; a slow wave of `wave` is in each.
struct Varying {
  double cv = 0.02, rho = 0.5;
  double share = 0, times = 1;
  double run = 0, wave = 0;
};

/// Lengths around 27.8 ms, and `more` longer (a logarithm).
std::vector<Ns> LengthsOf(std::size_t n, const Varying& by, Normal& normal, double more = 0) {
  std::vector<Ns> lengths;
  constexpr double kWave = 0.98;
  double x = normal(), wave = by.wave > 0 ? normal() : 0;
  const double level = more + (by.run > 0 ? by.run * normal() : 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) x = by.rho * x + std::sqrt(1 - by.rho * by.rho) * normal();
    if (i > 0 && by.wave > 0) wave = kWave * wave + std::sqrt(1 - kWave * kWave) * normal();
    const double spike = by.share > 0 && normal.Uniform() < by.share ? std::log(by.times) : 0;
    lengths.push_back(std::llround(27.8e6 * std::exp(level + by.cv * x + by.wave * wave + spike)));
  }
  return lengths;
}

// For two equal runs: how often the interval of the change holds 0, in per cent.
double CoverageOf(std::size_t n, const Varying& by, int repetitions) {
  Normal normal(n * 1000 + static_cast<std::uint64_t>(by.rho * 10 + by.share * 100));
  int held = 0;
  for (int i = 0; i < repetitions; ++i) {
    const trust::StepLevel a = trust::LevelOfSteps(LengthsOf(n, by, normal));
    const trust::StepLevel b = trust::LevelOfSteps(LengthsOf(n, by, normal));
    held += std::abs(std::log(b.median / a.median)) <= std::hypot(a.own, b.own);
  }
  return 100.0 * held / repetitions;
}

// The table of src/gate/README.md.
TEST(JudgedSteps, IntervalsHoldTheirChange) {
  const Varying kNoises[] = {{0.02, 0}, {}, {0.02, 0.8}, {0.02, 0.5, 0.02, 1.5}};
  for (const std::size_t n : {std::size_t{200}, std::size_t{1000}}) {
    for (const Varying& by : kNoises) {
      const double coverage = CoverageOf(n, by, n == 200 ? 2000 : 1000);
      RecordProperty(fmt::format("coverage_{}_{}_{}", n, by.rho, by.share),
                     fmt::format("{:.1f}", coverage));
      EXPECT_GE(coverage, 93) << n << ", rho " << by.rho << ", spikes " << by.share;
      EXPECT_LE(coverage, 99) << n << ", rho " << by.rho << ", spikes " << by.share;
    }
  }
}

// To a short run a wave as long as itself is noise between runs: a floor for that covers it.
TEST(JudgedSteps, NothingInARunShowsASlowWave) {
  const Varying wave{0.02, 0.5, 0, 1, 0, 0.02};
  EXPECT_NEAR(CoverageOf(200, wave, 1000), 60, 6);
  EXPECT_NEAR(CoverageOf(1000, wave, 1000), 75, 6);
}

// The smallest change that nine of ten would find: (z.975 + z.90) spreads of a difference.
TEST(JudgedSteps, LevelsFindSmallChanges) {
  const struct {
    std::size_t n;
    double cv, found, among_runs;  // In per cent; the last where runs differ by 1 %.
  } kCells[] = {{50, 2, 2.35, 5.1},   {50, 5, 6.0, 7.5},   {50, 10, 12.2, 12.5},
                {200, 2, 1.19, 4.7},  {200, 5, 3.1, 5.7},  {200, 10, 6.4, 7.6},
                {1000, 2, 0.54, 4.9}, {1000, 5, 1.4, 4.9}, {1000, 10, 2.8, 5.4}};
  for (const auto& cell : kCells) {
    for (const double run : {0.0, 0.01}) {
      Normal normal(cell.n * 100 + static_cast<std::uint64_t>(cell.cv));
      const int repetitions = cell.n == 1000 ? 1000 : 4000;
      double sum = 0, squares = 0;
      for (int i = 0; i < repetitions; ++i) {
        const Varying by{cell.cv / 100, 0.5, 0, 1, run};
        const double level =
            std::log(trust::LevelOfSteps(LengthsOf(cell.n, by, normal)).median / 27.8e6);
        sum += level;
        squares += level * level;
      }
      const double spread = std::sqrt((squares - sum * sum / repetitions) / (repetitions - 1));
      const double found = 100 * (1.959964 + 1.281552) * std::sqrt(2.0) * spread;
      RecordProperty(fmt::format("found_{}_{}_{}", cell.n, cell.cv, run),
                     fmt::format("{:.2f}", found));
      // Both tables are made of some thousand runs.
      const double wanted = run > 0 ? cell.among_runs : cell.found;
      EXPECT_NEAR(found, wanted, std::max(0.3, 0.04 * wanted))
          << cell.n << ", cv " << cell.cv << ", runs " << run;
    }
  }
}

// With the interval of a level and a known noise between runs of 1 %.
TEST(JudgedSteps, IntervalsFindChanges) {
  const struct {
    std::size_t n;
    double cv;
    std::array<double, 4> found;  // Found out of 100, at 0, 3, 5 and 8 %.
  } kCells[] = {{200, 2, {3, 51, 91, 100}},  {200, 5, {2, 40, 80, 99}},
                {200, 10, {2, 20, 48, 85}},  {1000, 2, {2, 54, 93, 100}},
                {1000, 5, {2, 52, 91, 100}}, {1000, 10, {3, 43, 83, 100}}};
  constexpr std::array<double, 4> kChanges = {0, 0.03, 0.05, 0.08};
  constexpr double kBetween = 1.959964 * 0.01;
  for (const auto& cell : kCells) {
    Normal normal(cell.n * 10 + static_cast<std::uint64_t>(cell.cv));
    const Varying by{cell.cv / 100, 0.5, 0, 1, 0.01};
    for (std::size_t i = 0; i < kChanges.size(); ++i) {
      int found = 0;
      for (int repetition = 0; repetition < 500; ++repetition) {
        const trust::StepLevel a = trust::LevelOfSteps(LengthsOf(cell.n, by, normal));
        const trust::StepLevel b = trust::LevelOfSteps(LengthsOf(cell.n, by, normal, kChanges[i]));
        const double width = std::sqrt(a.own * a.own + b.own * b.own + 2 * kBetween * kBetween);
        found += std::log(b.median / a.median) > width;
      }
      RecordProperty(fmt::format("power_{}_{}_{}", cell.n, cell.cv, kChanges[i]), found / 5);
      EXPECT_NEAR(found / 5.0, cell.found[i], 8)
          << cell.n << ", cv " << cell.cv << ", change " << kChanges[i];
    }
  }
}

TEST(JudgedSteps, CoarseLengthsAreNoMoreExactThanTheirClock) {
  const trust::StepLevel level = trust::LevelOfSteps(std::vector<Ns>(100, 28'000'000));
  EXPECT_EQ(level.median, 28e6);
  EXPECT_NEAR(level.own, 0.5 / 28, 1e-9);
}

/// Recorded iterations 100 to 103 of `length` ms, in each of which a kernel runs for `busy` ms; for
/// 0 there is no device.
Profile Recorded(double length, double busy) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](double ms) { return static_cast<Ns>((i * length + ms) * kMs); };
    test.Step(100 + i, {at(0), at(length)});
    if (busy > 0) {
      test.Launch("kernel", {at(0.1), at(0.2)}, {at(length - busy), at(length)});
    } else {
      test.Op("aten::add", {at(0.1), at(length - 0.1)});
    }
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

// Times of another device are of another run, whatever their lengths.
TEST(JudgedSteps, AnotherDeviceContradicts) {
  Profile profile = Recorded(10, 8);
  profile.gpus = {{}};
  profile.gpus[0].name = "NVIDIA A100-SXM4-80GB";
  Attach({Steps(10, 80, 9.5)}, profile);
  auto side = std::make_shared<RunSide>(*profile.run_side);
  side->document->devices = {{}};
  side->document->devices[0].name = "A100-SXM4-80GB";
  profile.run_side = side;
  EXPECT_NE(AnalyzeOne(profile).steps, nullptr);
  auto other = std::make_shared<RunSide>(*side);
  other->document->devices[0].name = "NVIDIA H200";
  profile.run_side = other;
  const Analysis analysis = AnalyzeOne(profile);
  EXPECT_EQ(analysis.steps, nullptr);
  const auto remark = std::ranges::find(analysis.remarks, "run-contradicts", &Remark::id);
  ASSERT_NE(remark, analysis.remarks.end());
  EXPECT_EQ(remark->text,
            "unrecorded iterations are of NVIDIA H200, the profile is of NVIDIA A100-SXM4-80GB");
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

// Whether a profile is typical depends on lengths alone, which a run without devices has, too.
TEST(JudgedSteps, LengthsDecideWhatIsTypical) {
  const auto typical = [](double busy, double unrecorded) {
    Profile profile = Recorded(10, busy);
    Attach({Steps(10, 80, unrecorded)}, profile);
    const Analysis analysis = AnalyzeOne(profile);
    EXPECT_NE(analysis.steps, nullptr);
    const auto check =
        std::ranges::find(analysis.certificate.checks, "typical", &CertificateCheck::id);
    return check == analysis.certificate.checks.end()
               ? "none"
               : std::string(NameOf(check->state)) + ": " + WithPlainBlanks(check->text);
  };
  const std::string_view longer =
      "doubt: unrecorded iterations take 12.0 ms, longer than recorded ones (10.0 ms): the "
      "profile is of another part of the run";
  for (const double busy : {0.0, 5.0}) {
    EXPECT_EQ(typical(busy, 9), "ok: ") << busy;
    EXPECT_EQ(typical(busy, 12), longer) << busy;
  }
}

TEST(JudgedSteps, WithoutADocumentNothingIsSaid) {
  const Analysis analysis = AnalyzeOne(Recorded(10, 5));
  EXPECT_EQ(analysis.steps, nullptr);
  EXPECT_EQ(ValueIn(analysis, "step.time.median"), -1);
  EXPECT_EQ(analysis.certificate.trust, Trust::kWhole);
  EXPECT_GE(analysis.certificate.checks.size(), 25u);
}

}  // namespace
}  // namespace profgauge::analysis
