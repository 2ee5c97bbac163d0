#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/sqlite.h"
#include "readers/dlprof/report_file.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

const Value* MetricOf(const Profile& profile, std::string_view id) {
  for (const ReportedMetric& metric : profile.reported.metrics) {
    if (metric.id == id) return &metric.value;
  }
  return nullptr;
}

const ReportedTable* TableOf(const Profile& profile, std::string_view id) {
  for (const ReportedTable& table : profile.reported.tables) {
    if (table.id == id) return &table;
  }
  return nullptr;
}

std::string FactOf(const Profile& profile, std::string_view key) {
  for (const auto& [name, value] : profile.facts) {
    if (name == key) return value;
  }
  return {};
}

class DlprofTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("dlprof_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string WriteDatabase(const std::string& name, const std::string& sql) {
    const std::string path = (folder_ / name).string();
    auto database = sqlite::Database::Open(path, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    EXPECT_TRUE(database);
    const Status status = database->Execute(sql);
    EXPECT_TRUE(status) << status.error().message;
    return path;
  }

  // One op, called once in each of two iterations, with a kernel and a copy; two aggregations: the
  // start of a case.
  static std::string Basic() {
    std::ifstream file(PROFGAUGE_CASES_DIR "/dlprof/aggregation/input.sql");
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    const std::size_t end = sql.find("-- Tests of the reader begin");
    EXPECT_NE(end, sql.npos);
    return sql.substr(0, end);
  }

  fs::path folder_;
};

TEST_F(DlprofTest, TheDatabasesRowsFillTheTables) {
  const auto profile = ReadProfile(WriteDatabase("x.sqlite", Basic()), {});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->device.size(), 3u);
  EXPECT_EQ(profile->Name(profile->device.name[0]), "ns::h884gemm(float)");
  EXPECT_EQ(profile->device.start[0] - profile->session_start, 150);
  EXPECT_EQ(profile->launch_configs[profile->device.config[0].value].grid[1], 2);
  EXPECT_EQ(profile->Name(profile->device.name[1]), "[CUDA memcpy Host-to-Device]");
  const HostId op = profile->device.op[0];
  ASSERT_TRUE(op.valid());
  EXPECT_EQ(profile->Name(profile->host.name[op.value]), "linear");
  EXPECT_EQ(profile->Name(profile->host.input_shapes[op.value]), "[[32, 64], [16, 64]]");
  EXPECT_EQ(profile->Name(profile->host.input_dtypes[op.value]), "[float16, float16]");
  EXPECT_EQ(profile->Name(profile->host.call_stack[op.value]), "b.py:2;a.py:1");
  // Two calls of the op, and the iteration that the newest aggregation sums up; the synchronization
  // is a call of the runtime.
  EXPECT_EQ(profile->host.size(), 3u);
  EXPECT_EQ(profile->api.size(), 4u);
  EXPECT_EQ(FactOf(*profile, "framework"), "PyTorch 1.10");
  EXPECT_EQ(FactOf(*profile, "model_config.num_workers"), "4");
  EXPECT_EQ(FactOf(*profile, "model_config.pin_memory"), "true");
  EXPECT_EQ(FactOf(*profile, "model_config.emit_nvtx"), "false");
  for (const auto& [key, value] : profile->facts) EXPECT_EQ(value.find("secret"), value.npos);
  EXPECT_EQ(profile->gpus[0].memory, -1);
}

