// Interprets the stats of events by name, and the planes of devices.

#include "readers/xla/timeline.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "base/interval.h"
#include "knowledge/coverage.h"
#include "readers/run_side/document.h"
#include "readers/text/names.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::xla {
namespace {

/// The number at the begin of a text like "3 [77]"; -1 if there is none.
std::int32_t LeadingNumber(std::string_view text) {
  std::int32_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max(number, -1);
}

}  // namespace

// The names of stats in tsl's xplane_schema.h, and of arguments in trace.json. They are so few that
// a linear search is fast enough.
std::span<const Event::Stat> Event::Stats() {
  static constexpr std::array<Stat, 18> kStats = {{
      {"correlation_id", &Event::correlation_id},
      {"kernel_details", &Event::kernel_details},
      {"memcpy_details", &Event::memcpy_details},
      {"memset_details", &Event::memset_details},
      {"hlo_op", &Event::hlo_op},
      {"hlo_module", &Event::hlo_module},
      {"hlo_category", &Event::hlo_category},
      {"tf_op", &Event::tf_op},
      {"name", &Event::scope},
      {"step_num", &Event::step_num},
      {"v", &Event::v},
      {"source", &Event::source},
      {"allocator_name", &Event::allocator_name},
      {"bytes_allocated", &Event::bytes_allocated},
      {"allocation_bytes", &Event::allocation_bytes},
      {"addr", &Event::addr},
      {"flops", &Event::flops},
      {"bytes_accessed", &Event::bytes_accessed},
  }};
  return kStats;
}

std::string_view Event::*Event::StatNamed(std::string_view name) {
  for (const Stat& stat : Stats()) {
    if (stat.name == name) return stat.member;
  }
  return nullptr;
}

// Follows tsl's kTpuPlaneRegex and kSparseCorePlaneRegex: "/device:TPU:([0-9]*)$",
// "/device:TPU:[0-9]+ SparseCore ([0-9]+)$". Names from other processes end in " [PID]".
std::int32_t TrailingNumber(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int32_t number = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

// The device of a plane, by the plane's name:
//   "/device:GPU:0"                         0
//   "host1 /device:TPU:3 SparseCore 1"      3, unit 1; the host's name is XProf's
//   "/device:TPU:0 [77]"                    0; 77 is another process
//   "/device:CUSTOM:..."                    no device
std::optional<DevicePlane> DevicePlaneOf(std::string_view plane) {
  constexpr std::string_view kDevice = "/device:", kUnit = " SparseCore ";
  const auto at = plane.find(kDevice);
  if (at == plane.npos) return std::nullopt;
  DevicePlane device;
  device.name = plane.substr(at);
  if (device.name.starts_with("/device:CUSTOM")) return std::nullopt;
  std::string_view own = device.name;
  if (const auto unit = own.find(kUnit); unit != own.npos && device.is_tpu()) {
    device.sparse_core = std::max(LeadingNumber(own.substr(unit + kUnit.size())), 0);
    own = own.substr(0, unit);
  }
  const auto colon = own.find(':', kDevice.size());
  device.number = colon == own.npos ? TrailingNumber(own) : LeadingNumber(own.substr(colon + 1));
  return device;
}

namespace {

std::int64_t IntegerOr(std::string_view text, std::int64_t otherwise) {
  return ParseInteger(text).value_or(otherwise);
}

/// The number in "Stream #16(Kernel)".
std::int64_t StreamNumber(std::string_view line) {
  const auto hash = line.find('#');
  std::int64_t number = -1;
  if (hash != std::string_view::npos) {
    std::from_chars(line.data() + hash + 1, line.data() + line.size(), number);
  }
  return number;
}

/// The value of a key in details: "16,1,1" for "grid" in "grid:16,1,1 block:512,1,1". Only whole
/// words match: "size" is not found in "kind_size:4".
std::string_view Detail(std::string_view details, std::string_view key) {
  for (auto at = details.find(key); at != std::string_view::npos; at = details.find(key, at + 1)) {
    const auto end = at + key.size();
    if (at > 0 && details[at - 1] != ' ') continue;
    if (end >= details.size() || details[end] != ':') continue;
    const auto value = details.substr(end + 1);
    return value.substr(0, value.find(' '));
  }
  return {};
}

/// Formats "$profiler.py:101 start_trace" like other profilers: "profiler.py(101): start_trace".
std::string FrameName(std::string_view name) {
  name.remove_prefix(1);
  const auto space = name.find(' ');
  const auto colon = name.substr(0, space).rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos) return std::string(name);
  return fmt::format("{}({}): {}", name.substr(0, colon), name.substr(colon + 1, space - colon - 1),
                     name.substr(space + 1));
}

/// The track of a device plane that has the steps' times. Other derived tracks repeat the streams.
constexpr std::string_view kSteps = "Steps";
constexpr std::string_view kModules = "XLA Modules";
constexpr std::string_view kNestedOps = "XLA Ops";
constexpr std::string_view kSparseCoreOps = "Sparse Core Ops";

// The categories of tsl/profiler/convert/xla_op_utils.h, e.g. "all-reduce fusion", "send-done".
bool IsCollective(std::string_view category) {
  for (const std::string_view kind :
       {"all-", "collective-", "reduce-scatter", "ragged-all-to-all", "send", "recv"}) {
    if (category.starts_with(kind)) return true;
  }
  return false;
}

// True for transfers of a TPU to and from the host, in which it computes nothing.
bool WaitsForHost(const Event& event) {
  for (const std::string_view kind : {"infeed", "outfeed", "host send", "host recv"}) {
    if (event.hlo_category.starts_with(kind)) return true;
  }
  if (!event.hlo_category.empty()) return false;
  return event.name.starts_with("infeed") || event.name.starts_with("outfeed");
}

}  // namespace

