#include "readers/run_side/step_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace profgauge::readers {
namespace {

StepLog Log(std::string_view text, const StepTimesInput& how = {}) {
  auto file = ReadTimes(text, how);
  EXPECT_TRUE(file.has_value()) << text << ": " << (file ? "" : file.error().message);
  if (!file || !file->document) return {};
  return {*std::move(file->document), std::move(file->form)};
}

std::string CodeOfLog(std::string_view text, const StepTimesInput& how = {}) {
  const auto file = ReadTimes(text, how);
  return file ? "" : file.error().code;
}

constexpr Ns kMillisecond = 1'000'000;

TEST(StepTimes, FileColumnAndUnitAreTakenApart) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("step_times_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string plain = (folder / "times.csv").string(), odd = (folder / "a:b.csv").string();
  for (const std::string& path : {plain, odd}) std::ofstream(path) << "step,t\n";
  struct Row {
    std::string text, file, column, unit;
  };
  const Row rows[] = {{"", "", "", ""},
                      {plain, plain, "", ""},
                      {plain + ":t", plain, "t", ""},
                      {plain + ":t:ms", plain, "t", "ms"},
                      {plain + "::s", plain, "", "s"},
                      {plain + ":train/time: s", plain, "train/time: s", ""},
                      {plain + ":ms", plain, "ms", ""},
                      {odd, odd, "", ""},
                      {odd + ":t:us", odd, "t", "us"},
                      {"none.csv:t:ns", "none.csv", "t", "ns"}};
  for (const Row& row : rows) {
    const StepTimesInput input = ParseStepTimes(row.text);
    EXPECT_EQ(input.file, row.file) << row.text;
    EXPECT_EQ(input.column, row.column) << row.text;
    EXPECT_EQ(input.unit, row.unit) << row.text;
  }
  std::filesystem::remove_all(folder);
}

TEST(StepLog, MegatronPrintsMeansBetweenLines) {
  const StepLog log = Log(
      "building GPT model ...\n"
      " [2026-01-02 03:04:05.1] iteration        1/      61 | consumed samples: 256 | elapsed time "
      "per iteration (ms): 900.0 | lm loss: 9.1 |\n"
      " iteration       10/      61 | elapsed time per iteration (ms): 28.4 | learning rate: 1e-5 "
      "|\n"
      " iteration       20/      61 | elapsed time per iteration (ms): 27.5 |\n");
  EXPECT_EQ(log.kind, "Megatron-LM log");
  ASSERT_EQ(log.document.batches.size(), 2u);
  EXPECT_EQ(log.document.batches[0].first, 2);
  EXPECT_EQ(log.document.batches[0].steps, 9);
  EXPECT_EQ(log.document.batches[0].length, 9 * 28'400'000);
  EXPECT_EQ(log.document.clock, StepClock::kReported);
}

TEST(StepLog, NemoPrintsEachIteration) {
  const StepLog log =
      Log("Training epoch 0, iteration 0/60 | lr: 2e-06 | global_step: 0 | train_step_timing in s: "
          "0.9\n"
          "Training epoch 0, iteration 1/60 | lr: 2e-06 | global_step: 1 | train_step_timing in s: "
          "0.02747 | consumed_samples: 16\n");
  EXPECT_EQ(log.document.segments.at(0).lengths, (std::vector<Ns>{900 * kMillisecond, 27'470'000}));
  EXPECT_EQ(
      Log("x: 5%, global_step=3, train_step_timing in s=3.130]\n").document.segments.at(0).first,
      3);
}

TEST(StepLog, TablesNeedAColumnAndAUnit) {
  const StepLog log = Log("step,time_ms,phase\n0,900.0,warmup\n1,27.5,\n2,,\n3,28\n");
  ASSERT_EQ(log.document.segments.size(), 2u);  // Iteration 2 has no time.
  EXPECT_EQ(log.document.segments[0].lengths, (std::vector<Ns>{900 * kMillisecond, 27'500'000}));
  EXPECT_EQ(log.document.segments[1].first, 3);
  EXPECT_EQ(Log("a;b\n1;\"2\"\n", {"", "b", "s"}).document.segments.at(0).lengths.at(0),
            2'000 * kMillisecond);
  EXPECT_EQ(CodeOfLog("step\tstep_time\n0\t1\n"), "usage/step-unit");
  EXPECT_EQ(CodeOfLog("step,it/s\n0,1\n", {"", "it/s", ""}), "usage/step-unit");
  EXPECT_EQ(CodeOfLog("step,loss\n0,1\n"), "usage/step-column");
  EXPECT_EQ(CodeOfLog("step,time_ms\n0,1\n", {"", "nothing", ""}), "usage/step-column");
}

// Each epoch counts from 0, and a run that went back to a checkpoint runs some iterations again.
TEST(StepLog, NumbersMayBeginAnew) {
  std::string epochs = "iter,step_time_ms\n";
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 4; ++i) epochs += fmt::format("{},{}\n", i, 10 * (epoch + 1));
  }
  const StepLog log = Log(epochs + "2,40\n3,40\n4,40\n9223372036854775807,50\n");
  ASSERT_EQ(log.document.segments.size(), 1u);
  const std::vector<Ns>& lengths = log.document.segments[0].lengths;
  ASSERT_EQ(lengths.size(), 15u);
  EXPECT_EQ(lengths[4], 20 * kMillisecond);
  EXPECT_EQ(lengths.back(), 40 * kMillisecond);
  EXPECT_EQ(log.document.steps_dropped, 1);
  EXPECT_EQ(log.document.steps_repeated, 2);
  const StepLog between =
      Log(" iteration 10/ 20 | elapsed time per iteration (ms): 1.0 |\n"
          " iteration 20/ 20 | elapsed time per iteration (ms): 2.0 |\n"
          " iteration 10/ 20 | elapsed time per iteration (ms): 3.0 |\n"
          " iteration 20/ 20 | elapsed time per iteration (ms): 4.0 |\n");
  ASSERT_EQ(between.document.batches.size(), 2u);
  EXPECT_EQ(between.document.batches[1].length, 10 * 4 * kMillisecond);
  EXPECT_GE(between.document.batches[1].first, 21);
  EXPECT_EQ(between.document.steps_dropped, 1);
}

