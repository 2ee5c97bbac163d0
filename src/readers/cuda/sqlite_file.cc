#include "readers/cuda/sqlite_file.h"

#include <filesystem>
#include <vector>

#include "base/content_hash.h"
#include "base/read_block.h"

namespace profgauge::readers {
namespace {

using std::string_view_literals::operator""sv;

Status HashSource(ByteSource& source, Source& out) {
  ContentHash hash;
  std::vector<std::byte> block(kReadBlock);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) break;
    hash.Add({reinterpret_cast<const char*>(block.data()), got});
    out.bytes += got;
  }
  out.hash = hash.Hex();
  return {};
}

bool HasWriteAheadLog(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path + "-wal", missing);
  return !missing && size > 0;
}

}  // namespace

bool IsSqlite(std::string_view head) { return head.starts_with("SQLite format 3\0"sv); }

Result<sqlite::Database> OpenDatabase(ByteSource& source, std::string_view format,
                                      std::string_view dialect, ProfileBuilder& builder) {
  Source& out = builder.source();
  PROFGAUGE_CHECK(HashSource(source, out));
  out.path = source.name();
  out.format = format;
  out.dialect = dialect;
  const bool has_log = HasWriteAheadLog(source.name());
  if (has_log) {
    builder.log().AddAt(Counter::profiler_warnings,
                        "a write-ahead log lies beside the database: its writer may still run");
  }
  return sqlite::Database::Open(source.name(),
                                has_log ? sqlite::Mode::kReadOnly : sqlite::Mode::kImmutable,
                                ErrorKind::kInput);
}

}  // namespace profgauge::readers
