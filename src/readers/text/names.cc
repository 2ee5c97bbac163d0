#include "readers/text/names.h"

#include <array>
#include <initializer_list>

namespace profgauge::readers {
namespace {

bool HasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const auto part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

ApiKind ApiKindOf(std::string_view call) {
  // Callbacks on the host are launched too, but run no device work.
  if (HasAny(call, {"LaunchHostFunc"})) return ApiKind::kOther;
  if (HasAny(call,
             {"Memcpy", "memcpy", "MemBufferCopy", "USMMemcpy", "memory_async_copy", "MemoryCopy"}))
    return ApiKind::kMemcpy;
  if (HasAny(call, {"Memset", "memset", "USMFill", "MemoryFill"})) return ApiKind::kMemset;
  if (HasAny(call, {"Synchronize", "HostSynchronize", "EventWait", "QueueFinish", "signal_wait",
                    "QueueSync", "SyncDevice"}) &&
      !HasAny(call, {"StreamWaitEvent"})) {
    return ApiKind::kSync;
  }
  if (HasAny(call, {"Launch", "launch", "InvokeKernel"})) return ApiKind::kLaunch;
  if (HasAny(call, {"Malloc", "malloc", "Free", "MemAlloc", "MemCreate", "MemMap", "MemUnmap",
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
  if (HasAny(copy, {"D2D"})) return CopyKind::kDeviceToDevice;
  return CopyKind::kUnknown;
}

HostMemory HostMemoryOf(std::string_view copy) {
  if (HasAny(copy, {"Pageable"})) return HostMemory::kPageable;
  if (HasAny(copy, {"Pinned"})) return HostMemory::kPinned;
  if (HasAny(copy, {"Managed", "Unified"})) return HostMemory::kManaged;
  return HostMemory::kUnknown;
}

}  // namespace profgauge::readers
