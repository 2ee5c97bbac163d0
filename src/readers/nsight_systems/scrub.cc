#include "readers/nsight_systems/scrub.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/sqlite.h"
#include "readers/database/sqlite_file.h"
#include "readers/database/sqlite_table.h"
#include "readers/text/without_paths.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

/// A table whose rows are kept, with these columns where they exist.
struct Kept {
  std::string_view table;
  std::vector<std::string_view> columns;
  std::vector<std::string_view> strings;  ///< The columns that are ids of StringIds.
  std::string_view rows = {};             ///< Condition on rows; empty: all.
};

std::vector<Kept> KeptOfDevices() {
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

std::vector<Kept> KeptOfTheHost() {
  return {
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
       {"nameId"}},
      {"NVTX_EVENTS",
       {"start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid",
        "endGlobalTid", "textId", "domainId", "uint64Value", "int64Value", "doubleValue",
        "uint32Value", "int32Value", "floatValue"},
       {"textId"}},
      {"OSRT_API", {"start", "end", "globalTid", "nameId", "returnValue"}, {"nameId"}},
      {"PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, {"nameId"}},
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

std::vector<Kept> KeptOfTheTarget() {
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

std::vector<Kept> KeptOfTheExport() {
  return {
      {"META_DATA_EXPORT",
       {"name", "value"},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"EXPORT_META_DATA",
       {"name", "value"},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"META_DATA_CAPTURE",
       {"name", "value"},
       {},
       "name in ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'PROCESS_0:COLLECT_NVTX_TRACE', "
       "'PROCESS_0:COLLECT_CUDA_TRACE')"},
      {"TARGET_INFO_SYSTEM_ENV",
       {"name", "value"},
       {},
       "name in ('CpuCores', 'CpuDescription', 'CudaDriverVersion', 'NvDriverVersion')"},
      {"DIAGNOSTIC_EVENT", {"timestamp", "timestampType", "severity", "text", "globalPid"}, {}},
  };
}

std::vector<Kept> AllKept() {
  std::vector<Kept> all;
  for (const auto part : {KeptOfDevices, KeptOfTheHost, KeptOfTheTarget, KeptOfTheExport}) {
    for (Kept& kept : part()) all.push_back(std::move(kept));
  }
  return all;
}

/// nsys' own messages; the rest of a diagnostic's text may name files and users.
constexpr std::string_view kPhrases[] = {
    "Not all CUDA events might have been collected.", "is not supported by this build",
    "CUDA profiling might have not been started correctly", "No NVTX events collected."};

Error OutputError(const std::string& path, std::string code, std::string message,
                  std::string help) {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = path;
  if (!help.empty()) error.notes = {"help: " + std::move(help)};
  return error;
}

/// Written beside the target; removed unless it was put in place.
class Partial {
 public:
  explicit Partial(const std::string& target)
      : target_(target), path_(fmt::format("{}.partial-{}", target, ::getpid())) {}
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  ~Partial() {
    std::error_code ignored;
    for (const char* suffix : {"", "-journal"}) fs::remove(path_ + suffix, ignored);
  }
  const std::string& path() const { return path_; }

  /// A link, unlike a rename, never takes another's place.
  Status PutInPlace() const {
    std::error_code failed;
    fs::create_hard_link(path_, target_, failed);
    if (failed == std::errc::file_exists) return Fail(Exists(target_));
    if (failed) fs::copy_file(path_, target_, fs::copy_options::none, failed);
    if (!failed) return {};
    return Fail(
        OutputError(target_, "output/cannot-write", "cannot write: " + failed.message(), ""));
  }
  static Error Exists(const std::string& target) {
    return OutputError(target, "output/exists", "the file exists already",
                       "name a new file; scrub overwrites nothing");
  }

 private:
  std::string target_, path_;
};

class Copier {
 public:
  Copier(sqlite::Database& out, std::set<std::string> tables)
      : out_(out), tables_(std::move(tables)) {}

  Result<Scrubbed> Run() {
    for (const Kept& kept : AllKept()) {
      if (!tables_.contains(std::string(kept.table))) continue;
      PROFGAUGE_CHECK(Copy(kept));
    }
    PROFGAUGE_CHECK(CopyStrings());
    done_.tables_left_out = static_cast<std::int64_t>(tables_.size()) - done_.tables_kept;
    done_.texts_changed = changed_;
    return done_;
  }

  std::string Clean(std::string_view text) {
    std::string clean = WithoutPaths(text);
    changed_ += clean == text ? 0 : 1;
    return clean;
  }

 private:
  static std::string Quoted(std::string_view name) { return fmt::format("\"{}\"", name); }

  Result<std::set<std::string>> ColumnsOf(std::string_view table) {
    PROFGAUGE_TRY(auto statement,
                  out_.Prepare(fmt::format("pragma source.table_info(\"{}\")", table)));
    std::set<std::string> columns;
    while (true) {
      PROFGAUGE_TRY(const bool more, statement.Step());
      if (!more) return columns;
      columns.emplace(statement.Text(1));
    }
  }

  Status Copy(const Kept& kept) {
    PROFGAUGE_TRY(const std::set<std::string> there, ColumnsOf(kept.table));
    std::string list;
    for (const std::string_view column : kept.columns) {
      if (!there.contains(std::string(column))) continue;
      std::string value = Quoted(column);
      if (column == "text") {
        value = fmt::format("{}({}) as {}", kept.table == "DIAGNOSTIC_EVENT" ? "phrase" : "clean",
                            value, value);
      }
      list += (list.empty() ? "" : ", ") + value;
    }
    if (list.empty()) return {};
    PROFGAUGE_CHECK(out_.Execute(fmt::format("create table {0} as select {1} from source.{0}{2}{3}",
                                             Quoted(kept.table), list,
                                             kept.rows.empty() ? "" : " where ", kept.rows)));
    ++done_.tables_kept;
    for (const std::string_view column : kept.strings) {
      if (!there.contains(std::string(column))) continue;
      string_uses_ += fmt::format("{}select {} from {}", string_uses_.empty() ? "" : " union ",
                                  Quoted(column), Quoted(kept.table));
    }
    return {};
  }

  // Only texts to which kept rows refer.
  Status CopyStrings() {
    if (!tables_.contains("StringIds")) return {};
    ++done_.tables_kept;
    return out_.Execute(fmt::format(
        "create table StringIds as select id, clean(value) as value from source.StringIds "
        "where id in ({})",
        string_uses_.empty() ? "select null" : string_uses_));
  }

  sqlite::Database& out_;
  std::set<std::string> tables_;
  std::string string_uses_;
  Scrubbed done_;
  std::int64_t changed_ = 0;
};

Error NotAnExport(const std::string& in) {
  return InputError(in, "scrub/not-an-export",
                    "expected an SQLite export of Nsight Systems, found another database",
                    "for other databases, share a report: `profgauge report PROFILE "
                    "--redact=code`");
}

// Whether it can be read and is no database; SQLite has the message for unreadable files.
bool IsOtherFile(const std::string& in) {
  std::ifstream file(in, std::ios::binary);
  std::string head(16, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.is_open() && !file.bad() && !IsSqlite(head);
}

Result<std::set<std::string>> TablesOf(const std::string& in) {
  if (IsOtherFile(in)) return Fail(NotAnExport(in));
  PROFGAUGE_TRY(auto source,
                sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
  PROFGAUGE_TRY(std::set<std::string> tables, TableNames(source));
  const bool is_export = tables.contains("StringIds") || tables.contains("NVTX_EVENTS") ||
                         tables.contains("TARGET_INFO_GPU");
  if (!is_export) return Fail(NotAnExport(in));
  return tables;
}

std::string PhraseOf(std::string_view text) {
  for (const std::string_view phrase : kPhrases) {
    if (text.find(phrase) != std::string_view::npos) return std::string(phrase);
  }
  return {};
}

}  // namespace

Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(out, ignored))) return Fail(Partial::Exists(out));
  PROFGAUGE_TRY(std::set<std::string> tables, TablesOf(in));
  const Partial partial(out);
  Scrubbed done;
  {
    PROFGAUGE_TRY(auto database, sqlite::Database::Open(partial.path(), sqlite::Mode::kReadWrite,
                                                        ErrorKind::kOutput));
    PROFGAUGE_CHECK(database.AttachImmutable(in, "source"));
    Copier copier(database, std::move(tables));
    PROFGAUGE_CHECK(database.AddTextFunction(
        "clean", [&copier](std::string_view text) { return copier.Clean(text); }));
    PROFGAUGE_CHECK(database.AddTextFunction("phrase", PhraseOf));
    PROFGAUGE_CHECK(database.Execute("pragma main.journal_mode = off; begin"));
    PROFGAUGE_TRY(done, copier.Run());
    PROFGAUGE_CHECK(database.Execute("commit"));
  }
  PROFGAUGE_CHECK(partial.PutInPlace());
  return done;
}

}  // namespace profgauge::readers
