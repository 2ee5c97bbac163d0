// What names of calls and copies say, in the spellings of all runtimes.
#include "readers/text/names.h"

#include <gtest/gtest.h>

#include <utility>

namespace profgauge::readers {
namespace {

TEST(Names, TellTheKindOfACall) {
  constexpr std::pair<std::string_view, ApiKind> kRows[] = {
      {"cudaLaunchKernel", ApiKind::kLaunch},
      {"cuLaunchKernelEx", ApiKind::kLaunch},
      {"hipModuleLaunchKernel", ApiKind::kLaunch},
      {"cudaGraphLaunch_v10000", ApiKind::kLaunch},
      {"cudaLaunchHostFunc", ApiKind::kOther},  // Runs on the host.
      {"cudaMemcpyAsync", ApiKind::kMemcpy},
      {"hsa_amd_memory_async_copy", ApiKind::kMemcpy},
      {"cuMemsetD8Async", ApiKind::kMemset},
      {"cudaDeviceSynchronize", ApiKind::kSync},
      {"hsa_signal_wait_scacquire", ApiKind::kSync},
      {"cudaStreamWaitEvent", ApiKind::kOther},  // The stream waits, not the host.
      {"cudaMalloc", ApiKind::kMemory},
      {"cudaFree", ApiKind::kMemory},
      {"cudaHostAlloc", ApiKind::kMemory},
      {"cudaEventRecord", ApiKind::kOther},
      {"", ApiKind::kOther},
  };
  for (const auto& [call, kind] : kRows) EXPECT_EQ(ApiKindOf(call), kind) << call;
}

TEST(Names, TellWhereACopyGoes) {
  struct Row {
    std::string_view copy;
    CopyKind kind;
    HostMemory memory;
  };
  constexpr Row kRows[] = {
      {"Memcpy HtoD (Pageable -> Device)", CopyKind::kHostToDevice, HostMemory::kPageable},
      {"Memcpy DtoH (Device -> Pinned)", CopyKind::kDeviceToHost, HostMemory::kPinned},
      {"Memcpy DtoD (Device -> Device)", CopyKind::kDeviceToDevice, HostMemory::kUnknown},
      {"CopyHostToDevice", CopyKind::kHostToDevice, HostMemory::kUnknown},
      {"Memcpy PtoP (Device -> Device)", CopyKind::kPeerToPeer, HostMemory::kUnknown},
      {"copy", CopyKind::kUnknown, HostMemory::kUnknown},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(CopyKindOf(row.copy), row.kind) << row.copy;
    EXPECT_EQ(HostMemoryOf(row.copy), row.memory) << row.copy;
  }
}

}  // namespace
}  // namespace profgauge::readers
