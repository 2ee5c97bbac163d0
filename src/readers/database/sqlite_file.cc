#include "readers/database/sqlite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/content_hash.h"
#include "base/errors.h"
#include "base/read_block.h"
#include "readers/database/stored_numbers.h"

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

// How long a database is by its head; 0 where it does not say.
std::uint64_t StatedSize(std::string_view head) {
  if (head.size() < sqlite_format::kFileHead || !IsSqlite(head)) return 0;
  // Libraries before 3.7.0 leave the count of pages as it was.
  if (head.substr(24, 4) != head.substr(92, 4)) return 0;
  return PageSize(head) * BigEndian(head.substr(28, 4));
}

}  // namespace

// SQLite itself takes the part of a last page that is missing as zeros.
Status CheckWhole(const std::string& path) {
  if (HasWriteAheadLog(path)) return {};  // It may hold the rest.
  std::string head(sqlite_format::kFileHead, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  std::error_code unknown;
  const std::uint64_t size = std::filesystem::file_size(path, unknown);
  if (unknown || size >= StatedSize(head)) return {};
  return Fail(InputError(path, "sqlite/truncated",
                         fmt::format("the SQLite database ends early: found {} bytes, expected {}",
                                     size, StatedSize(head)),
                         "copy or export the file again"));
}

bool HasHotJournal(const std::string& path) {
  constexpr std::string_view kMagic = "\xD9\xD5\x05\xF9\x20\xA1\x63\xD7"sv;
  std::ifstream file(path + "-journal", std::ios::binary);
  std::string head(kMagic.size(), '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == kMagic;
}

bool IsSqlite(std::string_view head) { return head.starts_with("SQLite format 3\0"sv); }

Result<sqlite::Database> OpenDatabase(ByteSource& source, std::string_view format,
                                      std::string_view dialect, ProfileBuilder& builder) {
  Source& out = builder.source();
  PROFGAUGE_CHECK(HashSource(source, out));
  out.path = source.name();
  out.format = format;
  out.dialect = dialect;
  out.accelerator = "nvidia";
  const bool has_log = HasWriteAheadLog(source.name());
  if (has_log) {
    builder.log().AddAt(Counter::profiler_warnings,
                        "the database has a write-ahead log, so its writer may still run");
  }
  return sqlite::Database::Open(source.name(),
                                has_log ? sqlite::Mode::kReadOnly : sqlite::Mode::kImmutable,
                                ErrorKind::kInput);
}

}  // namespace profgauge::readers
