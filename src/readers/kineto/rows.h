// The rows of one chunk of events, with ids local to the chunk. Chunks are parsed in any order by
// any worker and merged in the file's order, so the result does not depend on the workers.
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

/// A name given to a process or, with a thread, to a thread. Ids of Rows::strings.
struct NameRow {
  StringId process;
  StringId thread;  ///< Invalid: the name is the process's.
  StringId name;
};

/// The trace to which an event belongs, if several were merged into one file and each labeled its
/// processes ("[TP00] 0"). Ids and numbers of devices count in one such trace; a row
/// carries its trace in their upper bits until the end of the file. 0: not labeled.
///
///   bit     63   62 ............ 48   47 ............................. 0
///   id       0   trace                id as written
///
///   bit     31 30   29 ........ 16    15 ............................. 0
///   GPU      0  0   trace             number as written
///
/// A number that does not fit stays as it is written.
using TraceNumber = std::uint32_t;
/// How the label of a trace begins whose rank its events state: "rank 3" of `args.rank`.
inline constexpr std::string_view kRankLabel = "rank ";
/// Ids of several traces in one file are kept apart by the trace's number. Negative ids and those
/// of more than 48 bits come back unchanged.
std::int64_t IdInTrace(std::int64_t id, TraceNumber trace);
/// The same of a GPU's number, of at most 16 bits.
std::int32_t GpuInTrace(std::int32_t gpu, TraceNumber trace);

/// The labeled traces of one file, in order of appearance, and the GPUs that each names.
class Traces {
 public:
  /// Ranks of a merged trace are fewer, unless a file is hostile.
  static constexpr std::size_t kMostLabels = 4096;

  /// From 1 on, in order of appearance; the same number for the same label.
  TraceNumber NumberOf(std::string_view label);
  std::size_t count() const { return numbers_.size(); }
  /// A number as GpuInTrace() made it. Cheap for one like the last: it is called for each row.
  void See(std::int32_t gpu) {
    if (gpu != last_) gpus_.insert(last_ = gpu);
  }
  /// Numbers GPUs as the traces do; where several use one number, each has a separate GPU. Call
  /// once, after the last chunk. Nothing without labels.
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

/// Everything that one chunk says. StringId, ThreadId, LaunchConfigId and CollectiveId in rows are
/// indices into the vectors here, and are of no use in another chunk.
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
  std::vector<LaunchArrow> arrows;  ///< As long as no event had a correlation.
  std::vector<NameRow> names;
  std::vector<ApartRow> apart;
  std::vector<std::string> counters;  ///< Names of sampled ones that are read.
  std::vector<SampleRow> samples;
  std::map<std::string, std::uint64_t> unread_counters;  ///< Samples of the others.
  bool rocm = false;                                     ///< Has calls of the HIP runtime.
  Accelerator maker = Accelerator::kUnknown;  ///< Whose runtime was called, by the category.
  bool has_correlations = false;              ///< Launches are numbered.
  bool has_more_labels = false;               ///< Than Traces::kMostLabels: the rows mix traces.
  std::uint64_t launch_flows = 0;  ///< Ends of arrows between calls and work, kept or not.
  bool has_span = false;
  Ns span_start = 0;
  Ns span_duration = 0;
  std::map<std::string, std::uint64_t> unread;  ///< Events by category, of those no one knows.
  // For a file of another tool: what it holds.
  bool is_pytorch = false;                    ///< An event has a category that only PyTorch writes.
  bool has_names = false;                     ///< Of processes or threads.
  std::map<std::string, std::uint64_t> seen;  ///< By category, those that any tool may write.
  std::map<char, std::uint64_t> phases;       ///< By phase, those that become no row.
  std::string bad_time;  ///< The first event whose start cannot be used, and its text.
  ImportLog log;

  /// Empty again, with the memory that it has.
  void Clear();
};

/// Interns strings for one worker: texts stay where they are for the worker's lifetime, ids are
/// dense within each chunk. O(1) per text; a name that each chunk has is stored once per worker.
class Strings {
 public:
  /// From now on ids count for `rows`.
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

/// Adds the chunk's rows to `builder`, in their order; separate begins and ends to `paired`. Their
/// ids are those of the builder then, so `rows` is used up: Clear() it. O(rows) plus one look-up
/// for each different text, thread and configuration.
void Merge(Rows& rows, ProfileBuilder& builder, PairedEvents& paired, Traces& traces);

}  // namespace profgauge::readers::kineto
