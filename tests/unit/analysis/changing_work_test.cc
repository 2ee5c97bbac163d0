// Kernels whose inputs change in size from iteration to iteration.
#include "analysis/breakdown/changing_work.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Four iterations of a product of that many rows, an update that is always the same, and in some a
// reduction of it.
std::vector<Ns> ChangingOf(const std::vector<int>& rows, bool reduces = false) {
  TestProfile test;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Ns at = static_cast<Ns>(i) * 10'000;
    test.Step(static_cast<int>(i), {at, at + 9'000});
    test.Host(HostKind::kOp, "aten::mm", {at + 100, at + 200}, {},
              "[[" + std::to_string(rows[i]) + ",8]]");
    test.Launch("gemm", {at + 110, at + 120}, {at + 300, at + 300 + rows[i]});
    test.Launch("adam", {at + 310, at + 320}, {at + 5'000, at + 5'500});
    if (reduces) {
      test.Launch("ncclDevKernel_AllReduce_Sum", {at + 330, at + 340},
                  {at + 6'000, at + 6'000 + static_cast<Ns>(i)});
    }
  }
  const Profile profile = test.Finish();
  auto contexts = iterations::BuildRankContexts(std::span(&profile, 1), {});
  EXPECT_TRUE(contexts);
  return breakdown::ChangingWork(contexts->front());
}

TEST(ChangingWork, CountsKernelsWithOtherShapes) {
  EXPECT_THAT(ChangingOf({1000, 2000, 1500, 3000}), ElementsAre(1000, 2000, 1500, 3000));
  EXPECT_THAT(ChangingOf({1000, 1000, 1500, 3000}, true), ElementsAre(1000, 1000, 1500, 3000));
}

TEST(ChangingWork, NoneIfMostIterationsAreEqual) {
  EXPECT_THAT(ChangingOf({1000, 1000, 1000, 1000}), Each(0));
  EXPECT_THAT(ChangingOf({1000, 1000, 1000, 3000}, true), Each(0));
}

// Configurations and shapes are numbered as they come: sums of both say nothing.
TEST(ChangingWork, OppositeOrdersAreOtherKinds) {
  constexpr int kKinds = 40, kSteps = 12;
  TestProfile test;
  Ns at = 0;
  std::int64_t correlation = 0;
  const auto launch = [&](int shape, int grid, Ns duration) {
    test.Host(HostKind::kOp, "aten::mm", {at, at + 9}, {}, "[[" + std::to_string(shape) + "]]");
    ApiRow call;
    call.start = at + 1;
    call.duration = 2;
    call.name = test.builder().Intern("cudaLaunchKernel");
    call.kind = ApiKind::kLaunch;
    call.thread = test.main();
    call.correlation = ++correlation;
    test.builder().AddApi(call);
    DeviceRow kernel;
    kernel.start = at + 5;
    kernel.duration = duration;
    kernel.name = test.builder().Intern("gemm");
    kernel.gpu = 0;
    kernel.stream = 7;
    kernel.correlation = correlation;
    LaunchConfig config;
    config.grid[0] = grid;
    kernel.config = test.builder().AddLaunchConfig(config);
    test.builder().AddDevice(kernel);
    at += 1'000;
  };
  for (int i = 1; i <= kKinds; ++i) launch(i, i, 3);
  std::vector<Ns> durations;
  for (int i = 1; i <= kSteps; ++i) {
    test.Step(i, {at - 10, at + 900});
    durations.push_back(20 + 40 * i);
    launch(i, kKinds + 1 - i, durations.back());
  }
  const Profile profile = test.Finish();
  const auto contexts = iterations::BuildRankContexts(std::span(&profile, 1), {});
  ASSERT_TRUE(contexts);
  EXPECT_EQ(breakdown::ChangingWork(contexts->front()), durations);
}

// The sizes follow neither from configurations nor from shapes, but from the copies: in the same
// iteration or, where the loader works ahead, in the one before. `ahead`: how many iterations.
std::vector<Ns> OfCopies(const std::vector<Ns>& sizes, const std::vector<Ns>& times,
                         std::size_t ahead) {
  TestProfile test;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Ns at = static_cast<Ns>(i) * 10'000;
    const Ns bytes = sizes[(i + ahead) % sizes.size()];
    test.Step(static_cast<int>(i), {at, at + 9'000});
    test.Copy("cudaMemcpyAsync", {at + 10, at + 20}, {at + 30, at + 40}, CopyKind::kHostToDevice,
              HostMemory::kPinned, bytes);
    test.Launch("gemm", {at + 110, at + 120}, {at + 300, at + 300 + times[i]});
  }
  const Profile profile = test.Finish();
  auto contexts = iterations::BuildRankContexts(std::span(&profile, 1), {});
  EXPECT_TRUE(contexts);
  return breakdown::ChangingWork(contexts->front());
}

TEST(ChangingWork, FollowsCopySizes) {
  const std::vector<Ns> sizes = {5, 2, 9, 4, 7, 1, 8, 3, 10, 6};
  std::vector<Ns> times, others;
  for (const Ns size : sizes) {
    times.push_back(1'000 + 100 * size);
    others.push_back(1'000 + size * 7919 % 1'000);
  }
  for (const std::size_t ahead : {0U, 1U}) EXPECT_EQ(OfCopies(sizes, times, ahead), times);
  // Kernels that take longer or shorter whatever is copied vary, and so they do beside equal
  // copies.
  EXPECT_THAT(OfCopies(sizes, others, 0), Each(0));
  EXPECT_THAT(OfCopies(std::vector<Ns>(10, 5), times, 0), Each(0));
}

TEST(ChangingWork, UsesOperatorsWithoutDeviceWork) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * 10'000, rows = 1000 + i * 500;
    test.Step(i, {at, at + 9'000});
    const std::string shapes = "[[" + std::to_string(rows) + ",8]]";
    test.Host(HostKind::kOp, "aten::linear", {at + 100, at + 200 + rows}, {}, shapes);
    test.Host(HostKind::kOp, "aten::mm", {at + 150, at + 150 + rows}, {}, shapes);
    test.Host(HostKind::kOp, "aten::add_", {at + 5'000, at + 5'500}, {}, "[[8]]");
    test.Op("aten::item", {at + 6'000, at + 6'100 + i});
  }
  const Profile profile = test.Finish();
  const auto contexts = iterations::BuildRankContexts(std::span(&profile, 1), {});
  ASSERT_TRUE(contexts);
  EXPECT_THAT(breakdown::ChangingWork(contexts->front()), ElementsAre(1100, 1600, 2100, 2600));
}

}  // namespace
}  // namespace profgauge::analysis
