#include "readers/nsight_systems/nvtx.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"
#include "readers/text/nvtx_text.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// The numbers of event kinds in nsys. NVTXT kinds come from text files of an older library.
enum EventKind : std::int64_t {
  kCategory = 33,
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kPushPopText = 70,
  kStartEndText = 71,
  kDomainCreate = 75
};

enum : std::size_t {
  kRangeStart,
  kRangeEnd,
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
  kJsonText,
  kCategoryId,
  kColor
};

// Maps (process, domain, category) to the name of the category.
using Categories = std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::string>;

Result<TableScan> OpenNvtx(Import& import, const Only& only = {}) {
  return TableScan::Open(import.tables, "NVTX_EVENTS",
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
                          {{"jsonText"}},
                          {{"category"}},
                          {{"color"}}},
                         only);
}

// The range's text, or the registered text that it refers to.
std::string TextOf(Import& import, const TableScan& scan) {
  if (scan.IsSet(kText)) return std::string(scan.Text(kText));
  const StringId registered = import.String(scan.Integer(kTextId, -1));
  return std::string(import.builder->Name(registered));
}

void NameThread(Import& import, std::int64_t thread, std::string_view name) {
  if (name.empty()) return;
  import.builder->NameThread(fmt::format("{}", ProcessOf(thread)),
                             fmt::format("{}", ThreadNumberOf(thread)), name);
}

// Reads names that ranges use: domains, categories, threads. Runs before ranges are read, because
// rows have no order: a domain may be stored after the rows that name it.
Status ReadNames(Import& import, Categories& categories) {
  PROFGAUGE_TRY(const auto all, OpenNvtx(import));
  if (!all.Has(kType)) return {};
  PROFGAUGE_TRY(auto scan,
                OpenNvtx(import, {"eventType", {kDomainCreate, kCategory, kThreadName}}));
  return scan.ForEach([&] {
    const std::int64_t type = scan.Integer(kType), thread = scan.Integer(kThread);
    if (type == kDomainCreate) {
      import.domains[{ProcessOf(thread), scan.Integer(kDomain)}] = TextOf(import, scan);
    } else if (type == kCategory) {
      categories[{ProcessOf(thread), scan.Integer(kDomain), scan.Integer(kCategoryId)}] =
          TextOf(import, scan);
    } else if (type == kThreadName) {
      NameThread(import, thread, TextOf(import, scan));
    }
  });
}

// Reads the system's names of threads. The program's names (NVTX) come later and replace them.
Status ReadThreadNames(Import& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, "ThreadNames", {{{"nameId"}}, {{"globalTid"}}}));
  return scan.ForEach([&] {
    const StringId name = import.String(scan.Integer(0, -1));
    if (name.valid()) NameThread(import, scan.Integer(1), import.builder->Name(name));
  });
}

RangeStyle StyleOf(std::int64_t type) {
  if (type == kPushPop || type == kPushPopText) return RangeStyle::kPushPop;
  return type == kStartEnd || type == kStartEndText ? RangeStyle::kStartEnd : RangeStyle::kNone;
}

// The value that the program attached to a range: a number, or a structure in JSON.
std::string PayloadOf(const TableScan& scan) {
  for (const std::size_t column : {kUint64, kInt64, kUint32, kInt32}) {
    if (scan.IsSet(column)) return fmt::format("payload {}", scan.Integer(column));
  }
  for (const std::size_t column : {kDouble, kFloat}) {
    if (scan.IsSet(column)) return fmt::format("payload {}", scan.Real(column));
  }
  return scan.IsSet(kJsonText) ? fmt::format("payload {}", scan.Text(kJsonText)) : std::string{};
}

