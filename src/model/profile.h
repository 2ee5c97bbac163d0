// The profile's certificate: whether it can be trusted, check by check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "base/units.h"
#include "model/import_log.h"
#include "model/reported.h"
#include "model/tables.h"

namespace profgauge {

enum class Trust : std::uint8_t {
  kWhole,    ///< No fault is known.
  kLimited,  ///< Values that a check affects are uncertain.
  kNone,     ///< Data was lost: no verdict.
};
inline constexpr std::array<std::string_view, 3> kTrustNames = {"whole", "limited", "none"};
constexpr std::string_view NameOf(Trust trust) {
  return kTrustNames[static_cast<std::size_t>(trust)];
}

enum class CheckState : std::uint8_t { kOk, kDoubt, kLost, kUnknown };
inline constexpr std::array<std::string_view, 4> kCheckStateNames = {"ok", "doubt", "lost",
                                                                     "unknown"};
constexpr std::string_view NameOf(CheckState state) {
  return kCheckStateNames[static_cast<std::size_t>(state)];
}

struct CertificateCheck {
  std::string id;  ///< "kernels-lost"
  std::string title;
  CheckState state = CheckState::kOk;
  std::int64_t count = 0, of = 0;         ///< Number of cases, and their basis; 0: not counted.
  std::string text = {};                  ///< The result of the check; empty if there is no fault.
  std::vector<std::string> affects = {};  ///< From "time", "idle", "kernels", "communication", …
  std::string advice = {};                ///< What to do; may be empty.
};

struct Certificate {
  Trust trust = Trust::kWhole;
  std::vector<CertificateCheck> checks;  ///< All checks, in a fixed order; empty: none was made.
};

// NVTX ranges around one kernel's launch, for profiles that state only the ranges' names, without
// times: PyProf's net.dict. Terms are PyProf's.

struct KernelMarkers {
  std::int64_t position = 0;  ///< Order in the file, from 0.
  StringId short_name;        ///< As PyProf shortened the kernel's name.
  std::vector<StringId> layers, trace;
  std::vector<StringId> markers;      ///< Argument markers, outermost first: Python dictionaries.
  std::vector<StringId> seq_markers;  ///< "aten::conv2d, seq = 3".
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0;
  bool backward = false;
  std::vector<StringId> modules, ops;  ///< Outermost first.
  std::int64_t thread = 0;
};

// One profile of one process (one rank): the model that every reader fills and every analysis
// reads. A run is a vector of profiles, one per rank, in rank order.

struct CpuActivity;  // model/tables.h
struct RunSide;      // model/run_side.h
namespace neuron {
struct Data;  // model/neuron.h
}  // namespace neuron

/// The origin of a profile.
struct Source {
  std::string path;         ///< As given on the command line; "-" for standard input.
  std::string format;       ///< Reader's name: "kineto".
  std::string dialect;      ///< e.g. "2021-06, integer microseconds"; free text for display.
  std::uint64_t bytes = 0;  ///< Decompressed size.
  std::string hash;         ///< XXH3-128 of the decompressed bytes, 32 hex digits.
  /// AcceleratorId() if only tools for one maker's devices write the format, or if the summary has
  /// it; else empty.
  std::string accelerator;
  std::string framework;           ///< "pytorch", "xla" if only it writes the format; else empty.
  bool is_of_any_program = false;  ///< The format's tools record any program, not only frameworks.
};

/// A process group as its member lists it.
struct ProcessGroup {
  std::string name;
  std::string description;
  std::int64_t size = -1;
  std::vector<std::int64_t> ranks;  ///< Members by global rank; empty when not recorded.
};

/// The profile's data about distributed training. -1 or empty if it has none.
struct DistributedInfo {
  std::string backend;
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::vector<ProcessGroup> groups;  ///< Groups of this rank, if recorded.
};

/// Data that a format or profile can have. A metric whose data is missing is absent;
/// CapabilityGap() words the reason.
enum class Capability : std::uint8_t {
  kDeviceEvents,
  kHostOps,
  kLaunchLinks,
  kShapes,
  kCallStacks,
  kMemoryEvents,
  kIterationMarkers,
  kPython,
  kOccupancy,
  kDeviceProperties,
  kSyncEvents,
  kCollectiveInfo,
};

/// How to record missing data, in the terms of the format's own profiler: "record with `rocprofv3
/// --hip-trace`". Readers keep hints in static storage, one per capability; CapabilityGap() takes
/// the first.
struct RecordingHint {
  Capability capability;
  std::string_view how;
};

/// A value that moves from the reader to the analysis, which does not change it. After
/// ProfileBuilder::Finish(), only its reader and functions over all ranks (GraphOperators,
/// run_side/attach.h) may set fields. Views into `strings` stay valid when the profile is moved and
/// end with it.
struct Profile {
  Source source;
  std::int64_t origin_ns = 0;       ///< Absolute time (Unix ns where known) of model time 0.
  Ns first = 0, last = 0;           ///< Extent of all events.
  Ns span_start = 0, span_end = 0;  ///< The profiler's own recording span; 0,0 when not recorded.
  /// When the profiler's clock was 0, if that is the start of its session; never positive.
  Ns session_start = 0;
  /// False if rows have durations but no times, or there are no rows (a report of sums). Then
  /// iterations, idle time, utilization and the timeline are unknown.
  bool has_timeline = true;
  std::string no_timeline_because;  ///< Set if the format has times, and this profile too few.
  StringPool strings;
  std::vector<Thread> threads;
  std::vector<Gpu> gpus;
  std::vector<LaunchConfig> launch_configs;
  std::vector<Collective> collectives;
  /// Names of streams that have a name ("Tensor"), by GPU and stream.
  std::map<std::pair<std::int32_t, std::int64_t>, std::string> stream_names;
  DistributedInfo distributed;
  /// Allow-listed facts in reading order: ("cuda_runtime_version", "12040"), ("record_shapes",
  /// "1").
  std::vector<std::pair<std::string, std::string>> facts;
  std::span<const RecordingHint> hints;
  /// Why copies between host and device are not in the file, so that "none recorded" does not mean
  /// "none made"; empty if they are in the file.
  std::string copies_unknown;
  /// True if each process numbers its GPUs from 0 and nothing identifies the GPUs: then one number
  /// may mean several.
  bool gpus_by_process = false;
  /// For each device, the thread that has its iterations, from the device's own track. Empty if the
  /// host marks iterations.
  std::map<std::int32_t, ThreadId> step_lanes;
  /// For a file that was merged from the ranks of one run and states them: the rank of each GPU.
  std::map<std::int32_t, std::int64_t> gpu_ranks;
  /// Names (as in threads) of processes that communicate with each other. Each is a rank, even if
  /// none marks iterations. Empty if that is unknown.
  std::vector<std::string> communicating;
  /// The summary (model/summary/summary.h) that the profile represents; such a profile has no rows.
  /// Empty for other profiles.
  std::string summary;