SeenDevice* Timeline::SeePlane(std::string_view plane) {
  const auto device = DevicePlaneOf(plane);
  if (!device || device->number < 0 || device->name.starts_with("/device:CPU")) return nullptr;
  SeenDevice& seen = devices_[device->number];
  seen.is_tpu |= device->is_tpu();
  return &seen;
}

void Timeline::AddGpu(Gpu gpu) {
  devices_[gpu.id].is_listed = true;
  builder_.AddGpu(std::move(gpu));
}

// Lists the devices of the program. A TPU with a plane is one. Unused GPUs have empty planes, so
// GPUs without kernels are listed only if one of them has other events, i.e. lost its kernels.
void Timeline::ListDevices() {
  const bool lost = std::ranges::any_of(devices_, [](const auto& entry) {
    return entry.second.has_events && !entry.second.has_work;
  });
  for (auto& [id, device] : devices_) {
    if (device.is_listed || !(device.is_tpu || (lost && device.has_events))) continue;
    Gpu gpu;
    gpu.id = id;
    if (device.is_tpu) gpu.name = "TPU";
    AddGpu(std::move(gpu));
  }
}

Track Timeline::MakeTrack(std::string_view plane, std::string_view line, std::string_view name) {
  Track track;
  track.device = SeePlane(plane);
  if (const auto device = DevicePlaneOf(plane)) {
    track.gpu = device->number;
    track.kind = Track::Kind::kDerived;
    if (device->sparse_core >= 0) {
      if (name != kSparseCoreOps) return track;
      track.kind = Track::Kind::kNested;
      track.stream = kTensorCore + 1 + device->sparse_core;
      builder_.NameStream(track.gpu, track.stream,
                          fmt::format("SparseCore {}", device->sparse_core));
    } else if (name.starts_with("Stream #")) {
      track.kind = Track::Kind::kStream;
      track.stream = StreamNumber(name);
    } else if (name == kNestedOps && !device->name.starts_with("/device:GPU")) {
      track.kind = Track::Kind::kNested;
      track.stream = kTensorCore;
    } else if (name == kModules) {
      track.kind = Track::Kind::kModules;
    } else if (name == kSteps) {
      track.kind = Track::Kind::kSteps;
      // All steps are in one process, because the program is one, even with several devices.
      track.thread = builder_.AddThread(kSteps, device->name);
      builder_.NameThread(kSteps, device->name, device->name);
    }
  } else if (plane.find("/host:") != std::string_view::npos && !plane.ends_with("/host:metadata")) {
    track.kind = Track::Kind::kHost;
    track.thread = builder_.AddThread(plane, line);
    if (!name.empty()) builder_.NameThread(plane, line, name);
  }
  return track;
}

