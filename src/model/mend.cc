#include "model/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/clocks.h"
#include "knowledge/loss.h"
#include "model/certificate.h"
#include "model/processes.h"

namespace profgauge::mend {
namespace {

// Which way a call copies, where its name says so: hipMemcpyDtoDAsync.
CopyKind DirectionOfCall(std::string_view name) {
  const auto says = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (says("DtoD")) return CopyKind::kDeviceToDevice;
  if (says("HtoD")) return CopyKind::kHostToDevice;
  return says("DtoH") ? CopyKind::kDeviceToHost : CopyKind::kUnknown;
}

}  // namespace

void JoinTheOneDevice(Profile& profile) {
  if (profile.gpus.size() != 1 || profile.device.size() == 0) return;
  const auto& used = profile.device.gpu;
  const std::int32_t listed = profile.gpus.front().id, id = used.front();
  const bool is_one =
      std::all_of(used.begin(), used.end(), [id](std::int32_t gpu) { return gpu == id; });
  if (!is_one || id < 0 || id == listed) return;
  profile.gpus.front().id = id;
  for (std::size_t row = 0; row < profile.memory.size(); ++row) {
    if (profile.memory.device_type[row] != 0 && profile.memory.device[row] == listed) {
      profile.memory.device[row] = id;
    }
  }
}

//   call             its rows                                      copyBuffer is
//   hipMemcpyAsync   __amd_rocclr_copyBuffer                       the copy
//   hipMemcpyAsync   CopyDeviceToHost, __amd_rocclr_copyBuffer     a kernel: the copy is there
void TellRuntimeKernels(Profile& profile) {
  constexpr std::string_view kCopies[] = {"__amd_rocclr_copyBuffer", "__amd_rocclr_copyImage"};
  constexpr std::string_view kSets[] = {"__amd_rocclr_fillBuffer", "__amd_rocclr_fillImage"};
  const auto kind_of = [&](std::string_view name) {
    const auto begins = [name](std::string_view part) { return name.starts_with(part); };
    if (std::ranges::any_of(kCopies, begins)) return DeviceKind::kMemcpy;
    return std::ranges::any_of(kSets, begins) ? DeviceKind::kMemset : DeviceKind::kKernel;
  };
  std::vector<DeviceKind> kinds(profile.strings.size(), DeviceKind::kKernel);
  bool any = false;
  for (std::uint32_t id = 0; id < kinds.size(); ++id) {
    kinds[id] = kind_of(profile.strings[StringId{id}]);
    any = any || kinds[id] != DeviceKind::kKernel;
  }
  if (!any) return;
  DeviceTable& device = profile.device;
  // Calls whose copy or set the profile has as such: there the kernel is how it was done, and stays
  // a kernel.
  std::vector<bool> is_told(profile.api.size(), false);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (launch.valid() && device.kind[row] != DeviceKind::kKernel) is_told[launch.value] = true;
  }
  for (std::size_t row = 0; row < device.size(); ++row) {
    const StringId name = device.name[row];
    const ApiId launch = device.launch[row];
    if (device.kind[row] != DeviceKind::kKernel || !name.valid()) continue;
    if (kinds[name.value] == DeviceKind::kKernel || (launch.valid() && is_told[launch.value])) {
      continue;
    }
    device.kind[row] = kinds[name.value];
    device.config.Set(row, {});
    device.collective.Set(row, {});
    if (device.kind[row] == DeviceKind::kMemcpy) {
      device.copy.Set(row,
                      DirectionOfCall(launch.valid() ? profile.Name(profile.api.name[launch.value])
                                                     : std::string_view{}));
    }
  }
}

