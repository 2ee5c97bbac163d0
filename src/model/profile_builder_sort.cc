// The order of a finished profile's tables.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "model/permute.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

// Rows whose times and places are equal have an order that the file's says nothing of: that of the
// numbers which the profiler gave, then of names.

template <class T, class Numbers>
Permutation ByThread(const T& t, const Numbers& numbers, const Profile& profile) {
  return SortedRows(t.size(), [&](auto a, auto b) {
    const auto place = [&t](auto row) {
      return std::tuple(t.thread[row], t.start[row], -t.duration[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    if (numbers(a) != numbers(b)) return numbers(a) < numbers(b);
    return t.name[a] != t.name[b] && profile.Name(t.name[a]) < profile.Name(t.name[b]);
  });
}

template <class T>
Permutation ByStart(const T& t, const Profile& profile) {
  return SortedRows(t.size(), [&](auto a, auto b) {
    const auto place = [&t](auto row) {
      return std::tuple(t.start[row], t.gpu[row], t.stream[row], -t.duration[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    return t.name[a] != t.name[b] && profile.Name(t.name[a]) < profile.Name(t.name[b]);
  });
}

template <class Numbers>
Permutation ByStream(const DeviceTable& device, const Numbers& numbers, const Profile& profile) {
  return SortedRows(device.size(), [&](auto a, auto b) {
    const auto place = [&device](auto row) {
      return std::tuple(device.gpu[row], device.stream[row], device.start[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    if (numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    if (device.duration[a] != device.duration[b]) return device.duration[a] < device.duration[b];
    return device.name[a] != device.name[b] &&
           profile.Name(device.name[a]) < profile.Name(device.name[b]);
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

// In the order in which their first events begin: in that of the file, tables would list them
// otherwise for the same events.
void ProfileBuilder::OrderThreads() {
  constexpr Ns kNever = std::numeric_limits<Ns>::max();
  std::vector<Thread>& threads = profile_.threads;
  std::vector<Ns> first(threads.size(), kNever);
  const auto see = [&first](const auto& starts, const auto& of) {
    for (std::size_t row = 0; row < starts.size(); ++row) {
      const ThreadId thread = of[row];
      if (thread.value < first.size()) {
        first[thread.value] = std::min(first[thread.value], starts[row]);
      }
    }
  };
  see(profile_.host.start, profile_.host.thread);
  see(profile_.api.start, profile_.api.thread);
  see(profile_.os.start, profile_.os.thread);
  see(profile_.python.start, profile_.python.thread);
  see(profile_.memory.time, profile_.memory.thread);
  Permutation order = SortedRows(threads.size(), [&](auto a, auto b) {
    const auto place = [&](auto row) {
      const Thread& thread = threads[row];
      return std::tie(first[row], thread.pid, thread.tid, thread.process, thread.name);
    };
    return place(a) < place(b);
  });
  if (order.empty()) return;
  std::vector<ThreadId> now(threads.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) now[order[row]] = ThreadId{row};
  const auto change = [&now](ThreadId& thread) {
    if (thread.value < now.size()) thread = now[thread.value];
  };
  Permute(order, threads);
  for (auto* column : {&profile_.host.thread, &profile_.os.thread, &profile_.python.thread,
                       &profile_.memory.thread}) {
    for (ThreadId& thread : *column) change(thread);
  }
  for (std::size_t row = 0; row < profile_.api.size(); ++row) {
    ThreadId thread = profile_.api.thread[row];
    change(thread);
    profile_.api.thread.Set(row, thread);
  }
  for (FlowRow& flow : flows_) change(flow.thread);
  for (LaunchArrow& arrow : arrows_) change(arrow.thread);
  for (std::vector<CpuSpan>* spans : {&cpu_.spans, &cpu_.overhead}) {
    for (CpuSpan& span : *spans) change(span.thread);
  }
  for (CpuSample& sample : cpu_.samples) change(sample.thread);
  for (auto& [gpu, thread] : profile_.step_lanes) change(thread);
  for (auto& [key, id] : thread_ids_) id = now[id].value;
}

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
      [&] {
        return ByThread(
            host, [this](auto row) { return host_ids_[row]; }, profile_);
      },
      [&] {
        return ByThread(
            python, [&](auto row) { return python.id[row]; }, profile_);
      },
      [&] {
        return ByThread(
            api, [this](auto row) { return api_correlations_[row]; }, profile_);
      },
      [&] { return ByStream(device, device_correlations_, profile_); },
      [&] { return ByTime(memory); },
      [&] {
        return ByThread(
            os, [](auto) { return 0; }, profile_);
      },
      [&] { return ByStart(sync, profile_); },
      [&] { return ByStart(ranges, profile_); },
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
