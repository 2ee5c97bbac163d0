// Copies and calls of the runtime, on small profiles made by hand.
#include <gtest/gtest.h>

#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

TEST(Copies, BySizeAndKind) {
  TestProfile test;
  test.Op("aten::copy_", {0, 1000});
  test.CopyAlone({0, 100}, CopyKind::kHostToDevice, HostMemory::kPageable, 300);
  test.CopyAlone({100, 200}, CopyKind::kHostToDevice, HostMemory::kPinned, 700);
  test.CopyAlone({200, 210}, CopyKind::kDeviceToHost, HostMemory::kPinned, -1);
  test.CopyAlone({300, 400}, CopyKind::kPeerToPeer, HostMemory::kUnknown, 50);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "memcpy.pageable_share"), 0.3);
  // By time, then by kind and host memory.
  const Table& copies = *analysis.FindTable("memcpys");
  ASSERT_EQ(copies.rows(), 4U);
  std::int64_t time = 0, bytes = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    time += IntegerAt(copies, row, "time");
    if (!IsAbsent(copies.At(row, "bytes"))) bytes += IntegerAt(copies, row, "bytes");
    if (TextAt(copies, row, "host_memory") == "pageable") {
      EXPECT_DOUBLE_EQ(RealAt(copies, row, "bandwidth"), 3e9);
    }
  }
  EXPECT_EQ(time, 310);
  EXPECT_EQ(bytes, 1050);
  EXPECT_TRUE(IsAbsent(copies.At(3, "bytes")));
  EXPECT_TRUE(IsAbsent(copies.At(3, "bandwidth")));
}

// A missing copy is not 0 if the file could not hold one, or has left out those that were made.
TEST(Copies, ThatNoProfileShowsAreAbsent) {
  TestProfile of_format;
  of_format.builder().SetCopiesUnknown("this format has kernels but no copies");
  of_format.Work("kernel", {0, 100});
  const Analysis kernels = AnalyzeAll(OneRank(of_format.Finish()));
  EXPECT_EQ(kernels.absent_tables.count("memcpys"), 1U);
  EXPECT_EQ(kernels.Find("memcpy.h2d.bytes_per_iteration")->absent_because,
            "this format has kernels but no copies");

  TestProfile of_device;
  of_device.builder().SetCopiesUnknown("DMA inside of the device only");
  of_device.CopyAlone({0, 100}, CopyKind::kDeviceToDevice, HostMemory::kUnknown, 50);
  const Analysis inside = AnalyzeAll(OneRank(of_device.Finish()));
  EXPECT_EQ(inside.Find("memcpy.d2h.bytes_per_iteration")->absent_because,
            "DMA inside of the device only");
  EXPECT_EQ(NumberOf(inside, "memcpy.d2d.bytes_per_iteration"), 50);
  EXPECT_EQ(inside.FindTable("memcpys")->rows(), 1U);

  TestProfile lost;
  lost.Launch("kernel", {0, 10}, {20, 100});
  lost.Call("aclrtMemcpy", ApiKind::kMemcpy, {30, 40});
  EXPECT_EQ(
      AnalyzeAll(OneRank(lost.Finish())).Find("memcpy.d2h.bytes_per_iteration")->absent_because,
      "calls in the iterations copy data, but their copies were not recorded");

  TestProfile none;
  none.Launch("kernel", {0, 10}, {20, 100});
  EXPECT_EQ(NumberOf(AnalyzeAll(OneRank(none.Finish())), "memcpy.d2h.bytes_per_iteration"), 0);
}

// A checkpoint copies once: copies of only one iteration are distinguished.
TEST(Copies, SeparatesCopiesOfSingleIterations) {
  for (const int checkpoints : {0, 1, 2}) {
    TestProfile test;
    Ns at = 0;
    for (int step = 0; step < 10; ++step) {
      const Ns begin = at;
      test.Copy("cudaMemcpyAsync", {at, at + 1}, {at + 1, at + 10}, CopyKind::kHostToDevice,
                HostMemory::kPinned, 100);
      test.Launch("kernel", {at + 10, at + 11}, {at + 12, at + 80});
      const Ns saved = step == 4 || (step == 7 && checkpoints == 2) ? 500 : 10;
      if (checkpoints > 0) {
        test.Copy("cudaMemcpy", {at + 79, at + 80 + saved}, {at + 80, at + 80 + saved},
                  CopyKind::kDeviceToHost, HostMemory::kPageable, 100);
      }
      at += 80 + saved;
      test.Step(step, {begin, at});
    }
    const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
    const Table& copies = *analysis.FindTable("memcpys");
    ASSERT_EQ(copies.rows(), checkpoints == 0 ? 1U : 2U);
    const bool is_once = checkpoints == 1;
    EXPECT_EQ(copies.At(0, "exposed_once"), is_once ? Value(std::int64_t{490}) : Value{});
    if (checkpoints > 0) {
      EXPECT_TRUE(IsAbsent(copies.At(1, "exposed_once")));
    }
  }
}

