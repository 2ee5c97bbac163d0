// Typed row numbers of the model's tables. A default-constructed id names no row.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "base/string_pool.h"
#include "base/units.h"
#include "model/narrow_column.h"
#include "model/optional_column.h"

namespace profgauge {

template <class Tag>
struct RowId {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t value = kNone;
  bool valid() const { return value != kNone; }
  friend bool operator==(RowId, RowId) = default;
  friend auto operator<=>(RowId, RowId) = default;
};

using HostId = RowId<struct HostTag>;      ///< Row of HostTable (op, annotation, iteration marker).
using ApiId = RowId<struct ApiTag>;        ///< Row of ApiTable (runtime or driver call).
using DeviceId = RowId<struct DeviceTag>;  ///< Row of DeviceTable (kernel, copy, memset).
using ThreadId = RowId<struct ThreadTag>;  ///< Index into Profile::threads.
using LaunchConfigId = RowId<struct LaunchConfigTag>;  ///< Index into Profile::launch_configs.
using CollectiveId = RowId<struct CollectiveTag>;      ///< Index into Profile::collectives.

// The tables of one profile: events, their times, and their causes. A table's columns are equally
// long; an index into them is a row. Times are nanoseconds from the profile's start.
//
// Readers fill the tables through ProfileBuilder. After ProfileBuilder::Finish() they are
// immutable, sorted, and linked as each table's comment describes.
//
// Example: one kernel of one operator and the links between its rows (`->` is a column that holds
// the row number of another table):
//
//   python   [ train_step .............................. ]
//   host     [ aten::linear ......... ]                       row 0
//               [ aten::addmm ... ]                           row 1, parent -> 0
//   api            [cudaLaunchKernel]                         op -> 1
//   device                    [ gemm ....... ]                launch -> the call, op -> 1
//   sync                          [ stream synchronize ]      by the device's tracer
//
// The format decides which tables a profile has: ask Profile::Has(). A kernel without `launch` is
// no error. A kernel without `op` may have been launched outside of all operators.

enum class HostKind : std::uint8_t {
  kOp,               ///< Framework operator (aten::mm).
  kAnnotation,       ///< User or framework range (record_function, NVTX): DataLoader, Optimizer…
  kIterationMarker,  ///< ProfilerStep#N and similar markers, host side only.
  kPython,           ///< Kineto's old "python" category.
  kOverhead,         ///< The profiler's own work.
};

/// How an NVTX range was opened.
enum class RangeStyle : std::uint8_t { kNone, kPushPop, kStartEnd };

/// Host-side ranges, sorted by (thread, start, longest first).
/// `parent` is the innermost range of the same thread that contains this one (invalid at the top).
/// A range that overlaps its neighbor without nesting gets the parent that contains its start, and
/// the import log counts it. Every row has a thread.
struct HostTable {
  std::vector<Ns> start;
  std::vector<Ns> duration;
  std::vector<StringId> name;
  std::vector<HostKind> kind;
  std::vector<ThreadId> thread;
  std::vector<HostId> parent;
  std::vector<HostId> forward;            ///< The forward op of a backward op, when linked.
  OptionalColumn<StringId> input_shapes;  ///< Canonical text "[[32, 3, 224, 224], []]"; or invalid.
  OptionalColumn<StringId> input_dtypes;  ///< Canonical text "[float, c10::Half]"; or invalid.
  OptionalColumn<StringId> call_stack;    ///< "a.py(3): f;b.py(9): g", innermost first; or invalid.
  /// Arguments as the profiler wrote them (for PyProf: its whole dictionary); or invalid.
  OptionalColumn<StringId> concrete_inputs;
  std::vector<std::int64_t> sequence;       ///< Autograd sequence number, -1 when there is none.
  OptionalColumn<CollectiveId> collective;  ///< For record_param_comms and the like.
  OptionalColumn<StringId> domain;   ///< NVTX domain; invalid for the default one and elsewhere.
  OptionalColumn<RangeStyle> style;  ///< kNone for ranges that are not NVTX's.
  std::size_t size() const { return start.size(); }
};

enum class ApiKind : std::uint8_t { kLaunch, kMemcpy, kMemset, kSync, kMemory, kOther };

/// Runtime and driver calls (cuda, hip, xpu, …), sorted by (thread, start, longest first).
/// Every row has a thread. A runtime call and the driver call inside it are two rows.
struct ApiTable {
  std::vector<Ns> start;
  NarrowColumn<Ns> duration;
  NarrowColumn<StringId> name;
  std::vector<ApiKind> kind;
  NarrowColumn<ThreadId> thread;
  std::vector<HostId> op;  ///< Innermost host range (any kind) that contains the call.
  std::size_t size() const { return start.size(); }
};

/// Calls of the operating system's libraries (read, poll, pthread_cond_wait…), sorted by (thread,
/// start, longest first).
struct OsTable {
  std::vector<Ns> start;
  std::vector<Ns> duration;
  std::vector<StringId> name;
  std::vector<ThreadId> thread;
  std::size_t size() const { return start.size(); }
};

enum class DeviceKind : std::uint8_t { kKernel, kMemcpy, kMemset };
enum class CopyKind : std::uint8_t {
  kNone,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeerToPeer,
  kHostToHost,
  kUnknown
};
/// The kind of host memory of a copy: pageable or pinned.
enum class HostMemory : std::uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kManaged,  ///< Unified memory: the driver moved its pages.
};

