#include <re2/re2.h>

#include <algorithm>
#include <tuple>

#include "readers/common/names.h"
#include "readers/common/nvtx_text.h"
#include "readers/common/pyprof_marker.h"
#include "readers/common/sqlite_table.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {
namespace {

// "cudaLaunchKernel_v7000_ptsz" and "cudaLaunchKernel" are one function; nsys groups them too.
std::string WithoutVersion(std::string_view name) {
  static const RE2 suffix(R"((?:_v\d+)?(?:_ptsz|_ptds)?$)");
  std::string stripped(name);
  RE2::Replace(&stripped, suffix, "");
  return stripped;
}

// Interns each API name once, without its suffix.
class ApiNames {
 public:
  explicit ApiNames(Import& import) : import_(import) {}
  std::pair<StringId, ApiKind> Of(std::int64_t name_id, std::string_view text) {
    const auto [it, is_new] = known_.try_emplace(name_id);
    if (is_new) {
      const std::string name = text.empty() ? "(unnamed call)" : WithoutVersion(text);
      it->second = {import_.builder->Intern(name), ApiKindOf(name)};
    }
    return it->second;
  }

 private:
  Import& import_;
  boost::unordered_flat_map<std::int64_t, std::pair<StringId, ApiKind>> known_;
};

constexpr std::int64_t kDomainCreate = 75;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;

enum : std::size_t { kStart, kEnd, kType, kText, kTextId, kThread, kEndThread, kDomain };

Result<TableScan> OpenNvtx(Import& import) {
  return TableScan::Open(*import.database, "NVTX_EVENTS",
                         {{{"start"}},
                          {{"end"}},
                          {{"eventType"}},
                          {{"text"}},
                          {{"textId"}},
                          {{"globalTid"}},
                          {{"endGlobalTid"}},
                          {{"domainId"}}});
}

Status ReadDomains(Import& import) {
  PROFGAUGE_TRY(auto scan, OpenNvtx(import));
  while (true) {
    PROFGAUGE_TRY(const bool more, scan.Next());
    if (!more) return {};
    if (scan.Integer(kType) != kDomainCreate) continue;
    import.domains[{ProcessOf(scan.Integer(kThread)), scan.Integer(kDomain)}] = scan.Text(kText);
  }
}

HostKind HostKindOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kOp:
      return HostKind::kOp;
    case RangeKind::kIterationMarker:
      return HostKind::kIterationMarker;
    case RangeKind::kAnnotation:
      return HostKind::kAnnotation;
  }
  return HostKind::kAnnotation;
}

void AddRange(Import& import, const TableScan& scan, std::string_view text) {
  const std::int64_t thread = scan.Integer(kThread);
  // A range that ends on another thread nests with nothing on this one.
  if (scan.IsSet(kEndThread) && scan.Integer(kEndThread) != thread) {
    import.builder->log().Add(Counter::ranges_across_threads);
    return;
  }
  HostRow row;
  row.start = scan.Integer(kStart);
  const Ns open_end = import.capture_end > row.start ? import.capture_end : row.start;
  if (!scan.IsSet(kEnd)) import.builder->log().Add(Counter::events_missing_dur);
  row.duration = scan.Integer(kEnd, open_end) - row.start;
  if (row.duration < 0) {
    import.builder->log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const auto domain = import.domains.find({ProcessOf(thread), scan.Integer(kDomain)});
  const RangeText range = ParseRangeText(
      text, domain == import.domains.end() ? std::string_view{} : std::string_view(domain->second));
  row.kind = HostKindOf(range.kind);
  row.thread = ThreadOf(import, thread);
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  AddTexts(range, *import.builder, row);
  import.builder->log().Add(Counter::events_read);
  import.builder->AddHost(row);
}

}  // namespace

Status ReadApi(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_RUNTIME",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"globalTid"}},
                                            {{"correlationId"}},
                                            {{"nameId"}},
                                            {{"returnValue"}}}));
  ApiNames names(import);
  const StringPool& strings = import.builder->strings();
  while (true) {
    PROFGAUGE_TRY(const bool more, scan.Next());
    if (!more) return {};
    if (!scan.IsSet(0) || !scan.IsSet(1)) {
      import.builder->log().Add(Counter::events_bad_time);
      continue;
    }
    const StringId recorded = import.String(scan.Integer(4, -1));
    ApiRow row;
    row.start = scan.Integer(0);
    row.duration = std::max<Ns>(0, scan.Integer(1) - row.start);
    row.thread = ThreadOf(import, scan.Integer(2));
    row.correlation = CorrelationOf(ProcessOf(scan.Integer(2)), scan.Integer(3, -1));
    std::tie(row.name, row.kind) =
        names.Of(scan.Integer(4, -1), recorded.valid() ? strings[recorded] : std::string_view{});
    if (scan.Integer(5) != 0) {
      import.builder->log().AddAt(Counter::api_errors, std::string(strings[row.name]));
    }
    import.builder->log().Add(Counter::events_read);
    import.builder->AddApi(row);
  }
}

Status ReadNvtx(Import& import) {
  PROFGAUGE_CHECK(ReadDomains(import));
  PROFGAUGE_TRY(auto scan, OpenNvtx(import));
  const StringPool& strings = import.builder->strings();
  while (true) {
    PROFGAUGE_TRY(const bool more, scan.Next());
    if (!more) return {};
    const std::int64_t type = scan.Integer(kType);
    if ((type != kPushPop && type != kStartEnd) || !scan.IsSet(kStart)) {
      import.builder->log().Add(Counter::events_ignored_kind);
      continue;
    }
    const StringId registered = import.String(scan.Integer(kTextId, -1));
    const std::string text(scan.IsSet(kText)    ? scan.Text(kText)
                           : registered.valid() ? strings[registered]
                                                : std::string_view{});
    AddRange(import, scan, text);
  }
}

}  // namespace profgauge::readers::nsight
