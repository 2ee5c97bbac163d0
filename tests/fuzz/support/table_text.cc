#include "support/table_text.h"

#include <vector>

#include "support/fuzz.h"
#include "support/table_cells.h"

namespace profgauge::fuzz {
namespace {

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '\0') break;
    quoted.append(c == '"' ? 2 : 1, c);
  }
  return quoted + '"';
}

void BindCell(sqlite3_stmt* statement, int number, std::string_view cell) {
  const CellValue value = ValueOfCell(cell);
  switch (value.type) {
    case SQLITE_INTEGER:
      sqlite3_bind_int64(statement, number, value.whole);
      break;
    case SQLITE_FLOAT:
      sqlite3_bind_double(statement, number, value.real);
      break;
    case SQLITE_BLOB:
      sqlite3_bind_blob64(statement, number, value.bytes.data(), value.bytes.size(),
                          SQLITE_TRANSIENT);
      break;
    case SQLITE_TEXT:
      sqlite3_bind_text64(statement, number, value.text.data(), value.text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
      break;
    default:
      sqlite3_bind_null(statement, number);
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

}  // namespace

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
