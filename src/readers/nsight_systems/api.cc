#include "readers/nsight_systems/api.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// Interns each API name once, without its suffix.
class ApiNames {
 public:
  explicit ApiNames(Import& import) : import_(import) {}
  std::pair<StringId, ApiKind> Of(std::int64_t name_id) {
    const auto [it, is_new] = known_.try_emplace(name_id);
    if (is_new) {
      const StringId recorded = import_.String(name_id);
      it->second = AddApiName(import_.builder->Name(recorded), *import_.builder);
    }
    return it->second;
  }

 private:
  Import& import_;
  boost::unordered_flat_map<std::int64_t, std::pair<StringId, ApiKind>> known_;
};

// The threads that make calls. Consecutive calls mostly are of one thread.
class Callers {
 public:
  explicit Callers(Import& import) : import_(import) {}

  // Counts a call of the thread with this globalTid.
  ThreadId Count(std::int64_t global_tid) {
    if (calls_ == 0 || global_tid != global_tid_) {
      Store();
      global_tid_ = global_tid;
      thread_ = ThreadOf(import_, global_tid);
    }
    ++calls_;
    return thread_;
  }
  // Adds the counted calls to the import. REQUIRES: called after the last call.
  void Store() {
    if (calls_ == 0) return;
    import_.cuda_processes.insert(ProcessOf(global_tid_));
    import_.calls[global_tid_] += std::exchange(calls_, 0);
  }

 private:
  Import& import_;
  std::int64_t global_tid_ = 0, calls_ = 0;
  ThreadId thread_;
};

}  // namespace

// Reads all calls in one pass. Rows are added in batches, and each name is looked up only once.
Status ReadApi(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "CUPTI_ACTIVITY_KIND_RUNTIME",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"globalTid"}},
                                            {{"correlationId"}},
                                            {{"nameId"}},
                                            {{"returnValue"}}}));
  ApiNames names(import);
  Callers callers(import);
  import.builder->ReserveApi(scan.RowsAtMost());
  ApiBatch rows;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    if (!scan.IsSet(0) || !scan.IsSet(1)) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    ApiRow row;
    row.start = scan.Integer(0);
    row.duration = Between(row.start, scan.Integer(1));
    if (row.duration < 0) {
      import.builder->log().Add(Counter::events_negative_dur);
      row.duration = 0;
    }
    row.thread = callers.Count(scan.Integer(2));
    row.correlation = CorrelationOf(ProcessOf(scan.Integer(2)), scan.Integer(3, -1));
    std::tie(row.name, row.kind) = names.Of(scan.Integer(4, -1));
    const std::int64_t returned = scan.Integer(5);
    if (returned != 0 && CudaCallFailed(import.builder->Name(row.name), returned)) {
      import.builder->log().AddAt(Counter::api_errors, std::string(import.builder->Name(row.name)));
    }
    import.builder->log().Add(Counter::events_read);
    rows.Add(row, *import.builder);
  }));
  rows.Flush(*import.builder);
  callers.Store();
  return {};
}

}  // namespace profgauge::readers::nsight