TEST(Copies, KeepsCopiesOfUnknownDirection) {
  TestProfile test;
  test.CopyAlone({0, 100}, CopyKind::kUnknown, HostMemory::kUnknown, -1);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(IsAbsent(analysis.Find("memcpy.h2d.bytes_per_iteration")->value));
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

TEST(HostCalls, CoveredTimeCountsEachMomentOnce) {
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

// A runtime's wait may wait by another call, which is not one more wait of the program.
TEST(HostCalls, CountsNestedCalls) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Call("hipDeviceSynchronize", ApiKind::kSync, {100, 400});
  test.Call("hipStreamSynchronize", ApiKind::kSync, {150, 380});
  test.Call("hipStreamSynchronize", ApiKind::kSync, {500, 600});
  test.Call("hipStreamSynchronize", ApiKind::kSync, {510, 590}, test.Thread(2));
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& calls = *analysis.FindTable("api_calls");
  ASSERT_EQ(calls.rows(), 2U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "hipStreamSynchronize");
  EXPECT_EQ(IntegerAt(calls, 0, "calls"), 3);
  EXPECT_EQ(IntegerAt(calls, 0, "nested"), 1);
  EXPECT_EQ(IntegerAt(calls, 1, "nested"), 0);
}

// Nothing divides the profile: its window begins with the first device work, and calls before that
// count only if they launched some.
TEST(HostCalls, LeavesOutCallsBeforeTheWindow) {
  TestProfile test;
  test.Call("cuDeviceGetAttribute", ApiKind::kOther, {0, 500});
  test.Call("cudaMalloc", ApiKind::kMemory, {500, 700});
  test.Launch("first", {800, 900}, {1000, 1500});
  test.Call("cudaFree", ApiKind::kMemory, {1200, 1300});
  test.Launch("second", {1400, 1450}, {1500, 2000});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& calls = *analysis.FindTable("api_calls");
  ASSERT_EQ(calls.rows(), 2U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "cudaLaunchKernel");
  EXPECT_EQ(IntegerAt(calls, 0, "calls"), 2);
  EXPECT_EQ(TextAt(calls, 1, "name"), "cudaFree");
}

// Calls are by thread: those of the second begin before the last of the first.
TEST(HostCalls, CoveredTimeTakesThreadsUnordered) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Step(1, {1100, 2000});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {100, 400});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {900, 1200});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {50, 150}, test.Thread(2));
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {1150, 1300}, test.Thread(2));
  test.Call("cudaMalloc", ApiKind::kMemory, {400, 500});
  test.Call("cudaMalloc", ApiKind::kMemory, {950, 1150});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& calls = *analysis.FindTable("api_calls");
  ASSERT_EQ(calls.rows(), 2U);
  EXPECT_EQ(TextAt(calls, 0, "name"), "cudaMemcpy");
  EXPECT_EQ(IntegerAt(calls, 0, "covered_time"), 350 + 100 + 200);
  EXPECT_EQ(IntegerAt(calls, 1, "covered_time"), 100 + 50 + 50);
}

// A copy that returns when it is done holds the host too; waits of the profiler after the
// iterations' host ranges are not the program's.
TEST(HostCalls, BlockingCopiesSynchronize) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Call("cudaMemcpy", ApiKind::kMemcpy, {100, 300});
  test.Call("cudaMemcpyAsync", ApiKind::kMemcpy, {300, 400});
  test.Launch("kernel", {500, 510}, {520, 2000});
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {1100, 2000});
  EXPECT_DOUBLE_EQ(NumberOf(AnalyzeAll(OneRank(test.Finish())), "sync.time_share"), 200.0 / 2000);
}

}  // namespace
}  // namespace profgauge::analysis
