#include "model/mend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/clocks.h"
#include "knowledge/launches.h"
#include "knowledge/loss.h"

namespace profgauge {
namespace {

struct Launches {
  std::uint64_t kernels = 0;  // Long enough to decide.
  std::uint64_t waited = 0;   // Those that end within the call that launched them.
  std::uint64_t calls = 0;
  std::uint64_t again = 0;  // Calls with one kernel several times.
};

// With blocking launches the call returns after its kernel has ended:
//
//   call     [launch ..................]            call   [launch]
//   kernel        [gemm .......]                    kernel       [gemm .......]     normal
bool EndsInItsCall(const Profile& profile, std::size_t row) {
  const std::uint32_t call = profile.device.launch[row].value;
  const Ns start = profile.api.start[call], end = start + profile.api.duration[call];
  const Ns kernel = profile.device.start[row];
  return start <= kernel + knowledge::kClocksTick &&
         kernel + profile.device.duration[row] <= end + knowledge::kClocksTick;
}

// A graph launches its kernels by one call, and calls of other makers than these may launch
// several.
bool LaunchesOne(std::string_view call) {
  const bool is_known = call.starts_with("cu") || call.starts_with("hip");
  return is_known && call.find("Graph") == call.npos;
}

// The last kernel of each call, since rows come stream by stream, in order of time.
struct LastKernel {
  StringId name;
  Ns end = 0;
  std::uint32_t runs = 0;
};

///   call     [launch]
///   kernel            [gemm] [gemm] [gemm]      one call with the same kernel again: replay
Launches LaunchesOf(const Profile& profile) {
  const DeviceTable& device = profile.device;
  std::vector<LastKernel> last(profile.api.size());
  std::vector<std::int8_t> launches_one(profile.strings.size(), -1);
  Launches found;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.kind[row] != DeviceKind::kKernel || !launch.valid()) continue;
    if (device.duration[row] >= knowledge::kLaunchesPlainCall) {
      ++found.kernels;
      if (EndsInItsCall(profile, row)) ++found.waited;
    }
    const StringId name = profile.api.name[launch.value];
    if (!name.valid()) continue;
    std::int8_t& one = launches_one[name.value];
    if (one < 0) one = LaunchesOne(profile.Name(name)) ? 1 : 0;
    if (one == 0) continue;
    LastKernel& before = last[launch.value];
    if (before.runs == 0) ++found.calls;
    const bool is_again =
        before.runs == 1 && before.name == device.name[row] && device.start[row] >= before.end;
    if (is_again) ++found.again;
    before = {device.name[row], device.start[row] + device.duration[row], before.runs + 1};
  }
  return found;
}

}  // namespace

void CountSerialized(Profile& profile) {
  const Launches launches = LaunchesOf(profile);
  if (launches.waited >= knowledge::kLossLeastEvents &&
      launches.kernels - launches.waited <=
          knowledge::kLossNotSerializedShare.Of(launches.kernels)) {
    profile.log.AddAt(Counter::kernels_serialized,
                      "each launch returns when its kernel has ended: CUDA_LAUNCH_BLOCKING=1, "
                      "HIP_LAUNCH_BLOCKING=1 or a debugger");
    profile.log.Add(Counter::kernels_serialized, launches.waited - 1);
  }
  // Counters need several passes, for each of which the tool runs a kernel again. A call that runs
  // a kernel three times is counted once.
  if (launches.again >= knowledge::kLossLeastEvents && launches.again * 2 > launches.calls) {
    profile.log.AddAt(Counter::kernels_serialized,
                      "launches have one kernel several times, one run after the other: replay");
    profile.log.Add(Counter::kernels_serialized, launches.again - 1);
  }
}

}  // namespace profgauge
