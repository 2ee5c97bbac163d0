#include "analysis/classify/kernel_class.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "analysis/classify/knowledge.h"
#include "analysis/classify/tensor_core_rules.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge {
namespace {

TEST(KernelClass, NamesOfVerdicts) {
  EXPECT_EQ(TriName(Tri::kNo), "no");
  EXPECT_EQ(TriName(Tri::kYes), "yes");
  EXPECT_EQ(TriName(Tri::kUnknown), "unknown");
  EXPECT_EQ(RuleName(0), "no rule");
}

struct Labelled {
  std::string_view name, verdict, rule;
};

// One or more of every family; the rule says which row of the table is meant to know it.
constexpr Labelled kLabelled[] = {
    // The chip's generation alone rules Tensor Cores out.
    {"maxwell_sgemm_128x64_nn", "no", "chip_before_volta"},
    {"sm50_xmma_pooling_fw_4d_FP32_kernel", "no", "chip_before_volta"},
    {"fmha_cutlassF_f16_aligned_64x64_rf_sm50", "no", "attention_before_volta"},
    // Marked as CUDA cores, though they say gemm.
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize64x64x8_ffma_kernel", "no", "cuda_core_tag"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_64x128_8x5_nt_align1>(Params)", "no",
     "cuda_core_tag"},
    // Volta to Ada: the instruction's shape.
    {"volta_h884gemm_64x128_ldg8_nt", "yes", "mma_shape"},
    {"volta_fp16_s884cudnn_winograd_fp16_128x128_nt_v1", "yes", "mma_shape"},
    {"turing_fp16_s1688gemm_fp16_128x64_ldg8_f2f_tn", "yes", "mma_shape"},
    {"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_nn", "yes", "mma_shape"},
    {"ampere_s1688gemm_64x64_ldg4_stages_32x5_nt", "yes", "mma_shape"},
    {"ampere_int8_i16832gemm_int8_128x128_ldg16_relu_tn", "yes", "mma_shape"},
    {"ampere_d884gemm_32x32_nt", "yes", "mma_shape"},
    {"sm80_xmma_dgrad_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_g1_tensor16x8x8_kernel_cudnn",
     "yes", "tensor_tile"},
    {"void cutlass::Kernel2<cutlass_75_wmma_tensorop_bf16_s161616gemm_bf16_32x32_nn_align1>(P)",
     "yes", "tensorop"},
    {"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<Mma<cutlass::arch::OpClassTensorOp>>>(P)",
     "yes", "tensorop"},
    // The same families without a shape: CUDA cores, whatever the type in front.
    {"volta_sgemm_64x32_sliced1x4_tn", "no", "cuda_core_gemm"},
    {"ampere_fp16_sgemm_fp16_128x64_nn", "no", "cuda_core_gemm"},
    {"cudnn_infer_volta_scudnn_128x32_relu_small_nn_v1", "no", "cuda_core_gemm"},
    {"volta_scudnn_winograd_128x128_ldg1_ldg4_tile148n_nt_v1", "no", "cuda_core_gemm"},
    {"volta_hgemm_32x128_nn", "no", "cuda_core_gemm"},
    {"void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3>(int)", "no", "cuda_core_gemm"},
    {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)", "no",
     "cuda_core_gemm"},
    {"void conv2d_grouped_direct_kernel<float, float>(P)", "no", "cuda_core_gemm"},
    // Hopper and Blackwell.
    {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", "yes", "nvjet"},
    {"nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", "yes", "nvjet"},
    {"nvjet_sss_128x128_32x4_h_bz_NNN", "unknown", "nvjet_wide"},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_kernel__5x_cublas", "yes",
     "xmma_typed"},
    {"sm80_xmma_gemm_f64f64_f64f64_f64_nn_n_kernel", "unknown", "xmma"},
    {"cutlass3x_sm100_bf16_gemm_128x128", "yes", "cutlass3"},
    {"void cutlass::device_kernel<GemmUniversal<MainloopSm90TmaGmmaWarpSpecialized<4>>>(P)", "yes",
     "cutlass3"},
    {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168u>(P)", "yes", "cutlass3"},
    {"kernel_cutlass_tcgen05_mma_0", "yes", "mma_instruction"},
    // Attention, and its helpers, which multiply nothing.
    {"void "
     "pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64>>(P)",
     "yes", "attention"},
    {"void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>>(P)", "no",
     "attention_helper"},
    {"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64>>(P)", "no",
     "attention_helper"},
    {"fmha_cutlassB_bf16_aligned_64x64_k64_sm80(AttentionBackwardKernel::Params)", "yes",
     "attention"},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm80", "unknown", "fp32_attention"},
    {"cudnn_generated_fort_native_sdpa_sm80_flash_bprop_f16_knob_3_64x64x64_kernel0_0", "yes",
     "attention"},
    {"void vllm::paged_attention_v2_kernel<__half, __half, 128>(P)", "no", "helper"},
    // Quantized products, not quantization.
    {"void marlin::Marlin<c10::BFloat16, 4, 256>(P)", "yes", "quantized"},
    {"void gptq_marlin_repack_kernel<8, 256>(P)", "no", "helper"},
    {"bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_sm100a", "yes", "quantized"},
    {"void quantize_with_block_size<nvfp4>(P)", "no", "helper"},
    // Triton says what was fused, not how.
    {"triton_poi_fused_convolution_mm_flash_fwd_relu_0", "no", "triton_pointwise"},
    {"triton_red_fused__softmax_1", "no", "triton_pointwise"},
    {"triton_tem_fused_addmm_relu_0", "unknown", "triton_matrix"},
    {"fused_moe_kernel", "unknown", "triton_matrix"},
    {"_attn_fwd", "unknown", "triton_matrix"},
    {"matmul_kernel", "unknown", "any_matrix"},
    // AMD.
    {"Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x224x64_MI16x16x1_SN_LDSB1", "yes",
     "tensile_mi"},
    {"Cijk_Ailk_Bljk_SB_MT64x64x8_SE_APM1_ABV0_ACED0_AF0EM1", "unknown", "tensile"},
    {"Cijk_SB_PostGSU16_VW4", "no", "tensile_helper"},
    {"_ZN7ck_tile6kentryILi256ELi2ENS_13FmhaFwdKernelINS_24BlockFmhaPipelineQRKSVS", "yes",
     "ck_tile"},
    {"void ck_tile::kentry<256, 1, ck_tile::Layernorm2dFwd<Problem>>(P)", "no", "ck_helper"},
    {"void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaBwdOGradDotOKernel<P>>(P)", "no",
     "attention_helper"},
    {"void ck_tile::kentry<ck_tile::gfx950_t, 1, ck_tile::FmhaBwdDQDKDVKernel<P>>(P)", "yes",
     "ck_tile"},
    {"igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt256x256x32_wt32x32x8", "yes", "mfma"},
    {"attn_fwd", "yes", "aotriton"},
    // Helpers and the rest.
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __half>(P)", "no", "helper"},
    {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false>(P)", "no", "helper"},
    {"void gemv2T_kernel_val<int, int, float, float>(P)", "no", "helper"},
    {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(P)", "no", "helper"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(P)",
     "no", "torch_native"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16>(P)", "no",
     "torch_native"},
    {"void fbgemm_gpu::permute_2D_data_kernel<false, int>(P)", "no", "no rule"},
    {"my_kernel", "no", "no rule"},
};

TEST(KernelClass, KnowsTheFamilies) {
  for (const Labelled& row : kLabelled) {
    const KernelClass found = ClassifyName(row.name);
    EXPECT_EQ(TriName(found.tensor_core), row.verdict) << row.name;
    EXPECT_EQ(RuleName(found.rule), row.rule) << row.name;
    EXPECT_FALSE(found.collective) << row.name;
  }
}

TEST(KernelClass, KnowsCollectives) {
  for (const std::string_view name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
        "ncclBroadcastRingLLKernel_copy_i8(c)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(P)", "multimem_all_reduce_kernel",
        "void deep_ep::internode::dispatch<8>(P)", "void mscclpp::allreduce(P)"}) {
    const KernelClass found = ClassifyName(name);
    EXPECT_TRUE(found.collective) << name;
    EXPECT_EQ(found.tensor_core, Tri::kNo) << name;
  }
  for (const std::string_view name : {"void at::native::reduce_kernel<128, 4>(P)",
                                      "hipLaunchKernel", "void cudnn::reduce_all(P)"}) {
    EXPECT_FALSE(ClassifyName(name).collective) << name;
  }
}

