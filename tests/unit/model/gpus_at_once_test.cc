// Two processes on one number of a GPU: they take turns on one, or each has its own.
#include <gtest/gtest.h>

#include "built_rows.h"
#include "model/certificate.h"
#include "model/processes.h"

namespace profgauge {
namespace {

// Kernels of 10 us of two processes, those of the second one this much later.
std::uint64_t Unknown(Ns later, bool gpus_by_process) {
  ProfileBuilder builder;
  for (int process = 0; process < 2; ++process) {
    const ThreadId thread = builder.AddThread(std::to_string(process + 1), "1");
    for (int i = 0; i < 20; ++i) {
      const Ns start = i * 30'000 + process * later;
      builder.AddApi(Launch(builder, start, 1'000, thread, process * 100 + i));
      DeviceRow kernel = Kernel(builder, start + 5'000, process * 100 + i);
      kernel.duration = 10'000;
      builder.AddDevice(kernel);
    }
  }
  Profile profile = *builder.Finish();
  profile.gpus_by_process = gpus_by_process;
  const auto parts = SplitProcesses(std::move(profile));
  return parts.front().log[Counter::gpus_unknown];
}

TEST(GpusAtOnce, ConcurrentProcessesShareOrSplitGpus) {
  EXPECT_EQ(Unknown(0, true), 1u);
  EXPECT_EQ(Unknown(8'000, true), 1u);
  EXPECT_EQ(Unknown(15'000, true), 0u);  // They take turns.
  EXPECT_EQ(Unknown(0, false), 0u);      // The profile shows which GPU each is.
}

// Where a launch may be another process's, work after its wait says nothing about the clock.
TEST(GpusAtOnce, LeaveTheClockUnknown) {
  for (const bool gpus_by_process : {false, true}) {
    ProfileBuilder builder;
    for (int process = 0; process < 2; ++process) {
      const ThreadId thread = builder.AddThread(std::to_string(process + 1), "1");
      for (int i = 0; i < 20; ++i) {
        const Ns start = i * 30'000'000;
        const int id = process * 100 + i;
        builder.AddApi(Launch(builder, start, 1'000, thread, id));
        DeviceRow kernel = Kernel(builder, start + 8'000'000, id);
        kernel.duration = 1'000'000;
        builder.AddDevice(kernel);
        ApiRow wait = Launch(builder, start + 2'000, 1'000, thread, -1);
        wait.name = builder.Intern("cudaDeviceSynchronize");
        wait.kind = ApiKind::kSync;
        builder.AddApi(wait);
      }
    }
    Profile profile = *builder.Finish();
    EXPECT_NE(FactOf(profile, kDeviceClock), "");
    profile.gpus_by_process = gpus_by_process;
    const auto parts = SplitProcesses(std::move(profile));
    EXPECT_EQ(FactOf(parts.front(), kDeviceClock).empty(), gpus_by_process);
  }
}

// A file that was merged of two: each counted its launches from the same number on.
TEST(GpusAtOnce, LaunchNumbersCountPerProcess) {
  ProfileBuilder builder;
  for (int process = 0; process < 2; ++process) {
    const ThreadId thread = builder.AddThread(std::to_string(process + 1), "1");
    for (int i = 0; i < 20; ++i) {
      const Ns start = i * 30'000 + process * 2'000;
      builder.AddApi(Launch(builder, start, 10'000, thread, i));
      builder.AddDevice(Kernel(builder, start + 12'000, i));
    }
  }
  const Profile profile = *builder.Finish();
  std::vector<std::size_t> works(profile.api.size());
  for (const ApiId call : profile.device.launch) {
    ASSERT_TRUE(call.valid());
    ++works[call.value];
  }
  EXPECT_EQ(works, std::vector<std::size_t>(40, 1));
}

}  // namespace
}  // namespace profgauge
