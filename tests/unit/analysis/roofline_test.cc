#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/device_peaks.h"
#include "analysis/flops/op_work.h"
#include "analysis/flops/recomputation.h"
#include "fixture.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

void AddOp(const char* name, const char* shapes, const std::string& types, At at,
           TestProfile& profile) {
  HostRow row;
  row.start = at.start;
  row.duration = at.duration();
  row.name = profile.builder().Intern(name);
  row.thread = profile.main();
  row.input_shapes = profile.builder().Intern(shapes);
  if (!types.empty()) row.input_dtypes = profile.builder().Intern(types);
  profile.builder().AddHost(row);
}

/// A product of 1024³ in 20 µs on an A100 and an addition in 10 µs, in a window of 100 µs.
Profile TwoOps(const char* gpu_name) {
  TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = gpu_name;
  profile.builder().AddGpu(gpu);
  const auto op = [&](const char* name, const char* shapes, const char* types, At at) {
    AddOp(name, shapes, types, at, profile);
  };
  profile.Step(1, {0, 100'000});
  op("aten::linear", "[[1024, 1024], [1024, 1024]]", "[c10::BFloat16, c10::BFloat16]",
     {1'000, 10'000});
  op("aten::mm", "[[1024, 1024], [1024, 1024]]", "[c10::BFloat16, c10::BFloat16]", {2'000, 9'000});
  profile.Launch("ampere_bf16_s16816gemm_bf16_128x128", {3'000, 4'000}, {5'000, 25'000});
  profile.Launch("splitKreduce_kernel", {5'000, 6'000}, {25'000, 26'000});
  op("aten::add", "[[1024, 1024], [1024, 1024], []]", "[float, float, Scalar]", {20'000, 30'000});
  profile.Launch("elementwise_kernel", {21'000, 22'000}, {30'000, 40'000});
  return profile.Finish();
}

constexpr double kProduct = 2.0 * 1024 * 1024 * 1024;

TEST(Roofline, CountsTheOutermostOperatorOnce) {
  const Analysis analysis = AnalyzeOne(TwoOps("NVIDIA A100-SXM4-80GB"));
  const Table& table = *analysis.FindTable("roofline");
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(std::get<std::string>(table.At(0, "name")), "aten::linear");
  EXPECT_EQ(std::get<double>(table.At(0, "flops")), kProduct);
  EXPECT_EQ(std::get<std::int64_t>(table.At(0, "time")), 21'000);
  EXPECT_EQ(std::get<double>(table.At(0, "peak")), 312e12);
  EXPECT_NEAR(std::get<double>(table.At(0, "mfu")), kProduct / 312e12 / 21e-6, 1e-12);
  EXPECT_EQ(std::get<std::string>(table.At(0, "bound")), "compute");
  EXPECT_EQ(std::get<std::string>(table.At(1, "bound")), "memory");
  const double bytes = 3.0 * 4 * 1024 * 1024;
  EXPECT_NEAR(std::get<double>(table.At(1, "roof_share")), bytes / 2039e9 / 10e-6, 1e-12);
}

TEST(Roofline, RowsHaveShapeKernelAndReach) {
  const Analysis analysis = AnalyzeOne(TwoOps("NVIDIA A100-SXM4-80GB"));
  const Table& table = *analysis.FindTable("roofline");
  EXPECT_EQ(std::get<std::string>(table.At(0, "kind")), "product");
  EXPECT_EQ(std::get<std::int64_t>(table.At(0, "m")), 1024);
  EXPECT_EQ(std::get<std::string>(table.At(0, "kernel")), "ampere_bf16_s16816gemm_bf16_128x128");
  EXPECT_EQ(std::get<double>(table.At(0, "reach")), 0.75);
  EXPECT_EQ(std::get<std::string>(table.At(0, "trait")), "none");
  EXPECT_EQ(std::get<std::string>(table.At(1, "kind")), "elementwise");
}

TEST(Roofline, MetricsAreOverTheWindow) {
  const Analysis analysis = AnalyzeOne(TwoOps("NVIDIA A100-SXM4-80GB"));
  const double flops = kProduct + 1024 * 1024;
  EXPECT_NEAR(std::get<double>(analysis.Find("flops.achieved")->value), flops / 100e-6, 1);
  EXPECT_NEAR(std::get<double>(analysis.Find("flops.mfu")->value),
              (kProduct / 312e12 + 1024 * 1024 / 19.5e12) / 100e-6, 1e-12);
}

// An operator with shapes, types and a number, and the kernel that it launches.
void Add(TestProfile& profile, const char* name, At at, std::int64_t sequence,
         const char* shapes = "[[1024, 1024], [1024, 1024]]") {
  HostRow row;
  row.start = at.start;
  row.duration = at.duration();
  row.name = profile.builder().Intern(name);
  row.thread = profile.main();
  row.sequence = sequence;
  row.input_shapes = profile.builder().Intern(shapes);
  row.input_dtypes = profile.builder().Intern("[c10::BFloat16, c10::BFloat16]");
  profile.builder().AddHost(row);
}

// Forward, its gradients, and the forward once more inside of the backward node.
TEST(Roofline, ModelFlopsLeaveOutRecomputation) {
  TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  profile.builder().AddGpu(gpu);
  profile.Step(1, {0, 100'000});
  Add(profile, "aten::mm", {1'000, 10'000}, 7);
  profile.Launch("ampere_bf16_s16816gemm_bf16", {2'000, 3'000}, {5'000, 25'000});
  profile.Op("autograd::engine::evaluate_function: MmBackward0", {20'000, 60'000});
  profile.Op("MmBackward0", {21'000, 59'000});
  Add(profile, "aten::mm", {22'000, 30'000}, 9);  // Again.
  profile.Launch("ampere_bf16_s16816gemm_bf16", {23'000, 24'000}, {30'000, 40'000});
  Add(profile, "aten::mm", {31'000, 39'000}, -1);
  profile.Launch("ampere_bf16_s16816gemm_bf16", {32'000, 33'000}, {40'000, 50'000});
  Add(profile, "aten::_grouped_mm", {70'000, 80'000}, 12, "[[8, 64, 64], [8, 64, 64]]");
  profile.Launch("cutlass_grouped_gemm", {71'000, 72'000}, {75'000, 85'000});
  const Profile finished = profile.Finish();
  const Analysis analysis = AnalyzeOne(finished);
  const double each = kProduct / 312e12 / 100e-6;
  EXPECT_NEAR(NumberOf(analysis, "flops.hfu"), 3 * each, 1e-12);
  EXPECT_NEAR(NumberOf(analysis, "flops.mfu"), 2 * each, 1e-12);
  EXPECT_NE(analysis.Find("flops.mfu")->note.find("recomputation, 33.3"), std::string::npos)
      << analysis.Find("flops.mfu")->note;
  EXPECT_NE(analysis.Find("flops.hfu")->note.find("aten::_grouped_mm (20.0"), std::string::npos)
      << analysis.Find("flops.hfu")->note;
}

TEST(Roofline, TheOlderCheckpointNamesItsNode) {
  TestProfile profile;
  profile.Op("CheckpointFunctionBackward", {0, 100});
  profile.Op("aten::mm", {10, 20});
  profile.Op("autograd::engine::evaluate_function: MmBackward0", {30, 60});
  profile.Op("aten::mm", {40, 50});
  const Profile finished = profile.Finish();
  EXPECT_EQ(flops::FindRecomputed(finished), (std::vector<bool>{false, true, false, false}));
}

TEST(Roofline, AUsersRangeIsNoNode) {
  for (const HostKind kind : {HostKind::kAnnotation, HostKind::kOp}) {
    TestProfile profile;
    profile.Host(kind, "net_backward", {0, 100'000});
    Add(profile, "aten::mse_loss", {1'000, 10'000}, 7);
    const Profile finished = profile.Finish();
    const bool is_node = kind == HostKind::kOp;
    EXPECT_EQ(flops::FindRecomputed(finished), (std::vector<bool>{false, is_node}));
    EXPECT_EQ(flops::HasBackward(finished), is_node);
  }
}

// Whoever only fills memory has no utilization, and not one of 0.
TEST(Roofline, MovingDataIsNoComputation) {
  TestProfile profile;
  profile.Step(1, {0, 100'000});
  Add(profile, "aten::fill_", {1'000, 10'000}, -1);
  profile.Launch("void at::native::vectorized_elementwise_kernel<4>(P)", {2'000, 3'000},
                 {5'000, 25'000});
  const Profile finished = profile.Finish();
  const Analysis analysis = AnalyzeOne(finished);
  for (const char* id : {"flops.achieved", "flops.mfu", "flops.hfu"}) {
    EXPECT_TRUE(IsAbsent(analysis.Find(id)->value)) << id;
    EXPECT_NE(analysis.Find(id)->absent_because.find("compute nothing"), std::string::npos);
  }
}

// A product of 1024³ in one kernel that no name rule knows; its rate shows where it runs.
Profile UnknownProduct(const char* op, const char* gpu_name, Ns time,
                       const char* second = nullptr) {
  TestProfile profile;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = gpu_name;
  profile.builder().AddGpu(gpu);
  profile.Step(1, {0, 1'000'000});
  AddOp(op, "[[1024, 1024], [1024, 1024]]", "[c10::BFloat16, c10::BFloat16]", {1'000, 10'000},
        profile);
  profile.Launch("acme_tile_kernel", {3'000, 4'000}, {5'000, 5'000 + time});
  if (second != nullptr) {
    profile.Launch(second, {5'000, 6'000}, {5'000 + time, 6'000 + time});
  }
  return profile.Finish();
}

TEST(Roofline, ARateAboveTheVectorUnitsDecides) {
  const auto efficiency = [](const Profile& profile) {
    const Analysis analysis = AnalyzeOne(profile);
    const Metric* metric = analysis.Find("tensor_core.efficiency");
    return metric == nullptr || metric->may_be ? -1 : std::get<double>(metric->value);
  };
  const char* a100 = "NVIDIA A100-SXM4-80GB";
  // 2.147 GFLOP: in 20 µs 107, in 30 µs 72, in 5 µs 429 TFLOP/s. Vector units reach at most
  // 4 × 19.5, matrix units 312.
  EXPECT_EQ(efficiency(UnknownProduct("aten::mm", a100, 20'000)), 1);
  EXPECT_EQ(efficiency(UnknownProduct("aten::mm", a100, 30'000)), -1);
  EXPECT_EQ(efficiency(UnknownProduct("aten::mm", a100, 5'000)), -1) << "an impossible rate";
  EXPECT_EQ(efficiency(UnknownProduct("aten::mm", "Some Device", 20'000)), -1);
  EXPECT_EQ(efficiency(UnknownProduct("aten::mm", a100, 20'000, "acme_other_kernel")), -1)
      << "one of two";
}

TEST(Roofline, KernelsShareWorkHelpersHaveNone) {
  const Analysis analysis = AnalyzeOne(TwoOps("NVIDIA A100-SXM4-80GB"));
  const Table& table = *analysis.FindTable("kernels_by_op");
  std::map<std::string, double> flops;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    flops[std::get<std::string>(table.At(row, "name"))] = std::get<double>(table.At(row, "flops"));
  }
  EXPECT_EQ(flops["ampere_bf16_s16816gemm_bf16_128x128"], kProduct);
  EXPECT_EQ(flops["splitKreduce_kernel"], 0);
  EXPECT_EQ(flops["elementwise_kernel"], 1024 * 1024);
}

TEST(Roofline, UnknownChipHasNoRoof) {
  const Profile profile = TwoOps("Lab accelerator 7");
  const Analysis without = AnalyzeOne(profile);
  EXPECT_TRUE(IsAbsent(without.FindTable("roofline")->At(0, "peak")));
  EXPECT_TRUE(IsAbsent(without.FindTable("roofline")->At(0, "bound")));
  const Metric& mfu = *without.Find("flops.mfu");
  EXPECT_TRUE(IsAbsent(mfu.value));
  EXPECT_NE(mfu.absent_because.find("Lab accelerator 7"), std::string::npos);
  EXPECT_FALSE(IsAbsent(without.Find("flops.achieved")->value));

  KnownDevice lab;
  lab.match = "Lab*";
  lab.peaks.flop_rate = {{"bfloat16", 400e12}, {"float32", 50e12}};
  lab.peaks.memory_bandwidth = 3e12;
  classify::Knowledge knowledge;
  knowledge.devices.push_back(lab);
  const Analysis with = AnalyzeOne(profile, knowledge);
  EXPECT_EQ(std::get<double>(with.FindTable("roofline")->At(0, "peak")), 400e12);
  EXPECT_FALSE(IsAbsent(with.Find("flops.mfu")->value));
}

// One product of 1 ms on `gpu`, with types as given, and one operator of 100 us whose type is FP32.
Profile OneProduct(const std::string& gpu, const std::string& types) {
  TestProfile profile;
  Gpu device;
  device.id = 0;
  device.name = gpu;
  profile.builder().AddGpu(device);
  AddOp("aten::mm", "[[512, 512], [512, 512]]", types, {0, 10'000}, profile);
  profile.Launch("gemm", {1'000, 2'000}, {3'000, 1'003'000});
  AddOp("aten::add", "[[512, 512], [512, 512], []]", "[float, float, Scalar]", {20'000, 30'000},
        profile);
  profile.Launch("elementwise_kernel", {21'000, 22'000}, {1'010'000, 1'110'000});
  return profile.Finish();
}

std::string WhyNoMfu(const std::string& gpu, const std::string& types) {
  return AnalyzeOne(OneProduct(gpu, types)).Find("flops.mfu")->absent_because;
}

TEST(Roofline, NamesMissingPeakData) {
  EXPECT_EQ(WhyNoMfu("NVIDIA A100-SXM4-80GB", "[c10::Half, c10::Half]"), "");
  EXPECT_EQ(WhyNoMfu("", "[c10::Half, c10::Half]").find("the name of the GPU is missing"), 0u);
  EXPECT_EQ(WhyNoMfu("Lab 7", "[c10::Half, c10::Half]").find("the peak of Lab 7 is unknown"), 0u);
  EXPECT_EQ(WhyNoMfu("Tesla V100-SXM2-16GB", "[c10::BFloat16, c10::BFloat16]")
                .find("Tesla V100-SXM2-16GB has no known peak for bfloat16, the type of aten::mm"),
            0u);
  EXPECT_EQ(WhyNoMfu("NVIDIA A100-SXM4-80GB", "").find("the element type of aten::mm is missing"),
            0u);
}

// A row of the table that computes and has no peak, of which the reason speaks.
bool HasPeaklessRow(const Table& table, const std::string& reason) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double flops = AsNumber(table.At(row, "flops"), 0);
    if (flops <= 0 || !IsAbsent(table.At(row, "peak"))) continue;
    const auto text = [&](const char* column) {
      const Value value = table.At(row, column);
      return IsAbsent(value) ? std::string() : std::get<std::string>(value);
    };
    const std::string gpu = text("gpu_name"), dtype = text("dtype"), op = text("name");
    Gpu named;
    named.name = gpu;
    const bool is_known = classify::PeaksOf(named, {}).has_value();
    const auto says = [&](const std::string& part) { return reason.find(part) == 0; };
    if (gpu.empty() && says("the name of the ")) return true;
    if (!is_known && says("the peak of " + gpu + " is unknown")) return true;
    if (is_known && dtype.empty() && says("the element type of " + op + " is missing")) return true;
    if (is_known && says(gpu + " has no known peak for ")) return true;
  }
  return false;
}

// Whatever is said to be missing is missing.
TEST(Roofline, AbsenceReasonsHoldOnEveryProfile) {
  namespace fs = std::filesystem;
  const fs::path data = fs::path(PROFGAUGE_SHARED_DIR) / "data";
  if (!fs::exists(data)) GTEST_SKIP() << "no shared folder";
  constexpr std::uintmax_t kMostBytes = 3'000'000;
  std::size_t peakless = 0, without_ops = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (!entry.is_regular_file() || entry.file_size() > kMostBytes) continue;
    const auto run = readers::ReadRun({entry.path().string()}, {});
    if (!run) continue;
    const auto analysis = Analyze(*run, {});
    if (!analysis) continue;
    const Metric* mfu = analysis->Find("flops.mfu");
    if (mfu == nullptr || !IsAbsent(mfu->value)) continue;
    const std::string& reason = mfu->absent_because;
    const Table* table = analysis->FindTable("roofline");
    if (reason.find("no operator's FLOPs") == 0) {
      EXPECT_TRUE(table == nullptr || table->rows() == 0) << entry.path();
      ++without_ops;
    } else if (reason.find("peak") != reason.npos) {
      ASSERT_NE(table, nullptr) << entry.path();
      EXPECT_TRUE(HasPeaklessRow(*table, reason)) << entry.path() << ": " << reason;
      ++peakless;
    }
  }
  EXPECT_GT(peakless, 0u);
  EXPECT_GT(without_ops, 0u);
}

TEST(Roofline, WithoutShapesThereIsNone) {
  TestProfile profile;
  profile.Op("aten::mm", {0, 10'000});
  profile.Launch("sgemm", {1'000, 2'000}, {3'000, 5'000});
  const Profile finished = profile.Finish();
  const Analysis analysis = AnalyzeOne(finished);
  EXPECT_TRUE(IsAbsent(analysis.Find("flops.achieved")->value));
  EXPECT_TRUE(analysis.absent_tables.contains("roofline"));
}

TEST(DevicePeaks, ProjectOverridesBuiltIn) {
  Gpu gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  KnownDevice known;
  known.match = "NVIDIA H100*";
  known.peaks.flop_rate = {{"bfloat16", 800e12}};
  const std::vector<KnownDevice> devices = {known};
  const auto peaks = classify::PeaksOf(gpu, devices);
  ASSERT_TRUE(peaks);
  EXPECT_EQ(classify::FlopPeak(*peaks, "bfloat16", true, true), 800e12);
  EXPECT_EQ(classify::FlopPeak(*peaks, "float16", true, true), 989.4e12);
  // FP32 matmuls run as TF32 if they run on Tensor Cores.
  EXPECT_EQ(classify::FlopPeak(*peaks, "float32", true, true), 494.7e12);
  EXPECT_DOUBLE_EQ(classify::FlopPeak(*peaks, "float32", true, false), 66.9e12);
  EXPECT_DOUBLE_EQ(classify::FlopPeak(*peaks, "bfloat16", false, false), 66.9e12);
  EXPECT_EQ(peaks->memory_bandwidth, 3352e9);
  EXPECT_FALSE(classify::PeaksOf(Gpu{}, {}));
}

// As drivers report them. 0: the table does not have it, and nothing is claimed.
struct RealDevice {
  const char* name;
  double half, float64, float64_product, float32_product, bandwidth;  // TFLOP/s, GB/s.
};
constexpr RealDevice kRealDevices[] = {
    {"NVIDIA A100-SXM4-80GB", 312, 9.7, 19.5, 19.5, 2039},
    {"NVIDIA A100 80GB PCIe", 312, 9.7, 19.5, 19.5, 1935},
    {"NVIDIA A100-SXM4-40GB", 312, 9.7, 19.5, 19.5, 1555},
    {"NVIDIA A100-PCIE-40GB", 312, 9.7, 19.5, 19.5, 1555},
    {"A100-SXM4-40GB", 312, 9.7, 19.5, 19.5, 1555},
    {"NVIDIA A100-SXM4-80GB MIG 3g.40gb", 0, 0, 0, 0, 0},
    {"NVIDIA A100X", 0, 0, 0, 0, 0},
    {"NVIDIA H100 80GB HBM3", 989.4, 33.5, 66.9, 66.9, 3352},
    {"NVIDIA H100 PCIe", 756, 25.6, 51.2, 51.2, 2039},
    {"NVIDIA H100 NVL", 835.5, 30, 60, 60, 3938},
    {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", 0, 0, 0, 0, 0},
    {"NVIDIA H200", 989.4, 33.5, 66.9, 66.9, 4800},
    {"NVIDIA H200 NVL", 835.5, 30, 60, 60, 4800},
    {"NVIDIA H20 MIG 1g.12gb", 0, 0, 0, 0, 0},
    {"NVIDIA GH200 480GB", 989.4, 33.5, 66.9, 66.9, 4000},
    {"NVIDIA GH200 144G HBM3e", 989.4, 33.5, 66.9, 66.9, 4900},
    {"NVIDIA B200", 2250, 37, 37, 75, 8000},
    {"NVIDIA GB200", 2500, 40, 40, 80, 8000},
    {"NVIDIA GB10", 0, 0, 0, 0, 0},
    {"Tesla V100-SXM2-16GB", 125, 7.8, 7.8, 15.7, 900},
    {"Tesla V100-PCIE-32GB", 112, 7, 7, 14, 900},
    {"Tesla V100S-PCIE-32GB", 130, 8.2, 8.2, 16.4, 1134},
    {"Tesla P100-PCIE-16GB", 18.7, 4.7, 4.7, 9.3, 732},
    {"Tesla T4", 65, 0.25, 0.25, 8.1, 320},
    {"NVIDIA T400", 0, 0, 0, 0, 0},
    {"NVIDIA A10G", 70, 0.49, 0.49, 31.5, 600},
    {"NVIDIA A10", 125, 0.49, 0.49, 31.2, 600},
    {"NVIDIA A30", 165, 5.2, 10.3, 10.3, 933},
    {"NVIDIA A40", 149.7, 0.58, 0.58, 37.4, 696},
    {"NVIDIA L4", 121, 0.47, 0.47, 30.3, 300},
    {"NVIDIA L40", 181, 1.4, 1.4, 90.5, 864},
    {"NVIDIA L40S", 362, 1.4, 1.4, 91.6, 864},
    {"NVIDIA H20", 148, 1, 1, 44, 4000},
    {"NVIDIA H800", 989.4, 1, 1, 66.9, 3352},
    {"NVIDIA A800-SXM4-80GB", 312, 9.7, 19.5, 19.5, 2039},
    {"NVIDIA L20", 119.5, 0, 0, 59.8, 864},
    {"NVIDIA RTX A6000", 154.8, 0.6, 0.6, 38.7, 768},
    {"NVIDIA RTX A4000", 76.7, 0.3, 0.3, 19.2, 448},
    {"NVIDIA RTX A1000", 26.9, 0.1, 0.1, 6.7, 192},
    {"NVIDIA RTX A400", 0, 0, 0, 0, 0},
    {"NVIDIA RTX A3000 Laptop GPU", 0, 0, 0, 0, 0},
    {"NVIDIA GeForce RTX 2080 Ti", 56.9, 0.44, 0.44, 14.2, 616},
    {"NVIDIA GeForce RTX 2080", 42.4, 0.33, 0.33, 10.6, 448},
    {"NVIDIA GeForce RTX 3090", 71, 0.56, 0.56, 35.6, 936},
    {"NVIDIA GeForce RTX 3060", 25.4, 0.2, 0.2, 12.7, 360},
    {"NVIDIA GeForce RTX 3090 Ti", 80, 0.62, 0.62, 40, 1008},
    {"NVIDIA GeForce RTX 3060 Laptop GPU", 0, 0, 0, 0, 0},
    {"NVIDIA GeForce RTX 4070 Ti SUPER", 88.2, 0.69, 0.69, 44.1, 672},
    {"NVIDIA GeForce RTX 5070", 61.8, 0.48, 0.48, 30.9, 672},
    {"NVIDIA RTX 4000 Ada Generation", 106.8, 0.42, 0.42, 26.7, 360},
    {"NVIDIA GeForce RTX 4090", 165.2, 1.3, 1.3, 82.6, 1008},
    {"NVIDIA GeForce RTX 4090 D", 0, 0, 0, 0, 0},
    {"NVIDIA GeForce RTX 4090 Laptop GPU", 0, 0, 0, 0, 0},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 503.8, 1.97, 1.97, 126, 1792},
    {"NVIDIA GeForce RTX 5090", 209.5, 1.6, 1.6, 104.8, 1792},
    {"NVIDIA TITAN RTX", 130.5, 0.51, 0.51, 16.3, 672},
    {"AMD Instinct MI300X", 1307.4, 81.7, 163.4, 163.4, 5325},
    {"AMD Instinct MI300X VF", 1307.4, 81.7, 163.4, 163.4, 5325},
    {"AMD Instinct MI325X", 1307.4, 81.7, 163.4, 163.4, 6000},
    {"AMD Instinct MI250X", 191.5, 23.95, 47.85, 47.85, 1638.4},
    {"AMD Instinct MI250X / MI250", 191.5, 23.95, 47.85, 47.85, 1638.4},
    {"AMD Instinct MI210", 181, 22.6, 45.3, 45.3, 1638.4},
    {"AMD Instinct MI100", 184.6, 11.5, 11.5, 46.1, 1228.8},
    {"AMD Radeon RX 7900 XT", 0, 0, 0, 0, 0},
    {"Intel(R) Data Center GPU Max 1550", 0, 0, 0, 0, 0},
};

TEST(DevicePeaks, RealNames) {
  static_assert(std::size(kRealDevices) >= 40);
  for (const RealDevice& device : kRealDevices) {
    Gpu gpu;
    gpu.name = device.name;
    const auto peaks = classify::PeaksOf(gpu, {});
    EXPECT_EQ(peaks.has_value(), device.half > 0) << device.name;
    if (!peaks) continue;
    const auto tera = [&](const char* dtype, bool is_matrix) {
      return classify::FlopPeak(*peaks, dtype, is_matrix, false) / 1e12;
    };
    EXPECT_NEAR(tera("float16", true), device.half, 1e-9) << device.name;
    EXPECT_NEAR(tera("float64", false), device.float64, 1e-9) << device.name;
    EXPECT_NEAR(tera("float64", true), device.float64_product, 1e-9) << device.name;
    EXPECT_NEAR(tera("float32", true), device.float32_product, 1e-9) << device.name;
    EXPECT_NEAR(peaks->memory_bandwidth / 1e9, device.bandwidth, 1e-9) << device.name;
  }
}

// A product of AMD's that ran on matrix cores is FP32 and not XF32.
TEST(DevicePeaks, Float32OnMatrixCoresStaysFloat32) {
  Gpu gpu;
  gpu.name = "AMD Instinct MI300X";
  EXPECT_NEAR(classify::FlopPeak(*classify::PeaksOf(gpu, {}), "float32", true, true), 163.4e12, 1);
  gpu.name = "AMD Instinct MI250X";
  EXPECT_NEAR(classify::FlopPeak(*classify::PeaksOf(gpu, {}), "float32", true, true), 47.85e12, 1);
  EXPECT_NEAR(classify::FlopPeak(*classify::PeaksOf(gpu, {}), "float32", false, false), 23.95e12,
              1);
}

// ---- TraceLens' numbers on real traces.

std::vector<std::string> CsvCells(std::istream& in) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c; in.get(c);) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c == '\n' && !quoted) {
      return cells;
    } else {
      cells.back() += c;
    }
  }
  return cells.size() > 1 ? cells : std::vector<std::string>{};
}

/// "((141,), ('float', ''))" as the model writes it: "[[141], [float, ]]".
std::string Canonical(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') continue;
    if (c == ')' && out.ends_with(',')) out.pop_back();
    out += c == '(' ? '[' : c == ')' ? ']' : c;
  }
  return out;
}

struct Trace {
  const char* folder;
  const char* file;
};
class TraceLens : public ::testing::TestWithParam<Trace> {};

/// Why a number of TraceLens differs from ours; empty when it must not.
std::string FlopsDifferBecause(const std::string& op, bool causal) {
  if (op == "aten::copy_") return "it counts an operation per element that is only moved";
  if (op == "aten::layer_norm") {
    return "it counts the affine part per channel (6·C) and not per element";
  }
  if (op == "aten::linalg_norm") return "ours does not count it: its order is an argument";
  if (causal) return "it halves the square; the triangle with its diagonal is N(N + 1)/2";
  return {};
}

// Elements of the result of "[[512], [141, 2048], [2048, 512], [], []]": 141 · 512.
double ResultOfAddmm(const std::string& shapes) {
  long long rows = 0, inner = 0, columns = 0;
  const int found =
      std::sscanf(shapes.c_str(), "[[%*d], [%lld, %lld], [%*d, %lld]", &rows, &inner, &columns);
  return found == 3 ? static_cast<double>(rows * columns) : 0;
}

TEST_P(TraceLens, AgreesWhereItsFormulasAreRight) {
  const std::string shared = PROFGAUGE_SHARED_DIR;
  const std::string trace = shared + "/data/kineto/h100/" + GetParam().file;
  std::ifstream csv(shared + "/oracle/tracelens/" + GetParam().folder +
                    "/unified_perf_summary.csv");
  if (!std::filesystem::exists(trace) || !csv) GTEST_SKIP() << "no real files here";
  const auto profile = readers::ReadProfile(trace, {});
  ASSERT_TRUE(profile);
  std::map<std::string, flops::OpWork> ours;
  std::map<std::string, bool> causal;
  for (std::uint32_t row = 0; row < profile->host.size(); ++row) {
    const auto call = flops::CallOf(*profile, row);
    const auto work = call ? flops::WorkOf(*call) : std::nullopt;
    if (!work) continue;
    const std::string key = std::string(profile->Name(profile->host.name[row])) + " " +
                            std::string(profile->Name(profile->host.input_shapes[row])) + " " +
                            std::string(profile->Name(profile->host.input_dtypes[row]));
    ours.emplace(key, *work);
    causal[key] = profile->Name(profile->host.concrete_inputs[row]).find("0., True") !=
                  std::string_view::npos;
  }
  std::map<std::string, std::size_t> column;
  const auto header = CsvCells(csv);
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  std::size_t compared = 0, equal = 0;
  for (auto cells = CsvCells(csv); !cells.empty(); cells = CsvCells(csv)) {
    const std::string& op = cells[column["name"]];
    if (cells[column["has_perf_model"]] != "True" || cells[column["GFLOPS"]].empty() ||
        cells[column["Data Moved (MB)"]].empty()) {
      continue;
    }
    const std::string key = op + " " + Canonical(cells[column["Input Dims"]]) + " " +
                            Canonical(cells[column["Input type"]]);
    const auto found = ours.find(key);
    if (found == ours.end()) {
      EXPECT_EQ(op, "aten::linalg_norm") << key;
      continue;
    }
    ++compared;
    const double flops = std::stod(cells[column["GFLOPS"]]) * 1e9;
    const double bytes = std::stod(cells[column["Data Moved (MB)"]]) * 1048576;
    if (FlopsDifferBecause(op, causal[key]).empty()) {
      // It counts an addition per element of the result for a bias.
      const double bias =
          op == "aten::addmm" ? ResultOfAddmm(Canonical(cells[column["Input Dims"]])) : 0;
      EXPECT_NEAR(found->second.flops, flops - bias, 1e-6 * flops) << key;
      ++equal;
    }
    // It takes the result of a mixed addition in place for the wider type, reads six vectors of
    // channels where a layer norm has a scale and a shift, and counts a mean's results.
    if (op == "aten::add_" || op == "aten::layer_norm" || op == "aten::mean") continue;
    EXPECT_NEAR(found->second.bytes, bytes, 1e-6 * bytes) << key;
  }
  EXPECT_GT(compared, 5u);
  EXPECT_GT(equal, compared / 2);
}

INSTANTIATE_TEST_SUITE_P(
    H100, TraceLens,
    ::testing::Values(Trace{"h100_bert", "gaunernst_bert-small-uncased__1016001.json.gz"},
                      Trace{"h100_owlv2", "google_owlv2-large-patch14-ensemble__1016001.json.gz"},
                      Trace{"h100_qwen", "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"}));

}  // namespace
}  // namespace profgauge::analysis
