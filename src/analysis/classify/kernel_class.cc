#include "analysis/classify/kernel_class.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/classify/arguments.h"
#include "analysis/classify/communication_rules.h"
#include "analysis/classify/device_peaks.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "analysis/classify/knowledge.h"
#include "analysis/classify/name_memo.h"
#include "analysis/classify/tensor_core_rules.h"
#include "base/text.h"
#include "model/certificate.h"
#include "model/devices.h"

namespace profgauge::analysis::classify {
namespace {

// Properties of a chip that matter for the verdict.
struct Chip {
  std::int32_t id = -1;
  Vendor vendor = Vendor::kAny;
  int capability = -1;  // Compute capability times 10; -1 unknown.
  bool has_tensor_cores = true;
  bool is_tpu = false;  // Its matmuls use matrix units, with any name.

  // Whether types of at most 16 bits certainly use matrix units. Some AMD chips have none.
  bool MultipliesNarrow() const { return is_tpu || (has_tensor_cores && capability >= 80); }
};

// Whether two chips have equal verdicts, so that a name is judged once for eight equal GPUs.
bool JudgesAlike(const Chip& a, const Chip& b) {
  return a.vendor == b.vendor && a.capability == b.capability &&
         a.has_tensor_cores == b.has_tensor_cores && a.is_tpu == b.is_tpu;
}

// The vendor whose kernel names this maker's devices use.
Vendor VendorOf(Accelerator maker) {
  switch (maker) {
    case Accelerator::kNvidia:
      return Vendor::kNvidia;
    case Accelerator::kAmd:
      return Vendor::kAmd;
    case Accelerator::kNpu:
      return Vendor::kAscend;
    case Accelerator::kUnknown:
    case Accelerator::kNeuron:
    case Accelerator::kTpu:
    case Accelerator::kIntel:
    case Accelerator::kMtia:
      break;
  }
  return Vendor::kOther;
}

// The vendor by the name of the chip, else by facts that only one maker's tools record. A chip with
// an unknown name is assumed to be NVIDIA's.
Vendor VendorOf(const Profile& profile, const Gpu& gpu) {
  if (const auto maker = MakerOf(gpu.name)) return VendorOf(*maker);
  if (gpu.warp_size == 64) return Vendor::kAmd;
  for (const auto& [key, value] : profile.facts) {
    if (key.starts_with("hip_") || key.starts_with("roctracer_")) return Vendor::kAmd;
    if (key.starts_with("cuda_") || key.starts_with("cupti_")) return Vendor::kNvidia;
  }
  return gpu.name.empty() ? Vendor::kAny : Vendor::kNvidia;
}

// NVIDIA's chips are judged by compute capability. Others and unknown ones have matrix units.
Chip ChipOf(const Profile& profile, const Gpu& gpu) {
  Chip chip;
  chip.id = gpu.id;
  chip.vendor = VendorOf(profile, gpu);
  chip.is_tpu = gpu.name.starts_with("TPU");
  if (chip.vendor == Vendor::kAscend || chip.vendor == Vendor::kOther) return chip;
  if (chip.vendor == Vendor::kAmd) return chip;  // Their capabilities are gfx versions.
  if (gpu.compute_major >= 0)
    chip.capability = gpu.compute_major * 10 + std::max(0, gpu.compute_minor);
  // Turing chips without Tensor Cores have the same capability, 7.5, as those with them.
  chip.has_tensor_cores =
      (chip.capability < 0 || chip.capability >= 70) && !Contains(gpu.name, "GTX 16");
  return chip;
}

// Has at least one entry: a profile without listed GPUs has an unknown one.
std::vector<Chip> ChipsOf(const Profile& profile, std::span<const Gpu> gpus) {
  std::vector<Chip> chips;
  for (const Gpu& gpu : gpus) chips.push_back(ChipOf(profile, gpu));
  if (chips.empty()) chips.push_back(ChipOf(profile, Gpu{}));
  return chips;
}

// The number of the verdict `which` due to a chip; these follow the table's rules. 0: the chip has
// no Tensor Cores; 1: it is too old for the type; 2: it multiplies on matrix units with any name;
// 3: no vector unit computes the type; 4: no vector unit is as fast.
std::uint16_t ChipRule(std::size_t which) {
  return static_cast<std::uint16_t>(TensorCoreRules().size() + 1 + which);
}

// The project's rules, which precede the built-in ones.
class OwnNames {
 public:
  explicit OwnNames(std::span<const KernelNameRule> rules) : rules_(rules) {
    for (const KernelNameRule& rule : rules) {
      patterns_.emplace_back(std::make_unique<RE2>(rule.matches),
                             rule.except.empty() ? nullptr : std::make_unique<RE2>(rule.except));
    }
  }
  // Applies the first own rule that matches. A collective is only changed by rules that decide
  // about communication: a careless pattern must not turn it into Tensor Core work.
  void Override(std::string_view name, KernelClass& result) const {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      const KernelNameRule& rule = rules_[i];
      if (result.collective && rule.communication == Tri::kUnknown) continue;
      if (!Matches(i, name)) continue;
      result.rule = static_cast<std::uint16_t>(kFirstOwnRule + i);
      result.collective = rule.communication == Tri::kYes;
      result.tensor_core = result.collective ? Tri::kNo : rule.tensor_core;
      result.kind = rule.kind == CollectiveKind::kOther && result.collective
                        ? CollectiveKindOf(name)
                        : rule.kind;
      return;
    }
  }

