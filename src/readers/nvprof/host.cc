#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "readers/cuda/cuda_activity.h"
#include "readers/cuda/sqlite_table.h"
#include "readers/nvprof/import.h"
#include "readers/text/names.h"
#include "readers/text/pyprof_marker.h"
#include "readers/times.h"

namespace profgauge::readers::nvprof {
namespace {

Status ReadCalls(Import& import, const char* table, std::string (*name_of)(std::int64_t)) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, table,
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"processId"}},
                                            {{"threadId"}},
                                            {{"correlationId"}},
                                            {{"cbid"}},
                                            {{"returnValue"}}}));
  boost::unordered_flat_map<std::int64_t, std::pair<StringId, ApiKind>> known;
  return scan.ForEach([&] {
    if (scan.Integer(0) <= 0 || scan.Integer(1) <= 0) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    const auto [name, is_new] = known.try_emplace(scan.Integer(5, -1));
    if (is_new) {
      const std::string text = name_of(scan.Integer(5, -1));
      name->second = {import.builder->Intern(text), ApiKindOf(text)};
    }
    ApiRow row;
    row.start = scan.Integer(0);
    row.duration = std::max<Ns>(0, Between(row.start, scan.Integer(1)));
    std::tie(row.name, row.kind) = name->second;
    row.thread = ThreadOf(import, scan.Integer(2), scan.Integer(3));
    row.correlation = scan.Integer(4, -1);
    import.processes.insert(scan.Integer(2));
    if (CudaCallFailed(import.builder->strings()[row.name], scan.Integer(6))) {
      import.builder->log().AddAt(Counter::api_errors,
                                  std::string(import.builder->strings()[row.name]));
    }
    import.builder->log().Add(Counter::events_read);
    import.builder->AddApi(row);
  });
}

// A range's thread is a BLOB: the process as a little-endian 32-bit number, then the thread
// with 64.
std::pair<std::int64_t, std::int64_t> ThreadOfBlob(std::string_view blob) {
  std::int32_t process = -1;
  std::int64_t thread = -1;
  if (blob.size() >= 4) std::memcpy(&process, blob.data(), 4);
  if (blob.size() >= 12) std::memcpy(&thread, blob.data() + 4, 8);
  return {process, thread};
}

struct OpenRange {
  Ns start = 0;
  StringId name, domain;
  ThreadId thread;
};

void AddRange(Import& import, const OpenRange& open, Ns end) {
  ProfileBuilder& builder = *import.builder;
  const auto text = [&](StringId id) {
    return id.valid() ? std::string(builder.strings()[id]) : std::string{};
  };
  HostRow row;
  row.start = open.start;
  row.duration = Between(open.start, end);
  if (row.duration < 0) {
    builder.log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const RangeText range = ParseRangeText(text(open.name), text(open.domain));
  AddTexts(range, builder, row);
  row.kind = range.kind == RangeKind::kOp                ? HostKind::kOp
             : range.kind == RangeKind::kIterationMarker ? HostKind::kIterationMarker
                                                         : HostKind::kAnnotation;
  row.thread = open.thread;
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  builder.log().Add(Counter::events_read);
  builder.AddHost(row);
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
        "several processes in one file: NVProf does not say whose a kernel is");
  }
  return {};
}

Status ReadMarkers(Import& import) {
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "CUPTI_ACTIVITY_KIND_MARKER",
          {{{"flags"}}, {{"timestamp"}}, {{"id"}}, {{"objectId"}}, {{"name"}}, {{"domain"}}}));
  constexpr std::int64_t kBegin = 2, kFinish = 4;
  boost::unordered_flat_map<std::int64_t, OpenRange> open;
  Ns last = 0;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const Ns time = scan.Integer(1);
    last = std::max(last, time);
    const auto [process, thread] = ThreadOfBlob(scan.Text(3));
    if (scan.Integer(0) == kBegin && time > 0) {
      open[scan.Integer(2)] = {time, import.String(scan.Integer(4)), import.String(scan.Integer(5)),
                               ThreadOf(import, process, thread)};
    } else if (const auto found = open.find(scan.Integer(2));
               scan.Integer(0) == kFinish && found != open.end()) {
      if (found->second.thread == ThreadOf(import, process, thread)) {
        AddRange(import, found->second, time);
      } else {
        import.builder->log().Add(Counter::ranges_across_threads);
      }
      open.erase(found);
    } else {
      import.builder->log().Add(Counter::events_ignored_kind);
    }
  }));
  std::vector<std::pair<std::int64_t, OpenRange>> unclosed(open.begin(), open.end());
  std::sort(unclosed.begin(), unclosed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, range] : unclosed) {
    import.builder->log().Add(Counter::events_missing_dur);
    AddRange(import, range, last);
  }
  return {};
}

}  // namespace profgauge::readers::nvprof
