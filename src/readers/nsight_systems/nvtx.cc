#include <fmt/format.h>

#include "readers/cuda/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/text/model_config.h"
#include "readers/text/nvtx_text.h"
#include "readers/text/pyprof_marker.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// nsys' numbers of event kinds; the NVTXT ones come from text files of an older library.
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kPushPopText = 70;
constexpr std::int64_t kStartEndText = 71;
constexpr std::int64_t kDomainCreate = 75;

enum : std::size_t {
  kStart,
  kEnd,
  kType,
  kText,
  kTextId,
  kThread,
  kEndThread,
  kDomain,
  kUint64,
  kInt64,
  kDouble,
  kUint32,
  kInt32,
  kFloat,
  kJsonText
};

Result<TableScan> OpenNvtx(Import& import) {
  return TableScan::Open(*import.database, "NVTX_EVENTS",
                         {{{"start"}},
                          {{"end"}},
                          {{"eventType"}},
                          {{"text"}},
                          {{"textId"}},
                          {{"globalTid"}},
                          {{"endGlobalTid"}},
                          {{"domainId"}},
                          {{"uint64Value"}},
                          {{"int64Value"}},
                          {{"doubleValue"}},
                          {{"uint32Value"}},
                          {{"int32Value"}},
                          {{"floatValue"}},
                          {{"jsonText"}}});
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

RangeStyle StyleOf(std::int64_t type) {
  if (type == kPushPop || type == kPushPopText) return RangeStyle::kPushPop;
  return type == kStartEnd || type == kStartEndText ? RangeStyle::kStartEnd : RangeStyle::kNone;
}

// The value that the program attached to a range: a number, or a structure as JSON.
std::string PayloadOf(const TableScan& scan) {
  for (const std::size_t column : {kUint64, kInt64, kUint32, kInt32}) {
    if (scan.IsSet(column)) return fmt::format("payload {}", scan.Integer(column));
  }
  for (const std::size_t column : {kDouble, kFloat}) {
    if (scan.IsSet(column)) return fmt::format("payload {}", scan.Real(column));
  }
  return scan.IsSet(kJsonText) ? fmt::format("payload {}", scan.Text(kJsonText)) : std::string{};
}

// The thread whose row the range is on. One that ends on another thread nests with nothing there:
// such ranges have a row of their own in each process.
ThreadId RowThread(Import& import, const TableScan& scan) {
  const std::int64_t thread = scan.Integer(kThread);
  if (!scan.IsSet(kEndThread) || scan.Integer(kEndThread) == thread) {
    return ThreadOf(import, thread);
  }
  import.builder->log().Add(Counter::ranges_across_threads);
  return import.builder->AddThread(fmt::format("{}", ProcessOf(thread)), "ranges across threads");
}

void AddRange(Import& import, const TableScan& scan, std::string_view text, RangeStyle style) {
  HostRow row;
  row.start = scan.Integer(kStart);
  const Ns open_end = import.capture_end > row.start ? import.capture_end : row.start;
  if (!scan.IsSet(kEnd)) import.builder->log().Add(Counter::ranges_not_closed);
  row.duration = Between(row.start, scan.Integer(kEnd, open_end));
  if (row.duration < 0) {
    import.builder->log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const auto found = import.domains.find({ProcessOf(scan.Integer(kThread)), scan.Integer(kDomain)});
  const std::string_view domain =
      found == import.domains.end() ? std::string_view{} : std::string_view(found->second);
  const RangeText range = ParseRangeText(text, domain);
  row.kind = HostKindOf(range.kind);
  row.thread = RowThread(import, scan);
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  row.style = style;
  if (!domain.empty()) row.domain = import.builder->Intern(domain);
  AddTexts(range, *import.builder, row);
  if (const std::string payload = PayloadOf(scan);
      !payload.empty() && !row.concrete_inputs.valid()) {
    row.concrete_inputs = import.builder->Intern(payload);
  }
  import.builder->log().Add(Counter::events_read);
  import.builder->AddHost(row);
}

}  // namespace

Status ReadNvtx(Import& import) {
  PROFGAUGE_CHECK(ReadDomains(import));
  PROFGAUGE_TRY(auto scan, OpenNvtx(import));
  const StringPool& strings = import.builder->strings();
  ModelConfig config;
  while (true) {
    PROFGAUGE_TRY(const bool more, scan.Next());
    if (!more) break;
    const std::int64_t type = scan.Integer(kType);
    const RangeStyle style = StyleOf(type);
    if ((style == RangeStyle::kNone && type != kMark) || !scan.IsSet(kStart)) {
      import.builder->log().Add(Counter::events_ignored_kind);
      continue;
    }
    const StringId registered = import.String(scan.Integer(kTextId, -1));
    const std::string text(scan.IsSet(kText)    ? scan.Text(kText)
                           : registered.valid() ? strings[registered]
                                                : std::string_view{});
    config.Add(text);
    if (style == RangeStyle::kNone) {
      import.builder->log().Add(Counter::events_ignored_kind);
    } else {
      AddRange(import, scan, text, style);
    }
  }
  config.AddFacts(*import.builder);
  return {};
}

}  // namespace profgauge::readers::nsight
