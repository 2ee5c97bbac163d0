#include "readers/database/sqlite_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
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

/// Rows of one batch, few enough to stay in a core's cache.
constexpr std::uint64_t kBlockRows = 4096;

struct Block {
  std::uint64_t begin = 0;  ///< The first rowid, counted from the table's first.
  Cells cells;
  Status status;
};

/// Reads rows for one thread: from pages or, if those are not plain, with its own statement.
class BlockReader {
 public:
  /// REQUIRES: all arguments outlive the reader.
  BlockReader(const sqlite::Database& database, const std::string& sql,
              const std::optional<PlainTable>& plain)
      : origin_(database), sql_(sql) {
    if (plain) pages_.emplace(*plain);
  }

  Status Read(std::int64_t first, std::int64_t last, std::size_t columns, Cells& cells) {
    const auto rowids = static_cast<std::size_t>(last - first) + 1;
    cells.Clear(columns);
    // If rows are missing, SQLite reads all, because a damaged key may hide pages.
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

/// The range of rowids, if reading the table with several threads pays: the table is long, has few
/// gaps and does not change meanwhile. A gap costs whole blocks, so nothing is returned if the file
/// is too small for a row at each rowid.
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
  if (!ends) return std::nullopt;  // The table has no rowids.
  PROFGAUGE_TRY(const bool found, ends->Step());
  if (!found || ends->IsNull(0)) return std::nullopt;
  const auto first = ends->Integer(0), last = ends->Integer(1);
  const std::uint64_t count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (count < kRowsWorthThreads || count > bytes / kLeastRow) return std::nullopt;
  return Rowids{first, count + 1, std::min(count + 1, bytes / kUsualRow)};
}

// The SQL condition for wanted rows; empty if all are wanted, "0" if the column is missing.
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

// For each wanted column, selects the first name that exists, or null, so that others keep numbers:
//
//   wanted   {"start"}  {"demangledName", "shortName"}  {"bytes"}
//   table    start, shortName, ...
//   select   "start", "shortName", null from "KERNEL" not indexed where (1)
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
  // Without an index, rows come in the order of their rowids.
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

// Reads blocks of rowids with several threads, and passes them on in order:
//   rowids   | 1 .. 4096 | 4097 .. 8192 | 8193 .. 12288 | ...
//   reader   0             1              2               0       each with its own file
//   take     block 0, 1, 2, ... by one thread at a time
Status TableScan::ReadRowids(const std::function<void()>& take) {
  const Rowids& rowids = *rowids_;
  const std::string sql =
      "select take_row(" + columns_ + ")" + rest_ + " and _rowid_ between ? and ?";
  // Only one thread takes rows at a time, so more readers than these would wait.
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

// The length in bytes of a database, from its header; 0 if unknown. The header has the page size at
// 16, the change counter at 24, the count of pages at 28, and at 92 the change counter for which
// that count is valid. If the counters differ, an old library wrote last: the count is stale.
std::uint64_t StatedSize(std::string_view head) {
  if (head.size() < sqlite_format::kFileHead || !IsSqlite(head)) return 0;
  // Libraries before 3.7.0 did not update the count of pages.
  if (head.substr(24, 4) != head.substr(92, 4)) return 0;
  return PageSize(head) * BigEndian(head.substr(28, 4));
}

}  // namespace

// This check is needed because SQLite reads the missing part of a last page as zeros.
Status CheckWhole(const std::string& path) {
  if (HasWriteAheadLog(path)) return {};  // The log may hold the rest.
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

namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

/// The part of the page that a cell's pointer refers to; empty if the pointer is out of range.
std::string_view CellAt(std::string_view page, std::size_t head, std::size_t cell,
                        std::size_t cells) {
  const std::size_t at = BigEndian(page.substr(head + 2 * cell, 2));
  return at < head + 2 * cells || at >= page.size() ? std::string_view{} : page.substr(at);
}

/// The number of cells of a page; 0 if the page is damaged.
std::size_t CellsOf(std::string_view page, std::size_t head) {
  const std::size_t cells = BigEndian(page.substr(3, 2));
  return head + 2 * cells <= page.size() ? cells : 0;
}

// True if a column of this type holds integers, by SQLite's own rule.
bool IsWhole(std::string_view type) {
  return sqlite3_strlike("%int%", std::string(type).c_str(), 0) == 0;
}

/// The columns of a table that are declared to hold whole numbers.
struct WholeColumns {
  std::map<std::string, std::size_t> places;
  std::string rowid;  ///< The column that is the rowid and is not stored in the row; empty: none.
};

/// True if a primary key of one INTEGER column is the rowid; otherwise the key has an index.
bool IsRowid(sqlite::Database& database, const std::string& table) {
  auto statement =
      database.Prepare("select 1 from pragma_index_list(?) where origin = 'pk' limit 1");
  if (!statement) return false;
  const auto found = statement->Bind(1, table).Step();
  return found && !*found;
}

/// Returns nothing if rows are not stored in the order of the columns.
std::optional<WholeColumns> FindWholeColumns(sqlite::Database& database, const std::string& table) {
  auto statement =
      database.Prepare("select cid, name, type, pk, hidden from pragma_table_xinfo(?)");
  if (!statement) return std::nullopt;
  statement->Bind(1, table);
  WholeColumns columns;
  int keys = 0;
  for (;;) {
    const auto more = statement->Step();
    if (!more) return std::nullopt;
    if (!*more) break;
    if (statement->Integer(4) != 0) return std::nullopt;
    const std::string type(statement->Text(2));
    if (statement->Integer(3) != 0) {
      ++keys;
      if (sqlite3_stricmp(type.c_str(), "integer") == 0) columns.rowid = statement->Text(1);
    } else if (IsWhole(type)) {
      columns.places.emplace(statement->Text(1), static_cast<std::size_t>(statement->Integer(0)));
    }
  }
  if (keys != 1 || !IsRowid(database, table)) columns.rowid.clear();
  return columns;
}

}  // namespace

std::optional<PlainTable> FindPlainTable(sqlite::Database& database, const std::string& table,
                                         const std::vector<std::string>& columns) {
  PlainTable plain;
  plain.path = database.path();
  const auto whole = FindWholeColumns(database, table);
  if (!whole) return std::nullopt;
  for (const std::string& column : columns) {
    const auto place = whole->places.find(column);
    const bool is_rowid = !column.empty() && column == whole->rowid;
    if (is_rowid) plain.rowids.push_back(plain.columns.size());
    const bool is_nowhere = column.empty() || is_rowid;
    if (!is_nowhere && place == whole->places.end()) return std::nullopt;
    plain.columns.push_back(is_nowhere ? std::nullopt : std::optional(place->second));
  }
  auto root =
      database.Prepare("select rootpage from sqlite_master where type = 'table' and name = ?");
  if (!root) return std::nullopt;
  const auto found = root->Bind(1, table).Step();
  if (!found || !*found) return std::nullopt;
  plain.root = static_cast<std::uint32_t>(root->Integer(0));
  return plain;
}

PageRows::PageRows(const PlainTable& table) : table_(table) {
  file_.rdbuf()->pubsetbuf(nullptr, 0);  // Reads are long, so a buffer would only cost.
  file_.open(table.path, std::ios::binary);
  std::string head(sqlite_format::kFileHead, '\0');
  if (!file_.read(head.data(), static_cast<std::streamsize>(head.size()))) return;
  const std::string_view bytes = head;
  const std::size_t size = PageSize(bytes);
  usable_ = size - std::min<std::size_t>(size, BigEndian(bytes.substr(20, 1)));
  std::error_code unknown;
  const std::uint64_t file_size = std::filesystem::file_size(table.path, unknown);
  if (unknown || usable_ < sqlite_format::kLeastUsable) return;
  pages_ = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(file_size / size, BigEndian(bytes.substr(28, 4))));
  page_size_ = size;
}

