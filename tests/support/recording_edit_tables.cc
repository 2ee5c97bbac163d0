// Rows of databases: Nsight Systems, nvprof, rocpd.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "support/recording_edit.h"

namespace profgauge::edit {
namespace {

namespace fs = std::filesystem;

struct Blob {
  std::string bytes;
};
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
struct Stored {
  std::string name, sql;
  std::vector<std::string> columns;
  int key = -1;  // The column that is the row's own number.
  std::vector<std::vector<Cell>> rows;

  int Column(std::string_view column) const {
    const auto found = std::find(columns.begin(), columns.end(), column);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  }
};

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Database = std::unique_ptr<sqlite3, Close>;
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement Prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  return Statement(statement);
}

Cell CellAt(sqlite3_stmt* row, int column) {
  const auto text = [&] {
    return std::string(static_cast<const char*>(sqlite3_column_blob(row, column)),
                       static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
  };
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(row, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, column);
    case SQLITE_TEXT:
      return sqlite3_column_bytes(row, column) == 0 ? std::string() : text();
    case SQLITE_BLOB:
      return Blob{sqlite3_column_bytes(row, column) == 0 ? std::string() : text()};
    default:
      return {};
  }
}

void Bind(sqlite3_stmt* to, int place, const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    sqlite3_bind_int64(to, place, *whole);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_bind_double(to, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    sqlite3_bind_text(to, place, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const auto* blob = std::get_if<Blob>(&cell)) {
    sqlite3_bind_blob(to, place, blob->bytes.data(), static_cast<int>(blob->bytes.size()),
                      SQLITE_TRANSIENT);
  } else {
    sqlite3_bind_null(to, place);
  }
}

fs::path Scratch() {
  static int number = 0;
  return fs::temp_directory_path() /
         ("edit_" + std::to_string(getpid()) + "_" + std::to_string(++number) + ".sqlite");
}

constexpr std::string_view kTimes[] = {"start",     "end",       "timestamp", "init",
                                       "fini",      "startTime", "stopTime",  "queued",
                                       "submitted", "completed"};
// Columns that hold numbers of texts.
constexpr std::string_view kTextIds[] = {"nameId",      "textId",     "shortName", "demangledName",
                                         "mangledName", "jsonTextId", "name_id",   "region_name_id",
                                         "category_id", "moduleId"};

class TablesEdit : public Edit {
 public:
  TablesEdit(std::string_view bytes, std::string_view format) : Edit(format) { Read(bytes); }
  TablesEdit(const TablesEdit&) = default;
  TablesEdit& operator=(const TablesEdit&) = delete;

  std::unique_ptr<Edit> Copy() const override { return std::make_unique<TablesEdit>(*this); }
  std::string Bytes() const override;
  std::size_t size() const override { return rows_.size(); }
  Kind KindOf(std::size_t row) const override {
    return StartOf(row) ? KindOfTable(TableOf(row).name) : Kind::kLookup;
  }
  std::optional<Ns> StartOf(std::size_t row) const override {
    if (IsLookup(TableOf(row).name)) return std::nullopt;
    const auto start = Whole(row, "start");
    return start ? start : Whole(row, "timestamp");
  }
  std::optional<Ns> LengthOf(std::size_t row) const override {
    const auto start = Whole(row, "start"), end = Whole(row, "end");
    return start && end ? std::optional(*end - *start) : std::nullopt;
  }
  std::string NameOf(std::size_t row) const override {
    for (const std::string_view column : {"text", "name"}) {
      const int at = TableOf(row).Column(column);
      if (at < 0) continue;
      if (const auto* text = std::get_if<std::string>(&CellOf(row, at))) return *text;
    }
    return "";
  }
  std::optional<std::int64_t> Number(std::size_t row, Field field) const override {
    for (const std::string_view column : ColumnsOf(field)) {
      if (const auto value = Whole(row, column)) return value;
    }
    return std::nullopt;
  }
  bool SetNumber(std::size_t row, Field field, std::optional<std::int64_t> value) override {
    for (const std::string_view column : ColumnsOf(field)) {
      const int at = TableOf(row).Column(column);
      if (at < 0) continue;
      CellOf(row, at) = value ? Cell(*value) : Cell();
      return true;
    }
    return false;
  }
  bool SetName(std::size_t row, const std::string& name) override {
    const int at = TableOf(row).Column("text");
    if (at < 0 || !std::holds_alternative<std::string>(CellOf(row, at))) return false;
    CellOf(row, at) = name;
    return true;
  }
  bool Select(const Rows& rows) override {
    std::vector<std::vector<std::vector<Cell>>> kept(tables_.size());
    std::set<std::size_t> seen;
    for (const std::size_t row : rows) {
      const auto [table, place] = rows_[row];
      kept[table].push_back(tables_[table].rows[place]);
      if (!seen.insert(row).second && tables_[table].key >= 0) {
        kept[table].back()[static_cast<std::size_t>(tables_[table].key)] = Cell();
      }
    }
    for (std::size_t i = 0; i < kept.size(); ++i) tables_[i].rows = std::move(kept[i]);
    Index();
    return true;
  }
  bool Move(std::size_t row, Ns by) override {
    if (IsLookup(TableOf(row).name) && format() != "rocpd") return false;
    bool moved = false;
    for (const std::string_view column : kTimes) {
      const int at = TableOf(row).Column(column);
      auto* time = at < 0 ? nullptr : std::get_if<std::int64_t>(&CellOf(row, at));
      const bool is_unknown = time != nullptr && *time == 0 && column != "start";
      if (time == nullptr || is_unknown) continue;
      *time += by;
      moved = true;
    }
    return moved;
  }
  bool Scale(int factor) override {
    const Ns first = First();
    for (std::size_t row = 0; row < size(); ++row) {
      for (const std::string_view column : kTimes) {
        const int at = TableOf(row).Column(column);
        auto* time = at < 0 ? nullptr : std::get_if<std::int64_t>(&CellOf(row, at));
        if (time != nullptr && *time >= first) *time = first + factor * (*time - first);
      }
      const int at = TableOf(row).Column("duration");
      auto* time = at < 0 ? nullptr : std::get_if<std::int64_t>(&CellOf(row, at));
      if (time != nullptr) *time *= factor;
    }
    return true;
  }
  bool CutEnd(std::size_t row) override {
    const int at = TableOf(row).Column("end");
    if (format() != "nsight" || at < 0) return false;
    CellOf(row, at) = Cell();
    return true;
  }
  bool RelabelTexts(Random& random) override;
  bool AddWords() override {
    for (Stored& table : tables_) {
      const std::size_t end = table.sql.rfind(')');
      const bool is_plain = table.sql.find("WITHOUT ROWID") == table.sql.npos &&
                            table.sql.find("PRIMARY KEY (") == table.sql.npos &&
                            table.sql.find("FOREIGN KEY") == table.sql.npos;
      if (end == table.sql.npos || !is_plain) continue;
      table.sql.insert(end, ", a_column_of_later INTEGER");
      table.columns.push_back("a_column_of_later");
      for (auto& row : table.rows) row.emplace_back(std::int64_t{17});
    }
    return true;
  }
  bool AddForeign(Random& random) override {
    Stored other{.name = "WEATHER",
                 .sql = "CREATE TABLE WEATHER (start INTEGER, value INTEGER)",
                 .columns = {"start", "value"},
                 .rows = {}};
    for (int i = 0; i < 40; ++i) {
      other.rows.push_back({std::int64_t{i}, static_cast<std::int64_t>(random() % 100)});
    }
    tables_.push_back(std::move(other));
    Index();
    return true;
  }
  bool Append(const Edit& other) override {
    const auto& more = dynamic_cast<const TablesEdit&>(other);
    if (more.tables_.size() != tables_.size()) return false;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (IsLookup(tables_[i].name)) continue;
      for (auto row : more.tables_[i].rows) {
        if (tables_[i].key >= 0) row[static_cast<std::size_t>(tables_[i].key)] = Cell();
        tables_[i].rows.push_back(std::move(row));
      }
    }
    Index();
    return true;
  }
  bool Forget(Fact fact) override;

 private:
  void Read(std::string_view bytes);
  void Index() {
    rows_.clear();
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      for (std::size_t k = 0; k < tables_[i].rows.size(); ++k) rows_.emplace_back(i, k);
    }
  }
  static bool IsLookup(std::string_view table) {
    return table.starts_with("TARGET_INFO") || table.starts_with("ANALYSIS") ||
           table.find("_info_") != table.npos || table == "WEATHER";
  }
  static Kind KindOfTable(std::string_view table) {
    const auto has = [&](std::string_view part) { return table.find(part) != table.npos; };
    if (has("KIND_KERNEL") || has("CONCURRENT_KERNEL") || has("kernel_dispatch")) {
      return Kind::kKernel;
    }
    if (has("KIND_MEMCPY") || has("KIND_MEMSET") || has("memory_copy")) return Kind::kCopy;
    if (has("KIND_RUNTIME") || has("KIND_DRIVER")) return Kind::kCall;
    if (has("NVTX_EVENTS") || has("rocpd_region")) return Kind::kRange;
    return Kind::kOther;
  }
  static std::vector<std::string_view> ColumnsOf(Field field) {
    switch (field) {
      case Field::kStream:
        return {"streamId", "stream_id"};
      case Field::kThread:
        return {"globalTid", "threadId"};
      case Field::kProcess:
        return {"globalPid", "processId"};
      case Field::kCorrelation:
        return {"correlationId", "correlation_id"};
      case Field::kOperatorId:
        return {};
    }
    return {};
  }
  const Stored& TableOf(std::size_t row) const { return tables_[rows_[row].first]; }
  const Cell& CellOf(std::size_t row, int column) const {
    return TableOf(row).rows[rows_[row].second][static_cast<std::size_t>(column)];
  }
  Cell& CellOf(std::size_t row, int column) {
    return const_cast<Cell&>(std::as_const(*this).CellOf(row, column));
  }
  std::optional<std::int64_t> Whole(std::size_t row, std::string_view column) const {
    const int at = TableOf(row).Column(column);
    if (at < 0) return std::nullopt;
    const auto* whole = std::get_if<std::int64_t>(&CellOf(row, at));
    return whole == nullptr ? std::nullopt : std::optional(*whole);
  }
  // Empties these columns of tables whose name holds `part`.
  bool Empty(std::string_view part, std::initializer_list<std::string_view> columns) {
    bool gone = false;
    for (Stored& table : tables_) {
      if (table.name.find(part) == table.name.npos) continue;
      for (const std::string_view column : columns) {
        const int at = table.Column(column);
        if (at < 0) continue;
        for (auto& row : table.rows) {
          Cell& cell = row[static_cast<std::size_t>(at)];
          gone = gone || !std::holds_alternative<std::monostate>(cell);
          cell = Cell();
        }
        // A column that is not declared NOT NULL may be empty.
        Loosen(table, column);
      }
    }
    return gone;
  }
  static void Loosen(Stored& table, std::string_view column) {
    const std::size_t at = table.sql.find(column);
    const std::size_t end = std::min(table.sql.find(',', at), table.sql.size());
    const std::size_t word = table.sql.find("NOT NULL", at);
    if (at != table.sql.npos && word < end) table.sql.erase(word, 8);
  }
  bool EmptyTables(std::string_view part) {
    bool gone = false;
    for (Stored& table : tables_) {
      if (table.name.find(part) == table.name.npos) continue;
      gone = gone || !table.rows.empty();
      table.rows.clear();
    }
    Index();
    return gone;
  }