// Names with their truth, collected from public reports.
TEST(KernelClass, AgreesWithLabelledNames) {
  const std::string path = SharedPath("formats/tensor-core-names/labelled.csv");
  PROFGAUGE_NEEDS(path);
  const auto rows = ReadCsv(path);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string& truth = rows[i][1];
    const std::string_view expected = truth == "tc" ? "yes" : truth == "maybe" ? "unknown" : "no";
    EXPECT_EQ(TriName(ClassifyName(rows[i][0]).tensor_core), expected) << rows[i][0];
  }
  EXPECT_GT(rows.size(), 50U);
}

TEST(KernelClass, OnAscendTheLastPartIsTheOperator) {
  struct OnAscend {
    std::string_view name, verdict;
  };
  constexpr OnAscend kOnAscend[] = {
      {"aclnnMm_MatMulCommon_MatMulV2", "yes"},
      {"aclnnMatmul_MatMulV3Common_MatMulV3", "yes"},
      {"Conv2DBackpropFilter6", "yes"},
      {"aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad", "yes"},
      {"aclnnMm_MatMulCommon_MemSet", "no"},
      {"aclnnMm_TransData_TransData", "no"},
      {"trans_Cast_7", "no"},
      {"aclnnCast_CastAiCpu_Cast", "no"},
  };
  for (const auto& row : kOnAscend) {
    const KernelClass found = ClassifyName(row.name, Vendor::kAscend);
    EXPECT_EQ(TriName(found.tensor_core), row.verdict) << row.name;
    EXPECT_NE(found.rule, 0) << row.name;
  }
  EXPECT_TRUE(ClassifyName("hcom_allReduce__1", Vendor::kAscend).collective);
  // Of chips that nothing is known about, nothing is said.
  EXPECT_EQ(ClassifyName("gemm_kernel", Vendor::kOther).tensor_core, Tri::kUnknown);
}