// Slow steps after a restart are work that was done; a log that is written twice is not.
TEST(StepLog, RepeatedStepsCountUnlessWrittenTwice) {
  const std::string head = "iter,step_time_ms\n", first = "1,10\n2,11\n3,12\n4,13\n";
  struct Row {
    std::string text;
    std::size_t times;
    std::int64_t dropped, repeated, missing;
  };
  const Row kRows[] = {
      {first + "3,36\n4,39\n5,14\n", 7, 0, 2, 0},  {first + "3,12\n4,39\n5,14\n", 7, 0, 2, 0},
      {first + "3,12\n4,13\n5,14\n", 5, 2, 0, 0},  {first + first, 4, 4, 0, 0},
      {first + "4,13\n5,14\n", 5, 1, 0, 0},        {"1,10\n1,10\n1,10\n", 3, 0, 0, 0},
      {first + "5,10\n9,10\n10,10\n", 7, 0, 0, 3}, {"10,10\n20,11\n30,11\n60,11\n", 4, 0, 0, 2}};
  for (const Row& row : kRows) {
    const RunDocument document = Log(head + row.text).document;
    std::size_t times = 0;
    for (const StepSegment& segment : document.segments) times += segment.lengths.size();
    EXPECT_EQ(times, row.times) << row.text;
    EXPECT_EQ(document.steps_dropped, row.dropped) << row.text;
    EXPECT_EQ(document.steps_repeated, row.repeated) << row.text;
    EXPECT_EQ(document.steps_missing, row.missing) << row.text;
  }
  std::string log;
  for (const char* line : {"10: 1.0", "20: 2.0", "30: 2.5", "20: 6.0", "30: 6.5", "40: 2.1"}) {
    const std::string text = line;
    log += fmt::format(" iteration {}/ 40 | elapsed time per iteration (ms): {} |\n",
                       text.substr(0, 2), text.substr(4));
  }
  const RunDocument means = Log(log).document;
  ASSERT_EQ(means.batches.size(), 4u);  // Not the first lines, whose numbers of steps are unknown.
  EXPECT_EQ(means.batches[2].length, 10 * 6'500'000);
  const std::string once = log.substr(0, log.size() / 2);
  EXPECT_EQ(Log(once + once).document.batches.size(), 2u);
}