  std::vector<Stored> tables_;
  std::vector<std::string> others_;  // SQL of views.
  std::vector<std::pair<std::size_t, std::size_t>> rows_;
};

void TablesEdit::Read(std::string_view bytes) {
  const fs::path path = Scratch();
  std::ofstream(path, std::ios::binary) << bytes;
  sqlite3* handle = nullptr;
  const std::string uri = "file:" + path.string() + "?immutable=1";
  sqlite3_open_v2(uri.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const Database database(handle);
  const Statement schema = Prepare(
      handle, "select type, name, sql from sqlite_master where sql is not null order by rowid");
  const auto text = [](sqlite3_stmt* row, int column) {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(row, column)));
  };
  while (sqlite3_step(schema.get()) == SQLITE_ROW) {
    const std::string type = text(schema.get(), 0);
    Stored table{
        .name = text(schema.get(), 1), .sql = text(schema.get(), 2), .columns = {}, .rows = {}};
    if (table.name.starts_with("sqlite_") || table.sql.starts_with("CREATE VIRTUAL")) continue;
    if (type != "table") {
      if (type == "view") others_.push_back(table.sql);
      continue;
    }
    const Statement columns = Prepare(handle, "pragma table_info(\"" + table.name + "\")");
    while (sqlite3_step(columns.get()) == SQLITE_ROW) {
      const std::string kind = text(columns.get(), 2);
      if (sqlite3_column_int(columns.get(), 5) == 1 && (kind == "INTEGER" || kind == "integer")) {
        table.key = static_cast<int>(table.columns.size());
      }
      table.columns.push_back(text(columns.get(), 1));
    }
    const Statement rows = Prepare(handle, "select * from \"" + table.name + "\"");
    while (sqlite3_step(rows.get()) == SQLITE_ROW) {
      std::vector<Cell> row;
      for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
        row.push_back(CellAt(rows.get(), i));
      }
      table.rows.push_back(std::move(row));
    }
    tables_.push_back(std::move(table));
  }
  fs::remove(path);
  Index();
}