TEST(KernelClass, ALongHostileNameIsQuick) {
  const std::string name = std::string(1 << 20, '_') + "xmma_" + std::string(1 << 20, 'f');
  EXPECT_EQ(ClassifyName(name).tensor_core, Tri::kUnknown);
}

struct Chip {
  std::string_view name;
  int major, minor;
};

KernelClass ClassifyOn(const Chip& chip, std::string_view kernel) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = chip.name;
  gpu.compute_major = chip.major;
  gpu.compute_minor = chip.minor;
  test.builder().AddGpu(gpu);
  test.Op("my_op", {0, 100});
  test.Launch(kernel, {10, 20}, {30, 40});
  return ClassifyDevice(test.Finish()).at(0);
}

// A name cannot give a chip what it does not have.
TEST(KernelClass, TheChipMustHaveThem) {
  struct Row {
    Chip chip;
    std::string_view kernel, verdict, rule;
  };
  constexpr std::string_view kFp16 = "volta_h884gemm_64x128_ldg8_nt";
  constexpr std::string_view kFp8 = "void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168u>(P)";
  constexpr std::string_view kFp4 = "cutlass3x_sm100_nvfp4_gemm_128x128";
  constexpr Row kRows[] = {
      {{"Tesla V100", 7, 0}, kFp16, "yes", "mma_shape"},
      {{"Tesla P100", 6, 0}, kFp16, "no", "chip_without_tensor_cores"},
      {{"NVIDIA GeForce GTX 1660 Ti", 7, 5}, kFp16, "no", "chip_without_tensor_cores"},
      {{"NVIDIA GeForce RTX 2080 Ti", 7, 5}, kFp16, "yes", "mma_shape"},
      {{"NVIDIA A100", 8, 0}, kFp8, "unknown", "chip_too_old_for_type"},
      {{"NVIDIA H100", 9, 0}, kFp8, "yes", "cutlass3"},
      {{"NVIDIA H100", 9, 0}, kFp4, "unknown", "chip_too_old_for_type"},
      {{"NVIDIA B200", 10, 0}, kFp4, "yes", "cutlass3"},
      {{"AMD Instinct MI300X", 9, 4}, "fmha_fwd_hd128_bf16_causal", "yes", "amd_attention"},
      {{"AMD Instinct MI300X", 9, 4}, "void rocblas_gemm_ex(P)", "unknown", "amd_matrix"},
      {{"", -1, -1}, kFp16, "yes", "mma_shape"},
  };
  for (const Row& row : kRows) {
    const KernelClass found = ClassifyOn(row.chip, row.kernel);
    EXPECT_EQ(TriName(found.tensor_core), row.verdict) << row.chip.name << " " << row.kernel;
    EXPECT_EQ(RuleName(found.rule), row.rule) << row.chip.name << " " << row.kernel;
  }
}

