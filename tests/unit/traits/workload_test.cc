// The kind of a run, each by a made profile that shows it and one that has no witness.
#include "analysis/trust/workload.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../analysis/fixture.h"
#include "analysis/classify/host_work.h"
#include "analysis/flops/recomputation.h"

namespace profgauge {
namespace {

// A kernel inside of an operator, `at` ns after the start.
void RunInOp(analysis::TestProfile& test, std::string_view op, std::string_view kernel, Ns at) {
  test.Op(op, {at, at + 900});
  test.Launch(kernel, {at + 100, at + 200}, {at + 300, at + 800});
}

// Eleven operators of equal weight: no benchmark.
analysis::TestProfile ForwardOnly() {
  analysis::TestProfile test;
  for (int i = 0; i < 11; ++i) {
    RunInOp(test, "aten::op" + std::to_string(i), "kernel" + std::to_string(i), i * 1'000);
  }
  return test;
}

TEST(Workload, OperatorsOfForwardAreInference) {
  const analysis::trust::Workload found = analysis::trust::WorkloadOf(ForwardOnly().Finish());
  EXPECT_EQ(found.kind, "inference");
  EXPECT_FALSE(found.in_graphs);
  EXPECT_FALSE(found.loads_data);
}

TEST(Workload, BackwardNodesAreTraining) {
  analysis::TestProfile test = ForwardOnly();
  test.Op("autograd::engine::evaluate_function: MmBackward0", {20'000, 21'000});
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {22'000, 23'000});
  const analysis::trust::Workload found = analysis::trust::WorkloadOf(test.Finish());
  EXPECT_EQ(found.kind, "training");
  EXPECT_TRUE(found.loads_data);
}

// A profile may begin after backward.
TEST(Workload, AnOptimizersStepIsTraining) {
  for (const char* step : {"Optimizer.step#AdamW.step", "aten::_fused_adamw_"}) {
    analysis::TestProfile test = ForwardOnly();
    test.Op(step, {20'000, 21'000});
    EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "training") << step;
  }
}

TEST(Workload, BackwardOnlyIsNoTraining) {
  analysis::TestProfile test;
  test.Launch("MIOpenBatchNormBwd_backward", {0, 100}, {200, 900});
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "");
}

TEST(Workload, BackwardAndOptimizerAreTraining) {
  analysis::TestProfile test;
  test.Launch("cutlass_wgrad_optimized", {0, 100}, {200, 900});
  test.Launch("void multi_tensor_apply_kernel<adam>", {1'000, 1'100}, {1'200, 1'900});
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "training");
}

// "lamb" is in every lambda.
TEST(Workload, LambdasAreNoOptimizer) {
  analysis::TestProfile test;
  test.Launch("cutlass_wgrad_optimized", {0, 100}, {200, 900});
  test.Launch("void elementwise_kernel<gelu::lambda#1>", {1'000, 1'100}, {1'200, 1'900});
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "");
}

TEST(Workload, AServingEngineNeedsTwoWitnesses) {
  analysis::TestProfile one = ForwardOnly();
  one.Op("vllm::unified_attention", {20'000, 21'000});
  EXPECT_EQ(analysis::trust::WorkloadOf(one.Finish()).kind, "inference");
  for (const auto& [attention, kind] : {std::pair("paged_attention_v2_kernel", "decode"),
                                        std::pair("flash_fwd_kernel", "prefill")}) {
    analysis::TestProfile two = ForwardOnly();
    two.Op("vllm::unified_attention", {20'000, 21'000});
    two.Launch("vllm::reshape_and_cache_flash_kernel", {22'000, 22'100}, {22'200, 22'900});
    two.Launch(attention, {23'000, 23'100}, {23'200, 23'900});
    EXPECT_EQ(analysis::trust::WorkloadOf(two.Finish()).kind, kind);
  }
  analysis::TestProfile both = ForwardOnly();
  both.Launch("vllm::reshape_and_cache_flash_kernel", {22'000, 22'100}, {22'200, 22'900});
  both.Launch("paged_attention_v2_kernel", {23'000, 23'100}, {23'200, 23'900});
  both.Launch("flash_fwd_kernel", {24'000, 24'100}, {24'200, 24'900});
  EXPECT_EQ(analysis::trust::WorkloadOf(both.Finish()).kind, "mixed");
}

