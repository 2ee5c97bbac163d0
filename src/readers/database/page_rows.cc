#include "readers/database/page_rows.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "readers/database/stored_numbers.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

/// The page from its `cell`th pointer on; empty if that points outside.
std::string_view CellAt(std::string_view page, std::size_t head, std::size_t cell,
                        std::size_t cells) {
  const std::size_t at = BigEndian(page.substr(head + 2 * cell, 2));
  return at < head + 2 * cells || at >= page.size() ? std::string_view{} : page.substr(at);
}

/// How many cells a page has; 0 where it is damaged.
std::size_t CellsOf(std::string_view page, std::size_t head) {
  const std::size_t cells = BigEndian(page.substr(3, 2));
  return head + 2 * cells <= page.size() ? cells : 0;
}

// As SQLite shows whether a column shall hold whole numbers.
bool IsWhole(std::string_view type) {
  return sqlite3_strlike("%int%", std::string(type).c_str(), 0) == 0;
}

/// The columns of a table that shall hold whole numbers.
struct WholeColumns {
  std::map<std::string, std::size_t> places;
  std::string rowid;  ///< One that is the rowid, which is not in the row; empty: none.
};

/// Whether the key of one column that is declared INTEGER is the rowid: else it has an index.
bool IsRowid(sqlite::Database& database, const std::string& table) {
  auto statement =
      database.Prepare("select 1 from pragma_index_list(?) where origin = 'pk' limit 1");
  if (!statement) return false;
  const auto found = statement->Bind(1, table).Step();
  return found && !*found;
}

/// Nothing where rows are not stored in the order of columns.
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
  file_.rdbuf()->pubsetbuf(nullptr, 0);  // Each read is long.
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

// Children that follow each other in the file are read in one go of up to 64 KiB.
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

// Rows outside the wanted range must be in order too: SQLite uses binary search.
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

// A row with a rowid of 2^63 - 1 ends plain reading: `least` would wrap.
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

// Rows of one table mostly have the same header, that is numbers of the same sizes: the layout of
// the row before is used until another header comes.
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

// Page 1 has the file's head in front, and the schema: no table of a profile begins there.
std::string_view PageRows::Page(std::uint32_t page, std::size_t ahead) {
  constexpr std::uint64_t kLocked = std::uint64_t{1} << 30;  // No page is where SQLite locks.
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

}  // namespace profgauge::readers
