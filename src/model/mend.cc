#include "model/mend.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "knowledge/clocks.h"
#include "knowledge/launches.h"
#include "knowledge/loss.h"
#include "model/certificate.h"
#include "model/devices.h"
#include "model/permute.h"
#include "model/processes.h"

namespace profgauge {
namespace {

// Returns the rows that do not repeat a near earlier row; empty if no row does. `is_near` is true
// if two rows, with all rows between them, may be equal.
template <class Near, class Equal>
Permutation RowsOnce(std::size_t count, Near is_near, Equal equal) {
  // `once` stays empty as long as no row is a copy, so a sound profile costs no memory.
  constexpr std::size_t kFarthest = 64;  // However many rows begin at one time.
  Permutation once;                      // All rows before the first duplicate.
  bool any = false;
  for (std::uint32_t row = 0; row < count; ++row) {
    bool is_copy = false;
    const std::size_t kept = any ? once.size() : row;
    const auto before = [&](std::size_t back) {
      return any ? once[kept - back] : static_cast<std::uint32_t>(kept - back);
    };
    for (std::size_t back = 1; back <= std::min(kept, kFarthest) && !is_copy; ++back) {
      if (!is_near(before(back), row)) break;
      is_copy = equal(before(back), row);
    }
    if (is_copy && !any) {
      any = true;
      once.resize(row);
      std::iota(once.begin(), once.end(), 0U);
    }
    if (any && !is_copy) once.push_back(row);
  }
  return once;
}

// Like RowsOnce(), for rows on threads. Numbers must be equal, or absent in both.
template <class Table, class Numbers>
Permutation OnThreadsOnce(const Table& table, const Numbers& numbers) {
  return RowsOnce(
      table.start.size(),
      [&](auto a, auto b) {
        return table.start[a] == table.start[b] && table.thread[a] == table.thread[b];
      },
      [&](auto a, auto b) {
        return table.duration[a] == table.duration[b] && table.name[a] == table.name[b] &&
               (numbers[a] == numbers[b] || (numbers[a] < 0 && numbers[b] < 0));
      });
}

// Number of rows with a length, and how many of them duplicate an earlier row.
struct Copies {
  std::size_t rows = 0, copies = 0;
  bool AreMany() const { return copies > 0 && copies >= knowledge::kLossDoubledShare.Of(rows); }
};

// Counts rows with and without a number. `kept`: the rows without duplicates; empty: all.
template <class HasNumber, class Duration>
std::array<Copies, 2> CountCopies(std::size_t count, const Permutation& kept, HasNumber has_number,
                                  Duration duration) {
  std::array<Copies, 2> of;
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < count; ++row) {
    const bool is_kept = kept.empty() || (next < kept.size() && kept[next] == row);
    if (is_kept) ++next;
    if (duration(row) <= 0) continue;
    Copies& own = of[has_number(row) ? 1 : 0];
    ++own.rows;
    if (!is_kept) ++own.copies;
  }
  return of;
}

}  // namespace

