#include "readers/neuron/table_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/byte_source.h"
#include "base/errors.h"
#include "readers/neuron/csv.h"
#include "readers/neuron/form.h"
#include "readers/neuron/tables.h"

namespace profgauge::readers::neuron {
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

/// "Instruction_3.parquet" is part 3 of Instruction.
struct TableFile {
  std::string path, table;
  std::optional<std::int64_t> part;
};

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

/// The version of the schema comes first: an error of a table may name it.
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

/// The missing parts of a table's files. Errors: "neuron/two-exports".
Status CheckParts(const std::string& table, const std::vector<TableFile>& files,
                  std::vector<std::string>& missing) {
  constexpr std::int64_t kMostParts = 100'000;
  std::int64_t next = 0;
  for (const TableFile& file : files) {  // Whole ones come first, then by their parts.
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
  std::set<std::filesystem::path> parquet;  // Folders with such tables.
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
