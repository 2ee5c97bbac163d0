// Launches, copies, calls, communication, Tensor Core metrics, memory and coverage on small
// profiles made by hand.
#include <gtest/gtest.h>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/dtypes.h"
#include "analysis/communication/communication.h"
#include "analysis/device/launches.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge {
namespace {

TEST(Queue, LengthsAndEvents) {
  // Three launched in a row, started one after the other; the fourth finds nothing waiting.
  const QueueItem items[] = {{0, 10}, {1, 20}, {2, 30}, {40, 50}};
  EXPECT_EQ(QueueLengths(items), (std::vector<std::int64_t>{0, 1, 2, 0}));
  std::vector<std::int64_t> lengths;
  for (const QueueEvent& event : QueueEvents(items)) lengths.push_back(event.length);
  EXPECT_EQ(lengths, (std::vector<std::int64_t>{1, 2, 3, 2, 1, 0, 1, 0}));
}

TEST(Queue, AStartBeforeItsLaunchIsNoNegativeLength) {
  const QueueItem items[] = {{10, 5}, {20, 25}};
  EXPECT_EQ(QueueLengths(items), (std::vector<std::int64_t>{0, 0}));
  for (const QueueEvent& event : QueueEvents(items)) EXPECT_GE(event.length, 0);
}

TEST(Launches, DelayAndQueue) {
  TestProfile test;
  test.Op("aten::add", {0, 1000});
  test.Launch("a", {0, 10}, {30, 100});      // Delay 20, into an empty queue.
  test.Launch("b", {12, 15}, {100, 150});    // Delay 85, behind the one that has not started.
  test.Launch("c", {200, 210}, {205, 250});  // Starts while the call still runs: delay 0.
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("launches");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(IntegerAt(table, 0, "delay"), 20);
  EXPECT_EQ(IntegerAt(table, 1, "delay"), 85);
  EXPECT_EQ(IntegerAt(table, 2, "delay"), 0);
  EXPECT_EQ(IntegerAt(table, 0, "queue_length"), 0);
  EXPECT_EQ(IntegerAt(table, 1, "queue_length"), 1);
  EXPECT_EQ(TextAt(table, 1, "name"), "b");
  EXPECT_EQ(TextAt(table, 1, "op"), "aten::add");
  EXPECT_EQ(TextAt(table, 1, "call"), "cudaLaunchKernel");
  EXPECT_EQ(NumberOf(analysis, "launch.delay.median"), 20);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "launch.queue_empty_share"), 2.0 / 3);
  const Table& streams = *analysis.FindTable("streams");
  ASSERT_EQ(streams.rows(), 1U);
  EXPECT_EQ(IntegerAt(streams, 0, "kernels"), 3);
  EXPECT_EQ(IntegerAt(streams, 0, "queue_max"), 2);
}

TEST(Launches, WithoutThemTheReasonSaysWhatIsMissing) {
  TestProfile test;
  test.Op("aten::add", {0, 100});
  test.Work("a", {10, 20});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(analysis.absent_tables.contains("launches"));
  EXPECT_EQ(analysis.Find("launch.delay.median")->absent_because,
            CapabilityGap(Capability::kLaunchLinks));
}

TEST(ExposedTime, IsWhatNoComputationOfTheSameGpuCovers) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("gemm", {100, 200});
  test.Work("gemm", {250, 300});
  test.Work("ncclDevKernel_AllReduce(x)", {150, 270}, DeviceKind::kKernel, 0, 20);
  test.Work("ncclDevKernel_AllReduce(x)", {400, 410}, DeviceKind::kKernel, 0, 20);
  test.Work("gemm", {0, 500}, DeviceKind::kKernel, 1);
  const Profile profile = test.Finish();
  const auto classes = ClassifyDevice(profile);
  const auto spans = CollectDeviceSpans(profile, classes);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(Length(spans[0].communication), 130);
  EXPECT_EQ(ExposedTimes(profile, classes), (std::vector<Ns>{0, 0, 50, 10, 0}));
}