// The profiler recorded nothing of the device: its zeros are no measurements.
TEST_F(DlprofTest, SharesNeedKernels) {
  const auto profile =
      ReadProfile(WriteDatabase("x.sqlite", Basic() + "delete from read_only_kernels;"), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(MetricOf(*profile, "gpu.utilization.mean"), nullptr);
  EXPECT_EQ(MetricOf(*profile, "tensor_core.efficiency"), nullptr);
  EXPECT_NE(MetricOf(*profile, "breakdown.cpu"), nullptr);
}

TEST_F(DlprofTest, NewestAggregationIsTheDefault) {
  const std::string path = WriteDatabase("x.sqlite", Basic());
  const auto newest = ReadProfile(path, {});
  ASSERT_TRUE(newest) << newest.error().message;
  EXPECT_EQ(FactOf(*newest, "dlprof_aggregation"), "2 of 1, 2");
  ASSERT_NE(TableOf(*newest, "dlprof_aggregations"), nullptr);
  using Row = std::vector<Value>;
  EXPECT_EQ(TableOf(*newest, "dlprof_aggregations")->rows,
            (std::vector<Row>{{1, 0, 1, 2, 1200, false, true}, {2, 1, 1, 1, 200, true, true}}));
  EXPECT_EQ(*MetricOf(*newest, "profile.wall_time"), Value{std::int64_t{200}});
  EXPECT_EQ(newest->log[Counter::aggregates_differ], 0u);
  ReadOptions options;
  options.aggregation = 1;
  const auto first = ReadProfile(path, options);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*MetricOf(*first, "gpu.utilization.mean"), Value{0.075});
  EXPECT_EQ(FactOf(*first, "dlprof_sums_checked"), "6");
  EXPECT_EQ(first->log[Counter::aggregates_differ], 0u);
  options.aggregation = 3;
  EXPECT_EQ(ReadProfile(path, options).error().code, "dlprof/no-aggregation");
}

TEST_F(DlprofTest, ReportsSumsThatDifferFromRows) {
  const std::string path =
      WriteDatabase("x.sqlite", Basic() +
                                    "update metric set sum = 51 where id = 12;"
                                    "update db_version set current_version = '2.0';");
  const auto profile = ReadProfile(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::aggregates_differ], 1u);
  EXPECT_THAT(profile->log.Examples(Counter::aggregates_differ),
              ::testing::ElementsAre("GPU time of LINEAR_1: 50 ns in the rows, 51 ns stored"));
  EXPECT_EQ(profile->log[Counter::version_untested], 1u);
}

// DLProf had seen more than the rows are.
TEST_F(DlprofTest, LargerSumsShowLostRows) {
  const auto lost = [&](const std::string& sql) {
    fs::remove(folder_ / "x.sqlite");
    const auto profile = ReadProfile(WriteDatabase("x.sqlite", Basic() + sql), {});
    EXPECT_TRUE(profile);
    return profile ? profile->log.Examples(Counter::events_dropped)
                   : std::vector<std::string>{"unread"};
  };
  EXPECT_THAT(lost("update metric set sum = 49;"), ::testing::SizeIs(0));
  EXPECT_THAT(lost("update metric set sum = 52 where id = 12;"),
              ::testing::ElementsAre("GPU time of all operators: 50 ns in the rows, 52 ns stored"));
  EXPECT_THAT(lost("delete from read_only_kernels where api_start = 1110;"),
              ::testing::ElementsAre("GPU time of all operators: 0 ns in the rows, 50 ns stored",
                                     "GPU time of all kernels: 0 ns in the rows, 50 ns stored"));
  EXPECT_THAT(lost("delete from read_only_op_instances where cpu_start = 1100;"),
              ::testing::ElementsAre("CPU time of all operators: 0 ns in the rows, 120 ns stored"));
}

TEST_F(DlprofTest, CountsKernelsOfNegativeLength) {
  const auto profile = ReadProfile(
      WriteDatabase("x.sqlite", Basic() + "update read_only_kernels set gpu_stop = gpu_start - 5 "
                                          "where api_start = 110;"),
      {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::events_negative_dur], 1u);
  EXPECT_EQ(profile->log[Counter::rows_unusable], 1u);
}

TEST_F(DlprofTest, RefusesIncompleteDatabase) {
  EXPECT_EQ(ReadProfile(WriteDatabase("a.sqlite",
                                      "create table dictionary (id, string);"
                                      "create table db_version (current_version);"),
                        {})
                .error()
                .code,
            "dlprof/missing-table");
}

