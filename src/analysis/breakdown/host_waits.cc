#include "analysis/breakdown/host_waits.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/name_memo.h"
#include "analysis/flops/op_tree.h"
#include "analysis/iterations/marker_choice.h"
#include "analysis/iterations/observed.h"
#include "knowledge/idle.h"
#include "knowledge/launches.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::breakdown {
namespace {

// Whether JAX waits for results in this range, without a runtime call.
bool WaitsForResults(std::string_view name) {
  return name.find("block_until_ready") != name.npos ||
         name.find("BlockHostUntilReady") != name.npos;
}

// Flags copies named asynchronous that returned only when their work was done (e.g. for pageable
// memory), or, for copies to the device, when most of it was.
std::vector<bool> WaitingCopies(const Profile& profile) {
  const ApiTable& api = profile.api;
  const DeviceTable& device = profile.device;
  std::vector<bool> waits(api.size(), false);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId call = device.launch[row];
    if (!call.valid() || api.kind[call.value] != ApiKind::kMemcpy) continue;
    const Ns end = api.start[call.value] + std::max<Ns>(api.duration[call.value], 0);
    const bool may_go_on = device.copy[row] == CopyKind::kHostToDevice &&
                           device.host_memory[row] == HostMemory::kPageable;
    const Ns awaited = may_go_on ? device.duration[row] / 2 : device.duration[row];
    if (end >= device.start[row] + awaited) waits[call.value] = true;
  }
  return waits;
}

// Whether a name is listed in rules/knowledge as loading code for the device.
bool LoadsCode(std::string_view name) {
  static constexpr std::string_view kLoaders[] = {
#include "knowledge/code_loaders.inc"
  };
  return std::ranges::any_of(
      kLoaders, [name](std::string_view part) { return name.find(part) != name.npos; });
}

// CUDA's libraries create their contexts with cudaFree(0), which frees nothing. A real free is this
// slow only while it waits for work, and then the device is busy.
bool SetsLibraryUp(std::string_view name, Ns duration) {
  return duration >= knowledge::kIdleLibrarySetupFree && (name == "cudaFree" || name == "hipFree");
}

// cuDNN and MIOpen find the fastest algorithm of a convolution by running them all, once per size.
// Waits for events in these operators measure those runs.
std::vector<bool> SearchingOps(const Profile& profile) {
  std::vector<bool> searching(profile.strings.size());
  for (std::uint32_t id = 0; id < searching.size(); ++id) {
    const std::string_view name = profile.strings[StringId{id}];
    searching[id] =
        name.find("cudnn_convolution") != name.npos || name.find("miopen_convolution") != name.npos;
  }
  return searching;
}

// Whether a call waits in cuDNN's benchmark mode. It counts as loading, which happens once per
// input size: as synchronization, it would suggest to change the program.
bool TimesAlgorithms(const Profile& profile, std::size_t call, const std::vector<bool>& searching) {
  const ApiTable& api = profile.api;
  if (api.kind[call] != ApiKind::kSync || !api.op[call].valid()) return false;
  const StringId op = profile.host.name[api.op[call].value];
  if (!op.valid() || !searching[op.value]) return false;
  return profile.Name(api.name[call]).find("EventSynchronize") != std::string_view::npos;
}

// Flags long launch calls that are the first of their kernel: the runtime loads its code in them.
std::vector<bool> LoadingLaunches(const Profile& profile) {
  const ApiTable& api = profile.api;
  const DeviceTable& device = profile.device;
  std::vector<std::uint32_t> first(profile.strings.size(), ApiId{}.value);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId call = device.launch[row];
    const StringId name = device.name[row];
    if (!call.valid() || !name.valid() || device.kind[row] != DeviceKind::kKernel) continue;
    std::uint32_t& known = first[name.value];
    if (!ApiId{known}.valid() || api.start[call.value] < api.start[known]) known = call.value;
  }
  std::vector<bool> loads(api.size(), false);
  for (const std::uint32_t call : first) {
    if (!ApiId{call}.valid() || api.duration[call] <= knowledge::kIdleLoadingLaunch) continue;
    // A graph launch is long because it launches many kernels.
    loads[call] = profile.Name(api.name[call]).find("Graph") == std::string_view::npos;
  }
  return loads;
}

