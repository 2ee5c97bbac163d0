// Kernels that did not run as the program would run them.
#include <gtest/gtest.h>

#include <string_view>

#include "built_rows.h"

namespace profgauge {
namespace {

constexpr int kLaunches = 12;

// For each launch this many kernels of 50 us, `call_ns` being how long the call takes.
std::uint64_t Serialized(Ns call_ns, int kernels, std::string_view call = "cudaLaunchKernel") {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  for (int i = 0; i < kLaunches; ++i) {
    const Ns start = i * 1'000'000;
    ApiRow launch = Launch(builder, start, call_ns, thread, i);
    launch.name = builder.Intern(call);
    builder.AddApi(launch);
    for (int k = 0; k < kernels; ++k) {
      DeviceRow kernel = Kernel(builder, start + 4'000 + k * 60'000, i);
      kernel.duration = 50'000;
      builder.AddDevice(kernel);
    }
  }
  const auto profile = builder.Finish();
  EXPECT_TRUE(profile);
  return profile ? profile->log[Counter::kernels_serialized] : 0;
}

TEST(Serialized, LaunchesThatWaitForTheirKernels) {
  EXPECT_EQ(Serialized(60'000, 1), 12u);
  EXPECT_EQ(Serialized(60'000, 1, "hipLaunchKernel"), 12u);
  EXPECT_EQ(Serialized(5'000, 1), 0u);
}

TEST(Serialized, KernelsThatRanAgainForCounters) {
  EXPECT_EQ(Serialized(5'000, 3), 12u);
  EXPECT_EQ(Serialized(5'000, 3, "cudaGraphLaunch"), 0u);  // A graph may have one kernel thrice.
  EXPECT_EQ(Serialized(5'000, 3, "aclnnAdd"), 0u);         // Such calls have no data.
}

}  // namespace
}  // namespace profgauge
