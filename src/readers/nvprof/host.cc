#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "knowledge/launches.h"
#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/nvprof/import.h"
#include "readers/text/names.h"
#include "readers/text/nvtx_text.h"
#include "readers/times.h"

namespace profgauge::readers::nvprof {
namespace {

// Columns of calls.
enum : std::size_t {
  kCallStart,
  kCallEnd,
  kProcess,
  kThread,
  kCallCorrelation,
  kCbid,
  kReturnValue
};

// Calls of a number that is unknown. They launch work if kernels have the ids of many of them:
// then one without a kernel has lost it.
class UnknownCalls {
 public:
  void Add(std::int64_t cbid, const ApiRow& row) { calls_[cbid].push_back(row); }
  void Finish(Import& import) {
    for (auto& [cbid, rows] : calls_) {
      const StringId name = import.builder->Intern(fmt::format("cbid#{}", cbid));
      const ApiKind kind = Launches(import, rows) ? ApiKind::kLaunch : ApiKind::kOther;
      for (ApiRow& row : rows) {
        row.name = name;
        row.kind = kind;
        import.builder->AddApi(row);
      }
    }
  }

 private:
  static bool Launches(const Import& import, const std::vector<ApiRow>& rows) {
    const auto launching = std::count_if(rows.begin(), rows.end(), [&](const ApiRow& row) {
      return row.correlation >= 0 && import.kernels.contains(row.correlation);
    });
    return launching > 0 && launching >= knowledge::kLaunchesLaunchingShare.Of(std::ssize(rows));
  }
  std::map<std::int64_t, std::vector<ApiRow>> calls_;
};

// Fills all but name and kind; false when the row has no usable time and was counted.
bool FillCall(Import& import, const TableScan& scan, ApiRow& row) {
  if (scan.Integer(kCallStart) <= 0 || scan.Integer(kCallEnd) <= 0) {
    import.builder->log().Add(Counter::events_bad_time);
    return false;
  }
  import.builder->log().Add(Counter::events_read);
  row.start = scan.Integer(kCallStart);
  row.duration = std::max<Ns>(0, Between(row.start, scan.Integer(kCallEnd)));
  row.thread = ThreadOf(import, scan.Integer(kProcess), scan.Integer(kThread));
  row.correlation = scan.Integer(kCallCorrelation, -1);
  import.processes.insert(scan.Integer(kProcess));
  return true;
}

Status ReadCalls(Import& import, const char* table, std::string_view (*name_of)(std::int64_t)) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, table,
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"processId"}},
                                            {{"threadId"}},
                                            {{"correlationId"}},
                                            {{"cbid"}},
                                            {{"returnValue"}}}));
  UnknownCalls unknown;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    ApiRow row;
    if (!FillCall(import, scan, row)) return;
    const std::int64_t cbid = scan.Integer(kCbid, -1);
    const std::string_view name = name_of(cbid);
    if (CudaCallFailed(name, scan.Integer(kReturnValue))) {
      import.builder->log().AddAt(Counter::api_errors,
                                  name.empty() ? fmt::format("cbid#{}", cbid) : std::string(name));
    }
    if (name.empty()) return unknown.Add(cbid, row);
    row.name = import.builder->Intern(name);
    row.kind = ApiKindOf(name);
    import.builder->AddApi(row);
  }));
  unknown.Finish(import);
  return {};
}

// A range's thread is a BLOB: the process as a little-endian 32-bit number, then the thread
// with 64.
//
//   objectId   | process: 4 bytes | thread: 8 bytes |       shorter ones: -1
std::pair<std::int64_t, std::int64_t> ThreadOfBlob(std::string_view blob) {
  std::int32_t process = -1;
  std::int64_t thread = -1;
  if (blob.size() >= 4) std::memcpy(&process, blob.data(), 4);
  if (blob.size() >= 12) std::memcpy(&thread, blob.data() + 4, 8);
  return {process, thread};
}