void Timeline::Add(const Track& track, const Event& event) {
  auto& log = builder_.log();
  log.Add(Counter::events_read);
  if (track.device != nullptr) {
    track.device->has_events = true;
    track.device->has_work |=
        track.kind == Track::Kind::kStream || track.kind == Track::Kind::kNested;
  }
  switch (track.kind) {
    case Track::Kind::kIgnored:
      return log.Add(Counter::events_ignored_kind);
    case Track::Kind::kDerived:
      return log.Add(Counter::events_derived);
    case Track::Kind::kModules: {
      log.Add(Counter::events_derived);
      StreamRow row;
      row.start = event.start;
      row.duration = event.duration;
      row.name = builder_.Intern(event.name);
      row.gpu = track.gpu;
      row.stream = 0;
      return builder_.AddDeviceRange(row);
    }
    case Track::Kind::kSteps: {
      log.Add(Counter::events_derived);
      HostRow row;
      row.start = event.start;
      row.duration = event.duration;
      row.name = builder_.Intern(event.name);
      row.kind = HostKind::kIterationMarker;
      row.thread = track.thread;
      device_steps_.push_back({row, track.gpu});
      return;
    }
    case Track::Kind::kNested:
      nested_.push_back(NestedOf(track, event));
      return;
    case Track::Kind::kStream:
      return AddDevice(track, event);
    case Track::Kind::kHost:
      return AddHost(track, event);
  }
}

// The scope and the HLO op of an event, by its stats:
//   tf_op "jit(f)/dot_general:dot"    scope "jit(f)/dot_general", up to the last colon
//   tf_op "XlaModule:"                scope of the stat "name", if it has a slash
//   hlo_module "jit_f", hlo_op "dot.3"    hlo "jit_f/dot.3"
Timeline::Names Timeline::NamesOf(const Event& event) {
  Names names;
  // "XlaModule:" means all that XLA compiled. A scope without a slash is an argument's name.
  auto scope = event.tf_op.substr(0, event.tf_op.rfind(':'));
  if (scope.empty() || scope == "XlaModule") scope = event.scope;
  if (scope.find('/') != std::string_view::npos || (scope == event.tf_op && !scope.empty())) {
    names.scope = builder_.Intern(scope);
  }
  if (!event.hlo_op.empty()) {
    names.hlo = event.hlo_module.empty()
                    ? builder_.Intern(event.hlo_op)
                    : builder_.Intern(fmt::format("{}/{}", event.hlo_module, event.hlo_op));
  }
  if (!event.source.empty()) names.source = builder_.Intern(event.source);
  return names;
}

void Timeline::AddHost(const Track& track, const Event& event) {
  // An iteration-time document that the run wrote into the profile.
  if (event.name == "profgauge.run" && !event.v.empty()) {
    if (auto document = DecodeBase64Url(event.v)) builder_.SetRunDocument(*std::move(document));
  }
  // Python frames are named "$file.py:12 function".
  if (event.name.starts_with('$')) {
    PythonRow row;
    row.start = event.start;
    row.duration = event.duration;
    row.name = builder_.Intern(FrameName(event.name));
    row.thread = track.thread;
    return builder_.AddPython(row);
  }
  if (!event.allocator_name.empty() && !event.allocation_bytes.empty()) {
    return AddMemory(track, event);
  }
  // A call of the runtime is added later, because only its kernel may have the operator's name.
  if (!event.correlation_id.empty()) {
    Call call;
    call.row.start = event.start;
    call.row.duration = event.duration;
    call.row.name = builder_.Intern(event.name);
    call.row.kind = ApiKindOf(event.name);
    call.row.thread = track.thread;
    call.row.correlation = IntegerOr(event.correlation_id, -1);
    call.names = NamesOf(event);
    calls_.push_back(call);
    return;
  }
  HostRow row;
  row.start = event.start;
  row.duration = event.duration;
  row.thread = track.thread;
  row.kind = HostKind::kAnnotation;
  row.name = builder_.Intern(event.name);
  // True for a marker of jax.profiler or tf.profiler. AddSteps() decides if it is an iteration.
  if (!event.step_num.empty()) {
    row.kind = HostKind::kIterationMarker;
    row.name = builder_.Intern(fmt::format("{} {}", event.name, event.step_num));
    host_steps_.push_back(row);
    return;
  }
  if (!event.tf_op.empty()) {
    row.kind = HostKind::kOp;
    const auto names = NamesOf(event);
    if (names.scope.valid()) row.name = names.scope;
  }
  builder_.AddHost(row);
}

