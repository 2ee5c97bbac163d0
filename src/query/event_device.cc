// Events on devices: work, gaps between work, and waits that the device records.
#include <algorithm>
#include <string>

#include "analysis/breakdown/gap_activity.h"
#include "analysis/breakdown/idle.h"
#include "analysis/classify/collective.h"
#include "query/event_source.h"

namespace profgauge::query {
namespace {

using enum Unit;

constexpr std::string_view kKindNames[] = {"kernel", "memcpy", "memset"};
constexpr std::string_view kCopyNames[] = {"", "h2d", "d2h", "d2d", "p2p", "h2h", "unknown"};
constexpr std::string_view kMemoryNames[] = {"", "pageable", "pinned", "managed"};
constexpr std::string_view kDirectionNames[] = {"forward", "backward", "optimizer"};

template <std::size_t kSize, class Enum>
Cell NameIn(const std::string_view (&names)[kSize], Enum value) {
  const std::string_view name = names[static_cast<std::size_t>(value)];
  return name.empty() ? Cell() : Cell(name);
}

// Formats "8, 1, 1".
Cell Dimensions(const std::int32_t (&xyz)[3]) {
  if (xyz[0] <= 0) return {};
  return std::to_string(xyz[0]) + ", " + std::to_string(xyz[1]) + ", " + std::to_string(xyz[2]);
}

struct DeviceEvents {
  explicit DeviceEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), profile(events->profile()), device(profile.device) {}
  std::size_t size() const { return device.size(); }
  HostId OpOf(std::uint32_t row) const { return device.op[row]; }
  const LaunchConfig* ConfigOf(std::uint32_t row) const {
    const LaunchConfigId id = device.config[row];
    return id.valid() ? &profile.launch_configs[id.value] : nullptr;
  }
  Cell CallText(std::uint32_t row) const {
    const ApiId call = device.launch[row];
    return call.valid() ? events->Text(profile.api.name[call.value]) : Cell();
  }
  bool IsCollective(std::uint32_t row) const { return events->rank().classes[row].collective; }