/// Work on devices, sorted by (gpu, stream, start). Annotations and synchronization records are no
/// work; they have separate tables. Rows of one stream may overlap: see
/// ProfileBuilder::ClipStreamOverlaps().
struct DeviceTable {
  std::vector<Ns> start;
  NarrowColumn<Ns> duration;
  NarrowColumn<StringId> name;
  std::vector<DeviceKind> kind;
  NarrowColumn<std::int32_t> gpu;  ///< Gpu::id, -1 unknown.
  NarrowColumn<std::int64_t> stream;
  std::vector<ApiId> launch;            ///< The call that launched it; invalid when not recorded.
  std::vector<HostId> op;               ///< Innermost *op* that launched it; invalid when unknown.
  NarrowColumn<LaunchConfigId> config;  ///< Kernels only.
  OptionalColumn<CollectiveId> collective;  ///< Kernels of collectives whose metadata is recorded.
  OptionalColumn<CopyKind> copy;            ///< kNone for kernels and memsets.
  OptionalColumn<HostMemory> host_memory;
  OptionalColumn<std::int64_t, -1> bytes;  ///< Copies and memsets; -1 unknown.
  std::size_t size() const { return start.size(); }
};

/// Properties of a kernel launch. A profile has few different ones, so they are pooled. Equal
/// properties share an id, so comparing ids is enough.
struct LaunchConfig {
  std::int32_t grid[3] = {0, 0, 0};  ///< 0,0,0 when unknown.
  std::int32_t block[3] = {0, 0, 0};
  std::int32_t registers = -1;      ///< Per thread; -1 unknown.
  std::int64_t shared_memory = -1;  ///< Bytes; -1 unknown.
  double blocks_per_sm = -1;        ///< As recorded; -1 unknown.
  double warps_per_sm = -1;
  double occupancy = -1;  ///< Estimated achieved occupancy 0..1; -1 unknown.
  /// True for a graph that was recorded as one event: its contents, if any, are unknown.
  bool is_whole_graph = false;
  /// True if the profile calls the kernel a matmul or a convolution, whatever its name is. On a GPU
  /// a compiler made it then, and it uses the chip's matrix units for its types.
  bool is_product = false;
  friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

/// The profiler's data about one collective call. Sizes are numbers of elements, not bytes; -1:
/// unknown.
struct Collective {
  StringId name;  ///< "allreduce", "_all_gather_base", as recorded.
  StringId dtype;
  StringId group;        ///< Process group's name, unique in a run; else its description.
  StringId description;  ///< Purpose of the group, for display: several groups may share it.
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = -1;
  /// Number of the call in its group, separate for point-to-point calls; -1: not recorded.
  std::int64_t sequence = -1;
  std::int64_t source_rank = -1;
  std::int64_t destination_rank = -1;
  friend bool operator==(const Collective&, const Collective&) = default;
};

/// Synchronization that the device-side tracer recorded (cuda_sync), sorted by start.
struct SyncTable {
  std::vector<Ns> start;
  std::vector<Ns> duration;
  std::vector<StringId> name;
  std::vector<std::int32_t> gpu;
  std::vector<std::int64_t> stream;
  std::size_t size() const { return start.size(); }
};

/// Ranges that the profiler projected onto a device (gpu_user_annotation); for display only.
struct DeviceRangeTable {
  std::vector<Ns> start;
  std::vector<Ns> duration;
  std::vector<StringId> name;
  std::vector<std::int32_t> gpu;
  std::vector<std::int64_t> stream;
  std::size_t size() const { return start.size(); }
};

/// Python frames, sorted by (thread, start, longest first).
struct PythonTable {
  std::vector<Ns> start;
  std::vector<Ns> duration;
  std::vector<StringId> name;
  std::vector<ThreadId> thread;
  std::vector<std::int64_t> id;         ///< As recorded; -1 none.
  std::vector<std::int64_t> parent_id;  ///< As recorded; -1 at the top.
  std::vector<std::int64_t> module_id;  ///< nn.Module instance; -1 if the frame is not one.
  std::size_t size() const { return start.size(); }
};

/// Allocator events, sorted by time. Totals are the allocator's; -1 when not recorded.
struct MemoryTable {
  std::vector<Ns> time;
  std::vector<ThreadId> thread;
  std::vector<std::int8_t> device_type;  ///< 0 CPU, 1 GPU, as c10::DeviceType.
  std::vector<std::int32_t> device;      ///< -1 for the host.
  std::vector<std::uint64_t> address;    ///< 0 when not recorded.
  std::vector<std::int64_t> bytes;       ///< > 0 allocation, < 0 release.
  std::vector<std::int64_t> total_allocated;
  std::vector<std::int64_t> total_reserved;
  std::vector<HostId> op;  ///< Innermost range of that thread at that time.
  std::size_t size() const { return time.size(); }
};

struct Thread {
  std::string process;  ///< "pid 1234 python", or as recorded.
  std::int64_t pid = -1;
  std::int64_t tid = -1;
  std::string name;  ///< As recorded; may be empty.
};

struct Gpu {
  std::int32_t id = -1;
  std::string name;  ///< Empty when not recorded.
  std::int32_t compute_major = -1;
  std::int32_t compute_minor = -1;
  std::int32_t sms = -1;     ///< Streaming multiprocessors or compute units.
  std::int64_t memory = -1;  ///< Bytes.
  std::int32_t max_threads_per_sm = -1;
  std::int32_t warp_size = -1;
};

// CPU activity: which thread each core ran, why a thread did not run, call stacks that were sampled
// while threads ran, and when the profiler itself held threads up.

/// A time span in which a thread ran on one core, or ran on no core.
struct CpuSpan {
  Ns start = 0, duration = 0;
  ThreadId thread;
  std::int32_t core = -1;  ///< -1: it did not run.
  /// If the thread ran: its name. If it did not: the object that it waited for, as the profiler
  /// names it; invalid if that is not recorded.
  StringId name;
};

struct CpuSample {
  Ns time = 0;
  ThreadId thread;
  StringId stack;  ///< Functions, outermost first, one per line.
};

struct CpuActivity {
  std::vector<CpuSpan> spans;      ///< Sorted by (thread, start).
  std::vector<CpuSample> samples;  ///< Sorted by time.
  /// Time in which the profiler itself held up threads of the program; on no core.
  std::vector<CpuSpan> overhead;
};

}  // namespace profgauge
