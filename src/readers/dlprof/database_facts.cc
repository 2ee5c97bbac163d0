#include "readers/dlprof/database_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/format.h"
#include "readers/database/sqlite_table.h"
#include "readers/dlprof/database.h"
#include "readers/dlprof/statements.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers::dlprof {
namespace {

Status ReadDictionary(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(*import.database, "dictionary", {{{"id"}}, {{"string"}}}));
  return scan.ForEach([&] { import.dictionary.emplace(scan.Integer(0), scan.Text(1)); });
}

Status ReadVersion(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(*import.database, "db_version", {{{"current_version"}}}));
  PROFGAUGE_TRY(const bool found, scan.Next());
  if (found) import.version = scan.Text(0);
  if (!import.version.starts_with("1.")) {
    import.builder->log().AddAt(Counter::version_untested,
                                fmt::format("DLProf database {}", import.version));
  }
  return {};
}

// Reads facts of the system, except the command line and the names of user and host.
Status ReadSystem(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_system_config",
                                           {{{"cpu_model"}},
                                            {{"driver_version"}},
                                            {{"framework"}},
                                            {{"cuda_version"}},
                                            {{"cudnn_version"}},
                                            {{"nsys_version"}},
                                            {{"dlprof_version"}},
                                            {{"mode_string"}}}));
  PROFGAUGE_TRY(const bool found, scan.Next());
  if (!found) return {};
  const char* const facts[] = {
      "cpu_model",     "nvidia_driver_version",  "framework",      "cuda_version",
      "cudnn_version", "nsight_systems_version", "dlprof_version", "dlprof_mode"};
  for (std::size_t i = 0; i < std::size(facts); ++i) {
    if (!scan.Text(i).empty()) import.builder->AddFact(facts[i], std::string(scan.Text(i)));
  }
  PROFGAUGE_TRY(auto version,
                TableScan::Open(*import.database, "db_version", {{{"current_version"}}}));
  PROFGAUGE_TRY(const bool told, version.Next());
  if (told && !version.Text(0).empty()) {
    import.builder->AddFact("dlprof_database_version", std::string(version.Text(0)));
  }
  return {};
}

Status ReadGpus(DatabaseImport& import) {
  PROFGAUGE_TRY(auto memory,
                TableScan::Open(*import.database, "gpu_memories", {{{"total"}}, {{"used"}}}));
  PROFGAUGE_TRY(const bool has_memory, memory.Next());
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_gpu_infos",
                                           {{{"device_id"}},
                                            {{"gpu_name"}},
                                            {{"compute_capability_major"}},
                                            {{"compute_capability_minor"}},
                                            {{"sm_count"}}}));
  return scan.ForEach([&] {
    Gpu gpu;
    gpu.id = scan.Small(0, -1);
    gpu.name = scan.Text(1);
    gpu.compute_major = scan.Small(2, -1);
    gpu.compute_minor = scan.Small(3, -1);
    gpu.sms = scan.Small(4, -1);
    // The value is zero if DLProf worked on an existing export (--database).
    if (has_memory && memory.Integer(0) > 0) gpu.memory = memory.Integer(0);
    import.builder->AddGpu(std::move(gpu));
  });
}

Status ReadModelConfig(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_model_config",
                                           {{{"num_workers"}},
                                            {{"pin_memory"}},
                                            {{"cudnn_benchmark_disabled"}},
                                            {{"detect_anomaly"}},
                                            {{"gradcheck"}},
                                            {{"gradgradcheck"}},
                                            {{"autograd_profile"}},
                                            {{"autograd_set_detect_anomaly"}},
                                            {{"emit_nvtx"}},
                                            {{"amp_enabled"}}}));
  const char* const names[] = {
      "num_workers", "pin_memory",    "cudnn_benchmark_disabled", "detect_anomaly",
      "gradcheck",   "gradgradcheck", "autograd_profile",         "autograd_set_detect_anomaly",
      "emit_nvtx",   "amp_enabled"};
  PROFGAUGE_TRY(const bool found, scan.Next());
  if (!found) return {};
  ModelConfig config;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (!scan.IsSet(i)) continue;
    const std::int64_t value = scan.Integer(i);
    config.Set(names[i], i == 0 ? std::to_string(value) : value != 0 ? "true" : "false");
  }
  config.AddFacts(*import.builder);
  return {};
}

