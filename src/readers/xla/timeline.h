// Makes rows of the model from the timeline of an XLA profile (JAX, TensorFlow, PyTorch/XLA):
// planes, which have lines, which have events. The source may be any file form.
//
// Lines that the profiler derived from others (Steps, XLA Modules, XLA Ops on GPUs, framework name
// scopes, source code) repeat the time of the streams. They are counted in the import log and
// otherwise skipped, except XLA Modules, which become device ranges for display. Work on a device:
//   - GPU: the lines "Stream #N…";
//   - TPU, which has no streams: the line "XLA Ops", and "Sparse Core Ops" of each SparseCore
//     (separate planes, but units of the TPU). Events nest (a loop around its body), so an event
//     becomes the pieces of it that no nested event covers. Waiting for the host (infeed) is no
//     work; XProf calls such ops off duty.
//
// A kernel was launched by a framework op and an HLO op. They become two nested ops around the
// launching call: the framework's name scope outside ("jit(f)/dot_general"), the HLO op of its
// module inside ("jit_f/gemm_fusion_dot.3").
//
// Names and stats: tsl/profiler/utils/xplane_schema.h of github.com/openxla/tsl.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"
#include "readers/xla/op_sums.h"

namespace profgauge::readers::xla {

/// Streams of a TPU: 0 is its TensorCore, 1 + n its SparseCore n.
inline constexpr std::int64_t kTensorCore = 0;

/// One event. Stats are text, as in trace.json; empty if absent.
struct Event {
  std::string_view name;
  Ns start = 0;
  Ns duration = 0;
  std::string_view correlation_id;
  std::string_view kernel_details;
  std::string_view memcpy_details;
  std::string_view memset_details;
  std::string_view hlo_op;
  std::string_view hlo_module;
  std::string_view hlo_category;  ///< "convolution fusion", of an op of a TPU.
  std::string_view tf_op;         ///< "name:type".
  std::string_view scope;         ///< The stat "name": "jit(f)/dot_general", or an argument's name.
  std::string_view step_num;
  std::string_view v;       ///< The argument of an annotation `profgauge.run`.
  std::string_view source;  ///< "file.py:12".
  std::string_view allocator_name;
  std::string_view bytes_allocated;
  std::string_view allocation_bytes;
  std::string_view addr;
  std::string_view flops;  ///< FLOPs of one execution of an HLO op.
  std::string_view bytes_accessed;

  struct Stat {
    std::string_view name;
    std::string_view Event::*member;
  };
  /// All stats that are used.
  static std::span<const Stat> Stats();
  /// The member for a stat's name; nullptr for unused stats.
  static std::string_view Event::*StatNamed(std::string_view name);
};

/// A plane of a device: "/device:TPU:0", or "/device:TPU:0 SparseCore 3" for a unit of it.
struct DevicePlane {
  std::string_view name;          ///< Without the host's name, which XProf writes before it.
  std::int32_t number = -1;       ///< Number of the device; -1 if there is none.
  std::int32_t sparse_core = -1;  ///< -1: the plane is of the device itself.
  /// Also true for a SparseCore.
  bool is_tpu() const { return name.starts_with("/device:TPU"); }
};
/// The device in a plane's name; nullopt for hosts and other objects ("/device:CUSTOM:…").
std::optional<DevicePlane> DevicePlaneOf(std::string_view plane);
/// The number at the end of "/device:GPU:3"; -1 if there is none, or if it exceeds 32 bits.
std::int32_t TrailingNumber(std::string_view text);

/// Data about a device that only its plane has.
struct SeenDevice {
  bool is_tpu = false;
  bool is_listed = false;  ///< Timeline::AddGpu() was called.
  bool has_events = false;
  bool has_work = false;
};

/// The kind of a line's events:
///
///   plane                line                         kind
///   /device:GPU:0        Stream #16(Kernel)           kStream: work of the device
///   /device:TPU:0        XLA Ops                      kNested: work, events inside each other
///   …:0 SparseCore 1     Sparse Core Ops              kNested
///   any device           XLA Modules                  kModules: ranges for display
///   any device           Steps                        kSteps: iterations, if the host has none
///   any device           others                       kDerived: repeat the time of the above
///   /host:CPU            a thread                     kHost
///   /host:metadata, others                            kIgnored
struct Track {
  enum class Kind : std::uint8_t { kIgnored, kDerived, kModules, kStream, kNested, kSteps, kHost };
  Kind kind = Kind::kIgnored;
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
  ThreadId thread;
  SeenDevice* device = nullptr;  ///< Its device, in the timeline that made the track.
};

/// Receives planes and events in file order; Finish() links launches to work. Calls, nested events
/// and steps stay in memory until Finish(); all other rows go to the builder immediately.
class Timeline {
 public:
  explicit Timeline(ProfileBuilder& builder) : builder_(builder) {}

