// Summaries that are of something else, cut or damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../tools/ranks/made_ranks.h"
#include "analysis/breakdown/attribution.h"
#include "analysis/ranks/analyze_run.h"
#include "model/summary/summary_file.h"
#include "recordings.h"

namespace profgauge::analysis {
namespace {

using profgauge::made::Plan;
using ::testing::HasSubstr;

TEST(Summaries, RefusesAnotherSelection) {
  const std::vector<Profile> recordings = Recordings({});
  Selection later;
  later.warmup = 2;
  const auto summaries = ranks::SummarizeRanks(recordings, later);
  ASSERT_TRUE(summaries);
  EXPECT_TRUE(Analyze(StandIns(*summaries), later));
  const auto other = Analyze(StandIns(*summaries), {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "summary/other-selection");
  EXPECT_EQ(other.error().message,
            "the summary has another selection: found `warmup=2`, expected `all iterations`");
  Selection second;
  second.rank = 2;
  const auto all = ranks::SummarizeRanks(recordings, {});
  const auto one = Analyze(StandIns(*all), second);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(AsNumber(one->Find("profile.ranks")->value, 0), 1);
  second.rank = 99;
  EXPECT_EQ(Analyze(StandIns(*all), second).error().code, "analysis/no-rank");
}

// Positions would not mean the same on all ranks.
TEST(Summaries, RefusesOtherIterations) {
  const std::vector<Profile> recordings = Recordings({});
  Selection first, second;
  first.start_number = 5;
  first.stop_number = 7;
  second.start_number = 6;
  second.stop_number = 8;
  auto summaries = ranks::SummarizeRanks(recordings, first);
  const auto later = ranks::SummarizeRanks(recordings, second);
  ASSERT_TRUE(summaries && later);
  summaries->back() = later->back();
  summaries->back().texts["selection"] = {ranks::SelectionText(first)};
  const auto run = Analyze(StandIns(*summaries), first);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "summary/other-iterations");
}

TEST(Summaries, RefusesIncompleteFiles) {
  Plan plan;
  plan.ranks = 2;
  const auto summaries = ranks::SummarizeRanks(Recordings(plan), {});
  ASSERT_TRUE(summaries);
  const std::string bytes = Inflated(WriteSummaries(*summaries));
  const auto code = [](const std::string& of) {
    const auto read = ReadSummaries(of, "run.pgsum");
    return read ? std::string("read") : read.error().code;
  };
  EXPECT_EQ(code(bytes), "read");
  EXPECT_EQ(code(bytes.substr(0, bytes.size() - 1)), "summary/truncated");
  EXPECT_EQ(code(bytes.substr(0, 60)), "summary/truncated");
  const std::string line = bytes.substr(0, bytes.find('\n'));
  EXPECT_EQ(code(line), "summary/truncated");
  EXPECT_EQ(code(line.substr(0, line.find("\"ranks\""))), "summary/truncated");
  EXPECT_EQ(code(bytes + "x"), "summary/damaged");
  std::string newer = bytes;
  const std::string schema = "\"schema\":" + std::to_string(kSummarySchema);
  newer.replace(newer.find(schema), schema.size(), "\"schema\":99");
  EXPECT_EQ(code(newer), "summary/newer");
  std::string older = bytes;
  older.replace(older.find(schema), schema.size(), "\"schema\":1");
  EXPECT_EQ(code(older), "summary/older");
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    EXPECT_NE(code(damaged), "read") << i;
  }
}

// An iteration of negative length left none to describe, and the program crashed.
TEST(Summaries, RefusesNegativeTimes) {
  auto summaries = ranks::SummarizeRanks(Recordings({}), {});
  ASSERT_TRUE(summaries);
  std::size_t columns = 0;
  for (const auto& [column, ends] : summaries->front().numbers) {
    if (!column.ends_with(".end") || ends.empty()) continue;
    const std::string start = column.substr(0, column.size() - 3) + "start";
    if (!summaries->front().numbers.contains(start)) continue;
    ++columns;
    auto damaged = *summaries;
    damaged.front().numbers[column].back() = damaged.front().numbers[start].back() - 1;
    const auto run = Analyze(StandIns(damaged), {});
    ASSERT_FALSE(run) << column;
    EXPECT_EQ(run.error().code, "summary/damaged") << column;
  }
  EXPECT_GT(columns, 3u);
}

// From the first to the last moment there are more nanoseconds than a number holds.
TEST(Summaries, RefusesLengthsThatAreNoNumber) {
  auto summaries = ranks::SummarizeRanks(Recordings({}), {});
  ASSERT_TRUE(summaries);
  auto& numbers = summaries->front().numbers;
  ASSERT_FALSE(numbers.at("iteration.start").empty());
  numbers["iteration.start"].back() = std::numeric_limits<std::int64_t>::min() + 1;
  numbers["iteration.end"].back() = std::numeric_limits<std::int64_t>::max();
  const auto run = Analyze(StandIns(*summaries), {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "summary/damaged");
}

// Bytes that no summary has are no summary, and never more than that.
TEST(Summaries, AnyBytesMayBeDecoded) {
  Plan plan;
  plan.ranks = 2;
  plan.iterations = 2;
  const auto summaries = ranks::SummarizeRanks(Recordings(plan), {});
  ASSERT_TRUE(summaries);
  const std::string good = EncodeSummary(summaries->front());
  EXPECT_EQ(DecodeSummary(good), summaries->front());
  std::mt19937 random(4);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    const auto decoded = DecodeSummary(bytes);
    if (!decoded) continue;
    std::vector<Profile> run = StandIns({*decoded, summaries->back()});
    const auto analysis = Analyze(run, {});
    if (!analysis) {
      EXPECT_THAT(analysis.error().code, HasSubstr("summary/"));
    }
    const auto attribution = breakdown::AttributeTime(run, {});
    if (!attribution) {
      EXPECT_THAT(attribution.error().code, HasSubstr("summary/"));
    }
  }
}

}  // namespace
}  // namespace profgauge::analysis
