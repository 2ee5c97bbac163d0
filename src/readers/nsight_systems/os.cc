// Reads calls of the operating system's and of NVIDIA's libraries.
#include "readers/nsight_systems/os.h"

#include <algorithm>

#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

Status ReadCalls(Import& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, "OSRT_API",
                                {{{"start"}}, {{"end"}}, {{"globalTid"}}, {{"nameId"}}}));
  return scan.ForEach([&] {
    if (!scan.IsSet(0)) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    OsRow row;
    row.start = scan.Integer(0);
    // A call without an end had not returned at the end of the capture.
    const Ns end = scan.Integer(1, std::max(import.capture_end, row.start));
    row.duration = std::max<Ns>(0, Between(row.start, end));
    row.thread = ThreadOf(import, scan.Integer(2));
    row.name = import.String(scan.Integer(3, -1));
    if (!row.name.valid()) row.name = import.builder->Intern("(unnamed call)");
    import.builder->log().Add(Counter::events_read);
    import.builder->AddOs(row);
  });
}

// Reads calls of one of NVIDIA's libraries (`nsys profile -t cudnn,cublas`) as ranges in a domain.
Status ReadLibrary(Import& import, const char* table, std::string_view library) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, table,
                                {{{"start"}}, {{"end"}}, {{"globalTid"}}, {{"nameId"}}}));
  return scan.ForEach([&] {
    if (!scan.IsSet(0)) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    HostRow row;
    row.start = scan.Integer(0);
    const Ns end = scan.Integer(1, std::max(import.capture_end, row.start));
    row.duration = std::max<Ns>(0, Between(row.start, end));
    row.kind = HostKind::kAnnotation;
    row.thread = ThreadOf(import, scan.Integer(2));
    row.name = import.String(scan.Integer(3, -1));
    if (!row.name.valid()) row.name = import.builder->Intern("(unnamed call)");
    row.domain = import.builder->Intern(library);
    import.builder->log().Add(Counter::events_read);
    import.builder->AddHost(row);
  });
}

}  // namespace

Status ReadOs(Import& import) {
  PROFGAUGE_CHECK(ReadLibrary(import, "CUDNN_EVENTS", "cuDNN"));
  PROFGAUGE_CHECK(ReadLibrary(import, "CUBLAS_EVENTS", "cuBLAS"));
  return ReadCalls(import);
}

}  // namespace profgauge::readers::nsight
