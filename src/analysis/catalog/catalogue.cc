// The metric catalog. For several ranks, counts and times are summed, and shares are weighted by
// the time that they refer to, unless the definition differs.

#include "analysis/catalog/catalogue.h"

#include <fmt/format.h>

#include <cassert>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/catalogue_parts.h"
#include "analysis/catalog/device_columns.h"
#include "analysis/catalog/host_columns.h"
#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/path_columns.h"
#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/reported_columns.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/catalog/work_columns.h"

namespace profgauge::analysis {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;

}  // namespace

// Built at first use; C++ makes this thread-safe.
std::span<const MetricSpec> MetricCatalogue() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const auto part :
         {catalog::TimeMetrics(), catalog::WorkMetrics(), catalog::PathMetrics(),
          catalog::RunMetrics(), catalog::ServingMetrics(), catalog::NeuronMetrics()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    assert(all.size() == metric::kAll.size());
    return all;
  }();
  return kAll;
}

const MetricSpec& SpecOf(MetricId id) { return MetricCatalogue()[id.place()]; }

const MetricSpec* FindMetric(std::string_view id) {
  const std::optional<MetricId> known = FindMetricId(id);
  return known ? &SpecOf(*known) : nullptr;
}

std::string_view PoolingName(Pooling pooling) {
  switch (pooling) {
    case kSum:
      return "sum";
    case kRatio:
      return "ratio";
    case kQuantile:
      return "quantile";
    case kMax:
      return "max";
    case kOther:
      break;
  }
  return "other";
}

// Returns "bf16" for "what_if.bf16.gain_share".
std::string_view catalog::ScenarioOfMetric(std::string_view id) {
  constexpr std::string_view kPrefix = "what_if.";
  if (!id.starts_with(kPrefix)) return {};
  const std::string_view rest = id.substr(kPrefix.size());
  const std::size_t dot = rest.find('.');
  if (dot == rest.npos) return {};
  const std::string_view number = rest.substr(dot + 1);
  return number == "iteration_time" || number == "gain_share" ? rest.substr(0, dot)
                                                              : std::string_view();
}

namespace {

// The entry of a scenario's metric and its texts.
struct ScenarioMetric {
  std::string id, title;
  MetricSpec spec;
};

}  // namespace

// An entry of the catalog is returned without ownership; a scenario's entry owns its texts.
std::shared_ptr<const MetricSpec> DescribeMetric(std::string_view id) {
  if (const MetricSpec* known = FindMetric(id)) return {std::shared_ptr<void>(), known};
  const std::string_view name = catalog::ScenarioOfMetric(id);
  if (name.empty()) return nullptr;
  const bool is_share = id.ends_with(".gain_share");
  auto entry = std::make_shared<ScenarioMetric>();
  entry->id = id;
  entry->title =
      fmt::format("{}: {}", name, is_share ? "predicted gain" : "predicted iteration time");
  // A change for the worse has a negative saving.
  entry->spec = {entry->id,
                 entry->title,
                 is_share ? kShare : kTime,
                 is_share ? ValueRange{catalog::catalogue::kOfAnySign.least, 1}
                          : catalog::catalogue::kFromZero,
                 kLowerIsBetter,
                 kOther,
                 catalog::catalogue::kOfNothing,
                 1,
                 is_share ? "Share of the mean iteration time that the scenario would save."
                          : "Mean iteration time that the scenario would leave.",
                 "simulation with the recorded dependencies and the scenario's changes",
                 catalog::catalogue::kOurs};
  const MetricSpec* spec = &entry->spec;
  return {std::move(entry), spec};
}

// The table catalog: every table with its columns. Times of a row are sums over its calls, unless
// the column's definition differs.

