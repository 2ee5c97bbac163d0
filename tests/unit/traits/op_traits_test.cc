// Why operators are slow, from their shapes: the parsed call, the tiles of its
// result, its target, and the trait. Sizes and times of tests named after a kind of
// GPU are its own.
#include "analysis/device/op_traits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis/device/op_limits.h"
#include "analysis/flops/op_call.h"

namespace profgauge {
namespace {

analysis::flops::OpCall Call(const std::string& name, const std::string& shapes,
                             const std::string& types, const std::string& values = "") {
  const auto call = analysis::flops::CallOf(analysis::flops::CallText{name, shapes, types, values});
  EXPECT_TRUE(call) << name;
  return call.value_or(analysis::flops::OpCall{});
}

std::string Types(std::size_t tensors, const std::string& type = "c10::BFloat16") {
  std::string text = "[";
  for (std::size_t i = 0; i < tensors; ++i) text += (i > 0 ? ", " : "") + type;
  return text + "]";
}

analysis::flops::OpShape Convolution(const std::string& x, const std::string& w,
                                     const std::string& rest) {
  return analysis::flops::ShapeOf(Call("aten::convolution",
                                       "[" + x + ", " + w + ", [], [], [], [], [], [], []]",
                                       "[float, float, , , , , , , ]", "[, , , " + rest + "]"));
}

TEST(OpTraits, ReadsAllFormsOfLists) {
  for (const char* values :
       {"(2,2), (3,3), (1,1), False, (0,0), 1", "[2, 2], [3, 3], [1, 1], false, [0, 0], 1"}) {
    const analysis::flops::OpShape shape =
        Convolution("[1, 3, 2048, 2048]", "[64, 3, 7, 7]", values);
    EXPECT_EQ(shape.kind, analysis::flops::OpKind::kConvolution) << values;
    EXPECT_EQ(shape.product.m, 1024.0 * 1024) << values;
    EXPECT_EQ(shape.product.n, 64);
    EXPECT_EQ(shape.product.k, 3 * 49);
    EXPECT_EQ(shape.convolution.stride, (std::vector<double>{2, 2}));
    EXPECT_FALSE(shape.convolution.transposed);
  }
}

TEST(OpTraits, ShapesMayEndEarly) {
  const analysis::flops::OpShape shape = analysis::flops::ShapeOf(
      Call("aten::convolution", "[[2, 256, 128, 128], [256, 256, 3, 3]]", "[Float, Float]",
           "[, , , (1,1), (16,16), (16,16), False, (0,0), 1]"));
  EXPECT_EQ(shape.product.m, 2 * 128 * 128);
  EXPECT_EQ(shape.convolution.dilation, (std::vector<double>{16, 16}));
}

TEST(OpTraits, SizesMakeATensor) {
  const analysis::flops::OpShape shape =
      analysis::flops::ShapeOf(Call("aten::mm", "[[8, 16], [16, 4]]", "[Float, BFloat16]"));
  EXPECT_EQ(shape.kind, analysis::flops::OpKind::kProduct);
  EXPECT_EQ(shape.product.k, 16);
  const auto number = Call("aten::add", "[[8, 16], [], []]", "[Float, Double, Scalar]");
  EXPECT_EQ(number.Tensors().size(), 1u);
}

TEST(OpTraits, ListOfTruthsSelectsGradients) {
  const auto flops = [](const char* mask) {
    const auto work = analysis::flops::ConvolutionWork(
        Call("aten::convolution_backward",
             "[[1, 6, 8, 8], [1, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], [], [], [], []]",
             "[float, float, float, , , , , , , , ]",
             std::string("[, , , [6], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, ") + mask + "]"));
    return work ? work->flops : -1;
  };
  EXPECT_EQ(flops("[True, True, False]"), 2 * flops("[False, True, True]"));
  EXPECT_EQ(flops("(true, false, true)"), flops("[False, True, True]"));
}

TEST(OpTraits, GroupsAreSeparateMatmuls) {
  const analysis::flops::OpShape grouped =
      Convolution("[2, 64, 8, 8]", "[128, 16, 3, 3]", "[1, 1], [1, 1], [1, 1], False, [0, 0], 4");
  EXPECT_EQ(grouped.product.batch, 4);
  EXPECT_EQ(grouped.product.m, 2 * 8 * 8);
  EXPECT_EQ(grouped.product.n, 32);
  EXPECT_EQ(grouped.product.k, 16 * 9);
}

TEST(OpTraits, TransposedConvolutionsNeedAllArguments) {
  const analysis::flops::OpCall call =
      Call("aten::convolution", "[[1, 8, 4, 4], [8, 16, 3, 3], [], [], [], [], [], [], []]",
           "[float, float, , , , , , , ]", "[, , , [2, 2], [1, 1], [1, 1], True, [1, 1], 1]");
  const auto work = analysis::flops::ConvolutionWork(call);
  ASSERT_TRUE(work);
  // [1, 16, 8, 8]: (4 - 1)·2 - 2·1 + 1·(3 - 1) + 1 + 1.
  EXPECT_EQ(work->bytes, 4 * (8 * 16 + 8 * 16 * 9 + 16 * 64));
  EXPECT_EQ(work->flops, 2.0 * 8 * 16 * 16 * 9);
  const analysis::flops::OpShape shape = analysis::flops::ShapeOf(call);
  EXPECT_EQ(shape.product.m, 16);
  EXPECT_EQ(shape.product.n, 16 * 9);
  EXPECT_EQ(shape.product.k, 8);
}

TEST(OpTraits, SharedWeightsFoldBatchIntoRows) {
  const analysis::flops::ProductSizes sizes =
      analysis::flops::ShapeOf(Call("aten::matmul", "[[4, 128, 64], [64, 32]]", Types(2))).product;
  EXPECT_EQ(sizes.batch, 1);
  EXPECT_EQ(sizes.m, 512);
  const analysis::flops::ProductSizes batched =
      analysis::flops::ShapeOf(Call("aten::bmm", "[[4, 128, 64], [4, 64, 32]]", Types(2))).product;
  EXPECT_EQ(batched.batch, 4);
  EXPECT_EQ(batched.m, 128);
}

TEST(OpTraits, AttentionOfOtherLibrariesIsKnown) {
  const analysis::flops::AttentionSizes flash =
      analysis::flops::ShapeOf(
          Call("flash_attn::_flash_attn_forward",
               "[[2, 512, 8, 96], [2, 512, 8, 96], [2, 512, 8, 96], [], [], []]",
               "[c10::Half, c10::Half, c10::Half, Scalar, Scalar, Scalar]",
               "[, , , 0.0, 0.1, True]"))
          .attention;
  EXPECT_EQ(flash.heads, 8);
  EXPECT_EQ(flash.head, 96);
  EXPECT_EQ(flash.pairs, 512.0 * 513 / 2);
  // Sequences of several lengths in a row: shapes do not say which.
  EXPECT_EQ(
      analysis::flops::ShapeOf(Call("flash_attn::_flash_attn_forward",
                                    "[[4096, 8, 96], [4096, 8, 96], [4096, 8, 96]]", Types(3)))
          .kind,
      analysis::flops::OpKind::kOther);
}

// A fused layer is known by its tensors.
TEST(OpTraits, ExpertsAreKnownWhateverTheirName) {
  const std::string tensors = "[[16, 4096], [64, 22016, 4096], [64, 4096, 11008], [16, 2]]";
  for (const char* name : {"vllm::rocm_aiter_fused_moe", "sglang::inplace_fused_experts", "mine"}) {
    const analysis::flops::OpCall call = Call(name, tensors, Types(4));
    const analysis::flops::ExpertSizes experts = analysis::flops::ShapeOf(call).experts;
    EXPECT_EQ(experts.experts, 64) << name;
    EXPECT_EQ(experts.rows, 32);
    EXPECT_NEAR(experts.read, 64 * (1 - std::pow(1 - 2.0 / 64, 16)), 1e-9);
    EXPECT_EQ(experts.weights, 22016.0 * 4096 + 4096.0 * 11008);
    const auto work = analysis::flops::WorkOf(call);
    ASSERT_TRUE(work);
    EXPECT_EQ(work->flops, 2 * 32 * experts.weights);
  }
  // Scores of all experts do not say to how many of them a token goes.
  EXPECT_NE(
      analysis::flops::ShapeOf(
          Call("mine", "[[16, 4096], [64, 22016, 4096], [64, 4096, 11008], [16, 64]]", Types(4)))
          .kind,
      analysis::flops::OpKind::kExperts);
  // The whole model of a compiler takes such tensors, too.
  EXPECT_NE(analysis::flops::ShapeOf(Call("CompiledFunction", tensors, Types(4))).kind,
            analysis::flops::OpKind::kExperts);
  EXPECT_NE(
      analysis::flops::ShapeOf(
          Call("mine", "[[16, 4096], [64, 22016, 4096], [64, 4096, 12000], [16, 2]]", Types(4)))
          .kind,
      analysis::flops::OpKind::kExperts);
}

TEST(OpTraits, GroupedMatmulsAreExperts) {
  const analysis::flops::OpCall call = Call("aten::_grouped_mm", "[[1024, 64], [8, 64, 256], [8]]",
                                            "[c10::BFloat16, c10::BFloat16, int]");
  EXPECT_EQ(analysis::flops::ShapeOf(call).kind, analysis::flops::OpKind::kExperts);
  EXPECT_EQ(analysis::flops::ShapeOf(call).experts.rows, 1024);
  EXPECT_EQ(analysis::flops::WorkOf(call)->flops, 2.0 * 1024 * 64 * 256);
}

struct TileCase {
  const char* kernel;
  std::int64_t first, second;  // 0: the name does not say.
};
class TileTest : public ::testing::TestWithParam<TileCase> {};
TEST_P(TileTest, IsInTheName) {
  const auto tile = analysis::classify::TileInName(GetParam().kernel);
  EXPECT_EQ(tile ? tile->first : 0, GetParam().first) << GetParam().kernel;
  EXPECT_EQ(tile ? tile->second : 0, GetParam().second) << GetParam().kernel;
}
INSTANTIATE_TEST_SUITE_P(
    Names, TileTest,
    ::testing::Values(
        TileCase{"Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_GSU2_MKFGSU256", 256, 128},
        TileCase{"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", 128, 64},
        TileCase{"volta_sgemm_128x32_nn", 128, 32},
        TileCase{"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_"
                 "tn_align8>(T::Params)",
                 256, 128},
        TileCase{"cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_void_f16_128x256x64_1x2x1_0",
                 128, 256},
        TileCase{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize1x1x1",
                 128, 256},
        TileCase{"nvjet_tst_192x192_64x4_2x1_v_bz_coopA_TNT", 192, 192},
        TileCase{"igemm_fwd_gtcx3_nhwc_fp16_bx0_ex1_bt256x64x32_wt32x32x8", 256, 64},
        TileCase{"triton_tem_fused_mm_0", 0, 0}, TileCase{"attn_fwd.kd", 0, 0},
        TileCase{"flash_fwd_kernel<64x64>", 0, 0}));

TEST(OpTraits, TensileNamesHaveInnerParts) {
  EXPECT_EQ(analysis::classify::PartsInName("Cijk_BBS_MT256x128x64_GSU2_GSUAMB_MKFGSU256_NTA0"), 2);
  EXPECT_EQ(analysis::classify::PartsInName("Cijk_B_PostGSU4"), 4);
  EXPECT_EQ(analysis::classify::PartsInName("Cijk_BBS_MT256x128x64_MKFGSU256_NTA0"), 1);
  EXPECT_TRUE(analysis::classify::NamesUnknownParts("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT"));
  EXPECT_TRUE(analysis::classify::SharesEvenly("Cijk_BBS_MT256x128x64_SK3_"));
  EXPECT_FALSE(analysis::classify::SharesEvenly("Cijk_BBS_MT256x128x64_SKFTR0"));
}

TEST(OpTraits, HeadsArePaddedToKernelSizes) {
  EXPECT_EQ(analysis::classify::PaddedHead("attn_fwd.kd", 192), 256);
  EXPECT_EQ(analysis::classify::PaddedHead("_attn_fwd", 96), 128);
  EXPECT_EQ(analysis::classify::PaddedHead(
                "void flash_fwd_kernel<Flash_fwd_kernel_traits<96, 64, 64, 4>>", 80),
            96);
  EXPECT_EQ(analysis::classify::PaddedHead("void pytorch_flash::flash_fwd_splitkv_kernel<T>", 72),
            96);
  EXPECT_EQ(analysis::classify::PaddedHead(
                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_"
                "4x1x1_kernel",
                112),
            128);
  EXPECT_FALSE(analysis::classify::PaddedHead("some_attention", 80));
  EXPECT_FALSE(analysis::classify::PaddedHead("flash_fwd_kernel", 512));
}

analysis::flops::ProductSizes Product(double m, double n, double k) { return {1, m, n, k}; }

TEST(OpTraits, TilesTimesInnerParts) {
  const analysis::device::OpTiles tiles =
      analysis::device::TilesOf(Product(256, 512, 131072), {"_MT256x128x64_GSU2_", -1, 2}, 304);
  EXPECT_EQ(tiles.tiles, 8);
  EXPECT_NEAR(tiles.wave_use, 8.0 / 304, 1e-12);
  EXPECT_EQ(tiles.tile_use, 1);
}

TEST(OpTraits, TilesThatDoNotFit) {
  const analysis::device::OpTiles tiles =
      analysis::device::TilesOf(Product(4097, 4097, 4097), {"_MT256x112x64_GSU1_"}, 304);
  EXPECT_EQ(tiles.tiles, 17 * 37);
  EXPECT_NEAR(tiles.wave_use, 629.0 / 912, 1e-12);
  EXPECT_NEAR(tiles.tile_use, 4097.0 * 4097 / (17 * 256 * 37 * 112), 1e-12);
}

TEST(OpTraits, GridDecidesTileOrder) {
  // 1024 × 8192: 4 × 128 tiles of 256 × 64 in one order, 16 × 32 in the other.
  const analysis::device::OpTiles one =
      analysis::device::TilesOf(Product(1024, 8192, 512), {"gemm_256x64_x", 32 * 16}, 132);
  EXPECT_EQ(one.tiles, 512);
  const analysis::device::OpTiles other =
      analysis::device::TilesOf(Product(100, 8192, 512), {"gemm_64x256_x", 2 * 32}, 132);
  EXPECT_EQ(other.tile.first, 256);
  EXPECT_EQ(other.tiles, 64);
  // A persistent kernel launches as many as run at a time, and has all tiles to do.
  EXPECT_EQ(analysis::device::TilesOf(Product(8192, 8192, 512), {"gemm_128x128_x", 132}, 132).tiles,
            64 * 64);
  // A block a multiprocessor is 33 times its tiles by chance.
  EXPECT_EQ(
      analysis::device::TilesOf(Product(256, 512, 131'072), {"gemm_128x256_x", 132}, 132).tiles, 4);
  EXPECT_EQ(
      analysis::device::TilesOf(Product(256, 512, 131'072), {"gemm_128x256_x", 128}, 132).tiles,
      128);
}

TEST(OpTraits, GridCountsUnlessPersistent) {
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel", 24}, 132).tiles, 24);
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel", 132}, 132).tiles, -1);
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel", 264}, 132).tiles, -1);
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel", 1000}, 132).tiles, 1000);
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel", 24}, -1).tiles, -1);
  EXPECT_EQ(analysis::device::TilesOf({}, {"kernel"}, 132).tiles, -1);
  EXPECT_EQ(analysis::device::TilesOf(Product(256, 256, 4096),
                                      {"nvjet_tst_64x64_x_splitK", -1, 1, true}, 132)
                .tiles,
            -1);
  EXPECT_EQ(analysis::device::TilesOf(Product(256, 256, 4096), {"_MT64x64x64_SK3_"}, 132).tiles,
            -1);
}

TEST(OpTraits, ReachByProfileElseByMaker) {
  EXPECT_EQ(analysis::device::ComputeReach("NVIDIA H100 80GB HBM3", {}), 0.75);
  EXPECT_EQ(analysis::device::ComputeReach("AMD Instinct MI300X", {}), 0.54);
  EXPECT_EQ(analysis::device::ComputeReach("", {}), 0.6);
  const analysis::device::ReachedShare good{0.5, 100e-6, true}, best{0.62, 200e-6, true},
      brief{0.9, 10e-6, true}, unaligned{0.8, 100e-6, false};
  const analysis::device::ReachedShare three[] = {good, best, good, brief, unaligned};
  EXPECT_EQ(analysis::device::ComputeReach("NVIDIA H100 80GB HBM3", three), 0.62);
  EXPECT_EQ(analysis::device::ComputeReach("NVIDIA H100 80GB HBM3", std::span(three).subspan(1)),
            0.75);
  const analysis::device::ReachedShare slow[] = {{0.1, 1, true}, {0.1, 1, true}, {0.1, 1, true}};
  EXPECT_EQ(analysis::device::ComputeReach("NVIDIA H100 80GB HBM3", slow), 0.375);
}

// One call on an H100: 989.4 TFLOP/s, 3.352 TB/s.
analysis::device::MeasuredOp OnH100(const analysis::flops::OpCall& call, double micros,
                                    const char* kernel = "") {
  const auto work = analysis::flops::WorkOf(call);
  analysis::device::MeasuredOp facts;
  facts.shape = analysis::flops::ShapeOf(call);
  facts.kernel.name = kernel;
  facts.time = micros / 1e6;
  facts.reach = 0.75;
  facts.least_time = 3e-6;
  facts.multiprocessors = 132;
  facts.element_bytes = 2;
  if (!work) return facts;
  facts.flops = work->flops;
  facts.bytes = work->bytes;
  facts.compute_time = work->flops / (work->is_matrix ? 989.4e12 : 66.9e12);
  facts.memory_time = work->bytes / 3.352e12;
  return facts;
}

analysis::device::OpVerdict Judge(const analysis::flops::OpCall& call, double micros,
                                  const char* kernel = "") {
  return analysis::device::JudgeOp(OnH100(call, micros, kernel));
}

TEST(OpTraits, TargetIsTheReachableRoof) {
  const analysis::flops::OpCall large = Call("aten::mm", "[[8192, 8192], [8192, 8192]]", Types(2));
  EXPECT_NEAR(Judge(large, 5000).target, 2 * std::pow(8192.0, 3) / 989.4e12 / 0.75, 1e-9);
  EXPECT_NEAR(Judge(large, 1200).target, 1.2e-3, 1e-12) << "faster than expected";
  const analysis::flops::OpCall small = Call("aten::mm", "[[64, 64], [64, 64]]", Types(2));
  EXPECT_NEAR(Judge(small, 20).target, 3e-6, 1e-12);
  EXPECT_EQ(Judge(small, 5).trait, analysis::device::Trait::kNone)
      << "the start of a kernel decides";
}

TEST(OpTraits, FewTilesLeaveTheDeviceIdle) {
  const analysis::flops::OpCall call = Call("aten::mm", "[[256, 65536], [65536, 256]]", Types(2));
  const analysis::device::OpVerdict few = Judge(call, 400, "nvjet_tst_128x128_64x4_x");
  EXPECT_EQ(few.trait, analysis::device::Trait::kFewTiles);
  EXPECT_NE(few.text.find("[256, 65536] × [65536, 256] is cut into 4 tiles"), std::string::npos)
      << few.text;
  EXPECT_NE(few.text.find("so that 97.0"), std::string::npos) << few.text;
  analysis::device::MeasuredOp split = OnH100(call, 400, "nvjet_tst_128x128_64x4_splitK");
  split.kernel.blocks = 4 * 33;
  split.kernel.unknown_parts = true;
  EXPECT_NE(analysis::device::JudgeOp(split).trait, analysis::device::Trait::kFewTiles);
  analysis::device::MeasuredOp unknown = OnH100(call, 400, "nvjet_tst_128x128_64x4_x");
  unknown.multiprocessors = -1;
  EXPECT_NE(analysis::device::JudgeOp(unknown).trait, analysis::device::Trait::kFewTiles);
}

TEST(OpTraits, TilesOfASecondWave) {
  // 140 tiles of 128 × 128 in two waves; at the peak by the model of tiles.
  const analysis::flops::OpCall call = Call("aten::mm", "[[1792, 8192], [8192, 1280]]", Types(2));
  const double flops = 2.0 * 1792 * 8192 * 1280;
  const double micros = flops / 989.4e12 / (140.0 / 264) / 0.75 * 1e6;
  const analysis::device::OpVerdict partial = Judge(call, micros * 1.1, "nvjet_tst_128x128_64x4_x");
  EXPECT_EQ(partial.trait, analysis::device::Trait::kPartialTiles) << partial.text;
  EXPECT_NE(partial.text.find("the last of 2 waves is 6.1"), std::string::npos) << partial.text;
  // Six times as slow as that: tiles do not explain it.
  EXPECT_EQ(Judge(call, micros * 12, "nvjet_tst_128x128_64x4_x").trait,
            analysis::device::Trait::kNone);
}

TEST(OpTraits, SkinnyMatmulsWaitForMemory) {
  const analysis::flops::OpCall call = Call("aten::mm", "[[5, 8192], [8192, 8192]]", Types(2));
  const analysis::device::OpVerdict skinny = Judge(call, 200);
  EXPECT_EQ(skinny.trait, analysis::device::Trait::kSkinny);
  EXPECT_NE(skinny.text.find("has 4.99 FLOPs per byte (compute-bound from 295)"), std::string::npos)
      << skinny.text;
  EXPECT_EQ(Judge(call, 55).trait, analysis::device::Trait::kNone) << "near the bandwidth";
  EXPECT_NE(Judge(Call("aten::mm", "[[512, 8192], [8192, 8192]]", Types(2)), 900).trait,
            analysis::device::Trait::kSkinny);
}

TEST(OpTraits, NamesUnalignedLoadsBeforeTiles) {
  const analysis::flops::OpCall call = Call("aten::mm", "[[4097, 4097], [4097, 4097]]", Types(2));
  analysis::device::MeasuredOp facts =
      OnH100(call, 900, "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_nn_align1");
  facts.misaligned = analysis::classify::Misaligned{"K", 4097, 4104};
  EXPECT_EQ(analysis::device::JudgeOp(facts).trait, analysis::device::Trait::kUnalignedLoads);
}

analysis::flops::OpCall Attention(const std::string& q, const std::string& k) {
  return Call("aten::_scaled_dot_product_flash_attention",
              "[" + q + ", " + k + ", " + k + ", [], [], [], []]",
              "[c10::BFloat16, c10::BFloat16, c10::BFloat16, Scalar, Scalar, Scalar, Scalar]",
              "[, , , 0., False, False, 0.1]");
}

TEST(OpTraits, AttentionHasFourTraits) {
  const auto trait = [](const std::string& size, double micros, const char* kernel = "attn_fwd") {
    return Judge(Attention(size, size), micros, kernel).trait;
  };
  EXPECT_EQ(trait("[16, 12, 197, 64]", 200), analysis::device::Trait::kShortAttention);
  EXPECT_EQ(trait("[1, 8, 16384, 192]", 20000), analysis::device::Trait::kPaddedHeads);
  EXPECT_EQ(trait("[1, 8, 16384, 192]", 20000, "a_kernel"), analysis::device::Trait::kLargeHeads);
  EXPECT_EQ(trait("[1, 8, 16384, 256]", 20000), analysis::device::Trait::kLargeHeads);
  EXPECT_EQ(trait("[1, 8, 16384, 128]", 20000), analysis::device::Trait::kSlowAttention);
  EXPECT_EQ(trait("[1, 8, 16384, 128]", 2000), analysis::device::Trait::kNone);
  const analysis::device::OpVerdict decode =
      Judge(Attention("[8, 32, 1, 128]", "[8, 32, 4096, 128]"), 2000);
  EXPECT_EQ(decode.trait, analysis::device::Trait::kShortAttention);
  EXPECT_NE(decode.text.find("1 query for 4"), std::string::npos) << decode.text;
}

std::string FormOf(const std::string& x, const std::string& w, const std::string& rest) {
  const analysis::flops::OpCall call =
      Call("aten::convolution", "[" + x + ", " + w + ", [], [], [], [], [], [], []]",
           "[c10::Half, c10::Half, , , , , , , ]", "[, , , " + rest + "]");
  const analysis::device::OpVerdict verdict = Judge(call, 1e6);
  EXPECT_EQ(verdict.trait, analysis::device::Trait::kSlowConvolution);
  return verdict.form;
}

TEST(OpTraits, ConvolutionsNameTheirForm) {
  const std::string plain = "[1, 1], [1, 1], [1, 1], False, [0, 0], ";
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 1, 3, 3]", plain + "64"), "depthwise");
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 2, 3, 3]", plain + "32"), "grouped (32 groups)");
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 64, 3, 3]", plain + "1"), "plain (3 × 3)");
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 64, 1, 7]", plain + "1"), "not square (1 × 7)");
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 64, 1, 1]", plain + "1"), "pointwise (1 × 1)");
  EXPECT_EQ(
      FormOf("[8, 64, 64, 64]", "[64, 64, 3, 3]", "[1, 1], [16, 16], [16, 16], False, [0, 0], 1"),
      "dilated (16 × 16)");
  EXPECT_EQ(FormOf("[8, 64, 64, 64]", "[64, 32, 4, 4]", "[2, 2], [1, 1], [1, 1], True, [0, 0], 1"),
            "transposed, strided (2 × 2)");
  EXPECT_EQ(FormOf("[1, 512, 7, 7]", "[512, 512, 3, 3]", plain + "1"),
            "of few rows (49 places of the result)");
  EXPECT_EQ(FormOf("[8, 3, 224, 224]", "[64, 3, 7, 7]", "[2, 2], [3, 3], [1, 1], False, [0, 0], 1"),
            "with 3 input channels (6 of the 16 bytes of a load), strided (2 × 2)");
}

TEST(OpTraits, ExpertsNameTheirBottleneck) {
  const auto layer = [](const std::string& tokens, const std::string& each) {
    return Call("vllm::fused_moe",
                "[[" + tokens + ", 4096], [8, 28672, 4096], [8, 4096, 14336], [" + tokens + ", " +
                    each + "]]",
                Types(4));
  };
  const analysis::device::OpVerdict few = Judge(layer("8", "2"), 3000);
  EXPECT_EQ(few.trait, analysis::device::Trait::kExperts);
  EXPECT_NE(
      few.text.find("8 experts and 2 tokens per expert: if tokens spread evenly, the weights"),
      std::string::npos)
      << few.text;
  const analysis::device::OpVerdict many = Judge(layer("8192", "1"), 10000);
  EXPECT_NE(many.text.find("tokens per expert: bound by arithmetic"), std::string::npos)
      << many.text;
  const analysis::device::OpVerdict wrong = Judge(layer("8", "2"), 100);
  EXPECT_NE(wrong.text.find("shapes, times or the device are wrong"), std::string::npos);
  EXPECT_NEAR(wrong.target, 100e-6, 1e-12) << "nothing can be saved";
  // Without a device the tokens are known all the same.
  analysis::device::MeasuredOp no_device = OnH100(layer("4", "1"), 100);
  no_device.compute_time = no_device.memory_time = -1;
  EXPECT_EQ(analysis::device::JudgeOp(no_device).text, "has 8 experts and 0.5 tokens per expert");
}

TEST(OpTraits, ElementwiseOperatorsBelowTheBandwidth) {
  const analysis::flops::OpCall call =
      Call("aten::add", "[[8192, 8192], [8192, 8192], []]", "[float, float, Scalar]");
  EXPECT_EQ(Judge(call, 800).trait, analysis::device::Trait::kSlowElementwise);
  EXPECT_EQ(Judge(call, 300).trait, analysis::device::Trait::kNone);
  const analysis::flops::OpCall small =
      Call("aten::add", "[[256, 256], [256, 256], []]", "[float, float, Scalar]");
  EXPECT_EQ(Judge(small, 100).trait, analysis::device::Trait::kNone)
      << "too short to judge by bandwidth";
}

TEST(OpTraits, WithoutARoofNothingIsSaid) {
  analysis::device::MeasuredOp facts =
      OnH100(Call("aten::mm", "[[5, 8192], [8192, 8192]]", Types(2)), 200);
  facts.memory_time = -1;
  const analysis::device::OpVerdict verdict = analysis::device::JudgeOp(facts);
  EXPECT_EQ(verdict.trait, analysis::device::Trait::kUnknown);
  EXPECT_EQ(verdict.target, -1);
}

}  // namespace
}  // namespace profgauge
