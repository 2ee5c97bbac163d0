// Whose work a slower run of several ranks is.
#include <gtest/gtest.h>

#include "gate/change_text.h"
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

TEST(SlowRankText, NamesTheRankThatStandsOut) {
  const Snapshot base = RunOf({10'000'000, 10'000'000, 10'000'000, 10'000'000});
  const std::string text =
      SlowRankText(base, RunOf({10'020'000, 10'030'000, 10'040'000, 14'970'000}));
  EXPECT_EQ(text.find("rank 3 takes 4.97"), 0U) << text;
  EXPECT_NE(text.find("; that of the other ranks changed by +30.0"), std::string::npos) << text;
}

TEST(SlowRankText, IsEmptyWhereNoneStandsOut) {
  const Snapshot base = RunOf({10'000'000, 10'000'000, 10'000'000, 10'000'000});
  EXPECT_EQ(SlowRankText(base, RunOf({14'000'000, 14'010'000, 14'020'000, 14'030'000})), "");
  EXPECT_EQ(SlowRankText(base, RunOf({10'000'000, 10'010'000, 10'020'000, 10'150'000})), "");
  // All are faster, and one only gained least.
  EXPECT_EQ(SlowRankText(base, RunOf({8'000'000, 8'010'000, 8'020'000, 9'900'000})), "");
  // Two ranks do not show how much ranks differ, and a rank less is another run.
  EXPECT_EQ(SlowRankText(RunOf({10'000'000, 10'000'000}), RunOf({10'000'000, 15'000'000})), "");
  EXPECT_EQ(SlowRankText(base, RunOf({10'000'000, 10'000'000, 15'000'000})), "");
}

}  // namespace
}  // namespace profgauge::gate
