// The Kineto reader's rows for each kind of event, shown on traces of a few events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kineto_text.h"

namespace profgauge::readers {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kSmall = R"(
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 10, "tid": 10, "ts": 100, "dur": 50,
   "args": {"External id": 1, "Input Dims": [[32, 3], [], [[1, 2]]], "Input type": ["float", "", "c10::Half"]}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 10, "tid": 10, "ts": 110, "dur": 30,
   "args": {"External id": 2, "Sequence number": 7}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 10, "ts": 120, "dur": 10,
   "args": {"External id": 2, "correlation": 900}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 140.5, "dur": 20.125,
   "args": {"External id": 2, "correlation": 900, "device": 0, "stream": 7, "grid": [4, 2, 1],
            "block": [128, 1, 1], "registers per thread": 32, "shared memory": 16,
            "blocks per SM": 0.5, "warps per SM": 2, "est. achieved occupancy %": 25}}
)";

TEST(KinetoReader, LinksKernelToInnermostOp) {
  const auto profile = ReadText(Trace(kSmall));
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->device.size(), 1u);
  ASSERT_TRUE(profile->device.op[0].valid());
  EXPECT_EQ(profile->Name(profile->host.name[profile->device.op[0].value]), "aten::addmm");
  EXPECT_EQ(profile->device.launch[0], ApiId{0});
  EXPECT_THAT(profile->host.parent, ElementsAre(HostId{}, HostId{0}));
  EXPECT_EQ(profile->device.start[0], 40'500);
  EXPECT_EQ(profile->device.duration[0], 20'125);
  EXPECT_EQ(profile->origin_ns, 100'000);
  const auto& config = profile->launch_configs[profile->device.config[0].value];
  EXPECT_THAT(config.grid, ElementsAre(4, 2, 1));
  EXPECT_EQ(config.occupancy, 0.25);
}

// Kineto writes 0 for kernels that it cannot estimate.
TEST(KinetoReader, NoOccupancyOfNothingIsUnknown) {
  const auto occupancy_of = [](const std::string& warps) {
    std::string text(kSmall);
    const std::string known = R"("warps per SM": 2, "est. achieved occupancy %": 25)";
    text.replace(text.find(known), known.size(),
                 "\"warps per SM\": " + warps + ", \"est. achieved occupancy %\": 0");
    const auto profile = ReadText(Trace(text));
    return profile->launch_configs[profile->device.config[0].value].occupancy;
  };
  EXPECT_LT(occupancy_of("18.8"), 0);
  EXPECT_EQ(occupancy_of("0.05"), 0);
}

TEST(KinetoReader, CanonicalShapesAndTypes) {
  const auto profile = ReadText(Trace(kSmall));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->Name(profile->host.input_shapes[0]), "[[32, 3], [], [[1, 2]]]");
  EXPECT_EQ(profile->Name(profile->host.input_dtypes[0]), "[float, , c10::Half]");
  EXPECT_FALSE(profile->host.input_shapes[1].valid());
}

TEST(KinetoReader, ReadsABareList) {
  const auto profile = ReadText("[" + std::string(kSmall) + "]");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->device.size(), 1u);
}

}  // namespace
}  // namespace profgauge::readers