bool PageRows::Read(std::int64_t first, std::int64_t last, Cells& cells) {
  return page_size_ != 0 && ReadNode({.page = table_.root}, {first, last}, 0, 1, cells);
}

bool PageRows::ReadNode(const Node& node, Asked asked, std::size_t depth, std::size_t ahead,
                        Cells& cells) {
  constexpr std::size_t kDeepest = 16;
  const std::string_view page = Page(node.page, ahead);
  if (page.empty() || depth > kDeepest) return false;
  if (page.front() == sqlite_format::kLeafPage) return ReadLeaf(node, asked, page, cells);
  if (page.front() != sqlite_format::kInnerPage) return false;
  const auto children = Children(node, asked, page);
  return children && ReadChildren(*children, asked, depth + 1, cells);
}

// Reads children that follow each other in the file in one go of up to 64 KiB.
bool PageRows::ReadChildren(const std::vector<Node>& nodes, Asked asked, std::size_t depth,
                            Cells& cells) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::size_t ahead = 1;
    while (i + ahead < nodes.size() && ahead * page_size_ < kReadAtOnce &&
           nodes[i + ahead].page == nodes[i].page + ahead) {
      ++ahead;
    }
    if (!ReadNode(nodes[i], asked, depth, ahead, cells)) return false;
  }
  return true;
}