 private:
  bool Matches(std::size_t i, std::string_view name) const {
    const auto& [matches, except] = patterns_[i];
    return RE2::PartialMatch(name, *matches) && !(except && RE2::PartialMatch(name, *except));
  }

  std::span<const KernelNameRule> rules_;
  std::vector<std::pair<std::unique_ptr<RE2>, std::unique_ptr<RE2>>> patterns_;
};

// The verdict by name, then the chip's limits. A TPU multiplies on its matrix units with any name.
// A chip without Tensor Cores never does. If the chip is too old for the type in the name, the
// verdict is unknown, because the name or the chip is wrong.
KernelClass ClassifyOn(const Chip& chip, std::string_view name, const OwnNames& own) {
  KernelClass result = ClassifyName(name, chip.vendor);
  own.Override(name, result);
  if (IsLostName(name)) result.tensor_core = Tri::kUnknown;
  if (result.tensor_core == Tri::kNo) return result;
  if (chip.is_tpu && result.tensor_core == Tri::kUnknown && !IsLostName(name) &&
      result.rule < kFirstOwnRule) {
    result.tensor_core = Tri::kYes;
    result.rule = ChipRule(2);
  } else if (!chip.has_tensor_cores) {
    result.tensor_core = Tri::kNo;
    result.rule = ChipRule(0);
  } else if (chip.capability >= 0 && chip.capability < LeastComputeCapability(name)) {
    result.tensor_core = Tri::kUnknown;
    result.rule = ChipRule(1);
  }
  return result;
}

// Caches verdicts of names for the current chip. A new chip increases the generation, so that no
// table needs to be cleared.
class Memo {
 public:
  Memo(const Profile& profile, Chip chip, const OwnNames& own)
      : profile_(profile), chip_(chip), own_(&own), known_(profile.strings.size()) {}
  const Chip& chip() const { return chip_; }
  void MoveTo(const Chip& chip) {
    if (!JudgesAlike(chip, chip_)) ++generation_;
    chip_ = chip;
  }
  const KernelClass& operator[](StringId name) {
    Slot& slot = known_[name.value];
    if (slot.generation != generation_) {
      slot = {ClassifyOn(chip_, profile_.Name(name), *own_), generation_};
    }
    return slot.verdict;
  }

 private:
  struct Slot {
    KernelClass verdict;
    std::uint32_t generation = 0;
  };
  const Profile& profile_;
  Chip chip_;
  const OwnNames* own_;
  std::uint32_t generation_ = 1;
  std::vector<Slot> known_;
};

// Whether the rule is for Triton's matmuls: `tl.dot` below 32 bits always compiles to matrix units
// if the chip has them for the type. Attention with unknown names may not use them.
bool IsTritonProduct(std::uint16_t rule) {
  static const std::uint16_t kRule = [] {
    const auto rules = TensorCoreRules();
    const auto at = std::ranges::find(rules, "triton_matrix", &TensorCoreRule::id);
    return static_cast<std::uint16_t>(at - rules.begin() + 1);
  }();
  return rule == kRule;
}

// Decides by type for matmuls without a rule. If the chip has a peak for a type of at most 8 bits,
// only its matrix units multiply that type.
class NarrowProducts {
 public:
  NarrowProducts(const Profile& profile, std::span<const Gpu> gpus,
                 std::span<const KnownDevice> known)
      : profile_(profile), gpus_(gpus), known_(known), eligible_(profile, IsEligibleOp) {}