// A project's own names stand before ours; chips and collectives before both.
TEST(KernelClass, OwnNamesComeFirst) {
  const Knowledge knowledge = {{{"ours/simt", "gemm.*_simt$", "", Tri::kNo},
                                {"ours/gemm", "^lab_", "_copy", Tri::kYes},
                                {"ours/maybe", "^lab_", "", Tri::kUnknown},
                                {"ours/nccl", "nccl", "", Tri::kYes}},
                               {},
                               false};
  struct Row {
    Chip chip;
    std::string_view kernel, verdict, rule;
  };
  const Chip kA100 = {"NVIDIA A100", 8, 0};
  const Row kRows[] = {
      {kA100, "lab_gemm_128", "yes", "ours/gemm"},
      {kA100, "lab_copy", "unknown", "ours/maybe"},
      {kA100, "ampere_fp16_s16816gemm_fp16_simt", "no", "ours/simt"},
      {kA100, "ampere_fp16_s16816gemm_fp16", "yes", "mma_shape"},
      {kA100, "ncclDevKernel_AllReduce_Sum_f32", "no", "nccl"},
      {{"Tesla P100", 6, 0}, "lab_gemm_128", "no", "chip_without_tensor_cores"},
  };
  for (const Row& row : kRows) {
    TestProfile test;
    Gpu gpu;
    gpu.id = 0;
    gpu.name = row.chip.name;
    gpu.compute_major = row.chip.major;
    gpu.compute_minor = row.chip.minor;
    test.builder().AddGpu(gpu);
    test.Op("my_op", {0, 100});
    test.Launch(row.kernel, {10, 20}, {30, 40});
    const KernelClass found = ClassifyDevice(test.Finish(), knowledge).at(0);
    EXPECT_EQ(TriName(found.tensor_core), row.verdict) << row.kernel;
    EXPECT_EQ(RuleName(found.rule, knowledge), row.rule) << row.kernel;
  }
}

