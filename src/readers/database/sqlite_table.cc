#include "readers/database/sqlite_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/hashes.h"
#include "base/in_order.h"
#include "base/parallel.h"
#include "base/read_block.h"
#include "readers/database/stored_numbers.h"

namespace profgauge::readers {
namespace {

Result<std::set<std::string>> ColumnNames(sqlite::Database& database, const std::string& table) {
  PROFGAUGE_TRY(
      sqlite::Statement* const statement,
      database.Kept("select c.name from sqlite_master m join pragma_table_info(m.name) c "
                    "where m.type = 'table' and m.name = ? and m.sql not like 'create virtual%'"));
  statement->Reset();
  statement->Bind(1, table);
  std::set<std::string> names;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement->Step());
    if (!more) break;
    names.emplace(statement->Text(0));
  }
  statement->Reset();
  return names;
}

/// Rows of one batch: they stay in a core's cache.
constexpr std::uint64_t kBlockRows = 4096;

struct Block {
  std::uint64_t begin = 0;  ///< The first of its rowids, counted from the table's first.
  Cells cells;
  Status status;
};

/// One thread's way to rows: by their pages or, where those are not plain, by a connection and a
/// statement.
class BlockReader {
 public:
  /// REQUIRES: the arguments outlive this.
  BlockReader(const sqlite::Database& database, const std::string& sql,
              const std::optional<PlainTable>& plain)
      : origin_(database), sql_(sql) {
    if (plain) pages_.emplace(*plain);
  }

  Status Read(std::int64_t first, std::int64_t last, std::size_t columns, Cells& cells) {
    const auto rowids = static_cast<std::size_t>(last - first) + 1;
    cells.Clear(columns);
    // Where rows are missing SQLite says whether they are: a damaged key hides pages.
    if (pages_ && pages_->Read(first, last, cells) && cells.rows() == rowids) return {};
    cells.Clear(columns);
    if (!statement_) PROFGAUGE_CHECK(Open());
    cells_ = &cells;
    statement_->Reset();
    PROFGAUGE_CHECK(statement_->Bind(1, first).Bind(2, last).Run());
    if (cells.rows() <= rowids) return {};
    return Fail(InputError(origin_.path(), "sqlite/damaged",
                           "the SQLite database is damaged: a table's pages are out of order",
                           "copy or export the file again; `sqlite3 FILE 'pragma "
                           "integrity_check'` tells more"));
  }

 private:
  Status Open() {
    PROFGAUGE_TRY(auto again, origin_.Again());
    database_.emplace(std::move(again));
    PROFGAUGE_CHECK(database_->AddRowFunction(
        "take_row", [this](const sqlite::RowValues& row) { cells_->Add(row); }));
    PROFGAUGE_TRY(auto statement, database_->Prepare(sql_));
    statement_.emplace(std::move(statement));
    return {};
  }

  const sqlite::Database& origin_;
  const std::string& sql_;
  std::optional<PageRows> pages_;
  Cells* cells_ = nullptr;
  std::optional<sqlite::Database> database_;
  std::optional<sqlite::Statement> statement_;
};

/// The rowids of a table that is worth several threads: it has many, with few gaps, and does not
/// change meanwhile.
/// Gaps cost whole blocks: where so many rowids would need more bytes than the file has, the table
/// is not worth it.
Result<std::optional<Rowids>> LongTable(sqlite::Database& database, const std::string& table,
                                        const std::set<std::string>& columns) {
  constexpr std::uint64_t kRowsWorthThreads = 16 * kBlockRows, kLeastRow = 4, kUsualRow = 32;
  if (!database.IsImmutable()) return std::nullopt;
  PROFGAUGE_TRY(const std::uint64_t bytes, database.Bytes());
  if (bytes < kRowsWorthThreads * kLeastRow) return std::nullopt;
  for (const std::string& column : columns) {
    if (sqlite3_stricmp(column.c_str(), "_rowid_") == 0) return std::nullopt;
  }
  const std::string from = "(_rowid_) from \"" + table + "\")";
  auto ends = database.Prepare("select (select min" + from + ", (select max" + from);
  if (!ends) return std::nullopt;  // A table without rowids.
  PROFGAUGE_TRY(const bool found, ends->Step());
  if (!found || ends->IsNull(0)) return std::nullopt;
  const auto first = ends->Integer(0), last = ends->Integer(1);
  const std::uint64_t count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (count < kRowsWorthThreads || count > bytes / kLeastRow) return std::nullopt;
  return Rowids{first, count + 1, std::min(count + 1, bytes / kUsualRow)};
}

// SQL that keeps the rows; empty: all are wanted. None, if the table has no such column.
std::string FilterOf(const Only& only, const std::set<std::string>& columns) {
  if (only.column.empty()) return {};
  const std::string column(only.column);
  if (!columns.contains(column)) return "0";
  return fmt::format("\"{}\" in ({})", column, fmt::join(only.numbers, ", "));
}

}  // namespace

Result<TableScan> TableScan::OpenColumns(Tables tables, const std::string& table,
                                         std::span<const Wanted> wanted, const Only& only) {
  if (auto* database = tables.database()) return OpenSqlite(*database, table, wanted, only);
  return OpenParquet(tables.parquet(), table, wanted, only);
}

