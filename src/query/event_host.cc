// Events on the host: ranges, calls, Python frames, allocations, the operating system.
#include <charconv>
#include <string>
#include <system_error>

#include "analysis/host/host.h"
#include "model/tables.h"
#include "query/event_source.h"

namespace profgauge::query {
namespace {

using enum Unit;
using HostRow = std::uint32_t;

constexpr std::string_view kRangeKinds[] = {"op", "annotation", "marker", "python", "overhead"};
constexpr std::string_view kCallKinds[] = {"launch", "memcpy", "memset", "sync", "memory", "other"};
constexpr std::string_view kDirections[] = {"forward", "backward", "optimizer"};

template <std::size_t kSize, class Enum>
Cell KindIn(const std::string_view (&names)[kSize], Enum value) {
  return names[static_cast<std::size_t>(value)];
}

Cell KnownNumber(std::int64_t value) { return value < 0 ? Cell() : Cell(value); }

struct HostEvents {
  explicit HostEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), host(events->profile().host) {}
  std::size_t size() const { return host.size(); }
  // The kind as in the operator table, which excludes ranges of the framework in old traces.
  HostKind Kind(HostRow row) const {
    const HostKind kind = host.kind[row];
    if (kind != HostKind::kOp) return kind;
    return analysis::flops::IsFrameworkRange(events->profile().Name(host.name[row]))
               ? HostKind::kAnnotation
               : kind;
  }
  // Without times, the model's starts only keep the recorded order.
  Cell TimeOf(Ns time) const { return events->profile().has_timeline ? Cell(time) : Cell(); }

  std::shared_ptr<const RankEvents> events;
  const HostTable& host;
};
using Hosts = const HostEvents&;

constexpr EventColumn<HostEvents> kHosts[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Hosts of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Hosts of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Hosts of, HostRow row) { return of.TimeOf(of.host.start[row]); }},
    {{"duration", "Duration", kTime, "Length."},
     [](Hosts of, HostRow row) { return of.TimeOf(of.host.duration[row]); }},
    {{"iteration", "Iteration", kCount, "Position of the iteration in which it starts."},
     [](Hosts of, HostRow row) { return of.events->IterationAt(of.host.start[row]); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](Hosts of, HostRow row) { return of.events->ThreadNumber(of.host.thread[row]); }},
    {{"thread_name", "Thread name", kText, "Name of the thread, else its process."},
     [](Hosts of, HostRow row) { return of.events->ThreadName(of.host.thread[row]); }},
    {{"name", "Name", kText, "Name as recorded."},
     [](Hosts of, HostRow row) { return of.events->Text(of.host.name[row]); }},
    {{"kind", "Kind", kText, "op, annotation, marker, python or overhead."},
     [](Hosts of, HostRow row) { return KindIn(kRangeKinds, of.Kind(row)); }},
    {{"self", "Self", kTime, "Duration without the ranges inside."},
     [](Hosts of, HostRow row) { return of.TimeOf(of.events->selfs()[row]); }},
    {{"parent_id", "Parent id", kCount, "Id of the innermost range around it."},
     [](Hosts of, HostRow row) { return of.events->IdOf(of.host.parent[row]); }},
    {{"depth", "Depth", kCount, "How many ranges are around it."},
     [](Hosts of, HostRow row) -> Cell { return std::int64_t{of.events->depths()[row]}; }},
    {{"direction", "Direction", kText, "forward, backward or optimizer, of operators."},
     [](Hosts of, HostRow row) -> Cell {
       const analysis::flops::OpTree& tree = of.events->rank().tree;
       const bool is_op = of.host.kind[row] == HostKind::kOp && row < tree.direction.size();
       return is_op ? KindIn(kDirections, tree.direction[row]) : Cell();
     }},
    {{"forward_id", "Forward id", kCount, "Id of the forward operator of a backward one."},
     [](Hosts of, HostRow row) { return of.events->IdOf(of.host.forward[row]); }},
    {{"sequence", "Sequence", kCount, "Autograd sequence number."},
     [](Hosts of, HostRow row) { return KnownNumber(of.host.sequence[row]); }},
    {{"module", "Module", kText, "Innermost nn.Module around it, where recorded."},
     [](Hosts of, HostRow row) { return of.events->ModuleOf(HostId{row}); }},
    {{"input_shapes", "Input shapes", kText, "Shapes of the inputs, where recorded."},
     [](Hosts of, HostRow row) { return of.events->Text(of.host.input_shapes[row]); }},
    {{"input_dtypes", "Input types", kText, "Data types of the inputs, where recorded."},
     [](Hosts of, HostRow row) { return of.events->Text(of.host.input_dtypes[row]); }},
    {{"call_stack", "Call stack", kText, "Python call stack, where recorded."},
     [](Hosts of, HostRow row) { return of.events->Text(of.host.call_stack[row]); }},
    {{"domain", "Domain", kText, "NVTX domain; absent for the default one."},
     [](Hosts of, HostRow row) { return of.events->Text(of.host.domain[row]); }},
    {{"kernels", "Kernels", kCount, "Kernels that were launched in it."},
     [](Hosts of, HostRow row) -> Cell { return of.events->launched()[row].kernels; }},
    {{"device_time", "Device time", kTime, "Time of device work that was launched in it."},
     [](Hosts of, HostRow row) -> Cell { return of.events->launched()[row].time; }},
};