// Device rows decide, because equal device rows are impossible: two equal calls within a clock tick
// may be two calls. Other tables are checked only if device rows are duplicated. Without a device,
// operators decide: in 179 PyTorch profiles at most 0.07 % of the operators with a length equal
// another.
std::size_t DropDoubled(Profile& profile, RowNumbers numbers) {
  auto& device = profile.device;
  auto& host = profile.host;
  const NarrowColumn<std::int64_t>& correlations = numbers.device_correlation;
  const Permutation work = RowsOnce(
      device.size(),
      [&](auto a, auto b) {
        return device.start[a] == device.start[b] && device.stream[a] == device.stream[b] &&
               device.gpu[a] == device.gpu[b];
      },
      [&](auto a, auto b) {
        return device.duration[a] == device.duration[b] && device.name[a] == device.name[b] &&
               device.kind[a] == device.kind[b] && device.config[a] == device.config[b] &&
               device.bytes[a] == device.bytes[b] &&
               (correlations[a] == correlations[b] || (correlations[a] < 0 && correlations[b] < 0));
      });
  const Permutation ranges = device.size() > 0 ? Permutation() : OnThreadsOnce(host, numbers.host);
  if (work.empty() && ranges.empty()) return 0;
  const std::array<Copies, 2> found =
      device.size() > 0 ? CountCopies(
                              device.size(), work, [&](auto row) { return correlations[row] >= 0; },
                              [&](auto row) { return device.duration[row]; })
                        : CountCopies(
                              host.size(), ranges, [&](auto row) { return numbers.host[row] >= 0; },
                              [&](auto row) {
                                return host.kind[row] == HostKind::kOp ? host.duration[row] : Ns{0};
                              });
  if (!found[0].AreMany() && !found[1].AreMany()) return 0;
  const std::size_t copies =
      device.size() > 0 ? device.size() - work.size() : host.size() - ranges.size();
  PermuteAll(work, device.start, device.duration, device.name, device.kind, device.gpu,
             device.stream, device.config, device.collective, device.copy, device.host_memory,
             device.bytes, numbers.device_correlation, numbers.device_op);
  auto& api = profile.api;
  PermuteAll(OnThreadsOnce(api, numbers.api_correlation), api.start, api.duration, api.name,
             api.kind, api.thread, numbers.api_correlation, numbers.api_op);
  PermuteAll(OnThreadsOnce(host, numbers.host), host.start, host.duration, host.name, host.kind,
             host.thread, host.input_shapes, host.input_dtypes, host.call_stack,
             host.concrete_inputs, host.sequence, host.collective, host.domain, host.style,
             numbers.host, numbers.host_backward);
  auto& python = profile.python;
  PermuteAll(OnThreadsOnce(python, python.id), python.start, python.duration, python.name,
             python.thread, python.id, python.parent_id, python.module_id);
  return copies;
}

}  // namespace profgauge

namespace profgauge::mend {
namespace {

// The direction of a copy call, if its name has it: hipMemcpyDtoDAsync.
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
  // Calls with a recorded copy or memset: the kernel only performed it, and stays a kernel.
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
  bool is_rounded = true, starts_rounded = true;
  std::optional<Ns> first;  // Times count from the first event, so starts are compared.
  for (std::size_t i = 0; i < profile.device.size(); ++i) {
    if (profile.device.kind[i] == DeviceKind::kMemcpy) {
      ++copies;
      without_length += profile.device.duration[i] == 0 ? 1 : 0;
    }
    if (profile.device.kind[i] != DeviceKind::kKernel) continue;
    ++kernels;
    is_rounded = is_rounded && profile.device.duration[i] % knowledge::kClocksTick.ns() == 0;
    if (!first) first = profile.device.start[i];
    starts_rounded =
        starts_rounded && (profile.device.start[i] - *first) % knowledge::kClocksTick.ns() == 0;
    if (profile.device.duration[i] == 0) ++empty;
    if (profile.device.duration[i] == 0 && profile.device.start[i] == 0) ++without_times;
  }
  // If at least half of the copies have no length, and as many durations were repaired by the
  // reader, bandwidths are meaningless.
  if (without_length > 0 && without_length * 2 >= copies && mended >= without_length) {
    profile.log.AddAt(Counter::rows_unusable, "copies of unknown length");
  }
  // Rebase() counts events at time 0; remaining are kernels with a time but without a length.
  const std::uint64_t unexplained = empty - without_times;
  // A duration that the reader repaired is no matter of resolution.
  if (is_rounded && starts_rounded && unexplained > mended && kernels > unexplained) {
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
  // A process with little work is no rank, and neither is an unknown process.
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
  // Skipped bytes, and names with control characters, show a damaged file, even if every event that
  // was found is valid.
  const std::uint64_t damaged = log[Counter::bytes_skipped] + log[Counter::strings_control_char];
  if (damaged >= knowledge::kLossDamagedBytes &&
      damaged > knowledge::kLossUnusableShare.Of(profile.source.bytes)) {
    log.AddAt(Counter::rows_unusable, fmt::format("{} of {} bytes", damaged, profile.source.bytes));
  }
}

}  // namespace profgauge::mend

namespace profgauge {
namespace {

// The latest end of the kernels of one process on one stream.
struct Reach {
  Ns end = 0;
  bool is_begun = false;
  Ns any = 0;  // Includes kernels that share a launch: of these, `end` says nothing.
};

// Sums over the kernels of a GPU.
struct Shares {
  Ns covered = 0, shared = 0;
  std::uint64_t early = 0;                // Kernels that begin before an earlier kernel has ended.
  std::uint64_t kernels = 0, inside = 0;  // All; those that end before another one, too.
};

// Since Hopper, a kernel may start while its predecessor still runs, and then waits for its end
// (programmatic dependent launch). AMD's GPUs are excluded: their numbers mean other chips.
bool MayStartAhead(const Profile& profile, std::int32_t gpu) {
  constexpr std::int32_t kHopper = 9;
  if (AcceleratorOf(std::span(&profile, 1)) == Accelerator::kAmd) return false;
  return std::ranges::any_of(profile.gpus, [gpu](const Gpu& one) {
    return one.id == gpu && one.compute_major >= kHopper;
  });
}

// Finds whether a kernel shares its launch with other kernels: they have the same call or, if the
// call was not recorded, the same number.
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

// One stream of one process; `reach` is the latest end so far:
//
//   [a ------ 6)
//        [b -- 5)                   starts before 6 and ends before it: shared 2 (3 to 5)
//             [c --- 9)             starts before 6: shared 1, unless the GPU starts kernels early
//                     [d 10 - 12)   covered: 6 + 3 + 2
//
// c ends after a, like a kernel that was started early and waited for a; b cannot have waited.
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
    Reach& reach = reaches[processes.OfWork(row)];
    const Ns start = device.start[row], end = start + device.duration[row];
    const bool is_inside = end < reach.any;
    reach.any = std::max(reach.any, end);
    if (launches.Has(row)) continue;
    ++of_gpu->kernels;
    if (is_inside) ++of_gpu->inside;
    const Ns from = reach.is_begun ? std::max(start, reach.end) : start;
    of_gpu->covered += std::max<Ns>(0, end - from);
    if (start < from && !(starts_ahead && end > reach.end)) {
      of_gpu->shared += std::min(end, from) - start;
      ++of_gpu->early;
    }
    reach.end = reach.is_begun ? std::max(end, reach.end) : end;
    reach.is_begun = true;
  }
  return gpus;
}

}  // namespace

