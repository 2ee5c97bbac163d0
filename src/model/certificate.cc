#include "model/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "knowledge/clocks.h"
#include "knowledge/loss.h"
#include "model/lost_launches.h"

namespace profgauge {
namespace {

Ns EndOfCall(const ApiTable& api, std::uint32_t row) { return api.start[row] + api.duration[row]; }

// Returns by how much work outlasts the synchronizing calls that wait for it; -1 unless at least
// half of these calls returned too early. Considers calls that wait for a whole device, by threads
// that launch on only one, and calls right after a copy to the host, which wait for that copy.
//
//   host     [launch] [cudaDeviceSynchronize ........]
//   device             [gemm .............................]
//                                                     ^---^  the wait returned this much too early
//
// A few such calls show nothing; if half of all calls return too early, the clock is wrong.
Ns WorkAfterWaits(const Profile& profile, Ns too_late) {
  const ApiTable& api = profile.api;
  const DeviceTable& device = profile.device;
  std::vector<Ns> end(api.size(), 0);  // End of the work of each call.
  std::vector<std::int32_t> gpu(api.size(), -1);
  std::vector<bool> copies(api.size(), false);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid()) continue;
    end[launch.value] = std::max(end[launch.value], device.start[row] + device.duration[row]);
    gpu[launch.value] = device.gpu[row];
    copies[launch.value] = device.copy[row] == CopyKind::kDeviceToHost;
  }
  std::size_t waits = 0;
  std::vector<Ns> late;
  Ns latest = 0;                     // End of the last work launched by this thread.
  std::optional<std::int32_t> used;  // The GPU of this thread.
  bool uses_several = false, is_copy_last = false;
  Ns copied = 0;
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (row > 0 && api.thread[row] != api.thread[row - 1]) {
      latest = copied = 0;
      used.reset();
      uses_several = is_copy_last = false;
    }
    if (end[row] > 0) {
      latest = std::max(latest, end[row]);
      is_copy_last = copies[row];
      copied = end[row];
      uses_several = uses_several || (used && *used != gpu[row]);
      used = gpu[row];
    }
    if (api.kind[row] != ApiKind::kSync) continue;
    const bool is_of_device =
        !uses_several && profile.Name(api.name[row]).find("DeviceSync") != std::string_view::npos;
    if (!(is_of_device && latest > 0) && !is_copy_last) continue;
    ++waits;
    const Ns by = (is_of_device ? latest : copied) - EndOfCall(api, row);
    if (by >= too_late) late.push_back(by);
    is_copy_last = false;
  }
  if (late.empty() || late.size() * 2 < waits) return -1;
  std::nth_element(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(late.size() / 2),
                   late.end());
  return late[late.size() / 2];
}

// Certifies that waits end after the awaited work; otherwise the device's clock is ahead of the
// host's. (A device clock that is late shows work before its launch.)
void CertifyClocks(Profile& profile) {
  if (profile.api.size() == 0 || !profile.has_timeline) return;
  const Ns ahead = WorkAfterWaits(profile, knowledge::kClocksAhead.ns());
  if (ahead < knowledge::kClocksAhead) return;
  profile.facts.emplace_back(
      std::string(kDeviceClock),
      fmt::format("{} ahead of the host's", FormatDuration(static_cast<double>(ahead))));
}

bool IsOfCollective(std::string_view range) {
  return range.starts_with("nccl") || range.starts_with("rccl") ||
         range.starts_with("record_param_comms") || range.starts_with("c10d::");
}

// Counts launches inside ranges of collectives, and how many of these have no device work. Launches
// after the last call that has work are in flight at the end.
void CertifyCollectives(Profile& profile) {
  const ApiTable& api = profile.api;
  const HostTable& host = profile.host;
  if (profile.device.size() == 0 || api.size() == 0) return;
  const std::vector<LaunchState> states = LaunchStates(profile);
  Ns last = std::numeric_limits<Ns>::min();
  for (const ApiId launch : profile.device.launch) {
    if (launch.valid()) last = std::max(last, api.start[launch.value]);
  }
  std::vector<bool> of_collective(host.size(), false);
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostId parent = host.parent[row];
    of_collective[row] = (parent.valid() && of_collective[parent.value]) ||
                         IsOfCollective(profile.Name(host.name[row]));
  }
  std::size_t all = 0, lost = 0;
  const GraphCaptures captures(profile);
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (states[row] == LaunchState::kNone || api.start[row] >= last) continue;
    if (!api.op[row].valid() || !of_collective[api.op[row].value]) continue;
    if (captures.Has(ApiId{row})) continue;
    ++all;
    if (states[row] == LaunchState::kWithoutWork) ++lost;
  }
  if (lost < knowledge::kLossLeastLaunches) return;
  profile.facts.emplace_back(
      std::string(kCollectivesLost),
      fmt::format("{} of {} launches", FormatCount(static_cast<std::int64_t>(lost)),
                  FormatCount(static_cast<std::int64_t>(all))));
}

