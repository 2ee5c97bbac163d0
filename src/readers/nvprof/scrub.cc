#include "readers/nvprof/scrub.h"

#include <string_view>
#include <utility>
#include <vector>

#include "readers/nvprof/import.h"

namespace profgauge::readers::nvprof {
namespace {

std::vector<KeptTable> KeptOfDevices() {
  const std::vector<std::string_view> kernel = {"start",
                                                "end",
                                                "deviceId",
                                                "streamId",
                                                "correlationId",
                                                "name",
                                                "gridX",
                                                "gridY",
                                                "gridZ",
                                                "blockX",
                                                "blockY",
                                                "blockZ",
                                                "registersPerThread",
                                                "staticSharedMemory",
                                                "dynamicSharedMemory"};
  const std::vector<std::string_view> copy = {"start",    "end",           "deviceId",
                                              "streamId", "correlationId", "bytes",
                                              "copyKind", "srcKind",       "dstKind"};
  return {
      {"CUPTI_ACTIVITY_KIND_DEVICE",
       {"id", "name", "globalMemorySize", "numMultiprocessors", "computeCapabilityMajor",
        "computeCapabilityMinor", "numThreadsPerWarp", "maxWarpsPerMultiprocessor"},
       {},
       {"name"}},
      {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", kernel, {"name"}},
      {"CUPTI_ACTIVITY_KIND_KERNEL", kernel, {"name"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", copy},
      {"CUPTI_ACTIVITY_KIND_MEMCPY2", copy},
      {"CUPTI_ACTIVITY_KIND_MEMSET",
       {"start", "end", "deviceId", "streamId", "correlationId", "bytes"}},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"start", "end", "streamId", "type"}},
  };
}

std::vector<KeptTable> KeptOfTheHost() {
  const std::vector<std::string_view> call = {"start",         "end",  "processId",  "threadId",
                                              "correlationId", "cbid", "returnValue"};
  std::vector<KeptTable> kept = {
      {"CUPTI_ACTIVITY_KIND_RUNTIME", call},
      {"CUPTI_ACTIVITY_KIND_DRIVER", call},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "overheadKind", "objectKind", "objectId"}},
      {"CUPTI_ACTIVITY_KIND_MARKER",
       {"flags", "timestamp", "id", "objectId", "name", "domain"},
       {"name", "domain"}},
      {"Version", {"version", "value"}},
  };
  // Only the number of rows matters for these tables.
  for (const char* counted : {"CUPTI_ACTIVITY_KIND_METRIC_INSTANCE", "CUPTI_ACTIVITY_KIND_METRIC",
                              "CUPTI_ACTIVITY_KIND_EVENT_INSTANCE", "CUPTI_ACTIVITY_KIND_EVENT",
                              "CUPTI_ACTIVITY_KIND_PC_SAMPLING"}) {
    kept.push_back({counted, {"_id_"}});
  }
  return kept;
}

}  // namespace

Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out,
                               const Rename& rename) {
  std::vector<KeptTable> tables = KeptOfDevices();
  for (KeptTable& table : KeptOfTheHost()) tables.push_back(std::move(table));
  // A linker symbol is one word, in which `rename` could not recognize the names of libraries.
  const Rename demangled = [&rename](std::string_view name) { return rename(Demangled(name)); };
  return CopyTables(in, out, {std::move(tables), {{"StringTable", "_id_", "value"}}},
                    rename ? demangled : rename);
}

}  // namespace profgauge::readers::nvprof
