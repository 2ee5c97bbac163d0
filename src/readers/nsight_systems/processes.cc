// Finds which processes of a profile (`nsys profile torchrun …`) communicate, i.e. are ranks. NCCL
// refuses two ranks on one GPU, and its kernels run on all ranks at the same time.
#include "readers/nsight_systems/processes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/whole.h"
#include "knowledge/clocks.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"

namespace profgauge::readers::nsight {
namespace {

using DeviceOfProcess = std::pair<std::int64_t, std::int64_t>;  // Process, CUDA ordinal.

struct KernelUse {
  std::set<DeviceOfProcess> used;
  std::map<DeviceOfProcess, std::vector<Span>> nccl;  // When the NCCL kernels of each device ran.
};

/// Reads when NCCL's kernels ran. Each span is extended a little, because the clocks of two GPUs
/// may differ and the kernels of one collective must overlap.
Result<KernelUse> ReadUse(Import& import) {
  KernelUse use;
  boost::unordered_flat_set<std::int64_t> names;
  for (const auto& [id, name] : import.strings) {
    if (import.builder->Name(name).starts_with("nccl")) names.insert(id);
  }
  // NCCL needs a separate GPU for each rank, so a profile with one GPU has one rank at most.
  if (names.empty() || import.sms_of.size() < 2) return use;
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "CUPTI_ACTIVITY_KIND_KERNEL",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"globalPid"}},
                                            {{"demangledName", "shortName"}}}));
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const DeviceOfProcess device{ProcessOf(scan.Integer(3)), scan.Integer(2, -1)};
    use.used.insert(device);
    if (!names.contains(scan.Integer(4, -1)) || !scan.IsSet(0) || !scan.IsSet(1)) return;
    const Ns start = scan.Integer(0), end = scan.Integer(1);
    if (TimesFit(start, 0) && TimesFit(end, 0))
      use.nccl[device].push_back({start, end + knowledge::kClocksGpusApart});
  }));
  return use;
}

// True if more than half of `spans` overlap with one of `others`.
bool Meet(const std::vector<Span>& spans, std::vector<Span> others) {
  const std::vector<Span> merged = Merge(std::move(others));
  const auto met = std::count_if(spans.begin(), spans.end(),
                                 [&](const Span& span) { return !Near(merged, span).empty(); });
  return static_cast<std::size_t>(met) * 2 > spans.size();
}

// The processes in `nccl` whose kernels run at the same time as those of other processes.
std::set<std::int64_t> Communicating(const std::map<DeviceOfProcess, std::vector<Span>>& nccl) {
  std::map<std::int64_t, std::vector<Span>> of_process;
  for (const auto& [device, spans] : nccl) {
    auto& all = of_process[device.first];
    all.insert(all.end(), spans.begin(), spans.end());
  }
  std::set<std::int64_t> communicating;
  for (const auto& [process, spans] : of_process) {
    std::vector<Span> others;
    for (const auto& [other, theirs] : of_process) {
      if (other != process) others.insert(others.end(), theirs.begin(), theirs.end());
    }
    if (Meet(spans, std::move(others))) communicating.insert(process);
  }
  return communicating;
}

// Finds devices with the same number on which several processes communicate: each is another GPU.
//
//   process 1, ordinal 0   ncclAllReduce  [0 ---- 9)
//   process 2, ordinal 0   ncclAllReduce   [1 --- 9)      at the same time: not one GPU
std::set<DeviceOfProcess> OwnDevices(const KernelUse& use) {
  std::map<std::int64_t, std::map<DeviceOfProcess, std::vector<Span>>> by_number;
  for (const auto& [device, spans] : use.nccl) by_number[device.second][device] = spans;
  std::set<DeviceOfProcess> own;
  for (const auto& [number, nccl] : by_number) {
    const std::set<std::int64_t> communicating = Communicating(nccl);
    if (communicating.size() < nccl.size()) continue;
    for (const auto& [device, spans] : nccl) own.insert(device);
  }
  return own;
}

// Assigns a GPU of the computer to each of these devices. Does nothing unless all GPUs are alike,
// because then it does not matter which GPU a device gets.
void NumberGpus(Import& import, const KernelUse& use) {
  const std::set<DeviceOfProcess> own = OwnDevices(use);
  const bool are_alike =
      std::all_of(import.sms_of.begin(), import.sms_of.end(),
                  [&](const auto& gpu) { return gpu.second == import.sms_of.begin()->second; });
  if (own.empty() || !are_alike) return;
  std::set<std::int64_t> taken;
  for (const DeviceOfProcess& device : use.used) {
    if (!own.contains(device)) taken.insert(device.second);
  }
  std::map<DeviceOfProcess, std::int32_t> gpu_of;
  for (const DeviceOfProcess& device : own) {
    std::optional<std::int64_t> gpu;
    if (!taken.contains(device.second)) gpu = device.second;
    for (const auto& [listed, sms] : import.sms_of) {
      if (!gpu && !taken.contains(listed)) gpu = listed;
    }
    if (!gpu) return;  // There are fewer GPUs than devices, so some are shared.
    taken.insert(*gpu);
    gpu_of[device] = Narrow(*gpu, -1);
  }
  import.gpu_of = std::move(gpu_of);
  import.builder->log().AddAt(Counter::profiler_warnings,
                              "communicating processes use the same GPU numbers "
                              "(CUDA_VISIBLE_DEVICES): each has a separate "
                              "GPU, but which one was not recorded");
}

// The process' first thread if it calls CUDA, otherwise its thread with the most calls. On Linux,
// the first thread has the number of its process.
std::optional<std::int64_t> MainThread(const Import& import, std::int64_t process) {
  std::optional<std::int64_t> most;
  for (const auto& [thread, calls] : import.calls) {
    if (ProcessOf(thread) != process) continue;
    if (ThreadNumberOf(thread) == process) return thread;
    if (!most || calls > import.calls.at(*most)) most = thread;
  }
  return most;
}

}  // namespace

Status ReadProcesses(Import& import) {
  PROFGAUGE_TRY(const KernelUse use, ReadUse(import));
  import.ranks = Communicating(use.nccl);
  if (import.gpu_of.empty() && import.ranks.size() > 1) NumberGpus(import, use);
  return {};
}

// Copies the iteration markers of the rank with the most markers to the ranks without any.
void ShareMarkers(Import& import) {
  const std::vector<HostRow>* markers = nullptr;
  std::vector<std::int64_t> without;
  for (const std::int64_t rank : import.ranks) {
    const auto own = import.markers.find(rank);
    if (own == import.markers.end()) {
      without.push_back(rank);
    } else if (markers == nullptr || own->second.size() > markers->size()) {
      markers = &own->second;
    }
  }
  if (markers == nullptr) return;
  for (const std::int64_t rank : without) {
    const std::optional<std::int64_t> main = MainThread(import, rank);
    if (!main) continue;
    const ThreadId thread = ThreadOf(import, *main);
    for (HostRow row : *markers) {
      row.thread = thread;
      import.builder->AddHost(row);
    }
    import.builder->log().AddAt(
        Counter::profiler_warnings,
        "a process communicates but marks no iterations: those of another process are used");
  }
}

std::vector<ThreadId> ThreadsOfRanks(Import& import) {
  std::vector<ThreadId> threads;
  for (const std::int64_t rank : import.ranks) {
    if (const auto main = MainThread(import, rank)) threads.push_back(ThreadOf(import, *main));
  }
  return threads;
}

}  // namespace profgauge::readers::nsight
