// Work that uses Tensor Cores and work that could, on small profiles made by hand.
#include <gtest/gtest.h>

#include "analysis/classify/arguments.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

TEST(TensorCores, EfficiencyCountsEligibleWork) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 11}, {20, 50});  // 30, using.
  test.Launch("volta_sgemm_64x64_nn", {12, 13}, {50, 60});           // 10, not.
  test.Op("aten::relu", {100, 200});
  test.Launch("relu", {110, 111}, {120, 180});  // 60, not eligible.
  test.Op("aten::conv2d", {200, 300});
  test.Launch("mystery", {210, 211}, {220, 240});  // 20, undecided.
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0.5);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.share"), 0.25);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.eligible_share"), 0.5);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.unknown_share"), 20.0 / 120);
  const Metric* efficiency = analysis.Find("tensor_core.efficiency");
  // A third of the eligible time is undecided: a limit within the range is too.
  EXPECT_FALSE(efficiency->low_confidence);
  EXPECT_NEAR(efficiency->may_be.value_or(-1), 5.0 / 6, 1e-12);
  EXPECT_FALSE(analysis.Find("tensor_core.share")->may_be.has_value());
  EXPECT_EQ(efficiency->note,
            "20\u202fns of kernels have unknown names, up to 83.3\u202f% if all of them use Tensor "
            "Cores");
  // A sixth of all kernels.
  EXPECT_FALSE(analysis.Find("tensor_core.kernels_per_iteration")->low_confidence);
}

// What counters saw decides kernels of unknown names, unless the known ones explain it.
TEST(TensorCores, CountersDecideUnknownNames) {
  const auto efficiency = [](double active) {
    TestProfile test;
    test.Op("aten::mm", {0, 300});
    test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 11}, {20, 50});  // 30, using.
    test.Launch("volta_sgemm_64x64_nn", {12, 13}, {50, 60});           // 10, not.
    test.Launch("mystery", {210, 211}, {220, 240});                    // 20, undecided.
    Profile profile = test.Finish();
    profile.reported.metrics.push_back({metric::kGpuMeasuredTensorActive, active, "measured"});
    return *AnalyzeAll(OneRank(std::move(profile))).Find("tensor_core.efficiency");
  };
  EXPECT_DOUBLE_EQ(AsNumber(efficiency(0.6).value, -1), 5.0 / 6);
  EXPECT_FALSE(efficiency(0.6).may_be.has_value());
  EXPECT_NE(efficiency(0.6).note.find("active cycles issue to Tensor Cores (measured)"),
            std::string::npos);
  // Half of the kernel time is known to use them.
  EXPECT_DOUBLE_EQ(AsNumber(efficiency(0.4).value, -1), 0.5);
  EXPECT_NEAR(efficiency(0.4).may_be.value_or(-1), 5.0 / 6, 1e-12);
  EXPECT_DOUBLE_EQ(AsNumber(efficiency(0.005).value, -1), 0.5);
  EXPECT_FALSE(efficiency(0.005).may_be.has_value());
}

// How many kernels use them is as unsure as how much of the time they take.
TEST(TensorCores, UnknownNamesMakeNumberUncertain) {
  const auto is_unsure = [](std::string_view op, std::string_view kernel, bool all_do) {
    TestProfile test;
    test.Op(op, {0, 100});
    test.Launch(kernel, {10, 11}, {20, 50});
    classify::Knowledge knowledge;
    knowledge.undecided_use_tensor_cores = all_do;
    return AnalyzeOne(test.Finish(), std::move(knowledge))
        .Find("tensor_core.kernels_per_iteration")
        ->low_confidence;
  };
  EXPECT_TRUE(is_unsure("aten::mm", "mystery", false));
  EXPECT_FALSE(is_unsure("aten::mm", "mystery", true));
  EXPECT_TRUE(is_unsure("lab::product", "mystery", false));
  EXPECT_FALSE(is_unsure("aten::mm", "volta_sgemm_64x64_nn", false));
}

