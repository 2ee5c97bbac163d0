// Assembles a Profile: readers add rows in any order, and Finish() makes the tables as
// model/tables.h describes them.
//
//   ProfileBuilder builder;
//   const ThreadId main = builder.AddThread("1234", "1234");
//   builder.AddHost({.start = 1, .duration = 5, .name = builder.Intern("mm"), .thread = main});
//   PROFGAUGE_TRY(Profile profile, builder.Finish());
//
// Rows with implausible times are left out and counted (TimesFit): sums of times must fit in 64
// bits. Times of rows are absolute nanoseconds of one clock. Finish() makes them relative to the
// profile's start, sorts rows, finds parents, links launches to device work and backward to forward
// ops, counts in the import log the rows that it could not link, and checks the invariants. Rows of
// equal start and length keep the order in which they were added: the first is the outer one.
//
// Each reader itself must convert times to nanoseconds of one clock, set negative and missing
// durations to 0 and count them, and name a thread for each host row, call and memory event. A row
// without a thread fails Finish(), and so does a negative duration.
//
//   Add*()  ->  CheckThreads, CheckLengths, CheckEvents     on rows as they were recorded
//           ->  Rebase, SortTables, DropDoubled     0 is the earliest time; rows in their order
//           ->  JoinTheOneDevice, ApplyNames, FinishCpu
//           ->  NumberLaunches                      where the file does not number its launches
//           ->  DeviceToCalls, CallsToRanges, MemoryToRanges, BackwardToForward, Parents
//           ->  TellRuntimeKernels, ClipDevice      these change rows of the device
//           ->  CountOverlaps, DeviceToOps, CheckNames
//           ->  CallStacks, CountSerialized, Certify, CheckInvariants
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/launch_ids.h"
#include "model/profile.h"
#include "model/tables.h"
#include "profgauge/error.h"

namespace profgauge {

struct HostRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  HostKind kind = HostKind::kOp;
  ThreadId thread;
  std::int64_t id = -1;  ///< External id, which launches may name; -1 none.
  StringId input_shapes;
  StringId input_dtypes;
  StringId call_stack;
  StringId concrete_inputs;
  std::int64_t sequence = -1;
  bool backward = false;  ///< The op is the backward op of the forward op with this `sequence`.
  CollectiveId collective;
  StringId domain;
  RangeStyle style = RangeStyle::kNone;
};

struct ApiRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  ApiKind kind = ApiKind::kOther;
  ThreadId thread;
  std::int64_t correlation = -1;  ///< -1 none.
  std::int64_t op_id = -1;        ///< External id of the op that made the call; -1 none.
};

struct OsRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  ThreadId thread;
};

struct DeviceRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  DeviceKind kind = DeviceKind::kKernel;
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
  std::int64_t correlation = -1;
  /// External id of the op that the format itself names as the launcher, on any thread. -1: none,
  /// so the op around the launch counts.
  std::int64_t op_id = -1;
  LaunchConfigId config;
  CollectiveId collective;
  CopyKind copy = CopyKind::kNone;
  HostMemory host_memory = HostMemory::kUnknown;
  std::int64_t bytes = -1;
};

/// A row of SyncTable or DeviceRangeTable.
struct StreamRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
};

struct PythonRow {
  Ns start = 0;
  Ns duration = 0;
  StringId name;
  ThreadId thread;
  std::int64_t id = -1;
  std::int64_t parent_id = -1;
  std::int64_t module_id = -1;
};

struct MemoryRow {
  Ns time = 0;
  ThreadId thread;
  std::int8_t device_type = 0;
  std::int32_t device = -1;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t total_allocated = -1;
  std::int64_t total_reserved = -1;
};

/// One end of an arrow from a forward op to its backward op.
struct FlowRow {
  std::int64_t id = -1;
  ThreadId thread;
  Ns time = 0;
  bool forward = false;  ///< The arrow's start, at the forward op.
};

/// A new number of a GPU, and the listed GPU (`like`) whose properties it has.
struct NewGpu {
  std::int32_t number = -1;
  std::int32_t like = -1;
};

/// True if an event can have these times: within 73 years of the clock's 0 and at most 13 days
/// long. Negative durations down to -13 days pass, because readers repair them.
inline bool TimesFit(Ns start, Ns duration) {
  constexpr Ns kFarthest = Ns{1} << 61, kLongest = Ns{1} << 50;
  return start >= -kFarthest && start <= kFarthest && duration >= -kLongest && duration <= kLongest;
}

