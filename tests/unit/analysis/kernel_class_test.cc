#include "analysis/classify/kernel_class.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "analysis/classify/knowledge.h"
#include "analysis/classify/tensor_core_rules.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

TEST(KernelClass, NamesOfVerdicts) {
  EXPECT_EQ(classify::TriName(classify::Tri::kNo), "no");
  EXPECT_EQ(classify::TriName(classify::Tri::kYes), "yes");
  EXPECT_EQ(classify::TriName(classify::Tri::kUnknown), "unknown");
  EXPECT_EQ(classify::RuleName(0), "no rule");
}

struct Labelled {
  std::string_view name, verdict, rule;
};

// One or more of every family; the rule says which row of the table is meant to know it.
constexpr Labelled kLabelled[] = {
    // The chip's generation by itself rules Tensor Cores out.
    {"maxwell_sgemm_128x64_nn", "no", "chip_before_volta"},
    {"sm50_xmma_conv_fprop_indexed_kernel", "no", "chip_before_volta"},
    // No matmuls, though libraries of matmuls have them.
    {"sm50_xmma_pooling_fw_4d_FP32_kernel", "no", "library_helper"},
    {"sm80_xmma_pooling_coalescedC_NHWC_kMAX_3_False_execute_kernel_trt", "no", "library_helper"},
    {"sm50_xmma_cublas_gemvx_f32f32_f32_f32_tn_n_int32_unit_n_launch_param4x32x32", "no",
     "library_helper"},
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
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm80", "yes", "attention"},
    {"fmha_cutlassB_f16_aligned_64x64_k64_dropout_sm80(Params)", "yes", "attention"},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm75", "no", "attention_before_volta"},
    {"cudnn_generated_fort_native_sdpa_sm80_flash_bprop_f16_knob_3_64x64x64_kernel0_0", "yes",
     "attention"},
    {"void vllm::paged_attention_v2_kernel<__half, __half, 128>(P)", "no", "helper"},
    // Quantized matmuls, not quantization.
    {"void marlin::Marlin<c10::BFloat16, 4, 256>(P)", "yes", "quantized"},
    {"void gptq_marlin_repack_kernel<8, 256>(P)", "no", "helper"},
    {"bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_sm100a", "yes", "quantized"},
    {"void quantize_with_block_size<nvfp4>(P)", "no", "helper"},
    // Triton's names list the fused operators, not the method.
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
     "ck_attention"},
    {"void ck_tile::kentry<256, 1, ck_tile::Layernorm2dFwd<Problem>>(P)", "no", "ck_helper"},
    {"void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaBwdOGradDotOKernel<P>>(P)", "no",
     "attention_helper"},
    {"void ck_tile::kentry<ck_tile::gfx950_t, 1, ck_tile::FmhaBwdDQDKDVKernel<P>>(P)", "yes",
     "ck_attention"},
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
    const classify::KernelClass found = classify::ClassifyName(row.name);
    EXPECT_EQ(classify::TriName(found.tensor_core), row.verdict) << row.name;
    EXPECT_EQ(classify::RuleName(found.rule), row.rule) << row.name;
    EXPECT_FALSE(found.collective) << row.name;
  }
}

