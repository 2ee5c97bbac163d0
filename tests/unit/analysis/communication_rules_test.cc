#include "analysis/classify/communication_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/knowledge.h"
#include "analysis/classify/tensor_core_rules.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

TEST(KernelName, HeadAndArguments) {
  struct Row {
    std::string_view name, head, without;
  };
  constexpr Row kRows[] = {
      {"void (anonymous namespace)::f<int>(int*)", "f", "void (anonymous namespace)::f<int>"},
      {"void ns::(anonymous namespace)::f<g(int), (anonymous namespace)::T>(int*)", "ns::f",
       "void ns::(anonymous namespace)::f<g(int), (anonymous namespace)::T>"},
      {"void <unnamed>::f<4>(P)", "f", "void <unnamed>::f<4>"},
      {"sgemm(int)", "sgemm", "sgemm"},
      {"a > b", "a > b", "a > b"},
      {"", "", ""},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(classify::KernelHead(row.name), row.head) << row.name;
    EXPECT_EQ(classify::WithoutArguments(row.name), row.without) << row.name;
  }
}

struct Named {
  std::string_view kernel, rule, kind;
};

// As the libraries' sources and published recordings write them.
constexpr Named kNamed[] = {
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "nccl",
     "all_reduce"},
    {"ncclSymkDevKernel_AllGather_LLMC(ncclSymkDevWorkArgs4K)", "nccl", "all_gather"},
    {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "nccl", "all_reduce"},
    {"ncclAllGatherRingLLKernel_copy_i8(ncclColl)", "nccl", "all_gather"},
    {"ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)", "nccl", "send_recv"},
    {"rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", "nccl", "other"},
    {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]", "nccl", "other"},
    {"mscclKernel_Sum_half_LL_false(ncclDevComm*, mscclAlgo*, mscclWork*)", "nccl", "other"},
    {"void mscclpp::collective::allreducePacket<float>(P)", "nccl", "all_reduce"},
    {"hcom_allReduce__1", "nccl", "all_reduce"},
    {"hcom_reduceScatter_", "nccl", "reduce_scatter"},
    {"oneapi::ccl::v1::reduce_scatter_kernel", "nccl", "reduce_scatter"},
    {"void deep_ep::internode::dispatch<true, 8, false>(int4*, float*)", "deep_ep", "all_to_all"},
    {"void deep_ep::internode::combine<false, 2>(int4*, float*)", "deep_ep", "all_to_all"},
    {"void deep_ep::internode::notify_dispatch<false, 8>(int const*)", "deep_ep", "all_to_all"},
    {"void deep_ep::internode::cached_notify<false>(int)", "deep_ep", "all_to_all"},
    {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", "deep_ep", "all_to_all"},
    {"void deep_ep::internode_ll::combine<true, 7168, 9, 2>(void*)", "deep_ep", "all_to_all"},
    {"void deep_ep::intranode::barrier<8>(int**, int)", "deep_ep", "barrier"},
    {"void uccl::ep::internode::dispatch<true>(int4*)", "deep_ep", "all_to_all"},
    {"void vendor::ep::internode::notify_combine<8>(int4*)", "deep_ep", "all_to_all"},
    {"_ZN7deep_ep9internode8dispatchILb1ELi8EEEvP4int4", "deep_ep", "all_to_all"},
    {"void mori::moe::EpDispatchInterNodeKernel<__hip_bfloat16>(P)", "expert_exchange",
     "all_to_all"},
    {"EpCombineIntraNodeKernel_bf16", "expert_exchange", "all_to_all"},
    {"void tensorrt_llm::kernels::moe_a2a::moeA2ADispatchKernel<Policy>(P)", "expert_exchange",
     "all_to_all"},
    {"void tensorrt_llm::kernels::moeAllToAllKernel<true>(P)", "expert_exchange", "all_to_all"},
    {"nvshmemi_transfer_rma_p_kernel(void*)", "nvshmem", "other"},
    {"void nvshmemi_alltoall_on_stream_kernel<float>(int)", "nvshmem", "all_to_all"},
    {"void barrier_all_on_stream_kernel_threadgroup(int)", "nvshmem", "barrier"},
    {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
     "cross_device_reduce", "all_reduce"},
    {"void sglang::cross_device_reduce_2stage<half, 4>(P)", "cross_device_reduce", "all_reduce"},
    {"void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>(P)", "cross_device_reduce",
     "reduce_scatter"},
    {"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<half>>(P)",
     "quick_reduce", "all_reduce"},
    {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(P)", "multimem",
     "all_reduce"},
    {"void (anonymous namespace)::multimem_all_gather_kernel<16>(char*)", "multimem", "all_gather"},
    {"void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, 4>(P)", "multimem",
     "all_reduce"},
    {"void c10d::intra_node_comm::twoShotAllReduceKernel<8u, false>(c10::BFloat16*)",
     "one_or_two_shot", "all_reduce"},
    {"void (anonymous namespace)::one_shot_all_reduce_kernel<float, 4, 8>(P)", "one_or_two_shot",
     "all_reduce"},
    {"void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>(P)", "one_or_two_shot",
     "all_reduce"},
    {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<half>(P)",
     "one_or_two_shot", "all_reduce"},
    {"void tensorrt_llm::kernels::mnnvl::oneshotAllreduceFusionKernel<8, float>(P)",
     "one_or_two_shot", "all_reduce"},
    {"void tensorrt_llm::kernels::lamport_style_one_all_reduce_kernel<half>(P)", "lamport",
     "all_reduce"},
    {"void kuserbuffers_pushsend(int*, int4*)", "user_buffers_point", "send_recv"},
    {"void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<4>(int)", "user_buffers_scatter",
     "reduce_scatter"},
    {"void userbuffers_fp16_sum_inplace_gpu_mc_ag<8>(int)", "user_buffers_gather", "all_gather"},
    {"void userbuffers_fp16_sum_inplace_gpu_rw<8>(int)", "user_buffers", "all_reduce"},
    {"void (anonymous namespace)::barrier_kernel(unsigned int**)", "symmetric_memory", "barrier"},
    {"all-reduce.17", "hlo", "all_reduce"},
    {"%all-reduce-start.3", "hlo", "all_reduce"},
    {"all-gather-done.1.remat", "hlo", "all_gather"},
    {"reduce-scatter.4", "hlo", "reduce_scatter"},
    {"all-reduce-scatter.4", "hlo", "reduce_scatter"},
    {"ragged-all-to-all.2", "hlo", "all_to_all"},
    {"collective-permute-done.9", "hlo", "send_recv"},
    {"collective-broadcast", "hlo", "broadcast"},
    {"async-collective-done", "hlo", "other"},
    {"void allreduce7<half>(P)", "collective_word", "all_reduce"},
    {"void aiter::allreduce_fusion_kernel_1stage<bf16>(P)", "collective_word", "all_reduce"},
    {"void lab::exchange::AllToAllKernel<4>(P)", "collective_word", "all_to_all"},
};

