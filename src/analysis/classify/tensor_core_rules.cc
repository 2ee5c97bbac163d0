#include "analysis/classify/tensor_core_rules.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/knowledge.h"

namespace profgauge {
namespace {

using enum Tri;
using enum NamePart;
using Vendor::kAmd, Vendor::kAny, Vendor::kAscend, Vendor::kNvidia;

constexpr TensorCoreRule kTensorCoreRules[] = {
    // Kernels beside the products of the same libraries: they multiply no matrices on any chip.
    {"library_helper", kNo, kAll, kNvidia, false,
     R"((?i)(?:^|[ _:])(?:(?:kepler|maxwell|pascal)|sm\d+_(?:xmma|cudnn))_(?:cublas_|cudnn_|trt_|infer_|train_)*)"
     R"((?:(?:max|avg|average|global)_?)?(?:pool|gemv|softmax|copy|transpose|reformat|permute|shuffle|pointwise)"
     R"(|element_?wise|reduc|activation|lrn|resize|scale_|concat|split_?k_?reduc))"
     R"(|xmma_\w*_(?:post_execute|execute_split_k)_kernel|::kernel_helper_stage_|init_device_workspace)"
     R"(|::ReduceSplitK<|\d+ReduceSplitKI)",
     ""},
    // Marks of the CUDA cores come next: they stand in names that also say "gemm".
    {"chip_before_volta", kNo, kAll, kNvidia, true,
     R"((?:^|[ _])(?:kepler|maxwell|pascal)_\w|(?:^|[ _])sm[3-6]\d_(?:xmma|cudnn))", ""},
    {"cuda_core_tag", kNo, kAll, kNvidia, true,
     R"((?i)(?:^|[_<: ])(?:ffma|simt)(?:[_>,]|$|\d)|OpClassSimt|::MmaSimt<|\dMmaSimtI)", ""},
    // Inductor puts the fused operators' names into the kernel's: "triton_poi_fused_mm_softmax_3".
    {"triton_pointwise", kNo, kHead, kAny, false, R"(^triton_(?:poi|red|per|for|spl|mix)_)", ""},
    {"attention_helper", kNo, kAll, kAny, false,
     R"((?i)flash\w*combine|combine_kernel|dot_do_o|convert_d[qkv]|bwd_?preprocess|postprocess)"
     R"(|prepare_varlen|merge_?(?:attn_?)?states?|(?:fwd|bwd)_attend_prep|mla_metadata|_bwd_(?:kernel_)?prepro|bwd_clear_d|FmhaBwdOGradDotO|FmhaBwdConvertQGrad|Fmha\w*(?:Combine|AppendKV)|mha\w*convert)",
     R"(gemm)"},
    {"torch_native", kNo, kHead, kAny, false, R"(^at::(?:native|cuda|sparse_cuda)::)",
     R"((?i)gemm|mma|attention|_mm_|cutlass)"},
    {"attention_before_volta", kNo, kAll, kNvidia, true,
     R"(fmha_cutlass[FB]_\w*_sm[56]\d|fmha_cutlass[FB]_f32_\w*_sm7\d)", ""},

    // DeepGEMM's kernels beside its products; the library's name says "gemm" of them too.
    {"deep_gemm_helper", kNo, kAll, kNvidia, false,
     R"(deep_gemm(?:::|\d+)\w*(?:transpose|clean_logits|pack_|metadata))", ""},

    // The tile or instruction in the name.
    {"tensor_tile", kYes, kAll, kNvidia, true, R"(_tensor\d+x\d+x\d+)", ""},
    {"tensorop", kYes, kAll, kNvidia, true,
     R"((?:^|[_<: ])tensorop_|OpClass\w*TensorOp|::MmaTensorOp<|\dMmaTensorOpI)", ""},
    {"mma_shape", kYes, kAll, kNvidia, true,
     R"((?:^|[^a-zA-Z0-9])(?:[hsdciqz]|i8|u8|s8|f16|bf16|tf32|fp16)?)"
     R"((?:884|1688|8816|8832|88128|16816|16832|16864|168128|168256|161616|83216|32816))"
     R"((?:tf32|bf16|f16)?(?:gemm|cudnn|fprop|dgrad|wgrad|conv|_|$))",
     ""},
    {"mma_instruction", kYes, kAll, kAny, true,
     R"((?:^|[^a-zA-Z])(?i:hmma|imma|dmma|bmma|qmma|omma|wgmma|gmma|umma|utcmma|tcgen05|wmma))"
     R"(|mma_sync|warpgroup_mma|MMA_Atom|MMA_Traits|TiledMMA|SM\d+_\d+x\d+x\d+_[A-Z])",
     ""},
    // Kernels of one library each, whose names say neither tile nor instruction: SageAttention,
    // ThunderKittens, XQA of TensorRT-LLM, PyTorch's products with 4-bit weights, AWQ.
    {"sage_attention", kYes, kAll, kAny, true,
     R"((?:^|[^a-zA-Z])sage_(?:fwd|bwd)|(?i:sage_?attn\d?_?(?:fwd|kernel))|qk_int8?_sv_f(?:8|16)\w*attn)",
     R"((?i)quant_|prepro)"},
    {"thunder_kittens", kYes, kAll, kNvidia, true,
     R"((?:^|[ :_])(?:fwd_|bwd_)?attend_ker\b|kittens::prototype::\w+::kernel)", ""},
    {"xqa", kYes, kHead, kNvidia, true, R"(^kernel_mha$|(?:^|[_:])xqa_kernel)", ""},
    {"weights_of_four_bits", kYes, kAll, kNvidia, true,
     R"(tinygemm_m16n8k16|awq::gemm_forward_4bit|gemm_forward_4bit_cuda_m16)", ""},
    {"four_bits_on_cuda_cores", kNo, kAll, kNvidia, true,
     R"(gemm_half_q_half|kgemm_4bit_inference_naive|kgemv_4bit)", ""},
    {"nvjet", kYes, kAll, kNvidia, true, R"(^(?:void )?nvjet_(?:sm\d+_)?[hqtoe])", ""},
    {"nvjet_wide", kUnknown, kAll, kNvidia, true, R"(^(?:void )?nvjet_)", ""},

    // AMD: MFMA and WMMA. What the name does not tell stays unknown.
    {"tensile_mi", kYes, kAll, kAny, true, R"((?:^|_)Cijk_\w*_MI\d+x\d+x\d+)", R"(_MI0x|_MI1x1x)"},
    {"tensile_helper", kNo, kAll, kAny, false,
     R"((?:^|_)Cijk_\w*(?:PostGSU|_GB|BetaOnly|Reduction))", R"(_MT\d+x\d+)"},
    {"tensile", kUnknown, kAll, kAny, true, R"((?:^|_)Cijk_)", ""},
    {"mfma", kYes, kAll, kAny, true, R"((?i)mfma|(?:^|[^a-z])xdl(?:ops)?(?:[^a-z]|$)|_gtcx\d?_)",
     ""},
    {"ck_helper", kNo, kAll, kAny, false,
     R"((?i)(?:(?:^| )(?:ck|ck_tile|aiter)::|_ZN7ck_tile|_ZN5aiter).*(?:norm|quant|topk|sorting|reduce)"
     R"(|permute|transpose|copy|elementwise|silu|gelu|rope|cache|softmax))",
     R"((?i)gemm|fmha|conv|flatmm|mla|fmoe)"},
    // Their template arguments have words of other kernels: BlockAttentionQuantScaleEnum.
    {"ck_attention", kYes, kAll, kAny, true,
     R"(ck_tile.*\dFmha(?:Fwd|BwdDQDKDV)\w*KernelI|ck_tile::Fmha(?:Fwd|BwdDQDKDV)\w*Kernel\b)", ""},
    // Scales of blocks are template arguments: QuantGemmKernel multiplies.
    {"ck_tile_product", kYes, kAll, kAny, true,
     R"(ck_tile.*(?:::|\d)\w*(?:Gemm|FlatMm|Flatmm|Conv\w*)\w*Kernel)",
     R"((?i)permute|transpose|reduce|elementwise)"},
    {"ck_tile", kYes, kAll, kAny, true, R"((?:^|[^\w])ck_tile::|_ZN7ck_tile)",
     R"((?i)norm2d|quant|topk|sorting|Reduce|permute|transpose|elementwise|copy)"},
    {"ck", kYes, kAll, kAny, true, R"((?i)\bck::\w*.*(?:xdl|wmma))", ""},
    {"amd_attention", kYes, kAll, kAmd, true,
     R"(^(?:_?attn_fwd|_?bwd_kernel_dk_?dv|_?bwd_kernel_dq|_?bwd_kernel_fuse|fmha_[fb]wd|mha_[fb]wd)"
     R"(|(?:void )?aiter::\w*(?:fmha|mla|gemm|flatmm|fmoe|pa_)))"
     R"(|^_ZN5aiter\w*(?:fmha|mla|gemm|flatmm|fmoe|\dpa_))",
     ""},
    // AMD's aiter: products of known narrow types, which its matrix cores multiply. In Triton's
    // names (_gemm_a8w8_blockscale_kernel) a and w tell the bits of activations and weights.
    {"aiter_product", kYes, kAll, kAny, true,
     R"((?i)(?:^|[^a-z])aiter\w*(?:moe|gemm|flatmm|mla|fmha|attn|attention)\w*(?:bf16|fp16|f16|fp8|fp4|i8|a\d+w\d))"
     R"(|(?i)(?:^|[^a-z])aiter\w*(?:bf16|fp16|f16|fp8|f4|fp4|i8)\w*(?:moe|gemm|flatmm|mla|fmha))",
     R"((?i)norm|topk|sort|reduce|_sum|rope|gat(?:e|ing)|align|(?:^|_)quant)"},
    {"aiter_triton", kYes, kHead, kAmd, true,
     R"(^_(?:batched_|fused_)?gemm_a(?:8|16|fp4)_?w(?:8|16|fp4)|^_w8a8_block_(?:fp8|int8)_matmul)",
     R"(reduce)"},
    // AOTriton has this name on AMD alone; Triton's tutorial calls its own `_attn_fwd`.
    {"aotriton", kYes, kHead, kAny, true, R"(^attn_fwd(?:\.kd)?$)", ""},
    {"amd_matrix", kUnknown, kAll, kAmd, true,
     R"((?i)miopen\w*(?:conv|wino)|implicit_?gemm|naive_conv|(?:^|[^b])gemm|matmul|winograd)", ""},

    // Ascend: the last part of the name is the type of the operator that runs.
    {"ascend_cube", kYes, kAll, kAscend, true,
     R"((?:^|_)(?:(?:Batch|Grouped|Quant|WeightQuant)*Mat[Mm]ul|Conv[23]D(?:Transpose|Backprop(?:Input|Filter))?)"
     R"(|(?:Flash|PromptFlash|IncreFlash)Attention(?:Score)?(?:Grad)?|FusedInferAttentionScore))"
     R"((?:D|V\d)?\d*(?:_varlen)?$)",
     ""},
    {"ascend_vector", kNo, kAll, kAscend, false,
     R"(AiCpu_|(?:^|_)(?:TransData|Cast|MemSet|TensorMove|Transpose\w*|Adds?|Muls?|RealDiv|Axpy|Reduce\w+)"
     R"(|ZerosLike|OnesLike|BiasAdd\w*)(?:_?\d+)*$)",
     ""},

    // Helpers of products and convolutions, and other kernels known by name.
    {"helper", kNo, kHead, kAny, false,
     R"((?i)split_?k_?reduce|reduce_?split_?k|gemm_pointers|compute\w*offsets|nchw|nhwc|kcrs)"
     R"(|(?:im|vol)2col|col2(?:im|vol)|winograd_nonfused|generateWinograd|winograd\w*(?:data|filter)"
     R"(|output|delta)|fft[12]d|flip_filter|pointwise|element_?wise|elem_?wise|softmax|_norm_|norm2?d?_?kernel)"
     R"(|layer_?norm|rms_?norm|batch_?norm|::bn_|^bn_|(?:^|[_:])(?:memset|memcpy|fill|copy|transpose))"
     R"(|gemv|(?:^|[_:])dot_kernel|reduce_1block|scalePackedTensor|op_tensor|add_tensor|pooling)"
     R"(|epilogue::impl|quantize|rotary|embedding|radix_?sort|dropout|repack|^cub::|^thrust::)"
     R"(|RNN_blockPersist|persistRNN|multi_tensor_apply|cache_kernel|paged_attention_v\d|convertTensor_kernel)"
     R"(|tensorTransform|Transpose_kernel|^scal_kernel|prepare_grouped_gemm|^cusparse::)",
     R"((?i)hgemm_nvjet|mma|fmha_cutlass)"},
    {"xmma_fp32", kNo, kAll, kNvidia, true, R"(xmma_\w*_f32f32_f32f32_f32)", R"(tf32)"},
    {"cuda_core_gemm", kNo, kAll, kNvidia, true,
     R"((?:^|[ _])(?:volta|turing|ampere|ada|hopper|blackwell)_(?:[a-z0-9]+_)?)"
     R"((?:[sdczh]gemm|gc?gemm|[sdhc]cudnn)|(?:im|ex)plicit_convolve_[sdh]gemm|gemmSN_|gemmk1_)"
     R"(|gemm_kernel1x1|magma_\w*gemm|(?:dgrad|wgrad)\w*_engine<|(?:dgrad|wgrad)_alg\d_engine)"
     R"(|dgrad2d_alg\d|wgrad2d_shmem_tiling|xmma_depthwise)"
     R"(|grouped_direct|depthwise\w*(?:fwd|bwd|forward|backward)|conv_depthwise|sgemm_largek)",
     ""},
    {"xmma_typed", kYes, kAll, kNvidia, true,
     R"(xmma_\w*(?:gemm|conv|fprop|dgrad|wgrad|specialized)\w*?_(?:tf32|bf16|f16|e4m3|e5m2|i8|u8|s8))",
     ""},
    {"xmma_tf32", kYes, kAll, kNvidia, true, R"(xmma_\w*_f32f32_tf32)", ""},
    {"xmma", kUnknown, kAll, kNvidia, true, R"(xmma_)", ""},
    {"cutlass3", kYes, kAll, kNvidia, true,
     R"(cutlass3x_sm(?:9|1[0-2])\d|Mainloop\w*Sm(?:9|1[0-2])\d\w*(?:Gmma|Umma|Mma)|Tma(?:Gmma|Umma))"
     R"(|(?:^|[^a-z])sm(?:90|1[0-2]\d)_(?:fp8|fp4|bf16|nvfp4|mxf)\w*gemm|deep_gemm(?:::|\d+)\w*(?:gemm|mqa|bmm|bmn|bmk))",
     ""},
    {"attention", kYes, kAll, kNvidia, true,
     R"(flash_(?:fwd|bwd)\w*kernel|flash_[fb]prop|FlashAttn(?:Fwd|Bwd)|FlashAttention(?:For|Back)ward)"
     R"(|Flash_(?:fwd|bwd)_kernel_traits|flash(?:::|\d+)compute_attn_ws)"
     R"(|flash::\w*(?:[Ff]wd|[Bb]wd)\w*(?:[Kk]ernel|Sm\d)|fmha_v2|fmhaSm\d+|fmha_cutlass[FB]_b?f16)"
     // Its FP32 products are three of TF32 each, whatever allow_tf32 says.
     R"(|fmha_cutlass[FB]_f32_\w*_sm(?:[89]\d|1[0-2]\d))"
     R"(|cudnn_generated_fort_native_sdpa|fused_multihead_attention|PrefillWith|(?:Batch|Single)Prefill|BatchMLAPage|flash_mla)"
     R"(|FmhaKernel|Sm(?:90|100)Fmha)",
     ""},
    {"attention_decode", kNo, kAll, kNvidia, true,
     R"((?:Batch|Single)DecodeWith\w*KVCache|masked_multihead_attention|single_query_cached_kv)",
     ""},
    {"quantized", kYes, kAll, kNvidia, true,
     R"((?i)(?:^|[^a-z])marlin|machete|(?:awq|gptq)\w*gemm)"
     R"(|(?:^|[^a-z])(?:b|ge)mm_(?:Bfloat16|Fp16|E4m3|E5m2|E2m1|MxE)|(?:nvfp4|mxfp[48]|w8a8|w4a16)\w*(?:gemm|_mm)"
     R"(|matmul)|(?:gemm|_mm|matmul)\w*(?:nvfp4|mxfp[48])|fp8\w*gemm|gemm\w*fp8)",
     R"((?i)fbgemm|quantize|_quant_|permute|triton|matmul_ogs)"},
    {"legacy", kYes, kAll, kNvidia, true,
     R"(dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv2d_c1_k1|direct_group|(?:^|[^e])conv1x1)",
     ""},

    // Names that speak of products and do not say how.
    {"triton_matrix", kUnknown, kHead, kAny, true,
     R"((?i)^triton_(?:mm|bmm|tem|flex|unk|conv)|fused_moe|_attn_(?:fwd|bwd)|^_fwd_(?:grouped_)?kernel|flex_attention|matmul_ogs)",
     ""},
    {"any_attention", kUnknown, kHead, kAny, true, R"((?i)attn|attention|fmha|(?:^|_)m[hq]a_)",
     R"((?i)mask|softmax|rope|cache|concat|norm|quant)"},
    {"any_matrix", kUnknown, kAll, kAny, true,
     R"((?i)(?:^|[^bB])gemm|matmul|cutlass|(?:^|[_:])(?:b?add)?b?mm_kernel|fprop|dgrad|wgrad|convolution)",
     ""},
};

// Ids after those of the table, for verdicts of the chip.
constexpr TensorCoreRule kChipRules[] = {
    {"chip_without_tensor_cores", kNo, kAll, kNvidia, true, "", ""},
    {"chip_too_old_for_type", kUnknown, kAll, kNvidia, true, "", ""},
    {"chip_multiplies_in_matrix_units", kYes, kAll, kAny, true, "", ""},
};

struct CompiledRule {
  std::unique_ptr<RE2> include;
  std::unique_ptr<RE2> exclude;  // null: none
};

struct CompiledRules {
  RE2 fp4{R"((?i)nvfp4|mxfp4|e2m1|float4_e2m1)"};
  RE2 fp8{R"((?i)e4m3|e5m2|fp8\w*gemm|gemm\w*fp8|nvjet_(?:sm\d+_)?q|mxfp8)"};
  RE2 product{R"((?i)gemm|mm_|matmul|nvjet|cutlass|mma|fmha|flash)"};
  std::vector<CompiledRule> rules;

