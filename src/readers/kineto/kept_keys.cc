#include "readers/kineto/kineto_reader.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "readers/text/json_copy.h"

namespace profgauge::readers::kineto {
namespace {

/// Keys of the document: those that envelope.cc reads.
constexpr std::string_view kDocument[] = {
    "schemaVersion", "displayTimeUnit", "baseTimeNanoseconds", "record_shapes", "profile_memory",
    "with_stack", "with_flops", "with_modules", "cupti_version", "cuda_runtime_version",
    "cuda_driver_version", "roctracer_version", "rocprofiler_version", "hip_runtime_version",
    "hip_driver_version", "Framework", "WARNING", "ERROR",
    // Keys of devices, and of the run's ranks.
    "deviceProperties/id", "deviceProperties/name", "deviceProperties/computeMajor",
    "deviceProperties/computeMinor", "deviceProperties/numSms", "deviceProperties/totalGlobalMem",
    "deviceProperties/maxThreadsPerMultiprocessor", "deviceProperties/warpSize",
    "distributedInfo/backend", "distributedInfo/rank", "distributedInfo/world_size",
    "distributedInfo/nccl_version", "distributedInfo/pg_count", "distributedInfo/pg_config/pg_name",
    "distributedInfo/pg_config/pg_desc", "distributedInfo/pg_config/pg_size",
    "distributedInfo/pg_config/ranks",
    // Times of unrecorded iterations (rules/schemas/run.json).
    "profgauge.run/schema", "profgauge.run/clock", "profgauge.run/attached", "profgauge.run/warmup",
    "profgauge.run/segments/", "profgauge.run/batches/", "profgauge.run/windows",
    "profgauge.run/marks", "profgauge.run/rank", "profgauge.run/world_size", "profgauge.run/work/"};
/// Keys of events and of their arguments: those of raw_event.cc.
constexpr std::string_view kEvent[] = {"ph", "cat", "name", "pid", "tid",
                                       "ts", "dur", "id",   "bp",  "s"};
constexpr std::string_view kArgs[] = {"correlation",
                                      "External id",
                                      "external id",
                                      "device",
                                      "stream",
                                      "sycl queue",
                                      "bytes",
                                      "registers per thread",
                                      "shared memory",
                                      "grid",
                                      "block",
                                      "blocks per SM",
                                      "warps per SM",
                                      "est. achieved occupancy %",
                                      "theoretical occupancy %",
                                      "Input Dims",
                                      "Input dims",
                                      "Input type",
                                      "Concrete Inputs",
                                      "Call stack",
                                      "Sequence number",
                                      "Fwd thread id",
                                      "Python id",
                                      "Python parent id",
                                      "Python module id",
                                      "Device Type",
                                      "Device Id",
                                      "Addr",
                                      "Bytes",
                                      "Total Allocated",
                                      "Total Reserved",
                                      "Collective name",
                                      "dtype",
                                      "In msg nelems",
                                      "Out msg nelems",
                                      "Group size",
                                      "Process Group Name",
                                      "Process Group ID",
                                      "Process Group Description",
                                      "Seq",
                                      "Src Rank",
                                      "Dst Rank",
                                      "name",
                                      "kernel",
                                      "rank",
                                      "labels",
                                      "sort_index"};

/// The arguments that are names of code; texts of the others are the profiler's own.
constexpr std::string_view kNames[] = {
    "Call stack", "Concrete Inputs", "Process Group Name", "Process Group Description", "name",
    "kernel",     "labels"};

/// Of events "name", of arguments kNames, of ranks what their groups are called.
bool IsName(std::string_view path) {
  if (path.starts_with("traceEvents/")) path.remove_prefix(std::string_view("traceEvents/").size());
  if (path.starts_with("args/")) return IsNameArgument(path.substr(5));
  return path == "name" || path == "distributedInfo/pg_config/pg_name" ||
         path == "distributedInfo/pg_config/pg_desc";
}

std::vector<std::string> Paths() {
  std::vector<std::string> paths(std::begin(kDocument), std::end(kDocument));
  // A file is an object with the list, or the list.
  for (const std::string_view list : {"traceEvents/", ""}) {
    for (const std::string_view key : kEvent) paths.push_back(fmt::format("{}{}", list, key));
    for (const std::string_view key : kArgs) {
      paths.push_back(fmt::format("{}args/{}", list, key));
    }
  }
  return paths;
}

/// The known messages of the profiler's own log about missing activity; the others may hold
/// anything.
std::string KnownPhrase(std::string_view text) {
  static const RE2 kKnown(R"((Dropped \d+ activity records|Exceeded max GPU buffer count|)"
                          R"(CollectTrace stopped by GPU profiler|GPU trace is empty!))");
  std::string phrase;
  RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kKnown, &phrase);
  return phrase;
}

}  // namespace

bool IsNameArgument(std::string_view key) {
  return std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames);
}

// Other texts are names of code, which `rename` replaces, or the profiler's own, from which folders
// are cut.
JsonKeep KeptKeys(const Rename& rename) {
  return {"kineto", Paths(), [&rename](std::string_view path, std::string_view text) {
            if (path == "WARNING" || path == "ERROR") return KnownPhrase(text);
            return IsName(path) ? CopiedName(text, rename) : WithoutPaths(text);
          }};
}

}  // namespace profgauge::readers::kineto
