// Numbers that a page once had wrong, compared with the profile's own: computed apart from the
// program, or stated by the profiler's own reports.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kProfiles = fs::path(PROFGAUGE_SOURCE_DIR) / ".." / "shared" / "data";

class PageNumbers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kProfiles)) GTEST_SKIP() << "no profiles in " << kProfiles;
  }

  // report.json of a run.
  void Read(const std::vector<std::string>& files) {
    const auto recording = Load(files, {});
    ASSERT_TRUE(recording) << recording.error().message;
    const auto judged = Evaluate(*recording, {});
    ASSERT_TRUE(judged) << judged.error().front().message;
    const auto text = Render(*judged, Format::kJson);
    ASSERT_TRUE(text) << text.error().message;
    report_ = json::parse(*text).as_object();
  }
  void Read(const char* file) { Read(std::vector<std::string>{(kProfiles / file).string()}); }

  // A table's rows, their cells by column.
  std::vector<json::object> Cells(std::string_view table) {
    std::vector<json::object> rows;
    const json::object& all = report_.at("tables").as_object();
    if (!all.contains(table)) return rows;
    const json::object& found = all.at(table).as_object();
    const json::array& columns = found.at("columns").as_array();
    for (const json::value& row : found.at("rows").as_array()) {
      json::object& cells = rows.emplace_back();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        cells[columns[i].at("id").as_string()] = row.as_array()[i];
      }
    }
    return rows;
  }
  std::map<std::string, json::object> ByName(std::string_view table) {
    std::map<std::string, json::object> rows;
    for (const json::object& row : Cells(table)) {
      rows[std::string(row.at("name").as_string())] = row;
    }
    return rows;
  }
  std::int64_t SumOf(std::string_view table, std::string_view column) {
    std::int64_t sum = 0;
    for (const json::object& row : Cells(table)) {
      if (row.at(column).is_int64()) sum += row.at(column).as_int64();
    }
    return sum;
  }
  double MetricOf(std::string_view id) {
    return report_.at("metrics").at(id).at("value").to_number<double>();
  }

  json::object report_;
};

// DLProf's own reports have all columns: dlprof_op_type.csv.
TEST_F(PageNumbers, DlprofsReportsAreWhole) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kProfiles / "dlprof" / "dummynet_wrelu")) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  }
  const fs::path folder = fs::path(::testing::TempDir()) / "page_numbers_dlprof";
  fs::create_directories(folder);
  for (const std::string& file : files) {
    fs::copy_file(file, folder / fs::path(file).filename(), fs::copy_options::overwrite_existing);
  }
  Read(std::vector<std::string>{folder.string()});
  fs::remove_all(folder);
  ASSERT_FALSE(HasFatalFailure());
  const auto types = ByName("op_types");
  ASSERT_EQ(types.size(), 9U);
  const json::object& conv = types.at("conv2d");
  EXPECT_EQ(conv.at("operators"), 2);
  EXPECT_EQ(conv.at("device_self"), 539'835);
  EXPECT_EQ(conv.at("host_self"), 903'991);
  EXPECT_EQ(conv.at("gpu_idle"), 2'080'988);
  EXPECT_GT(SumOf("ops", "host_self"), 0);
}

// The same of its database; "Operators" counts operators, not types.
TEST_F(PageNumbers, DlprofsDatabaseCountsOperators) {
  Read("dlprof/dummynet_wrelu/dlprof_dldb_1.sqlite");
  ASSERT_FALSE(HasFatalFailure());
  const auto types = ByName("op_types");
  ASSERT_EQ(types.size(), 9U);
  EXPECT_EQ(types.at("cuda").at("operators"), 11);
  EXPECT_EQ(types.at("conv2d").at("device_self"), 539'835);
}

// Sixteen calls of "norm" under one sequence number: one element is one multiplication and one
// addition, 13 593 478 of them.
TEST_F(PageNumbers, OneSequenceNumberCoversAllCalls) {
  Read("pyprof/josiahdavis_profiling-lm.net.dict");
  ASSERT_FALSE(HasFatalFailure());
  const auto ops = ByName("ops");
  constexpr double kElements = 13'593'478;
  EXPECT_EQ(ops.at("Tensor.norm").at("calls"), 16);
  EXPECT_EQ(ops.at("Tensor.norm").at("flops").to_number<double>(), 2 * kElements);
  EXPECT_EQ(ops.at("Tensor.norm").at("bytes").to_number<double>(), 4 * kElements);
  EXPECT_EQ(ops.at("Tensor.add_").at("flops").to_number<double>(), kElements);
  EXPECT_EQ(ops.at("Tensor.mul_").at("bytes").to_number<double>(), 8 * kElements);
}

// Kernels that were launched before the first iteration are in tables, with their outside part;
// streams and numbers of an iteration are without them.
TEST_F(PageNumbers, KernelsLeaveTheBacklogOut) {
  struct Case {
    const char* file;
    std::int64_t kernels, time;
  };
  for (const Case& one :
       {Case{"kineto/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1029, 31'760'058},
        Case{"kineto/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1053, 29'743'178}}) {
    Read(one.file);
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_EQ(SumOf("kernels", "calls") - SumOf("kernels", "outside_calls"), one.kernels)
        << one.file;
    EXPECT_EQ(SumOf("kernels", "time") - SumOf("kernels", "outside"), one.time) << one.file;
    EXPECT_EQ(SumOf("streams", "kernels"), one.kernels) << one.file;
    EXPECT_EQ(SumOf("streams", "kernel_time"), one.time) << one.file;
    EXPECT_EQ(MetricOf("kernel.count_per_iteration"), static_cast<double>(one.kernels));
  }
  Read("kineto/dlrm_8ranks");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(SumOf("kernels", "time") - SumOf("kernels", "outside"), 57'028'000);
  EXPECT_EQ(SumOf("streams", "kernel_time"), 57'028'000);
}

// The first 2.24 s, in which the device is set up, are left out: nearly all of Tensor.cuda.
TEST_F(PageNumbers, WorkBeforeTheWindowIsOutside) {
  Read("nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite");
  ASSERT_FALSE(HasFatalFailure());
  const auto ops = ByName("ops");
  const json::object& cuda = ops.at("Tensor.cuda");
  EXPECT_EQ(cuda.at("host_total"), 2'240'161'963);
  EXPECT_EQ(cuda.at("outside_host"), 2'239'625'576);
}

// Collectives that overlap only copies are exposed: no kernel computes. The bar, the metric that
// the finding judges and the table of ranks agree, except for the mean that each takes.
TEST_F(PageNumbers, ExposedCommunicationAgrees) {
  Read(std::vector<std::string>{(fs::path(PROFGAUGE_SOURCE_DIR) / "examples" / "ddp").string()});
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_GT(MetricOf("breakdown.communication"), 0.19);
  EXPECT_NEAR(MetricOf("breakdown.communication"), MetricOf("communication.exposed_share"), 0.001);
  EXPECT_NEAR(static_cast<double>(SumOf("ranks", "exposed_communication")),
              MetricOf("breakdown.communication.time"), 100);
}

// A NeuronCore's times are rounded, not cut: the file's own summary has 452.663 and 6 052.739 ns.
TEST_F(PageNumbers, EnginesMatchTheFilesSummary) {
  Read("neuron/profile_128x128x512.json");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(SumOf("cores", "vector_active"), 453);
  EXPECT_EQ(SumOf("cores", "active_time"), 6053);
}

}  // namespace
}  // namespace profgauge