// CUPTI's own work on a thread of the program: buffers, instrumentation, resources.
// Compilations of the driver are the program's work.
Status ReadOverhead(Import& import) {
  enum OverheadKind : std::int64_t { kBufferFlush = 2 << 16, kResource = 4 << 16 };
  enum ObjectKind : std::int64_t { kOfThread = 2 };
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "CUPTI_ACTIVITY_KIND_OVERHEAD",
          {{{"start"}}, {{"end"}}, {{"overheadKind"}}, {{"objectKind"}}, {{"objectId"}}}));
  return scan.ForEach([&] {
    const std::int64_t kind = scan.Integer(2);
    if (kind < kBufferFlush || kind > kResource || scan.Integer(3) != kOfThread) return;
    if (scan.Integer(0) <= 0 || scan.Integer(1) <= 0) return;
    const auto [process, thread] = ThreadOfBlob(scan.Text(4));
    const auto known = import.threads.find({process, thread & 0xffff'ffff});
    if (known == import.threads.end()) return;  // The profiler's own threads hold no one up.
    CpuSpan span;
    span.start = scan.Integer(0);
    span.duration = std::max<Ns>(0, Between(span.start, scan.Integer(1)));
    span.thread = known->second;
    span.name = import.builder->Intern("CUPTI");
    import.builder->AddProfilerOverhead(span);
  });
}

enum MarkerFlag : std::int64_t { kBegin = 2, kFinish = 4 };

/// A table's rows have no order; if a range begins and ends at the same time, it begins first.
struct Marker {
  Ns time = 0;
  std::int64_t id = 0, flags = 0;
  StringId name, domain;
  ThreadId thread;
};

struct OpenRange {
  Ns start = 0;
  StringId name, domain;
  ThreadId thread;
};

std::string TextOf(const Import& import, StringId id) {
  return std::string(import.builder->Name(id));
}

HostRow RowOf(Import& import, const OpenRange& open, Ns end) {
  ProfileBuilder& builder = *import.builder;
  HostRow row;
  row.start = open.start;
  row.duration = Between(open.start, end);
  if (row.duration < 0) {
    builder.log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const RangeText range = ParseRangeText(TextOf(import, open.name), TextOf(import, open.domain));
  AddTexts(range, builder, row);
  row.kind = range.kind == RangeKind::kOp                ? HostKind::kOp
             : range.kind == RangeKind::kIterationMarker ? HostKind::kIterationMarker
                                                         : HostKind::kAnnotation;
  row.thread = open.thread;
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  builder.log().Add(Counter::events_read);
  return row;
}

void AddRange(Import& import, const OpenRange& open, Ns end, OpenMarkers& markers,
              std::vector<HostRow>& rows) {
  rows.push_back(RowOf(import, open, end));
  const HostRow& row = rows.back();
  if (row.kind == HostKind::kIterationMarker) markers.AddStart(row, TextOf(import, open.name));
}

// A range without an end lasts to the last marker, at most.
void AddUnclosed(Import& import, const OpenRange& open, Ns last, OpenMarkers& markers,
                 std::vector<HostRow>& rows) {
  import.builder->log().Add(Counter::ranges_not_closed);
  const HostRow row = RowOf(import, open, last);
  if (row.kind != HostKind::kIterationMarker) return rows.push_back(row);
  const std::string name = TextOf(import, open.name);
  markers.AddStart(row, name);
  markers.AddOpen(row, name);
}

// PyProf says the arguments of an operator in a range around it:
//
//     torch.matmul [[700, 200], [200, 600]]
//       mm, seq = 72
//
// so that mm has those of matmul. Not a gradient: its arguments are others, and its work follows
// from the operator of forward.
void ShareArguments(std::vector<HostRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tuple(rows[i].thread.value, rows[i].start, -rows[i].duration, i);
    };
    return key(a) < key(b);
  });
  const auto end_of = [](const HostRow& row) { return row.start + row.duration; };
  std::vector<const HostRow*> around;
  for (const std::size_t i : order) {
    HostRow& row = rows[i];
    while (!around.empty() && (around.back()->thread.value != row.thread.value ||
                               end_of(*around.back()) < end_of(row))) {
      around.pop_back();
    }
    if (row.kind != HostKind::kOp) continue;
    if (!around.empty() && !row.backward && !row.input_shapes.valid()) {
      row.input_shapes = around.back()->input_shapes;
      row.input_dtypes = around.back()->input_dtypes;
    }
    around.push_back(&row);
  }
}