  HostTable host;
  ApiTable api;
  /// Names of calls in the tables and as recorded, if they differ: "cudaLaunchKernel",
  /// "cudaLaunchKernel_v7000".
  std::vector<std::pair<StringId, StringId>> api_symbols;
  OsTable os;
  /// Scheduling and sampled call stacks; null if neither is recorded.
  std::shared_ptr<const CpuActivity> cpu;
  DeviceTable device;
  SyncTable sync;
  DeviceRangeTable device_ranges;
  PythonTable python;
  MemoryTable memory;
  std::vector<KernelMarkers> kernel_markers;  ///< One per row of `device`, or none at all.
  /// Data that only AWS Neuron records; null for other profiles.
  std::shared_ptr<const neuron::Data> neuron;
  /// The document `profgauge.run` that the profile contains; empty: none.
  std::string run_document;
  /// Data about the run from outside the profile; null if there is no such document.
  std::shared_ptr<const RunSide> run_side;
  Reported reported;  ///< Values that only the file itself can state, not its rows.

  ImportLog log;

  std::string_view Name(StringId id) const { return id.valid() ? strings[id] : std::string_view{}; }
  /// True if that row of `device` represents a graph that was recorded as one event.
  bool IsWholeGraph(std::size_t row) const {
    const LaunchConfigId id = device.config[row];
    return id.valid() && launch_configs[id.value].is_whole_graph;
  }
  /// LaunchConfig::is_product of that row of `device`.
  bool IsProduct(std::size_t row) const {
    const LaunchConfigId id = device.config[row];
    return id.valid() && launch_configs[id.value].is_product;
  }
  bool Has(Capability capability) const;
};

/// The reason for an absent metric: "needs memory events; record with profile_memory=True". Without
/// a hint: "needs memory events, which this profile does not have".
std::string CapabilityGap(Capability capability, std::span<const RecordingHint> hints = {});

}  // namespace profgauge