// Whether in this range a framework without recorded calls allocates or frees device memory: the
// allocators of TensorFlow and XLA.
bool IsAllocatorRange(std::string_view name) {
  return name.find("DeviceMemAllocator") != name.npos || name.find("BFCAllocator") != name.npos ||
         name == "Build buffer allocations";
}

// The use of a range, by its name: code loading, memory management, waiting for results, or none.
enum class RangeUse : std::uint8_t { kNone, kLoading, kMemory, kReady };

// Whether a call of its thread begins with the range, e.g. if the range was derived from its work.
bool BeginsWithCall(const Profile& profile, std::size_t row) {
  const ApiTable& api = profile.api;
  const std::pair wanted(profile.host.thread[row].value, profile.host.start[row]);
  std::size_t low = 0, high = api.size();  // Calls are in the order of threads, then of time.
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (std::pair(api.thread[middle].value, api.start[middle]) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < api.size() && std::pair(api.thread[low].value, api.start[low]) == wanted;
}

// Cuts ranges that wait for results at the end of the last device work, on any device, that began
// before their own end. After that they wait for no work, and the time counts as the host's, except
// for the usual latency back to the host.
//
//   device 0  [---]                     wait   [---------------------)
//   device 1     [------]               kept   [----------)
void CutAfterWork(const DeviceTable& device, std::vector<Span>& ready) {
  if (ready.empty() || device.size() == 0) return;
  std::vector<Span> work;
  work.reserve(device.size());
  for (std::size_t row = 0; row < device.size(); ++row) {
    work.push_back({device.start[row], device.start[row] + std::max<Ns>(device.duration[row], 0)});
  }
  work = Merge(std::move(work));
  for (Span& wait : ready) {
    const auto after = std::partition_point(
        work.begin(), work.end(), [&](const Span& each) { return each.start < wait.end; });
    if (after == work.begin()) continue;
    const Ns done = std::prev(after)->end + knowledge::kLaunchesFreeLatency;
    wait.end = std::clamp(done, wait.start, wait.end);
  }
}

// Adds ranges of loading that the profiler itself records (CUPTI overhead), and ranges that XLA
// records instead of calls.
void AddHostRanges(const Profile& profile, HostWaits& waits) {
  const HostTable& host = profile.host;
  std::vector<RangeUse> uses(profile.strings.size(), RangeUse::kNone);
  for (std::uint32_t id = 0; id < uses.size(); ++id) {
    const std::string_view name = profile.strings[StringId{id}];
    if (IsAllocatorRange(name)) uses[id] = RangeUse::kMemory;
    if (LoadsCode(name)) uses[id] = RangeUse::kLoading;
    if (WaitsForResults(name)) uses[id] = RangeUse::kReady;
  }
  for (std::size_t row = 0; row < host.size(); ++row) {
    const StringId name = host.name[row];
    if (!name.valid() || host.thread[row].value >= waits.threads.size()) continue;
    bool& has_ranges = waits.threads[host.thread[row].value].has_ranges;
    has_ranges = has_ranges || !BeginsWithCall(profile, row);
    const RangeUse use = uses[name.value];
    if (use == RangeUse::kReady) waits.ready.push_back(iterations::RowSpan(host, row));
    const bool loads = use == RangeUse::kLoading && host.kind[row] == HostKind::kOverhead;
    if (!loads && use != RangeUse::kMemory) continue;
    ThreadWaits& thread = waits.threads[host.thread[row].value];
    const Span span = iterations::RowSpan(host, row);
    (loads ? thread.loading : thread.memory).push_back(span);
    if (!loads) waits.allocator.push_back(span);
  }
  waits.allocator = Merge(std::move(waits.allocator));
  const PythonTable& python = profile.python;
  for (std::size_t row = 0; row < python.size(); ++row) {
    if (!python.name[row].valid() || uses[python.name[row].value] != RangeUse::kReady) continue;
    waits.ready.push_back(
        {python.start[row], python.start[row] + std::max<Ns>(python.duration[row], 0)});
  }
  CutAfterWork(profile.device, waits.ready);
  waits.ready = Merge(std::move(waits.ready));
}

}  // namespace