void Timeline::AddDevice(const Track& track, const Event& event) {
  DeviceRow row;
  row.start = event.start;
  row.duration = event.duration;
  row.name = builder_.Intern(event.name);
  row.gpu = track.gpu;
  row.stream = track.stream;
  row.correlation = IntegerOr(event.correlation_id, -1);
  if (!event.memcpy_details.empty() || event.name.starts_with("Memcpy")) {
    row.kind = DeviceKind::kMemcpy;
    row.copy = CopyKindOf(event.name);
    row.bytes = IntegerOr(Detail(event.memcpy_details, "size"), -1);
    // The memory kind of the side of the copy that is on the host.
    const auto side = row.copy == CopyKind::kHostToDevice ? "kind_src" : "kind_dst";
    const auto memory = Detail(event.memcpy_details, side);
    if (memory == "pageable") row.host_memory = HostMemory::kPageable;
    if (memory == "pinned") row.host_memory = HostMemory::kPinned;
  } else if (!event.memset_details.empty() || event.name.starts_with("Memset")) {
    row.kind = DeviceKind::kMemset;
    row.bytes = IntegerOr(Detail(event.memset_details, "num_bytes"), -1);
  } else {
    row.config = ConfigOf(track.gpu, event);
  }
  builder_.AddDevice(row);
  if (row.correlation >= 0) work_.push_back({row.gpu, row.start, row.correlation});
  // The call may not have the operator's name, but its kernel does.
  const auto names = NamesOf(event);
  if (row.correlation >= 0 && (names.scope.valid() || names.hlo.valid())) {
    // The call's first kernel names its operator.
    launched_.emplace(row.correlation, names);
  }
}

LaunchConfigId Timeline::ConfigOf(std::int32_t gpu, const Event& kernel) {
  const std::string_view details = kernel.kernel_details;
  LaunchConfig config;
  config.is_product = products_.Has(kernel.name);
  ReadTriple(Detail(details, "grid"), config.grid);
  ReadTriple(Detail(details, "block"), config.block);
  const auto number = [&](std::string_view key) { return IntegerOr(Detail(details, key), -1); };
  const auto registers = number("regs");
  if (registers >= 0 && registers < 1 << 20) {
    config.registers = static_cast<std::int32_t>(registers);
  }
  const auto fixed = number("static_shared"), dynamic = number("dynamic_shared");
  config.shared_memory = number("group_mem");
  if (fixed >= 0 || dynamic >= 0) {
    config.shared_memory = std::max<std::int64_t>(fixed, 0) + std::max<std::int64_t>(dynamic, 0);
  }
  // 0 means that the occupancy was not computed.
  const double percent = ParseReal(Detail(details, "occ_pct")).value_or(0);
  if (percent > 0 && percent <= 100) config.occupancy = percent / 100;
  if (const auto cores = cores_.find(gpu); cores != cores_.end() && cores->second > 0) {
    const double blocks = static_cast<double>(config.grid[0]) * config.grid[1] * config.grid[2];
    if (blocks > 0) config.blocks_per_sm = blocks / cores->second;
  }
  return builder_.AddLaunchConfig(config);
}

void Timeline::AddMemory(const Track& track, const Event& event) {
  MemoryRow row;
  row.time = event.start;
  row.thread = track.thread;
  // Names of allocators: "GPU_0_bfc", "gpu_host_bfc", "cpu".
  if (event.allocator_name.starts_with("GPU_")) {
    row.device_type = 1;
    const auto rest = event.allocator_name.substr(4);
    row.device = TrailingNumber(rest.substr(0, rest.find('_')));
  }
  row.address = static_cast<std::uint64_t>(IntegerOr(event.addr, 0));
  row.bytes = IntegerOr(event.allocation_bytes, 0);
  if (event.name == "MemoryDeallocation") row.bytes = -row.bytes;
  row.total_allocated = IntegerOr(event.bytes_allocated, -1);
  builder_.AddMemory(row);
}

// Adds ops around a launch. All have the call's time, because only launches of ops are recorded:
//
//   thread   |------ jit(f)/dot_general ------|     scope
//            |------ jit_f/gemm_fusion.3 -----|     hlo, inside: added after it
//            |------ cuLaunchKernel ----------|     the call
void Timeline::AddOps(const Call& call) {
  auto names = call.names;
  if (!names.scope.valid() && !names.hlo.valid()) {
    const auto found = launched_.find(call.row.correlation);
    if (found == launched_.end()) return;
    names = found->second;
  }
  HostRow row;
  row.start = call.row.start;
  row.duration = call.row.duration;
  row.thread = call.row.thread;
  row.call_stack = names.source;
  for (const auto name : {names.scope, names.hlo}) {
    row.name = name;
    if (name.valid()) builder_.AddHost(row);
  }
}

