#include "readers/run_side/times_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "readers/run_side/step_log.h"

namespace profgauge::readers {
namespace {

TimesFile File(const std::string& text, const StepTimesInput& how = {}) {
  auto file = ReadTimes(text, how);
  EXPECT_TRUE(file.has_value()) << text << ": " << (file ? "" : file.error().message);
  return file ? *std::move(file) : TimesFile();
}

std::string CodeOfTimes(const std::string& text) {
  const auto file = ReadTimes(text, {});
  return file ? "" : file.error().code;
}

std::vector<Ns> StepsOf(const TimesFile& file) {
  std::vector<Ns> steps;
  if (!file.document) return steps;
  for (const StepSegment& segment : file.document->segments) {
    steps.insert(steps.end(), segment.lengths.begin(), segment.lengths.end());
  }
  for (const StepSum& sum : file.document->batches) steps.push_back(sum.length / sum.steps);
  return steps;
}

/// "[12.5,13.25]" of milliseconds in another unit.
std::string ListOf(const std::vector<double>& ms, double factor) {
  std::string list;
  for (const double value : ms)
    list += fmt::format("{}{}", list.empty() ? "" : ",", value * factor);
  return "[" + list + "]";
}

// One list of times, written as each form has it, gives the same steps.
TEST(TimesForms, AllFormsGiveTheSameSteps) {
  const std::vector<double> ms = {12.5, 13.25, 12, 14.5, 13};
  const std::vector<Ns> expected = {12'500'000, 13'250'000, 12'000'000, 14'500'000, 13'000'000};
  std::string megatron = " iteration 1/ 9 | elapsed time per iteration (ms): 900.0 |\n";
  std::string nemo, golden, google, actions, csv = "step,step_time_ms,loss\n", lines;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    megatron +=
        fmt::format(" iteration {}/ 9 | elapsed time per iteration (ms): {} |\n", i + 2, ms[i]);
    nemo += fmt::format("iteration {0}/9 | global_step: {0} | train_step_timing in s: {1}\n", i,
                        ms[i] / 1e3);
    golden += fmt::format(",\"{}\":{}", i + 2, ms[i] / 1e3);
    google += fmt::format(
        R"({}{{"name":"a","run_name":"a","run_type":"iteration","real_time":{},"time_unit":"us"}})",
        i == 0 ? "" : ",", ms[i] * 1e3);
    csv += fmt::format("{},{},2.0\n", i, ms[i]);
    lines += fmt::format("{{\"step\":{},\"step_time_ms\":{}}}\n", i, ms[i]);
    actions +=
        fmt::format(R"({}{{"name":"a","value":{},"unit":"ms/iter"}})", i == 0 ? "" : ",", ms[i]);
  }
  const std::string seconds = ListOf(ms, 1e-3);
  const std::pair<std::string, std::string> forms[] = {
      {megatron, "Megatron-LM log"},
      {nemo, "NeMo log"},
      {fmt::format(R"({{"iteration-time":{{"values":{{"1":"nan"{}}}}},"lm loss":{{}}}})", golden),
       "Megatron-LM golden values"},
      {fmt::format(R"({{"avg_latency":1,"latencies":{}}})", seconds), "vLLM latency benchmark"},
      {fmt::format(R"({{"results":[{{"command":"a","times":{}}}]}})", seconds), "hyperfine"},
      {fmt::format(R"({{"benchmarks":[{{"fullname":"a","stats":{{"data":{}}}}}]}})", seconds),
       "pytest-benchmark"},
      {fmt::format(R"({{"context":{{}},"benchmarks":[{}]}})", google), "Google Benchmark"},
      {"[" + actions + "]", "github-action-benchmark"},
      {csv, "table"},
      {lines, "JSON lines"},
      {R"({"schema":1,"clock":"window","segments":[{"first":0,"ns":)" + ListOf(ms, 1e6) + "}]}",
       "profgauge.run"},
  };
  for (const auto& [text, form] : forms) {
    const TimesFile file = File(text);
    EXPECT_EQ(file.form, form);
    EXPECT_EQ(StepsOf(file), expected) << form;
    EXPECT_LE(file.benchmarks.size(), 1u) << form;  // A single one keeps its name.
  }
}

// Two of whatever a file usually has one of: both are there.
TEST(TimesForms, SeveralBenchmarksAreAllThere) {
  const std::string row = R"({{"run_name":"{}","run_type":"{}","real_time":{},"time_unit":"ns"}},)";
  std::string google = R"({"benchmarks":[)";
  google += fmt::format(fmt::runtime(row), "a", "iteration", 2.5);
  google += fmt::format(fmt::runtime(row), "b", "iteration", 7);
  google += fmt::format(fmt::runtime(row), "a", "aggregate", 1);
  google += fmt::format(fmt::runtime(row), "a", "iteration", 3.5);
  google.back() = ']';
  const TimesFile file = File(google + "}");
  ASSERT_EQ(file.benchmarks.size(), 2u);
  EXPECT_EQ(file.benchmarks[0].name, "a");
  EXPECT_EQ(file.benchmarks[0].lengths, (std::vector<double>{2.5, 3.5}));
  EXPECT_EQ(file.benchmarks[1].lengths, (std::vector<double>{7}));
  EXPECT_FALSE(file.document);
  for (
      const char* text :
      {R"({"results":[{"command":"a","times":[1,2]},{"command":"b","times":[1]}]})",
       R"({"benchmarks":[{"fullname":"a","stats":{"median":1}},{"fullname":"b","stats":{"median":2}}]})",
       R"([{"name":"a","value":3,"unit":"ns"},{"name":"b","value":4,"unit":"s"}])",
       R"({"a":{"latency":{"value":3}},"b":{"latency":{"value":4},"throughput":{"value":1}}})"}) {
    EXPECT_EQ(File(text).benchmarks.size(), 2u) << text;
  }
}

TEST(TimesForms, WhatCannotBeJudgedSaysWhy) {
  EXPECT_EQ(CodeOfTimes(R"([{"name":"a","value":3,"unit":"ops/sec"}])"), "usage/step-unit");
  EXPECT_EQ(CodeOfTimes(R"({"results":[{"command":"a","times":[1,2,3]}]})"), "run/few-values");
  EXPECT_EQ(CodeOfTimes(R"({"log_history":[],"global_step":10})"), "run/no-times");
  EXPECT_EQ(CodeOfTimes(R"({"schema":2,"segments":[]})"), "run/newer");
  std::string many = "[";
  for (std::size_t i = 0; i <= kMostBenchmarks; ++i) {
    many += fmt::format(R"({}{{"name":"b{}","value":1,"unit":"ms"}})", i == 0 ? "" : ",", i);
  }
  EXPECT_EQ(CodeOfTimes(many + "]"), "run/too-large");
}

TEST(TimesForms, LoadTestsStateMetricsLoadAndWork) {
  const std::string vllm =
      R"({"model_id":"m","request_rate":8.0,"max_concurrency":null,"completed":396,"failed":4,)"
      R"("total_output_tokens":1000,"request_throughput":7.9,"output_throughput":100.5,)"
      R"("request_goodput":null,"mean_ttft_ms":60.5,"p99_ttft_ms":180,"median_tpot_ms":22})";
  const TimesFile file = File(vllm);
  ASSERT_TRUE(file.load_test);
  const LoadTest& test = *file.load_test;
  const auto value = [&](MetricId id) {
    for (const auto& [metric, number] : test.metrics) {
      if (metric == id) return number;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value(metric::kServeTtftMean), 60.5e6);
  EXPECT_DOUBLE_EQ(value(metric::kServeTtftP99), 180e6);
  EXPECT_DOUBLE_EQ(value(metric::kServeTpotMedian), 22e6);
  EXPECT_DOUBLE_EQ(value(metric::kServeOutputRate), 100.5);
  EXPECT_DOUBLE_EQ(value(metric::kServeFailedShare), 0.01);
  EXPECT_EQ(value(metric::kServeGoodput), -1);
  EXPECT_EQ(test.completed, 396);
  EXPECT_EQ(test.output_tokens, 1000);
  EXPECT_EQ(test.load, (std::vector<std::pair<std::string, std::string>>{
                           {"model_id", "m"}, {"request_rate", "8"}, {"max_concurrency", "none"}}));
  // A line for each run: the last one counts, and is told.
  const TimesFile appended = File(vllm + "\n" + vllm + "\n");
  ASSERT_TRUE(appended.load_test);
  EXPECT_EQ(appended.notes.size(), 1u);
  const TimesFile aiperf = File(
      R"({"time_to_first_token":{"unit":"ms","avg":18.2,"p50":17,"p99":30},)"
      R"("request_throughput":{"unit":"requests/sec","avg":4.5},"request_count":{"avg":100}})");
  ASSERT_TRUE(aiperf.load_test);
  EXPECT_EQ(aiperf.load_test->metrics.front(),
            (std::pair<MetricId, double>(metric::kServeTtftMean, 18.2e6)));
  EXPECT_EQ(aiperf.load_test->completed, 100);
}

TEST(TimesForms, LongNamesAreCut) {
  const std::string name(100'000, 'n');
  const TimesFile file = File(fmt::format(
      R"([{{"name":"{0}a","value":1,"unit":"ms"}},{{"name":"{0}b","value":1,"unit":"ms"}}])",
      name));
  ASSERT_EQ(file.benchmarks.size(), 2u);
  EXPECT_LT(file.benchmarks[0].name.size(), 500u);
  EXPECT_NE(file.benchmarks[0].name, file.benchmarks[1].name);
}

}  // namespace
}  // namespace profgauge::readers
