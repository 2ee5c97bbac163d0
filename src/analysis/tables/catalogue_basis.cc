// What the metrics, tables and columns of the catalogue follow from. Of several rows that speak of a
// metric the last one does; a metric that none speaks of fails a test.
#include "analysis/tables/catalogue_parts.h"

namespace profgauge {
namespace {

// Of metrics by the start of their ids, of tables by their ids.
struct Row {
  std::string_view id;
  Basis basis;
};

constexpr Basis kNothing = {};
constexpr Basis kTimes = {.times = true};
constexpr Basis kGpuUnits = {.gpu_units = true};
constexpr Basis kLaunches = {.times = true, .gpu_units = true};
constexpr Basis kUse = {.times = true, .execution = true, .all_work = true};
constexpr Basis kSharesOfTime = {.times = true, .all_work = true};
constexpr Basis kNamedKernels = {.names = true, .gpu_units = true};
constexpr Basis kCommunication = {.all_work = true, .names = true};

constexpr Row kMetrics[] = {
    {"profile.", kNothing},
    {"profile.wall_time", kTimes},
    {"profile.iterations", kTimes},
    {"iteration.", kTimes},
    {"breakdown.", kSharesOfTime},
    {"breakdown.tensor_core_kernel", {.times = true, .names = true, .gpu_units = true}},
    {"breakdown.memset", {.times = true, .all_work = true, .gpu_units = true}},
    {"breakdown.communication", {.times = true, .all_work = true, .names = true}},
    {"breakdown.io", kTimes},
    {"gpu.utilization.", kUse},
    {"gpu.idle.", kUse},
    {"gpu.idle_cause.", kUse},
    {"gpu.sm_efficiency", {.times = true, .all_work = true, .gpu_units = true}},
    {"gpu.occupancy", kLaunches},
    {"gpu.measured.", {.times = true, .events = true}},
    {"tensor_core.", kNamedKernels},
    {"tensor_core.unknown_share", kGpuUnits},
    {"tensor_core.kernels_per_iteration", {.times = true, .names = true, .gpu_units = true}},
    {"kernel.", kGpuUnits},
    {"kernel.count_per_iteration", kLaunches},
    {"launch.", kLaunches},
    {"launch.delay.", {.times = true, .execution = true, .gpu_units = true}},
    {"launch.queue_empty_share",
     {.times = true, .execution = true, .all_work = true, .gpu_units = true}},
    {"sync.", {.all_work = true, .gpu_units = true}},
    {"memcpy.", kNothing},
    {"memcpy.h2d.bytes_per_iteration", kTimes},
    {"memcpy.d2h.bytes_per_iteration", kTimes},
    {"memcpy.d2d.bytes_per_iteration", kTimes},
    {"memcpy.pageable_share", kGpuUnits},
    {"dataloader.", kSharesOfTime},
    {"communication.", kNothing},
    {"communication.time", {.names = true}},
    {"communication.overlap", kCommunication},
    {"communication.exposed_share", kCommunication},
    {"critical.", {.all_work = true}},
    {"rank.", kNothing},
    {"pipeline.", kNothing},
    {"memory.", kNothing},
    {"flops.", kNothing},
    {"npu.", {.events = true}},
    {"coverage.", kGpuUnits},
    {"coverage.backlog_time", kLaunches},
};

constexpr Row kTables[] = {
    {"iterations", kTimes},
    {"other_iterations", kTimes},
    {"gaps", {.times = true, .execution = true}},
    {"launches", kLaunches},
    {"tensor_core_ops", kGpuUnits},
    {"ops_by_iteration", kTimes},
    {"op_tree", kTimes},
    {"modules", kTimes},
    {"ranges", kTimes},
};

constexpr ColumnBasis kColumns[] = {
    {"iterations", "tensor_core_kernel", kGpuUnits},
    {"iterations", "tensor_core_kernels", kGpuUnits},
    {"iterations", "tensor_core_gpu_time", kGpuUnits},
    {"iterations", "tensor_core_gpu_time_share", kGpuUnits},
    {"gpus", "tensor_core_share", kGpuUnits},
    {"kernels", "uses_tensor_core", kGpuUnits},
    {"ranks", "communication_time", {.names = true}},
    {"ranks", "exposed_communication", {.names = true}},
};

}  // namespace

std::optional<Basis> BasisOfMetric(const MetricSpec& spec) {
  if (spec.family == "neuron") return Basis{.events = true};
  std::optional<Basis> basis;
  for (const Row& row : kMetrics) {
    if (spec.id.starts_with(row.id)) basis = row.basis;
  }
  return basis;
}

Basis BasisOfTable(std::string_view id) {
  for (const Row& row : kTables) {
    if (row.id == id) return row.basis;
  }
  return kNothing;
}

std::span<const ColumnBasis> ColumnsWithBasis() { return kColumns; }

}  // namespace profgauge