struct CallEvents {
  explicit CallEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), api(events->profile().api) {
    if (iterations().is_whole) counted = analysis::host::CountedCalls(events->rank());
  }
  const analysis::iterations::Iterations& iterations() const { return events->rank().iterations; }
  std::size_t size() const { return api.size(); }
  // Like in api_calls: the only iteration of a profile without marks has no separate bounds.
  Cell Iteration(HostRow row) const {
    if (!iterations().is_whole) return events->IterationAt(api.start[row]);
    return counted[row] ? Cell(std::int64_t{0}) : Cell();
  }
  std::shared_ptr<const RankEvents> events;
  const ApiTable& api;
  std::vector<bool> counted;  // For profiles without marks.
};
using Calls = const CallEvents&;

constexpr EventColumn<CallEvents> kCalls[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Calls of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Calls of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Calls of, HostRow row) -> Cell { return of.api.start[row]; }},
    {{"duration", "Duration", kTime, "Length."},
     [](Calls of, HostRow row) -> Cell { return Ns{of.api.duration[row]}; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration in which it starts."},
     [](Calls of, HostRow row) { return of.Iteration(row); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](Calls of, HostRow row) { return of.events->ThreadNumber(of.api.thread[row]); }},
    {{"thread_name", "Thread name", kText, "Name of the thread, else its process."},
     [](Calls of, HostRow row) { return of.events->ThreadName(of.api.thread[row]); }},
    {{"name", "Name", kText, "Runtime or driver call."},
     [](Calls of, HostRow row) { return of.events->Text(of.api.name[row]); }},
    {{"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
     [](Calls of, HostRow row) { return KindIn(kCallKinds, of.api.kind[row]); }},
    {{"op", "Operator", kText, "Innermost range around it."},
     [](Calls of, HostRow row) { return of.events->HostName(of.api.op[row]); }},
    {{"op_id", "Operator id", kCount, "Its id in host_events."},
     [](Calls of, HostRow row) { return of.events->IdOf(of.api.op[row]); }},
};

// Python frames, whose names have file, line and function; a built-in function only has a name.
struct PythonEvents {
  explicit PythonEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), python(events->profile().python) {}
  std::size_t size() const { return python.size(); }
  std::string_view Name(std::uint32_t row) const {
    return events->profile().Name(python.name[row]);
  }
  // Parts of "train.py(88): preprocess": before "(", inside the parentheses, and after ": ".
  struct Parts {
    std::string_view file, line, function;
  };
  Parts PartsOf(std::uint32_t row) const {
    const std::string_view name = Name(row);
    const std::size_t end = name.find("): ");
    const std::size_t open = end == name.npos ? name.npos : name.rfind('(', end);
    if (open == name.npos) return {{}, {}, name};
    return {name.substr(0, open), name.substr(open + 1, end - open - 1), name.substr(end + 3)};
  }
  std::shared_ptr<const RankEvents> events;
  const PythonTable& python;
};
using Pythons = const PythonEvents&;