TEST(KernelClass, AKnownChipDecidesWhereNoneIsRecorded) {
  TestProfile test;
  test.Op("my_op", {0, 100});
  test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 20}, {30, 40});
  const Profile profile = test.Finish();
  EXPECT_EQ(ClassifyDevice(profile).at(0).tensor_core, Tri::kYes);
  Gpu pascal;
  pascal.compute_major = 6;
  const Knowledge knowledge = {{}, {{"*", pascal}}, false};
  EXPECT_EQ(ClassifyDevice(profile, knowledge).at(0).tensor_core, Tri::kNo);
}

TEST(KernelClass, AnUnknownKernelOfAnEligibleOpIsUndecided) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Op("aten::relu", {100, 200});
  test.Launch("my_kernel", {10, 20}, {30, 40});
  test.Launch("my_kernel", {110, 120}, {130, 140});
  test.Launch("Memcpy HtoD", {150, 160}, {170, 180}, {}, DeviceKind::kMemcpy);
  const std::vector<KernelClass> classes = ClassifyDevice(test.Finish());
  EXPECT_EQ(classes.at(0).tensor_core, Tri::kUnknown);
  EXPECT_EQ(classes.at(1).tensor_core, Tri::kNo);
  EXPECT_EQ(classes.at(2).tensor_core, Tri::kNo);
}

TEST(EligibleOps, ByName) {
  for (const std::string_view name : {"aten::mm",
                                      "aten::addmm",
                                      "aten::addmm_",
                                      "aten::baddbmm",
                                      "aten::linear",
                                      "aten::matmul",
                                      "aten::conv2d",
                                      "aten::convolution",
                                      "aten::_convolution",
                                      "aten::cudnn_convolution",
                                      "aten::cudnn_convolution_backward_weight",
                                      "aten::convolution_backward",
                                      "aten::miopen_convolution",
                                      "aten::_scaled_mm",
                                      "aten::_int_mm",
                                      "aten::_grouped_mm",
                                      "aten::einsum",
                                      "aten::lstm",
                                      "aten::_cudnn_rnn",
                                      "aten::_flash_attention_forward",
                                      "aten::_efficient_attention_backward",
                                      "aten::scaled_dot_product_attention",
                                      "aten::_scaled_dot_product_flash_attention",
                                      "MmBackward0",
                                      "AddmmBackward",
                                      "ConvolutionBackward0",
                                      "CudnnConvolutionBackward",
                                      "ScaledDotProductFlashAttentionBackward0",
                                      "mmBackward",
                                      "bmmBackward",
                                      "torch.nn.functional.linear",
                                      "Tensor.matmul",
                                      "conv2d",
                                      "linear",
                                      "LSTM",
                                      "MatMul",
                                      "Conv2DBackpropFilter",
                                      "BatchMatMulV2",
                                      "Einsum",
                                      "aclnnMm",
                                      "dense/MatMul",
                                      "jit_f/gemm_fusion_dot.3",
                                      "jit_f/cudnn-conv.1",
                                      "jit(f)/conv_general_dilated",
                                      "jit(f)/jvp()/dot_general"}) {
    EXPECT_TRUE(IsEligibleOp(name)) << name;
  }
  // Matrix times vector and element-wise work never runs on Tensor Cores.
  for (const std::string_view name : {"aten::mv",
                                      "aten::addmv",
                                      "aten::addr",
                                      "aten::prelu",
                                      "aten::add",
                                      "aten::relu",
                                      "aten::_softmax",
                                      "aten::native_layer_norm",
                                      "aten::copy_",
                                      "aten::_conv_depthwise2d",
                                      "aten::mm_helper",
                                      "AddBackward0",
                                      "Optimizer.step#SGD.step",
                                      "",
                                      "aten::",
                                      "Tensor.add_",
                                      "torch.nn.functional.dropout",
                                      "addBackward",
                                      "jit_f/loop_reduce_fusion.1",
                                      "jit(f)/transpose",
                                      "dense/BiasAdd"}) {
    EXPECT_FALSE(IsEligibleOp(name)) << name;
  }
}

}  // namespace
}  // namespace profgauge
