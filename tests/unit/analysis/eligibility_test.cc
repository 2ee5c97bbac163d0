// Obstacles that keep operators from using Tensor Cores, and operators that could not use them.
#include "analysis/classify/eligibility.h"

#include <gtest/gtest.h>

namespace profgauge::analysis {
namespace {

TEST(Eligibility, Verdicts) {
  Gpu v100, a100;
  v100.compute_major = 7;
  v100.compute_minor = 0;
  a100.compute_major = 8;
  a100.compute_minor = 0;
  struct Row {
    std::string_view op, shapes, dtype;
    classify::Tri uses;
    const Gpu* gpu;
    std::string_view verdict;
  };
  const Row kRows[] = {
      {"aten::mm", "[[64, 64], [64, 64]]", "float16", classify::Tri::kYes, &v100, "using"},
      {"aten::mm", "[[64, 64], [64, 64]]", "float32", classify::Tri::kNo, &v100, "eligible_dtype"},
      {"aten::mm", "[[64, 64], [64, 64]]", "bfloat16", classify::Tri::kNo, &v100, "eligible_dtype"},
      {"aten::mm", "[[64, 64], [64, 64]]", "float32", classify::Tri::kNo, &a100, "eligible_dtype"},
      {"aten::mm", "[[64, 84], [84, 64]]", "float16", classify::Tri::kNo, &v100, "eligible_shape"},
      {"aten::mm", "[[64, 64], [64, 64]]", "float16", classify::Tri::kNo, &v100, "eligible_unused"},
      {"aten::mm", "", "float16", classify::Tri::kNo, &v100, "unknown"},
      {"aten::mm", "[[64, 64], [64, 64]]", "", classify::Tri::kNo, &v100, "unknown"},
      {"aten::mm", "[[64, 64], [64, 64]]", "float16", classify::Tri::kUnknown, &v100, "unknown"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(classify::EligibilityName(
                  classify::JudgeEligibility(row.op, row.shapes, row.dtype, row.uses, *row.gpu)),
              row.verdict)
        << row.shapes << " " << row.dtype;
  }
}

// FP32 has no such cores on old chips and has them switched off on new ones: no need to know which.
TEST(Eligibility, Fp32NeedsNoChip) {
  const auto verdict = [](std::string_view dtype, bool is_nvidia) {
    return classify::EligibilityName(classify::JudgeEligibility(
        "aten::mm", "[[64, 64], [64, 64]]", dtype, classify::Tri::kNo, Gpu{}, is_nvidia));
  };
  EXPECT_EQ(verdict("float32", true), "eligible_dtype");
  EXPECT_EQ(verdict("float32", false), "unknown");
  EXPECT_EQ(verdict("float16", true), "unknown");
}

TEST(Eligibility, TheDimensionThatIsNotAligned) {
  struct Row {
    std::string_view op, shapes, dtype, dimension;
    std::int64_t size, aligned;
  };
  constexpr Row kRows[] = {
      {"aten::addmm", "[[33278], [700, 256], [256, 33278], [], []]", "float16", "N", 33278, 33280},
      {"aten::linear", "[[32, 84], [120, 84], [120]]", "float16", "K", 84, 88},
      {"aten::bmm", "[[8, 16, 24], [8, 24, 20]]", "int8", "K", 24, 32},
      {"aten::conv2d", "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]", "float16", "C_in",
       3, 8},
      {"aten::conv2d", "[[32, 8, 9, 9], [30, 8, 3, 3]]", "float32", "C_out", 30, 32},
      {"aten::convolution_backward", "[[8, 30, 9, 9], [8, 16, 9, 9], [30, 16, 3, 3]]", "float16",
       "C_out", 30, 32},
      {"aten::_flash_attention_forward", "[[2, 16, 8, 65], [2, 16, 8, 65]]", "bfloat16", "head", 65,
       72},
  };
  for (const Row& row : kRows) {
    const auto found = classify::FindMisaligned(row.op, row.shapes, row.dtype);
    ASSERT_TRUE(found.has_value()) << row.op;
    EXPECT_EQ(found->dimension, row.dimension) << row.op;
    EXPECT_EQ(found->size, row.size) << row.op;
    EXPECT_EQ(found->aligned, row.aligned) << row.op;
  }
  for (const std::string_view shapes :
       {"[[64, 64], [64, 64]]", "", "nonsense", "[[], []]", "[[64], [64]]", "[[-1, 3], [3, x]]"}) {
    EXPECT_FALSE(classify::FindMisaligned("aten::mm", shapes, "float16")) << shapes;
  }
}

// The gradient of a weight is a product of a transposed gradient: its rows are M. The size of its
// kernel's reads distinguishes it from a forward product of an odd number of tokens, which M does
// not slow.
TEST(Eligibility, PiecewiseReadsShowTransposedFactors) {
  EXPECT_EQ(
      classify::AlignmentInName("cutlass_75_tensorop_bf16_s1688gemm_bf16_128x256_nt_align1>(P)"),
      1);
  EXPECT_EQ(classify::AlignmentInName("cutlass_80_tensorop_s16816gemm_f16_64x64_32x6_nn_align8"),
            8);
  EXPECT_EQ(classify::AlignmentInName("nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT"), 0);
  EXPECT_EQ(classify::AlignmentInName("gemm_align"), 0);
  constexpr std::string_view kShapes = "[[8191, 4072], [4072, 512]]";
  EXPECT_FALSE(classify::FindMisaligned("aten::mm", kShapes, "bfloat16"));
  EXPECT_FALSE(classify::FindMisaligned("aten::mm", kShapes, "bfloat16", 8));
  const auto found = classify::FindMisaligned("aten::mm", kShapes, "bfloat16", 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dimension, "M");
  EXPECT_EQ(found->size, 8191);
  EXPECT_EQ(found->aligned, 8192);
  EXPECT_FALSE(classify::FindMisaligned("aten::mm", "[[4072, 512], [512, 64]]", "bfloat16", 1));
}

TEST(Eligibility, VectorsAndDepthwiseAreNotEligible) {
  struct Case {
    std::string_view op, shapes;
    bool expected;
  };
  for (const Case& of : {
           Case{"aten::mm", "[[1, 4096], [4096, 8192]]", true},  // Decoding, batch 1.
           Case{"aten::mm", "[[64, 4096], [4096, 1]]", true},    // One output.
           Case{"aten::mm", "[[64, 1], [1, 64]]", true},         // An outer product.
           Case{"aten::mm", "[[2, 4096], [4096, 8192]]", false},
           Case{"aten::linear", "[[8, 1, 4096], [4096, 4096], []]", false},  // Eight rows.
           Case{"aten::linear", "[[1, 1, 4096], [4096, 4096], []]", true},
           Case{"aten::bmm", "[[8, 1, 64], [8, 64, 128]]", true},
           Case{"aten::matmul", "[[4096, 1, 512], [1, 512, 4096]]", false},  // One matrix.
           Case{"aten::addmm", "[[8], [1, 4], [4, 8], [], []]", true},
           Case{"aten::addmm", "[[8], [2, 4], [4, 8], [], []]", false},
           Case{"aten::cudnn_convolution", "[[8, 96, 56, 56], [96, 1, 7, 7], []]", true},
           Case{"aten::cudnn_convolution", "[[8, 1, 28, 28], [32, 1, 3, 3], []]", false},
           Case{"aten::cudnn_convolution", "[[8, 96, 56, 56], [96, 96, 1, 1], []]", false},
           Case{"aten::convolution_backward", "[[8, 96, 9, 9], [8, 96, 9, 9], [96, 1, 7, 7]]",
                true},
           Case{"aten::mm", "", false},
           Case{"aten::relu", "[[1, 4]]", false},
       }) {
    EXPECT_EQ(classify::IsVectorProduct(of.op, of.shapes), of.expected) << of.op << of.shapes;
  }
}

}  // namespace
}  // namespace profgauge::analysis