bool HasLaunches(const Profile& profile) {
  const auto& launches = profile.device.launch;
  return std::any_of(launches.begin(), launches.end(), [](ApiId id) { return id.valid(); });
}

bool BlocksHost(ApiKind kind, std::string_view name) {
  if (kind == ApiKind::kSync) return name.find("Query") == name.npos;
  // cudaMemcpy and similar calls return when the copy is done.
  return kind == ApiKind::kMemcpy && name.find("Async") == name.npos &&
         name.find("Memcpy") != name.npos;
}

// Except for device setup, each call is in at most one list: loading before memory before
// synchronization. A first cudaMalloc creates the context, and counts as setup.
HostWaits CollectWaits(const Profile& profile) {
  HostWaits waits;
  waits.knows_launches = HasLaunches(profile);
  SpanCollector data_loader;
  std::vector<bool> loads(profile.strings.size());
  for (std::uint32_t id = 0; id < loads.size(); ++id) {
    loads[id] = flops::IsDataLoaderRange(profile.strings[StringId{id}]);
  }
  const std::vector<bool> in_loop = iterations::FindLoopThreads(profile);
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const StringId name = profile.host.name[row];
    const ThreadId thread = profile.host.thread[row];
    if (!name.valid() || !loads[name.value]) continue;
    if (thread.valid() && !in_loop[thread.value]) continue;
    data_loader.Add(profile.host.start[row], profile.host.duration[row]);
  }
  waits.data_loader = data_loader.Take();
  waits.threads.resize(profile.threads.size());
  AddHostRanges(profile, waits);
  const ApiTable& api = profile.api;
  const std::vector<bool> waiting_copies = WaitingCopies(profile);
  const std::vector<bool> loading_launches = LoadingLaunches(profile);
  const iterations::SetupTimes setup(profile);
  const std::vector<bool> searching = SearchingOps(profile);
  classify::NameMemo loads_code(profile, LoadsCode);
  std::vector<std::vector<Span>> captures = CaptureTimes(profile);
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.thread[row].value >= waits.threads.size()) continue;
    const Span span{api.start[row], api.start[row] + std::max<Ns>(api.duration[row], 0)};
    ThreadWaits& thread = waits.threads[api.thread[row].value];
    if (setup[row] > 0) thread.loading.push_back({span.start, span.start + setup[row]});
    const std::string_view name = profile.Name(api.name[row]);
    if (loading_launches[row] || loads_code(api.name[row]) ||
        SetsLibraryUp(name, api.duration[row]) || TimesAlgorithms(profile, row, searching)) {
      thread.loading.push_back(span);
    } else if (api.kind[row] == ApiKind::kMemory) {
      thread.memory.push_back(span);
    } else if (waiting_copies[row] || BlocksHost(api.kind[row], name)) {
      thread.sync.push_back(span);
    }
  }
  for (std::size_t i = 0; i < waits.threads.size(); ++i) {
    ThreadWaits& thread = waits.threads[i];
    thread.capture = std::move(captures[i]);
    thread.sync = Merge(std::move(thread.sync));
    thread.memory = Merge(std::move(thread.memory));
    thread.loading = Merge(std::move(thread.loading));
  }
  return waits;
}

