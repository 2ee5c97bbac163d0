// Whose work a slower run of several ranks is.
#include <gtest/gtest.h>

#include "gate/change_text.h"
#include "gate/compare.h"
#include "gate/compare_ranks.h"
#include "gate/snapshot.h"

namespace profgauge::gate {
namespace {

Snapshot RunOf(const std::vector<Ns>& own) {
  Snapshot run;
  run.iteration_times = {12'000'000, 12'000'000, 12'000'000};
  std::int64_t rank = 0;
  for (const Ns time : own) run.ranks.push_back({rank++, time, time - 1'000'000});
  return run;
}

TEST(FindSlowRank, NamesTheRankThatStandsOut) {
  const Snapshot base = RunOf({10'000'000, 10'000'000, 10'000'000, 10'000'000});
  const auto slow = FindSlowRank(base, RunOf({10'020'000, 10'030'000, 10'040'000, 14'970'000}));
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->rank, 3);
  const std::string& text = slow->text;
  EXPECT_EQ(text.find("rank 3 takes 4.97"), 0U) << text;
  EXPECT_NE(text.find("; that of the other ranks changed by +30.0"), std::string::npos) << text;
}

TEST(FindSlowRank, IsEmptyWhereNoneStandsOut) {
  const Snapshot base = RunOf({10'000'000, 10'000'000, 10'000'000, 10'000'000});
  EXPECT_FALSE(FindSlowRank(base, RunOf({14'000'000, 14'010'000, 14'020'000, 14'030'000})));
  EXPECT_FALSE(FindSlowRank(base, RunOf({10'000'000, 10'010'000, 10'020'000, 10'150'000})));
  // All are faster, and one only gained least.
  EXPECT_FALSE(FindSlowRank(base, RunOf({8'000'000, 8'010'000, 8'020'000, 9'900'000})));
  // Two ranks do not show how much ranks differ, and a rank less is another run.
  EXPECT_FALSE(FindSlowRank(RunOf({10'000'000, 10'000'000}), RunOf({10'000'000, 15'000'000})));
  EXPECT_FALSE(FindSlowRank(base, RunOf({10'000'000, 10'000'000, 15'000'000})));
}

analysis::breakdown::TimePart PartOfRank(const char* category, Ns time) {
  analysis::breakdown::TimePart part;
  part.category = category;
  part.kernel = category;
  part.count = 3;
  part.time = 3 * time;
  return part;
}

// All ranks of a run take as long where they wait for one: its parts may be those of a rank that
// waits, with communication instead of the loader.
TEST(CompareRuns, ExplainsTheSlowRankByItsOwnParts) {
  Snapshot base = RunOf({10'000'000, 10'000'000, 10'000'000});
  Snapshot current = RunOf({10'000'000, 15'000'000, 10'000'000});
  for (Snapshot* run : {&base, &current}) {
    const Ns wait = run == &base ? 1'000'000 : 6'000'000;
    run->iteration_times.assign(3, 11'000'000 + wait);
    run->parts = {PartOfRank("other_kernel", 11'000'000), PartOfRank("communication", wait)};
    run->ranks[1].iteration_times = run->iteration_times;
    run->ranks[1].parts = {PartOfRank("other_kernel", 11'000'000), PartOfRank("dataloader", wait)};
  }
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  ASSERT_TRUE(comparison.slow_rank);
  EXPECT_EQ(comparison.slow_rank->rank, 1);
  EXPECT_TRUE(comparison.is_of_rank);
  EXPECT_EQ(comparison.waterfall.steps.front().name, "dataloader");
  // From a file only the run's parts are known.
  base.ranks[1].parts.clear();
  const RunComparison of_file = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  EXPECT_FALSE(of_file.is_of_rank);
  EXPECT_EQ(of_file.waterfall.steps.front().name, "communication");
}

TEST(IdleInText, NamesTheFunctionThatTakesHalfOfTheHostTime) {
  Snapshot base = RunOf({}), current = RunOf({});
  base.parts = {PartOfRank("other_kernel", 12'000'000)};
  current.parts = {PartOfRank("other_kernel", 12'000'000), PartOfRank("other", 900'000)};
  const Waterfall waterfall = Explain(base, current);
  EXPECT_EQ(IdleInText(base, current, waterfall), "");  // As of a file.
  base.idle_in.emplace();
  current.idle_in = {{"preprocess", 800'000}, {"other", 1'000}};
  EXPECT_EQ(IdleInText(base, current, waterfall).find("the host takes 900"), 0U);
  EXPECT_NE(IdleInText(base, current, waterfall).find("`preprocess`"), std::string::npos);
  current.idle_in = {{"preprocess", 300'000}};
  EXPECT_EQ(IdleInText(base, current, waterfall), "");
  current.idle_in = {{"preprocess", 800'000}};
  EXPECT_EQ(IdleInText(current, base, Explain(current, base)), "");
}

}  // namespace
}  // namespace profgauge::gate