// A step of 8 155 tokens of prompts and 37 of answers has the kernels of both.
TEST(Workload, NamesOfStepsGoBeforeKernels) {
  analysis::TestProfile test = ForwardOnly();
  for (const Ns at : {20'000, 40'000}) {
    test.Host(HostKind::kAnnotation, "execute_4_context_1(8155)_generation_37(37)",
              {at, at + 10'000});
    test.Launch("vllm::reshape_and_cache_flash_kernel", {at + 100, at + 200}, {at + 300, at + 400});
    test.Launch("paged_attention_v2_kernel", {at + 500, at + 600}, {at + 700, at + 800});
  }
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "mixed");
}

TEST(Workload, AFrameOfADiffusionLibraryThatRepeats) {
  for (const int calls : {7, 8}) {
    analysis::TestProfile test = ForwardOnly();
    for (int i = 0; i < calls; ++i) {
      const Ns at = 20'000 + i * 1'000;
      test.Op("diffusers/schedulers/scheduling_flow.py(300): step", {at, at + 100});
    }
    EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind,
              calls == 8 ? "diffusion" : "inference");
  }
}

TEST(Workload, AFewOperatorsAreABenchmark) {
  analysis::TestProfile test;
  for (int i = 0; i < 10; ++i) RunInOp(test, "aten::mm", "gemm", i * 1'000);
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "benchmark");
}

TEST(Workload, CapturedLaunches) {
  for (const Ns end : {2'000, 400}) {
    analysis::TestProfile test;
    test.Call("cudaStreamBeginCapture", ApiKind::kOther, {0, 50});
    test.LostLaunch({100, 200});
    test.LostLaunch({500, 600});
    test.LostLaunch({700, 800});
    test.Call("cudaStreamEndCapture", ApiKind::kOther, {end, end + 50});
    EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, end == 2'000 ? "capture" : "");
  }
}

TEST(Workload, LaunchesOfGraphsRunMostKernels) {
  analysis::TestProfile test;
  test.Launch("first", {0, 100}, {200, 300});
  test.Work("second", {300, 400});
  EXPECT_TRUE(analysis::trust::WorkloadOf(test.Finish()).in_graphs);
}

// A graph's work has no operators: those beside it are no sign of inference.
TEST(Workload, OperatorsBesideGraphsSayNothing) {
  for (const bool trains : {false, true}) {
    analysis::TestProfile test;
    RunInOp(test, "aten::copy_", "copy", 0);
    for (int i = 0; i < 9; ++i)
      test.Work(trains ? "wgrad" : "gemm", {1'000 + i * 10, 1'009 + i * 10});
    if (trains) test.Work("multi_tensor_apply_kernel", {2'000, 2'100});
    const analysis::trust::Workload found = analysis::trust::WorkloadOf(test.Finish());
    EXPECT_TRUE(found.in_graphs);
    EXPECT_EQ(found.kind, trains ? "training" : "");
  }
}

TEST(Workload, NothingRanOnADevice) {
  analysis::TestProfile test;
  test.Op("aten::mm", {0, 100});
  EXPECT_EQ(analysis::trust::WorkloadOf(test.Finish()).kind, "");
}

std::string_view KindOfWork(std::string_view name) {
  const HostWork* work = analysis::classify::HostWorkOf(name);
  return work == nullptr ? "" : work->id;
}

TEST(HostWork, NamesShowTheKind) {
  EXPECT_EQ(KindOfWork("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
            "data_loader");
  EXPECT_EQ(KindOfWork("transformers/models/owlv2/image_processing_owlv2.py(301): resize"),
            "preprocessing");
  EXPECT_EQ(KindOfWork("transformers/pipelines/video_classification.py(129): preprocess"),
            "preprocessing");
  EXPECT_EQ(KindOfWork("transformers/tokenization_utils_base.py(9): batch_encode_plus"),
            "tokenization");
  EXPECT_EQ(KindOfWork("diffusers/image_processor.py(3): numpy_to_pil"), "postprocessing");
  EXPECT_EQ(KindOfWork("aten::item (loss.py(7): log)"), "synchronization");
  EXPECT_EQ(KindOfWork("vllm/v1/core/sched/scheduler.py(10): schedule"), "serving_engine");
  EXPECT_EQ(KindOfWork("Optimizer.step#AdamW.step"), "optimizer");
  EXPECT_EQ(KindOfWork("autograd::engine::evaluate_function: MmBackward0"), "backward");
  EXPECT_EQ(KindOfWork("aten::mm"), "operators");
  EXPECT_EQ(KindOfWork("Python GC"), "garbage_collection");
  EXPECT_EQ(KindOfWork("torch/_inductor/codecache.py(7): load"), "first_use");
  EXPECT_EQ(KindOfWork("train.py(88): compile_report"), "") << "PIL is no part of compile";
  EXPECT_EQ(KindOfWork("train.py(1): main"), "");
  EXPECT_EQ(KindOfWork(""), "");
}

// `again` of `nodes` backward nodes run a numbered operator.
std::size_t RecomputedOf(int nodes, int again) {
  analysis::TestProfile test;
  for (int i = 0; i < nodes; ++i) {
    const Ns at = i * 1'000;
    test.Op("autograd::engine::evaluate_function: ConvolutionBackward0", {at, at + 900});
    test.Op("ConvolutionBackward0", {at + 10, at + 890});
    HostRow row;
    row.start = at + 20;
    row.duration = 500;
    row.name = test.builder().Intern("mine::scan");
    row.kind = HostKind::kOp;
    row.thread = test.main();
    row.sequence = i < again ? i : -1;
    test.builder().AddHost(row);
  }
  const std::vector<bool> found = analysis::flops::FindRecomputed(test.Finish());
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), true));
}