namespace {

using namespace catalog::columns;
using namespace catalog::catalogue;

// Tables that only exist with marks; reports do not list them as missing.
constexpr std::string_view kMarksFamily = "marks";
constexpr std::string_view kDlprofFamily = "dlprof";
// A table that only exists if some iterations are excluded.
constexpr std::string_view kSelectionFamily = "selection";
// A table that only exists if a policy has scenarios.
constexpr std::string_view kWhatIfFamily = "what_if";
constexpr std::string_view kComparisonFamily = "comparison";
// Tables that only exist for files of times.
constexpr std::string_view kTimesFamily = "times";

constexpr std::string_view kNoFamily;

constexpr TableSpec kTables[] = {
    {"iterations", "iteration", "Iterations",
     "One row per selected iteration; with several ranks, of the slowest rank, for which the "
     "others wait.",
     catalog::columns::kIterations, kNoFamily, catalog::catalogue::kOfTimes},
    {"other_iterations", "", "Iterations that are not selected",
     "One row per iteration that was recorded but not selected.",
     catalog::columns::kOtherIterations, kSelectionFamily, catalog::catalogue::kOfTimes},
    {"ops", "op", "Operators", "One row per operator name.", catalog::columns::kOps},
    {"ops_by_shape", "op_shape", "Operators by input shapes",
     "One row per operator name and shapes.", catalog::columns::kOpsByShape},
    {"ops_by_stack", "op_stack", "Operators by call stack",
     "One row per operator name and Python call stack.", catalog::columns::kOpsByStack},
    {"op_types", "op_type", "Operator types", "One row per kind of operator.",
     catalog::columns::kOpTypes},
    {"ops_by_iteration", "iteration_op", "Operators by iteration",
     "One row per iteration, rank and operator that ran in it.", catalog::columns::kOpsByIteration,
     kNoFamily, catalog::catalogue::kOfTimes},
    {"op_tree", "", "Operator tree",
     "Threads, operators and kernels of an iteration as a tree. Siblings with the same name share "
     "a row. The iteration nearest the median comes first.",
     catalog::columns::kOpTree, kNoFamily, catalog::catalogue::kOfTimes},
    {"tree_change", "", "Operator tree changes",
     "The iteration nearest the median of each run, compared as a tree of threads, operators and "
     "kernels.",
     catalog::columns::kTreeChange, kComparisonFamily},
    {"modules", "module", "Modules", "One row per nn.Module at its place in the hierarchy.",
     catalog::columns::kModules, kNoFamily, catalog::catalogue::kOfTimes},
    {"ranges", "", "NVTX ranges and user annotations",
     "One row per range that the program marks (record_function, NVTX, a trainer's) at its place. "
     "Device work counts if the range's thread launched it: work of a backward thread does not.",
     catalog::columns::kRanges, kNoFamily, catalog::catalogue::kOfTimes},
    {"kernels", "kernel_name", "Kernels", "One row per kernel name.", catalog::columns::kKernels},
    {"kernels_by_op", "kernel", "Kernels by operator and launch configuration",
     "One row per kernel name, operator, launch properties, rank and {{ device.device }}, in the "
     "selected iterations only.",
     catalog::columns::kKernelsByOp},
    {"kernels_by_iteration", "iteration_kernel", "Kernels by iteration",
     "One row per iteration and kernel name.", catalog::columns::kKernelsByIteration},
    {"launches", "launch", "Launches",
     "One row per kernel, copy or memset with a recorded launch; per kernel if only durations "
     "were recorded.",
     catalog::columns::kLaunches, kNoFamily, catalog::catalogue::kOfGpuUnits},
    {"gpus", "gpu", "{{ device.device }}s", "One row per {{ device.device }} with work.",
     catalog::columns::kGpus},
    {"ranks", "rank", "Ranks", "One row per rank.", catalog::columns::kRanks},
    {"rank_steps", "rank_step", "Ranks by iteration", "One row per rank and selected iteration.",
     catalog::columns::kRankSteps},
    {"rank_calls", "rank_call", "Latest, median and earliest rank",
     "One row per collective of the latest, the median and the earliest rank in one iteration.",
     catalog::columns::kRankCalls},
    {"rank_spread", "rank_spread", "Spread over ranks",
     "One row per selected iteration and part of its time, over all ranks.",
     catalog::columns::kRankSpread},
    {"streams", "stream", "Streams",
     "One row per stream with work, of the whole profile unless iterations are selected.",
     catalog::columns::kStreams},
    {"gaps", "gap", "Idle gaps",
     "Times in which a {{ device.device }} is idle, the longest first; at most 10 000.",
     catalog::columns::kGaps, kNoFamily,
     catalog::catalogue::kOfTimes | catalog::catalogue::kOfExecution},
    {"memcpys", "memcpy", "Copies and memsets",
     "One row per kind, host memory, rank and {{ device.device }}, in the selected iterations "
     "only.",
     catalog::columns::kMemcpys},
    {"api_calls", "api_call", "Runtime and driver calls",
     "One row per call name, in the selected iterations only.", catalog::columns::kApiCalls},
    {"os_calls", "os_call", "OS runtime calls", "One row per function.",
     catalog::columns::kOsCalls},
    {"threads", "thread", "Threads", "One row per thread whose scheduling was recorded.",
     catalog::columns::kThreads},
    {"host_cores", "host_core", "Cores of the host",
     "One row per core: its use by the program. Unused cores have rows if the profile states the "
     "number of cores.",
     catalog::columns::kHostCores},
    {"thread_states", "thread_state", "States of threads",
     "One row per thread and state: running, or the reason for waiting.",
     catalog::columns::kThreadStates},
    {"cpu_samples", "", "Sampled call stacks",
     "One row per thread and function at its place in the call stacks that were sampled on the "
     "host.",
     catalog::columns::kCpuSamples},
    {"process_groups", "process_group", "Process groups",
     "One row per group of ranks that communicate, of the whole profile.",
     catalog::columns::kProcessGroups},
    {"message_sizes", "message_size", "Sizes of messages",
     "One row per process group, collective, data type and class of sizes, over all ranks.",
     catalog::columns::kMessageSizes},
    {"pipeline", "stage", "Pipeline", "One row per stage of a pipeline.",
     catalog::columns::kPipeline},
    {"collectives", "collective", "Collectives",
     "One row per rank, collective, group and data type.", catalog::columns::kCollectives},
    {"critical_path", "path_part", "Critical path",
     "One row per rank and part of the critical path, the longest first.",
     catalog::columns::kCriticalPath},
    {"what_if", "what_if", "What-if scenarios",
     "One row per scenario of the policy, simulated with the recorded dependencies. The simulation "
     "ignores contention and caches. Ranks that were not recorded behave as they did.",
     catalog::columns::kWhatIf, kWhatIfFamily},
    {"slack", "slack", "Slack",
     "One row per rank, stream and kernel name: kernels that could be slower without making the "
     "iteration longer.",
     catalog::columns::kSlack},
    {"tensor_core_ops", "tensor_core_op", "{{ device.matrix_unit }} eligibility",
     "One row per eligible operator and input shapes, with the reason why it does not use {{ "
     "device.matrix_units }}.",
     catalog::columns::kTensorCoreOps, kNoFamily, catalog::catalogue::kOfGpuUnits},
    {"roofline", "roofline_op", "Roofline",
     "One row per operator, shapes, types and {{ device.device }}: its kernels compared with the "
     "peaks of the {{ device.device }}, the longest first.",
     catalog::columns::kRoofline},
    {"memory_ops", "memory_op", "Memory by operator", "One row per device and operator name.",
     catalog::columns::kMemoryOps},
    {"memory_events", "memory_event", "Memory blocks", "One row per allocated block.",
     catalog::columns::kMemoryEvents},
    {"regions", "region", "Between marks", "One row per rank and region between two marks.",
     catalog::columns::kRegions, kMarksFamily},
    {"memory_curve", "", "Memory curve", "Allocator totals over time.",
     catalog::columns::kMemoryCurve},
    {"op_paths", "", "Operators by path",
     "One row per place in the program that markers of PyProf or DLProf name, as DLProf counts "
     "operators, in the selected iterations only.",
     catalog::columns::kOpPaths, kDlprofFamily, catalog::catalogue::kOfTimes},
    {"benchmarks", "benchmark", "Benchmarks", "One row per benchmark of a file of times.",
     catalog::columns::kBenchmarks, kTimesFamily},
    {"serving", "", "Serving", "One row per latency of a load test.", catalog::columns::kServing,
     kTimesFamily},
    {"serving_load", "", "Load and answers",
     "One row per property of a load test, and per count of answers.",
     catalog::columns::kServingLoad, kTimesFamily},
    {"steps", "", "Iterations of the file",
     "One row per iteration of a file of times; of more than 512, per group of neighbors.",
     catalog::columns::kSteps, kTimesFamily},
    {"op_groups", "op_group", "Operator groups",
     "One row per group of operators, as DLProf states or counts them.",
     catalog::columns::kOpGroups, kDlprofFamily},
    {"dlprof_advice", "dlprof_advice", "DLProf's findings",
     "One row per finding of DLProf's own expert systems; the rules of ProfGauge judge "
     "independently.",
     catalog::columns::kDlprofAdvice, kDlprofFamily},
    {"dlprof_aggregations", "", "DLProf's aggregations",
     "One row per run of DLProf over this profile, where there are several.",
     catalog::columns::kDlprofAggregations, kDlprofFamily},
};

constexpr catalog::ColumnBasis kColumnBases[] = {
    {"iterations", "tensor_core_kernel", catalog::catalogue::kOfGpuUnits},
    {"iterations", "tensor_core_kernels", catalog::catalogue::kOfGpuUnits},
    {"iterations", "tensor_core_gpu_time", catalog::catalogue::kOfGpuUnits},
    {"iterations", "tensor_core_gpu_time_share", catalog::catalogue::kOfGpuUnits},
    {"gpus", "tensor_core_share", catalog::catalogue::kOfGpuUnits},
    {"kernels", "uses_tensor_core", catalog::catalogue::kOfGpuUnits},
    {"ranks", "communication_time", catalog::catalogue::kOfNames},
    {"ranks", "exposed_communication", catalog::catalogue::kOfNames},
};

}  // namespace