  /// Makes the track of a line. `plane` is "/device:GPU:0", "/host:CPU"…; `line` and `name` are the
  /// id and the name of the line. The track has a pointer into this timeline.
  Track MakeTrack(std::string_view plane, std::string_view line, std::string_view name);
  /// Adds an event and counts it as read. Its views are used only during the call.
  void Add(const Track& track, const Event& event);
  /// Notes a plane, even if it is empty. Returns its device; nullptr if it has none.
  SeenDevice* SeePlane(std::string_view plane);
  /// Adds a device with the data of its plane.
  void AddGpu(Gpu gpu);
  /// Sets the device's number of compute units, to compute blocks per unit.
  void SetCores(std::int32_t gpu, std::int32_t cores) { cores_[gpu] = cores; }
  /// Sets the peak rates of one device, in FLOP/s and bytes per second; 0 means unknown.
  void SetPeaks(double flops, double bandwidth) { sums_.SetPeaks(flops, bandwidth); }
  /// Adds a module that ran, as an HloProto. REQUIRES: called before the events of devices are
  /// added, because the module explains their kernels.
  void AddModule(std::string_view hlo_proto) { products_.AddModule(hlo_proto); }
  /// Adds rows that need the whole timeline: ops around launches, nested device ops, steps. Call
  /// once. O(n log n) in the number of nested events and of steps.
  void Finish();

 private:
  /// The names of the ops that launched a kernel.
  struct Names {
    StringId scope;
    StringId hlo;
    StringId source;
  };
  struct Call {
    ApiRow row;
    Names names;
  };
  struct Piece {
    std::int32_t gpu = -1;
    std::int64_t stream = 0;
    Ns start = 0;
    Ns end = 0;
    StringId name;
    double flops = -1, bytes = -1;  ///< -1 unknown.
    LaunchConfigId config;
    CollectiveId collective;
    bool waits = false;  ///< Waits for the host: no work.
  };

  Names NamesOf(const Event& event);
  void AddHost(const Track& track, const Event& event);
  void AddDevice(const Track& track, const Event& event);
  void AddMemory(const Track& track, const Event& event);
  LaunchConfigId ConfigOf(std::int32_t gpu, const Event& kernel);
  void AddOps(const Call& call);
  Piece NestedOf(const Track& track, const Event& event);
  void AddNested();
  void ListDevices();

  ProfileBuilder& builder_;
  std::map<std::int32_t, SeenDevice> devices_;
  std::vector<Call> calls_;
  boost::unordered_flat_map<std::int64_t, Names> launched_;  ///< By correlation id.
  boost::unordered_flat_map<std::int32_t, std::int32_t> cores_;
  std::vector<Piece> nested_;
  OpSums sums_;
  HloProducts products_;
  /// A step as one device ran it: from its first work to its last.
  struct DeviceStep {
    HostRow row;
    std::int32_t gpu = -1;
  };
  /// Device work that a call may have launched.
  struct Launched {
    std::int32_t gpu = -1;
    Ns start = 0;
    std::int64_t correlation = -1;
  };
  void AddSteps();
  bool HostRunsAhead() const;
  void AddDeviceSteps();
  std::vector<HostRow> host_steps_;
  std::vector<DeviceStep> device_steps_;
  std::vector<Launched> work_;
};

}  // namespace profgauge::readers::xla
