// The order of a finished profile's tables.
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "model/permute.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

template <class T>
Permutation ByThread(const T& t) {
  return SortedRows(t.size(), [&](auto a, auto b) {
    return std::tuple(t.thread[a], t.start[a], -t.duration[a]) <
           std::tuple(t.thread[b], t.start[b], -t.duration[b]);
  });
}

template <class T>
Permutation ByStart(const T& t) {
  return SortedRows(t.size(), [&](auto a, auto b) { return t.start[a] < t.start[b]; });
}

Permutation ByStream(const DeviceTable& device) {
  return SortedRows(device.size(), [&](auto a, auto b) {
    return std::tuple(device.gpu[a], device.stream[a], device.start[a]) <
           std::tuple(device.gpu[b], device.stream[b], device.start[b]);
  });
}

Permutation ByTime(const MemoryTable& memory) {
  return SortedRows(memory.size(), [&](auto a, auto b) { return memory.time[a] < memory.time[b]; });
}

// Columns that take the order of their rows, side by side: one table may be most of a profile.
class Columns {
 public:
  template <class... Column>
  void Add(const Permutation& rows, Column&... columns) {
    if (rows.empty()) return;
    (sorts_.push_back([&rows, &columns] { Permute(rows, columns); }), ...);
  }
  void Sort() {
    ForEachAtOnce(sorts_.size(), [this](std::size_t i) { sorts_[i](); });
  }

 private:
  std::vector<std::function<void()>> sorts_;
};

}  // namespace

// The order of each table is found first, then all columns are moved by it, those as well that only
// the builder has: ids by which model/link.h finds rows.
void ProfileBuilder::SortTables() {
  auto& host = profile_.host;
  auto& python = profile_.python;
  auto& api = profile_.api;
  auto& device = profile_.device;
  auto& memory = profile_.memory;
  auto& os = profile_.os;
  auto& sync = profile_.sync;
  auto& ranges = profile_.device_ranges;
  const std::function<Permutation()> orders[] = {
      [&] { return ByThread(host); }, [&] { return ByThread(python); },
      [&] { return ByThread(api); },  [&] { return ByStream(device); },
      [&] { return ByTime(memory); }, [&] { return ByThread(os); },
      [&] { return ByStart(sync); },  [&] { return ByStart(ranges); },
  };
  std::array<Permutation, std::size(orders)> rows;
  ForEachAtOnce(rows.size(), [&](std::size_t i) { rows[i] = orders[i](); });
  Columns columns;
  columns.Add(rows[0], host.start, host.duration, host.name, host.kind, host.thread,
              host.input_shapes, host.input_dtypes, host.call_stack, host.concrete_inputs,
              host.sequence, host.collective, host.domain, host.style, host_ids_, host_backward_);
  columns.Add(rows[1], python.start, python.duration, python.name, python.thread, python.id,
              python.parent_id, python.module_id);
  columns.Add(rows[2], api.start, api.duration, api.name, api.kind, api.thread, api_correlations_,
              api_op_ids_);
  columns.Add(rows[3], device.start, device.duration, device.name, device.kind, device.gpu,
              device.stream, device.config, device.collective, device.copy, device.host_memory,
              device.bytes, device_correlations_, device_op_ids_);
  columns.Add(rows[4], memory.time, memory.thread, memory.device_type, memory.device,
              memory.address, memory.bytes, memory.total_allocated, memory.total_reserved);
  columns.Add(rows[5], os.start, os.duration, os.name, os.thread);
  columns.Add(rows[6], sync.start, sync.duration, sync.name, sync.gpu, sync.stream);
  columns.Add(rows[7], ranges.start, ranges.duration, ranges.name, ranges.gpu, ranges.stream);
  columns.Sort();
}

}  // namespace profgauge