std::span<const TableSpec> TableCatalogue() {
  static const std::vector<TableSpec> kAll = [] {
    std::vector<TableSpec> all(std::begin(kTables), std::end(kTables));
    all.insert(all.end(), catalog::NeuronTables().begin(), catalog::NeuronTables().end());
    return all;
  }();
  return kAll;
}

std::span<const catalog::ColumnBasis> catalog::ColumnsWithBasis() { return kColumnBases; }

// A linear search over some dozen tables; used once per table, not per row.
const TableSpec* FindTable(std::string_view id) {
  for (const TableSpec& spec : TableCatalogue()) {
    if (spec.id == id) return &spec;
  }
  return nullptr;
}

// Metrics are usually in catalog order, so the position is known. A report of another version may
// have fewer metrics; then all are searched.
const Metric* Analysis::Find(MetricId id) const {
  const MetricSpec& spec = SpecOf(id);
  if (id.place() < metrics.size() && metrics[id.place()].spec == &spec) return &metrics[id.place()];
  for (const Metric& metric : metrics) {
    if (metric.spec == &spec) return &metric;
  }
  return nullptr;
}

// nullptr for unknown ids, and for metrics that the analysis does not have.
const Metric* Analysis::Find(std::string_view id) const {
  if (const std::optional<MetricId> known = FindMetricId(id)) return Find(*known);
  if (catalog::ScenarioOfMetric(id).empty()) return nullptr;
  for (const Metric& metric : metrics) {
    if (metric.spec->id == id) return &metric;
  }
  return nullptr;
}

const Table* Analysis::FindTable(std::string_view id) const {
  for (const Table& table : tables) {
    if (table.id() == id) return &table;
  }
  return nullptr;
}

}  // namespace profgauge::analysis