// Also checks the order of rows outside the wanted range, because SQLite uses binary search.
std::optional<std::vector<PageRows::Node>> PageRows::Children(const Node& node, Asked asked,
                                                              std::string_view page) const {
  const std::size_t cells = CellsOf(page, sqlite_format::kInnerHead);
  if (cells == 0) return std::nullopt;
  std::vector<Node> children;
  Node child = node;
  const auto add = [&] {
    if (child.least <= asked.last && child.most >= asked.first) children.push_back(child);
  };
  for (std::size_t i = 0; i < cells; ++i) {
    std::string_view cell = CellAt(page, sqlite_format::kInnerHead, i, cells);
    if (cell.size() < 4) return std::nullopt;
    child.page = static_cast<std::uint32_t>(BigEndian(cell.substr(0, 4)));
    cell.remove_prefix(4);
    std::uint64_t most = 0;
    if (!TakeNumber(cell, most)) return std::nullopt;
    child.most = static_cast<std::int64_t>(most);
    if (child.most < child.least || child.most >= node.most) return std::nullopt;
    add();
    child.least = child.most + 1;
  }
  child.page = static_cast<std::uint32_t>(BigEndian(page.substr(8, 4)));
  child.most = node.most;
  add();
  return children;
}

// Direct reading fails at the largest rowid, 2^63 - 1, because `least` would overflow.
bool PageRows::ReadLeaf(const Node& node, Asked asked, std::string_view page, Cells& cells) {
  const std::size_t count = CellsOf(page, sqlite_format::kLeafHead);
  if (count == 0) return false;
  std::int64_t least = node.least;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view cell = CellAt(page, sqlite_format::kLeafHead, i, count);
    std::uint64_t size = 0, number = 0;
    if (!TakeNumber(cell, size) || !TakeNumber(cell, number)) return false;
    const auto rowid = static_cast<std::int64_t>(number);
    if (rowid < least || rowid > node.most) return false;
    if (rowid == std::numeric_limits<std::int64_t>::max()) return false;
    least = rowid + 1;
    if (rowid < asked.first || rowid > asked.last) continue;
    if (size > cell.size() || size > usable_ - sqlite_format::kNotOfRow) return false;
    if (!AddRow(rowid, cell.substr(0, size), cells)) return false;
  }
  return true;
}

// Keeps the layout of the row before until a different header comes, because most rows of a table
// have the same header, which states the sizes of its numbers.
bool PageRows::AddRow(std::int64_t rowid, std::string_view payload, Cells& cells) {
  const std::string_view known = layout_.header();
  if (known.empty() || !payload.starts_with(known)) {
    std::string_view rest = payload;
    std::uint64_t size = 0;
    if (!TakeNumber(rest, size) || size > payload.size()) return false;
    if (size < payload.size() - rest.size()) return false;
    if (!layout_.Set(payload.substr(0, size), table_.columns)) return false;
    types_.assign(layout_.types().begin(), layout_.types().end());
    for (const std::size_t column : table_.rowids) types_[column] = SQLITE_INTEGER;
  }
  const std::size_t header = layout_.header().size();
  if (payload.size() != header + layout_.body_size()) return false;
  std::int64_t* const numbers = cells.AddNumbers(types_);
  layout_.Read(payload.data() + header, numbers);
  for (const std::size_t column : table_.rowids) numbers[column] = rowid;
  return true;
}