  std::shared_ptr<const RankEvents> events;
  const Profile& profile;
  const DeviceTable& device;
};

Cell AtLeastZero(std::int64_t value) { return value < 0 ? Cell() : Cell(value); }

using Of = const DeviceEvents&;
using Row = std::uint32_t;

constexpr EventColumn<DeviceEvents> kDevice[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Of of, Row row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Of of, Row) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Of of, Row row) -> Cell {
       return of.profile.has_timeline ? Cell(of.device.start[row]) : Cell();
     }},
    {{"duration", "Duration", kTime, "Length."},
     [](Of of, Row row) -> Cell { return of.device.duration[row]; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration that launched it."},
     [](Of of, Row row) {
       return RankEvents::Iteration(of.events->rank().iterations.of_device[row]);
     }},
    {{"gpu", "{{ device.device }}", kCount, "Device number as recorded."},
     [](Of of, Row row) { return AtLeastZero(of.device.gpu[row]); }},
    {{"stream", "Stream", kCount, "Stream number as recorded."},
     [](Of of, Row row) -> Cell { return of.device.stream[row]; }},
    {{"stream_name", "Stream name", kText, "Name of the stream, where recorded."},
     [](Of of, Row row) -> Cell {
       const auto found = of.profile.stream_names.find({of.device.gpu[row], of.device.stream[row]});
       if (found == of.profile.stream_names.end()) return {};
       return std::string_view(found->second);
     }},
    {{"kind", "Kind", kText, "kernel, memcpy or memset."},
     [](Of of, Row row) { return NameIn(kKindNames, of.device.kind[row]); }},
    {{"name", "Name", kText, "Name as recorded."},
     [](Of of, Row row) { return of.events->Text(of.device.name[row]); }},
    {{"op", "Operator", kText, "Operator that launched it."},
     [](Of of, Row row) { return of.events->HostName(of.OpOf(row)); }},
    {{"op_id", "Operator id", kCount, "Its id in host_events."},
     [](Of of, Row row) { return of.events->IdOf(of.OpOf(row)); }},
    {{"op_type", "Operator type", kText, "Kind of that operator."},
     [](Of of, Row row) -> Cell {
       const HostId op = of.OpOf(row);
       if (!op.valid()) return {};
       return analysis::flops::OpType(of.profile.Name(of.profile.host.name[op.value]));
     }},
    {{"direction", "Direction", kText, "forward, backward or optimizer, of that operator."},
     [](Of of, Row row) -> Cell {
       const HostId op = of.OpOf(row);
       const analysis::flops::OpTree& tree = of.events->rank().tree;
       if (!op.valid() || op.value >= tree.direction.size()) return {};
       return NameIn(kDirectionNames, tree.direction[op.value]);
     }},
    {{"forward_op", "Forward operator", kText, "Forward operator of a backward one."},
     [](Of of, Row row) { return of.events->HostName(of.events->ForwardOf(of.OpOf(row))); }},
    {{"module", "Module", kText, "Innermost nn.Module around the operator, where recorded."},
     [](Of of, Row row) { return of.events->ModuleOf(of.OpOf(row)); }},
    {{"call", "Call", kText, "Runtime or driver call that launched it."},
     [](Of of, Row row) { return of.CallText(row); }},
    {{"call_id", "Call id", kCount, "Its id in call_events."},
     [](Of of, Row row) { return of.events->IdOf(of.device.launch[row]); }},
    {{"call_start", "Call start", kTime, "Start of the call."},
     [](Of of, Row row) -> Cell {
       const ApiId call = of.device.launch[row];
       return call.valid() ? Cell(of.profile.api.start[call.value]) : Cell();
     }},
    {{"call_duration", "Call duration", kTime, "Host time of the call."},
     [](Of of, Row row) -> Cell {
       const ApiId call = of.device.launch[row];
       return call.valid() ? Cell(Ns{of.profile.api.duration[call.value]}) : Cell();
     }},
    {{"delay", "Delay", kTime, "From the end of the call to the start; 0 when earlier."},
     [](Of of, Row row) -> Cell {
       const ApiId call = of.device.launch[row];
       if (!call.valid()) return {};
       const Ns end = of.profile.api.start[call.value] + of.profile.api.duration[call.value];
       return std::max<Ns>(0, of.device.start[row] - end);
     }},
    {{"queue_length", "Queue length", kCount,
      "Earlier launches on the stream that had not started when the call began."},
     [](Of of, Row row) { return AtLeastZero(of.events->QueueOf(row)); }},
    {{"uses_tensor_core", "{{ device.matrix_units }}", kText,
      "Whether it uses {{ device.matrix_units }}: yes, no or unknown."},
     [](Of of, Row row) -> Cell {
       return analysis::classify::TriName(of.events->rank().classes[row].tensor_core);
     }},
    {{"rule", "Rule", kText, "Name rule that decided it."},
     [](Of of, Row row) -> Cell {
       const std::uint16_t rule = of.events->rank().classes[row].rule;
       return rule == 0 ? Cell()
                        : Cell(analysis::classify::RuleName(rule, of.events->rank().knowledge));
     }},
    {{"collective", "Collective", kText, "Kind of collective; absent for other work."},
     [](Of of, Row row) -> Cell {
       if (!of.IsCollective(row)) return {};
       const auto call = of.events->CollectiveOf(row);
       if (!call) return analysis::classify::CollectiveKindId(of.events->rank().classes[row].kind);
       return std::string_view(
           of.events->run().communication().ranks[of.events->position()].calls[*call].name);
     }},
    {{"collective_id", "Collective id", kCount, "Its id in collective_events."},
     [](Of of, Row row) -> Cell {
       if (!of.IsCollective(row)) return {};
       const auto call = of.events->CollectiveOf(row);
       return call ? of.events->IdOf(*call) : Cell();
     }},
    {{"exposed", "Exposed", kTime,
      "Time in which the same {{ device.device }} computes nothing (collectives and copies)."},
     [](Of of, Row row) -> Cell {
       const bool is_kernel = of.device.kind[row] == DeviceKind::kKernel;
       return is_kernel && !of.IsCollective(row) ? Cell() : Cell(of.events->ExposedOf(row));
     }},
    {{"on_path", "On the path", kTime, "Time on the critical path."},
     [](Of of, Row row) -> Cell {
       return of.events->run().replayer().can_replay() ? Cell(of.events->OnPath(row)) : Cell();
     }},
    {{"grid", "Grid", kText, "Blocks in x, y, z."},
     [](Of of, Row row) -> Cell {
       const LaunchConfig* config = of.ConfigOf(row);
       return config == nullptr ? Cell() : Dimensions(config->grid);
     }},
    {{"block", "Block", kText, "Threads of a block in x, y, z."},
     [](Of of, Row row) -> Cell {
       const LaunchConfig* config = of.ConfigOf(row);
       return config == nullptr ? Cell() : Dimensions(config->block);
     }},
    {{"registers", "Registers", kCount, "Registers per thread."},
     [](Of of, Row row) -> Cell {
       const LaunchConfig* config = of.ConfigOf(row);
       return config == nullptr ? Cell() : AtLeastZero(config->registers);
     }},
    {{"shared_memory", "Shared memory", kBytes, "Shared memory of a block."},
     [](Of of, Row row) -> Cell {
       const LaunchConfig* config = of.ConfigOf(row);
       return config == nullptr ? Cell() : AtLeastZero(config->shared_memory);
     }},
    {{"occupancy", "Est. occupancy", kShare, "Estimated achieved occupancy."},
     [](Of of, Row row) -> Cell {
       const LaunchConfig* config = of.ConfigOf(row);
       return config == nullptr || config->occupancy < 0 ? Cell() : Cell(config->occupancy);
     }},
    {{"bytes", "Bytes", kBytes, "Bytes of a copy or memset."},
     [](Of of, Row row) { return AtLeastZero(of.device.bytes[row]); }},
    {{"copy", "Copy", kText, "h2d, d2h, d2d, p2p, h2h or unknown."},
     [](Of of, Row row) { return NameIn(kCopyNames, of.device.copy[row]); }},
    {{"host_memory", "Host memory", kText, "pageable, pinned or managed, where recorded."},
     [](Of of, Row row) { return NameIn(kMemoryNames, of.device.host_memory[row]); }},
    {{"flops", "FLOPs", kFlops, "Its part of the operator's floating-point operations."},
     [](Of of, Row row) -> Cell {
       const double flops = of.events->FlopsOf(row);
       return flops < 0 ? Cell() : Cell(flops);
     }},
};

