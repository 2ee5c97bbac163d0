// The order of changes, on made savings with known answers.
#include "rules/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace profgauge::rules {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr PlanLimits kLimits = {
    .least_saving = 1, .tie = 0.1, .most_steps = 6, .paired = 4, .most_replays = 1000};

// An iteration of several chains beside each other: it takes as long as the longest. Each option
// shortens parts of chains.
struct Chains {
  std::vector<std::vector<double>> lengths;           // By chain: its parts.
  std::vector<std::vector<std::pair<int, int>>> cut;  // By option: (chain, part) that goes to 0.

  double With(std::span<const std::size_t> chosen) const {
    auto left = lengths;
    for (const std::size_t option : chosen) {
      for (const auto& [chain, part] : cut[option]) left[chain][part] = 0;
    }
    double longest = 0;
    for (const auto& chain : left) {
      double sum = 0;
      for (const double part : chain) sum += part;
      longest = std::max(longest, sum);
    }
    return longest;
  }
  PlannedSteps Plan(PlanLimits limits = kLimits) const {
    std::vector<PlanOption> options(cut.size(), {kUnbounded, true});
    return SearchPlan(options, limits,
                      [this](std::span<const std::size_t> chosen) { return With(chosen); });
  }
};

std::vector<std::vector<std::size_t>> OptionsOf(const PlannedSteps& plan) {
  std::vector<std::vector<std::size_t>> out;
  for (const PlannedStep& step : plan.steps) out.push_back(step.options);
  return out;
}

TEST(PlanSearch, LargestFirstOthersCountTheRest) {
  // Both shorten the same part: the second saves nothing after the first.
  const Chains chains{{{50, 20, 30}}, {{{0, 1}}, {{0, 0}}, {{0, 0}}}};
  const PlannedSteps plan = chains.Plan();
  EXPECT_EQ(OptionsOf(plan), (std::vector<std::vector<std::size_t>>{{1}, {0}}));
  EXPECT_DOUBLE_EQ(plan.steps[0].saves, 50);
  EXPECT_DOUBLE_EQ(plan.steps[1].saves, 20);
  EXPECT_EQ(plan.no_effect, (std::vector<std::size_t>{2}));
  EXPECT_TRUE(plan.complete);
}

TEST(PlanSearch, AsksForNoMoreThanAllTogetherSave) {
  const Chains chains{{{50, 20, 30}, {2}}, {{{0, 1}}, {{0, 0}}, {{0, 2}}, {{1, 0}}, {{1, 0}}}};
  std::vector<PlanOption> options(chains.cut.size(), {kUnbounded, true});
  const auto search = [&](double least_time) {
    PlanLimits limits = kLimits;
    limits.least_saving = 5;
    limits.least_time = least_time;
    return SearchPlan(options, limits,
                      [&](std::span<const std::size_t> chosen) { return chains.With(chosen); });
  };
  const PlannedSteps all = search(-kUnbounded), bounded = search(0);
  EXPECT_EQ(OptionsOf(bounded), OptionsOf(all));
  EXPECT_EQ(bounded.no_effect, all.no_effect);
  EXPECT_EQ(bounded.no_effect, (std::vector<std::size_t>{3, 4}));
  EXPECT_LT(bounded.replays, all.replays);
  for (std::size_t i = 0; i < options.size(); ++i) {
    options[i].alone = 100 - chains.With(std::vector<std::size_t>{i});
  }
  const PlannedSteps known = search(0);
  EXPECT_EQ(OptionsOf(known), OptionsOf(all));
  EXPECT_EQ(known.steps[0].alone, all.steps[0].alone);
  EXPECT_EQ(known.replays + options.size(), bounded.replays);
}

TEST(PlanSearch, StepMayNeedAnotherFirst) {
  // The host takes 100, the device beside it 60.
  const Chains chains{{{100}, {40, 20}}, {{{1, 0}}, {{0, 0}}}};
  const PlannedSteps plan = chains.Plan();
  EXPECT_EQ(OptionsOf(plan), (std::vector<std::vector<std::size_t>>{{1}, {0}}));
  EXPECT_DOUBLE_EQ(plan.steps[0].saves, 40);
  EXPECT_DOUBLE_EQ(plan.steps[1].saves, 40);
  EXPECT_DOUBLE_EQ(plan.steps[1].alone, 0);
}

TEST(PlanSearch, JointSavingsAreOneStep) {
  const Chains chains{{{50, 50}, {60, 40}}, {{{0, 0}}, {{1, 0}}}};
  const PlannedSteps plan = chains.Plan();
  EXPECT_EQ(OptionsOf(plan), (std::vector<std::vector<std::size_t>>{{0, 1}}));
  EXPECT_DOUBLE_EQ(plan.steps[0].saves, 50);
}

TEST(PlanSearch, TiesTakeEarlierOption) {
  const Chains chains{{{30, 30.05, 40}}, {{{0, 0}}, {{0, 1}}}};
  EXPECT_EQ(OptionsOf(chains.Plan())[0], std::vector<std::size_t>{0});
}

