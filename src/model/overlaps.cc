#include "model/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <map>
#include <span>

#include "base/format.h"
#include "knowledge/loss.h"
#include "model/devices.h"
#include "model/processes.h"

namespace profgauge {
namespace {

// Up to when the kernels of one process on one stream reach.
struct Reach {
  Ns end = 0;
  bool is_begun = false;
};

// The kernels of a GPU, stream by stream.
struct Shares {
  Ns covered = 0, shared = 0;
  std::uint64_t early = 0;  // Kernels that begin before one ahead of them has ended.
};

// Since Hopper a kernel may start while the one before it still runs, whose end it then waits for
// (programmatic dependent launch). AMD's generations have separate numbers.
bool MayStartAhead(const Profile& profile, std::int32_t gpu) {
  constexpr std::int32_t kHopper = 9;
  if (AcceleratorOf(std::span(&profile, 1)) == Accelerator::kAmd) return false;
  return std::ranges::any_of(profile.gpus, [gpu](const Gpu& one) {
    return one.id == gpu && one.compute_major >= kHopper;
  });
}

// Whether other kernels have the same launch: the same call or, where that was not recorded, the
// same number.
class SharedLaunches {
 public:
  SharedLaunches(const DeviceTable& device, const NarrowColumn<std::int64_t>& correlations,
                 std::size_t calls)
      : device_(device), correlations_(correlations), by_call_(calls) {
    for (std::size_t row = 0; row < device.size(); ++row) {
      if (device.kind[row] != DeviceKind::kKernel) continue;
      Kernels& kernels = KernelsOf(row);
      kernels = kernels == Kernels::kNone ? Kernels::kOne : Kernels::kSeveral;
    }
  }
  bool Has(std::size_t row) { return KernelsOf(row) == Kernels::kSeveral; }

 private:
  enum class Kernels : std::uint8_t { kNone, kOne, kSeveral };

  Kernels& KernelsOf(std::size_t row) {
    if (const ApiId launch = device_.launch[row]; launch.valid()) return by_call_[launch.value];
    if (correlations_[row] >= 0) return by_number_[correlations_[row]];
    return none_ = Kernels::kNone;
  }

  const DeviceTable& device_;
  const NarrowColumn<std::int64_t>& correlations_;
  std::vector<Kernels> by_call_;
  boost::unordered_flat_map<std::int64_t, Kernels> by_number_;
  Kernels none_ = Kernels::kNone;
};

// One stream of one process, each kernel with the latest end before it (`reach`):
//
//   [a ------ 6)
//        [b -- 5)                   starts before 6 and ends before it: shared 2 (3 to 5)
//             [c --- 9)             starts before 6: shared 1, unless the GPU starts kernels early
//                     [d 10 - 12)   covered: 6 + 3 + 2
//
// c ends after a, as a kernel does that was started ahead and waited for a; b cannot have.
std::map<std::int32_t, Shares> SharesOfGpus(const Profile& profile,
                                            const NarrowColumn<std::int64_t>& correlations) {
  const DeviceTable& device = profile.device;
  SharedLaunches launches(device, correlations, profile.api.size());
  const ProcessNumbers processes(profile);
  std::map<std::int32_t, Shares> gpus;
  std::vector<Reach> reaches;
  bool starts_ahead = false;
  Shares* of_gpu = nullptr;
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const bool moves = of_gpu == nullptr || device.gpu[row] != gpu;
    if (moves) {
      gpu = device.gpu[row];
      of_gpu = &gpus[gpu];
      starts_ahead = MayStartAhead(profile, gpu);
    }
    if (moves || device.stream[row] != stream) {
      stream = device.stream[row];
      reaches.assign(processes.count(), {});
    }
    if (device.kind[row] != DeviceKind::kKernel || stream < 0) continue;
    if (launches.Has(row)) continue;
    Reach& reach = reaches[processes.OfWork(row)];
    const Ns start = device.start[row], end = start + device.duration[row];
    const Ns from = reach.is_begun ? std::max(start, reach.end) : start;
    of_gpu->covered += std::max<Ns>(0, end - from);
    if (start < from && !(starts_ahead && end > reach.end)) {
      of_gpu->shared += std::min(end, from) - start;
      ++of_gpu->early;
    }
    reach = {reach.is_begun ? std::max(end, reach.end) : end, true};
  }
  return gpus;
}

}  // namespace

void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations) {
  for (const auto& [id, gpu] : SharesOfGpus(profile, correlations)) {
    if (gpu.early < knowledge::kLossLeastEvents ||
        gpu.shared <= knowledge::kLossOverlapShare.WholeOf(gpu.covered))
      continue;
    profile.log.AddAt(Counter::work_overlapping,
                      fmt::format("device {}: kernels that take {} lie within {} of their streams",
                                  id, FormatDuration(static_cast<double>(gpu.covered + gpu.shared)),
                                  FormatDuration(static_cast<double>(gpu.covered))));
    profile.log.Add(Counter::work_overlapping, gpu.early - 1);
  }
}

}  // namespace profgauge
