#include "analysis/flops/op_tree.h"

#include "fixture.h"

namespace profgauge::analysis {
namespace {

flops::OpTree TreeOf(const Profile& profile) {
  return flops::BuildOpTree(profile, classify::ClassifyDevice(profile));
}

std::size_t RowOf(const Profile& profile, std::string_view name, std::size_t skip = 0) {
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.Name(profile.host.name[row]) == name && skip-- == 0) return row;
  }
  ADD_FAILURE() << "no op " << name;
  return 0;
}

TEST(OpTree, SelfTimeExcludesChildrenAndCalls) {
  TestProfile test;
  test.Op("aten::linear", {0, 100});
  test.Op("aten::addmm", {10, 80});
  test.Launch("gemm", {20, 40}, {100, 300});
  test.Launch("bias", {85, 90}, {300, 350});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  const std::size_t linear = RowOf(profile, "aten::linear");
  const std::size_t addmm = RowOf(profile, "aten::addmm");
  EXPECT_EQ(tree.parent[addmm], linear);
  EXPECT_EQ(tree.host_self[linear], 100 - 70 - 5);
  EXPECT_EQ(tree.host_self[addmm], 70 - 20);
  EXPECT_EQ(tree.device_self[linear], 50);
  EXPECT_EQ(tree.device_total[linear], 250);
  EXPECT_EQ(tree.device_self[addmm], 200);
  EXPECT_EQ(tree.kernels_self[addmm], 1U);
  EXPECT_NE(tree.eligible[linear], 0);
}

TEST(OpTree, OnlyChildOfEqualNameCollapses) {
  TestProfile test;
  test.Op("aten::empty", {0, 100});
  test.Op("aten::empty", {10, 90});
  test.Op("aten::empty", {20, 80});
  test.Op("aten::fill_", {30, 50});
  test.Launch("fill", {60, 65}, {100, 130});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  const std::size_t outer = RowOf(profile, "aten::empty");
  EXPECT_TRUE(tree.IsOp(outer));
  EXPECT_FALSE(tree.IsOp(RowOf(profile, "aten::empty", 1)));
  EXPECT_FALSE(tree.IsOp(RowOf(profile, "aten::empty", 2)));
  EXPECT_EQ(tree.parent[RowOf(profile, "aten::fill_")], outer);
  EXPECT_EQ(tree.host_self[outer], 100 - 20 - 5);
  EXPECT_EQ(tree.device_self[outer], 30);
}

TEST(OpTree, TwoEqualChildrenStay) {
  TestProfile test;
  test.Op("aten::add", {0, 100});
  test.Op("aten::add", {10, 20});
  test.Op("aten::add", {30, 40});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  EXPECT_TRUE(tree.IsOp(RowOf(profile, "aten::add", 1)));
  EXPECT_EQ(tree.host_self[RowOf(profile, "aten::add")], 80);
}

TEST(OpTree, TransparentAnnotationsSingleNestedCalls) {
  TestProfile test;
  test.Op("outer", {0, 100});
  test.Host(HostKind::kAnnotation, "a range", {10, 90});
  test.Op("inner", {20, 40});
  test.Call("cudaLaunchKernel", ApiKind::kLaunch, {50, 70});
  test.Call("cuLaunchKernel", ApiKind::kLaunch, {55, 65});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  EXPECT_EQ(tree.parent[RowOf(profile, "inner")], RowOf(profile, "outer"));
  EXPECT_EQ(tree.host_self[RowOf(profile, "outer")], 100 - 20 - 20);
  EXPECT_EQ(tree.representative[RowOf(profile, "a range")], flops::OpTree::kNone);
}

TEST(OpTree, NothingIsNegativeWhenRangesOverlap) {
  TestProfile test;
  test.Op("a", {0, 100});
  test.Op("b", {10, 300});
  test.Op("c", {20, 400});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  for (const Ns self : tree.host_self) EXPECT_GE(self, 0);
  EXPECT_LE(tree.host_self[RowOf(profile, "a")], 10);
}

