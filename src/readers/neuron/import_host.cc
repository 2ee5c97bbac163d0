// The system profile: calls of the host, executions on devices, memory and CPUs of the host.
#include <fmt/format.h>

#include <algorithm>

#include "base/metric_id.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {
namespace {

// What hardware reports: schema 7.4.0 says so, the JSON has these names only.
bool IsDevice(const Record& record, std::string_view name) {
  return record.Says(Key::kEventSource, "neuron_hw") || name == "nc_exec_running" ||
         name == "cc_running" || name == "cc_exec_barrier";
}

bool IsFramework(const Record& record) {
  constexpr std::int64_t kFrameworkType = 99999;
  return record.Text(Key::kGroup).starts_with("framework") ||
         record.Says(Key::kEventSource, "framework") ||
         record.Integer(Key::kType) == kFrameworkType;
}

double ShareOf(const Record& record) {
  const double percent = record.Real(Key::kUtil, -1);
  return percent >= 0 && percent <= 100 ? percent / 100 : -1;
}

}  // namespace

void Import::TakeHostEvent(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  has_host_ = true;
  if (!TakeTimes(record, table, index, times)) return;
  const std::string name(record.Text(Key::kName));
  if (IsDevice(record, name)) return AddDeviceSpan(record, times.start, times.duration, name);
  const ThreadId thread = builder_.AddThread(std::string(record.Text(Key::kProcess)),
                                             std::string(record.Text(Key::kThread)));
  if (IsFramework(record)) {
    HostRow row;
    row.start = times.start;
    row.duration = times.duration;
    row.name = builder_.Intern(name);
    row.thread = thread;
    return builder_.AddHost(row);
  }
  ApiRow row;
  row.start = times.start;
  row.duration = times.duration;
  row.name = builder_.Intern(name);
  row.thread = thread;
  row.correlation = record.Integer(Key::kId, -1);
  row.kind = name == "nrt_execute"            ? ApiKind::kLaunch
             : name.starts_with("nrt_tensor") ? ApiKind::kMemcpy
                                              : ApiKind::kOther;
  builder_.AddApi(row);
}

// Executions, and what is a moment of synchronization between clocks, which is no work.
void Import::AddDeviceSpan(const Record& record, Ns start, Ns duration, std::string_view name) {
  const std::int32_t core = CoreOf(record);
  if (name != "nc_exec_running" && !name.starts_with("cc_")) {
    return log().Add(Counter::events_ignored_kind);
  }
  DeviceRow work;
  work.start = start;
  work.duration = duration;
  work.name = builder_.Intern(name);
  work.gpu = core;
  work.stream = name == "nc_exec_running" ? 0 : 1;
  work.correlation = record.Integer(Key::kParentId, -1);  // The call that asked for it.
  cores_.insert(core);
  builder_.NameStream(core, work.stream, work.stream == 0 ? "Execution" : "Collectives");
  builder_.AddDevice(work);
}

void Import::HostUse::Add(double share, std::int64_t bytes) {
  ++samples;
  most_bytes = std::max(most_bytes, bytes);
  if (share < 0) return;
  ++shares;
  sum += share;
  most = std::max(most, share);
}

void Import::TakeHostMemory(const Record& record) {
  has_host_ = true;
  memory_.Add(ShareOf(record), record.Amount(Key::kAmount, data::kUnknown));
}

void Import::TakeCpu(const Record& record) {
  has_host_ = true;
  cpus_[std::string(record.Text(Key::kCpu))].Add(ShareOf(record), data::kUnknown);
}

void Import::AddHostDevices() {
  for (const std::int32_t core : cores_) {
    Gpu gpu;
    gpu.id = core;
    gpu.name = "NeuronCore";
    builder_.AddGpu(std::move(gpu));
  }
}

void Import::ReportHost() {
  if (memory_.samples == 0 && cpus_.empty()) return;
  Reported& reported = builder_.reported();
  ReportedTable table{"host_use", {"name", "samples", "mean", "max", "max_bytes"}, {}};
  const auto add = [&](const std::string& name, const HostUse& use) {
    const double mean = use.shares > 0 ? use.sum / static_cast<double>(use.shares) : 0;
    table.rows.push_back({name, static_cast<std::int64_t>(use.samples),
                          use.shares > 0 ? Value(mean) : Value{},
                          use.shares > 0 ? Value(use.most) : Value{},
                          use.most_bytes >= 0 ? Value(use.most_bytes) : Value{}});
    return mean;
  };
  const auto set = [&](MetricId id, Value value) {
    reported.metrics.push_back({id, std::move(value), "sampled by the system profile"});
  };
  if (memory_.samples > 0) add("memory", memory_);
  if (memory_.most_bytes >= 0) set(metric::kHostMemoryPeak, memory_.most_bytes);
  if (memory_.shares > 0) set(metric::kHostMemoryPeakShare, memory_.most);
  // "average" is over all CPUs; a file that has it needs no mean of ours.
  double sum = 0, busiest = -1, average = -1;
  std::uint64_t single = 0;
  for (const auto& [cpu, use] : cpus_) {
    const double mean = add("CPU " + cpu, use);
    if (use.shares == 0) continue;
    if (cpu == "average") {
      average = mean;
      continue;
    }
    sum += mean;
    ++single;
    busiest = std::max(busiest, mean);
  }
  if (average < 0 && single > 0) average = sum / static_cast<double>(single);
  if (average >= 0) set(metric::kHostCpuMean, average);
  if (busiest >= 0) set(metric::kHostCpuBusiest, busiest);
  reported.tables.push_back(std::move(table));
}

}  // namespace profgauge::readers::neuron