//   wanted   {"start"}  {"demangledName", "shortName"}  {"bytes"}
//   table    start, shortName, ...
//   select   "start", "shortName", null from "KERNEL" not indexed where (1)
//
// The first name that the table has is taken; columns keep their numbers where one is missing.
Result<TableScan> TableScan::OpenSqlite(sqlite::Database& database, const std::string& table,
                                        std::span<const Wanted> wanted, const Only& only) {
  TableScan scan;
  PROFGAUGE_TRY(const std::set<std::string> there, ColumnNames(database, table));
  if (there.empty()) return scan;
  scan.exists_ = true;
  std::vector<std::string> names;
  for (const Wanted& want : wanted) {
    const auto found = std::find_if(want.names.begin(), want.names.end(),
                                    [&](const char* name) { return there.contains(name); });
    names.emplace_back(found == want.names.end() ? "" : *found);
    scan.present_.push_back(!names.back().empty());
    if (!scan.columns_.empty()) scan.columns_ += ", ";
    scan.columns_ += names.back().empty() ? "null" : "\"" + names.back() + "\"";
  }
  scan.database_ = &database;
  PROFGAUGE_TRY(scan.rowids_, LongTable(database, table, there));
  const std::string filter = FilterOf(only, there);
  if (scan.rowids_ && filter.empty()) scan.plain_ = FindPlainTable(database, table, names);
  // Without an index rows come in the order of rowids.
  scan.rest_ = " from \"" + table + "\" not indexed where (" +
               (filter.empty() ? std::string("1") : filter) + ")";
  PROFGAUGE_TRY(auto statement, database.Prepare("select " + scan.columns_ + scan.rest_));
  scan.statement_.emplace(std::move(statement));
  return scan;
}

Result<bool> TableScan::Next() {
  if (!exists_) return false;
  if (parquet_) return NextParquetRow();
  PROFGAUGE_TRY(const bool more, statement_->Step());
  printed_.clear();
  row_ = 0;
  cells_ = more ? &own_ : nullptr;
  if (!more) return false;
  own_.Clear(present_.size());
  own_.Add(*statement_);
  return true;
}

std::string_view TableScan::Text(std::size_t column) const {
  if (!IsSet(column)) return {};
  if (cells_->IsText(row_, column)) return cells_->Text(row_, column);
  return printed_.emplace_back(cells_->NumberAsText(row_, column));
}

//   rowids   | 1 .. 4096 | 4097 .. 8192 | 8193 .. 12288 | ...
//   reader   0             1              2               0       each with its own file
//   take     block 0, 1, 2, ... by one thread at a time
Status TableScan::ReadRowids(const std::function<void()>& take) {
  const Rowids& rowids = *rowids_;
  const std::string sql =
      "select take_row(" + columns_ + ")" + rest_ + " and _rowid_ between ? and ?";
  // Rows are taken by one thread at a time, which keeps no more than these busy.
  constexpr std::size_t kMostReaders = 8;
  std::vector<std::unique_ptr<BlockReader>> readers(std::min(Cores(), kMostReaders));
  const auto rowid = [&](std::uint64_t i) { return rowids.first + static_cast<std::int64_t>(i); };
  std::uint64_t begun = 0;
  Status status;
  MakeInOrder<Block>(
      readers.size(),
      [&](Block& block) {
        block.begin = begun;
        begun += kBlockRows;
        return block.begin < rowids.count;
      },
      [&](std::size_t worker, Block& block) {
        auto& reader = readers[worker];
        if (!reader) reader = std::make_unique<BlockReader>(*database_, sql, plain_);
        const std::uint64_t last = std::min(block.begin + kBlockRows, rowids.count) - 1;
        block.status = reader->Read(rowid(block.begin), rowid(last), present_.size(), block.cells);
      },
      [&](Block& block) {
        if (status) status = std::move(block.status);
        if (!status) return false;
        cells_ = &block.cells;
        take();
        return true;
      });
  cells_ = nullptr;
  return status;
}

Status TableScan::ForEachBlock(const std::function<void()>& take) {
  if (!exists_) return {};
  if (rowids_) return ReadRowids(take);
  while (true) {
    PROFGAUGE_TRY(const bool more, parquet_ ? NextParquetBlock() : Next());
    if (!more) return {};
    take();
  }
}

Result<std::set<std::string>> TableNames(sqlite::Database& database) {
  PROFGAUGE_TRY(auto statement,
                database.Prepare("select name from sqlite_master where type = 'table'"));
  std::set<std::string> names;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return names;
    names.emplace(statement.Text(0));
  }
}

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
// The head: 16 page size, 24 counter of changes, 28 pages, 92 the counter when the pages were
// counted. Where the counters differ an old library wrote last, and the count is stale.
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
  const std::string head = ReadHead(path, sqlite_format::kFileHead);
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
  return ReadHead(path + "-journal", kMagic.size()) == kMagic;
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
                                has_log ? sqlite::Mode::kWithLog : sqlite::Mode::kImmutable,
                                ErrorKind::kInput);
}

}  // namespace profgauge::readers