// Names of today's libraries, as their sources and published recordings have them.
struct Published {
  std::string_view name, verdict;
  classify::Vendor vendor = classify::Vendor::kNvidia;
};
constexpr Published kPublished[] = {
    // cuDNN 9, and the kernels that prepare its convolutions.
    {"void cask_cudnn::computeOffsetsKernel<true, false>(cask_cudnn::ComputeOffsetsParams)", "no"},
    {"cask_cudnn::computeWgradSplitKOffsetsKernel(cask_cudnn::ComputeSplitKOffsetsParams)", "no"},
    {"cask_cudnn::computeWgradBOffsetsKernel(cask_cudnn::ComputeWgradBOffsetsParams)", "no"},
    {"cask_cudnn::computeBOffsetsKernel(cask_cudnn::ComputeBOffsetsParams)", "no"},
    {"sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_"
     "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
     "yes"},
    {"sm80_xmma_wgrad_implicit_gemm_indexed_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_"
     "stage4_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
     "yes"},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_128x128_32x5_"
     "nhwc_align8>(cutlass_tensorop_bf16_s16816fprop::Params)",
     "yes"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_6_128x128x128_4x1x1_kernel0_"
     "0",
     "yes"},
    {"cudnn_generated_fort_native_sdpa_sm100_flash_bprop_f16_knob_23_128x128x128_kernel0_0", "yes"},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float, false, true>(P)",
     "no"},
    // cuBLASLt.
    {"nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", "yes"},
    {"nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", "yes"},
    {"nvjet_qqtst_128x128_128x6_2x1_v_bz_TNN", "yes"},
    {"nvjet_sm100_tst_mma_128x192x64_4_64x96x64_tmaAB_bz_TNT", "yes"},
    {"void cublasLt::epilogue::impl::globalKernel<8, 32, __nv_bfloat16>(P)", "no"},
    {"void gemvNSP_kernel<__nv_bfloat16, __nv_bfloat16, float, 1, 32, 4, 1024>(P)", "no"},
    // CUTLASS 3 and 4.
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
     "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<7,"
     " "
     "cute::tuple<cute::C<2>>>>>>(P)",
     "yes"},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, "
     "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm100TmaUmmaWarpSpecialized<"
     "5, "
     "2, 4>>>>(P)",
     "yes"},
    {"kernel_cutlass_kernel___main__PersistentDenseGemmKernel_object_at__TiledMMA_"
     "ThrLayoutVMNK21111",
     "yes"},
    {"kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__",
     "yes"},
    // FlashAttention 2 and 3.
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false>, true>(P)",
     "yes"},
    {"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(P)", "yes"},
    {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
     "flash::CollectiveMainloopFwdSm90<2>>>>(P)",
     "yes"},
    {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<"
     "flash::CollectiveMainloopBwdSm90<2>>>>(P)",
     "yes"},
    {"void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<int>, 128>>(P)", "no"},
    {"void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cute::tuple<int>>>(P)", "no"},
    {"void flash::prepare_varlen_num_blocks_kernel<1, true>(int, int)", "no"},
    {"void sm90::dense::flash_fwd_splitkv_mla_kernel<Traits<cutlass::bfloat16_t>>(P)", "yes"},
    {"get_mla_metadata_kernel(GetDecodingMetadataParams)", "no"},
    // SageAttention, ThunderKittens.
    {"sage_fwd", "yes"},
    {"void qk_int_sv_f16_attn_kernel<128, 64, 32, 64, 128, (DataType)1>(signed char*)", "yes"},
    {"void qk_int8_sv_f8_attn_kernel<64, 128, 128, 128>(CUtensorMap)", "yes"},
    {"sage_quant_kernel", "no"},
    {"void fwd_attend_ker<128, true>(fwd_globals<128>)", "yes"},
    {"void bwd_attend_prep_ker<128>(bwd_prep_globals<128>)", "no"},
    {"void kittens::prototype::lcf::kernel<matmul_template<2, 4, 8>>(P)", "yes"},
    // FlashInfer, TensorRT-LLM.
    {"void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1>>(P)", "yes"},
    {"void flashinfer::PrefillWithKVCacheKernel<flashinfer::CollectiveMainloop<1>>(P)", "yes"},
    {"void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::KernelTraits<1>>(P)",
     "yes"},
    {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<1, 2, 8, 16>(P)", "no"},
    {"void flashinfer::PersistentVariableLengthMergeStatesKernel<8, 16, 8, 4>(P)", "no"},
    {"fmhaSm100fKernel_"
     "QkvBfloat16OBfloat16H128PagedKvDenseP64VarSeqQ16Kv128PersistentSwapsAbForGen",
     "yes"},
    {"fmha_v2_flash_attention_bf16_64_128_S_qkv_128_causal_sm90_kernel_nl_tiled", "yes"},
    {"bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128u2_s5_et128x8_m128x8x16_cga1x1x1_16dp256b_TN",
     "yes"},
    {"kernel_mha", "yes"},
    {"void mmha::masked_multihead_attention_kernel<unsigned short, 128>(P)", "no"},
    // DeepGEMM, Marlin, AWQ, GPTQ, bitsandbytes, PyTorch's int4.
    {"void deep_gemm::sm100_bf16_gemm_impl<0, 0, 4096u, 7168u, 128u>(P)", "yes"},
    {"void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 8u>(P)", "yes"},
    {"void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906843648l, 256, 4>(P)", "yes"},
    {"void vllm::awq::gemm_forward_4bit_cuda_m16nXk32<128>(int, __half*)", "yes"},
    {"void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 4>(__half const*)", "no"},
    {"void kgemm_4bit_inference_naive<__nv_bfloat16, 128, 16>(int)", "no"},
    {"void kDequantizeBlockwise<__nv_bfloat16, 512, 64, 8, 2>(float*)", "no"},
    {"void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<4>>(P)", "yes"},
    {"void vllm::merge_attn_states_kernel<__nv_bfloat16, 128u>(P)", "no"},
    // Triton does not say whether it multiplies.
    {"_p_matmul_ogs_NNT_bf16xbf16xmxfp4_128x256x128x1", "unknown"},
    {"_fwd_grouped_kernel_stage1", "unknown"},
    {"triton_tem_fused_addmm_relu_0", "unknown"},
    {"triton_per_fused_mm_sum_3", "no"},
    // AMD: hipBLASLt, Composable Kernel, AITER.
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB1_AFC1", "yes",
     classify::Vendor::kAmd},
    {"Custom_Cijk_Ailk_Bjlk_BBS_BH_UserArgs_MT256x256x64_MI16x16x1_SN", "yes",
     classify::Vendor::kAmd},
    {"void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<1>, true>(P)", "yes",
     classify::Vendor::kAmd},
    {"void ck_tile::kentry<256, 2, ck_tile::FmhaFwdKernel<1>>(P)", "yes", classify::Vendor::kAmd},
    {"void ck_tile::kentry<ck_tile::gfx942_t, 2, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipeline"
     "QRKSVSAsync<(ck_tile::BlockAttentionQuantScaleEnum)0>>>(P)",
     "yes", classify::Vendor::kAmd},
    {"void ck_tile::kentry<256, 2, ck_tile::FmhaFwdSplitKVCombineKernel<1>>(P)", "no",
     classify::Vendor::kAmd},
    {"_ZN5aiter36fmha_fwd_hd128_bf16_causal_group_rtneE", "yes", classify::Vendor::kAmd},
    {"aiter::fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x256", "yes", classify::Vendor::kAmd},
    {"aiter::pa_bf16_pertokenFp8_gqa16_2tg_4w", "yes", classify::Vendor::kAmd},
    {"void aiter::add_rmsnorm_quant_kernel<__hip_bfloat16, 256>(P)", "no", classify::Vendor::kAmd},
    // Names of FP8 and attention libraries, whose types or instructions are known.
    {"aiter_fused_moe_kernel_bf16", "yes"},
    {"aiter_moe_sorting_bf16_kernel", "no"},
    {"_ZN5aiter44flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32E", "yes", classify::Vendor::kAmd},
    {"_gemm_a8w8_blockscale_kernel", "yes", classify::Vendor::kAmd},
    {"_gemm_a16w16_reduce_kernel", "unknown", classify::Vendor::kAmd},
    {"void ck_tile::kentry<1, ck_tile::QuantGemmKernel<P, E, 0>>(P)", "yes",
     classify::Vendor::kAmd},
    {"void ck_tile::kentry<1, ck_tile::MoeSmoothquant<P>>(P)", "no", classify::Vendor::kAmd},
    {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u, 7168u>(float*)", "yes",
     classify::Vendor::kNvidia},
    {"_ZN9deep_gemm23sm100_bf16_bmn_bnk_implILj0E", "yes", classify::Vendor::kNvidia},
    {"void deep_gemm::transpose_fp32<512u, 128u>(float const*)", "no", classify::Vendor::kNvidia},
    {"void deep_gemm::smxx_clean_logits<256u>(unsigned int)", "no", classify::Vendor::kNvidia},
    {"void flash::compute_attn_ws<Flash_fwd_kernel_traits<128, 128>, true>(P)", "yes",
     classify::Vendor::kNvidia},
    {"_ZN5flash15compute_attn_wsI23Flash_fwd_kernel_traits", "yes", classify::Vendor::kNvidia},
};