TEST(StepLog, JsonLinesHaveDottedKeys) {
  EXPECT_EQ(Log("{\"_step\":4,\"time\":{\"step_time_s\":0.5}}\n{\"_step\":5,\"loss\":1}\n")
                .document.segments.at(0)
                .first,
            4);
  EXPECT_EQ(CodeOfLog("{\"step\":1,\"step_time\":2}\n"), "usage/step-unit");
}

// A row without a time is one of an evaluation, or of a step that failed: told, not guessed.
TEST(StepLog, RowsWithoutATimeAreCounted) {
  struct Row {
    std::string text;
    std::size_t times;
    std::int64_t skipped;
  };
  const Row kRows[] = {
      {"step,step_time_ms\n0,5\n1,\n2,nan\n3,6\n4\n\n", 2, 3},
      {"{\"step_time_ms\":5}\n{\"step_time_ms\":NaN}\n{\"loss\":1}\n", 1, 2},
      {"{\"step_time_ms\":5,\"loss\":NaN,\"a\":\"NaN\"}\n", 1, 0},
      {"{\"step_time_ms\":5}\n{\"step_time_ms\":6}\n{\"step_ti", 2, 1},
      {" iteration 1/ 9 | elapsed time per iteration (ms): 1.0 |\n"
       " iteration 2/ 9 | elapsed time per iteration (ms): |\n"
       " iteration 3/ 9 | elapsed time per iteration (ms): 1.0 |\n",
       1, 1},
      {R"({"iteration-time":{"values":{"1":"nan","2":0.5,"3":null}}})", 1, 2},
  };
  for (const Row& row : kRows) {
    const StepLog log = Log(row.text);
    std::size_t times = log.document.batches.size();
    for (const StepSegment& segment : log.document.segments) times += segment.lengths.size();
    EXPECT_EQ(times, row.times) << row.text;
    EXPECT_EQ(log.document.rows_skipped, row.skipped) << row.text;
  }
  EXPECT_NE(CodeOfLog("{\"step_time_ms\":5}\n{\"\n{\"\n{\"a\":1}\n"), "");
}

TEST(StepLog, ListsNeedAUnit) {
  EXPECT_EQ(CodeOfLog("[1, 2, 3]"), "usage/step-unit");
  EXPECT_EQ(Log("[1, 2, 3]", {"", "", "us"}).document.segments.at(0).lengths.at(2), 3'000);
}

TEST(StepLog, RunningTotalsAreNoSteps) {
  EXPECT_EQ(CodeOfLog("step,train/time_s\n0,1\n1,2\n2,3\n3,4\n4,5\n", {"", "train/time_s", ""}),
            "usage/step-column");
  EXPECT_EQ(CodeOfLog("step,step_time_s\n0,1\n1,2\n2,1.5\n3,4\n4,5\n"), "");
}

TEST(StepLog, ListsOfObjectsHaveColumns) {
  const StepLog log =
      Log(R"([{"startEnqMs": 0, "computeMs": 1.5}, {"startEnqMs": 3, "computeMs": 2}])",
          {"", "computeMs", "ms"});
  EXPECT_EQ(log.document.segments.at(0).lengths, (std::vector<Ns>{1'500'000, 2 * kMillisecond}));
  EXPECT_EQ(CodeOfLog(R"([{"a": 1}])"), "usage/step-column");
}

TEST(StepLog, MetricsOfMlflowAreLinesOfTimeValueAndStep) {
  const StepLog log = Log("1767323045000 0.0279 7\n1767323045028 0.0281 8\n", {"", "", "s"});
  ASSERT_EQ(log.document.segments.size(), 1u);
  EXPECT_EQ(log.document.segments[0].first, 7);
  EXPECT_EQ(log.document.segments[0].lengths, (std::vector<Ns>{27'900'000, 28'100'000}));
  EXPECT_EQ(CodeOfLog("1767323045000 0.0279 7\n"), "usage/step-unit");
  for (const char* text : {"1767323045000 0.0279\n", "17 0.0279 7\n", "1767323045000 0.0279 7 8\n"})
    EXPECT_EQ(CodeOfLog(text, {"", "", "s"}), "run/no-times") << text;
}

TEST(StepLog, OtherTextsHaveNoTimes) {
  for (const char* text : {"", "hello\n", "{}", "\x01\x02\x03", "{\"a\":[]}"}) {
    EXPECT_NE(CodeOfLog(text), "") << text;
  }
}

}  // namespace
}  // namespace profgauge::readers