TEST(DlprofCsvText, QuotesLineBreaksAndTruncation) {
  using readers::dlprof::ParseCsv;
  const auto csv = ParseCsv("a,\"b \"\"c\"\",\nd\",\r\n\"\",x\n");
  EXPECT_FALSE(csv.truncated);
  EXPECT_EQ(csv.rows, (std::vector<readers::dlprof::Row>{{"a", "b \"c\",\nd", ""}, {"", "x"}}));
  EXPECT_TRUE(ParseCsv("a,\"b").truncated);
  EXPECT_TRUE(ParseCsv("").rows.empty());
  const auto cut = ParseCsv("Kernel Report\nName,Calls\n\"a\",1\n\"b");
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.rows.size(), 3);
  EXPECT_TRUE(ParseCsv("Kernel Report\nName,Calls\na,1\nb").truncated);
  EXPECT_FALSE(ParseCsv("Kernel Report\nName,Calls\na,1\nb,2\n").truncated);
  // As likely cut from 233 as from 2.
  const auto half = ParseCsv("Kernel Report\nName,Calls\na,1\nb,2");
  EXPECT_TRUE(half.truncated);
  EXPECT_EQ(half.rows.size(), 3);
  EXPECT_TRUE(ParseCsv("System Config\nGPU Count,4\nGPU Na").truncated);
}

constexpr const char* kSummary =
    "System Config\nGPU Count,2\nGPU Name(s),V100, V100\nDLProf Version,v1.7.0\n\n"
    "Summary Report\nWall Clock Time (ns),1000\nTensor Core Kernel Utilization %,35.4\n"
    "GPU Idle %,25.0\nDataloader Duration %,12.5\nIO Duration %,3.0\nOther Duration "
    "%,40.0\n\nIterations\nTotal Iterations,9\n"
    "Aggregated Iterations,4\nStart Iteration,3\nStop Iteration,6\n"
    "Average Iteration Time (ns),250.4\n\n"
    "All Kernels\n,GPU Time (ns),CPU Time (ns),# Kernels\nKernels using TC,30,1,1\n"
    "All other kernels,70,1,1\n";

TEST_F(DlprofTest, TheSummaryGivesMetricsAsStated) {
  const auto profile = ReadProfile(Write("dlprof_summary.csv", kSummary), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->has_timeline);
  EXPECT_EQ(*MetricOf(*profile, "tensor_core.efficiency"), Value{35.4 / 100});
  EXPECT_EQ(*MetricOf(*profile, "gpu.utilization.mean"), Value{0.75});
  EXPECT_EQ(*MetricOf(*profile, "gpu.idle.mean"), Value{0.25});
  EXPECT_EQ(*MetricOf(*profile, "breakdown.io"), Value{0.03});
  EXPECT_EQ(*MetricOf(*profile, "breakdown.other"), Value{0.4});
  EXPECT_EQ(*MetricOf(*profile, "profile.iterations"), Value{std::int64_t{4}});
  EXPECT_EQ(*MetricOf(*profile, "iteration.time.mean"), Value{std::int64_t{250}});
  EXPECT_EQ(*MetricOf(*profile, "profile.gpus_listed"), Value{std::int64_t{2}});
  EXPECT_EQ(*MetricOf(*profile, "profile.kernel_time"), Value{std::int64_t{100}});
  EXPECT_EQ(*MetricOf(*profile, "tensor_core.share"), Value{0.3});
  EXPECT_EQ(profile->gpus.size(), 2u);
  using ::testing::Contains;
  using ::testing::Pair;
  EXPECT_THAT(profile->facts, Contains(Pair("iteration_start", "3")));
  EXPECT_THAT(profile->facts, Contains(Pair("iteration_stop", "6")));
}