TEST(Recomputation, OneNodeRepresentsItsLayer) { EXPECT_EQ(RecomputedOf(9, 3), 3u); }

// Gradients of gradients number the operators of nearly every node.
TEST(Recomputation, RecordedGradientsAreNoRecomputation) {
  EXPECT_EQ(RecomputedOf(8, 4), 4u);
  EXPECT_EQ(RecomputedOf(8, 5), 0u);
  EXPECT_EQ(RecomputedOf(3, 3), 3u) << "too few nodes to tell";
}

TEST(Recomputation, OperatorTableCountsOutermostOnes) {
  analysis::TestProfile test;
  test.Step(1, {0, 100'000});
  RunInOp(test, "aten::mm", "gemm", 1'000);
  for (int i = 0; i < 4; ++i) {
    const Ns at = 10'000 + i * 10'000;
    test.Op("autograd::engine::evaluate_function: MmBackward0", {at, at + 9'000});
    for (const auto& [name, from, to] :
         {std::tuple("mine::layer", 100, 5'000), std::tuple("aten::mm", 200, 4'000)}) {
      HostRow row;
      row.start = at + from;
      row.duration = to - from;
      row.name = test.builder().Intern(name);
      row.kind = HostKind::kOp;
      row.thread = test.main();
      row.sequence = i == 0 ? 7 : -1;
      test.builder().AddHost(row);
    }
    test.Launch("gemm", {at + 300, at + 400}, {at + 1'000, at + 3'000});
  }
  const analysis::Analysis analysis = analysis::AnalyzeOne(test.Finish());
  const Table& ops = *analysis.FindTable("ops");
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> again;
  for (std::size_t row = 0; row < ops.rows(); ++row) {
    again[std::get<std::string>(ops.At(row, "name"))] = {
        std::get<std::int64_t>(ops.At(row, "recomputed_calls")),
        std::get<std::int64_t>(ops.At(row, "recomputed_time"))};
  }
  EXPECT_EQ(again["mine::layer"], std::pair(std::int64_t{1}, std::int64_t{2'000}));
  EXPECT_EQ(again["aten::mm"], std::pair(std::int64_t{0}, std::int64_t{0}));
}

TEST(Recomputation, WithoutBackwardItIsUnknown) {
  analysis::TestProfile test;
  test.Step(1, {0, 100'000});
  RunInOp(test, "aten::mm", "gemm", 1'000);
  const analysis::Analysis analysis = analysis::AnalyzeOne(test.Finish());
  EXPECT_TRUE(IsAbsent(analysis.FindTable("ops")->At(0, "recomputed_time")));
}

}  // namespace
}  // namespace profgauge
