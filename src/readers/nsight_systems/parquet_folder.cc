#include "readers/nsight_systems/nsight_reader.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/hashes.h"

namespace profgauge::readers::nsight {

bool IsTableName(std::string_view file_name) {
  constexpr std::string_view kSuffix = ".parquet";
  if (!file_name.ends_with(kSuffix)) return false;
  const std::string_view table = file_name.substr(0, file_name.size() - kSuffix.size());
  constexpr std::string_view kTables[] = {"StringIds", "NVTX_EVENTS", "ANALYSIS_DETAILS",
                                          "META_DATA_EXPORT", "META_DATA_CAPTURE"};
  return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables) ||
         table.starts_with("TARGET_INFO_") || table.starts_with("CUPTI_ACTIVITY_KIND_");
}

Result<ParquetFolder> OpenParquetFolder(std::vector<std::string> files,
                                        const ReadOptions& options) {
  std::sort(files.begin(), files.end());  // The order decides the hash.
  ParquetFolder folder;
  ContentHash hash;
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).stem().string();
    auto table = parquet::Table::Open(file);
    if (!table) {
      if (table.error().code != "parquet/truncated" || !options.allow_incomplete) {
        return Fail(std::move(table).error());
      }
      folder.ended.push_back(name);
      continue;
    }
    if (folder.form.empty()) folder.form = parquet::FormText(table->footer());
    folder.bytes += table->size();
    PROFGAUGE_TRY(const std::string own, table->Hash());
    hash.Add(name);
    hash.Add(own);
    folder.tables.emplace(name, *std::move(table));
  }
  folder.hash = hash.Hex();
  return folder;
}

}  // namespace profgauge::readers::nsight