// Sums of rows are never more than the time in which nothing hides them.
TEST(ExposedTime, OfWhatRunsAtOnceIsGivenOnce) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("gemm", {0, 100});
  for (const std::int64_t stream : {20, 21, 22}) {
    test.Work("Memcpy", {50, 300}, DeviceKind::kMemcpy, 0, stream);
    test.Work("Memset", {250, 400}, DeviceKind::kMemset, 0, stream + 10);
    test.Work("ncclDevKernel_AllReduce(x)", {300 + stream, 500}, DeviceKind::kKernel, 0,
              stream + 20);
  }
  const Profile profile = test.Finish();
  const std::vector<Ns> exposed = ExposedTimes(profile, ClassifyDevice(profile));
  std::array<Ns, 4> sums{};
  for (std::size_t row = 0; row < exposed.size(); ++row) {
    const bool is_collective = profile.Name(profile.device.name[row]).starts_with("nccl");
    sums[is_collective ? 3 : static_cast<std::size_t>(profile.device.kind[row])] += exposed[row];
  }
  EXPECT_EQ(sums, (std::array<Ns, 4>{0, 200, 100, 180}));
}

TEST(Copies, BySizeAndKind) {
  TestProfile test;
  test.Op("aten::copy_", {0, 1000});
  test.CopyAlone({0, 100}, CopyKind::kHostToDevice, HostMemory::kPageable, 300);
  test.CopyAlone({100, 200}, CopyKind::kHostToDevice, HostMemory::kPinned, 700);
  test.CopyAlone({200, 210}, CopyKind::kDeviceToHost, HostMemory::kPinned, -1);
  test.CopyAlone({300, 400}, CopyKind::kPeerToPeer, HostMemory::kUnknown, 50);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(NumberOf(analysis, "memcpy.h2d.time"), 200);
  EXPECT_EQ(NumberOf(analysis, "memcpy.h2d.bytes"), 1000);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "memcpy.h2d.bandwidth"), 5e9);
  EXPECT_EQ(NumberOf(analysis, "memcpy.d2d.bytes"), 50);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "memcpy.pageable_share"), 0.3);
  EXPECT_EQ(NumberOf(analysis, "memcpy.d2h.time"), 10);
  EXPECT_EQ(analysis.Find("memcpy.d2h.bytes")->absent_because,
            "the recording does not give the size of every copy");
  EXPECT_EQ(analysis.FindTable("memcpys")->rows(), 4U);
}

// No copy is no 0 where the file could not hold one, or does not hold those that were made.
TEST(Copies, ThatNoRecordingShowsAreAbsent) {
  TestProfile of_format;
  of_format.builder().SetCopiesUnknown("this kind of file holds kernels and no copies");
  of_format.Work("kernel", {0, 100});
  const Analysis kernels = AnalyzeAll(OneRank(of_format.Finish()));
  EXPECT_EQ(kernels.Find("memcpy.h2d.time")->absent_because,
            "this kind of file holds kernels and no copies");
  EXPECT_EQ(kernels.absent_tables.count("memcpys"), 1U);
  EXPECT_EQ(kernels.Find("memcpy.h2d.bytes_per_iteration")->absent_because,
            "this kind of file holds kernels and no copies");

  TestProfile of_device;
  of_device.builder().SetCopiesUnknown("DMA inside of the device only");
  of_device.CopyAlone({0, 100}, CopyKind::kDeviceToDevice, HostMemory::kUnknown, 50);
  const Analysis inside = AnalyzeAll(OneRank(of_device.Finish()));
  EXPECT_EQ(inside.Find("memcpy.d2h.time")->absent_because, "DMA inside of the device only");
  EXPECT_EQ(NumberOf(inside, "memcpy.d2d.bytes"), 50);
  EXPECT_EQ(inside.FindTable("memcpys")->rows(), 1U);

  TestProfile lost;
  lost.Launch("kernel", {0, 10}, {20, 100});
  lost.Call("aclrtMemcpy", ApiKind::kMemcpy, {30, 40});
  EXPECT_EQ(AnalyzeAll(OneRank(lost.Finish())).Find("memcpy.d2h.bytes")->absent_because,
            "calls of the iterations copy, and none of their copies was recorded");

  TestProfile none;
  none.Launch("kernel", {0, 10}, {20, 100});
  EXPECT_EQ(NumberOf(AnalyzeAll(OneRank(none.Finish())), "memcpy.d2h.bytes"), 0);
}