TEST(PlanSearch, PassedOnesJoinAfterFirstStep) {
  const Chains chains{{{10, 60, 30}}, {{{0, 0}}, {{0, 1}}}};
  const std::vector<PlanOption> options = {{kUnbounded, true}, {kUnbounded, false}};
  const auto with = [&](std::span<const std::size_t> chosen) { return chains.With(chosen); };
  EXPECT_EQ(OptionsOf(SearchPlan(options, kLimits, with)),
            (std::vector<std::vector<std::size_t>>{{0}, {1}}));
  // Without a step before it, it is no part of the plan.
  const std::vector<PlanOption> passed = {{kUnbounded, false}, {kUnbounded, false}};
  EXPECT_TRUE(SearchPlan(passed, kLimits, with).steps.empty());
}

TEST(PlanSearch, ReplayBudgetEndsItWithNote) {
  const Chains chains{{{50, 20, 30}}, {{{0, 0}}, {{0, 1}}, {{0, 2}}}};
  PlanLimits limits = kLimits;
  limits.most_replays = 2;
  const PlannedSteps plan = chains.Plan(limits);
  EXPECT_FALSE(plan.complete);
  EXPECT_LE(plan.replays, 2u);
}

// Without ties the order of the options decides nothing.
TEST(PlanSearch, OrderOfOptionsDecidesNothing) {
  std::mt19937 random(11);
  PlanLimits limits = kLimits;
  limits.tie = 0;
  for (int trial = 0; trial < 50; ++trial) {
    Chains chains;
    chains.lengths.emplace_back();
    for (int part = 0; part < 9; ++part) {
      chains.lengths.back().push_back(static_cast<double>(random() % 1'000'000) / 1'000);
    }
    for (int option = 0; option < 6; ++option) chains.cut.push_back({{0, option}, {0, option + 3}});
    Chains turned = chains;
    std::ranges::reverse(turned.cut);
    auto others = OptionsOf(turned.Plan(limits));
    for (auto& step : others) {
      for (std::size_t& option : step) option = chains.cut.size() - 1 - option;
    }
    EXPECT_EQ(OptionsOf(chains.Plan(limits)), others);
  }
}

// Random chains: invariants of every plan.
TEST(PlanSearch, SavingsAddUpToTotal) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 300; ++trial) {
    Chains chains;
    for (int chain = 0; chain <= below(4); ++chain) {
      chains.lengths.emplace_back();
      for (int part = 0; part <= below(5); ++part) chains.lengths.back().push_back(below(50));
    }
    for (int option = 0; option <= below(7); ++option) {
      chains.cut.emplace_back();
      for (int i = 0; i <= below(3); ++i) {
        const int chain = below(static_cast<int>(chains.lengths.size()));
        const int part = below(static_cast<int>(chains.lengths[chain].size()));
        chains.cut.back().emplace_back(chain, part);
      }
    }
    // True bounds: the sum of an option's cuts.
    std::vector<PlanOption> options;
    for (const auto& cut : chains.cut) {
      double most = 0;
      for (const auto& [chain, part] : std::set(cut.begin(), cut.end())) {
        most += chains.lengths[chain][part];
      }
      options.push_back({most, true});
    }
    const auto with = [&](std::span<const std::size_t> chosen) { return chains.With(chosen); };
    const PlannedSteps plan = SearchPlan(options, kLimits, with);
    PlanLimits side_by_side = kLimits;
    side_by_side.at_once = 3;
    const PlannedSteps ahead = SearchPlan(options, side_by_side, with);
    EXPECT_EQ(ahead.replays, plan.replays);
    ASSERT_EQ(ahead.steps.size(), plan.steps.size());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      EXPECT_EQ(ahead.steps[i].options, plan.steps[i].options);
      EXPECT_EQ(ahead.steps[i].saves, plan.steps[i].saves);
      EXPECT_EQ(ahead.steps[i].alone, plan.steps[i].alone);
    }
    EXPECT_EQ(ahead.no_effect, plan.no_effect);
    const PlannedSteps unbounded = chains.Plan();
    std::vector<std::size_t> all;
    double saved = 0;
    for (const PlannedStep& step : plan.steps) {
      EXPECT_GE(step.saves, kLimits.least_saving);
      double most = 0;
      for (const std::size_t option : step.options) most += options[option].at_most;
      EXPECT_LE(step.saves, most + 1e-9);
      EXPECT_NEAR(step.alone, chains.With({}) - chains.With(step.options), 1e-9);
      saved += step.saves;
      all.insert(all.end(), step.options.begin(), step.options.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_NEAR(saved, chains.With({}) - chains.With(all), 1e-9);
    // Bounds save replays and change no single step.
    EXPECT_LE(plan.replays, unbounded.replays);
    for (const std::size_t option : plan.no_effect) {
      EXPECT_EQ(std::count(all.begin(), all.end(), option), 0);
    }
  }
}

}  // namespace
}  // namespace profgauge::rules
