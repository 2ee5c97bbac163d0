// trace_view.json of torch_npu: a list of trace events whose processes have names.
//
//   - "Python": host ops and annotations, with categories;
//   - "CANN": calls of the runtime (AscendCL@…), which become API calls of the Python threads;
//   - "Ascend Hardware": kernels by stream, one process per NPU; waits of a stream are no work;
//   - "Communication" (older: "HCCL"): collectives by group; their tasks on planes repeat them;
//   - "Overlap Analysis": tracks that the profiler derived from the kernels. They are only
//     compared with the kernels: a total that differs by over 1 % is counted in the import log. If
//     it is over 20 % larger than that of the events, events were lost.
//
// Arrows link: HostToDevice from the CANN call to its kernel, async_npu from the op that asked for
// it on the Python thread (a task queue is between them), fwdbwd from forward to backward ops.
// Start times are texts of absolute microseconds.
//
//   Python           |--- aten::mm ---|
//                        \ async_npu (s)
//   CANN                  \      |-- launch --|
//                          \         \ HostToDevice (s)
//   Ascend Hardware         ------------> |==== MatMul ====|   both arrows end (f) at its start
//
// The end of an arrow has a place and a time but names no event. So it is looked up: the kernel
// that begins exactly there, or the innermost call or op around it. Names of processes may come
// after their events, so events without a category wait until Finish().
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "model/profile_builder.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::ascend {

/// Takes the events in file order. Memory: all events without a category, ops and arrows.
class TraceView final : public JsonRowReceiver {
 public:
  explicit TraceView(ProfileBuilder& builder) : builder_(builder) {}

  /// True if the document is the list itself, or has it under the key "traceEvents".
  bool Wants(std::string_view list) override { return list.empty() || list == "traceEvents"; }
  /// Adds one event. Events that cannot be used are counted in the builder's log.
  void Receive(std::string_view list, const JsonRow& row) override;
  /// Adds and links the rows that needed the names of all processes. Call once, after the last row.
  /// O(n log n) in the number of events.
  void Finish();

 private:
  /// The kind of a process, by its name.
  enum class Process : std::uint8_t { kOther, kHost, kRuntime, kDevice, kCommunication, kDerived };
  /// Process and thread as written, numbered in order of appearance.
  using Place = std::uint32_t;
  /// A row that waits for the names of the processes.
  struct Event {
    Ns start = 0;
    Ns duration = 0;
    StringId name;
    StringId task;  ///< Task Type.
    std::int64_t stream = -1;
    Place place = 0;
  };
  /// One end of an arrow.
  struct End {
    Place place = 0;
    Ns time = 0;
  };
  /// A flow between two events ("ph": "s" and "f").
  struct Arrow {
    End from, to;
    bool has_from = false, has_to = false;
  };
  /// A complete flow.
  struct Link {
    End to, from;
  };
  using Arrows = boost::unordered_flat_map<std::string, Arrow>;
  static constexpr std::size_t kNoRow = ~std::size_t{0};
  /// A row that can be found by its place and start.
  struct Started {
    Place place = 0;
    Ns start = 0;
    Ns end = 0;
    std::int64_t id = -1;
    std::size_t outer = kNoRow;  ///< Index of the row around it, by Nest().
  };

  Place PlaceOf(const JsonRow& row);
  void ReceiveName(const JsonRow& row);
  void ReceiveArrow(const JsonRow& row);
  void ReceiveComplete(const JsonRow& row);
  void AddHost(const JsonRow& row, Ns start, Ns duration, Place place);
  Process ProcessOf(Place place) const;
  Process ProcessOf(const std::string& process) const;
  ThreadId ThreadOf(Place place);
  /// Numbers the NPUs and assigns the processes of each kind to them.
  void FindDevices();
  /// The NPU numbers of `processes`, which all are of one kind and have one NPU each.
  std::vector<std::int32_t> NumbersOf(const std::vector<std::string>& processes) const;
  std::int32_t DeviceOf(Place place) const;
  void AddDeviceEvents();
  void CheckProcesses();
  void AddWork(const Event& event);
  void AddCollective(const Event& event);
  /// Sets the launch and the op of an event from an arrow into it.
  void LinkRow(const Event& event, DeviceRow& row);
  /// Makes the calls whose arrow leads to no event launches, since their device work was lost.
  void AddLostLaunches();
  void AddCalls();
  /// The spans of each NPU in its process "Overlap Analysis".
  using Spans = std::map<std::int32_t, std::vector<Span>>;
  void CheckOwnTotals();
  void CheckOwnTotal(std::string_view track, const Spans& own, const Spans& ours);

  /// The arrows that have both ends, sorted by their end.
  static std::vector<Link> Sorted(const Arrows& arrows);
  /// The source of the arrow into the event at (place, time); nullptr if there is none. If several
  /// arrows end there, the first by its source. REQUIRES: `links` come from Sorted().
  static const End* SourceOf(const std::vector<Link>& links, Place place, Ns time);
  /// Sorts rows by place and start, the longest first, and sets each row's `outer`: the last row
  /// before it that ends after it. O(rows log rows).
  static void Nest(std::vector<Started>& rows);
  /// Id of the innermost of `rows` around `at`, both ends included; -1 if there is none within 1000
  /// levels. REQUIRES: Nest(). O(log rows + levels).
  static std::int64_t Around(const std::vector<Started>& rows, const End& at);

  ProfileBuilder& builder_;
  std::vector<std::pair<std::string, std::string>> places_;
  boost::unordered_flat_map<std::string, Place> place_ids_;
  boost::unordered_flat_map<std::string, std::string> process_names_;
  boost::unordered_flat_map<std::string, std::string> process_labels_;
  std::vector<std::string> processes_;  ///< Processes with a name, in order of appearance.
  boost::unordered_flat_map<std::string, std::int32_t> devices_;  ///< By process.
  std::vector<std::int32_t> npus_;
  boost::unordered_flat_map<std::string, std::string> thread_names_;  ///< By "pid/tid".
  std::vector<Event> events_;                                         ///< Without a category.
  Arrows to_runtime_;
  Arrows to_op_;
  std::vector<Started> ops_;
  std::vector<Started> calls_;
  std::vector<Link> launches_;           ///< From HostToDevice arrows.
  std::vector<Link> requests_;           ///< From async_npu arrows.
  std::vector<std::int64_t> launching_;  ///< Ids of calls that launched work.
  Spans computing_, communicating_;      ///< By NPU.
  std::string host_process_;
  bool has_communication_ = false;
  std::uint64_t without_process_ = 0;  ///< Events of processes that have no name.
  std::uint64_t without_thread_ = 0;   ///< Communication events on threads without a name.
};

}  // namespace profgauge::readers::ascend