constexpr std::string_view kDeviceOperators[] = {
#include "knowledge/device_operators.inc"
};
constexpr std::string_view kDeviceBackends[] = {
#include "knowledge/device_backends.inc"
};

bool RunsOnDeviceOnly(std::string_view name) {
  const bool is_of_backend =
      std::any_of(std::begin(kDeviceBackends), std::end(kDeviceBackends), [&](auto backend) {
        return name.starts_with(backend) && name.substr(backend.size()).starts_with(':');
      });
  return is_of_backend || (!name.ends_with("_for_cpu") &&
                           std::any_of(std::begin(kDeviceOperators), std::end(kDeviceOperators),
                                       [&](auto begin) { return name.starts_with(begin); }));
}

// The evidence that a device was used, the most certain first; empty if there is none.
std::string DeviceUseOf(const Profile& profile) {
  const std::vector<ApiKind>& calls = profile.api.kind;
  if (const auto launches = std::count(calls.begin(), calls.end(), ApiKind::kLaunch)) {
    return launches == 1 ? "1 launch" : FormatCount(launches) + " launches";
  }
  if (!calls.empty()) {
    return calls.size() == 1
               ? "1 call of its runtime"
               : FormatCount(static_cast<std::int64_t>(calls.size())) + " calls of its runtime";
  }
  const DistributedInfo& run = profile.distributed;
  const auto backend = std::find(std::begin(kDeviceBackends), std::end(kDeviceBackends),
                                 std::string_view(run.backend));
  if (backend != std::end(kDeviceBackends)) {
    const bool has_rank = run.rank >= 0 && run.world_size > 0;
    return has_rank ? fmt::format("backend {}, rank {} of {}", *backend, run.rank, run.world_size)
                    : fmt::format("backend {}", *backend);
  }
  const auto& types = profile.memory.device_type;  // PyTorch's numbers: 0 is the CPU.
  if (std::any_of(types.begin(), types.end(), [](auto type) { return type != 0; })) {
    return "allocations in its memory";
  }
  std::vector<bool> is_known(profile.strings.size(), false);
  for (const StringId name : profile.host.name) {
    if (!name.valid() || is_known[name.value]) continue;
    is_known[name.value] = true;
    if (RunsOnDeviceOnly(profile.Name(name))) return fmt::format("`{}`", profile.Name(name));
  }
  return {};
}

void CertifyDeviceUse(Profile& profile) {
  if (!profile.has_timeline || profile.device.size() > 0 || profile.neuron != nullptr) return;
  if (std::string use = DeviceUseOf(profile); !use.empty()) {
    profile.facts.emplace_back(std::string(kDeviceUse), std::move(use));
  }
}

}  // namespace

void Certify(Profile& profile) {
  CertifyClocks(profile);
  CertifyCollectives(profile);
  CertifyDeviceUse(profile);
}

std::string_view FactOf(const Profile& profile, std::string_view key) {
  const auto fact = std::find_if(profile.facts.begin(), profile.facts.end(),
                                 [&](const auto& each) { return each.first == key; });
  return fact == profile.facts.end() ? std::string_view() : std::string_view(fact->second);
}

