#include "readers/kineto/pftrace/placing.h"

#include "readers/kineto/pftrace/decoder.h"
#include "readers/kineto/pftrace/pairing.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <type_traits>

namespace profgauge::readers::pftrace {
namespace {

/// Adds rows of each kind in batches: one call of the builder for thousands of rows. The destructor
/// adds the rest.
class Batches {
 public:
  explicit Batches(ProfileBuilder& builder) : builder_(builder) {}
  ~Batches() { Flush(); }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  void Add(const HostRow& row) { Keep(host_, row); }
  void Add(const ApiRow& row) { Keep(api_, row); }
  void Add(const DeviceRow& row) { Keep(device_, row); }
  void Add(const PythonRow& row) { Keep(python_, row); }
  void Add(const kineto::SyncRow& row) { builder_.AddSync(row.row); }
  void Add(const kineto::RangeRow& row) { builder_.AddDeviceRange(row.row); }

 private:
  static constexpr std::size_t kRowsAtOnce = 4096;
  template <class Row>
  void Keep(std::vector<Row>& rows, const Row& row) {
    rows.push_back(row);
    if (rows.size() == kRowsAtOnce) Flush();
  }
  void Flush() {
    builder_.AddHost(host_);
    builder_.AddApi(api_);
    builder_.AddDevice(device_);
    builder_.AddPython(python_);
    host_.clear();
    api_.clear();
    device_.clear();
    python_.clear();
  }

  ProfileBuilder& builder_;
  std::vector<HostRow> host_;
  std::vector<ApiRow> api_;
  std::vector<DeviceRow> device_;
  std::vector<PythonRow> python_;
};

/// The builder's thread of each track. Looks up each track only once, because a lookup walks the
/// track's parents and passes its names to the builder.
class Threads {
 public:
  Threads(const Tracks& tracks, ProfileBuilder& builder) : tracks_(tracks), builder_(builder) {}
  struct Thread {
    ThreadId id;
    bool is_profiler = false;  ///< The thread is in no process of the program.
  };
  Thread Of(std::uint64_t track) {
    const auto found = found_.find(track);
    if (found != found_.end()) return found->second;
    const Place place = tracks_.PlaceOf(track);
    const Thread thread{builder_.AddThread(place.process, place.thread), place.process == "-1"};
    if (!place.process_name.empty()) builder_.NameProcess(place.process, place.process_name);
    if (!place.thread_name.empty()) {
      builder_.NameThread(place.process, place.thread, place.thread_name);
    }
    found_.emplace(track, thread);
    return thread;
  }

 private:
  const Tracks& tracks_;
  ProfileBuilder& builder_;
  boost::unordered_flat_map<std::uint64_t, Thread> found_;
};

template <class Row>
auto& Inner(Row& row) {
  if constexpr (std::is_same_v<Row, kineto::SyncRow> || std::is_same_v<Row, kineto::RangeRow>) {
    return row.row;
  } else {
    return row;
  }
}

template <class Row>
concept OnThread = requires(Row row) {
  row.thread;
};

/// Completes the row and adds it. Host rows without a thread are counted as ignored.
struct Placer {
  Ns start = 0, duration = 0;
  std::optional<Threads::Thread> thread;
  Batches& to;
  ProfileBuilder& builder;

  void operator()(std::monostate) const { builder.log().Add(Counter::events_ignored_kind); }
  template <class Row>
  void operator()(Row& row) const {
    Inner(row).start = start;
    Inner(row).duration = duration;
    if constexpr (OnThread<Row>) {
      if (!thread) return builder.log().Add(Counter::events_ignored_kind);
      row.thread = thread->id;
    }
    if constexpr (std::is_same_v<Row, HostRow>) {
      // PyTorch writes overhead on process -1, without a category.
      if (thread->is_profiler) row.kind = HostKind::kOverhead;
    }
    to.Add(row);
  }
};

/// Slices with known times, and the rows to which they belong.
struct Settled {
  std::vector<SliceMark> marks;
  std::vector<std::uint32_t> rows;  ///< By mark.
};

bool CountsTime(const std::optional<Ns>& time, ProfileBuilder& builder) {
  if (time && TimesFit(*time, 0)) return true;
  builder.log().Add(Counter::events_bad_time);
  return false;
}

// Drops ends with unknown times. Their begins remain without an end and are counted.
Settled SettleTimes(std::vector<SliceEnd>& slices, const Clocks& clocks, ProfileBuilder& builder) {
  Settled settled;
  settled.marks.reserve(slices.size());
  settled.rows.reserve(slices.size());
  for (const SliceEnd& end : slices) {
    const auto time = clocks.Settle(end.stamp);
    if (!CountsTime(time, builder)) continue;
    settled.marks.push_back({*time, end.track, end.sequence, end.is_begin});
    settled.rows.push_back(end.row);
  }
  slices = {};
  return settled;
}

// Writes one line to the log for each kind, independent of the number of cases.
void CountAlone(const Paired& paired, ProfileBuilder& builder) {
  const auto count = [&](std::size_t cases, std::string_view what) {
    if (cases == 0) return;
    builder.log().Add(Counter::events_dropped, cases - 1);
    builder.log().AddAt(Counter::events_dropped, fmt::format("{}: {}", what, cases));
  };
  count(paired.begins_alone, "slices that begin but do not end");
  count(paired.ends_alone, "slices that end but do not begin");
}

}  // namespace

void PlaceRows(Decoded& decoded, ProfileBuilder& builder) {
  const Settled settled = SettleTimes(decoded.slices, decoded.clocks, builder);
  const Paired paired = Pair(settled.marks);
  CountAlone(paired, builder);
  Threads threads(decoded.tracks, builder);
  Batches batches(builder);
  for (std::size_t i = 0; i < settled.marks.size(); ++i) {
    const SliceMark& begin = settled.marks[i];
    const std::uint32_t end = paired.end_of[i];
    if (!begin.is_begin || end == Paired::kNone) continue;
    std::visit(Placer{begin.time, settled.marks[end].time - begin.time, threads.Of(begin.track),
                      batches, builder},
               decoded.rows[settled.rows[i]]);
  }
  for (const Stage& stage : decoded.stages) {
    const auto time = decoded.clocks.Settle(stage.stamp);
    if (!CountsTime(time, builder)) continue;
    std::visit(Placer{*time, stage.duration, std::nullopt, batches, builder},
               decoded.rows[stage.row]);
  }
  builder.SetClockOffset(decoded.clocks.to_unix());
}

}  // namespace profgauge::readers::pftrace