const HostWaits& WaitsOf(const iterations::RankContext& rank) {
  return rank.waits.Of<HostWaits>([&rank] { return CollectWaits(*rank.profile); });
}

namespace {

// Flags string ids of operators that compute. Operators that communicate or wait cannot overlap
// communication.
std::vector<bool> ComputingNames(const Profile& profile) {
  std::vector<bool> compute(profile.strings.size());
  for (std::uint32_t id = 0; id < compute.size(); ++id) {
    const std::string_view name = profile.strings[StringId{id}];
    compute[id] = !flops::IsFrameworkRange(name) && !classify::IsCommunicationOp(name) &&
                  !name.starts_with("c10d::");
  }
  return compute;
}

// Work of the loop's threads: computing operators and, with `calls`, runtime calls.
std::vector<Span> LoopWork(const Profile& profile, const std::vector<bool>& in_loop, bool calls) {
  const HostTable& host = profile.host;
  const auto is_in_loop = [&](ThreadId thread) { return !thread.valid() || in_loop[thread.value]; };
  const std::vector<bool> compute = ComputingNames(profile);
  // Operators around a collective may wait for it; PyTorch's do not.
  std::vector<bool> around(host.size(), false);
  std::vector<Span> work;
  for (std::size_t row = host.size(); row-- > 0;) {
    const StringId name = host.name[row];
    const HostId parent = host.parent[row];
    const bool communicates = name.valid() && IsHostCollective(profile.strings[name]);
    if (parent.valid() && (around[row] || communicates)) {
      const bool contains =
          iterations::RowSpan(host, parent.value).end >= iterations::RowSpan(host, row).end;
      const bool is_own = profile.Name(host.name[parent.value]).starts_with("aten::");
      around[parent.value] = around[parent.value] || (contains && !is_own);
    }
    if (host.kind[row] != HostKind::kOp || around[row] || !is_in_loop(host.thread[row])) continue;
    if (name.valid() && compute[name.value]) work.push_back(iterations::RowSpan(host, row));
  }
  const ApiTable& api = profile.api;
  for (std::size_t row = 0; calls && row < api.size(); ++row) {
    if (!is_in_loop(api.thread[row])) continue;
    work.push_back({api.start[row], api.start[row] + std::max<Ns>(api.duration[row], 0)});
  }
  return Merge(std::move(work));
}

// The part of `span` after all of `work` (a span list); empty if work continues.
Span RestBehind(Span span, const std::vector<Span>& work) {
  const auto after = std::partition_point(work.begin(), work.end(),
                                          [&](const Span& each) { return each.start < span.end; });
  if (after != work.begin()) span.start = std::max(span.start, std::prev(after)->end);
  return {std::min(span.start, span.end), span.end};
}

}  // namespace

bool IsHostCollective(std::string_view name) { return name.starts_with("gloo:"); }

// A collective on the loop's threads counts completely; without device work, minus concurrent
// operators. One on another thread counts only after the loop's threads ran out of work.
std::vector<Span> OpenHostCommunication(const Profile& profile) {
  const HostTable& host = profile.host;
  const std::vector<bool> in_loop = iterations::FindLoopThreads(profile);
  std::vector<Span> own, others;
  classify::NameMemo is_collective(profile, IsHostCollective);
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostKind kind = host.kind[row];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    if (!is_collective(host.name[row])) continue;
    const ThreadId thread = host.thread[row];
    (thread.valid() && !in_loop[thread.value] ? others : own)
        .push_back(iterations::RowSpan(host, row));
  }
  if (own.empty() && others.empty()) return {};
  own = Merge(std::move(own));
  if (profile.device.size() == 0) own = Subtract(own, LoopWork(profile, in_loop, false));
  if (others.empty()) return own;
  const std::vector<Span> work = LoopWork(profile, in_loop, true);
  for (const Span other : others) own.push_back(RestBehind(other, work));
  return Merge(std::move(own));
}

}  // namespace profgauge::analysis::breakdown
