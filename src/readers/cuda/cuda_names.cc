#include "readers/cuda/cuda_names.h"

#include <re2/re2.h>

#include <string>

#include "readers/text/names.h"

namespace profgauge::readers {
namespace {

std::string WithoutVersion(std::string_view name) {
  static const RE2 suffix(R"((?:_v\d+|_ptsz|_ptds)+$)");
  std::string stripped(name);
  RE2::Replace(&stripped, suffix, "");
  return stripped;
}

}  // namespace

std::pair<StringId, ApiKind> AddApiName(std::string_view recorded, ProfileBuilder& builder) {
  const std::string name = recorded.empty() ? "(unnamed call)" : WithoutVersion(recorded);
  const StringId id = builder.Intern(name);
  if (name != recorded && !recorded.empty()) builder.AddApiSymbol(id, builder.Intern(recorded));
  return {id, ApiKindOf(name)};
}

CudaCopy CudaCopyOf(std::int64_t copy_kind) {
  switch (copy_kind) {
    case 1:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Device]"};
    case 2:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Device-to-Host]"};
    case 3:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Array]"};
    case 4:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Array-to-Host]"};
    case 5:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Array]"};
    case 6:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Device]"};
    case 7:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Array]"};
    case 8:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Device]"};
    case 9:
      return {CopyKind::kHostToHost, "[CUDA memcpy Host-to-Host]"};
    case 10:
      return {CopyKind::kPeerToPeer, "[CUDA memcpy Peer-to-Peer]"};
    case 11:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Unified Host-to-Device]", true};
    case 12:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Unified Device-to-Host]", true};
    case 13:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Unified Device-to-Device]", true};
    default:
      return {CopyKind::kUnknown, "[CUDA memcpy]"};
  }
}

}  // namespace profgauge::readers