TEST_F(DlprofTest, AByteOrderMarkHidesNoSection) {
  const auto profile =
      ReadProfile(Write("dlprof_summary.csv", std::string("\xEF\xBB\xBF") + kSummary), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(*MetricOf(*profile, "profile.gpus_listed"), Value{std::int64_t{2}});
}

TEST_F(DlprofTest, RemainingTimeIsIdleTime) {
  const auto idle = [&](const char* lines) {
    const auto profile =
        ReadProfile(Write("a_summary.csv", fmt::format("System Config\nGPU Count,1\n\nSummary "
                                                       "Report\nWall Clock Time (ns),1000\n{}",
                                                       lines)),
                    {});
    const Value* value = profile ? MetricOf(*profile, "gpu.idle.mean") : nullptr;
    return value == nullptr ? -1.0 : AsNumber(*value, -2);
  };
  EXPECT_DOUBLE_EQ(idle("GPU Utilization %,61.0\nMemory Duration %,4.0\n"), 0.35);
  EXPECT_DOUBLE_EQ(idle("GPU Utilization %,99.9\nMemory Duration %,0.2\n"), 0);
  EXPECT_DOUBLE_EQ(idle("GPU Utilization %,61.0\n"), -1);  // Copies are unknown.
  EXPECT_DOUBLE_EQ(idle("GPU Idle %,62.3\n"), 0.623);
}

// A decimal comma splits one value into two, and a list has several: no value is certain.
TEST_F(DlprofTest, TwoValuesStateNone) {
  std::string text = kSummary;
  text.replace(text.find("%,25.0"), 6, "%,25,3");
  const auto commas = ReadProfile(Write("a_summary.csv", text), {});
  ASSERT_TRUE(commas) << commas.error().message;
  EXPECT_EQ(MetricOf(*commas, "gpu.idle.mean"), nullptr);
  EXPECT_EQ(*MetricOf(*commas, "breakdown.io"), Value{0.03});
  const auto list = ReadProfile(
      Write("a.json",
            "{\"Summary Report\": {\"GPU Idle %\": [12.0, 90.0], \"IO Duration %\": [3.0]}}"),
      {});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(MetricOf(*list, "gpu.idle.mean"), nullptr);
  EXPECT_EQ(*MetricOf(*list, "breakdown.io"), Value{0.03});
}

// No impossible number reaches a limit.
TEST_F(DlprofTest, ImpossibleValuesAreAbsentWithReason) {
  constexpr const char* kWhole =
      "System Config\nGPU Count,1\n\nSummary Report\nWall Clock Time (ns),1000\n"
      "Tensor Core Kernel Utilization %,82.0\nGPU Utilization %,64.0\n"
      "Tensor Core Kernel Duration %,40.0\nNon-Tensor Core Kernel Duration %,24.0\n"
      "Memory Duration %,9.0\nDataloader Duration %,21.9\nIO Duration %,0.0\n"
      "CPU Duration %,5.1\nOther Duration %,0.0\n\nIterations\nTotal Iterations,9\n"
      "Aggregated Iterations,4\nAverage Iteration Time (ns),250.4\n";
  // The metrics that become absent when `from` is `to`.
  const auto absent = [&](const std::string& from, const std::string& to) {
    std::string text = kWhole;
    text.replace(text.find(from), from.size(), to);
    const auto profile = ReadProfile(Write("a_summary.csv", text), {});
    std::vector<std::string> ids;
    if (!profile) return ids;
    for (const ReportedMetric& metric : profile->reported.metrics) {
      if (!IsAbsent(metric.value)) continue;
      EXPECT_NE(metric.note, "") << metric.id.text();
      ids.emplace_back(metric.id.text());
    }
    return ids;
  };
  using ::testing::Contains;
  using ::testing::ElementsAre;
  EXPECT_THAT(absent("64.0", "64.0"), ElementsAre());
  EXPECT_THAT(absent("64.0", "640"), ElementsAre("gpu.utilization.mean", "gpu.idle.mean"));
  EXPECT_THAT(absent("64.0", "-5"), ElementsAre("gpu.utilization.mean", "gpu.idle.mean"));
  EXPECT_THAT(absent("82.0", "820"), ElementsAre("tensor_core.efficiency"));
  EXPECT_THAT(absent("40.0", "40.5"), ElementsAre());  // Rounded parts.
  EXPECT_THAT(absent("40.0", "90.0"), Contains("breakdown.tensor_core_kernel"));
  EXPECT_THAT(absent("40.0", "90.0"), Contains("gpu.idle.mean"));
  EXPECT_THAT(absent("21.9", "121.9"), Contains("dataloader.exposed_share"));
  EXPECT_THAT(absent("5.1", "-5.1"), ElementsAre("breakdown.cpu"));
  EXPECT_THAT(absent("250.4", "-250.4"), ElementsAre("iteration.time.mean"));
  EXPECT_THAT(absent("1000", "-1000"), ElementsAre("profile.wall_time"));
  EXPECT_THAT(absent("Memory Duration %,9.0", "GPU Idle %,120"),
              ElementsAre("gpu.utilization.mean", "gpu.idle.mean"));
}

TEST_F(DlprofTest, ImpossibleDatabaseSharesAreAbsent) {
  const auto profile = ReadProfile(
      WriteDatabase("x.sqlite", Basic() + "update model_summary set gpu_utilization = 250;"), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(IsAbsent(*MetricOf(*profile, "gpu.utilization.mean")));
  EXPECT_FALSE(IsAbsent(*MetricOf(*profile, "breakdown.cpu")));
  const auto sum = ReadProfile(
      WriteDatabase("y.sqlite", Basic() + "update model_summary set cpu_duration_pct = 99;"), {});
  ASSERT_TRUE(sum) << sum.error().message;
  EXPECT_TRUE(IsAbsent(*MetricOf(*sum, "gpu.utilization.mean")));
  EXPECT_TRUE(IsAbsent(*MetricOf(*sum, "breakdown.cpu")));
}

TEST_F(DlprofTest, EfficiencyNeedsOperators) {
  const auto metric = [&](const char* framework, int ops, const char* id) {
    const std::string text = fmt::format(
        "System Config\nGPU Count,1\n{}\nSummary Report\nWall Clock Time (ns),1000\n"
        "Tensor Core Kernel Utilization %,25.0\n\nAll Ops\n,GPU Time (ns),CPU Time (ns),# Ops\n"
        "All ops,100,0,{}\nOps using TC,40,0,1\nOps eligible for TC but not using,10,0,0\n",
        framework, ops);
    const auto profile = ReadProfile(Write("a_summary.csv", text), {});
    const Value* value = profile ? MetricOf(*profile, id) : nullptr;
    return value == nullptr ? -1.0 : AsNumber(*value, -2);
  };
  const char* const unknown = "Framework,UNKNOWN\n";
  EXPECT_DOUBLE_EQ(metric(unknown, 1, "tensor_core.efficiency"), -2);  // Absent, with the reason.
  EXPECT_DOUBLE_EQ(metric("", 1, "tensor_core.efficiency"), -2);
  EXPECT_DOUBLE_EQ(metric(unknown, 1, "tensor_core.eligible_share"), -1);
  EXPECT_DOUBLE_EQ(metric(unknown, 9, "tensor_core.efficiency"), 0.25);
  EXPECT_DOUBLE_EQ(metric("Framework,PyTorch 1.7\n", 1, "tensor_core.efficiency"), 0.25);
  EXPECT_DOUBLE_EQ(metric(unknown, 9, "tensor_core.eligible_share"), 0.5);
}

TEST_F(DlprofTest, WithoutKernelsNoGpuMetrics) {
  const auto profile = ReadProfile(
      Write("a_summary.csv",
            "System Config\nGPU Count,1\n\nSummary Report\nWall Clock Time (ns),1000\n"
            "Tensor Core Kernel Utilization %,0.0\nGPU Utilization %,0.0\nMemory Duration %,0.0\n"
            "\nAll Kernels\n,GPU Time (ns),CPU Time (ns),# Kernels\nAll kernels,0,0,0\n"
            "Kernels using TC,0,0,0\nAll other kernels,0,0,0\n"),
      {});
  ASSERT_TRUE(profile) << profile.error().message;
  for (const char* id : {"gpu.utilization.mean", "gpu.idle.mean", "tensor_core.efficiency"}) {
    ASSERT_NE(MetricOf(*profile, id), nullptr) << id;
    EXPECT_TRUE(IsAbsent(*MetricOf(*profile, id))) << id;
  }
  EXPECT_EQ(MetricOf(*profile, "profile.kernel_time"), nullptr);
}

TEST_F(DlprofTest, ReportsOfTwoRunsStaySeparate) {
  Write("dlprof_summary.csv", kSummary);  // Out of 100 ns in kernels.
  const auto with_kernel = [&](int time) {
    Write("dlprof_kernel.csv",
          fmt::format(
              "Kernel Report\nKernel Name,Op Name,Uses TC,Total GPU Time (ns),Avg GPU Time "
              "(ns),Min GPU Time (ns),Max GPU Time (ns)\n\"gemm\",\"/a\",yes,{0},{0},{0},{0}\n",
              time));
    return LoadRun({folder_.string()}, {});
  };
  EXPECT_TRUE(with_kernel(100));
  const auto mixed = with_kernel(190);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, "input/several-runs");
  EXPECT_EQ(mixed.error().message,
            "the DLProf reports have different kernel times: they are of different runs");
}

TEST_F(DlprofTest, AFolderOfReportsIsOneRun) {
  Write("dlprof_summary.csv", kSummary);
  Write("dlprof_kernel.csv",
        "Kernel Report\nKernel Name,Op Name,Uses TC,Total GPU Time (ns),Avg GPU Time (ns),"
        "Min GPU Time (ns),Max GPU Time (ns)\n\"gemm\",\"/a\",yes,30,15.0,10,20\n"
        "\"gemm\",\"/b\",yes,x,15.0,10,20\n");
  Write("dlprof_expert_systems.csv", "Expert Systems Feedback\nProblem,Recommendation\n");
  WriteDatabase("one.sqlite", Basic());
  WriteDatabase("two.sqlite", Basic());
  const auto run = LoadRun({folder_.string()}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_EQ(run->skipped.size(), 2u);
  const Profile& profile = run->profiles[0];
  ASSERT_NE(TableOf(profile, "kernels_by_op"), nullptr);
  ASSERT_EQ(TableOf(profile, "kernels_by_op")->rows.size(), 1u);
  EXPECT_EQ(TableOf(profile, "kernels_by_op")->rows[0][3], Value{std::int64_t{2}});
  EXPECT_EQ(profile.log[Counter::events_unreadable], 1u);

  Write("other_summary.csv", kSummary);
  EXPECT_EQ(LoadRun({folder_.string()}, {}).error().code, "input/several-runs");
}

TEST_F(DlprofTest, NamedReportsAreOneRun) {
  const std::string summary = Write("dlprof_summary.csv", kSummary);
  const std::string advice =
      Write("dlprof_expert_systems.csv", "Expert Systems Feedback\nProblem,Recommendation\n");
  const auto run = LoadRun({advice, summary}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_EQ(run->profiles[0].source.path, summary);
  EXPECT_NE(TableOf(run->profiles[0], "dlprof_advice"), nullptr);
}

// DLProf begins the names of a run's reports with one word.
TEST_F(DlprofTest, TwoProgramsAreTwoRuns) {
  Write("bert_summary.csv", kSummary);
  const std::string advice =
      Write("gpt_expert_systems.csv", "Expert Systems Feedback\nProblem,Recommendation\n");
  const auto run = LoadRun({folder_.string()}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "input/several-runs");
  EXPECT_EQ(run.error().notes.front(), "note: their names begin with `bert` and `gpt`");
  EXPECT_EQ(LoadRun({advice, (folder_ / "bert_summary.csv").string()}, {}).error().code,
            "input/several-runs");
}

// An average above its sum would make a count of zero.
TEST_F(DlprofTest, ImpossibleCountsAreAbsent) {
  const auto profile = ReadProfile(
      Write("k.csv",
            "Kernel Report\nKernel Name,Op Name,Uses TC,Total GPU Time (ns),Avg GPU Time (ns),"
            "Min GPU Time (ns),Max GPU Time (ns)\n\"a\",\"/a\",no,30,1500.0,10,20\n"
            "\"b\",\"/b\",no,9223372036854775807,0.001,1,2\n\"c\",\"/c\",no,-5,1.0,1,2\n"
            "\"d\",\"/d\",no,9223372036854775807,nan,1,2\n"),
      {});
  ASSERT_TRUE(profile) << profile.error().message;
  const ReportedTable* rows = TableOf(*profile, "kernels_by_op");
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->rows.size(), 3u);
  EXPECT_EQ(profile->log[Counter::events_unreadable], 1u);  // No time is below 0.
  for (const auto& row : rows->rows) {
    EXPECT_EQ(row[3], Value{}) << "calls";
    EXPECT_EQ(row[5], Value{}) << "mean";
  }
  EXPECT_EQ(*MetricOf(*profile, "profile.kernel_time"),
            Value{std::numeric_limits<std::int64_t>::max()});
}

TEST_F(DlprofTest, GroupsAndAdviceAreTables) {
  const auto groups = ReadProfile(
      Write("g.csv",
            "Group Op Report\nName,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using "
            "TC,Total CPU Time (ns),Avg. CPU Time (ns),Min CPU Time (ns),Max CPU Time (ns),Total "
            "GPU Time (ns),Total CPU Overhead (ns),Total GPU Idle "
            "(ns)\n\"/\",34,5,0,90,44.6,30,60,40,20,10\n"
            "\"/a/\",x,5,0,90,90.0,90,90,?,20,10\n"),
      {});
  ASSERT_TRUE(groups) << groups.error().message;
  const ReportedTable* table = TableOf(*groups, "op_groups");
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), 1u);
  EXPECT_EQ(table->rows[0][0], Value{std::string("/")});
  EXPECT_EQ(table->rows[0][2], Value{std::int64_t{5}});
  const auto cell = [&](std::string_view column) {
    const auto at = std::find(table->columns.begin(), table->columns.end(), column);
    return table->rows[0].at(static_cast<std::size_t>(at - table->columns.begin()));
  };
  EXPECT_EQ(cell("host_total"), Value{std::int64_t{90}});
  EXPECT_EQ(cell("host_mean"), Value{std::int64_t{45}});
  EXPECT_EQ(cell("host_min"), Value{std::int64_t{30}});
  EXPECT_EQ(cell("host_max"), Value{std::int64_t{60}});
  EXPECT_EQ(cell("gpu_idle"), Value{std::int64_t{10}});
  EXPECT_EQ(cell("device_mean"), Value{});
  EXPECT_EQ(groups->log[Counter::events_unreadable], 1u);
  const auto advice = ReadProfile(
      Write("e.csv",
            "Expert Systems Feedback\nProblem,Recommendation\n\"a, \"\"b\"\"\",\"do\nc\"\n"),
      {});
  ASSERT_TRUE(advice) << advice.error().message;
  ASSERT_NE(TableOf(*advice, "dlprof_advice"), nullptr);
  EXPECT_EQ(TableOf(*advice, "dlprof_advice")->rows,
            (std::vector<std::vector<Value>>{{std::string("a, \"b\""), std::string("do\nc")}}));
}