// Page 1 has the file's header and the schema. No table of a profile begins there.
std::string_view PageRows::Page(std::uint32_t page, std::size_t ahead) {
  constexpr std::uint64_t kLocked = std::uint64_t{1} << 30;  // SQLite uses no page at the position
                                                             // of its locks.
  if (page < 2 || page > pages_ || page == kLocked / page_size_ + 1) return {};
  const std::size_t have = buffer_.size() / page_size_;
  if (page < read_ || page >= read_ + have) {
    ahead = std::min({ahead, kReadAtOnce / page_size_, std::size_t{pages_ - page} + 1});
    buffer_.resize(std::max<std::size_t>(ahead, 1) * page_size_);
    read_ = page;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>((page - 1) * std::uint64_t{page_size_}));
    if (!file_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()))) {
      buffer_.clear();
      return {};
    }
  }
  return std::string_view(buffer_).substr((page - read_) * page_size_, usable_);
}

namespace {

/// The size of a value in bytes, by its type in the row's header; nothing for reserved types.
std::optional<std::uint64_t> SizeOf(std::uint64_t type) {
  constexpr std::uint64_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (type < std::size(kSizes)) return kSizes[type];
  return type < sqlite_format::kFirstText ? std::nullopt
                                          : std::optional((type - sqlite_format::kFirstText) / 2);
}

}  // namespace

bool RowLayout::Set(std::string_view header,
                    const std::vector<std::optional<std::size_t>>& columns) {
  header_.clear();  // An unfinished layout counts as none.
  if (!SetStored(header)) return false;
  types_.clear();
  numbers_.clear();
  for (const auto& column : columns) {
    Number number;
    // A row may be older than the table's last columns. The schema has their default values.
    if (column && *column >= stored_.size()) return false;
    const Stored stored = column ? stored_[*column] : Stored{};
    if (stored.type == sqlite_format::kReal || stored.type > sqlite_format::kOne) return false;
    number.end = static_cast<std::uint32_t>(stored.end);
    number.bytes = static_cast<std::uint8_t>(*SizeOf(stored.type));
    number.constant = stored.type == sqlite_format::kOne ? 1 : 0;
    numbers_.push_back(number);
    types_.push_back(stored.type == sqlite_format::kNull ? SQLITE_NULL : SQLITE_INTEGER);
  }
  header_ = header;
  return true;
}

bool RowLayout::SetStored(std::string_view header) {
  stored_.clear();
  body_size_ = 0;
  std::uint64_t type = 0;
  TakeNumber(header, type);  // The header's size.
  while (!header.empty()) {
    if (!TakeNumber(header, type)) return false;
    const auto size = SizeOf(type);
    if (!size || *size > std::numeric_limits<std::uint16_t>::max()) return false;
    body_size_ += *size;
    stored_.push_back({type, body_size_});
  }
  return true;
}

void RowLayout::Read(const char* body, std::int64_t* numbers) const {
  for (const Number& number : numbers_) {
    if (number.bytes == 0) {
      *numbers++ = number.constant;
      continue;
    }
    // Reads the eight bytes that end with the number and shifts out those before it. They exist:
    // the page's head, pointers, the cell's two numbers and the row's header are at least 13 bytes.
    std::uint64_t bits = 0;
    std::memcpy(&bits, body + number.end - sizeof bits, sizeof bits);
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    const unsigned others = 64 - 8U * number.bytes;
    *numbers++ = static_cast<std::int64_t>(bits << others) >> others;
  }
}

}  // namespace profgauge::readers
