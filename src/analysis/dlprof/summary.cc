#include "analysis/dlprof/summary.h"

#include "analysis/dlprof/instances.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/breakdown/breakdown.h"

namespace profgauge::analysis::dlprof::dlprof {
namespace {

using Spans = std::vector<Span>;

// Whether the call waits for a file or a socket.
bool IsIo(std::string_view call) {
  for (const std::string_view prefix :
       {"read",  "write",   "pread", "pwrite", "fread", "fwrite",    "open",   "fopen",
        "close", "fclose",  "recv",  "send",   "fsync", "fdatasync", "fflush", "fgets",
        "fputs", "getline", "getc",  "mmap",   "fseek", "lseek"}) {
    if (call.starts_with(prefix)) return true;
  }
  return false;
}

// Ranges on any thread that breakdown/breakdown.h classifies as data loading.
Spans DataLoading(const Profile& profile) {
  SpanCollector collector;
  const std::vector<Category> categories = breakdown::CategoriesOfHost(profile);
  for (std::size_t row = 0; row < categories.size(); ++row) {
    if (categories[row] != Category::kDataLoader) continue;
    collector.Add(profile.host.start[row], profile.host.duration[row]);
  }
  return collector.Take();
}

Spans InputOutput(const Profile& profile) {
  SpanCollector collector;
  for (std::size_t row = 0; row < profile.os.size(); ++row) {
    if (!IsIo(profile.Name(profile.os.name[row]))) continue;
    collector.Add(profile.os.start[row], profile.os.duration[row]);
  }
  return collector.Take();
}

struct DeviceSpans {
  Spans tensor_core, other, memory;
  std::map<std::int32_t, Spans> kernels_of_gpu;
};

DeviceSpans Collect(const Profile& profile, const classify::KernelClasses& classes,
                    const SelectedTime& selected) {
  DeviceSpans spans;
  const DeviceTable& device = profile.device;
  for (const std::uint32_t row : selected.device) {
    const Span span{device.start[row], device.start[row] + device.duration[row]};
    if (device.kind[row] != DeviceKind::kKernel) {
      spans.memory.push_back(span);
      continue;
    }
    (classes[row].tensor_core == classify::Tri::kYes ? spans.tensor_core : spans.other)
        .push_back(span);
    spans.kernels_of_gpu[device.gpu[row]].push_back(span);
  }
  return spans;
}

// Assigns to each role its part of the remaining window, in the order of its calls:
//
//   window        |------------------------|
//   tensor_core      |####|                        takes 6
//   other_kernel        |#####|                    takes 4: 3 are already assigned
//   cpu           |------------|                   takes the rest of its time
//
// The parts and the rest, left(), are disjoint and add up to the window.
class Remaining {
 public:
  explicit Remaining(Span window) : free_(Merge({window})) {}
  Ns Take(Spans spans) {
    spans = Merge(std::move(spans));
    const Ns taken = OverlapLength(free_, spans);
    free_ = Subtract(free_, spans);
    return taken;
  }
  Ns left() const { return Length(free_); }

 private:
  Spans free_;
};

}  // namespace

// Utilization is the mean over the GPUs with kernels.
Summary Summarize(const Profile& profile, const classify::KernelClasses& classes,
                  const SelectedTime& selected) {
  Summary summary;
  summary.wall = selected.window.length();
  DeviceSpans spans = Collect(profile, classes, selected);
  if (summary.wall > 0 && !spans.kernels_of_gpu.empty()) {
    double sum = 0;
    for (auto& [gpu, kernels] : spans.kernels_of_gpu) {
      sum += static_cast<double>(Length(Clip(Merge(std::move(kernels)), selected.window)));
    }
    summary.gpu_utilization =
        sum / static_cast<double>(spans.kernels_of_gpu.size()) / static_cast<double>(summary.wall);
  }
  Remaining free(selected.window);
  Breakdown& parts = summary.breakdown;
  parts.tensor_core = free.Take(std::move(spans.tensor_core));
  parts.other_kernel = free.Take(std::move(spans.other));
  parts.memory = free.Take(std::move(spans.memory));
  parts.dataloader = free.Take(DataLoading(profile));
  parts.io = free.Take(InputOutput(profile));
  parts.cpu = free.Take(selected.cpu);
  parts.other = free.left();

  std::set<StringId> names;
  for (const std::uint32_t row : selected.device) {
    if (profile.device.kind[row] == DeviceKind::kKernel) continue;
    const ApiId call = profile.device.launch[row];
    names.insert(call.valid() ? profile.api.name[call.value] : profile.device.name[row]);
    summary.kernels_memory.gpu += profile.device.duration[row];
    if (call.valid()) summary.kernels_memory.cpu += profile.api.duration[call.value];
  }
  summary.kernels_memory.count = static_cast<std::int64_t>(names.size());
  return summary;
}

// An op belongs to exactly one of the groups using, eligible (but not using), and other.
void AddOpShares(Report& report) {
  Summary& summary = report.summary;
  for (const Op& op : report.ops) {
    for (Share* share : {&summary.ops, op.uses_tensor_cores ? &summary.ops_using
                                       : op.eligible        ? &summary.ops_eligible
                                                            : &summary.ops_other}) {
      share->gpu += op.times.gpu.sum;
      share->cpu += op.times.cpu.sum;
      ++share->count;
    }
  }
  Ns using_time = 0, eligible_time = 0;
  for (const TensorCoreOp& op : report.tensor) {
    using_time += op.tensor_core_time;
    eligible_time += op.tensor_core_time + op.other_time;
  }
  if (eligible_time > 0) {
    summary.tensor_core_utilization =
        static_cast<double>(using_time) / static_cast<double>(eligible_time);
  }
}

// Counts distinct names; times are those of all launches. Copies and memsets were counted before.
void AddKernelShares(Report& report, const Profile& profile) {
  Summary& summary = report.summary;
  std::set<std::string_view> using_names, other_names;
  for (const Launch& launch : report.launches) {
    Share& share = launch.uses_tensor_cores ? summary.kernels_using : summary.kernels_other;
    share.gpu += profile.device.duration[launch.row];
    share.cpu += launch.api_time;
    (launch.uses_tensor_cores ? using_names : other_names).insert(launch.name);
  }
  summary.kernels_using.count = static_cast<std::int64_t>(using_names.size());
  summary.kernels_other.count = static_cast<std::int64_t>(other_names.size());
  for (const Share* part :
       {&summary.kernels_using, &summary.kernels_other, &summary.kernels_memory}) {
    summary.kernels.gpu += part->gpu;
    summary.kernels.cpu += part->cpu;
    summary.kernels.count += part->count;
  }
}

void Stat::Add(Ns value) {
  min = count == 0 ? value : std::min(min, value);
  max = count == 0 ? value : std::max(max, value);
  sum += value;
  ++count;
}

void Stat::Add(const Stat& other) {
  if (other.count == 0) return;
  min = count == 0 ? other.min : std::min(min, other.min);
  max = count == 0 ? other.max : std::max(max, other.max);
  sum += other.sum;
  count += other.count;
}

void Times::Add(const Times& other) {
  cpu.Add(other.cpu);
  gpu.Add(other.gpu);
  overhead.Add(other.overhead);
  idle.Add(other.idle);
}

}  // namespace profgauge::analysis::dlprof::dlprof
