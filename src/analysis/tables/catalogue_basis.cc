// What the metrics, tables and columns of the catalogue follow from. Of several rows that speak of
// a metric the last one does; a metric that none speaks of fails a test.
#include "analysis/tables/catalogue_neuron.h"
#include "analysis/tables/catalogue_parts.h"

namespace profgauge {
namespace {

// Of metrics by the start of their ids, of tables by their ids.
struct BasisRow {
  std::string_view id;
  Basis basis;
};

constexpr Basis kOfNothing = {};
constexpr Basis kOfTimes = {.times = true};
constexpr Basis kOfGpuUnits = {.gpu_units = true};
constexpr Basis kOfLaunches = {.times = true, .gpu_units = true};
constexpr Basis kOfUse = {.times = true, .execution = true, .all_work = true};
constexpr Basis kOfSharesOfTime = {.times = true, .all_work = true};
constexpr Basis kOfNamedKernels = {.names = true, .gpu_units = true};
constexpr Basis kOfCommunication = {.all_work = true, .names = true};

constexpr BasisRow kMetricBases[] = {
    {"profile.", kOfNothing},
    {"profile.wall_time", kOfTimes},
    {"profile.iterations", kOfTimes},
    {"iteration.", kOfTimes},
    {"breakdown.", kOfSharesOfTime},
    {"breakdown.tensor_core_kernel", {.times = true, .names = true, .gpu_units = true}},
    {"breakdown.memset", {.times = true, .all_work = true, .gpu_units = true}},
    {"breakdown.communication", {.times = true, .all_work = true, .names = true}},
    {"breakdown.io", kOfTimes},
    {"gpu.utilization.", kOfUse},
    {"gpu.idle.", kOfUse},
    {"gpu.idle_cause.", kOfUse},
    {"gpu.sm_efficiency", {.times = true, .all_work = true, .gpu_units = true}},
    {"gpu.occupancy", kOfLaunches},
    {"gpu.measured.", {.times = true, .events = true}},
    {"tensor_core.", kOfNamedKernels},
    {"tensor_core.unknown_share", kOfGpuUnits},
    {"tensor_core.kernels_per_iteration", {.times = true, .names = true, .gpu_units = true}},
    {"kernel.", kOfGpuUnits},
    {"kernel.count_per_iteration", kOfLaunches},
    {"launch.", kOfLaunches},
    {"launch.delay.", {.times = true, .execution = true, .gpu_units = true}},
    {"launch.queue_empty_share",
     {.times = true, .execution = true, .all_work = true, .gpu_units = true}},
    {"sync.", {.all_work = true, .gpu_units = true}},
    {"memcpy.", kOfNothing},
    {"memcpy.h2d.bytes_per_iteration", kOfTimes},
    {"memcpy.d2h.bytes_per_iteration", kOfTimes},
    {"memcpy.d2d.bytes_per_iteration", kOfTimes},
    {"memcpy.pageable_share", kOfGpuUnits},
    {"dataloader.", kOfSharesOfTime},
    {"communication.", kOfNothing},
    {"communication.time", {.names = true}},
    {"communication.overlap", kOfCommunication},
    {"communication.exposed_share", kOfCommunication},
    {"critical.", {.all_work = true}},
    {"rank.", kOfNothing},
    {"pipeline.", kOfNothing},
    {"memory.", kOfNothing},
    {"flops.", kOfNothing},
    {"npu.", {.events = true}},
    {"host.", {.events = true}},
    {"coverage.", kOfGpuUnits},
    {"coverage.backlog_time", kOfLaunches},
};

constexpr BasisRow kTableBases[] = {
    {"iterations", kOfTimes},
    {"other_iterations", kOfTimes},
    {"gaps", {.times = true, .execution = true}},
    {"launches", kOfLaunches},
    {"tensor_core_ops", kOfGpuUnits},
    {"ops_by_iteration", kOfTimes},
    {"op_tree", kOfTimes},
    {"modules", kOfTimes},
    {"ranges", kOfTimes},
};

constexpr ColumnBasis kColumnBases[] = {
    {"iterations", "tensor_core_kernel", kOfGpuUnits},
    {"iterations", "tensor_core_kernels", kOfGpuUnits},
    {"iterations", "tensor_core_gpu_time", kOfGpuUnits},
    {"iterations", "tensor_core_gpu_time_share", kOfGpuUnits},
    {"gpus", "tensor_core_share", kOfGpuUnits},
    {"kernels", "uses_tensor_core", kOfGpuUnits},
    {"ranks", "communication_time", {.names = true}},
    {"ranks", "exposed_communication", {.names = true}},
};

}  // namespace

std::optional<Basis> BasisOfMetric(const MetricSpec& spec) {
  if (spec.family == kNeuronFamily) return Basis{.events = true};
  std::optional<Basis> basis;
  for (const BasisRow& row : kMetricBases) {
    if (spec.id.starts_with(row.id)) basis = row.basis;
  }
  return basis;
}

Basis BasisOfTable(std::string_view id) {
  for (const BasisRow& row : kTableBases) {
    if (row.id == id) return row.basis;
  }
  return kOfNothing;
}

std::span<const ColumnBasis> ColumnsWithBasis() { return kColumnBases; }

}  // namespace profgauge