TEST(Copies, OfADirectionThatIsNotSaid) {
  TestProfile test;
  test.CopyAlone({0, 100}, CopyKind::kUnknown, HostMemory::kUnknown, -1);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(analysis.Find("memcpy.h2d.time")->absent_because,
            "the recording does not say which way some of its copies go");
  EXPECT_EQ(analysis.FindTable("memcpys")->rows(), 1U);
}

TEST(HostCalls, SynchronizationAsAShareOfTheIterations) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Step(1, {1000, 2000});
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {500, 700});
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {600, 800}, test.Thread(2));
  test.Call("cudaMalloc", ApiKind::kMemory, {1200, 1300});
  test.Call("cudaStreamQuery", ApiKind::kSync, {1350, 1380});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "sync.time_share"), 300.0 / 2000);
  const Table& calls = *analysis.FindTable("api_calls");
  ASSERT_EQ(calls.rows(), 4U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "cudaDeviceSynchronize");
  EXPECT_EQ(TextAt(calls, 2, "kind"), "memory");
  EXPECT_DOUBLE_EQ(RealAt(calls, 2, "share"), 100.0 / 530);
}

TEST(HostCalls, CoveredTimeCountsEachMomentOfTheIterationsOnce) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {100, 400});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {200, 500}, test.Thread(2));
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {900, 1200}, test.Thread(2));
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& calls = *analysis.FindTable("api_calls");
  ASSERT_EQ(calls.rows(), 1U);
  EXPECT_EQ(IntegerAt(calls, 0, "time"), 900);
  EXPECT_EQ(IntegerAt(calls, 0, "covered_time"), 500);
}

// A copy that returns when it is done holds the host too; what the profiler waits for once the
// iterations' host ranges are over is not the program's.
TEST(HostCalls, BlockingCopiesSynchronizeAndTheProfilersOwnStopDoesNot) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {100, 300});
  test.Call("cudaMemcpyAsync", ApiKind::kMemcpy, {300, 400});
  test.Launch("kernel", {500, 510}, {520, 2000});
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {1100, 2000});
  EXPECT_DOUBLE_EQ(NumberOf(AnalyzeAll(OneRank(test.Finish())), "sync.time_share"), 200.0 / 2000);
}

TEST(TensorCores, EfficiencyCountsWhatCouldUseThem) {
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
  EXPECT_TRUE(efficiency->low_confidence);  // A third of the eligible time is undecided.
  EXPECT_EQ(efficiency->note,
            "up to 83.3\u202f% if all undecided kernels use Tensor Cores; in the policy, "
            "`tensor_core: {names: FILE}` says which do, `{unknown: upper_bound}` that all do");
}

TEST(TensorCores, WhoSaysThatUndecidedKernelsUseThemHasNothingUncertain) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Launch("volta_sgemm_64x64_nn", {12, 13}, {50, 60});  // 10, not.
  test.Launch("mystery", {14, 15}, {60, 90});               // 30, undecided.
  Knowledge knowledge;
  knowledge.undecided_use_tensor_cores = true;
  const Analysis analysis = AnalyzeOne(test.Finish(), std::move(knowledge));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0.75);
  const Metric* efficiency = analysis.Find("tensor_core.efficiency");
  EXPECT_FALSE(efficiency->low_confidence);
  EXPECT_EQ(efficiency->note, "down to 0\u202f% if no undecided kernel uses Tensor Cores");
}

