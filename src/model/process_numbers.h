// Processes of a profile as small numbers, for counts per process: if one of several lost
// much, the others do not compensate for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// From 1 on; 0 is the process of which nothing says which it is. Keeps a reference to `profile`.
class ProcessNumbers {
 public:
  explicit ProcessNumbers(const Profile& profile) : profile_(profile) {
    std::map<std::string_view, std::uint32_t> numbers;
    for (const Thread& thread : profile.threads) {
      const auto next = static_cast<std::uint32_t>(numbers.size()) + 1;
      of_thread_.push_back(numbers.try_emplace(thread.process, next).first->second);
    }
    count_ = numbers.size() + 1;
  }
  /// One above the largest.
  std::size_t count() const { return count_; }
  std::uint32_t OfCall(ApiId call) const {
    if (!call.valid() || !profile_.api.thread[call.value].valid()) return 0;
    return of_thread_[profile_.api.thread[call.value].value];
  }
  /// By the launch of a device row. REQUIRES: rows are linked to their calls.
  std::uint32_t OfWork(std::size_t row) const { return OfCall(profile_.device.launch[row]); }

 private:
  const Profile& profile_;
  std::vector<std::uint32_t> of_thread_;
  std::size_t count_ = 1;
};

}  // namespace profgauge
