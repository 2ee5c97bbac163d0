// The ids of the metric catalog, one constant each: `metric::kGpuIdleMean` is "gpu.idle.mean". The
// row in analysis/catalog/catalogue_*_metrics.cc, in the same order, defines each id. All code
// names metrics by these constants, so an undefined id does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// The constant and its id. A new metric needs a line here and a catalog row at the same position.
// clang-format off
#define PROFGAUGE_METRICS(X) \
  X(kProfileWallTime, "profile.wall_time") \
  X(kProfileIterations, "profile.iterations") \
  X(kProfileRanksMissing, "profile.ranks_missing") \
  X(kProfileRanksWithoutWork, "profile.ranks_without_work") \
  X(kProfileRanks, "profile.ranks") \
  X(kProfileGpus, "profile.gpus") \
  X(kProfileGpusListed, "profile.gpus_listed") \
  X(kIterationTimeMean, "iteration.time.mean") \
  X(kIterationTimeMedian, "iteration.time.median") \
  X(kIterationTimeMin, "iteration.time.min") \
  X(kIterationTimeMax, "iteration.time.max") \
  X(kIterationTimeP95, "iteration.time.p95") \
  X(kIterationTimeStddev, "iteration.time.stddev") \
  X(kIterationTimeCv, "iteration.time.cv") \
  X(kIterationTimeRobustCv, "iteration.time.robust_cv") \
  X(kIterationOutliers, "iteration.outliers") \
  X(kIterationDrift, "iteration.drift") \
  X(kIterationPeriodMedian, "iteration.period.median") \
  X(kIterationPeriodMean, "iteration.period.mean") \
  X(kIterationBetweenShare, "iteration.between_share") \
  X(kStepCount, "step.count") \
  X(kStepTimeMean, "step.time.mean") \
  X(kStepTimeMedian, "step.time.median") \
  X(kStepTimeMin, "step.time.min") \
  X(kStepTimeMax, "step.time.max") \
  X(kStepTimeP95, "step.time.p95") \
  X(kStepTimeRobustCv, "step.time.robust_cv") \
  X(kStepOutliers, "step.outliers") \
  X(kStepDrift, "step.drift") \
  X(kStepThroughput, "step.throughput") \
  X(kStepPerturbation, "step.perturbation") \
  X(kProfilerDelayTime, "profiler.delay_time") \
  X(kRunTimeMean, "run.time.mean") \
  X(kRunUnusualShare, "run.unusual_share") \
  X(kGpuIdleUnrecorded, "gpu.idle.unrecorded") \
  X(kGpuUtilizationUnrecorded, "gpu.utilization.unrecorded") \
  X(kFlopsMfuUnrecorded, "flops.mfu.unrecorded") \
  X(kConditionsClock, "conditions.sm_mhz") \
  X(kConditionsClockLimit, "conditions.sm_limit_mhz") \
  X(kConditionsMemoryClock, "conditions.memory_mhz") \
  X(kConditionsPower, "conditions.watts") \
  X(kConditionsPowerLimit, "conditions.limit_watts") \
  X(kConditionsTemperature, "conditions.celsius") \
  X(kConditionsPowerCapped, "conditions.power_capped_share") \
  X(kConditionsThrottled, "conditions.throttled_share") \
  X(kConditionsEccUncorrected, "conditions.ecc_uncorrected") \
  X(kConditionsOtherProcesses, "conditions.other_processes") \
  X(kConditionsComputeBound, "conditions.compute_bound_share") \
  X(kConditionsMemoryBound, "conditions.memory_bound_share") \
  X(kProfileKernelTime, "profile.kernel_time") \
  X(kBreakdownTensorCoreKernel, "breakdown.tensor_core_kernel") \
  X(kBreakdownTensorCoreKernelTime, "breakdown.tensor_core_kernel.time") \
  X(kBreakdownOtherKernel, "breakdown.other_kernel") \
  X(kBreakdownOtherKernelTime, "breakdown.other_kernel.time") \
  X(kBreakdownMemcpy, "breakdown.memcpy") \
  X(kBreakdownMemcpyTime, "breakdown.memcpy.time") \
  X(kBreakdownMemset, "breakdown.memset") \
  X(kBreakdownMemsetTime, "breakdown.memset.time") \
  X(kBreakdownCommunication, "breakdown.communication") \
  X(kBreakdownCommunicationTime, "breakdown.communication.time") \
  X(kBreakdownRuntime, "breakdown.runtime") \
  X(kBreakdownRuntimeTime, "breakdown.runtime.time") \
  X(kBreakdownDataloader, "breakdown.dataloader") \
  X(kBreakdownDataloaderTime, "breakdown.dataloader.time") \
  X(kBreakdownCpu, "breakdown.cpu") \
  X(kBreakdownCpuTime, "breakdown.cpu.time") \
  X(kBreakdownIo, "breakdown.io") \
  X(kBreakdownOther, "breakdown.other") \
  X(kBreakdownOtherTime, "breakdown.other.time") \
  X(kGpuUtilizationMean, "gpu.utilization.mean") \
  X(kGpuUtilizationMin, "gpu.utilization.min") \
  X(kGpuIdleMean, "gpu.idle.mean") \
  X(kGpuIdleMax, "gpu.idle.max") \
  X(kGpuIdleTimeMean, "gpu.idle.time.mean") \
  X(kGpuIdleTimeMax, "gpu.idle.time.max") \
  X(kGpuIdleCauseHostWait, "gpu.idle_cause.host_wait") \
  X(kGpuIdleCauseDataloader, "gpu.idle_cause.dataloader") \
  X(kGpuIdleCauseSync, "gpu.idle_cause.sync") \
  X(kGpuIdleCauseModuleLoading, "gpu.idle_cause.module_loading") \
  X(kGpuIdleCauseCapture, "gpu.idle_cause.capture") \
  X(kGpuIdleCauseMemoryManagement, "gpu.idle_cause.memory_management") \
  X(kGpuIdleCauseLaunchLatency, "gpu.idle_cause.launch_latency") \
  X(kGpuIdleCauseQueued, "gpu.idle_cause.queued") \
  X(kGpuIdleCauseOther, "gpu.idle_cause.other") \
  X(kGpuSmEfficiency, "gpu.sm_efficiency") \
  X(kGpuOccupancy, "gpu.occupancy") \
  X(kGpuMeasuredTensorActive, "gpu.measured.tensor_active") \
  X(kGpuMeasuredSmActive, "gpu.measured.sm_active") \
  X(kGpuMeasuredDramRead, "gpu.measured.dram_read") \
  X(kGpuMeasuredDramWrite, "gpu.measured.dram_write") \
  X(kGpuMeasuredDram, "gpu.measured.dram") \
  X(kTensorCoreEfficiency, "tensor_core.efficiency") \
  X(kTensorCoreShare, "tensor_core.share") \
  X(kTensorCoreUnknownShare, "tensor_core.unknown_share") \
  X(kTensorCoreEligibleShare, "tensor_core.eligible_share") \
  X(kTensorCoreKernelsPerIteration, "tensor_core.kernels_per_iteration") \
  X(kKernelCountPerIteration, "kernel.count_per_iteration") \
  X(kKernelShortShare, "kernel.short_share") \
  X(kLaunchCountPerIteration, "launch.count_per_iteration") \
  X(kLaunchDelayMedian, "launch.delay.median") \
  X(kLaunchQueueEmptyShare, "launch.queue_empty_share") \
  X(kLaunchWaitShare, "launch.wait_share") \
  X(kLaunchCapturedShare, "launch.captured_share") \
  X(kSyncTimeShare, "sync.time_share") \
  X(kMemcpyH2dBytesPerIteration, "memcpy.h2d.bytes_per_iteration") \
  X(kMemcpyD2hBytesPerIteration, "memcpy.d2h.bytes_per_iteration") \
  X(kMemcpyD2dBytesPerIteration, "memcpy.d2d.bytes_per_iteration") \
  X(kMemcpyPageableShare, "memcpy.pageable_share") \
  X(kDataloaderExposedShare, "dataloader.exposed_share") \
  X(kDataloaderExposedTime, "dataloader.exposed_time") \
  X(kDataloaderExposedOnce, "dataloader.exposed_once") \
  X(kDataloaderStalledTime, "dataloader.stalled_time") \
  X(kCriticalHostShare, "critical.host.share") \
  X(kCriticalHostTime, "critical.host.time") \
  X(kCriticalLaunchShare, "critical.launch.share") \
  X(kCriticalLaunchTime, "critical.launch.time") \
  X(kCriticalKernelShare, "critical.kernel.share") \
  X(kCriticalKernelTime, "critical.kernel.time") \
  X(kCriticalCopyShare, "critical.copy.share") \
  X(kCriticalCopyTime, "critical.copy.time") \
  X(kCriticalTransferShare, "critical.transfer.share") \
  X(kCriticalTransferTime, "critical.transfer.time") \
  X(kCriticalWaitingShare, "critical.waiting.share") \
  X(kCriticalWaitingTime, "critical.waiting.time") \
  X(kCriticalDataloaderShare, "critical.dataloader.share") \
  X(kCriticalDataloaderTime, "critical.dataloader.time") \
  X(kCriticalSyncShare, "critical.sync.share") \
  X(kCriticalSyncTime, "critical.sync.time") \
  X(kCriticalUnknownShare, "critical.unknown.share") \
  X(kCriticalUnknownTime, "critical.unknown.time") \
  X(kPlanEndTime, "plan.end_time") \
  X(kPlanGainShare, "plan.gain_share") \
  X(kPlanFirstGainShare, "plan.first_gain_share") \
  X(kPlanSteps, "plan.steps") \
  X(kFloorTime, "floor.time") \
  X(kFloorShare, "floor.share") \
  X(kCommunicationTime, "communication.time") \
  X(kCommunicationOverlap, "communication.overlap") \
  X(kCommunicationExposedShare, "communication.exposed_share") \
  X(kCommunicationWaitingShare, "communication.waiting_share") \
  X(kCommunicationMatchedShare, "communication.matched_share") \
  X(kCommunicationMatchedTimeShare, "communication.matched_time_share") \
  X(kRankImbalance, "rank.imbalance") \
  X(kRankStraggler, "rank.straggler") \
  X(kRankStragglerDataloader, "rank.straggler.dataloader") \
  X(kRankStepSkew, "rank.step_skew") \
  X(kPipelineBubbleShare, "pipeline.bubble_share") \
  X(kMemoryPeakAllocated, "memory.peak_allocated") \
  X(kMemoryPeakReserved, "memory.peak_reserved") \
  X(kMemoryPeakShare, "memory.peak_share") \
  X(kMemoryFragmentation, "memory.fragmentation") \
  X(kMemoryGrowth, "memory.growth") \
  X(kFlopsAchieved, "flops.achieved") \
  X(kFlopsMfu, "flops.mfu") \
  X(kFlopsHfu, "flops.hfu") \
  X(kNpuCubeUtilization, "npu.cube_utilization") \
  X(kCoverageLinkedShare, "coverage.linked_share") \
  X(kCoverageKernelShare, "coverage.kernel_share") \
  X(kCoverageLaunchedShare, "coverage.launched_share") \
  X(kCoverageBacklogTime, "coverage.backlog_time") \
  X(kCoverageTailTime, "coverage.tail_time") \
  X(kCoverageStartUpTime, "coverage.start_up_time") \
  X(kCoverageCaptureTime, "coverage.capture_time") \
  X(kCoverageOutsideShare, "coverage.outside_share") \
  X(kServeTtftMean, "serve.ttft.mean") \
  X(kServeTtftMedian, "serve.ttft.median") \
  X(kServeTtftP90, "serve.ttft.p90") \
  X(kServeTtftP95, "serve.ttft.p95") \
  X(kServeTtftP99, "serve.ttft.p99") \
  X(kServeTpotMean, "serve.tpot.mean") \
  X(kServeTpotMedian, "serve.tpot.median") \
  X(kServeTpotP90, "serve.tpot.p90") \
  X(kServeTpotP95, "serve.tpot.p95") \
  X(kServeTpotP99, "serve.tpot.p99") \
  X(kServeItlMean, "serve.itl.mean") \
  X(kServeItlMedian, "serve.itl.median") \
  X(kServeItlP90, "serve.itl.p90") \
  X(kServeItlP95, "serve.itl.p95") \
  X(kServeItlP99, "serve.itl.p99") \
  X(kServeE2eMean, "serve.e2e.mean") \
  X(kServeE2eMedian, "serve.e2e.median") \
  X(kServeE2eP90, "serve.e2e.p90") \
  X(kServeE2eP95, "serve.e2e.p95") \
  X(kServeE2eP99, "serve.e2e.p99") \
  X(kServeRequestRate, "serve.request_rate") \
  X(kServeOutputRate, "serve.output_rate") \
  X(kServeTotalRate, "serve.total_rate") \
  X(kServeGoodput, "serve.goodput") \
  X(kServeFailedShare, "serve.failed_share") \
  X(kNeuronTotalTime, "neuron.total_time") \
  X(kNeuronExecTime, "neuron.exec_time") \
  X(kNeuronActiveTime, "neuron.active_time") \
  X(kNeuronActiveShare, "neuron.active_share") \
  X(kNeuronCores, "neuron.cores") \
  X(kNeuronCycles, "neuron.cycles") \
  X(kNeuronModelFlops, "neuron.model_flops") \
  X(kNeuronHardwareFlops, "neuron.hardware_flops") \
  X(kNeuronTransposeFlops, "neuron.transpose_flops") \
  X(kNeuronTransposeShare, "neuron.transpose_share") \
  X(kNeuronAdjustedHardwareFlops, "neuron.adjusted_hardware_flops") \
  X(kNeuronAdjustedTransposeFlops, "neuron.adjusted_transpose_flops") \
  X(kNeuronMmArithmeticIntensity, "neuron.mm_arithmetic_intensity") \
  X(kNeuronPeakFlopsBandwidthRatio, "neuron.peak_flops_bandwidth_ratio") \
  X(kNeuronPeakFlops, "neuron.peak_flops") \
  X(kNeuronPeakBandwidth, "neuron.peak_bandwidth") \
  X(kNeuronMfu, "neuron.mfu") \
  X(kNeuronMfuHlo, "neuron.mfu_hlo") \
  X(kNeuronMfuInst, "neuron.mfu_inst") \
  X(kNeuronHfu, "neuron.hfu") \
  X(kNeuronMfuMaxAchievable, "neuron.mfu_max_achievable") \
  X(kNeuronMfuHloMaxAchievable, "neuron.mfu_hlo_max_achievable") \
  X(kNeuronMfuInstMaxAchievable, "neuron.mfu_inst_max_achievable") \
  X(kNeuronMbu, "neuron.mbu") \
  X(kNeuronMbuMinRead, "neuron.mbu_min_read") \
  X(kNeuronCoreImbalance, "neuron.core_imbalance") \
  X(kNeuronTraceCount, "neuron.trace_count") \
  X(kNeuronEventCount, "neuron.event_count") \
  X(kNeuronWarnings, "neuron.warnings") \
  X(kNeuronErrors, "neuron.errors") \
  X(kEngineTensorActiveTime, "engine.tensor.active_time") \
  X(kEngineTensorActiveShare, "engine.tensor.active_share") \
  X(kEngineTensorInstructionTime, "engine.tensor.instruction_time") \
  X(kEngineTensorInstructions, "engine.tensor.instructions") \
  X(kEngineTensorWaitTime, "engine.tensor.wait_time") \
  X(kEngineTensorMedianTime, "engine.tensor.median_time") \
  X(kEngineTensorNkiShare, "engine.tensor.nki_share") \
  X(kEngineTensorMatmuls, "engine.tensor.matmuls") \
  X(kEngineTensorDmaWaitTime, "engine.tensor.dma_wait_time") \
  X(kEngineVectorActiveTime, "engine.vector.active_time") \
  X(kEngineVectorActiveShare, "engine.vector.active_share") \
  X(kEngineVectorInstructionTime, "engine.vector.instruction_time") \
  X(kEngineVectorInstructions, "engine.vector.instructions") \
  X(kEngineVectorWaitTime, "engine.vector.wait_time") \
  X(kEngineVectorMedianTime, "engine.vector.median_time") \
  X(kEngineVectorNkiShare, "engine.vector.nki_share") \
  X(kEngineScalarActiveTime, "engine.scalar.active_time") \
  X(kEngineScalarActiveShare, "engine.scalar.active_share") \
  X(kEngineScalarInstructionTime, "engine.scalar.instruction_time") \
  X(kEngineScalarInstructions, "engine.scalar.instructions") \
  X(kEngineScalarWaitTime, "engine.scalar.wait_time") \
  X(kEngineScalarMedianTime, "engine.scalar.median_time") \
  X(kEngineScalarNkiShare, "engine.scalar.nki_share") \
  X(kEngineScalarActivates, "engine.scalar.activates") \
  X(kEngineScalarActivateTime, "engine.scalar.activate_time") \
  X(kEngineGpsimdActiveTime, "engine.gpsimd.active_time") \
  X(kEngineGpsimdActiveShare, "engine.gpsimd.active_share") \
  X(kEngineGpsimdInstructionTime, "engine.gpsimd.instruction_time") \
  X(kEngineGpsimdInstructions, "engine.gpsimd.instructions") \
  X(kEngineGpsimdWaitTime, "engine.gpsimd.wait_time") \
  X(kEngineGpsimdMedianTime, "engine.gpsimd.median_time") \
  X(kEngineGpsimdNkiShare, "engine.gpsimd.nki_share") \
  X(kEngineSyncActiveTime, "engine.sync.active_time") \
  X(kEngineSyncActiveShare, "engine.sync.active_share") \
  X(kEngineSyncInstructionTime, "engine.sync.instruction_time") \
  X(kEngineSyncInstructions, "engine.sync.instructions") \
  X(kEngineSyncWaitTime, "engine.sync.wait_time") \
  X(kEngineSyncMedianTime, "engine.sync.median_time") \
  X(kEngineSyncNkiShare, "engine.sync.nki_share") \
  X(kEngineCcCoreActiveTime, "engine.cc_core.active_time") \
  X(kEngineCcCoreActiveShare, "engine.cc_core.active_share") \
  X(kEngineCcCoreInstructionTime, "engine.cc_core.instruction_time") \
  X(kEngineCcCoreInstructions, "engine.cc_core.instructions") \
  X(kHbmReadBytes, "hbm.read_bytes") \
  X(kHbmWriteBytes, "hbm.write_bytes") \
  X(kSbufReadBytes, "sbuf.read_bytes") \
  X(kSbufWriteBytes, "sbuf.write_bytes") \
  X(kPsumReadBytes, "psum.read_bytes") \
  X(kPsumWriteBytes, "psum.write_bytes") \
  X(kPsumReadSbufWriteBytes, "psum.read_sbuf_write_bytes") \
  X(kPsumReadSbufWrites, "psum.read_sbuf_writes") \
  X(kSpillSaveBytes, "spill.save_bytes") \
  X(kSpillReloadBytes, "spill.reload_bytes") \
  X(kSpillReloadShare, "spill.reload_share") \
  X(kSpillSaveSbufShare, "spill.save_sbuf_share") \
  X(kSpillReloadSbufShare, "spill.reload_sbuf_share") \
  X(kHbmUsefulReadShare, "hbm.useful_read_share") \
  X(kNeuronWeightBytes, "neuron.weight_bytes") \
  X(kNeuronInputsAndWeightsBytes, "neuron.inputs_and_weights_bytes") \
  X(kNeuronInputsOutputsWeightsBytes, "neuron.inputs_outputs_weights_bytes") \
  X(kDmaActiveTime, "dma.active_time") \
  X(kDmaActiveShare, "dma.active_share") \
  X(kDmaActiveCycles, "dma.active_cycles") \
  X(kDmaPacketTime, "dma.packet_time") \
  X(kDmaPackets, "dma.packets") \
  X(kDmaBytes, "dma.bytes") \
  X(kDmaMeanBytes, "dma.mean_bytes") \
  X(kDmaSmallShare, "dma.small_share") \
  X(kDmaTransfers, "dma.transfers") \
  X(kDmaTransferTime, "dma.transfer_time") \
  X(kDmaTransferBytes, "dma.transfer_bytes") \
  X(kDmaTransferMeanBytes, "dma.transfer_mean_bytes") \
  X(kDmaQueues, "dma.queues") \
  X(kDmaEnginesUsed, "dma.engines_used") \
  X(kDmaEngineImbalance, "dma.engine_imbalance") \
  X(kDmaInputQueueBytes, "dma.input_queue_bytes") \
  X(kDmaOutputQueueBytes, "dma.output_queue_bytes") \
  X(kDmaWeightQueueBytes, "dma.weight_queue_bytes") \
  X(kDmaStaticActiveTime, "dma.static.active_time") \
  X(kDmaStaticActiveShare, "dma.static.active_share") \
  X(kDmaStaticPackets, "dma.static.packets") \
  X(kDmaStaticPacketShare, "dma.static.packet_share") \
  X(kDmaStaticBytes, "dma.static.bytes") \
  X(kDmaStaticByteShare, "dma.static.byte_share") \
  X(kDmaDynamicActiveTime, "dma.dynamic.active_time") \
  X(kDmaDynamicActiveShare, "dma.dynamic.active_share") \
  X(kDmaDynamicPackets, "dma.dynamic.packets") \
  X(kDmaDynamicPacketShare, "dma.dynamic.packet_share") \
  X(kDmaDynamicBytes, "dma.dynamic.bytes") \
  X(kDmaDynamicByteShare, "dma.dynamic.byte_share") \
  X(kDmaSoftwareActiveTime, "dma.software.active_time") \
  X(kDmaSoftwareActiveShare, "dma.software.active_share") \
  X(kDmaSoftwarePackets, "dma.software.packets") \
  X(kDmaSoftwarePacketShare, "dma.software.packet_share") \
  X(kDmaSoftwareBytes, "dma.software.bytes") \
  X(kDmaSoftwareByteShare, "dma.software.byte_share") \
  X(kDmaHardwareActiveTime, "dma.hardware.active_time") \
  X(kDmaHardwareActiveShare, "dma.hardware.active_share") \
  X(kDmaHardwarePackets, "dma.hardware.packets") \
  X(kDmaHardwarePacketShare, "dma.hardware.packet_share") \
  X(kDmaHardwareBytes, "dma.hardware.bytes") \
  X(kDmaHardwareByteShare, "dma.hardware.byte_share") \
  X(kCcOps, "cc.ops") \
  X(kCcTime, "cc.time") \
  X(kCcActiveTime, "cc.active_time") \
  X(kCcActiveShare, "cc.active_share") \
  X(kCcTriggerDelay, "cc.trigger_delay") \
  X(kThrottleLimitedTime, "throttle.limited_time") \
  X(kThrottleLimitedShare, "throttle.limited_share") \
  X(kThrottleTensorLimitedTime, "throttle.tensor_limited_time") \
  X(kThrottleTensorLimitedShare, "throttle.tensor_limited_share") \
  X(kThrottleUtilizationLimit, "throttle.utilization_limit") \
  X(kHostMemoryPeak, "host.memory_peak") \
  X(kHostMemoryPeakShare, "host.memory_peak_share") \
  X(kHostCpuMean, "host.cpu_mean") \
  X(kHostCpuBusiest, "host.cpu_busiest")
