// Names and numbers of CUDA as NVIDIA's tools write them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "model/profile_builder.h"

namespace profgauge::readers {

/// A runtime or driver call: its name without the suffix of a version, under which calls are
/// grouped ("cudaLaunchKernel_ptsz_v7000" and "cudaLaunchKernel" are one function), and its kind.
/// The recorded name is kept in Profile::api_symbols. Call it once for each recorded name.
std::pair<StringId, ApiKind> AddApiName(std::string_view recorded, ProfileBuilder& builder);

/// The meaning of one number of a copy.
struct CudaCopy {
  CopyKind kind;
  std::string_view name;  ///< nsys' words: "[CUDA memcpy Host-to-Device]".
  bool migrates = false;  ///< Pages of unified memory, moved by the driver.
};
/// CUPTI's number of a copy's kind.
CudaCopy CudaCopyOf(std::int64_t copy_kind);

inline constexpr std::string_view kCudaMemset = "[CUDA memset]";

}  // namespace profgauge::readers