TEST_F(DlprofTest, DatabaseWinsOverItsReports) {
  Write("dlprof_summary.csv", kSummary);
  WriteDatabase("dlprof_dldb.sqlite", Basic());
  const auto run = LoadRun({folder_.string()}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_EQ(run->profiles[0].source.format, "dlprof_database");
}

TEST_F(DlprofTest, RefusesUnreadableReports) {
  const auto code = [&](const char* name, const char* text) {
    return ReadProfile(Write(name, text), {}).error().code;
  };
  EXPECT_EQ(code("a.csv", "Kernel Report\nName,Time\n\"a\",1\n"), "dlprof/header");
  EXPECT_EQ(code("b.csv", "Kernel Report\nKernel Name,Total GPU Time,\"Min"), "dlprof/truncated");
  const std::string advice = "Expert Systems Feedback\nProblem,Recommendation\n\"a\",\"b\"\n";
  EXPECT_EQ(code("e.csv", (advice + advice).c_str()), "csv/joined");
  EXPECT_EQ(code("c.json", "{\"Summary Report\": [1, }"), "dlprof/not-json");
  EXPECT_EQ(code("d.json", "{\"Summary Report\": 1}"), "dlprof/not-a-summary");
}

TEST(DlprofReal, GroupsAndAdviceEqualTheDatabases) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/dlprof/dummynet_wrelu/";
  if (!fs::exists(data)) GTEST_SKIP() << "no shared profiles";
  const auto database = ReadProfile(data + "dlprof_dldb_1.sqlite", {});
  const auto groups = ReadProfile(data + "dlprof_group_op.csv", {});
  const auto advice = ReadProfile(data + "dlprof_expert_systems.csv", {});
  ASSERT_TRUE(database && groups && advice);
  EXPECT_EQ(TableOf(*groups, "op_groups")->rows.size(), 48u);
  EXPECT_EQ(TableOf(*database, "op_groups")->rows.size(), 47u);
  // The report's last row, the whole model with unlaunched work, is missing in the
  // database.
  const auto& stored = TableOf(*database, "op_groups")->rows;
  for (const auto& row : TableOf(*groups, "op_groups")->rows) {
    if (row[0] == Value{std::string("_CompleteModel_")}) continue;
    EXPECT_NE(std::find(stored.begin(), stored.end(), row), stored.end());
  }
  EXPECT_EQ(TableOf(*advice, "dlprof_advice")->rows, TableOf(*database, "dlprof_advice")->rows);
}