  /// Whether it certainly uses matrix units.
  bool Has(std::size_t row) {
    const DeviceTable& device = profile_.device;
    const StringId name = device.name[row];
    const auto [at, is_new] = names_.try_emplace(name.value);
    if (is_new) at->second = ProductInName(profile_.Name(name));
    const NamedProduct& product = at->second;
    if (product.helps || !(product.multiplies || eligible_(device.op[row]))) return false;
    std::string_view type = product.narrow_type;
    if (type.empty()) type = TypeOfInputs(device.op[row]);
    return !type.empty() && HasPeak(device.gpu[row], type);
  }

 private:
  std::string_view TypeOfInputs(HostId op) const {
    if (!op.valid()) return {};
    const HostTable& host = profile_.host;
    if (!host.input_dtypes[op.value].valid()) return {};
    const std::string_view type = FirstTensorDtypeOf(profile_.Name(host.name[op.value]),
                                                     profile_.Name(host.input_shapes[op.value]),
                                                     profile_.Name(host.input_dtypes[op.value]));
    return type.starts_with("float8") || type.starts_with("float4") ? "float8" : "";
  }

  bool HasPeak(std::int32_t gpu, std::string_view type) {
    const auto [at, is_new] = peaks_.try_emplace(gpu);
    if (is_new) {
      const Gpu* found = FindGpu(gpus_, gpu);
      if (found != nullptr) at->second = PeaksOf(*found, known_).value_or(DevicePeaks{}).flop_rate;
    }
    return at->second.contains(type);
  }

  const Profile& profile_;
  std::span<const Gpu> gpus_;
  std::span<const KnownDevice> known_;
  NameMemo eligible_;
  boost::unordered_flat_map<std::uint32_t, NamedProduct> names_;
  std::map<std::int32_t, std::map<std::string, double, std::less<>>> peaks_;
};

// False for FP32, which may or may not run as TF32.
bool HasTensorCoresForInputs(const Profile& profile, HostId op, const Gpu* gpu) {
  if (!op.valid() || gpu == nullptr || !profile.host.input_dtypes[op.value].valid()) return false;
  const std::string_view dtype =
      FirstTensorDtype(profile.Name(profile.host.input_dtypes[op.value]));
  return dtype != "float32" && dtype != "float64" && HasTensorCoresFor(dtype, *gpu) == Tri::kYes;
}

// The class of a kernel with which the profiler recorded a collective: communication in any case.
KernelClass AsRecorded(const Profile& profile, CollectiveId recorded, const KernelClass& by_name) {
  KernelClass result = by_name.collective ? by_name : KernelClass{};
  if (!result.collective) result.rule = RuleOf(CommunicationSign::kRecorded);
  result.collective = true;
  const StringId name = profile.collectives[recorded.value].name;
  if (name.valid()) result.kind = CollectiveKindOf(profile.Name(name));
  return result;
}

}  // namespace

std::string_view TriName(Tri tri) {
  switch (tri) {
    case Tri::kNo:
      return "no";
    case Tri::kYes:
      return "yes";
    case Tri::kUnknown:
      break;
  }
  return "unknown";
}

void KernelClasses::Add(const KernelClass& verdict) {
  const std::uint64_t key = static_cast<std::uint64_t>(verdict.rule) << 32 |
                            static_cast<std::uint64_t>(verdict.kind) << 16 |
                            static_cast<std::uint64_t>(verdict.collective) << 8 |
                            static_cast<std::uint64_t>(verdict.tensor_core);
  const auto [number, is_new] =
      numbers_.try_emplace(key, static_cast<std::uint32_t>(distinct_.size()));
  if (is_new) distinct_.push_back(verdict);
  rows_.push_back(number->second);
}

KernelClasses ClassifyDevice(const Profile& profile) { return ClassifyDevice(profile, {}); }

