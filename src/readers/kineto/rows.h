// The rows of one chunk of events, with ids local to the chunk. Workers parse chunks in any order,
// but chunks are merged in the file's order, so the result does not depend on the workers.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/devices.h"
#include "model/launch_ids.h"
#include "model/profile_builder.h"
#include "readers/kineto/paired.h"
#include "readers/kineto/sampled.h"

namespace profgauge::readers::kineto {

/// A name of a process or, if `thread` is valid, of a thread. Ids refer to Rows::strings.
struct NameRow {
  StringId process;
  StringId thread;  ///< Invalid: the name is the process's.
  StringId name;
};

/// The trace to which an event belongs, in a file that was merged from several traces and labels
/// their processes ("[TP00] 0"). Ids and device numbers are unique only in one trace, so until the
/// file's end a row carries its trace in their upper bits. 0: not labeled.
///
///   bit     63   62 ............ 48   47 ............................. 0
///   id       0   trace                id as written
///
///   bit     31 30   29 ........ 16    15 ............................. 0
///   GPU      0  0   trace             number as written
///
/// A number that does not fit stays as it is written.
using TraceNumber = std::uint32_t;
/// Prefix of the label of a trace whose events have their rank in `args.rank`: "rank 3".
inline constexpr std::string_view kRankLabel = "rank ";
/// Adds the trace's number to an id, to distinguish ids of several traces in one file. Negative ids
/// and ids of more than 48 bits are returned unchanged.
std::int64_t IdInTrace(std::int64_t id, TraceNumber trace);
/// Like IdInTrace(), for the number of a GPU, of at most 16 bits.
std::int32_t GpuInTrace(std::int32_t gpu, TraceNumber trace);

/// The labeled traces of one file, in order of appearance, and the GPUs of each.
class Traces {
 public:
  /// Ranks of a merged trace are fewer, unless a file is hostile.
  static constexpr std::size_t kMostLabels = 4096;

  /// The number of a label, from 1 on in order of appearance.
  TraceNumber NumberOf(std::string_view label);
  std::size_t count() const { return numbers_.size(); }
  /// Notes a GPU number of GpuInTrace(). Called for each row: cheap if the last one is repeated.
  void See(std::int32_t gpu) {
    if (gpu != last_) gpus_.insert(last_ = gpu);
  }
  /// Gives each GPU one number: the trace's own number, or new ones if several traces use the same
  /// number. Call once, after the last chunk. Does nothing without labels.
  ///
  ///   [TP00] 0, [TP01] 1    different numbers: 0 and 1 stay
  ///   [TP00] 0, [TP01] 0    each trace counts from 0: 0 and 1, in the order of the traces
  void NumberGpus(ProfileBuilder& builder) const;

 private:
  std::vector<std::int32_t> InOrderOfLabels() const;

  std::map<std::string, TraceNumber, std::less<>> numbers_;
  std::set<std::int32_t> gpus_;
  std::int32_t last_ = -1;  ///< No GPU.
};

/// The contents of one chunk. StringId, ThreadId, LaunchConfigId and CollectiveId in rows are
/// indices into the vectors here, and are invalid in other chunks.
struct Rows {
  std::vector<std::string_view> strings;               ///< Views into the worker's Strings.
  std::vector<std::pair<StringId, StringId>> threads;  ///< Process and thread, as written.
  std::vector<StringId> traces;                        ///< Labels; trace n is entry n - 1.
  std::vector<LaunchConfig> configs;
  std::vector<Collective> collectives;

  std::vector<HostRow> host;
  std::vector<ApiRow> api;
  std::vector<DeviceRow> device;
  std::vector<StreamRow> sync;
  std::vector<StreamRow> device_ranges;
  std::vector<PythonRow> python;
  std::vector<MemoryRow> memory;
  std::vector<FlowRow> flows;
  std::vector<LaunchArrow> arrows;  ///< Kept until an event has a correlation.
  std::vector<NameRow> names;
  std::vector<ApartRow> apart;
  std::vector<std::string> counters;  ///< Names of the sampled counters that are read.
  std::vector<SampleRow> samples;
  std::map<std::string, std::uint64_t> unread_counters;  ///< Number of samples of other counters.
  bool rocm = false;                                     ///< Has calls of the HIP runtime.
  Accelerator maker = Accelerator::kUnknown;  ///< Maker of the called runtime, by the category.
  bool has_correlations = false;              ///< Launches are numbered.
  bool has_more_labels = false;               ///< Than Traces::kMostLabels: the rows mix traces.
  std::uint64_t launch_flows = 0;  ///< Ends of arrows between calls and work, kept or not.
  bool has_span = false;
  Ns span_start = 0;
  Ns span_duration = 0;
  std::map<std::string, std::uint64_t> unread;  ///< Events of unknown categories, by category.
  // Evidence of the tool that wrote the file.
  bool is_pytorch = false;                    ///< An event has a category that only PyTorch writes.
  bool has_names = false;                     ///< Names of processes or threads.
  std::map<std::string, std::uint64_t> seen;  ///< Events of categories that any tool may write.
  std::map<char, std::uint64_t> phases;       ///< By phase, events that become no row.
  std::string bad_time;  ///< The first event whose start cannot be used, and its text.
  ImportLog log;

  /// Removes all rows but keeps their memory.
  void Clear();
};

/// Interns strings for one worker. Texts stay in place for the worker's lifetime; ids are dense in
/// each chunk. O(1) per text; a name that occurs in each chunk is stored once per worker.
class Strings {
 public:
  /// From now on, ids refer to `rows`.
  void Begin(Rows& rows) {
    rows_ = &rows;
    ++chunk_;
  }
  /// The id in the rows of Begin(). REQUIRES: Begin().
  StringId Intern(std::string_view text);

 private:
  struct Hash {
    std::size_t operator()(std::string_view text) const;
  };
  struct Entry {
    std::uint32_t chunk = 0;
    StringId id;
  };
  Rows* rows_ = nullptr;
  std::uint32_t chunk_ = 0;
  std::deque<std::string> texts_;
  boost::unordered_flat_map<std::string_view, Entry, Hash> entries_;
};

/// Adds the chunk's rows to `builder`, in order, and separate begins and ends to `paired`. This
/// replaces their ids by those of the builder, so `rows` must be cleared before reuse. O(rows) plus
/// one lookup for each different text, thread and configuration.
void Merge(Rows& rows, ProfileBuilder& builder, PairedEvents& paired, Traces& traces);

}  // namespace profgauge::readers::kineto