// Nothing in its name says so, and it used none: what it multiplies on other units is what counts.
TEST(TensorCores, ACompiledFunctionCountsByItsProducts) {
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

TEST(TensorCores, DoublePrecisionIsNoReasonToCountACompiledFunction) {
  TestProfile test;
  test.Op("CompiledFunction", {0, 100});
  test.Launch("volta_dgemm_128x64_nt", {10, 11}, {20, 80});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.eligible_share"), 0);
}

// V100's Tensor Cores take no FP64; A100's do.
TEST(TensorCores, DoublePrecisionIsEligibleOnlyWhereTheChipHasIt) {
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

// Zero would be a claim about kernels of which neither the name nor the operator is known.
TEST(TensorCores, WhatNobodyKnowsIsNotIneligible) {
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
TEST(TensorCores, AnOperatorNobodyKnowsIsNoReasonToCallAKernelIneligible) {
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
            "no GPU of this recording has Tensor Cores");
}

TEST(TensorCores, WithoutOperatorsTheKernelsNameSaysWhatIsEligible) {
  TestProfile test;
  test.Op("x", {0, 1});
  test.Work("nvjet_tst_128x64_64x4_h_bz_TNN", {20, 50});
  test.Work("ampere_sgemm_64x64_nn", {50, 60});
  test.Work("void at::native::vectorized_elementwise_kernel<4>(P)", {60, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "tensor_core.efficiency"), 0.75);
}

TEST(Dtypes, SpellingsAndLists) {
  EXPECT_EQ(CanonicalDtype("c10::BFloat16"), "bfloat16");
  EXPECT_EQ(CanonicalDtype("Float"), "float32");
  EXPECT_EQ(CanonicalDtype("long int"), "int64");
  EXPECT_EQ(CanonicalDtype("who knows"), "who knows");
  EXPECT_EQ(DtypeBytes("c10::Half"), 2);
  EXPECT_EQ(FirstTensorDtype("[, Scalar, c10::Half, float]"), "float16");
  EXPECT_EQ(FirstTensorDtype("[Int, Double]"), "");
  EXPECT_EQ(SplitList("[[2, 3], [], [c10::complex<float>, x]]").size(), 3U);
  EXPECT_TRUE(SplitList("[]").empty());
  EXPECT_TRUE(SplitList("[[1, 2").empty());
}

TEST(Collectives, KindsFromAnySpelling) {
  struct Row {
    std::string_view name, kind;
  };
  constexpr Row kRows[] = {
      {"allreduce", "all_reduce"},
      {"nccl:all_reduce", "all_reduce"},
      {"_reduce_scatter_base", "reduce_scatter"},
      {"allgather_into_tensor_coalesced", "all_gather"},
      {"nccl:_all_gather_base", "all_gather"},
      {"all_to_allv", "all_to_all"},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", "reduce_scatter"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", "send_recv"},
      {"void vllm::cross_device_reduce_1stage<float, 8>(P)", "all_reduce"},
      {"c10d::broadcast_", "broadcast"},
      {"reduce", "reduce"},
      {"c10d::gather_", "gather"},
      {"scatter", "scatter"},
      {"barrier", "barrier"},
      {"wait", "other"},
      {"void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, 8>(float*)",
       "all_reduce"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(CollectiveKindId(CollectiveKindOf(row.name)), row.kind) << row.name;
  }
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kBroadcast, 4), 1);
}

// Rank 1 comes late to the collective: rank 0 waits 60 ns for it.
std::vector<Profile> OneLateRank() {
  const auto rank = [](int number, Ns join) {
    TestProfile test;
    test.builder().distributed().rank = number;
    test.builder().distributed().world_size = 2;
    Collective collective;
    collective.name = test.builder().Intern("allreduce");
    collective.dtype = test.builder().Intern("Float");
    collective.group = test.builder().Intern("default_pg");
    collective.in_elements = collective.out_elements = 1000;
    collective.group_size = 2;
    test.Op("step", {0, 200});
    test.Work("gemm", {0, join});
    DeviceRow row;
    row.start = join;
    row.duration = 120 - join;
    row.name = test.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)");
    row.gpu = number;
    row.stream = 20;
    row.collective = test.builder().AddCollective(collective);
    test.builder().AddDevice(row);
    return test.Finish();
  };
  std::vector<Profile> ranks;
  ranks.push_back(rank(0, 40));
  ranks.push_back(rank(1, 100));
  return ranks;
}