std::string TablesEdit::Bytes() const {
  const fs::path path = Scratch();
  {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    const Database database(handle);
    sqlite3_exec(handle, "pragma journal_mode = off; pragma synchronous = off; begin", nullptr,
                 nullptr, nullptr);
    for (const Stored& table : tables_) {
      sqlite3_exec(handle, table.sql.c_str(), nullptr, nullptr, nullptr);
      std::string places;
      for (std::size_t i = 0; i < table.columns.size(); ++i) places += i == 0 ? "?" : ", ?";
      const Statement insert =
          Prepare(handle, "insert into \"" + table.name + "\" values (" + places + ")");
      for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          Bind(insert.get(), static_cast<int>(i) + 1, row[i]);
        }
        sqlite3_step(insert.get());
        sqlite3_reset(insert.get());
      }
    }
    for (const std::string& sql : others_) {
      sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    }
    sqlite3_exec(handle, "commit", nullptr, nullptr, nullptr);
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  fs::remove(path);
  return bytes;
}

bool TablesEdit::RelabelTexts(Random& random) {
  Stored* texts = nullptr;
  for (Stored& table : tables_) {
    const bool holds = table.name == "StringIds" || table.name == "StringTable" ||
                       table.name.starts_with("rocpd_string");
    if (holds) texts = &table;
  }
  if (texts == nullptr) return false;
  std::vector<std::int64_t> ids;
  for (const auto& row : texts->rows) {
    if (const auto* id = std::get_if<std::int64_t>(&row.front())) ids.push_back(*id);
  }
  std::vector<std::int64_t> others = ids;
  std::shuffle(others.begin(), others.end(), random);
  std::map<std::int64_t, std::int64_t> now;
  for (std::size_t i = 0; i < ids.size(); ++i) now[ids[i]] = others[i];
  const auto change = [&](Cell& cell) {
    auto* id = std::get_if<std::int64_t>(&cell);
    if (id != nullptr && now.contains(*id)) *id = now[*id];
  };
  for (auto& row : texts->rows) change(row.front());
  for (Stored& table : tables_) {
    std::vector<std::string_view> columns(std::begin(kTextIds), std::end(kTextIds));
    if (format() == "nvprof" && &table != texts) columns.push_back("name");
    for (const std::string_view column : columns) {
      const int at = table.Column(column);
      for (auto& row : table.rows) {
        if (at >= 0) change(row[static_cast<std::size_t>(at)]);
      }
    }
  }
  return true;
}