// All of them, and the reason for refusing each.
TEST(DlprofReal, EveryFileIsReadOrRefused) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/dlprof";
  if (!fs::exists(data)) GTEST_SKIP() << "no shared profiles";
  int summaries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (!entry.is_regular_file()) continue;
    SCOPED_TRACE(entry.path().string());
    const auto profile = ReadProfile(entry.path().string(), {});
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->log[Counter::aggregates_differ], 0u);
    EXPECT_EQ(profile->log[Counter::events_unreadable], 0u);
    if (entry.path().extension() != ".json") continue;
    ++summaries;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto parsed = boost::json::parse(text);
    const double percent = parsed.at("Summary Report")
                               .at("Tensor Core Kernel Utilization %")
                               .as_array()
                               .at(0)
                               .to_number<double>();
    // Recorded without operators, so all of them are of all kernels.
    const Value* efficiency = MetricOf(*profile, "tensor_core.efficiency");
    const Value* share = MetricOf(*profile, "tensor_core.share");
    ASSERT_TRUE(efficiency != nullptr && share != nullptr);
    EXPECT_TRUE(IsAbsent(*efficiency));
    EXPECT_NEAR(AsNumber(*share, 0), percent / 100, 1e-9);
  }
  EXPECT_EQ(summaries, 17);
}

TEST(DlprofReal, GoldenSumsEqualTheirRows) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/dlprof/dummynet_wrelu/";
  if (!fs::exists(data)) GTEST_SKIP() << "no shared profiles";
  const auto profile = ReadProfile(data + "dlprof_dldb_1.sqlite", {});
  ASSERT_TRUE(profile) << profile.error().message;
  // 36 ops twice, 49 kernels, the wall time.
  EXPECT_EQ(FactOf(*profile, "dlprof_sums_checked"), "122");
  EXPECT_EQ(profile->log[Counter::aggregates_differ], 0u);
  const auto empty = ReadProfile(data + "dlprof_dldb.sqlite", {});
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_THAT(empty->log.Examples(Counter::profiler_warnings),
              ::testing::ElementsAre("the DLProf database has no kernels: the profile contained no "
                                     "CUDA activity"));
}

}  // namespace
}  // namespace profgauge::readers