class ProfileBuilder {
 public:
  ProfileBuilder() = default;
  ProfileBuilder(ProfileBuilder&&) = default;
  ProfileBuilder& operator=(ProfileBuilder&&) = default;

  StringId Intern(std::string_view text) { return profile_.strings.Intern(text); }
  /// The text of an id from Intern(); empty for an invalid id, which means that the name is missing
  /// in the file. Valid as long as the builder.
  std::string_view Name(StringId id) const { return profile_.Name(id); }
  /// How many different texts were interned.
  std::size_t strings() const { return profile_.strings.size(); }
  /// Returns the thread with that process and thread id, as written; numbers become Thread::pid and
  /// tid. Equal pairs give equal ids. Names may be set earlier or later: Finish() applies them.
  ThreadId AddThread(std::string_view process, std::string_view thread);
  void NameProcess(std::string_view process, std::string_view name);
  void NameThread(std::string_view process, std::string_view thread, std::string_view name);
  void NameStream(std::int32_t gpu, std::int64_t stream, std::string name) {
    profile_.stream_names.insert_or_assign({gpu, stream}, std::move(name));
  }
  /// The thread has iteration markers of only that device.
  void AddStepLane(std::int32_t gpu, ThreadId thread) {
    profile_.step_lanes.insert_or_assign(gpu, thread);
  }
  /// The rank that owns the GPU, for a file that was merged from the ranks of one run.
  void SetRankOfGpu(std::int32_t gpu, std::int64_t rank) { profile_.gpu_ranks[gpu] = rank; }
  /// Returns the id of an equal configuration, if there is one.
  LaunchConfigId AddLaunchConfig(const LaunchConfig& config);
  CollectiveId AddCollective(const Collective& collective);
  void AddGpu(Gpu gpu) { profile_.gpus.push_back(std::move(gpu)); }
  /// Renumbers GPUs in all rows; keys are the present numbers, others keep theirs. Several keys may
  /// name one listed GPU (`NewGpu::like`): each new number is then listed with its properties.
  void RenumberGpus(const std::map<std::int32_t, NewGpu>& numbers);
  /// Facts are kept in summaries. A reader may turn values of a file into facts only if their keys
  /// are allow-listed: others may name people or machines.
  void AddFact(std::string key, std::string value);
  /// The document `profgauge.run` that the profile contains.
  void SetRunDocument(std::string text) { profile_.run_document = std::move(text); }
  /// REQUIRES: static storage.
  void SetHints(std::span<const RecordingHint> hints) { profile_.hints = hints; }
  void SetCopiesUnknown(std::string why) { profile_.copies_unknown = std::move(why); }

  // Reserves memory for this many more rows, so that columns need not grow and move.
  void ReserveApi(std::size_t rows);
  void ReserveDevice(std::size_t rows);
  // Adding many rows in one call is several times as fast as one by one.
  void AddHost(std::span<const HostRow> rows);
  void AddHost(const HostRow& row) { AddHost(std::span(&row, 1)); }
  void AddApi(std::span<const ApiRow> rows);
  void AddApi(const ApiRow& row) { AddApi(std::span(&row, 1)); }
  /// Adds the recorded name of a call if rows have a shorter one.
  void AddApiSymbol(StringId name, StringId recorded) {
    profile_.api_symbols.emplace_back(name, recorded);
  }
  void AddOs(const OsRow& row);
  /// REQUIRES for spans on a core: a thread that AddThread() gave.
  void AddCpuSpan(const CpuSpan& span);
  void AddCpuSample(const CpuSample& sample);
  void AddProfilerOverhead(const CpuSpan& span);
  void AddDevice(std::span<const DeviceRow> rows);
  void AddDevice(const DeviceRow& row) { AddDevice(std::span(&row, 1)); }
  void AddSync(const StreamRow& row);
  void AddDeviceRange(const StreamRow& row);
  void AddPython(std::span<const PythonRow> rows);
  void AddPython(const PythonRow& row) { AddPython(std::span(&row, 1)); }
  void AddMemory(std::span<const MemoryRow> rows);
  void AddMemory(const MemoryRow& row) { AddMemory(std::span(&row, 1)); }
  void AddFlow(const FlowRow& row) { flows_.push_back(row); }
  /// Arrows are used if no row has a correlation.
  void AddLaunchArrow(const LaunchArrow& arrow) { arrows_.push_back(arrow); }
  /// The profiler's own recording span. If it is set several times, the first counts.
  void SetSpan(Ns start, Ns duration);
  /// The profiler's clock was 0 at the start of its session: Profile::session_start.
  void CountFromSession() { counts_from_session_ = true; }
  /// The offset from the rows' times to Unix nanoseconds. Default: 0.
  void SetClockOffset(Ns offset) { clock_offset_ = offset; }

