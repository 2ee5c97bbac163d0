// Numbers of real profiles that were wrong once, with the true ones: from the files themselves,
// from the output of their profilers, or counted by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "oracle.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

namespace fs = std::filesystem;

struct Analyzed {
  std::vector<Profile> ranks;
  Analysis analysis;

  explicit Analyzed(const std::string& file) : Analyzed(file, {""}) {}
  /// Files of a folder.
  Analyzed(const std::string& folder, const std::vector<std::string>& files) {
    std::vector<std::string> paths;
    for (const std::string& file : files) {
      paths.push_back(SharedPath("data/" + folder) + (file.empty() ? "" : "/" + file));
    }
    auto run = readers::ReadRun(paths, {});
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

TEST_F(SharedNumbers, NetDictCountsWorkOnce) {
  const Analyzed run("pyprof/josiahdavis_profiling-lm.net.dict");
  const Table* roofline = run.analysis.FindTable("roofline");
  ASSERT_NE(roofline, nullptr);
  double most = 0;
  for (std::size_t row = 0; row < roofline->rows(); ++row) {
    most = std::max(most, AsNumber(roofline->At(row, "flops"), 0));
  }
  // 2 × 700 × 33 278 × 200 for each of the two gradients of the decoder's product.
  EXPECT_EQ(most, 2 * 9'317'840'000.0);
  // Forward once; the bias is not counted.
  EXPECT_NEAR(AsNumber(run.Cell("ops_by_shape", "torch.nn.functional.linear", "flops"), 0), 9.34e9,
              0.05e9);
  // The norm of each parameter is a call, though PyProf numbers their kernels as those of one.
  for (const char* op : {"Tensor.norm", "Tensor.mul_", "Tensor.add_"}) {
    EXPECT_EQ(run.Cell("ops", op, "calls"), Value{std::int64_t{16}}) << op;
    EXPECT_EQ(run.Cell("ops", op, "kernels"), Value{std::int64_t{16}}) << op;
  }
  constexpr double kElements = 13'593'478;
  EXPECT_EQ(AsNumber(run.Cell("ops", "Tensor.norm", "flops"), 0), 2 * kElements);
  EXPECT_NEAR(AsNumber(run.Cell("ops", "Tensor.norm", "bytes"), 0), 4 * kElements, 100);
  EXPECT_NEAR(AsNumber(run.Cell("ops", "Tensor.norm", "achieved"), 0), 53.8e9, 0.1e9);
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

TEST_F(SharedNumbers, DlprofDatabaseEqualsModelSummary) {
  const Analyzed run("dlprof/dummynet_wrelu/dlprof_dldb_1.sqlite");
  EXPECT_EQ(run.Number("profile.wall_time"), 2'840'562'182);
  EXPECT_NEAR(run.Number("gpu.utilization.mean"), 0.00020359, 1e-8);
  // Kernels of a convolution overlap: DLProf's GPU time counts that once.
  EXPECT_EQ(run.Cell("op_types", "conv2d", "gpu_busy"), Value{std::int64_t{539'835}});
  EXPECT_EQ(run.Cell("op_types", "conv2d", "device_self"), Value{std::int64_t{539'835}});
  EXPECT_EQ(run.Cell("op_types", "conv2d", "operators"), Value{std::int64_t{2}});
  EXPECT_EQ(run.Cell("op_types", "cuda", "operators"), Value{std::int64_t{11}});
  EXPECT_EQ(run.Cell("op_types", "conv2d", "tensor_core_eligible"), Value{true});
  EXPECT_EQ(run.analysis.FindTable("op_types")->rows(), 9u);
}

// dlprof_op_type.csv, dlprof_detailed.csv and dlprof_iteration.csv, read with `cut`.
TEST_F(SharedNumbers, DlprofFolderHasReportColumns) {
  const Analyzed run("dlprof/dummynet_norelu",
                     {"dlprof_op_type.csv", "dlprof_detailed.csv", "dlprof_iteration.csv",
                      "dlprof_summary.csv", "dlprof_kernel.csv"});
  const auto number = [&run](const char* column) {
    return AsNumber(run.Cell("op_types", "cuda", column), -1);
  };
  EXPECT_EQ(number("operators"), 11);
  EXPECT_EQ(number("host_total"), 2'254'056'797);
  EXPECT_EQ(number("host_mean"), 204'914'254);
  EXPECT_EQ(number("host_min"), 23'171);
  EXPECT_EQ(number("host_max"), 2'253'749'426);
  EXPECT_EQ(number("gpu_busy"), 25'536);
  EXPECT_EQ(number("device_mean"), 2'322);
  EXPECT_EQ(number("device_max"), 15'936);
  EXPECT_EQ(number("host_self"), 123'853'362);
  EXPECT_EQ(number("host_self_min"), 13'992);
  EXPECT_EQ(AsNumber(run.Cell("op_types", "conv2d", "gpu_idle_max"), -1), 1'573'021);
  EXPECT_EQ(run.Cell("op_types", "conv2d", "tensor_core_eligible"), Value{true});
  EXPECT_EQ(run.Cell("op_types", "cuda", "tensor_core_eligible"), Value{false});
  EXPECT_EQ(run.Cell("op_types", "conv2d", "uses_tensor_core"), Value{std::string("no")});
  EXPECT_EQ(run.Cell("ops", "/module/randn", "host_self"), Value{std::int64_t{70'401}});
  EXPECT_EQ(run.Cell("ops", "/module/randn", "kernels"), Value{std::int64_t{0}});
  EXPECT_EQ(run.Cell("op_types", "linear", "kernels"), Value{std::int64_t{3}});
  const Table& launches = *run.analysis.FindTable("launches");
  ASSERT_GT(launches.rows(), 0u);
  for (const char* column : {"grid", "block", "iteration"}) {
    EXPECT_FALSE(IsAbsent(launches.At(0, column))) << column;
  }
}

TEST_F(SharedNumbers, DlprofSummaryHasIterationsAndLoader) {
  const Analyzed run("dlprof/a100x4_pytorch_1.7.0_summary.csv");
  EXPECT_EQ(run.analysis.iterations_total, 939);
  EXPECT_EQ(run.analysis.iterations_selected, 201);
  EXPECT_NEAR(run.Number("dataloader.exposed_share"), 0.219, 1e-12);
  EXPECT_EQ(run.Number("profile.gpus_listed"), 4);
}

TEST_F(SharedNumbers, MachineHasMoreGpus) {
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

TEST_F(SharedNumbers, FusedLayersHaveTheirFirstType) {
  const Analyzed run("nsight-systems/memfusion_artifact_report1.sqlite");
  EXPECT_EQ(run.Cell("ops", "/conv1/Conv + /relu/Relu", "type"), Value{std::string("Conv")});
}

}  // namespace
}  // namespace profgauge::analysis
