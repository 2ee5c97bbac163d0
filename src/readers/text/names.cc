#include "readers/text/names.h"

#include <array>
#include <initializer_list>

#include "base/text.h"

namespace profgauge::readers {
ApiKind ApiKindOf(std::string_view call) {
  // Callbacks on the host are launched, too, but run no kernels.
  if (ContainsAny(call, {"LaunchHostFunc"})) return ApiKind::kOther;
  if (ContainsAny(call, {"Memcpy", "memcpy", "MemBufferCopy", "USMMemcpy", "memory_async_copy",
                         "MemoryCopy"}))
    return ApiKind::kMemcpy;
  if (ContainsAny(call, {"Memset", "memset", "USMFill", "MemoryFill"})) return ApiKind::kMemset;
  if (ContainsAny(call, {"Synchronize", "HostSynchronize", "EventWait", "QueueFinish",
                         "signal_wait", "QueueSync", "SyncDevice"}) &&
      !ContainsAny(call, {"StreamWaitEvent"})) {
    return ApiKind::kSync;
  }
  if (ContainsAny(call, {"Launch", "launch", "InvokeKernel"})) return ApiKind::kLaunch;
  if (ContainsAny(call, {"Malloc", "malloc", "Free", "MemAlloc", "MemCreate", "MemMap", "MemUnmap",
                         "HostAlloc", "HostRegister", "HostUnregister", "MemAddress",
                         "memory_pool_allocate", "memory_pool_free"})) {
    return ApiKind::kMemory;
  }
  return ApiKind::kOther;
}

CopyKind CopyKindOf(std::string_view copy) {
  struct Spelling {
    std::string_view text;
    CopyKind kind;
  };
  static constexpr std::array<Spelling, 19> kSpellings = {{
      {"HtoD", CopyKind::kHostToDevice},
      {"DtoH", CopyKind::kDeviceToHost},
      {"DtoD", CopyKind::kDeviceToDevice},
      {"HtoH", CopyKind::kHostToHost},
      {"PtoP", CopyKind::kPeerToPeer},
      {"Peer", CopyKind::kPeerToPeer},
      {"HostToDevice", CopyKind::kHostToDevice},
      {"DeviceToHost", CopyKind::kDeviceToHost},
      {"DeviceToDevice", CopyKind::kDeviceToDevice},
      {"HostToHost", CopyKind::kHostToHost},
      {"HtoA", CopyKind::kHostToDevice},
      {"AtoH", CopyKind::kDeviceToHost},
      {"AtoA", CopyKind::kDeviceToDevice},
      {"AtoD", CopyKind::kDeviceToDevice},
      {"DtoA", CopyKind::kDeviceToDevice},
      {"M2D", CopyKind::kHostToDevice},
      {"D2M", CopyKind::kDeviceToHost},
      {"H2D", CopyKind::kHostToDevice},
      {"D2H", CopyKind::kDeviceToHost},
  }};
  for (const auto& spelling : kSpellings) {
    if (copy.find(spelling.text) != std::string_view::npos) return spelling.kind;
  }
  if (ContainsAny(copy, {"D2D"})) return CopyKind::kDeviceToDevice;
  return CopyKind::kUnknown;
}

HostMemory HostMemoryOf(std::string_view copy) {
  if (ContainsAny(copy, {"Pageable"})) return HostMemory::kPageable;
  if (ContainsAny(copy, {"Pinned"})) return HostMemory::kPinned;
  if (ContainsAny(copy, {"Managed", "Unified"})) return HostMemory::kManaged;
  return HostMemory::kUnknown;
}

}  // namespace profgauge::readers