// Gaps of all devices of a rank.
struct GapEvents {
  explicit GapEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)),
        activities(std::make_unique<analysis::breakdown::GapActivities>(events->rank())) {
    for (const analysis::iterations::GpuUse& use :
         analysis::iterations::MeasureGpus(events->rank())) {
      for (analysis::breakdown::IdleGap& gap :
           analysis::breakdown::ExplainIdle(events->rank(), use)) {
        gpus.push_back(use.gpu);
        gaps.push_back(std::move(gap));
      }
    }
  }
  std::size_t size() const { return gaps.size(); }
  Cell WorkName(DeviceId id) const {
    return id.valid() ? events->Text(events->profile().device.name[id.value]) : Cell();
  }
  HostId OpAfter(std::uint32_t row) const {
    const DeviceId after = gaps[row].after;
    return after.valid() ? events->profile().device.op[after.value] : HostId{};
  }
  const analysis::breakdown::GapActivity& Doing(std::uint32_t row) const {
    if (done_of != row) {
      ThreadId thread;
      for (const DeviceId event : {gaps[row].after, gaps[row].before}) {
        if (!event.valid() || thread.valid()) continue;
        const ApiId launch = events->profile().device.launch[event.value];
        if (launch.valid()) thread = events->profile().api.thread[launch.value];
      }
      doing = activities->Of(gaps[row].time, thread);
      done_of = row;
    }
    return doing;
  }

  std::shared_ptr<const RankEvents> events;
  std::unique_ptr<analysis::breakdown::GapActivities> activities;
  std::vector<std::int32_t> gpus;
  std::vector<analysis::breakdown::IdleGap> gaps;
  mutable std::uint32_t done_of = kNoIndex;  // The row for which `doing` is computed.
  mutable analysis::breakdown::GapActivity doing;
};