// clang-format on

namespace profgauge {

namespace metric::places {
#define PROFGAUGE_PLACE(name, text) name,
enum Place : std::uint16_t { PROFGAUGE_METRICS(PROFGAUGE_PLACE) kCount };
#undef PROFGAUGE_PLACE
#define PROFGAUGE_TEXT(name, text) text,
inline constexpr std::array<std::string_view, kCount> kTexts = {PROFGAUGE_METRICS(PROFGAUGE_TEXT)};
#undef PROFGAUGE_TEXT
}  // namespace metric::places

/// One metric of the catalog. Only the constants below and FindMetricId() create one.
class MetricId {
 public:
  explicit constexpr MetricId(metric::places::Place place) : place_(place) {}
  /// The index of the metric's row in the catalog.
  constexpr std::size_t place() const { return place_; }
  /// "gpu.idle.mean"
  constexpr std::string_view text() const { return metric::places::kTexts[place_]; }
  constexpr operator std::string_view() const { return text(); }  // NOLINT: it is its text.

  friend constexpr bool operator==(MetricId a, MetricId b) { return a.place_ == b.place_; }
  friend constexpr bool operator==(MetricId a, std::string_view b) { return a.text() == b; }

 private:
  metric::places::Place place_;
};

namespace metric {
#define PROFGAUGE_CONSTANT(name, text) inline constexpr MetricId name{places::Place::name};
PROFGAUGE_METRICS(PROFGAUGE_CONSTANT)
#undef PROFGAUGE_CONSTANT

#define PROFGAUGE_NAME(name, text) name,
/// All ids, in catalog order.
inline constexpr std::array<MetricId, places::kCount> kAll = {PROFGAUGE_METRICS(PROFGAUGE_NAME)};
#undef PROFGAUGE_NAME
}  // namespace metric

/// Finds an id from a user, a rule or a file; nullopt if the catalog does not have it. O(1).
std::optional<MetricId> FindMetricId(std::string_view text);

/// The two metrics of one part of a whole.
struct PartMetrics {
  MetricId share, time;
};

}  // namespace profgauge