bool TablesEdit::Forget(Fact fact) {
  const char* devices = format() == "nsight"   ? "TARGET_INFO_GPU"
                        : format() == "nvprof" ? "ACTIVITY_KIND_DEVICE"
                                               : "rocpd_info_agent";
  switch (fact) {
    case Fact::kDeviceName:
      return Empty(devices, {"name", "chipName", "product_name", "vendor_name", "model_name"});
    case Fact::kCapability:
      return Empty(devices, {"computeMajor", "computeMinor", "smMajor", "smMinor",
                             "computeCapabilityMajor", "computeCapabilityMinor"});
    case Fact::kMultiprocessors:
      return Empty(devices, {"smCount", "numMultiprocessors"});
    case Fact::kMemory:
      return Empty(devices,
                   {"totalMemory", "globalMemorySize", "memoryBandwidth", "globalMemoryBandwidth"});
    case Fact::kDeviceList:
      return EmptyTables(devices);
    case Fact::kGrid:
      return Empty("KERNEL", {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"}) ||
             Empty("kernel_dispatch", {"grid_size_x", "grid_size_y", "grid_size_z",
                                       "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"});
    case Fact::kRegisters:
      return Empty("KERNEL", {"registersPerThread", "staticSharedMemory", "dynamicSharedMemory",
                              "sharedMemoryExecuted"});
    case Fact::kBytes: {
      const bool copies = Empty("MEMCPY", {"bytes"}) || Empty("memory_copy", {"size"});
      return Empty("MEMSET", {"bytes"}) || copies;
    }
    case Fact::kStacks:
      return Empty("", {"callchainId", "call_stack", "stack_id"});
    case Fact::kCorrelation:
      return Empty("", {"correlationId", "correlation_id"});
    default:
      return false;
  }
}

}  // namespace

std::unique_ptr<Edit> EditTables(std::string_view bytes, std::string_view format) {
  return std::make_unique<TablesEdit>(bytes, format);
}

}  // namespace profgauge::edit