Cell MadeText(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

using Gaps = const GapEvents&;

constexpr EventColumn<GapEvents> kGaps[] = {
    {{"id", "Id", kCount, "Number of the gap, unique in the run."},
     [](Gaps of, Row row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Gaps of, Row) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Gaps of, Row row) -> Cell { return of.gaps[row].time.start; }},
    {{"duration", "Duration", kTime, "Length."},
     [](Gaps of, Row row) -> Cell { return of.gaps[row].time.length(); }},
    {{"iteration", "Iteration", kCount, "Position of the iteration in which it begins."},
     [](Gaps of, Row row) {
       return RankEvents::Iteration(of.events->rank().iterations.AtTime(of.gaps[row].time.start));
     }},
    {{"gpu", "{{ device.device }}", kCount, "Device number as recorded."},
     [](Gaps of, Row row) { return AtLeastZero(of.gpus[row]); }},
    {{"cause", "Cause", kText, "Main cause, with the titles of gpu.idle_cause."},
     [](Gaps of, Row row) -> Cell { return InfoOf(of.gaps[row].main_cause()).title; }},
    {{"cause_id", "Cause id", kText, "Its id: host_wait, launch_latency, dataloader and so on."},
     [](Gaps of, Row row) -> Cell { return IdleCauseId(of.gaps[row].main_cause()); }},
    {{"before_id", "Work before", kCount, "Id in device_events of the work before it."},
     [](Gaps of, Row row) { return of.events->IdOf(of.gaps[row].before); }},
    {{"after_id", "Work after", kCount, "Id in device_events of the work after it."},
     [](Gaps of, Row row) { return of.events->IdOf(of.gaps[row].after); }},
    {{"before", "Name before", kText, "Name of the work before."},
     [](Gaps of, Row row) { return of.WorkName(of.gaps[row].before); }},
    {{"after", "Name after", kText, "Name of the work after."},
     [](Gaps of, Row row) { return of.WorkName(of.gaps[row].after); }},
    {{"op", "Operator after", kText, "Operator that launched the work after it."},
     [](Gaps of, Row row) { return of.events->HostName(of.OpAfter(row)); }},
    {{"doing", "Host does", kText, "Innermost function that covers most of it on the host."},
     [](Gaps of, Row row) { return MadeText(of.Doing(row).innermost); }},
    {{"within", "Host is within", kText, "The outermost that does not run all the time."},
     [](Gaps of, Row row) { return MadeText(of.Doing(row).outermost); }},
};

struct SyncEvents {
  explicit SyncEvents(std::shared_ptr<const RankEvents> of)
      : events(std::move(of)), sync(events->profile().sync) {}
  std::size_t size() const { return sync.size(); }
  std::shared_ptr<const RankEvents> events;
  const SyncTable& sync;
};
using Syncs = const SyncEvents&;

constexpr EventColumn<SyncEvents> kSyncs[] = {
    {{"id", "Id", kCount, "Number of the event, unique in the run."},
     [](Syncs of, Row row) { return of.events->IdOf(row); }},
    {{"rank", "Rank", kCount, "Rank that was recorded."},
     [](Syncs of, Row) -> Cell { return of.events->rank().rank; }},
    {{"start", "Start", kTime, "Start, from the start of the rank's profile."},
     [](Syncs of, Row row) -> Cell { return of.sync.start[row]; }},
    {{"duration", "Duration", kTime, "Length."},
     [](Syncs of, Row row) -> Cell { return of.sync.duration[row]; }},
    {{"iteration", "Iteration", kCount, "Position of the iteration."},
     [](Syncs of, Row row) { return of.events->IterationAt(of.sync.start[row]); }},
    {{"gpu", "{{ device.device }}", kCount, "Device number as recorded."},
     [](Syncs of, Row row) { return AtLeastZero(of.sync.gpu[row]); }},
    {{"stream", "Stream", kCount, "Stream number as recorded."},
     [](Syncs of, Row row) -> Cell { return of.sync.stream[row]; }},
    {{"name", "Name", kText, "Name as recorded."},
     [](Syncs of, Row row) { return of.events->Text(of.sync.name[row]); }},
};

}  // namespace

std::vector<EventTable> DeviceEventTables() {
  static const auto kDeviceSpecs = SpecsOf<DeviceEvents>(kDevice);
  static const auto kGapSpecs = SpecsOf<GapEvents>(kGaps);
  static const auto kSyncSpecs = SpecsOf<SyncEvents>(kSyncs);
  return {MakeEventTable<DeviceEvents>("device_events", "Device events",
                                       "One row per kernel, copy or memset.", kDeviceSpecs, kDevice,
                                       Capability::kDeviceEvents),
          MakeEventTable<GapEvents>("gap_events", "Idle gaps, all",
                                    "One row per time in which a device is idle.", kGapSpecs, kGaps,
                                    Capability::kDeviceEvents),
          MakeEventTable<SyncEvents>("sync_events", "Synchronization on devices",
                                     "One row per wait that the device's tracer recorded.",
                                     kSyncSpecs, kSyncs, Capability::kSyncEvents)};
}

}  // namespace profgauge::query