TEST(CommunicationRules, KnowPublishedNames) {
  for (const Named& row : kNamed) {
    const classify::KernelClass found = classify::ClassifyName(row.kernel);
    EXPECT_TRUE(found.collective) << row.kernel;
    EXPECT_EQ(found.tensor_core, classify::Tri::kNo) << row.kernel;
    EXPECT_EQ(classify::RuleName(found.rule), row.rule) << row.kernel;
    EXPECT_EQ(classify::CollectiveKindId(found.kind), row.kind) << row.kernel;
  }
}

TEST(CommunicationRules, EveryRuleIsUsed) {
  for (const classify::CommunicationRule& rule : classify::CommunicationRules()) {
    bool used = false;
    for (const Named& row : kNamed) used = used || row.rule == rule.id;
    EXPECT_TRUE(used) << rule.id;
  }
}

// Reductions inside of one GPU, and matmuls that send their results.
TEST(CommunicationRules, IgnoresSimilarNames) {
  for (const std::string_view name :
       {"void at::native::reduce_kernel<128, 4>(P)", "void cudnn::reduce_all(P)",
        "void oneflow::BlockAllReduceKernel<float>(P)", "void smallReduceKernel(P)",
        "triton_poi_fused_all_reduce_wait_tensor_0", "void flux::all_gather_gemm_kernel<128>(P)",
        "void flash::flash_fwd_splitkv_combine_kernel<Traits>(P)",
        "void at::native::scatter_add(P)",
        "void deep_ep::layout::get_dispatch_layout<256, 4, 8>(long const*)", "hipLaunchKernel",
        "void f<ncclRedOp_t>(P)", "reduce.4", "scatter.1", "all-reduced", "broadcast.7",
        "copy-done.2", "void at::native::(anonymous namespace)::indexSelectLargeIndex(P)"}) {
    EXPECT_FALSE(classify::ClassifyName(name).collective) << name;
  }
}

TEST(CommunicationRules, OperatorsThatCommunicate) {
  for (const std::string_view name :
       {"c10d::allreduce_", "nccl:all_reduce", "record_param_comms", "vllm::all_reduce",
        "_C_custom_ar::all_reduce", "_c10d_functional::all_gather_into_tensor", "symm_mem::barrier",
        "trtllm::moe_alltoall_dispatch"}) {
    EXPECT_TRUE(classify::IsCommunicationOp(name)) << name;
  }
  for (const std::string_view name : {"aten::add", "aten::all_gather_like", "vllm::rms_norm", "",
                                      "all_reduce", "symm::fused_all_gather_matmul"}) {
    EXPECT_FALSE(classify::IsCommunicationOp(name)) << name;
  }
}

