// Reads the system profile: host calls, executions on devices, memory and CPUs of the host.
//
//   JSON      trace_events[]  { timestamp (Unix ns), duration, name, group, process_id,
//                               thread_id, lnc_idx, id, parent_id, type }
//             mem_usage[]     { timestamp, percent_usage (0 to 100), usage }
//             cpu_util[]      { timestamp, cpu_id, util (0 to 100) }
//   Parquet   SystemProfileEvents, HostMemUsage, CpuUsage: the same, with flow_id and attributes
//
//   nc_exec_running, cc_running, cc_exec_barrier, source neuron_hw   an execution on a device
//   group "framework-...", source framework, type 99999              an operator of the framework
//   others                                      a call of the runtime; nrt_execute launches
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/metric_id.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {
namespace {

// True for an execution on a device. Schema 7.4.0 has a source for these; the JSON only has names.
bool IsDevice(const Record& record, std::string_view name) {
  return record.Says(Key::kEventSource, "neuron_hw") || name == "nc_exec_running" ||
         name == "cc_running" || name == "cc_exec_barrier";
}

bool IsFramework(const Record& record) {
  enum class HostType : std::int64_t { kFramework = 99'999 };
  return record.Text(Key::kGroup).starts_with("framework") ||
         record.Says(Key::kEventSource, "framework") ||
         record.Integer(Key::kType) == static_cast<std::int64_t>(HostType::kFramework);
}

// The share of an event; -1 if the percentage is outside 0 to 100.
double ShareOf(const Record& record) {
  const double percent = record.Real(Key::kUtil, -1);
  return percent >= 0 && percent <= 100 ? percent / 100 : -1;
}

/// The id of the call that requested an event; -1 if unknown. JSON has a column with it, Parquet
/// has it in the attributes `{"parent_id":1}`.
std::int64_t ParentOf(const Record& record) {
  if (const auto parent = record.Integer(Key::kParentId)) return *parent;
  constexpr std::string_view kParent = "\"parent_id\"";
  std::string_view text = record.Text(Key::kExtra);
  const auto at = text.find(kParent);
  if (at == std::string_view::npos) return -1;
  text.remove_prefix(at + kParent.size());
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" :\"")));
  std::int64_t parent = -1;
  std::from_chars(text.data(), text.data() + text.size(), parent);
  return parent;
}

/// Calls `take` with each flow in a list: "3, 4" or, in CSV, "[3, 4]".
template <class Take>
void ForEachFlow(std::string_view list, Take take) {
  constexpr std::string_view kBetween = " ,[]'\"";
  while (true) {
    list.remove_prefix(std::min(list.size(), list.find_first_not_of(kBetween)));
    if (list.empty()) return;
    const auto size = std::min(list.size(), list.find_first_of(kBetween));
    take(list.substr(0, size));
    list.remove_prefix(size);
  }
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
  AddCallToFlows(record, row);
  builder_.AddApi(row);
}

// Adds a call to its flows. A flow has the calls and executions of one request; its id is a text.
void Import::AddCallToFlows(const Record& record, const ApiRow& call) {
  ForEachFlow(record.Text(Key::kFlows), [&](std::string_view flow) {
    flow_calls_[std::string(flow)].push_back(
        {call.kind == ApiKind::kLaunch, call.start, call.correlation});
  });
}

// Links each execution to a call in its flows: the last one that launches and began before it.
//
//   flow 3    calls  nrt_execute at 10, nrt_tensor_write at 20, nrt_execute at 90
//   work      at 50, flows 3: the launch at 10; the one at 90 began after it
void Import::LinkFlows() {
  const auto is_better = [](const FlowCall& a, const FlowCall& b) {
    return std::tuple(a.is_launch, a.start, a.correlation) >
           std::tuple(b.is_launch, b.start, b.correlation);
  };
  for (FlowWork& work : flow_work_) {
    std::optional<FlowCall> best;
    ForEachFlow(work.flows, [&](std::string_view flow) {
      const auto calls = flow_calls_.find(flow);
      if (calls == flow_calls_.end()) return;
      for (const FlowCall& call : calls->second) {
        if (call.start <= work.row.start && (!best || is_better(call, *best))) best = call;
      }
    });
    if (best) work.row.correlation = best->correlation;
    builder_.AddDevice(work.row);
  }
  flow_work_.clear();
}

// Adds an execution. Moments of clock synchronization are no executions.
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
  work.correlation = ParentOf(record);
  cores_.insert(core);
  builder_.NameStream(core, work.stream, work.stream == 0 ? "Execution" : "Collectives");
  if (record.Has(Key::kFlows)) {
    flow_work_.push_back({work, std::string(record.Text(Key::kFlows))});
  } else {
    builder_.AddDevice(work);
  }
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
  memory_.Add(ShareOf(record), record.Amount(Key::kAmount, profgauge::neuron::kUnknown));
}

void Import::TakeCpu(const Record& record) {
  has_host_ = true;
  cpus_[std::string(record.Text(Key::kCpu))].Add(ShareOf(record), profgauge::neuron::kUnknown);
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
  // The field "average" is the mean of all CPUs. If it is missing, the mean is computed.
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
