#include "model/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace profgauge {
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

/// Whether key(row) never falls from row to row.
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
                  t.collective)) {
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
  Error error;
  error.code = "model/invariant";
  error.message = fmt::format("the profile's {} table breaks its promises",
                              kPromises[broken - holds.begin()].what);
  error.where.file = profile.source.path;
  error.notes.emplace_back("note: this is a defect of profgauge, not of the file");
  return Fail(std::move(error));
}

}  // namespace profgauge