// A kernel that no rule knows, of an operator that communicates; copies that PyTorch's own kernels
// make for it stay computation.
TEST(CommunicationRules, AnOperatorAboveIsASign) {
  TestProfile test;
  test.Op("vllm::all_reduce", {0, 100});
  test.Launch("void lab::exchange<8>(float*)", {10, 20}, {30, 40});
  test.Launch("void at::native::vectorized_elementwise_kernel<4>(P)", {25, 30}, {50, 60});
  test.Op("aten::add", {100, 200});
  test.Launch("void lab::exchange<8>(float*)", {110, 120}, {130, 140});
  const classify::KernelClasses classes = classify::ClassifyDevice(test.Finish());
  EXPECT_TRUE(classes[0].collective);
  EXPECT_EQ(classify::RuleName(classes[0].rule), "communicating_operator");
  EXPECT_EQ(classify::CollectiveKindId(classes[0].kind), "all_reduce");
  EXPECT_FALSE(classes[1].collective);
  EXPECT_FALSE(classes[2].collective);
}

TEST(CommunicationRules, OwnNamesAddAndTakeAway) {
  classify::KernelNameRule ours{"ours/exchange", "^void lab::exchange", "", classify::Tri::kNo};
  ours.communication = classify::Tri::kYes;
  ours.kind = classify::CollectiveKind::kAllToAll;
  classify::KernelNameRule local{"ours/local", "allReduceLocal", "", classify::Tri::kNo};
  local.communication = classify::Tri::kNo;
  const classify::Knowledge knowledge = {{ours, local}, {}, false};
  TestProfile test;
  test.Op("my_op", {0, 100});
  test.Launch("void lab::exchange<8>(float*)", {10, 20}, {30, 40});
  test.Launch("nccl_allReduceLocal", {25, 30}, {50, 60});
  const Profile profile = test.Finish();
  const auto classes = classify::ClassifyDevice(profile, knowledge);
  EXPECT_TRUE(classes[0].collective);
  EXPECT_EQ(classify::RuleName(classes[0].rule, knowledge), "ours/exchange");
  EXPECT_FALSE(classes[1].collective);
  const Analysis analysis = AnalyzeOne(profile, knowledge);
  const Table& table = *analysis.FindTable("collectives");
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(std::get<std::string>(table.At(0, "name")), "all_to_all");
}

Profile OfWorld(std::int64_t size, std::string_view kernel) {
  TestProfile test;
  test.builder().distributed().world_size = size;
  test.builder().distributed().rank = 0;
  test.Step(0, {0, 1'000'000});
  for (int i = 0; i < 10; ++i) {
    LaunchConfig config;
    config.grid[0] = 20;
    config.grid[1] = config.grid[2] = 1;
    const Ns start = i * 100'000 + 1'000;
    const Ns length = i == 5 ? 50'000 : 3'000;
    test.Work(kernel, {start, start + length}, DeviceKind::kKernel, 0, 7, config);
  }
  return test.Finish();
}

// Sixty-four ranks without communication: no one knows, and nothing is claimed.
TEST(Communication, AbsentIfDistributedRunShowsNone) {
  const Analysis analysis =
      AnalyzeOne(OfWorld(64, "void lab::exchange<8>((anonymous namespace)::T)"));
  for (const char* id : {"communication.time", "communication.exposed_share",
                         "breakdown.communication", "breakdown.communication.time"}) {
    const Metric& metric = *analysis.Find(id);
    EXPECT_TRUE(IsAbsent(metric.value)) << id;
    EXPECT_NE(metric.absent_because.find("64 ranks"), std::string::npos) << metric.absent_because;
    EXPECT_NE(metric.absent_because.find("`void lab::exchange<8>` (10 launches of 20 blocks, 3.00"),
              std::string::npos)
        << metric.absent_because;
  }
  EXPECT_TRUE(IsAbsent(analysis.FindTable("ranks")->At(0, "exposed_communication")));
  EXPECT_EQ(NumberOf(AnalyzeOne(OfWorld(1, "void lab::exchange<8>(T)")), "communication.time"), 0);
  EXPECT_EQ(NumberOf(AnalyzeOne(OfWorld(64, "void deep_ep::internode::dispatch<8>(T)")),
                     "communication.time"),
            77'000);
}

}  // namespace
}  // namespace profgauge::analysis
