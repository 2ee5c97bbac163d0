#include "readers/nsight_systems/nsight_reader.h"

#include <set>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/sqlite.h"
#include "readers/database/sqlite_table.h"

namespace profgauge::readers {
namespace {

std::vector<KeptTable> KeptOfDevices() {
  const std::vector<std::string_view> device = {"start",     "end",        "deviceId",
                                                "contextId", "streamId",   "correlationId",
                                                "globalPid", "graphNodeId"};
  const auto with = [](std::vector<std::string_view> columns,
                       std::initializer_list<std::string_view> more) {
    columns.insert(columns.end(), more);
    return columns;
  };
  return {
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       with(device,
            {"demangledName", "shortName", "launchType", "registersPerThread", "gridX", "gridY",
             "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory"}),
       {"demangledName", "shortName"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", with(device, {"bytes", "copyKind", "srcKind", "dstKind"}), {}},
      {"CUPTI_ACTIVITY_KIND_MEMSET", with(device, {"bytes", "memKind"}), {}},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", with(device, {"syncType", "eventId"}), {}},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", with(device, {"graphId", "graphExecId"}), {}},
  };
}

std::vector<KeptTable> KeptOfTheHost() {
  return {
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
       {},
       {"nameId"}},
      {"NVTX_EVENTS",
       {"start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid",
        "endGlobalTid", "textId", "domainId", "uint64Value", "int64Value", "doubleValue",
        "uint32Value", "int32Value", "floatValue"},
       {"textId"},
       {},
       {{"text", "name"}}},
      {"OSRT_API", {"start", "end", "globalTid", "nameId", "returnValue"}, {}, {"nameId"}},
      {"PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, {}, {"nameId"}},
      {"SCHED_EVENTS",
       {"start", "cpu", "isSchedIn", "globalTid", "threadState", "threadBlock"},
       {}},
      {"ENUM_SAMPLING_THREAD_STATE", {"id", "label"}, {}},
      {"ENUM_SCHEDULING_THREAD_BLOCK", {"id", "label"}, {}},
      {"COMPOSITE_EVENTS", {"id", "start", "globalTid"}, {}},
      {"SAMPLING_CALLCHAINS",
       {"id", "symbol", "module", "unresolved", "stackDepth"},
       {"symbol", "module"}},
  };
}

std::vector<KeptTable> KeptOfTheTarget() {
  const std::vector<std::string_view> gpu = {"id",
                                             "deviceId",
                                             "cuDevice",
                                             "name",
                                             "totalMemory",
                                             "globalMemoryBytes",
                                             "smCount",
                                             "multiprocessorCount",
                                             "numMultiprocessors",
                                             "computeMajor",
                                             "computeMinor",
                                             "computeCapabilityMajor",
                                             "computeCapabilityMinor",
                                             "threadsPerWarp",
                                             "numThreadsPerWarp",
                                             "maxWarpSize",
                                             "memoryBandwidth",
                                             "clockRate"};
  return {
      {"GPU_METRICS", {"typeId", "timestamp", "metricId", "value"}, {}},
      {"TARGET_INFO_GPU_METRICS", {"typeId", "typeName", "metricId", "metricName"}, {}},
      {"TARGET_INFO_GPU", gpu, {}},
      {"TARGET_INFO_CUDA_GPU", gpu, {}},
      {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, {}},
      {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, {}},
      {"ANALYSIS_DETAILS", {"globalVid", "duration", "startTime", "stopTime"}, {}},
  };
}

// Tables of names and values hold the environment and the command line, too: rows are chosen.
std::vector<KeptTable> KeptOfTheExport() {
  return {
      {"META_DATA_EXPORT",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"EXPORT_META_DATA",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"META_DATA_CAPTURE",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'PROCESS_0:COLLECT_NVTX_TRACE', "
       "'PROCESS_0:COLLECT_CUDA_TRACE')"},
      {"TARGET_INFO_SYSTEM_ENV",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('CpuCores', 'CpuDescription', 'CudaDriverVersion', 'NvDriverVersion')"},
      {"DIAGNOSTIC_EVENT",
       {"timestamp", "timestampType", "severity", "text", "globalPid"},
       {},
       {},
       {{"text", "phrase"}}},
  };
}

std::vector<KeptTable> AllKept() {
  std::vector<KeptTable> all;
  for (const auto part : {KeptOfDevices, KeptOfTheHost, KeptOfTheTarget, KeptOfTheExport}) {
    for (KeptTable& kept : part()) all.push_back(std::move(kept));
  }
  return all;
}

/// nsys' own messages; the rest of a diagnostic's text may name files and users.
constexpr std::string_view kPhrases[] = {
    "Not all CUDA events might have been collected.", "is not supported by this build",
    "CUDA profiling might have not been started correctly", "No NVTX events collected."};

Error NotAnExport(const std::string& in) {
  return InputError(in, "scrub/not-an-export",
                    "expected an SQLite export of Nsight Systems, found another database",
                    "for other databases, share a report: `profgauge report PROFILE "
                    "--redact=code`");
}

// Whether it can be read and is no database; SQLite has the message for unreadable files.
bool IsOtherFile(const std::string& in) {
  constexpr std::size_t kMagic = 16;
  const auto file = OpenInput(in, Named::kFound);
  return file && file->size() && !IsSqlite(ReadHead(in, kMagic));
}

Status CheckIsExport(const std::string& in) {
  if (IsOtherFile(in)) return Fail(NotAnExport(in));
  PROFGAUGE_TRY(auto source,
                sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
  PROFGAUGE_TRY(const std::set<std::string> tables, TableNames(source));
  if (!IsExport(tables)) return Fail(NotAnExport(in));
  return {};
}

/// Only the phrase stays of a message that has one; all other messages become empty.
std::string PhraseOf(std::string_view text) {
  for (const std::string_view phrase : kPhrases) {
    if (text.find(phrase) != std::string_view::npos) return std::string(phrase);
  }
  return {};
}

}  // namespace

bool IsExport(const std::set<std::string>& tables) {
  return tables.contains("StringIds") || tables.contains("NVTX_EVENTS") ||
         tables.contains("TARGET_INFO_GPU");
}

Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out, const Rename& rename) {
  PROFGAUGE_CHECK(CheckIsNew(out));
  PROFGAUGE_CHECK(CheckIsExport(in));
  return CopyTables(in, out, {AllKept(), {{"StringIds"}}, {{"phrase", PhraseOf}}}, rename);
}

}  // namespace profgauge::readers