TEST(Communication, WaitingIsNotTransferring) {
  const Analysis analysis = AnalyzeAll(OneLateRank());
  const Table& calls = *analysis.FindTable("collectives");
  ASSERT_EQ(calls.rows(), 2U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "all_reduce");
  EXPECT_EQ(TextAt(calls, 0, "dtype"), "float32");
  EXPECT_EQ(IntegerAt(calls, 0, "bytes"), 4000);
  EXPECT_EQ(IntegerAt(calls, 0, "time"), 80);
  EXPECT_EQ(IntegerAt(calls, 1, "time"), 20);
  EXPECT_EQ(IntegerAt(calls, 0, "transfer_time"), 20);
  EXPECT_EQ(IntegerAt(calls, 1, "transfer_time"), 20);
  EXPECT_DOUBLE_EQ(RealAt(calls, 0, "bus_bandwidth"), 4000 / 20e-9);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "communication.all_reduce.busbw"), 4000 / 20e-9);
  EXPECT_EQ(NumberOf(analysis, "communication.time"), 100);
  EXPECT_EQ(NumberOf(analysis, "communication.overlap"), 0);
  EXPECT_TRUE(IsAbsent(analysis.Find("rank.straggler")->value));
  EXPECT_EQ(analysis.Find("rank.straggler")->absent_because,
            "a rank is late too seldom to tell habit from chance");
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "rank.imbalance"), 60.0 / 70);
  const Table& ranks = *analysis.FindTable("ranks");
  ASSERT_EQ(ranks.rows(), 2U);
  EXPECT_EQ(IntegerAt(ranks, 0, "waiting_time"), 60);
  EXPECT_EQ(IntegerAt(ranks, 1, "waiting_time"), 0);
  EXPECT_EQ(IntegerAt(ranks, 1, "compute_time"), 100);
}

TEST(Coverage, SharesOfGpuTime) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 50});
  test.Launch("a", {10, 20}, {30, 60});
  test.Work("lost its launch", {70, 90});
  test.Work("after the last iteration", {100, 150});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.linked_share"), 0.6);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 0.6);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 0.7);
}

TEST(Coverage, WorkFromBeforeTheIterationsIsNoFaultOfTheRecording) {
  TestProfile test;
  test.Op("aten::mm", {0, 50});
  test.Work("launched before the recording", {0, 30});
  test.Step(0, {10, 100});
  test.Launch("a", {20, 22}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.linked_share"), 1);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 1.0 / 3);
}

TEST(Coverage, RangesOfTheUsersAreNoOperators) {
  TestProfile test;
  test.Host(HostKind::kAnnotation, "epoch 0", {0, 200});
  test.Step(0, {0, 100});
  test.Launch("a", {10, 20}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(IsAbsent(analysis.Find("coverage.linked_share")->value));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
}

TEST(Coverage, AbsentWhereTheHostWasNotRecorded) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("a", {10, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  for (const char* id : {"coverage.linked_share", "coverage.launched_share"}) {
    EXPECT_TRUE(IsAbsent(analysis.Find(id)->value)) << id;
    EXPECT_TRUE(analysis.Find(id)->absent_because.starts_with("needs ")) << id;
  }
  // Work then belongs to the iteration in which it starts.
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 0);
}

TEST(Coverage, CallsWithoutOperatorsTellTheLaunchOnly) {
  TestProfile test;
  test.Launch("a", {0, 20}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(IsAbsent(analysis.Find("coverage.linked_share")->value));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
}

TEST(Memory, FragmentationIsMeasuredWhereMostIsReserved) {
  TestProfile test;
  test.Op("aten::empty", {0, 100});
  const auto event = [&](Ns time, std::int64_t bytes, std::int64_t allocated,
                         std::int64_t reserved) {
    MemoryRow row;
    row.time = time;
    row.thread = test.main();
    row.device_type = 1;
    row.device = 0;
    row.address = 0x1000;
    row.bytes = bytes;
    row.total_allocated = allocated;
    row.total_reserved = reserved;
    test.builder().AddMemory(row);
  };
  event(10, 900, 900, 1000);
  event(20, -900, 0, 1000);
  event(30, 500, 500, 2000);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(NumberOf(analysis, "memory.peak_allocated"), 900);
  EXPECT_EQ(NumberOf(analysis, "memory.peak_reserved"), 2000);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "memory.fragmentation"), 0.75);
  EXPECT_EQ(analysis.Find("memory.peak_share")->absent_because,
            CapabilityGap(Capability::kDeviceProperties));
  const Table& blocks = *analysis.FindTable("memory_events");
  ASSERT_EQ(blocks.rows(), 2U);
  EXPECT_EQ(IntegerAt(blocks, 0, "duration"), 10);
  EXPECT_EQ(IntegerAt(blocks, 1, "released_at"), Column::kAbsentInteger);
}

// What is allocated at the starts of iterations, as the allocator's totals say it.
Analysis WithMemoryAtStarts(const std::vector<std::int64_t>& levels) {
  TestProfile test;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Ns start = static_cast<Ns>(i) * 100;
    test.Step(static_cast<int>(i), {start, start + 90});
    // The peak of the iteration, then what the next one finds.
    for (const auto& [at, total] : {std::pair{start + 20, levels[i] + 5000},
                                    {start + 80, i + 1 < levels.size() ? levels[i + 1] : 0}}) {
      MemoryRow row;
      row.time = at;
      row.thread = test.main();
      row.device_type = 1;
      row.device = 0;
      row.bytes = 1;
      row.total_allocated = total;
      test.builder().AddMemory(row);
    }
  }
  return AnalyzeAll(OneRank(test.Finish()));
}