TEST(KernelClass, KnowsPublishedNamesOfTodaysLibraries) {
  for (const Published& row : kPublished) {
    const classify::KernelClass found = classify::ClassifyName(row.name, row.vendor);
    EXPECT_EQ(classify::TriName(found.tensor_core), row.verdict)
        << row.name << " by " << classify::RuleName(found.rule);
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
    const classify::KernelClass found = classify::ClassifyName(name);
    EXPECT_TRUE(found.collective) << name;
    EXPECT_EQ(found.tensor_core, classify::Tri::kNo) << name;
  }
  for (const std::string_view name : {"void at::native::reduce_kernel<128, 4>(P)",
                                      "hipLaunchKernel", "void cudnn::reduce_all(P)"}) {
    EXPECT_FALSE(classify::ClassifyName(name).collective) << name;
  }
}

// Names with their truth, collected from public reports.
TEST(KernelClass, AgreesWithLabeledNames) {
  const std::string path = SharedPath("formats/tensor-core-names/labelled.csv");
  PROFGAUGE_NEEDS(path);
  const auto rows = ReadCsv(path);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string& truth = rows[i][1];
    const std::string_view expected = truth == "tc" ? "yes" : truth == "maybe" ? "unknown" : "no";
    // Counters say otherwise: below, `fmha_cutlassF_f32_aligned_64x64_rf_sm80`.
    if (rows[i][0].starts_with("fmha_cutlassF_f32")) continue;
    EXPECT_EQ(classify::TriName(classify::ClassifyName(rows[i][0]).tensor_core), expected)
        << rows[i][0];
  }
  EXPECT_GT(rows.size(), 50U);
}

