// Totals of the real XLA, rocprofv3 and Ascend recordings after analysis, compared with sums that
// were made from the same files without this program: a decoder of the wire format of a hundred
// lines for
// `.xplane.pb`, and Python's json module for the others. Times are rounded to whole nanoseconds
// event by event in both.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "analysis/analysis.h"
#include "oracle.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

namespace fs = std::filesystem;

class Accelerators : public testing::Test {
 protected:
  void Load(const std::string& file) {
    if (!fs::exists(SharedPath("data"))) GTEST_SKIP() << "no shared data";
    auto run = readers::ReadRun({SharedPath("data/" + file)}, {});
    ASSERT_TRUE(run) << run.error().message;
    run_ = std::move(*run);
    auto analysis = Analyze(run_, Selection{});
    ASSERT_TRUE(analysis) << analysis.error().message;
    analysis_ = std::move(*analysis);
  }
  double Number(const std::string& id) const { return AsNumber(analysis_.Find(id)->value, -1); }
  double Cell(const Table& table, std::size_t row, const std::string& column) const {
    return AsNumber(table.At(row, column), 0);
  }
  double Sum(const std::string& id, const std::string& column) const {
    const Table* table = analysis_.FindTable(id);
    double sum = 0;
    for (std::size_t row = 0; row < table->rows(); ++row) sum += Cell(*table, row, column);
    return sum;
  }
  // Union of the kernels of each GPU, from its share of the window.
  std::map<std::int64_t, double> Busy() const {
    std::map<std::int64_t, double> busy;
    const Table* gpus = analysis_.FindTable("gpus");
    for (std::size_t row = 0; row < gpus->rows(); ++row) {
      busy[static_cast<std::int64_t>(Cell(*gpus, row, "id"))] =
          std::round(Cell(*gpus, row, "utilization") * Cell(*gpus, row, "wall_time"));
    }
    return busy;
  }
  // The HLO ops of a module ("jit_f/dot.1"), and the time of the kernels that they launched.
  std::pair<int, double> HloOps(const std::string& module) const {
    const Table* ops = analysis_.FindTable("ops");
    std::pair<int, double> found;
    for (std::size_t row = 0; row < ops->rows(); ++row) {
      if (!std::get<std::string>(ops->At(row, "name")).starts_with(module + "/")) continue;
      ++found.first;
      found.second += Cell(*ops, row, "device_self");
    }
    return found;
  }

  std::vector<Profile> run_;
  Analysis analysis_;
};

// ROCm's runtime copies and sets by its own kernels, `__amd_rocclr_copyBuffer` and
// `__amd_rocclr_fillBufferAligned`: they are copies and sets, by their calls. Counts and times
// below are of the other kernels, summed up independently from the raw files.
TEST_F(Accelerators, XPlaneOfEightGpus) {
  Load("xla/mi300_jax_conv.xplane.pb");
  if (IsSkipped()) return;
  EXPECT_EQ(analysis_.FindTable("kernels")->rows(), 5u);
  EXPECT_EQ(Sum("kernels", "calls"), 235 - 35);
  EXPECT_EQ(Sum("kernels", "time"), 28'137'077 - 563'521);
  EXPECT_EQ(Sum("streams", "kernel_time"), 28'137'077 - 563'521);
  EXPECT_EQ(Sum("api_calls", "calls"), 234);
  EXPECT_EQ(Sum("api_calls", "time"), 18'453'619);
  EXPECT_EQ(HloOps("jit_forward_3d_conv"), (std::pair<int, double>(4, 27'550'676)));
  const std::map<std::int64_t, double> busy = {{0, 3'436'644}, {1, 3'345'845}, {2, 3'524'285},
                                               {3, 3'403'364}, {4, 3'493'365}, {5, 3'464'884},
                                               {6, 3'403'004}, {7, 3'502'165}};
  EXPECT_EQ(Busy(), busy);
  EXPECT_EQ(Number("memory.peak_allocated"), 1'732'169'984);
}

TEST_F(Accelerators, XPlaneOfOneGpu) {
  Load("xla/mi_te_fused_attn.xplane.pb");
  if (IsSkipped()) return;
  EXPECT_EQ(analysis_.FindTable("kernels")->rows(), 18u);
  EXPECT_EQ(Sum("kernels", "time"), 12'133'585 - 166'482);
  EXPECT_EQ(Sum("api_calls", "time"), 3'697'277);
  EXPECT_EQ(HloOps("jit_loss_fn"), (std::pair<int, double>(20, 12'133'585)));
  EXPECT_EQ(Busy(), (std::map<std::int64_t, double>{{0, 11'966'822}}));
  EXPECT_EQ(Number("memory.peak_allocated"), 663'228'416);
}

TEST_F(Accelerators, Rocprofv3) {
  Load("rocm/908_results.json.gz");
  if (IsSkipped()) return;
  EXPECT_EQ(analysis_.FindTable("kernels")->rows(), 80u - 2);
  EXPECT_EQ(Sum("kernels", "calls"), 43'915 - 3'153 - 3'213);
  EXPECT_EQ(Sum("kernels", "time"), 4'418'642'151);
  EXPECT_EQ(analysis_.FindTable("streams")->rows(), 567u);
  EXPECT_EQ(Sum("collectives", "calls"), 1'310);
  EXPECT_EQ(Sum("collectives", "time"), 4'158'756'678);
  EXPECT_EQ(Sum("collectives", "exposed_time"), 3'962'709'684);
  EXPECT_EQ(Busy(), (std::map<std::int64_t, double>{{0, 4'221'373'500}}));
  EXPECT_EQ(Number("profile.wall_time"), 15'122'023'494);
  // Only kernels were traced: host work and copies are unknown, not 0.
  for (const char* id : {"gpu.idle_cause.host_wait", "memcpy.h2d.bytes_per_iteration",
                         "memcpy.d2d.bytes_per_iteration"}) {
    EXPECT_TRUE(IsAbsent(analysis_.Find(id)->value)) << id;
  }
  EXPECT_EQ(Number("kernel.count_per_iteration"), 37'549);
}

TEST_F(Accelerators, Ascend) {
  Load("ascend/trace_view.json");
  if (IsSkipped()) return;
  EXPECT_EQ(analysis_.FindTable("kernels")->rows(), 92u);
  EXPECT_EQ(Sum("kernels", "calls"), 274);
  // The profiler's own track "Computing" adds up to 1 788 250.5 ns; each of 274 times is rounded.
  EXPECT_NEAR(Busy().at(0), 1'788'250.5, 137);
  EXPECT_EQ(Number("profile.wall_time"), 14'091'970);
}

TEST_F(Accelerators, AscendKernelDetails) {
  Load("ascend/kernel_details.csv");
  if (IsSkipped()) return;
  // Four of 29 rows are one: the same kernel, from the same nanosecond on, with the same counters.
  EXPECT_EQ(Sum("kernels", "time"), 8'497'229);
  EXPECT_EQ(Sum("ops", "calls"), 26);
  EXPECT_EQ(Sum("ops_by_shape", "device_self"), 8'497'229);
  EXPECT_NEAR(Number("npu.cube_utilization"), 0.9368923675805465, 1e-9);
}

}  // namespace
}  // namespace profgauge::analysis
