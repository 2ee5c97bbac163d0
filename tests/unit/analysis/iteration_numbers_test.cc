// The numbers that markers record.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

std::vector<bool> Follow(const std::vector<int>& numbers) {
  iterations::Iterations iterations;
  for (const int number : numbers) iterations.all.emplace_back().name = std::to_string(number);
  return iterations::FollowsDirectly(iterations);
}

// Neighbors differ by one, four or -1; the rest are jumps, and a new count follows nothing.
TEST(Iterations, FollowByTheirNumbers) {
  constexpr bool y = true, n = false;
  EXPECT_EQ(Follow({}), (std::vector<bool>{}));
  EXPECT_EQ(Follow({7}), (std::vector<bool>{n}));
  EXPECT_EQ(Follow({0, 1, 10, 11}), (std::vector<bool>{y, n, y, n}));
  EXPECT_EQ(Follow({0, 4, 8, 16}), (std::vector<bool>{y, y, n, n}));
  EXPECT_EQ(Follow({100, 101, 102, 103, 50, 51}), (std::vector<bool>{y, y, y, n, y, n}));
  EXPECT_EQ(Follow({5, 4, 3, 1}), (std::vector<bool>{y, y, n, n}));
  EXPECT_EQ(Follow({3, 2, 1, 9, 8, 7}), (std::vector<bool>{y, y, n, y, y, n}));
}

// The number that counts, not the last one: losses and sizes are no numbers of iterations.
TEST(Iterations, TakeTheNumberThatRises) {
  struct Row {
    std::vector<std::string> markers, names;
  };
  const Row kRows[] = {
      {{"step 7, loss 0.31", "step 8, loss 0.29", "step 9, loss 0.32"}, {"7", "8", "9"}},
      {{"step 7 (loss 31)", "step 8 (loss 29)", "step 9 (loss 32)"}, {"7", "8", "9"}},
      {{"epoch 2 step 007", "epoch 2 step 008", "epoch 2 step 009"}, {"007", "008", "009"}},
      {{"gpu0 step 50", "gpu0 step 20", "gpu0 step 21"}, {"50", "20", "21"}},
      {{"iteration 3/10", "iteration 4/10", "iteration 5/10"}, {"3", "4", "5"}},
      {{"step 7, loss 0.31", "step 8, loss 0.29", "step 50, loss 0.32"}, {"0", "1", "2"}},
      {{"context_0(0)_generation_33(33)", "context_0(0)_generation_34(34)",
        "context_0(0)_generation_36(36)"},
       {"0", "1", "2"}},
      {{"epoch 1 step 5"}, {"5"}},
      {{"train 1", "train 1", "train 2"}, {"0", "1", "2"}},
      {{"train", "train", "train"}, {"0", "1", "2"}}};
  for (const Row& row : kRows) {
    TestProfile test;
    Ns start = 0;
    for (const std::string& marker : row.markers) {
      test.Host(HostKind::kIterationMarker, marker, {start, start + 100});
      start += 100;
    }
    std::vector<std::string> names;
    const auto found = iterations::FindIterations(test.Finish(), {});
    ASSERT_TRUE(found) << found.error().message;
    for (const iterations::Iteration& iteration : found->all) names.push_back(iteration.name);
    EXPECT_EQ(names, row.names) << row.markers.front();
  }
}

}  // namespace
}  // namespace profgauge::analysis