// Kernels of PyTorch 2.11 with CUDA 13 on an H200, and whether they did matrix instructions by the
// counters sm__inst_executed_pipe_tensor_op_{gmma,hmma,imma,dmma} of Nsight Compute. hmma counts
// HFMA2 as well, by which compilers set registers to constants (in 17 kernels without a matmul
// hmma_type_hfma2 was all of it): a kernel with a few of these per warp, or with FP32 arithmetic,
// is left out where the counters do not decide.
TEST(KernelClass, AgreesWithHardwareCounters) {
  const auto rows = ReadCsv(std::string(PROFGAUGE_SOURCE_DIR) +
                            "/tests/unit/analysis/data/tensor_pipe_counters.csv");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const classify::KernelClass found =
        classify::ClassifyName(rows[i][0], classify::Vendor::kNvidia);
    const classify::Tri verdict = found.rule == 0 ? classify::Tri::kNo : found.tensor_core;
    // For Triton's own matmuls the type of the operator decides, not the name.
    if (rows[i][0] == "_bsr_strided_addmm_kernel") {
      EXPECT_EQ(verdict, classify::Tri::kUnknown);
      continue;
    }
    EXPECT_EQ(classify::TriName(verdict), rows[i][1])
        << rows[i][0] << " by " << classify::RuleName(found.rule);
  }
  EXPECT_GT(rows.size(), 200U);
}

TEST(KernelClass, AscendsLastPartIsTheOperator) {
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
    const classify::KernelClass found = classify::ClassifyName(row.name, classify::Vendor::kAscend);
    EXPECT_EQ(classify::TriName(found.tensor_core), row.verdict) << row.name;
    EXPECT_NE(found.rule, 0) << row.name;
  }
  EXPECT_TRUE(classify::ClassifyName("hcom_allReduce__1", classify::Vendor::kAscend).collective);
  // For unknown chips, nothing is reported.
  EXPECT_EQ(classify::ClassifyName("gemm_kernel", classify::Vendor::kOther).tensor_core,
            classify::Tri::kUnknown);
}

TEST(KernelClass, ALongHostileNameIsQuick) {
  const std::string name = std::string(1 << 20, '_') + "xmma_" + std::string(1 << 20, 'f');
  EXPECT_EQ(classify::ClassifyName(name).tensor_core, classify::Tri::kUnknown);
}

struct Chip {
  std::string_view name;
  int major, minor;
};

classify::KernelClass ClassifyOn(const Chip& chip, std::string_view kernel) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = chip.name;
  gpu.compute_major = chip.major;
  gpu.compute_minor = chip.minor;
  test.builder().AddGpu(gpu);
  test.Op("my_op", {0, 100});
  test.Launch(kernel, {10, 20}, {30, 40});
  return classify::ClassifyDevice(test.Finish())[0];
}

