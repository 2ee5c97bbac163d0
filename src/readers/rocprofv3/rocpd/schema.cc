#include "readers/rocprofv3/rocpd/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "readers/database/sqlite_table.h"
#include "readers/rocprofv3/rocprofv3_reader.h"
#include "readers/text/json_copy.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocpd {
namespace {

constexpr std::string_view kPrefix = "rocpd_";
/// Tables that every process has.
constexpr std::string_view kInfo[] = {"info_node", "info_process"};
/// Known tables that are not read, in schemas 3 to 3.0.5 and 4.1 and from AMD's viewer.
constexpr std::string_view kKnown[] = {"arg",
                                       "call_stack",
                                       "event",
                                       "graph_launch",
                                       "info_agent",
                                       "info_category",
                                       "info_code_object",
                                       "info_kernel_symbol",
                                       "info_node",
                                       "info_pc",
                                       "info_pmc",
                                       "info_process",
                                       "info_queue",
                                       "info_source_code",
                                       "info_stream",
                                       "info_thread",
                                       "kernel_dispatch",
                                       "line_info",
                                       "memory_allocate",
                                       "memory_copy",
                                       "metadata",
                                       "pmc_event",
                                       "region",
                                       "sample",
                                       "string",
                                       "track",
                                       "info_address_range"};

/// True if the suffix may become part of SQL statements.
bool IsPlain(std::string_view suffix) {
  constexpr std::size_t kLongest = 200;
  return suffix.size() <= kLongest && std::all_of(suffix.begin(), suffix.end(), [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                  (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '-';
         });
}

/// True if some tables of rows have times, and true if some have none.
struct RowTables {
  bool any_with = false, any_without = false;
};

Status LookForTimes(sqlite::Database& database, const std::string& suffix, RowTables& found) {
  for (const std::string_view base : {"kernel_dispatch", "memory_copy", "region", "sample"}) {
    PROFGAUGE_TRY(const auto scan, TableScan::Open(database, TableOf(base, suffix),
                                                   {{{"start", "timestamp"}}, {{"end"}}}));
    const bool has_times = scan.Has(0) && (scan.Has(1) || base == "sample");
    (has_times ? found.any_with : found.any_without) |= scan.exists();
  }
  return {};
}

}  // namespace

std::string TableOf(std::string_view base, const std::string& suffix) {
  return std::string(kPrefix) + std::string(base) + suffix;
}

std::vector<std::string> SuffixesOf(const std::set<std::string>& tables) {
  std::set<std::string> suffixes;
  for (const std::string_view base : kInfo) {
    const std::string start = TableOf(base, "");
    for (auto at = tables.lower_bound(start); at != tables.end() && at->starts_with(start); ++at) {
      std::string suffix = at->substr(start.size());
      if (IsPlain(suffix)) suffixes.insert(std::move(suffix));
    }
  }
  return {suffixes.begin(), suffixes.end()};
}

Result<std::vector<std::string>> UnknownTables(sqlite::Database& database,
                                               const std::set<std::string>& tables,
                                               const std::string& suffix) {
  constexpr std::size_t kUnknownTablesNamed = 8;
  std::vector<std::string> unknown;
  for (const std::string& table : tables) {
    const std::string_view name = table;
    if (!name.starts_with(kPrefix) || !name.ends_with(suffix)) continue;
    if (name.size() < kPrefix.size() + suffix.size() || unknown.size() == kUnknownTablesNamed)
      continue;
    const std::string_view base =
        name.substr(kPrefix.size(), name.size() - kPrefix.size() - suffix.size());
    if (!IsPlain(base) ||
        std::find(std::begin(kKnown), std::end(kKnown), base) != std::end(kKnown)) {
      continue;
    }
    PROFGAUGE_TRY(auto columns, database.Prepare("select name from pragma_table_info(?)"));
    columns.Bind(1, table);
    std::string text;
    while (true) {
      PROFGAUGE_TRY(const bool more, columns.Step());
      if (!more) break;
      text += (text.empty() ? "" : ", ") + PrintableShort(columns.Text(0), 40);
    }
    unknown.push_back(fmt::format("{} ({})", base, text));
  }
  return unknown;
}

Result<Metadata> ReadMetadata(sqlite::Database& database, const std::string& suffix) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(database, TableOf("metadata", suffix), {{{"tag"}}, {{"value"}}}));
  Metadata metadata;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::string_view tag = scan.Text(0);
    if (tag == "schema_version") metadata.version = PrintableShort(scan.Text(1), 40);
    if (tag == "compression") metadata.compression = PrintableShort(scan.Text(1), 40);
    if (tag == "upid") metadata.is_of_rocprof_sys = true;
  }));
  return metadata;
}

