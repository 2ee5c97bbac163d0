#include "report/table_look.h"

#include <algorithm>
#include <array>

namespace profgauge::report {
namespace {

using enum TableLook::Order;

// Tables without an order of their own are sorted by the first of these that they have.
constexpr std::array<std::string_view, 6> kHeaviest = {"device_self", "time",       "device_total",
                                                       "host_self",   "total_time", "bytes"};

// Why Markdown lacks a table.
constexpr std::string_view kEvents = "a row for each event";
constexpr std::string_view kFiner = "another table has it in sum";
constexpr std::string_view kTree = "rows within rows do not read as a flat table";

constexpr std::string_view kLayers[] = {"path", "kind",  "active_time",  "instructions", "mfu",
                                        "hfu",  "bytes", "spill_reload", "wait_time"};
constexpr std::string_view kOps[] = {"name",
                                     "calls",
                                     "host_self",
                                     "device_self",
                                     "device_total",
                                     "kernels",
                                     "tensor_core_eligible",
                                     "uses_tensor_core"};
constexpr std::string_view kKernels[] = {"name", "uses_tensor_core", "calls", "time", "mean",
                                         "max",  "occupancy"};
constexpr std::string_view kOpTypes[] = {"name",        "calls",   "host_self",
                                         "device_self", "kernels", "tensor_core_self"};
constexpr std::string_view kGpus[] = {"rank",       "id",
                                      "name",       "utilization",
                                      "idle",       "sm_efficiency",
                                      "occupancy",  "tensor_core_share",
                                      "kernel_time"};
constexpr std::string_view kCollectives[] = {"rank", "name",         "calls",        "bytes",
                                             "time", "exposed_time", "bus_bandwidth"};
constexpr std::string_view kIterations[] = {"index",        "duration",   "tensor_core_kernel",
                                            "other_kernel", "memcpy",     "communication",
                                            "runtime",      "dataloader", "cpu",
                                            "other",        "kernels"};

constexpr TableLook kLooks[] = {
    {.id = "device_errors", .sheet = "Self-check", .is_main = true},
    {.id = "layers",
     .sheet = "Layers",
     .sheet_rows = 5'000,
     .is_main = true,
     .order = kAsItStands,
     .markdown_columns = kLayers},
    {.id = "engines", .sheet = "Engines", .is_main = true, .order = kAsItStands},
    {.id = "regions", .sheet = "Between marks", .is_main = true, .order = kAsItStands},
    {.id = "engine_regions", .sheet = "Between marks", .is_main = true, .order = kAsItStands},
    {.id = "opcodes", .sheet = "Opcodes", .is_main = true},
    {.id = "waits", .sheet = "Waits", .sheet_rows = 2'000, .is_main = true},
    {.id = "collective_regions",
     .sheet = "Between marks",
     .is_main = true,
     .not_in_markdown = kFiner},
    {.id = "source_files", .sheet = "Source lines", .is_main = true, .not_in_markdown = kFiner},
    {.id = "source_lines",
     .sheet = "Source lines",
     .sheet_rows = 5'000,
     .sheet_by = "instruction_time",
     .is_main = true},
    {.id = "dma_queues", .sheet = "DMA", .is_main = true},
    {.id = "dma_engines", .sheet = "DMA", .not_in_markdown = kFiner},
    {.id = "dma_transfers",
     .sheet = "DMA transfers",
     .sheet_rows = 2'000,
     .not_in_markdown = kFiner},
    {.id = "cc_ops", .sheet = "Collective ops", .is_main = true, .not_in_markdown = kFiner},
    {.id = "flops_parts",
     .sheet = "Throttling",
     .is_main = true,
     .order = kAsItStands,
     .not_in_markdown = "its sums are metrics"},
    {.id = "throttles", .sheet = "Throttling", .not_in_markdown = "its sums are metrics"},
    {.id = "tensors", .sheet = "Tensors", .not_in_markdown = kFiner},
    {.id = "sbuf_allocations",
     .sheet = "SBUF allocations",
     .sheet_rows = 2'000,
     .is_main = true,
     .not_in_markdown = kEvents},
    {.id = "cores", .sheet = "Engines", .order = kAsItStands, .not_in_markdown = kFiner},
    {.id = "dlprof_advice", .sheet = "DLProf advice", .is_main = true, .order = kAsItStands},
    {.id = "what_if", .sheet = "What if", .is_main = true, .order = kAsItStands},
    {.id = "critical_path", .sheet = "Critical path", .is_main = true},
    {.id = "slack", .sheet = "Critical path", .not_in_markdown = kFiner},
    {.id = "ops", .sheet = "Ops", .is_main = true, .markdown_columns = kOps},
    {.id = "kernels", .sheet = "Kernels", .is_main = true, .markdown_columns = kKernels},
    {.id = "op_tree",
     .sheet = "Operator tree",
     .sheet_rows = 2'000,
     .order = kAsItStands,
     .not_in_markdown = kTree},
    {.id = "modules", .sheet = "Modules", .order = kAsItStands, .not_in_markdown = kTree},
    {.id = "kernels_by_op", .sheet = "Kernels by op", .not_in_markdown = kFiner},
    {.id = "ops_by_shape", .sheet = "Ops by shape", .not_in_markdown = kFiner},
    {.id = "ops_by_stack", .sheet = "Ops by stack", .sheet_rows = 5'000, .not_in_markdown = kFiner},
    {.id = "op_types", .sheet = "Op types", .markdown_columns = kOpTypes},
    {.id = "op_groups",
     .sheet = "Op groups",
     .sheet_rows = 5'000,
     .order = kAsItStands,
     .not_in_markdown = kFiner},
    {.id = "tensor_core_ops", .sheet = "Tensor Cores", .not_in_markdown = kFiner},
    {.id = "roofline", .sheet = "Roofline", .page_rows = 60, .not_in_markdown = kFiner},
    {.id = "ranks", .sheet = "GPUs-Ranks", .is_main = true, .order = kAsItStands},
    {.id = "gpus",
     .sheet = "GPUs-Ranks",
     .is_main = true,
     .order = kAsItStands,
     .markdown_columns = kGpus},
    {.id = "streams", .sheet = "GPUs-Ranks", .is_main = true, .order = kAsItStands},
    {.id = "memcpys", .sheet = "Copies", .is_main = true},
    {.id = "process_groups", .sheet = "Process groups", .order = kAsItStands},
    {.id = "message_sizes", .sheet = "Process groups", .order = kAsItStands},
    {.id = "pipeline", .sheet = "Process groups", .order = kAsItStands},
    {.id = "collectives",
     .sheet = "Collectives",
     .is_main = true,
     .markdown_columns = kCollectives},
    {.id = "api_calls", .sheet = "API calls", .is_main = true},
    {.id = "iterations",
     .sheet = "Iterations",
     .order = kAsItStands,
     .other_section = "Iterations",
     .markdown_columns = kIterations},
    {.id = "os_calls", .sheet = "OS calls", .not_in_markdown = kFiner},
    {.id = "threads", .sheet = "OS calls", .not_in_markdown = kFiner},
    {.id = "gaps",
     .sheet = "Idle gaps",
     .sheet_rows = 1'000,
     .sheet_by = "duration",
     .page_rows = 300,
     .not_in_markdown = kEvents,
     .json_rows = 1'000},
    {.id = "memory_ops", .sheet = "Memory", .not_in_markdown = kFiner},
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
     .sheet = "Ops by iteration",
     .sheet_rows = 5'000,
     .sheet_by = "time",
     .not_in_markdown = kFiner},
    {.id = "kernels_by_iteration",
     .sheet = "Kernels by iteration",
     .sheet_rows = 5'000,
     .sheet_by = "time",
     .not_in_markdown = kFiner},
    {.id = "launches",
     .sheet = "Launches",
     .sheet_rows = 2'000,
     .sheet_by = "time",
     .order = kAsItStands,
     .page_rows = 20'000,
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
    {.id = "memory_peaks", .sheet = "HBM", .not_in_markdown = "its sums are metrics"},
    {.id = "hbm_usage", .sheet = "HBM", .not_in_markdown = "its sums are metrics"},
    {.id = "host_use", .sheet = "Host", .order = kAsItStands, .not_in_markdown = kFiner},
    {.id = "profiler_warnings", .sheet = "Self-check", .order = kAsItStands},
    {.id = "identities",
     .sheet = "Self-check",
     .order = kAsItStands,
     .not_in_markdown = "only its failures matter, and they are findings"},
};

}  // namespace

std::span<const TableLook> TableLooks() { return kLooks; }

const TableLook* FindTableLook(std::string_view id) {
  const auto* const found = std::find_if(std::begin(kLooks), std::end(kLooks),
                                         [id](const TableLook& look) { return look.id == id; });
  return found == std::end(kLooks) ? nullptr : found;
}

const Column* HeaviestColumn(const Table& table) {
  const TableLook* look = FindTableLook(table.id());
  if (look == nullptr || look->order == kAsItStands) return nullptr;
  for (const std::string_view id : kHeaviest) {
    const Column* column = table.Find(id);
    if (column != nullptr && column->absent_because().empty()) return column;
  }
  return nullptr;
}

}  // namespace profgauge::report
