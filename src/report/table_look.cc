#include "report/table_look.h"

#include <algorithm>
#include <array>

#include "analysis/analysis.h"

namespace profgauge::report {
namespace {

using enum TableLook::Order;

// Reasons why Markdown has no table.
constexpr std::string_view kEvents = "a row for each event";
constexpr std::string_view kFiner = "another table has the totals";
constexpr std::string_view kTree = "nested rows do not fit a flat table";

constexpr std::string_view kLayers[] = {"path", "kind",  "active_time",  "instructions", "mfu",
                                        "hfu",  "bytes", "spill_reload", "wait_time"};
constexpr std::string_view kOps[] = {"name",
                                     "calls",
                                     "outside_calls",
                                     "host_self",
                                     "outside_host_self",
                                     "device_self",
                                     "outside",
                                     "device_total",
                                     "kernels",
                                     "tensor_core_eligible",
                                     "uses_tensor_core"};
constexpr std::string_view kKernels[] = {"name",     "uses_tensor_core", "calls", "outside_calls",
                                         "time",     "outside",          "mean",  "max",
                                         "occupancy"};
constexpr std::string_view kOpTypes[] = {"name",    "calls",   "host_self",       "device_self",
                                         "outside", "kernels", "tensor_core_self"};
constexpr std::string_view kRanges[] = {"name", "domain",       "calls",  "host_total",
                                        "mean", "device_total", "kernels"};
constexpr std::string_view kGpus[] = {"rank",       "id",
                                      "name",       "utilization",
                                      "idle",       "sm_efficiency",
                                      "occupancy",  "tensor_core_share",
                                      "kernel_time"};
constexpr std::string_view kCollectives[] = {"rank", "name",         "calls",        "bytes",
                                             "time", "exposed_time", "bus_bandwidth"};
constexpr std::string_view kIterations[] = {
    "index",        "duration", "unobserved",    "tensor_core_kernel",
    "other_kernel", "memcpy",   "communication", "runtime",
    "dataloader",   "cpu",      "other",         "kernels"};

// Columns that the page shows at first. An operator's type mostly repeats its name, and a kernel's
// rule explains one cell, so both columns are only in the menu.
constexpr std::string_view kPageOps[] = {"name",
                                         "device_self",
                                         "outside",
                                         "device_total",
                                         "host_self",
                                         "outside_host_self",
                                         "calls",
                                         "outside_calls",
                                         "kernels",
                                         "tensor_core_eligible",
                                         "uses_tensor_core",
                                         "direction"};
// Iteration and rank of a tree are selected above it.
constexpr std::string_view kPageOpTree[] = {"name",      "kind",         "calls",      "host_total",
                                            "host_self", "device_total", "device_self"};
constexpr std::string_view kPageTreeChange[] = {
    "name",         "change",      "device_change",   "base_device_total",
    "device_total", "host_change", "base_host_total", "host_total"};
constexpr std::string_view kPageOpsByShape[] = {
    "name",      "input_shapes", "device_self",          "device_total",
    "host_self", "calls",        "tensor_core_eligible", "uses_tensor_core"};
constexpr std::string_view kPageOpsByStack[] = {"name",         "call_stack", "device_self",
                                                "device_total", "host_self",  "calls"};
constexpr std::string_view kPageOpPaths[] = {
    "name",  "device_total", "host_total",           "direction",        "type",
    "calls", "kernels",      "tensor_core_eligible", "uses_tensor_core", "dtype"};
constexpr std::string_view kPageOpGroups[] = {
    "name",      "device_total", "host_total", "calls",   "operators_eligible", "operators_using",
    "host_mean", "device_mean",  "overhead",   "gpu_idle"};
constexpr std::string_view kPageOpsByIteration[] = {
    "iteration",           "name",      "time",  "kernels",  "tensor_core_time",
    "tensor_core_kernels", "host_self", "start", "direction"};
constexpr std::string_view kPageKernels[] = {
    "name", "time", "outside",          "calls",         "outside_calls", "mean",
    "max",  "min",  "uses_tensor_core", "blocks_per_sm", "occupancy"};
constexpr std::string_view kPageKernelsByOp[] = {
    "name", "op",    "time",      "calls",        "mean", "uses_tensor_core",
    "grid", "block", "registers", "shared_memory"};
constexpr std::string_view kPageKernelsByIteration[] = {"iteration", "name", "time", "calls",
                                                        "uses_tensor_core"};
constexpr std::string_view kPageLaunches[] = {
    "name",      "op",  "call_start", "time", "uses_tensor_core", "grid", "block",
    "iteration", "gpu", "rank",       "line", "shapes",           "layer"};
constexpr std::string_view kRanks[] = {
    "id",           "per_iteration", "iteration_time", "compute_time", "exposed_communication",
    "waiting_time", "transfer_time", "late_cost",      "last_calls"};
constexpr std::string_view kPageRankSteps[] = {"rank",
                                               "step",
                                               "duration",
                                               "compute_only",
                                               "overlapped",
                                               "transfer_exposed",
                                               "waiting_exposed",
                                               "copy",
                                               "dataloader",
                                               "host_time",
                                               "unattributed",
                                               "late_cost"};
// Like a listing: the line follows its number.
constexpr std::string_view kPageSourceLines[] = {
    "file",        "line",      "text",  "instructions", "instruction_time",
    "active_time", "wait_time", "flops", "engines"};
constexpr std::string_view kPageIterations[] = {"index",

                                                "rank",
                                                "duration",
                                                "unobserved",
                                                "gpu_time",
                                                "gpu_time_share",
                                                "tensor_core_gpu_time",
                                                "tensor_core_gpu_time_share",
                                                "kernels",
                                                "tensor_core_kernels",
                                                "dataloader"};
constexpr std::string_view kPageCriticalPath[] = {"name",     "category", "time",  "share",
                                                  "segments", "op",       "module"};
constexpr std::string_view kPageMemoryOps[] = {
    "name",           "device",    "self_increase",    "increase",
    "self_allocated", "allocated", "self_allocations", "allocations"};
constexpr std::string_view kPageRoofline[] = {"name",      "input_shapes", "time", "target",
                                              "bound",     "roof_share",   "mfu",  "achieved",
                                              "intensity", "trait_text"};
constexpr std::string_view kPageTensorCoreOps[] = {"name",         "input_shapes",    "dtype",
                                                   "verdict",      "dimension",       "size",
                                                   "aligned_size", "padding_overhead"};

constexpr TableLook kLooks[] = {
    {.id = "benchmarks", .sheet = "Benchmarks", .is_main = true, .order = kAsItStands},
    {.id = "serving", .sheet = "Serving", .is_main = true, .order = kAsItStands},
    {.id = "serving_load", .sheet = "Load and answers", .is_main = true, .order = kAsItStands},
    {.id = "steps",
     .sheet = "Iterations of the file",
     .order = kAsItStands,
     .other_section = "Iterations",
     .not_in_markdown = "its numbers are not in the report"},
    {.id = "device_errors", .sheet = "Device errors", .is_main = true},
    {.id = "layers",
     .sheet = "Layers",
     .sheet_rows = 5'000,
     .is_main = true,
     .order = kAsItStands,
     .markdown_columns = kLayers},
    {.id = "engines", .sheet = "Engines", .is_main = true, .order = kAsItStands},
    {.id = "regions", .sheet = "Between marks", .is_main = true, .order = kAsItStands},
    {.id = "engine_regions",
     .sheet = "Between marks, by engine",
     .is_main = true,
     .order = kAsItStands},
    {.id = "opcodes", .sheet = "Opcodes", .is_main = true},
    {.id = "waits", .sheet = "Waits", .sheet_rows = 2'000, .is_main = true},
    {.id = "collective_regions",
     .sheet = "Between collectives",
     .is_main = true,
     .not_in_markdown = kFiner},
    {.id = "source_files", .sheet = "Source files", .is_main = true, .not_in_markdown = kFiner},
    {.id = "source_lines",
     .sheet = "Source lines",
     .sheet_rows = 5'000,
     .sheet_by = "instruction_time",
     .has_context = true,
     .is_main = true,
     .page_columns = kPageSourceLines},
    {.id = "dma_queues", .sheet = "DMA queues", .is_main = true},
    {.id = "dma_engines", .sheet = "DMA engines", .not_in_markdown = kFiner},
    {.id = "dma_transfers",
     .sheet = "DMA transfers",
     .sheet_rows = 2'000,
     .not_in_markdown = kFiner},
    {.id = "cc_ops", .sheet = "Collective operators", .is_main = true, .not_in_markdown = kFiner},
    {.id = "flops_parts",
     .sheet = "Tensor Engine",
     .is_main = true,
     .order = kAsItStands,
     .not_in_markdown = "its totals are metrics"},
    {.id = "throttles", .sheet = "Throttling", .not_in_markdown = "its totals are metrics"},
    {.id = "tensors", .sheet = "Tensors", .not_in_markdown = kFiner},
    {.id = "sbuf_allocations",
     .sheet = "SBUF allocations",
     .sheet_rows = 2'000,
     .is_main = true,
     .not_in_markdown = kEvents},
    {.id = "cores", .sheet = "NeuronCores", .order = kAsItStands, .not_in_markdown = kFiner},
    {.id = "dlprof_advice", .sheet = "DLProf advice", .is_main = true, .order = kAsItStands},
    {.id = "dlprof_aggregations", .sheet = "DLProf aggregations", .order = kAsItStands},
    {.id = "what_if", .sheet = "What-if", .is_main = true, .order = kAsItStands},
    {.id = "critical_path",
     .sheet = "Critical path",
     .is_main = true,
     .page_rows = 300,
     .page_columns = kPageCriticalPath},
    {.id = "slack", .sheet = "Slack", .page_rows = 300, .not_in_markdown = kFiner},
    {.id = "ops",
     .sheet = "Ops",
     .is_main = true,
     .is_long = true,
     .opens_rows = true,
     .page_columns = kPageOps,
     .markdown_columns = kOps},
    {.id = "kernels",
     .sheet = "Kernels",
     .is_main = true,
     .is_long = true,
     .opens_rows = true,
     .page_columns = kPageKernels,
     .markdown_columns = kKernels},
    {.id = "op_tree",
     .sheet = "Operator tree",
     .sheet_rows = 2'000,
     .order = kAsItStands,
     .page_columns = kPageOpTree,
     .not_in_markdown = kTree},
    {.id = "tree_change",
     .sheet = "Change by operator",
     .is_main = true,
     .order = kAsItStands,
     .page_columns = kPageTreeChange,
     .not_in_markdown = kTree},
    {.id = "modules", .sheet = "Modules", .order = kAsItStands, .not_in_markdown = kTree},
    {.id = "ranges",
     .sheet = "Ranges",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .markdown_columns = kRanges},
    {.id = "kernels_by_op",
     .sheet = "Kernels by operator",
     .opens_rows = true,
     .has_rows_of_each_rank = true,
     .page_columns = kPageKernelsByOp,
     .not_in_markdown = kFiner},
    {.id = "ops_by_shape",
     .sheet = "Operators by shape",
     .page_columns = kPageOpsByShape,
     .not_in_markdown = kFiner},
    {.id = "ops_by_stack",
     .sheet = "Operators by stack",
     .sheet_rows = 5'000,
     .page_columns = kPageOpsByStack,
     .not_in_markdown = kFiner},
    {.id = "op_types",
     .sheet = "Operator types",
     .opens_rows = true,
     .names_are_words = true,
     .markdown_columns = kOpTypes},
    {.id = "op_paths",
     .sheet = "Operators by path",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .page_columns = kPageOpPaths,
     .not_in_markdown = kFiner},
    {.id = "op_groups",
     .sheet = "Operator groups",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .page_columns = kPageOpGroups,
     .not_in_markdown = kFiner},
    {.id = "tensor_core_ops",
     .sheet = "Tensor Cores",
     .page_columns = kPageTensorCoreOps,
     .not_in_markdown = kFiner},
    {.id = "roofline",
     .sheet = "Roofline",
     .page_rows = 60,
     .page_columns = kPageRoofline,
     .not_in_markdown = kFiner},
    {.id = "ranks",
     .sheet = "Ranks",
     .sheet_by = "late_cost",
     .is_main = true,
     .names_are_words = true,
     .order = kAsItStands,
     .markdown_columns = kRanks},
    {.id = "rank_spread",
     .sheet = "Spread over ranks",
     .sheet_rows = 2'000,
     .order = kAsItStands,
     .not_in_markdown = kFiner,
     .json_rows = 2'000},
    {.id = "rank_calls",
     .sheet = "Calls of three ranks",
     .order = kAsItStands,
     .not_in_markdown = kEvents,
     .json_rows = 1'000},
    {.id = "rank_steps",
     .sheet = "Ranks by iteration",
     .sheet_rows = 5'000,
     .sheet_by = "late_cost",
     .is_summed_again = true,
     .order = kAsItStands,
     .page_rows = 5'000,
     .page_columns = kPageRankSteps,
     .not_in_markdown = kFiner,
     .json_rows = 10'000},
    {.id = "gpus",
     .sheet = "GPUs",
     .is_main = true,
     .names_are_words = true,
     .order = kAsItStands,
     .markdown_columns = kGpus},
    {.id = "streams", .sheet = "Streams", .is_main = true, .order = kAsItStands},
    {.id = "memcpys", .sheet = "Copies", .is_main = true},
    {.id = "process_groups", .sheet = "Process groups", .order = kAsItStands},
    {.id = "message_sizes", .sheet = "Message sizes", .order = kAsItStands},
    {.id = "pipeline", .sheet = "Pipeline", .order = kAsItStands},
    {.id = "collectives",
     .sheet = "Collectives",
     .is_main = true,
     .markdown_columns = kCollectives},
    {.id = "api_calls", .sheet = "API calls", .is_main = true},
    {.id = "iterations",
     .sheet = "Iterations",
     .is_summed_again = true,
     .order = kAsItStands,
     .other_section = "Iterations",
     .page_columns = kPageIterations,
     .markdown_columns = kIterations},
    {.id = "other_iterations",
     .sheet = "Other iterations",
     .order = kAsItStands,
     .other_section = "Iterations",
     .not_in_markdown = "its numbers are not in the report"},
    {.id = "os_calls", .sheet = "OS calls", .not_in_markdown = kFiner},
    {.id = "threads", .sheet = "Threads", .not_in_markdown = kFiner},
    {.id = "host_cores", .sheet = "Host cores", .order = kAsItStands, .not_in_markdown = kFiner},
    {.id = "thread_states", .sheet = "Thread states", .not_in_markdown = kFiner},
    {.id = "cpu_samples",
     .sheet = "CPU samples",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .not_in_markdown = kTree},
    {.id = "gaps",
     .sheet = "Idle gaps",
     .sheet_rows = 1'000,
     .sheet_by = "duration",
     .has_rows_of_each_rank = true,
     .page_rows = 300,
     .not_in_markdown = kEvents,
     .json_rows = 1'000},
    {.id = "memory_ops",
     .sheet = "Memory",
     .page_columns = kPageMemoryOps,
     .not_in_markdown = kFiner},
    {.id = "memory_events",
     .sheet = "Memory blocks",
     .sheet_rows = 2'000,
     .sheet_by = "bytes",
     .page_rows = 5'000,
     .not_in_markdown = kEvents,
     .is_bulk = true},
    {.id = "memory_curve",
     .sheet = "Memory curve",
     .sheet_rows = 2'000,
     .order = kAsItStands,
     .page_rows = 5'000,
     .not_in_markdown = kEvents,
     .is_bulk = true},
    {.id = "ops_by_iteration",
     .sheet = "Operators by iteration",
     .sheet_rows = 5'000,
     .sheet_by = "time",
     .is_summed_again = true,
     .page_columns = kPageOpsByIteration,
     .not_in_markdown = kFiner},
    {.id = "kernels_by_iteration",
     .sheet = "Kernels by iteration",
     .sheet_rows = 5'000,
     .sheet_by = "time",
     .is_summed_again = true,
     .page_columns = kPageKernelsByIteration,
     .not_in_markdown = kFiner},
    {.id = "launches",
     .sheet = "Launches",
     .sheet_rows = 2'000,
     .sheet_by = "time",
     .needs_timeline = true,
     .order = kAsItStands,
     .page_rows = 20'000,
     .page_columns = kPageLaunches,
     .not_in_markdown = kEvents,
     .is_bulk = true},
    {.id = "semaphores", .sheet = "Semaphores", .sheet_rows = 2'000, .not_in_markdown = kFiner},
    {.id = "instructions",
     .sheet = "Instructions",
     .sheet_rows = 10'000,
     .sheet_by = "duration",
     .order = kAsItStands,
     .page_rows = 20'000,
     .not_in_markdown = kEvents,
     .is_bulk = true},
    {.id = "counter_curves",
     .sheet = "Curves",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .page_rows = 5'000,
     .not_in_markdown = kEvents,
     .is_bulk = true},
    {.id = "memory_peaks",
     .sheet = "Memory on the chip",
     .not_in_markdown = "its totals are metrics"},
    {.id = "hbm_usage", .sheet = "HBM use", .not_in_markdown = "its totals are metrics"},
    {.id = "host_use", .sheet = "Host", .order = kAsItStands, .not_in_markdown = kFiner},
    {.id = "profiler_warnings", .sheet = "Profiler warnings", .order = kAsItStands},
    {.id = "identities",
     .sheet = "Self-check",
     .order = kAsItStands,
     .not_in_markdown = "only its failures matter; they are findings"},
};

}  // namespace

std::span<const TableLook> TableLooks() { return kLooks; }

bool IsOfOutside(std::string_view column) { return column.starts_with("outside"); }

bool IsHidden(const Column& column) {
  if (column.id() != "unobserved" && !IsOfOutside(column.id())) return false;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.IsAbsentAt(row) && column.IntegerAt(row) != 0) return false;
  }
  return true;
}

const TableLook* FindTableLook(std::string_view id) {
  const auto* const found = std::find_if(std::begin(kLooks), std::end(kLooks),
                                         [id](const TableLook& look) { return look.id == id; });
  return found == std::end(kLooks) ? nullptr : found;
}

std::string_view ColumnDoc(std::string_view table, std::string_view column) {
  const analysis::TableSpec* spec = analysis::FindTable(table);
  if (spec == nullptr) return {};
  const auto found = std::find_if(spec->columns.begin(), spec->columns.end(),
                                  [column](const ColumnSpec& known) { return known.id == column; });
  return found == spec->columns.end() ? std::string_view{} : found->doc;
}

}  // namespace profgauge::report
