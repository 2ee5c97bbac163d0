// The words of a saving.
#include "rules/claim.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/analysis.h"

namespace profgauge::rules {
namespace {

// With plain spaces.
std::string Told(const Claim& claim) {
  std::string text = ClaimText(claim);
  for (std::size_t at; (at = text.find("\u202f")) != text.npos;) text.replace(at, 3, " ");
  return text;
}

TEST(Claim, NamesItsBasis) {
  EXPECT_EQ(Told({Basis::kSimulated, 7.2e6, {}, {}}), "saves 7.20 ms");
  EXPECT_EQ(Told({Basis::kAtMost, 2.44e6, {}, {}}), "saves at most 2.44 ms");
  EXPECT_EQ(Told({Basis::kAbout, 120e3, {}, {}}), "saves about 120 µs");
  EXPECT_EQ(Told({Basis::kUnknown, 0, {}, "no iterations"}), "saving unknown");
  EXPECT_EQ(Told({}), "");
}

TEST(Claim, OfNothingSaysSoWhateverItsBasis) {
  EXPECT_EQ(Told({Basis::kSimulated, 0, {}, {}}), "saves nothing");
  EXPECT_EQ(Told({Basis::kAtMost, 0, {}, {}}), "saves nothing");
}

TEST(Claim, RangeSharesItsUnit) {
  EXPECT_EQ(Told({Basis::kSimulated, 59e6, 48.2e6, {}}), "saves 48.2 to 59.0 ms");
  EXPECT_EQ(Told({Basis::kSimulated, 1.2e6, 900e3, {}}), "saves 900 µs to 1.20 ms");
  EXPECT_EQ(Told({Basis::kSimulated, 1.2e6, 1.2e6 - 1, {}}), "saves 1.20 ms");
  EXPECT_EQ(Told({Basis::kSimulated, 1.2e6, 0, {}}), "saves up to 1.20 ms");
  EXPECT_EQ(Told({Basis::kSimulated, 749e6, {}, {}, true}), "saves up to 749 ms");
}

// Nothing shows which work of an undivided profile occurs once.
TEST(Claim, DoubtsTheHostOfAnUndividedProfile) {
  analysis::Analysis analysis;
  EXPECT_EQ(HostExcessOf(analysis), 0);
  analysis.iteration_source.by = IterationsBy::kUndivided;
  Claim claim{Basis::kSimulated, 59e6, {}, {}};
  AllowForExcess(HostExcessOf(analysis), 1e6, claim);
  EXPECT_EQ(Told(claim), "saves up to 59.0 ms");
}

// All of the profiler's delay may be in the work that a change takes away.
TEST(Claim, AllowsForTheProfiler) {
  const auto told = [](double delay, Claim claim) {
    AllowForExcess(delay, 1e6, claim);
    return Told(claim);
  };
  const Claim simulated{Basis::kSimulated, 59e6, {}, {}};
  EXPECT_EQ(told(0, simulated), "saves 59.0 ms");
  EXPECT_EQ(told(0.9e6, simulated), "saves 59.0 ms");
  EXPECT_EQ(told(9e6, simulated), "saves 50.0 to 59.0 ms");
  EXPECT_EQ(told(70e6, simulated), "saves up to 59.0 ms");
  // The lower of both low ends.
  EXPECT_EQ(told(9e6, {Basis::kSimulated, 59e6, 48.2e6, {}}), "saves 48.2 to 59.0 ms");
  EXPECT_EQ(told(20e6, {Basis::kSimulated, 59e6, 48.2e6, {}}), "saves 39.0 to 59.0 ms");
  // A bound is one already.
  EXPECT_EQ(told(9e6, {Basis::kAtMost, 59e6, {}, {}}), "saves at most 59.0 ms");
}

}  // namespace
}  // namespace profgauge::rules