TEST(Memory, GrowsWhereEachIterationLeavesMoreThanTheOneBefore) {
  constexpr const char* kId = "memory.growth";
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 100, 200, 300, 400, 500, 600}), kId), 100);
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 700, 700, 700, 700, 700, 700}), kId), 0);
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 700, 600, 500, 400, 300, 200}), kId), 0);
  EXPECT_EQ(WithMemoryAtStarts({0, 100, 200, 300}).Find(kId)->absent_because,
            "needs five selected iterations");
}

TEST(Gpus, OneRowEach) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "Tesla V100";
  gpu.compute_major = 7;
  gpu.compute_minor = 0;
  gpu.sms = 80;
  test.builder().AddGpu(gpu);
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 50});
  test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 20}, {20, 60});
  test.Launch("volta_sgemm_64x64_nn", {20, 30}, {60, 70});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& gpus = *analysis.FindTable("gpus");
  ASSERT_EQ(gpus.rows(), 1U);
  EXPECT_EQ(TextAt(gpus, 0, "compute_capability"), "7.0");
  EXPECT_DOUBLE_EQ(RealAt(gpus, 0, "utilization"), 0.5);
  EXPECT_DOUBLE_EQ(RealAt(gpus, 0, "tensor_core_share"), 0.8);
  EXPECT_EQ(IntegerAt(gpus, 0, "kernel_time"), 50);
}

TEST(Kernels, TableTellsEligibleFromUnknown) {
  TestProfile test;
  test.Op("aten::mm", {0, 50});
  test.Launch("volta_sgemm_64x64_nn", {10, 20}, {20, 60});
  test.Work("volta_sgemm_64x64_nn", {60, 80});  // No operator, but a product by name.
  test.Work("relu", {80, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("kernels_by_op");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(TextAt(table, 0, "op"), "aten::mm");
  EXPECT_EQ(table.At(0, "tensor_core_eligible"), Value(true));
  EXPECT_EQ(table.At(1, "tensor_core_eligible"), Value(true));
  EXPECT_TRUE(IsAbsent(table.At(1, "op")));
  EXPECT_TRUE(IsAbsent(table.At(2, "tensor_core_eligible")));
  const Table& names = *analysis.FindTable("kernels");
  ASSERT_EQ(names.rows(), 2U);
  EXPECT_EQ(IntegerAt(names, 0, "calls"), 2);
  EXPECT_EQ(IntegerAt(names, 0, "min"), 20);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "kernel.short_share"), 1);
}

}  // namespace
}  // namespace profgauge
