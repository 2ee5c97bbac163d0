// Makes rows from trace events: the kind of an event, the meaning of its fields in each dialect,
// and repairs.
//
//   ph        which events                        becomes
//   X         all, by category                    a row of the category's table
//   B, E      all; of measured kinds with a row   an ApartRow; paired.h finds the pairs
//   M         process_name, thread_name           a NameRow
//   i, I      named "[memory]", of any category   a MemoryRow
//   s, t, f   fwdbwd, forward_backward            a FlowRow, from forward to backward
//   s, t, f   ac2g, async_cpu_to_gpu              a LaunchArrow, until launches are numbered
//   C         hardware_counters                   a SampleRow, of counters with a metric
//   others                                        counted as events_ignored_kind
//   none                                          counted as events_unreadable
//
//   category of X                                 table
//   cpu_op, operator, user_annotation, python     host
//   cuda_runtime, cuda_driver, *_runtime, ...     api
//   kernel, gpu_memcpy, gpu_memset, ...           device
//   cuda_sync; gpu_user_annotation                sync; device_ranges
//   python_function                               python
//
// A name such as ProfilerStep#5 is an iteration on the host. On a device it is only a range, which
// begins with its first kernel; counting both would count each iteration twice.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/kineto/event_parser.h"
#include "readers/kineto/rows.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::kineto {

/// The kind of an event, by its category. Names that changed over the years are merged here.
enum class Category : std::uint8_t {
  kOp,
  kAnnotation,
  kGpuAnnotation,
  kPythonCategory,
  kOverhead,
  kRuntime,
  kKernel,
  kMemcpy,
  kMemset,
  kSync,
  kPythonFunction,
  kMemory,
  kFlow,
  kLaunchFlow,     ///< Arrow from a call to the kernel it launched.
  kProfilerRange,  ///< Range over which counters were measured.
  kTrace,
  kIgnored,
  kUnknown,
};
/// Letter case is ignored. kUnknown for unknown categories.
Category CategoryOf(std::string_view cat);
/// True if the category is known exactly, not only by its ending.
bool IsExactCategory(std::string_view cat);

/// One worker's sink; it adds rows to the object of Begin(). Texts live as long as the sink, so it
/// must outlive the merge of its rows. Not thread-safe.
class EventSink final : public EventReceiver {
 public:
  /// `adds_launched`: a launch that names a kernel adds this kernel with length zero.
  explicit EventSink(Fraction fraction, bool adds_launched = false)
      : fraction_(fraction), adds_launched_(adds_launched) {}
  /// From here on, events become rows of `rows`, which is empty. Ids start at 0 again.
  void Begin(Rows& rows);
  void Receive(const RawEvent& event) override;
  void ReceiveOther() override;

 private:
  struct Times {
    Ns start = 0;
    Ns duration = 0;
  };
  struct KnownCategory {
    std::string text;
    Category category;
    bool is_exact;
    Accelerator maker;  ///< Whose runtime's calls these are, where the category names it.
  };

  void ReceiveComplete(const RawEvent& event);
  void ReceiveApart(const RawEvent& event, bool begins);
  void ReceiveMemory(const RawEvent& event);
  void ReceiveFlow(const RawEvent& event);
  void ReceiveLaunchFlow(const RawEvent& event);
  void ReceiveName(const RawEvent& event);
  void ReceiveSample(const RawEvent& event);
  void CountUnread(std::string_view category);
  void CountSource(const RawEvent& event, const KnownCategory& known);
  void CountBadTime(const RawEvent& event);
  void AddHost(const RawEvent& event, HostKind kind, Times times);
  void AddApi(const RawEvent& event, Times times);
  void AddDevice(const RawEvent& event, DeviceKind kind, Times times);
  void AddPython(const RawEvent& event, Times times);
  StreamRow StreamRowOf(const RawEvent& event, Times times);

  std::optional<Ns> StartOf(const RawEvent& event);
  Ns DurationOf(const RawEvent& event);
  ThreadId ThreadOf(const RawEvent& event);
  TraceNumber TraceOf(const RawEvent& event);
  TraceNumber TraceOfGpu(const RawEvent& event);
  TraceNumber NumberOfTrace(std::string_view label);
  StringId Text(const RawEvent& event, Field field);
  LaunchConfigId ConfigOf(const RawEvent& event);
  CollectiveId CollectiveOf(const RawEvent& event);
  const KnownCategory& CachedCategory(std::string_view cat);
  ApiKind KindOfCall(StringId id, std::string_view name);

  Fraction fraction_;
  bool adds_launched_;
  Rows* rows_ = nullptr;
  Strings strings_;
  std::vector<std::optional<ApiKind>> call_kinds_;  // By id of the name.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> threads_;
  std::vector<KnownCategory> categories_;
  KnownCategory other_category_;
  std::string last_pid_, last_tid_;
  std::string labelled_pid_;  // The last process with a label.
  TraceNumber trace_ = 0;     // Its trace, in the current chunk.
  ThreadId last_thread_;
};

/// The stream of a device event: from its argument, else from its thread, which is "stream 7"
/// before PyTorch 1.12 and plain digits since. -1 if there is none.
std::int64_t StreamOf(const RawEvent& event);
/// The GPU of a device event: from its argument, else from its process, without a label in front
/// ("[TP00] 0"). -1 if there is none.
std::int32_t GpuOf(const RawEvent& event);

}  // namespace profgauge::readers::kineto
