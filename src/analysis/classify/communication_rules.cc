#include "analysis/classify/communication_rules.h"

#include <re2/re2.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analysis/classify/kernel_name.h"

namespace profgauge {
namespace {

using enum CollectiveKind;

// Names are published ones: of the libraries' sources, and of recordings shown in their issues.
constexpr CommunicationRule kCommunicationRules[] = {
    // NCCL and RCCL (rccl's generic kernel, symmetric kernels since 2.27), MSCCL, oneCCL, HCCL, and
    // those of Cambricon, Moore Threads, Kunlun.
    {"nccl", kOther,
     R"((?i)(?:^|[^a-z])(?:nccl|rccl|mscclpp|msccl|oneccl|hccl|cncl|mccl|bkcl|xccl)|ncclDevKernel)"
     R"(|ncclKernel|(?:^|[_:])hcom_|oneapi::ccl::|^ccl::)",
     ""},
    {"nvshmem", kOther,
     R"((?i)(?:^|[^a-z])(?:nvshmem|rocshmem|ishmem)|_on_stream_kernel(?:_threadgroup)?$)", ""},

    // Exchanges of experts. What only counts which token goes where, before anything is sent, is no
    // communication.
    {"deep_ep", kAllToAll,
     R"((?i)(?:^|[^a-z])(?:deep_?ep|uccl(?:::ep)?)::|(?:^|[^a-z])ep::(?:inter|intra)node(?:_ll)?::)"
     R"(|^(?:inter|intra)node(?:_ll)?::|\d(?:inter|intra)node(?:_ll)?\d+(?:\w*dispatch|\w*combine))"
     R"(|\d(?:inter|intra)node(?:_ll)?\d+(?:cached_)?notify)",
     R"((?i)layout)"},
    {"expert_exchange", kAllToAll,
     R"((?i)(?:^|[^a-z])(?:mori|pplx)::|Ep(?:Dispatch|Combine)\w*(?:Intra|Inter)Node)"
     R"(|moe_?(?:a2a|all_?to_?all)|^(?:\w+::)*(?:dispatch|combine)_?(?:inter|intra)_?node)",
     R"((?i)topk|sort|layout)"},

    // All-reduces of their own: vLLM, SGLang, AITER, TensorRT-LLM, FlashInfer, PyTorch,
    // quick-reduce,
    // Transformer Engine's user buffers.
    {"cross_device_reduce", kAllReduce, R"(cross_device_(?:reduce|store|load))", ""},
    {"quick_reduce", kAllReduce, R"((?i)quick_?(?:all_?)?reduce)", ""},
    {"multimem", kOther, R"((?i)(?:^|[^a-z])multimem_\w*(?:reduce|gather|scatter|broadcast))", ""},
    {"one_or_two_shot", kOther,
     R"((?i)(?:one|two)_?shot_?\w*(?:all_?reduce|reduce_?scatter|all_?gather))"
     R"(|(?:all_?reduce|reduce_?scatter|all_?gather)\w*_(?:one|two)_?shot)",
     ""},
    {"lamport", kAllReduce, R"((?i)lamport\w*(?:all_?)?reduce|all_?reduce\w*lamport)", ""},
    {"user_buffers_point", kSendRecv, R"(userbuffers_(?:push|pull))", ""},
    {"user_buffers_scatter", kReduceScatter, R"(userbuffers_\w*_rs(?:_|$))", ""},
    {"user_buffers_gather", kAllGather, R"(userbuffers_\w*_ag(?:_|$))", ""},
    {"user_buffers", kAllReduce, R"(userbuffers_)", ""},

    // PyTorch's symmetric memory: barriers and signals between GPUs.
    {"symmetric_memory", kOther,
     R"((?i)symm(?:etric)?_?mem(?:ory)?::|(?:^|::)(?:barrier|put_signal|wait_signal)_kernel$)", ""},

    // XLA's own on a TPU, where no library has kernels for them: "all-reduce-start.3",
    // "async-collective-done". Of what is begun and ended apart, the end is the waiting.
    {"hlo", kOther,
     R"(^%?(?:async-collective|all-(?:reduce|gather)|(?:all-reduce|reduce)-scatter)"
     R"(|(?:ragged-)?all-to-all|collective-(?:permute|broadcast))(?:[._-]\w+)*$)",
     ""},

    // Whatever is called by a collective's name. Reductions inside a GPU are called so too, with
    // what
    // they reduce over in front; and a product that sends its own result is a product.
    {"collective_word", kOther,
     R"((?:^|[^a-zA-Z])(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|allreduce\d?))"
     R"(|A[lL][lL]_?[rR]educe|All_?[gG]ather|Reduce_?[sS]catter|All_?[tT]o_?[aA]ll)",
     R"((?i)gemm|matmul|mma|(?:warp|block|wave|thread|quad|lane|tile|(?:sub_?)?group)_?all_?)"
     R"(|^triton_|^at::native|local_?all_?)"},
};

constexpr std::string_view kSigns[] = {"recorded_collective", "communicating_operator"};

struct CompiledCommunicationRule {
  std::unique_ptr<RE2> include, exclude;
};

const std::vector<CompiledCommunicationRule>& CompiledCommunicationRules() {
  static const std::vector<CompiledCommunicationRule> rules = [] {
    std::vector<CompiledCommunicationRule> compiled;
    for (const CommunicationRule& rule : kCommunicationRules) {
      compiled.push_back({std::make_unique<RE2>(rule.include),
                          rule.exclude.empty() ? nullptr : std::make_unique<RE2>(rule.exclude)});
    }
    return compiled;
  }();
  return rules;
}

}  // namespace

std::span<const CommunicationRule> CommunicationRules() { return kCommunicationRules; }

std::uint16_t RuleOf(CommunicationSign sign) {
  return static_cast<std::uint16_t>(kFirstCommunicationRule + std::size(kCommunicationRules) +
                                    static_cast<std::size_t>(sign));
}

std::string_view CommunicationRuleName(std::uint16_t rule) {
  const std::size_t index = rule - std::size_t{kFirstCommunicationRule};
  if (index < std::size(kCommunicationRules)) return kCommunicationRules[index].id;
  const std::size_t sign = index - std::size(kCommunicationRules);
  return sign < std::size(kSigns) ? kSigns[sign] : "communication";
}

std::optional<CommunicationName> CommunicationOf(std::string_view kernel) {
  const std::string head = KernelHead(kernel);
  const std::vector<CompiledCommunicationRule>& compiled = CompiledCommunicationRules();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (!RE2::PartialMatch(head, *compiled[i].include)) continue;
    if (compiled[i].exclude && RE2::PartialMatch(head, *compiled[i].exclude)) continue;
    const CollectiveKind spelled = CollectiveKindOf(kernel);
    return CommunicationName{static_cast<std::uint16_t>(kFirstCommunicationRule + i),
                             spelled == kOther ? kCommunicationRules[i].kind : spelled};
  }
  return std::nullopt;
}

bool IsCommunicationOp(std::string_view name) {
  static const RE2 groups(R"(record_param_comms|(?:nccl|rccl|gloo|ucc|mpi|hccl|xccl|ccl):.*)"
                          R"(|_?c10d(?:_functional)?(?:_autograd)?::.*|symm_mem::.*|deep_ep::.*)");
  static const RE2 own(
      R"((?i)\w+(?:::|\.)\w*(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)\w*)");
  static const RE2 compute(R"((?i)(?:aten|prim|triton)::.*|.*(?:mm|matmul|gemm)\w*)");
  if (RE2::FullMatch(name, groups)) return !name.starts_with("c10d::wait");
  return RE2::FullMatch(name, own) && !RE2::FullMatch(name, compute);
}

}  // namespace profgauge
