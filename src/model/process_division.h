// Distinguishes the processes of one profile: the part to which each row belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Which part of the profile, from 0 to `count` - 1, each thread, call, device row and GPU is of.
struct Division {
  using Parts = std::vector<std::uint32_t>;  // For each row of a table.
  std::uint32_t count = 0;
  std::size_t shared_gpus = 0;          // Where several trained on one: nothing is divided.
  std::vector<std::string_view> names;  // By part.
  Parts of_thread, of_call, of_device;
  std::map<std::int32_t, std::uint32_t> of_gpu;
  std::uint32_t OfThread(ThreadId thread) const {
    return thread.valid() ? of_thread[thread.value] : 0;
  }
  std::uint32_t OfGpu(std::int32_t gpu) const {
    const auto found = of_gpu.find(gpu);
    return found == of_gpu.end() ? 0 : found->second;
  }
};

/// One part as a separate profile, with its rows of each table. Linear in the size of the whole.
/// REQUIRES: part < division.count.
Profile PartOf(const Profile& whole, const Division& division, std::uint32_t part);

}  // namespace profgauge