Cell TextOrNothing(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

constexpr EventColumn<PythonEvents> kPythons[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Pythons of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Pythons of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Pythons of, HostRow row) -> Cell { return of.python.start[row]; }},
    {{"duration", "Duration", kTime, "Length."},
     [](Pythons of, HostRow row) -> Cell { return of.python.duration[row]; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration in which it starts."},
     [](Pythons of, HostRow row) { return of.events->IterationAt(of.python.start[row]); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](Pythons of, HostRow row) { return of.events->ThreadNumber(of.python.thread[row]); }},
    {{"name", "Name", kText, "Frame as recorded."},
     [](Pythons of, HostRow row) -> Cell { return of.Name(row); }},
    {{"file", "File", kText, "File of the function, where recorded."},
     [](Pythons of, HostRow row) { return TextOrNothing(of.PartsOf(row).file); }},
    {{"line", "Line", kCount, "Line of the function, where recorded."},
     [](Pythons of, HostRow row) -> Cell {
       const std::string_view digits = of.PartsOf(row).line;
       std::int64_t line = 0;
       const auto end = digits.data() + digits.size();
       const auto [stop, error] = std::from_chars(digits.data(), end, line);
       return digits.empty() || error != std::errc() || stop != end ? Cell() : Cell(line);
     }},
    {{"function", "Function", kText, "Name of the function."},
     [](Pythons of, HostRow row) { return TextOrNothing(of.PartsOf(row).function); }},
    {{"frame", "Frame", kCount, "Number of the frame as recorded."},
     [](Pythons of, HostRow row) { return KnownNumber(of.python.id[row]); }},
    {{"parent_frame", "Parent frame", kCount, "Number of the frame that called it, as recorded."},
     [](Pythons of, HostRow row) { return KnownNumber(of.python.parent_id[row]); }},
    {{"module", "Module", kText, "Name of the frame where it is an nn.Module."},
     [](Pythons of, HostRow row) -> Cell {
       return of.python.module_id[row] < 0 ? Cell() : Cell(of.Name(row));
     }},
};

struct AllocatorEvents {
  explicit AllocatorEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), memory(events->profile().memory) {}
  std::size_t size() const { return memory.size(); }
  std::shared_ptr<const RankEvents> events;
  const MemoryTable& memory;
};
using Allocators = const AllocatorEvents&;

constexpr EventColumn<AllocatorEvents> kAllocators[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Allocators of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Allocators of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"time", "Time", kTime, "Moment, from the start of the rank's profile."},
     [](Allocators of, HostRow row) -> Cell { return of.memory.time[row]; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration."},
     [](Allocators of, HostRow row) { return of.events->IterationAt(of.memory.time[row]); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](Allocators of, HostRow row) { return of.events->ThreadNumber(of.memory.thread[row]); }},
    {{"device", "Device", kText, "CPU or {{ device.device }} with its number."},
     [](Allocators of, HostRow row) -> Cell {
       if (of.memory.device_type[row] == 0) return std::string_view("CPU");
       return "GPU " + std::to_string(of.memory.device[row]);
     }},
    {{"address", "Address", kCount, "Address, where recorded."},
     [](Allocators of, HostRow row) -> Cell {
       const std::uint64_t address = of.memory.address[row];
       return address == 0 ? Cell() : Cell(static_cast<std::int64_t>(address));
     }},
    {{"bytes", "Bytes", kBytes, "Bytes allocated; below 0: released."},
     [](Allocators of, HostRow row) -> Cell { return of.memory.bytes[row]; }},
    {{"allocated", "Allocated", kBytes, "Bytes allocated after it."},
     [](Allocators of, HostRow row) { return KnownNumber(of.memory.total_allocated[row]); }},
    {{"reserved", "Reserved", kBytes, "Bytes that the allocator has reserved after it."},
     [](Allocators of, HostRow row) { return KnownNumber(of.memory.total_reserved[row]); }},
    {{"op", "Operator", kText, "Innermost range at that time."},
     [](Allocators of, HostRow row) { return of.events->HostName(of.memory.op[row]); }},
    {{"op_id", "Operator id", kCount, "Its id in host_events."},
     [](Allocators of, HostRow row) { return of.events->IdOf(of.memory.op[row]); }},
};