namespace {

template <class... Columns>
bool SameLength(std::size_t size, const Columns&... columns) {
  return ((columns.size() == size) && ...);
}

template <class Ids>
bool InRange(const Ids& ids, std::size_t size) {
  for (const auto id : ids) {
    if (id.valid() && id.value >= size) return false;
  }
  return true;
}

template <class Times>
bool NoNegative(const Times& times) {
  for (const auto time : times) {
    if (time < 0) return false;
  }
  return true;
}

/// True if key(row) never decreases from row to row.
template <class Key>
bool Ordered(std::size_t size, Key key) {
  if (size == 0) return true;
  auto before = key(0);
  for (std::size_t row = 1; row < size; ++row) {
    const auto here = key(row);
    if (here < before) return false;
    before = here;
  }
  return true;
}

bool HostHolds(const Profile& p) {
  const auto& t = p.host;
  if (!SameLength(t.size(), t.duration, t.name, t.kind, t.thread, t.parent, t.forward,
                  t.input_shapes, t.input_dtypes, t.call_stack, t.concrete_inputs, t.sequence,
                  t.collective, t.domain, t.style)) {
    return false;
  }
  for (std::size_t row = 0; row < t.size(); ++row) {
    const auto parent = t.parent[row];
    if (!parent.valid()) continue;
    if (parent.value >= row || t.thread[parent.value] != t.thread[row]) return false;
  }
  return NoNegative(t.start) && NoNegative(t.duration) && InRange(t.name, p.strings.size()) &&
         InRange(t.thread, p.threads.size()) && InRange(t.forward, t.size()) &&
         InRange(t.collective.values(), p.collectives.size()) && Ordered(t.size(), [&](auto r) {
           return std::tuple(t.thread[r], t.start[r], -t.duration[r]);
         });
}

bool ApiHolds(const Profile& p) {
  const auto& t = p.api;
  return SameLength(t.size(), t.duration, t.name, t.kind, t.thread, t.op) && NoNegative(t.start) &&
         NoNegative(t.duration) && InRange(t.name, p.strings.size()) &&
         InRange(t.thread, p.threads.size()) && InRange(t.op, p.host.size()) &&
         Ordered(t.size(),
                 [&](auto r) { return std::tuple(t.thread[r], t.start[r], -t.duration[r]); });
}

bool DeviceHolds(const Profile& p) {
  const auto& t = p.device;
  return SameLength(t.size(), t.duration, t.name, t.kind, t.gpu, t.stream, t.launch, t.op, t.config,
                    t.collective, t.copy, t.host_memory, t.bytes) &&
         NoNegative(t.start) && NoNegative(t.duration) && InRange(t.name, p.strings.size()) &&
         InRange(t.launch, p.api.size()) && InRange(t.op, p.host.size()) &&
         InRange(t.config, p.launch_configs.size()) &&
         InRange(t.collective.values(), p.collectives.size()) &&
         Ordered(t.size(), [&](auto r) { return std::tuple(t.gpu[r], t.stream[r], t.start[r]); });
}

template <class T>
bool StreamTableHolds(const Profile& p, const T& t) {
  return SameLength(t.size(), t.duration, t.name, t.gpu, t.stream) && NoNegative(t.start) &&
         NoNegative(t.duration) && InRange(t.name, p.strings.size()) &&
         Ordered(t.size(), [&](auto r) { return t.start[r]; });
}

bool PythonHolds(const Profile& p) {
  const auto& t = p.python;
  return SameLength(t.size(), t.duration, t.name, t.thread, t.id, t.parent_id, t.module_id) &&
         NoNegative(t.start) && NoNegative(t.duration) && InRange(t.name, p.strings.size()) &&
         InRange(t.thread, p.threads.size()) && Ordered(t.size(), [&](auto r) {
           return std::tuple(t.thread[r], t.start[r], -t.duration[r]);
         });
}

bool MemoryHolds(const Profile& p) {
  const auto& t = p.memory;
  return SameLength(t.size(), t.thread, t.device_type, t.device, t.address, t.bytes,
                    t.total_allocated, t.total_reserved, t.op) &&
         NoNegative(t.time) && InRange(t.thread, p.threads.size()) &&
         InRange(t.op, p.host.size()) && Ordered(t.size(), [&](auto r) { return t.time[r]; });
}

}  // namespace

Status CheckInvariants(const Profile& profile) {
  struct Promise {
    bool (*holds)(const Profile&);
    const char* what;
  };
  static constexpr Promise kPromises[] = {
      {HostHolds, "host"},
      {ApiHolds, "api"},
      {DeviceHolds, "device"},
      {MemoryHolds, "memory"},
      {PythonHolds, "python"},
      {[](const Profile& p) { return StreamTableHolds(p, p.sync); }, "sync"},
      {[](const Profile& p) { return StreamTableHolds(p, p.device_ranges); }, "device_ranges"},
      {[](const Profile& p) { return p.first >= 0 && p.last >= p.first; }, "extent"},
  };
  std::array<bool, std::size(kPromises)> holds{};
  ForEachAtOnce(holds.size(), [&](std::size_t i) { holds[i] = kPromises[i].holds(profile); });
  const auto broken = std::find(holds.begin(), holds.end(), false);
  if (broken == holds.end()) return {};
  return Fail(BrokenTable(profile, kPromises[broken - holds.begin()].what));
}

Error BrokenTable(const Profile& profile, std::string_view table) {
  Error error;
  error.code = "model/invariant";
  error.message = fmt::format("the profile's {} table breaks its promises", table);
  error.where.file = profile.source.path;
  error.notes.emplace_back("note: this is a defect of profgauge, not of the file");
  return error;
}

}  // namespace profgauge