void CheckLengths(Profile& profile) {
  const std::uint64_t mended = profile.log[Counter::events_negative_dur] +
                               profile.log[Counter::events_missing_dur] +
                               profile.log[Counter::events_overflowed_dur];
  std::uint64_t kernels = 0, empty = 0, without_times = 0;
  std::uint64_t copies = 0, without_length = 0;
  bool is_rounded = true;
  for (std::size_t i = 0; i < profile.device.size(); ++i) {
    if (profile.device.kind[i] == DeviceKind::kMemcpy) {
      ++copies;
      without_length += profile.device.duration[i] == 0 ? 1 : 0;
    }
    if (profile.device.kind[i] != DeviceKind::kKernel) continue;
    ++kernels;
    is_rounded = is_rounded && profile.device.duration[i] % knowledge::kClocksTick.ns() == 0;
    if (profile.device.duration[i] == 0) ++empty;
    if (profile.device.duration[i] == 0 && profile.device.start[i] == 0) ++without_times;
  }
  // At least half of the copies have no length, and as many durations were repaired by the reader:
  // bandwidths mean nothing.
  if (without_length > 0 && without_length * 2 >= copies && mended >= without_length) {
    profile.log.AddAt(Counter::rows_unusable, "copies of unknown length");
  }
  // Events at time 0 are counted by Rebase(); here remain kernels with a time and without a length.
  const std::uint64_t unexplained = empty - without_times;
  if (is_rounded && unexplained > 0 && kernels > unexplained) {
    profile.facts.emplace_back(
        std::string(kTimeResolution),
        fmt::format("1 us; {} of {} kernels have no length", unexplained, kernels));
  }
  const knowledge::Ratio share =
      is_rounded ? knowledge::kLossWithoutLengthRoundedShare : knowledge::kLossWithoutLengthShare;
  if (std::min(empty, mended) > knowledge::kLossUnusableShare.Of(kernels) ||
      (unexplained >= knowledge::kLossLeastEvents && unexplained > share.Of(kernels))) {
    profile.log.AddAt(Counter::rows_unusable, "kernels of unknown length");
  }
}

void CheckNames(Profile& profile) {
  std::vector<bool> is_lost(profile.strings.size());
  for (std::uint32_t id = 0; id < is_lost.size(); ++id) {
    is_lost[id] = IsLostName(profile.strings[StringId{id}]);
  }
  struct Sum {
    Ns all = 0, lost = 0;
    std::uint64_t count = 0;
  };
  const ProcessNumbers processes(profile);
  std::vector<Sum> sums(processes.count());
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const StringId name = device.name[row];
    const bool is_known = name.valid() && !is_lost[name.value];
    Sum& sum = sums[processes.OfWork(row)];
    const Ns duration = device.duration[row];
    sum.all += duration;
    if (is_known || device.collective[row].valid()) continue;
    sum.lost += duration;
    ++sum.count;
  }
  Sum whole;
  for (const Sum& sum : sums) {
    whole.all += sum.all;
    whole.lost += sum.lost;
    whole.count += sum.count;
  }
  const auto is_lossy = [](const Sum& sum) {
    return sum.lost > knowledge::kLossUnnamedShare.WholeOf(sum.all);
  };
  if (is_lossy(whole)) return profile.log.Add(Counter::kernels_unnamed, whole.count);
  // A process with little work is no rank, nor is work without a known process.
  for (std::size_t process = 1; process < sums.size(); ++process) {
    const bool works = sums[process].all > knowledge::kLossWorkingShare.WholeOf(whole.all) /
                                               static_cast<Ns>(sums.size());
    if (works && is_lossy(sums[process])) {
      profile.log.Add(Counter::kernels_unnamed, sums[process].count);
    }
  }
}

void CheckEvents(Profile& profile) {
  ImportLog& log = profile.log;
  const std::uint64_t unusable = log[Counter::events_unreadable] + log[Counter::events_bad_time] +
                                 log[Counter::events_missing_cat];
  if (unusable >= knowledge::kLossLeastEvents &&
      unusable > knowledge::kLossUnusableShare.Of(log[Counter::events_read])) {
    log.AddAt(Counter::rows_unusable,
              fmt::format("{} of {} events", unusable, log[Counter::events_read]));
  }
  // Bytes that were passed over to find the next event, and names torn by control characters, show
  // a damaged file though every event that was found is fine.
  const std::uint64_t damaged = log[Counter::bytes_skipped] + log[Counter::strings_control_char];
  if (damaged >= knowledge::kLossDamagedBytes &&
      damaged > knowledge::kLossUnusableShare.Of(profile.source.bytes)) {
    log.AddAt(Counter::rows_unusable, fmt::format("{} of {} bytes", damaged, profile.source.bytes));
  }
}

}  // namespace profgauge::mend
