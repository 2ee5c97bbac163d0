// Meaning of the names of calls and copies, in the spellings of all runtimes.
#include "readers/text/names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "readers/cuda/cuda_activity.h"

namespace profgauge::readers {
namespace {

TEST(Names, ShowTheKindOfACall) {
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

// CUpti_ActivityMemcpyKind; an array is memory of the device.
TEST(Names, NumbersOfCopiesAreCuptis) {
  struct Row {
    std::int64_t number;
    CopyKind kind;
    std::string_view name;
  };
  constexpr Row kRows[] = {
      {0, CopyKind::kUnknown, "[CUDA memcpy]"},
      {1, CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Device]"},
      {2, CopyKind::kDeviceToHost, "[CUDA memcpy Device-to-Host]"},
      {3, CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Array]"},
      {4, CopyKind::kDeviceToHost, "[CUDA memcpy Array-to-Host]"},
      {5, CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Array]"},
      {6, CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Device]"},
      {7, CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Array]"},
      {8, CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Device]"},
      {9, CopyKind::kHostToHost, "[CUDA memcpy Host-to-Host]"},
      {10, CopyKind::kPeerToPeer, "[CUDA memcpy Peer-to-Peer]"},
      {11, CopyKind::kHostToDevice, "[CUDA memcpy Unified Host-to-Device]"},
      {12, CopyKind::kDeviceToHost, "[CUDA memcpy Unified Device-to-Host]"},
      {13, CopyKind::kDeviceToDevice, "[CUDA memcpy Unified Device-to-Device]"},
      {14, CopyKind::kUnknown, "[CUDA memcpy]"},
  };
  for (const Row& row : kRows) {
    const CudaCopy copy = CudaCopyOf(row.number);
    EXPECT_EQ(copy.kind, row.kind) << row.number;
    EXPECT_EQ(copy.name, row.name) << row.number;
    EXPECT_EQ(copy.migrates, row.number >= 11 && row.number <= 13) << row.number;
  }
}

TEST(Names, ShowWhereACopyGoes) {
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