TEST(TensorCores, CountUndecidedRemovesUncertainty) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Launch("volta_sgemm_64x64_nn", {12, 13}, {50, 60});  // 10, not.
  test.Launch("mystery", {14, 15}, {60, 90});               // 30, undecided.
  classify::Knowledge knowledge;
  knowledge.undecided_use_tensor_cores = true;
  const Analysis analysis = AnalyzeOne(test.Finish(), std::move(knowledge));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0.75);
  const Metric* efficiency = analysis.Find("tensor_core.efficiency");
  EXPECT_FALSE(efficiency->low_confidence);
  EXPECT_EQ(efficiency->note, "down to 0\u202f% if no undecided kernel uses Tensor Cores");
}

// Its name does not show it, and it used none: its matmuls on other units count.
TEST(TensorCores, ACompiledFunctionCountsByItsMatmuls) {
  TestProfile test;
  test.Op("CompiledFunctionBackward", {0, 100});
  test.Launch("volta_sgemm_128x64_nt", {10, 11}, {20, 80});  // 60, a product.
  test.Launch("void at::native::vectorized_elementwise_kernel<4>(P)", {12, 13}, {80, 120});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.eligible_share"), 0.6);
  const Table& ops = *analysis.FindTable("ops");
  EXPECT_EQ(ops.At(0, "tensor_core_eligible"), Value(true));
}

TEST(TensorCores, DoublePrecisionIsNoMatmulEvidence) {
  TestProfile test;
  test.Op("CompiledFunction", {0, 100});
  test.Launch("volta_dgemm_128x64_nt", {10, 11}, {20, 80});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.eligible_share"), 0);
}

// V100's Tensor Cores take no FP64; A100's do.
TEST(TensorCores, DoublePrecisionNeedsTheChip) {
  for (const int major : {7, 8}) {
    TestProfile test;
    Gpu gpu;
    gpu.id = 0;
    gpu.name = major == 7 ? "Tesla V100-SXM2-16GB" : "NVIDIA A100-SXM4-40GB";
    gpu.compute_major = major;
    gpu.compute_minor = 0;
    test.builder().AddGpu(gpu);
    HostRow row;
    row.duration = 100;
    row.name = test.builder().Intern("aten::mm");
    row.kind = HostKind::kOp;
    row.thread = test.main();
    row.input_shapes = test.builder().Intern("[[64, 64], [64, 64]]");
    row.input_dtypes = test.builder().Intern("[float64, float64]");
    test.builder().AddHost(row);
    test.Launch("volta_dgemm_128x64_nt", {10, 11}, {20, 80});
    const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
    EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.eligible_share"), major == 7 ? 0 : 1);
    EXPECT_EQ(analysis.FindTable("ops")->At(0, "tensor_core_eligible"), Value(major == 8));
  }
}

// A kernel under one operator has the type of the calls that have one, in whatever order they come.
TEST(KernelRows, TypeIsThatOfTypedCalls) {
  struct Row {
    std::vector<std::string_view> calls;
    Value type;
  };
  const Row kRows[] = {
      {{"", "[float, float]"}, "float32"},
      {{"[float, float]", ""}, "float32"},
      {{"", "[float, float]", "", "[c10::Half, c10::Half]"}, "mixed"},
      {{"[float, float]", "[c10::Half, c10::Half]", "[float, float]"}, "mixed"},
  };
  for (const Row& row : kRows) {
    TestProfile test;
    Ns at = 0;
    for (const std::string_view types : row.calls) {
      HostRow op;
      op.start = at;
      op.duration = 100;
      op.name = test.builder().Intern("aten::mm");
      op.kind = HostKind::kOp;
      op.thread = test.main();
      if (!types.empty()) op.input_dtypes = test.builder().Intern(types);
      test.builder().AddHost(op);
      test.Launch("gemm", {at + 10, at + 11}, {at + 20, at + 80});
      at += 100;
    }
    const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
    const Table& kernels = *analysis.FindTable("kernels_by_op");
    ASSERT_EQ(kernels.rows(), 1U);
    EXPECT_EQ(kernels.At(0, "dtype"), row.type) << row.calls[0] << ", " << row.calls[1];
  }
}

