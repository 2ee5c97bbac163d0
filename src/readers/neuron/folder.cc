#include "readers/neuron/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/text.h"
#include "readers/folders.h"
#include "readers/neuron/file_tables.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/neuron/tables.h"
#include "readers/text/csv.h"

namespace profgauge::readers::neuron {
namespace {

/// Names of the raw files of a system capture.
constexpr std::string_view kRaw[] = {"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"};

}  // namespace

std::optional<Error> RefuseRaw(const std::string& path, std::string_view) {
  if (path.ends_with(".ntff") || path.ends_with(".neff")) {
    return InputError(path, path.ends_with(".ntff") ? "neuron/ntff" : "neuron/neff",
                      "the file is in Neuron's own format, which only its own tools can read",
                      std::string(kExport));
  }
  const bool is_raw = std::any_of(std::begin(kRaw), std::end(kRaw),
                                  [&](std::string_view name) { return path.ends_with(name); });
  if (!is_raw) return std::nullopt;
  return InputError(path, "neuron/raw",
                    "the file is a part of a raw capture of Neuron, which only its own tools can "
                    "read",
                    "export the capture with `neuron-explorer view -d DIR --ingest-only "
                    "--display-name NAME`, then pass the folder `profiles/global/NAME@latest`; "
                    "before SDK 2.27 with `neuron-profile view -d DIR --output-format json`");
}

std::vector<std::string> ProfilesBelow(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto is_latest = [](const fs::path& below) {
    return below.filename().string().ends_with("@latest");
  };
  std::vector<std::string> found =
      FoldersBelow((fs::path(folder) / "profiles" / "global").string(), is_latest);
  return found.empty() ? FoldersBelow(folder, is_latest) : found;
}

Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run) {
  const auto rest = TablesOf(files);
  const std::vector<std::string> found(rest, files.end());
  files.erase(rest, files.end());
  for (const auto& [folder, paths] : ByFolder(found)) {
    PROFGAUGE_TRY(TableFiles tables, OrderTables(paths));
    PROFGAUGE_TRY(auto profile, ReadNeuronTables(tables, options));
    run.profiles.push_back(std::move(profile));
    std::move(tables.skipped.begin(), tables.skipped.end(), std::back_inserter(run.skipped));
  }
  return {};
}

void SettleHost(Run& run) {
  const auto is_system = [](const Profile& profile) {
    return profile.source.format == "neuron" && profile.neuron == nullptr;
  };
  const auto device =
      std::find_if(run.profiles.begin(), run.profiles.end(),
                   [](const Profile& profile) { return profile.neuron != nullptr; });
  if (device == run.profiles.end()) return;
  Reported host;
  for (Profile& profile : run.profiles) {
    if (!is_system(profile)) continue;
    if (host.metrics.empty()) host = std::move(profile.reported);
    run.skipped.push_back(
        profile.source.path +
        ": used for memory and CPUs of the host; pass only this file to get its timeline");
  }
  if (device->reported.metrics.empty()) device->reported = std::move(host);
  std::erase_if(run.profiles, is_system);
}