// The attributes of a range or mark: "category I/O, color #76b900, payload 42".
std::string AttributesOf(const TableScan& scan, const Categories& categories) {
  std::vector<std::string> parts;
  if (const std::int64_t category = scan.Integer(kCategoryId, 0); category != 0) {
    const auto named =
        categories.find({ProcessOf(scan.Integer(kThread)), scan.Integer(kDomain), category});
    parts.push_back(named == categories.end() || named->second.empty()
                        ? fmt::format("category {}", category)
                        : fmt::format("category {}", named->second));
  }
  if (scan.IsSet(kColor)) {
    constexpr std::int64_t kRgb = 0xff'ffff;  // Without the opacity, which is above it.
    parts.push_back(fmt::format("color #{:06x}", scan.Integer(kColor) & kRgb));
  }
  if (std::string payload = PayloadOf(scan); !payload.empty()) parts.push_back(std::move(payload));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The thread of a range. A range that ends on another thread gets a separate thread of its process,
// because it does not nest with the ranges of a real thread.
ThreadId RowThread(Import& import, const TableScan& scan) {
  const std::int64_t thread = scan.Integer(kThread);
  if (!scan.IsSet(kEndThread) || scan.Integer(kEndThread) == thread) {
    return ThreadOf(import, thread);
  }
  import.builder->log().Add(Counter::ranges_across_threads);
  return import.builder->AddThread(fmt::format("{}", ProcessOf(thread)), "ranges across threads");
}

std::string_view DomainOf(const Import& import, const TableScan& scan) {
  const auto found = import.domains.find({ProcessOf(scan.Integer(kThread)), scan.Integer(kDomain)});
  return found == import.domains.end() ? std::string_view{} : std::string_view(found->second);
}

// Adds a mark of the program: a range of length 0, which is no iteration marker.
void AddMark(Import& import, const TableScan& scan, std::string_view text,
             const Categories& categories) {
  HostRow row;
  row.start = scan.Integer(kRangeStart);
  row.duration = 0;
  row.kind = HostKind::kAnnotation;
  row.thread = ThreadOf(import, scan.Integer(kThread));
  row.name = import.builder->Intern(text.empty() ? std::string_view("mark") : text);
  if (const std::string_view domain = DomainOf(import, scan); !domain.empty()) {
    row.domain = import.builder->Intern(domain);
  }
  if (const std::string attributes = AttributesOf(scan, categories); !attributes.empty()) {
    row.concrete_inputs = import.builder->Intern(attributes);
  }
  import.builder->log().Add(Counter::events_read);
  import.builder->AddHost(row);
}

// Adds a range. Text and domain decide if it is operator, marker or annotation (ParseRangeText).
void AddRange(Import& import, const TableScan& scan, std::string_view text, RangeStyle style,
              const Categories& categories, const NcclCalls& nccl, OpenMarkers& markers) {
  HostRow row;
  row.start = scan.Integer(kRangeStart);
  const Ns open_end = import.capture_end > row.start ? import.capture_end : row.start;
  if (!scan.IsSet(kRangeEnd)) import.builder->log().Add(Counter::ranges_not_closed);
  row.duration = Between(row.start, scan.Integer(kRangeEnd, open_end));
  if (row.duration < 0) {
    import.builder->log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const std::string_view domain = DomainOf(import, scan);
  const RangeText range = ParseRangeText(text, domain);
  row.kind = HostKindOf(range.kind);
  row.thread = RowThread(import, scan);
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  row.style = style;
  if (text.starts_with("nccl")) row.collective = nccl.Of(scan.Integer(kThread), row.start);
  if (!domain.empty()) row.domain = import.builder->Intern(domain);
  AddTexts(range, *import.builder, row);
  if (const std::string attributes = AttributesOf(scan, categories);
      !attributes.empty() && !row.concrete_inputs.valid()) {
    row.concrete_inputs = import.builder->Intern(attributes);
  }
  import.builder->log().Add(Counter::events_read);
  const bool is_marker = row.kind == HostKind::kIterationMarker;
  if (is_marker) {
    markers.AddStart(row, text);
    if (scan.IsSet(kRangeEnd)) import.markers[ProcessOf(scan.Integer(kThread))].push_back(row);
  }
  if (is_marker && !scan.IsSet(kRangeEnd)) return markers.AddOpen(row, text);
  import.builder->AddHost(row);
}

}  // namespace

// Reads names before ranges, in separate passes through the table, because a range may be stored
// before its category or thread is named.
Status ReadNvtx(Import& import) {
  Categories categories;
  PROFGAUGE_CHECK(ReadThreadNames(import));
  PROFGAUGE_CHECK(ReadNames(import, categories));
  PROFGAUGE_TRY(const NcclCalls nccl, NcclCalls::Read(import));
  PROFGAUGE_TRY(auto scan, OpenNvtx(import));
  ModelConfig config;
  OpenMarkers markers;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::int64_t type = scan.Integer(kType);
    const RangeStyle style = StyleOf(type);
    if (type == kThreadName || type == kCategory || type == kDomainCreate) return;
    if ((style == RangeStyle::kNone && type != kMark) || !scan.IsSet(kRangeStart)) {
      import.builder->log().Add(Counter::events_ignored_kind);
      return;
    }
    const std::string text = TextOf(import, scan);
    config.Add(text);
    // This message is a profiler plug-in's data about itself, not a mark of the program.
    if (style == RangeStyle::kNone && text.starts_with("{\"model_config\"")) {
      import.builder->log().Add(Counter::events_ignored_kind);
    } else if (style == RangeStyle::kNone) {
      AddMark(import, scan, text, categories);
    } else {
      AddRange(import, scan, text, style, categories, nccl, markers);
    }
  }));
  markers.Finish(*import.builder);
  config.AddFacts(*import.builder);
  return {};
}

}  // namespace profgauge::readers::nsight