// Evidence for whether a kernel uses matrix units, in this order. Later evidence overrides earlier:
//
//   1. its name, by the project's rules, else by the built-in ones, then by the chip
//   2. a collective that the profiler recorded with it: no
//   3. Triton's matmul, if its operator is eligible and the chip multiplies its type: yes
//   4. a matmul by the profile, on a chip that multiplies all narrow types: yes, unless it is a
//      collective or a project's rule decided
//   5. if none of these says anything: a graph recorded as one event or an eligible operator is
//      unknown; a communicating operator makes it a collective
//   6. a matmul that is still unknown, with a type that only matrix units multiply: yes
KernelClasses ClassifyDevice(const Profile& profile, const Knowledge& knowledge) {
  const OwnNames own(knowledge.kernel_names);
  const std::vector<Gpu> gpus = CompleteGpus(profile, knowledge.devices);
  const DeviceTable& device = profile.device;
  KernelClasses classes;
  classes.Reserve(device.size());
  if (profile.neuron != nullptr) {  // Opcodes of engines: no kernels.
    for (std::size_t i = 0; i < device.size(); ++i) {
      KernelClass moves;
      moves.collective = device.collective[i].valid();
      classes.Add(moves);
    }
    return classes;
  }
  std::vector<Chip> chips = ChipsOf(profile, gpus);
  Memo memo(profile, chips.front(), own);
  std::stable_sort(chips.begin(), chips.end(),
                   [](const Chip& a, const Chip& b) { return a.id < b.id; });
  NameMemo eligible(profile, IsEligibleOp), communicates(profile, IsCommunicationOp);
  NarrowProducts narrow(profile, gpus, knowledge.devices);
  const auto by_name = [&](std::size_t i) -> KernelClass {
    if (device.kind[i] != DeviceKind::kKernel || !device.name[i].valid()) return {};
    if (memo.chip().id != device.gpu[i]) {  // Rare: rows are sorted by GPU.
      const auto found = std::partition_point(
          chips.begin(), chips.end(), [&](const Chip& chip) { return chip.id < device.gpu[i]; });
      if (found != chips.end() && found->id == device.gpu[i]) memo.MoveTo(*found);
    }
    KernelClass result = memo[device.name[i]];
    if (device.collective[i].valid()) result = AsRecorded(profile, device.collective[i], result);
    if (IsTritonProduct(result.rule) && eligible(device.op[i]) &&
        HasTensorCoresForInputs(profile, device.op[i], FindGpu(gpus, device.gpu[i]))) {
      result.tensor_core = Tri::kYes;
    }
    if (profile.IsProduct(i) && memo.chip().MultipliesNarrow() && !result.collective &&
        result.rule < kFirstOwnRule) {
      result = {Tri::kYes, ChipRule(2)};
    }
    if (result.collective || result.rule != 0) return result;
    if (profile.IsWholeGraph(i)) {
      if (memo.chip().has_tensor_cores) result.tensor_core = Tri::kUnknown;
      return result;
    }
    if (communicates(device.op[i])) {
      return {Tri::kNo, RuleOf(CommunicationSign::kOperator), true,
              CollectiveKindOf(profile.Name(profile.host.name[device.op[i].value]))};
    }
    if (memo.chip().has_tensor_cores && eligible(device.op[i])) result.tensor_core = Tri::kUnknown;
    return result;
  };
  const auto is_open = [&](std::size_t i, const KernelClass& verdict) {
    if (verdict.collective || verdict.rule >= kFirstOwnRule) return false;
    const bool is_kernel = device.kind[i] == DeviceKind::kKernel && device.name[i].valid();
    return is_kernel && !profile.IsWholeGraph(i) && memo.chip().has_tensor_cores &&
           verdict.rule != ChipRule(1) &&
           (verdict.tensor_core == Tri::kUnknown || verdict.rule == 0);
  };
  for (std::size_t i = 0; i < device.size(); ++i) {
    KernelClass verdict = by_name(i);
    if (is_open(i, verdict) && narrow.Has(i)) verdict = {Tri::kYes, ChipRule(3)};
    classes.Add(verdict);
  }
  return classes;
}

bool MayHaveTensorCores(const Profile& profile, std::span<const Gpu> gpus, std::int32_t gpu) {
  const Gpu* found = FindGpu(gpus, gpu);
  if (found == nullptr && !gpus.empty()) found = &gpus.front();
  return ChipOf(profile, found == nullptr ? Gpu{} : *found).has_tensor_cores;
}