struct OsEvents {
  explicit OsEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), os(events->profile().os) {}
  std::size_t size() const { return os.size(); }
  std::shared_ptr<const RankEvents> events;
  const OsTable& os;
};
using OsCalls = const OsEvents&;

constexpr EventColumn<OsEvents> kOs[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](OsCalls of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](OsCalls of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](OsCalls of, HostRow row) -> Cell { return of.os.start[row]; }},
    {{"duration", "Duration", kTime, "Length."},
     [](OsCalls of, HostRow row) -> Cell { return of.os.duration[row]; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration in which it starts."},
     [](OsCalls of, HostRow row) { return of.events->IterationAt(of.os.start[row]); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](OsCalls of, HostRow row) { return of.events->ThreadNumber(of.os.thread[row]); }},
    {{"name", "Name", kText, "Function of the operating system's libraries."},
     [](OsCalls of, HostRow row) { return of.events->Text(of.os.name[row]); }},
};

struct SampleEvents {
  explicit SampleEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), cpu(events->profile().cpu.get()) {}
  std::size_t size() const { return cpu == nullptr ? 0 : cpu->samples.size(); }
  std::shared_ptr<const RankEvents> events;
  const CpuActivity* cpu;
};
using Samples = const SampleEvents&;

constexpr EventColumn<SampleEvents> kSamples[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Samples of, HostRow row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Samples of, HostRow) -> Cell { return of.events->rank().rank; }},
    {{"time", "Time", kTime, "Moment, from the start of the rank's profile."},
     [](Samples of, HostRow row) -> Cell { return of.cpu->samples[row].time; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration."},
     [](Samples of, HostRow row) { return of.events->IterationAt(of.cpu->samples[row].time); }},
    {{"thread", "Thread", kCount, "Number of the thread."},
     [](Samples of, HostRow row) { return of.events->ThreadNumber(of.cpu->samples[row].thread); }},
    {{"stack", "Call stack", kText, "Functions from the outermost on, one a line."},
     [](Samples of, HostRow row) { return of.events->Text(of.cpu->samples[row].stack); }},
};

}  // namespace

std::vector<EventTable> HostEventTables() {
  static const auto kHostSpecs = SpecsOf<HostEvents>(kHosts);
  static const auto kCallSpecs = SpecsOf<CallEvents>(kCalls);
  static const auto kPythonSpecs = SpecsOf<PythonEvents>(kPythons);
  static const auto kAllocatorSpecs = SpecsOf<AllocatorEvents>(kAllocators);
  static const auto kOsSpecs = SpecsOf<OsEvents>(kOs);
  static const auto kSampleSpecs = SpecsOf<SampleEvents>(kSamples);
  return {
      MakeEventTable<HostEvents>("host_events", "Host events",
                                 "One row per operator, annotation or marker on the host.",
                                 kHostSpecs, kHosts, Capability::kHostOps),
      MakeEventTable<CallEvents>("call_events", "Runtime and driver calls, all",
                                 "One row per runtime or driver call.", kCallSpecs, kCalls,
                                 Capability::kLaunchLinks),
      MakeEventTable<PythonEvents>("python_events", "Python frames", "One row per Python frame.",
                                   kPythonSpecs, kPythons, Capability::kPython),
      MakeEventTable<AllocatorEvents>("allocator_events", "Allocator events",
                                      "One row per allocation or release.", kAllocatorSpecs,
                                      kAllocators, Capability::kMemoryEvents),
      MakeEventTable<OsEvents>("os_events", "OS runtime calls, all",
                               "One row per call of the operating system's libraries.", kOsSpecs,
                               kOs, Capability::kHostOps),
      MakeEventTable<SampleEvents>("sample_events", "Samples of the host",
                                   "One row per call stack that was sampled.", kSampleSpecs,
                                   kSamples, Capability::kHostOps)};
}

}  // namespace profgauge::query