// A name cannot give a chip units that it does not have.
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
      // A TPU's matmuls run only on its matrix units, whatever they are called.
      {{"TPU v5 lite", -1, -1},
       "convolution_add_fusion.3",
       "yes",
       "chip_multiplies_in_matrix_units"},
      {{"TPU", -1, -1}, "loop_add_fusion.3", "no", "no rule"},
      {{"TPU", -1, -1}, "all-reduce.3", "no", "hlo"},
      {{"AMD Instinct MI300X", 9, 4}, "convolution_add_fusion.3", "unknown", "any_matrix"},
  };
  for (const Row& row : kRows) {
    const classify::KernelClass found = ClassifyOn(row.chip, row.kernel);
    EXPECT_EQ(classify::TriName(found.tensor_core), row.verdict)
        << row.chip.name << " " << row.kernel;
    EXPECT_EQ(classify::RuleName(found.rule), row.rule) << row.chip.name << " " << row.kernel;
  }
}

// A project's own names are before ours; chips and collectives before both.
TEST(KernelClass, OwnNamesComeFirst) {
  const classify::Knowledge knowledge = {{{"ours/simt", "gemm.*_simt$", "", classify::Tri::kNo},
                                          {"ours/gemm", "^lab_", "_copy", classify::Tri::kYes},
                                          {"ours/maybe", "^lab_", "", classify::Tri::kUnknown},
                                          {"ours/nccl", "nccl", "", classify::Tri::kYes}},
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
    const classify::KernelClass found = classify::ClassifyDevice(test.Finish(), knowledge)[0];
    EXPECT_EQ(classify::TriName(found.tensor_core), row.verdict) << row.kernel;
    EXPECT_EQ(classify::RuleName(found.rule, knowledge), row.rule) << row.kernel;
  }
}

TEST(KernelClass, KnownChipDecidesIfUnrecorded) {
  TestProfile test;
  test.Op("my_op", {0, 100});
  test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 20}, {30, 40});
  const Profile profile = test.Finish();
  EXPECT_EQ(classify::ClassifyDevice(profile)[0].tensor_core, classify::Tri::kYes);
  Gpu pascal;
  pascal.compute_major = 6;
  const classify::Knowledge knowledge = {{}, {{"*", pascal}}, false};
  EXPECT_EQ(classify::ClassifyDevice(profile, knowledge)[0].tensor_core, classify::Tri::kNo);
}

// Below 32 bits they run on Tensor Cores where the chip has them for the type. Unknown attention
// may compute without.
/// The verdict on the only kernel, of an operator with inputs of these types.
classify::Tri UseOf(const char* kernel, const char* op_name, const char* types, Gpu gpu) {
  TestProfile test;
  gpu.id = 0;
  test.builder().AddGpu(gpu);
  HostRow op;
  op.start = 0;
  op.duration = 100;
  op.name = test.builder().Intern(op_name);
  op.kind = HostKind::kOp;
  op.thread = test.main();
  op.input_dtypes = test.builder().Intern(types);
  test.builder().AddHost(op);
  test.Launch(kernel, {10, 20}, {30, 40});
  return classify::ClassifyDevice(test.Finish())[0].tensor_core;
}

TEST(KernelClass, TritonsMatmulsByOperatorType) {
  struct Row {
    const char *kernel, *op, *types;
    int capability;
    classify::Tri verdict;
  };
  constexpr Row kRows[] = {
      {"triton_tem_fused_mm_1", "aten::mm", "[c10::BFloat16, c10::BFloat16]", 80,
       classify::Tri::kYes},
      {"triton_tem_fused_mm_1", "aten::mm", "[float, float]", 80, classify::Tri::kUnknown},
      {"triton_tem_fused_mm_1", "aten::mm", "[c10::BFloat16, c10::BFloat16]", 70,
       classify::Tri::kUnknown},
      {"triton_tem_fused_mm_1", "aten::relu", "[c10::BFloat16]", 80, classify::Tri::kUnknown},
      {"mha_fwd_kernel", "aten::scaled_dot_product_attention", "[c10::Half]", 80,
       classify::Tri::kUnknown},
      {"triton_poi_fused_relu_1", "aten::mm", "[c10::BFloat16, c10::BFloat16]", 80,
       classify::Tri::kNo},
  };
  for (const Row& row : kRows) {
    Gpu gpu;
    gpu.compute_major = row.capability / 10;
    gpu.compute_minor = 0;
    EXPECT_EQ(UseOf(row.kernel, row.op, row.types, gpu), row.verdict)
        << row.kernel << " of " << row.op << row.types << " on " << row.capability;
  }
}

