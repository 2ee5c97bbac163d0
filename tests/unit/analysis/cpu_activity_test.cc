// Waits of threads, and the tree of sampled call stacks.
#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

std::string Text(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::string>(table.At(row, column));
}
std::int64_t Integer(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::int64_t>(table.At(row, column));
}

Analysis AnalyzeRun(Profile profile) {
  auto analysis = Analyze(OneRank(std::move(profile)), {});
  EXPECT_TRUE(analysis);
  return analysis ? *std::move(analysis) : Analysis{};
}

TestProfile Recorded() {
  TestProfile test;
  test.Launch("kernel", {0, 10}, {20, 1000});
  ProfileBuilder& builder = test.builder();
  OsRow poll;
  poll.start = 195;
  poll.duration = 110;
  poll.name = builder.Intern("poll");
  poll.thread = test.main();
  builder.AddOs(poll);
  builder.AddCpuSpan({0, 200, test.main(), 3, {}});
  builder.AddCpuSpan({200, 100, test.main(), -1, {}});
  builder.AddCpuSpan({300, 100, test.main(), 4, {}});
  builder.AddCpuSpan({400, 50, test.main(), -1, builder.Intern("Mutex")});
  builder.AddCpuSpan({450, 50, test.main(), -1, {}});
  const StringId train = builder.Intern("main\ntrain"), step = builder.Intern("main\ntrain\nstep");
  for (const Ns time : {10, 20, 30}) builder.AddCpuSample({time, test.main(), step});
  builder.AddCpuSample({40, test.main(), train});
  return test;
}

TEST(CpuActivity, ThreadsWaitOrAreInCalls) {
  const Analysis analysis = AnalyzeRun(Recorded().Finish());
  const Table& states = *analysis.FindTable("thread_states");
  std::string told;
  Ns sum = 0;
  double share = 0;
  for (std::size_t row = 0; row < states.rows(); ++row) {
    told += Text(states, row, "state") + " " + std::to_string(Integer(states, row, "times")) +
            "x " + std::to_string(Integer(states, row, "time")) + ", ";
    sum += Integer(states, row, "time");
    share += AsNumber(states.At(row, "share"), 0);
  }
  EXPECT_EQ(told, "Mutex 1x 50, in poll 1x 100, not running 1x 50, running 2x 300, ");
  EXPECT_EQ(sum, 500);
  EXPECT_DOUBLE_EQ(share, 1);
}

TEST(CpuActivity, ListsAllCoresOfTheHost) {
  TestProfile test = Recorded();
  test.builder().AddFact("cpu_cores", "6");
  Profile profile = test.Finish();
  const Ns length = profile.last - profile.first;
  const Analysis analysis = AnalyzeRun(std::move(profile));
  const Table& cores = *analysis.FindTable("host_cores");
  ASSERT_EQ(cores.rows(), 6u);
  const std::int64_t times[] = {0, 0, 0, 200, 100, 0};
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(Integer(cores, row, "core"), static_cast<std::int64_t>(row));
    EXPECT_EQ(Integer(cores, row, "time"), times[row]);
    EXPECT_EQ(Integer(cores, row, "time") + Integer(cores, row, "idle"), length);
    EXPECT_EQ(Integer(cores, row, "threads"), times[row] > 0 ? 1 : 0);
  }
  // Without their number only those that ran something are known.
  EXPECT_EQ(AnalyzeRun(Recorded().Finish()).FindTable("host_cores")->rows(), 2u);
}

TEST(CpuActivity, SampledStacksAddUpAsTrees) {
  TestProfile test = Recorded();
  ProfileBuilder& builder = test.builder();
  const ThreadId loader = test.Thread(7);
  builder.NameThread("1", "7", "pt_data_worker");
  const StringId stack = builder.Intern("main\ndecode");
  for (const Ns time : {15, 25, 35, 45, 55}) builder.AddCpuSample({time, loader, stack});
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& samples = *analysis.FindTable("cpu_samples");
  struct Row {
    const char* name;
    std::int64_t depth, total, self;
  };
  // The same function of two threads is two rows; the busiest thread comes first.
  const Row rows[] = {{"pt_data_worker (thread 7)", 0, 5, 0},
                      {"main", 1, 5, 0},
                      {"decode", 2, 5, 5},
                      {"thread 1", 0, 4, 0},
                      {"main", 1, 4, 0},
                      {"train", 2, 4, 1},
                      {"step", 3, 3, 3}};
  ASSERT_EQ(samples.rows(), std::size(rows));
  double whole = 0;
  for (std::size_t row = 0; row < std::size(rows); ++row) {
    EXPECT_EQ(Text(samples, row, "name"), rows[row].name);
    EXPECT_EQ(Integer(samples, row, "depth"), rows[row].depth);
    EXPECT_EQ(Integer(samples, row, "samples"), rows[row].total);
    EXPECT_EQ(Integer(samples, row, "samples_self"), rows[row].self);
    if (rows[row].depth == 0) whole += AsNumber(samples.At(row, "share"), 0);
  }
  EXPECT_DOUBLE_EQ(whole, 1);
}

TEST(CpuActivity, AbsentIfNothingIsRecorded) {
  TestProfile test;
  test.Launch("kernel", {0, 10}, {20, 1000});
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_NE(analysis.absent_tables.at("cpu_samples").find("--sample"), std::string::npos);
  EXPECT_NE(analysis.absent_tables.at("host_cores").find("--cpuctxsw"), std::string::npos);
  EXPECT_NE(analysis.absent_tables.at("thread_states").find("--cpuctxsw"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::analysis