Status CheckLayout(sqlite::Database& database, const std::vector<std::string>& suffixes) {
  RowTables found;
  std::string version;
  for (const std::string& suffix : suffixes) {
    PROFGAUGE_TRY(const Metadata metadata, ReadMetadata(database, suffix));
    if (!metadata.compression.empty()) {
      return Fail(InputError(
          database.path(), "rocpd/compressed",
          fmt::format("the texts of the database are compressed ({})", metadata.compression),
          "record with `--no-rocpd-lz4`"));
    }
    if (version.empty()) version = metadata.version;
    PROFGAUGE_CHECK(LookForTimes(database, suffix, found));
  }
  if (found.any_with && !found.any_without) return {};
  return Fail(InputError(database.path(), "rocpd/unknown-schema",
                         fmt::format("the layout of the database is unknown (schema_version {})",
                                     version.empty() ? "missing" : version),
                         "expected schema_version 3 to 3.0.5 or 4.1.0, and `rocpd convert` does "
                         "not help; with another "
                         "release " +
                             std::string(rocprofv3::kRecord)));
}

namespace {

struct RankNames {
  std::string_view rank, size;
};
// torchrun's names come first: if SLURM runs one task per node, its rank is the node's.
constexpr RankNames kRanks[] = {
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

struct TracedDomain {
  std::string_view name, words;
  bool Environment::*flag;
};
constexpr TracedDomain kDomains[] = {
    {"ROCPROF_KERNEL_TRACE", "kernels", &Environment::kernels_traced},
    {"ROCPROF_MEMORY_COPY_TRACE", "copies", &Environment::copies_traced},
    {"ROCPROF_HIP_RUNTIME_API_TRACE", "HIP calls", nullptr},
    {"ROCPROF_RCCL_API_TRACE", "RCCL calls", nullptr},
    {"ROCPROF_MARKER_API_TRACE", "roctx ranges", nullptr},
};

constexpr std::string_view kFilters[] = {"ROCPROF_KERNEL_FILTER_INCLUDE_REGEX",
                                         "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX",
                                         "ROCPROF_KERNEL_FILTER_RANGE"};

std::int64_t NumberOf(const JsonRow& variables, std::string_view name) {
  const auto number = variables.Integer(name);
  return number && *number >= 0 && *number < std::numeric_limits<std::int32_t>::max() ? *number
                                                                                      : -1;
}

void TakeRank(const JsonRow& variables, Environment& out) {
  for (const auto& [rank, size] : kRanks) {
    if (variables.Find(rank) == nullptr) continue;
    out.rank = NumberOf(variables, rank);
    out.world_size = NumberOf(variables, size);
    if (out.world_size == 0) out.world_size = -1;
    if (out.world_size > 0 && out.rank >= out.world_size) out.rank = -1;
    return;
  }
}

bool IsOn(std::string_view value) {
  return value == "1" || value == "true" || value == "True" || value == "TRUE" || value == "on" ||
         value == "ON";
}

}  // namespace

// Reads variables that the profiler's command sets, one per domain: ROCPROF_HIP_RUNTIME_API_TRACE.
Environment EnvironmentOf(std::string_view json) {
  Environment out;
  ReadJsonObject(json, [&](const JsonRow& variables) {
    TakeRank(variables, out);
    for (const auto& [name, words, flag] : kDomains) {
      if (variables.Find(name) == nullptr) continue;
      out.says_traced = true;
      if (!IsOn(variables.Text(name))) continue;
      if (flag != nullptr) out.*flag = true;
      out.traced += (out.traced.empty() ? "" : ", ") + std::string(words);
    }
    if (variables.Find("ROCPROF_SELECTED_REGIONS") != nullptr &&
        IsOn(variables.Text("ROCPROF_SELECTED_REGIONS"))) {
      out.traced += (out.traced.empty() ? "" : ", ") + std::string("only in selected regions");
    }
    // Only notes that a filter is set, because its text may have private names.
    const auto filters = [&](std::string_view name) { return !variables.Text(name).empty(); };
    if (std::any_of(std::begin(kFilters), std::end(kFilters), filters)) {
      out.traced += (out.traced.empty() ? "" : ", ") + std::string("only kernels of a filter");
    }
  });
  return out;
}

std::string ScrubbedEnvironment(std::string_view json) {
  static const JsonKeep kKeep = [] {
    JsonKeep keep = {"rocpd", {"ROCPROF_SELECTED_REGIONS"}, {}};
    for (const auto& [rank, size] : kRanks) {
      keep.paths.insert(keep.paths.end(), {std::string(rank), std::string(size)});
    }
    for (const auto& domain : kDomains) keep.paths.emplace_back(domain.name);
    for (const std::string_view filter : kFilters) keep.paths.emplace_back(filter);
    keep.clean = [](std::string_view path, std::string_view text) {
      const bool is_filter =
          std::find(std::begin(kFilters), std::end(kFilters), path) != std::end(kFilters);
      return std::string(is_filter && !text.empty() ? "hidden" : text);
    };
    return keep;
  }();
  return CopyJsonText(json, kKeep);
}

}  // namespace profgauge::readers::rocpd