TEST(KernelClass, ProductsByTheirWords) {
  struct Row {
    const char* name;
    bool multiplies, helps;
    const char* type;
  };
  constexpr Row kRows[] = {
      {"_ZN7acme_op16fp8_ptpc_rowgemm10GemmKernelILi256EEvPv", true, false, "float8"},
      {"my_mxfp4_moe_stage2", true, false, "float8"},
      {"BlockwiseGEMMKernel<E4M3>", true, false, "float8"},
      {"acme::matmul_w4a16_kernel", true, false, "int8"},
      {"acme_attention_fwd(Fp8KVCacheDataType)", true, false, ""},
      {"attn_i4_kernel", true, false, "int8"},
      {"gemm_bf16_tile", true, false, ""},
      {"dynamic_scaled_fp8_quant_kernel", false, true, "float8"},
      {"fp8_gemm_quantize_input", false, true, "float8"},
      {"transpose_gemm_f8", false, true, "float8"},
      {"fp8_moe_align_block_size_kernel", false, true, "float8"},
      {"MoeSortingKernel<fp8_t>", false, true, "float8"},
      {"segmented_sort", false, true, ""},
      {"convert_f80_state", false, false, ""},
  };
  for (const Row& row : kRows) {
    const classify::NamedProduct product = classify::ProductInName(row.name);
    EXPECT_EQ(product.multiplies, row.multiplies) << row.name;
    EXPECT_EQ(product.helps, row.helps) << row.name;
    EXPECT_EQ(product.narrow_type, row.type) << row.name;
  }
}

// No vector unit multiplies types of 8 bits and fewer in floating point.
TEST(KernelClass, NarrowProductsUseMatrixUnits) {
  struct Row {
    const char *kernel, *op, *types, *gpu;
    classify::Tri verdict;
  };
  using enum classify::Tri;
  constexpr Row kRows[] = {
      {"acme_fp8_rowgemm_GemmKernel", "acme::op", "", "AMD Instinct MI300X", kYes},
      {"acme_tile_kernel", "aten::_scaled_mm", "[c10::Float8_e4m3fnuz, c10::Float8_e4m3fnuz]",
       "AMD Instinct MI300X", kYes},
      {"acme_cast_kernel", "aten::_scaled_mm", "[c10::Float8_e4m3fnuz, c10::Float8_e4m3fnuz]",
       "AMD Instinct MI300X", kUnknown},
      {"acme_tile_kernel", "aten::_scaled_mm", "[c10::BFloat16]", "AMD Instinct MI300X", kUnknown},
      {"acme_fp8_gemm", "aten::mm", "[c10::BFloat16]", "AMD Instinct MI250X", kUnknown},
      {"acme_fp8_gemm", "aten::mm", "[c10::BFloat16]", "NVIDIA H100 80GB HBM3", kYes},
      {"acme_fp8_scatter", "acme::op", "", "NVIDIA H100 80GB HBM3", kNo},
  };
  for (const Row& row : kRows) {
    Gpu gpu;
    gpu.name = row.gpu;
    EXPECT_EQ(UseOf(row.kernel, row.op, row.types, gpu), row.verdict)
        << row.kernel << " of " << row.op << row.types << " on " << row.gpu;
  }
}

TEST(KernelClass, EligibleOpsUnknownKernelIsUndecided) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Op("aten::relu", {100, 200});
  test.Launch("my_kernel", {10, 20}, {30, 40});
  test.Launch("my_kernel", {110, 120}, {130, 140});
  test.Launch("Memcpy HtoD", {150, 160}, {170, 180}, {}, DeviceKind::kMemcpy);
  const classify::KernelClasses classes = classify::ClassifyDevice(test.Finish());
  EXPECT_EQ(classes[0].tensor_core, classify::Tri::kUnknown);
  EXPECT_EQ(classes[1].tensor_core, classify::Tri::kNo);
  EXPECT_EQ(classes[2].tensor_core, classify::Tri::kNo);
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
    EXPECT_TRUE(classify::IsEligibleOp(name)) << name;
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
    EXPECT_FALSE(classify::IsEligibleOp(name)) << name;
  }
}

}  // namespace
}  // namespace profgauge::analysis