// The name of a fusion ("fusion.12") does not show its purpose, but its category may.
Timeline::Piece Timeline::NestedOf(const Track& track, const Event& event) {
  Piece piece;
  piece.gpu = track.gpu;
  piece.stream = track.stream;
  piece.start = event.start;
  piece.end = event.start + event.duration;
  piece.name = builder_.Intern(event.name);
  piece.flops = ParseReal(event.flops).value_or(-1);
  piece.bytes = ParseReal(event.bytes_accessed).value_or(-1);
  piece.waits = WaitsForHost(event);
  if (event.hlo_category.starts_with("convolution")) {
    LaunchConfig config;
    config.is_product = true;
    piece.config = builder_.AddLaunchConfig(config);
  }
  if (IsCollective(event.hlo_category)) {
    Collective collective;
    collective.name = builder_.Intern(event.hlo_category);
    piece.collective = builder_.AddCollective(collective);
  }
  return piece;
}

void Timeline::Finish() {
  AddSteps();
  for (const auto& call : calls_) {
    AddOps(call);
    builder_.AddApi(call.row);
  }
  calls_.clear();
  AddNested();
  ListDevices();
  sums_.Report(builder_);
}

// Adds events that need the whole timeline: nested events as pieces, device steps as iterations.

// Divides nested events into pieces, so that each time belongs to the innermost event.
//
//   while.1  |-----------------------------|     0 to 30
//   fusion.2     |------|                        4 to 11
//   fusion.3                 |----|              16 to 21
//   pieces   |w.1| f.2  |w.1 |f.3 |  w.1   |
//
// Events are sorted by start, outer ones first. `open` has the events around the current time, the
// innermost last. FLOPs count only for events without inner events (fusion.2, fusion.3), because
// the FLOPs of a loop are those of its body.
void Timeline::AddNested() {
  std::stable_sort(nested_.begin(), nested_.end(), [](const Piece& a, const Piece& b) {
    return std::tuple(a.gpu, a.stream, a.start, -a.end) <
           std::tuple(b.gpu, b.stream, b.start, -b.end);
  });
  const auto add = [&](const Piece& event, Ns from, Ns to) {
    if (event.end <= event.start) return builder_.log().Add(Counter::events_ignored_kind);
    if (to <= from) return;
    if (event.waits) {
      return builder_.AddDeviceRange({from, to - from, event.name, event.gpu, event.stream});
    }
    DeviceRow row;
    row.start = from;
    row.duration = to - from;
    row.name = event.name;
    row.gpu = event.gpu;
    row.stream = event.stream;
    row.config = event.config;
    row.collective = event.collective;
    builder_.AddDevice(row);
  };
  std::vector<const Piece*> open;
  const Piece* inner = nullptr;  // The last begun event. It counts if no other event nests in it.
  const auto count = [&] {
    // The peak of a plane is that of its TensorCore, so only its ops are summed.
    if (inner == nullptr || inner->stream != kTensorCore) return;
    sums_.Add(inner->name, inner->end - inner->start, inner->flops, inner->bytes);
  };
  Ns told = 0;  // Up to here, all times of the open events have pieces.
  const auto close_until = [&](Ns time) {
    while (!open.empty() && open.back()->end <= time) {
      add(*open.back(), told, open.back()->end);
      told = std::max(told, open.back()->end);
      open.pop_back();
    }
  };
  for (const auto& event : nested_) {
    if (!open.empty() &&
        std::pair(open.back()->gpu, open.back()->stream) != std::pair(event.gpu, event.stream)) {
      close_until(std::numeric_limits<Ns>::max());
    }
    close_until(event.start);
    const bool nests = !open.empty() && open.back() == inner;
    if (!nests) count();
    inner = &event;
    if (event.stream == kTensorCore) sums_.Extend(event.gpu, event.start, event.end);
    if (!open.empty()) add(*open.back(), told, event.start);
    told = event.start;
    open.push_back(&event);
  }
  close_until(std::numeric_limits<Ns>::max());
  count();
  nested_.clear();
}

