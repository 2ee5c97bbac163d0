#include "support/table_text.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include "support/fuzz.h"

namespace profgauge::fuzz {
namespace {

constexpr std::size_t kMostColumns = 64;

std::string_view CutAt(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::vector<std::string_view> CellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  while (cells.size() < kMostColumns) {
    const bool is_last = line.find('|') == std::string_view::npos;
    cells.push_back(CutAt(line, '|'));
    if (is_last) break;
  }
  return cells;
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '\0') break;
    quoted.append(c == '"' ? 2 : 1, c);
  }
  return quoted + '"';
}

std::string BytesOf(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(&digits[i], &digits[i] + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

void BindCell(sqlite3_stmt* statement, int number, std::string_view cell) {
  const char* end = cell.data() + cell.size();
  std::int64_t whole = 0;
  double real = 0;
  if (cell.empty()) {
    sqlite3_bind_null(statement, number);
  } else if (std::from_chars(cell.data(), end, whole).ptr == end) {
    sqlite3_bind_int64(statement, number, whole);
  } else if (std::from_chars(cell.data(), end, real).ptr == end) {
    sqlite3_bind_double(statement, number, real);
  } else if (cell.starts_with("x'")) {
    const std::string bytes = BytesOf(cell.substr(2));
    sqlite3_bind_blob64(statement, number, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  } else {
    if (cell.front() == '\'') cell.remove_prefix(1);
    sqlite3_bind_text64(statement, number, cell.data(), cell.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

/// The statement that takes the rows of one table.
class Insertion {
 public:
  Insertion(sqlite3* handle, const std::vector<std::string_view>& head) {
    std::string create = "create table " + Quoted(head[0]) + " (";
    std::string insert = "insert into " + Quoted(head[0]) + " values (";
    columns_ = head.size() - 1;
    for (std::size_t i = 1; i <= columns_; ++i) {
      create += (i > 1 ? ", " : "") + Quoted(head[i]);
      insert += i > 1 ? ", ?" : "?";
    }
    // A table that is there already takes the rows, if it has as many columns.
    sqlite3_exec(handle, (create + ")").c_str(), nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(handle, (insert + ")").c_str(), -1, &statement_, nullptr);
  }
  ~Insertion() { sqlite3_finalize(statement_); }
  Insertion(const Insertion&) = delete;
  Insertion& operator=(const Insertion&) = delete;

  void Add(std::string_view line) {
    if (statement_ == nullptr) return;
    const auto cells = CellsOf(line);
    sqlite3_clear_bindings(statement_);
    for (std::size_t i = 0; i < cells.size() && i < columns_; ++i) {
      BindCell(statement_, static_cast<int>(i) + 1, cells[i]);
    }
    sqlite3_step(statement_);
    sqlite3_reset(statement_);
  }

 private:
  std::size_t columns_ = 0;
  sqlite3_stmt* statement_ = nullptr;
};

// Readers open by name: in memory from here on, whatever they open. One thread, and no one asks how
// much memory SQLite takes: most of the time is its own, for schemas and statements.
void OpenInMemory() {
  static const bool kDone = [] {
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 512, 250);
    sqlite3_vfs* memory = sqlite3_vfs_find("memdb");
    Require(memory != nullptr, "SQLite has databases in memory");
    return sqlite3_vfs_register(memory, 1) == SQLITE_OK;
  }();
  Require(kDone, "databases are opened in memory");
}

sqlite3* OpenNamed(const char* name) {
  OpenInMemory();
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(
      name, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Require(status == SQLITE_OK, "the database opens");
  return handle;
}

/// The lines of tables, without those of rows.
std::string HeadsOf(std::string_view text) {
  std::string heads;
  while (!text.empty()) {
    const std::string_view line = CutAt(text, '\n');
    if (line.starts_with("# ")) heads.append(line) += '\n';
  }
  return heads;
}

}  // namespace

struct MemoryDatabases::Store {
  Store(std::string heads_, std::string name_)
      : heads(std::move(heads_)), name(std::move(name_)), handle(OpenNamed(name.c_str())) {
    Run("begin");
    for (std::string_view rest = heads; !rest.empty();) {
      const auto cells = CellsOf(CutAt(rest, '\n').substr(2));
      tables.push_back(std::make_unique<Insertion>(handle, cells));
      removals += "delete from " + Quoted(cells[0]) + ";";
    }
    Run("commit");
  }
  ~Store() {
    tables.clear();
    sqlite3_close(handle);
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void Run(const char* sql) { sqlite3_exec(handle, sql, nullptr, nullptr, nullptr); }
  void Fill(std::string_view text) {
    Run("begin");
    if (is_filled) Run(removals.c_str());
    is_filled = true;
    std::size_t begun = 0;
    while (!text.empty()) {
      const std::string_view line = CutAt(text, '\n');
      if (line.starts_with("# ")) {
        ++begun;
      } else if (begun > 0) {
        tables[begun - 1]->Add(line);
      }
    }
    Run("commit");
  }

  const std::string heads, name;
  sqlite3* const handle;
  std::vector<std::unique_ptr<Insertion>> tables;
  std::string removals;
  bool is_filled = false;
};

MemoryDatabases::MemoryDatabases() = default;
MemoryDatabases::~MemoryDatabases() = default;

const std::string& MemoryDatabases::Fill(std::string_view text) {
  constexpr std::size_t kMost = 256;  // Each takes some 200 kB.
  std::string heads = HeadsOf(text);
  auto at = stores_.find(heads);
  if (at == stores_.end()) {
    if (stores_.size() == kMost) stores_.clear();
    auto store = std::make_unique<Store>(heads, kDatabaseName + std::to_string(named_++));
    at = stores_.emplace(std::move(heads), std::move(store)).first;
  }
  at->second->Fill(text);
  return at->second->name;
}

MemoryDatabase::MemoryDatabase(std::string_view text, const char* schema) {
  sqlite3* const handle = OpenNamed(kDatabaseName);
  handle_.reset(handle);
  Execute("begin");
  Execute(schema);
  std::unique_ptr<Insertion> table;
  while (!text.empty()) {
    const std::string_view line = CutAt(text, '\n');
    if (line.starts_with("# ")) {
      table = std::make_unique<Insertion>(handle, CellsOf(line.substr(2)));
    } else if (table) {
      table->Add(line);
    }
  }
  table.reset();
  Execute("commit");
}

}  // namespace profgauge::fuzz