TEST(OpTree, DirectionIsInherited) {
  TestProfile test;
  test.Op("aten::mm", {0, 10});
  test.Op("autograd::engine::evaluate_function: MmBackward0", {20, 50});
  test.Op("MmBackward0", {25, 45});
  test.Op("aten::mm", {30, 40});
  test.Host(HostKind::kAnnotation, "Optimizer.step#SGD.step", {60, 90});
  test.Op("aten::add_", {70, 80});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  EXPECT_EQ(tree.direction[RowOf(profile, "aten::mm")], flops::OpDirection::kForward);
  EXPECT_EQ(tree.direction[RowOf(profile, "aten::mm", 1)], flops::OpDirection::kBackward);
  EXPECT_EQ(tree.direction[RowOf(profile, "aten::add_")], flops::OpDirection::kOptimizer);
}

TEST(OpTree, TensorCoreTimePropagatesUp) {
  TestProfile test;
  test.builder().AddGpu({0, "Tesla V100", 7, 0, 80, -1, -1, -1});
  test.Op("custom", {0, 100});
  test.Op("aten::mm", {10, 50});
  test.Launch("volta_h884gemm_128x64_nn", {20, 25}, {100, 140});
  test.Launch("elementwise_kernel", {60, 65}, {140, 150});
  const Profile profile = test.Finish();
  const flops::OpTree tree = TreeOf(profile);
  const std::size_t custom = RowOf(profile, "custom");
  EXPECT_EQ(tree.tensor_core_total[custom], 40);
  EXPECT_EQ(tree.tensor_core_self[custom], 0);
  EXPECT_EQ(tree.kernel_total[custom], 50);
  EXPECT_NE(tree.eligible[custom], 0);
  EXPECT_EQ(tree.undecided[custom], 0);
}

TEST(OpTree, TypesOfOperators) {
  struct Row {
    std::string_view name, type;
  };
  constexpr Row kRows[] = {
      {"aten::add_", "add"},
      {"aten::mm", "mm"},
      {"autograd::engine::evaluate_function: MmBackward0", "MmBackward"},
      {"torch::autograd::AccumulateGrad", "AccumulateGrad"},
      {"AddmmBackward", "AddmmBackward"},
      {"MeanBackward1", "MeanBackward"},
      {"conv2d", "conv2d"},
      {"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
      {"_", "_"},
      {"jit_f/gemm_fusion_dot.3", "gemm_fusion_dot"},
      {"jit(f)/transpose(jvp(bsd,de->bse))/dot_general", "dot_general"},
      {"dense_1/MatMul_1", "MatMul"},
      {"/conv1/Conv + /relu/Relu", "Conv"},
      {"/layer1/layer1.0/conv2/Conv + /layer1/layer1.0/Add + /layer1/layer1.0/relu_1/Relu", "Conv"},
      {"/fc/Gemm", "Gemm"},
      {"Reformatting CopyNode for Input Tensor 0 to /conv1/Conv + /relu/Relu",
       "Reformatting CopyNode"},
      {"reshape_after_/fc/Gemm", "reshape"},
      {"onnx::Conv_239_clone_1", "Constant"},
      {"a/b (c)", "a/b (c)"},
      {"a/", "a/"},
      {"aten::", "aten::"},
      {"", ""},
  };
  for (const Row& row : kRows) EXPECT_EQ(flops::OpType(row.name), row.type) << row.name;
}

TEST(OpTree, FrameworkRanges) {
  EXPECT_TRUE(flops::IsFrameworkRange("Optimizer.step#SGD.step"));
  EXPECT_TRUE(flops::IsFrameworkRange("DistributedDataParallel.forward"));
  EXPECT_TRUE(
      flops::IsDataLoaderRange("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  EXPECT_TRUE(flops::IsDataLoaderRange("enumerate(DataPipe)#ShufflerIterDataPipe"));
  EXPECT_FALSE(
      flops::IsDataLoaderRange("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__init__"));
  EXPECT_FALSE(flops::IsFrameworkRange("aten::mm"));
}

}  // namespace
}  // namespace profgauge::analysis
