#include <algorithm>
#include <tuple>

#include "readers/cuda/cuda_activity.h"
#include "readers/cuda/cuda_names.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// Interns each API name once, without its suffix.
class ApiNames {
 public:
  explicit ApiNames(Import& import) : import_(import) {}
  std::pair<StringId, ApiKind> Of(std::int64_t name_id, std::string_view text) {
    const auto [it, is_new] = known_.try_emplace(name_id);
    if (is_new) it->second = AddApiName(text, *import_.builder);
    return it->second;
  }

 private:
  Import& import_;
  boost::unordered_flat_map<std::int64_t, std::pair<StringId, ApiKind>> known_;
};

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
  boost::unordered_flat_map<std::int64_t, std::int64_t> calls;
  import.builder->ReserveApi(scan.RowsAtMost());
  ApiBatch rows;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    if (!scan.IsSet(0) || !scan.IsSet(1)) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    const StringId recorded = import.String(scan.Integer(4, -1));
    ApiRow row;
    row.start = scan.Integer(0);
    row.duration = std::max<Ns>(0, Between(row.start, scan.Integer(1)));
    row.thread = ThreadOf(import, scan.Integer(2));
    const std::int64_t process = ProcessOf(scan.Integer(2));
    import.cuda_processes.insert(process);
    ++calls[scan.Integer(2)];
    row.correlation = CorrelationOf(process, scan.Integer(3, -1));
    std::tie(row.name, row.kind) =
        names.Of(scan.Integer(4, -1), recorded.valid() ? strings[recorded] : std::string_view{});
    if (CudaCallFailed(strings[row.name], scan.Integer(5))) {
      import.builder->log().AddAt(Counter::api_errors, std::string(strings[row.name]));
    }
    import.builder->log().Add(Counter::events_read);
    rows.Add(row, *import.builder);
  }));
  rows.Flush(*import.builder);
  import.calls.insert(calls.begin(), calls.end());
  return {};
}

}  // namespace profgauge::readers::nsight