void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations) {
  for (const auto& [id, gpu] : SharesOfGpus(profile, correlations)) {
    const std::uint64_t wrong = std::max(gpu.early, gpu.inside);
    if (wrong < knowledge::kLossLeastEvents) continue;
    const bool is_time = gpu.early >= knowledge::kLossLeastEvents &&
                         gpu.shared > knowledge::kLossOverlapShare.WholeOf(gpu.covered);
    // One kernel that is far too long hides the time of all that lie within it, but not their
    // count.
    if (!is_time && gpu.inside <= knowledge::kLossOverlapShare.WholeOf(gpu.kernels)) continue;
    profile.log.AddAt(
        Counter::work_overlapping,
        is_time ? fmt::format("device {}: kernels that take {} lie within {} of their streams", id,
                              FormatDuration(static_cast<double>(gpu.covered + gpu.shared)),
                              FormatDuration(static_cast<double>(gpu.covered)))
                : fmt::format("device {}: {} of {} kernels lie within others of their streams", id,
                              gpu.inside, gpu.kernels));
    profile.log.Add(Counter::work_overlapping, wrong - 1);
  }
}

namespace {

struct Launches {
  std::uint64_t kernels = 0;  // Long enough to be significant.
  std::uint64_t waited = 0;   // Kernels that end within their launching call.
  std::uint64_t calls = 0;
  std::uint64_t again = 0;  // Calls that ran one kernel several times.
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

// True if the call launches at most one kernel. A call that launches a graph has several, and calls
// of other makers may.
bool LaunchesOne(std::string_view call) {
  const bool is_known = call.starts_with("cu") || call.starts_with("hip");
  return is_known && call.find("Graph") == call.npos;
}

// The last kernel of each call; rows come stream by stream, in order of time.
struct LastKernel {
  StringId name;
  Ns end = 0;
  std::uint32_t runs = 0;
};

///   call     [launch]
///   kernel            [gemm] [gemm] [gemm]      one call, the same kernel repeated: replay
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
  // Counters need several passes, so the tool runs each kernel again for each pass. A call that
  // runs a kernel three times is counted once.
  if (launches.again >= knowledge::kLossLeastEvents && launches.again * 2 > launches.calls) {
    profile.log.AddAt(Counter::kernels_serialized,
                      "launches have one kernel several times, one run after the other: replay");
    profile.log.Add(Counter::kernels_serialized, launches.again - 1);
  }
}

}  // namespace profgauge
