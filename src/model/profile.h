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
  kWhole,    ///< Nothing is known against it.
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
  std::int64_t count = 0, of = 0;         ///< How many cases, of how many; 0: not counted.
  std::string text = {};                  ///< The result of the check; empty if there is no fault.
  std::vector<std::string> affects = {};  ///< Of "time", "idle", "kernels", "communication", …
  std::string advice = {};                ///< What to do; may be empty.
};

struct Certificate {
  Trust trust = Trust::kWhole;
  std::vector<CertificateCheck> checks;  ///< All, in a fixed order; empty: none was made.
};

// NVTX ranges around one kernel's launch, where a profile states only these and not when the
// ranges began and ended: PyProf's net.dict. Terms are PyProf's.

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

/// Where a profile came from.
struct Source {
  std::string path;         ///< As given on the command line; "-" for standard input.
  std::string format;       ///< Reader's name: "kineto".
  std::string dialect;      ///< e.g. "2021-06, integer microseconds"; free text for inspect.
  std::uint64_t bytes = 0;  ///< Decompressed size.
  std::string hash;         ///< XXH3-128 of the decompressed bytes, 32 hex digits.
  /// AcceleratorId() if only tools for one maker's devices write the format, or that of the
  /// summary; else empty.
  std::string accelerator;
  std::string framework;           ///< "pytorch", "xla", if only it writes the format; else empty.
  bool is_of_any_program = false;  ///< The tools record any program, with a framework or without.
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
  std::vector<ProcessGroup> groups;  ///< Those that this rank is in, where recorded.
};

/// Data that a format or profile can have. A metric that needs missing data is absent, with the
/// reason that CapabilityGap() words.
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

/// How to record missing data, in the words of the format's own profiler: "record with
/// `rocprofv3 --hip-trace`". Readers keep them in static storage.
/// One hint a capability is enough: CapabilityGap() takes the first.
struct RecordingHint {
  Capability capability;
  std::string_view how;
};

/// A value: moved from the reader to the analysis, which does not change it. After
/// ProfileBuilder::Finish() its reader may still set fields, and so may steps over all ranks
/// (GraphOperators, run_side/attach.h). Views into `strings` stay valid when it is moved, and end
/// with it.
struct Profile {
  Source source;
  std::int64_t origin_ns = 0;       ///< Absolute time (Unix ns where known) of model time 0.
  Ns first = 0, last = 0;           ///< Extent of all events.
  Ns span_start = 0, span_end = 0;  ///< The profiler's own recording span; 0,0 when not recorded.
  /// When the profiler's own clock was 0, where that is the start of its session; never positive.
  Ns session_start = 0;
  /// False when rows have durations but no times, or there are no rows at all (a report of sums):
  /// iterations, idle time, utilization and the timeline are unknown then.
  bool has_timeline = true;
  StringPool strings;
  std::vector<Thread> threads;
  std::vector<Gpu> gpus;
  std::vector<LaunchConfig> launch_configs;
  std::vector<Collective> collectives;
  /// Names of streams that have some ("Tensor"), by GPU and stream.
  std::map<std::pair<std::int32_t, std::int64_t>, std::string> stream_names;
  DistributedInfo distributed;
  /// Allow-listed facts in reading order: ("cuda_runtime_version", "12040"), ("record_shapes",
  /// "1").
  std::vector<std::pair<std::string, std::string>> facts;
  std::span<const RecordingHint> hints;
  /// Why copies between host and device are not in the file, so that none recorded does not mean
  /// none made; empty: they are in it.
  std::string copies_unknown;
  /// Whether each process numbers its GPUs from 0 by itself, and nothing says which they are: then
  /// one number may mean several.
  bool gpus_by_process = false;
  /// Threads that hold the steps of one device each, as its own track shows them, by device. Empty
  /// where the host marks iterations.
  std::map<std::int32_t, ThreadId> step_lanes;
  /// Of a file that was merged of the ranks of one run and states them: whose each GPU is.
  std::map<std::int32_t, std::int64_t> gpu_ranks;
  /// Processes of the profile that communicate with each other, as threads name them: each is a
  /// rank, though none may mark iterations. Empty where that is unknown.
  std::vector<std::string> communicating;
  /// For a profile that represents a summary and has no rows: the columns of
  /// model/summary/summary.h; else empty.
  std::string summary;

  HostTable host;
  ApiTable api;
  /// Names of calls as the tables have them and as recorded, where these differ:
  /// "cudaLaunchKernel", "cudaLaunchKernel_v7000".
  std::vector<std::pair<StringId, StringId>> api_symbols;
  OsTable os;
  /// Scheduling and sampled call stacks; null where neither is recorded.
  std::shared_ptr<const CpuActivity> cpu;
  DeviceTable device;
  SyncTable sync;
  DeviceRangeTable device_ranges;
  PythonTable python;
  MemoryTable memory;
  std::vector<KernelMarkers> kernel_markers;  ///< One per row of `device`, or none at all.
  /// Data that only AWS Neuron records; null for other profiles.
  std::shared_ptr<const neuron::Data> neuron;
  /// The document `profgauge.run` as the profile carries it; empty: none.
  std::string run_document;
  /// Data about the run beside the profile; null where there is no such document.
  std::shared_ptr<const RunSide> run_side;
  Reported reported;  ///< Values that the file states itself, where its rows cannot give them.

  ImportLog log;

  std::string_view Name(StringId id) const { return id.valid() ? strings[id] : std::string_view{}; }
  /// Whether that row of `device` represents a graph that was recorded whole.
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

/// "needs memory events; record with profile_memory=True": words for an absent metric. Without a
/// hint: "needs memory events, which this profile does not have".
std::string CapabilityGap(Capability capability, std::span<const RecordingHint> hints = {});

}  // namespace profgauge