// Zero would be a claim about kernels of which neither the name nor the operator is known.
TEST(TensorCores, UnknownIsNotIneligible) {
  const auto analysis = [](Ns product) {
    TestProfile test;
    test.Launch("mine", {10, 11}, {20, 80});  // 60, of no operator that is recorded.
    test.Launch("void at::native::vectorized_elementwise_kernel<4>(P)", {12, 13}, {80, 120});
    if (product > 0) test.Launch("volta_sgemm_128x64_nt", {14, 15}, {120, 120 + product});
    return AnalyzeAll(OneRank(test.Finish()));
  };
  const Analysis unknown = analysis(0);
  for (const char* id : {"tensor_core.eligible_share", "tensor_core.efficiency"}) {
    EXPECT_TRUE(IsAbsent(unknown.Find(id)->value)) << id;
    EXPECT_TRUE(unknown.Find(id)->absent_because.ends_with("are known by name")) << id;
  }
  EXPECT_DOUBLE_EQ(NumberOf(analysis(100), "tensor_core.eligible_share"), 0.5);
}

// An operator of a library that no list has may well multiply; one of PyTorch's that is not listed
// does not, and a rule's answer on the kernel goes first.
TEST(TensorCores, UnknownOperatorIsNotIneligible) {
  const auto eligible = [](const char* op, const char* kernel) {
    TestProfile test;
    test.Op(op, {0, 100});
    test.Launch(kernel, {10, 11}, {20, 80});
    return AnalyzeAll(OneRank(test.Finish())).Find("tensor_core.eligible_share")->value;
  };
  EXPECT_TRUE(IsAbsent(eligible("mylib::op", "mine")));
  EXPECT_TRUE(IsAbsent(eligible("MyFunctionBackward", "mine")));
  for (const char* op : {"aten::relu", "torch.relu"}) {
    EXPECT_EQ(eligible(op, "mine"), Value(0.0)) << op;
  }
  EXPECT_EQ(eligible("mylib::op", "void at::native::vectorized_elementwise_kernel<4>(P)"),
            Value(0.0));
}

TEST(TensorCores, AChipWithoutThemHasNoEfficiency) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "Tesla P100";
  gpu.compute_major = 6;
  gpu.compute_minor = 0;
  test.builder().AddGpu(gpu);
  test.Op("aten::mm", {0, 100});
  test.Launch("pascal_sgemm_64x64_nn", {10, 11}, {20, 50});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(analysis.Find("tensor_core.efficiency")->absent_because,
            "no recorded GPU has Tensor Cores");
}

// CANN runs a product as several kernels, whose names end with their types.
TEST(TensorCores, CastsWithinAProductAreNotEligible) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "Ascend NPU";
  test.builder().AddGpu(gpu);
  test.Op("aclnnMm", {0, 100});
  test.Launch("aclnnMm_CastAiCore_Cast", {10, 11}, {20, 50});
  test.Launch("aclnnMm_TransData_TransData", {12, 13}, {50, 70});
  test.Launch("aclnnMm_MatMulCommon_MatMulV2", {14, 15}, {70, 80});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 1);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.share"), 10.0 / 60);
}

TEST(TensorCores, WithoutOperatorsNamesDecide) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("nvjet_tst_128x64_64x4_h_bz_TNN", {20, 50});
  test.Work("ampere_sgemm_64x64_nn", {50, 60});
  test.Work("void at::native::vectorized_elementwise_kernel<4>(P)", {60, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0.75);
}

TEST(Dtypes, SpellingsAndLists) {
  EXPECT_EQ(classify::CanonicalDtype("c10::BFloat16"), "bfloat16");
  EXPECT_EQ(classify::CanonicalDtype("Float"), "float32");
  EXPECT_EQ(classify::CanonicalDtype("long int"), "int64");
  EXPECT_EQ(classify::CanonicalDtype("who knows"), "who knows");
  EXPECT_EQ(classify::DtypeBytes("c10::Half"), 2);
  EXPECT_EQ(classify::FirstTensorDtype("[, Scalar, c10::Half, float]"), "float16");
  EXPECT_EQ(classify::FirstTensorDtype("[Int, Double]"), "");
  EXPECT_EQ(classify::SplitList("[[2, 3], [], [c10::complex<float>, x]]").size(), 3U);
  EXPECT_TRUE(classify::SplitList("[]").empty());
  EXPECT_TRUE(classify::SplitList("[[1, 2").empty());
}

}  // namespace
}  // namespace profgauge::analysis
