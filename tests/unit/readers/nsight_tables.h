// Tables of Nsight Systems' exports that several tests make, each with the columns of one version.
// A test of another version's columns makes its table itself, or alters one of these.
#pragma once

namespace profgauge::readers::nsight_tables {

inline constexpr char kStringIds[] = "create table StringIds (id integer, value text);";

inline constexpr char kGpus[] =
    "create table TARGET_INFO_GPU (id integer, name text, cuDevice integer, smCount integer);";

inline constexpr char kNamedKernels[] =  // Without their launches.
    "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, "
    "streamId integer, correlationId integer, globalPid integer, demangledName integer);";

inline constexpr char kGraphTraces[] =
    "create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start integer, end integer, deviceId integer, "
    "streamId integer, correlationId integer, globalPid integer, graphId integer);";

inline constexpr char kRuntimeCalls[] =
    "create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer, globalTid integer, "
    "correlationId integer, nameId integer, returnValue integer);";

inline constexpr char kNvtxTexts[] =  // Only texts: no text ids, domains or ranges across threads.
    "create table NVTX_EVENTS (start integer, end integer, eventType integer, text text, "
    "globalTid integer);";

inline constexpr char kOsCalls[] =
    "create table OSRT_API (start integer, end integer, globalTid integer, nameId integer);";

inline constexpr char kScheduling[] =
    "create table SCHED_EVENTS (start integer, isSchedIn integer, globalTid integer);";

inline constexpr char kGpuMetrics[] =
    "create table GPU_METRICS (typeId integer, timestamp integer, metricId integer, "
    "value integer);";

inline constexpr char kGpuMetricNames[] =
    "create table TARGET_INFO_GPU_METRICS (typeId integer, metricId integer, metricName text);";

inline constexpr char kDiagnostics[] =
    "create table DIAGNOSTIC_EVENT (severity integer, text text, globalPid integer);";

inline constexpr char kCaptureMetadata[] =
    "create table META_DATA_CAPTURE (name text, value text);";

}  // namespace profgauge::readers::nsight_tables
