// Numbers the processes of a profile, for counts per process: if one process lost many events, the
// other processes do not compensate for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Numbers start at 1; 0 means an unknown process. Keeps a reference to `profile`.
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
  /// The number of processes: one more than the largest number.
  std::size_t count() const { return count_; }
  std::uint32_t OfCall(ApiId call) const {
    if (!call.valid() || !profile_.api.thread[call.value].valid()) return 0;
    return of_thread_[profile_.api.thread[call.value].value];
  }
  /// The process that launched a device row. REQUIRES: rows are linked to their calls.
  std::uint32_t OfWork(std::size_t row) const { return OfCall(profile_.device.launch[row]); }

 private:
  const Profile& profile_;
  std::vector<std::uint32_t> of_thread_;
  std::size_t count_ = 1;
};

// Divides one profile into parts, one per process.

/// The part, from 0 to `count` - 1, to which each thread, call, device row and GPU belongs.
struct Division {
  using Parts = std::vector<std::uint32_t>;  // For each row of a table.
  std::uint32_t count = 0;
  std::size_t shared_gpus = 0;          // Shared GPUs; if there are any, nothing is divided.
  std::vector<std::string_view> names;  // By part.
  std::vector<std::int64_t> ranks;      // By part, where the file states them.
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

/// Copies one part into a separate profile, with its rows of each table. O(size of the whole).
/// REQUIRES: part < division.count.
Profile PartOf(const Profile& whole, const Division& division, std::uint32_t part);

// Profiles of several processes (`nsys profile torchrun …`): each process that trains is a rank.

/// Returns the GPUs on which each process launched recorded work, by the name of the process.
/// Processes without such work are not listed. Names point into `profile`. O(rows of the device).
std::map<std::string_view, std::set<std::int32_t>> GpusOfProcesses(const Profile& profile);

/// Splits `profile` into one profile per rank. A process is a rank if it launches work, and marks
/// iterations or communicates with others. Ranks are in order of the first GPU that they own; ranks
/// without recorded work are last. `profile` stays whole if it has fewer than two ranks, or if they
/// share a GPU. A process owns a GPU if it has at least nine tenths of the ranks' time there; work
/// of others on it stays with the GPU, without a launch, and is counted. Rows of other processes
/// (loaders, launchers) belong to the rank on whose GPU they worked most, else to the first rank,
/// as do rows of unknown processes and rows skipped by the reader. Each part keeps the whole
/// profile's extent and texts; its rank is unknown. If ranks share a GPU number that may mean
/// several GPUs, that is counted.
///
/// If a file was merged from ranks and states them (Profile::gpu_ranks), these are used instead. If
/// nothing else divides it, the devices of one process become a rank each, provided their own
/// iterations (Profile::step_lanes) are apart in time.
///
///   process   marks, launches on           GPU 0      GPU 1
///   4001      yes, 0                       5.0 s      0.1 s        owner of 0
///   4002      yes, 1                                  6.0 s        owner of 1 (6.0 of 6.1 s)
///   4003      no (a loader), 1                        0.2 s        goes with 4002
///
/// The result is two profiles: 4001 with GPU 0, and 4002 and 4003 with GPU 1. The 0.1 s of 4001 on
/// GPU 1, mostly work before it chose its device, belongs to GPU 1 without a launch. If it were 3.0
/// s, GPU 1 would be shared and the profile would stay whole.
std::vector<Profile> SplitProcesses(Profile profile);

}  // namespace profgauge
