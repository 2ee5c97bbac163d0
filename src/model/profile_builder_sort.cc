// The order of a finished profile's tables.
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>

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
void SortStreamTable(T& t) {
  const auto rows = SortedRows(t.size(), [&](auto a, auto b) { return t.start[a] < t.start[b]; });
  PermuteAll(rows, t.start, t.duration, t.name, t.gpu, t.stream);
}

}  // namespace

void ProfileBuilder::SortTables() {
  const auto sort_host = [this] {
    auto& host = profile_.host;
    const auto rows = ByThread(host);
    PermuteAll(rows, host.start, host.duration, host.name, host.kind, host.thread,
               host.input_shapes, host.input_dtypes, host.call_stack, host.concrete_inputs,
               host.sequence, host.collective, host.domain, host.style, host_ids_, host_backward_);
  };
  const auto sort_api = [this] {
    auto& api = profile_.api;
    const auto rows = ByThread(api);
    PermuteAll(rows, api.start, api.duration, api.name, api.kind, api.thread, api_correlations_,
               api_op_ids_);
  };
  const auto sort_device = [this] {
    auto& device = profile_.device;
    const auto rows = SortedRows(device.size(), [&](auto a, auto b) {
      return std::tuple(device.gpu[a], device.stream[a], device.start[a]) <
             std::tuple(device.gpu[b], device.stream[b], device.start[b]);
    });
    PermuteAll(rows, device.start, device.duration, device.name, device.kind, device.gpu,
               device.stream, device.config, device.collective, device.copy, device.host_memory,
               device.bytes, device_correlations_, device_op_ids_);
  };
  const auto sort_python = [this] {
    auto& python = profile_.python;
    const auto rows = ByThread(python);
    PermuteAll(rows, python.start, python.duration, python.name, python.thread, python.id,
               python.parent_id, python.module_id);
  };
  const auto sort_memory = [this] {
    auto& memory = profile_.memory;
    const auto rows =
        SortedRows(memory.size(), [&](auto a, auto b) { return memory.time[a] < memory.time[b]; });
    PermuteAll(rows, memory.time, memory.thread, memory.device_type, memory.device, memory.address,
               memory.bytes, memory.total_allocated, memory.total_reserved);
  };
  const auto sort_others = [this] {
    auto& os = profile_.os;
    PermuteAll(ByThread(os), os.start, os.duration, os.name, os.thread);
    SortStreamTable(profile_.sync);
    SortStreamTable(profile_.device_ranges);
  };
  const std::function<void()> sorts[] = {sort_host,   sort_python, sort_api,
                                         sort_device, sort_memory, sort_others};
  ForEachAtOnce(std::size(sorts), [&](std::size_t i) { sorts[i](); });
}

}  // namespace profgauge