namespace {

// Keys that only Neuron's format has.
constexpr std::string_view kJsonMarks[] = {"\"evt_wait_time\"",
                                           "\"nc_mem_usage\"",
                                           "\"semaphore_update\"",
                                           "\"neff_header\"",
                                           "\"neff_node\"",
                                           "\"packet_aggregation_id\"",
                                           "\"layer_summary\"",
                                           "\"ticks_per_nanosec\"",
                                           "\"neuroncore_cycle_count\"",
                                           "\"mfu_estimated_percent\"",
                                           "\"pending_dma\"",
                                           "\"hbm_total_transfer_bytes\"",
                                           "\"summary_group_order\"",
                                           "\"dma_queues_info\"",
                                           "\"tensor_engine_active_time\"",
                                           "\"fully_qualified_subgraph\"",
                                           "\"nc_exec_running\"",
                                           "\"nrt_execute\"",
                                           "\"framework_stream_id\""};
constexpr std::string_view kTextMarks[] = {"neuroncore_cycle_count", "mfu_estimated_percent",
                                           "tensor_engine_active_time"};

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

std::size_t DocumentStart(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return first;
  if (text[first] == '{') return first;
  const auto line = text.find("\n{");
  return line == std::string_view::npos ? line : line + 1;
}

// True if the first line has cells and is no JSON.
bool IsTable(std::string_view text) {
  const std::string_view line = FirstLine(text);
  if (line.find(',') == std::string_view::npos || line.find('{') != std::string_view::npos) {
    return false;
  }
  TableKind kind = TableKind::kUnknown;
  CsvCutter cutter([&](std::span<const std::string> header) { kind = TableOfHeader(header, ""); });
  cutter.Feed(line);
  cutter.End(0);
  return kind != TableKind::kUnknown;
}

// Recognizes JSON by a key that no other format has, anywhere in the first bytes, as keys are in
// random order. Recognizes CSV by columns, and text by the name of a metric and the total time.
Form FormOf(std::string_view text) {
  const auto start = DocumentStart(text);
  if (start != std::string_view::npos && HasAny(text.substr(start), kJsonMarks)) return Form::kJson;
  if (IsTable(text)) return Form::kCsv;
  const bool lines = text.find('{') == std::string_view::npos && HasAny(text, kTextMarks) &&
                     text.find("total_time") != std::string_view::npos;
  return lines && FirstLine(text).find(',') == std::string_view::npos ? Form::kSummaryText
                                                                      : Form::kNone;
}

std::string_view AsText(std::span<const std::byte> bytes) {
  return WithoutByteOrderMark({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

namespace {

bool IsParquetName(const std::string& path) { return path.ends_with(".parquet"); }

bool IsNamedLikeATable(const std::string& path) {
  return TableKindOf(TableNameOf(path)) != TableKind::kUnknown;
}

bool HasTableHeader(const std::string& path) {
  auto source = OpenByteSource(path);
  if (!source) return false;
  std::vector<std::byte> head(kSniffBytes);
  const auto got = (*source)->Read(head);
  return got && IsTable(AsText(std::span(head).first(*got)));
}

/// A file of a table: "Instruction_3.parquet" is part 3 of the table Instruction.
struct TableFile {
  std::string path, table;
  std::optional<std::int64_t> part;
};

// Splits a file's name: "Instruction_3" is part 3; "HbmUsageSummaryByType" is no part.
TableFile FileOf(const std::string& path) {
  TableFile file{path, TableNameOf(path), std::nullopt};
  const std::string stem = std::filesystem::path(path).stem().string();
  if (stem.size() <= file.table.size() + 1) return file;
  std::int64_t part = 0;
  const char* end = stem.data() + stem.size();
  const auto [stop, error] = std::from_chars(stem.data() + file.table.size() + 1, end, part);
  if (error == std::errc() && stop == end) file.part = part;
  return file;
}

/// The place in the order of reading: the schema's version first, for errors of other tables.
int OrderOf(const TableFile& file) {
  if (!IsParquetName(file.path)) return 2;
  const TableKind kind = TableKindOf(file.table);
  return kind == TableKind::kMetadata ? 0 : kind == TableKind::kSummary ? 1 : 2;
}

Error TwoExports(const TableFile& whole, const TableFile& part) {
  const auto name = [](const TableFile& file) {
    return std::filesystem::path(file.path).filename().string();
  };
  return InputError(whole.path, "neuron/two-exports",
                    fmt::format("the folder has {} and {}: one of them is of an earlier export",
                                name(whole), name(part)),
                    "export the profile again into an empty folder");
}

/// Finds the missing parts of a table's files. Errors: "neuron/two-exports".
///   files     _0, _1, _3     missing: part 2
///   files     whole, _0      two exports: which one is right is unknown
///
/// It cannot find parts missing after the last file.
Status CheckParts(const std::string& table, const std::vector<TableFile>& files,
                  std::vector<std::string>& missing) {
  constexpr std::int64_t kMostParts = 100'000;
  std::int64_t next = 0;
  for (const TableFile& file : files) {  // Whole files come first, then parts in order.
    if (!file.part) continue;
    if (!files.front().part) return Fail(TwoExports(files.front(), file));
    for (; next < std::min(*file.part, kMostParts); ++next) {
      missing.push_back(fmt::format("{}: part {} is missing", table, next));
    }
    next = *file.part + 1;
  }
  return {};
}

}  // namespace

std::vector<std::string>::iterator TablesOf(std::vector<std::string>& files) {
  const bool has_csv =
      files.size() > 1 && std::any_of(files.begin(), files.end(), [](const std::string& path) {
        return path.ends_with(".csv") && HasTableHeader(path);
      });
  std::set<std::filesystem::path> parquet;  // Folders with Neuron's tables.
  for (const std::string& path : files) {
    if (IsParquetName(path) && IsNamedLikeATable(path)) {
      parquet.insert(std::filesystem::path(path).parent_path());
    }
  }
  const auto is_table = [&](const std::string& path) {
    if (IsParquetName(path)) return parquet.contains(std::filesystem::path(path).parent_path());
    return has_csv && path.ends_with(".csv") && (IsNamedLikeATable(path) || HasTableHeader(path));
  };
  return std::stable_partition(files.begin(), files.end(),
                               [&](const std::string& path) { return !is_table(path); });
}

Result<TableFiles> OrderTables(std::vector<std::string> paths) {
  std::map<std::string, std::vector<TableFile>> parquet, csv;
  for (const std::string& path : paths) {
    TableFile file = FileOf(path);
    auto& files = (IsParquetName(path) ? parquet : csv)[file.table];
    files.push_back(std::move(file));
  }
  TableFiles ordered;
  std::vector<TableFile> all;
  for (auto* form : {&parquet, &csv}) {
    for (auto& [table, files] : *form) {
      std::sort(files.begin(), files.end(), [](const TableFile& a, const TableFile& b) {
        return std::tuple(a.part.value_or(-1), a.path) < std::tuple(b.part.value_or(-1), b.path);
      });
      const bool is_again = form == &csv && parquet.contains(table);
      for (TableFile& file : files) {
        if (!is_again) continue;
        ordered.skipped.push_back(file.path + ": its Parquet table is used");
      }
      if (is_again) continue;
      PROFGAUGE_CHECK(CheckParts(table, files, ordered.missing));
      std::move(files.begin(), files.end(), std::back_inserter(all));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TableFile& a, const TableFile& b) { return OrderOf(a) < OrderOf(b); });
  for (TableFile& file : all) ordered.paths.push_back(std::move(file.path));
  return ordered;
}

}  // namespace profgauge::readers::neuron