  CompiledRules() {
    for (const TensorCoreRule& rule : kTensorCoreRules) {
      CompiledRule& compiled = rules.emplace_back();
      compiled.include = std::make_unique<RE2>(rule.include);
      if (!rule.exclude.empty()) compiled.exclude = std::make_unique<RE2>(rule.exclude);
    }
  }
};

const CompiledRules& Compiled() {
  static const CompiledRules rules;
  return rules;
}

}  // namespace

std::span<const TensorCoreRule> TensorCoreRules() { return kTensorCoreRules; }

KernelClass ClassifyName(std::string_view name, Vendor vendor) {
  const CompiledRules& compiled = Compiled();
  KernelClass result;
  if (const auto communication = CommunicationOf(name)) {
    result.collective = true;
    result.rule = communication->rule;
    result.kind = communication->kind;
    return result;
  }
  const std::string head = KernelHead(name);
  for (std::size_t i = 0; i < std::size(kTensorCoreRules); ++i) {
    const TensorCoreRule& rule = kTensorCoreRules[i];
    if (rule.vendor != kAny && vendor != kAny && rule.vendor != vendor) continue;
    // A rule for one vendor whose words are common needs to know the vendor.
    if ((rule.vendor == kAmd || rule.vendor == kAscend) && vendor != rule.vendor) continue;
    const std::string_view text = rule.part == kHead ? std::string_view(head) : name;
    if (!RE2::PartialMatch(text, *compiled.rules[i].include)) continue;
    if (compiled.rules[i].exclude && RE2::PartialMatch(text, *compiled.rules[i].exclude)) continue;
    result.tensor_core = rule.verdict;
    result.rule = static_cast<std::uint16_t>(i + 1);
    return result;
  }
  return result;
}

int LeastComputeCapability(std::string_view name) {
  const CompiledRules& compiled = Compiled();
  if (!RE2::PartialMatch(name, compiled.product)) return 70;
  if (RE2::PartialMatch(name, compiled.fp4)) return 100;
  return RE2::PartialMatch(name, compiled.fp8) ? 89 : 70;
}

namespace {
const TensorCoreRule* FindRule(std::uint16_t rule) {
  if (rule == 0) return nullptr;
  const std::size_t index = rule - 1u;
  if (index < std::size(kTensorCoreRules)) return &kTensorCoreRules[index];
  const std::size_t chip = index - std::size(kTensorCoreRules);
  return chip < std::size(kChipRules) ? &kChipRules[chip] : nullptr;
}
}  // namespace

std::string_view RuleName(std::uint16_t rule) { return RuleName(rule, {}); }

std::string_view RuleName(std::uint16_t rule, const Knowledge& knowledge) {
  const auto& names = knowledge.kernel_names;
  const std::size_t own = rule - std::size_t{kFirstOwnRule};
  if (rule >= kFirstCommunicationRule && rule < kFirstOwnRule) return CommunicationRuleName(rule);
  if (rule >= kFirstOwnRule) return own < names.size() ? std::string_view(names[own].id) : "own";
  const TensorCoreRule* found = FindRule(rule);
  return found == nullptr ? "no rule" : found->id;
}

bool IsMatrixRule(const KernelClass& verdict) {
  if (verdict.rule >= kFirstOwnRule) return verdict.tensor_core != Tri::kNo;
  const TensorCoreRule* found = FindRule(verdict.rule);
  return found != nullptr && found->matrix;
}

bool IsEligibleKernel(const KernelClass& verdict, std::string_view kernel_name) {
  return IsMatrixRule(verdict) && kernel_name.find("dgemm") == kernel_name.npos &&
         kernel_name.find("zgemm") == kernel_name.npos;
}

}  // namespace profgauge
