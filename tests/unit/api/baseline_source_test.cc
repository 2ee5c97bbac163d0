// Baselines of files beside those of a history.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "api/snapshots.h"

namespace profgauge {
namespace {

gate::Snapshot RunOf(const std::string& name) {
  gate::Snapshot run;
  run.name = name;
  return run;
}

TEST(BaselineSource, InfoHasTheOrderOfTheRuns) {
  BaselineSource source;
  source.runs = {RunOf("file 1"), RunOf("file 2")};
  source.choose = [](std::span<const gate::Snapshot>) -> Result<ChosenBaseline> {
    ChosenBaseline chosen;
    chosen.info.state = gate::BaselineState::kUsed;
    chosen.runs = {RunOf("run 3"), RunOf("run 5")};
    chosen.info.runs = {{3, "c3", "run 3"}, {5, "c5", "run 5"}};
    return chosen;
  };
  const auto chosen = source.For({});
  ASSERT_TRUE(chosen);
  std::vector<std::string> runs, named;
  for (const gate::Snapshot& run : chosen->runs) runs.push_back(run.name);
  for (const gate::BaselineRun& run : chosen->info.runs) named.push_back(run.name);
  EXPECT_EQ(runs, (std::vector<std::string>{"file 1", "file 2", "run 3", "run 5"}));
  EXPECT_EQ(named, runs);
}

}  // namespace
}  // namespace profgauge
