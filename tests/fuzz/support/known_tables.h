// The tables that readers of databases know, with all columns that they ask for.
#pragma once

#include <string_view>

namespace profgauge::fuzz {

// clang-format off
inline constexpr std::string_view kKnownTables[] = {
    // Nsight Systems.
    "# StringIds|id|value",
    "# CUPTI_ACTIVITY_KIND_KERNEL|start|end|deviceId|streamId|correlationId|globalPid|demangledName|shortName|gridX|gridY|gridZ|blockX|blockY|blockZ|registersPerThread|staticSharedMemory|dynamicSharedMemory|graphNodeId",
    "# CUPTI_ACTIVITY_KIND_MEMCPY|start|end|deviceId|streamId|correlationId|globalPid|bytes|copyKind|srcKind|dstKind",
    "# CUPTI_ACTIVITY_KIND_MEMSET|start|end|deviceId|streamId|correlationId|globalPid|bytes",
    "# CUPTI_ACTIVITY_KIND_GRAPH_TRACE|start|end|deviceId|streamId|correlationId|globalPid|graphId",
    "# CUPTI_ACTIVITY_KIND_SYNCHRONIZATION|start|end|deviceId|streamId|correlationId|globalPid|syncType",
    "# CUPTI_ACTIVITY_KIND_RUNTIME|start|end|globalTid|correlationId|nameId|returnValue",
    "# NVTX_EVENTS|start|end|eventType|text|textId|globalTid|endGlobalTid|domainId|uint64Value|int64Value|doubleValue|uint32Value|int32Value|floatValue|jsonText|category|color|binaryData",
    "# NVTX_PAYLOAD_SCHEMA_ENTRIES|domainId|schemaId|type|name|offset|idx",
    "# ThreadNames|nameId|globalTid",
    "# OSRT_API|start|end|globalTid|nameId",
    "# CUDNN_EVENTS|start|end|globalTid|nameId",
    "# CUBLAS_EVENTS|start|end|globalTid|nameId",
    "# SCHED_EVENTS|start|isSchedIn|globalTid|cpu|threadState|threadBlock",
    "# ENUM_SAMPLING_THREAD_STATE|id|label",
    "# ENUM_SCHEDULING_THREAD_BLOCK|id|label",
    "# COMPOSITE_EVENTS|id|start|globalTid",
    "# SAMPLING_CALLCHAINS|id|symbol|module|unresolved|stackDepth",
    "# GPU_METRICS|typeId|metricId|value",
    "# TARGET_INFO_GPU_METRICS|metricId|metricName|typeId",
    "# TARGET_INFO_GPU|cuDevice|id|name|totalMemory|smCount|computeMajor|computeMinor|threadsPerWarp",
    "# TARGET_INFO_CUDA_GPU|deviceId|name|globalMemoryBytes|multiprocessorCount|computeCapabilityMajor|computeCapabilityMinor|maxWarpSize",
    "# TARGET_INFO_CUDA_DEVICE|gpuId|cudaId|pid",
    "# TARGET_INFO_SYSTEM_ENV|name|value",
    "# META_DATA_EXPORT|name|value",
    "# META_DATA_CAPTURE|name|value",
    "# ANALYSIS_DETAILS|startTime|stopTime",
    "# TARGET_INFO_SESSION_START_TIME|utcEpochNs",
    "# DIAGNOSTIC_EVENT|severity|text",
    // NVProf.
    "# StringTable|_id_|value",
    "# Version|version",
    "# CUPTI_ACTIVITY_KIND_DEVICE|id|name|globalMemorySize|numMultiprocessors|computeCapabilityMajor|computeCapabilityMinor|numThreadsPerWarp|maxWarpsPerMultiprocessor",
    "# CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL|start|end|deviceId|streamId|correlationId|name|gridX|gridY|gridZ|blockX|blockY|blockZ|registersPerThread|staticSharedMemory|dynamicSharedMemory",
    "# CUPTI_ACTIVITY_KIND_MEMCPY2|start|end|deviceId|streamId|correlationId|bytes|copyKind|srcKind|dstKind",
    "# CUPTI_ACTIVITY_KIND_SYNCHRONIZATION|start|end|streamId|type",
    "# CUPTI_ACTIVITY_KIND_RUNTIME|start|end|processId|threadId|correlationId|cbid|returnValue",
    "# CUPTI_ACTIVITY_KIND_DRIVER|start|end|processId|threadId|correlationId|cbid|returnValue",
    "# CUPTI_ACTIVITY_KIND_MARKER|flags|timestamp|id|objectId|name|domain",
    // DLProf.
    "# dictionary|id|string",
    "# db_version|current_version",
    "# read_only_system_config|cpu_model|driver_version|framework|cuda_version|cudnn_version|nsys_version|dlprof_version|mode_string",
    "# gpu_memories|total|used",
    "# read_only_gpu_infos|device_id|gpu_name|compute_capability_major|compute_capability_minor|sm_count",
    "# read_only_model_config|num_workers|pin_memory|cudnn_benchmark_disabled|detect_anomaly|gradcheck|gradgradcheck|autograd_profile|autograd_set_detect_anomaly|emit_nvtx|amp_enabled",
    "# read_only_ops|id|op_id|op_name|op_type_id|direction_id|data_type_id|stack_trace|tc_support_status",
    "# read_only_op_instances|read_only_ops_id|cpu_start|cpu_stop|process_id|thread_id|input_shapes_id",
    "# read_only_kernels|read_only_ops_id|op_instance|name_id|api_start|api_stop|process_id|thread_id|gpu_start|gpu_stop|device_id|long_name_id|grid_id|block_id",
    "# read_only_memcpys|read_only_ops_id|op_instance|name_id|api_start|api_stop|process_id|thread_id|gpu_start|gpu_stop|device_id|num_bytes|copy_kind",
    "# read_only_memsets|read_only_ops_id|op_instance|name_id|api_start|api_stop|process_id|thread_id|gpu_start|gpu_stop|device_id|num_bytes",
    "# read_only_cuda_syncs|read_only_ops_id|op_instance|name_id|api_start|api_stop|process_id|thread_id",
    "# read_only_cuda_calls|read_only_ops_id|op_instance|name_id|api_start|api_stop|process_id|thread_id",
    "# read_only_grid_block|id|x|y|z",
    "# iteration_list|aggr_id|iter_value|start_time|stop_time",
    "# metric|id|aggr_id|sum|avg|min|max",
    "# node_time_metrics|id|aggr_id|cpu_time_metric_id|gpu_time_metric_id|cpu_overhead_time_metric_id|gpu_idle_time_metric_id",
    "# op_nodes|aggr_id|read_only_ops_id|node_time_metrics_id",
    "# kernel_summaries|aggr_id|read_only_ops_id|kernel_name_id|gpu_time_metric_id",
    "# group_ops|aggr_id|group_op_full_name_id|num_op_instances|num_supported_leaf_ops|num_tc_leaf_ops|group_op_time_metrics_id|row_type",
    "# expert_systems_feedback|aggr_id|problem|recommendation",
    "# model_summary|aggr_id|wall_time|iter_start|iter_stop|iter_aggregated|gpu_utilization|tc_utilization|tc_duration_pct|non_tc_duration_pct|memory_duration_pct|dataloader_duration_pct|cpu_duration_pct|other_duration_pct|io_duration_pct",
};
// clang-format on

}  // namespace profgauge::fuzz