bool IsEligibleOp(std::string_view name) {
  const std::string_view op_name = WithoutPythonModule(name);
  // Anchored alternatives for names of PyTorch's operators, backward nodes, Python functions in
  // NVTX markers, TensorFlow, and XLA.
  static const RE2 aten(
      R"((?:aten|_C|vllm|sgl_kernel|torchao|fbgemm|trtllm|flash_attn\w*|xformers\w*)::)"
      R"((?:_?conv(?:olution|_tbc|_transpose[123]d|[123]d)?)"
      R"((?:_overrideable|_backward(?:_overrideable)?)?)"
      R"(|_convolution_\w+|_convolution|(?:cudnn|miopen|mkldnn)_(?:depthwise_)?convolution(?:_\w+)?)"
      R"(|(?:_?slow_conv|thnn_conv)\w*|linear(?:_backward)?|mkldnn_linear)"
      R"(|_?addmm_?(?:_activation)?)"
      R"(|mm(?:_out)?|bmm(?:_out)?|_?scaled_(?:grouped_)?mm\w*|_int_mm|_weight_int\w*mm)"
      R"(|_grouped_mm|matmul)"
      R"(|addbmm_?|baddbmm_?|chain_matmul|linalg_(?:multi_dot|matmul)|einsum|tensordot)"
      R"(|_thnn_fused_(?:lstm|gru)_cell|(?:lstm|gru|rnn_tanh|rnn_relu)(?:_cell)?)"
      R"(|_?(?:cudnn|miopen)_rnn(?:_backward)?|_?(?:native_)?multi_head_attention\w*)"
      R"(|scaled_dot_product_attention|_scaled_dot_product_\w*attention\w*)"
      R"(|_(?:flash|efficient|cudnn|triton)_attention_(?:forward|backward)|_fused_sdp_\w+)"
      R"(|\w*scaled_(?:fp4_)?mm\w*|\w*(?:marlin|gptq|awq)_gemm\w*)"
      R"(|\w*_?flash_attn_\w*(?:forward|backward|fwd|bwd)\w*)"
      R"(|fused_moe\w*|moe_wna16\w*|fp8_gemm\w*|_?(?:fwd|bwd|varlen_fwd|varlen_bwd)))");
  static const RE2 other(
      R"((?:\w*ConvolutionOverrideable|(?:Cudnn|Miopen|Slow|Mkldnn)?Convolution\w*)"
      R"(|Addmm|Mm|Bmm|Addbmm|Baddbmm|Linear|CudnnRnn|MiopenRnn|ScaledMm|ScaledDotProduct\w*)"
      R"(|FlashAttn\w*|_?Flash\w*Attention\w*|ThnnFusedLstmCell|ThnnFusedGruCell)Backward\w*)"
      R"(|(?:_?convolution|conv[123]d|conv_transpose[123]d|linear|mm|bmm|matmul|addmm|addbmm)"
      R"(|baddbmm)Backward\d*)"
      R"(|Flash(?:Attn|Attention)\w*Func|FlashAttnFunc)"
      R"(|(?:conv[123]d|conv_transpose[123]d|linear|bilinear|mm|bmm|matmul|__matmul__)"
      R"(|addmm|addbmm|baddbmm)"
      R"(|einsum|multi_head_attention_forward|scaled_dot_product_attention|(?:LSTM|GRU|RNN)(?:Cell)?))"
      R"(|\w*Conv[23]D(?:Backprop(?:Filter|Input)(?:V2)?)?|_Fused\w*(?:Conv2D|MatMul)|FusedMatMul)"
      R"(|\w*DepthwiseConv2dNative(?:Backprop(?:Filter|Input))?|\w*BatchMatMul\w*|MatMul|CudnnRNN\w*)"
      R"(|aclnn(?:Mm|Addmm|Bmm|Baddbmm|Linear|(?:Batch|Grouped|Quant)*Mat[Mm]ul|Convolution(?:Backward)?)"
      R"(|FlashAttention\w*)(?:V\d)?)"
      R"(|XlaDot(?:V2)?|XlaConv(?:V2)?|Einsum|dot|dot_general|convolution)"
      R"(|(?:custom-call )?__cu(?:blas|dnn)\$\w+)");
  // XLA's HLO ops and JAX's primitives; "gemm_fusion_dot.3".
  static const RE2 hlo(
      R"((?:(?:gemm_fusion_|triton_gemm_)?(?:dot|convolution)|dot_general|conv_general_dilated)"
      R"(|cublas-(?:gemm|lt-matmul|batch-gemm)[\w-]*|cudnn-(?:conv|fmha)[\w-]*)"
      R"(|te_fused_attn_\w+|(?:gemm_fusion|triton_gemm)_\w+)(?:[._]\d+)*)");
  if (RE2::FullMatch(op_name, aten) || RE2::FullMatch(op_name, other)) return true;
  const auto slash = op_name.rfind('/');
  if (slash == std::string_view::npos) return false;
  const auto leaf = op_name.substr(slash + 1);
  return RE2::FullMatch(leaf, other) || RE2::FullMatch(leaf, hlo);
}

}  // namespace profgauge::analysis::classify