// Adds the steps of devices as iterations, which are time spans on the host, if the host marked
// none. A step begins with the call that launched its first kernel and ends with that call of the
// next step, so it has all its kernels, however far the host runs ahead.
//
//   device   Steps   |-- step 1 --|   |-- step 2 --|   |-- step 3 --|
//            work    a  b             c   d            e
//   host     calls   a b c d e                           it runs ahead
//   step 1   from the call of a to that of c; step 2 to that of e; step 3 to the end of e's call
//
// This needs launches in each step, in the order of the steps. Otherwise all steps of the device
// keep their times on the device.
void Timeline::AddDeviceSteps() {
  boost::unordered_flat_map<std::int64_t, Span> calls;
  for (const Call& call : calls_) {
    calls.emplace(call.row.correlation, Span{call.row.start, call.row.start + call.row.duration});
  }
  std::sort(work_.begin(), work_.end(), [](const Launched& a, const Launched& b) {
    return std::tuple(a.gpu, a.start, a.correlation) < std::tuple(b.gpu, b.start, b.correlation);
  });
  std::stable_sort(device_steps_.begin(), device_steps_.end(),
                   [](const DeviceStep& a, const DeviceStep& b) {
                     return std::pair(a.gpu, a.row.start) < std::pair(b.gpu, b.row.start);
                   });
  // For each step, the time from the start of its first launch to the end of its last launch.
  std::vector<Span> launches;
  for (std::size_t i = 0; i < device_steps_.size(); ++i) {
    const DeviceStep& step = device_steps_[i];
    Span& of_step = launches.emplace_back(Span{std::numeric_limits<Ns>::max(), 0});
    auto at = std::partition_point(work_.begin(), work_.end(), [&step](const Launched& work) {
      return std::pair(work.gpu, work.start) < std::pair(step.gpu, step.row.start);
    });
    Ns end = step.row.start + step.row.duration;
    // Steps should not overlap. If they do, the kernels in both belong to the later step.
    if (i + 1 < device_steps_.size() && device_steps_[i + 1].gpu == step.gpu) {
      end = std::min(end, device_steps_[i + 1].row.start);
    }
    for (; at != work_.end() && at->gpu == step.gpu && at->start < end; ++at) {
      const auto call = calls.find(at->correlation);
      if (call == calls.end()) continue;
      of_step.start = std::min(of_step.start, call->second.start);
      of_step.end = std::max(of_step.end, call->second.end);
    }
  }
  for (std::size_t from = 0; from < device_steps_.size();) {
    std::size_t to = from;
    while (to < device_steps_.size() && device_steps_[to].gpu == device_steps_[from].gpu) ++to;
    builder_.AddStepLane(device_steps_[from].gpu, device_steps_[from].row.thread);
    bool in_order = true;
    for (std::size_t i = from; i < to; ++i) {
      in_order &= launches[i].end > 0 && (i == from || launches[i - 1].start < launches[i].start);
    }
    for (std::size_t i = from; i < to; ++i) {
      HostRow row = device_steps_[i].row;
      if (in_order) {
        const Ns end = i + 1 < to ? launches[i + 1].start : launches[i].end;
        row.start = launches[i].start;
        row.duration = end - row.start;
      }
      builder_.AddHost(row);
    }
    from = to;
  }
}

// True if the host's steps are only times of dispatching: the host runs ahead of the device, and
// nothing links kernels to calls, which would show the step of each kernel.
//
//   host     |step 1|step 2|step 3|                 ends of dispatching
//   device         |--- 1 ---|--- 2 ---|--- 3 ---|
//                                 ^^^^^^^^^^^^^^^^   outside the host's steps
//
// If much of the device's steps is outside the host's, the host's markers become annotations.
bool Timeline::HostRunsAhead() const {
  const bool any_work =
      std::ranges::any_of(devices_, [](const auto& entry) { return entry.second.has_work; });
  if (host_steps_.empty() || !any_work) return false;
  boost::unordered_flat_set<std::int64_t> calls;
  for (const Call& call : calls_) calls.insert(call.row.correlation);
  const auto launched = [&](const Launched& work) { return calls.contains(work.correlation); };
  if (std::ranges::any_of(work_, launched)) return false;
  const auto span_of = [](const HostRow& row) { return Span{row.start, row.start + row.duration}; };
  std::vector<Span> host, device;
  for (const HostRow& row : host_steps_) host.push_back(span_of(row));
  for (const DeviceStep& step : device_steps_) device.push_back(span_of(step.row));
  host = Merge(std::move(host));
  device = Merge(std::move(device));
  const Ns outside = Length(Subtract(device, host));
  return outside > 0 && static_cast<double>(outside) >=
                            knowledge::kCoverageOutsideShare * static_cast<double>(Length(device));
}

void Timeline::AddSteps() {
  const bool runs_ahead = HostRunsAhead();
  for (HostRow& row : host_steps_) {
    if (runs_ahead) row.kind = HostKind::kAnnotation;
    builder_.AddHost(row);
  }
  if (host_steps_.empty() || runs_ahead) AddDeviceSteps();
}

}  // namespace profgauge::readers::xla