Status ReadOps(DatabaseImport& import) {
  enum class Support : std::int64_t { kUnassociated = 2 };  // For Tensor Cores.
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_ops",
                                           {{{"id"}},
                                            {{"op_id"}},
                                            {{"op_name"}},
                                            {{"op_type_id"}},
                                            {{"direction_id"}},
                                            {{"data_type_id"}},
                                            {{"stack_trace"}},
                                            {{"tc_support_status"}}}));
  return scan.ForEach([&] {
    DatabaseOp& op = import.ops[scan.Integer(0)];
    op.id = scan.Text(1);
    op.name = scan.Text(2);
    op.type = import.Text(scan.Integer(3, -1));
    op.direction = import.Text(scan.Integer(4, -1));
    op.data_type = import.Text(scan.Integer(5, -1));
    op.stack = scan.Text(6);
    op.unassociated = static_cast<Support>(scan.Integer(7)) == Support::kUnassociated;
  });
}

Error NoAggregation(const std::string& file, std::int64_t wanted, const std::string& known) {
  return InputError(file, "dlprof/no-aggregation",
                    wanted < 0 ? "the DLProf database has no aggregation"
                               : fmt::format("the DLProf database has no aggregation {}", wanted),
                    known.empty() ? "DLProf was stopped before it aggregated anything; run it again"
                                  : "it has " + known);
}

using IterationSpans = std::map<std::int64_t, Span>;

// Iterations by number, for each aggregation.
Result<std::map<std::int64_t, IterationSpans>> IterationsByAggregation(DatabaseImport& import) {
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(*import.database, "iteration_list",
                      {{{"aggr_id"}}, {{"iter_value"}}, {{"start_time"}}, {{"stop_time"}}}));
  std::map<std::int64_t, IterationSpans> all;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    all[scan.Integer(0)][scan.Integer(1)] = {scan.Integer(2), scan.Integer(3)};
  }));
  return all;
}

// True if each of these iterations has the same start and end in both lists.
bool AreSame(const IterationSpans& a, const IterationSpans& b, std::int64_t first,
             std::int64_t last) {
  const auto [begin, end] = std::pair(a.lower_bound(first), a.upper_bound(last));
  return begin != end && std::all_of(begin, end, [&](const auto& iteration) {
           const auto other = b.find(iteration.first);
           return other != b.end() && other->second == iteration.second;
         });
}

// Reports the runs of DLProf over this recording, as its viewer lists them.
Status StateAggregations(DatabaseImport& import, const std::vector<Aggregation>& all) {
  if (all.size() < 2) return {};
  PROFGAUGE_TRY(auto iterations, IterationsByAggregation(import));
  ReportedTable table{"dlprof_aggregations", AggregationColumns(), {}};
  for (const Aggregation& one : all) {
    table.rows.push_back(
        {one.id, one.start, one.stop, one.aggregated, one.wall, one.id == import.aggregation.id,
         AreSame(iterations[one.id], iterations[import.aggregation.id], one.start, one.stop)});
  }
  import.builder->reported().tables.push_back(std::move(table));
  return {};
}

// Chooses the newest, i.e. the largest number, and reports all: any may be asked for.
Status ChooseAggregation(DatabaseImport& import, std::int64_t wanted) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "model_summary",
                                           {{{"aggr_id"}},
                                            {{"wall_time"}},
                                            {{"iter_start"}},
                                            {{"iter_stop"}},
                                            {{"iter_aggregated"}}}));
  Aggregation& chosen = import.aggregation;
  std::string known;
  std::vector<Aggregation> all;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::int64_t id = scan.Integer(0);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", id);
    all.push_back({id, {}, scan.Integer(2), scan.Integer(3), scan.Integer(4), scan.Integer(1)});
    if (wanted < 0 ? id <= chosen.id : id != wanted) return;
    chosen = all.back();
  }));
  if (chosen.id < 0) {
    return Fail(NoAggregation(import.builder->source().path, wanted, known));
  }
  import.builder->AddFact("dlprof_aggregation", fmt::format("{} of {}", chosen.id, known));
  return StateAggregations(import, all);
}

}  // namespace

Status ReadDatabaseFacts(DatabaseImport& import, std::int64_t aggregation) {
  PROFGAUGE_CHECK(ReadDictionary(import));
  PROFGAUGE_CHECK(ReadVersion(import));
  PROFGAUGE_CHECK(ReadSystem(import));
  PROFGAUGE_CHECK(ReadGpus(import));
  PROFGAUGE_CHECK(ReadModelConfig(import));
  PROFGAUGE_CHECK(ReadOps(import));
  return ChooseAggregation(import, aggregation);
}

}  // namespace profgauge::readers::dlprof
