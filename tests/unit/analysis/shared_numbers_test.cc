// Numbers of real recordings that were wrong once, with the true ones: from the files themselves,
// from what their own tools wrote beside them, or counted by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "oracle.h"
#include "readers/load.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

struct Analyzed {
  std::vector<Profile> ranks;
  Analysis analysis;

  explicit Analyzed(const std::string& file) {
    auto run = ReadRun({SharedPath("data/" + file)}, {});
    EXPECT_TRUE(run) << (run ? "" : run.error().message);
    if (!run) return;
    ranks = *std::move(run);
    auto made = Analyze(ranks, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    if (made) analysis = *std::move(made);
  }
  double Number(std::string_view metric) const {
    const Metric* found = analysis.Find(metric);
    return found == nullptr ? NAN : AsNumber(found->value, NAN);
  }
  Value Cell(std::string_view table, std::string_view name, std::string_view column) const {
    const Table* found = analysis.FindTable(table);
    for (std::size_t row = 0; found != nullptr && row < found->rows(); ++row) {
      if (found->At(row, "name") == Value{std::string(name)}) return found->At(row, column);
    }
    return {};
  }
};

class SharedNumbers : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(SharedPath("data"))) GTEST_SKIP() << "no recordings at hand";
  }
};

TEST_F(SharedNumbers, NetDictCountsTheWorkOfACallOnceAndHasNoTimes) {
  const Analyzed run("pyprof/josiahdavis_profiling-lm.net.dict");
  const Table* roofline = run.analysis.FindTable("roofline");
  ASSERT_NE(roofline, nullptr);
  double most = 0;
  for (std::size_t row = 0; row < roofline->rows(); ++row) {
    most = std::max(most, AsNumber(roofline->At(row, "flops"), 0));
  }
  // 2 × 700 × 33 278 × 200 of the decoder's linear and the bias on top.
  EXPECT_NEAR(most, 9.34e9, 0.05e9);
  const Table* gpus = run.analysis.FindTable("gpus");
  ASSERT_GT(gpus->rows(), 0u);
  for (const char* column : {"utilization", "idle", "sm_efficiency", "wall_time"}) {
    EXPECT_TRUE(IsAbsent(gpus->At(0, column))) << column;
  }
  EXPECT_TRUE(IsAbsent(run.analysis.FindTable("streams")->At(0, "busy")));
  for (const char* op : {"torch.nn.functional.linear", "mmBackward", "bmmBackward"}) {
    EXPECT_EQ(run.Cell("ops", op, "tensor_core_eligible"), Value{true}) << op;
  }
}

TEST_F(SharedNumbers, TheDlprofDatabaseAgreesWithItsModelSummary) {
  const Analyzed run("dlprof/dummynet_wrelu/dlprof_dldb_1.sqlite");
  EXPECT_EQ(run.Number("profile.wall_time"), 2'840'562'182);
  EXPECT_NEAR(run.Number("gpu.utilization.mean"), 0.00020359, 1e-8);
  // Kernels of a convolution overlap: DLProf's GPU time counts that once.
  EXPECT_EQ(run.Cell("op_types", "conv2d", "gpu_busy"), Value{std::int64_t{539'835}});
}

TEST_F(SharedNumbers, TheDlprofSummaryStatesIterationsAndTheLoader) {
  const Analyzed run("dlprof/a100x4_pytorch_1.7.0_summary.csv");
  EXPECT_EQ(run.analysis.iterations_total, 939);
  EXPECT_EQ(run.analysis.iterations_selected, 201);
  EXPECT_NEAR(run.Number("dataloader.exposed_share"), 0.219, 1e-12);
  EXPECT_EQ(run.Number("profile.gpus_listed"), 4);
}

TEST_F(SharedNumbers, GpusOfTheMachineAreMoreThanThoseWithWork) {
  const std::pair<std::string, double> files[] = {
      {"kineto/v100_resnet50/resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz", 4},
      {"nsight-systems/memfusion_artifact_report1.sqlite", 4},
      {"nsight-systems/lockfuehrer_beast_report1.sqlite", 2},
      {"nsight-systems/hsiaogary_cuda_course_report1.sqlite", 2}};
  for (const auto& [file, listed] : files) {
    const Analyzed run(file);
    EXPECT_EQ(run.Number("profile.gpus_listed"), listed) << file;
    EXPECT_EQ(run.Number("profile.gpus"), 1) << file;
  }
}

TEST_F(SharedNumbers, FusedTensorRtLayersAreWhatTheyCompute) {
  const Analyzed run("nsight-systems/memfusion_artifact_report1.sqlite");
  EXPECT_EQ(run.Cell("ops", "/conv1/Conv + /relu/Relu", "type"), Value{std::string("Conv")});
}

}  // namespace
}  // namespace profgauge