  /// For devices whose streams run work sequentially: ends each row before the next starts, and
  /// counts rows that were longer. Not for CUDA: kernels may start before their predecessors end.
  void ClipStreamOverlaps() { clip_overlaps_ = true; }
  /// The recorded streams are not the device's, or run kernels concurrently: they are not used.
  void StreamsMayOverlap() { streams_overlap_ = true; }
  /// DeviceRow::op_id may name an op that did not launch the work. It is used only in profiles
  /// without calls, which have no better link.
  void DoubtDeviceOps() { doubts_device_ops_ = true; }

  /// Numbers that the file itself states, for readers to fill. The reference is valid until
  /// Finish().
  Reported& reported() { return profile_.reported; }
  void SetNeuron(std::shared_ptr<const neuron::Data> data) { profile_.neuron = std::move(data); }

  Source& source() { return profile_.source; }
  DistributedInfo& distributed() { return profile_.distributed; }
  ImportLog& log() { return profile_.log; }

  /// Sorts, links and checks. The builder cannot be used afterwards. Errors: kInternal if an
  /// invariant is violated, which is a defect of the reader or of this class.
  Result<Profile> Finish();

 private:
  struct HashKey {
    std::size_t operator()(const std::string& key) const;
  };
  using Ids = boost::unordered_flat_map<std::string, std::uint32_t, HashKey>;

  LaunchConfigId InternLaunchConfig(const LaunchConfig& config);
  /// Returns false, and counts the row, if its times do not fit.
  bool Takes(Ns start, Ns duration);
  Ns FindOrigin() const;
  void Rebase(Ns origin);
  void OrderThreads();
  void SortTables();
  void ClipDevice();
  void ApplyNames();
  void FinishCpu(Ns origin);

  Profile profile_;
  CpuActivity cpu_;
  std::vector<std::int64_t> host_ids_;
  std::vector<bool> host_backward_;
  NarrowColumn<std::int64_t> api_correlations_;
  OptionalColumn<std::int64_t, -1> api_op_ids_;
  NarrowColumn<std::int64_t> device_correlations_;
  OptionalColumn<std::int64_t, -1> device_op_ids_;
  std::vector<FlowRow> flows_;
  std::vector<LaunchArrow> arrows_;
  boost::unordered_flat_map<std::string, std::string> process_names_;
  boost::unordered_flat_map<std::string, std::string> thread_names_;
  Ids thread_ids_, config_ids_, collective_ids_;
  std::string key_;                           ///< Kept to reuse its memory.
  std::vector<LaunchConfigId> last_configs_;  ///< By the hash of the fields that differ most.
  bool clip_overlaps_ = false;
  bool streams_overlap_ = false;
  bool doubts_device_ops_ = false;
  bool counts_from_session_ = false;
  bool has_span_ = false;
  Ns clock_offset_ = 0;
};

// Collects rows that are made one by one and adds them in batches.

/// A batch of rows for the builder, which adds many in one call faster than one by one.
template <class Row, void (ProfileBuilder::*kAdd)(std::span<const Row>)>
class RowBatch {
 public:
  void Add(const Row& row, ProfileBuilder& builder) {
    rows_.push_back(row);
    if (rows_.size() == kRows) Flush(builder);
  }
  /// Adds the remaining rows.
  void Flush(ProfileBuilder& builder) {
    (builder.*kAdd)(rows_);
    rows_.clear();
  }

 private:
  static constexpr std::size_t kRows = 256;  ///< Few enough to stay in a core's cache.
  std::vector<Row> rows_;
};

/// REQUIRES: Flush() before Finish(). A batch that is destroyed drops its rows.
using ApiBatch = RowBatch<ApiRow, &ProfileBuilder::AddApi>;
using DeviceBatch = RowBatch<DeviceRow, &ProfileBuilder::AddDevice>;

}  // namespace profgauge