// All in memory: begin and end of a range are two rows, and the table has no order.
Result<std::vector<Marker>> MarkersInOrder(Import& import) {
  std::vector<Marker> markers;
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "CUPTI_ACTIVITY_KIND_MARKER",
          {{{"flags"}}, {{"timestamp"}}, {{"id"}}, {{"objectId"}}, {{"name"}}, {{"domain"}}}));
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const auto [process, thread] = ThreadOfBlob(scan.Text(3));
    markers.push_back({scan.Integer(1), scan.Integer(2), scan.Integer(0),
                       import.String(scan.Integer(4)), import.String(scan.Integer(5)),
                       ThreadOf(import, process, thread)});
  }));
  std::stable_sort(markers.begin(), markers.end(), [](const Marker& a, const Marker& b) {
    return std::tuple(a.time, a.id, a.flags) < std::tuple(b.time, b.id, b.flags);
  });
  return markers;
}

}  // namespace

ThreadId ThreadOf(Import& import, std::int64_t process, std::int64_t thread) {
  const std::int64_t number = thread & 0xffff'ffff;
  const auto [it, is_new] = import.threads.try_emplace({process, number});
  if (is_new) {
    it->second = import.builder->AddThread(fmt::format("{}", process), fmt::format("{}", number));
  }
  return it->second;
}

Status ReadApi(Import& import) {
  PROFGAUGE_CHECK(ReadCalls(import, "CUPTI_ACTIVITY_KIND_RUNTIME", RuntimeCallName));
  PROFGAUGE_CHECK(ReadCalls(import, "CUPTI_ACTIVITY_KIND_DRIVER", DriverCallName));
  if (import.processes.size() > 1) {
    import.builder->log().AddAt(
        Counter::profiler_warnings,
        "several processes in one file: NVProf does not assign kernels to processes");
  }
  return ReadOverhead(import);
}

//   id 1 begin at 10, id 2 begin at 12, id 2 end at 15, id 1 end at 20
//
// gives the ranges [12, 15) and [10, 20). Ranges that end on another thread are counted and left
// out: they nest with nothing. An end without a begin, and marks, are counted as ignored.
Status ReadMarkers(Import& import) {
  PROFGAUGE_TRY(const auto rows, MarkersInOrder(import));
  boost::unordered_flat_map<std::int64_t, OpenRange> open;
  OpenMarkers markers;
  std::vector<HostRow> ranges;
  const Ns last = rows.empty() ? 0 : std::max<Ns>(0, rows.back().time);
  for (const Marker& marker : rows) {
    const auto found = open.find(marker.id);
    if (marker.flags == kBegin && marker.time > 0) {
      open[marker.id] = {marker.time, marker.name, marker.domain, marker.thread};
    } else if (marker.flags == kFinish && found != open.end()) {
      if (found->second.thread == marker.thread) {
        AddRange(import, found->second, marker.time, markers, ranges);
      } else {
        import.builder->log().Add(Counter::ranges_across_threads);
      }
      open.erase(found);
    } else {
      import.builder->log().Add(Counter::events_ignored_kind);
    }
  }
  std::vector<std::pair<std::int64_t, OpenRange>> unclosed(open.begin(), open.end());
  std::sort(unclosed.begin(), unclosed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, range] : unclosed) AddUnclosed(import, range, last, markers, ranges);
  ShareArguments(ranges);
  for (const HostRow& row : ranges) import.builder->AddHost(row);
  markers.Finish(*import.builder);
  return {};
}

}  // namespace profgauge::readers::nvprof
